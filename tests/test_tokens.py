"""The hash of a file's code."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.sources.lexer import Kind, LexError, tokenize
from harness.sources.tokens import token_hash, token_lines

TESTS = Path(__file__).resolve().parent
CHECKOUT = TESTS.parent

# Made by another program, whose lexer knows no interpolated strings: it takes every two quotation
# marks for a string. It is right on all files but one, which has strings inside of holes.
RECORDED: dict[str, str] = json.loads(
    (TESTS / "data" / "token_hashes.json").read_text(encoding="utf-8")
)
STRINGS_IN_HOLES = "scripts/lean/Audit.lean"
ITS_HASH = "2f80cd35880b354d70077ea41d9b1fe4e309d578cc08bd549d9d65829ab85ba2"


@pytest.mark.parametrize("path", sorted(RECORDED))
def test_the_code_of_the_project_is_what_was_verified(path: str) -> None:
    file = CHECKOUT / path
    if not file.exists():
        pytest.skip(f"{path} is not in this checkout")
    ours = token_hash(file.read_text(encoding="utf-8"))
    assert ours == (ITS_HASH if path == STRINGS_IN_HOLES else RECORDED[path])


def words(text: str) -> list[str]:
    return [line.split("\t", 1)[1] for line in token_lines(text)]


def test_lines_and_columns() -> None:
    text = "import A\n\n/-- doc -/\ndef f (x : ℕ) :=\n  x.1 + -- c\n    «a b».c\n"
    assert token_lines(text) == [
        "0\timport", "\tA", "0\tdef", "\tf", "\t(", "\tx", "\t:", "\tℕ", "\t)", "\t:", "\t=",
        "2\tx.1", "\t+", "4\t«a b».c",
    ]  # fmt: skip
    assert token_hash(text) == hashlib.sha256("\n".join(token_lines(text)).encode()).hexdigest()
    assert token_lines("") == []
    assert token_hash("-- nothing") == hashlib.sha256(b"").hexdigest()


def test_the_column_is_given_where_the_token_before_begins_on_another_line() -> None:
    assert token_lines('"a\nb" c d') == ['0\t"a\nb"', "3\tc", "\td"]
    assert token_lines("/- a\n -/ b") == ["4\tb"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("h'.2.1 ≠ x₁⁻¹", ["h'.2.1", "≠", "x₁", "⁻", "¹"]),
        ("f '' s", ["f", "''", "s"]),
        ("λx.y", ["λx.y"]),
        ("1.5..n", ["1.5..n"]),
        ("a:=b", ["a", ":", "=", "b"]),
        ("`a.b ``c", ["`", "a.b", "`", "`", "c"]),
        ("('a' ' ' '\"')", ["(", "'a'", "' '", "'\"'", ")"]),
        ('f"a -- b"r#"c"#', ["f", '"a -- b"', 'r#"c"#']),
        ("«a -- b» c", ["«a -- b»", "c"]),
        ("x.«a /- b».«c  d»e", ["x.«a /- b».«c  d»e"]),
        ("a/- -/b", ["a", "b"]),
        ('s!"a {x  +\n\n    y} b"', ["s!", '"a {x +\n    y} b"']),
        ('s!"{f "a -- b"}"', ["s!", '"{f "a -- b"}"']),
        ('s!"{s!"{", "}"}" c', ["s!", '"{s!"{", "}"}"', "c"]),
        ('s!"{ x }{x+ y}"', ["s!", '"{ x }{x+ y}"']),
        ('s!"{\'"\'}" a', ["s!", '"{\'"\'}"', "a"]),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a b", "a /- c -/ b"),
        ("a b", "a b -- c"),
        ("a\n  b", "a -- c\n\n\n  b /- d -/\n"),
        ("a\nb", "/-! c -/\na\n/-- d\n -/\nb"),
        ("a\nb", "a\r\nb\r\n"),
        ('"a\nb"', '"a\r\nb"'),
        ("f (x)", "f(x)"),
        ('s!"{x y}"', 's!"{x /- "c -/ y}"'),
        ('s!"{x y}"', 's!"{x/- c -/y}"'),
        ('s!"{x+1}"', 's!"{x/- c -/+/-- d -/1}"'),
        ('s!"{x}"', 's!"{/- c -/x/- d -/}"'),
        ('s!"{x\n  y}"', 's!"{x -- c\n\n  y}"'),
    ],
)
def test_what_changes_no_hash(one: str, other: str) -> None:
    assert token_hash(one) == token_hash(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a b", "a\nb"),
        ("a\n b", "a\n  b"),
        ("ab", "a b"),
        ("a", "a'"),
        ('"a b"', '"a  b"'),
        ('"-- a"', '"-- b"'),
        ("«a -- b»", "«a -- c»"),
        ("«a b»", "«a  b»"),
        ('s!"{f ", "}"', 's!"{f ","}"'),
        ('s!"{x y}"', 's!"{xy}"'),
        ('s!"{x /- c -/ y}"', 's!"{x/- c -/z}"'),
        ('s!"{x\n y}"', 's!"{x\n  y}"'),
        ('s!"{f "a -- b"}"', 's!"{f "a -- c"}"'),
        ("' '", "''"),
        ("/-/ a -/ b", "/-/ a -/"),
    ],
)
def test_what_changes_a_hash(one: str, other: str) -> None:
    assert token_hash(one) != token_hash(other)


def test_text_that_is_not_lean() -> None:
    with pytest.raises(LexError):
        token_hash("/- a")
    assert len(token_hash("a \ud800")) == 64


# The definition once more, for code without anything special in it.
PLAIN = re.compile(r'(?P<skip>\s+|--[^\n]*)|"(?:\\.|[^"\\])*"|[\w?!\'.]+|.')
CODE = st.lists(
    st.sampled_from(
        ["theorem", "x", " ", " ", "\n", "\n  ", ":=", "(", ")", "h'", ".1", '"a \\" b"', "-- c\n",
         "λ", "x₁", "≤", "⟨", "⟩", "«a»", "1.5", ".", "é", "⁻¹", "!", "?"]
    ),
    max_size=40,
).map("".join)  # fmt: skip


def plain_lines(text: str) -> list[str]:
    lines: list[str] = []
    last = -1
    for found in PLAIN.finditer(text.replace("«a»", "a")):
        if found.lastgroup != "skip":
            line = found.string.count("\n", 0, found.start())
            column = found.start() - found.string.rfind("\n", 0, found.start()) - 1
            lines.append(f"{column if line != last else ''}\t{found.group()}")
            last = line
    return lines


@settings(deadline=None)
@given(CODE)
def test_the_definition_on_plain_code(text: str) -> None:
    text = text.replace('!"', '! "').replace("«a»", "b")
    assert token_lines(text) == plain_lines(text)


@settings(deadline=None)
@given(st.lists(st.sampled_from(['s!"{', '}"', "x", " ", '"a"', "/- c -/", "+", "\n"])))
def test_a_comment_between_whitespace_changes_no_hash(parts: list[str]) -> None:
    text = "".join(parts)
    try:
        comments = [token for token in tokenize(text) if token.kind is Kind.BLOCK_COMMENT]
    except LexError:
        return
    without = text
    for comment in reversed(comments):
        around = text[comment.start - 1 : comment.start] + text[comment.end : comment.end + 1]
        if len(around) == 2 and around.strip() == "":
            without = without[: comment.start] + without[comment.end :]
    # A line feed in a hole is followed by the column, which a comment before may have moved.
    assert [re.sub("\n *", "\n", word) for word in words(without)] == [
        re.sub("\n *", "\n", word) for word in words(text)
    ]
