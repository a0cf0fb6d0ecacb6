"""Where the harness stands: in a checkout, or installed in an environment of Python.

Either way `ROOT` holds `scripts/`, with this package in it, and the planted `tests/projects/`.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
NAME = "lean-proof-audit"
"""The command that is installed, and the name of what is installed."""

INSTALLED = ROOT.name == "lean_proof_audit" and (ROOT / "command.py").is_file()
"""Whether this is the installed package: a checkout has `command.py` elsewhere."""

VENV = Path(sys.prefix) if INSTALLED else ROOT / ".venv"
"""The environment in which the Lean inside the wheel is looked for."""

PROJECT = Path() if INSTALLED else ROOT
"""The project unless another is named."""
PROJECT_SAID = "the current folder" if INSTALLED else "the checkout of this script"

COMMANDS = {
    "verify": "verify.py",
    "gate": "check_axioms.py",
    "statement": "check_statement.py",
    "sorry": "check_sorry.py",
    "pins": "check_pins.py",
    "build": "build.py",
    "replay": "replay.py",
    "report": "report.py",
    "audit-program": "audit_program.py",
}
"""The words of the installed command, and the script that each is."""


def program(script: str, *, installed: bool = INSTALLED) -> str:
    """A script as its own messages name it: `verify.py`, or `lean-proof-audit verify`."""
    words = {file: word for word, file in COMMANDS.items()}
    return f"{NAME} {words[script]}" if installed and script in words else script


def call(script: str, *, installed: bool = INSTALLED) -> str:
    """A script as a person starts it: `python3 scripts/verify.py`, or the installed command."""
    named = program(script, installed=installed)
    return f"python3 scripts/{script}" if named == script else named
