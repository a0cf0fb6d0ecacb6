"""An export in the place of a build: made where Lean is, believed only for the same sources."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from projects_for_tests import TESTS, run_script

CASE = TESTS / "projects" / "good_universes"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, libraries: Path) -> Iterator[Path]:
    """A folder with the project as it was when its export was made, and the export."""
    folder = tmp_path_factory.mktemp("export")
    shutil.copytree(CASE, folder / "project")
    project = str(folder / "project")
    assert run_script("check_axioms.py", "--embedded", "--project", project).returncode == 0
    done = run_script(
        "replay.py", "--embedded", "--project", project, "--write-export",
        str(folder / "proof.ndjson"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    shutil.rmtree(folder / "project" / "build")
    yield folder


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    """A copy of that folder to be changed."""
    return Path(shutil.copytree(made, tmp_path / "copy"))


def verify(folder: Path, file: str = "proof.ndjson") -> tuple[int, dict[str, Any], str]:
    done = run_script(
        "verify.py", "--embedded", "--project", str(folder / "project"), "--from-export",
        str(folder / file), "--json", str(folder / "result.json"),
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    return done.returncode, result, done.stdout


def rules(result: dict[str, Any]) -> set[str]:
    return {f["rule"] for f in result["findings"] if f["level"] != "warning"}


def test_an_export_of_these_sources_is_accepted_and_says_what_it_is(copy: Path) -> None:
    status, result, page = verify(copy)
    assert status == 0, page
    assert page.startswith("good_universes: ACCEPTED (from an export; not built here)\n")
    assert "build, audit, print: from an export; nothing was built here" in page
    assert result["scope"] == "from an export; not built here"
    assert not (copy / "project" / "build").exists()
    steps = {step["name"]: step["status"] for step in result["steps"]}
    assert steps["export"] == steps["replay"] == steps["statement"] == "passed"
    assert "build" not in steps


def test_compressed_exports_are_read(copy: Path) -> None:
    file = copy / "proof.ndjson"
    (copy / "proof.ndjson.xz").write_bytes(lzma.compress(file.read_bytes()))
    file.unlink()
    assert verify(copy, "proof.ndjson.xz")[0] == 0


def test_comments_do_not_make_an_export_stale(copy: Path) -> None:
    main = copy / "project" / "Main.lean"
    main.write_text(main.read_text(encoding="utf-8") + "\n-- more to say\n", encoding="utf-8")
    assert verify(copy)[0] == 0


def test_other_code_makes_it_stale_and_the_file_is_named(copy: Path) -> None:
    main = copy / "project" / "Main.lean"
    main.write_text(main.read_text(encoding="utf-8") + "\naxiom more : True\n", encoding="utf-8")
    status, result, _ = verify(copy)
    assert status == 2
    assert rules(result) == {"export-stale"}
    assert [f["file"] for f in result["findings"] if f["rule"] == "export-stale"] == ["Main.lean"]


def test_without_a_manifest_nothing_is_believed(copy: Path) -> None:
    (copy / "proof.ndjson.manifest.json").unlink()
    status, result, _ = verify(copy)
    assert status == 2
    assert rules(result) == {"export-unreadable"}


@pytest.mark.parametrize("text", ["", "{}", "[]", "{", '{"schema": 1}', "\x00", "[" * 100_000])
def test_a_manifest_that_is_none(copy: Path, text: str) -> None:
    (copy / "proof.ndjson.manifest.json").write_text(text, encoding="utf-8")
    status, result, _ = verify(copy)
    assert status == 2
    assert rules(result) == {"export-unreadable"}


def test_an_export_that_is_not_the_manifests(copy: Path) -> None:
    file = copy / "proof.ndjson"
    file.write_bytes(file.read_bytes() + b"\n")
    status, result, _ = verify(copy)
    assert status == 2
    assert rules(result) == {"export-stale"}


@pytest.mark.parametrize("suffix", [".xz", ".gz"])
def test_a_packed_export_that_is_damaged(copy: Path, suffix: str) -> None:
    file = copy / "proof.ndjson"
    whole = file.read_bytes()
    packed = lzma.compress(whole) if suffix == ".xz" else gzip.compress(whole)
    middle = len(packed) // 2
    for text in (packed[:middle], packed[:middle] + b"\xff" * 40 + packed[middle + 40 :]):
        file.with_name(file.name + suffix).write_bytes(text)
        status, result, _ = verify(copy, f"proof.ndjson{suffix}")
        assert status == 2
        assert rules(result) <= {"export-unreadable", "export-stale"}


def test_a_manifest_that_says_something_twice(copy: Path) -> None:
    path, data = _manifest(copy)
    text = json.dumps(data)
    path.write_text(f'{{"sha256": "{"0" * 64}", {text[1:]}', encoding="utf-8")
    status, result, _ = verify(copy)
    assert status == 2
    assert rules(result) == {"export-unreadable"}


def _manifest(folder: Path) -> tuple[Path, dict[str, Any]]:
    path = folder / "proof.ndjson.manifest.json"
    return path, json.loads(path.read_text(encoding="utf-8"))


def test_an_export_of_other_targets(copy: Path) -> None:
    path, data = _manifest(copy)
    data["targets"] = ["Pair.other"]
    path.write_text(json.dumps(data), encoding="utf-8")
    status, result, _ = verify(copy)
    assert status == 2
    assert rules(result) == {"export-stale"}


def test_a_statement_that_is_not_the_agreed_one(copy: Path) -> None:
    path, data = _manifest(copy)
    (stated,) = [s for s in data["statements"] if s["found"]]
    stated["constant"]["type"] = "True"
    path.write_text(json.dumps(data), encoding="utf-8")
    status, result, _ = verify(copy)
    assert status == 1
    assert rules(result) == {"statement-differs"}


def test_a_challenge_that_is_not_in_the_manifest(copy: Path) -> None:
    path, data = _manifest(copy)
    data["statements"] = []
    path.write_text(json.dumps(data), encoding="utf-8")
    status, result, _ = verify(copy)
    assert status == 2
    assert rules(result) == {"challenge-missing"}


def test_the_example_shows_every_step(libraries: Path) -> None:
    done = run_script("verify.py", "--example")
    assert done.returncode == 0, done.stdout + done.stderr
    first = done.stdout.splitlines()[0]
    assert first == "good_several: ACCEPTED (an example, not the theorem of this repository)"
    for step in ("build", "terms", "print", "replay", "statement"):
        assert f"✓ {step}" in done.stdout


def test_without_lean_the_example_runs_and_is_told_apart(tmp_path: Path, libraries: Path) -> None:
    done = run_script(
        "verify.py",
        env={"PATH": os.defpath, "HOME": str(tmp_path), "ELAN_HOME": str(tmp_path / "elan")},
    )
    assert done.returncode == 2
    assert done.stdout.startswith("DinhSharpness: COULD NOT RUN\n")
    assert "an example (not the theorem), with the Lean inside the wheel: ACCEPTED" in done.stdout
    steps = done.stderr.splitlines()
    assert "example: replay …" in steps and "replay …" not in steps


def test_replaying_an_export_needs_no_project(copy: Path, tmp_path: Path) -> None:
    file = copy / "proof.ndjson"
    for arguments in ([], ["--target", "Pair.turn_turn"], ["--cone", "--target", "Pair.turn_turn"]):
        done = run_script("replay.py", str(file), *arguments)
        assert done.returncode == 0, done.stderr
        asked = (
            ""
            if arguments
            else " (terms only; no theorem was asked about, and no axiom was judged)"
        )
        assert done.stdout.startswith(f"ACCEPTED{asked}\n")
        assert "SHA-256" in done.stdout
    done = run_script("replay.py", str(file), "--target", "Pair.nothing")
    assert done.returncode == 1
    assert "target-missing" in done.stderr
    assert run_script("replay.py", str(tmp_path / "nowhere.ndjson")).returncode == 2
    assert run_script("replay.py", str(file), "--modules", ".", "Main").returncode == 2


def test_an_export_is_replayed_with_nothing_but_python(copy: Path) -> None:
    """Neither Lean's tools nor git nor a home are needed."""
    done = subprocess.run(
        [shutil.which("env") or "env", "-i", f"PATH={os.defpath}",
         str(TESTS.parent / ".venv" / "bin" / "python"), str(TESTS.parent / "scripts/replay.py"),
         str(copy / "proof.ndjson")],
        capture_output=True, encoding="utf-8", timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("case", ["good_golden", "good_several"])
def test_what_a_verification_exports_is_what_its_golden_file_says(
    case: str, tmp_path: Path, libraries: Path
) -> None:
    """Modules and exports are read in different orders; what is stated may not depend on it."""
    project = shutil.copytree(TESTS / "projects" / case, tmp_path / "project")
    assert run_script("verify.py", "--embedded", "--project", str(project)).returncode == 0
    file = str(project / "build" / "proof.ndjson")
    for script in ("verify.py", "check_statement.py"):
        done = run_script(script, "--embedded", "--project", str(project), "--from-export", file)
        assert done.returncode == 0, done.stderr
    before = (project / "statement.golden.txt").read_bytes()
    done = run_script(
        "check_statement.py", "--embedded", "--project", str(project), "--from-export", file,
        "--update-golden",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (project / "statement.golden.txt").read_bytes() == before
