"""Whether two statements are the same: type, universe parameters, and every definition they need.

Terms are compared as the audit writes them, without notation and without binder names, so equal
text means equal terms. Universe parameters may be named otherwise on the two sides: they are the
same up to renaming in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from harness.sources.lexer import BadName, parse_name
from harness.toolchain.audit import Constant, Statement

# The levels of a term stand after `Sort` and between `.{` and `}`; strings and quoted names are
# skipped whole. After `max` and `imax` Lean writes the levels without parentheses around them.
_ATOM = r"(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|[^\s(){}\[\]⦃⦄,;]+)"
_LEVELS = re.compile(
    r"""(?P<string>"(?:\\.|[^"\\])*")|(?P<quoted>«[^»]*»)|(?P<list>\.\{[^}]*\})"""
    rf"""|(?P<sort>(?<![\w.'!?])Sort\s+(?:i?max(?:\s+{_ATOM})+|{_ATOM}))""",
    re.DOTALL,
)
_WORD = re.compile(r"«[^»]*»|[\w'!?.]+")


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between a statement and the agreed one.

    `what` is "statement" or "definition"; `expected` and `found` are what the two sides say there,
    None where one side has nothing.
    """

    what: str
    name: str
    aspect: str
    expected: str | None
    found: str | None


def rename_levels(term: str, names: dict[str, str]) -> str:
    """The term with its universe parameters renamed, and nothing else."""
    if not names:
        return term

    def levels(match: re.Match[str]) -> str:
        if match["string"] is not None or match["quoted"] is not None:
            return match[0]
        start = 2 if match["list"] is not None else 5
        return match[0][:start] + _WORD.sub(
            lambda word: names.get(word[0], word[0]), match[0][start:]
        )

    return _LEVELS.sub(levels, term)


def compare(found: Statement, expected: Statement) -> list[Difference]:
    """Where a statement differs from the agreed one; empty if nowhere."""
    differences = list(_constant(found.constant, expected.constant, "statement"))
    theirs = {c.name: c for c in found.definitions}
    agreed = {c.name: c for c in expected.definitions}
    for name in [*agreed, *(n for n in theirs if n not in agreed)]:
        if name not in theirs:
            wanted = agreed[name]
            differences.append(Difference("definition", name, "presence", _shown(wanted), None))
        elif name not in agreed:
            extra = theirs[name]
            differences.append(Difference("definition", name, "presence", None, _shown(extra)))
        else:
            differences += _constant(theirs[name], agreed[name], "definition")
    return differences


def _constant(found: Constant, expected: Constant, what: str) -> Iterator[Difference]:
    name = expected.name
    if found.kind != expected.kind:
        yield Difference(what, name, "kind", expected.kind, found.kind)
    if len(found.levels) != len(expected.levels):
        yield Difference(
            what,
            name,
            "universe parameters",
            ", ".join(expected.levels) or "none",
            ", ".join(found.levels) or "none",
        )
        return
    names = {a: b for a, b in zip(found.levels, expected.levels, strict=True) if a != b}
    if rename_levels(found.type, names) != expected.type:
        yield Difference(
            what,
            name,
            "type",
            *_readable((expected.pretty_type, expected.type), (found.pretty_type, found.type)),
        )
    value = rename_levels(found.value, names) if found.value is not None else None
    if value != expected.value:
        yield Difference(
            what,
            name,
            "value",
            *_readable((expected.pretty_value, expected.value), (found.pretty_value, found.value)),
        )


def _readable(
    expected: tuple[str | None, str | None], found: tuple[str | None, str | None]
) -> tuple[str | None, str | None]:
    """The text that people read on both sides, or the terms where that text is the same."""
    if expected[0] is None or found[0] is None or expected[0] == found[0]:
        return expected[1], found[1]
    return expected[0], found[0]


def _shown(constant: Constant) -> str:
    value = constant.pretty_value or constant.value
    text = f"{constant.kind} {constant.name} : {constant.pretty_type or constant.type}"
    return text if value is None else f"{text} := {value}"


def ambiguous(statement: Statement) -> list[str]:
    """What in a statement would make two different terms look the same in the audit's text.

    A constant named `Sort`, a universe parameter named `max` or `imax`, a name that cannot be read
    back: with any of them equal text does not mean equal terms.
    """
    complaints = []
    for constant in (statement.constant, *statement.definitions):
        if constant.name == "Sort":
            complaints.append("a constant is named Sort")
        try:
            parse_name(constant.name)
        except BadName as error:
            complaints.append(f"{constant.name!r} cannot be read back: {error}")
        for level in constant.levels:
            if level in ("max", "imax"):
                complaints.append(f"{constant.name} has a universe parameter named {level}")
            elif not _WORD.fullmatch(level):
                complaints.append(f"{constant.name} has a universe parameter {level!r}")
        for term in (constant.type, constant.value or ""):
            if stray := _stray_guillemet(term):
                complaints.append(
                    f"{constant.name} mentions a name that contains a guillemet: {stray}"
                )
    return complaints


def _stray_guillemet(term: str) -> str | None:
    outside = re.sub(r'"(?:\\.|[^"\\])*"|«[^«»\n]*»', " ", term)
    position = next((i for i, c in enumerate(outside) if c in "«»"), None)
    return None if position is None else outside[max(0, position - 20) : position + 20].strip()
