"""Terms printed as Lean sources write them."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import term as t
from harness.printing import WIDTH, Printer
from harness.term import App, Binder, Bound, Const, Literal, Term

INFIX = {
    # Sign, and how tightly it binds its operands: on the left, on the right. From Lean's
    # `src/Init/Prelude.lean`, `src/Init/Core.lean`, and Mathlib.
    "HAdd.hAdd": ("+", 65, 65, 66), "HSub.hSub": ("-", 65, 65, 66),
    "HMul.hMul": ("*", 70, 70, 71), "HDiv.hDiv": ("/", 70, 70, 71),
    "HPow.hPow": ("^", 75, 76, 75), "HSMul.hSMul": ("•", 73, 74, 73),
    "LT.lt": ("<", 50, 51, 51), "LE.le": ("≤", 50, 51, 51), "Eq": ("=", 50, 51, 51),
    "Ne": ("≠", 50, 51, 51), "And": ("∧", 35, 36, 35), "Or": ("∨", 30, 31, 30),
    "Iff": ("↔", 20, 21, 21), "Prod": ("×", 35, 36, 35), "Sum": ("⊕", 30, 31, 30),
    "Function.comp": ("∘", 90, 91, 90), "Union.union": ("∪", 65, 65, 66),
    "Inter.inter": ("∩", 70, 70, 71), "SDiff.sdiff": ("\\", 70, 71, 71),
    "Set.image": ("''", 80, 80, 81), "Membership.mem": ("∈", 50, 51, 51),
}  # fmt: skip
SIGNATURES = {
    **dict.fromkeys(INFIX, "{{[(("), "And": "((", "Or": "((", "Iff": "((",
    "Not": "(", "Exists": "{(", "Neg.neg": "{[(", "Inv.inv": "{[(", "Norm.norm": "{[(",
    "abs": "{[[(", "Max.max": "{[((", "Prod.mk": "{{((", "Prod.fst": "{{(", "setOf": "{(",
    "Finset.sum": "{{[((", "Finset.univ": "{[", "Filter.Eventually": "{((", "nhds": "{[(",
    "ite": "{([((", "OfNat.ofNat": "{([", "Nat.cast": "{[(", "Top.top": "{[",
    "DFunLike.coe": "{{{[((", "WithLp.ofLp": "{{(", "RingHom.id": "([", "hidden": "{[",
    "ContinuousLinearMap": "{{[[{(([(([[[", **dict.fromkeys("abcfgpqrs", "((("),
}  # fmt: skip
T, INSTANCE = Const("T"), Const("inst")


def make(name: str, *explicit: Term) -> Term:
    """A constant with these explicit arguments, and something for the others."""
    left = list(explicit)
    given_: list[Term] = []
    for bracket in SIGNATURES[name]:
        if bracket == "(":
            if not left:
                break
            given_.append(left.pop(0))
        else:
            given_.append(INSTANCE if bracket == "[" else T)
    return App(Const(name), (*given_, *left)) if given_ else Const(name)


def under(name: str, body: Term, sign: str = "λ", type_: Term = T) -> Binder:
    return Binder(sign, "(", type_, body, name)


def to(left: Term, right: Term) -> Binder:
    return Binder("Π", "(", left, right, "a✝")


a, b, c, f, g, p, q, r, s = (Const(name) for name in "abcfgpqrs")
x = Bound(0)


def ap(*parts: Term) -> App:
    return App(parts[0], parts[1:])


def ex(name: str, body: Term) -> Term:
    return make("Exists", under(name, body))


def show(term: Term, **more: Any) -> str:
    return Printer(SIGNATURES, **more).show(term)


def add(one: Term, other: Term) -> Term:
    return make("HAdd.hAdd", one, other)


def mul(one: Term, other: Term) -> Term:
    return make("HMul.hMul", one, other)


def conj(one: Term, other: Term) -> Term:
    return make("And", one, other)


def neg(one: Term) -> Term:
    return make("Neg.neg", one)


def inv(one: Term) -> Term:
    return make("Inv.inv", one)


def number(value: int) -> Term:
    return make("OfNat.ofNat", Literal(str(value)))


def total(name: str, body: Term) -> Term:
    return make("Finset.sum", make("Finset.univ"), under(name, body))


def equal(one: Term, other: Term) -> Term:
    return make("Eq", one, other)


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (mul(add(a, b), c), "(a + b) * c"),
        (add(mul(a, b), c), "a * b + c"),
        (add(a, add(b, c)), "a + (b + c)"),
        (add(add(a, b), c), "a + b + c"),
        (make("HPow.hPow", a, make("HPow.hPow", b, c)), "a ^ b ^ c"),
        (make("HPow.hPow", make("HPow.hPow", a, b), c), "(a ^ b) ^ c"),
        (make("SDiff.sdiff", make("SDiff.sdiff", a, b), c), "(a \\ b) \\ c"),
        (to(a, to(b, c)), "a → b → c"),
        (to(to(a, b), c), "(a → b) → c"),
        (make("Not", conj(a, b)), "¬(a ∧ b)"),
        (make("Not", ap(f, a)), "¬f a"),
        (equal(make("Not", a), b), "(¬a) = b"),
        (ap(f, make("Not", a)), "f (¬a)"),
        (conj(make("Not", a), b), "¬a ∧ b"),
        (ap(f, ap(g, a)), "f (g a)"),
        (ap(f, a, b), "f a b"),
        (neg(a), "-a"),
        (neg(neg(a)), "- -a"),
        (inv(a), "a⁻¹"),
        (inv(neg(a)), "(-a)⁻¹"),
        (neg(inv(a)), "-a⁻¹"),
        (mul(neg(a), b), "-a * b"),
        (make("HPow.hPow", neg(a), b), "(-a) ^ b"),
        (neg(make("HPow.hPow", a, b)), "-a ^ b"),
        (ap(f, neg(a)), "f (-a)"),
        (ap(f, inv(a)), "f a⁻¹"),
        (inv(ap(f, a)), "(f a)⁻¹"),
        (make("Norm.norm", add(a, b)), "‖a + b‖"),
        (make("abs", a), "|a|"),
        (mul(make("Max.max", a, number(0)), b), "max a 0 * b"),
        (make("Max.max", add(a, b), number(0)), "max (a + b) 0"),
        (ex("x", conj(make("Membership.mem", s, x), ap(p, x))), "∃ x ∈ s, p x"),
        (ex("x", conj(make("Membership.mem", x, x), p)), "∃ x : T, x ∈ x ∧ p"),
        (ex("x", ex("y", ap(p, x, Bound(1)))), "∃ (x y : T), p y x"),
        (conj(ex("x", p), q), "(∃ x : T, p) ∧ q"),
        (conj(p, ex("x", q)), "p ∧ ∃ x : T, q"),
        (conj(conj(p, ex("x", q)), r), "(p ∧ ∃ x : T, q) ∧ r"),
        (make("Or", conj(p, ex("x", q)), r), "(p ∧ ∃ x : T, q) ∨ r"),
        (conj(a, to(b, c)), "a ∧ (b → c)"),
        (conj(a, to(b, ex("x", c))), "a ∧ (b → ∃ x : T, c)"),
        (to(a, make("Iff", b, c)), "a → (b ↔ c)"),
        (make("Iff", to(a, b), c), "a → b ↔ c"),
        (make("Iff", to(a, ex("x", b)), c), "(a → ∃ x : T, b) ↔ c"),
        (under("x", to(ap(p, x), ap(q, Bound(1))), "Π"), "∀ x : T, p x → q x"),
        (conj(under("x", ap(p, x), "Π"), q), "(∀ x : T, p x) ∧ q"),
        (total("i", total("j", mul(ap(f, Bound(1)), ap(g, x)))), "∑ i, ∑ j, f i * g j"),
        (add(total("i", ap(f, x)), a), "(∑ i, f i) + a"),
        (total("i", add(ap(f, x), a)), "∑ i, (f i + a)"),
        (mul(a, total("i", ap(f, x))), "a * ∑ i, f i"),
        (make("Finset.sum", s, under("i", ap(f, x))), "∑ i ∈ s, f i"),
        (make("setOf", under("x", ap(p, x))), "{x | p x}"),
        (make("Set.image", under("x", ap(f, x)), s), "(fun x => f x) '' s"),
        (make("Prod.mk", a, make("Prod.mk", b, c)), "(a, (b, c))"),
        (make("Prod.fst", make("Prod.mk", a, b)), "(a, b).1"),
        (make("Prod.fst", number(1)), "(1).1"),
        (t.Proj("S", 1, ap(f, a)), "(f a).2"),
        (make("Filter.Eventually", under("z", ap(p, x)), make("nhds", a)), "∀ᶠ z in 𝓝 a, p z"),
        (make("ite", p, a, b), "if p then a else b"),
        (add(make("ite", p, a, b), c), "(if p then a else b) + c"),
        (make("Nat.cast", a), "↑a"),
        (make("DFunLike.coe", f, a), "f a"),
        (make("WithLp.ofLp", f, ap(g, a)), "f (g a)"),
        (under("x", ap(f, x)), "fun x => f x"),
        (ap(f, under("x", x)), "f (fun x => x)"),
        (ap(under("x", x), a), "(fun x => x) a"),
        (t.Let(T, a, add(x, b), "y"), "let y : T := a; y + b"),
        (make("Prod", make("Sum", a, b), c), "(a ⊕ b) × c"),
        (make("Sum", make("Prod", a, b), c), "a × b ⊕ c"),
        (Const("Real"), "ℝ"),
        (make("Top.top"), "⊤"),
        (Literal('"a \\" b"'), '"a \\" b"'),
        (t.Sort("0"), "Prop"),
        (t.Sort("1"), "Type"),
        (t.Sort("3"), "Type 2"),
        (t.Sort("u"), "Sort u"),
        (t.Sort("u+1"), "Type u"),
        (t.Sort("u+2"), "Type (u+1)"),
        (t.Sort("u_3+1"), "Type*"),
        (t.Sort("(max u v)+1"), "Type (max u v)"),
        (t.Sort("max (u+1) (v+1)"), "Sort (max (u+1) (v+1))"),
        (t.Sort("max u v"), "Sort (max u v)"),
        (ap(f, t.Sort("u+1")), "f (Type u)"),
        (App(Const("unknown"), (a, ap(f, b))), "@unknown a (f b)"),
        (Const("unknown"), "unknown"),
        (make("hidden"), "hidden"),
        (Bound(3), "#3"),
    ],
)  # fmt: skip
def test_notation_and_parentheses(term: Term, text: str) -> None:
    assert show(term) == text


def test_binders_of_one_type_stand_together() -> None:
    term = t.parse("(Π(T) (Π(T) (Π{T} (Π[(Foo #0)] (p #0 #1 #2)))))", (), ["a", "b", "c", "inst✝"])
    assert show(term) == "∀ (a b : T) {c : T} [@Foo c], p inst4 c b"


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["x", "x"], "∀ (x x' : T), p x x'"),
        (["x", "x✝"], "∀ (x x2 : T), p x x2"),
        (["x2", "x✝"], "∀ (x2 x2' : T), p x2 x2'"),
        (["", "_"], "∀ (x1 x2 : T), p x1 x2"),
        (["[anonymous]", "a._@.M._hyg.1"], "∀ (x1 x2 : T), p x1 x2"),
        (["p", "y"], "∀ (p y : T), _root_.p p y"),
    ],
)
def test_bound_names_are_distinct_from_each_other_and_from_constants(
    names: list[str], text: str
) -> None:
    assert show(t.parse("(Π(T) (Π(T) (p #1 #0)))", (), names)) == text


def test_a_name_is_not_shortened_to_that_of_something_else() -> None:
    known = SIGNATURES | {"N.p": "(((", "N.own": "(((", "max": "(", "N.Nat": "", "ℝ": ""}
    printer = Printer(known, ("N",))
    shown = [printer.show(App(Const(n), (a,))) for n in ("N.own", "N.p", "p", "max", "N.Nat", "ℝ")]
    assert shown == ["own a", "N.p a", "p a", "_root_.max a", "N.Nat a", "_root_.ℝ a"]
    assert printer.show(under("ℝ", ap(f, x, Const("Real")))) == "fun ℝ => f ℝ _root_.Real"
    maximum = make("Max.max", x, a)
    assert printer.show(under("max", maximum)) == "fun max => Max.max max a"


# What is printed is read back: so no two terms of different structure print the same.

TOKEN = re.compile(r"''|∀ᶠ|=>|→|\.1|⁻¹|'|[\w']+|\S")


class Reader:
    """Reads a printed term by Lean's own precedences, to what is visible of its structure."""

    def __init__(self, text: str) -> None:
        self.words = TOKEN.findall(text)
        self.at = 0

    def peek(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def take(self, *wanted: str) -> str:
        word = self.peek()
        assert not wanted or word in wanted, (word, wanted, self.words)
        self.at += 1
        return word

    def term(self, least: int, around: tuple[str, ...]) -> Any:
        left, tightness = self.leading(least, around)
        while True:
            word = self.peek()
            found = next((n for n, (sign, *_) in INFIX.items() if sign == word), None)
            if word == "→" and least <= 25 and tightness >= 26:
                self.take()
                left, tightness = ("→", left, self.term(25, (*around, "→"))), 25
            elif found:
                _, own, of_left, of_right = INFIX[found]
                if own < least or tightness < of_left:
                    return left
                self.take()
                right = self.term(of_right, around)
                parts = (right, left) if found == "Membership.mem" else (left, right)
                left, tightness = (found, *parts), own
            else:
                return left

    def leading(self, least: int, around: tuple[str, ...]) -> tuple[Any, int]:
        """What begins here, and how tightly it binds."""
        match self.peek():
            case "∀" | "∃" as sign:
                self.take()
                return self.quantified(sign, around), 1023
            case "fun":
                self.take()
                names = []
                while self.peek() != "=>":
                    names.append(self.take())
                self.take("=>")
                body = self.term(0, (*around, *names))
                for _ in names:
                    body = ("fun", body)
                return body, 1023
            case "∑":
                self.take()
                name = self.take()
                over: Any = "univ"
                if self.peek() == "∈":
                    self.take()
                    over = self.term(51, around)
                self.take(",")
                return ("Finset.sum", over, ("fun", self.term(67, (*around, name)))), 1023
            case "∀ᶠ":
                self.take()
                name = self.take()
                self.take("in")
                where = self.term(0, around)
                self.take(",")
                body = ("fun", self.term(0, (*around, name)))
                return ("Filter.Eventually", body, where), 1023
            case "if":
                self.take()
                parts = [self.term(0, around)]
                for word in ("then", "else"):
                    self.take(word)
                    parts.append(self.term(0, around))
                return ("ite", *parts), 1023
            case "¬":
                self.take()
                return ("Not", self.term(40, around)), 1024
            case "-":
                assert least <= 75
                self.take()
                return ("Neg.neg", self.term(75, around)), 75
        head = self.atom(around)
        arguments = []
        while least <= 1023 and self.begins_an_argument():
            arguments.append(self.atom(around))
        if not arguments:
            return head, 1024
        if head == "max":
            return ("Max.max", *arguments), 1023
        return ("apply", head, *arguments), 1023

    def begins_an_argument(self) -> bool:
        word = self.peek()
        return word in ("(", "{", "¬") or (
            re.fullmatch(r"[\w']+", word) is not None and word not in ("then", "else", "in", "''")
        )

    def atom(self, around: tuple[str, ...]) -> Any:
        word = self.take()
        if word == "(":
            found = self.term(0, around)
            if self.peek() == ",":
                self.take()
                found = ("Prod.mk", found, self.term(0, around))
            self.take(")")
        elif word == "{":
            name = self.take()
            self.take("|")
            found = ("setOf", ("fun", self.term(0, (*around, name))))
            self.take("}")
        elif word == "¬":
            return ("Not", self.term(40, around))
        elif word in around:
            found = len(around) - 1 - max(i for i, n in enumerate(around) if n == word)
        else:
            assert re.fullmatch(r"\w+", word), (word, self.words)
            found = word
        while self.peek() in ("⁻¹", ".1"):
            found = ("Inv.inv" if self.take() == "⁻¹" else "Prod.fst", found)
        return found

    def quantified(self, sign: str, around: tuple[str, ...]) -> Any:
        names: list[str] = []
        types: list[Any] = []
        over = None
        if self.peek() == "(":
            while self.peek() == "(":
                self.take()
                group = []
                while self.peek() != ":":
                    group.append(self.take())
                self.take(":")
                type_ = self.term(0, (*around, *names))
                types += [type_] * len(group)
                names += group
                self.take(")")
        else:
            names.append(self.take())
            if self.take(":", "∈") == ":":
                types.append(self.term(0, around))
            else:
                over = self.term(51, around)
                types.append("T")
        self.take(",")
        body = self.term(0, (*around, *names))
        if over is not None:
            body = ("And", ("Membership.mem", raised(over), 0), body)
        for type_ in reversed(types):
            body = (sign, type_, body) if sign == "∀" else ("Exists", ("fun", body))
        return body


def raised(seen: Any, under_: int = 0) -> Any:
    """With what points out of it pointing one binder further."""
    if isinstance(seen, int):
        return seen + 1 if seen >= under_ else seen
    if isinstance(seen, tuple):
        inner = under_ + 1 if seen[0] == "fun" else under_
        if seen[0] in ("→", "∀"):
            return (seen[0], raised(seen[1], under_), raised(seen[2], under_ + 1))
        return (seen[0], *(raised(one, inner) for one in seen[1:]))
    return seen


def visible(term: Term) -> Any:
    """What is to be seen of a term: implicit arguments and types of `fun` are left out."""
    match term:
        case Bound(index):
            return index
        case Const(name):
            return name
        case Literal(text):
            return text
        case Binder("λ", _, _, body):
            return ("fun", visible(body))
        case Binder(_, _, type_, body, name):
            sign = "→" if t.is_hidden(name) and not t.mentions(body, 0) else "∀"
            return (sign, visible(type_), visible(body))
        case App(Const(name), arguments):
            brackets = SIGNATURES.get(name, "(((")
            shown = [
                one for one, bracket in zip(arguments, brackets, strict=False) if bracket == "("
            ]
            shown += arguments[len(brackets) :]
            seen = [visible(one) for one in shown]
            if name == "OfNat.ofNat":
                return seen[0]
            if name == "Finset.univ":
                return "univ"
            return (name, *seen) if len(name) > 1 else ("apply", name, *seen)
        case App(head, arguments):
            return ("apply", visible(head), *map(visible, arguments))
    raise AssertionError(term)


@st.composite
def terms(draw: st.DrawFn, depth: int = 3, around: int = 0) -> Term:
    """A term of everything that the reader above knows."""
    if not depth or draw(st.integers(0, 5)) == 0:
        if around and draw(st.booleans()):
            return Bound(draw(st.integers(0, around - 1)))
        return draw(st.sampled_from([a, b, p, q, number(2)]))

    def part(entered: int = 0) -> Term:
        return draw(terms(depth - 1, around + entered))

    name = draw(st.sampled_from(["x", "y", "z", "a"]))
    match draw(st.integers(0, 13)):
        case 0 | 1 | 2 | 3:
            return make(draw(st.sampled_from(sorted(INFIX))), part(), part())
        case 4:
            return make(draw(st.sampled_from(["Not", "Neg.neg", "Inv.inv", "Prod.fst"])), part())
        case 5:
            head = draw(st.sampled_from([f, g]))
            return ap(head, part(), *([part()] if draw(st.booleans()) else []))
        case 6:
            return to(part(), part(1))
        case 7:
            return under(name, part(1), "Π", part())
        case 8 | 9:
            return ex(name, part(1))
        case 10:
            return under(name, part(1))
        case 11:
            over = make("Finset.univ") if draw(st.booleans()) else part()
            return make("Finset.sum", over, under(name, part(1)))
        case 12:
            return make("Filter.Eventually", under(name, part(1)), part())
        case _:
            made = draw(st.sampled_from(["Prod.mk", "Max.max", "ite", "setOf"]))
            if made == "setOf":
                return make(made, under(name, part(1)))
            return make(made, *(part() for _ in range(3 if made == "ite" else 2)))


def read_back(text: str) -> Any:
    reader = Reader(text.replace("_root_.", "").replace("- -", "- - "))
    found = reader.term(0, ())
    assert reader.at == len(reader.words), (text, reader.words[reader.at :])
    return found


@settings(max_examples=300)
@given(terms())
def test_what_is_printed_reads_as_the_term_that_it_is(term: Term) -> None:
    term = renamed(term)
    text = show(term)
    assert read_back(text) == visible(term), text


@settings(max_examples=150)
@given(terms(4))
def test_what_is_printed_in_lines_reads_as_the_same(term: Term) -> None:
    term = renamed(term)
    lines = Printer(SIGNATURES).declaration(
        "theorem t", conj(term, conj(term, under("x", term, "Π")))
    )
    said = lines.removeprefix("theorem t :")
    again = visible(conj(term, conj(term, under("x", term, "Π"))))
    assert read_back(" ".join(said.split())) == again, lines


def renamed(term: Term, names: str = "ijklmno") -> Term:
    """The term with names of binders that are no constants of it: `a` is one."""
    match term:
        case Binder(sign, bracket, type_, body, "a"):
            return Binder(sign, bracket, renamed(type_), renamed(body), "x")
        case Binder(sign, bracket, type_, body, name):
            return Binder(sign, bracket, renamed(type_), renamed(body), name)
        case App(head, arguments):
            return App(renamed(head), tuple(map(renamed, arguments)))
        case _:
            return term


# Lines, and time.


def test_lines_are_of_at_most_so_many_columns() -> None:
    long = ap(f, *(Const(f"argument_{i}") for i in range(30)))
    row = conj(long, conj(ex("x", conj(long, long)), to(long, under("y", long, "Π"))))
    for type_ in (row, long, to(row, row), ex("z", row), under("v", row, "Π", long)):
        for value in (None, long, under("v", long)):
            text = Printer(SIGNATURES).declaration("def " + "d" * 30, type_, value)
            assert max(map(len, text.split("\n"))) <= WIDTH, text


def test_texts_are_not_broken_inside_strings_and_quoted_names() -> None:
    string, name = '"' + "a  b " * 40 + '"', "«" + "two words " * 20 + "»"
    text = Printer(SIGNATURES).declaration("def d", ap(f, Literal(string), Const(name)), None)
    assert string in text
    assert name in text


def nested(count: int) -> Iterator[tuple[str, Term]]:
    left: Term = a
    right: Term = a
    arrows: Term = a
    binders: Term = a
    functions: Term = a
    exists: Term = a
    sums: Term = a
    arguments: Term = a
    for _ in range(count):
        left, right = conj(left, b), conj(b, right)
        arrows, binders = to(b, arrows), under("x", binders, "Π")
        functions, exists = under("x", functions), ex("x", exists)
        sums, arguments = total("i", sums), ap(f, arguments)
    yield from {
        "∧ left": left, "∧ right": right, "→": arrows, "∀": binders, "fun": functions,
        "∃": exists, "∑": sums, "application": arguments,
    }.items()  # fmt: skip


@pytest.mark.parametrize(("what", "term"), list(nested(70)), ids=lambda one: str(one)[:12])
def test_deep_terms_are_printed_quickly(what: str, term: Term) -> None:
    start = time.monotonic()
    printer = Printer(SIGNATURES)
    assert printer.declaration("theorem t", term)
    assert printer.declaration("def d", term, term)
    assert time.monotonic() - start < 5


@pytest.mark.parametrize("around", [100, 149])
@pytest.mark.parametrize(
    "opened", ["(And a ", "(Π(a) ", "(λ(a) ", "(f ", "(Exists T (λ(T) ", "(Not ", "(let : T := a; "]
)
def test_as_deep_as_terms_are_read_they_are_printed(opened: str, around: int) -> None:
    depth = around // (2 if "Exists" in opened else 1)
    closing = ")" * (opened.count("(") - opened.count(")")) * depth
    start = time.monotonic()
    term = t.parse(opened * depth + "a" + closing)
    assert Printer(SIGNATURES).declaration("theorem t", term)
    assert time.monotonic() - start < 5


def test_a_definition_shows_binders_that_its_value_names() -> None:
    type_ = t.parse("(Π(T) (Π(T) T))", (), ["x", "a✝"])
    value = t.parse("(λ(T) (λ(T) (f #1 #0)))", (), ["x", "y"])
    text = Printer(SIGNATURES).declaration("def d", type_, value)
    assert text == "def d (x y : T) : T :=\n  f x y"
