"""The self-test notices when the deciding code has stopped seeing."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import pytest

from harness import axioms, selftest, verdict
from harness.toolchain import lake
from harness.verdict import Verdict
from projects_for_tests import Played, run_script


def failures() -> list[str]:
    return [str(result) for result in selftest.results() if not result.caught]


def test_every_planted_failure_is_caught() -> None:
    assert failures() == []
    assert len(selftest.PLANTED) >= 30
    assert {p.verdict for p in selftest.PLANTED} == set(Verdict)


def test_command_shows_each_of_them() -> None:
    done = run_script("check_axioms.py", "--self-test")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(selftest.PLANTED) + 1
    assert lines[-1].startswith(f"{len(selftest.PLANTED)} of {len(selftest.PLANTED)} planted")
    for planted in selftest.PLANTED:
        assert any(
            line.startswith(planted.verdict.value) and line.endswith(planted.name) for line in lines
        )


BLIND: dict[str, tuple[object, str, Callable[..., Any]]] = {
    "accepts everything": (verdict, "_missing", lambda *_: iter(())),
    "sees no axioms": (axioms, "_axiom", lambda *_: iter(())),
    "compares no types": (axioms, "_same_axiom", lambda *_: True),
    "compares no statements": (axioms, "_differences", lambda *_: iter(())),
    "reads no printed axioms": (axioms, "_printed", lambda *_: iter(())),
    "sees no census": (axioms, "_census", lambda *_: iter(())),
    "believes every build": (lake, "failure", lambda *_: []),
}


@pytest.mark.parametrize("name", BLIND)
def test_a_checker_that_stopped_seeing_fails_the_self_test(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, attribute, blind = BLIND[name]
    monkeypatch.setattr(module, attribute, blind)
    assert failures()


def test_a_failed_self_test_is_never_green(
    good: Played, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    from harness import pipeline
    from harness.console import open_console
    from harness.policy import load_policy
    from harness.steps import Run

    good.save()
    wrong = dataclasses.replace(selftest.PLANTED[0], verdict=Verdict.REJECTED, rule="build-failed")
    monkeypatch.setattr(selftest, "PLANTED", (*selftest.PLANTED, wrong))
    policy = load_policy(good.project / "policy.toml")
    run = Run(good.project, policy, open_console(True), good.toolchain)
    pipeline.run_all(run)
    result = pipeline.conclude(run, pipeline.gate(policy), "claim")
    assert result.verdict is Verdict.COULD_NOT_RUN
    assert "self-test-failed" in {finding.rule for finding in result.findings}


def test_the_table_can_be_had_as_json(tmp_path: Any) -> None:
    path = tmp_path / "new" / "cases.json"
    assert run_script("check_axioms.py", "--self-test", "--json", str(path)).returncode == 0
    cases = json.loads(path.read_text(encoding="utf-8"))["cases"]
    assert len(cases) == len(selftest.PLANTED)
    assert all(case["caught"] for case in cases)
    done = run_script("check_axioms.py", "--self-test", "--json", "-")
    assert json.loads(done.stdout)["cases"] == cases
