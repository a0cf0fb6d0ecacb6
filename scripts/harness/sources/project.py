"""The Lean files of a project, the modules they are, and which of them Lake's targets reach."""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from harness import place
from harness.policy import Policy
from harness.sources import lakefile
from harness.sources.files import NotPlain, plain_bytes
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
from harness.sources.pins import LAKEFILES, PIN_FILES
from harness.sources.scan import Import, imports
from harness.sources.tokens import token_hash
from harness.verdict import Finding

STEP = "sources"
AUDIT_PROGRAM = "scripts/lean/Audit.lean"
LARGEST = 16 * 1024 * 1024
"""Bytes of the largest file that is read as a source."""


class LakefileError(Exception):
    """The lakefile says what is built in a way that cannot be read without running Lake."""


class Source(NamedTuple):
    """A Lean file of the project: its path from the project, and its text."""

    path: str
    text: str


class Target(NamedTuple):
    """A library or executable of the lakefile.

    `roots` are the modules it is built from; a root ending in `.+` means every module under that
    name, `.*` these and the name itself.
    """

    name: str
    kind: str
    roots: tuple[str, ...]
    source_folder: str = ""


@dataclass(frozen=True, slots=True)
class Sources:
    """Every Lean file of a project that could be read, and findings about those that could not."""

    files: tuple[Source, ...]
    findings: tuple[Finding, ...] = ()

    def by_path(self) -> dict[str, Source]:
        """Files by their path."""
        return {source.path: source for source in self.files}


def read_sources(project: Path, exclude: Iterable[str]) -> Sources:
    """Read every Lean file of a project: hidden folders, `build` and `exclude` are not its own."""
    files: list[Source] = []
    findings: list[Finding] = []
    for path in sorted(_lean_files(project, tuple(exclude))):
        shown = path.relative_to(project).as_posix()
        try:
            files.append(Source(shown, plain_bytes(path, LARGEST).decode("utf-8")))
        except NotPlain as error:
            findings.append(_unreadable(shown, str(error)))
        except OSError as error:
            findings.append(_unreadable(shown, f"cannot be read: {error.strerror}"))
        except UnicodeDecodeError as error:
            findings.append(_unreadable(shown, f"is not UTF-8 text (byte {error.start})"))
    return Sources(tuple(files), tuple(findings))


def _lean_files(project: Path, exclude: tuple[str, ...]) -> Iterator[Path]:
    """Links to folders inside the project are followed, as Lake follows them, each folder once."""
    seen: set[tuple[int, int]] = set()
    root = project.resolve()
    for folder, names, files in os.walk(project, followlinks=True):
        here = Path(folder)
        inside = here.relative_to(project).as_posix()
        status = here.stat()
        if (status.st_dev, status.st_ino) in seen:
            names.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        names[:] = sorted(
            name
            for name in names
            if not name.startswith(".")
            and (relative := name if inside == "." else f"{inside}/{name}") != "build"
            and relative not in exclude
            and (here / name).resolve().is_relative_to(root)
        )
        yield from (here / name for name in files if name.endswith(".lean"))


def _unreadable(
    path: str, message: str, line: int | None = None, column: int | None = None
) -> Finding:
    return Finding("source-unreadable", message, STEP, file=path, line=line, column=column)


def snapshot(project: Path, sources: Sources, more: Iterable[str] = ()) -> dict[str, str]:
    """SHA-256 of every Lean file, every file that holds pins, and `more`, by path."""
    paths = [*(source.path for source in sources.files), *PIN_FILES, *more]
    hashes = {}
    for path in paths:
        try:
            data = plain_bytes(project / path, LARGEST)
            hashes[path] = hashlib.sha256(data).hexdigest()
        except (OSError, NotPlain):
            hashes[path] = "missing"
    return hashes


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Finding]:
    """What changed between two snapshots."""
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) != after.get(path):
            yield Finding(
                "source-changed",
                "changed while the project was being checked: what was built and what is here "
                "are not the same",
                STEP,
                file=path,
                remedy="Restore it, find out what wrote it, and run again.",
            )


# What Lake builds


def read_targets(project: Path) -> tuple[Target, ...]:
    """The libraries and executables of the lakefile that Lake uses.

    Raises LakefileError if there is none, or if what it builds is not written out.
    """
    name = next((f for f in LAKEFILES if (project / f).is_file()), None)
    if name is None:
        raise LakefileError("there is no lakefile.lean and no lakefile.toml")
    try:
        text = plain_bytes(project / name, LARGEST).decode("utf-8-sig")
        if name.endswith(".toml"):
            targets = tuple(_toml_targets(tomllib.loads(text)))
            _no_name_twice(name, (target.name for target in targets))
            return targets
        tokens = _code(text)
        named = (c for c in lakefile.read(name, tokens) if c.word.text in lakefile.NAMED)
        _no_name_twice(name, (lakefile.name_of(name, c) for c in named if c.tokens))
        return tuple(_lean_targets(name, tokens))
    except lakefile.Untold as error:
        raise LakefileError(str(error)) from None
    except NotPlain as error:
        raise LakefileError(f"{name}: {error}") from None
    except OSError as error:
        raise LakefileError(f"{name}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise LakefileError(f"{name}: is not UTF-8 text (byte {error.start})") from None
    except (LexError, ValueError, RecursionError) as error:
        raise LakefileError(f"{name}: {error}") from None


def _code(text: str) -> list[Token]:
    return [token for token in tokenize(text) if token.kind not in COMMENTS]


def _lean_targets(file: str, tokens: list[Token]) -> Iterator[Target]:
    """`lean_lib NAME where FIELD := VALUE …`, and the same of `lean_exe` and `package`."""
    package_folder = ""
    for command in lakefile.read(file, tokens):
        word, place = command.word.text, f"{file}:{command.word.line}"
        if word not in lakefile.CONFIGURING:
            continue
        name = lakefile.name_of(file, command)
        fields = lakefile.fields(file, command)
        if word == "package":
            package_folder = _string(file, fields.get("srcDir"), "")
            continue
        folder = _join(package_folder, _string(file, fields.get("srcDir"), ""))
        if word == "lean_exe":
            root = _module_names(file, fields.get("root"), (name,))
            if len(root) != 1:
                raise LakefileError(f"{place}: the root of {name} is not one module")
            _are_names(place, name, root)
            yield Target(name, "executable", root, folder)
        else:
            roots = _module_names(file, fields.get("roots"), (name,))
            globs = _module_names(file, fields.get("globs"), roots)
            _are_names(place, name, globs)
            yield Target(name, "library", globs, folder)


def _no_name_twice(file: str, names: Iterable[str]) -> None:
    """Raise LakefileError where two targets have one name: Lake would take one of them."""
    plain = [lakefile.plain_name(name) for name in names]
    if twice := sorted({name for name in plain if plain.count(name) > 1}):
        raise LakefileError(f"{file}: has two targets of the name {', '.join(twice)}")


def _string(file: str, value: list[Token] | None, default: str) -> str:
    if value is None:
        return default
    text = lakefile.text_of(value)
    if text is None:
        raise LakefileError(f"{file}:{value[0].line if value else 1}: srcDir is no plain string")
    return text


def _module_names(
    file: str, value: list[Token] | None, default: tuple[str, ...]
) -> tuple[str, ...]:
    """The modules of `#[`A, `B.+, .submodules `C]`, or of one quoted name."""
    if value is None:
        return default
    found: list[str] = []
    form = ""
    for i, token in enumerate(value):
        if token.kind is Kind.NAME:
            name = token.text.lstrip("`")
            following = "".join(t.text for t in value[i + 1 : i + 3])
            written = next((end for end in (".+", ".*") if following.startswith(end)), "")
            found.append(name + (form or written))
            form = ""
        elif token.text in _GLOBS and i and value[i - 1].text == ".":
            form = _GLOBS[token.text]
        elif token.text not in _PUNCTUATION:
            raise LakefileError(
                f"{file}:{token.line}: {token.text!r} is computed, so what is built cannot be told"
            )
    return tuple(found)


_GLOBS = {"submodules": ".+", "andSubmodules": ".*", "one": ""}
_PUNCTUATION = frozenset("#[],.+*(){}") | {"#[", ".+", ".*"}


def _toml_targets(table: dict[str, Any]) -> Iterator[Target]:
    package_folder = _toml_folder("the package", table)
    for key, kind in (("lean_lib", "library"), ("lean_exe", "executable")):
        entries = table.get(key, [])
        if not isinstance(entries, list):
            raise LakefileError(f"lakefile.toml: {key} is no array of tables")
        for entry in entries:
            match entry:
                case {"name": str(name)}:
                    rest = dict[str, Any](entry)
                    roots = _toml_roots(name, kind, rest)
                    folder = _join(package_folder, _toml_folder(name, rest))
                    yield Target(name, kind, tuple(roots), folder)
                case _:
                    raise LakefileError(f"lakefile.toml: a {key} without a name")


def _toml_folder(name: str, entry: Mapping[str, Any]) -> str:
    folder = entry.get("srcDir", "")
    if not isinstance(folder, str):
        raise LakefileError(f"lakefile.toml: srcDir of {name} is no text")
    return folder


def _toml_roots(name: str, kind: str, entry: Mapping[str, Any]) -> list[str]:
    # Lake reads `root` of an executable alone, and of a library `roots` and `globs`.
    roots: Any
    if kind == "executable":
        roots = [entry.get("root", name)]
    else:
        roots = entry.get("globs", entry.get("roots", [name]))
    roots = [roots] if isinstance(roots, str) else roots
    if not (isinstance(roots, list) and all(isinstance(root, str) for root in roots)):
        raise LakefileError(f"lakefile.toml: the modules of {name} are no texts")
    _are_names("lakefile.toml", name, roots)
    return roots


def _are_names(place: str, target: str, roots: Iterable[str]) -> None:
    """Raise LakefileError where a root of a target is no name of a module."""
    try:
        for root in roots:
            parse_name(root.removesuffix(".+").removesuffix(".*"))
    except BadName as error:
        raise LakefileError(f"{place}: a module of {target}: {error}") from None


def _join(a: str, b: str) -> str:
    """A source folder within a source folder. Raises LakefileError where sources are not read."""
    parts = [p for p in f"{a}/{b}".split("/") if p not in ("", ".")]
    hidden = any(p.startswith(".") for p in parts) or parts[:1] == ["build"]
    if hidden or b.startswith("/") or "\\" in b:
        raise LakefileError(f"the source folder {b} is one in which no sources are read")
    return "/".join(parts)


# What the targets reach


class Reach(NamedTuple):
    """Which files which target reaches, and every module imported from elsewhere."""

    targets: dict[str, frozenset[str]]
    """Target name to paths of files."""
    foreign: dict[str, str]
    """Imported modules that are no file of the project, and a file that imports each."""
    rootless: tuple[str, ...] = ()
    """Roots of targets that no file was found for."""
    findings: tuple[Finding, ...] = ()

    @property
    def files(self) -> frozenset[str]:
        """Every file that some target reaches."""
        return frozenset().union(*self.targets.values())


@dataclass(slots=True)
class _Walk:
    files: Mapping[str, Source]
    headers: dict[str, tuple[Import, ...]] = field(default_factory=dict)
    foreign: dict[str, str] = field(default_factory=dict)
    findings: dict[str, Finding] = field(default_factory=dict)

    def imports_of(self, path: str) -> tuple[Import, ...]:
        if path not in self.headers:
            try:
                self.headers[path] = tuple(imports(self.files[path].text).imports)
            except LexError as error:
                self.headers[path] = ()
                self.findings[path] = _unreadable(path, error.message, error.line, error.column)
        return self.headers[path]


def module_path(folder: str, module: str) -> str:
    """The file of a module under a source folder, as a path from the project."""
    parts = [str(part) for part in parse_name(module)]
    return "/".join([*([folder] if folder else []), *parts]) + ".lean"


def reach(targets: Iterable[Target], sources: Sources) -> Reach:
    """Follow imports from the roots of every target through the project's own files."""
    libraries = tuple(targets)
    walk = _Walk(sources.by_path())
    folders = tuple(dict.fromkeys(target.source_folder for target in libraries))
    reached: dict[str, frozenset[str]] = {}
    for target in libraries:
        files = frozenset(_reached_from(walk, target, folders))
        reached[target.name] = reached.get(target.name, frozenset()) | files
    rootless = tuple(
        f"{root} ({target.name})"
        for target in libraries
        for root in target.roots
        if not any(_root_files(walk, target, root))
    )
    both = _ambiguous(frozenset().union(*reached.values()), folders, walk.files)
    return Reach(reached, walk.foreign, rootless, (*walk.findings.values(), *both))


def _ambiguous(
    reached: Iterable[str], folders: Sequence[str], files: Iterable[str]
) -> Iterator[Finding]:
    """Modules that are reached and of which two source folders have a file.

    Lake takes the one of the last library with a root that the name begins with, and a target of
    another name may take the other.
    """
    homes: dict[str, list[str]] = {}
    for path in files:
        for folder in folders:
            start = f"{folder}/" if folder else ""
            if path.startswith(start):
                homes.setdefault(path.removeprefix(start), []).append(path)
    known = frozenset(reached)
    for paths in homes.values():
        if len(paths) > 1 and not known.isdisjoint(paths):
            first, *others = sorted(paths)
            yield Finding(
                "lakefile-unreadable",
                f"this and {', '.join(others)} could be one module, as source folders of the "
                "lakefile go, so what Lake builds cannot be told",
                STEP,
                file=first,
                remedy="Give one of them another name, or take it out of the source folders.",
            )


def _reached_from(walk: _Walk, target: Target, folders: tuple[str, ...]) -> set[str]:
    seen: set[str] = set()
    stack = [path for root in target.roots for path in _root_files(walk, target, root)]
    while stack:
        path = stack.pop()
        if path in seen:
            continue
        seen.add(path)
        for imported in walk.imports_of(path):
            # Where more than one folder has the module, `_ambiguous` refuses them.
            places = dict.fromkeys((target.source_folder, *folders))
            files = [module_path(place, imported.module) for place in places]
            here = next((f for f in files if f in walk.files), None)
            if here is None:
                walk.foreign.setdefault(imported.module, path)
            else:
                stack.append(here)
    return seen


def _root_files(walk: _Walk, target: Target, root: str) -> Iterator[str]:
    below = root.endswith((".+", ".*"))
    module = root[:-2] if below else root
    path = module_path(target.source_folder, module)
    if path in walk.files and not root.endswith(".+"):
        yield path
    if below:
        prefix = path.removesuffix(".lean") + "/"
        yield from (p for p in walk.files if p.startswith(prefix))


def missing(reach_: Reach, own: Iterable[str]) -> Iterator[Finding]:
    """Modules that would be the project's and were not found among the files that were read.

    `own` holds the first components of the names of its modules.
    """
    for module, importer in sorted(reach_.foreign.items()):
        if module.partition(".")[0] in frozenset(own):
            yield Finding(
                "module-missing",
                f"{module} is imported, and no file that was read is that module",
                STEP,
                file=importer,
                remedy="Files in hidden folders, in build/ and outside of the project are not "
                "read. Restore the file, or move it where it is read.",
            )
    for root in reach_.rootless:
        yield Finding(
            "module-missing",
            f"the lakefile builds {root}, and no file that was read is that module",
            STEP,
            remedy="Restore the file, or take the target out of the lakefile.",
        )


def own_modules(
    roots: Iterable[str], targets: Sequence[Target], sources: Sources
) -> frozenset[str]:
    """The project's modules that are imported from `roots`, the roots among them."""
    walk = _Walk(sources.by_path())
    folders = tuple(dict.fromkeys(target.source_folder for target in targets)) or ("",)
    found: set[str] = set()
    stack = list(roots)
    while stack:
        module = stack.pop()
        paths = [module_path(folder, module) for folder in folders]
        path = next((p for p in paths if p in walk.files), None)
        name = format_name(parse_name(module))
        if path is None or name in found:
            continue
        found.add(name)
        stack += [imported.module for imported in walk.imports_of(path)]
    return frozenset(found)


def not_apart(policy: Policy, targets: Iterable[Target], sources: Sources) -> Iterator[Finding]:
    """A finding for every module of the policy that the challenge is, or imports through others.

    What the challenge states would be what the proof states, whatever that is.
    """
    known = sources.by_path()
    places = sorted({target.source_folder for target in targets}) or [""]
    challenges = [Target("challenge", "library", policy.challenge_modules, p) for p in places]
    reached = reach(challenges, sources).files
    for module in policy.modules:
        paths = {path for place in places if (path := module_path(place, module)) in known}
        if module in policy.challenge_modules or paths & reached:
            names = ", ".join(policy.challenge_modules)
            yield Finding(
                "challenge-not-apart",
                f"the challenge ({names}) is or imports {module}, which has to be compared with it",
                STEP,
                file=next(iter(sorted(paths & reached)), None),
                remedy="State the theorem anew in a module that imports its definitions alone, and "
                "name that one (targets.challenge-modules).",
            )


def replaced_audit(
    targets: Sequence[Target], sources: Sources, checkout: Path
) -> Iterator[Finding]:
    """Whether `lake exe audit` would run the harness's own audit program."""
    audit = next((t for t in targets if t.kind == "executable" and t.name == "audit"), None)
    if audit is None:
        yield Finding(
            "audit-replaced",
            "the lakefile has no executable named audit",
            STEP,
            remedy=f"`{place.call('audit_program.py')} {AUDIT_PROGRAM}` writes the program, where "
            "it is not yet, and says what the lakefile needs.",
        )
        return
    source = sources.by_path().get(module_path(audit.source_folder, audit.roots[0]))
    ours = (checkout / AUDIT_PROGRAM).read_text(encoding="utf-8")
    try:
        # Mostly it is the same text, which is quicker to see than its tokens are to read.
        same = source is not None and (
            source.text == ours or token_hash(source.text) == token_hash(ours)
        )
    except LexError:
        same = False
    if not same:
        yield Finding(
            "audit-replaced",
            f"the executable audit is not the program {AUDIT_PROGRAM} of this harness",
            STEP,
            file=source.path if source else None,
            remedy=f"Take the one that `{place.call('audit_program.py')}` prints, and let the "
            "executable have it as its root.",
        )


def not_built(reach_: Reach, sources: Sources) -> Iterator[Finding]:
    """A finding for every Lean file that no target reaches; the lakefile itself is read by Lake."""
    for source in sources.files:
        if source.path not in reach_.files and source.path not in LAKEFILES:
            yield Finding(
                "module-not-built",
                "no target of the lakefile reaches this file, so it is never compiled",
                STEP,
                file=source.path,
                remedy="Import it from a module that is built, or remove it.",
            )


def cached_modules(reach_: Reach, policy: Policy) -> tuple[str, ...]:
    """The imported modules for which a cache is asked."""
    return tuple(sorted(m for m in reach_.foreign if m.partition(".")[0] in policy.cache_roots))
