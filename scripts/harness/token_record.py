"""The record of what is code in the Lean files: a hash of the tokens of each.

Comments and documentation may change without it, code may not: whoever changes code changes the
record too, and both are seen side by side. `sources/tokens.py` says what a hash is of.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from harness import output, place
from harness.sources import project as files
from harness.sources.files import NotPlain, plain_bytes
from harness.sources.lexer import LexError
from harness.sources.tokens import token_hash
from harness.steps import Looked, Run
from harness.verdict import Finding

STEP = "tokens"
FILE = "lean-tokens.sha256"
LARGEST = 8 * 1024 * 1024
"""Bytes of the largest record that is read."""
UPDATE = f"{place.call('check_tokens.py')} --update"
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
_REMEDY = f"If the change of code is meant: {UPDATE}, and commit {FILE} with it."


class RecordError(Exception):
    """The record is not of the form; the message says where."""


def check(run: Run) -> Looked:
    """The code of every Lean file of the project against the record."""
    sources = files.read_sources(run.project, run.policy.exclude)
    now, unreadable = hashes(sources.files)
    findings = [*sources.findings, *unreadable]
    try:
        recorded = parse(plain_bytes(run.project / FILE, LARGEST).decode("utf-8"))
    except FileNotFoundError:
        why = "there is no record of the tokens"
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
    except (RecordError, NotPlain, UnicodeDecodeError) as error:
        why = str(error)
    else:
        unread = {finding.file for finding in findings}
        findings += differences(
            {path: digest for path, digest in recorded.items() if path not in unread}, now
        )
        return Looked(findings, "" if findings else f"{len(now)} Lean files as recorded")
    missing = Finding("tokens-missing", why, STEP, file=FILE, remedy=f"Write it: {UPDATE}.")
    return Looked([*findings, missing])


def hashes(sources: Iterable[files.Source]) -> tuple[dict[str, str], list[Finding]]:
    """The hash of each source by its path, and what cannot be read as Lean."""
    found: dict[str, str] = {}
    findings: list[Finding] = []
    for source in sources:
        try:
            found[source.path] = token_hash(source.text)
        except LexError as error:
            findings.append(
                Finding(
                    "source-unreadable",
                    error.message,
                    STEP,
                    file=source.path,
                    line=error.line,
                    column=error.column,
                )
            )
    return found, findings


def differences(recorded: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Finding]:
    """A finding for every file of which the record says something else, or nothing, or too much."""
    for path, digest in sorted(now.items()):
        if path not in recorded:
            yield _changed(path, "is not recorded")
        elif recorded[path] != digest:
            yield _changed(path, "its code, line breaks or indentation are not as recorded")
    for path in sorted(recorded.keys() - now.keys()):
        yield _changed(path, "is recorded, and not there")


def _changed(path: str, why: str) -> Finding:
    return Finding("tokens-changed", why, STEP, file=path, remedy=_REMEDY)


def parse(text: str) -> dict[str, str]:
    """Hashes by path. Raises RecordError."""
    found: dict[str, str] = {}
    # Not `splitlines`: a path may hold what Unicode takes for the end of a line.
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if not line or line.startswith("#"):
            continue
        read = _LINE.fullmatch(line)
        if read is None or read[2] in found:
            raise RecordError(f"line {number} is no hash and path, or names a path again")
        found[read[2]] = read[1]
    return found


def written(now: Mapping[str, str]) -> str:
    """The text of the record, which `parse` reads.

    Raises RecordError for a path that it cannot hold.
    """
    for path in now:
        if "\n" in path or "\r" in path or path.encode("utf-8", "replace") != os.fsencode(path):
            raise RecordError(f"{path!r} is no name that can be recorded")
    lines = [f"{digest}  {path}" for path, digest in sorted(now.items())]
    head = [
        "# Hashes of the code of every Lean file: all but comments and documentation, line breaks",
        "# and indentation included (scripts/harness/sources/tokens.py). Written anew by",
        "# python3 scripts/check_tokens.py --update",
    ]
    return "\n".join([*head, *lines, ""])


def update(run: Run) -> Path:
    """Write the record anew. Raises RecordError where a source cannot be read, and OSError."""
    sources = files.read_sources(run.project, run.policy.exclude)
    now, unreadable = hashes(sources.files)
    if bad := next(iter([*sources.findings, *unreadable]), None):
        raise RecordError(bad.one_line())
    path = run.project / FILE
    output.write_whole(path, written(now))
    return path
