"""Ways around the replay that were found, each to be refused for its own reason."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from harness.toolchain import embedded, prelude
from projects_for_tests import TESTS, run_script

PROJECTS = TESTS / "projects"


def verify(project: Path, *arguments: str) -> tuple[int, set[str], str]:
    """Exit status, rules of what is no warning, and the page."""
    path = project.parent / "result.json"
    done = run_script(
        "verify.py", "--embedded", "--project", str(project), "--json", str(path), *arguments
    )
    assert "Traceback" not in done.stderr
    result = json.loads(path.read_text(encoding="utf-8"))
    rules = {f["rule"] for f in result["findings"] if f["level"] != "warning"}
    return done.returncode, rules, done.stdout


def test_a_zero_and_a_successor_that_are_none(libraries: Path) -> None:
    """False, without an axiom and without a numeral.

    The kernel reduces `Nat.succ Nat.zero` to a literal by the names alone. Here `Nat.zero` is an
    opaque constant of another type and `Nat.succ` a constructor of a third one.
    """
    done = run_script(
        "replay.py", str(TESTS / "data" / "false_by_successor.ndjson"), "--target", "boom"
    )
    assert done.returncode == 1, done.stdout
    assert "primitive-refuted" in done.stderr


def test_code_that_replaces_a_compiled_module_while_another_is_compiled(
    tmp_path: Path, libraries: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(PROJECTS / "acts_on_modules", other)
    definitions = other / "Definitions.lean"
    definitions.write_text(
        definitions.read_text(encoding="utf-8").replace("Prop := False", "Prop := True"), "utf-8"
    )
    for name in ("World", "Definitions"):
        outcome = embedded.run_lean(
            libraries, ["-R", other, "-o", f"{name}.olean", f"{name}.lean"], cwd=other,
            lean_path=[other],
        )  # fmt: skip
        assert outcome.ok, outcome.stdout
    project = tmp_path / "project"
    shutil.copytree(PROJECTS / "acts_on_modules", project)
    shutil.copy(other / "Definitions.olean", project / "data.bin")
    status, rules, page = verify(project)
    assert not (project / "data.bin").exists(), "the attack did not take place"
    assert status == 1, page
    assert "source-changed" in rules
    assert "Definitions changed while Evil was being compiled" in " ".join(page.split())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A good project that is compiled."""
    folder = tmp_path / "project"
    shutil.copytree(PROJECTS / "good_universes", folder)
    assert verify(folder)[0] == 0
    return folder


def test_compiled_modules_that_change_after_the_build(project: Path) -> None:
    """What is asked and replayed is compared with what was compiled once more at the end."""
    from harness import embedded_steps, pipeline, steps
    from harness.console import open_console
    from harness.policy import load_policy

    run = steps.Run(project, load_policy(project / "policy.toml"), open_console(True))
    run.embedded = True
    pipeline.run_all(run, whole=True)
    assert steps.unchanged(run).findings == []
    module = prelude.library(project) / "Main.olean"
    module.write_bytes(module.read_bytes() + b"\0")
    assert {f.rule for f in steps.unchanged(run).findings} == {"source-changed"}
    assert embedded_steps.VENV.is_dir()


@pytest.mark.parametrize("place", ["build", "build/embedded", "build/embedded/lib"])
def test_a_build_folder_that_leads_elsewhere_is_not_followed(
    project: Path, tmp_path: Path, place: str
) -> None:
    victim = tmp_path / "victim"
    for inside in ("lib/precious", "embedded/lib/precious", "precious"):
        (victim / inside).mkdir(parents=True)
        (victim / inside / "file").write_text("mine", encoding="utf-8")
    before = {p: p.read_text("utf-8") for p in victim.rglob("*") if p.is_file()}
    shutil.rmtree(project / place)
    (project / place).symlink_to(victim)
    done = run_script("check_axioms.py", "--embedded", "--project", str(project))
    assert done.returncode == 2
    assert "is a link" in done.stderr
    assert {p: p.read_text("utf-8") for p in victim.rglob("*") if p.is_file()} == before


@pytest.mark.parametrize("name", ["modules.json", "lib/Main.olean"])
def test_a_pipe_among_the_compiled_modules_is_not_waited_for(project: Path, name: str) -> None:
    path = prelude.folder(project) / name
    path.unlink()
    os.mkfifo(path)
    status, rules, _ = verify(project, "--no-build")
    assert status == 2
    assert rules == {"build-stale"}


def test_a_compiled_module_of_nothing_that_is_here(project: Path) -> None:
    library = prelude.library(project)
    shutil.copy(library / "Main.olean", library / "Extra.olean")
    status, rules, page = verify(project, "--no-build")
    assert status == 2
    assert rules == {"build-stale"}
    assert "Extra.olean" in page


@pytest.fixture
def exported(project: Path) -> Path:
    """An export of the project, its manifest beside it."""
    file = project.parent / "proof.ndjson"
    done = run_script(
        "replay.py", "--embedded", "--project", str(project), "--write-export", str(file)
    )
    assert done.returncode == 0, done.stderr
    return file


def test_a_pipe_in_the_place_of_an_export(project: Path, exported: Path) -> None:
    exported.unlink()
    os.mkfifo(exported)
    status, rules, _ = verify(project, "--from-export", str(exported))
    assert status == 2
    assert rules == {"export-unreadable"}


def test_a_manifest_with_more_names_than_an_argument_can_hold(
    project: Path, exported: Path
) -> None:
    path = exported.with_name("proof.ndjson.manifest.json")
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    data["modules"] |= {f"Main.a_name_of_some_length_{i}": "Main" for i in range(20_000)}
    path.write_text(json.dumps(data), encoding="utf-8")
    assert verify(project, "--from-export", str(exported))[0] == 0


def test_fingerprints_do_not_outweigh_what_the_kernel_refutes(
    tmp_path: Path, libraries: Path
) -> None:
    """A manifest that vouches for a `Nat.add` that always gives zero."""
    project = tmp_path / "native"
    shutil.copytree(PROJECTS / "native_add_wrong", project)
    run_script("check_axioms.py", "--embedded", "--project", str(project))
    file = tmp_path / "wrong.ndjson"
    arguments = ["--modules", str(prelude.library(project)), "Main"]
    refused = run_script("replay.py", *arguments, "--write-export", str(file))
    assert refused.returncode == 1
    assert not file.exists()
    manifest = tmp_path / "vouching.json"
    from harness.replay import modules, primitives
    from harness.replay.terms import parse_name

    reader = modules.Reader(modules.gather(parse_name("Main"), [prelude.library(project)]))
    reader.read([("Nat", "add")])
    prints = primitives.fingerprints(reader.source)
    assert "Nat.add" in prints
    manifest.write_text(json.dumps({"fingerprints": prints}), encoding="utf-8")
    done = run_script("replay.py", *arguments, "--known", str(manifest))
    assert done.returncode == 1, done.stdout
    assert "primitive-refuted" in done.stderr


def test_what_is_not_accepted_leaves_files_alone(project: Path, exported: Path) -> None:
    manifest = exported.with_name("proof.ndjson.manifest.json")
    before = exported.read_bytes(), manifest.read_bytes()
    library = str(prelude.library(project))
    for arguments in (
        [str(exported), "--target", "Not.there"],
        [str(exported.with_name("nowhere.ndjson"))],
        ["--modules", library, "NoSuch"],
    ):
        done = run_script("replay.py", *arguments, "--write-export", str(exported))
        assert done.returncode != 0
        assert (exported.read_bytes(), manifest.read_bytes()) == before
    assert run_script("replay.py", str(exported), "--write-export", str(exported)).returncode == 2
    assert (exported.read_bytes(), manifest.read_bytes()) == before
    assert not list(exported.parent.glob("*.part")) + list(exported.parent.glob(".*.part"))


@pytest.mark.parametrize("option", ["--time", "--memory", "--jobs"])
def test_numbers_beyond_all_bounds_are_bad_usage(exported: Path, option: str) -> None:
    for value in ("9" * 20, "0", "-1"):
        done = run_script("replay.py", str(exported), option, value)
        assert done.returncode == 2
        assert "fault of this program" not in done.stderr


@pytest.mark.parametrize("value", [None, 1, "x", []])
def test_a_record_with_a_module_that_is_none(project: Path, value: object) -> None:
    path = prelude.folder(project) / "modules.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    record["modules"]["Extra"] = value
    path.write_text(json.dumps(record), encoding="utf-8")
    status, rules, page = verify(project, "--no-build")
    assert status == 2
    assert rules == {"build-stale"}
    assert "module Extra was compiled and is not needed" in " ".join(page.split())
