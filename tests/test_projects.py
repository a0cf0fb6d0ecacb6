"""Real projects, compiled by the Lean inside the wheel and judged as ours is.

One folder a case under `tests/projects/`: sources, policy, and what has to come of it.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import check_axioms
import replay
import verify
from harness.sources.lexer import format_name, parse_name
from harness.toolchain import prelude
from projects_for_tests import TESTS

PROJECTS = TESTS / "projects"
CASES = sorted(path.parent.name for path in PROJECTS.glob("*/expect.toml"))


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


def compiled(case: str, folder: Path) -> tuple[Path, tuple[int, dict[str, Any], str]]:
    """A copy of a case, compiled, with what the case does to it done; and what the gate said."""
    project = folder / case
    shutil.copytree(PROJECTS / case, project, ignore=shutil.ignore_patterns("build"))
    said = run(check_axioms.main, project)
    for number, change in enumerate(expectations(case).get("after", ())):
        _change(project, change, folder / f"other{number}")
    return project, said


def expectations(case: str) -> dict[str, Any]:
    """What has to come of a case."""
    return tomllib.loads((PROJECTS / case / "expect.toml").read_text(encoding="utf-8"))


def _change(project: Path, change: dict[str, Any], folder: Path) -> None:
    """Do to a compiled project what its case says: to a source, or to part of a module."""
    name = change["file"]
    path = project / name if name.endswith(".lean") else prelude.library(project) / name
    match change["do"]:
        case "replace":
            text = path.read_text(encoding="utf-8")
            assert text.count(change["old"]) == 1
            path.write_text(text.replace(change["old"], change["new"]), encoding="utf-8")
        case "overwrite":
            data = bytearray(path.read_bytes())
            offset = change.get("offset")
            if offset is None:
                wanted = change["find"].encode()
                assert data.count(wanted) >= 1
                offset = data.index(wanted)
            new = bytes.fromhex(change["bytes"])
            assert data[offset : offset + len(new)] != new
            data[offset : offset + len(new)] = new
            path.write_bytes(data)
        case "truncate":
            path.write_bytes(path.read_bytes()[: change["size"]])
        case "remove":
            path.unlink()
        case "copy":
            other, _, part = change["from"].partition("/")
            shutil.copy(prelude.library(compiled(other, folder)[0]) / part, path)
        case unknown:
            raise AssertionError(unknown)


def test_there_are_cases() -> None:
    assert len(CASES) >= 80
    verdicts = [expectations(case)["verify"]["exit"] for case in CASES]
    assert {0, 1, 2} == set(verdicts)


@pytest.mark.parametrize("case", CASES)
def test_case(case: str, tmp_path: Path, libraries: Path) -> None:
    expected = expectations(case)
    project, first = compiled(case, tmp_path)
    _judge(expected, "check_axioms", project, None if expected.get("after") else first)
    _judge(expected, "verify", project, None)
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
    main = {"check_axioms": check_axioms.main, "verify": verify.main}[name]
    # What was compiled is judged as it is; what did not compile is compiled again.
    built = expected[name].get("rule") not in ("build-failed", "build-infrastructure")
    status, result, err = said or run(main, project, *(["--no-build"] if built else []))
    rules = {f["rule"] for f in result["findings"] if f["level"] != "warning"}
    assert status == expected[name]["exit"], (name, result["findings"])
    if status:
        assert expected[name]["rule"] in rules, (name, result["findings"])
        assert f"{expected[name]['rule']}: " in err
    else:
        assert rules == set()
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
