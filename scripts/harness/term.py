"""Terms as the audit writes them, read back: to show where two of them differ, and to print them.

The form is that of `render` in `scripts/lean/Audit.lean`. Whether two terms are the same is decided
on the text (`statement.py`); what is read here serves people, so a text that cannot be read back is
shown as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

DEEPEST = 150
"""Parts inside parts, binders in a row among them: a term beyond this is not read back.

As deep as can be printed without coming near Python's own limit.
"""
LARGEST = 1_000_000
"""Characters of the longest term that is read back."""


class TermError(Exception):
    """The text is not a term in the form of the audit, or one too large to be shown."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound variable, counted from the inside."""

    index: int


@dataclass(frozen=True, slots=True)
class Sort:
    """`Sort level`."""

    level: str


@dataclass(frozen=True, slots=True)
class Const:
    """A constant at universe levels."""

    name: str
    levels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class App:
    """A head, which is no application itself, and its arguments."""

    head: Term
    arguments: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Binder:
    """`Π` or `λ`; `bracket` is the opening one: `(`, `{`, `⦃` or `[`.

    The name is for people: terms that differ in it alone are equal.
    """

    sign: str
    bracket: str
    type: Term
    body: Term
    name: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Let:
    """`let : type := value; body`."""

    type: Term
    value: Term
    body: Term
    name: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, or a string with its quotes."""

    text: str


@dataclass(frozen=True, slots=True)
class Proj:
    """Field `index`, from 0, of a value of a structure."""

    structure: str
    index: int
    of: Term


Term = Bound | Sort | Const | App | Binder | Let | Literal | Proj

_CLOSING = {"(": ")", "{": "}", "⦃": "⦄", "[": "]"}
_NAME = re.compile(
    r"(?:«[^»]*»|[^\s(){}\[\]⦃⦄«»\"#,;:.]+)(?:\.(?:«[^»]*»|[^\s(){}\[\]⦃⦄«»\"#,;:.]+))*"
)
_STRING = re.compile(r'"(?:\\.|[^"\\])*"', re.DOTALL)
_NUMBER = re.compile(r"\d+(?![^\s(){}\[\]⦃⦄,;])")
_BOUND = re.compile(r"#(0|[1-9][0-9]{0,8})(?![0-9])")
_LEVEL_NAME = re.compile(r"«[^»]*»|[^\s(){}\[\]⦃⦄«»\"#,;:+]+")
_ADDED = re.compile(r"\+[0-9]+")


def parse(text: str, levels: Sequence[str] = (), names: Sequence[str] = ()) -> Term:
    """The term that a text of the audit's form stands for.

    `levels` are the universe parameters: what follows `max` as one of them belongs to the level.
    `names` are those of the binders, in the order of the text, as far as they are known. Raises
    TermError.
    """
    if len(text) > LARGEST:
        raise TermError(f"more than {LARGEST:,} characters")
    reader = _Reader(text, frozenset(levels), iter(names))
    term = reader.term(0)
    if reader.at != len(text):
        raise TermError(f"something is left at character {reader.at}")
    return term


class _Reader:
    """Reads one term from the left; `at` is how far it has come."""

    def __init__(self, text: str, levels: frozenset[str], names: Iterator[str]) -> None:
        self.text = text
        self.levels = levels
        self.names = names
        self.at = 0

    def term(self, depth: int) -> Term:
        if depth > DEEPEST:
            raise TermError(f"more than {DEEPEST} parts inside each other")
        text, at = self.text, self.at
        if text.startswith(("(λ", "(Π"), at):
            return self.binders(depth)
        if text.startswith("(let : ", at):
            return self.let(depth)
        if text.startswith("(", at):
            return self.group(depth)
        if text.startswith("#", at):
            return Bound(int(self.match(_BOUND)[1:]))
        if text.startswith('"', at):
            return Literal(self.match(_STRING))
        if text.startswith("Sort ", at):
            self.at += len("Sort ")
            return Sort(self.level(depth, among_arguments=True))
        if _NUMBER.match(text, at):
            return Literal(self.match(_NUMBER))
        name = self.match(_NAME)
        if not self.text.startswith(".{", self.at):
            return Const(name)
        end = self.text.find("}", self.at)
        if end < 0:
            raise TermError(f"no }} after character {self.at}")
        given = tuple(self.text[self.at + 2 : end].split(", "))
        self.at = end + 1
        return Const(name, given)

    def binders(self, depth: int) -> Term:
        """Binders in a row, and what stands under them."""
        opened: list[tuple[str, str, Term, str]] = []
        while self.text.startswith(("(λ", "(Π"), self.at):
            if depth + len(opened) > DEEPEST:
                raise TermError(f"more than {DEEPEST} parts inside each other")
            sign, bracket = self.text[self.at + 1], self.text[self.at + 2 : self.at + 3]
            if bracket not in _CLOSING:
                raise TermError(f"no bracket at character {self.at + 2}")
            self.at += 3
            name = next(self.names, "")
            type_ = self.term(depth + len(opened) + 1)
            self.expect(_CLOSING[bracket] + " ")
            opened.append((sign, bracket, type_, name))
        term = self.term(depth + len(opened))
        for sign, bracket, type_, name in reversed(opened):
            self.expect(")")
            term = Binder(sign, bracket, type_, term, name)
        return term

    def let(self, depth: int) -> Term:
        self.expect("(let : ")
        name = next(self.names, "")
        type_ = self.term(depth + 1)
        self.expect(" := ")
        value = self.term(depth + 1)
        self.expect("; ")
        body = self.term(depth + 1)
        self.expect(")")
        return Let(type_, value, body, name)

    def group(self, depth: int) -> Term:
        """An application, or what a field is taken of: `(f x y)`, `(s).Structure.0`."""
        self.expect("(")
        head = self.term(depth + 1)
        arguments = []
        while self.text.startswith(" ", self.at):
            self.at += 1
            arguments.append(self.term(depth + 1))
        self.expect(")")
        if arguments:
            return App(head, tuple(arguments))
        self.expect(".")
        name = self.match(_NAME)
        structure, _, index = name.rpartition(".")
        if not structure or not index.isdecimal():
            raise TermError(f"no field before character {self.at}")
        return Proj(structure, int(index), head)

    def level(self, depth: int, *, among_arguments: bool) -> str:
        """A level as it is written; after `max`, only parameters and numbers belong to it.

        `among_arguments` is whether an argument of the sort's neighbour may follow.
        """
        start = self.at
        operator = next((o for o in ("max ", "imax ") if self.text.startswith(o, self.at)), None)
        if operator is None:
            self.level_atom(depth)
            return self.text[start : self.at]
        self.at += len(operator)
        self.level_atom(depth)
        while self.text.startswith(" ", self.at):
            back = self.at
            self.at += 1
            try:
                atom = self.level_atom(depth)
            except TermError:
                atom = None
            if atom is None or (among_arguments and not self.may_be_level(atom)):
                self.at = back
                break
        return self.text[start : self.at]

    def may_be_level(self, atom: str) -> bool:
        """Whether what could be a constant as well is a parameter or a number."""
        return atom.startswith("(") or atom.isdecimal() or atom in self.levels

    def level_atom(self, depth: int) -> str:
        """A number, a parameter, or a level in parentheses, and what is added to it."""
        if depth > DEEPEST:
            raise TermError(f"more than {DEEPEST} parts inside each other")
        start = self.at
        if self.text.startswith("(", self.at):
            self.at += 1
            inner = self.level(depth + 1, among_arguments=False)
            if not {" ", "+"} & set(inner):
                raise TermError(f"nothing to put into parentheses at character {start}")
            self.expect(")")
        else:
            self.match(_LEVEL_NAME)
        atom = self.text[start : self.at]
        if added := _ADDED.match(self.text, self.at):
            self.at = added.end()
        return atom

    def match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if found is None:
            shown = self.text[self.at : self.at + 20]
            raise TermError(f"no term at character {self.at}: {shown!r}")
        self.at = found.end()
        return found[0]

    def expect(self, word: str) -> None:
        if not self.text.startswith(word, self.at):
            raise TermError(f"{word!r} is missing at character {self.at}")
        self.at += len(word)


def write(term: Term) -> str:
    """The text of a term in the audit's form: the opposite of `parse`."""
    out: list[str] = []
    stack: list[Term | str] = [term]
    while stack:
        one = stack.pop()
        match one:
            case str():
                out.append(one)
            case Bound(index):
                out.append(f"#{index}")
            case Sort(level):
                out.append(f"Sort {level}")
            case Const(name, levels):
                out.append(f"{name}.{{{', '.join(levels)}}}" if levels else name)
            case Literal(text):
                out.append(text)
            case App(head, arguments):
                parts: list[Term | str] = ["(", head]
                for argument in arguments:
                    parts += [" ", argument]
                stack += reversed([*parts, ")"])
            case Binder(sign, bracket, type_, body):
                closing = _CLOSING[bracket]
                stack += reversed([f"({sign}{bracket}", type_, f"{closing} ", body, ")"])
            case Let(type_, value, body):
                stack += reversed(["(let : ", type_, " := ", value, "; ", body, ")"])
            case Proj(structure, index, of):
                stack += reversed(["(", of, f").{structure}.{index}"])
    return "".join(out)


def parts(term: Term) -> tuple[tuple[str, Term, int], ...]:
    """What a term consists of: what each part is called, the part, and how many binders it enters.

    Source: `Expr` in Lean's `src/Lean/Expr.lean`.
    """
    match term:
        case App(head, arguments):
            named = [(f"argument {i}", one, 0) for i, one in enumerate(arguments, 1)]
            return (("head", head, 0), *named)
        case Binder(_, _, type_, body):
            return (("type", type_, 0), ("body", body, 1))
        case Let(type_, value, body):
            return (("type", type_, 0), ("value", value, 0), ("body", body, 1))
        case Proj(_, _, of):
            return (("structure", of, 0),)
        case _:
            return ()


def binders(term: Term) -> tuple[list[Binder], Term]:
    """The leading binders of one sign, and what stands under them."""
    found: list[Binder] = []
    while isinstance(term, Binder) and (not found or term.sign == found[0].sign):
        found.append(term)
        term = term.body
    return found, term


def mentions(term: Term, index: int) -> bool:
    """Whether a bound variable, counted from outside the term, occurs in it."""
    stack = [(term, index)]
    while stack:
        one, at = stack.pop()
        if isinstance(one, Bound):
            if one.index == at:
                return True
        else:
            stack += [(part, at + entered) for _, part, entered in parts(one)]
    return False


def mapped(term: Term, change: Callable[[Term, int], Term], under: int = 0) -> Term:
    """A term whose smallest parts are changed; `change` gets one and how many binders it is under.

    `under` is how many binders around belong to the term itself.
    """
    match term:
        case App(head, arguments):
            return App(
                mapped(head, change, under), tuple(mapped(one, change, under) for one in arguments)
            )
        case Binder(sign, bracket, type_, body, name):
            inside = mapped(body, change, under + 1)
            return Binder(sign, bracket, mapped(type_, change, under), inside, name)
        case Let(type_, value, body, name):
            inside = mapped(body, change, under + 1)
            return Let(mapped(type_, change, under), mapped(value, change, under), inside, name)
        case Proj(structure, index, of):
            return Proj(structure, index, mapped(of, change, under))
        case _:
            return change(term, under)


def lowered(term: Term, by: int) -> Term:
    """The term with bound variables that point out of it lowered by `by` (raised, if negative)."""

    def change(part: Term, under: int) -> Term:
        if isinstance(part, Bound) and part.index >= under:
            return Bound(part.index - by)
        return part

    return mapped(term, change)


def constants(term: Term) -> Iterator[str]:
    """The names of the constants that a term mentions, in the order of the text."""
    stack: list[Term] = [term]
    while stack:
        one = stack.pop()
        if isinstance(one, Const):
            yield one.name
        elif isinstance(one, Proj):
            yield one.structure
        stack += [part for _, part, _ in reversed(parts(one))]


@dataclass(frozen=True, slots=True)
class Apart:
    """Where two terms differ: the way to it, what stands there, and the names of binders around.

    `path` holds what to go into, from outside.
    """

    path: tuple[str, ...]
    left: Term
    right: Term
    around: tuple[str, ...]


def differences(left: Term, right: Term) -> Iterator[Apart]:
    """The smallest parts in which two terms differ, in the order of the text."""
    stack: list[tuple[tuple[str, ...], Term, Term, tuple[str, ...]]] = [((), left, right, ())]
    while stack:
        path, one, two, names = stack.pop()
        if one == two:
            continue
        pairs = _alike(one, two)
        if pairs is None:
            yield Apart(path, one, two, names)
            continue
        for word, a, b, entered in reversed(pairs):
            inner = (*names, _name(one, names)) if entered else names
            stack.append((_longer(path, word, one), a, b, inner))


def is_hidden(name: str) -> bool:
    """Whether a binder's name was made by Lean and cannot be written by anybody."""
    made_up = ("✝", "_hyg", "_@")
    return name in ("", "_", "[anonymous]") or any(sign in name for sign in made_up)


def distinct(name: str, around: Sequence[str]) -> str:
    """The name, with primes where something around has it already."""
    while name in around and name != "_":
        name += "'"
    return name


def _name(binder: Term, around: Sequence[str]) -> str:
    """The name of what binds, or one by its place where nobody gave any; distinct from others."""
    name = binder.name if isinstance(binder, Binder | Let) else ""
    return distinct(f"x{len(around) + 1}" if is_hidden(name) else name, around)


def around(term: Term, place: int) -> tuple[str, ...]:
    """The names of the leading binders before the one at `place`."""
    names: tuple[str, ...] = ()
    for binder in binders(term)[0][:place]:
        names = (*names, _name(binder, names))
    return names


def _alike(left: Term, right: Term) -> list[tuple[str, Term, Term, int]] | None:
    """The parts of two terms beside each other, None where the terms are of different make."""
    if type(left) is not type(right):
        return None
    match left, right:
        case App(), App() if len(left.arguments) != len(right.arguments) or (
            isinstance(left.head, Const) and left.head != right.head
        ):
            return None
        case Binder(), Binder() if (left.sign, left.bracket) != (right.sign, right.bracket):
            return None
        case Proj(), Proj() if (left.structure, left.index) != (right.structure, right.index):
            return None
    pairs = zip(parts(left), parts(right), strict=True)
    found = [(name, a, b, entered) for (name, a, entered), (_, b, _) in pairs]
    return found or None


def _longer(path: tuple[str, ...], name: str, term: Term) -> tuple[str, ...]:
    """The path with one more step, in words; binders in a row are counted, not entered singly."""
    match term:
        case Binder(sign) if name == "body":
            word = "∀" if sign == "Π" else "fun"
            if path and path[-1].startswith(f"under {word} "):
                return (*path[:-1], f"under {word} {int(path[-1].split()[-1]) + 1}")
            return (*path, f"under {word} 1")
        case Binder(sign):
            word = "∀" if sign == "Π" else "fun"
            if path and path[-1].startswith(f"under {word} "):
                return (*path[:-1], f"type of binder {int(path[-1].split()[-1]) + 1}")
            return (*path, "type of binder 1")
        case App(Const(head)):
            return (*path, f"{name} of {head}")
        case _:
            return (*path, name)


def inserted(left: Term, right: Term) -> tuple[int, Binder] | None:
    """The one leading binder that the right has more than the left, and its place, from 0.

    None where the two differ otherwise, or where what follows uses the binder.
    """
    few, many = binders(left)[0], binders(right)[0]
    if len(many) != len(few) + 1:
        return None
    for place, binder in enumerate(many):
        if mentions(binder.body, 0):
            continue
        if without(right, place) == left:
            return place, binder
    return None


def without(term: Term, place: int) -> Term:
    """A term without one of its leading binders, which nothing may use."""
    found, _ = binders(term)
    body = lowered(found[place].body, 1)
    for binder in reversed(found[:place]):
        body = Binder(binder.sign, binder.bracket, binder.type, body, binder.name)
    return body
