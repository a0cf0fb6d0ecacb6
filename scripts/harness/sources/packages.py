"""Whether the packages that are checked out are the commits that the manifest names.

A package's repository is a stranger's. Its configuration can name programs (filters, hooks, a
monitor of the file system), its index can call files unchanged, its `info/exclude` can hide files,
and its refs can put one object in the place of another. So none of these is read: git is run in an
empty repository of our own, which takes nothing but objects from the stranger's, with an index made
from the commit. Files are compared by their content, up to the ends of lines. Which files may be
there besides is said by the `.gitignore` files of the commit, and by Lake, whose folder `.lake` is
left out.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from harness import process
from harness.policy import Policy
from harness.sources import pins
from harness.sources.files import NotPlain
from harness.verdict import Finding

SHOWN = 5
"""Files that a message names; the evidence holds them all."""
NAMES = 16 * 1024 * 1024
"""Characters of file names that are read from git."""
LAKE_FOLDER = "/.lake"

_SUBMODULE = "160000"
_NEWER = {"C": "changed", "K": "changed", "R": "missing", "?": "not of the commit"}
"""What the marks of `git ls-files -t` mean."""


class Unclear(Exception):
    """Why it cannot be told whether a package is its commit."""


def check(project: Path, policy: Policy, step: str) -> tuple[list[Finding], list[str]]:
    """Findings about packages that are not their commits, and what was not looked at.

    Packages that are not there, or at another commit, are left out: `pins.check` names them.
    """
    try:
        manifest = pins.read_manifest(project)
    except (pins.PinError, OSError):
        return [], []  # `pins.check` says so
    there = [p for p in (manifest.packages if manifest else ()) if _is_there(project, manifest, p)]
    if not there:
        return [], []
    if shutil.which("git") is None:
        names = ", ".join(package.name for package in there)
        return [], [f"whether the files of {names} are those of their commits: there is no git"]
    assert manifest is not None
    found: list[Finding] = []
    with tempfile.TemporaryDirectory(prefix="packages-") as scratch:
        for package in there:
            folder = f"{manifest.folder}/{package.name}"
            found += _package(project, folder, package.rev, Path(scratch), policy.limits.packages)
    return [replace(finding, step=step) for finding in found], []


def _is_there(project: Path, manifest: pins.Manifest | None, package: pins.ManifestPackage) -> bool:
    """Whether the commit that the manifest names is checked out, as git's HEAD says."""
    if manifest is None or package.rev is None:
        return False
    return pins.read_head(project / manifest.folder / package.name) == package.rev.value


def _package(
    project: Path, folder: str, commit: pins.Pin | None, scratch: Path, seconds: float
) -> Iterator[Finding]:
    assert commit is not None
    remedy = f"Remove {folder} and build again: Lake fetches it anew."
    try:
        changed = changes(project / folder, commit.value, scratch, seconds)
    except (Unclear, OSError, ValueError, NotPlain) as error:
        message = f"whether {folder} is as in commit {commit.value}, which {commit.place()} names, "
        message += f"cannot be told: {error}"
        yield Finding("pin-unreadable", message, pins.STEP, file=folder, remedy=remedy)
        return
    if not changed:
        return
    shown = ", ".join(f"{path} ({what})" for path, what in list(changed.items())[:SHOWN])
    more = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
    yield Finding(
        "package-changed",
        f"{folder} is not as in commit {commit.value}, which {commit.place()} names: {shown}{more}",
        pins.STEP,
        file=f"{folder}/{next(iter(changed))}",
        evidence=changed,
        remedy=remedy,
    )


def changes(folder: Path, commit: str, scratch: Path, seconds: float) -> dict[str, str]:
    """What is not as in a commit: path to what is the matter with it.

    `scratch` is an empty folder, or one that this function used before; `seconds` is the limit of
    each question to git. Raises Unclear, OSError or NotPlain.
    """
    git = _Git(scratch, folder.absolute(), seconds)
    git.borrow(pins.repository(folder) / "objects")
    git.ask("read-tree", commit)
    # git does not compare the content of a stored folder with its hash. Read in as a part of
    # another folder, nothing is known of its hash, and it is computed from what was read.
    git.ask("read-tree", "--empty", index="computed")
    git.ask("read-tree", "--prefix=x/", commit, index="computed")
    (computed,) = git.ask("write-tree", "--missing-ok", "--prefix=x/", index="computed")
    if [computed] != git.ask("rev-parse", "--verify", f"{commit}^{{tree}}"):
        raise Unclear("an object in its repository is not the one that its name says")
    others = ["ls-files", "-z", "-t", "--others", "--exclude", LAKE_FOLDER]
    listed = [
        *git.ask(*others, "--modified", "--deleted", "--exclude-per-directory=.gitignore"),
        # One that is not of the commit could hide itself, and anything beside it.
        *git.ask(*others, "--", ":(glob)**/.gitignore", ":(glob)**/.gitattributes"),
    ]
    found = {path: _NEWER.get(mark, mark) for mark, _, path in (e.partition(" ") for e in listed)}
    for entry in git.ask("ls-files", "-z", "--stage"):
        about, _, path = entry.partition("\t")
        if about.startswith(_SUBMODULE) and _holds_anything(folder / path):
            found[path] = "a submodule, which is not compared"
    return dict(sorted(found.items()))


def _holds_anything(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


class _Git(NamedTuple):
    """git in a repository of our own, with the files of a package as its work tree."""

    scratch: Path
    folder: Path
    seconds: float

    def borrow(self, objects: Path) -> None:
        """Make the repository, where it is not there yet, and take objects from elsewhere."""
        if not (self.scratch / ".git").is_dir():
            self.ask("init", "--quiet", "--template=", str(self.scratch), made=False)
        place = str(objects.resolve())
        if "\n" in place or place.startswith(('"', "#")) or not objects.is_dir():
            raise Unclear(f"{place!r} is no folder of objects")
        # What git would change in a file before it compares could hide something.
        (self.scratch / ".git" / "info").mkdir(exist_ok=True)
        attributes = self.scratch / ".git" / "info" / "attributes"
        attributes.write_text("* -ident !working-tree-encoding\n", encoding="utf-8")
        (self.scratch / ".git" / "objects" / "info").mkdir(exist_ok=True)
        alternates = self.scratch / ".git" / "objects" / "info" / "alternates"
        alternates.write_text(place + "\n", encoding="utf-8", errors="surrogateescape")

    def ask(self, *words: str, index: str = "index", made: bool = True) -> list[str]:
        """What git prints, entry by entry. Raises Unclear where it has no answer."""
        outcome = process.run(
            ["git", "-c", "core.fsmonitor=false", "-c", "core.fileMode=false", *words],
            cwd=self.folder if made else self.scratch,
            seconds=self.seconds,
            env=self._environment(index, made),
            keep=NAMES,
            strict_limit=True,
        )
        if not outcome.ok:
            said = next((s for s in process.lines_of(outcome.stderr) if s.strip()), "")
            raise Unclear(f"`git {words[0]}` {outcome.says()}" + (f" ({said})" if said else ""))
        end = "\0" if "-z" in words else "\n"
        return [entry for entry in outcome.stdout.split(end) if entry.strip("\n")]

    def _environment(self, index: str, made: bool) -> dict[str, str]:
        """No configuration but the repository's own, no program, no network."""
        caller = {k: v for k, v in process.environment().items() if not k.startswith("GIT_")}
        repository = {
            "GIT_DIR": str(self.scratch / ".git"),
            "GIT_WORK_TREE": str(self.folder),
            "GIT_INDEX_FILE": str(self.scratch / ".git" / index),
        }
        return (
            caller
            | {
                "HOME": str(self.scratch),
                "XDG_CONFIG_HOME": str(self.scratch),
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_CONFIG_GLOBAL": os.devnull,
                "GIT_ATTR_NOSYSTEM": "1",
                "GIT_DEFAULT_HASH": "sha1",
                "GIT_NO_REPLACE_OBJECTS": "1",
                "GIT_OPTIONAL_LOCKS": "0",
                "GIT_TERMINAL_PROMPT": "0",
                "GIT_ALLOW_PROTOCOL": "none",
                "LC_ALL": "C",
            }
            | (repository if made else {})
        )
