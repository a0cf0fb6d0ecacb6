"""What in a Lean file could change how it reads, and the list of what is agreed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.policy import Policy, PolicyError, load_policy
from harness.sources.lexer import LexError
from harness.sources.project import Source, Sources, read_sources
from harness.sources.reading import check, reading_commands, trusted_files
from harness.verdict import Level
from projects_for_tests import CHECKOUT, policy_text

OURS = CHECKOUT / "scripts" / "policy.toml"
MODEL = "Definitions/Def_DinhSharpness_Model.lean"


def texts(text: str) -> list[str]:
    return [command.text for command in reading_commands(text)]


def kinds(text: str) -> list[str]:
    return [command.kind for command in reading_commands(text)]


# Every kind of command

KINDS = [
    ('macro "foo" : term => `(True)', "macro"),
    ("macro_rules | `(foo) => `(True)", "macro"),
    ('notation "R" => Real', "notation"),
    ('notation3 "∑ "(...)", "r:67:(scoped f => f) => r', "notation"),
    ('infix:50 " ≤ " => lt', "notation"),
    ('infixl:65 " + " => sub', "notation"),
    ('infixr:67 " * " => add', "notation"),
    ('prefix:max "‖" => abs', "notation"),
    ('postfix:max "!" => f', "notation"),
    ('local notation "d" => 0', "notation"),
    ('scoped infixl:65 " + " => sub', "notation"),
    ('scoped[DinhSharpness] notation "d" => 0', "notation"),
    ('syntax "foo" term : term', "syntax"),
    ("declare_syntax_cat foo", "syntax"),
    ('binder_predicate x " > " y:term => `($x < $y)', "syntax"),
    ('elab "foo" : term => return default', "elaborator"),
    ("elab_rules : term | `(foo) => return default", "elaborator"),
    ("unif_hint (a b : ℕ) where |- a =?= b", "elaborator"),
    ("simproc foo (_ + _) := fun e => e", "simproc"),
    ("instance : LE ℝ := ⟨fun _ _ => True⟩", "instance"),
    ("local instance (priority := high) foo : LE ℝ where le _ _ := True", "instance"),
    ("class Foo (α : Type) extends LE α", "instance"),
    ("attribute [instance 2000] foo", "attribute"),
    ("attribute [-instance] foo", "attribute"),
    ("attribute [local simp, reducible] foo bar", "attribute"),
    ("unseal foo", "attribute"),
    ("set_option autoImplicit true", "option"),
    ("open Filter", "open"),
    ("open scoped Topology ENNReal", "open"),
    ("open Real hiding pi", "open"),
    ("open Real renaming pi → e, exp → pi", "open"),
    ("open Real (pi)", "open"),
    ("export Real (pi)", "export"),
    ("deriving instance LE for Foo", "deriving"),
    ("initialize foo : Unit ← pure ()", "run"),
    ('run_cmd Lean.logInfo "x"', "run"),
    ("run_meta pure ()", "run"),
    ("#eval 1", "run"),
    ("#print axioms foo", "run"),
    ("#exit", "run"),
    ("include h", "variables"),
    ("omit [Foo α]", "variables"),
    ("alias foo := bar", "other"),
    ("suppress_compilation", "other"),
    ("some_command of a package", "other"),
]


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_a_command_is_listed_as_it_stands(text: str, kind: str) -> None:
    (command,) = reading_commands(text)
    assert (command.kind, command.text, command.line, command.column) == (kind, text, 1, 0)


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_it_is_listed_between_others_too(text: str, kind: str) -> None:
    around = f"theorem a : b := by\n  simp\n\n{text}\n\n/-- Words. -/\nprivate def c := d\n"
    (command,) = reading_commands(around)
    assert (command.kind, command.text, command.line) == (kind, text, 4)
    inside = f"mutual\nsection\n{text}\nend\nend\n"
    (command,) = reading_commands(inside)
    assert (command.kind, command.text, command.line) == (kind, text, 3)


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_words_in_comments_and_strings_do_not_count(text: str, kind: str) -> None:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    assert texts(f"/- {text} /- {text} -/ -/\n/-- {text} -/\ndef a := 1 -- {text}\n") == []
    assert texts(f'def a := "{quoted}"\n/-! {text} -/\n') == []


# Attributes before declarations


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@[simp] theorem a : b := c", ["@[simp] theorem a"]),
        ("@[inline, reducible] def «a b» := c", ["@[inline, reducible] def «a b»"]),
        ("@[simp]\n@[local instance 5]\nprivate def a := c",
         ["@[simp] def a", "@[local instance 5] def a"]),
        ("@[to_additive /-- doc -/ (attr := simp)] lemma a : b := c",
         ["@[to_additive (attr := simp)] lemma a"]),
        ("@[app_unexpander Real] meta def a : U := c", ["@[app_unexpander Real] def a"]),
        ("@[delab app.Real] def a : D := c", ["@[delab app.Real] def a"]),
        ("@[default_instance] instance : A := c",
         ["@[default_instance] instance", "instance : A := c"]),
        ("@[coe] abbrev a := c", ["@[coe] abbrev a"]),
        ("def a := @[inline] b", ["@[inline] b"]),
        ("structure A where\n  @[reducible] x : B", ["@[reducible] x"]),
        ("def a := @foo [b]", []),
    ],
)  # fmt: skip
def test_attributes(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


# Where they can hide


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # After `in`, in terms and in tactics.
        ("open A in set_option b 1 in theorem c : d := e", ["open A in", "set_option b 1 in"]),
        ("theorem a : b := by\n  set_option c 5 in\n  simp", ["set_option c 5 in"]),
        ("def a := (open scoped B in c)", ["open scoped B in"]),
        ("theorem a : open B in c := d", ["open B in"]),
        ("def a := s!\"{open B in c}\"", ["open B in"]),
        ("variable (a) in\nopen B in\ndef c := d", ["open B in"]),
        # On one line with others.
        ("def a := b open C", ["open C"]),
        ("section open A open B set_option c true end",
         ["open A", "open B", "set_option c true"]),
        ("namespace A instance : B := c end A", ["instance : B := c"]),
        ("theorem a : b := c attribute [simp] d", ["attribute [simp] d"]),
        # Over several lines, with comments in between.
        ("open -- x\n  A /- y -/\n  B\nC", ["open A B", "C"]),
        ("set_option\n  a.b\n  true", ["set_option a.b true"]),
        ("@[ simp\n  ,  b ] def c := d", ["@[ simp , b ] def c"]),
        ("local -- x\nnotation \"a\" => b", ['local notation "a" => b']),
        ("attribute [instance] a\n  in def b := c", ["attribute [instance] a in"]),
        # All of a body belongs to it.
        ('notation "a" => open B in c', ['notation "a" => open B in c']),
        ("macro \"a\" : command => `(theorem b : c := d\n theorem e : f := g)\ntheorem h : i := j",
         ['macro "a" : command => `(theorem b : c := d theorem e : f := g)']),
        ("instance : A where\n  b := by\n    simp\n  c := d\ntheorem e : f := g",
         ["instance : A where b := by simp c := d"]),
        ("structure A where\n  b : C\nderiving D, E", ["deriving D, E"]),
        ('notation "a\nb" => c', ['notation "a\\nb" => c']),
        # What Lean does not take for the word.
        ("theorem «open» : «instance» := «set_option»", []),
        ("def a := `open", []),
        ("def opens := open_ + A.open + open'", []),
        ("import open\nimport A\nprelude", ["open"]),
    ],
)  # fmt: skip
def test_hiding(text: str, expected: list[str]) -> None:
    assert texts(text) == expected
    assert texts(text.replace("\n", "\r\n")) == expected


def test_lookalikes() -> None:
    # Greek letters are Lean's, so the namespace is another one, and the text shows it.
    assert texts("open scoped Τopology") == ["open scoped Τopology", "Τopology"]
    # Cyrillic letters are not: Lean refuses the word, and it is none of ours.
    assert texts("оpen scoped Topology") != ["open scoped Topology"]
    assert texts("def a := 1\nｏｐｅｎ B") == []


@pytest.mark.parametrize("code", [0x200B, 0x200E, 0x202E, 0x2066, 0x2060, 0xFEFF, 0x00AD, 0x0008])
def test_what_is_not_seen_is_listed_wherever_it_stands(code: int) -> None:
    for text in ("-- a{}b\n", 'def a := "{}"\n', "/-- é {} -/\n", "def a :={} b\n"):
        line, _, _ = text.partition("{}")
        (command,) = reading_commands("\r\n" + text.format(chr(code)))
        assert (command.kind, command.text) == ("invisible", f"U+{code:04X}")
        assert (command.line, command.column) == (2, len(line))


def test_a_text_that_is_not_lean() -> None:
    with pytest.raises(LexError):
        reading_commands("open A /- ")


@given(st.lists(st.sampled_from([text for text, _ in KINDS]), max_size=6), st.data())
def test_none_is_lost_among_others(chosen: list[str], data: st.DataObject) -> None:
    plain = ["theorem a : b := c", "/-- d -/", "-- e", "variable {f : G}", "namespace H"]
    lines = []
    for text in chosen:
        lines += data.draw(st.lists(st.sampled_from(plain), max_size=2))
        lines.append(text)
    assert [t for t in texts("\n".join(lines)) if t in chosen] == chosen


@given(st.text(alphabet='open set_option @[]()#instance\n"-/`«»αℝ .:=|', max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = reading_commands(text)
    except LexError:
        return
    lines = text.split("\n")
    for command in found:
        assert lines[command.line - 1][command.column :][:1] != ""
        assert "\n" not in command.text


# Ours


def ours() -> tuple[Sources, Policy]:
    policy = load_policy(OURS)
    return read_sources(CHECKOUT, policy.exclude), policy


def test_our_trusted_files() -> None:
    sources, policy = ours()
    assert [source.path for source in trusted_files(sources, policy)] == ["Challenge.lean", MODEL]
    assert dict(policy.reading) == {MODEL: ("open scoped Topology",)}
    assert check(sources, policy) == ([], 2, 1)
    text = sources.by_path()[MODEL].text
    (command,) = reading_commands(text)
    assert text.split("\n")[command.line - 1] == command.text == "open scoped Topology"


def with_text(path: str, old: str, new: str) -> tuple[Sources, Policy]:
    sources, policy = ours()
    assert sources.by_path()[path].text.count(old) == 1
    files = tuple(
        Source(s.path, s.text.replace(old, new)) if s.path == path else s for s in sources.files
    )
    return replace(sources, files=files), policy


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        (MODEL, "open scoped Topology", "open scoped Topology Real", "open scoped Topology Real"),
        (MODEL, "variable {d h : ℕ}", "open scoped Topology", "open scoped Topology"),
        (MODEL, "end Calculus\n", "end Calculus\nlocal notation \"ℝ\" => ℚ\n",
         'local notation "ℝ" => ℚ'),
        (MODEL, "abbrev Input", "@[reducible] abbrev Input", "@[reducible] abbrev Input"),
        ("Challenge.lean", "namespace DinhSharpness\n",
         "namespace DinhSharpness\ninstance : Norm ℝ := ⟨0⟩\n", "instance : Norm ℝ := ⟨0⟩"),
        ("Challenge.lean", "∃ α : ℝ, 0", "∃ α : ℝ, open Nat in 0", "open Nat in"),
    ],
)  # fmt: skip
def test_a_command_that_is_not_agreed(path: str, old: str, new: str, expected: str) -> None:
    sources, policy = with_text(path, old, new)
    findings, _, _ = check(sources, policy)
    changed = [f for f in findings if f.rule == "reading-changed"]
    assert [f.evidence["text"] for f in changed] == [expected]
    (finding,) = changed
    assert finding.file == path
    assert finding.level is Level.VIOLATION
    assert finding.line is not None and finding.column is not None
    line = sources.by_path()[path].text.split("\n")[finding.line - 1]
    word = expected.split(maxsplit=1)[0]
    assert line[finding.column :].startswith(word)
    assert expected in finding.message
    assert "statement.reading" in (finding.remedy or "")


def test_an_agreed_command_that_is_not_there() -> None:
    findings, _, _ = check(*with_text(MODEL, "open scoped Topology\n", "\n"))
    (finding,) = findings
    assert (finding.rule, finding.level, finding.file) == (
        "reading-expected", Level.WARNING, MODEL,
    )  # fmt: skip


def test_an_agreed_file_that_is_not_trusted() -> None:
    sources, policy = ours()
    reading = {**policy.reading, "DinhSharpness/Volume.lean": ("open MeasureTheory",)}
    (finding,), _, _ = check(sources, replace(policy, reading=reading))
    assert (finding.rule, finding.file) == ("reading-expected", "DinhSharpness/Volume.lean")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("theorem x : Αnd p q := h", ["Αnd"]),
        ("def f := (x).Νat.succ", ["Νat.succ"]),
        ("variable (ΚΑΙ : Nat)", ["ΚΑΙ"]),
        ("example := «аnd»", ["«аnd»"]),
        ("example := `Οr.intro", ["`Οr.intro"]),
        ("def f := \u212aind", ["\u212aind"]),
        ('-- Αnd\ndef s := "Αnd"', []),
        ("theorem x (α ν Χ : Type) (ν₁ ν' : α) (hα hμ f_β : β) (Ωδ νμ αΑ Δx : ℝ) : ℕ := h", []),
    ],
)
def test_identifiers_that_look_like_others(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_an_identifier_that_looks_like_another_in_a_trusted_file() -> None:
    sources, policy = with_text("Challenge.lean", "∃ α : ℝ, 0", "∃ αΑlpha Αlpha : ℝ, 0")
    findings, _, _ = check(sources, policy)
    assert [(f.rule, f.evidence["text"]) for f in findings if f.evidence] == [
        ("reading-changed", "αΑlpha"), ("reading-changed", "Αlpha"),
    ]  # fmt: skip


def test_a_lookalike_is_shown_as_one() -> None:
    sources, policy = with_text(MODEL, "open scoped Topology", "open scoped Τopology")
    findings, _, _ = check(sources, policy)
    assert {f.rule for f in findings} == {"reading-changed", "reading-expected"}
    changed, _ = (f for f in findings if f.rule == "reading-changed")
    assert "\\u03a4opology" in changed.message


def test_what_is_missing_is_never_passed() -> None:
    sources, policy = ours()
    without = [s for s in sources.files if s.path != "Challenge.lean"]
    findings, trusted, _ = check(replace(sources, files=tuple(without)), policy)
    assert "module-missing" in {f.rule for f in findings}
    assert trusted == 0
    without = [s for s in sources.files if s.path != MODEL]
    findings, _, _ = check(replace(sources, files=tuple(without)), policy)
    assert "module-missing" in {f.rule for f in findings}
    broken, policy = with_text("Challenge.lean", "end DinhSharpness", "/- end DinhSharpness")
    findings, _, _ = check(broken, policy)
    assert {f.rule for f in findings} >= {"source-unreadable"}


def test_source_folders() -> None:
    sources, policy = ours()
    moved = tuple(Source(f"src/{s.path}", s.text) for s in sources.files)
    agreed = {f"src/{path}": texts for path, texts in policy.reading.items()}
    policy = replace(policy, reading=agreed)
    assert check(Sources(moved), policy, ["src", "other"]) == ([], 2, 1)
    assert {f.rule for f in check(Sources(moved), policy)[0]} >= {"module-missing"}


# The policy


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("reading = []", "statement.reading has to be a table"),
        ('reading = { "C.lean" = "open A" }', "statement.reading has to be an array of texts"),
        ('reading = { "C.lean" = [1] }', "statement.reading has to be text on one line"),
        ('reading = { "C.lean" = ["open\\nA"] }', "has to be text on one line"),
        ('reading = { "../C.lean" = ["open A"] }', "folders are named from the project"),
        ("readings = {}", "unknown key in [statement]: readings"),
    ],
)
def test_a_policy_that_is_not_understood(tmp_path: Path, statement: str, message: str) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(policy_text() + f"[statement]\n{statement}\n", encoding="utf-8")
    with pytest.raises(PolicyError) as caught:
        load_policy(path)
    assert message in str(caught.value)


def test_a_policy_with_a_list_and_no_challenge(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    statement = '[statement]\nreading = { "C.lean" = ["open A"] }\n'
    path.write_text(policy_text(challenge=()) + statement, encoding="utf-8")
    with pytest.raises(PolicyError, match=r"statement\.reading needs targets\.challenge-modules"):
        load_policy(path)
