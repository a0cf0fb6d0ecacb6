"""The manifest beside an export: what it was made of, so that an export of other sources is seen.

Beside `FILE.ndjson` stands `FILE.ndjson.manifest.json`. The process that writes an export writes
what it knows (targets, versions, the hash of the export). To that the hashes of the sources' tokens
are added, the statements of the challenge, and the module of each constant of the project.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import output, place
from harness.replay import export
from harness.sources.files import NotPlain, no_key_twice, plain_bytes
from harness.sources.lexer import LexError
from harness.sources.project import Source
from harness.sources.tokens import token_hash
from harness.verdict import Finding

SCHEMA = 1
STEP = "export"
SUFFIX = ".manifest.json"
LARGEST = 64 * 1024 * 1024
LARGEST_EXPORT = 16 * 2**30


class ManifestError(Exception):
    """There is no manifest that could be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a manifest says.

    `sources` gives each source its token hash, `modules` each constant of the project its module,
    `statements` what the challenge states, in the form of the audit's answer.
    """

    path: Path
    targets: tuple[str, ...]
    sha256: str
    writer: str
    lean: str
    sources: Mapping[str, str]
    modules: Mapping[str, str]
    statements: list[Any]
    fingerprints: Mapping[str, str]
    """Of the functions that kernels compute by name, as the export has them."""


def fingerprints(path: Path) -> Mapping[str, str]:
    """The fingerprints that a manifest has. Raises ManifestError."""
    try:
        data = _json(path)
    except (OSError, ValueError, RecursionError, NotPlain) as error:
        raise ManifestError(f"{path} cannot be read: {error}") from None
    match data:
        case {"fingerprints": dict(found)} if _texts([*found, *found.values()]):
            return found
    raise ManifestError(f"{path} has no fingerprints")


def _json(path: Path) -> Any:
    """What a manifest holds. Raises OSError, ValueError, RecursionError or NotPlain."""
    text = plain_bytes(path, LARGEST).decode("utf-8")
    return json.loads(text, object_pairs_hook=no_key_twice)


def beside(file: Path) -> Path:
    """The manifest of an export: beside it, whether it is compressed or not."""
    whole = file.with_name(file.name + SUFFIX)
    plain = file.with_name(file.name.removesuffix(".xz").removesuffix(".gz") + SUFFIX)
    return whole if whole.is_file() or not plain.is_file() else plain


def complete(
    file: Path, sources: Iterable[Source], facts: Mapping[str, Any], project: Mapping[str, str]
) -> None:
    """Add to a manifest what the process that wrote the export does not know.

    `facts` is the answer of `facts.py` about the same modules, `project` the module of each
    constant. Raises OSError, ValueError or LexError.
    """
    path = file.with_name(file.name + SUFFIX)
    data = json.loads(path.read_text(encoding="utf-8"))
    data["sources"] = {source.path: token_hash(source.text) for source in sources}
    data["modules"] = dict(sorted(project.items()))
    data["statements"] = facts["challenge"] or []
    text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    output.write_whole(path, text)


def read(file: Path) -> Manifest:
    """Read the manifest of an export.

    Raises ManifestError if there is none that could be used.
    """
    path = beside(file)
    try:
        data = _json(path)
    except FileNotFoundError:
        raise ManifestError(f"there is no manifest {path.name} beside it") from None
    except (OSError, ValueError, RecursionError, NotPlain) as error:
        raise ManifestError(f"{path.name} cannot be read: {error}") from None
    match data:
        case {
            "schema": 1,
            "targets": list(targets),
            "sha256": str(digest),
            "writer": {"name": str(writer), "version": str(version)},
            "lean": {"version": str(lean)},
            "sources": dict(sources),
            "modules": dict(modules),
            "statements": list(statements),
            "fingerprints": dict(found),
        } if (
            _texts(found.values())
            and _texts(targets)
            and _texts(sources.values())
            and _texts(modules.values())
        ):
            return Manifest(
                path,
                tuple(targets),
                digest,
                f"{writer} {version}",
                lean,
                sources,
                modules,
                statements,
                found,
            )
    raise ManifestError(f"{path.name} is not a manifest of schema {SCHEMA} with all its parts")


def _texts(values: Iterable[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def check(
    file: Path, manifest: Manifest, sources: Iterable[Source], targets: Iterable[str]
) -> list[Finding]:
    """Whether an export is the one of its manifest, and that one of these sources and targets.

    `sources` are the files that the targets' modules and the challenge are made of. Raises OSError
    or ManifestError where the export cannot be read.
    """
    found = []
    if not file.is_file():
        raise ManifestError("is no ordinary file")
    hashed, size = hashlib.sha256(), 0
    try:
        with export.opened(file) as stream:
            while block := stream.read(1 << 20):
                hashed.update(block)
                size += len(block)
                if size > LARGEST_EXPORT:
                    raise ManifestError(f"has more than {LARGEST_EXPORT:,} bytes")
    except export.UNPACKING as error:
        raise ManifestError(f"cannot be unpacked: {error or type(error).__name__}") from None
    digest = hashed.hexdigest()
    if digest != manifest.sha256:
        found.append(
            _stale(f"{file.name} has SHA-256 {digest}, and its manifest names {manifest.sha256}")
        )
    if lacking := [name for name in targets if name not in manifest.targets]:
        found.append(_stale(f"it was not made for {', '.join(lacking)}"))
    now = {source.path: source.text for source in sources}
    for path in sorted(now.keys() | manifest.sources.keys()):
        if path not in manifest.sources:
            found.append(_stale("this file was not among the sources of the export", path))
        elif path not in now:
            found.append(_stale("the export was made from this file, which is not here", path))
        elif _hash(now[path]) != manifest.sources[path]:
            found.append(_stale("the export was made from another text of this file", path))
    return found


def _hash(text: str) -> str:
    try:
        return token_hash(text)
    except LexError:
        return ""


def _stale(message: str, path: str | None = None) -> Finding:
    return Finding(
        "export-stale",
        message,
        STEP,
        file=path,
        remedy="Get the export of these sources, or make one where Lean is: "
        f"{place.call('replay.py')} --write-export FILE.",
    )
