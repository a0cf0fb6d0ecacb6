"""`check_pins.py` as a user runs it, and what the whole gate sees of versions after a build."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from projects_for_tests import (
    CHECKOUT,
    COMMIT,
    Played,
    commit,
    git,
    make_package,
    run_script,
    write_header,
)

PACKAGE = ".lake/packages/mathlib"
LIBRARY = ".lake/build/lib/lean"
HASH, OTHER = "a" * 40, "b" * 40


def manifest_text(rev: str = COMMIT, asked: str = COMMIT) -> str:
    package = {"url": "x", "type": "git", "rev": rev, "name": "mathlib", "inputRev": asked}
    return json.dumps({"version": "1.2.0", "packages": [package]}, indent=1) + "\n"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def says(played: Played, version: str, githash: str = HASH) -> None:
    """Let the toolchain's `lean` say what it is."""
    line = f"Lean (version {version}, x86_64-unknown-linux-gnu, commit {githash}, Release)"
    path = played.toolchain / "bin" / "lean"
    path.write_text(f"#!/bin/sh\necho '{line}'\n", encoding="utf-8")


@pytest.fixture
def pinned(good: Played) -> Played:
    """A built project with a Mathlib, every place naming the same versions."""
    project = good.project
    with (project / "lakefile.lean").open("a", encoding="utf-8") as stream:
        stream.write(f'\nrequire mathlib from git\n  "https://x/mathlib4" @ "{COMMIT}"\n')
    (project / "lake-manifest.json").write_text(manifest_text(), encoding="utf-8")
    make_package(project / PACKAGE)
    good.policy(packages=["mathlib"])
    edit(project / "policy.toml", "[lean]\n", f'[lean]\ngithash = "{HASH}"\n')
    for module in ("Defs", "Challenge", "Solution"):
        write_header(project / LIBRARY / f"{module}.olean", "4.27.0", HASH)
    write_header(project / PACKAGE / LIBRARY / "Mathlib" / "Basic.olean", "4.27.0", HASH)
    write_header(good.toolchain / "lib" / "lean" / "Init.olean", "4.27.0", HASH)
    says(good, "4.27.0")
    return good


def pins(played: Played, *arguments: str) -> tuple[int, list[dict[str, Any]], dict[str, Any], str]:
    """Exit status, findings, the whole JSON, and standard error."""
    path = played.project.parent / "pins.json"
    path.unlink(missing_ok=True)
    done = played.run("check_pins.py", "--json", str(path), *arguments)
    assert "Traceback" not in done.stderr
    result = json.loads(path.read_text(encoding="utf-8"))
    return done.returncode, result["findings"], result, done.stderr


def gate(played: Played) -> tuple[int, set[str], str]:
    """Exit status, rules of what is no warning, and the page, of the gate on a built project."""
    path = played.project.parent / "gate.json"
    done = played.run("check_axioms.py", "--json", str(path))
    assert "Traceback" not in done.stderr
    result = json.loads(path.read_text(encoding="utf-8"))
    rules = {f["rule"] for f in result["findings"] if f["level"] != "warning"}
    return done.returncode, rules, " ".join(done.stdout.split())


def alone(project: Path, *programs: str) -> subprocess.CompletedProcess[str]:
    """Run on a machine of no program but these."""
    path = project.parent / "programs"
    path.mkdir(exist_ok=True)
    for program in programs:
        found = shutil.which(program)
        assert found is not None
        (path / program).symlink_to(found)
    return run_script(
        "check_pins.py", "--project", str(project),
        env={"PATH": str(path), "ELAN_HOME": str(path / "none")},
    )  # fmt: skip


# As a user runs it


def test_everything_is_there_and_agrees(pinned: Played) -> None:
    status, findings, result, _ = pins(pinned)
    assert (status, findings) == (0, [])
    assert result["verdict"] == "ACCEPTED"
    assert result["scope"] == "pins only"
    assert result["not_looked_at"] == []
    assert {s["name"]: s["status"] for s in result["steps"]} == dict.fromkeys(
        ("pins", "running Lean", "modules"), "passed"
    )
    details = {s["name"]: s["detail"] for s in result["steps"]}
    assert f"commit {HASH}" in details["running Lean"]
    assert details["modules"] == "5 files of compiled modules"
    assert not any(call["argv"] != ["--version"] for call in pinned.calls())


def test_our_own_checkout_without_lean() -> None:
    done = run_script(
        "check_pins.py", "--json", "-", env={"PATH": "/nowhere", "ELAN_HOME": "/nowhere"}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    assert result["verdict"] == "ACCEPTED"
    steps = {s["name"]: s for s in result["steps"]}
    assert steps["pins"]["status"] == "passed"
    assert steps["running Lean"]["status"] == "not-run"
    left_out = " ".join(result["not_looked_at"])
    assert "running Lean: there is no lake on the PATH" in left_out
    if not (CHECKOUT / ".lake").exists():
        assert steps["modules"]["status"] == "not-run"
        for name in ("mathlib", "plausible", "LeanSearchClient", "importGraph", "proofwidgets",
                     "aesop", "Qq", "batteries", "Cli"):  # fmt: skip
            assert f".lake/packages/{name}" in left_out
        assert "modules: nothing is compiled here" in left_out


def test_report_says_what_it_is_about(pinned: Played) -> None:
    done = pinned.run("check_pins.py")
    assert done.returncode == 0
    assert done.stdout.startswith(
        "Demo: ACCEPTED (pins only)\n  Every two places that name a version, and are here, agree."
    )


def test_files_alone_without_lean_and_without_git(pinned: Played) -> None:
    done = alone(pinned.project)
    assert done.returncode == 0, done.stdout + done.stderr
    page = " ".join(done.stdout.split())
    assert "whether the files of mathlib are those of their commits: there is no git" in page
    assert "running Lean: there is no lake on the PATH" in page
    assert "the toolchain's own Init.olean" in page
    (pinned.project / PACKAGE / "Mathlib" / "Basic.lean").write_text("changed", encoding="utf-8")
    assert alone(pinned.project).returncode == 0


def test_git_without_lean(pinned: Played) -> None:
    assert alone(pinned.project, "git").returncode == 0
    (pinned.project / PACKAGE / "Mathlib" / "Basic.lean").write_text("changed", encoding="utf-8")
    done = run_script("check_pins.py", "--project", str(pinned.project))
    assert done.returncode == 1
    assert "package-changed" in done.stderr


@pytest.mark.parametrize("head", ["chain", "capitals", "garbage", "folder"])
def test_a_head_that_is_there_is_followed_or_told(pinned: Played, head: str) -> None:
    repository = pinned.project / PACKAGE / ".git"
    path = repository / "HEAD"
    match head:
        case "chain":
            (repository / "refs" / "x").mkdir(parents=True)
            (repository / "refs" / "x" / "y").write_bytes(path.read_bytes())
            path.write_text("ref: refs/x/y\n", encoding="utf-8")
        case "capitals":
            path.write_text(COMMIT.upper() + "\n", encoding="utf-8")
        case "garbage":
            path.write_text("nothing\n", encoding="utf-8")
        case "folder":
            path.unlink()
            path.mkdir()
    (pinned.project / PACKAGE / "Mathlib" / "Basic.lean").write_text("changed", encoding="utf-8")
    status, findings, _, _ = pins(pinned)
    if head in ("chain", "capitals"):
        assert (status, {f["rule"] for f in findings}) == (1, {"package-changed"})
    else:
        assert (status, {f["rule"] for f in findings}) == (2, {"pin-unreadable"})


def test_nothing_is_there(tmp_path: Path, pinned: Played) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert run_script("check_pins.py", "--project", str(empty)).returncode == 2
    shutil.copy(pinned.project / "policy.toml", empty)
    done = run_script("check_pins.py", "--project", str(empty))
    assert done.returncode == 2
    assert "lean-toolchain: missing" in done.stderr
    assert "lake-manifest.json: missing" in done.stderr


def test_named_toolchain_that_is_none(pinned: Played, tmp_path: Path) -> None:
    done = run_script(
        "check_pins.py", "--project", str(pinned.project), "--toolchain", str(tmp_path / "none")
    )
    assert done.returncode == 2
    assert "toolchain-missing" in done.stderr


# Every pair wrong once


Change = Callable[[Played], None]
PLACE = re.compile(r"[^\s()]+(?::\d+|\.olean|bin/lean(?: --version)?|toolchain\))")


def text(path: str, old: str, new: str) -> Change:
    return lambda played: edit(played.project / path, old, new)


def checked_out(played: Played) -> None:
    folder = played.project / PACKAGE
    (folder / "more.lean").write_text("", encoding="utf-8")
    commit(folder)


def header(path: str, version: str, githash: str) -> Change:
    return lambda played: write_header(played.project / path, version, githash)


PAIRS: list[tuple[Change, tuple[str, str]]] = [
    (text("policy.toml", "4.27.0", "4.26.0"), ("lean-toolchain:1", "policy.toml:13")),
    (text(f"{PACKAGE}/lean-toolchain", "v4.27.0", "v4.26.0"),
     ("lean-toolchain:1", f"{PACKAGE}/lean-toolchain:1")),
    (text("lakefile.lean", COMMIT, OTHER), ("lakefile.lean:", "lake-manifest.json:9")),
    (lambda p: edit(p.project / "lake-manifest.json", f'"inputRev": "{COMMIT}"',
                    f'"inputRev": "{OTHER}"'), ("lakefile.lean:", "lake-manifest.json:9")),
    (lambda p: edit(p.project / "lake-manifest.json", f'"inputRev": "{COMMIT}"',
                    f'"inputRev": "{OTHER}"'), ("lake-manifest.json:9", "lake-manifest.json:7")),
    (text("lake-manifest.json", f'"rev": "{COMMIT}"', f'"rev": "{OTHER}"'),
     ("lake-manifest.json:9", "lake-manifest.json:7")),
    (text("lake-manifest.json", f'"rev": "{COMMIT}"', f'"rev": "{OTHER}"'),
     ("lake-manifest.json:7", f"{PACKAGE}/.git/HEAD:1")),
    (checked_out, ("lake-manifest.json:7", f"{PACKAGE}/.git/HEAD:1")),
    (lambda p: p.answer("--version", stdout="Lake version 5 (Lean version 4.26.0)\n"),
     ("--toolchain", "lean-toolchain:1")),
    (lambda p: says(p, "4.26.0"), ("bin/lean", "lean-toolchain:1")),
    (lambda p: says(p, "4.26.0"), (f"{LIBRARY}/Challenge.olean", "bin/lean --version")),
    (lambda p: says(p, "4.27.0", OTHER), ("bin/lean", "policy.toml:11")),
    (lambda p: says(p, "4.27.0", OTHER), (f"{LIBRARY}/Challenge.olean", "bin/lean --version")),
    (header(f"{LIBRARY}/Solution.olean", "4.26.0", HASH),
     (f"{LIBRARY}/Solution.olean", "lean-toolchain:1")),
    (header(f"{LIBRARY}/Solution.olean", "4.27.0", OTHER),
     (f"{LIBRARY}/Solution.olean", "policy.toml:11")),
    (header(f"{LIBRARY}/Solution.olean", "4.27.0", OTHER),
     (f"{LIBRARY}/Solution.olean", "bin/lean --version")),
    (header(f"{LIBRARY}/Solution.olean.private", "4.26.0", HASH),
     (f"{LIBRARY}/Solution.olean.private", "lean-toolchain:1")),
    (header(f"{PACKAGE}/{LIBRARY}/Mathlib/Basic.olean", "4.26.0", HASH),
     (f"{PACKAGE}/{LIBRARY}/Mathlib/Basic.olean", "lean-toolchain:1")),
    (lambda p: write_header(p.toolchain / "lib" / "lean" / "Init.olean", "4.27.0", OTHER),
     ("toolchain/lib/lean/Init.olean", "bin/lean --version")),
]  # fmt: skip


@pytest.mark.parametrize(("change", "places"), PAIRS, ids=[str(i) for i in range(len(PAIRS))])
def test_every_pair_wrong_once(pinned: Played, change: Change, places: tuple[str, str]) -> None:
    change(pinned)
    status, findings, _, said = pins(pinned)
    assert status == 1, said
    mismatches = [f["message"] for f in findings if f["rule"] == "pin-mismatch"]
    assert any(all(place in m for place in places) for m in mismatches), said
    assert all(len(PLACE.findall(m)) >= 2 for m in mismatches), mismatches


def test_modules_agree_among_themselves_where_nobody_tells_a_git_hash(pinned: Played) -> None:
    edit(pinned.project / "policy.toml", f'githash = "{HASH}"\n', "")
    says(pinned, "4.27.0", "unknown")
    assert pins(pinned)[0] == 0
    write_header(pinned.project / LIBRARY / "Solution.olean", "4.27.0", OTHER)
    status, findings, _, _ = pins(pinned)
    assert status == 1
    assert f"{LIBRARY}/Solution.olean was written" in findings[0]["message"]
    assert f"{LIBRARY}/Challenge.olean names {HASH}" in findings[0]["message"]


@pytest.mark.parametrize("branch", ["master", "v4.27.0", COMMIT[:39], COMMIT.upper()])
@pytest.mark.parametrize("place", ["lakefile.lean", "lake-manifest.json"])
def test_a_name_that_can_move(pinned: Played, place: str, branch: str) -> None:
    edit(pinned.project / place, COMMIT, branch)
    status, findings, _, _ = pins(pinned)
    assert status == 1
    moving = [f for f in findings if f["rule"] == "pin-not-exact"]
    assert moving
    assert all(f["file"] == place and f["line"] is not None for f in moving)


def test_the_same_commit_in_two_packages_is_found_in_its_own_line(pinned: Played) -> None:
    data = json.loads(manifest_text())
    data["packages"].insert(0, {**data["packages"][0], "name": "other"})
    data["packages"][1]["rev"] = OTHER
    path = pinned.project / "lake-manifest.json"
    path.write_text(json.dumps(data, indent=1), encoding="utf-8")
    lines = path.read_text(encoding="utf-8").splitlines()
    wanted = 1 + next(i for i, line in enumerate(lines) if f'"rev": "{OTHER}"' in line)
    _, findings, _, _ = pins(pinned)
    mismatches = [f["message"] for f in findings if f["rule"] == "pin-mismatch"]
    assert mismatches
    assert all(f"lake-manifest.json:{wanted}" in m for m in mismatches)


# Files of other forms


@pytest.mark.parametrize("path", ["lean-toolchain", "lakefile.lean", "lake-manifest.json",
                                  "policy.toml", f"{PACKAGE}/.git/HEAD"])  # fmt: skip
def test_lines_that_end_as_on_windows(pinned: Played, path: str) -> None:
    file = pinned.project / path
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    status, findings, _, _ = pins(pinned)
    assert (status, findings) == (0, [])


@pytest.mark.parametrize("path", ["lean-toolchain", "lakefile.lean", "lake-manifest.json",
                                  "policy.toml"])  # fmt: skip
def test_byte_order_mark(pinned: Played, path: str) -> None:
    file = pinned.project / path
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    status, findings, _, _ = pins(pinned)
    assert (status, findings) == (0, [])


def remove(path: Path) -> None:
    path.unlink()


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def circle(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def nowhere(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def latin(path: Path) -> None:
    path.write_bytes(b"\xe9\n")


@pytest.mark.parametrize("spoil", [remove, folder, pipe, circle, nowhere, latin])
@pytest.mark.parametrize("path", ["lean-toolchain", "lakefile.lean", "lake-manifest.json"])
def test_files_that_cannot_be_read(
    pinned: Played, path: str, spoil: Callable[[Path], None]
) -> None:
    spoil(pinned.project / path)
    status, findings, _, _ = pins(pinned)
    assert status == 2
    assert "pin-unreadable" in {f["rule"] for f in findings}
    assert any(path in f["message"] for f in findings)


@pytest.mark.parametrize("spoil", [folder, pipe, circle, latin])
def test_mathlibs_toolchain_file_that_cannot_be_read(
    pinned: Played, spoil: Callable[[Path], None]
) -> None:
    spoil(pinned.project / PACKAGE / "lean-toolchain")
    status, findings, _, said = pins(pinned)
    assert status == 1, said
    assert {f["rule"] for f in findings} == {"pin-unreadable", "package-changed"}
    assert f"{PACKAGE}/lean-toolchain" in said


@pytest.mark.parametrize("spoil", [folder, pipe, latin])
def test_a_compiled_module_that_cannot_be_read(
    pinned: Played, spoil: Callable[[Path], None]
) -> None:
    spoil(pinned.project / LIBRARY / "Solution.olean")
    status, findings, _, said = pins(pinned)
    if spoil is folder:  # then it is none, and the others are there
        assert status == 0
        return
    assert status == 2, said
    assert [f["rule"] for f in findings] == ["pin-unreadable"]
    assert f"{LIBRARY}/Solution.olean: pin-unreadable" in said


def test_a_compiled_module_of_another_format(pinned: Played) -> None:
    write_header(pinned.project / LIBRARY / "Solution.olean", "4.27.0", HASH, form=3)
    status, _, _, said = pins(pinned)
    assert status == 2
    assert "it is of format 3, and 2 is known here" in said


def test_what_another_build_left_behind_is_no_module_of_the_project(pinned: Played) -> None:
    write_header(pinned.project / LIBRARY / "Gone.olean", "4.1.0", OTHER)
    assert pins(pinned)[0] == 0


def test_lake_uses_the_lean_lakefile_where_both_are_there(pinned: Played) -> None:
    (pinned.project / "lakefile.toml").write_text(
        f'[[require]]\nname = "mathlib"\nrev = "{OTHER}"\n', encoding="utf-8"
    )
    assert pins(pinned)[0] == 0
    (pinned.project / "lakefile.lean").unlink()
    status, findings, _, _ = pins(pinned)
    assert status == 1
    assert findings[0]["file"] == "lakefile.toml"
    assert findings[0]["line"] == 3


def test_a_lakefile_in_toml_with_the_same_revision_twice(pinned: Played) -> None:
    (pinned.project / "lakefile.lean").unlink()
    (pinned.project / "lakefile.toml").write_text(
        f"[[require]]\nname = 'Other'\nrev = '{OTHER}'\n\n"
        f"[[require]]\nname = 'mathlib'\nrev = '{OTHER}'\n",
        encoding="utf-8",
    )
    data = json.loads(manifest_text())
    data["packages"].append({**data["packages"][0], "name": "Other", "rev": OTHER,
                             "inputRev": OTHER})  # fmt: skip
    (pinned.project / "lake-manifest.json").write_text(json.dumps(data), encoding="utf-8")
    status, findings, _, _ = pins(pinned)
    assert status == 1
    assert [(f["file"], f["line"]) for f in findings] == [("lakefile.toml", 7)]


def test_toolchain_files_around_and_within_are_not_the_projects(pinned: Played) -> None:
    for place in (pinned.project.parent, pinned.project / "nested", pinned.project / PACKAGE):
        place.mkdir(exist_ok=True)
    for place in (pinned.project.parent, pinned.project / "nested"):
        (place / "lean-toolchain").write_text("leanprover/lean4:v4.1.0\n", encoding="utf-8")
    assert pins(pinned)[0] == 0
    (pinned.project / "lean-toolchain").unlink()
    status, findings, _, said = pins(pinned)
    assert status == 2
    assert "lean-toolchain: missing" in said
    assert findings


def test_spaces_and_letters_of_every_kind_in_paths(pinned: Played, tmp_path: Path) -> None:
    moved = tmp_path / "a b" / "é ℝ"
    moved.parent.mkdir()
    pinned.project.rename(moved)
    pinned.project = moved
    assert pins(pinned)[0] == 0
    (moved / PACKAGE / "Mathlib" / "ℝ new.lean").write_text("", encoding="utf-8")
    status, findings, _, _ = pins(pinned)
    assert status == 1
    assert findings[0]["file"] == f"{PACKAGE}/Mathlib/ℝ new.lean"


def test_nothing_of_the_project_is_written(pinned: Played) -> None:
    def contents() -> dict[str, tuple[int, bytes]]:
        files = [p for p in pinned.project.rglob("*") if p.is_file()]
        return {str(p): (p.stat().st_mtime_ns, p.read_bytes()) for p in files}

    before = contents()
    pins(pinned)
    assert contents() == before


# After a build everything has to be there


def test_after_a_build_everything_is_compared(pinned: Played) -> None:
    status, rules, page = gate(pinned)
    assert (status, rules) == (0, set()), page
    assert (
        f"pins compared: Lean 4.27.0, commit {HASH}, 5 files of compiled modules, "
        "packages checked out: 1"
    ) in page
    result = json.loads((pinned.project.parent / "gate.json").read_text(encoding="utf-8"))
    assert not any(text.startswith("pins: ") for text in result["not_looked_at"])


def build_writes(pinned: Played, path: str, content: str) -> None:
    """Let the build change a file."""
    done = "Build completed successfully (4 jobs).\n"
    pinned.answer("build", stdout=done, write={str(pinned.project / path): content})
    pinned.answer("build", "--no-build", exit=3)
    pinned.answer("build", "Challenge", stdout=done)


def test_a_package_that_the_build_changes(pinned: Played) -> None:
    build_writes(pinned, f"{PACKAGE}/Mathlib/Basic.lean", "axiom x : False\n")
    status, rules, page = gate(pinned)
    assert (status, rules) == (1, {"package-changed"})
    assert f"{PACKAGE} is not as in commit {COMMIT}, which lake-manifest.json:7 names" in page


def test_a_package_that_is_changed_before_the_build_is_not_built(pinned: Played) -> None:
    (pinned.project / PACKAGE / "lakefile.lean").write_text("#eval 1", encoding="utf-8")
    status, rules, _ = gate(pinned)
    assert (status, rules) == (1, {"package-changed"})
    assert not any(call["argv"][0] == "build" for call in pinned.calls())


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda p: remove(p.project / LIBRARY / "Solution.olean"), "pin-unreadable"),
        (lambda p: shutil.rmtree(p.project / ".lake" / "build"), "pin-unreadable"),
        (lambda p: shutil.rmtree(p.project / PACKAGE / ".git"), "pin-unreadable"),
        (lambda p: shutil.rmtree(p.project / PACKAGE), "pin-unreadable"),
        (lambda p: shutil.rmtree(p.project / PACKAGE / ".git" / "objects"), "pin-unreadable"),
        (lambda p: (p.toolchain / "bin" / "lean").write_text("#!/bin/sh\n"), "pin-unreadable"),
        (lambda p: says(p, "4.28.0"), "pin-mismatch"),
        (lambda p: says(p, "4.27.0", OTHER), "pin-mismatch"),
        (header(f"{LIBRARY}/Solution.olean", "4.26.0", HASH), "pin-mismatch"),
        (header(f"{LIBRARY}/Solution.olean", "4.27.0", ""), "pin-mismatch"),
    ],
)  # fmt: skip
def test_after_a_build_nothing_may_be_missing(pinned: Played, change: Change, rule: str) -> None:
    change(pinned)
    status, rules, page = gate(pinned)
    assert status == (1 if rule == "pin-mismatch" else 2), page
    assert rules == {rule}


def test_after_a_build_without_git(pinned: Played, tmp_path: Path) -> None:
    (pinned.project / PACKAGE / "new.lean").write_text("", encoding="utf-8")
    pinned.save()
    done = run_script(
        "check_axioms.py", "--project", str(pinned.project), "--toolchain", str(pinned.toolchain),
        env={"PATH": str(tmp_path / "none")},
    )  # fmt: skip
    page = " ".join(done.stdout.split())
    assert done.returncode == 0, page
    unseen = "whether the files of mathlib are those of their commits: there is no git"
    assert f"packages checked out: 1; not {unseen}" in page
    assert f"pins: {unseen}" in page


def test_the_help_tells_what_is_compared() -> None:
    done = run_script("check_pins.py", "--help")
    assert done.returncode == 0
    for option in ("--project", "--policy", "--json", "--toolchain", "--no-color"):
        assert option in done.stdout
    assert run_script("check_pins.py", "--no-build").returncode == 2


def test_git_of_the_caller_is_not_asked_about_another_repository(
    pinned: Played, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    make_package(other)
    places = {"DIR": ".git", "WORK_TREE": ".", "INDEX_FILE": "x", "OBJECT_DIRECTORY": "y"}
    for name, value in places.items():
        monkeypatch.setenv(f"GIT_{name}", str(other / value))
    assert pins(pinned)[0] == 0
    (pinned.project / PACKAGE / "new.lean").write_text("", encoding="utf-8")
    assert pins(pinned)[0] == 1
    monkeypatch.undo()
    assert git(other, "status", "--porcelain") == ""
