"""Which Lean wrote the compiled modules, as their headers say, against the one that is pinned."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from harness.policy import Policy
from harness.replay.header import FORMAT, HEADER, Malformed, header_of
from harness.sources import pins
from harness.sources.pins import Pin
from harness.toolchain.elan import release_of
from harness.verdict import Finding

SUFFIX = ".olean"
SUFFIXES = (SUFFIX, ".olean.server", ".olean.private")


class Written(NamedTuple):
    """A compiled module: its file, as messages show it, and the Lean that wrote it."""

    file: str
    version: str
    githash: str


class Running(NamedTuple):
    """The Lean that runs: what it says of itself, and where it stands."""

    version: str
    githash: str
    place: str


@dataclass(slots=True)
class Looked:
    """What was read, what could not be, and what was not there."""

    written: list[Written]
    findings: list[Finding]
    absent: list[str]
    modules: frozenset[str] = frozenset()
    """The project's own modules, as paths without a suffix."""


class Unreadable(Exception):
    """What is wrong with a compiled module's header."""


def library_of(project: Path, lake_folder: str) -> Path:
    """Where Lake puts a package's compiled modules unless its lakefile says otherwise."""
    library = project / lake_folder / "build" / "lib"
    return library / "lean" if (library / "lean").is_dir() else library


def running(policy: Policy, project: Path, lean: Running, step: str) -> Iterator[Finding]:
    """What the Lean that runs says of itself, against the toolchain file and the policy.

    Raises pins.PinError where the toolchain file cannot be read.
    """
    pin = pins.read_toolchain(project)
    wanted = _version(policy, project, pin)
    if wanted and lean.version != wanted.value:
        yield _differs(f"{lean.place} is Lean {lean.version}", "", wanted, step)
    githash = pins.of_policy(policy, project, "githash")
    if githash.value and lean.githash and lean.githash != githash.value:
        yield _differs(f"{lean.place} is Lean of commit {lean.githash}", "", githash, step)


def read(
    project: Path,
    libraries: Iterable[Path],
    sources: Iterable[str],
    toolchain: Path | None,
    step: str,
) -> Looked:
    """The headers of the project's own modules, of one of each package's, of the toolchain's.

    `libraries` are the folders of the project's compiled modules, `sources` the paths of its Lean
    files: what has no source is left over from another build and is not read. `toolchain` is the
    folder of the toolchain's own modules.
    """
    looked = Looked([], [], [])
    own = [(p, folder) for folder in libraries for p in _of_sources(folder, sources)]
    _headers(project, [file for file, _ in own], looked, step)
    looked.modules = frozenset(module_of(file, folder) for file, folder in own)
    if not own:
        looked.absent.append("the project's own compiled modules")
    lacking = []
    for name, folder in _package_folders(project):
        first = next(_modules(library_of(folder, ".lake")), None)
        if first is None:
            lacking.append(name)
        else:
            _headers(project, [first], looked, step)
    if lacking:
        looked.absent.append(f"compiled modules of {', '.join(lacking)}")
    init = toolchain / f"Init{SUFFIX}" if toolchain else None
    if init is not None and init.exists():
        _headers(project, [init], looked, step)
    else:
        looked.absent.append(f"the toolchain's own Init{SUFFIX}")
    return looked


def compare(
    policy: Policy, project: Path, written: list[Written], lean: Running | None, step: str
) -> Iterator[Finding]:
    """The Lean that wrote the modules, against the pinned one, the running one, and each other.

    Raises pins.PinError where the toolchain file cannot be read.
    """
    pin = pins.read_toolchain(project)
    versions = [_version(policy, project, pin)]
    githash = pins.of_policy(policy, project, "githash")
    hashes = [githash if githash.value else None]
    if lean is not None:
        versions.append(Pin(lean.version, f"{lean.place} --version"))
        hashes.append(Pin(lean.githash, f"{lean.place} --version") if lean.githash else None)
    first = written[0] if written else None
    if first is not None and not any(hashes):
        hashes.append(Pin(first.githash, first.file))
    groups: dict[tuple[str, str], list[str]] = {}
    for module in written:
        groups.setdefault((module.version, module.githash), []).append(module.file)
    for (version, commit), files in groups.items():
        more = f" (and {len(files) - 1} more)" if len(files) > 1 else ""
        said = f"{files[0]}{more} was written by Lean"
        for wanted in versions:
            if wanted is not None and wanted.value != version:
                yield _differs(f"{said} {version or 'of no version'}", files[0], wanted, step)
        for wanted in hashes:
            if wanted is not None and wanted.value != commit:
                yield _differs(
                    f"{said} {version} of commit {commit or 'unknown'}", files[0], wanted, step
                )


def _version(policy: Policy, project: Path, pin: Pin | None) -> Pin | None:
    """The version that is pinned, and where."""
    if pin is not None:
        release = release_of(pin.value)
        return Pin(release, pin.file, pin.line) if release else None
    return pins.of_policy(policy, project, "version") if policy.lean_version else None


def _differs(said: str, file: str, wanted: Pin, step: str) -> Finding:
    return Finding(
        "pin-mismatch",
        f"{said}, and {wanted.place()} names {wanted.value or 'no commit'}",
        step,
        file=file or wanted.file,
        line=None if file else wanted.line,
        remedy="Build again with the pinned Lean; what another one left behind goes with "
        "`lake clean`."
        if file
        else "Run the pinned Lean: through elan, without an override, or with --toolchain.",
    )


def _package_folders(project: Path) -> list[tuple[str, Path]]:
    try:
        manifest = pins.read_manifest(project)
    except (pins.PinError, OSError):
        return []  # `pins.check` says so
    if manifest is None:
        return []
    folders = [(p.name, project / manifest.folder / p.name) for p in manifest.packages]
    return [(name, folder) for name, folder in folders if folder.is_dir()]


def _modules(folder: Path) -> Iterator[Path]:
    """Every file of a compiled module below a folder."""
    for here, names, files in os.walk(folder):
        names.sort()
        yield from (Path(here) / f for f in sorted(files) if f.endswith(SUFFIXES))


def module_of(file: Path, library: Path) -> str:
    """The path of a module below its folder, without a suffix."""
    return file.relative_to(library).as_posix().rpartition(SUFFIX)[0]


def _of_sources(library: Path, sources: Iterable[str]) -> Iterator[Path]:
    """Files of modules that have a source, whatever folder the lakefile keeps it in."""
    stems = set()
    for path in sources:
        parts = path.removesuffix(".lean").split("/")
        stems |= {"/".join(parts[i:]) for i in range(len(parts))}
    yield from (p for p in _modules(library) if module_of(p, library) in stems)


def _headers(project: Path, files: Iterable[Path], looked: Looked, step: str) -> None:
    for file in files:
        shown = file.relative_to(project) if file.is_relative_to(project) else file
        try:
            looked.written.append(_header(file, shown.as_posix()))
        except (Unreadable, OSError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            looked.findings.append(
                Finding(
                    "pin-unreadable",
                    f"which Lean wrote it cannot be told: {why}",
                    step,
                    file=shown.as_posix(),
                    remedy="Remove it and build again.",
                )
            )


def _header(file: Path, shown: str) -> Written:
    if not stat.S_ISREG(file.stat().st_mode):
        raise Unreadable("it is no ordinary file")
    with file.open("rb") as stream:
        data = stream.read(HEADER)
    try:
        header = header_of(data)
    except Malformed as error:
        raise Unreadable(str(error)) from None
    if header.format != FORMAT:
        raise Unreadable(f"it is of format {header.format}, and {FORMAT} is known here")
    return Written(shown, header.version, header.githash)
