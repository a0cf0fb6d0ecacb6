"""Projects of `prelude` files, built with the Lean inside the wheel.

Compiled modules and a record of what they were compiled from stand under `build/embedded/`: the
record has the hash of every source and of every part of every compiled module. `--no-build` takes
modules for evidence only if all of them still hash to what the record says.
"""

from __future__ import annotations

import errno
import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import process
from harness.process import End, Outcome
from harness.sources.files import NotPlain, plain_bytes
from harness.sources.lexer import LexError
from harness.sources.project import Source, module_path
from harness.sources.scan import imports
from harness.toolchain import crosscheck, embedded, lake
from harness.verdict import Finding

STEP = "build"
SUFFIXES = (".olean", ".olean.server", ".olean.private", ".ir", ".ir.sig")
"""Of the files that Lean writes for a module; without `module` at its top, only the first."""
RECORD = "modules.json"
SCHEMA = 1
LARGEST = 2**30
"""Bytes of the largest file of a compiled module."""


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the project: its name, the path of its source, and what it imports of ours."""

    name: str
    path: str
    imports: tuple[str, ...]


def folder(project: Path) -> Path:
    """Where compiled modules and their record are kept."""
    return project / "build" / "embedded"


def library(project: Path) -> Path:
    """The root of the compiled modules: `A/B.olean` for the module `A.B`."""
    return folder(project) / "lib"


def plan(sources: Sequence[Source], roots: Iterable[str]) -> tuple[list[Module], list[Finding]]:
    """The modules that the roots need, imports first, and what is wrong with that."""
    files = {source.path: source for source in sources}
    modules: dict[str, Module] = {}
    findings: list[Finding] = []
    stack: list[tuple[str, str]] = [(root, "") for root in roots]
    while stack:
        name, importer = stack.pop()
        if name in modules:
            continue
        path = module_path("", name)
        if path not in files:
            findings.append(_no_module(name, path, importer))
            continue
        try:
            named = tuple(dict.fromkeys(i.module for i in imports(files[path].text).imports))
        except LexError as error:
            findings.append(
                Finding("source-unreadable", error.message, STEP, path, error.line, error.column)
            )
            named = ()
        modules[name] = Module(name, path, named)
        stack += [(one, path) for one in named]
    return (_in_order(modules, findings) if not findings else []), findings


def _no_module(name: str, path: str, importer: str) -> Finding:
    return Finding(
        "build-infrastructure",
        f"module {name} is {f'imported by {importer}' if importer else 'named by the policy'}, "
        f"and there is no {path}",
        STEP,
        file=importer or None,
        remedy="Restore the file, or do not import it.",
    )


def _in_order(modules: Mapping[str, Module], findings: list[Finding]) -> list[Module]:
    """Imports before importers; a circle is a finding."""
    order: list[Module] = []
    done: set[str] = set()
    open_: set[str] = set()
    stack = [(name, False) for name in modules]
    while stack:
        name, ready = stack.pop()
        if ready:
            open_.discard(name)
            done.add(name)
            order.append(modules[name])
        elif name in open_:
            findings.append(
                Finding(
                    "build-failed",
                    f"module {name} imports itself in a circle",
                    STEP,
                    file=modules[name].path,
                )
            )
            return []
        elif name not in done:
            open_.add(name)
            stack.append((name, True))
            stack += [(one, False) for one in modules[name].imports if one not in done]
    return order


def build(
    project: Path,
    libraries: Path,
    modules: Sequence[Module],
    seconds: float,
    tell: Callable[[str], None],
    *,
    start: Callable[..., Outcome] = process.run,
) -> tuple[list[Finding], list[str]]:
    """Compile modules in order, anew. Findings, and what Lean said as Lake would write it.

    `start` runs a program, as `process.run` does.
    A compilation that fails leaves nothing in the place of what was there before. What was compiled
    has to stay as it is while the rest is compiled: compiling a module can run code of its own.
    """
    root = library(project)
    try:
        _make_room(project)
    except OSError as error:
        return [_unwritable(root, error)], []
    said: list[str] = []
    made: dict[str, dict[str, Any]] = {}
    for number, module in enumerate(modules, 1):
        tell(f"build: [{number}/{len(modules)}] {module.name}")
        out = root / Path(module.path).with_suffix(".olean")
        out.parent.mkdir(parents=True, exist_ok=True)
        outcome = embedded.run_lean(
            libraries,
            ["--json", "-R", project, "-o", out, module.path],
            cwd=project,
            seconds=seconds,
            lean_path=[root],
            start=start,
        )
        said += _as_lake(module, outcome)
        if findings := _failures(module, outcome):
            return findings, said
        made[module.name] = _entry(project, module)
        if changed := [m for m in modules[:number] if _entry(project, m) != made[m.name]]:
            return [_tampered(changed[0], module)], said
    text = json.dumps(_record(made), ensure_ascii=False, indent=1) + "\n"
    (folder(project) / RECORD).write_text(text, encoding="utf-8")
    return [], said


def _make_room(project: Path) -> None:
    """An empty folder for compiled modules. Raises OSError, without following a link."""
    root = library(project)
    for place in (project / "build", folder(project), root):
        if place.is_symlink():
            raise OSError(errno.ELOOP, "it is a link, and what it leads to is not this project's")
    if root.exists():
        shutil.rmtree(root)
    root.mkdir(parents=True)
    (folder(project) / RECORD).unlink(missing_ok=True)


def _tampered(module: Module, by: Module) -> Finding:
    return Finding(
        "source-changed",
        f"the source or the compiled module of {module.name} changed while {by.name} was being "
        "compiled",
        STEP,
        file=by.path,
        remedy="Code that runs while a file is compiled did this: read that file.",
    )


def stale(project: Path, modules: Sequence[Module]) -> list[Finding]:
    """Why compiled modules are no evidence for these sources; empty if they are."""
    path = folder(project) / RECORD
    try:
        record = json.loads(plain_bytes(path, LARGEST).decode("utf-8"))
    except FileNotFoundError:
        return [_stale("nothing was compiled here yet")]
    except (OSError, ValueError, RecursionError, NotPlain) as error:
        return [_stale(f"{path.name} cannot be read: {error}")]
    extra = _extra(project, modules)
    if extra:
        return [_stale(f"compiled modules of nothing that is here: {', '.join(extra)}")]
    now = _record({module.name: _entry(project, module) for module in modules})
    if record == now:
        return []
    return [_stale(text, file) for file, text in _changes(record, now)] or [
        _stale("compiled modules and their record differ")
    ]


def _changes(record: Any, now: dict[str, Any]) -> list[tuple[str | None, str]]:
    """What differs between two records, in words."""
    if not isinstance(record, dict) or not isinstance(record.get("modules"), dict):
        return [(None, f"{RECORD} is not of the form that it is written in")]
    found: list[tuple[str | None, str]] = []
    if (record.get("lean"), record.get("wheel")) != (now["lean"], now["wheel"]):
        found.append((None, f"they were compiled by Lean {record.get('lean')} of another wheel"))
    before = record["modules"]
    for name in sorted(before.keys() | now["modules"].keys()):
        old, new = before.get(name), now["modules"].get(name)
        if new is None:
            found.append((None, f"module {name} was compiled and is not needed"))
        elif not isinstance(old, dict):
            found.append((new["path"], f"module {name} was not compiled"))
        elif old.get("source") != new["source"]:
            found.append((new["path"], f"module {name} was compiled from another text"))
        elif old != new:
            found.append((new["path"], f"the compiled module {name} is not what was compiled"))
    return found


def _record(modules: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "lean": embedded.LEAN_VERSION,
        "wheel": embedded.SHA256,
        "modules": dict(modules),
    }


def _entry(project: Path, module: Module) -> dict[str, Any]:
    """What a module was compiled from and to, as hashes."""
    out = library(project) / Path(module.path)
    return {
        "path": module.path,
        "source": _hash(project / module.path),
        "imports": list(module.imports),
        "parts": {
            suffix: digest for suffix in SUFFIXES if (digest := _hash(out.with_suffix(suffix)))
        },
    }


def _extra(project: Path, modules: Sequence[Module]) -> list[str]:
    """Files among the compiled modules that are none of these modules."""
    root = library(project)
    known = {Path(m.path).with_suffix(suffix).as_posix() for m in modules for suffix in SUFFIXES}
    present = (p for p in root.rglob("*") if not p.is_dir() or p.is_symlink())
    return sorted({p.relative_to(root).as_posix() for p in present} - known)


def ask(
    project: Path,
    libraries: Path,
    text: str,
    path: Path,
    seconds: float,
    *,
    start: Callable[..., Outcome] = process.run,
) -> Outcome:
    """Run a probe (`crosscheck.probe`) that stands outside of the project."""
    path.write_text(text, encoding="utf-8")
    return embedded.run_lean(
        libraries,
        ["--json", path],
        cwd=path.parent,
        seconds=seconds,
        lean_path=[library(project)],
        start=start,
    )


def _as_lake(module: Module, outcome: Outcome) -> list[str]:
    """The messages of a compilation as lines of Lake's log."""
    lines = []
    for message in crosscheck.messages(outcome.stdout):
        severity = "info" if message.severity == "information" else message.severity
        place = f"{module.path}:{message.line}:{message.column}"
        lines += f"{severity}: {place}: {message.text}".split("\n")
    return lines


def _failures(module: Module, outcome: Outcome) -> list[Finding]:
    """Why a compilation is no evidence; empty if it succeeded without an error."""
    errors = [m for m in crosscheck.messages(outcome.stdout) if m.severity == "error"]
    if outcome.ok and not errors:
        return []
    if outcome.end is End.EXITED and errors:
        return [
            Finding("build-failed", m.text, STEP, module.path, m.line, m.column) for m in errors
        ]
    named = lake.cause(outcome.lines())
    said = next((line for line in outcome.lines() if line.strip()), "")
    return [
        Finding(
            "build-infrastructure",
            f"compiling {module.name}: the Lean inside the wheel {outcome.says()}"
            + (f": {named[0].resource}" if named else "")
            + (f" ({said[:200]})" if said else ""),
            STEP,
            file=module.path,
            remedy=named[0].remedy if named else None,
        )
    ]


def _stale(text: str, file: str | None = None) -> Finding:
    return Finding("build-stale", text, STEP, file=file, remedy="Build anew: leave --no-build out.")


def _unwritable(path: Path, error: OSError) -> Finding:
    return Finding(
        "build-infrastructure",
        f"{path} cannot be written: {error.strerror}",
        STEP,
        remedy="Make the project's folder writable.",
    )


def _hash(path: Path) -> str | None:
    try:
        return hashlib.sha256(plain_bytes(path, LARGEST)).hexdigest()
    except (OSError, NotPlain):
        return None
