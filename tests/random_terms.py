"""Random terms of every kind, in the form in which the replay holds them."""

from __future__ import annotations

from hypothesis import strategies as st

from harness.replay import terms as t

LEVELS = ("u", "v", "w_1", "«odd level»")
_WORDS = [
    "f",
    "Nat",
    "x_1",
    "h₂é'",
    "two words",
    "λ",
    "a.b",
    "1",
    "Sort1",
    "p!",
    "(",
    "⦃",
    "=",
    "u",
]
CONSTANTS = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=3).map(tuple)
NAMES = st.one_of(CONSTANTS, st.tuples(st.just("inst"), st.integers(0, 9)))
BINDERS = st.sampled_from(["x", "y", "h", "two words", "α", "inst✝", "a.b", ""])
STRINGS = st.text(st.characters(codec="utf-8"), max_size=8) | st.sampled_from(
    ['"', "\\", '\\"', "a\nb", "\t", '(#0 "x")', "", "\x00", "»", ".{u}", "Sort u"]
)


@st.composite
def levels(draw: st.DrawFn, terms: t.Terms, depth: int = 3) -> int:
    """A level: its index."""
    kind = draw(st.integers(0, 4 if depth else 1))
    if kind == 0:
        return 0
    if kind == 1:
        name = draw(st.sampled_from(LEVELS)).strip("«»")
        return terms.level(t.PARAM, terms.name((name,)))
    first = draw(levels(terms, depth - 1))
    if kind == 2:
        return terms.level(t.SUCC, first)
    return terms.level(t.MAX if kind == 3 else t.IMAX, first, draw(levels(terms, depth - 1)))


@st.composite
def expressions(draw: st.DrawFn, terms: t.Terms, depth: int = 4) -> int:
    """An expression: its index. Bound variables may point out of it."""
    kind = draw(st.sampled_from("bscna" + "alplLj" * (depth > 0)))

    def part() -> int:
        return draw(expressions(terms, depth - 1))

    match kind:
        case "b":
            return terms.bvar(draw(st.integers(0, 12)))
        case "s":
            return terms.sort(draw(levels(terms)))
        case "c":
            given_ = draw(st.lists(levels(terms), max_size=2))
            return terms.const(draw(NAMES), given_)
        case "n":
            return terms.nat(draw(st.integers(0, 10**30)))
        case "a" if not depth:
            return terms.string(draw(STRINGS))
        case "a":
            head = part()
            if terms.kind[head] & t.KIND_MASK == t.SORT:
                # What would be applied there could be taken for a part of the level.
                head = terms.const(("f",))
            return terms.app(head, *(part() for _ in range(draw(st.integers(1, 3)))))
        case "p":
            return terms.pi(draw(BINDERS), part(), part(), draw(st.integers(0, 3)))
        case "l":
            return terms.lam(draw(BINDERS), part(), part(), draw(st.integers(0, 3)))
        case "L":
            return terms.let(draw(BINDERS), part(), part(), part())
        case _:
            return terms.proj(draw(CONSTANTS), draw(st.integers(0, 3)), part())


@st.composite
def rendered(draw: st.DrawFn, depth: int = 4) -> tuple[str, list[str]]:
    """The text of a random term in the audit's form, and the names of its binders."""
    terms = t.Terms()
    expr = draw(expressions(terms, depth))
    return t.render(terms, expr), t.binder_names(terms, expr)
