"""The one form in which terms are held: names, levels, expressions and declarations.

Both readers (`export.py`, `modules.py`) give this form and the kernel (`kernel.py`) takes it.
Expressions live in flat arrays and refer to each other by index; what an expression refers to has
a smaller index, so that there are no cycles and one pass in order meets parts before wholes.
Metadata (`Expr.mdata`), which means nothing to the kernel, is left out when reading.
Free variables and metavariables have no place in this form.

Source: Lean's `Expr`, `Level`, `Name` and `Declaration` (`src/Lean/Expr.lean`,
`src/Lean/Declaration.lean`).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from harness.sources.lexer import ID_FIRST, ID_REST

Name = tuple[str | int, ...]
"""A name: its components in order, text or number. Never joined text: that cannot be taken apart
again."""

# The numbers of Lean's own constructors where there is one.
BVAR, SORT, CONST, APP, LAM, PI, LET, NAT, STR, PROJ = 0, 3, 4, 5, 6, 7, 8, 9, 10, 11
KIND_MASK, INFO_SHIFT = 15, 4
"""`Terms.kind` holds the kind, and above it the binder's information or a `let`'s `nondep`."""

ZERO, SUCC, MAX, IMAX, PARAM = 0, 1, 2, 3, 4

BINDERS = ("default", "implicit", "strictImplicit", "instImplicit")
SAFETIES = ("unsafe", "safe", "partial")
QUOTIENT_KINDS = ("type", "ctor", "lift", "ind")
HINT_OPAQUE, HINT_ABBREV = -2, -1
"""`Definition.hints` is one of these, or the height of a regular definition."""


class TooLarge(Exception):
    """A term written out would be longer than allowed."""


class Terms:
    """Names, levels and expressions, each referred to by its index.

    Name 0 is the anonymous name and level 0 is zero. The columns `a`, `b`, `c` of an expression:

    ======  ==============================  =======  ==================
    kind    `a`                             `b`      `c`
    ======  ==============================  =======  ==================
    BVAR    de Bruijn index
    SORT    level
    CONST   name                            index into `level_lists`
    APP     function                        argument
    LAM/PI  binder's name                   type     body
    LET     binder's name                   type     value; body in `let_body`
    NAT     index into `nats`
    STR     index into `strings`
    PROJ    structure's name                field    structure
    ======  ==============================  =======  ==================
    """

    __slots__ = (
        "_interned",
        "a",
        "b",
        "c",
        "kind",
        "let_body",
        "level_ids",
        "level_list_ids",
        "level_lists",
        "levels",
        "name_ids",
        "names",
        "nats",
        "strings",
    )

    def __init__(self) -> None:
        self.names: list[Name] = [()]
        self.name_ids: dict[Name, int] = {(): 0}
        self.levels: list[tuple[int, int, int]] = [(ZERO, 0, 0)]
        self.level_ids: dict[tuple[int, int, int], int] = {(ZERO, 0, 0): 0}
        self.level_lists: list[tuple[int, ...]] = [()]
        self.level_list_ids: dict[tuple[int, ...], int] = {(): 0}
        self.kind = bytearray()
        self.a = array("i")
        self.b = array("i")
        self.c = array("i")
        self.let_body: dict[int, int] = {}
        self.nats: list[int] = []
        self.strings: list[str] = []
        self._interned: dict[tuple[int, ...] | tuple[int, str], int] = {}

    def __len__(self) -> int:
        return len(self.kind)

    # Each of the following gives the index of what it is asked for, the same one each time.

    def name(self, name: Name) -> int:
        """Return the index of a name."""
        found = self.name_ids.get(name)
        if found is None:
            if name:
                self.name(name[:-1])
            found = self.name_ids[name] = len(self.names)
            self.names.append(name)
        return found

    def level(self, kind: int, first: int = 0, second: int = 0) -> int:
        """Return the index of a level: SUCC of a level, MAX or IMAX of two, PARAM of a name."""
        key = (kind, first, second)
        found = self.level_ids.get(key)
        if found is None:
            found = self.level_ids[key] = len(self.levels)
            self.levels.append(key)
        return found

    def level_list(self, levels: tuple[int, ...]) -> int:
        """Return the index of a list of levels."""
        found = self.level_list_ids.get(levels)
        if found is None:
            found = self.level_list_ids[levels] = len(self.level_lists)
            self.level_lists.append(levels)
        return found

    def append(self, kind: int, a: int, b: int = 0, c: int = 0) -> int:
        """Add an expression, whether or not there is one like it."""
        self.kind.append(kind)
        self.a.append(a)
        self.b.append(b)
        self.c.append(c)
        return len(self.kind) - 1

    def expr(self, kind: int, a: int, b: int = 0, c: int = 0, body: int = 0) -> int:
        """Return the expression with these columns; `kind` with its information."""
        key = (kind, a, b, c, body)
        found = self._interned.get(key)
        if found is None:
            found = self._interned[key] = self.append(kind, a, b, c)
            if kind & KIND_MASK == LET:
                self.let_body[found] = body
        return found

    def bvar(self, index: int) -> int:
        """Return a bound variable."""
        return self.expr(BVAR, index)

    def sort(self, level: int) -> int:
        """`Sort level`."""
        return self.expr(SORT, level)

    def const(self, name: Name, levels: Iterable[int] = ()) -> int:
        """Return a constant at universe levels."""
        return self.expr(CONST, self.name(name), self.level_list(tuple(levels)))

    def app(self, function: int, *arguments: int) -> int:
        """Return a function applied to arguments."""
        for argument in arguments:
            function = self.expr(APP, function, argument)
        return function

    def lam(self, binder: str, type_: int, body: int, info: int = 0) -> int:
        """`fun (binder : type) => body`."""
        return self.expr(LAM | info << INFO_SHIFT, self.name((binder,)), type_, body)

    def pi(self, binder: str, type_: int, body: int, info: int = 0) -> int:
        """`∀ (binder : type), body`."""
        return self.expr(PI | info << INFO_SHIFT, self.name((binder,)), type_, body)

    def let(self, binder: str, type_: int, value: int, body: int) -> int:
        """`let binder : type := value; body`."""
        return self.expr(LET, self.name((binder,)), type_, value, body)

    def nat(self, value: int) -> int:
        """Return a numeral."""
        key = (NAT, str(value)) if value.bit_length() < 10_000 else (NAT, hex(value))
        found = self._interned.get(key)
        if found is None:
            self.nats.append(value)
            found = self._interned[key] = self.append(NAT, len(self.nats) - 1)
        return found

    def string(self, value: str) -> int:
        """Return a string literal."""
        key = (STR, value)
        found = self._interned.get(key)
        if found is None:
            self.strings.append(value)
            found = self._interned[key] = self.append(STR, len(self.strings) - 1)
        return found

    def proj(self, structure: Name, index: int, of: int) -> int:
        """Field `index` of a value of a structure."""
        return self.expr(PROJ, self.name(structure), index, of)

    def parts(self, expr: int) -> tuple[int, ...]:
        """Return the expressions that an expression consists of, in order."""
        match self.kind[expr] & KIND_MASK:
            case 5:
                return (self.a[expr], self.b[expr])
            case 6 | 7:
                return (self.b[expr], self.c[expr])
            case 8:
                return (self.b[expr], self.c[expr], self.let_body[expr])
            case 11:
                return (self.c[expr],)
            case _:
                return ()


@dataclass(frozen=True, slots=True)
class Axiom:
    """An axiom.

    Here and below names, levels and expressions are indices into `Terms`; `levels` are the names
    of the universe parameters.
    """

    name: int
    levels: tuple[int, ...]
    type: int
    unsafe: bool = False


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition; `safety` is one of SAFETIES."""

    name: int
    levels: tuple[int, ...]
    type: int
    value: int
    hints: int
    safety: str
    all: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem and its proof."""

    name: int
    levels: tuple[int, ...]
    type: int
    value: int
    all: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Opaque:
    """A definition that the kernel never unfolds."""

    name: int
    levels: tuple[int, ...]
    type: int
    value: int
    unsafe: bool
    all: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Quotient:
    """One of the four constants of the quotient; `kind` is one of QUOTIENT_KINDS."""

    name: int
    levels: tuple[int, ...]
    type: int
    kind: str


@dataclass(frozen=True, slots=True)
class InductiveType:
    """One type of a block of inductive types."""

    name: int
    levels: tuple[int, ...]
    type: int
    params: int
    indices: int
    all: tuple[int, ...]
    constructors: tuple[int, ...]
    nested: int
    recursive: bool
    unsafe: bool
    reflexive: bool


@dataclass(frozen=True, slots=True)
class Constructor:
    """A constructor; `index` counts within its type from 0."""

    name: int
    levels: tuple[int, ...]
    type: int
    inductive: int
    index: int
    params: int
    fields: int
    unsafe: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """What a recursor does with one constructor."""

    constructor: int
    fields: int
    value: int


@dataclass(frozen=True, slots=True)
class Recursor:
    """A recursor and its computation rules."""

    name: int
    levels: tuple[int, ...]
    type: int
    all: tuple[int, ...]
    params: int
    indices: int
    motives: int
    minors: int
    rules: tuple[Rule, ...]
    k: bool
    unsafe: bool


@dataclass(frozen=True, slots=True)
class Inductive:
    """A block of inductive types, with what the kernel makes of them as the source tells it."""

    types: tuple[InductiveType, ...]
    constructors: tuple[Constructor, ...]
    recursors: tuple[Recursor, ...]

    @property
    def name(self) -> int:
        """The name of the first type."""
        return self.types[0].name

    @property
    def levels(self) -> tuple[int, ...]:
        """The universe parameters."""
        return self.types[0].levels

    @property
    def type(self) -> int:
        """The type of the first type."""
        return self.types[0].type

    @property
    def unsafe(self) -> bool:
        """Whether the block is unsafe."""
        return self.types[0].unsafe


@dataclass(frozen=True, slots=True)
class Quotients:
    """The constants of the quotient that a source has; the kernel makes all four at once."""

    constants: tuple[Quotient, ...]

    @property
    def name(self) -> int:
        """The name of the first one."""
        return self.constants[0].name

    @property
    def levels(self) -> tuple[int, ...]:
        """The universe parameters of the first one."""
        return self.constants[0].levels

    @property
    def type(self) -> int:
        """The type of the first one."""
        return self.constants[0].type


Constant = Axiom | Definition | Theorem | Opaque | Quotient | InductiveType | Constructor | Recursor
Declaration = Axiom | Definition | Theorem | Opaque | Quotients | Inductive


def kind_of(constant: Constant | Declaration) -> str:
    """Return the kind of a constant or declaration, in the words of the Lean reference."""
    match constant:
        case Axiom():
            return "axiom"
        case Definition():
            return "definition"
        case Theorem():
            return "theorem"
        case Opaque():
            return "opaque"
        case Quotient() | Quotients():
            return "quotient"
        case Constructor():
            return "constructor"
        case Recursor():
            return "recursor"
        case _:
            return "inductive"


def is_skipped(declaration: Declaration) -> str | None:
    """`unsafe` or `partial` for what no safe declaration can use and no kernel is shown."""
    match declaration:
        case Definition(safety="safe"):
            return None
        case Definition(safety=safety):
            return safety
        case Theorem() | Quotients():
            return None
        case _:
            return "unsafe" if declaration.unsafe else None


def constants_of(declaration: Declaration) -> Iterator[Constant]:
    """Return the constants that a declaration brings into being, its recursors included."""
    if isinstance(declaration, Inductive):
        yield from declaration.types
        yield from declaration.constructors
        yield from declaration.recursors
    elif isinstance(declaration, Quotients):
        yield from declaration.constants
    else:
        yield declaration


def roots_of(declaration: Declaration) -> Iterator[int]:
    """Return the expressions that a declaration consists of, those of its recursors left out.

    The kernel makes recursors itself, of nothing but the types and constructors.
    """
    match declaration:
        case Inductive():
            yield from (part.type for part in declaration.types)
            yield from (part.type for part in declaration.constructors)
        case Quotients():
            for constant in declaration.constants:
                yield constant.type
        case Axiom():
            yield declaration.type
        case _:
            yield declaration.type
            yield declaration.value


def redundant_roots_of(declaration: Declaration) -> Iterator[int]:
    """Return the expressions of a declaration's recursors and their rules."""
    if isinstance(declaration, Inductive):
        for recursor in declaration.recursors:
            yield recursor.type
            for rule in recursor.rules:
                yield rule.value


@dataclass(slots=True)
class Source:
    """What a reader gives: terms, declarations in order, and where they come from.

    `index` gives for the name (an index) of every constant the number of its declaration, and
    `constants` the constant itself. `modules` holds the module of each declaration, empty for an
    export. `meta` is what the source says about itself.
    """

    terms: Terms
    declarations: list[Declaration] = field(default_factory=list)
    index: dict[int, int] = field(default_factory=dict)
    constants: dict[int, Constant] = field(default_factory=dict)
    modules: list[str] = field(default_factory=list)
    meta: dict[str, str] = field(default_factory=dict)
    twice: list[int] = field(default_factory=list)

    def add(self, declaration: Declaration, module: str | None = None) -> None:
        """Append a declaration. A name that is there already is kept in `twice`."""
        number = len(self.declarations)
        self.declarations.append(declaration)
        if module is not None:
            self.modules.append(module)
        for constant in constants_of(declaration):
            self._enter(constant, number)

    def add_quotient(self, constant: Quotient, module: str | None = None) -> None:
        """Add a constant of the quotient to those that are there already."""
        for number, declaration in enumerate(self.declarations):
            if isinstance(declaration, Quotients):
                self.declarations[number] = Quotients((*declaration.constants, constant))
                self._enter(constant, number)
                return
        self.add(Quotients((constant,)), module)

    def _enter(self, constant: Constant, number: int) -> None:
        if constant.name in self.index:
            self.twice.append(constant.name)
        else:
            self.index[constant.name] = number
            self.constants[constant.name] = constant

    def find(self, name: Name) -> Constant | None:
        """Return the constant of a name, if there is one."""
        index = self.terms.name_ids.get(name)
        return None if index is None else self.constants.get(index)


# What a literal's type demands, where the source has it: the constants by which the kernel takes a
# literal apart. Older versions of Lean build a string with `String.mk`.
NAT_LITERAL: tuple[Name, ...] = (("Nat",),)
STRING_LITERAL: tuple[Name, ...] = (
    ("Nat",),
    ("String",),
    ("Char",),
    ("List",),
    ("Char", "ofNat"),
    ("String", "ofList"),
    ("String", "mk"),
)


@dataclass(frozen=True, slots=True)
class Uses:
    """The names (indices) of the constants that expressions mention, and which literals."""

    names: frozenset[int]
    nat_literal: bool
    string_literal: bool


class Usage:
    """Finds what expressions use; each shared part is visited once in a call."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._stamp = array("i", bytes(4 * len(terms)))
        self._round = 0

    def of(self, roots: Iterable[int]) -> Uses:
        """Tell what the expressions mention: constants, structures in projections, literals."""
        terms = self._terms
        if len(self._stamp) < len(terms):
            self._stamp.frombytes(bytes(4 * (len(terms) - len(self._stamp))))
        self._round += 1
        stamp, turn = self._stamp, self._round
        kinds, a, b, c = terms.kind, terms.a, terms.b, terms.c
        names: set[int] = set()
        nat = string = False
        stack = list(roots)
        pop, push = stack.pop, stack.append
        while stack:
            e = pop()
            if stamp[e] == turn:
                continue
            stamp[e] = turn
            kind = kinds[e] & KIND_MASK
            if kind == APP:
                push(a[e])
                push(b[e])
            elif kind == CONST:
                names.add(a[e])
            elif kind in (LAM, PI):
                push(b[e])
                push(c[e])
            elif kind == LET:
                push(b[e])
                push(c[e])
                push(terms.let_body[e])
            elif kind == PROJ:
                names.add(a[e])
                push(c[e])
            elif kind == NAT:
                nat = True
            elif kind == STR:
                string = True
        return Uses(frozenset(names), nat, string)


class Graph:
    """What declarations use, by their numbers; computed when asked for and kept."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._usage = Usage(source.terms)
        self._known: dict[int, tuple[int, ...]] = {}
        self.missing: dict[int, int] = {}
        """Names that a declaration uses and that are not there, with that declaration."""
        self.nat_literals: set[int] = set()
        self.string_literals: set[int] = set()

    def needs(self, number: int) -> tuple[int, ...]:
        """Return what a declaration uses, sorted; itself only if it uses itself."""
        known = self._known.get(number)
        if known is None:
            known = self._known[number] = self._needs(number)
        return known

    def _needs(self, number: int) -> tuple[int, ...]:
        source = self.source
        declaration = source.declarations[number]
        if is_skipped(declaration):
            return ()  # no kernel is shown it, nor what only it uses
        uses = self._usage.of(roots_of(declaration))
        found: set[int] = set()
        for name in uses.names:
            at = source.index.get(name)
            if at is None:
                self.missing.setdefault(name, number)
            else:
                found.add(at)
        demanded: list[Name] = []
        if uses.nat_literal:
            self.nat_literals.add(number)
            demanded += NAT_LITERAL
        if uses.string_literal:
            self.string_literals.add(number)
            demanded += STRING_LITERAL
        if isinstance(declaration, Quotients):
            demanded.append(("Eq",))  # the kernel asks for it
        for wanted in demanded:
            name_id = source.terms.name_ids.get(wanted)
            at = None if name_id is None else source.index.get(name_id)
            if at is not None:
                found.add(at)
        # A declaration that uses itself keeps itself among these: a cycle of one.
        if isinstance(declaration, Inductive | Quotients) or declaration.name not in uses.names:
            found.discard(number)
        return tuple(sorted(found))


@dataclass(frozen=True, slots=True)
class Cone:
    """What targets rest on: numbers of declarations, each after those it uses.

    `cycle` holds declarations that use each other in a circle, if there are any.
    """

    order: tuple[int, ...]
    cycle: tuple[int, ...] = ()


def cone(graph: Graph, roots: Iterable[int]) -> Cone:
    """Tell what declarations rest on, themselves included; iterative, so depth costs no stack."""
    done: set[int] = set()
    open_: dict[int, None] = {}
    order: list[int] = []
    for root in roots:
        stack: list[tuple[int, bool]] = [(root, False)]
        while stack:
            number, ready = stack.pop()
            if ready:
                del open_[number]
                done.add(number)
                order.append(number)
                continue
            if number in done:
                continue
            if number in open_:
                path = list(open_)
                return Cone((), tuple(path[path.index(number) :]))
            open_[number] = None
            stack.append((number, True))
            needed = graph.needs(number)
            for other in needed:
                if other in open_:
                    path = list(open_)
                    return Cone((), tuple(path[path.index(other) :]))
            stack += [(n, False) for n in reversed(needed) if n not in done]
    return Cone(tuple(order))


# Comparison.


class Comparison:
    """Whether declarations of two sources are the same.

    That is up to the names of universe parameters in order and the names of bound variables. Equal
    pairs of parts are looked at once.
    """

    def __init__(self, left: Terms, right: Terms, *, binder_info: bool = True) -> None:
        self._left, self._right = left, right
        self._mask = 255 if binder_info else KIND_MASK
        self._same: set[tuple[int, int]] = set()
        self._levels: dict[tuple[int, int], bool] = {}
        self._params: dict[int, int] = {}

    def constants(self, left: Constant, right: Constant, *, proofs: bool = True) -> bool:
        """Whether two constants are the same: kind, name, parameters, type, and all the rest.

        With `proofs` false a theorem's proof is not looked at.
        """
        if type(left) is not type(right) or not self._same_names([left.name], [right.name]):
            return False
        if len(left.levels) != len(right.levels):
            return False
        self.rename(left.levels, right.levels)
        if not self.exprs(left.type, right.type):
            return False
        match left, right:
            case (Theorem(), Theorem()):
                return not proofs or self.exprs(left.value, right.value)
            case (Definition(), Definition()):
                return left.safety == right.safety and self.exprs(left.value, right.value)
            case (Opaque(), Opaque()):
                return left.unsafe == right.unsafe and self.exprs(left.value, right.value)
            case (Axiom(), Axiom()):
                return left.unsafe == right.unsafe
            case (Quotient(), Quotient()):
                return left.kind == right.kind
            case (InductiveType(), InductiveType()):
                facts = ["params", "indices", "nested", "recursive", "unsafe", "reflexive"]
                return (
                    all(getattr(left, f) == getattr(right, f) for f in facts)
                    and self._same_names(left.all, right.all)
                    and self._same_names(left.constructors, right.constructors)
                )
            case (Constructor(), Constructor()):
                facts = ["index", "params", "fields", "unsafe"]
                return all(
                    getattr(left, f) == getattr(right, f) for f in facts
                ) and self._same_names([left.inductive], [right.inductive])
            case (Recursor(), Recursor()):
                facts = ["params", "indices", "motives", "minors", "k", "unsafe"]
                return (
                    all(getattr(left, f) == getattr(right, f) for f in facts)
                    and self._same_names(left.all, right.all)
                    and len(left.rules) == len(right.rules)
                    and all(
                        self._same_names([x.constructor], [y.constructor])
                        and x.fields == y.fields
                        and self.exprs(x.value, y.value)
                        for x, y in zip(left.rules, right.rules, strict=True)
                    )
                )
        return False

    def rename(self, left: Sequence[int], right: Sequence[int]) -> None:
        """Take universe parameters of the left for those of the right, in order."""
        renamed = dict(zip(left, right, strict=True))
        if renamed != self._params:
            self._params = renamed
            self._levels.clear()
            self._same.clear()

    def _same_names(self, left: Sequence[int], right: Sequence[int]) -> bool:
        return [self._left.names[n] for n in left] == [self._right.names[n] for n in right]

    def levels(self, left: int, right: int) -> bool:
        """Whether two levels are written alike, parameters renamed."""
        stack = [(left, right)]
        while stack:
            pair = stack.pop()
            if self._levels.get(pair):
                continue
            x, y = self._left.levels[pair[0]], self._right.levels[pair[1]]
            if x[0] != y[0]:
                return False
            match x[0]:
                case 4:
                    if x[1] in self._params:
                        if self._params[x[1]] != y[1]:
                            return False
                    elif self._left.names[x[1]] != self._right.names[y[1]]:
                        return False
                case 1:
                    stack.append((x[1], y[1]))
                case 2 | 3:
                    stack += [(x[1], y[1]), (x[2], y[2])]
            self._levels[pair] = True
        return True

    def exprs(self, left: int, right: int) -> bool:
        """Whether two expressions are the same."""
        one, two, same = self._left, self._right, self._same
        stack = [(left, right)]
        while stack:
            pair = stack.pop()
            if pair in same:
                continue
            same.add(pair)
            x, y = pair
            if (one.kind[x] ^ two.kind[y]) & self._mask:
                same.clear()
                return False
            if not self._columns(x, y):
                same.clear()
                return False
            stack += zip(one.parts(x), two.parts(y), strict=True)
        return True

    def _columns(self, x: int, y: int) -> bool:
        one, two = self._left, self._right
        match one.kind[x] & KIND_MASK:
            case 0:
                return one.a[x] == two.a[y]
            case 3:
                return self.levels(one.a[x], two.a[y])
            case 4:
                left, right = one.level_lists[one.b[x]], two.level_lists[two.b[y]]
                return (
                    one.names[one.a[x]] == two.names[two.a[y]]
                    and len(left) == len(right)
                    and all(self.levels(u, v) for u, v in zip(left, right, strict=True))
                )
            case 9:
                return one.nats[one.a[x]] == two.nats[two.a[y]]
            case 10:
                return one.strings[one.a[x]] == two.strings[two.a[y]]
            case 11:
                return one.names[one.a[x]] == two.names[two.a[y]] and one.b[x] == two.b[y]
            case _:
                return True


# Writing terms out.


Names = Mapping[int, str]
"""Other texts for universe parameters, by the index of their names."""


def level_text(terms: Terms, level: int, *, top: bool = True, params: Names | None = None) -> str:
    """Return a level as Lean prints it (`toString : Level → String`), wide ones on one line."""
    result: dict[int, tuple[str, bool]] = {}
    stack = [level]
    while stack:
        at = stack[-1]
        below = [x for x in _level_parts(terms, at) if x not in result]
        if below:
            stack += below
            continue
        stack.pop()
        result[at] = _level_written(terms, at, result, params or {})
    text, atomic = result[level]
    return text if top or atomic else f"({text})"


def _offset(terms: Terms, level: int) -> tuple[int, int]:
    offset = 0
    while terms.levels[level][0] == SUCC:
        level, offset = terms.levels[level][1], offset + 1
    return level, offset


def _level_parts(terms: Terms, level: int) -> list[int]:
    base, offset = _offset(terms, level)
    if offset:
        return [base]
    kind, first, second = terms.levels[level]
    if kind not in (MAX, IMAX):
        return []
    # `max a (max b c)` is written as one list.
    parts = [first]
    while terms.levels[second][0] == kind:
        _, first, second = terms.levels[second]
        parts.append(first)
    return [*parts, second]


def _level_written(
    terms: Terms, level: int, known: dict[int, tuple[str, bool]], params: Names
) -> tuple[str, bool]:
    def inside(part: int) -> str:
        text, atomic = known[part]
        return text if atomic else f"({text})"

    base, offset = _offset(terms, level)
    kind, first, _ = terms.levels[base]
    if kind == ZERO:
        return str(offset), True
    if offset:
        return f"{inside(base)}+{offset}", False
    if kind == PARAM:
        return params.get(first) or name_text(terms.names[first]), True
    word = "max" if kind == MAX else "imax"
    return " ".join([word, *map(inside, _level_parts(terms, level))]), False


_PLAIN = re.compile(f"[{ID_FIRST}][{ID_REST}]*")
"""A component that is written without `«»`."""


def name_text(name: Name) -> str:
    """Return a name as Lean prints it (`Name.toString`); two names can look the same."""
    if not name:
        return "[anonymous]"
    words = [c for c in name if isinstance(c, str)]
    last = words[-1] if words else ""
    root = name[0]
    as_it_is = (
        "✝" in last
        or last in ("_inaccessible", "_hyg")
        or (isinstance(root, str) and root.startswith(("#", "?")))
    )

    def component(part: str | int) -> str:
        if isinstance(part, int) or as_it_is or _PLAIN.fullmatch(part) or "»" in part:
            return str(part)
        return f"«{part}»"

    return ".".join(map(component, name))


def parse_name(text: str) -> Name:
    """Return a name as a person writes it: components between dots, `«»` around what needs it.

    A component of digits alone is a number. Raises ValueError for what is no name.
    """
    parts: list[str | int] = []
    at = 0
    while True:
        if text.startswith("«", at):
            end = text.find("»", at)
            if end < 0:
                raise ValueError(f"no » in {text!r}")
            parts.append(text[at + 1 : end])
            at = end + 1
        else:
            end = text.find(".", at)
            end = len(text) if end < 0 else end
            part = text[at:end]
            if not part:
                raise ValueError(f"an empty component in the name {text!r}")
            parts.append(int(part) if part.isascii() and part.isdigit() else part)
            at = end
        if at == len(text):
            return tuple(parts)
        if text[at] != ".":
            raise ValueError(f"{text!r} is not a name")
        at += 1


def quoted(text: str) -> str:
    """Return a string literal as Lean writes it (`String.quote`)."""
    special = {"\n": "\\n", "\t": "\\t", "\\": "\\\\", '"': '\\"'}
    return (
        '"'
        + "".join(
            special.get(c) or (f"\\x{ord(c):02x}" if ord(c) <= 31 or ord(c) == 0x7F else c)
            for c in text
        )
        + '"'
    )


_BRACKETS = (("(", ")"), ("{", "}"), ("⦃", "⦄"), ("[", "]"))


def render(terms: Terms, expr: int, limit: int = 1_000_000, params: Names | None = None) -> str:
    """Return an expression in the form of `render` in `scripts/lean/Audit.lean`.

    Without notation and without the names of bound variables: equal text means equal terms. Raises
    TooLarge for more than `limit` characters: shared parts are written out each time. `params`
    gives other names to universe parameters.
    """
    out: list[str] = []
    size = 0
    stack: list[int | str] = [expr]
    while stack:
        e = stack.pop()
        if isinstance(e, str):
            out.append(e)
            size += len(e)
            if size > limit:
                raise TooLarge(f"more than {limit:,} characters")
            continue
        stack += reversed(_rendered(terms, e, params))
        if len(stack) > limit:
            raise TooLarge(f"more than {limit:,} characters")
    return "".join(out)


def _rendered(terms: Terms, e: int, params: Names | None) -> list[int | str]:
    a, b, c = terms.a[e], terms.b[e], terms.c[e]
    info = terms.kind[e] >> INFO_SHIFT
    match terms.kind[e] & KIND_MASK:
        case 0:
            return [f"#{a}"]
        case 3:
            return [f"Sort {level_text(terms, a, params=params)}"]
        case 4:
            return [_constant_text(terms, a, b, params)]
        case 5:
            spine = spine_of(terms, e)
            parts: list[int | str] = ["(", spine[0]]
            for argument in spine[1:]:
                parts += [" ", argument]
            return [*parts, ")"]
        case 6 | 7 as kind:
            left, right = _BRACKETS[info]
            return ["(", "λ" if kind == LAM else "Π", left, b, right, " ", c, ")"]
        case 8:
            return ["(let : ", b, " := ", c, "; ", terms.let_body[e], ")"]
        case 9:
            return [numeral(terms.nats[a])]
        case 10:
            return [quoted(terms.strings[a])]
        case _:
            return ["(", c, f").{name_text(terms.names[a])}.{b}"]


def binder_names(terms: Terms, expr: int, limit: int = 100_000) -> list[str]:
    """Return the names of an expression's binders in the order in which `render` writes them.

    Raises TooLarge for more than `limit` steps.
    """
    found: list[str] = []
    stack, steps = [expr], 0
    while stack:
        e = stack.pop()
        steps += 1
        if steps > limit:
            raise TooLarge(f"more than {limit:,} parts")
        if terms.kind[e] & KIND_MASK in (LAM, PI, LET):
            found.append(name_text(terms.names[terms.a[e]]))
        stack += reversed(terms.parts(e))
    return found


def signature(terms: Terms, type_: int) -> str:
    """Return the opening brackets of a type's leading binders, in order."""
    found = []
    while terms.kind[type_] & KIND_MASK == PI:
        found.append(_BRACKETS[terms.kind[type_] >> INFO_SHIFT][0])
        type_ = terms.c[type_]
    return "".join(found)


def numeral(value: int) -> str:
    """Return a number in decimal, however long. Raises TooLarge beyond 100,000 digits."""
    if value.bit_length() > 332_200:
        raise TooLarge("a number of more than 100,000 digits")
    if value < 10**4000:
        return str(value)
    high, low = divmod(value, 10**4000)
    return numeral(high) + str(low).zfill(4000)


def spine_of(terms: Terms, e: int) -> list[int]:
    """Return the head of an application and its arguments, in order."""
    arguments = []
    while terms.kind[e] & KIND_MASK == APP:
        arguments.append(terms.b[e])
        e = terms.a[e]
    return [e, *reversed(arguments)]


def _constant_text(terms: Terms, name: int, levels: int, params: Names | None) -> str:
    text = name_text(terms.names[name])
    given = terms.level_lists[levels]
    if not given:
        return text
    return f"{text}.{{{', '.join(level_text(terms, u, params=params) for u in given)}}}"


def pretty(terms: Terms, expr: int, limit: int = 20_000) -> str:
    """Return an expression for people to read: ∀, →, fun, named binders; universe levels left out.

    Cut off with `…` after about `limit` characters.
    """
    return _Pretty(terms, limit).show(expr)


class _Pretty:
    """Names of bound variables are made distinct; precedence: 0 binders, 1 arrows, 2 arguments."""

    def __init__(self, terms: Terms, limit: int) -> None:
        self.terms = terms
        self.left = limit

    def show(self, expr: int) -> str:
        return self._show(expr, (), 0, 0)

    def _show(self, e: int, names: tuple[str, ...], level: int, depth: int) -> str:
        if self.left <= 0 or depth > 150:
            return "…"
        text, own = self._written(e, names, depth + 1)
        self.left -= 4
        return f"({text})" if own < level else text

    def _written(self, e: int, names: tuple[str, ...], depth: int) -> tuple[str, int]:
        terms = self.terms
        a, b, c = terms.a[e], terms.b[e], terms.c[e]
        match terms.kind[e] & KIND_MASK:
            case 0:
                return (names[-1 - a] if a < len(names) else f"#{a}"), 3
            case 3:
                return self._sort(a)
            case 4:
                return name_text(terms.names[a]), 3
            case 5:
                head, *arguments = spine_of(terms, e)
                parts = [self._show(head, names, 2, depth)]
                parts += [self._show(x, names, 3, depth) for x in arguments]
                return " ".join(parts), 2
            case 6:
                return self._binders(e, names, depth), 0
            case 7:
                return self._pi(e, names, depth)
            case 8:
                name = self._fresh(a, names)
                type_, value = self._show(b, names, 0, depth), self._show(c, names, 0, depth)
                body = self._show(terms.let_body[e], (*names, name), 0, depth)
                return f"let {name} : {type_} := {value}; {body}", 0
            case 9:
                try:
                    return numeral(terms.nats[a]), 3
                except TooLarge:
                    return "…", 3
            case 10:
                return quoted(terms.strings[a]), 3
            case _:
                return f"{self._show(c, names, 3, depth)}.{b + 1}", 3

    def _sort(self, level: int) -> tuple[str, int]:
        text = level_text(self.terms, level, top=False)
        if text == "0":
            return "Prop", 3
        if text == "1":
            return "Type", 3
        kind, below, _ = self.terms.levels[level]
        if kind == SUCC:
            return f"Type {level_text(self.terms, below, top=False)}", 2
        return f"Sort {text}", 2

    def _fresh(self, name: int, names: tuple[str, ...]) -> str:
        text = name_text(self.terms.names[name]) if name else "x"
        while text in names:
            text += "'"
        return text

    def _pi(self, e: int, names: tuple[str, ...], depth: int) -> tuple[str, int]:
        terms = self.terms
        if terms.kind[e] >> INFO_SHIFT == 0 and not uses_bvar(terms, terms.c[e], 0):
            left = self._show(terms.b[e], names, 2, depth)
            return f"{left} → {self._show(terms.c[e], (*names, '_'), 1, depth)}", 1
        return self._binders(e, names, depth), 0

    def _binders(self, e: int, names: tuple[str, ...], depth: int) -> str:
        terms, kind = self.terms, self.terms.kind[e] & KIND_MASK
        binders: list[str] = []
        while terms.kind[e] & KIND_MASK == kind and self.left > 0:
            info = terms.kind[e] >> INFO_SHIFT
            if kind == PI and info == 0 and binders and not uses_bvar(terms, terms.c[e], 0):
                break
            name = self._fresh(terms.a[e], names)
            left, right = _BRACKETS[info]
            binders.append(f"{left}{name} : {self._show(terms.b[e], names, 0, depth)}{right}")
            names = (*names, name)
            e = terms.c[e]
        body = self._show(e, names, 0, depth)
        words = " ".join(binders)
        return f"∀ {words}, {body}" if kind == PI else f"fun {words} => {body}"


def uses_bvar(terms: Terms, expr: int, index: int) -> bool:
    """Whether a bound variable, counted from outside the expression, occurs in it."""
    seen: set[tuple[int, int]] = set()
    stack = [(expr, index)]
    while stack:
        pair = stack.pop()
        if pair in seen:
            continue
        seen.add(pair)
        e, i = pair
        match terms.kind[e] & KIND_MASK:
            case 0:
                if terms.a[e] == i:
                    return True
            case 6 | 7:
                stack += [(terms.b[e], i), (terms.c[e], i + 1)]
            case 8:
                stack += [(terms.b[e], i), (terms.c[e], i), (terms.let_body[e], i + 1)]
            case _:
                stack += [(part, i) for part in terms.parts(e)]
    return False
