"""Whether a checked-out package is its commit, whatever its own repository says about that."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.sources.packages import Unclear, changes
from projects_for_tests import COMMIT, commit, git, make_package

BASIC = "Mathlib/Basic.lean"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "a b" / "ℝ: mathlib"
    make_package(folder)
    return folder


def compare(folder: Path, revision: str = COMMIT, seconds: float = 30) -> dict[str, str]:
    scratch = folder.parent / "scratch"
    scratch.mkdir(exist_ok=True)
    return changes(folder, revision, scratch, seconds)


def write(folder: Path, path: str, data: bytes = b"axiom y : False\n") -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_bytes(data)


def append(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("a", encoding="utf-8") as stream:
        stream.write(text)


def unnoticed(folder: Path, path: str) -> None:
    """Change a file so that neither its size nor its times tell."""
    times = (folder / path).stat()
    data = (folder / path).read_bytes()
    write(folder, path, data.replace(b"trivial", b"trIvial"))
    os.utime(folder / path, ns=(times.st_atime_ns, times.st_mtime_ns))


# What is no change


def test_as_lake_checks_it_out(package: Path) -> None:
    assert compare(package) == {}


def test_what_lake_builds_is_ignored(package: Path) -> None:
    write(package, ".lake/build/lib/lean/Mathlib/Basic.olean")
    write(package, ".lake/config/lakefile.olean")
    assert compare(package) == {}


def test_lakes_folder_is_ignored_where_the_package_does_not_name_it(package: Path) -> None:
    (package / ".gitignore").write_bytes(b"/build\n")
    commit(package)
    write(package, ".lake/build/lib/lean/Mathlib/Basic.olean")
    assert compare(package, git(package, "rev-parse", "HEAD")) == {}


@pytest.mark.parametrize("change", ["index", "mode", "time", "bits", "config"])
def test_what_does_not_change_a_file_is_no_change(package: Path, change: str) -> None:
    match change:
        case "index":
            (package / ".git" / "index").write_bytes(b"broken")
        case "mode":
            (package / BASIC).chmod(0o755)
        case "time":
            os.utime(package / BASIC, (0, 0))
        case "bits":
            git(package, "update-index", "--assume-unchanged", BASIC)
        case "config":
            (package / ".git" / "config").write_text("[core\n", encoding="utf-8")
    assert compare(package) == {}


@pytest.mark.parametrize("how", ["packed", "shallow", "borrowed", "work tree"])
def test_other_forms_of_a_checkout(package: Path, tmp_path: Path, how: str) -> None:
    copy = tmp_path / "copy"
    match how:
        case "packed":
            git(package, "gc", "--quiet")
            copy = package
        case "shallow":
            git(tmp_path, "clone", "--quiet", "--depth=1", package.as_uri(), str(copy))
        case "borrowed":
            git(tmp_path, "clone", "--quiet", "--shared", str(package), str(copy))
        case "work tree":
            git(package, "worktree", "add", "--quiet", "--detach", str(copy))
    assert compare(copy) == {}
    write(copy, BASIC)
    assert compare(copy) == {BASIC: "changed"}


# What is


def test_a_changed_file(package: Path) -> None:
    write(package, BASIC)
    assert compare(package) == {BASIC: "changed"}


def test_a_changed_file_of_the_same_size_and_times(package: Path) -> None:
    unnoticed(package, BASIC)
    assert compare(package) == {BASIC: "changed"}


def test_a_missing_file(package: Path) -> None:
    (package / BASIC).unlink()
    assert list(compare(package)) == [BASIC]


def test_a_file_that_is_not_of_the_commit(package: Path) -> None:
    write(package, "Mathlib/New.lean")
    assert compare(package) == {"Mathlib/New.lean": "not of the commit"}


def test_a_change_that_was_added_to_the_index(package: Path) -> None:
    write(package, BASIC)
    write(package, "new.lean")
    git(package, "add", "--all")
    assert list(compare(package)) == [BASIC, "new.lean"]


@pytest.mark.parametrize("bit", ["--assume-unchanged", "--skip-worktree"])
def test_a_change_that_the_index_says_not_to_look_at(package: Path, bit: str) -> None:
    git(package, "update-index", bit, BASIC)
    write(package, BASIC)
    assert git(package, "status", "--porcelain") == ""
    assert compare(package) == {BASIC: "changed"}


@pytest.mark.parametrize("where", ["info", "config", "beside", "above"])
def test_a_new_file_that_is_hidden(package: Path, where: str) -> None:
    write(package, "Mathlib/New.lean")
    match where:
        case "info":
            append(package / ".git" / "info" / "exclude", "New.lean\n")
        case "config":
            append(package / ".git" / "hidden", "New.lean\n")
            git(package, "config", "core.excludesFile", str(package / ".git" / "hidden"))
        case "beside":
            append(package / "Mathlib" / ".gitignore", "*\n")
            (package / BASIC).touch()
        case "above":
            append(package / ".gitignore", "New.lean\n")
    if where != "above":
        assert git(package, "status", "--porcelain") == ""
    assert compare(package)


def test_a_repository_in_a_repository(package: Path) -> None:
    make_package(package / "Evil")
    assert compare(package) == {"Evil/": "not of the commit"}


def test_a_submodule_that_is_checked_out(package: Path, tmp_path: Path) -> None:
    make_package(tmp_path / "other")
    git(
        package, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add",
        str(tmp_path / "other"), "sub",
    )  # fmt: skip
    commit(package)
    revision = git(package, "rev-parse", "HEAD")
    assert compare(package, revision) == {"sub": "a submodule, which is not compared"}
    shutil.rmtree(package / "sub")
    (package / "sub").mkdir()
    assert compare(package, revision) == {}


def test_replaced_objects_are_not_followed(package: Path) -> None:
    write(package, BASIC)
    git(package, "add", "--all")
    tree = git(package, "write-tree")
    other = git(package, "commit-tree", "-m", "x", tree)
    git(package, "replace", COMMIT, other)
    assert git(package, "status", "--porcelain") == ""
    assert compare(package) == {BASIC: "changed"}


def stored(package: Path, name: str) -> Path:
    path = package / ".git" / "objects" / name[:2] / name[2:]
    path.chmod(0o644)
    return path


def test_a_folder_stored_under_the_name_of_another(package: Path) -> None:
    """Plain git does not notice: what is checked out is what a forged object says."""
    write(package, BASIC)
    git(package, "add", "--all")
    forged = git(package, "rev-parse", f"{git(package, 'write-tree')}:Mathlib")
    shutil.copy(
        stored(package, forged), stored(package, git(package, "rev-parse", f"{COMMIT}:Mathlib"))
    )
    with pytest.raises(Unclear, match="not the one that its name says"):
        compare(package)


def test_a_commit_stored_under_the_name_of_another(package: Path) -> None:
    write(package, BASIC)
    git(package, "add", "--all")
    other = git(package, "commit-tree", "-m", "x", git(package, "write-tree"))
    shutil.copy(stored(package, other), stored(package, COMMIT))
    with pytest.raises(Unclear):
        compare(package)


@pytest.mark.parametrize("kind", ["pipe", "folder", "link", "link to the same"])
def test_something_else_in_the_place_of_a_file(package: Path, kind: str) -> None:
    path = package / BASIC
    kept = path.rename(package.parent / "kept")
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "link":
            path.symlink_to("nowhere")
        case _:
            path.symlink_to(kept)
    assert BASIC in compare(package)


# Nothing of a stranger's runs


def program(folder: Path) -> tuple[Path, Path]:
    """A program, and what it leaves behind when it runs."""
    mark = folder.parent / "ran"
    path = folder.parent / "program"
    path.write_text(f"#!/bin/sh\ntouch '{mark}'\ncat\n", encoding="utf-8")
    path.chmod(0o755)
    return path, mark


def configure(key: str) -> Callable[[Path, Path], None]:
    return lambda package, path: void(git(package, "config", key, f"'{path}'"))


def void(_: str) -> None:
    return None


def filtering(package: Path, path: Path) -> None:
    configure("filter.x.clean")(package, path)
    append(package / ".git" / "info" / "attributes", "*.lean filter=x\n")


def hooks(package: Path, path: Path) -> None:
    (package / ".git" / "hooks").mkdir()
    for name in ("post-index-change", "fsmonitor-watchman", "post-checkout"):
        shutil.copy(path, package / ".git" / "hooks" / name)


def fetching(package: Path, path: Path) -> None:
    """A partial clone whose missing objects are fetched by a program."""
    for key, value in (
        ("core.repositoryFormatVersion", "1"), ("extensions.partialClone", "origin"),
        ("remote.origin.url", str(package)), ("remote.origin.promisor", "true"),
        ("remote.origin.uploadpack", f"'{path}'"),
    ):  # fmt: skip
        git(package, "config", key, value)
    stored(package, git(package, "rev-parse", f"{COMMIT}:{BASIC}")).unlink()


@pytest.mark.parametrize(
    ("prepare", "plain_git_runs_it"),
    [(configure("core.fsmonitor"), True), (filtering, True), (hooks, True), (fetching, False),
     (configure("core.pager"), False), (configure("diff.external"), False)],
)  # fmt: skip
def test_programs_that_a_repository_names_are_not_run(
    package: Path, prepare: Callable[[Path, Path], None], plain_git_runs_it: bool
) -> None:
    path, mark = program(package)
    prepare(package, path)
    unnoticed(package, BASIC)
    assert compare(package) == {BASIC: "changed"}
    assert not mark.exists()
    os.utime(package / BASIC)
    git(package, "status", "--porcelain")
    assert mark.exists() == plain_git_runs_it


def test_a_work_tree_elsewhere(package: Path, tmp_path: Path) -> None:
    make_package(tmp_path / "other")
    git(package, "config", "core.worktree", str(tmp_path / "other"))
    write(package, BASIC)
    assert git(package, "status", "--porcelain") == ""
    assert compare(package) == {BASIC: "changed"}


def test_attributes_of_the_commit_hide_nothing(package: Path) -> None:
    """With `ident`, what stands between two dollar signs would be left out of the comparison."""
    write(package, ".gitattributes", b"*.lean ident\n")
    write(package, "Mathlib/Id.lean", b"/- $Id$ -/\n")
    commit(package)
    revision = git(package, "rev-parse", "HEAD")
    assert compare(package, revision) == {}
    write(package, "Mathlib/Id.lean", b"/- $Id: -/ axiom cheat : False /- $ -/\n")
    assert compare(package, revision) == {"Mathlib/Id.lean": "changed"}


def test_encodings_of_the_commit_hide_nothing(package: Path) -> None:
    encoding = b"*.lean working-tree-encoding=ISO-2022-JP\n"
    write(package, ".gitattributes", encoding)
    commit(package)
    revision = git(package, "rev-parse", "HEAD")
    data = (package / BASIC).read_bytes()
    assert compare(package, revision) == {}
    write(package, BASIC, b"\x1b(B" + data)
    assert compare(package, revision) == {BASIC: "changed"}


def test_attributes_that_make_two_files_the_same(package: Path) -> None:
    """Read as the encoding that an attribute names, other bytes would be the same text."""
    data = (package / BASIC).read_bytes()
    append(package / "Mathlib" / ".gitattributes", "*.lean working-tree-encoding=UTF-16LE\n")
    append(package / "Mathlib" / ".gitignore", ".git*\n")
    write(package, BASIC, data.decode().encode("utf-16-le"))
    assert "Mathlib/.gitattributes" in compare(package)


def test_nothing_is_written_into_the_package(package: Path) -> None:
    def contents() -> dict[str, tuple[int, bytes]]:
        files = [p for p in package.rglob("*") if p.is_file()]
        return {str(p): (p.stat().st_mtime_ns, p.read_bytes()) for p in files}

    os.utime(package / BASIC, (0, 0))
    before = contents()
    compare(package)
    assert contents() == before


# What cannot be told


@pytest.mark.parametrize("lost", ["objects", "commit", "folder", "all"])
def test_objects_that_are_not_there(package: Path, lost: str) -> None:
    match lost:
        case "objects":
            shutil.rmtree(package / ".git" / "objects")
        case "commit":
            stored(package, COMMIT).unlink()
        case "folder":
            stored(package, git(package, "rev-parse", f"{COMMIT}:Mathlib")).unlink()
        case "all":
            shutil.rmtree(package / ".git")
    with pytest.raises(Unclear):
        compare(package)


def test_files_that_are_missing_among_the_objects_are_compared_all_the_same(package: Path) -> None:
    stored(package, git(package, "rev-parse", f"{COMMIT}:{BASIC}")).unlink()
    assert compare(package) == {}
    unnoticed(package, BASIC)
    assert compare(package) == {BASIC: "changed"}


def test_a_limit_of_time(package: Path) -> None:
    (package / ".gitignore").unlink()
    os.mkfifo(package / ".gitignore")  # which git opens, and waits
    started = time.monotonic()
    with pytest.raises(Unclear, match="time limit of 1 s"):
        compare(package, seconds=1)
    assert time.monotonic() - started < 20
