"""The table of situations (`cases.toml`): each has tests, and none of them can vanish.

Also here: what the table asks for and no other file has a place for.
"""

from __future__ import annotations

import ast
import functools
import json
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from projects_for_tests import RECORDINGS, SCRIPTS, TESTS, Played, play, run_script

PROJECTS = TESTS / "projects"
EXITS = {"accepted": 0, "rejected": 1, "could not run": 2}
CASES: list[dict[str, Any]] = tomllib.loads((TESTS / "cases.toml").read_text(encoding="utf-8"))[
    "case"
]
KEYS = {"number", "situation", "verdicts", "tests", "projects", "recordings"}


@functools.cache
def functions_of(file: str) -> frozenset[str]:
    """The test functions of a file that would be run: not what is nested or skipped for good."""
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return frozenset(
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("test_")
        and not any("mark.skip(" in ast.unparse(d) + "(" for d in node.decorator_list)
    )


def test_every_situation_is_there_once() -> None:
    assert [case["number"] for case in CASES] == list(range(1, 57))
    assert len({case["situation"] for case in CASES}) == len(CASES)
    for case in CASES:
        assert case.keys() <= KEYS
        assert set(case["verdicts"]) <= EXITS.keys()
        assert case["verdicts"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["number"]))
def test_what_shows_a_situation_is_there(case: dict[str, Any]) -> None:
    exits = {EXITS[verdict] for verdict in case["verdicts"]}
    tests, projects = case.get("tests", []), case.get("projects", [])
    recordings = case.get("recordings", [])
    assert tests or projects or recordings
    for test in tests:
        file, _, name = test.partition("::")
        assert name in functions_of(file), test
    for project in projects:
        expected = tomllib.loads((PROJECTS / project / "expect.toml").read_text(encoding="utf-8"))
        of_it = {expected[name]["exit"] for name in ("verify", "replay") if name in expected}
        assert exits & of_it, project
        assert list((PROJECTS / project).glob("*.lean")), project
    for recording in recordings:
        meta = json.loads((RECORDINGS / recording / "meta.json").read_text(encoding="utf-8"))
        assert meta["expect"]["check_axioms"] in exits, recording


def test_projects_and_recordings_are_run_by_a_test_of_their_own() -> None:
    """What the table names of these is run because these run all there are."""
    assert "test_case" in functions_of("test_projects.py")
    assert "test_gate" in functions_of("test_recordings.py")


# Two runs at once, paths


def started(script: str, project: Path, *arguments: str) -> subprocess.Popen[str]:
    """A script, on its way."""
    return subprocess.Popen(
        [sys.executable, str(SCRIPTS / script), "--project", str(project), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


@pytest.mark.parametrize("pause", [0.0, 0.4, 1.0])
@pytest.mark.parametrize(("case", "status"), [("good_inductive", 0), ("axiom_own", 1)])
def test_two_runs_at_once_with_the_real_lean(
    tmp_path: Path, libraries: Path, case: str, status: int, pause: float
) -> None:
    """One compiles while the other reads what was compiled, unless one waits for the other."""
    project = tmp_path / case
    shutil.copytree(PROJECTS / case, project, ignore=shutil.ignore_patterns("build"))
    runs = []
    for number in range(2):
        time.sleep(pause * number)
        file = str(tmp_path / f"{number}.json")
        runs.append(started("verify.py", project, "--embedded", "--json", file))
    said = [run.communicate(timeout=300) for run in runs]
    assert [run.returncode for run in runs] == [status, status], said
    results = [json.loads((tmp_path / f"{n}.json").read_text(encoding="utf-8")) for n in range(2)]
    rules = [{(f["rule"], f["message"]) for f in result["findings"]} for result in results]
    assert rules[0] == rules[1]
    # How the two meet is chance; that nobody waits twice is not.
    waited = sum("waiting for another run in this checkout" in err for _, err in said)
    assert waited <= 1


def test_a_replay_waits_for_a_run_that_compiles(tmp_path: Path, libraries: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(PROJECTS / "good_inductive", project, ignore=shutil.ignore_patterns("build"))
    assert run_script("verify.py", "--embedded", "--project", str(project)).returncode == 0
    for pause in (0.3, 0.7):
        verify = started("verify.py", project, "--embedded")
        time.sleep(pause)
        replay = started("replay.py", project, "--embedded")
        said = [run.communicate(timeout=300) for run in (verify, replay)]
        assert (verify.returncode, replay.returncode) == (0, 0), said


def test_a_bad_and_a_good_run_at_once_with_a_played_back_lean(good: Played, tmp_path: Path) -> None:
    """Two toolchains on one checkout: each run gets the verdict of what its own Lean says."""
    other = play(RECORDINGS / "axiom", tmp_path / "other")
    for played in (good, other):
        played.answer("build", stdout="Build completed successfully (4 jobs).\n", sleep=2)
        played.answer("build", "--no-build", exit=3)
        played.answer("build", "Challenge", stdout="Build completed successfully (4 jobs).\n")
        played.save()
    runs = [
        started("check_axioms.py", good.project, "--toolchain", str(played.toolchain))
        for played in (good, other)
    ]
    said = [run.communicate(timeout=60) for run in runs]
    assert [run.returncode for run in runs] == [0, 1], said
    assert "axiom-not-allowed" in said[1][1]
    assert sum("waiting for another run in this checkout" in err for _, err in said) == 1


@pytest.mark.parametrize(("case", "status"), [("good_module", 0), ("sorry_elsewhere", 1)])
def test_spaces_and_unicode_in_the_path_of_what_is_compiled(
    tmp_path: Path, libraries: Path, case: str, status: int
) -> None:
    project = tmp_path / "a b" / "é ℝ'" / case
    shutil.copytree(PROJECTS / case, project, ignore=shutil.ignore_patterns("build"))
    done = run_script("verify.py", "--embedded", "--project", str(project), seconds=300)
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
