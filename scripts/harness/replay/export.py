"""Reading and writing exports: NDJSON in lean4export's format, versions 3.0 and 3.1.

An export is data from a stranger. Each line is one object of exactly one known kind; ids are
defined once and before use; what is beyond `Limits` is refused. Nothing here trusts an id, a
number or a length.

Source: `format_ndjson.md` of github.com/leanprover/lean4export at 7e89abb (3.0.0) and b66b1cd
(3.1.0). In 3.0 definitions and theorems stand in arrays and some kinds have longer names; both
spellings are read, whatever version a file names, as there were exporters in between.
"""

from __future__ import annotations

import gzip
import json
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from harness.replay import terms as t
from harness.replay.result import Stop
from harness.replay.terms import Source, Terms

BLOCK = 1 << 22


@dataclass(frozen=True, slots=True)
class Limits:
    """What an export may have at most; beyond it the answer is *could not run*."""

    lines: int = 200_000_000
    line_bytes: int = 1 << 26
    digits: int = 100_000
    name_components: int = 200
    level_depth: int = 2_000
    expressions: int = 1 << 30
    bound_variable: int = (1 << 20) - 2
    """Lean keeps the range of loose bound variables in 20 bits."""


LIMITS = Limits()
UNPACKING = (EOFError, lzma.LZMAError, zlib.error)
"""What reading a compressed file raises besides OSError."""


class _Bad(Exception):
    """What is wrong with a line."""


class _Beyond(Exception):
    """Which limit a line exceeds."""


def opened(path: Path) -> IO[bytes]:
    """Open an export, decompressed if its name ends in `.xz` or `.gz`."""
    match path.suffix:
        case ".xz":
            return lzma.open(path)
        case ".gz":
            return cast(IO[bytes], gzip.open(path))
        case _:
            return path.open("rb")


def read(
    path: Path, *, limits: Limits = LIMITS, progress: Callable[[int], None] = lambda _: None
) -> Source:
    """Read an export whole. `progress` is told the number of lines read now and then.

    Raises Stop (`export-unreadable`, `limit-exceeded`).
    """
    reader = Reader(limits)
    try:
        with opened(path) as stream:
            for block in _blocks(stream, limits):
                reader.lines(block)
                progress(reader.count)
        return reader.finish()
    except (OSError, *UNPACKING) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise Stop("export-unreadable", f"{path.name}: {reason}") from None
    except _Bad as error:
        raise Stop("export-unreadable", f"{path.name}, line {reader.count}: {error}") from None
    except _Beyond as error:
        raise Stop("limit-exceeded", f"{path.name}, line {reader.count}: {error}") from None


def _blocks(stream: IO[bytes], limits: Limits) -> Iterator[list[bytes]]:
    """Give the lines of a file in blocks."""
    tail = b""
    while data := stream.read(BLOCK):
        lines = data.split(b"\n")
        lines[0] = tail + lines[0]
        tail = lines.pop()
        if len(tail) > limits.line_bytes:
            raise _Beyond(f"a line of more than {limits.line_bytes:,} bytes")
        yield lines
    if tail:
        raise _Bad("the file ends in the middle of a line")


# The lines that make up nearly all of an export, exactly as exporters write them. Whatever is
# written otherwise goes the general way.
_N = rb"(0|[1-9][0-9]{0,9})"
_APP = re.compile(
    rb'\{"app":\{"arg":' + _N + rb',"fn":' + _N + rb'\},"ie":' + _N + rb"\}"
).fullmatch
_PI = re.compile(
    rb'\{"forallE":\{"binderInfo":"(default|implicit|strictImplicit|instImplicit)","body":'
    + _N
    + rb',"name":'
    + _N
    + rb',"type":'
    + _N
    + rb'\},"ie":'
    + _N
    + rb"\}"
).fullmatch
_LAM = re.compile(
    rb'\{"ie":' + _N + rb',"lam":\{"binderInfo":"(default|implicit|strictImplicit|instImplicit)"'
    rb',"body":' + _N + rb',"name":' + _N + rb',"type":' + _N + rb"\}\}"
).fullmatch
_CONST = re.compile(
    rb'\{"const":\{"name":' + _N + rb',"us":\[([0-9,]*)\]\},"ie":' + _N + rb"\}"
).fullmatch
_BVAR = re.compile(rb'\{"bvar":' + _N + rb',"ie":' + _N + rb"\}").fullmatch
_LIST = re.compile(rb"(?:(?:0|[1-9][0-9]{0,9})(?:,(?:0|[1-9][0-9]{0,9}))*)?").fullmatch
_INFO = {name.encode(): info << t.INFO_SHIFT for info, name in enumerate(t.BINDERS)}


class Reader:
    """Reads the lines of an export, in order, into a `Source`.

    While names, levels and expressions are numbered in the order in which they come, an id is an
    index; from the first that is not, ids are looked up.
    """

    def __init__(self, limits: Limits = LIMITS) -> None:
        self.limits = limits
        self.source = Source(Terms())
        self.terms = self.source.terms
        self.count = 0
        self._names: dict[int, int] = {0: 0}
        self._levels: dict[int, int] = {0: 0}
        self._depths = [0]
        self._exprs: dict[int, int] | None = None
        """Ids of expressions, None as long as each is its own index."""
        self._level_lists: dict[bytes, int] = {b"": 0}

    def lines(self, lines: list[bytes]) -> None:  # noqa: PLR0915 (calls would double the time)
        """Read some lines. Raises _Bad or _Beyond; `count` is then the line's number."""
        terms = self.terms
        kinds, a, b, c = terms.kind, terms.a, terms.b, terms.c
        push_kind, push_a, push_b, push_c = kinds.append, a.append, b.append, c.append
        names, info_of, level_lists = self._names, _INFO, self._level_lists
        limits = self.limits
        start = self.count
        if start == 0 and lines:
            self.count = 1
            self._first(lines[0])
            start, lines = 1, lines[1:]
        n = len(kinds)
        dense = self._exprs is None
        for at, line in enumerate(lines, start + 1):
            if dense:
                head = line[2:5]
                if head == b"app":
                    if m := _APP(line):
                        x, y, i = m.groups()
                        argument, function = int(x), int(y)
                        if int(i) == n and function < n and argument < n:
                            push_kind(5)
                            push_a(function)
                            push_b(argument)
                            push_c(0)
                            n += 1
                            continue
                elif head == b"for":
                    if m := _PI(line):
                        info, z, x, y, i = m.groups()
                        body, name, type_ = int(z), names.get(int(x)), int(y)
                        if int(i) == n and body < n and type_ < n and name is not None:
                            push_kind(7 | info_of[info])
                            push_a(name)
                            push_b(type_)
                            push_c(body)
                            n += 1
                            continue
                elif head == b'ie"':
                    if m := _LAM(line):
                        i, info, z, x, y = m.groups()
                        body, name, type_ = int(z), names.get(int(x)), int(y)
                        if int(i) == n and body < n and type_ < n and name is not None:
                            push_kind(6 | info_of[info])
                            push_a(name)
                            push_b(type_)
                            push_c(body)
                            n += 1
                            continue
                elif head == b"con":
                    if m := _CONST(line):
                        x, z, i = m.groups()
                        name, given = names.get(int(x)), level_lists.get(z)
                        if int(i) == n and name is not None and given is not None:
                            push_kind(4)
                            push_a(name)
                            push_b(given)
                            push_c(0)
                            n += 1
                            continue
                elif head == b"bva" and (m := _BVAR(line)):
                    x, i = m.groups()
                    index = int(x)
                    if int(i) == n and index <= limits.bound_variable:
                        push_kind(0)
                        push_a(index)
                        push_b(0)
                        push_c(0)
                        n += 1
                        continue
            self.count = at
            self._general(line)
            n = len(kinds)
            dense = self._exprs is None
        self.count = start + len(lines)
        if self.count > limits.lines:
            raise _Beyond(f"more than {limits.lines:,} lines")
        if n > limits.expressions:
            raise _Beyond(f"more than {limits.expressions:,} expressions")

    def finish(self) -> Source:
        """Give what was read. Raises _Bad if nothing was."""
        if self.count == 0:
            raise _Bad("the file is empty")
        return self.source

    def _first(self, line: bytes) -> None:
        value = self._object(line)
        if list(value) != ["meta"]:
            raise _Bad("the first line has to be the one that says the format")
        meta = _fields(value["meta"], "meta", {"exporter", "lean", "format"})
        exporter = _fields(meta["exporter"], "exporter", {"name", "version"})
        lean = _fields(meta["lean"], "lean", {"githash", "version"})
        version = _text(_fields(meta["format"], "format", {"version"})["version"])
        if not re.fullmatch(r"3\.[01](\.[0-9]{1,4})?", version):
            raise _Bad(f"format version {version[:40]!r} is not known: 3.0 and 3.1 are")
        self.source.meta = {
            "exporter": f"{_text(exporter['name'])} {_text(exporter['version'])}",
            "lean": _text(lean["version"]),
            "githash": _text(lean["githash"]),
            "format": version,
        }

    def _object(self, line: bytes) -> dict[str, Any]:
        """Parse a line strictly: an object, no key twice, no fractions, no other constants."""
        if len(line) > self.limits.line_bytes:
            raise _Beyond(f"a line of more than {self.limits.line_bytes:,} bytes")
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            raise _Bad("not UTF-8") from None
        try:
            value = json.loads(
                text,
                object_pairs_hook=_no_key_twice,
                parse_int=_integer,
                parse_float=_no_number,
                parse_constant=_no_number,
            )
        except json.JSONDecodeError as error:
            raise _Bad(f"not JSON: {error.msg}") from None
        except RecursionError:
            raise _Beyond("JSON nested too deeply") from None
        if not isinstance(value, dict):
            raise _Bad("not an object")
        return value

    def _general(self, line: bytes) -> None:
        value = self._object(line)
        keys = set(value)
        if "in" in keys:
            self._name(value, keys - {"in"})
        elif "il" in keys:
            self._level(value, keys - {"il"})
        elif "ie" in keys:
            self._expr(value, keys - {"ie"})
        elif len(keys) != 1:
            raise _Bad(f"a line of one kind was expected, not of {_shown(keys)}")
        else:
            self._declaration(*keys, *value.values())

    # Names.

    def _name(self, value: dict[str, Any], kind: set[str]) -> None:
        id_ = _index(value["in"])
        if id_ in self._names:
            raise _Bad(f"name {id_} is defined twice" if id_ else "name 0 is the anonymous one")
        if kind == {"str"}:
            part = _fields(value["str"], "str", {"pre", "str"})
            last: str | int = _text(part["str"])
        elif kind == {"num"}:
            part = _fields(value["num"], "num", {"pre", "i"})
            last = self._natural(part["i"])
        else:
            raise _Bad(f"a name was expected, not {_shown(kind)}")
        prefix = self.terms.names[self._name_at(part["pre"])]
        if len(prefix) >= self.limits.name_components:
            raise _Beyond(f"a name of more than {self.limits.name_components} components")
        self._names[id_] = self.terms.name((*prefix, last))

    def _name_at(self, value: object) -> int:
        found = self._names.get(_index(value))
        if found is None:
            raise _Bad(f"name {value} is used before it is defined")
        return found

    def _names_at(self, value: object) -> tuple[int, ...]:
        return tuple(map(self._name_at, _list(value)))

    def _natural(self, value: object) -> int:
        if type(value) is not int or value < 0:
            raise _Bad("a natural number was expected")
        if value.bit_length() > self.limits.digits * 3:
            raise _Beyond(f"a number of more than {self.limits.digits:,} digits")
        return value

    # Levels.

    def _level(self, value: dict[str, Any], kind: set[str]) -> None:
        id_ = _index(value["il"])
        if id_ in self._levels:
            raise _Bad(f"level {id_} is defined twice" if id_ else "level 0 is zero")
        match sorted(kind):
            case ["succ"]:
                one = self._level_at(value["succ"])
                made, below = self.terms.level(t.SUCC, one), [one]
            case [("max" | "imax") as word]:
                pair = _list(value[word])
                if len(pair) != 2:
                    raise _Bad(f"{word} of two levels was expected")
                below = list(map(self._level_at, pair))
                made = self.terms.level(t.MAX if word == "max" else t.IMAX, *below)
            case ["param"]:
                made, below = self.terms.level(t.PARAM, self._name_at(value["param"])), []
            case _:
                raise _Bad(f"a level was expected, not {_shown(kind)}")
        depth = 1 + max((self._depths[x] for x in below), default=0)
        if depth > self.limits.level_depth:
            raise _Beyond(f"a universe level nested deeper than {self.limits.level_depth:,}")
        if made == len(self._depths):
            self._depths.append(depth)
        self._levels[id_] = made

    def _level_at(self, value: object) -> int:
        found = self._levels.get(_index(value))
        if found is None:
            raise _Bad(f"level {value} is used before it is defined")
        return found

    # Expressions.

    def _expr(self, value: dict[str, Any], kind: set[str]) -> None:
        terms = self.terms
        id_ = _index(value["ie"])
        n = len(terms)
        if self._exprs is None and id_ != n:
            if id_ < n:
                raise _Bad(f"expression {id_} is defined twice")
            self._exprs = {i: i for i in range(n)}
        if self._exprs is not None and id_ in self._exprs:
            raise _Bad(f"expression {id_} is defined twice")
        if len(kind) != 1:
            raise _Bad(f"an expression was expected, not {_shown(kind)}")
        (word,) = kind
        made = self._expr_of(word, value[word])
        if self._exprs is None:
            if made != n:
                self._exprs = {i: i for i in range(n)}
                self._exprs[id_] = made
        else:
            self._exprs[id_] = made

    def _expr_of(self, word: str, value: object) -> int:
        terms, at = self.terms, self._expr_at
        match word:
            case "bvar":
                index = self._natural(value)
                if index > self.limits.bound_variable:
                    raise _Beyond(f"a bound variable above {self.limits.bound_variable:,}")
                return terms.append(t.BVAR, index)
            case "sort":
                return terms.append(t.SORT, self._level_at(value))
            case "const":
                part = _fields(value, word, {"name", "us"})
                levels = tuple(map(self._level_at, _list(part["us"])))
                given = terms.level_list(levels)
                text = ",".join(map(str, part["us"])).encode()
                if _LIST(text):
                    self._level_lists[text] = given
                return terms.append(t.CONST, self._name_at(part["name"]), given)
            case "app":
                part = _fields(value, word, {"fn", "arg"})
                return terms.append(t.APP, at(part["fn"]), at(part["arg"]))
            case "lam" | "forallE":
                part = _fields(value, word, {"name", "type", "body", "binderInfo"})
                if (info := part["binderInfo"]) not in t.BINDERS:
                    raise _Bad(f"binder information {str(info)[:40]!r} is not known")
                kind = (t.LAM if word == "lam" else t.PI) | t.BINDERS.index(info) << t.INFO_SHIFT
                name = self._name_at(part["name"])
                return terms.append(kind, name, at(part["type"]), at(part["body"]))
            case "letE":
                part = _fields(value, word, {"name", "type", "value", "body", "nondep"})
                kind = t.LET | _flag(part["nondep"]) << t.INFO_SHIFT
                name, body = self._name_at(part["name"]), at(part["body"])
                made = terms.append(kind, name, at(part["type"]), at(part["value"]))
                terms.let_body[made] = body
                return made
            case "proj":
                part = _fields(value, word, {"typeName", "idx", "struct"})
                field = self._natural(part["idx"])
                if field > self.limits.bound_variable:
                    raise _Beyond(f"a field above {self.limits.bound_variable:,}")
                return terms.append(
                    t.PROJ, self._name_at(part["typeName"]), field, at(part["struct"])
                )
            case "natVal":
                terms.nats.append(self._numeral(value))
                return terms.append(t.NAT, len(terms.nats) - 1)
            case "strVal":
                terms.strings.append(_text(value))
                return terms.append(t.STR, len(terms.strings) - 1)
            case "mdata":
                part = _fields(value, word, {"expr", "data"})
                if not isinstance(part["data"], dict):
                    raise _Bad("metadata has to be an object")
                return at(part["expr"])
            case _:
                raise _Bad(f"{word[:40]!r} is not a kind of expression")

    def _numeral(self, value: object) -> int:
        if not isinstance(value, str) or not re.fullmatch(r"0|[1-9][0-9]*", value, re.ASCII):
            raise _Bad("a numeral has to be digits in a string")
        if len(value) > self.limits.digits:
            raise _Beyond(f"a number of more than {self.limits.digits:,} digits")
        return _decimal(value)

    def _expr_at(self, value: object) -> int:
        id_ = _index(value)
        if self._exprs is None:
            if id_ < len(self.terms):
                return id_
        elif (found := self._exprs.get(id_)) is not None:
            return found
        raise _Bad(f"expression {value} is used before it is defined")

    # Declarations.

    def _declaration(self, word: str, value: object) -> None:
        match word:
            case "axiom" | "axiomInfo":
                part = _fields(value, word, {"name", "levelParams", "type", "isUnsafe"})
                self.source.add(t.Axiom(*self._constant(part), _flag(part["isUnsafe"])))
            case "def":
                for one in value if isinstance(value, list) else [value]:
                    if isinstance(one, dict) and "hints" not in one:
                        self._opaque(one)
                    else:
                        self._definition(one)
            case "thm":
                for one in value if isinstance(value, list) else [value]:
                    part = _fields(one, word, {"name", "levelParams", "type", "value", "all"})
                    self.source.add(
                        t.Theorem(
                            *self._constant(part),
                            self._expr_at(part["value"]),
                            self._names_at(part["all"]),
                        )
                    )
            case "opaque":
                self._opaque(value)
            case "quot" | "quotInfo":
                part = _fields(value, word, {"name", "levelParams", "type", "kind"})
                if part["kind"] not in t.QUOTIENT_KINDS:
                    raise _Bad("the kind of a quotient's constant is not known")
                self.source.add_quotient(t.Quotient(*self._constant(part), part["kind"]))
            case "inductive":
                self._inductive(value)
            case "meta":
                raise _Bad("the format is said twice")
            case _:
                raise _Bad(f"{word[:40]!r} is not a kind of line")

    def _constant(self, part: dict[str, Any]) -> tuple[int, tuple[int, ...], int]:
        return (
            self._name_at(part["name"]),
            self._names_at(part["levelParams"]),
            self._expr_at(part["type"]),
        )

    def _definition(self, value: object) -> None:
        keys = {"name", "levelParams", "type", "value", "hints", "safety", "all"}
        part = _fields(value, "def", keys)
        hints = part["hints"]
        if isinstance(hints, dict):
            height = self._natural(_fields(hints, "hints", {"regular"})["regular"])
            if height >= 1 << 32:
                raise _Bad("the height of a definition has 32 bits")
        elif hints in ("opaque", "abbrev"):
            height = t.HINT_OPAQUE if hints == "opaque" else t.HINT_ABBREV
        else:
            raise _Bad("the hints of a definition are not known")
        if part["safety"] not in t.SAFETIES:
            raise _Bad("the safety of a definition is not known")
        self.source.add(
            t.Definition(
                *self._constant(part),
                self._expr_at(part["value"]),
                height,
                part["safety"],
                self._names_at(part["all"]),
            )
        )

    def _opaque(self, value: object) -> None:
        # Exporters of 3.0 may leave `isUnsafe` out.
        if isinstance(value, dict):
            value.setdefault("isUnsafe", False)
        keys = {"name", "levelParams", "type", "value", "isUnsafe", "all"}
        part = _fields(value, "opaque", keys)
        self.source.add(
            t.Opaque(
                *self._constant(part),
                self._expr_at(part["value"]),
                _flag(part["isUnsafe"]),
                self._names_at(part["all"]),
            )
        )

    def _inductive(self, value: object) -> None:
        if isinstance(value, dict) and "inductiveVals" in value:
            words = ("inductiveVals", "constructorVals", "recursorVals")
        else:
            words = ("types", "ctors", "recs")
        part = _fields(value, "inductive", set(words))
        types, constructors, recursors = (_list(part[word]) for word in words)
        if not types:
            raise _Bad("a block of inductive types without a type")
        self.source.add(
            t.Inductive(
                tuple(map(self._inductive_type, types)),
                tuple(map(self._constructor, constructors)),
                tuple(map(self._recursor, recursors)),
            )
        )

    def _inductive_type(self, value: object) -> t.InductiveType:
        part = _fields(
            value,
            "inductive type",
            {
                "name",
                "levelParams",
                "type",
                "numParams",
                "numIndices",
                "all",
                "ctors",
                "numNested",
                "isRec",
                "isUnsafe",
                "isReflexive",
            },
        )
        return t.InductiveType(
            *self._constant(part),
            self._natural(part["numParams"]),
            self._natural(part["numIndices"]),
            self._names_at(part["all"]),
            self._names_at(part["ctors"]),
            self._natural(part["numNested"]),
            _flag(part["isRec"]),
            _flag(part["isUnsafe"]),
            _flag(part["isReflexive"]),
        )

    def _constructor(self, value: object) -> t.Constructor:
        part = _fields(
            value,
            "constructor",
            {
                "name",
                "levelParams",
                "type",
                "induct",
                "cidx",
                "numParams",
                "numFields",
                "isUnsafe",
            },
        )
        return t.Constructor(
            *self._constant(part),
            self._name_at(part["induct"]),
            self._natural(part["cidx"]),
            self._natural(part["numParams"]),
            self._natural(part["numFields"]),
            _flag(part["isUnsafe"]),
        )

    def _recursor(self, value: object) -> t.Recursor:
        part = _fields(
            value,
            "recursor",
            {
                "name",
                "levelParams",
                "type",
                "all",
                "numParams",
                "numIndices",
                "numMotives",
                "numMinors",
                "rules",
                "k",
                "isUnsafe",
            },
        )
        return t.Recursor(
            *self._constant(part),
            self._names_at(part["all"]),
            self._natural(part["numParams"]),
            self._natural(part["numIndices"]),
            self._natural(part["numMotives"]),
            self._natural(part["numMinors"]),
            tuple(map(self._rule, _list(part["rules"]))),
            _flag(part["k"]),
            _flag(part["isUnsafe"]),
        )

    def _rule(self, value: object) -> t.Rule:
        part = _fields(value, "rule", {"ctor", "nfields", "rhs"})
        return t.Rule(
            self._name_at(part["ctor"]), self._natural(part["nfields"]), self._expr_at(part["rhs"])
        )


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Bad("an object has a key twice")
    return value


def _integer(text: str) -> int:
    if len(text) > 4000:
        raise _Beyond("a number of more than 4,000 digits outside a numeral")
    if text.startswith("-"):
        raise _Bad("a number below zero")
    return int(text)


def _no_number(text: str) -> None:
    raise _Bad(f"{text[:40]} is not an integer")


def _index(value: object) -> int:
    if type(value) is not int:
        raise _Bad("an id has to be an integer")
    return value


def _flag(value: object) -> bool:
    if type(value) is not bool:
        raise _Bad("true or false was expected")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _Bad("text was expected")
    if any("\ud800" <= c <= "\udfff" for c in value):
        raise _Bad("a text with half of a surrogate pair")
    return value


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise _Bad("a list was expected")
    return value


def _fields(value: object, what: str, keys: set[str]) -> dict[str, Any]:
    """Give an object that has exactly these keys."""
    if not isinstance(value, dict):
        raise _Bad(f"{what}: an object was expected")
    if value.keys() != keys:
        lacking, more = keys - value.keys(), value.keys() - keys
        raise _Bad(
            f"{what}: "
            + "; ".join(
                [f"{_shown(lacking)} is missing"] * bool(lacking)
                + [f"{_shown(more)} is not known"] * bool(more)
            )
        )
    return value


def _shown(keys: set[str]) -> str:
    return ", ".join(sorted(k[:40] for k in keys)) or "nothing"


def _decimal(text: str) -> int:
    """Read a decimal, also where Python's own limit on digits is lower."""
    value = 0
    for start in range(0, len(text), 4000):
        part = text[start : start + 4000]
        value = value * 10 ** len(part) + int(part)
    return value


# Writing.


class Writer:
    """Writes declarations as format 3.1.0; each part once, before it is used.

    Keys stand in the order in which lean4export has them.
    """

    def __init__(self, source: Source, stream: IO[str], meta: dict[str, str]) -> None:
        self._source, self._terms = source, source.terms
        self._write = stream.write
        self._names: dict[int, int] = {0: 0}
        self._levels: dict[int, int] = {0: 0}
        self._exprs: dict[int, int] = {}
        self._known: dict[tuple[object, ...], int] = {}
        self.lines = 0
        self._line(
            {
                "meta": {
                    "exporter": {"name": meta["exporter"], "version": meta["version"]},
                    "format": {"version": "3.1.0"},
                    "lean": {"githash": meta["githash"], "version": meta["lean"]},
                }
            }
        )

    def _line(self, value: dict[str, Any]) -> None:
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, sort_keys=True)
        self._write(text + "\n")
        self.lines += 1

    def declaration(self, declaration: t.Declaration) -> None:
        """Write a declaration and whatever parts of it are not written yet."""
        match declaration:
            case t.Axiom():
                self._line(
                    {"axiom": {"isUnsafe": declaration.unsafe, **self._constant(declaration)}}
                )
            case t.Definition():
                height = declaration.hints
                hints = (
                    {"regular": height}
                    if height >= 0
                    else "abbrev"
                    if height == t.HINT_ABBREV
                    else "opaque"
                )
                self._line(
                    {
                        "def": {
                            "all": self._list(declaration.all),
                            "hints": hints,
                            **self._constant(declaration),
                            "safety": declaration.safety,
                            "value": self._expr(declaration.value),
                        }
                    }
                )
            case t.Theorem():
                self._line(
                    {
                        "thm": {
                            "all": self._list(declaration.all),
                            **self._constant(declaration),
                            "value": self._expr(declaration.value),
                        }
                    }
                )
            case t.Opaque():
                self._line(
                    {
                        "opaque": {
                            "all": self._list(declaration.all),
                            "isUnsafe": declaration.unsafe,
                            **self._constant(declaration),
                            "value": self._expr(declaration.value),
                        }
                    }
                )
            case t.Quotients():
                for constant in declaration.constants:
                    self._line({"quot": {"kind": constant.kind, **self._constant(constant)}})
            case t.Inductive():
                self._line({"inductive": self._inductive(declaration)})

    def _inductive(self, block: t.Inductive) -> dict[str, Any]:
        types = [
            {
                "all": self._list(one.all),
                "ctors": self._list(one.constructors),
                "isRec": one.recursive,
                "isReflexive": one.reflexive,
                "isUnsafe": one.unsafe,
                "numIndices": one.indices,
                "numNested": one.nested,
                "numParams": one.params,
                **self._constant(one),
            }
            for one in block.types
        ]
        constructors = [
            {
                "cidx": one.index,
                "induct": self._name(one.inductive),
                "isUnsafe": one.unsafe,
                "numFields": one.fields,
                "numParams": one.params,
                **self._constant(one),
            }
            for one in block.constructors
        ]
        recursors = [
            {
                "all": self._list(one.all),
                "isUnsafe": one.unsafe,
                "k": one.k,
                "numIndices": one.indices,
                "numMinors": one.minors,
                "numMotives": one.motives,
                "numParams": one.params,
                "rules": [
                    {
                        "ctor": self._name(rule.constructor),
                        "nfields": rule.fields,
                        "rhs": self._expr(rule.value),
                    }
                    for rule in one.rules
                ],
                **self._constant(one),
            }
            for one in block.recursors
        ]
        return {"ctors": constructors, "recs": recursors, "types": types}

    def _constant(self, one: t.Constant) -> dict[str, Any]:
        levels = self._list(one.levels)
        for name in one.levels:
            self._level(self._terms.level(t.PARAM, name))
        return {
            "levelParams": levels,
            "name": self._name(one.name),
            "type": self._expr(one.type),
        }

    def _list(self, names: tuple[int, ...]) -> list[int]:
        return [self._name(name) for name in names]

    def _name(self, name: int) -> int:
        found = self._names.get(name)
        if found is None:
            full = self._terms.names[name]
            prefix = self._name(self._terms.name(full[:-1]))
            found = self._names[name] = len(self._names)
            last = full[-1]
            part = (
                {"pre": prefix, "str": last}
                if isinstance(last, str)
                else {"i": last, "pre": prefix}
            )
            self._line({"in": found, "str" if isinstance(last, str) else "num": part})
        return found

    def _level(self, level: int) -> int:
        stack = [level]
        while stack:
            at = stack[-1]
            kind, first, second = self._terms.levels[at]
            if at in self._levels:
                stack.pop()
                continue
            below = [] if kind == t.PARAM else [first] if kind == t.SUCC else [first, second]
            if wanted := [x for x in below if x not in self._levels]:
                stack += wanted
                continue
            if kind == t.PARAM:
                value: Any = self._name(first)
            elif kind == t.SUCC:
                value = self._levels[first]
            else:
                value = [self._levels[first], self._levels[second]]
            number = self._levels[at] = len(self._levels)
            self._line({"il": number, ("", "succ", "max", "imax", "param")[kind]: value})
        return self._levels[level]

    def _expr(self, expr: int) -> int:
        known, parts = self._exprs, self._terms.parts
        if expr in known:
            return known[expr]
        stack = [expr]
        while stack:
            e = stack[-1]
            if e in known:
                stack.pop()
                continue
            below = parts(e)
            if wanted := [x for x in below if x not in known]:
                stack += wanted
                continue
            stack.pop()
            known[e] = self._written(e)
        return known[expr]

    def _written(self, e: int) -> int:
        """Write one expression whose parts are written, unless one like it is there already."""
        terms, known = self._terms, self._exprs
        kind, a, b, c = terms.kind[e], terms.a[e], terms.b[e], terms.c[e]
        key: tuple[object, ...]
        match kind & t.KIND_MASK:
            case 5:
                key = (kind, known[a], known[b])
            case 6 | 7:
                key = (kind, a, known[b], known[c])
            case 8:
                key = (kind, a, known[b], known[c], known[terms.let_body[e]])
            case 9:
                key = (kind, terms.nats[a])
            case 10:
                key = (kind, terms.strings[a])
            case 11:
                key = (kind, a, b, known[c])
            case _:
                key = (kind, a, b)
        found = self._known.get(key)
        if found is not None:
            return found
        text = self._text(e, kind, a, b, c)
        number = self._known[key] = len(self._known)
        self._write(text % number)
        self.lines += 1
        return number

    def _text(self, e: int, kind: int, a: int, b: int, c: int) -> str:
        terms, known = self._terms, self._exprs
        match kind & t.KIND_MASK:
            case 0:
                return f'{{"bvar":{a},"ie":%d}}\n'
            case 3:
                return f'{{"ie":%d,"sort":{self._level(a)}}}\n'
            case 4:
                levels = ",".join(str(self._level(u)) for u in terms.level_lists[b])
                return f'{{"const":{{"name":{self._name(a)},"us":[{levels}]}},"ie":%d}}\n'
            case 5:
                return f'{{"app":{{"arg":{known[b]},"fn":{known[a]}}},"ie":%d}}\n'
            case 6 | 7 as word:
                inside = (
                    f'{{"binderInfo":"{t.BINDERS[kind >> t.INFO_SHIFT]}","body":{known[c]},'
                    f'"name":{self._name(a)},"type":{known[b]}}}'
                )
                if word == t.LAM:
                    return f'{{"ie":%d,"lam":{inside}}}\n'
                return f'{{"forallE":{inside},"ie":%d}}\n'
            case 8:
                nondep = "true" if kind >> t.INFO_SHIFT else "false"
                return (
                    f'{{"ie":%d,"letE":{{"body":{known[terms.let_body[e]]},"name":{self._name(a)},'
                    f'"nondep":{nondep},"type":{known[b]},"value":{known[c]}}}}}\n'
                )
            case 9:
                return f'{{"ie":%d,"natVal":"{t.numeral(terms.nats[a])}"}}\n'
            case 10:
                text = json.dumps(terms.strings[a], ensure_ascii=False).replace("%", "%%")
                return f'{{"ie":%d,"strVal":{text}}}\n'
            case _:
                return (
                    f'{{"ie":%d,"proj":{{"idx":{b},"struct":{known[c]},'
                    f'"typeName":{self._name(a)}}}}}\n'
                )


def write(source: Source, numbers: list[int], stream: IO[str], meta: dict[str, str]) -> int:
    """Write declarations, by number and in order; give the number of lines.

    `meta` has `exporter`, `version`, `lean` and `githash`.
    """
    writer = Writer(source, stream, meta)
    for number in numbers:
        writer.declaration(source.declarations[number])
    return writer.lines
