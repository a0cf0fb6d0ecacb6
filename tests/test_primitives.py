"""What the kernel knows by name has to be what it takes it for."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import mutants
import replay_support as support
from harness.replay import primitives, replay, worker
from harness.replay import terms as t
from harness.replay.result import Replay
from terms_library import (
    Builder,
    Term,
    choice,
    eq,
    equality,
    naturals,
    propext,
    refl,
    strings,
    text_of,
)

# These texts have no recursors in their records, so the kernel's own are not compared with any;
# what is looked for here is there all the same.


def replayed(build: Callable[[Builder], None], folder: Path, *targets: str) -> Replay:
    builder = Builder()
    build(builder)
    return support.replayed(text_of(builder.source), folder, targets=targets)


def found(done: Replay, *rules: str) -> list[str | None]:
    """Give the declarations of findings of some rules."""
    return [f.declaration for f in done.findings if f.rule in rules]


def without(name: str, after: Callable[[Builder], None]) -> Callable[[Builder], None]:
    """Build the naturals without a definition, and what is in its place."""

    def build(b: Builder) -> None:
        naturals(b)
        gone = {b.m.name(t.parse_name(name))}
        kept: list[t.Declaration] = []
        for one in b.source.declarations:
            uses = t.Usage(b.m).of(t.roots_of(one)).names
            if one.name in gone or gone & uses:
                gone.add(one.name)
            elif not isinstance(one, t.Theorem):
                kept.append(one)
        b.source = t.Source(b.m)
        for one in kept:
            b.source.add(one)
        after(b)

    return build


def test_a_wrong_function_is_refuted(tmp_path: Path) -> None:
    nat = Builder.const

    def first(name: str, swap: bool) -> Callable[[Builder], None]:
        def after(b: Builder) -> None:
            n = nat(b, "Nat")
            b.definition(
                f"Nat.{name}",
                b.to(n, n, n),
                b.fun("x", n, lambda x: b.fun("y", n, lambda y: y if swap else x)),
            )

        return after

    for name in ("add", "sub", "mul", "pow"):
        for swap in (False, True):
            done = replayed(without(f"Nat.{name}", first(name, swap)), tmp_path)
            assert f"Nat.{name}" in found(done, "primitive-refuted"), (name, swap)
            assert done.exit_status == 1
    for name in ("gcd", "mod", "land", "shiftLeft", "shiftRight", "xor", "lor", "div"):
        done = replayed(without("nothing", first(name, True)), tmp_path)
        assert found(done, "primitive-refuted") == [f"Nat.{name}"]


def test_a_wrong_test_is_refuted(tmp_path: Path) -> None:
    def after(b: Builder) -> None:
        n, boolean = b.const("Nat"), b.const("Bool")
        b.definition(
            "Nat.beq",
            b.to(n, n, boolean),
            b.fun("x", n, lambda _: b.fun("y", n, lambda __: b.const("Bool.true"))),
        )

    done = replayed(without("Nat.beq", after), tmp_path)
    assert found(done, "primitive-refuted") == ["Nat.beq"]


@pytest.mark.parametrize("kind", ["axiom", "opaque", "type"])
def test_what_is_no_definition_of_it(tmp_path: Path, kind: str) -> None:
    def after(b: Builder) -> None:
        n = b.const("Nat")
        binary = b.to(n, n, n)
        value = b.fun("x", n, lambda x: b.fun("y", n, lambda _: x))
        if kind == "axiom":
            b.axiom("Nat.gcd", binary)
        elif kind == "opaque":
            b.opaque("Nat.gcd", binary, value)
        else:
            b.definition("Nat.gcd", b.to(n, n), b.fun("x", n, lambda x: x))

    done = replayed(without("nothing", after), tmp_path)
    assert found(done, "primitive-refuted") == ["Nat.gcd"]
    assert done.exit_status == 1


def division(b: Builder) -> None:
    """Define a division that stops: right for numbers below 1000, and hard to see through."""
    naturals(b)
    n, boolean = b.const("Nat"), b.const("Bool")
    del boolean

    def rec(target: Term, zero: Term, step: Callable[[Term, Term], Term], to: Term) -> Term:
        return b.app(
            b.const("Nat.rec", 1),
            b.fun("_", n, lambda _: to),
            zero,
            b.fun("k", n, lambda k: b.fun("ih", to, lambda ih: step(k, ih))),
            target,
        )

    def choose(test: Term, yes: Term, no: Term) -> Term:
        return b.app(
            b.const("Bool.rec", 1), b.fun("_", b.const("Bool"), lambda _: n), no, yes, test
        )

    def go(y: Term, fuel: Term) -> Term:
        return rec(
            fuel,
            b.fun("x", n, lambda _: b.const("Nat.zero")),
            lambda _, ih: b.fun(
                "x",
                n,
                lambda x: choose(
                    b.app(b.const("Nat.ble"), y, x),
                    b.app(b.const("Nat.succ"), b.app(ih, b.app(b.const("Nat.sub"), x, y))),
                    b.const("Nat.zero"),
                ),
            ),
            b.to(n, n),
        )

    b.definition(
        "Nat.div",
        b.to(n, n, n),
        b.fun(
            "x",
            n,
            lambda x: b.fun(
                "y",
                n,
                lambda y: choose(
                    b.app(b.const("Nat.beq"), y, b.const("Nat.zero")),
                    b.const("Nat.zero"),
                    b.app(go(y, x), x),
                ),
            ),
        ),
    )


def test_a_function_that_is_not_known(tmp_path: Path) -> None:
    done = replayed(division, tmp_path)
    assert found(done, "primitive-unknown") == ["Nat.div"]
    assert found(done, "primitive-refuted") == []
    kernel_only = [f for f in done.findings if f.rule != "declaration-differs"]
    assert [f.level for f in kernel_only] == ["could-not-run"]


def test_a_function_as_in_modules_that_are_trusted(tmp_path: Path) -> None:
    """Compare with what a toolchain has, by fingerprints: the same term, or another."""
    reference = support.compiled(
        tmp_path / "reference",
        {
            # Nothing that the kernel could confirm or refute.
            "Init": support.BASE + "opaque veil : Nat → Nat → Nat := fun x y => x\n"
            "noncomputable def Nat.gcd (x y : Nat) : Nat := veil x y\n"
        },
    )
    project = Path(shutil.copytree(reference, tmp_path / "project"))
    (project / "Init.olean").rename(project / "Init.olean.old")
    support.compiled(
        project,
        {
            "Base": (reference / "Init.lean").read_text(encoding="utf-8"),
            "Top": "prelude\nimport Base\n"
            "theorem uses (n : Nat) : Eq (Nat.gcd n n) (Nat.gcd n n) := "
            "Eq.refl _\n",
        },
    )
    done = support.of_modules(project, "Top", "uses")
    assert found(done, "primitive-unknown") == ["Nat.gcd"]
    done = support.of_modules(project, "Top", "uses", reference=(reference,))
    assert (support.rules(done), done.exit_status) == ([], 0)
    assert "Nat.gcd" in done.primitives
    file = tmp_path / "out.ndjson"
    support.of_modules(project, "Top", "uses", write=file, reference=(reference,))
    known = json.loads(file.with_name("out.ndjson.manifest.json").read_text())["fingerprints"]
    done = support.replayed(file.read_bytes(), tmp_path, targets=["uses"], known=known)
    assert (support.rules(done), done.exit_status) == ([], 0)
    support.compiled(
        project,
        {
            "Base": support.BASE + "noncomputable def Nat.gcd (x y : Nat) : Nat := Nat.add y x\n",
            "Top": (project / "Top.lean").read_text(encoding="utf-8"),
        },
    )
    done = support.of_modules(project, "Top", "uses", reference=(reference,))
    assert done.exit_status == 1


def numbers(constructors: dict[str, bool]) -> Callable[[Builder], None]:
    """Declare `Nat` with other constructors, and a literal of it."""

    def build(b: Builder) -> None:
        n = b.const("Nat")
        b.inductive(
            {
                "Nat": (
                    b.sort(1),
                    {
                        name: b.all("n", n, lambda _: n) if more else n
                        for name, more in constructors.items()
                    },
                )
            }
        )
        b.definition("five", n, b.nat(5))

    return build


@pytest.mark.parametrize(
    "constructors",
    [
        {},
        {"zero": False},
        {"succ": True, "zero": False},
        {"zero": False, "next": True},
        {"zero": False, "succ": True, "more": False},
        {"zero": True, "succ": True},
    ],
)
def test_literals_of_another_type_of_numbers(tmp_path: Path, constructors: dict[str, bool]) -> None:
    """A `Nat` without constructors has literals too, and everything follows from one."""
    done = replayed(numbers(constructors), tmp_path)
    assert found(done, "primitive-refuted") == ["Nat"]
    assert done.exit_status == 1
    right = replayed(numbers({"zero": False, "succ": True}), tmp_path)
    assert found(right, "primitive-refuted") == []
    assert "Nat" in right.primitives


def test_a_function_on_other_numbers(tmp_path: Path) -> None:
    """Native functions demand `Nat` and `Bool`, without any literal."""

    def build(b: Builder) -> None:
        n, boolean = b.const("Nat"), b.const("Bool")
        b.inductive({"Nat": (b.sort(1), {"zero": n, "succ": b.to(n, n)})})
        b.inductive({"Bool": (b.sort(1), {"true": boolean, "false": boolean})})
        b.definition(
            "Nat.ble",
            b.to(n, n, boolean),
            b.fun("x", n, lambda _: b.fun("y", n, lambda __: b.const("Bool.true"))),
        )

    assert "Bool" in found(replayed(build, tmp_path), "primitive-refuted")


def test_numbers_in_a_universe_or_block_of_their_own(tmp_path: Path) -> None:
    def universe(b: Builder) -> None:
        n = b.const("Nat", "u")
        b.inductive({"Nat": (b.sort("u+1"), {"zero": n, "succ": b.to(n, n)})}, levels="u")
        b.definition("Nat.gcd", b.to(n, n), b.fun("x", n, lambda x: x), "u")

    assert "Nat" in found(replayed(universe, tmp_path), "primitive-refuted")

    def block(b: Builder) -> None:
        n = b.const("Nat")
        b.inductive(
            {
                "Nat": (b.sort(1), {"zero": n, "succ": b.to(n, n)}),
                "More": (b.sort(1), {"of": b.to(n, b.const("More"))}),
            }
        )
        b.definition("five", n, b.nat(5))

    assert "Nat" in found(replayed(block, tmp_path), "primitive-refuted")


def changed_strings(
    change: Callable[[list[t.Declaration], Builder], list[t.Declaration]],
) -> Callable[[Builder], None]:
    def build(b: Builder) -> None:
        strings(b)
        kept = change(list(b.source.declarations), b)
        b.source = t.Source(b.m)
        for one in kept:
            b.source.add(one)

    return build


def test_strings(tmp_path: Path) -> None:
    done = support.replayed(support.exports()["strings"], tmp_path)
    assert {"String", "List", "Nat"} <= set(done.primitives)

    def drop(*names: str) -> Callable[[list[t.Declaration], Builder], list[t.Declaration]]:
        def change(them: list[t.Declaration], b: Builder) -> list[t.Declaration]:
            gone = {b.m.name(t.parse_name(n)) for n in names}
            usage = t.Usage(b.m)
            return [
                one
                for one in them
                if one.name not in gone and not gone & usage.of(t.roots_of(one)).names
            ]

        return change

    # Without a way to take literals apart they are of a type that nothing is known about.
    done = replayed(changed_strings(drop("String.ofList")), tmp_path)
    assert found(done, "primitive-unknown") == ["String"]
    done = replayed(changed_strings(drop("Char.ofNat")), tmp_path)
    assert found(done, "primitive-unknown") == ["Char.ofNat"]


def test_a_string_type_without_values(tmp_path: Path) -> None:
    def build(b: Builder) -> None:
        b.inductive(
            {
                "Nat": (
                    b.sort(1),
                    {"zero": b.const("Nat"), "succ": b.to(b.const("Nat"), b.const("Nat"))},
                )
            }
        )
        b.inductive({"String": (b.sort(0), {})})
        b.theorem("wrong", b.const("String"), b.text("x"))

    done = replayed(build, tmp_path)
    assert {"String", "List"} <= set(found(done, "primitive-refuted"))
    assert done.exit_status == 1


@pytest.mark.parametrize("which", ["Iff", "Nonempty", "Eq"])
def test_an_axiom_over_another_constant(tmp_path: Path, which: str) -> None:
    """Keep the axiom's type as it is written, and change what stands in it."""

    def build(b: Builder) -> None:
        prop = b.sort(0)
        if which == "Eq":
            b.inductive(
                {
                    "Eq": (
                        b.all("α", b.sort("u"), lambda a: b.to(a, a, prop), 1),
                        {
                            "refl": b.all(
                                "α",
                                b.sort("u"),
                                lambda a: b.all(
                                    "a", a, lambda x: b.all("b", a, lambda y: eq(b, a, x, y, "u"))
                                ),
                                1,
                            )
                        },
                    )
                },
                params=3,
                levels="u",
            )
        else:
            equality(b, prop)
        half = which == "Iff"
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
                                    lambda _: (
                                        b.app(b.const("Iff"), p, q)
                                        if half
                                        else b.all(
                                            "mpr",
                                            b.to(q, p),
                                            lambda __: b.app(b.const("Iff"), p, q),
                                        )
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
        bare = which == "Nonempty"
        b.inductive(
            {
                "Nonempty": (
                    b.all("α", b.sort("u"), lambda _: prop),
                    {
                        "intro": b.all(
                            "α",
                            b.sort("u"),
                            lambda a: (
                                b.app(b.const("Nonempty", "u"), a)
                                if bare
                                else b.all("val", a, lambda _: b.app(b.const("Nonempty", "u"), a))
                            ),
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
            "uses_propext",
            b.all(
                "a",
                prop,
                lambda p: b.all(
                    "b", prop, lambda q: b.to(b.app(b.const("Iff"), p, q), eq(b, prop, p, q))
                ),
            ),
            b.fun("a", prop, lambda p: b.fun("b", prop, lambda q: b.app(b.const("propext"), p, q))),
        )
        b.theorem(
            "uses_choice",
            b.all("a", prop, lambda p: b.to(b.app(b.const("Nonempty", 0), p), p)),
            b.fun("a", prop, lambda p: b.app(b.const("Classical.choice", 0), p)),
        )

    done = replayed(build, tmp_path, "uses_propext", "uses_choice")
    assert found(done, "primitive-refuted") == [which]
    assert found(done, "axiom-type-differs", "axiom-not-allowed") == []
    assert done.exit_status == 1


def test_an_allowed_axiom_over_what_is_not_known(tmp_path: Path) -> None:
    def build(b: Builder) -> None:
        naturals(b)
        n = b.const("Nat")
        statement = eq(b, n, b.app(b.const("Nat.add"), b.nat(1), b.nat(1)), b.nat(2))
        b.axiom("mine", statement)
        b.theorem("uses", statement, b.const("mine"))

    builder = Builder()
    build(builder)
    file = tmp_path / "e.ndjson"
    file.write_text(text_of(builder.source), encoding="utf-8")
    type_ = "(Eq.{1} Nat (Nat.add 1 1) 2)"
    done = replay.replay(
        replay.Request(
            export=file,
            targets=(replay.target("uses"),),
            allowed=(worker.Allowed(("mine",), (), type_),),
        )
    )
    assert found(done, "primitive-unknown") == ["Nat.add"]
    assert found(done, "axiom-type-differs", "axiom-not-allowed") == []


def test_what_no_target_uses_is_not_demanded(tmp_path: Path) -> None:
    """In the cone of a target only what stands in it is looked at."""

    def build(b: Builder) -> None:
        naturals(b)
        n = b.const("Nat")
        b.axiom("Nat.gcd", b.to(n, n, n))

    builder = Builder()
    build(builder)
    done = support.replayed(text_of(builder.source), tmp_path, targets=["Nat.add_zero"], cone=True)
    assert found(done, "primitive-refuted", "primitive-unknown") == []
    done = support.replayed(text_of(builder.source), tmp_path, targets=["Nat.add_zero"])
    assert found(done, "primitive-refuted") == ["Nat.gcd"]


def test_fingerprints() -> None:
    one, two = (mutants.read(support.exports()[name]) for name in ("naturals", "families"))
    prints, others = primitives.Fingerprints(one), primitives.Fingerprints(two)
    for name in ("add", "mul", "ble"):
        assert prints.of(("Nat", name)) == others.of(("Nat", name))
    assert prints.of(("Nat", "add")) != prints.of(("Nat", "mul"))
    assert prints.of(("nothing",)) is None


def test_a_proof_of_falsehood_by_a_wrong_function(tmp_path: Path) -> None:
    """Take `Nat.add x y := x`: the kernel computes 1 + 1 = 2 and unfolds it to 1."""

    def after(b: Builder) -> None:
        n = b.const("Nat")
        b.definition("Nat.add", b.to(n, n, n), b.fun("x", n, lambda x: b.fun("y", n, lambda _: x)))
        open_ = b.all("y", n, lambda y: eq(b, n, b.app(b.const("Nat.add"), b.nat(1), y), b.nat(1)))
        b.theorem("by_definition", open_, b.fun("y", n, lambda _: refl(b, n, b.nat(1))))
        b.theorem(
            "natively",
            eq(b, n, b.app(b.const("Nat.add"), b.nat(1), b.nat(1)), b.nat(2)),
            refl(b, n, b.nat(2)),
        )

    done = replayed(without("Nat.add", after), tmp_path)
    assert found(done, "kernel-rejects") == []
    assert found(done, "primitive-refuted") == ["Nat.add"]
