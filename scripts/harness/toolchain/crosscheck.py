"""`#print axioms` as a second opinion: the file that asks, and the answers read from `lean`.

An answer belongs to the request on its line, never to the name that it prints: names are printed
between plain quotes, may contain primes, guillemets and commas, and cannot be read back. What is
read here is never more than a second opinion: Lean answers from lists recorded in the imported
modules, and a project can define a command of that name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from harness import process
from harness.policy import Policy
from harness.sources.files import no_key_twice

CLEAN = "' does not depend on any axioms"
DEPENDS = "' depends on axioms: ["
HARMLESS = ("information", "warning", "trace")
"""Severities that are no error; any other is one, known or not."""
UNKNOWN = "unknown"
"""Of what is printed and is no message."""

# `lean` writes `F.lean:1:0: error: …` or, with a name, `error(lean.unknownIdentifier): …`; Lake
# writes `info: ././F.lean:1:0: …`.
_PLACE = re.compile(
    r"^(?:(?P<before>error|warning|info): )?"
    r"(?P<file>\S[^:\n]*\.lean):(?P<line>\d{1,9}):(?P<column>\d{1,9}):"
    r"(?: (?P<after>error|warning|info)(?:\([^)\n]*\))?:)? ?"
)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of `lean`; `line` is None where the text does not say."""

    severity: str
    line: int | None
    column: int | None
    text: str


class Report(NamedTuple):
    """One answer: the axioms as printed, each once."""

    line: int | None
    axioms: tuple[str, ...]


class Failure(NamedTuple):
    """An error instead of an answer; `target` is the one that was asked for on its line, if any."""

    target: str | None
    text: str


class Printed(NamedTuple):
    """What `lean` said of a probe: answers by target, and everything that keeps it from counting.

    `reports` holds every answer that a request got (several constants may answer to one name).
    `strays` are answers on no request's line, or on no line at all: looked at, never counted.
    """

    reports: dict[str, tuple[Report, ...]]
    strays: tuple[Report, ...]
    errors: tuple[Failure, ...]
    unreadable: tuple[str, ...]


def probe(policy: Policy) -> str:
    """The text of a Lean file that asks for the axioms of every target, one request a line."""
    lines = [f"import {module}" for module in policy.modules]
    lines += [f"#print axioms _root_.{target}" for target in policy.targets]
    return "\n".join(lines) + "\n"


def request_lines(policy: Policy) -> dict[int, str]:
    """The line of each target's request in the probe, from 1."""
    first = len(policy.modules) + 1
    return {first + i: target for i, target in enumerate(policy.targets)}


def read(output: str, requests: dict[int, str]) -> Printed:
    """Read what `lean --json` printed: messages one a line, or plain text where it is not JSON.

    `requests` maps lines of the probe to targets.
    """
    found: dict[str, list[Report]] = {target: [] for target in requests.values()}
    strays: list[Report] = []
    errors: list[Failure] = []
    unreadable: list[str] = []
    for message in messages(output):
        target = requests.get(message.line) if message.line is not None else None
        if message.severity not in HARMLESS:
            errors.append(Failure(target, message.text))
            continue
        axioms = report_axioms(message.text)
        if axioms is None:
            # What stands on no line at all is nobody's message.
            asked = target is not None or message.line is None
            if asked and message.severity == "information":
                unreadable.append(message.text)
        elif target is None:
            strays.append(Report(message.line, axioms))
        else:
            found[target].append(Report(message.line, axioms))
    return Printed(
        {target: tuple(reports) for target, reports in found.items()},
        tuple(strays),
        tuple(errors),
        tuple(unreadable),
    )


def report_axioms(text: str) -> tuple[str, ...] | None:
    """The axioms that a report names, None if the text is no report.

    A clean report ends with the words, a list ends with its bracket. A text that could be either,
    or a list whose beginning is in doubt, names the whole text, which no policy allows.
    """
    text = text.strip()
    if not text.startswith("'"):
        return None
    lists = text.count(DEPENDS)
    if text.endswith(CLEAN):
        return () if lists == 0 else (text,)
    if lists == 0 or not text.endswith("]"):
        return None
    if lists > 1:
        return (text,)
    names = split_names(text[text.index(DEPENDS) + len(DEPENDS) : -1])
    return names or (text,)


def split_names(text: str) -> tuple[str, ...]:
    """Names separated by commas and line breaks, where a guillemet name may contain either."""
    names, current, inside = [], "", False
    for character in text:
        inside = character == "«" or (inside and character != "»")
        if character == "," and not inside:
            names.append(current)
            current = ""
        else:
            current += character
    names.append(current)
    return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))


def messages(output: str) -> Iterator[Message]:
    """The messages in what `lean` printed, JSON and plain text in any mixture."""
    plain: list[str] = []
    for line in process.lines_of(output):
        message = _json_message(line)
        if message is None:
            plain.append(line)
            continue
        yield from _plain_messages(plain)
        plain = []
        yield message
    yield from _plain_messages(plain)


def _json_message(line: str) -> Message | None:
    """The message on a line of JSON; what is JSON and no message is an error."""
    if not line.lstrip().startswith("{"):
        return None
    try:
        data = json.loads(line, object_pairs_hook=no_key_twice)
    except (ValueError, RecursionError):
        return None
    match data:
        case {"severity": str(severity), "data": str(text), **rest}:
            match rest.get("pos"):
                case {"line": int(number), "column": int(column)} if type(number) is int:
                    return Message(severity, number, column, text)
            return Message(severity, None, None, text)
    return Message(UNKNOWN, None, None, line[:1000])


def _plain_messages(lines: Sequence[str]) -> Iterator[Message]:
    """Messages of plain text; a line that starts none goes on with the one before."""
    found: list[tuple[Message, list[str]]] = []
    for line in lines:
        started = _start(line)
        if started is None and not found and line.strip():
            # Nothing that begins a message: `lean` has something else to say.
            started = Message(UNKNOWN, None, None, line)
        if started is not None:
            found.append((started, [started.text]))
        elif found:
            found[-1][1].append(line)
    for message, text in found:
        yield replace(message, text="\n".join(text))


def _start(line: str) -> Message | None:
    """The message that a line of plain text begins, if it begins one."""
    if place := _PLACE.match(line):
        severity = place["before"] or place["after"] or "information"
        severity = "information" if severity == "info" else severity
        return Message(severity, int(place["line"]), int(place["column"]), line[place.end() :])
    if line.startswith("'"):
        return Message("information", None, None, line)
    for word in ("warning:", "info:", "trace:"):
        if line.startswith(word):
            return Message("warning", None, None, line.removeprefix(word).strip())
    return None
