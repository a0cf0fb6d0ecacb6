"""Holes and options in the text of sources, and the header."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.sources.lexer import LexError
from harness.sources.scan import (
    Import,
    imports,
    scan,
    scan_lakefile,
    scan_lakefile_toml,
)

DATA = Path(__file__).resolve().parent / "data"


def found(text: str) -> list[tuple[int, int, str]]:
    return [(f.line, f.column, f.word) for f in scan(text)]


def found_words(text: str) -> list[str]:
    return [f.word for f in scan(text)]


# Files with all of it


def test_a_file_in_which_the_words_are_no_holes() -> None:
    assert scan((DATA / "no_findings.lean.txt").read_text(encoding="utf-8")) == []


def test_a_file_in_which_all_are_found() -> None:
    text = (DATA / "all_found.lean.txt").read_text(encoding="utf-8")
    expected = [
        (1, 20, "sorry"), (2, 23, "sorry"), (3, 46, "sorry"), (4, 14, "sorry"), (4, 44, "sorry"),
        (5, 15, "sorry"), (5, 30, "sorry"), (5, 43, "sorry"), (5, 56, "sorry"), (5, 68, "sorry"),
        (7, 2, "admit"), (10, 4, "stop"), (12, 17, "admit"), (12, 25, "stop"), (13, 31, "stop"),
        (13, 43, "admit"), (13, 51, "apply?"), (14, 21, "sorry"), (15, 30, "sorry"),
        (15, 37, "sorry"), (15, 47, "sorry"), (15, 61, "sorry"), (16, 20, "sorryAx"),
        (17, 20, "«sorryAx»"), (18, 39, "admit"), (21, 13, "admit"), (22, 13, "stop"),
        (24, 42, "sorry"), (25, 49, "sorry"), (26, 28, "sorry"), (27, 30, "sorry"),
        (27, 47, "sorry"), (28, 27, "sorry"), (28, 46, "sorry"), (28, 67, "sorry"),
        (29, 33, "sorry"), (29, 64, "sorry"), (29, 86, "sorry"), (30, 32, "sorry"),
        (31, 32, "stop"), (32, 38, "admit"), (33, 23, "plausible"), (34, 51, "stop"),
        (35, 0, "proof_wanted"), (36, 24, "sorry"), (37, 0, "#exit"),
    ]  # fmt: skip
    assert found(text) == expected
    lines = text.splitlines()
    assert all(lines[line - 1][column:].startswith(word) for line, column, word in expected)
    assert {f.rule for f in scan(text)} == {"sorry-in-source"}


# Single words


@pytest.mark.parametrize(
    "code",
    ["(x).sorry", ".sorry", "f .sorry", "x |>.sorry", "x.1.sorry", "foo.sorry", "sorry.foo",
     "«sorry»", "sorry'", "sorry_", "«sorryAx».x", "x.sorryAx", "SorryAx", "mkSorryFree",
     "apply?'", "«apply?»", "# exit", "#«exit»", "x.exit", "`mkSorry", "admitGoal'"],
)  # fmt: skip
def test_other_names(code: str) -> None:
    assert scan(f"def a := {code}") == []


@pytest.mark.parametrize(
    ("code", "word"),
    [("@sorry", "sorry"), ("sorry.1", "sorry"), ("sorryAx.{u}", "sorryAx"), ("-sorry", "sorry"),
     ("_root_.sorryAx", "_root_.sorryAx"), ("«_root_».«sorryAx»", "«_root_».«sorryAx»"),
     ("#exit", "#exit"), ("#exitfoo", "#exit"), ("Lean.Elab.admitGoal g", "Lean.Elab.admitGoal"),
     ("mkSorry", "mkSorry"), ("Meta.«mkLabeledSorry»", "Meta.«mkLabeledSorry»"),
     ("Lean.MVarId.admit g", "Lean.MVarId.admit"), ("`(sorry)", "sorry"), ("1sorry", "sorry"),
     ("sorry_if_sorry", "sorry_if_sorry"), ("def_wanted x", "def_wanted"), ("..sorry", "sorry")],
)  # fmt: skip
def test_other_ways_to_leave_a_hole(code: str, word: str) -> None:
    assert found_words(f"def a :=\n  {code}") == [word]


@pytest.mark.parametrize("word", ["stop", "admit", "impossible", "plausible", "slim_check", "hint"])
@pytest.mark.parametrize(
    "proof",
    [
        "by @", "by\n  @", "by simp; @", "by simp <;> @", "by { simp; @ }", "by (@)", "by\n  · @",
        "by\n  .@", "by\n  . @", "by try @", "by repeat' @", "by iterate 3 @", "by all_goals @",
        "by first | @ | simp", "by\n  first\n  | @", "by\n  case inl => @", "by rw [h]\n     @",
        "by if h : p then @ else @", "by simp (disch := @)", "by set_option x true in @",
        "by success_if_fail_with_msg \"m\" @", "by induction x with @", "by focus\n  @\n  skip",
        "by simp\n\n  -- c\n  @ /- c -/", "x (by @)", "⟨by simp; @, rfl⟩", "by (simp; @)",
        "by conv =>\n    @", "by skip <|> @", "calc a = b := by @\n _ = c := by simp",
        "by cases x with\n  | inl h => @\n  | inr h => simp", "by `[@]", "by @ simp",
        "by\n  @\n  simp", "⟨by\n  simp\n  @, rfl⟩", "[by @]",
        "by cases x\n  · simp\n  · intro .theorem; @",
    ],
)  # fmt: skip
def test_tactics_that_are_names_elsewhere(proof: str, word: str) -> None:
    text = f"theorem t : p := {proof.replace('@', word)}"
    assert found_words(text) == [word] * proof.count("@")


@pytest.mark.parametrize("word", ["stop", "admit", "hint"])
@pytest.mark.parametrize(
    "code",
    [
        "theorem t (@ : Nat) : @ = 1 := by simp", "theorem t : p := by simp [@]",
        "theorem t : p := by exact f @ 1", "theorem t : p := by exact f x @", "def @ := 1",
        "theorem t : p := by exact { start := 1, @ := 2 }", "theorem t : r.@ := by exact (r).@",
        "theorem t : p := by exact ⟨a, @⟩", "theorem t : p := by exact ⟨@, a⟩",
        "theorem t : p := by\n  exact {\n    start := 1\n    @ := 2 }",
        "theorem t : p := by\n  exact f (a,\n    @)",
        "theorem t : p := by exact (@, a)", "theorem t : p := by\n  have : a =\n    @ := h",
        "theorem t : p := by intro start @", "theorem t : p := by cases @", "theorem @ : p := h",
        "theorem t : p := by obtain ⟨a, @⟩ := h", "theorem t : p := by\n  let @ := 1\n  simp",
        "theorem t : p := by simp at @", "theorem t : p := by exact fun @ => 1",
        "theorem t : p := by exact match @ with | @ => 1", "theorem t : p := by exact @.succ",
        "theorem t : p := by exact (@ - 1) + (@ : Nat) + @[0]",
        "theorem t : p := by simp\ndef a := @\ninductive x | @", "open A (@) hiding @\nend @",
        "theorem t : p := by simp\nstructure R where\n  start : Nat\n  @ : Nat := by exact 1",
        "theorem t : p := by exact x.«@»", "theorem t : p := by exact f .@", "#check @",
        "instance : C := ⟨by simp⟩\ndef f : T → T\n  | .@ => .a\n  | .a => .@",
    ],
)  # fmt: skip
def test_names_that_are_tactics_elsewhere(code: str, word: str) -> None:
    assert scan(code.replace("@", word)) == []


# Options


@pytest.mark.parametrize(
    ("text", "word", "line", "column"),
    [
        ("set_option debug.skipKernelTC true", "debug.skipKernelTC", 1, 11),
        ("set_option «debug».«skipKernelTC» true in\ndef a := 1", "debug.skipKernelTC", 1, 11),
        ("set_option\n/- c -/ debug.byAsSorry -- d\n true", "debug.byAsSorry", 2, 8),
        ("theorem t : p := by\n  set_option debug.a.b true in simp", "debug.a.b", 2, 13),
        ("set_option debug. byAsSorry true", "debug", 1, 11),
        ("set_option weak.debug.x true", "debug.x", 1, 11),
        ('def a := s!"{set_option debug.x true in 1}"', "debug.x", 1, 24),
        ("`(command| set_option debug.x true)", "debug.x", 1, 22),
    ],
)
def test_debug_options(text: str, word: str, line: int, column: int) -> None:
    (one,) = scan(text)
    assert (one.rule, one.word) == ("option-not-allowed", word)
    assert (one.line, one.column) == (line, column)
    assert scan(text, options_allowed=frozenset({word})) == []
    assert len(scan(text, options_allowed=frozenset({"debug", "debug.y"} - {word}))) == 1


@pytest.mark.parametrize(
    "text",
    ["set_option maxHeartbeats 400000 in", "set_option pp.debug true", "set_option «debug.x» true",
     "-- set_option debug.x true", '"set_option debug.x true"', "«set_option» debug.x",
     "x.set_option debug.x", "set_option debugger.x true", "set_option", "debug.byAsSorry",
     "`debug.byAsSorry", "-- skipKernelTC"],
)  # fmt: skip
def test_other_options(text: str) -> None:
    assert scan(text) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("⟨`debug.skipKernelTC, true⟩", ["debug.skipKernelTC"]),
        ("⟨`weak.debug.skipKernelTC, true⟩", ["debug.skipKernelTC"]),
        ("⟨`«debug».a, true⟩, ⟨``debug.b, true⟩", ["debug.a", "debug.b"]),
        ('⟨.str `debug "a", true⟩', ["debug"]),
        ('moreLeanArgs := #["-Ddebug.skipKernelTC=true"]', ["debug.skipKernelTC"]),
        ('#["-D", "debug.a=true", "-Dweak.debug.b=1"]', ["debug.a", "debug.b"]),
        ('#["-D«debug».«a»=true"]', ["debug.a"]),
        (r'#["-D\x64ebug.a=true"]', ["debug.a"]),
        ('#["-Ddeb\\\n  ug.a=true"]', ["debug.a"]),
        ('#[r"-Ddebug.a=true", r#"debug.b"#]', ["debug.a", "debug.b"]),
        ('s!"-Ddebug.a={x}"', ["debug.a"]),
        ("set_option debug.a true\n#[`debug.b]", ["debug.a", "debug.b"]),
        ("script x do\n  return sorry", ["sorry"]),
    ],
)
def test_debug_options_of_a_lakefile(text: str, words: list[str]) -> None:
    assert [f.word for f in scan_lakefile(text)] == words
    assert scan_lakefile(text, options_allowed=frozenset(words)) == scan(
        text, options_allowed=frozenset(words)
    )


@pytest.mark.parametrize(
    "text",
    ["`weak.backward.x", "⟨`pp.debug, true⟩", '"-DmaxHeartbeats=1"', '"mydebug.x"',
     '"x.debug.y"', "-- `debug.x", "debug.x", '"«x.debug».y"'],
)  # fmt: skip
def test_other_options_of_a_lakefile(text: str) -> None:
    assert scan_lakefile(text) == []


@pytest.mark.parametrize(
    ("text", "words", "place"),
    [
        ("[leanOptions]\ndebug.skipKernelTC = true", ["debug.skipKernelTC"], (2, 0)),
        ('[leanOptions]\n "weak.debug.a" = 1', ["debug.a"], (2, 7)),
        ('x = 1\n[leanOptions.debug]\na = "b"\nc = 1', ["debug.a", "debug.c"], (2, 13)),
        ('[[lean_lib]]\nname = "A"\nmoreLeanArgs = ["-Ddebug.a=true"]', ["debug.a"], (3, 19)),
        ('leanOptions = { "\\u0064ebug.a" = true }', ["debug.a"], (1, 0)),
    ],
)
def test_debug_options_of_a_toml_lakefile(
    text: str, words: list[str], place: tuple[int, int]
) -> None:
    findings = scan_lakefile_toml(text)
    assert [f.word for f in findings] == words
    assert {(f.line, f.column) for f in findings} == {place}
    assert scan_lakefile_toml(text, options_allowed=frozenset(words)) == []


def test_other_toml() -> None:
    text = '# debug.a, "don\'t\nname = "debug"\n[leanOptions]\npp.unicode.fun = true\n'
    assert scan_lakefile_toml(text) == []
    for wrong in ("[", "a = " + "[" * 5000, "a = 1\na = 2"):
        with pytest.raises(LexError):
            scan_lakefile_toml(wrong)


# The header


def test_imports() -> None:
    header = imports(
        "-- c\n/- d -/ module\nprelude\n\npublic import A\nmeta import all B.C public meta import"
        " «D e».«F» import /- g -/\n H'-- i\n\ntheorem import_ import J"
    )
    assert header.is_module
    assert header.is_prelude
    assert list(header) == [
        Import("A", 5, 14, is_public=True),
        Import("B.C", 6, 16, is_meta=True, is_all=True),
        Import("«D e».F", 6, 39, is_public=True, is_meta=True),
        Import("H'", 7, 1),
    ]


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("", []),
        ("import A", ["A"]),
        ("import A\nimport B axiom a : B\nimport C", ["A", "B"]),
        ("import A B", ["A"]),
        ("/-! c -/ import A", []),
        ("/-- c -/ import A", []),
        ("import A /-! c -/ import B", ["A"]),
        ("import A /-/ import B -/ import C", ["A", "C"]),
        ("import «A».«b c»", ["A.«b c»"]),
        ("import A.sorry import x.import", ["A.sorry", "x.import"]),
        ("public section import A", []),
        ("meta public import A", []),
        ("prelude module import A", []),
        ("import.A", []),
        ("\ufeffimport A", []),
        ("import A;import B", ["A"]),
        ("import A\r\nimport B\r\n", ["A", "B"]),
        ('import A\ntheorem x "', ["A"]),
    ],
)
def test_where_a_header_ends(text: str, modules: list[str]) -> None:
    assert [one.module for one in imports(text)] == modules


def test_flags_of_a_file() -> None:
    assert not imports("import A").is_module
    assert not imports("import A").is_prelude
    assert imports("module import A").is_module
    assert imports("prelude").is_prelude
    assert not imports("import A prelude").is_prelude


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [("import", 1, 0), ("import A import", 1, 9), ("import 5", 1, 7), ("import all", 1, 7),
     ("import\n prelude", 2, 1), ("import A.", 1, 7), ("import A. B", 1, 7), ("import A.1", 1, 7),
     ("import «A\nB»", 1, 7), ("import /- A", 1, 7), ("module /-", 1, 7), ("import «A", 1, 7)],
)  # fmt: skip
def test_headers_that_are_none(text: str, line: int, column: int) -> None:
    with pytest.raises(LexError) as error:
        imports(text)
    assert (error.value.line, error.value.column) == (line, column)


# Properties. A piece of text is a pair: the text, and where in it a hole is.

Piece = tuple[str, tuple[int, ...]]


def join(pieces: list[Piece], between: str = " ") -> Piece:
    text, places = "", list[int]()
    for piece, inside in pieces:
        text += between if text else ""
        places += [len(text) + place for place in inside]
        text += piece
    return text, tuple(places)


def around(before: str, piece: Piece, after: str) -> Piece:
    return before + piece[0] + after, tuple(len(before) + place for place in piece[1])


def hidden(text: str) -> Piece:
    return text, ()


PROSE = st.lists(
    st.sampled_from(["sorry", "admit", "stop", "#exit", "set_option debug.x", "a", "{", "}", "'",
                     "«", "»", "(", "\\", "`", "s!", "\n", "- -", "λ"]),
    max_size=6,
).map(" ".join)  # fmt: skip
COMMENT = st.recursive(
    PROSE.map(lambda text: text + ' " '),
    lambda inner: st.lists(inner, max_size=3).map(lambda c: "/- " + " -- ".join(c) + " -/"),
    max_leaves=8,
)
LITERAL = st.one_of(
    COMMENT.map(lambda text: f"/- {text} -/"),
    COMMENT.map(lambda text: f"\n/-- a {text} -/\n"),
    COMMENT.map(lambda text: f"\n/-! a {text} -/\n"),
    PROSE.map(lambda text: "-- " + text.replace("\n", '"') + " /- \n"),
    PROSE.map(lambda text: '"' + text.replace("\\", '\\\\ \\"') + ' -- /-"'),
    PROSE.map(lambda text: f'r"{text} /-"'),
    PROSE.map(lambda text: f'r##"{text} "sorry"# --"##'),
    PROSE.map(lambda text: "«" + text.replace("»", '"') + " /- »"),
    PROSE.map(lambda text: 's!"' + text.replace("\\", "\\\\").replace("{", "\\{") + ' -- /-"'),
    st.sampled_from(["'\"'", "'\\x22'", "'\\''", "'{'", "' '", "'«'", "h'", "f '' s"]),
    st.sampled_from(["sorryFree", "sorry.x", "x.sorry", "`sorry", "«sorry»", "sorry'", "1.5"]),
).map(hidden)
HOLE = st.just(("sorry", (0,)))
NAME = st.sampled_from(["x", "+", ":=", "fun x =>", "1", "⟨", ".", "\n  "]).map(hidden)


def nested(code: st.SearchStrategy[Piece]) -> st.SearchStrategy[Piece]:
    several = st.lists(code, max_size=3).map(join)
    return st.one_of(
        several.map(lambda piece: around("(", piece, ")")),
        several.map(lambda piece: around("{ ", piece, " }")),
        several.map(lambda piece: around('s!"a \\{ {', piece, '} sorry "')),
        several.map(lambda piece: around('throwErrorAt a.b[0] "{', piece, '}"')),
        st.tuples(several, several).map(
            lambda two: join([around('m!"{', two[0], '} \\" '), around("{", two[1], '}"')], "")
        ),
    )


CODE = st.recursive(LITERAL | HOLE | NAME, nested, max_leaves=12)


@settings(deadline=None, max_examples=300)
@given(st.lists(CODE, max_size=6).map(join))
def test_holes_are_found_where_they_are_and_nowhere_else(piece: Piece) -> None:
    text, places = "def a : T := " + piece[0], [13 + place for place in piece[1]]
    expected = [
        (text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place) - 1, "sorry")
        for place in places
    ]
    assert found(text) == expected


@settings(deadline=None)
@given(
    st.text(max_size=60)
    | st.lists(
        st.sampled_from(
            ["sorry", "stop", "by", ".", "#", "exit", "set_option", "debug", "«", "»", '"', "s!\"{",
             "}", "import", "all", "module", "public", "\n", " ", "`", "[", ":=", "/-", "A.", "\\x",
             "debug.", "'"]
        ),
        max_size=30,
    ).map("".join)
)  # fmt: skip
def test_no_text_gives_any_other_error(text: str) -> None:
    for reader in (scan, scan_lakefile, scan_lakefile_toml, imports):
        try:
            reader(text)
        except LexError as error:
            assert error.line >= 1


def test_a_large_file_is_read_in_a_moment() -> None:
    text = "theorem foo (x : ℝ) : x.1 = f x := by simp [bar.baz, stop]; exact sorry\n" * 5000
    start = time.perf_counter()
    assert len(scan(text)) == 5000
    assert time.perf_counter() - start < 8, "0.4 MB should take less than a second"


@pytest.mark.parametrize(
    "text",
    [
        'opts.set (.mkStr2 "debug" "skipKernelTC") true',
        'opts.set (.mkStr `debug "skipKernelTC") true',
        "debug.skipKernelTC",
        "`debug.skipKernelTC",
        's!"{skipKernelTC}"',
    ],
)
def test_the_option_that_goes_around_the_kernel_is_found_wherever_it_is_named(text: str) -> None:
    assert {f.rule for f in scan(text)} == {"option-not-allowed"}
    assert scan(text, options_allowed=frozenset({"debug.skipKernelTC"})) == []


def test_a_name_put_together_in_a_lakefile() -> None:
    assert scan_lakefile('#["-Dde" ++ "bug.skipKernelTC=true"]')
    assert scan_lakefile('.mkStr2 "debug" name')
