"""What Lean's kernel knows by name has to be what it takes it for.

The kernel computes some functions on natural numbers itself, whatever their definitions say; it
gives literals the types `Nat` and `String` by name; and the axioms that a policy allows mean what
they say only if the constants in their types are the usual ones. Each such constant, where it is
present, is compared: with its expected shape, or, for a function, by its defining equations, which
the kernel itself has to confirm on open terms, where it cannot compute natively. A function whose
definition cannot be told by equations (`Nat.div`, `Nat.gcd`, bitwise ones) has to be the same term
as in modules that the caller trusts.

Confirmed: silence. Refuted: a violation. Neither: *could not run*, naming it.

Source: `src/kernel/type_checker.cpp` (`reduce_nat`, `is_def_eq_offset_nat`, string literals),
`src/Init/Prelude.lean`, of Lean 4.35.0. Which functions are computed natively is measured at every
run (`native`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from harness.replay import terms as t
from harness.replay.kernel import Environment, Library, Objects, Rejected
from harness.replay.result import Finding
from harness.replay.terms import Name, Source, Terms

NAT: Name = ("Nat",)
BOOL: Name = ("Bool",)

# Candidates for what a kernel computes natively: arguments, a result of its own, Bool or Nat.
_UNARY = ("pred", "log2", "succ")
_BINARY = (
    "add",
    "sub",
    "mul",
    "div",
    "mod",
    "gcd",
    "lcm",
    "land",
    "lor",
    "xor",
    "shiftLeft",
    "shiftRight",
    "pow",
    "min",
    "max",
    "testBit",
)
_BOOLEAN = ("beq", "ble", "blt", "testBit")

_SAMPLES: dict[str, Callable[[int, int], int | bool]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: max(0, x - y),
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x // y if y else 0,
    "mod": lambda x, y: x % y if y else x,
    "gcd": lambda x, y: next((d for d in range(max(x, y), 0, -1) if x % d == y % d == 0), 0),
    "land": lambda x, y: x & y,
    "lor": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y,
    "shiftLeft": lambda x, y: x << y,
    "shiftRight": lambda x, y: x >> y,
    "pow": lambda x, y: x**y,
    "beq": lambda x, y: x == y,
    "ble": lambda x, y: x <= y,
    "log2": lambda x, _: max(0, x.bit_length() - 1),
    "pred": lambda x, _: max(0, x - 1),
}
"""What each function gives; for those of one argument the second is not used."""
_POINTS = ((0, 0), (0, 1), (1, 0), (1, 1), (2, 1), (1, 2), (3, 2), (2, 3), (5, 3))

# The constants by which the kernel takes a string literal apart, in newer and older versions.
_FROM_LIST: tuple[Name, ...] = (("String", "ofList"), ("String", "mk"))


@dataclass(frozen=True, slots=True)
class Shape:
    """What an inductive type has to be: type, and constructors in order."""

    levels: int
    type: int
    constructors: tuple[tuple[str, int], ...]


class Expected:
    """Expected shapes, as terms beside those of a source."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.prop = terms.sort(0)
        one = terms.level(t.SUCC, 0)
        self.type = terms.sort(one)
        self.u = terms.level(t.PARAM, terms.name(("u",)))
        self.sort_u = terms.sort(self.u)
        self.type_u = terms.sort(terms.level(t.SUCC, self.u))
        self.nat, self.bool = terms.const(NAT), terms.const(BOOL)

    def arrows(self, *types: int) -> int:
        """Return a function type; its parts have no loose bound variables."""
        result = types[-1]
        for one in reversed(types[:-1]):
            result = self.terms.pi("x", one, result)
        return result

    def shapes(self) -> dict[Name, Shape]:
        """Return the inductive types that have to be as they are here."""
        m, v = self.terms, self.terms.bvar
        eq, nonempty, iff = ("Eq",), ("Nonempty",), ("Iff",)
        list_u = m.const(("List",), [self.u])
        return {
            NAT: Shape(
                0, self.type, (("zero", self.nat), ("succ", self.arrows(self.nat, self.nat)))
            ),
            BOOL: Shape(0, self.type, (("false", self.bool), ("true", self.bool))),
            ("List",): Shape(
                1,
                self.arrows(self.type_u, self.type_u),
                (
                    ("nil", m.pi("α", self.type_u, m.app(list_u, v(0)))),
                    (
                        "cons",
                        m.pi(
                            "α",
                            self.type_u,
                            m.pi(
                                "head",
                                v(0),
                                m.pi("tail", m.app(list_u, v(1)), m.app(list_u, v(2))),
                            ),
                        ),
                    ),
                ),
            ),
            eq: Shape(
                1,
                m.pi("α", self.sort_u, m.pi("a", v(0), m.pi("b", v(1), self.prop))),
                (
                    (
                        "refl",
                        m.pi(
                            "α",
                            self.sort_u,
                            m.pi("a", v(0), m.app(m.const(eq, [self.u]), v(1), v(0), v(0))),
                        ),
                    ),
                ),
            ),
            nonempty: Shape(
                1,
                self.arrows(self.sort_u, self.prop),
                (
                    (
                        "intro",
                        m.pi(
                            "α",
                            self.sort_u,
                            m.pi("val", v(0), m.app(m.const(nonempty, [self.u]), v(1))),
                        ),
                    ),
                ),
            ),
            iff: Shape(
                0,
                self.arrows(self.prop, self.prop, self.prop),
                (
                    (
                        "intro",
                        m.pi(
                            "a",
                            self.prop,
                            m.pi(
                                "b",
                                self.prop,
                                m.pi(
                                    "mp",
                                    m.pi("h", v(1), v(1)),
                                    m.pi(
                                        "mpr",
                                        m.pi("h", v(1), v(3)),
                                        m.app(m.const(iff), v(3), v(2)),
                                    ),
                                ),
                            ),
                        ),
                    ),
                ),
            ),
        }


def shape_differs(source: Source, name: Name, shape: Shape) -> bool:
    """Tell whether the constant of a name is something else than an expected inductive type."""
    terms = source.terms
    found = source.find(name)
    if not isinstance(found, t.InductiveType) or len(found.levels) != shape.levels:
        return True
    expected = [terms.name(("u",))] * shape.levels
    same = t.Comparison(terms, terms, binder_info=False)
    same.rename(found.levels, expected)
    if not same.exprs(found.type, shape.type) or found.unsafe or len(found.all) != 1:
        return True
    told = [terms.names[c] for c in found.constructors]
    if told != [(*name, c) for c, _ in shape.constructors]:
        return True
    for last, type_ in shape.constructors:
        constructor = source.find((*name, last))
        if not isinstance(constructor, t.Constructor) or len(constructor.levels) != shape.levels:
            return True
        same.rename(constructor.levels, expected)
        if not same.exprs(constructor.type, type_):
            return True
    return False


@dataclass(frozen=True, slots=True)
class Equation:
    """`left` and `right`, of type `type`, in a context of that many natural numbers."""

    left: int
    right: int
    type: int
    variables: int


class Equations:
    """Defining equations of the functions that the kernel computes natively."""

    def __init__(self, expected: Expected) -> None:
        self._e, self._m = expected, expected.terms
        self.zero = self._m.const(("Nat", "zero"))
        self.false, self.true = (self._m.const(("Bool", x)) for x in ("false", "true"))

    def call(self, function: str, *arguments: int) -> int:
        """Return a function of `Nat` applied."""
        return self._m.app(self._m.const(("Nat", function)), *arguments)

    def succ(self, of: int) -> int:
        """Return a successor."""
        return self.call("succ", of)

    def _pred(self, of: int) -> int:
        m, nat = self._m, self._e.nat
        motive = m.lam("x", nat, nat)
        step = m.lam("n", nat, m.lam("ih", nat, m.bvar(1)))
        recursor = m.const(("Nat", "rec"), [m.level(t.SUCC, 0)])
        return m.app(recursor, motive, self.zero, step, of)

    def of(self, function: str) -> list[Equation] | None:
        """Return equations that determine a function, or None where none are known.

        Each determines the function's values on numerals from those at smaller ones, so that a
        definition for which they hold by definition computes what the kernel does natively.
        """
        m, f = self._m, function
        x, y, zero = m.bvar(1), m.bvar(0), self.zero
        nat, bool_ = self._e.nat, self._e.bool
        one, two = self.succ(zero), self.succ(self.succ(zero))
        next_ = self.succ(y)

        def last(at_zero: int, at_next: int) -> list[Equation]:
            return [
                Equation(self.call(f, x, zero), at_zero, nat, 2),
                Equation(self.call(f, x, next_), at_next, nat, 2),
            ]

        def both(zero_zero: int, zero_next: int, next_zero: int) -> list[Equation]:
            return [
                Equation(self.call(f, zero, zero), zero_zero, bool_, 2),
                Equation(self.call(f, zero, next_), zero_next, bool_, 2),
                Equation(self.call(f, self.succ(x), zero), next_zero, bool_, 2),
                Equation(self.call(f, self.succ(x), next_), self.call(f, x, y), bool_, 2),
            ]

        again = self.call(f, x, y)
        match f:
            case "add":
                return last(x, self.succ(again))
            case "sub":
                return last(x, self._pred(again))
            case "mul":
                return last(zero, self.call("add", again, x))
            case "pow":
                return last(one, self.call("mul", again, x))
            case "shiftLeft":
                return last(x, self.call(f, self.call("mul", two, x), y))
            case "shiftRight":
                return last(x, self.call("div", again, two))
            case "beq":
                return both(self.true, self.false, self.false)
            case "ble":
                return both(self.true, self.true, self.false)
            case "pred":
                return [
                    Equation(self.call(f, zero), zero, nat, 2),
                    Equation(self.call(f, self.succ(x)), x, nat, 2),
                ]
            case _:
                return None

    def type_of(self, function: str) -> int:
        """Return the type that a function has to have."""
        nat = self._e.nat
        result = self._e.bool if function in _BOOLEAN else nat
        return self._e.arrows(*[nat] * (1 if function in _UNARY else 2), result)

    def value(self, result: int | bool) -> int:
        """Return a result as a term."""
        if isinstance(result, bool):
            return self.true if result else self.false
        return self._m.nat(result)


def stated(terms: Terms, equation: Equation, name: str = "equation") -> t.Definition:
    """Return a declaration that the kernel accepts just if both sides are the same by definition.

    It says: for every predicate, what holds of the left holds of the right; the proof is to pass
    it on. That needs nothing but functions, so no equality that a source could have changed.
    """
    variables = equation.variables
    predicate = terms.pi("x", equation.type, terms.sort(0))
    # In the context of the variables and of the predicate, sides stand one binder deeper.
    left = terms.app(terms.bvar(0), lifted(terms, equation.left, 1))
    right = terms.app(terms.bvar(1), lifted(terms, equation.right, 2))
    type_ = terms.pi("P", predicate, terms.pi("h", left, right))
    value = terms.lam("P", predicate, terms.lam("h", left, terms.bvar(0)))
    nat = terms.const(NAT)
    for _ in range(variables):
        type_, value = terms.pi("n", nat, type_), terms.lam("n", nat, value)
    index = terms.name(("_replay", name))
    return t.Definition(index, (), type_, value, t.HINT_OPAQUE, "safe", (index,))


def lifted(terms: Terms, expr: int, by: int, above: int = 0) -> int:
    """Raise the loose bound variables of a small expression without `let`."""
    kind = terms.kind[expr]
    a, b, c = terms.a[expr], terms.b[expr], terms.c[expr]
    match kind & t.KIND_MASK:
        case 0:
            return terms.bvar(a + by) if a >= above else expr
        case 5:
            return terms.app(lifted(terms, a, by, above), lifted(terms, b, by, above))
        case 6 | 7:
            inside = lifted(terms, c, by, above + 1)
            return terms.expr(kind, a, lifted(terms, b, by, above), inside)
        case _:
            return expr


def native(library: Library, recursion_limit: bool) -> frozenset[str]:
    """Measure which functions on `Nat` a kernel computes by name, axioms though they are here."""
    source = Source(Terms())
    terms = source.terms
    expected = Expected(terms)
    equations = Equations(expected)
    shapes = expected.shapes()
    declarations: list[t.Declaration] = [
        block_of(terms, name, shapes[name]) for name in (NAT, BOOL)
    ]
    names = sorted({*_UNARY, *_BINARY, *_BOOLEAN} - {"succ"})
    asked = []
    for name in names:
        full = terms.name(("Nat", name))
        declarations.append(t.Axiom(full, (), equations.type_of(name)))
        arguments = [terms.nat(6)] * (1 if name in _UNARY else 2)
        call = equations.call(name, *arguments)
        results: Iterable[int | bool] = (
            (False, True) if name in _BOOLEAN else (0, 1, 2, 3, 5, 6, 7, 12, 36, 384, 46656)
        )
        type_ = expected.bool if name in _BOOLEAN else expected.nat
        asked += [
            (name, stated(terms, Equation(call, equations.value(x), type_, 0))) for x in results
        ]
    objects = Objects(library, terms)
    objects.build()
    environment = Environment(library, recursion_limit)
    for declaration in declarations:
        environment.add(objects.declaration(declaration))
    return frozenset(
        name for name, one in asked if environment.would_add(objects.declaration(one)) is None
    )


def block_of(terms: Terms, name: Name, shape: Shape, params: int = 0) -> t.Inductive:
    """Return a block of one expected inductive type, without what the kernel makes of it."""
    levels = (terms.name(("u",)),) * shape.levels
    full = terms.name(name)
    constructors = tuple(
        t.Constructor(terms.name((*name, last)), levels, type_, full, i, params, 0, False)
        for i, (last, type_) in enumerate(shape.constructors)
    )
    one = t.InductiveType(
        full,
        levels,
        shape.type,
        params,
        0,
        (full,),
        tuple(c.name for c in constructors),
        0,
        False,
        False,
        False,
    )
    return t.Inductive((one,), constructors, ())


@dataclass(slots=True)
class Check:
    """Everything about the primitives of a source that the kernel does not have to be asked.

    `findings` are those already certain. `questions` are declarations that the kernel has to be
    asked about, after it has added everything, and what is to be said if it refuses.
    """

    findings: list[Finding]
    confirmed: list[str]
    functions: list[str]
    strings: bool


def look(
    source: Source,
    present: Callable[[Name], bool],
    natives: frozenset[str],
    *,
    nat_literals: bool,
    string_literals: bool,
    axioms: Iterable[t.Axiom] = (),
) -> Check:
    """Compare shapes, and say which functions have to be confirmed.

    `present` tells whether a constant is among what is checked; `axioms` are those that the policy
    allows and something uses.
    """
    terms = source.terms
    expected = Expected(terms)
    shapes = expected.shapes()
    functions = sorted(n for n in natives if present(("Nat", n)))
    wanted: dict[Name, str] = {}
    # The kernel takes `Nat.zero` and `Nat.succ` for what literals are made of, by their names.
    built = present((*NAT, "zero")) or present((*NAT, "succ"))
    if functions or nat_literals or string_literals or built:
        wanted[NAT] = "literals and native functions"
    if any(n in _BOOLEAN for n in functions):
        wanted[BOOL] = "native functions"
    if string_literals:
        wanted[("List",)] = "string literals"
    findings: list[Finding] = []
    confirmed: list[str] = []
    usage = t.Usage(terms)
    for axiom in axioms:
        title = t.name_text(terms.names[axiom.name])
        for name_id in sorted(usage.of([axiom.type]).names):
            name = terms.names[name_id]
            constant = source.find(name)
            if isinstance(constant, t.Quotient):
                continue  # the kernel makes them itself, and records are compared with that
            if name not in shapes:
                findings.append(
                    Finding(
                        "primitive-unknown",
                        f"the axiom {title} mentions {t.name_text(name)}, which is not one of "
                        "the constants whose meaning is known here",
                        t.name_text(name),
                    )
                )
                continue
            wanted[name] = f"the axiom {title}"
    for name, why in wanted.items():
        text = t.name_text(name)
        if shape_differs(source, name, shapes[name]):
            findings.append(
                Finding(
                    "primitive-refuted",
                    f"{text} is not the {text} that {why} are about: "
                    "the kernel knows it by name only"
                    if why.endswith("functions")
                    else f"{text} is not the {text} that {why} is about",
                    text,
                )
            )
        else:
            confirmed.append(text)
    equations = Equations(expected)
    askable = []
    for name_ in functions:
        found = source.find(("Nat", name_))
        if (
            not isinstance(found, t.Definition)
            or found.levels
            or not t.Comparison(terms, terms, binder_info=False).exprs(
                found.type, equations.type_of(name_)
            )
        ):
            findings.append(
                Finding(
                    "primitive-refuted",
                    f"the kernel computes Nat.{name_} by itself, and here it is "
                    + (f"a {t.kind_of(found)}" if found else "missing")
                    + " or has another type",
                    f"Nat.{name_}",
                )
            )
        else:
            askable.append(name_)
    return Check(findings, confirmed, askable, string_literals)


def ask(
    source: Source,
    check: Check,
    environment: Environment,
    objects: Objects,
    known: Mapping[str, str] | None = None,
) -> tuple[list[Finding], list[str]]:
    """Have the kernel confirm what `look` left open; give findings and what was confirmed.

    `known` gives for names of functions the fingerprint that a trusted source has; it is asked only
    about those that the kernel neither confirms nor refutes.
    """
    terms = source.terms
    expected = Expected(terms)
    equations = Equations(expected)
    findings: list[Finding] = []
    confirmed: list[str] = []

    def refuses(one: t.Declaration) -> Rejected | None:
        objects.build()
        return environment.would_add(objects.declaration(one))

    prints = Fingerprints(source) if known else None
    for name in check.functions:
        text = f"Nat.{name}"
        wanted = equations.of(name)
        if wanted is not None and not any(refuses(stated(terms, equation)) for equation in wanted):
            confirmed.append(text)
            continue
        counter = _refuted(source, equations, expected, name, refuses)
        if counter is not None:
            findings.append(
                Finding(
                    "primitive-refuted",
                    f"the kernel computes {text} by itself, and the definition here gives "
                    f"something else: {counter}",
                    text,
                )
            )
        elif known and prints and known.get(text) == prints.of(("Nat", name)):
            # Only what the kernel neither confirms nor refutes is taken on somebody's word.
            confirmed.append(text)
        else:
            findings.append(
                Finding(
                    "primitive-unknown",
                    f"the kernel computes {text} by itself, and whether the definition here is "
                    "of that function could not be confirmed",
                    text,
                )
            )
    if check.strings:
        found = _string(source, expected, refuses)
        if found is None:
            confirmed.append("String")
        else:
            findings.append(found)
    return findings, confirmed


def _refuted(
    source: Source,
    equations: Equations,
    expected: Expected,
    name: str,
    refuses: Callable[[t.Declaration], Rejected | None],
) -> str | None:
    """Look for arguments at which a definition, under another name, gives a wrong value."""
    terms = source.terms
    definition = source.find(("Nat", name))
    result = _SAMPLES.get(name)
    if not isinstance(definition, t.Definition) or result is None:
        return None
    for x, y in _POINTS:
        right = result(x, y)
        arguments = [x] if name in _UNARY else [x, y]
        call = terms.app(definition.value, *map(terms.nat, arguments))
        candidates: Iterable[int | bool] = (False, True) if isinstance(right, bool) else range(12)
        type_ = expected.bool if isinstance(right, bool) else expected.nat
        for other in candidates:
            if other == right:
                continue
            claim = stated(terms, Equation(call, equations.value(other), type_, 0))
            if refuses(claim) is None:
                shown = " ".join(map(str, arguments))
                return f"at {shown} it gives {other}, and the function {right}".lower()
    return None


def _string(
    source: Source, expected: Expected, refuses: Callable[[t.Declaration], Rejected | None]
) -> Finding | None:
    """Have the kernel confirm how it takes string literals apart.

    A literal is a list of characters given by numbers: it needs a type `String`, `Char.ofNat` and a
    function from lists of characters, and whatever these are, a literal is what they give.
    """
    terms = source.terms
    string, char = terms.const(("String",)), terms.const(("Char",))
    one = terms.level(t.SUCC, 0)
    del one

    def has_type(name: Name, type_: int) -> bool:
        found = source.find(name)
        return (
            found is not None
            and not found.levels
            and not (isinstance(found, t.Axiom) or t.kind_of(found) == "theorem")
            and t.Comparison(terms, terms, binder_info=False).exprs(found.type, type_)
        )

    for name in (("String",), ("Char",)):
        if not has_type(name, expected.type):
            text = t.name_text(name)
            return Finding(
                "primitive-refuted", f"{text} is not the type that string literals are about", text
            )
    list_zero = terms.const(("List",), [0])
    characters = terms.app(list_zero, char)
    if not has_type(("Char", "ofNat"), expected.arrows(expected.nat, char)):
        return Finding(
            "primitive-unknown",
            "string literals are used and Char.ofNat is not the known one",
            "Char.ofNat",
        )
    for maker in _FROM_LIST:
        if not has_type(maker, expected.arrows(characters, string)):
            continue
        of_nat, make = terms.const(("Char", "ofNat")), terms.const(maker)
        nil = terms.app(terms.const(("List", "nil"), [0]), char)
        cons = terms.app(terms.const(("List", "cons"), [0]), char)
        value = nil
        for code in (0x1D49C, 97):
            value = terms.app(cons, terms.app(of_nat, terms.nat(code)), value)
        pairs = [("", nil), ("a𝒜", value)]
        if not any(
            refuses(stated(terms, Equation(terms.string(text), terms.app(make, of), string, 0)))
            for text, of in pairs
        ):
            return None
    return Finding(
        "primitive-unknown",
        "string literals are used, and the function by which the kernel takes them apart is not "
        "there or not the known one",
        "String",
    )


def fingerprints(source: Source) -> dict[str, str]:
    """Return the fingerprints of what a source has of the functions that a kernel may compute.

    Made from the modules of a toolchain they are what `known` of `ask` takes.
    """
    prints = Fingerprints(source)
    names = sorted({*_UNARY, *_BINARY, *_BOOLEAN} - {"succ"})
    found = {f"Nat.{name}": prints.of(("Nat", name)) for name in names}
    return {name: value for name, value in found.items() if value is not None}


class Fingerprints:
    """SHA-256 of constants with everything that they rest on, binders' names left out."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._graph = t.Graph(source)
        self._declarations: dict[int, bytes] = {}

    def of(self, name: Name) -> str | None:
        """Return the fingerprint of a constant, None if there is no such one."""
        terms = self._source.terms
        index = terms.name_ids.get(name)
        number = None if index is None else self._source.index.get(index)
        if number is None:
            return None
        for below in t.cone(self._graph, [number]).order:
            if below not in self._declarations:
                self._declarations[below] = self._digest(below)
        return hashlib.sha256(self._declarations[number] + repr(name).encode()).hexdigest()

    def _digest(self, number: int) -> bytes:
        one = self._source.declarations[number]
        names = self._source.terms.names
        parts: list[object] = [t.kind_of(one)]
        renamed = {name: i for i, name in enumerate(one.levels)}
        for constant in t.constants_of(one):
            if not isinstance(constant, t.Recursor):
                parts += [names[constant.name], len(constant.levels)]
        parts += self._exprs(t.roots_of(one), renamed)
        parts += sorted(
            self._declarations[n].hex() for n in self._graph.needs(number) if n != number
        )
        return hashlib.sha256(repr(parts).encode()).digest()

    def _exprs(self, roots: Iterator[int], renamed: dict[int, int]) -> list[str]:
        terms = self._source.terms
        known: dict[int, str] = {}
        out = []
        for root in roots:
            stack = [root]
            while stack:
                e = stack[-1]
                below = terms.parts(e)
                wanted = [x for x in below if x not in known]
                if wanted:
                    stack += wanted
                    continue
                stack.pop()
                if e not in known:
                    own = (self._own(e, renamed), *(known[x] for x in below))
                    known[e] = hashlib.sha256(repr(own).encode()).hexdigest()
            out.append(known[root])
        return out

    def _own(self, e: int, renamed: dict[int, int]) -> tuple[object, ...]:
        terms = self._source.terms
        kind, a, b = terms.kind[e] & t.KIND_MASK, terms.a[e], terms.b[e]
        match kind:
            case 3:
                return (kind, self._level(a, renamed))
            case 4:
                levels = [self._level(u, renamed) for u in terms.level_lists[b]]
                return (kind, terms.names[a], *levels)
            case 9:
                return (kind, hex(terms.nats[a]))
            case 10:
                return (kind, terms.strings[a])
            case 11:
                return (kind, terms.names[a], b)
            case 0:
                return (kind, a)
            case _:
                return (kind,)

    def _level(self, level: int, renamed: dict[int, int]) -> str:
        """Write a level in prefix form; levels are shallow by the readers' limits."""
        out: list[str] = []
        stack = [level]
        while stack:
            kind, first, second = self._source.terms.levels[stack.pop()]
            if kind == t.PARAM:
                out.append(f"p{renamed.get(first, -1)}")
            else:
                out.append("zsmi"[kind])
                if kind in (t.MAX, t.IMAX):
                    stack.append(second)
                if kind != t.ZERO:
                    stack.append(first)
        return " ".join(out)
