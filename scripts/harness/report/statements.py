"""The statements in mathematics (`docs/statements.toml`), read strictly and checked against Lean.

The mathematics is written by hand. That it speaks of the Lean text beside it is checked token for
token; that it says the same is for a person to judge.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from harness.report.declared import Declared
from harness.sources.files import NotPlain, plain_bytes
from harness.sources.lexer import LexError
from harness.sources.tokens import token_lines

SCHEMA = 1
PLACE = Path("docs") / "statements.toml"
LARGEST = 4 * 1024 * 1024
"""Bytes of the largest file that is read."""
ROLES = ("variable", "given", "hypothesis", "claim")
BETWEEN = frozenset("→,:∧")
"""What may stand between two parts of a statement."""

_TEXT_TAGS = frozenset({"p", "em", "strong", "code", "var", "sub", "sup"})
_MATH_TAGS = frozenset(
    {"math", "mi", "mn", "mo", "mtext", "mspace", "mrow", "mfrac", "msqrt", "mroot"}
    | {"msub", "msup", "msubsup", "munder", "mover", "munderover"}
)
_ATTRIBUTES = {"display": r"block|inline", "stretchy": r"true|false", "mathvariant": r"normal"}


class StatementsError(Exception):
    """The file cannot be used; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a statement: `lean` as the source has it, `math` as HTML, `meaning` in words."""

    role: str
    lean: str
    binders: int
    math: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A theorem in mathematics; `mathematics` is HTML."""

    name: str
    title: str
    origin: str
    plain: str
    mathematics: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a definition or an axiom says; `type` is the axiom's, `math` the definition's."""

    name: str
    lean: str
    meaning: str
    math: str = ""
    type: str = ""


@dataclass(frozen=True, slots=True)
class Statements:
    """The whole file, by the names of theorems, definitions, axioms; `not_claimed` in words."""

    statements: dict[str, Statement]
    definitions: dict[str, Meaning]
    axioms: dict[str, Meaning]
    not_claimed: tuple[str, ...] = ()


NONE = Statements({}, {}, {})


def load(path: Path) -> Statements:
    """Read a file of statements; one that is not there has none.

    Raises StatementsError.
    """
    try:
        table = tomllib.loads(plain_bytes(path, LARGEST).decode("utf-8"))
    except FileNotFoundError:
        return NONE
    except NotPlain as error:
        raise StatementsError(f"{path} {error}") from None
    except OSError as error:
        raise StatementsError(f"{path} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise StatementsError(f"{path}: {error}") from None
    try:
        return _statements(table)
    except StatementsError as error:
        raise StatementsError(f"{path}: {error}") from None


def misfit(statement: Statement, text: str, before: str) -> str | None:
    """Why a statement in mathematics is not one of this Lean text; None if it is.

    `text` is the Lean statement up to its proof, `before` what stands before it in its file.
    """
    try:
        tokens, earlier = _tokens(text), _tokens(before)
        at = 0
        for part in statement.parts:
            wanted = _tokens(part.lean)
            if part.role == "variable":
                if _find(earlier, wanted, 0) is None:
                    return f"`{part.lean}` is not declared before the statement"
                continue
            found = _find(tokens, wanted, at)
            if found is None:
                return f"`{part.lean}` does not stand in the Lean text, or not in this order"
            skipped = tokens[at:found]
            if at and (left_out := [t for t in skipped if t not in BETWEEN]):
                return f"`{' '.join(left_out)}` in the Lean text is in no part"
            if not at and (problem := _beginning(skipped)):
                return problem
            at = found + len(wanted)
    except LexError as error:
        return f"the Lean text cannot be read: {error}"
    if at != len(tokens):
        return f"`{' '.join(tokens[at:])}` in the Lean text is in no part"
    return None


def misfit_definition(meaning: Meaning, declared: Declared) -> str | None:
    """Why the meaning is not that of this definition; None if it is."""
    try:
        if _find(_tokens(declared.text), _tokens(meaning.lean), 0) is None:
            return f"`{meaning.lean}` does not stand in the definition"
    except LexError as error:
        return f"the Lean text cannot be read: {error}"
    return None


def _beginning(tokens: Sequence[str]) -> str | None:
    """Before the first part: the keyword, the name, perhaps a colon."""
    rest = [t for t in tokens if t not in BETWEEN]
    if len(rest) > 2 or (rest and rest[0] not in ("theorem", "lemma")):
        return f"`{' '.join(rest)}` in the Lean text is in no part"
    return None


def _tokens(text: str) -> list[str]:
    return [line.partition("\t")[2] for line in token_lines(text)]


def _find(tokens: Sequence[str], wanted: Sequence[str], start: int) -> int | None:
    for at in range(start, len(tokens) - len(wanted) + 1):
        if list(tokens[at : at + len(wanted)]) == list(wanted):
            return at
    return None


# Reading


def _statements(table: dict[str, Any]) -> Statements:
    if table.get("schema") != SCHEMA:
        raise StatementsError(f"is not of schema {SCHEMA}")
    _known(table, {"schema", "not-claimed", "statement", "definition", "axiom"}, "the file")
    not_claimed = table.get("not-claimed", [])
    if not isinstance(not_claimed, list) or not all(isinstance(t, str) for t in not_claimed):
        raise StatementsError("`not-claimed` is no list of texts")
    return Statements(
        {s.name: s for s in (_statement(t) for t in _tables(table, "statement"))},
        {m.name: m for m in (_meaning(t, "math") for t in _tables(table, "definition"))},
        {m.name: m for m in (_meaning(t, "type") for t in _tables(table, "axiom"))},
        tuple(not_claimed),
    )


def _statement(table: dict[str, Any]) -> Statement:
    name = _text(table, "name", "statement")
    _known(table, {"name", "title", "origin", "plain", "mathematics", "part"}, name)
    parts = tuple(_part(part, name) for part in _tables(table, "part"))
    if not parts:
        raise StatementsError(f"{name}: has no part")
    return Statement(
        name,
        _text(table, "title", name),
        _text(table, "origin", name, ""),
        _text(table, "plain", name, ""),
        markup(_text(table, "mathematics", name)),
        parts,
    )


def _part(table: dict[str, Any], name: str) -> Part:
    _known(table, {"role", "lean", "binders", "math", "meaning"}, name)
    role = _text(table, "role", name)
    if role not in ROLES:
        raise StatementsError(f"{name}: {role!r} is no role of a part")
    binders = table.get("binders", 0 if role == "claim" else 1)
    if isinstance(binders, bool) or not isinstance(binders, int) or binders < 0:
        raise StatementsError(f"{name}: `binders` is no number")
    lean = _text(table, "lean", name)
    return Part(
        role, lean, binders, markup(_text(table, "math", name)), _text(table, "meaning", name)
    )


def _meaning(table: dict[str, Any], kind: str) -> Meaning:
    name = _text(table, "name", "definition or axiom")
    _known(table, {"name", "lean", "meaning", kind}, name)
    given = _text(table, kind, name)
    return Meaning(
        name,
        _text(table, "lean", name),
        _text(table, "meaning", name),
        math=markup(given) if kind == "math" else "",
        type=given if kind == "type" else "",
    )


def _known(table: dict[str, Any], keys: set[str], where: str) -> None:
    if unknown := sorted(table.keys() - keys):
        raise StatementsError(f"{where}: nobody knows the key `{unknown[0]}`")


def _tables(table: dict[str, Any], key: str) -> list[dict[str, Any]]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise StatementsError(f"`{key}` is no list of tables")
    return value


def _text(table: dict[str, Any], key: str, where: str, default: str | None = None) -> str:
    value = table.get(key, default)
    if not isinstance(value, str) or (default is None and not value.strip()):
        raise StatementsError(f"{where}: `{key}` is no text")
    return value


# Markup


def markup(text: str) -> str:
    """HTML and MathML of a few elements, written anew from what was understood.

    Raises StatementsError for anything else.
    """
    if "<!" in text or "<?" in text:
        raise StatementsError(f"markup that is not known in {text!r}")
    try:
        root = ElementTree.fromstring(f"<r>{text.strip()}</r>")
    except ElementTree.ParseError as error:
        raise StatementsError(f"markup that cannot be read in {text!r}: {error}") from None
    return escape(root.text or "") + "".join(_written(child) for child in root)


def _written(element: ElementTree.Element) -> str:
    if element.tag not in _TEXT_TAGS | _MATH_TAGS:
        raise StatementsError(f"markup may not have <{element.tag}>")
    attributes = ""
    for name, value in element.attrib.items():
        if name not in _ATTRIBUTES or not re.fullmatch(_ATTRIBUTES[name], value):
            raise StatementsError(f"markup may not have {name}={value!r}")
        attributes += f' {name}="{value}"'
    inside = escape(element.text or "") + "".join(_written(child) for child in element)
    return f"<{element.tag}{attributes}>{inside}</{element.tag}>{escape(element.tail or '')}"
