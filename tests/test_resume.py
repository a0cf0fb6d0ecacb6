"""A run that was interrupted can be taken up again: what is done is looked at, not believed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.toolchain import prelude
from projects_for_tests import RECORDINGS, SCRIPTS, TESTS, play, run_script

CASE = TESTS / "projects" / "good_golden"
MODULES = 4
BUILT = shutil.ignore_patterns("build")


def interrupted(project: Path, moment: int, folder: Path) -> int:
    """Start a verification and end it once `moment` modules are compiled; its exit status."""
    library = prelude.library(project)
    with (folder / "out").open("wb") as out:
        running = subprocess.Popen(
            [sys.executable, SCRIPTS / "verify.py", "--embedded", "--project", str(project)],
            stdout=out,
            stderr=out,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        deadline = time.monotonic() + 60
        while len(list(library.glob("*.olean"))) < moment and running.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        return running.wait(60)


@pytest.mark.parametrize("moment", [1, 3])
def test_after_an_interruption_the_next_run_goes_on(
    moment: int, tmp_path: Path, libraries: Path
) -> None:
    project = Path(shutil.copytree(CASE, tmp_path / "project", ignore=BUILT))
    assert interrupted(project, moment, tmp_path) == 130
    left = {path.name for path in project.iterdir()} - {path.name for path in CASE.iterdir()}
    assert left <= {"build"}
    done = run_script("verify.py", "--embedded", "--project", str(project))
    assert done.returncode == 0, done.stderr
    assert not list(project.rglob("*.part*"))


def test_nothing_is_taken_from_an_unfinished_build_unless_it_is_built_again(
    tmp_path: Path, libraries: Path
) -> None:
    project = Path(shutil.copytree(CASE, tmp_path / "project", ignore=BUILT))
    assert interrupted(project, 2, tmp_path) == 130
    done = run_script("verify.py", "--embedded", "--no-build", "--project", str(project))
    assert done.returncode == 2, done.stderr
    assert "build-stale" in done.stderr


def test_lake_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    """What Lake has built stays: the second run asks Lake again, and for everything."""
    played = play(RECORDINGS / "good", tmp_path)
    played.answer("build", sleep=60)
    played.answer("build", "--no-build", exit=3)
    played.save()
    arguments = ["--project", str(played.project), "--toolchain", str(played.toolchain)]
    running = subprocess.Popen(
        [sys.executable, SCRIPTS / "check_axioms.py", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        env=os.environ,
        start_new_session=True,
    )
    deadline = time.monotonic() + 30
    while not any(call["argv"][:1] == ["build"] and "--no-build" not in call["argv"]
                  for call in played.calls()):  # fmt: skip
        assert time.monotonic() < deadline
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    assert running.wait(30) == 130
    del played.rules[:2]
    done = played.run("check_axioms.py")
    assert done.returncode == 0, done.stderr
