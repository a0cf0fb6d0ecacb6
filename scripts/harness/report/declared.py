"""Where a project's sources declare what, as their text has it.

For showing text and places to people. What a declaration is, only the compiled modules say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from harness.sources.lexer import COMMENTS, Kind, LexError, Token, tokenize
from harness.sources.project import Source
from harness.sources.scan import imports

KINDS = {
    "theorem": "theorem",
    "lemma": "theorem",
    "def": "definition",
    "abbrev": "definition",
    "instance": "instance",
    "structure": "structure",
    "class": "class",
    "inductive": "inductive type",
    "axiom": "axiom",
    "opaque": "opaque constant",
}
_OPENING = frozenset({"namespace", "section", "mutual"})
_MODIFIERS = frozenset(
    {"noncomputable", "private", "protected", "public", "unsafe", "partial", "nonrec", "meta"}
)
_PRIVATE = re.compile(r"^_private\..*?\.0\.")
_BRACKETS = {"(": 1, "[": 1, "{": 1, "⟨": 1, "⦃": 1, ")": -1, "]": -1, "}": -1, "⟩": -1, "⦄": -1}


@dataclass(frozen=True, slots=True)
class Declared:
    """A declaration: `text` all of it, `statement` what stands before its proof or value.

    `file` is relative to the project, `line` counts from 1, `doc` is its documentation comment.
    """

    name: str
    kind: str
    file: str
    line: int
    text: str
    statement: str
    doc: str


@dataclass(frozen=True, slots=True)
class Declarations:
    """What a project's files declare and import."""

    by_name: dict[str, Declared]
    imports: dict[str, tuple[str, ...]]
    """The modules that each file imports, by its path."""

    def of(self, name: str) -> Declared | None:
        """What declares a constant: itself, or that which it is a part or a companion of."""
        parts = without_private(name).split(".")
        for count in range(len(parts), 0, -1):
            if (found := self.by_name.get(".".join(parts[:count]))) is not None:
                return found
        return None


def without_private(name: str) -> str:
    """A private name as its file writes it; others as they are."""
    return _PRIVATE.sub("", name)


def declarations(files: Iterable[Source]) -> Declarations:
    """Read the declarations and imports of files; a file that is not Lean has none."""
    by_name: dict[str, Declared] = {}
    imported: dict[str, tuple[str, ...]] = {}
    for source in files:
        text = source.text.replace("\r\n", "\n")
        try:
            tokens = list(tokenize(text))
            imported[source.path] = tuple(i.module for i in imports(text))
        except LexError:
            continue
        for found in _in_file(source.path, text, tokens):
            by_name.setdefault(found.name, found)
    return Declarations(by_name, imported)


@dataclass(frozen=True, slots=True)
class _File:
    """A file's tokens without comments, and documentation comments by where what follows starts."""

    path: str
    text: str
    code: Sequence[Token]
    docs: dict[int, str]


def _in_file(path: str, text: str, tokens: Sequence[Token]) -> Iterator[Declared]:
    code = [token for token in tokens if token.kind not in COMMENTS]
    docs = {
        after.start: before.text
        for before, after in pairwise(tokens)
        if before.kind is Kind.DOC_COMMENT
    }
    file = _File(path, text, code, docs)
    scopes: list[str] = []
    for at, token in enumerate(code):
        if token.kind is not Kind.IDENTIFIER:
            continue
        following = code[at + 1] if at + 1 < len(code) else None
        named = following is not None and following.kind is Kind.IDENTIFIER
        if token.text in _OPENING:
            opened = following.text if following and named and token.text == "namespace" else ""
            scopes.append(opened)
        elif token.text == "end" and scopes:
            scopes.pop()
        elif token.text in KINDS and following and named and following.text not in KINDS:
            space = [scope for scope in scopes if scope]
            absolute = following.text.startswith("_root_.")
            name = following.text.removeprefix("_root_.")
            yield _declared(file, at, name if absolute else ".".join([*space, name]))


def _declared(file: _File, at: int, name: str) -> Declared:
    code, text = file.code, file.text
    first = code[_begin(code, at)]
    last = at + 1
    while last + 1 < len(code) and not (
        code[last + 1].line > first.line and code[last + 1].column <= first.column
    ):
        last += 1
    end = _statement_end(code, at + 1, last)
    return Declared(
        name,
        KINDS[code[at].text],
        file.path,
        code[at].line,
        text[first.start : code[last].end],
        text[first.start : code[end].end],
        _doc(file.docs.get(first.start, "")),
    )


def _begin(code: Sequence[Token], at: int) -> int:
    """The first token of a declaration: its modifiers and attributes stand before its keyword."""
    while at and (code[at - 1].text in _MODIFIERS or code[at - 1].text in KINDS):
        at -= 1
    if at and code[at - 1].text == "]":
        opening = next((i for i in range(at - 1, -1, -1) if code[i].text.endswith("@[")), None)
        if opening is None:
            pairs = (i for i in range(at - 1, 0, -1) if code[i].text == "[")
            opening = next((i - 1 for i in pairs if code[i - 1].text == "@"), at)
        return opening
    return at


def _statement_end(code: Sequence[Token], start: int, last: int) -> int:
    """The last token before the `:=`, `where` or `|` that stands outside all brackets."""
    depth = 0
    for i in range(start, last):
        following = code[i + 1].text
        depth += sum(_BRACKETS.get(c, 0) for c in code[i].text if code[i].kind is Kind.SYMBOL)
        if depth == 0 and following in (":=", "where", "|"):
            return i
        if depth == 0 and following == ":" and i + 2 <= last and code[i + 2].text == "=":
            return i
    return last


def _doc(comment: str) -> str:
    return comment.removeprefix("/--").removesuffix("-/").strip()
