"""Comparing statements as the audit writes them."""

from __future__ import annotations

import pytest

from harness.statement import ambiguous, compare, ordered_levels, rename_levels
from harness.toolchain.audit import Constant, Statement


def constant(name: str = "A.t", type_: str = "True", **more: object) -> Constant:
    base = {"kind": "theorem", "module": "M", "levels": ()}
    return Constant(name=name, type=type_, **(base | more))  # type: ignore[arg-type]


def statement(c: Constant, *definitions: Constant) -> Statement:
    return Statement(c, definitions)


def test_the_same_is_the_same() -> None:
    one = statement(constant(), constant("A.d", "Nat", kind="def", value="42"))
    assert compare(one, one) == []


@pytest.mark.parametrize(
    ("term", "renamed"),
    [
        ("Sort u", "Sort v"),
        ("(Π{Sort u} (Π((Nonempty.{u} #0)) #1))", "(Π{Sort v} (Π((Nonempty.{v} #0)) #1))"),
        ("Sort (u+1)", "Sort (v+1)"),
        ("Sort u+1", "Sort v+1"),
        ("(f Sort max u w (u+1) #0)", "(f Sort max v w (v+1) #0)"),
        ("(f Sort imax u (max u 1))", "(f Sort imax v (max v 1))"),
        ("Foo.{max u w, u}", "Foo.{max v w, v}"),
        # What is no level stays: constants, parts of names, strings, quoted names.
        ("(u #0)", "(u #0)"),
        ("Sort.u", "Sort.u"),
        ("mySort u", "mySort u"),
        ('(f "Sort u")', '(f "Sort u")'),
        ("«Sort u»", "«Sort u»"),
        ("Foo.{uu, w}", "Foo.{uu, w}"),
    ],
)
def test_universe_parameters_are_renamed_and_nothing_else(term: str, renamed: str) -> None:
    assert rename_levels(term, {"u": "v"}) == renamed


def test_two_parameters_can_be_exchanged() -> None:
    assert rename_levels("Foo.{u, v}", {"u": "v", "v": "u"}) == "Foo.{v, u}"


def test_other_names_of_universe_parameters_are_the_same_statement() -> None:
    found = statement(constant(type_="(Π{Sort u_2} Sort u_1)", levels=("u_1", "u_2")))
    agreed = statement(constant(type_="(Π{Sort v} Sort u)", levels=("u", "v")))
    assert compare(found, agreed) == []
    swapped = statement(constant(type_="(Π{Sort u_1} Sort u_2)", levels=("u_1", "u_2")))
    assert [d.aspect for d in compare(swapped, agreed)] == ["type"]


@pytest.mark.parametrize(
    ("change", "aspect"),
    [
        ({"type_": "False"}, "type"),
        ({"kind": "def"}, "kind"),
        ({"levels": ("u",)}, "universe parameters"),
    ],
)
def test_every_aspect_of_the_theorem_counts(change: dict[str, object], aspect: str) -> None:
    differences = compare(statement(constant(**change)), statement(constant()))  # type: ignore[arg-type]
    assert [(d.what, d.aspect) for d in differences] == [("statement", aspect)]


def test_a_definition_that_is_changed_missing_or_new() -> None:
    d42 = constant("A.d", "Nat", kind="def", value="42")
    d0 = constant("A.d", "Nat", kind="def", value="0")
    e = constant("A.e", "Nat", kind="def", value="1")
    (changed,) = compare(statement(constant(), d0), statement(constant(), d42))
    assert (changed.what, changed.name, changed.expected, changed.found) == (
        "definition", "A.d", "42", "0",
    )  # fmt: skip
    (missing,) = compare(statement(constant()), statement(constant(), e))
    assert missing.found is None
    assert "A.e" in str(missing.expected)
    (new,) = compare(statement(constant(), e), statement(constant()))
    assert new.expected is None


def test_an_opaque_value_that_is_gone_is_a_difference() -> None:
    valued = constant("A.d", "Nat", kind="opaque", value="42")
    without = constant("A.d", "Nat", kind="opaque")
    (gone,) = compare(statement(constant(), without), statement(constant(), valued))
    assert (gone.aspect, gone.found) == ("value", None)


def test_the_text_that_people_read_is_shown_unless_it_hides_the_difference() -> None:
    found = constant(type_="(LE.le bad 40)", pretty_type="40 ≤ s")
    agreed = constant(type_="(LE.le good 40)", pretty_type="40 ≤ s")
    (difference,) = compare(statement(found), statement(agreed))
    assert (difference.expected, difference.found) == ("(LE.le good 40)", "(LE.le bad 40)")
    other = constant(type_="(LE.le good 41)", pretty_type="41 ≤ s")
    (difference,) = compare(statement(other), statement(agreed))
    assert (difference.expected, difference.found) == ("40 ≤ s", "41 ≤ s")


@pytest.mark.parametrize(
    "bad",
    [
        constant("Sort"),
        constant(levels=("max",)),
        constant(levels=("imax",)),
        constant(levels=("a b",)),
        constant("A.«x"),
        constant("A..b"),
        constant(type_="(f a»b)"),
        constant("A.d", "Nat", kind="def", value="(f «a)"),
    ],
)
def test_what_would_make_two_terms_look_the_same(bad: Constant) -> None:
    assert ambiguous(statement(constant(), bad))


def test_odd_but_readable_names_are_not_ambiguous() -> None:
    fine = constant(
        "A.«two words»", '(f «two words» "«" #0)', levels=("u_1",), kind="def", value="A.h₂é'"
    )
    assert ambiguous(statement(constant(), fine)) == []


def test_lean_orders_max_by_the_names_of_its_parameters() -> None:
    found = constant(type_="(Eq.{max (u_2+1) (w+1)} #0 #0)", levels=("w", "u_2"))
    agreed = constant(type_="(Eq.{max (u_1+1) (w+1)} #0 #0)", levels=("u_1", "w"))
    assert compare(statement(found), statement(agreed)) == []
    other = constant(type_="(Eq.{imax (u_2+1) (w+1)} #0 #0)", levels=("w", "u_2"))
    assert compare(statement(other), statement(agreed)) != []


@pytest.mark.parametrize(
    ("term", "ordered"),
    [
        ("A.{max w u, imax w u}", "A.{max u w, imax w u}"),
        ("A.{max (max w u) (b+1)}", "A.{max (b+1) (max u w)}"),
        ("A.{(max w u)+1}", "A.{(max u w)+1}"),
        ("(Π{Sort max w u} #0)", "(Π{Sort max u w} #0)"),
        # What follows a sort among arguments may be an argument: it stays where it is.
        ("(f Sort max w u b a)", "(f Sort max w u b a)"),
        ('(f "A.{max w u}")', '(f "A.{max w u}")'),
        ("A.{max (w u}", "A.{max (w u}"),
    ],
)
def test_arguments_of_max_are_put_in_order_where_it_is_plain_which_they_are(
    term: str, ordered: str
) -> None:
    assert ordered_levels(term) == ordered
