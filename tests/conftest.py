"""Fixtures that every test may use, and what a skip means."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import settings

from harness.process import WORKFLOW_VARIABLES, Outcome
from harness.toolchain import embedded
from projects_for_tests import CHECKOUT, RECORDINGS, Played, play

# How long an example takes says something about the machine, not about the code.
settings.register_profile("here", deadline=None)
settings.load_profile("here")

# What tests start is no step of the workflow that runs them.
for _name in WORKFLOW_VARIABLES:
    os.environ.pop(_name, None)

MAY_NOT_SKIP = bool(os.environ.get("TESTS_MAY_NOT_SKIP"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where everything that tests need was installed, a skip is a failure."""
    report = yield
    if MAY_NOT_SKIP and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, where nothing may be: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def libraries() -> Path:
    """The folder of the Lean inside the wheel."""
    if reason := embedded.unsupported():
        pytest.skip(reason)
    found = embedded.find(CHECKOUT / ".venv")
    assert found is not None, "run scripts/test.py, which installs the Lean inside the wheel"
    return found


@pytest.fixture
def lean(libraries: Path, tmp_path: Path) -> Callable[..., Outcome]:
    """Run the Lean inside the wheel in a folder of the test's own."""

    def run(*arguments: str | Path, seconds: float = 120.0) -> Outcome:
        return embedded.run_lean(
            libraries, arguments, cwd=tmp_path, lean_path=[tmp_path], seconds=seconds
        )

    return run


@pytest.fixture
def good(tmp_path: Path) -> Played:
    """A project in which nothing is wrong, played back."""
    return play(RECORDINGS / "good", tmp_path)
