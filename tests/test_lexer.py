"""The lexer: tokens, errors, and names."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.sources.lexer import (
    COMMENTS,
    BadName,
    Kind,
    LexError,
    Token,
    format_name,
    iter_tokens,
    parse_name,
    tokenize,
)

I, S, N = Kind.IDENTIFIER, Kind.SYMBOL, Kind.NUMBER  # noqa: E741
STRING, RAW, CHAR, PIECE, NAME = (
    Kind.STRING,
    Kind.RAW_STRING,
    Kind.CHAR,
    Kind.INTERPOLATED,
    Kind.NAME,
)
LINE, BLOCK, DOC, MODULE_DOC = (
    Kind.LINE_COMMENT,
    Kind.BLOCK_COMMENT,
    Kind.DOC_COMMENT,
    Kind.MODULE_DOC,
)


def lex(text: str) -> list[tuple[Kind, str]]:
    return [(token.kind, token.text) for token in tokenize(text)]


def texts(text: str) -> list[str]:
    return [token.text for token in tokenize(text)]


# Comments


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a -- b /- c\nd", [(I, "a"), (LINE, "-- b /- c"), (I, "d")]),
        ("a--\r\nb", [(I, "a"), (LINE, "--"), (I, "b")]),
        ("/- a /- b -/ c -/ d", [(BLOCK, "/- a /- b -/ c -/"), (I, "d")]),
        ("/- -- -/ a", [(BLOCK, "/- -- -/"), (I, "a")]),
        ('/- " -/ a', [(BLOCK, '/- " -/'), (I, "a")]),
        ("/-- a -/ b", [(DOC, "/-- a -/"), (I, "b")]),
        ("/-! a -/ b", [(MODULE_DOC, "/-! a -/"), (I, "b")]),
        ("/-- a --/ b", [(DOC, "/-- a --/"), (I, "b")]),
        ("x/-a-/y", [(I, "x"), (BLOCK, "/-a-/"), (I, "y")]),
        # Lean skips the character after `/-` …
        ("/-/ a -/ b", [(BLOCK, "/-/ a -/"), (I, "b")]),
        ("/-/- a -/ b", [(BLOCK, "/-/- a -/"), (I, "b")]),
        # … and what looks like whitespace after `/--` and `/-!`.
        ("/--/ a -/ b", [(DOC, "/--/ a -/"), (I, "b")]),
        ("/-- -- a -/ b\n-/ c", [(DOC, "/-- -- a -/ b\n-/"), (I, "c")]),
        ("/-!\n /- a -/ -- b -/\n -/ c", [(MODULE_DOC, "/-!\n /- a -/ -- b -/\n -/"), (I, "c")]),
        ("/-- /- a -/ -/ b", [(DOC, "/-- /- a -/ -/"), (I, "b")]),
        ("a /- b -/- c", [(I, "a"), (BLOCK, "/- b -/"), (S, "-"), (I, "c")]),
    ],
)
def test_comments(text: str, expected: list[tuple[Kind, str]]) -> None:
    assert lex(text) == expected


# Literals


@pytest.mark.parametrize(
    "literal",
    [
        '""',
        '"a"',
        r'"\""',
        r'"\\"',
        '"\\n\\t\\r\\x41\\u0041\\\'"',
        '"a \\\n   b"',
        '"a \\\r\n   b"',
        '"a\nb"',
        '"-- /- \' « {"',
    ],
)
def test_strings(literal: str) -> None:
    assert lex(f"a{literal}b") == [(I, "a"), (STRING, literal), (I, "b")]


@pytest.mark.parametrize(
    "literal",
    ['r""', r'r"\"', 'r#""#', 'r#"a"b"#', 'r##"a"#b"##', 'r#"a""#', 'r"a\nb"', 'r###"""##"###'],
)
def test_raw_strings(literal: str) -> None:
    assert lex(f"a {literal}b") == [(I, "a"), (RAW, literal), (I, "b")]


def test_an_r_that_is_part_of_a_name_begins_no_raw_string() -> None:
    assert lex(r'bar"\""') == [(I, "bar"), (STRING, r'"\""')]
    assert lex(r'x.r"\""') == [(I, "x.r"), (STRING, r'"\""')]
    assert lex("r # a") == [(I, "r"), (S, "#"), (I, "a")]
    assert lex(r"""r'"\"" """) == [(I, "r'"), (STRING, r'"\""')]


@pytest.mark.parametrize(
    "literal",
    ["'a'", "'\"'", r"'\x22'", r"'\''", r"'\\'", r"'\u0041'", r"'\n'", "' '", "'λ'", "'\n'", "'«'"],
)
def test_characters(literal: str) -> None:
    assert lex(f"({literal} {literal})")[1:3] == [(CHAR, literal)] * 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("h' h'' h'a'", ["h'", "h''", "h'a'"]),
        ("f '' s", ["f", "''", "s"]),
        ("f⁻¹' s'", ["f", "⁻¹'", "s'"]),
        ("x⁻¹' '\"'", ["x", "⁻¹'", "'\"'"]),
        ("∑' '\"'", ["∑'", "'\"'"]),
        ("' a", ["'", "a"]),
        ("α ×' β", ["α", "×'", "β"]),
    ],
)
def test_an_apostrophe_that_is_no_character(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


# Names and numbers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("foo.bar.baz", [(I, "foo.bar.baz")]),
        ("«a b».c.«-- \"»", [(I, "«a b».c.«-- \"»")]),
        ("«»", [(I, "«»")]),
        ("«a\nb»", [(I, "«a\nb»")]),
        ("«a»«b»", [(I, "«a»"), (I, "«b»")]),
        ("sorry.foo foo.sorry sorry'", [(I, "sorry.foo"), (I, "foo.sorry"), (I, "sorry'")]),
        ("x! y? z₁ xᵢ é ℝ 𝒜", [(I, word) for word in ("x!", "y?", "z₁", "xᵢ", "é", "ℝ", "𝒜")]),
        ("λx", [(S, "λ"), (I, "x")]),
        ("ΠΣ", [(S, "Π"), (S, "Σ")]),
        ("a.1.2.b", [(I, "a"), (S, "."), (N, "1"), (S, "."), (N, "2"), (S, "."), (I, "b")]),
        ("a |>.1.2", [(I, "a"), (S, "|>."), (N, "1"), (S, "."), (N, "2")]),
        (".foo.bar", [(S, "."), (I, "foo.bar")]),
        ("sorry.1", [(I, "sorry"), (S, "."), (N, "1")]),
        ("a.b.{u}", [(I, "a.b"), (S, "."), (S, "{"), (I, "u"), (S, "}")]),
        ("_.x _", [(I, "_.x"), (I, "_")]),
        ("`a.b ``c", [(NAME, "`a.b"), (NAME, "``c")]),
        ("`(a) ``(b)", [(S, "`"), (S, "("), (I, "a"), (S, ")"), (S, "`"), (S, "`"), (S, "("),
                        (I, "b"), (S, ")")]),
        ("xyz» a", [(I, "xyz"), (S, "»"), (I, "a")]),
    ],
)  # fmt: skip
def test_identifiers(text: str, expected: list[tuple[Kind, str]]) -> None:
    assert lex(text) == expected


@pytest.mark.parametrize(
    "number",
    ["0", "1_000", "0x_1F", "0XaB", "0b101", "0o17", "1.5", "1e10", "1.5e-3", "1E+5", "1.e5", "2."],
)
def test_numbers(number: str) -> None:
    assert lex(f"({number} a)") == [(S, "("), (N, number), (I, "a"), (S, ")")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1..2", ["1", "..", "2"]),
        ("1...2", ["1", "...", "2"]),
        ("1.5.a", ["1.5", ".", "a"]),
        ("1.a", ["1", ".", "a"]),
        ("1_", ["1", "_"]),
        ("0xg", ["0", "xg"]),
        ("a.1e5", ["a", ".", "1", "e5"]),
        ("(a).1.5", ["(", "a", ")", ".", "1", ".", "5"]),
        ("λ .1.5", ["λ", ".", "1.5"]),
    ],
)
def test_what_ends_a_number(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_symbols_that_hold_the_beginning_of_a_comment() -> None:
    assert texts("x <--1") == ["x", "<-", "-", "1"]
    assert texts("x //-1") == ["x", "//", "-", "1"]
    assert texts("x \\/-1") == ["x", "\\/", "-", "1"]
    assert texts("x <---1") == ["x", "<-", "--1"]


# Interpolated strings


def holes(text: str) -> list[str]:
    """Give the pieces, and in brackets the tokens of the holes."""
    return [t.text if t.kind is PIECE else f"[{t.text}]" for t in tokenize(text)]


def test_pieces_and_holes() -> None:
    assert holes('s!"a {x + 1} b {y}"') == [
        "[s!]", '"a {', "[x]", "[+]", "[1]", "} b {", "[y]", '}"',
    ]  # fmt: skip
    assert holes('s! "a"') == ["[s!]", '"a"']


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"{f "a } b"}"', ['"{', "[f]", '["a } b"]', '}"']),
        (r'"\{ \" \\ {x}"', [r'"\{ \" \\ {', "[x]", '}"']),
        ('"{ {a := {}} } }"', ['"{', "[{]", "[a]", "[:=]", "[{]", "[}]", "[}]", '} }"']),
        ('"{s!"a {s!"{x}"} b"} c"', ['"{', "[s!]", '"a {', "[s!]", '"{', "[x]", '}"', '} b"',
                                     '} c"']),
        ("\"{'}'} {'\"'}\"", ['"{', "['}']", "} {", "['\"']", '}"']),
        ('"{-- }"\nx /- "} -/}"', ['"{', '[-- }"]', "[x]", '[/- "} -/]', '}"']),
        ('"{r#"}"#}"', ['"{', '[r#"}"#]', '}"']),
        ('"{«}"»}"', ['"{', '[«}"»]', '}"']),
        ('"a \\\n  {x}"', ['"a \\\n  {', "[x]", '}"']),
    ],
)  # fmt: skip
def test_what_holes_can_hold(text: str, expected: list[str]) -> None:
    assert holes("s!" + text) == ["[s!]", *expected]


@pytest.mark.parametrize(
    "before",
    ["s!", "m!", "f!", "throwError ", "throwErrorAt x.y ", "throwErrorAt (f \"{\") ",
     "throwErrorAt a[0].b ", "throwErrorAt .x ", "throwErrorAt #[x] ", "throwNamedError lean.x ",
     "throwNamedErrorAt a[0] lean.x ", "logNamedWarning x ", "logNamedErrorAt (x) y ", "println! ",
     "trace[a.b] ", "Macro.trace[a] ", "aesop_trace![a] ", "dbg_trace ", "dbg_trace\n-- c\n ",
     "html!"],
)  # fmt: skip
def test_words_before_an_interpolated_string(before: str) -> None:
    assert holes(f'{before}"a {{x}}"')[-3:] == ['"a {', "[x]", '}"']


@pytest.mark.parametrize(
    "before",
    ["", "f ", "panic! ", "assert! ", "throwErrorAt a b ", "throwErrorAt ", "throwNamedErrorAt a ",
     "logInfo ", "m.get! ", "find! ", "trace [a] ", "f[a] ", "«s!»", "x.s!", "throwError (", "`s! ",
     "throwErrorAt (a ", "throwErrorAt a) ", ".throwError ", "f .throwErrorAt x ", "(x).s! "],
)  # fmt: skip
def test_words_before_a_plain_string(before: str) -> None:
    assert holes(f'{before}"a {{x}}"')[-1] == '["a {x}"]'


# Places


def test_lines_and_columns_count_characters_and_line_feeds_only() -> None:
    text = 'é\u2028𝒜 a\r\n  /- x\ny -/ b "c\nd" e\x0bf\rg\n\n h'
    places = {t.text: (t.line, t.column) for t in tokenize(text) if t.kind is I}
    assert places == {"é": (1, 0), "𝒜": (1, 2), "a": (1, 4), "b": (3, 5), "e": (4, 3), "f": (4, 5),
                      "g": (4, 7), "h": (6, 1)}  # fmt: skip
    assert [text[t.start : t.end] for t in tokenize(text)] == texts(text)


def test_places_in_and_after_an_interpolated_string() -> None:
    text = 's!"a\n {x\n} b\n" y'
    places = [(t.text, t.line, t.column) for t in tokenize(text)]
    assert places[2:] == [("x", 2, 2), ('} b\n"', 3, 0), ("y", 4, 2)]


# Errors


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a\n /- b", 2, 1, "unterminated comment"),
        ("/-", 1, 0, "unterminated comment"),
        ("/- /- -/", 1, 0, "unterminated comment"),
        ("a\nb /-- c", 2, 2, "unterminated comment"),
        ("/--/", 1, 0, "unterminated comment"),
        ("/- - /", 1, 0, "unterminated comment"),
        ("/-- -- -/", 1, 0, "unterminated comment"),
        ('é "a', 1, 2, "unterminated string"),
        ('"a\\"', 1, 0, "unterminated string"),
        ('"\\', 1, 0, "unterminated string"),
        ('r#"a"', 1, 0, "unterminated raw string"),
        ("a\n«b", 2, 0, "unterminated guillemet"),
        ("a.«b", 1, 2, "unterminated guillemet"),
        ('x s!"a', 1, 4, "unterminated interpolated string"),
        ('s!"{x', 1, 2, "unterminated interpolated string"),
        ('s!"{x}', 1, 2, "unterminated interpolated string"),
        ('s!"{s!"{', 1, 6, "unterminated interpolated string"),
        ('s!"{\'}"', 1, 2, "unterminated interpolated string"),
    ],
)
def test_what_is_never_closed(text: str, line: int, column: int, message: str) -> None:
    if text == 's!"{\'}"':  # an apostrophe alone begins nothing
        assert texts(text) == ["s!", '"{', "'", '}"']
        return
    with pytest.raises(LexError) as error:
        tokenize(text)
    assert (error.value.message, error.value.line, error.value.column) == (message, line, column)
    assert str(error.value) == f"{line}:{column}: {message}"


def test_an_error_further_on_does_not_matter_yet() -> None:
    tokens = iter_tokens('import A\n"')
    assert [next(tokens).text, next(tokens).text] == ["import", "A"]
    with pytest.raises(LexError):
        next(tokens)


@pytest.mark.parametrize("text", ["\0", "\ufeffa b", "a \ud800 b", "\x7f\x1b", "\u00a0a", "\t"])
def test_odd_characters_are_symbols_or_space(text: str) -> None:
    assert "".join(texts(text)) == "".join(text.split("\t")).replace(" ", "")


# Size


DEEP = 100_000


def test_deep_nesting_is_no_recursion() -> None:
    assert len(tokenize("/- " * DEEP + "-/ " * DEEP)) == 1
    assert len(tokenize('s!"{' * DEEP + "x" + '}"' * DEEP)) == 3 * DEEP + 1
    assert len(tokenize("(" * DEEP + 'throwErrorAt "a"')) == DEEP + 2
    with pytest.raises(LexError):
        tokenize('s!"{' * DEEP)


@pytest.mark.parametrize(
    "unit",
    ["theorem foo (x : ℝ) : x + 1 = 1 + x := by ring -- c\n", "r#", "`", "'", '"a"', 'a[0].1"b"',
     "/- a -/", '(")"', "«a».", "1_", 's!"{x}"', "throwErrorAt a[0]", "\n"],
)  # fmt: skip
def test_time_is_linear(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    start = time.perf_counter()
    tokenize(text)
    assert time.perf_counter() - start < 5, "0.1 MB should take a fifth of a second"


# Properties

FRAGMENTS = st.sampled_from(
    ["/-", "-/", "/--", "/-!", "--", '"', '\\"', "'", "\\", "r#", 'r"', "#", '"#', "«", "»", "{",
     "}", 's!"', "\\{", "`", ".", "x", "r", "1", "0x", "e", "_", " ", "\n", "\r\n", "\r", "λ",
     "⁻¹'", "''", "throwErrorAt a", "trace[a]", "(", ")", "sorry", "<-", "\ud800", "\0",
     "\ufeff", "𝒜"]
)  # fmt: skip
SOUP = st.lists(FRAGMENTS, max_size=40).map("".join)
ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=60)


@settings(deadline=None, max_examples=500)
@given(SOUP | ANY_TEXT)
def test_tokens_and_the_whitespace_between_them_are_the_text(text: str) -> None:
    try:
        tokens = tokenize(text)
    except LexError as error:
        assert 1 <= error.line <= text.count("\n") + 1
        assert 0 <= error.column <= len(text)
        return
    position = 0
    for token in tokens:
        assert text[position : token.start].strip(" \t\r\n") == ""
        assert text[token.start : token.end] == token.text != ""
        before = text[: token.start]
        assert token.line == before.count("\n") + 1
        assert token.column == len(before) - before.rfind("\n") - 1
        position = token.end
    assert text[position:].strip(" \t\r\n") == ""


@settings(deadline=None)
@given(st.lists(SOUP, min_size=1, max_size=4))
def test_a_text_that_ends_in_a_line_of_its_own_does_not_change_what_follows(
    parts: list[str],
) -> None:
    """Tokens of a text are those of its parts, where each part is closed and ends a line."""

    def tokens(text: str) -> list[tuple[Kind, str]] | None:
        try:
            return [(t.kind, t.text) for t in tokenize(text)]
        except LexError:
            return None

    lines = [part + "\n;\n" for part in parts]
    each = [tokens(line) for line in lines]
    closed = [one for one in each if one is not None and one[-1] == (S, ";")]
    if len(closed) == len(lines):
        assert tokens("".join(lines)) == [token for one in closed for token in one]


# Names

PARTS = (
    st.integers(0, 10**20)
    | st.text(st.characters(exclude_characters="»\r\n"), max_size=8)
    | st.sampled_from(["a", "_@", "sorry", "x'", "a.b", "", "0", "01", "«", " ", "é", "_hyg"])
)


@settings(deadline=None)
@given(st.lists(PARTS, min_size=1, max_size=5).map(tuple))
def test_names_survive_writing_and_reading(parts: tuple[str | int, ...]) -> None:
    assert parse_name(format_name(parts)) == parts


@settings(deadline=None)
@given(ANY_TEXT | st.lists(st.sampled_from(["a", ".", "«", "»", "1", "0", " ", "_@"])).map("".join))
def test_a_text_is_a_name_in_one_way_or_none(text: str) -> None:
    try:
        parts = parse_name(text)
    except BadName:
        return
    assert parse_name(format_name(parts)) == parts
    assert text.replace("«", "").replace("»", "") == ".".join(map(str, parts)).replace("«", "")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a", ("a",)),
        ("A.b'.c₁?", ("A", "b'", "c₁?")),
        ("«a b».«c.d»", ("a b", "c.d")),
        ("«a».b", ("a", "b")),
        ("_private.A.B.0.c", ("_private", "A", "B", 0, "c")),
        ("x._@.M._hyg.12", ("x", "_@", "M", "_hyg", 12)),
        ("«»", ("",)),
        ("«1»", ("1",)),
        ("«a«b»", ("a«b",)),
        ("t._native.native_decide.ax_1_1", ("t", "_native", "native_decide", "ax_1_1")),
    ],
)
def test_names(text: str, parts: tuple[str | int, ...]) -> None:
    assert parse_name(text) == parts


@pytest.mark.parametrize(
    "text",
    ["", ".", "a.", ".a", "a..b", " a", "a ", "a b", "a\n", "a.\nb", "«a\nb»", "«a\rb»", "«a", "a»",
     "«a»»", "«a»b", "a«b»", "01", "1a", "a.01", "-1", "a,b", "a:", "'a", "λ", "a+b", "`a", "a\0",
     "٣", "9" * 5000, "«a»\n", "[anonymous]", "a✝"],
)  # fmt: skip
def test_what_is_not_a_name(text: str) -> None:
    with pytest.raises(BadName):
        parse_name(text)


@pytest.mark.parametrize("parts", [(), ("a»",), ("a\nb",), ("\r",), (-1,), (True,), (10**5000,)])
def test_what_no_text_can_name(parts: tuple[str | int, ...]) -> None:
    with pytest.raises(BadName):
        format_name(parts)


def test_guillemets_stand_where_they_are_needed() -> None:
    assert format_name(("a", "b c", "1", 1, "λ", "x.y", "")) == "a.«b c».«1».1.«λ».«x.y».«»"


def test_comments_are_four_kinds() -> None:
    assert {t.kind for t in tokenize("--\n/- -/ /-- -/ /-! -/")} == COMMENTS
    assert Token(I, "ab", 3, 1, 3).end == 5
