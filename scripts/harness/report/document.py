"""A verification's JSON (schema 1, written by `json.py`), read back strictly.

A report shows what stands in the JSON and nothing more. So a JSON of another form is refused, and
one that contradicts itself too: a page that says ACCEPTED must not be made from one that says that
a required step did not pass.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from harness.report.json import SCHEMA
from harness.sources.files import NotPlain, plain_bytes
from harness.verdict import RULES, WAYS, Level, Status, Verdict

LARGEST = 64 * 1024 * 1024
"""Bytes of the largest JSON that is read."""

_E = TypeVar("_E", bound=StrEnum)


class DocumentError(Exception):
    """A file holds no verification that can be shown; the message says why."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step, as `harness.verdict.Step` has it."""

    name: str
    status: Status
    required: bool
    seconds: float
    detail: str


@dataclass(frozen=True, slots=True)
class Constant:
    """A declaration: `type` and `value` as terms, the rest as Lean prints it or as it was written.

    `line` counts from 1.
    """

    name: str
    kind: str
    module: str
    type: str
    value: str | None
    pretty_type: str | None
    pretty_value: str | None
    line: int | None
    text: str | None
    """The declaration in source notation, where the JSON has it."""


@dataclass(frozen=True, slots=True)
class Axiom:
    """An axiom that a target rests on, and the ways in which that became known."""

    name: str
    type: str | None
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A leading binder of a proof, and whether anything after it uses it."""

    name: str
    type: str
    explicit: bool
    used: bool


@dataclass(frozen=True, slots=True)
class Target:
    """What is known of one target."""

    name: str
    verdict: Verdict
    statement: Constant | None
    text: str | None
    """The statement in source notation, where the JSON has it."""
    axioms: tuple[Axiom, ...]
    hypotheses: tuple[Hypothesis, ...]
    definitions: tuple[Constant, ...]
    graph: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Found:
    """A finding, as `harness.verdict.Finding` has it."""

    rule: str
    level: Level
    message: str
    place: str
    declaration: str | None
    remedy: str | None


@dataclass(frozen=True, slots=True)
class Document:
    """A whole verification."""

    verdict: Verdict
    scope: str
    project: str
    time: str
    versions: dict[str, str | None]
    steps: tuple[Step, ...]
    targets: tuple[Target, ...]
    findings: tuple[Found, ...]
    not_looked_at: tuple[str, ...]

    def step(self, name: str) -> Step | None:
        """The step of a name."""
        return next((s for s in self.steps if s.name == name), None)

    def passed(self, name: str) -> bool:
        """Whether there is a step of that name that passed."""
        found = self.step(name)
        return found is not None and found.status is Status.PASSED


def read(path: Path) -> tuple[Document, bytes]:
    """The verification in a file, and the bytes that it was read from.

    Raises DocumentError.
    """
    try:
        data = plain_bytes(path, LARGEST)
        return parse(data.decode("utf-8-sig")), data
    except NotPlain as error:
        raise DocumentError(f"{path} {error}") from None
    except UnicodeDecodeError as error:
        raise DocumentError(f"{path} is not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise DocumentError(f"{path} cannot be read: {error.strerror}") from None
    except DocumentError as error:
        raise DocumentError(f"{path}: {error}") from None


def parse(text: str) -> Document:
    """The verification that a text holds.

    Raises DocumentError if it is no JSON, of another form, or contradicts itself.
    """
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise DocumentError(
            f"is not JSON: line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"is not JSON that can be read: {error}") from None
    table = _table(value, "the whole")
    if table.get("schema") != SCHEMA or isinstance(table.get("schema"), bool):
        raise DocumentError(
            f"is not a verification of schema {SCHEMA} (`verify.py --json FILE` writes one)"
        )
    document = _document(table)
    if problems := list(contradictions(document)):
        raise DocumentError("contradicts itself: " + "; ".join(problems))
    return document


def contradictions(document: Document) -> Iterator[str]:
    """Everything in a verification that `harness.verdict.decide` would never put together."""
    names = [step.name for step in document.steps]
    yield from (f"the step {n!r} stands twice" for n in sorted({*names}) if names.count(n) > 1)
    targets = [target.name for target in document.targets]
    yield from (
        f"the target {n!r} stands twice" for n in sorted({*targets}) if targets.count(n) > 1
    )
    for found in document.findings:
        if found.rule in RULES and RULES[found.rule][0] is not found.level:
            yield f"a finding of the rule {found.rule!r} has the level {found.level.value!r}"
    violations = any(found.level is Level.VIOLATION for found in document.findings)
    match document.verdict:
        case Verdict.ACCEPTED:
            yield from _not_accepted(document, violations)
        case Verdict.REJECTED if not violations:
            yield "REJECTED without a violation"
        case Verdict.COULD_NOT_RUN if violations:
            yield "COULD NOT RUN with a violation"
        case Verdict.COULD_NOT_RUN:
            accepted = [t.name for t in document.targets if t.verdict is Verdict.ACCEPTED]
            yield from (f"COULD NOT RUN, and the target {n!r} is ACCEPTED" for n in accepted)
    for target in document.targets:
        if target.verdict is Verdict.ACCEPTED:
            yield from _not_proved(document, target)
        if target.verdict is Verdict.REJECTED and not violations:
            yield f"the target {target.name!r} is REJECTED without a violation"


def _not_accepted(document: Document, violations: bool) -> Iterator[str]:
    if violations:
        yield "ACCEPTED with a violation"
    if not any(step.required for step in document.steps):
        yield "ACCEPTED without a step that was required"
    for step in document.steps:
        if step.status is Status.FAILED or (step.required and step.status is not Status.PASSED):
            yield f"ACCEPTED, and the step {step.name!r} is {step.status.value!r}"
    for target in document.targets:
        if target.verdict is not Verdict.ACCEPTED:
            yield f"ACCEPTED, and the target {target.name!r} is {target.verdict.value}"


def _not_proved(document: Document, target: Target) -> Iterator[str]:
    if not any(document.passed(way) for way in WAYS):
        yield f"the target {target.name!r} is ACCEPTED, and its axioms are known in no way"
    for step in document.steps:
        if step.required and step.status not in (Status.PASSED, Status.FAILED):
            yield f"the target {target.name!r} is ACCEPTED, and the step {step.name!r} did not run"
    if any(axiom.name == "sorryAx" for axiom in target.axioms):
        yield f"the target {target.name!r} is ACCEPTED and rests on sorryAx"


# Reading


def _document(table: dict[str, Any]) -> Document:
    versions = _table(table.get("versions"), "versions")
    return Document(
        _one_of(Verdict, table, "verdict", "the whole"),
        _text(table, "scope", "the whole"),
        _text(table, "project", "the whole"),
        _text(table, "time", "the whole"),
        {key: _perhaps_text(versions, key, "versions") for key in versions},
        tuple(_step(*entry) for entry in _entries(table, "steps")),
        tuple(_target(*entry) for entry in _entries(table, "targets")),
        tuple(_finding(*entry) for entry in _entries(table, "findings")),
        _texts(table.get("not_looked_at"), "not_looked_at"),
    )


def _step(table: dict[str, Any], where: str) -> Step:
    seconds = table.get("seconds")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < 1e9:
        raise DocumentError(f"{where}: `seconds` is no number of seconds")
    return Step(
        _text(table, "name", where),
        _one_of(Status, table, "status", where),
        _flag(table, "required", where),
        float(seconds),
        _text(table, "detail", where),
    )


def _target(table: dict[str, Any], where: str) -> Target:
    statement = table.get("statement")
    graph = _table(table.get("graph"), f"{where}: graph")
    return Target(
        _text(table, "name", where),
        _one_of(Verdict, table, "verdict", where),
        None if statement is None else _constant(_table(statement, where), f"{where}: statement"),
        _perhaps_text(table, "text", where),
        tuple(_axiom(*entry) for entry in _entries(table, "axioms", where)),
        tuple(_hypothesis(*entry) for entry in _entries(table, "hypotheses", where)),
        tuple(_constant(*entry) for entry in _entries(table, "definitions", where)),
        {name: _texts(used, f"{where}: graph") for name, used in graph.items()},
    )


def _constant(table: dict[str, Any], where: str) -> Constant:
    line = table.get("line")
    if line is not None and (isinstance(line, bool) or not isinstance(line, int) or line < 0):
        raise DocumentError(f"{where}: `line` is no number of a line")
    return Constant(
        _text(table, "name", where),
        _text(table, "kind", where),
        _text(table, "module", where),
        _text(table, "type", where),
        _perhaps_text(table, "value", where),
        _perhaps_text(table, "prettyType", where),
        _perhaps_text(table, "prettyValue", where),
        line,
        _perhaps_text(table, "text", where),
    )


def _axiom(table: dict[str, Any], where: str) -> Axiom:
    by = _texts(table.get("by"), f"{where}: by")
    if unknown := [way for way in by if way not in WAYS]:
        raise DocumentError(f"{where}: {unknown[0]!r} is no way to the axioms")
    return Axiom(_text(table, "name", where), _perhaps_text(table, "type", where), by)


def _hypothesis(table: dict[str, Any], where: str) -> Hypothesis:
    return Hypothesis(
        _text(table, "name", where),
        _text(table, "type", where),
        _flag(table, "explicit", where),
        _flag(table, "used", where),
    )


def _finding(table: dict[str, Any], where: str) -> Found:
    parts = [_perhaps_text(table, "file", where)]
    for key in ("line", "column"):
        number = table.get(key)
        if number is not None and (isinstance(number, bool) or not isinstance(number, int)):
            raise DocumentError(f"{where}: `{key}` is no number")
        parts.append(None if number is None or parts[-1] is None else str(number))
    return Found(
        _text(table, "rule", where),
        _one_of(Level, table, "level", where),
        _text(table, "message", where),
        ":".join(part for part in parts if part),
        _perhaps_text(table, "declaration", where),
        _perhaps_text(table, "remedy", where),
    )


def _entries(
    table: dict[str, Any], key: str, inside: str = ""
) -> Iterator[tuple[dict[str, Any], str]]:
    value = table.get(key)
    where = f"{inside}: {key}" if inside else key
    if not isinstance(value, list):
        raise DocumentError(f"{where} is no list")
    for number, entry in enumerate(value):
        yield _table(entry, f"{where}[{number}]"), f"{where}[{number}]"


def _table(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise DocumentError(f"{where} is no object")
    return value


def _text(table: dict[str, Any], key: str, where: str) -> str:
    value = table.get(key)
    if not isinstance(value, str):
        raise DocumentError(f"{where}: `{key}` is no text")
    return value


def _perhaps_text(table: dict[str, Any], key: str, where: str) -> str | None:
    return None if table.get(key) is None else _text(table, key, where)


def _texts(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise DocumentError(f"{where} is no list of texts")
    return tuple(value)


def _flag(table: dict[str, Any], key: str, where: str) -> bool:
    value = table.get(key)
    if not isinstance(value, bool):
        raise DocumentError(f"{where}: `{key}` is neither true nor false")
    return value


def _one_of(kind: type[_E], table: dict[str, Any], key: str, where: str) -> _E:
    value = _text(table, key, where)
    try:
        return kind(value)
    except ValueError:
        raise DocumentError(f"{where}: `{key}` is {value!r}, which is no {key}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("an object has a key twice")
    return made


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is no number of JSON")
