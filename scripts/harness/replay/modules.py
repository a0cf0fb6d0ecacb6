"""Reading compiled modules: their declarations as terms.

An `.olean` file is an image of memory: a header, then objects that refer to each other by address.
It is read here as a file, by nothing but this code: no library maps it, each address is checked to
lie inside the module and each object to refer to earlier ones only, so that whatever stands in the
file a reader of it can be wrong but not led astray. What is read is then for the kernel to judge.

Header: `olean`, format, flags, Lean version (33 bytes), git hash (40 bytes), base address. A
module compiled as `module` has three parts, `.olean`, `.olean.server` and `.olean.private`, which
are one image: each starts at the next multiple of 64 KiB after the one before it. The last part is
the complete one; in the first, theorems look like axioms.

Source: `src/library/module.cpp`, `src/runtime/compact.cpp`, `lean.h`, `src/Lean/Environment.lean`
(`ModuleData`) of Lean 4.35.0, and files that it wrote.
"""

from __future__ import annotations

import functools
import mmap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from harness.replay import terms as t
from harness.replay.header import FORMAT, HEADER, Header, Malformed, header_of
from harness.replay.result import Finding, Stop
from harness.replay.terms import Name, Source, Terms

_T = TypeVar("_T")

SUFFIXES = (".olean", ".olean.server", ".olean.private")
PAGE = 1 << 16
NAME_BITS = 13_000
"""Of a number in a name: what Python writes out."""

_AXIOM, _DEFINITION, _THEOREM, _OPAQUE, _QUOTIENT, _INDUCTIVE, _CONSTRUCTOR, _RECURSOR = range(8)
_ARRAY, _STRING, _INTEGER = 246, 249, 250
_FIELDS = (1, 1, 1, 1, 2, 2, 3, 3, 4, 1, 2, 3)
"""How many object fields each kind of expression has."""


class Image:
    """The parts of one module, as objects at addresses."""

    def __init__(self, parts: Sequence[Path]) -> None:
        """Map the parts. Raises Malformed or OSError."""
        self.headers: list[Header] = []
        self._parts: list[tuple[int, int, memoryview]] = []
        self._bytes: list[memoryview] = []
        for path in parts:
            size = path.stat().st_size
            if size < HEADER + 16:
                raise Malformed(f"{path.name} is cut off")
            with path.open("rb") as stream:
                data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
            header = header_of(data[:HEADER])
            self.headers.append(header)
            if header.format != FORMAT:
                raise Malformed(
                    f"{path.name} is of format {header.format}, and {FORMAT} is known here"
                )
            whole = memoryview(data)[: len(data) & ~7]
            self._parts.append((header.base, header.base + len(whole), whole.cast("Q")))
            self._bytes.append(whole)
            if len(data) & 7:
                raise Malformed(f"{path.name} is cut off")
        self._names: dict[int, Name] = {}

    def consecutive(self) -> bool:
        """Tell whether each part starts where the one before it ends."""
        return all(
            start == (end + PAGE - 1) // PAGE * PAGE
            for (_, end, _), (start, _, _) in zip(self._parts, self._parts[1:], strict=False)
        )

    def root(self, part: int) -> int:
        """Return the address of a part's data: its first word, in older versions its last."""
        base, end, words = self._parts[part]
        for address in (words[HEADER >> 3], words[-1]):
            if base + HEADER <= address < end and not address & 7:
                return address
        raise Malformed("there is no root")

    def at(self, address: int) -> tuple[memoryview, int]:
        """Return the words of a part and the place of an object in it."""
        for base, end, words in self._parts:
            if base <= address < end:
                if address & 7 or address < base + HEADER:
                    break
                return words, (address - base) >> 3
        raise Malformed("an address outside of the module")

    def object(self, address: int, tag: int, fields: int) -> list[int]:
        """Return the fields of a constructor object, which are boxed or lie before it."""
        if address & 1:
            raise Malformed("an object was expected")
        words, i = self.at(address)
        header = words[i]
        if header >> 56 != tag or header >> 48 & 255 != fields:
            raise Malformed("an object of another kind was expected")
        found = words[i + 1 : i + 1 + fields].tolist()
        if len(found) != fields:
            raise Malformed("an object beyond the end")
        for one in found:
            if not one & 1 and one >= address:
                raise Malformed("an object that refers to a later one")
        return found

    def tag(self, address: int) -> int:
        """Return the number of a constructor."""
        if address & 1:
            return address >> 1
        words, i = self.at(address)
        return words[i] >> 56

    def scalars(self, address: int, count: int) -> bytes:
        """Return bytes after the object fields of a constructor object."""
        words, i = self.at(address)
        start = i + 1 + (words[i] >> 48 & 255)
        found = words[start : start + (count + 7) // 8].tobytes()[:count]
        if len(found) != count:
            raise Malformed("an object beyond the end")
        return found

    def array(self, address: int) -> list[int]:
        """Return the elements of an array."""
        words, i = self.at(address)
        if address & 1 or words[i] >> 56 != _ARRAY:
            raise Malformed("an array was expected")
        size = words[i + 1]
        if size > len(words):
            raise Malformed("an array beyond the end")
        found = words[i + 3 : i + 3 + size].tolist()
        if len(found) != size or any(not one & 1 and one >= address for one in found):
            raise Malformed("an array that is not one")
        return found

    def items(self, address: int) -> list[int]:
        """Return the elements of a list."""
        out = []
        while not address & 1:
            head, tail = self.object(address, 1, 2)
            out.append(head)
            address = tail
        return out

    def text(self, address: int) -> str:
        """Return a string."""
        words, i = self.at(address)
        if address & 1 or words[i] >> 56 != _STRING:
            raise Malformed("a string was expected")
        size = words[i + 1]
        if not 1 <= size <= 8 * len(words):
            raise Malformed("a string beyond the end")
        data = words[i + 4 : i + 4 + (size + 7) // 8].tobytes()
        try:
            if len(data) < size or data[size - 1]:
                raise Malformed("a string without an end")
            return data[: size - 1].decode("utf-8")
        except UnicodeDecodeError:
            raise Malformed("a string that is not UTF-8") from None

    def natural(self, address: int) -> int:
        """Return a natural number: boxed, or an integer of 64-bit limbs."""
        if address & 1:
            return address >> 1
        words, i = self.at(address)
        if words[i] >> 56 != _INTEGER:
            raise Malformed("a number was expected")
        size = words[i + 1] >> 32
        limbs, place = self.at(words[i + 2])
        found = limbs[place : place + size].tobytes()
        if size >> 31 or len(found) != 8 * size:
            raise Malformed("a number beyond the end")
        return int.from_bytes(found, "little")

    def count(self, address: int) -> int:
        """Return a number that counts something: a boxed one."""
        if not address & 1:
            raise Malformed("a count that is none")
        return address >> 1

    def name(self, address: int) -> Name:
        """Return a name."""
        if address & 1:
            return ()
        names = self._names
        chain = []
        while not address & 1 and address not in names:
            tag = self.tag(address)
            if tag not in (1, 2):
                raise Malformed("a name was expected")
            prefix, last = self.object(address, tag, 2)
            part = self.text(last) if tag == 1 else self.natural(last)
            if isinstance(part, int) and part.bit_length() > NAME_BITS:
                raise Malformed("a name with a number of thousands of digits")
            chain.append((address, part))
            address = prefix
            if len(chain) > 1000:
                raise Malformed("a name of more than 1,000 components")
        found = () if address & 1 else names[address]
        for place, part in reversed(chain):
            found = names[place] = (*found, part)
        return found


@dataclass(slots=True)
class Module:
    """A compiled module: its image, imports, and the addresses of its constants."""

    name: Name
    files: tuple[Path, ...]
    image: Image
    imports: tuple[Name, ...]
    constants: dict[Name, int]
    exprs: dict[int, int] = field(default_factory=dict)
    levels: dict[int, int] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The name as text."""
        return t.name_text(self.name)


def file_of(name: Name, path: Sequence[Path]) -> Path | None:
    """Return the first file of a module on the search path."""
    parts = [str(part) for part in name]
    if not parts or any(p in ("", ".", "..") or "/" in p or "\0" in p for p in parts):
        return None
    for root in path:
        file = root.joinpath(*parts[:-1], parts[-1] + SUFFIXES[0])
        if file.is_file():
            return file
    return None


def load(name: Name, path: Sequence[Path]) -> Module:
    """Read the outline of a module. Raises Stop (`modules-unreadable`), naming it."""
    title = t.name_text(name)
    file = file_of(name, path)
    if file is None:
        where = ", ".join(map(str, path))
        raise Stop("modules-unreadable", f"{title}: there is no compiled module in {where}")
    present = [file.with_name(file.stem + suffix) for suffix in SUFFIXES]
    present = [p for p in present if p.is_file()]
    try:
        image = Image(present)
        roots = [image.object(image.root(i), 0, 5) for i in range(len(present))]
        flags = [image.scalars(image.root(i), 1)[0] for i in range(len(present))]
        if any(flag > 1 for flag in flags):
            raise Malformed("a flag that is none")
        if len({(h.version, h.githash) for h in image.headers}) != 1:
            raise Malformed("its parts were written by different versions of Lean")
        if len(present) not in (1, 3):
            raise Malformed(f"of three parts there are {len(present)}")
        if len(set(flags)) != 1 or bool(flags[0]) != (len(present) == 3):
            raise Malformed(
                "a part is missing" if flags[0] else "there are parts that are not its own"
            )
        if not image.consecutive():
            raise Malformed("its parts do not belong together")
        imports = {
            image.name(image.object(one, 0, 1)[0]): None
            for root in roots
            for one in image.array(root[0])
        }
        constants = _outline(image, roots[-1])
        if len(roots) > 1 and not set(_outline(image, roots[0])) <= set(constants):
            raise Malformed("its parts do not belong together: a constant is in the first only")
    except (Malformed, IndexError, ValueError) as error:
        raise Stop("modules-unreadable", f"{title}: {error} ({file})") from None
    except OSError as error:
        raise Stop("modules-unreadable", f"{title}: {error.strerror} ({file})") from None
    return Module(name, tuple(present), image, tuple(imports), constants)


def _outline(image: Image, root: list[int]) -> dict[Name, int]:
    """Return the constants of a part: name and address of the `ConstantInfo`."""
    names, infos = image.array(root[1]), image.array(root[2])
    if len(names) != len(infos):
        raise Malformed("names and constants are not as many")
    found: dict[Name, int] = {}
    for name, info in zip(names, infos, strict=True):
        full = image.name(name)
        if full in found:
            raise Malformed(f"{t.name_text(full)} is declared twice in it")
        found[full] = info
    return found


def _axioms_of(module: Module) -> list[Name]:
    tag = module.image.tag
    return [name for name, info in module.constants.items() if tag(info) == _AXIOM]


@dataclass(slots=True)
class Program:
    """A module and everything that it imports, imports first."""

    modules: list[Module]
    where: dict[Name, int] = field(default_factory=dict)
    """The number of the module that declares a constant (the first one)."""
    also: dict[Name, list[int]] = field(default_factory=dict)
    """Further modules that declare it."""


def gather(
    name: Name,
    path: Sequence[Path],
    progress: Callable[[int], None] = lambda _: None,
) -> Program:
    """Read a module and its imports. `progress` is told how many modules were read now and then.

    Raises Stop (`modules-unreadable`): a module is missing, cut off, incomplete, or written by
    another version of Lean than the others.
    """
    loaded: dict[Name, Module] = {}
    order: list[Module] = []
    done: set[Name] = set()
    stack: list[tuple[Name, bool]] = [(name, False)]
    open_: set[Name] = set()
    while stack:
        current, ready = stack.pop()
        if ready:
            open_.discard(current)
            done.add(current)
            order.append(loaded[current])
            continue
        if current in done:
            continue
        if current in open_:
            raise Stop("modules-unreadable", f"{t.name_text(current)} imports itself in a circle")
        module = loaded[current] = load(current, path)
        progress(len(loaded))
        first = next(iter(loaded.values())).image.headers[0]
        header = module.image.headers[0]
        if (header.version, header.githash) != (first.version, first.githash):
            raise Stop(
                "modules-unreadable",
                f"{module.title} was written by Lean {_lean(header)}, and {t.name_text(name)} by "
                f"Lean {_lean(first)}",
            )
        open_.add(current)
        stack.append((current, True))
        stack += [(one, False) for one in reversed(module.imports) if one not in done]
    program = Program(order)
    for number, module in enumerate(order):
        for constant in module.constants:
            if program.where.setdefault(constant, number) != number:
                program.also.setdefault(constant, []).append(number)
    return program


def _lean(header: Header) -> str:
    return f"{header.version or 'unknown'} ({header.githash[:12] or 'no hash'})"


class Reader:
    """Turns the constants of a program into the common form, on demand."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.source = Source(Terms())
        first = program.modules[-1].image.headers[0]
        self.source.meta = {
            "module": program.modules[-1].title,
            "lean": first.version,
            "githash": first.githash,
            "modules": str(len(program.modules)),
        }
        self.findings: list[Finding] = []
        self._terms = self.source.terms

    def read(self, wanted: Iterable[Name]) -> None:
        """Read constants and everything that they rest on.

        Raises Stop: `modules-unreadable`, `free-variable`, `declared-twice`.
        """
        todo = list(wanted)
        seen: set[Name] = set()
        terms = self._terms
        usage = t.Usage(terms)
        while todo:
            name = todo.pop()
            if name in seen or name not in self.program.where:
                continue
            seen.add(name)
            before = len(self.source.declarations)
            self._constant(name)
            for declaration in self.source.declarations[before:]:
                seen.update(terms.names[c.name] for c in t.constants_of(declaration))
                uses = usage.of(t.roots_of(declaration))
                todo += [n for i in uses.names if (n := terms.names[i]) not in seen]
                if uses.nat_literal:
                    todo += t.NAT_LITERAL
                if uses.string_literal:
                    todo += t.STRING_LITERAL
                if isinstance(declaration, t.Quotients):
                    todo += [("Eq",), ("Quot",), *((("Quot", x)) for x in ("mk", "lift", "ind"))]

    def these(self, names: Iterable[Name]) -> None:
        """Read constants and nothing that they rest on. Raises Stop as `read` does."""
        for name in names:
            self._constant(name)

    def axioms(self) -> None:
        """Read all axioms of the program, used or not."""
        for number, module in enumerate(self.program.modules):
            declared = functools.partial(_axioms_of, module)
            for name in self._guarded(module, module.name, declared):
                if self.program.where[name] == number:
                    self._constant(name)

    def kinds(self, module: Module) -> Iterator[tuple[Name, str]]:
        """Give the unsafe and partial definitions and axioms of a module, by what they are.

        Raises Stop: `modules-unreadable`.
        """
        for name in module.constants:
            if kind := self._guarded(module, name, functools.partial(self._kind, module, name)):
                yield name, kind

    def _kind(self, module: Module, name: Name) -> str:
        """`unsafe` or `partial`, empty for what is neither."""
        image, info = module.image, module.constants[name]
        kind = image.tag(info)
        (value,) = image.object(info, kind, 1)
        if kind == _DEFINITION:
            safety = t.SAFETIES[image.scalars(value, 1)[0]]
            return "" if safety == "safe" else safety
        unsafe = (kind in (_AXIOM, _OPAQUE) and image.scalars(value, 1)[0]) or (
            kind == _INDUCTIVE and image.scalars(value, 2)[1]
        )
        return "unsafe" if unsafe else ""

    def _constant(self, name: Name) -> None:
        """Read one constant, unless it is there, with the block that it belongs to."""
        number = self.program.where[name]
        if self._terms.name_ids.get(name) in self.source.index:
            return
        module = self.program.modules[number]
        self._guarded(module, name, lambda: self._add(module, name, self.source))
        for other in self.program.also.get(name, ()):
            self._alike(name, module, self.program.modules[other])

    def _alike(self, name: Name, one: Module, two: Module) -> None:
        """Compare a constant with that of its name in another module."""
        there = Source(self._terms)
        self._guarded(two, name, lambda: self._add(two, name, there))
        mine, theirs = self.source.find(name), there.find(name)
        text = t.name_text(name)
        same = t.Comparison(self._terms, self._terms)
        if mine is None or theirs is None or not same.constants(mine, theirs, proofs=False):
            raise Stop(
                "declared-twice",
                f"{one.title} and {two.title} declare {text}, and not alike",
                text,
            )
        self.findings.append(
            Finding("declared-alike", f"{one.title} and {two.title} declare {text} alike", text)
        )

    def _guarded(self, module: Module, name: Name, read: Callable[[], _T]) -> _T:
        try:
            return read()
        except (Malformed, IndexError, ValueError, OverflowError) as error:
            raise Stop(
                "modules-unreadable",
                f"{module.title}: {t.name_text(name)} cannot be read: {error}",
                t.name_text(name),
            ) from None

    def _add(self, module: Module, name: Name, into: Source) -> None:
        image, info = module.image, module.constants.get(name)
        if info is None:
            raise Malformed(f"there is no {t.name_text(name)}")
        kind = image.tag(info)
        (value,) = image.object(info, kind, 1)
        match kind:
            case 0:
                (constant,) = image.object(value, 0, 1)
                unsafe = self._flag(image.scalars(value, 1)[0])
                into.add(t.Axiom(*self._head(module, constant, name), unsafe), module.title)
            case 1:
                constant, body, hints, all_ = image.object(value, 0, 4)
                safety = image.scalars(value, 1)[0]
                head = self._head(module, constant, name)
                into.add(
                    t.Definition(
                        *head,
                        self._expr(module, body, name),
                        self._hints(image, hints),
                        t.SAFETIES[safety],
                        self._names(image, all_),
                    ),
                    module.title,
                )
            case 2:
                constant, body, all_ = image.object(value, 0, 3)
                head = self._head(module, constant, name)
                proof = self._expr(module, body, name)
                into.add(t.Theorem(*head, proof, self._names(image, all_)), module.title)
            case 3:
                constant, body, all_ = image.object(value, 0, 3)
                head = self._head(module, constant, name)
                unsafe = self._flag(image.scalars(value, 1)[0])
                into.add(
                    t.Opaque(
                        *head, self._expr(module, body, name), unsafe, self._names(image, all_)
                    ),
                    module.title,
                )
            case 4:
                (constant,) = image.object(value, 0, 1)
                which = t.QUOTIENT_KINDS[image.scalars(value, 1)[0]]
                quotient = t.Quotient(*self._head(module, constant, name), which)
                into.add_quotient(quotient, module.title)
            case 5:
                self._block(module, image.object(value, 0, 6)[3], into)
            case 6:
                self._block(module, None, into, image.object(value, 0, 5)[1])
            case 7:
                self._block(module, image.object(value, 0, 7)[1], into)
            case _:
                raise Malformed("a constant of no known kind")
        if into.terms.name_ids.get(name) not in into.index:
            raise Malformed("it is not part of the block that it names")

    def _block(
        self, module: Module, all_: int | None, into: Source, owner: int | None = None
    ) -> None:
        """Read a block of inductive types: all of its types, constructors and recursors."""
        image = module.image
        if all_ is None:
            info = module.constants.get(image.name(owner or 1))
            if info is None or image.tag(info) != _INDUCTIVE:
                raise Malformed("a constructor of no type")
            all_ = image.object(image.object(info, _INDUCTIVE, 1)[0], 0, 6)[3]
        names = [image.name(one) for one in image.items(all_)]
        if not names:
            raise Malformed("an empty block of inductive types")
        if into.terms.name_ids.get(names[0]) in into.index:
            return
        types = [self._type(module, name) for name in names]
        terms = self._terms
        constructors = [
            self._constructor(module, terms.names[c]) for one in types for c in one.constructors
        ]
        wanted = [(*name, "rec") for name in names]
        wanted += [(*names[0], f"rec_{i + 1}") for i in range(min(types[0].nested, 10_000))]
        recursors = [self._recursor(module, name) for name in wanted if name in module.constants]
        into.add(t.Inductive(tuple(types), tuple(constructors), tuple(recursors)), module.title)

    def _value(self, module: Module, name: Name, kind: int, fields: int) -> tuple[int, list[int]]:
        info = module.constants.get(name)
        if info is None:
            raise Malformed(f"there is no {t.name_text(name)}")
        (value,) = module.image.object(info, kind, 1)
        return value, module.image.object(value, 0, fields)

    def _type(self, module: Module, name: Name) -> t.InductiveType:
        image = module.image
        value, (constant, params, indices, all_, ctors, nested) = self._value(
            module, name, _INDUCTIVE, 6
        )
        flags = [self._flag(x) for x in image.scalars(value, 3)]
        return t.InductiveType(
            *self._head(module, constant, name),
            image.count(params),
            image.count(indices),
            self._names(image, all_),
            self._names(image, ctors),
            image.count(nested),
            *flags,
        )

    def _constructor(self, module: Module, name: Name) -> t.Constructor:
        image = module.image
        value, (constant, owner, index, params, fields) = self._value(module, name, _CONSTRUCTOR, 5)
        return t.Constructor(
            *self._head(module, constant, name),
            self._terms.name(image.name(owner)),
            image.count(index),
            image.count(params),
            image.count(fields),
            self._flag(image.scalars(value, 1)[0]),
        )

    def _recursor(self, module: Module, name: Name) -> t.Recursor:
        image = module.image
        value, (constant, all_, params, indices, motives, minors, rules) = self._value(
            module, name, _RECURSOR, 7
        )
        k, unsafe = (self._flag(x) for x in image.scalars(value, 2))
        made = []
        for rule in image.items(rules):
            constructor, fields, body = image.object(rule, 0, 3)
            made.append(
                t.Rule(
                    self._terms.name(image.name(constructor)),
                    image.count(fields),
                    self._expr(module, body, name),
                )
            )
        return t.Recursor(
            *self._head(module, constant, name),
            self._names(image, all_),
            image.count(params),
            image.count(indices),
            image.count(motives),
            image.count(minors),
            tuple(made),
            k,
            unsafe,
        )

    def _head(self, module: Module, constant: int, name: Name) -> tuple[int, tuple[int, ...], int]:
        image = module.image
        own, levels, type_ = image.object(constant, 0, 3)
        if image.name(own) != name:
            raise Malformed(f"it is listed as this, and is {t.name_text(image.name(own))}")
        return (
            self._terms.name(name),
            self._names(image, levels),
            self._expr(module, type_, name),
        )

    def _names(self, image: Image, address: int) -> tuple[int, ...]:
        return tuple(self._terms.name(image.name(one)) for one in image.items(address))

    def _flag(self, value: int) -> bool:
        if value > 1:
            raise Malformed("a flag that is none")
        return bool(value)

    def _hints(self, image: Image, address: int) -> int:
        if address & 1:
            if address >> 1 > 1:
                raise Malformed("hints that are none")
            return (address >> 1) + t.HINT_OPAQUE
        image.object(address, 2, 0)
        return int.from_bytes(image.scalars(address, 4), "little")

    def _level(self, module: Module, address: int) -> int:
        """Read a level. Kinds: zero 0, succ 1, max 2, imax 3, param 4, metavariable 5."""
        if address & 1:
            return 0
        image, known, terms = module.image, module.levels, self._terms
        stack = [address]
        while stack:
            at = stack[-1]
            if at & 1 or at in known:
                stack.pop()
                continue
            kind = image.tag(at)
            if kind == 0:
                known[at] = 0
                continue
            if kind == t.PARAM:
                (name,) = image.object(at, kind, 1)
                known[at] = terms.level(t.PARAM, terms.name(image.name(name)))
                continue
            if kind not in (t.SUCC, t.MAX, t.IMAX):
                raise Malformed("a universe level that is none")
            below = image.object(at, kind, 1 if kind == t.SUCC else 2)
            if wanted := [x for x in below if not x & 1 and x not in known]:
                stack += wanted
                continue
            known[at] = terms.level(kind, *(0 if x & 1 else known[x] for x in below))
        return known[address]

    def _expr(self, module: Module, address: int, name: Name) -> int:
        """Read an expression; parts that are read already are not read again."""
        known, image = module.exprs, module.image
        found = known.get(address)
        if found is not None:
            return found
        stack = [address]
        pop, at = stack.pop, image.at
        while stack:
            e = stack[-1]
            if e in known:
                pop()
                continue
            if e & 1:
                raise Malformed("an expression was expected")
            words, i = at(e)
            header = words[i]
            kind = header >> 56
            if kind > 11 or header >> 48 & 255 != _FIELDS[kind]:
                raise Malformed("an expression of no known kind")
            if kind == 5:
                x, y = words[i + 1], words[i + 2]
                if x >= e or y >= e:
                    raise Malformed("an expression that refers to a later one")
                function, argument = known.get(x), known.get(y)
                if function is not None and argument is not None:
                    known[e] = self._terms.expr(5, function, argument)
                    pop()
                    continue
                if argument is None:
                    stack.append(y)
                if function is None:
                    stack.append(x)
                continue
            parts = self._parts(words, i, kind)
            if any(x >= e for x in parts):
                raise Malformed("an expression that refers to a later one")
            if wanted := [x for x in parts if x not in known]:
                stack += wanted
                continue
            pop()
            known[e] = self._made(module, e, kind, [known[x] for x in parts], name)
        return known[address]

    def _parts(self, words: memoryview, i: int, kind: int) -> list[int]:
        match kind:
            case 6 | 7:
                return [words[i + 2], words[i + 3]]
            case 8:
                return [words[i + 2], words[i + 3], words[i + 4]]
            case 10:
                return [words[i + 2]]
            case 11:
                return [words[i + 3]]
            case _:
                return []

    def _made(self, module: Module, e: int, kind: int, parts: list[int], name: Name) -> int:
        image, terms = module.image, self._terms
        fields = image.object(e, kind, _FIELDS[kind])
        match kind:
            case 0:
                index = image.natural(fields[0])
                if index >= 1 << 20:
                    raise Malformed("a bound variable that is none")
                return terms.bvar(index)
            case 1 | 2:
                what = "free variable" if kind == 1 else "metavariable"
                raise Stop(
                    "free-variable",
                    f"{t.name_text(name)} has a {what} in it (module {module.title})",
                    t.name_text(name),
                )
            case 3:
                return terms.sort(self._level(module, fields[0]))
            case 4:
                levels = tuple(self._level(module, u) for u in image.items(fields[1]))
                number = terms.name(image.name(fields[0]))
                return terms.expr(t.CONST, number, terms.level_list(levels))
            case 6 | 7:
                info = image.scalars(e, 9)[8]
                if info >= len(t.BINDERS):
                    raise Malformed("binder information that is none")
                binder = terms.name(image.name(fields[0]))
                return terms.expr(kind | info << t.INFO_SHIFT, binder, *parts)
            case 8:
                nondep = self._flag(image.scalars(e, 9)[8])
                binder = terms.name(image.name(fields[0]))
                type_, value, body = parts
                return terms.expr(t.LET | nondep << t.INFO_SHIFT, binder, type_, value, body)
            case 9:
                literal = image.tag(fields[0])
                (value,) = image.object(fields[0], literal, 1)
                if literal == 0:
                    return terms.nat(image.natural(value))
                if literal == 1:
                    return terms.string(image.text(value))
                raise Malformed("a literal of no known kind")
            case 10:
                return parts[0]
            case _:
                index = image.natural(fields[1])
                if index >= 1 << 20:
                    raise Malformed("a field that is none")
                return terms.expr(t.PROJ, terms.name(image.name(fields[0])), index, parts[0])
