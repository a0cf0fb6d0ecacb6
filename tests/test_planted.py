"""`verify.py --self-test`: every rule is seen at work; a harness that stopped seeing is told."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness import faults, planted, selftest
from harness.toolchain import embedded
from harness.verdict import RULES, Finding, Level, Verdict
from projects_for_tests import CHECKOUT, run_script

NO_WHEEL = embedded.unsupported() or embedded.find(CHECKOUT / ".venv") is None


def copied_case(folder: Path, case: str, **change: str) -> planted.Case:
    """A case of its own folder, with other text in what has to come of it."""
    shutil.copytree(planted.PROJECTS / case, folder / case)
    path = folder / case / "expect.toml"
    text = path.read_text(encoding="utf-8")
    for old, new in change.items():
        assert old.replace("_", "-") in text
        text = text.replace(old.replace("_", "-"), new)
    path.write_text(text, encoding="utf-8")
    (found,) = planted.cases(folder)
    return found


def result(case: planted.Case) -> planted.Result:
    (found,) = planted.results([case], 1, lambda name: None)
    return found


# The summary


def test_a_rule_without_a_case_is_told() -> None:
    case = planted.Case(Path("some"), 1, "kernel-rejects", also=frozenset({"free-variable"}))
    good = planted.Result(case, 1, frozenset({"kernel-rejects", "free-variable"}))
    facts = tuple(selftest.results())
    assert {"kernel-rejects", "free-variable"} <= set(planted.Summary((), facts, ()).without_case())
    missing = planted.Summary((good,), facts, ()).without_case()
    assert not {"kernel-rejects", "free-variable"} & set(missing)
    assert "export-stale" in missing
    told = planted.Summary((good,), facts, ()).failures()
    assert "export-stale: no planted failure shows it at work" in told


def test_only_what_was_caught_counts_for_its_rule() -> None:
    case = planted.Case(Path("some"), 1, "kernel-rejects", also=frozenset({"free-variable"}))
    one_only = planted.Result(case, 1, frozenset({"kernel-rejects"}))
    summary = planted.Summary((one_only,), (), ())
    assert {"kernel-rejects", "free-variable"} <= set(summary.without_case())
    assert summary.uncaught() == [
        "some: exit 1 by kernel-rejects; it must get 1 by free-variable, kernel-rejects"
    ]
    assert summary.page().splitlines()[-1].startswith("0 of 1 planted failures")


def test_warnings_need_no_case() -> None:
    levels = {RULES[rule][0] for rule in planted.Summary((), (), ()).without_case()}
    assert levels == {Level.VIOLATION, Level.COULD_NOT_RUN}


def test_an_accepted_case_that_gets_a_finding_is_told() -> None:
    case = planted.Case(Path("good"), 0, None)
    assert planted.Result(case, 0, frozenset()).caught
    assert not planted.Result(case, 0, frozenset({"kernel-rejects"})).caught
    assert not planted.Result(case, 1, frozenset()).caught


# Cases


def test_a_case_that_is_caught_for_another_reason_is_told(tmp_path: Path, libraries: Path) -> None:
    right = result(copied_case(tmp_path / "right", "target_missing"))
    assert right.caught, right
    other = result(copied_case(tmp_path / "wrong", "target_missing", target_missing="build-failed"))
    assert not other.caught
    assert str(other) == ("target_missing: exit 1 by target-missing; it must get 1 by build-failed")


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("raise ValueError('broken')", "ValueError: broken"),
        ("", "no result"),
        ("print('{}')", "no result"),
        ("print('[]')", "no result"),
        ("import os; os.abort()", "SIGABRT"),
    ],
)
def test_a_script_that_gives_no_result_is_told(
    program: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    (scripts / "verify.py").write_text(program + "\n", encoding="utf-8")
    monkeypatch.setattr(planted, "SCRIPTS", scripts)
    for name in ("good_several", "target_missing"):
        case = next(case for case in planted.cases() if case.name == name)
        found = result(case)
        assert not found.caught
        assert says in str(found)


def test_a_case_that_cannot_be_made_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    (scripts / "verify.py").write_text("", encoding="utf-8")
    monkeypatch.setattr(planted, "SCRIPTS", scripts)
    found = result(next(case for case in planted.cases() if case.name == "bytes_free"))
    assert not found.caught
    assert "a case that cannot be made" in str(found)
    assert "Main.olean" in str(found)


def test_a_change_that_changes_nothing_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "Main.lean").write_text("prelude\n", encoding="utf-8")
    for step in (
        {"do": "replace", "file": "Main.lean", "old": "import", "new": "x"},
        {"do": "overwrite", "file": "Main.lean", "find": "prelude", "bytes": b"prelude".hex()},
        {"do": "overwrite", "file": "Main.lean", "find": "import", "bytes": "00"},
        {"do": "dance", "file": "Main.lean"},
    ):
        with pytest.raises(ValueError):
            planted.change(tmp_path, step)
    assert (tmp_path / "Main.lean").read_text(encoding="utf-8") == "prelude\n"


def test_without_planted_projects_nothing_is_shown(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no planted projects"):
        planted.cases(tmp_path)


# Faults


@pytest.mark.parametrize("fault", faults.FAULTS, ids=lambda fault: fault.name)
def test_each_fault_is_told_by_its_own_rule(
    fault: faults.Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fault.needs_kernel and NO_WHEEL:
        pytest.skip("needs the kernel inside the wheel")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = dict(os.environ)
    assert (found := faults._result(fault)).caught, found
    assert dict(os.environ) == before
    assert list(tmp_path.iterdir()) == []


def test_names_of_planted_failures_are_their_own() -> None:
    assert len({fault.name for fault in faults.FAULTS}) == len(faults.FAULTS)
    assert len({one.name for one in selftest.PLANTED}) == len(selftest.PLANTED)


def test_a_fault_that_another_rule_tells_is_told() -> None:
    def look(folder: Path) -> list[Finding]:
        return [Finding("build-stale", "old", "build"), Finding("axiom-unused", "x", "audit")]

    assert faults._result(faults.Fault("old", "build-stale", look)).caught
    found = faults._result(faults.Fault("old", "build-failed", look))
    assert str(found) == "old: told by build-stale; it must be told by build-failed"
    assert not found.caught
    assert not faults._result(faults.Fault("nothing", None, look)).caught


def test_a_step_that_breaks_is_told_and_ends_nothing() -> None:
    def look(folder: Path) -> list[Finding]:
        raise ZeroDivisionError("by zero")

    found = faults._result(faults.Fault("broken", None, look))
    assert not found.caught
    assert str(found) == "broken: told by ZeroDivisionError: by zero; it must be told by no rule"


# As a user runs it


def test_the_self_test_shows_every_rule_at_work(tmp_path: Path, libraries: Path) -> None:
    def projects() -> set[Path]:
        return set(planted.PROJECTS.rglob("*"))

    temporary, path = tmp_path / "tmp", tmp_path / "self-test.json"
    temporary.mkdir()
    before = projects()
    done = run_script(
        "verify.py", "--self-test", "--json", str(path), seconds=900,
        env={"TMPDIR": str(temporary)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    last = done.stdout.splitlines()[-1]
    counts = re.fullmatch(
        r"(\d+) of (\d+) planted failures got what they must get; "
        r"(\d+) of (\d+) rules were seen at work",
        last,
    )
    assert counts is not None, last
    assert counts[1] == counts[2] == str(len(done.stdout.splitlines()) - 1)
    assert counts[3] == counts[4]
    assert int(counts[4]) >= 50
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["without_case"] == []
    every = [*data["projects"], *data["facts"], *data["faults"]]
    assert len(every) == int(counts[2])
    assert all(one["caught"] for one in every)
    assert {Verdict.ACCEPTED.exit_status, 1, 2} == {one["exit"] for one in data["projects"]}
    assert list(temporary.iterdir()) == []
    assert projects() == before


# In a copy of the checkout


def checkout(folder: Path, *projects: str) -> Path:
    """A copy of what the self-test needs, with some of the planted projects."""
    for name in ("scripts", "pyproject.toml"):
        source = CHECKOUT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    for name in projects:
        ignored = shutil.ignore_patterns("build")
        shutil.copytree(planted.PROJECTS / name, folder / "tests/projects" / name, ignore=ignored)
    return folder


def self_test(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, folder / "scripts" / "verify.py", "--self-test"],
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        stdin=subprocess.DEVNULL,
        env=os.environ | environment,
        check=False,
    )


def test_a_comparison_that_was_switched_off_is_noticed(tmp_path: Path, libraries: Path) -> None:
    copy = checkout(tmp_path, "witness_fewer", "good_several")
    (copy / ".venv").symlink_to((CHECKOUT / ".venv").resolve())
    path = copy / "scripts" / "harness" / "hypotheses.py"
    text = path.read_text(encoding="utf-8")
    assert text.count("elif met.missing:") == 1
    path.write_text(text.replace("elif met.missing:", "elif False:"), encoding="utf-8")
    done = self_test(copy)
    assert done.returncode == 1
    assert (
        "self-test-failed: witness_fewer: exit 0 by no rule; it must get 1 by witness-differs"
        in done.stderr
    )
    assert "self-test-failed: a witness of less: told by no rule; it must" in done.stderr
    assert "good_several: " not in done.stderr


def test_without_the_wheel_it_says_what_to_bring(tmp_path: Path) -> None:
    copy, start = checkout(tmp_path, "good_several"), time.monotonic()
    done = self_test(copy, PIP_NO_INDEX="1", PIP_FIND_LINKS="")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    last = done.stderr.splitlines()[-1]
    assert last.startswith("verify.py: --self-test needs the Lean inside the wheel: ")
    if embedded.unsupported() is None:
        assert f"bring {embedded.FILE} (SHA-256 {embedded.SHA256}) into" in last
    assert time.monotonic() - start < 120
