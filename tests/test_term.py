"""Terms in the audit's text form: read back, written, and where two of them differ."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import term as t
from harness.term import App, Binder, Bound, Const, Let, Literal, Proj, Sort, Term, TermError
from projects_for_tests import RECORDINGS
from random_terms import LEVELS, rendered

AUDITS = sorted(RECORDINGS.glob("*/audit.json"))


def constants(value: Any) -> Iterator[dict[str, Any]]:
    """Every constant that an answer of the audit shows."""
    if isinstance(value, dict):
        if "levels" in value:
            yield value
        for part in value.values():
            yield from constants(part)
    elif isinstance(value, list):
        for part in value:
            yield from constants(part)


@pytest.mark.parametrize("path", AUDITS, ids=lambda path: path.parent.name)
def test_what_the_audit_wrote_is_read_back(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    count = 0
    for constant in constants(json.loads(text) if text else None):
        for term in (constant["type"], constant.get("value")):
            if term is not None:
                assert t.write(t.parse(term, constant["levels"])) == term
                count += 1
    assert count or not text


def named(term: Term) -> Iterator[str]:
    """The names of the binders of a term, in the order of the text."""
    if isinstance(term, Binder | Let):
        yield term.name
    for _, part, _ in t.parts(term):
        yield from named(part)


@given(rendered())
def test_random_terms_are_read_back_with_the_names_of_their_binders(
    made: tuple[str, list[str]],
) -> None:
    text, names = made
    read = t.parse(text, LEVELS, names)
    assert t.write(read) == text
    assert list(named(read)) == names
    assert read == t.parse(text, LEVELS)


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("#3", Bound(3)),
        ("Sort 0", Sort("0")),
        ("Sort max (u+1) (imax u v)+2 1", Sort("max (u+1) (imax u v)+2 1")),
        ("(Sort max u v)", None),
        ("«two words».«(»", Const("«two words».«(»")),
        ("A.{u, max u v}", Const("A", ("u", "max u v"))),
        ("(f #0 7)", App(Const("f"), (Bound(0), Literal("7")))),
        ('"a \\"(\\" \\\\"', Literal('"a \\"(\\" \\\\"')),
        ("(Π⦃Nat⦄ #0)", Binder("Π", "⦃", Const("Nat"), Bound(0))),
        ("(let : Nat := 1; #0)", Let(Const("Nat"), Literal("1"), Bound(0))),
        ("(#0).Prod.1", Proj("Prod", 1, Bound(0))),
        ("((f #0)).«a b».0", Proj("«a b»", 0, App(Const("f"), (Bound(0),)))),
        # After `max` parameters belong to the level, constants to the application.
        ("(f Sort max u v c)", App(Const("f"), (Sort("max u v"), Const("c")))),
        ("(f Sort max u (v+1) (g c))", App(Const("f"), (Sort("max u (v+1)"),
            App(Const("g"), (Const("c"),))))),
    ],
)  # fmt: skip
def test_each_kind_of_term(text: str, term: Term | None) -> None:
    if term is None:
        with pytest.raises(TermError):
            t.parse(text, ["u", "v"])
    else:
        assert t.parse(text, ["u", "v"]) == term
        assert t.write(term) == text


NOISE = st.lists(
    st.sampled_from([*'()[]{}⦃⦄«»"\\#,;:.+ΠλΠ 01uf', "(Π(", "(λ{", ".{", "Sort ", "max ", "let : "])
).map("".join)


@given(NOISE)
def test_garbage_is_no_term(text: str) -> None:
    try:
        read = t.parse(text, ["u"])
    except TermError:
        return
    assert t.write(read) == text


@given(rendered(3), st.data())
def test_a_damaged_text_is_another_term_or_none(made: tuple[str, list[str]], data: Any) -> None:
    text, _ = made
    at = data.draw(st.integers(0, len(text)))
    sign = data.draw(st.sampled_from([*'()Π«»"# .u', ""]))
    damaged = text[:at] + sign + text[at + 1 :]
    try:
        read = t.parse(damaged, LEVELS)
    except TermError:
        return
    assert t.write(read) == damaged
    assert (read == t.parse(text, LEVELS)) == (damaged == text)


MANY = 100_000


@pytest.mark.parametrize(
    "text",
    [
        "(" * MANY,
        "(f " * MANY,
        "(f " * 5000 + "#0" + ")" * 5000,
        "(Π(" * MANY,
        "(Π(#0) " * MANY,
        "(Π(#0) " * 5000 + "#0" + ")" * 5000,
        "(λ(#0) (f " * 3000,
        "(let : " * MANY,
        "Sort " + "(max " * MANY,
        "Sort " + "(" * MANY,
        "Sort max " + "u " * MANY,
        "A.{" + "(max u " * MANY,
        '"' + "\\" * MANY,
        "«" * MANY,
        "a." * MANY,
        "#" + "9" * MANY,
        "f" * (t.LARGEST + 1),
        "",
        "()",
        "(f)",
        "#00",
        "(Sort max u (u))",
        "(#0).Prod",
        "(#0).1",
        "f g",
        "(Π<#0> #0)",
        "(Π(#0))",
        "A.{u",
    ],
    ids=lambda text: text[:12],
)
def test_what_is_no_term_or_too_deep_is_said_to_be_at_once(text: str) -> None:
    start = time.monotonic()
    with pytest.raises(TermError):
        t.parse(text, ["u"])
    assert time.monotonic() - start < 5


def test_a_long_term_is_read_back_quickly() -> None:
    text = "(f" + " (g #0 #1)" * 90_000 + ")"
    start = time.monotonic()
    assert t.write(t.parse(text)) == text
    assert time.monotonic() - start < 10


# Where two terms differ.


def at_path(term: Term, steps: list[int]) -> Term:
    for step in steps:
        term = t.parts(term)[step][1]
    return term


def changed(term: Term, steps: list[int], new: Term) -> Term:
    """The term with another part at a place."""
    if not steps:
        return new
    parts = [part for _, part, _ in t.parts(term)]
    parts[steps[0]] = changed(parts[steps[0]], steps[1:], new)
    match term:
        case App():
            return App(parts[0], tuple(parts[1:]))
        case Binder(sign, bracket, _, _, name):
            return Binder(sign, bracket, parts[0], parts[1], name)
        case Let(_, _, _, name):
            return Let(parts[0], parts[1], parts[2], name)
        case Proj(structure, index, _):
            return Proj(structure, index, parts[0])
    raise AssertionError(term)


@given(rendered(), st.data())
def test_one_planted_change_is_found_where_it_is(made: tuple[str, list[str]], data: Any) -> None:
    text, names = made
    term = t.parse(text, LEVELS, names)
    steps: list[int] = []
    while parts := t.parts(at_path(term, steps)):
        step = data.draw(st.integers(-1, len(parts) - 1))
        if step < 0:
            break
        steps.append(step)
    old = at_path(term, steps)
    new = Const("planted")
    (apart,) = t.differences(term, changed(term, steps, new))
    if isinstance(at_path(term, steps[:-1]), App) and steps and steps[-1] == 0:
        # Of two applications of different constants the whole is shown.
        assert apart.right in (new, changed(at_path(term, steps[:-1]), steps[-1:], new))
    else:
        assert (apart.left, apart.right) == (old, new)
    assert list(t.differences(term, term)) == []


def test_the_way_there_is_told_in_words() -> None:
    left = t.parse("(Π(Nat) (Π((lt 0 #0)) (Eq #1 (λ(Nat) (f #0 1)))))", (), ["n", "h", "x"])
    right = t.parse("(Π(Nat) (Π((lt 0 #0)) (Eq #1 (λ(Nat) (f #0 2)))))", (), ["n", "h", "x"])
    (apart,) = t.differences(left, right)
    assert apart.path == ("under ∀ 2", "argument 2 of Eq", "under fun 1", "argument 2 of f")
    assert apart.around == ("n", "h", "x")
    assert (apart.left, apart.right) == (Literal("1"), Literal("2"))
    assert t.differences(left, t.parse("(Π(Nat) (Π((lt 1 #0)) (Eq #1 (λ(Nat) (f #0 1)))))"))
    (typed,) = t.differences(left, t.parse("(Π(Nat) (Π((lt 1 #0)) (Eq #1 (λ(Nat) (f #0 1)))))"))
    assert typed.path[0] == "type of binder 2"


def test_names_of_binders_are_no_difference() -> None:
    one, other = (t.parse("(Π(Nat) #0)", (), [name]) for name in "ab")
    assert one == other
    assert list(t.differences(one, other)) == []


@given(st.integers(0, 4), st.integers(0, 4))
def test_an_inserted_hypothesis_is_told_as_such(count: int, place: int) -> None:
    place = min(place, count)
    variables = [f"(Π((P{i} #{i})) " for i in range(count)]
    claim = f"(C #{count})"
    # A variable in front, then hypotheses about it.
    few = "(Π(Nat) " + "".join(variables) + claim + ")" * (count + 1)
    shifted = [f"(Π((P{i} #{i + (i >= place)})) " for i in range(count)]
    shifted.insert(place, f"(Π((Extra #{place})) ")
    many = "(Π(Nat) " + "".join(shifted) + f"(C #{count + 1})" + ")" * (count + 2)
    told = t.inserted(t.parse(few), t.parse(many))
    assert told is not None
    assert told[0] == place + 1
    assert t.write(told[1].type) == f"(Extra #{place})"
    assert t.inserted(t.parse(many), t.parse(few)) is None


def test_what_is_used_later_or_changed_besides_is_no_inserted_hypothesis() -> None:
    few = t.parse("(Π(Nat) (P #0))")
    assert t.inserted(few, t.parse("(Π(Nat) (Π(Nat) (P #0)))")) == (
        0,
        t.parse("(Π(Nat) (Π(Nat) (P #0)))"),
    )
    assert t.inserted(few, t.parse("(Π(Nat) (Π(Nat) (Q #0)))")) is None
    assert t.inserted(few, t.parse("(Π(Nat) (Π((R #0)) (P #0)))")) is None


@given(rendered(3), st.integers(0, 5))
def test_raising_and_lowering_are_opposites(made: tuple[str, list[str]], by: int) -> None:
    term = t.parse(made[0], LEVELS)
    assert t.lowered(t.lowered(term, -by), by) == term


def test_names_made_up_for_hidden_binders_are_distinct() -> None:
    term = t.parse("(Π(A) (Π(A) (Π(A) #0)))", (), ["x2", "", "x3"])
    assert t.around(term, 3) == ("x2", "x2'", "x3")
