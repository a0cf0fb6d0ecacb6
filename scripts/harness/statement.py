"""Whether two statements are the same: type, universe parameters, and every definition they need.

Terms are compared as the audit writes them, without notation and without binder names, so equal
text means equal terms. Universe parameters may be named otherwise on the two sides: they are the
same up to renaming in order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from harness.sources.lexer import BadName, parse_name
from harness.toolchain.audit import Constant, Statement

if TYPE_CHECKING:
    from harness.printing import Printer
    from harness.term import Apart

_WORD = re.compile(r"«[^»]*»|[\w'!?.]+")


class Difference(NamedTuple):
    """One difference between a statement and the agreed one.

    `what` is "statement" or "definition"; `expected` and `found` are what the two sides say there,
    None where one side has nothing. `places` are the smallest parts in which their terms differ,
    where those can be read back.
    """

    what: str
    name: str
    aspect: str
    expected: str | None
    found: str | None
    places: tuple[Place, ...] = ()


class Place(NamedTuple):
    """Where in a term two sides differ: the way there from outside, and what each has there."""

    path: tuple[str, ...]
    expected: str
    found: str

    def text(self) -> str:
        """The way there, in words."""
        return ", ".join(self.path) or "as a whole"


def rename_levels(term: str, names: dict[str, str]) -> str:
    """The term with its universe parameters renamed, and nothing else."""
    if not names:
        return term

    def renamed(level: str, whole: bool) -> str:
        return _WORD.sub(lambda word: names.get(word[0], word[0]), level)

    return _with_levels(term, renamed)


def ordered_levels(term: str) -> str:
    """The term with the arguments of every `max` in order, where it is plain which they are.

    Lean orders them by the names of universe parameters, so that other names give another order.
    """
    return _with_levels(term, lambda level, whole: _ordered(level) if whole else level)


def _with_levels(term: str, change: Callable[[str, bool], str]) -> str:
    """The term with every universe level changed: those in `.{…}`, and those after `Sort`.

    `change` gets a level and whether it is plain where it ends: in braces it is, and where the sort
    is all that stands between two brackets; among arguments, what follows `max` may be one.
    """
    out, at = [], 0
    while at < len(term):
        if term[at] in '"«':
            end = _literal_end(term, at)
        elif term.startswith(".{", at):
            end = _brace_end(term, at + 2)
            levels = term[at + 2 : end - 1].split(", ")
            out.append(f".{{{', '.join(change(level, True) for level in levels)}}}")
            at = end
            continue
        elif term.startswith("Sort ", at) and (at == 0 or not _WORD.match(term[at - 1])):
            end = _level_end(term, at + 5)
            whole = term[at - 1 : at] in ("{", "[", "⦃") and term[end : end + 1] in ("}", "]", "⦄")
            out.append("Sort " + change(term[at + 5 : end], whole))
            at = end
            continue
        else:
            end = at + 1
        out.append(term[at:end])
        at = end
    return "".join(out)


def _literal_end(term: str, at: int) -> int:
    """Just past the string or the quoted name that begins here."""
    if term[at] == "«":
        end = term.find("»", at)
        return len(term) if end < 0 else end + 1
    at += 1
    while at < len(term) and term[at] != '"':
        at += 2 if term[at] == "\\" else 1
    return at + 1


def _brace_end(term: str, at: int) -> int:
    """Just past the brace that closes a list of levels."""
    while at < len(term) and term[at] != "}":
        at = _literal_end(term, at) if term[at] == "«" else at + 1
    return at + 1


def _level_end(term: str, at: int) -> int:
    """Where the level that begins here ends; after `max` as many atoms are taken as there are."""
    operator = next((o for o in ("max ", "imax ") if term.startswith(o, at)), None)
    if operator is None:
        return _atom_end(term, at)
    at += len(operator)
    end = _atom_end(term, at)
    while end > at and term[end : end + 1] == " ":
        at = end + 1
        following = _atom_end(term, at)
        if following == at:
            break
        end = following
    return end


def _atom_end(term: str, at: int) -> int:
    """Where a word, or what stands in parentheses, ends, with what is added to it."""
    if term[at : at + 1] == "(":
        depth = 0
        while at < len(term):
            depth += {"(": 1, ")": -1}.get(term[at], 0)
            at = _literal_end(term, at) if term[at] in '«"' else at + 1
            if depth == 0:
                break
    while at < len(term) and term[at] not in " (){}[]⦃⦄,;#":
        at = _literal_end(term, at) if term[at] in '«"' else at + 1
    return at


def _ordered(level: str) -> str:
    """A level with the arguments of every `max` in order; another text as it is."""
    words = re.findall(r"[()]|[^\s()]+", level)
    try:
        tree, rest = _level(words, 0)
    except (IndexError, RecursionError):
        return level
    return tree if rest == len(words) else level


def _level(words: list[str], at: int) -> tuple[str, int]:
    """`max` or `imax` of atoms, or an atom: the level in order, and where it ends."""
    operator = words[at]
    if operator not in ("max", "imax"):
        return _atom(words, at)
    arguments = []
    at += 1
    while at < len(words) and words[at] != ")":
        argument, at = _atom(words, at)
        arguments.append(argument)
    ordered = sorted(arguments) if operator == "max" else arguments
    return " ".join([operator, *ordered]), at


def _atom(words: list[str], at: int) -> tuple[str, int]:
    if words[at] != "(":
        return words[at], at + 1
    inner, at = _level(words, at + 1)
    if words[at] != ")":
        raise IndexError
    after = at + 1
    # What is added stands right after the parenthesis: `(max u v)+1`.
    if after < len(words) and words[after].startswith("+"):
        return f"({inner}){words[after]}", after + 1
    return f"({inner})", after


def compare(found: Statement, expected: Statement, *, places: bool = True) -> list[Difference]:
    """Where a statement differs from the agreed one; empty if nowhere.

    Without `places` their terms are not read back.
    """
    writer = _Writer(found, expected, places)
    differences = list(_constant(found.constant, expected.constant, "statement", writer))
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
            differences += _constant(theirs[name], agreed[name], "definition", writer)
    return differences


def _constant(
    found: Constant, expected: Constant, what: str, writer: _Writer
) -> Iterator[Difference]:
    name = expected.name
    if found.kind != expected.kind:
        yield Difference(what, name, "kind", expected.kind, found.kind)
    if what == "definition" and found.module != expected.module:
        yield Difference(what, name, "module", expected.module, found.module)
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
    if not _same(found.type, expected.type, names):
        yield Difference(
            what,
            name,
            "type",
            *_readable((expected.pretty_type, expected.type), (found.pretty_type, found.type)),
            writer.places(_Side(expected, False), _Side(found, False), names),
        )
    values = (found.value, expected.value)
    if None in values and values != (None, None):
        same = False
    else:
        same = _same(found.value or "", expected.value or "", names)
    if not same:
        yield Difference(
            what,
            name,
            "value",
            *_readable((expected.pretty_value, expected.value), (found.pretty_value, found.value)),
            writer.places(_Side(expected, True), _Side(found, True), names),
        )


class _Side(NamedTuple):
    """The type or the value of a constant."""

    constant: Constant
    of_value: bool

    @property
    def text(self) -> str:
        constant = self.constant
        return (constant.value if self.of_value else constant.type) or ""

    @property
    def binders(self) -> tuple[str, ...]:
        constant = self.constant
        return constant.value_binders if self.of_value else constant.binders


class _Writer(NamedTuple):
    """Shows where two statements differ; what that needs is imported when something does."""

    found: Statement
    expected: Statement
    wanted: bool

    def places(self, expected: _Side, found: _Side, names: dict[str, str]) -> tuple[Place, ...]:
        """The smallest parts in which two terms differ; none where they cannot be read back."""
        if not (self.wanted and expected.text and found.text):
            return ()
        from harness import printing
        from harness import term as t

        namespace = self.expected.constant.name.rpartition(".")[0]
        signatures = self.expected.signatures | self.found.signatures
        printer = printing.Printer(signatures, (namespace,) if namespace else ())
        levels = expected.constant.levels
        try:
            agreed = t.parse(expected.text, levels, expected.binders)
            theirs = t.parse(rename_levels(found.text, names), levels, found.binders)
            more = t.inserted(agreed, theirs), t.inserted(theirs, agreed)
            for place, told in enumerate(more):
                if told is not None:
                    around = t.around(theirs if place == 0 else agreed, told[0])
                    texts = ["nothing", "nothing"]
                    texts[1 - place] = printer.show(told[1].type, around)
                    return (Place((f"binder {told[0] + 1}",), *texts),)
            apart = list(t.differences(agreed, theirs))
            return tuple(self._place(printer, one) for one in apart)
        except (t.TermError, RecursionError):
            return ()

    def _place(self, printer: Printer, apart: Apart) -> Place:
        from harness import term as t

        shown = [printer.show(one, apart.around) for one in (apart.left, apart.right)]
        if shown[0] == shown[1]:
            # What differs is not printed: the terms as they are.
            shown = [t.write(apart.left), t.write(apart.right)]
        return Place(apart.path, *shown)


def _same(found: str, expected: str, names: dict[str, str]) -> bool:
    """Whether two terms are the same up to the names of universe parameters."""
    renamed = rename_levels(found, names)
    return renamed == expected or (
        bool(names) and ordered_levels(renamed) == ordered_levels(expected)
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
            elif "«" in level or not _WORD.fullmatch(level):
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
