r"""What of a Lean file is code, as lines of text and as a hash: comments and blank lines left out.

The manifest of an export holds these hashes of the sources that it was made from. Whoever wants
to recompute them follows this definition.

**Lines.** One token a line, `COLUMN<tab>TOKEN`, joined by single line feeds. COLUMN counts
characters from 0 and is given where the token before begins on another source line (and for the
first token), else it is empty: in Lean, line breaks and indentation of code mean something. The
hash is the SHA-256 of that text in UTF-8, in hexadecimal. A CRLF in the source counts as a line
feed.

**Tokens.** Comments, documentation comments too, are left out; where they begin and end is Lean's
grammar (`lexer.py`). A string, a raw string and a character literal is a token each, as written.
So is an interpolated string from its first quotation mark to its last, whatever its holes hold,
with one change: in the holes, what stands between two tokens of Lean is written as

- a line feed and as many spaces as the column of the second one, if that begins on a later line
  than the first one ends;
- else one space, if there is any whitespace between them;
- else, where only comments are, one space if a word character stands on both sides, or nothing.

All other code is cut at whitespace and at the tokens named so far, and each part into words, the
longest possible ones from the left, and single characters. A word consists of word characters and
of names in guillemets from « to », spaces and all. Word characters are the letters, digits and
underscore of Unicode (`\w` of Python's `re`) and `» ? ! ' .`; so `x.1`, `h'` and `«a b».c` are
words, and `:=` is two characters.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from itertools import pairwise

from harness.sources.lexer import COMMENTS, Kind, Token, tokenize

_WORD_CHARACTER = r"\w»?!'."
_PARTS = re.compile(rf"(?:[{_WORD_CHARACTER}]|«[^»]*»)+|.", re.DOTALL)
_IS_WORD = re.compile(f"[{_WORD_CHARACTER}«]")
_LITERALS = frozenset({Kind.STRING, Kind.RAW_STRING, Kind.CHAR})


def token_hash(text: str) -> str:
    """Hash the code of a Lean file, 64 hexadecimal digits; raises LexError.

    Lone surrogates, which no UTF-8 file contains, are hashed as if UTF-8 could hold them.
    """
    lines = "\n".join(token_lines(text))
    return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()


def token_lines(text: str) -> list[str]:
    """List the code of a Lean file token by token, `COLUMN<tab>TOKEN`; raises LexError."""
    lines: list[str] = []
    last = 0
    for token, line, column in _code(text.replace("\r\n", "\n")):
        lines.append(f"{column if line != last else ''}\t{token}")
        last = line
    return lines


def _code(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the tokens of the definition with their lines and columns."""
    tokens = [token for token in tokenize(text) if token.kind not in COMMENTS]
    index = 0
    while index < len(tokens):
        first = tokens[index]
        if first.kind in _LITERALS:
            yield first.text, first.line, first.column
            index += 1
        elif first.kind is Kind.INTERPOLATED:
            after = _interpolation_end(tokens, index)
            yield _interpolation(text, tokens[index:after]), first.line, first.column
            index = after
        else:
            after = _run_end(tokens, index)
            yield from _parts(text, first, tokens[after - 1].end)
            index = after


def _run_end(tokens: list[Token], index: int) -> int:
    """Find the end of the tokens that follow each other without anything between."""
    opaque = _LITERALS | {Kind.INTERPOLATED}
    index += 1
    while (
        index < len(tokens)
        and tokens[index].start == tokens[index - 1].end
        and tokens[index].kind not in opaque
    ):
        index += 1
    return index


def _parts(text: str, first: Token, end: int) -> Iterator[tuple[str, int, int]]:
    """Cut code without whitespace into words and characters."""
    line, line_start = first.line, first.start - first.column
    for part in _PARTS.finditer(text, first.start, end):
        yield part.group(), line, part.start() - line_start
        if "\n" in part.group():  # a name in guillemets may hold line breaks
            line += part.group().count("\n")
            line_start = text.rindex("\n", part.start(), part.end()) + 1


def _interpolation_end(tokens: list[Token], index: int) -> int:
    """Find the end of the interpolated string whose first piece is at `index`."""
    depth = 0
    while True:
        token = tokens[index]
        if token.kind is Kind.INTERPOLATED:
            depth += token.text.startswith('"')
            depth -= token.text.endswith('"')
        index += 1
        if depth == 0:
            return index


def _interpolation(text: str, tokens: list[Token]) -> str:
    """Write an interpolated string as one token, given its tokens without comments."""
    parts = [tokens[0].text]
    for before, token in pairwise(tokens):
        parts += _between(text, before, token), token.text
    return "".join(parts)


def _between(text: str, before: Token, token: Token) -> str:
    """Write what stands between two tokens of a hole."""
    gap = text[before.end : token.start]
    if not gap:
        return ""
    if "\n" in gap:
        return "\n" + " " * token.column
    if _has_space(gap):
        return " "
    both = _IS_WORD.match(before.text[-1]) and _IS_WORD.match(token.text[0])
    return " " if both else ""


def _has_space(gap: str) -> bool:
    """Say whether there is whitespace in `gap` outside its comments."""
    return sum(len(comment.text) for comment in tokenize(gap)) < len(gap)
