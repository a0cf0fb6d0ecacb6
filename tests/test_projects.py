"""Real projects, compiled by the Lean inside the wheel and judged as ours is.

One folder a case under `tests/projects/`: sources, policy, and what has to come of it.
"""

from __future__ import annotations

import contextlib
import io
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import check_axioms
import replay
import verify
from harness import planted
from harness.sources.lexer import format_name, parse_name

PROJECTS = planted.PROJECTS
CASES = {case.name: case for case in planted.cases()}


def run(
    main: Callable[[list[str]], int], project: Path, *arguments: str
) -> tuple[int, dict[str, Any], str]:
    """Run a script on a project: exit status, result, and what went to standard error."""
    path = project.parent / "result.json"
    path.unlink(missing_ok=True)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["--project", str(project), "--json", str(path), "--embedded", *arguments])
    assert "Traceback" not in out.getvalue() + err.getvalue()
    result = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return status, result, err.getvalue()


def expectations(case: str) -> dict[str, Any]:
    """What has to come of a case."""
    return tomllib.loads((PROJECTS / case / "expect.toml").read_text(encoding="utf-8"))


def test_there_are_cases() -> None:
    assert len(CASES) >= 80
    verdicts = [expectations(case)["verify"]["exit"] for case in CASES]
    assert {0, 1, 2} == set(verdicts)


@pytest.mark.parametrize("case", CASES)
def test_case(case: str, tmp_path: Path, libraries: Path) -> None:
    expected, after = expectations(case), CASES[case].after
    project = planted.copied(PROJECTS / case, tmp_path)
    # What is changed after compiling may be the export, which the whole verification writes.
    first = run(verify.main if after else check_axioms.main, project)
    for step in after:
        planted.change(project, step)
    _judge(expected, "check_axioms", project, None if after else first)
    if "replay" in expected:
        _replay(expected["replay"], project)
    sources = {p.name for p in (PROJECTS / case).iterdir()} | {"build", *expected.get("leaves", [])}
    assert {p.name for p in project.iterdir()} <= sources


def _replay(expected: dict[str, Any], project: Path) -> None:
    """Whether the compiled modules, whatever their record says, come to what they have to."""
    path = project.parent / "replay.json"
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = replay.main(["--embedded", "--project", str(project), "--json", str(path)])
    assert "Traceback" not in out.getvalue() + err.getvalue()
    result = json.loads(path.read_text(encoding="utf-8"))
    assert status == expected["exit"], result["findings"]
    rules = {f["rule"] for f in result["findings"] if f["level"] != "warning"}
    assert rules == set() if status == 0 else expected["rule"] in rules


def _judge(
    expected: dict[str, Any],
    name: str,
    project: Path,
    said: tuple[int, dict[str, Any], str] | None,
) -> None:
    """Whether a script says of a project what it has to; `said` if it was asked already."""
    # What was compiled is judged as it is; what did not compile is compiled again.
    rule = expected[name].get("rule")
    built = rule not in ("build-failed", "build-infrastructure", "source-changed")
    status, result, err = said or run(
        check_axioms.main, project, *(["--no-build"] if built else [])
    )
    rules = {f["rule"] for f in result["findings"] if f["level"] != "warning"}
    assert status == expected[name]["exit"], (name, result["findings"])
    also = set(expected[name].get("also", ()))
    if status:
        assert {rule, *also} <= rules, (name, result["findings"])
        assert f"{rule}: " in err
    else:
        # The gate does not need the replay, and says what came of it all the same.
        assert rules == also
    printed = {
        target["name"]: sorted(a["name"] for a in target["axioms"] if "print" in a["by"])
        for target in result["targets"]
    }
    if "print" in expected and not expected.get("after"):
        # Lean prints a name without guillemets where it needs none.
        said_by_lean = {
            format_name(parse_name(n)): sorted(axioms) for n, axioms in expected["print"].items()
        }
        assert {n: printed[n] for n in said_by_lean} == said_by_lean
