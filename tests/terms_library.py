"""Small developments as terms, written in Python from nothing, and exports of them.

A term is a function from the number of binders around it to an expression, so that variables are
Python's own: `fun("x", nat, lambda x: succ(x))`. What the kernel makes of an inductive type is read
back from it, which needs a library: `python terms_library.py LIBRARY FOLDER` writes an export of
each development.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

from harness.replay import export, kernel
from harness.replay import terms as t
from harness.replay.terms import Name, Source, Terms

Term = Callable[[int], int]
META = {"exporter": "terms_library", "version": "1", "lean": "4.35.0", "githash": ""}


class Builder:
    """Terms and declarations of one development."""

    def __init__(self) -> None:
        self.source = Source(Terms())
        self.m = self.source.terms

    # Terms.

    def level(self, value: int | str) -> int:
        """Return a number, a parameter, `u+1`, `max u v` or `imax u v`."""
        m = self.m
        if isinstance(value, int):
            level = 0
            for _ in range(value):
                level = m.level(t.SUCC, level)
            return level
        words = value.split()
        if words[0] in ("max", "imax"):
            kind = t.MAX if words[0] == "max" else t.IMAX
            return m.level(kind, self.level(words[1]), self.level(words[2]))
        if value.isdigit():
            return self.level(int(value))
        if value.endswith("+1"):
            return m.level(t.SUCC, self.level(value[:-2]))
        return m.level(t.PARAM, m.name((value,)))

    def sort(self, value: int | str) -> Term:
        return lambda _: self.m.sort(self.level(value))

    def const(self, name: str, *levels: int | str) -> Term:
        ids = [self.level(u) for u in levels]
        return lambda _: self.m.const(t.parse_name(name), ids)

    def nat(self, value: int) -> Term:
        return lambda _: self.m.nat(value)

    def text(self, value: str) -> Term:
        return lambda _: self.m.string(value)

    def app(self, function: Term, *arguments: Term) -> Term:
        return lambda d: self.m.app(function(d), *(x(d) for x in arguments))

    def _binder(
        self,
        make: Callable[..., int],
        name: str,
        type_: Term,
        body: Callable[[Term], Term],
        info: int,
    ) -> Term:
        def at(depth: int) -> int:
            def variable(d: int) -> int:
                return self.m.bvar(d - depth - 1)

            return make(name, type_(depth), body(variable)(depth + 1), info)

        return at

    def fun(self, name: str, type_: Term, body: Callable[[Term], Term], info: int = 0) -> Term:
        return self._binder(self.m.lam, name, type_, body, info)

    def all(self, name: str, type_: Term, body: Callable[[Term], Term], info: int = 0) -> Term:
        return self._binder(self.m.pi, name, type_, body, info)

    def to(self, *types: Term) -> Term:
        result = types[-1]
        for one in reversed(types[:-1]):
            result = self.all("x", one, lambda _, r=result: r)  # type: ignore[misc]
        return result

    def let(self, name: str, type_: Term, value: Term, body: Callable[[Term], Term]) -> Term:
        def at(depth: int) -> int:
            def variable(d: int) -> int:
                return self.m.bvar(d - depth - 1)

            return self.m.let(name, type_(depth), value(depth), body(variable)(depth + 1))

        return at

    def proj(self, structure: str, index: int, of: Term) -> Term:
        return lambda d: self.m.proj(t.parse_name(structure), index, of(d))

    # Declarations.

    def _head(self, name: str, levels: str) -> tuple[int, tuple[int, ...]]:
        return (
            self.m.name(t.parse_name(name)),
            tuple(self.m.name((u,)) for u in levels.split()),
        )

    def axiom(self, name: str, type_: Term, levels: str = "") -> None:
        self.source.add(t.Axiom(*self._head(name, levels), type_(0)))

    def definition(self, name: str, type_: Term, value: Term, levels: str = "") -> None:
        index, params = self._head(name, levels)
        self.source.add(t.Definition(index, params, type_(0), value(0), 1, "safe", (index,)))

    def theorem(self, name: str, type_: Term, proof: Term, levels: str = "") -> None:
        index, params = self._head(name, levels)
        self.source.add(t.Theorem(index, params, type_(0), proof(0), (index,)))

    def opaque(self, name: str, type_: Term, value: Term, levels: str = "") -> None:
        index, params = self._head(name, levels)
        self.source.add(t.Opaque(index, params, type_(0), value(0), False, (index,)))

    def inductive(
        self,
        types: dict[str, tuple[Term, dict[str, Term]]],
        params: int = 0,
        levels: str = "",
    ) -> None:
        """Add a block; counts and flags are filled in by `complete`."""
        all_ = tuple(self.m.name(t.parse_name(name)) for name in types)
        made, constructors = [], []
        for name, (type_, ctors) in types.items():
            index, names = self._head(name, levels)
            last = []
            for i, (ctor, ctor_type) in enumerate(ctors.items()):
                full = self.m.name((*self.m.names[index], ctor))
                last.append(full)
                constructors.append(
                    t.Constructor(full, names, ctor_type(0), index, i, params, 0, False)
                )
            made.append(
                t.InductiveType(
                    index, names, type_(0), params, 0, all_, tuple(last), 0, False, False, False
                )
            )
        self.source.add(t.Inductive(tuple(made), tuple(constructors), ()))

    def quotient(self) -> None:
        u, v = self.level("u"), self.level("v")
        del u, v
        rel = self.to
        alpha = self.sort("u")

        def quot(a: Term, r: Term) -> Term:
            return self.app(self.const("Quot", "u"), a, r)

        def relation(a: Term) -> Term:
            return rel(a, a, self.sort(0))

        types: dict[str, tuple[str, Term]] = {
            "type": (
                "Quot",
                self.all("α", alpha, lambda a: self.to(relation(a), self.sort("u")), 1),
            ),
            "ctor": (
                "Quot.mk",
                self.all(
                    "α",
                    alpha,
                    lambda a: self.all(
                        "r", relation(a), lambda r: self.all("a", a, lambda _: quot(a, r))
                    ),
                    1,
                ),
            ),
            "lift": (
                "Quot.lift",
                self.all(
                    "α",
                    alpha,
                    lambda a: self.all(
                        "r",
                        relation(a),
                        lambda r: self.all(
                            "β",
                            self.sort("v"),
                            lambda b: self.all(
                                "f",
                                self.to(a, b),
                                lambda f: self.to(
                                    self.all(
                                        "a",
                                        a,
                                        lambda x: self.all(
                                            "b",
                                            a,
                                            lambda y: self.to(
                                                self.app(r, x, y),
                                                self.app(
                                                    self.const("Eq", "v"),
                                                    b,
                                                    self.app(f, x),
                                                    self.app(f, y),
                                                ),
                                            ),
                                        ),
                                    ),
                                    quot(a, r),
                                    b,
                                ),
                            ),
                            1,
                        ),
                        1,
                    ),
                    1,
                ),
            ),
            "ind": (
                "Quot.ind",
                self.all(
                    "α",
                    alpha,
                    lambda a: self.all(
                        "r",
                        relation(a),
                        lambda r: self.all(
                            "β",
                            self.to(quot(a, r), self.sort(0)),
                            lambda b: self.all(
                                "mk",
                                self.all(
                                    "a",
                                    a,
                                    lambda x: self.app(
                                        b, self.app(self.const("Quot.mk", "u"), a, r, x)
                                    ),
                                ),
                                lambda _: self.all("q", quot(a, r), lambda q: self.app(b, q)),
                            ),
                            1,
                        ),
                        1,
                    ),
                    1,
                ),
            ),
        }
        for kind, (name, type_) in types.items():
            head = self._head(name, "u v" if kind == "lift" else "u")
            self.source.add_quotient(t.Quotient(*head, type_(0), kind))


# Developments.


def naturals(b: Builder) -> None:
    """Numbers, Booleans, the functions that the kernel computes natively, equality."""
    nat, boolean, prop = b.const("Nat"), b.const("Bool"), b.sort(0)
    b.inductive({"Nat": (b.sort(1), {"zero": nat, "succ": b.all("n", nat, lambda _: nat)})})
    b.inductive({"Bool": (b.sort(1), {"false": boolean, "true": boolean})})
    equality(b, prop)
    zero, succ = b.const("Nat.zero"), b.const("Nat.succ")
    binary, test = b.to(nat, nat, nat), b.to(nat, nat, boolean)

    def rec(target: Term, at_zero: Term, step: Callable[[Term, Term], Term], to: Term) -> Term:
        return b.app(
            b.const("Nat.rec", 1),
            b.fun("_", nat, lambda _: to),
            at_zero,
            b.fun("n", nat, lambda n: b.fun("ih", to, lambda ih: step(n, ih))),
            target,
        )

    def last(
        name: str, at_zero: Callable[[Term], Term], step: Callable[[Term, Term], Term]
    ) -> None:
        b.definition(
            f"Nat.{name}",
            binary,
            b.fun(
                "x",
                nat,
                lambda x: b.fun(
                    "y", nat, lambda y: rec(y, at_zero(x), lambda _, ih: step(x, ih), nat)
                ),
            ),
        )

    last("add", lambda x: x, lambda _, ih: b.app(succ, ih))
    last("sub", lambda x: x, lambda _, ih: rec(ih, zero, lambda n, _: n, nat))
    last("mul", lambda _: zero, lambda x, ih: b.app(b.const("Nat.add"), ih, x))
    last("pow", lambda _: b.app(succ, zero), lambda x, ih: b.app(b.const("Nat.mul"), ih, x))
    true, false = b.const("Bool.true"), b.const("Bool.false")

    def both(name: str, zero_succ: Term) -> None:
        to = b.to(nat, boolean)
        b.definition(
            f"Nat.{name}",
            test,
            b.fun(
                "x",
                nat,
                lambda x: rec(
                    x,
                    b.fun("y", nat, lambda y: rec(y, true, lambda _, __: zero_succ, boolean)),
                    lambda _, ih: b.fun(
                        "y", nat, lambda y: rec(y, false, lambda k, __: b.app(ih, k), boolean)
                    ),
                    to,
                ),
            ),
        )

    both("beq", false)
    both("ble", true)
    add = b.const("Nat.add")
    b.theorem(
        "Nat.add_zero",
        b.all("n", nat, lambda n: eq(b, nat, b.app(add, n, zero), n)),
        b.fun("n", nat, lambda n: refl(b, nat, n)),
    )
    b.theorem(
        "congr_succ",
        b.all(
            "m",
            nat,
            lambda m: b.all(
                "n",
                nat,
                lambda n: b.to(eq(b, nat, m, n), eq(b, nat, b.app(succ, m), b.app(succ, n))),
            ),
        ),
        b.fun(
            "m",
            nat,
            lambda m: b.fun(
                "n",
                nat,
                lambda n: b.fun(
                    "h",
                    eq(b, nat, m, n),
                    lambda h: b.app(
                        b.const("Eq.rec", 0, 1),
                        nat,
                        m,
                        b.fun(
                            "k",
                            nat,
                            lambda k: b.fun(
                                "_",
                                eq(b, nat, m, k),
                                lambda _: eq(b, nat, b.app(succ, m), b.app(succ, k)),
                            ),
                        ),
                        refl(b, nat, b.app(succ, m)),
                        n,
                        h,
                    ),
                ),
            ),
        ),
    )
    b.theorem(
        "Nat.zero_add",
        b.all("n", nat, lambda n: eq(b, nat, b.app(add, zero, n), n)),
        b.fun(
            "n",
            nat,
            lambda n: b.app(
                b.const("Nat.rec", 0),
                b.fun("n", nat, lambda k: eq(b, nat, b.app(add, zero, k), k)),
                refl(b, nat, zero),
                b.fun(
                    "n",
                    nat,
                    lambda k: b.fun(
                        "ih",
                        eq(b, nat, b.app(add, zero, k), k),
                        lambda ih: b.app(b.const("congr_succ"), b.app(add, zero, k), k, ih),
                    ),
                ),
                n,
            ),
        ),
    )
    b.theorem(
        "two_add_two",
        eq(b, nat, b.app(add, b.nat(2), b.nat(2)), b.nat(4)),
        refl(b, nat, b.nat(4)),
    )
    product = 12345 * 67891
    b.theorem(
        "product",
        eq(b, nat, b.app(b.const("Nat.mul"), b.nat(12345), b.nat(67891)), b.nat(product)),
        refl(b, nat, b.nat(product)),
    )
    b.theorem(
        "power",
        eq(b, nat, b.app(b.const("Nat.pow"), b.nat(2), b.nat(200)), b.nat(2**200)),
        refl(b, nat, b.nat(2**200)),
    )
    b.theorem(
        "smaller",
        eq(b, boolean, b.app(b.const("Nat.ble"), b.nat(99), b.nat(100)), true),
        refl(b, boolean, true),
    )
    b.theorem(
        "open_test",
        b.all(
            "n",
            nat,
            lambda n: eq(b, boolean, b.app(b.const("Nat.beq"), b.app(succ, n), zero), false),
        ),
        b.fun("n", nat, lambda _: refl(b, boolean, false)),
    )


def eq(b: Builder, type_: Term, left: Term, right: Term, level: int | str = 1) -> Term:
    return b.app(b.const("Eq", level), type_, left, right)


def equality(b: Builder, prop: Term) -> None:
    """Declare `Eq` and `Eq.refl`; `prop` is the sort of propositions."""
    b.inductive(
        {
            "Eq": (
                b.all("α", b.sort("u"), lambda a: b.to(a, a, prop), 1),
                {
                    "refl": b.all(
                        "α",
                        b.sort("u"),
                        lambda a: b.all("a", a, lambda x: eq(b, a, x, x, "u")),
                        1,
                    )
                },
            )
        },
        params=2,
        levels="u",
    )


def propext(b: Builder, prop: Term) -> None:
    """Declare `propext` over the `Iff` that is there."""
    b.axiom(
        "propext",
        b.all(
            "a",
            prop,
            lambda p: b.all(
                "b", prop, lambda q: b.to(b.app(b.const("Iff"), p, q), eq(b, prop, p, q)), 1
            ),
            1,
        ),
    )


def choice(b: Builder) -> None:
    """Declare `Classical.choice` over the `Nonempty` that is there."""
    b.axiom(
        "Classical.choice",
        b.all("α", b.sort("u"), lambda a: b.to(b.app(b.const("Nonempty", "u"), a), a), 1),
        "u",
    )


def refl(b: Builder, type_: Term, of: Term, level: int | str = 1) -> Term:
    return b.app(b.const("Eq.refl", level), type_, of)


def logic(b: Builder) -> None:
    """Equality with propositional extensionality, choice, and their types."""
    naturals(b)
    prop = b.sort(0)
    b.inductive(
        {
            "Iff": (
                b.all("a", prop, lambda _: b.all("b", prop, lambda __: prop)),
                {
                    "intro": b.all(
                        "a",
                        prop,
                        lambda p: b.all(
                            "b",
                            prop,
                            lambda q: b.all(
                                "mp",
                                b.to(p, q),
                                lambda _: b.all(
                                    "mpr", b.to(q, p), lambda __: b.app(b.const("Iff"), p, q)
                                ),
                            ),
                            1,
                        ),
                        1,
                    )
                },
            )
        },
        params=2,
    )
    propext(b, prop)
    b.inductive(
        {
            "Nonempty": (
                b.all("α", b.sort("u"), lambda _: prop),
                {
                    "intro": b.all(
                        "α",
                        b.sort("u"),
                        lambda a: b.all("val", a, lambda _: b.app(b.const("Nonempty", "u"), a)),
                        1,
                    )
                },
            )
        },
        params=1,
        levels="u",
    )
    choice(b)
    b.theorem(
        "same_as_self",
        b.all("p", prop, lambda p: eq(b, prop, p, p)),
        b.fun(
            "p",
            prop,
            lambda p: b.app(
                b.const("propext"),
                p,
                p,
                b.app(
                    b.const("Iff.intro"),
                    p,
                    p,
                    b.fun("h", p, lambda h: h),
                    b.fun("h", p, lambda h: h),
                ),
            ),
        ),
    )
    nat = b.const("Nat")
    b.definition(
        "some_number",
        nat,
        b.app(
            b.const("Classical.choice", 1), nat, b.app(b.const("Nonempty.intro", 1), nat, b.nat(3))
        ),
    )
    b.theorem(
        "chosen",
        eq(b, nat, b.const("some_number"), b.const("some_number")),
        refl(b, nat, b.const("some_number")),
    )
    b.theorem(
        "irrelevant",
        b.all(
            "p", prop, lambda p: b.all("h", p, lambda h: b.all("k", p, lambda k: eq(b, p, h, k, 0)))
        ),
        b.fun(
            "p", prop, lambda p: b.fun("h", p, lambda h: b.fun("k", p, lambda _: refl(b, p, h, 0)))
        ),
    )


def quotients(b: Builder) -> None:
    """Add the quotient, its computation rule, and soundness."""
    naturals(b)
    b.quotient()
    nat = b.const("Nat")
    b.axiom(
        "Quot.sound",
        b.all(
            "α",
            b.sort("u"),
            lambda a: b.all(
                "r",
                b.to(a, a, b.sort(0)),
                lambda r: b.all(
                    "a",
                    a,
                    lambda x: b.all(
                        "b",
                        a,
                        lambda y: b.to(
                            b.app(r, x, y),
                            eq(
                                b,
                                b.app(b.const("Quot", "u"), a, r),
                                b.app(b.const("Quot.mk", "u"), a, r, x),
                                b.app(b.const("Quot.mk", "u"), a, r, y),
                                "u",
                            ),
                        ),
                        1,
                    ),
                    1,
                ),
                1,
            ),
            1,
        ),
        "u",
    )
    every = b.fun("x", nat, lambda x: b.fun("y", nat, lambda y: eq(b, nat, x, y)))
    b.definition("relation", b.to(nat, nat, b.sort(0)), every)
    relation = b.const("relation")
    made = b.app(b.const("Quot.mk", 1), nat, relation, b.nat(5))
    b.definition(
        "lifted",
        b.to(b.app(b.const("Quot", 1), nat, relation), nat),
        b.app(
            b.const("Quot.lift", 1, 1),
            nat,
            relation,
            nat,
            b.fun("x", nat, lambda x: x),
            b.fun(
                "x",
                nat,
                lambda x: b.fun("y", nat, lambda y: b.fun("h", b.app(relation, x, y), lambda h: h)),
            ),
        ),
    )
    b.theorem(
        "lift_mk", eq(b, nat, b.app(b.const("lifted"), made), b.nat(5)), refl(b, nat, b.nat(5))
    )
    b.theorem(
        "sound_use",
        b.all(
            "x",
            nat,
            lambda x: b.all(
                "y",
                nat,
                lambda y: b.to(
                    eq(b, nat, x, y),
                    eq(
                        b,
                        b.app(b.const("Quot", 1), nat, relation),
                        b.app(b.const("Quot.mk", 1), nat, relation, x),
                        b.app(b.const("Quot.mk", 1), nat, relation, y),
                    ),
                ),
            ),
        ),
        b.fun(
            "x",
            nat,
            lambda x: b.fun(
                "y",
                nat,
                lambda y: b.fun(
                    "h",
                    eq(b, nat, x, y),
                    lambda h: b.app(b.const("Quot.sound", 1), nat, relation, x, y, h),
                ),
            ),
        ),
    )


def structures(b: Builder) -> None:
    """Add lists, structures with projections, universe polymorphism, let."""
    naturals(b)
    nat = b.const("Nat")
    u1 = b.sort("u+1")

    def lists(a: Term) -> Term:
        return b.app(b.const("List", "u"), a)

    b.inductive(
        {
            "List": (
                b.all("α", u1, lambda _: u1),
                {
                    "nil": b.all("α", u1, lists, 1),
                    "cons": b.all(
                        "α",
                        u1,
                        lambda a: b.all(
                            "head", a, lambda _: b.all("tail", lists(a), lambda __: lists(a))
                        ),
                        1,
                    ),
                },
            )
        },
        params=1,
        levels="u",
    )
    b.definition(
        "List.append",
        b.all("α", u1, lambda a: b.to(lists(a), lists(a), lists(a)), 1),
        b.fun(
            "α",
            u1,
            lambda a: b.fun(
                "l",
                lists(a),
                lambda one: b.fun(
                    "k",
                    lists(a),
                    lambda two: b.app(
                        b.const("List.rec", "u+1", "u"),
                        a,
                        b.fun("_", lists(a), lambda _: lists(a)),
                        two,
                        b.fun(
                            "h",
                            a,
                            lambda h: b.fun(
                                "_",
                                lists(a),
                                lambda _: b.fun(
                                    "ih",
                                    lists(a),
                                    lambda ih: b.app(b.const("List.cons", "u"), a, h, ih),
                                ),
                            ),
                        ),
                        one,
                    ),
                ),
            ),
        ),
        "u",
    )
    b.theorem(
        "List.nil_append",
        b.all(
            "α",
            u1,
            lambda a: b.all(
                "l",
                lists(a),
                lambda one: eq(
                    b,
                    lists(a),
                    b.app(b.const("List.append", "u"), a, b.app(b.const("List.nil", "u"), a), one),
                    one,
                    "u+1",
                ),
            ),
        ),
        b.fun("α", u1, lambda a: b.fun("l", lists(a), lambda one: refl(b, lists(a), one, "u+1"))),
        "u",
    )
    pair_type = b.sort("max u v+1") if False else b.sort("max u+1 v+1")

    def pair(a: Term, c: Term) -> Term:
        return b.app(b.const("Pair", "u", "v"), a, c)

    v1 = b.sort("v+1")
    b.inductive(
        {
            "Pair": (
                b.all("α", u1, lambda _: b.all("β", v1, lambda __: pair_type)),
                {
                    "mk": b.all(
                        "α",
                        u1,
                        lambda a: b.all(
                            "β",
                            v1,
                            lambda c: b.all(
                                "first", a, lambda _: b.all("second", c, lambda __: pair(a, c))
                            ),
                            1,
                        ),
                        1,
                    )
                },
            )
        },
        params=2,
        levels="u v",
    )
    for i, name in enumerate(("first", "second")):
        b.definition(
            f"Pair.{name}",
            b.all(
                "α",
                u1,
                lambda a, i=i: b.all(  # type: ignore[misc]
                    "β", v1, lambda c: b.all("self", pair(a, c), lambda _: c if i else a), 1
                ),
                1,
            ),
            b.fun(
                "α",
                u1,
                lambda a, i=i: b.fun(  # type: ignore[misc]
                    "β", v1, lambda c: b.fun("self", pair(a, c), lambda p: b.proj("Pair", i, p)), 1
                ),
                1,
            ),
            "u v",
        )
    b.theorem(
        "Pair.eta",
        b.all(
            "α",
            u1,
            lambda a: b.all(
                "β",
                v1,
                lambda c: b.all(
                    "p",
                    pair(a, c),
                    lambda p: eq(
                        b,
                        pair(a, c),
                        b.app(
                            b.const("Pair.mk", "u", "v"),
                            a,
                            c,
                            b.proj("Pair", 0, p),
                            b.proj("Pair", 1, p),
                        ),
                        p,
                        "max u+1 v+1",
                    ),
                ),
            ),
        ),
        b.fun(
            "α",
            u1,
            lambda a: b.fun(
                "β",
                v1,
                lambda c: b.fun("p", pair(a, c), lambda p: refl(b, pair(a, c), p, "max u+1 v+1")),
            ),
        ),
        "u v",
    )
    b.theorem(
        "Pair.second_mk",
        eq(
            b,
            nat,
            b.app(
                b.const("Pair.second", 0, 0),
                nat,
                nat,
                b.app(b.const("Pair.mk", 0, 0), nat, nat, b.nat(1), b.nat(2)),
            ),
            b.nat(2),
        ),
        refl(b, nat, b.nat(2)),
    )
    b.definition(
        "twice",
        b.to(nat, nat),
        b.fun("n", nat, lambda n: b.let("m", nat, b.app(b.const("Nat.add"), n, n), lambda m: m)),
    )
    b.theorem(
        "twice_three",
        eq(b, nat, b.app(b.const("twice"), b.nat(3)), b.nat(6)),
        b.let("r", nat, b.nat(6), lambda r: refl(b, nat, r)),
    )
    b.opaque("secret", nat, b.nat(7))
    b.theorem(
        "secret_self",
        eq(b, nat, b.const("secret"), b.const("secret")),
        refl(b, nat, b.const("secret")),
    )
    b.definition(
        "apply",
        b.all(
            "α",
            b.sort("u"),
            lambda a: b.all("β", b.sort("v"), lambda c: b.to(b.to(a, c), a, c), 1),
            1,
        ),
        b.fun(
            "α",
            b.sort("u"),
            lambda a: b.fun(
                "β",
                b.sort("v"),
                lambda c: b.fun("f", b.to(a, c), lambda f: b.fun("x", a, lambda x: b.app(f, x))),
                1,
            ),
            1,
        ),
        "u v",
    )
    b.definition(
        "arrow",
        b.to(b.sort("u"), b.sort("v"), b.sort("imax u v")),
        b.fun("α", b.sort("u"), lambda a: b.fun("β", b.sort("v"), lambda c: b.to(a, c))),
        "u v",
    )


def families(b: Builder) -> None:
    """Indexed, mutual, nested, reflexive inductive types, and predicates."""
    structures(b)
    nat, prop, type_ = b.const("Nat"), b.sort(0), b.sort(1)
    zero, succ = b.const("Nat.zero"), b.const("Nat.succ")

    def vec(n: Term) -> Term:
        return b.app(b.const("Vec"), n)

    b.inductive(
        {
            "Vec": (
                b.to(nat, type_),
                {
                    "nil": vec(zero),
                    "cons": b.all("n", nat, lambda n: b.to(nat, vec(n), vec(b.app(succ, n)))),
                },
            )
        }
    )
    even, odd = b.const("Even"), b.const("Odd")
    b.inductive(
        {
            "Even": (
                b.to(nat, prop),
                {
                    "zero": b.app(even, zero),
                    "step": b.all(
                        "n", nat, lambda n: b.to(b.app(odd, n), b.app(even, b.app(succ, n)))
                    ),
                },
            ),
            "Odd": (
                b.to(nat, prop),
                {
                    "step": b.all(
                        "n", nat, lambda n: b.to(b.app(even, n), b.app(odd, b.app(succ, n)))
                    )
                },
            ),
        }
    )
    b.theorem(
        "even_two",
        b.app(even, b.app(succ, b.app(succ, zero))),
        b.app(
            b.const("Even.step"),
            b.app(succ, zero),
            b.app(b.const("Odd.step"), zero, b.const("Even.zero")),
        ),
    )
    ta, tb = b.const("TreeA"), b.const("TreeB")
    b.inductive(
        {
            "TreeA": (type_, {"leaf": b.to(nat, ta), "node": b.to(tb, ta)}),
            "TreeB": (type_, {"two": b.to(ta, ta, tb)}),
        }
    )
    rose = b.const("Rose")
    b.inductive({"Rose": (type_, {"node": b.to(b.app(b.const("List", 0), rose), rose)})})
    wt = b.const("W")
    b.inductive(
        {
            "W": (
                b.all("α", type_, lambda a: b.all("β", b.to(a, type_), lambda _: type_)),
                {
                    "sup": b.all(
                        "α",
                        type_,
                        lambda a: b.all(
                            "β",
                            b.to(a, type_),
                            lambda c: b.all(
                                "a",
                                a,
                                lambda x: b.to(b.to(b.app(c, x), b.app(wt, a, c)), b.app(wt, a, c)),
                            ),
                        ),
                    )
                },
            )
        },
        params=2,
    )
    b.definition(
        "Vec.length",
        b.all("n", nat, lambda n: b.to(vec(n), nat), 1),
        b.fun(
            "n",
            nat,
            lambda n: b.fun(
                "v",
                vec(n),
                lambda v: b.app(
                    b.const("Vec.rec", 1),
                    b.fun("n", nat, lambda k: b.fun("_", vec(k), lambda _: nat)),
                    zero,
                    b.fun(
                        "n",
                        nat,
                        lambda k: b.fun(
                            "_",
                            nat,
                            lambda _: b.fun(
                                "_", vec(k), lambda __: b.fun("ih", nat, lambda ih: b.app(succ, ih))
                            ),
                        ),
                    ),
                    n,
                    v,
                ),
            ),
        ),
    )
    b.theorem(
        "length_one",
        eq(
            b,
            nat,
            b.app(
                b.const("Vec.length"),
                b.nat(1),
                b.app(b.const("Vec.cons"), zero, b.nat(9), b.const("Vec.nil")),
            ),
            b.nat(1),
        ),
        refl(b, nat, b.nat(1)),
    )
    b.inductive({"False": (prop, {})})
    b.theorem(
        "anything",
        b.all("p", prop, lambda p: b.to(b.const("False"), p)),
        b.fun(
            "p",
            prop,
            lambda p: b.fun(
                "h",
                b.const("False"),
                lambda h: b.app(
                    b.const("False.rec", 0), b.fun("_", b.const("False"), lambda _: p), h
                ),
            ),
        ),
    )


def strings(b: Builder) -> None:
    """Characters and strings, and how a literal is taken apart."""
    structures(b)
    nat, type_ = b.const("Nat"), b.sort(1)
    char, string = b.const("Char"), b.const("String")
    chars = b.app(b.const("List", 0), char)
    b.inductive({"Char": (type_, {"mk": b.to(nat, char)})})
    b.definition("Char.ofNat", b.to(nat, char), b.const("Char.mk"))
    b.inductive({"String": (type_, {"ofByteArray": b.to(chars, string)})})
    b.definition("String.ofList", b.to(chars, string), b.const("String.ofByteArray"))
    value = b.app(b.const("List.nil", 0), char)
    for code in reversed("aλ"):
        value = b.app(
            b.const("List.cons", 0), char, b.app(b.const("Char.ofNat"), b.nat(ord(code))), value
        )
    b.theorem(
        "taken_apart",
        eq(b, string, b.text("aλ"), b.app(b.const("String.ofList"), value)),
        refl(b, string, b.text("aλ")),
    )
    b.definition("greeting", string, b.text('say "%d" \\ \n'))


DEVELOPMENTS: dict[str, Callable[[Builder], None]] = {
    "naturals": naturals,
    "logic": logic,
    "quotients": quotients,
    "structures": structures,
    "families": families,
    "strings": strings,
}


def build(name: str) -> Source:
    """Give a development, without what the kernel makes of its inductive types."""
    builder = Builder()
    DEVELOPMENTS[name](builder)
    return builder.source


# Reading back what the kernel makes.


def complete(source: Source, library: kernel.Library, limited: bool) -> Source:
    """Give the same, with counts, flags, recursors and rules as the kernel makes them."""
    objects = kernel.Objects(library, source.terms)
    objects.build()
    environment = kernel.Environment(library, limited)
    whole = Source(source.terms)
    for declaration in source.declarations:
        environment.add(objects.declaration(declaration))
        if isinstance(declaration, t.Inductive):
            whole.add(made_of(declaration, environment, objects))
        else:
            whole.add(declaration)
    return whole


def made_of(
    block: t.Inductive, environment: kernel.Environment, objects: kernel.Objects
) -> t.Inductive:
    """Give a block with everything as the kernel made it."""
    lib, terms = environment.library, objects.terms

    def names(pointer: int) -> tuple[int, ...]:
        return tuple(terms.name(lib.name(p)) for p in lib.items(pointer))

    def value(name: int) -> int:
        # The objects of new names are made as needed.
        objects.build()
        found = environment.find(objects.name(name))
        assert found is not None, terms.names[name]
        return lib.field(found, 0)

    types, constructors, recursors = [], [], []
    for one in block.types:
        v = value(one.name)
        flags = [bool(lib.scalar(v, i)) for i in range(3)]
        types.append(
            t.InductiveType(
                one.name,
                one.levels,
                one.type,
                lib.field(v, 1) >> 1,
                lib.field(v, 2) >> 1,
                names(lib.field(v, 3)),
                names(lib.field(v, 4)),
                lib.field(v, 5) >> 1,
                *flags,
            )
        )
    for ctor in block.constructors:
        v = value(ctor.name)
        constructors.append(
            t.Constructor(
                ctor.name,
                ctor.levels,
                ctor.type,
                ctor.inductive,
                lib.field(v, 2) >> 1,
                lib.field(v, 3) >> 1,
                lib.field(v, 4) >> 1,
                bool(lib.scalar(v, 0)),
            )
        )
    first = terms.names[block.name]
    wanted: list[Name] = [(*terms.names[one.name], "rec") for one in block.types]
    wanted += [(*first, f"rec_{i + 1}") for i in range(types[0].nested)]
    for name in wanted:
        index = terms.name(name)
        v = value(index)
        constant = lib.field(v, 0)
        rules = [
            t.Rule(
                terms.name(lib.name(lib.field(rule, 0))),
                lib.field(rule, 1) >> 1,
                expr_of(lib, terms, lib.field(rule, 2)),
            )
            for rule in lib.items(lib.field(v, 6))
        ]
        recursors.append(
            t.Recursor(
                index,
                names(lib.field(constant, 1)),
                expr_of(lib, terms, lib.field(constant, 2)),
                names(lib.field(v, 1)),
                lib.field(v, 2) >> 1,
                lib.field(v, 3) >> 1,
                lib.field(v, 4) >> 1,
                lib.field(v, 5) >> 1,
                tuple(rules),
                bool(lib.scalar(v, 0)),
                bool(lib.scalar(v, 1)),
            )
        )
    return t.Inductive(tuple(types), tuple(constructors), tuple(recursors))


def level_of(lib: kernel.Library, terms: Terms, pointer: int) -> int:
    """Read a level object as a level."""
    kind = lib.tag(pointer)
    if kind == t.ZERO:
        return 0
    if kind == t.PARAM:
        return terms.level(t.PARAM, terms.name(lib.name(lib.field(pointer, 0))))
    parts = [level_of(lib, terms, lib.field(pointer, i)) for i in range(1 + (kind != t.SUCC))]
    return terms.level(kind, *parts)


def expr_of(lib: kernel.Library, terms: Terms, pointer: int) -> int:
    """Read a (small) expression object as an expression."""
    field, kind = lib.field, lib.tag(pointer)

    def part(i: int) -> int:
        return expr_of(lib, terms, field(pointer, i))

    if kind == 0:
        return terms.bvar(field(pointer, 0) >> 1)
    if kind == 3:
        return terms.sort(level_of(lib, terms, field(pointer, 0)))
    if kind == 4:
        levels = [level_of(lib, terms, u) for u in lib.items(field(pointer, 1))]
        return terms.const(lib.name(field(pointer, 0)), levels)
    if kind == 5:
        return terms.app(part(0), part(1))
    if kind in (6, 7):
        binder = terms.name(lib.name(field(pointer, 0)))
        return terms.expr(kind | lib.scalar(pointer, 8) << t.INFO_SHIFT, binder, part(1), part(2))
    raise ValueError(f"an expression of kind {kind} in a recursor")


def text_of(source: Source) -> str:
    """Write a whole development as an export."""
    out = io.StringIO()
    export.write(source, list(range(len(source.declarations))), out, META)
    return out.getvalue()


def main() -> None:
    """Write an export of each development."""
    library = kernel.Library(Path(sys.argv[1]))
    limited = kernel.probe(library)
    for name in DEVELOPMENTS:
        text = text_of(complete(build(name), library, limited))
        Path(sys.argv[2], f"{name}.ndjson").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
