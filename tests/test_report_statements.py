"""The statements in mathematics belong to the Lean text, token for token."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from harness.policy import load_policy
from harness.report import statements
from harness.report.declared import declarations
from harness.report.statements import StatementsError, load, markup, misfit, misfit_definition
from harness.sources.project import Source, read_sources
from harness.stated import of_sources
from projects_for_tests import AXIOMS, CHECKOUT
from report_support import MAIN, MAIN_BINDERS, sources

FILE = CHECKOUT / statements.PLACE
OURS = load(FILE)
POLICY = load_policy(CHECKOUT / "scripts" / "policy.toml")
DECLARED = sources()


def text_and_before(name: str, file: str | None = None) -> tuple[str, str]:
    path = file or DECLARED.by_name[name].file
    whole = (CHECKOUT / path).read_text(encoding="utf-8")
    found = declarations([Source(path, whole)]).by_name[name]
    return found.statement, whole[: whole.index(found.text)]


def test_every_target_has_a_statement_and_no_other() -> None:
    assert list(OURS.statements) == list(POLICY.targets)


@pytest.mark.parametrize("name", OURS.statements)
def test_statement_is_that_of_the_theorem(name: str) -> None:
    assert misfit(OURS.statements[name], *text_and_before(name)) is None


def test_main_statement_is_that_of_the_challenge() -> None:
    assert misfit(OURS.statements[MAIN], *text_and_before(MAIN, "Challenge.lean")) is None


def test_binders_of_the_main_theorem_are_counted() -> None:
    assert sum(p.binders for p in OURS.statements[MAIN].parts) == len(MAIN_BINDERS)


@pytest.mark.parametrize("name", OURS.definitions)
def test_meaning_is_that_of_the_definition(name: str) -> None:
    assert misfit_definition(OURS.definitions[name], DECLARED.by_name[name]) is None


def test_every_definition_that_a_statement_needs_has_a_meaning() -> None:
    trusted = [d.name for d in DECLARED.by_name.values() if d.file.startswith("Definitions/")]
    assert list(OURS.definitions)[: len(trusted)] == trusted
    stated = of_sources(POLICY, read_sources(CHECKOUT, POLICY.exclude))
    shown = {f"DinhSharpness.{name}" for name in stated.entries()}
    assert set(OURS.definitions) == shown - set(POLICY.targets)


def test_axioms_are_those_of_the_policy() -> None:
    assert {a.name: a.type for a in OURS.axioms.values()} == {n: t for n, (_, t) in AXIOMS.items()}


@pytest.mark.parametrize("number", range(len(OURS.statements[MAIN].parts)))
def test_a_part_left_out_or_changed_is_noticed(number: int) -> None:
    statement = OURS.statements[MAIN]
    parts = list(statement.parts)
    without = replace(statement, parts=tuple(parts[:number] + parts[number + 1 :]))
    assert misfit(without, *text_and_before(MAIN)) is not None
    parts[number] = replace(parts[number], lean=parts[number].lean + " 1")
    assert misfit(replace(statement, parts=tuple(parts)), *text_and_before(MAIN)) is not None


def test_another_order_is_noticed() -> None:
    statement = OURS.statements[MAIN]
    swapped = replace(statement, parts=(*statement.parts[1:], statement.parts[0]))
    assert misfit(swapped, *text_and_before(MAIN)) is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0 < d →", "0 < d → 1 < d →"),
        ("0 < M →", "0 < h →"),
        ("M ≤ ‖", "¬ M ≤ ‖"),
        ("= prediction θ ∧", "= prediction θ ∨"),
        ("∀ M : ℝ", "∃ M : ℝ"),
    ],
)
def test_a_changed_theorem_is_noticed(old: str, new: str) -> None:
    text, before = text_and_before(MAIN)
    assert text.count(old) == 1
    assert misfit(OURS.statements[MAIN], text.replace(old, new), before) is not None


def test_comments_and_line_breaks_make_no_difference() -> None:
    text, before = text_and_before(MAIN)
    reflowed = "\n  ".join(text.split("\n")).replace("0 < d →", "0 < d /- at least one -/ →")
    assert misfit(OURS.statements[MAIN], reflowed, before) is None


def test_a_variable_has_to_stand_before_the_statement() -> None:
    name = "DinhSharpness.exists_le_norm_hessian_scale"
    text, before = text_and_before(name)
    other = before.replace("variable {d h : ℕ}", "variable {d k : ℕ}")
    assert "not declared before" in str(misfit(OURS.statements[name], text, other))


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        '<var onclick="alert(1)">x</var>',
        '<math href="javascript:alert(1)"><mi>x</mi></math>',
        '<mo mathvariant="normal&quot; onload=&quot;x">x</mo>',
        "<style>p{}</style>",
        "<!-- a comment -->",
        '<!DOCTYPE r [<!ENTITY a "b">]><p>&a;</p>',
        "<p>not closed",
        "&nbsp;",
    ],
)
def test_markup_of_another_kind_is_refused(text: str) -> None:
    with pytest.raises(StatementsError):
        markup(text)


def test_markup_is_written_as_it_was_understood() -> None:
    text = 'a &lt; <var>b</var> &amp; <math display="block"><mi>x</mi></math> end'
    assert markup(text) == text


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("schema = 1", "schema = 2", "schema"),
        ("schema = 1\nnot-claimed = [\n", "schema = 1\nnot-claimed = [\n 1,", "no list of texts"),
        ('role = "given"', 'role = "gift"', "gift"),
        ("binders = 2", "binders = true", "binders"),
        ('title = "', 'titel = "', "titel"),
        ("[[statement]]", "[statement", "line"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, old: str, new: str, says: str) -> None:
    text = FILE.read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "s.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(StatementsError, match=says):
        load(tmp_path / "s.toml")


def test_no_file_has_no_statements(tmp_path: Path) -> None:
    assert load(tmp_path / "none.toml") == statements.NONE


def test_file_is_plain_toml() -> None:
    assert tomllib.loads(FILE.read_text(encoding="utf-8"))["schema"] == 1
