"""The hypotheses of a theorem: those that its proof never uses, and whether they can be met."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness import hypotheses
from harness.hypotheses import Met
from harness.policy import Policy
from harness.toolchain.audit import Audit
from stated_for_tests import check, facts, small

MAIN = """prelude
import Logic

universe u v

def P (_ : Nat) : Prop := True
def P' (_ : Nat) : Prop := True
def Q (_ _ : Nat) : Prop := True
def R {α : Sort u} (_ : α) : Prop := True
def Never (n : Nat) : Prop := False
def Mem (s : Nat → Prop) (n : Nat) : Prop := s n
def need {n : Nat} (_ : P n) : True := True.intro

namespace T
theorem three : ∀ (n m : Nat), P n → Q n m → R m → True := fun _ _ _ _ _ => True.intro
theorem some_used (n m : Nat) (hp : P n) (hq : Q n m) (hr : R m) : And True (Q n m) :=
  And.intro (need hp) hq
theorem implicit {n m : Nat} (hp : P n) ⦃k : Nat⦄ (hk : P k) : Q n m := hk
theorem poly {α : Sort u} {β : Sort v} (x : α) (y : β) : R x → R y → True :=
  fun _ _ => True.intro
theorem extra (n : Nat) (hp : P n) : ∀ m : Nat, P m → True := fun _ _ => True.intro
theorem closed (n : Nat) (hp : P n) (no : Eq Nat.zero (Nat.succ Nat.zero)) : True := True.intro
theorem dependent (n : Nat) (hp : P n) (no : Eq n (Nat.succ n)) : Eq no no := Eq.refl no
theorem none : True := True.intro
theorem member (s : Nat → Prop) (n : Nat) (hs : Mem s n) (hp : P n) : True := True.intro
theorem typed (e : Empty) (n : Nat) (h : Eq e e) (hp : P n) : True := True.intro
end T

namespace W
theorem right : Exists fun n : Nat => Exists fun m : Nat => And (P n) (And (Q n m) (R m)) :=
  Exists.intro Nat.zero (Exists.intro Nat.zero
    (And.intro True.intro (And.intro True.intro True.intro)))
theorem grouped : Exists fun a : Nat => Exists fun b : Nat => And (And (R b) (P a)) (Q a b) :=
  Exists.intro Nat.zero (Exists.intro Nat.zero
    (And.intro (And.intro True.intro True.intro) True.intro))
theorem left_out : Exists fun n : Nat => Exists fun m : Nat => And (P n) (R m) :=
  Exists.intro Nat.zero (Exists.intro Nat.zero (And.intro True.intro True.intro))
theorem all_assumed : ∀ (n m : Nat), P n → Q n m → R m → Exists fun k : Nat => P k :=
  fun n _ _ _ _ => Exists.intro n True.intro
theorem nothing_shown : ∀ (n m : Nat), P n → Q n m → R m → True := fun _ _ _ _ _ => True.intro
theorem half_assumed : ∀ (n : Nat), P n → Exists fun m : Nat => And (Q n m) (R m) :=
  fun n _ => Exists.intro n (And.intro True.intro True.intro)
theorem other : Exists fun n : Nat => Exists fun m : Nat => And (P' n) (And (Q n m) (R m)) :=
  Exists.intro Nat.zero (Exists.intro Nat.zero
    (And.intro True.intro (And.intro True.intro True.intro)))
theorem swapped : Exists fun n : Nat => Exists fun m : Nat => And (P n) (And (Q m n) (R m)) :=
  Exists.intro Nat.zero (Exists.intro Nat.zero
    (And.intro True.intro (And.intro True.intro True.intro)))
theorem split : And (Exists fun n : Nat => P n) (Exists fun n : Nat => Exists fun m : Nat =>
    And (Q n m) (R m)) :=
  And.intro (Exists.intro Nat.zero True.intro)
    (Exists.intro Nat.zero (Exists.intro Nat.zero (And.intro True.intro True.intro)))
theorem from_false : False → Exists fun n : Nat => Exists fun m : Nat =>
    And (P n) (And (Q n m) (R m)) := fun no => no.rec
theorem from_empty : ∀ e : Empty, Exists fun n : Nat => Exists fun m : Nat =>
    And (P n) (And (Q n m) (And (R m) (Eq e e))) := fun e => e.rec
theorem implication : Exists fun n : Nat => Exists fun m : Nat =>
    Never n → And (P n) (And (Q n m) (R m)) :=
  Exists.intro Nat.zero (Exists.intro Nat.zero fun no => no.rec)
theorem one : Exists fun n : Nat => P n := Exists.intro Nat.zero True.intro
theorem implicit {n : Nat} (h : P n) : Exists fun m : Nat => Exists fun k : Nat =>
    And (P k) (Q n m) := Exists.intro n (Exists.intro n (And.intro h True.intro))
theorem poly {α : Sort u} {β : Sort v} (a : α) (b : β) : Exists fun x : α => Exists fun y : β =>
    And (R x) (R y) := Exists.intro a (Exists.intro b (And.intro True.intro True.intro))
theorem renamed.{w, x} {α : Sort w} {β : Sort x} : ∀ (a : α) (b : β), Exists fun _ : Nat =>
    And (R a) (R b) := fun _ _ => Exists.intro Nat.zero (And.intro True.intro True.intro)
theorem member (s : Nat → Prop) : Mem s Nat.zero → Exists fun n : Nat => And (Mem s n) (P n) :=
  fun h => Exists.intro Nat.zero (And.intro h True.intro)
theorem exists_member : Exists fun s : Nat → Prop => Exists fun n : Nat => And (Mem s n) (P n) :=
  Exists.intro (fun _ => True) (Exists.intro Nat.zero (And.intro True.intro True.intro))
theorem unnamed :
    Exists fun n : Nat => Exists fun _ : P n => Exists fun m : Nat => And (Q n m) (R m) :=
  Exists.intro Nat.zero (Exists.intro True.intro
    (Exists.intro Nat.zero (And.intro True.intro True.intro)))
theorem typed (e : Empty) : Exists fun n : Nat => And (Eq e e) (P n) := e.rec
theorem nested : Exists fun n : Nat => And (P n) (Exists fun m : Nat => And (Q n m) (R m)) :=
  Exists.intro Nat.zero (And.intro True.intro
    (Exists.intro Nat.zero (And.intro True.intro True.intro)))
end W
"""
THEOREMS = ["three", "some_used", "implicit", "poly", "extra", "closed", "dependent", "none"]
THEOREMS += ["member", "typed"]
WITNESSES = ["right", "grouped", "left_out", "all_assumed", "nothing_shown", "half_assumed"]
WITNESSES += ["other", "swapped", "split", "from_false", "from_empty", "implication", "one"]
WITNESSES += [
    "implicit",
    "poly",
    "renamed",
    "member",
    "exists_member",
    "typed",
    "nested",
    "unnamed",
]


SORTS = ("α : Sort u1", "β : Sort u2")


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory, libraries: Path) -> tuple[Policy, Audit]:
    names = [*(f"T.{name}" for name in THEOREMS), *(f"W.{name}" for name in WITNESSES)]
    folder = tmp_path_factory.mktemp("hypotheses") / "project"
    project = small(folder, {"Main": MAIN}, names, golden=None)
    assert check(project).status == 0
    return facts(project)


Compare = Callable[[str, str], Met]


@pytest.fixture
def compare(known: tuple[Policy, Audit]) -> Compare:
    stated = {target.name: target.statement for target in known[1].targets}

    def made(theorem: str, witness: str) -> Met:
        said, shows = stated[f"T.{theorem}"], stated[f"W.{witness}"]
        assert said is not None
        assert shows is not None
        return hypotheses.compare(said, shows)

    return made


def complaints(
    known: tuple[Policy, Audit], theorem: str, witness: str, **named: tuple[str, ...]
) -> list[str]:
    """What is found wrong with a witness, as a verification says it; `named` in the policy."""
    policy = replace(
        known[0],
        challenge_targets=(f"T.{theorem}",),
        witness=f"W.{witness}",
        **named,  # type: ignore[arg-type]
    )
    return [f.message for f in hypotheses.check_witness(policy, known[1])]


def test_hypotheses_that_a_proof_never_uses(known: tuple[Policy, Audit]) -> None:
    found = {one.target: one.hypotheses for one in hypotheses.unused(known[1])}
    assert found["T.three"] == ("P n", "Q n m", "R m")
    assert found["T.some_used"] == ("R m",)
    assert found["T.implicit"] == ("P n",)
    assert found["T.dependent"] == ("P n",)
    assert "T.none" not in found
    assert "W.right" not in found
    assert found["W.half_assumed"] == ("P n",)


@pytest.mark.parametrize(
    ("theorem", "witness", "met"),
    [
        ("three", "right", Met(("P n", "Q n m", "R m"), (), (), ())),
        ("three", "grouped", Met(("P n", "Q n m", "R m"), (), (), ())),
        ("three", "unnamed", Met(("P n", "Q n m", "R m"), (), (), ())),
        ("three", "half_assumed", Met(("Q n m", "R m"), ("P n",), (), (), ("n : ℕ",))),
        ("some_used", "right", Met(("P n", "Q n m", "R m"), (), (), ())),
        ("implicit", "implicit", Met(("P k",), ("P n",), (), (), ("n : ℕ",))),
        ("poly", "poly", Met(("R x", "R y"), (), (), (), SORTS)),
        ("poly", "renamed", Met(("R x", "R y"), (), (), (), (*SORTS, "x : α", "y : β"))),
        ("extra", "one", Met(("P n",), (), ("P m", "m : ℕ"), ())),
        ("member", "exists_member", Met(("Mem s n", "P n"), (), (), ())),
    ],
)  # fmt: skip
def test_a_witness_that_is_about_the_hypotheses(
    compare: Compare, theorem: str, witness: str, met: Met
) -> None:
    found = compare(theorem, witness)
    assert found.shown == met.shown
    assert (found.assumed, found.missing, found.given) == (met.assumed, met.missing, met.given)
    assert sorted(found.others) == sorted(met.others)


@pytest.mark.parametrize(
    ("theorem", "witness"),
    [
        ("three", "right"),
        ("three", "grouped"),
        ("some_used", "right"),
        ("poly", "renamed"),
        ("member", "exists_member"),
    ],
)
def test_a_right_witness_is_accepted(
    known: tuple[Policy, Audit], theorem: str, witness: str
) -> None:
    assert complaints(known, theorem, witness) == []


@pytest.mark.parametrize(
    ("theorem", "witness", "named", "said"),
    [
        ("three", "half_assumed", {"witness_assumes": ("P n",)},
            "assumes, and the policy does not say that it may: P n"),
        ("implicit", "implicit", {"witness_assumes": ("P n",)},
            "assumes, and the policy does not say that it may: P n"),
        ("extra", "one", {"witness_leaves_out": ("P m", "m : ℕ")},
            "is not about, and the policy does not say that it need not be: P m; m : ℕ"),
    ],
)  # fmt: skip
def test_what_a_witness_takes_on_trust_is_named_in_the_policy(
    known: tuple[Policy, Audit],
    theorem: str,
    witness: str,
    named: dict[str, tuple[str, ...]],
    said: str,
) -> None:
    (found,) = complaints(known, theorem, witness)
    assert found.endswith(said)
    assert complaints(known, theorem, witness, **named) == []


@pytest.mark.parametrize(
    ("theorem", "witness", "said"),
    [
        ("three", "left_out", "does not speak of all its hypotheses: Q n m"),
        ("three", "all_assumed", "shows none of its hypotheses to be met"),
        ("three", "nothing_shown", "shows none of its hypotheses to be met"),
        ("three", "other", "does not speak of all its hypotheses: P n"),
        ("three", "swapped", "does not speak of all its hypotheses: Q n m"),
        ("three", "split", "shows none of its hypotheses to be met"),
        ("three", "from_false", "assumes what that does not: False"),
        ("three", "from_empty", "assumes what that does not: e : Empty"),
        ("three", "implication", "shows none of its hypotheses to be met"),
        ("three", "nested", "does not speak of all its hypotheses: Q n m"),
        ("three", "one", "does not speak of all its hypotheses: Q n m"),
        ("closed", "one",
            "does not speak of all its hypotheses: Nat.zero = Nat.succ Nat.zero"),
        ("dependent", "one", "does not speak of all its hypotheses: no : n = Nat.succ n"),
        ("member", "member", "assumes what that does not: Mem s Nat.zero"),
        ("poly", "poly", "assumes what that does not: α; β"),
        ("none", "one", "shows none of its hypotheses to be met"),
    ],
)  # fmt: skip
def test_a_witness_of_something_else_is_not(
    known: tuple[Policy, Audit], theorem: str, witness: str, said: str
) -> None:
    (found,) = complaints(known, theorem, witness)
    assert found.endswith(said)


def test_what_a_witness_speaks_of_all_of_is_told(compare: Compare) -> None:
    # There is no such `e`: whoever reads it has to see that it is given.
    found = compare("typed", "typed")
    assert (found.shown, found.given) == (("e = e", "P n"), ("e : Empty",))


def test_a_witness_too_deep_to_be_compared_is_not_accepted(
    known: tuple[Policy, Audit],
) -> None:
    policy, audit = known
    deep = "(And True " * 500 + "True" + ")" * 500
    (right,) = (target for target in audit.targets if target.name == "W.right")
    assert right.statement is not None
    constant = replace(right.statement.constant, type=f"(Π({deep}) True)")
    other = replace(right, statement=replace(right.statement, constant=constant))
    targets = (other if target is right else target for target in audit.targets)
    audit = replace(audit, targets=tuple(targets))
    (found,) = complaints((policy, audit), "three", "right")
    assert "cannot be compared" in found
