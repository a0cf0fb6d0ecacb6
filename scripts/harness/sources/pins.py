"""Which Lean and which packages the project names, in every place that names them.

Reads files only, without git and without Lake. Lake itself says "manifest out of date" and goes on;
here every two places that name a version have to agree, and a name that can move (a branch, a
channel) is no pin.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from harness.policy import Policy
from harness.sources import lakefile
from harness.sources.files import NotPlain, no_key_twice, plain_bytes
from harness.sources.lexer import (
    COMMENTS,
    BadName,
    Kind,
    LexError,
    Token,
    format_name,
    parse_name,
    tokenize,
)
from harness.toolchain.elan import TOOLCHAIN_FILE, release_of
from harness.verdict import Finding

STEP = "pins"
MANIFEST = "lake-manifest.json"
LAKEFILES = ("lakefile.lean", "lakefile.toml")
"""In the order in which Lake looks: where both are there, it uses the first."""
PIN_FILES = (TOOLCHAIN_FILE, *LAKEFILES, MANIFEST)

_HASH = re.compile(r"[0-9a-f]{40}")
_PACKAGE = re.compile(r"[\w-][\w. -]{0,200}")
_CONFIGURATIONS = ("lakefile", *LAKEFILES)


class PinError(Exception):
    """A place that names versions cannot be read."""


class Pin(NamedTuple):
    """A version as one place names it."""

    value: str
    file: str
    line: int | None = None

    def place(self) -> str:
        """`FILE` or `FILE:LINE`."""
        return f"{self.file}:{self.line}" if self.line else self.file


class ManifestPackage(NamedTuple):
    """A package as the manifest has it; `rev` and `input_rev` are None for one of another kind.

    `name` is without guillemets, as its folder has it. `configuration` and `folder` are the
    lakefile that Lake reads and the folder inside the package, both as the manifest names them.
    """

    name: str
    rev: Pin | None
    input_rev: Pin | None
    configuration: Pin | None = None
    folder: Pin | None = None


class Manifest(NamedTuple):
    """What the manifest says of packages."""

    packages: tuple[ManifestPackage, ...]
    folder: str
    lake_folder: str = ".lake"


RELEASES = "leanprover/lean4:"
"""Where releases of Lean come from."""
OVERRIDES = ".lake/package-overrides.json"
"""Where Lake looks for packages to take from somewhere else than the manifest says."""
REMEDY = (
    "Write down which one it has to be: leanprover/lean4:v4.30.0 or so, a commit of 40 digits. A "
    "project of `prelude` files for the Lean inside the wheel has no pins: say --embedded."
)
MOST_REFS = 5
"""Refs that are followed one after the other, as git does."""
LARGEST = 4 * 1024 * 1024
"""Bytes of the largest file that is read for its pins."""


def check(project: Path, policy: Policy) -> tuple[list[Finding], list[str]]:
    """Findings about the pins, and what was not there to be looked at."""
    findings: list[Finding] = []
    absent: list[str] = []
    for part in (_toolchain, _packages):
        try:
            findings += part(project, policy, absent)
        except (PinError, OSError, ValueError) as error:
            findings.append(Finding("pin-unreadable", str(error), STEP, remedy=REMEDY))
    return findings, absent


def observed(project: Path, policy: Policy, step: str) -> list[Finding]:
    """Packages whose revision cannot be told once they have to be there."""
    heads = checked_out(project)
    try:
        manifest = read_manifest(project)
    except (PinError, OSError):
        manifest = None  # `check` says so
    listed = [p.name for p in (manifest.packages if manifest else ()) if p.rev is not None]
    return [
        Finding(
            "pin-unreadable",
            f"which revision of {name} is checked out cannot be told",
            step,
            remedy=f"Remove .lake/packages/{name} and build again.",
        )
        for name in dict.fromkeys((*policy.packages, *listed))
        if name not in heads
    ]


def checked_out(project: Path) -> dict[str, str]:
    """The revision of every package of the manifest that is checked out."""
    try:
        manifest = read_manifest(project)
    except PinError:
        return {}
    heads = {
        p.name: read_head(project / manifest.folder / p.name)
        for p in (manifest.packages if manifest else ())
        if manifest
    }
    return {name: head for name, head in heads.items() if head}


def absent(project: Path) -> list[str]:
    """Packages of the manifest that have to be fetched before anything is built."""
    try:
        manifest = read_manifest(project)
    except PinError:
        return []
    if manifest is None:
        return []
    folder = project / manifest.folder
    return [p.name for p in manifest.packages if p.rev and not (folder / p.name).is_dir()]


def manifest_revisions(project: Path) -> dict[str, str]:
    """The revision that the manifest names for every package, as far as it can be read."""
    try:
        manifest = read_manifest(project)
    except PinError:
        return {}
    return {p.name: p.rev.value for p in (manifest.packages if manifest else ()) if p.rev}


def running(policy: Policy, project: Path, version: str, origin: str) -> list[Finding]:
    """Whether the Lean that runs is the pinned one; `version` is what it says of itself."""
    pin = read_toolchain(project)
    wanted = release_of(pin.value) if pin else policy.lean_version
    if wanted is None or version == wanted:
        return []
    place = (pin or of_policy(policy, project, "version")).place()
    return [
        Finding(
            "pin-mismatch",
            f"{origin} is Lean {version}, and {place} names {wanted}",
            STEP,
            file=pin.file if pin else None,
            line=pin.line if pin else None,
            remedy="Run the pinned Lean: through elan, without an override, or with --toolchain.",
        )
    ]


def of_policy(policy: Policy, project: Path, key: str) -> Pin:
    """The version or git hash of Lean as the policy names it, empty if it does not."""
    value = {"version": policy.lean_version, "githash": policy.lean_githash}[key]
    path = policy.path.absolute()
    shown = path.relative_to(project) if path.is_relative_to(project) else path
    try:
        text = _read(policy.path)
    except PinError:
        text = ""
    start = re.search(r"^\s*\[\s*lean\s*\]", text, re.MULTILINE)
    line = re.compile(rf"^\s*{key}\s*=", re.MULTILINE).search(text, start.end() if start else 0)
    number = text.count("\n", 0, line.start()) + 1 if line else None
    return Pin(value or "", shown.as_posix(), number)


def _toolchain(project: Path, policy: Policy, absent: list[str]) -> Iterator[Finding]:
    pin = read_toolchain(project)
    if pin is None:
        raise PinError(f"{TOOLCHAIN_FILE}: missing, so that any Lean would do")
    release = release_of(pin.value)
    if release is None or pin.value not in (f"{RELEASES}v{release}", f"{RELEASES}{release}"):
        yield Finding(
            "pin-not-exact",
            f"{pin.value!r} is no release of Lean",
            STEP,
            file=pin.file,
            line=1,
            remedy="Name one, as in leanprover/lean4:v4.30.0.",
        )
    elif policy.lean_version and release != policy.lean_version:
        yield _mismatch("Lean", pin, of_policy(policy, project, "version"), release)


def _packages(project: Path, policy: Policy, absent: list[str]) -> Iterator[Finding]:
    lakefile = next((f for f in LAKEFILES if os.path.lexists(project / f)), None)
    required = _read_lakefile(project, lakefile) if lakefile else {}
    if lakefile is None:
        absent.append("lakefile")
    manifest = read_manifest(project)
    if manifest is None:
        absent.append(MANIFEST)
        if required or policy.packages:
            raise PinError(f"{MANIFEST}: missing, and the lakefile requires packages")
        return
    known = {package.name: package for package in manifest.packages}
    names = [package.name.casefold() for package in manifest.packages]  # they name folders
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise PinError(f"{MANIFEST}: has {', '.join(twice)} twice")
    if (project / OVERRIDES).exists():
        yield Finding(
            "pin-not-exact",
            "Lake takes packages from where this file says, whatever the manifest says",
            STEP,
            file=OVERRIDES,
            remedy="Remove it.",
        )
    for name in policy.packages:
        if name not in required:
            raise PinError(f"{lakefile or ' or '.join(LAKEFILES)}: names no revision of {name}")
    for name, wanted in required.items():
        yield from _exact(name, wanted)
        package = known.get(name)
        if package is None:
            raise PinError(f"{MANIFEST}: has no package {name}, which {wanted.place()} requires")
        if package.input_rev and package.input_rev.value != wanted.value:
            yield _mismatch(name, wanted, package.input_rev)
        elif package.rev and _HASH.fullmatch(wanted.value) and package.rev.value != wanted.value:
            yield _mismatch(name, wanted, package.rev)
    for package in manifest.packages:
        yield from _manifest_package(package)
        yield from _checkout(project, manifest, package, absent)


def _manifest_package(package: ManifestPackage) -> Iterator[Finding]:
    if package.rev is None:
        yield Finding(
            "pin-not-exact",
            f"{package.name} is taken from a folder, whatever stands there",
            STEP,
            file=MANIFEST,
            remedy="Require it from git, at a commit of 40 hexadecimal digits.",
        )
        return
    yield from _exact(package.name, package.rev)
    if package.configuration and package.configuration.value not in _CONFIGURATIONS:
        yield _elsewhere(package.name, package.configuration, "is configured by")
    if package.folder and _leaves(package.folder.value):
        yield _elsewhere(package.name, package.folder, "is taken from")
    asked = package.input_rev
    if asked and _HASH.fullmatch(asked.value) and asked.value != package.rev.value:
        yield _mismatch(f"{package.name} (inputRev and rev)", asked, package.rev)


def _elsewhere(name: str, place: Pin, verb: str) -> Finding:
    return Finding(
        "pin-not-exact",
        f"{name} {verb} {place.value!r}, which its commit does not pin",
        STEP,
        file=place.file,
        line=place.line,
        remedy="Have the lakefile of the package itself, in a folder of the package.",
    )


def _has_link(folder: Path, inside: str) -> bool:
    """Whether one of the folders on a path inside a folder is a link."""
    parts = Path(inside).parts
    return any((folder / Path(*parts[: i + 1])).is_symlink() for i in range(len(parts)))


def _checkout(
    project: Path, manifest: Manifest, package: ManifestPackage, absent: list[str]
) -> Iterator[Finding]:
    """The revision that is checked out, and the toolchain that it names."""
    folder = project / manifest.folder / package.name
    if package.rev is None:
        return
    if not folder.is_dir():
        absent.append(f"{manifest.folder}/{package.name}")
        return
    inside = package.folder
    if inside and not _leaves(inside.value) and _has_link(folder, inside.value):
        yield _elsewhere(package.name, inside, "is taken through a link from")
    head = read_head(folder)
    place = f"{manifest.folder}/{package.name}"
    if head is None and _is_garbled(folder):
        yield Finding(
            "pin-unreadable",
            f"{place}/.git/HEAD is there, and does not tell which commit is checked out",
            STEP,
            file=f"{place}/.git/HEAD",
            remedy=f"Remove {place} and build again: Lake fetches it anew.",
        )
    elif head is None:
        absent.append(f"the revision of {place}")
    elif head != package.rev.value:
        yield _mismatch(package.name, package.rev, Pin(head, f"{place}/.git/HEAD", 1))
    if package.name == "mathlib":
        shown = f"{manifest.folder}/{package.name}/{TOOLCHAIN_FILE}"
        ours, theirs = read_toolchain(project), read_toolchain(folder, shown)
        if theirs is None:
            absent.append(shown)
        elif ours and ours.value != theirs.value:
            yield _mismatch("Lean", ours, theirs)


def read_head(folder: Path) -> str | None:
    """The commit that is checked out in a folder, None if there is no telling without git."""
    try:
        git = _git_folder(folder)
        head = _git_text(git / "HEAD")
        for _ in range(MOST_REFS):
            if not head.startswith("ref:"):
                break
            ref = head.removeprefix("ref:").strip()
            head = _commit_of(git, ref) or _commit_of(repository(folder), ref)
    except (OSError, ValueError, NotPlain):
        return None
    head = head.lower()
    return head if _HASH.fullmatch(head) else None


def _is_garbled(folder: Path) -> bool:
    """Whether there is a HEAD that neither is a commit nor waits for one, as in an empty clone."""
    try:
        git = _git_folder(folder)
        head = _git_text(git / "HEAD")
        ref = head.removeprefix("ref:").strip()
        return ref == head or bool(_commit_of(git, ref) or _commit_of(repository(folder), ref))
    except FileNotFoundError:
        return False
    except (OSError, ValueError, NotPlain):
        return True


def repository(folder: Path) -> Path:
    """The git folder that holds a checkout's objects and refs. Raises OSError or NotPlain."""
    git = _git_folder(folder)
    shared = git / "commondir"  # in a further work tree of a repository
    return git / _git_text(shared) if shared.is_file() else git


def _git_folder(folder: Path) -> Path:
    git = folder / ".git"
    if not git.is_file():
        return git
    return folder / _git_text(git).removeprefix("gitdir:").strip()


def _git_text(path: Path) -> str:
    return plain_bytes(path, LARGEST).decode("utf-8").strip()


def _commit_of(git: Path, ref: str) -> str:
    """The commit that a ref names, loose or packed; empty if it names none."""
    if ref.startswith("/") or ".." in ref.split("/"):
        return ""
    if (git / ref).is_file():
        return _git_text(git / ref)
    if not (git / "packed-refs").is_file():
        return ""
    for line in _git_text(git / "packed-refs").split("\n"):
        commit, _, name = line.partition(" ")
        if name.strip() == ref:
            return commit
    return ""


def read_toolchain(folder: Path, shown: str = TOOLCHAIN_FILE) -> Pin | None:
    """The toolchain that a folder names, None if it names none; `shown` is the file in messages.

    Raises PinError.
    """
    path = folder / TOOLCHAIN_FILE
    if not os.path.lexists(path):
        return None
    text = _read(path, shown).strip()
    if not text or len(text.split()) != 1:
        raise PinError(f"{shown}: is not the name of one toolchain")
    return Pin(text, shown, 1)


def _read_lakefile(project: Path, name: str) -> dict[str, Pin]:
    """Package name to the revision that the lakefile requires; packages of a path have none."""
    text = _read(project / name)
    if name.endswith(".toml"):
        required = list(_toml_requires(name, text))
    else:
        try:
            tokens = [t for t in tokenize(text) if t.kind not in COMMENTS]
        except LexError as error:
            raise PinError(f"{name}: {error}") from None
        try:
            commands = lakefile.read(name, tokens)
        except lakefile.Untold as error:
            raise PinError(str(error)) from None
        required = [r for c in commands if c.word.text == "require" for r in _required(name, c)]
    names = [package.casefold() for package, _ in required]
    if twice := sorted({package for package in names if names.count(package) > 1}):
        raise PinError(f"{name}: requires {', '.join(twice)} twice")
    return dict(required)


def _required(file: str, command: lakefile.Command) -> Iterator[tuple[str, Pin]]:
    """The package of a `require`, and its revision; none for a package from a folder.

    `["scope" /] NAME [@ [git] REV] [from git URL [@ REV] [/ FOLDER]] [with OPTIONS]`, which is all
    that Lake reads (Lake/DSL/Syntax.lean); every text of it has to be a plain string.
    """
    place = f"{file}:{command.word.line}"
    words = [token.text for token in command.tokens]
    clause = list(command.tokens[: words.index("with") if "with" in words else len(words)])
    if len(clause) > 2 and clause[0].kind is Kind.STRING and clause[1].text == "/":
        del clause[:2]
    if not clause or clause[0].kind not in (Kind.IDENTIFIER, Kind.STRING):
        raise PinError(f"{place}: require without a package")
    name = lakefile.plain_name(clause.pop(0).text.strip('"'))
    versions = _after(clause, "@", f"{place}: the revision of {name}")
    if [token.text for token in clause[:1]] == ["from"]:
        del clause[0]
        if [token.text for token in clause[:1]] != ["git"]:
            return  # a folder; the manifest says so too
        _after(clause, "git", f"{place}: the address of {name}")
        versions += _after(clause, "@", f"{place}: the revision of {name}")
        for folder in _after(clause, "/", f"{place}: the folder of {name}"):
            if _leaves(folder.text[1:-1]):
                raise PinError(f"{place}: {name} is taken from {folder.text}, outside of it")
    if clause or len(versions) > 1:
        raise PinError(f"{place}: the revision of {name} is not a plain string and nothing more")
    if versions:
        yield name, Pin(versions[0].text[1:-1], file, versions[0].line)
    else:
        yield name, Pin("", file, command.word.line)


def _after(clause: list[Token], mark: str, what: str) -> list[Token]:
    """Take a mark and the plain string behind it off a clause, if it begins with the mark."""
    if not clause or clause[0].text != mark:
        return []
    git = mark == "@" and [token.text for token in clause[1:2]] == ["git"]
    taken = clause[1 + git : 2 + git]
    if lakefile.text_of(taken) is None:
        raise PinError(f"{what} is not a plain string")
    del clause[: 2 + git]
    return taken


def _leaves(path: str) -> bool:
    """Whether a path could lead out of the folder that it is in."""
    return path.startswith("/") or bool(re.search(r"[\\:\0]", path)) or ".." in path.split("/")


def _toml_requires(file: str, text: str) -> Iterator[tuple[str, Pin]]:
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise PinError(f"{file}: {error}") from None
    entries = table.get("require", [])
    if not isinstance(entries, list):
        raise PinError(f"{file}: require is no array of tables")
    sections = _require_lines(text)
    for number, entry in enumerate(entries):
        match entry:
            case {"name": str(name), "path": str()}:
                continue
            case {"name": str(name), **rest}:
                rev = rest.get("rev", rest.get("version", ""))
                if not isinstance(rev, str):
                    raise PinError(f"{file}: the revision of {name} is no text")
                first = sections[number] if len(sections) == len(entries) else 1
                yield name, Pin(rev.removeprefix("git#"), file, _line_of(text, rev, first))
            case _:
                raise PinError(f"{file}: a require without a name")


def read_manifest(project: Path) -> Manifest | None:
    """What the manifest says, None if there is none. Raises PinError."""
    path = project / MANIFEST
    if not os.path.lexists(path):
        return None
    text = _read(path)
    try:
        data = json.loads(text, object_pairs_hook=no_key_twice)
    except (ValueError, RecursionError) as error:
        raise PinError(f"{MANIFEST}: is not JSON: {error}") from None
    match data:
        case {"packages": list(entries), **rest}:
            folder = rest.get("packagesDir", ".lake/packages")
            if not isinstance(folder, str) or "\0" in folder:
                raise PinError(f"{MANIFEST}: packagesDir is no folder")
            lake_folder = rest.get("lakeDir", ".lake")
            if not isinstance(lake_folder, str) or "\0" in lake_folder:
                raise PinError(f"{MANIFEST}: lakeDir is no folder")
            lines = _entry_lines(text)
            packages = [_manifest_entry(e, at) for e, at in zip_longest(entries, lines)]
            return Manifest(tuple(packages), folder, lake_folder)
    raise PinError(f"{MANIFEST}: has no list of packages")


def _manifest_entry(entry: Any, lines: dict[str, int]) -> ManifestPackage:
    match entry:
        case {"name": str(name), "type": "path"}:
            return ManifestPackage(_folder_name(name), None, None)
        case {"name": str(name), "rev": str(rev), **rest}:
            name = _folder_name(name)
            asked = rest.get("inputRev")
            if asked is not None and not isinstance(asked, str):
                raise PinError(f"{MANIFEST}: inputRev of {name} is no text")
            return ManifestPackage(
                name,
                Pin(rev, MANIFEST, lines.get("rev")),
                Pin(asked, MANIFEST, lines.get("inputRev")) if asked else None,
                _path_of(name, rest, "configFile", lines),
                _path_of(name, rest, "subDir", lines),
            )
    raise PinError(f"{MANIFEST}: a package without name or rev")


def _folder_name(name: str) -> str:
    """The folder of a package: its name without the guillemets that Lean needs to write it."""
    plain = lakefile.plain_name(name)
    try:
        needless = plain != name and format_name(parse_name(name)) != name
    except BadName:
        needless = True
    if needless or not _PACKAGE.fullmatch(plain):
        raise PinError(f"{MANIFEST}: {name[:80]!r} is no name of a package as Lake writes it")
    return plain


def _path_of(name: str, entry: Mapping[Any, Any], key: str, lines: dict[str, int]) -> Pin | None:
    value = entry.get(key)
    if value is not None and not isinstance(value, str):
        raise PinError(f"{MANIFEST}: {key} of {name} is no text")
    return None if value is None else Pin(value, MANIFEST, lines.get(key))


def _exact(name: str, pin: Pin) -> Iterator[Finding]:
    if not _HASH.fullmatch(pin.value):
        yield Finding(
            "pin-not-exact",
            f"{name} is pinned to {pin.value or 'nothing'!r}, which can move",
            STEP,
            file=pin.file,
            line=pin.line,
            remedy="Name the commit: 40 hexadecimal digits.",
        )


def _mismatch(what: str, a: Pin, b: Pin, shown: str | None = None) -> Finding:
    return Finding(
        "pin-mismatch",
        f"{what}: {a.place()} names {shown or a.value}, and {b.place()} names {b.value}",
        STEP,
        file=a.file,
        line=a.line,
        evidence={a.place(): a.value, b.place(): b.value},
        remedy="Make both name the version that was meant.",
    )


def _read(path: Path, shown: str = "") -> str:
    shown = shown or path.name
    try:
        return plain_bytes(path, LARGEST).decode("utf-8-sig")
    except NotPlain as error:
        raise PinError(f"{shown}: {error}") from None
    except OSError as error:
        raise PinError(f"{shown}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise PinError(f"{shown}: is not UTF-8 text (byte {error.start})") from None


def _line_of(text: str, value: str, first: int) -> int | None:
    """The line, from `first` on, that has a quoted value."""
    lines = text.split("\n")[first - 1 :]
    quoted = (f'"{value}"', f"'{value}'")
    return next((first + i for i, line in enumerate(lines) if any(q in line for q in quoted)), None)


def _require_lines(text: str) -> list[int]:
    """The lines of a lakefile.toml in which a `require` begins."""
    heads = re.finditer(r"^[ \t]*\[\[[ \t]*require[ \t]*\]\]", text, re.MULTILINE)
    return [text.count("\n", 0, head.start()) + 1 for head in heads]


_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:]')


def _entry_lines(text: str) -> list[dict[str, int]]:
    """For each package of a manifest (which is JSON), the lines of its texts by their keys."""
    entries: list[dict[str, int]] = []
    depth, top, key, before = 0, "", "", ""
    position, line = 0, 1
    tokens = [*_JSON_TOKEN.finditer(text)]
    for token, following in zip(tokens, [*(t[0] for t in tokens[1:]), ""], strict=True):
        if token[0] in ("{", "["):
            depth += 1
            if depth == 3 and top == "packages":
                entries.append({})
        elif token[0] in ("}", "]"):
            depth -= 1
        elif following == ":":
            key = json.loads(token[0])
            top = key if depth == 1 else top
        elif before == ":" and depth == 3 and top == "packages":
            line += text.count("\n", position, token.start())
            position = token.start()
            entries[-1][key] = line
        before = token[0]
    return entries
