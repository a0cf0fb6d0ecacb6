"""A lexer for Lean 4 source text, and hierarchical names in text form.

Where a rule is Lean's, the docstring or comment names the place in Lean's sources. The rules were
compared with the parser of Lean 4.35.0 (`tests/test_lexer_real_lean.py`).

Lean has no lexer of its own: which characters make one symbol depends on what the imported modules
declare. Where comments, literals and identifiers begin and end is fixed nevertheless, but for two
things, which are tables here: symbols with a character inside that would begin a comment or a
character literal (`_SYMBOLS`), and the words whose string is interpolated (`_INTERPOLATING` and
the tables after it). A project that declares others is read as if it did not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum, auto
from typing import NamedTuple, NoReturn


class LexError(ValueError):
    """A text is not Lean: where, and why.

    `line` counts from 1, `column` from 0 in characters, as Lean does.
    """

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(f"{line}:{column}: {message}")
        self.message = message
        self.line = line
        self.column = column


class BadName(ValueError):
    """A text is not exactly one name, or a name that cannot be written as text."""


class Kind(StrEnum):
    """What a token is. Whitespace makes no token."""

    LINE_COMMENT = auto()
    BLOCK_COMMENT = auto()
    DOC_COMMENT = auto()
    MODULE_DOC = auto()
    IDENTIFIER = auto()
    """Keywords too; with dots and guillemets: `foo.«b c».bar!`."""
    NAME = auto()
    """A quoted name, with its one or two backticks."""
    NUMBER = auto()
    STRING = auto()
    RAW_STRING = auto()
    CHAR = auto()
    INTERPOLATED = auto()
    """The text of an interpolated string: `"a {`, `} b {`, `} c"`, or whole when it has no holes.
    The tokens of a hole stand between such pieces."""
    SYMBOL = auto()


COMMENTS = frozenset(
    {Kind.LINE_COMMENT, Kind.BLOCK_COMMENT, Kind.DOC_COMMENT, Kind.MODULE_DOC},
)


class Token(NamedTuple):
    """A piece of source text that is not whitespace.

    `start` is its offset in characters, `line` counts from 1, `column` from 0 in characters.
    """

    kind: Kind
    text: str
    start: int
    line: int
    column: int

    @property
    def end(self) -> int:
        """The offset just past the token."""
        return self.start + len(self.text)


# Init/Meta/Defs.lean: isIdFirst, isIdRest, isLetterLike, isSubScriptAlnum. λ, Π and Σ are symbols.
_LETTER_LIKE = (
    "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f"
    "\u0391-\u039f\u03a1-\u03a2\u03a4-\u03a9\u03b1-\u03ba\u03bc-\u03fb"
    "\u1f00-\u1ffe\u2100-\u214f\U0001d49c-\U0001d59f"
)
ID_FIRST = f"A-Za-z_{_LETTER_LIKE}"
ID_REST = f"{ID_FIRST}0-9'!?\u1d62-\u1d6a\u2080-\u2089\u2090-\u209c\u2c7c"

# identFnAux. Between guillemets anything may stand, line breaks and nothing at all too.
_PART = f"(?:[{ID_FIRST}][{ID_REST}]*+|«[^»]*»)"
_IDENTIFIER = rf"{_PART}(?:\.{_PART})*+"

# Longest first. Needed are those with a character inside that begins something else at the start
# of a token (`-`, `/`, `'`); `..` for numbers; the others spare readers of tokens some work.
# Those with `'`: Set.image, PProd, PSigma, tsum, tprod, preimage, quantifiers of ModelTheory.
_SYMBOLS = (
    *("⁻¹'", "...", "<;>", "<|>", "|>."),
    *(":=", "=>", "->", "<-", "//", "/\\", "\\/", "..", "::"),
    *("''", "×'", "Σ'", "∑'", "∏'", "∀'", "∃'"),
)

_SPACE = r"[ \t\r\n]+"
_ESCAPE = r"""\\(?:[\\"'rnt]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})"""
_DECIMAL = "[0-9](?:_*[0-9])*+"
_EXPONENT = rf"[eE][+-]?{_DECIMAL}"

_TOKEN = re.compile(
    "|".join(
        [
            rf"(?P<space>{_SPACE})",
            # takeUntilFn in whitespace: to the end of the line, CRLF being one (String.crlfToLf).
            r"(?P<line>--(?:[^\n\r]|\r(?!\n))*+)",
            r"(?P<block>/-[-!]?)",
            rf"(?P<identifier>{_IDENTIFIER})",
            # numberFnAux. The point belongs to the number unless another point or a name follows.
            r"(?P<number>0[xX](?:_*[0-9a-fA-F])++|0[bB](?:_*[01])++|0[oO](?:_*[0-7])++"
            rf"|{_DECIMAL}(?:\.{_DECIMAL}(?:{_EXPONENT})?|\.?{_EXPONENT}|\.(?![.«{ID_FIRST}]))?)",
            r'(?P<quote>")',
            # charLitFnAux: any one character, a line break too.
            rf"(?P<char>'(?:{_ESCAPE}|\r\n|[^\\'])')",
            rf"(?P<name>``?{_IDENTIFIER})",
            "(?P<symbol>" + "|".join(map(re.escape, _SYMBOLS)) + "|[^«])",
            "(?P<guillemet>«)",
        ]
    )
)
# rawStrLitFnAux, isRawStrLitStart; `r` as the end of an identifier is part of that.
_RAW_START = re.compile(r'r(#*+)"')
# strLitFnAux, after the opening quotation mark. An escape that Lean refuses is let through.
_STRING_REST = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
# interpolatedStrFn: the text up to a quotation mark or a brace.
_PIECE_REST = re.compile(r'[^"\\{]*+(?:\\.[^"\\{]*+)*+["{]', re.DOTALL)
_COMMENT_EDGE = re.compile("/-|-/")
_BLANK = re.compile(_SPACE)
_LINE_COMMENT = re.compile(r"--[^\n]*+")
_DIGITS = re.compile("[0-9]+")
_COMMENT_KIND = {"/-": Kind.BLOCK_COMMENT, "/--": Kind.DOC_COMMENT, "/-!": Kind.MODULE_DOC}

# Words whose string is interpolated, from `interpolatedStr` in Lean/Parser/Term.lean and Do.lean
# (dbg_trace), Init (s!, throwError, println!) and Lean (m!, f!, grind's own). `logInfo` and the
# like are functions and take what they are given; `panic!` and `assert!` take terms.
_INTERPOLATING = frozenset(
    {"s!", "m!", "f!", "throwError", "println!", "dbg_trace"}
    | {"reportIssue!", "reportDbgIssue!", "reportEMatchIssue!"},
)
# Any other `word!` with the quotation mark right behind it is taken for a macro of that kind.
_NOT_INTERPOLATING = frozenset({"panic!", "assert!", "debug_assert!", "unreachable!", "r!"})
# `trace[Meta.debug] "…"`; aesop_trace and trace_goal are Aesop's and grind's.
_INTERPOLATING_BRACKET = frozenset(
    {"trace", "Macro.trace", "aesop_trace", "aesop_trace!", "trace_goal"},
)
# Those that take arguments first (throwNamedError and the others: Lean/Parser/Term.lean).
_INTERPOLATING_AFTER = {
    "throwErrorAt": 1,
    "throwNamedError": 1,
    "logNamedError": 1,
    "logNamedWarning": 1,
    "throwNamedErrorAt": 2,
    "logNamedErrorAt": 2,
    "logNamedWarningAt": 2,
}
_CLOSING = {")": "(", "]": "[", "}": "{", "⟩": "⟨"}
_OPENING = frozenset(_CLOSING.values())
_ARGUMENT_ATOMS = frozenset({Kind.IDENTIFIER, Kind.NUMBER, Kind.NAME, Kind.CHAR})


def tokenize(text: str) -> list[Token]:
    """All tokens of `text`, in order; the text between two of them is whitespace.

    Raises LexError for a comment, string, hole or guillemet that is never closed, placed where it
    begins. Text that Lean refuses for other reasons (tabs, wrong escapes, unknown symbols) still
    gives tokens.
    """
    return list(iter_tokens(text))


def iter_tokens(text: str) -> Iterator[Token]:
    """Like `tokenize`, one token at a time, so that an error further on does not matter yet."""
    return _Lexer(text).run()


@dataclass(slots=True)
class _Hole:
    """A hole of an interpolated string: where the string began, and how many braces are open."""

    string: int
    depth: int = 0


class _Lexer:
    """Reads one text from left to right; nesting is counted, never a recursion."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.line = 1
        self.line_start = 0
        self.holes: list[_Hole] = []
        self.context = _Context()

    def run(self) -> Iterator[Token]:
        """Yield the tokens."""
        text, match = self.text, _TOKEN.match
        position = 0
        while found := match(text, position):
            group, end = found.lastgroup, found.end()
            kind, end = self.token(group, position, end)
            if kind is not None:
                token = Token(
                    kind, text[position:end], position, self.line, position - self.line_start
                )
                if kind not in COMMENTS:
                    self.context.add(token)
                yield token
            if group != "symbol" or kind is Kind.INTERPOLATED:
                self.count_lines(position, end)
            position = end
        if self.holes:
            self.fail("unterminated interpolated string", self.holes[-1].string)

    def token(self, group: str | None, start: int, end: int) -> tuple[Kind | None, int]:
        """Give kind and end of what the expression found at `start`; no kind for whitespace."""
        match group:
            case "space":
                return None, end
            case "line":
                return Kind.LINE_COMMENT, end
            case "block":
                return self.block_comment(start, end)
            case "identifier":
                if self.text[start] == "r" and (raw := _RAW_START.match(self.text, start)):
                    return self.raw_string(start, raw)
                return Kind.IDENTIFIER, end
            case "number":
                return Kind.NUMBER, self.number_end(start, end)
            case "quote":
                return self.string(start, end)
            case "char":
                return Kind.CHAR, end
            case "name":
                return Kind.NAME, end
            case "symbol":
                return self.symbol(start, end)
            case _:
                self.fail("unterminated guillemet", start)

    def block_comment(self, start: int, end: int) -> tuple[Kind, int]:
        """Read the comment that opens at `start` (finishCommentBlock).

        Two oddities are Lean's. The character after `/-` is skipped, so that `/-/- -/` is a whole
        comment. And `/--` and `/-!` are tokens, which take the whitespace behind them with them,
        comments included: the one that `/-- -- -/` opens is not closed there.
        """
        kind = _COMMENT_KIND[self.text[start:end]]
        rest = end + 1 if kind is Kind.BLOCK_COMMENT else self.skip_whitespace(end)
        return kind, self.close_comment(start, rest)

    def close_comment(self, start: int, position: int) -> int:
        """Find the end of the comment that opened at `start`, reading on from `position`."""
        depth = 1
        for edge in _COMMENT_EDGE.finditer(self.text, position):
            depth += 1 if edge.group() == "/-" else -1
            if depth == 0:
                return edge.end()
        self.fail("unterminated comment", start)

    def skip_whitespace(self, position: int) -> int:
        """Find the end of whitespace and ordinary comments at `position` (`whitespace`)."""
        text = self.text
        while True:
            if skipped := _BLANK.match(text, position) or _LINE_COMMENT.match(text, position):
                position = skipped.end()
            elif text.startswith("/-", position) and text[position + 2 : position + 3] not in "-!":
                position = self.close_comment(position, position + 3)
            else:
                return position

    def raw_string(self, start: int, opening: re.Match[str]) -> tuple[Kind, int]:
        """Read a raw string: up to a quotation mark with as many `#` as before it."""
        closing = '"' + opening.group(1)
        found = self.text.find(closing, opening.end())
        if found < 0:
            self.fail("unterminated raw string", start)
        return Kind.RAW_STRING, found + len(closing)

    def number_end(self, start: int, end: int) -> int:
        """Find the end of a number. After the point of `x.1.2` only digits count (fieldIdx)."""
        if self.context.projects(start):
            digits = _DIGITS.match(self.text, start)
            return digits.end() if digits else end
        return end

    def string(self, start: int, end: int) -> tuple[Kind, int]:
        """Read a string, or the first piece of an interpolated one."""
        if self.context.interpolates(start):
            return Kind.INTERPOLATED, self.piece(start, end)
        found = _STRING_REST.match(self.text, end)
        if not found:
            self.fail("unterminated string", start)
        return Kind.STRING, found.end()

    def piece(self, string: int, position: int) -> int:
        """Find the end of a piece of an interpolated string, and note the hole that it opens."""
        found = _PIECE_REST.match(self.text, position)
        if not found:
            self.fail("unterminated interpolated string", string)
        if self.text[found.end() - 1] == "{":
            self.holes.append(_Hole(string))
        return found.end()

    def symbol(self, start: int, end: int) -> tuple[Kind, int]:
        """Read a symbol, or the piece behind the hole that a brace closes."""
        if self.holes:
            match self.text[start]:
                case "{":
                    self.holes[-1].depth += 1
                case "}" if self.holes[-1].depth == 0:
                    return Kind.INTERPOLATED, self.piece(self.holes.pop().string, end)
                case "}":
                    self.holes[-1].depth -= 1
        return Kind.SYMBOL, end

    def count_lines(self, start: int, end: int) -> None:
        """Note the line breaks between two offsets."""
        breaks = self.text.count("\n", start, end)
        if breaks:
            self.line += breaks
            self.line_start = self.text.rindex("\n", start, end) + 1

    def fail(self, message: str, start: int) -> NoReturn:
        """Raise a LexError for what begins at `start`."""
        line_start = self.text.rfind("\n", 0, start) + 1
        raise LexError(message, self.text.count("\n", 0, start) + 1, start - line_start)


class _Context:
    """The tokens before a quotation mark, which say whether the string is interpolated."""

    def __init__(self) -> None:
        self.tokens: list[Token] = []
        self.open: list[int] = []
        self.opener: dict[int, int] = {}

    def add(self, token: Token) -> None:
        """Take in a token, and remember which bracket it closes."""
        if token.kind is Kind.SYMBOL:
            index = len(self.tokens)
            if token.text in _OPENING:
                self.open.append(index)
            elif token.text in _CLOSING and self.open:
                opener = self.open.pop()
                if self.tokens[opener].text == _CLOSING[token.text]:
                    self.opener[index] = opener
        self.tokens.append(token)

    def projects(self, start: int) -> bool:
        """Say whether a number that begins at `start` is a projection: `x.1`, `x |>.1`."""
        if not self.tokens or self.tokens[-1].end != start:
            return False
        point = self.tokens[-1]
        attached = len(self.tokens) > 1 and self.tokens[-2].end == point.start
        return point.text == "|>." or (point.text == "." and attached)

    def interpolates(self, start: int) -> bool:
        """Say whether a string that begins at `start` is interpolated."""
        index = len(self.tokens) - 1
        word = self.word(index)
        if word in _INTERPOLATING:
            return True
        if word.endswith("!") and "." not in word and self.tokens[index].end == start:
            return word not in _NOT_INTERPOLATING
        return self.bracket_word(index) in _INTERPOLATING_BRACKET or self.after_arguments(index)

    def word(self, index: int) -> str:
        """Give the identifier at `index`, nothing if it is none or stands behind a point."""
        if index < 0 or self.tokens[index].kind is not Kind.IDENTIFIER:
            return ""
        point = self.tokens[index - 1] if index else None
        if point and point.text in {".", "|>."} and point.end == self.tokens[index].start:
            return ""
        return self.tokens[index].text

    def bracket_word(self, index: int) -> str:
        """Give `trace` if the token at `index` closes the bracket of `trace[…]`."""
        opener = self.opener.get(index, 0)
        if opener == 0 or self.tokens[opener].text != "[":
            return ""
        attached = self.tokens[opener - 1].end == self.tokens[opener].start
        return self.word(opener - 1) if attached else ""

    def after_arguments(self, index: int) -> bool:
        """Say whether the arguments that end at `index` follow a word that takes so many."""
        for count in (1, 2):
            index = self.before_argument(index)
            if _INTERPOLATING_AFTER.get(self.word(index)) == count:
                return True
        return False

    def before_argument(self, index: int) -> int:
        """Find the index just before the argument that ends at `index`; -1 if none ends there.

        An argument is a name, a literal or a bracket, with what is attached: `a.b[0].c`, `.x`.
        """
        while index > 0:
            start = self.opener.get(index, index)
            if start == index and self.tokens[index].kind not in _ARGUMENT_ATOMS:
                return -1
            before = self.tokens[start - 1] if start else None
            if before is None or before.end != self.tokens[start].start:
                return start - 1
            if before.text == "#":
                return start - 2
            if before.text != ".":
                if start == index:
                    return start - 1
                index = start - 1
                continue
            beyond = self.tokens[start - 2] if start > 1 else None
            if beyond is None or beyond.end != before.start:
                return start - 2
            index = start - 2
        return -1


_NAME_PART = re.compile(rf"«([^»\r\n]*)»|(_@|[{ID_FIRST}][{ID_REST}]*)|(0|[1-9][0-9]*)")
_PLAIN_PART = re.compile(rf"[{ID_FIRST}][{ID_REST}]*|_@")
# Python refuses to read longer numbers, and no real name has one.
_MAX_DIGITS = 4000
_NUMBERS = range(10**_MAX_DIGITS)


def parse_name(text: str) -> tuple[str | int, ...]:
    """Read the components of a name as Lean writes it: `("a", "b c", 1)` from `a.«b c».1`.

    A component is an identifier, any text without line breaks in guillemets, a number without
    leading zeros (private names and macro scopes have such), or `_@`, which macro scopes contain.
    Raises BadName unless `text` is exactly one name. Lean prints names whose components begin with
    `_` without guillemets, and components with `»` cannot be written at all: where such a
    name holds anything odd, it is a BadName too, never another name.
    """
    parts: list[str | int] = []
    position = 0
    while found := _NAME_PART.match(text, position):
        parts.append(_component(found))
        position = found.end()
        if position == len(text):
            return tuple(parts)
        if text[position] != ".":
            break
        position += 1
    raise BadName(f"not a name: {text[:200]!r}")


def _component(found: re.Match[str]) -> str | int:
    """Give what `_NAME_PART` found; raises BadName for a number of thousands of digits."""
    quoted, plain, number = found.groups()
    if number is None:
        return quoted if plain is None else plain
    if len(number) > _MAX_DIGITS:
        raise BadName(f"a name with a number of {len(number)} digits")
    return int(number)


def format_name(components: tuple[str | int, ...]) -> str:
    """Write the name with these components as Lean does; `parse_name` gives them back.

    Guillemets stand only where needed (Name.escapePart in Lean). Raises BadName for no components,
    for a negative or huge number, and for text with `»` or a line break in it.
    """
    if not components:
        raise BadName("a name without components")
    return ".".join(map(_format_component, components))


def _format_component(component: str | int) -> str:
    """Write one component; raises BadName if that cannot be."""
    if isinstance(component, int):
        if isinstance(component, bool) or component not in _NUMBERS:
            raise BadName("not a component of a name: a number out of range")
        return str(component)
    if _PLAIN_PART.fullmatch(component):
        return component
    if re.search("[»\r\n]", component):
        raise BadName(f"not a component of a name: {component[:200]!r}")
    return f"«{component}»"
