"""Declarations as the sources write them, and statements in a form that can be compared."""

from __future__ import annotations

import contextlib
import functools
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.policy import load_policy
from harness.sources.declarations import (
    DeclarationError,
    Declared,
    declarations,
    normal_tokens,
    signature,
)
from harness.sources.lexer import COMMENTS, LexError, tokenize
from projects_for_tests import CHECKOUT

MODEL = CHECKOUT / "Definitions" / "Def_DinhSharpness_Model.lean"
OURS = [MODEL, CHECKOUT / "Challenge.lean", *sorted((CHECKOUT / "DinhSharpness").glob("*.lean"))]
LEAN = [*OURS, CHECKOUT / "scripts/lean/Audit.lean", *(CHECKOUT / "tests/lean").rglob("*.lean")]


def read(path: Path) -> tuple[Declared, ...]:
    return declarations(path.read_text(encoding="utf-8"))


def one(text: str) -> Declared:
    (declared,) = declarations(text)
    return declared


@functools.cache
def everything() -> dict[str, Declared]:
    return {d.name: d for path in OURS if path.name != "Challenge.lean" for d in read(path)}


# Our files


@pytest.mark.parametrize("path", LEAN, ids=lambda p: p.name)
def test_all_declarations_of_our_files(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    without = re.sub(r"/-.*?-/", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)
    words = r"theorem|lemma|def|abbrev|structure|inductive|class|instance|opaque"
    before = r"(?:@\[[^\]]*\] *|private |protected |noncomputable |partial |unsafe )*"
    expected = [
        (without.count("\n", 0, m.start("word")) + 1, m["word"])
        for m in re.finditer(rf"^{before}(?P<word>{words})\b", without, re.MULTILINE)
    ]
    assert [(d.line, d.word) for d in declarations(text)] == expected
    assert [(d.line, d.word) for d in declarations(text.replace("\n", "\r\n"))] == expected


def test_every_target_is_found_where_it_stands() -> None:
    found = everything()
    for target in load_policy(CHECKOUT / "scripts" / "policy.toml").targets:
        declared = found[target]
        assert declared.kind == "theorem" and declared.value is None
        (path,) = (p for p in OURS if p.name != "Challenge.lean" and declared in read(p))
        line = path.read_text(encoding="utf-8").split("\n")[declared.line - 1]
        assert line.startswith(f"theorem {target.removeprefix('DinhSharpness.')}")
        assert declared.docstring


def test_the_theorem_and_the_challenge() -> None:
    (challenge,) = read(CHECKOUT / "Challenge.lean")
    theorem = everything()[challenge.name]
    assert challenge.name == "DinhSharpness.ArbitrarilySharpEquivalentMinima"
    # `∀ (d h : ℕ)` binds what variables of the file are named too.
    assert theorem.variables == challenge.variables == ()
    assert theorem.header == challenge.header
    lines = challenge.header.split("\n")
    assert lines[:4] == [
        ":",
        "∀ (d h : ℕ), 0 < d → 0 < h →",
        "  ∀ (ℓ : (Input d → ℝ) → ℝ), Continuous (parameterLoss (h := h) ℓ) →",
        "    ∀ (θ : Parameter d h), TwiceDifferentiableAt (parameterLoss ℓ) θ →",
    ]
    assert lines[-1].strip() == "M ≤ ‖hessian (parameterLoss ℓ) (scale α θ)‖"
    assert "--" not in challenge.header and "sorry" not in challenge.header


EUCLIDEAN = ("{E : Type*}", "[NormedAddCommGroup E]", "[NormedSpace ℝ E]")


@pytest.mark.parametrize(
    ("name", "expected", "value"),
    [
        ("Input", "(d : ℕ) : Type", "EuclideanSpace ℝ (Fin d)"),
        ("Parameter", "(d h : ℕ) : Type", "EuclideanSpace ℝ (Fin d × Fin h ⊕ Fin h)"),
        ("prediction", "{d h : ℕ} (θ : Parameter d h) (x : Input d) : ℝ",
         "∑ j, max (∑ i, x i * θ (.inl (i, j))) 0 * θ (.inr j)"),
        ("parameterLoss", "{d h : ℕ} (ℓ : (Input d → ℝ) → ℝ) (θ : Parameter d h) : ℝ",
         "ℓ (prediction θ)"),
        ("TwiceDifferentiableAt",
         "{E : Type*} [NormedAddCommGroup E] [NormedSpace ℝ E] (f : E → ℝ) (x : E) : Prop",
         "(∀ᶠ z in 𝓝 x, DifferentiableAt ℝ f z) ∧ DifferentiableAt ℝ (fderiv ℝ f) x"),
        ("unitInput", "{d : ℕ} (k : Fin d) : Input d",
         "WithLp.toLp 2 fun i => if i = k then 1 else 0"),
        ("silentParameter", "(d h : ℕ) : Parameter d h", "WithLp.toLp 2 (Sum.elim 1 0)"),
        ("PositivelyHomogeneous", "(σ : ℝ → ℝ) : Prop",
         "∀ c : ℝ, 0 < c → ∀ t, σ (c * t) = c * σ t"),
        ("hiddenValue",
         "{n : ℕ → ℕ} {L : ℕ} (σ : ℝ → ℝ) (θ : DeepParameter n L) (x : Input (n 0)) :\n"
         "(k : ℕ) → Fin (n k) → ℝ",
         "| 0 => fun j => x j\n"
         "| k + 1 => fun i => σ (∑ j, weight θ k i j * hiddenValue σ θ x k j)"),
        ("PositivelyHomogeneous.max_zero", ": PositivelyHomogeneous fun t => max t 0", None),
        ("TwiceDifferentiableAt.hessian_nonneg",
         "{E : Type*} [NormedAddCommGroup E] [NormedSpace ℝ E] {f : E → ℝ} {x : E} "
         "(hf : TwiceDifferentiableAt f x)\n(hx : IsLocalMin f x) (u : E) : 0 ≤ hessian f x u u",
         None),
        ("contDiff_activePolynomial",
         "{d h : ℕ} (k : Fin d) : ContDiff ℝ 2 (activePolynomial (h := h) k)", None),
    ],
)  # fmt: skip
def test_signatures_and_values(name: str, expected: str, value: str | None) -> None:
    declared = everything()[f"DinhSharpness.{name}"]
    assert signature(declared) == expected
    assert declared.value == value


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("exists_le_norm_hessian_scale", ("{d h : ℕ}",)),
        ("not_bddAbove_norm_hessian_scale", ("{d h : ℕ}",)),
        ("exists_equivalent_minimum_of_layerScale", ("{n : ℕ → ℕ}", "{L : ℕ}", "{σ : ℝ → ℝ}")),
        ("exists_zero_prediction_mem_closedBall", ("{d h : ℕ}",)),
        ("volume_flatRegion_eq_top", ("{d h : ℕ}",)),
        ("exists_minimum_with_nonzero_hessian", ()),
        ("hasDerivAt_line", (*EUCLIDEAN, "{x : E}")),
        ("fderiv_map_of_invariant", (*EUCLIDEAN, "{f : E → ℝ}", "{e : E ≃L[ℝ] E}")),
        ("TwiceDifferentiableAt.of_eventuallyEq", ()),
    ],
)
def test_variables_of_our_theorems(name: str, expected: tuple[str, ...]) -> None:
    assert everything()[f"DinhSharpness.{name}"].variables == expected


def test_modifiers_of_ours() -> None:
    found = everything()
    assert found["DinhSharpness.scale_inl"].modifiers == ("@[simp]",)
    assert found["DinhSharpness.hasDerivAt_line"].modifiers == ("private",)
    assert found["DinhSharpness.scale"].modifiers == ("noncomputable",)
    assert (found["DinhSharpness.Input"].kind, found["DinhSharpness.Input"].word) == (
        "def", "abbrev",
    )  # fmt: skip


# Names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("namespace A.B\ntheorem c : d := e\nend A.B\ntheorem f : g := h", ["A.B.c", "f"]),
        ("namespace A.B\nend B\ntheorem c : d := e\nend A", ["A.c"]),
        ("namespace A\nsection B\ntheorem c.d : e := f\nend B\nend A", ["A.c.d"]),
        ("namespace A\nsection\ntheorem b : c := d\nend\ntheorem e : f := g", ["A.b", "A.e"]),
        ("namespace A\ntheorem _root_.b : c := d", ["b"]),
        ("namespace «a b»\ntheorem «c d».e : f := g", ["«a b».«c d».e"]),
        ("namespace A\nmutual\ndef b := c\ndef d := e\nend\nend A\ndef f := g",
         ["A.b", "A.d", "f"]),
        ("noncomputable section\ndef a := b\nend\nnamespace C\ndef d := e", ["a", "C.d"]),
        ("@[simp] theorem a : b := c\n@[x, y]\nprivate theorem d : e := f", ["a", "d"]),
        ("instance : A := b\ninstance c : A := b\ninstance (priority := low) d : A := b",
         ["", "c", "d"]),
        ("instance [A b] : C b where\n  d := e", [""]),
        ("open A in\ntheorem b : c := d\nopen A B in theorem e : f := g", ["b", "e"]),
        ("set_option a.b true in\n/-- c -/\ntheorem d : e := f", ["d"]),
        ("theorem a : b := c theorem d : e := f", ["a", "d"]),
        ("example : a := b\ndef c := d", ["c"]),
        ("notation \"a\" => b\nmacro \"c\" : command => `(theorem d : e := f)\ndef g := h", ["g"]),
        ("theorem a : b := by\n  exact c -- theorem d : e := f\n/- def g := h /- def i := j -/ -/",
         ["a"]),
        ('def a := "theorem b : c := d"', ["a"]),
        ("structure A where\n  /-- d -/\n  b : C\n  protected e : F\nderiving G\ndef h := i",
         ["A", "h"]),
        ("inductive A\n| b | c\nclass D (e : F) extends G where\n  h : I", ["A", "D"]),
        ("#eval a\n#check b\ndef c := d", ["c"]),
    ],
)  # fmt: skip
def test_names(text: str, names: list[str]) -> None:
    assert [d.name for d in declarations(text)] == names


# Headers and bodies


@pytest.mark.parametrize(
    ("text", "header", "value"),
    [
        ("def a (b : C := d) : E := f", "(b : C := d) : E", "f"),
        ("def a : B (c := d) := e", ": B (c := d)", "e"),
        ("theorem a : |b| ≤ |c| := d", ": |b| ≤ |c|", None),
        ("def a : ℕ → ℕ | 0 => 1 | n + 1 => n", ": ℕ → ℕ", "| 0 => 1 | n + 1 => n"),
        ("def a : ℕ → ℕ\n  | 0 => 1\n  | n + 1 => |n|\ntermination_by n => n",
         ": ℕ → ℕ", "| 0 => 1\n| n + 1 => |n|"),
        ("def a : B where\n  c := d\n  e := f", ": B", "c := d\ne := f"),
        ("structure A (b : C) extends D where\n  e : F -- g\n  /-- h -/\n  i : J\nderiving K",
         "(b : C) extends D", "e : F\ni : J"),
        ("inductive A : Type\n  | b\n  | c : A → A", ": Type", "| b\n| c : A → A"),
        ("structure A", "", None),
        ("axiom a : b", ": b", None),
        ("opaque a : B", ": B", None),
        ("opaque a : B := c", ": B", "c"),
        ("abbrev a := b", "", "b"),
        ("def a /- b -/ (c /- d -/ : E) -- f\n    : G := h", "(c : E)\n: G", "h"),
        ("theorem a :\n    ∀ b,\n      c := by\n  d", ":\n∀ b,\n  c", None),
        ("def a :=\n  if b then\n    c\n  else d", "", "if b then\n  c\nelse d"),
    ],
)  # fmt: skip
def test_header_and_value(text: str, header: str, value: str | None) -> None:
    declared = one(text)
    assert (declared.header, declared.value) == (header, value)
    crlf = one(text.replace("\n", "\r\n"))
    assert (crlf.header, crlf.value) == (header, value)


def test_what_stands_before() -> None:
    declared = one(
        "universe u v w\n/-- Words,\nmore. -/\n@[simp, b (c := d)] protected noncomputable def\n"
        "  e.{x} (f : Type x) : Type u :=\n  g.{v}"
    )
    assert declared.docstring == "Words,\nmore."
    assert declared.modifiers == ("@[simp, b (c := d)]", "protected", "noncomputable")
    assert declared.universes == ("x", "u", "v")
    assert declared.line == 4


# Variables


@pytest.mark.parametrize(
    ("text", "variables"),
    [
        ("variable {a b : N}\ntheorem t : p b := q", ["{b : N}"]),
        ("variable {a b c : N}\ntheorem t : p c a := q", ["{a c : N}"]),
        ("variable (n : N) (m : M n)\ntheorem t : p m := q", ["(n : N)", "(m : M n)"]),
        ("variable {E : T} [C E] [D E F]\ntheorem t (x : E) : p := q",
         ["{E : T}", "[C E]", "[D E F]"]),
        ("variable {E F : T} [C E] [D E F]\ntheorem t (x : E) : p := q", ["{E : T}", "[C E]"]),
        ("variable {E : T} [inst : C E]\ntheorem t (x : E) : p := q", ["{E : T}", "[inst : C E]"]),
        # Theorems use what their statement names, definitions what their body names too.
        ("variable (n : N)\ntheorem t : p := n", []),
        ("variable (n : N)\ndef t : P := n", ["(n : N)"]),
        # What is bound in the text is no variable.
        ("variable (n : N)\ntheorem t (n : M) : p n := q", []),
        ("variable (n : N)\ntheorem t : ∀ n : M, p n := q", []),
        ("variable (n : N)\ntheorem t : ∀ m : M n, p m := q", ["(n : N)"]),
        ("variable (n : N)\ntheorem t : (∀ n, p n) ∧ r n := q", ["(n : N)"]),
        ("variable (n : N)\ntheorem t : p {n | r n} := q", []),
        ("variable (n : N)\ntheorem t : p (fun n : M => n) (∑ n ∈ s, n) := q", []),
        ("variable (n : N)\ntheorem t : p (fun ⟨n, m⟩ ↦ n) := q", []),
        ("variable (n : N)\ntheorem t : p (n := 1) := q", []),
        ("variable (n : N)\ntheorem t : p (m := n) := q", ["(n : N)"]),
        ("variable (n : N)\ntheorem t : m.n ∧ n.m := q", ["(n : N)"]),
        ("variable (n : N)\ntheorem t : (m).n := q", []),
        ("variable (n : N)\ndef t : P := let n := 1; n", []),
        # Scopes.
        ("section\nvariable (n : N)\nend\ntheorem t : p n := q", []),
        ("section A\nvariable (n : N)\nsection\nend\ntheorem t : p n := q\nend A", ["(n : N)"]),
        ("variable (n : N) in\ntheorem t : p n := q", ["(n : N)"]),
        ("variable (n : N) in\nopen A in\ntheorem t : p n := q", ["(n : N)"]),
        # Other brackets for what is there already.
        ("variable {n m : N}\nvariable (n)\ntheorem t : p n m := q", ["(n : N)", "{m : N}"]),
        ("variable (n : N)\nvariable {n} in\ntheorem t : p n := q", ["{n : N}"]),
        ("variable (n : N)\nvariable (n : M)\ntheorem t : p n := q", ["(n : M)"]),
        ("variable (n : N) {h : n = 1}\ninclude h\ntheorem t : p := q", ["(n : N)", "{h : n = 1}"]),
        ("variable (n : N) -- m\n  /- k -/ {m :\n    M}\ntheorem t : p n m := q",
         ["(n : N)", "{m : M}"]),
    ],
)  # fmt: skip
def test_variables(text: str, variables: list[str]) -> None:
    assert list(one(text).variables) == variables


def test_variables_hold_for_one_command_after_in() -> None:
    text = "variable (n : N) in\ntheorem t : p n := q\ntheorem u : p n := q"
    assert [d.variables for d in declarations(text)] == [("(n : N)",), ()]


# What is not understood


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("def a := b\nend A", 2, "closes no scope"),
        ("namespace A\nend B", 2, "closes no scope"),
        ("section\nend A", 2, "closes no scope"),
        ("namespace\n", 1, "without a name"),
        ("theorem a : b", 1, "without a body"),
        ("theorem a : let b := c; d := e", 1, "not sure where it ends"),
        ("theorem a : b | c := d", 1, "not sure where it ends"),
        ("variable n", 1, "without binders"),
        ("variable (n)\ntheorem a : b := c", 1, "has no type"),
        ("omit [A]", 1, "`omit` is not understood"),
        ("\nsome_command a", 2, "begins no command that is known here"),
        ("def a := b\nsome_command c", 2, "begins no command that is known here"),
        ("def a := (b", 1, "never closed"),
        ("def a := b)", 1, "closes no bracket"),
        ("theorem «a\nb» : c := d", 1, "not a name"),
        ("private", 1, "nothing follows"),
        ("open A in\nsection\nend", 2, "not understood"),
    ],
)
def test_what_is_not_understood_is_named(text: str, line: int, message: str) -> None:
    with pytest.raises(DeclarationError) as caught:
        declarations(text)
    assert caught.value.line == line
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"line {line}: ")


@given(st.text(alphabet='theorem def variable section end (n:=)|{}[]@ \n-/∀,.«»"ℝ', max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(DeclarationError, LexError):
        assert all(declared.word for declared in declarations(text))


# Normal form

EQUAL = [
    ("∀ M : ℝ, 0 < M", "∀ (M : ℝ), 0 < M"),
    ("∀ a b : ℕ, p", "∀ (a b : ℕ), p"),
    ("∀ (a : ℕ) (b : ℕ), p", "∀ (a b : ℕ), p"),
    ("∀ a : ℕ, ∀ b : ℕ, p", "∀ (a b : ℕ), p"),
    ("{a b : ℕ} (c : a = b) : p", "∀ {a b : ℕ} (c : a = b), p"),
    (": a = b", "a = b"),
    ("∃ α : ℝ, 0 < α", "∃ α, 0 < α"),
    ("∃ a b, p", "∃ a, ∃ (b : ℕ), p"),
    ("fun x : ℝ => x", "fun x ↦ x"),
    ("fun (x : ℝ) (y : ℕ) => x", "fun x y ↦ x"),
    ("λ x, x", "fun x => x"),
    ("fun x => fun y => x", "fun x y => x"),
    ("∑ j : Fin h, f j", "∑ j, f j"),
    ("∑ j in s, f j", "∑ j ∈ s, f j"),
    ("∀ᶠ z : E in 𝓝 x, p", "∀ᶠ (z : E) in 𝓝 x, p"),
    ("∀ᶠ z in 𝓝 x, p", "∀ᶠ (z : E) in 𝓝 x, p"),
    ("θ (.inl (i, j))", "θ (Sum.inl (i, j))"),
    ("parameterLoss (h := h) ℓ", "parameterLoss ℓ"),
    ("{E : Type*} : p", "{E : Type u_1} : p"),
    ("{E : Type _} : p", "{E : Type*} : p"),
    ("{E : T} [inst : C E] : p", "{E : T} [C E] : p"),
    ("f (x) (1)", "f x 1"),
    ("((a + b)) * c", "(a + b) * c"),
    ("(a + b)", "a + b"),
    ("(1 : ℝ) + x", "1 + x"),
    ("f (e.symm : E →L[ℝ] E)", "f e.symm"),
    ("{x : ℝ | 0 < x}", "{x | 0 < x}"),
    ("{x : ℝ // 0 < x}", "{ x // 0 < x }"),
    ("a /- c -/ = -- d\n    b", "a=b"),
    ("(a b : ℕ) → p", "(a : ℕ) → (b : ℕ) → p"),
    ("∃ x ∈ s, p", "∃ x ∈ s,\n  p"),
]

UNEQUAL = [
    ("a ≤ b", "a < b"),
    ("a ≤ b", "b ≥ a"),
    ("a ≠ b", "¬ a = b"),
    ("a - (b - c)", "a - b - c"),
    ("a * (b + c)", "a * b + c"),
    ("∀ x : ℝ, p", "∃ x : ℝ, p"),
    ("∀ x : ℝ, p", "∀ x : ℕ, p"),
    ("∀ x : ℝ, p", "∀ x, p"),
    ("∀ x y : ℝ, p", "∀ y x : ℝ, p"),
    ("∀ {x : ℝ}, p", "∀ (x : ℝ), p"),
    ("∃ x, p", "∃! x, p"),
    ("∃ x y, p", "∃ y x, p"),
    ("∃ x ∈ s, p", "∃ x ∈ t, p"),
    ("∃ x > 0, p", "∃ x ≥ 0, p"),
    ("∃ (_ : 0 < a), p", "∃ (_ : 0 < b), p"),
    ("∃ x, p", "∃ᶠ x in f, p"),
    ("∀ᶠ x in f, p", "∀ᶠ x in g, p"),
    ("fun x y => x", "fun x y => y"),
    ("fun x => fun y => x", "fun y => fun x => x"),
    ("∑ i, ∑ j, a", "∑ i j, a"),
    ("∑ i ∈ s, a", "∑ i, a"),
    ("∑ i, a", "∏ i, a"),
    ("max a 0", "max 0 a"),
    ("f 1", "f 2"),
    ("f 1", "f 1.0"),
    ("f .inl", "f .inr"),
    ("f x.inl", "f y.inl"),
    ("(f x).inl", "f x inl"),
    ("x.1", "x.2"),
    ("{x | p}", "{x, p}"),
    ("(a, b)", "⟨a, b⟩"),
    ("f (g x)", "f g x"),
    ("{a : ℕ} : p", "[a : ℕ] : p"),
    ("E →L[ℝ] F", "E → L [ℝ] F"),
    ("Type", "Type*"),
    ("Prop", "Type"),
    ("f «a b»", "f a b"),
    ('f "a"', "f a"),
    ("a ∧ b", "a ∨ b"),
    ("‖x‖", "|x|"),
    ("f⁻¹ x", "f x⁻¹"),
]

# What printers leave out; `exact` sees it.
UNSEEN = [
    ("∃ α : ℝ, 0 < α", "∃ α : ℕ, 0 < α"),
    ("fun x : ℝ => x", "fun x : ℕ => x"),
    ("∑ j : Fin h, f j", "∑ j : Fin d, f j"),
    ("parameterLoss (h := h) ℓ", "parameterLoss (h := d) ℓ"),
    ("(1 : ℝ)", "(1 : ℕ)"),
    ("Sum.inl x", "Option.inl x"),
    ("{x : ℝ | p}", "{x : ℕ | p}"),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_the_same_written_otherwise(one: str, other: str) -> None:
    assert normal_tokens(one) == normal_tokens(other)


@pytest.mark.parametrize(("one", "other"), UNEQUAL)
def test_different_statements(one: str, other: str) -> None:
    assert normal_tokens(one) != normal_tokens(other)
    assert normal_tokens(one, exact=True) != normal_tokens(other, exact=True)


@pytest.mark.parametrize(("one", "other"), UNSEEN)
def test_what_is_not_seen(one: str, other: str) -> None:
    assert normal_tokens(one) == normal_tokens(other)
    assert normal_tokens(one, exact=True) != normal_tokens(other, exact=True)


def test_namespaces() -> None:
    ours = ("DinhSharpness",)
    assert normal_tokens("DinhSharpness.scale α θ", ours) == normal_tokens("scale α θ")
    assert normal_tokens("DinhSharpness.A.b", ours, exact=True) == ("A.b",)
    assert normal_tokens("Dinh.b", ours, exact=True) == ("Dinh.b",)


@pytest.mark.parametrize("text", ["(a", "a)", "(a]", "/- a"])
def test_no_normal_form(text: str) -> None:
    with pytest.raises(LexError):
        normal_tokens(text)


STATEMENTS = [signature(d) for d in everything().values()]
VALUES = [d.value for path in OURS for d in read(path) if d.value and "by" not in d.value.split()]
TEXTS = [*STATEMENTS, *VALUES]
OTHERS = {
    "=": "≠", "≠": "=", "<": "≤", "≤": "<", "∧": "∨", "∨": "∧", "→": "↔", "*": "+", "+": "*",
    "∀": "∃", "∃": "∀", "∑": "∏", "∏": "∑", "0": "1", "1": "2", "2": "0", "∈": "∉", "•": "*",
    "-": "+", "ℝ": "ℚ", "ℕ": "ℤ",
}  # fmt: skip


@functools.cache
def unseen(text: str, exact: bool = False) -> set[int]:
    """The tokens whose change does not change the normal form."""
    tokens = [t for t in tokenize(text) if t.kind not in COMMENTS]
    normal = normal_tokens(text, exact=exact)
    same = set()
    for index, token in enumerate(tokens):
        other = OTHERS.get(token.text, f"{token.text}z" if token.text[0].isalpha() else "")
        if other and token.text not in ("fun", "in", "if", "then", "else"):
            changed = text[: token.start] + other + text[token.end :]
            if normal_tokens(changed, exact=exact) == normal:
                same.add(index)
    return same


@pytest.mark.parametrize("text", TEXTS)
def test_every_change_of_a_token_of_ours_is_seen(text: str) -> None:
    assert unseen(text, exact=True) == set()


def test_what_is_not_seen_of_the_theorem() -> None:
    (theorem,) = read(CHECKOUT / "Challenge.lean")
    tokens = [t for t in tokenize(theorem.header) if t.kind not in COMMENTS]
    found = [(tokens[i - 2].text, tokens[i].text) for i in sorted(unseen(theorem.header))]
    # The two `h` of `(h := h)` and the type of `α`.
    assert [text for _, text in found] == ["h", "h", "ℝ"]
    assert found[-1] == ("α", "ℝ")


@pytest.mark.parametrize("exact", [False, True])
@given(data=st.data())
def test_two_tokens_of_ours_changed_about(data: st.DataObject, exact: bool) -> None:
    text = data.draw(st.sampled_from(TEXTS))
    hidden, plain = unseen(text, exact), ("fun", "in", "if", "then", "else")
    tokens = [
        token
        for index, token in enumerate(t for t in tokenize(text) if t.kind not in COMMENTS)
        if token.kind.value in ("identifier", "number")
        and token.text not in plain
        and index not in hidden
    ]
    first, second = sorted(data.draw(st.permutations(tokens))[:2], key=lambda t: t.start)
    if first.text == second.text:
        return
    between = text[first.end : second.start]
    changed = text[: first.start] + second.text + between + first.text + text[second.end :]
    assert normal_tokens(changed, exact=exact) != normal_tokens(text, exact=exact)


@given(st.sampled_from(TEXTS), st.booleans())
def test_the_normal_form_does_not_depend_on_layout(text: str, exact: bool) -> None:
    one_line = " ".join(text.split())
    many = re.sub(r" ", " -- c\n  /- d -/ ", text)
    assert normal_tokens(one_line, exact=exact) == normal_tokens(text, exact=exact)
    assert normal_tokens(many, exact=exact) == normal_tokens(text, exact=exact)


def test_the_statement_as_lean_prints_it() -> None:
    # Lean prints types of what ∀ binds and not of what ∃ binds, and no named arguments.
    printed = """∀ (d h : ℕ), 0 < d → 0 < h →
      ∀ (ℓ : (Input d → ℝ) → ℝ), Continuous (parameterLoss ℓ) →
      ∀ (θ : Parameter d h), TwiceDifferentiableAt (parameterLoss ℓ) θ →
        IsLocalMin (parameterLoss ℓ) θ → fderiv ℝ (parameterLoss ℓ) θ = 0 →
          hessian (parameterLoss ℓ) θ ≠ 0 → ∀ (M : ℝ), 0 < M → ∃ α, 0 < α ∧
            prediction (scale α θ) = prediction θ ∧
            parameterLoss ℓ (scale α θ) = parameterLoss ℓ θ ∧
            IsLocalMin (parameterLoss ℓ) (scale α θ) ∧
            TwiceDifferentiableAt (parameterLoss ℓ) (scale α θ) ∧
            fderiv ℝ (parameterLoss ℓ) (scale α θ) = 0 ∧
            M ≤ ‖hessian (parameterLoss ℓ) (scale α θ)‖"""
    (theorem,) = read(CHECKOUT / "Challenge.lean")
    assert normal_tokens(printed) == normal_tokens(theorem.header)
    long = printed.replace("Input d", "DinhSharpness.Input d").replace(
        "scale", "DinhSharpness.scale"
    )
    assert normal_tokens(long, ("DinhSharpness",)) == normal_tokens(theorem.header)
    assert normal_tokens(printed.replace("M ≤", "M <")) != normal_tokens(theorem.header)
