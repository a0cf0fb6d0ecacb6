"""The code is as its tools want it, and the gate imports the standard library alone."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from projects_for_tests import CHECKOUT, SCRIPTS


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "scripts", "src", "tests"],
        ["ruff", "format", "--check", "scripts", "src", "tests"],
        ["mypy"],
    ],
    ids=" ".join,
)
def test_tool_is_content(command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=CHECKOUT,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


OUTSIDE_THE_GATE = (SCRIPTS / "illustrate.py", *(SCRIPTS / "illustration").rglob("*.py"))
"""They decide nothing, and may need what is not in the standard library."""


def python_files() -> list[Path]:
    return sorted(SCRIPTS.rglob("*.py"))


def gate_files() -> list[Path]:
    return [path for path in python_files() if path not in OUTSIDE_THE_GATE]


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import():
                names |= {alias.name.partition(".")[0] for alias in node.names}
            case ast.ImportFrom():
                assert node.level == 0, f"{path} imports by a relative name"
                names.add((node.module or "").partition(".")[0])
    return names


@pytest.mark.parametrize("path", gate_files(), ids=lambda p: str(p.relative_to(SCRIPTS)))
def test_gate_needs_the_standard_library_only(path: Path) -> None:
    more = {"report.py": {"jinja2", "markupsafe"}}.get(path.name, set())
    assert imported(path) - set(sys.stdlib_module_names) <= {"harness", *more}


@pytest.mark.parametrize("path", python_files(), ids=lambda p: str(p.relative_to(SCRIPTS)))
def test_one_place_starts_programs(path: Path) -> None:
    # What is started inside the sandbox has to start the program there.
    if path.name not in ("process.py", "inside_main.py"):
        assert "subprocess" not in imported(path)
    assert "shell=True" not in path.read_text(encoding="utf-8")


def test_lean_lines_are_at_most_100_columns() -> None:
    for path in [*CHECKOUT.glob("*.lean"), *CHECKOUT.glob("D*/**/*.lean"),
                 *(CHECKOUT / "scripts/lean").glob("*.lean")]:  # fmt: skip
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            assert len(line) <= 100, f"{path}:{number}"


def test_every_lean_file_has_header_and_module_docstring() -> None:
    ours = [*CHECKOUT.glob("*.lean"), *(CHECKOUT / "Definitions").glob("*.lean"),
            *(CHECKOUT / "DinhSharpness").glob("*.lean")]  # fmt: skip
    assert len(ours) >= 13
    for path in ours:
        text = path.read_text(encoding="utf-8")
        assert text.startswith("/-\nCopyright (c) 2026"), path
        assert path.name == "lakefile.lean" or "\n/-!\n# " in text, path
