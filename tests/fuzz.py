"""Mutations of real inputs, by a seed: bytes, lines of text, JSON.

`mutants(seeds, count, name)` gives so many inputs, always the same ones for a name. A mutant is
made of one to three changes of a kind: to its bytes, to its lines, or, where it is JSON, to its
values.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Change = Callable[[random.Random, bytes], bytes]

LARGEST = 200_000
"""Bytes of the largest mutant."""

ODD_BYTES = (
    b"\0",
    b"\r",
    b"\r\n",
    b"\n",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xc3\x28",
    b"\xed\xa0\x80",
    b"\xf5\x80\x80\x80",
    b"\x1b[2K",
    b"\xe2\x80\xa8",
    b"\xc2\x85",
    b"9" * 5000,
    b"-1",
    b"1e999",
    b'"',
    b"'",
    b"\\",
    b"\\ud800",
    b"\xc2\xab",
    b"\xc2\xbb",
    b"(" * 3000,
    b"[" * 3000,
    b"{" * 3000,
    b"]",
    b"}",
    b"/-",
    b"--",
    b"%n%s{0}",
    b"../",
    b"error: ",
)


# Bytes


def flip(rng: random.Random, data: bytes) -> bytes:
    """Turn one bit."""
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def remove(rng: random.Random, data: bytes) -> bytes:
    """Take a piece out."""
    a, b = _span(rng, data)
    return data[:a] + data[b:]


def repeat(rng: random.Random, data: bytes) -> bytes:
    """Write a piece once more, or many times."""
    a, b = _span(rng, data)
    return data[:b] + data[a:b] * rng.choice((1, 1, 2, 500 if b - a < 64 else 1)) + data[b:]


def truncate(rng: random.Random, data: bytes) -> bytes:
    """Cut the end off."""
    return data[: rng.randrange(len(data))]


def insert(rng: random.Random, data: bytes) -> bytes:
    """Put something odd in."""
    at = rng.choice((0, len(data), rng.randrange(len(data)), rng.randrange(len(data))))
    return data[:at] + rng.choice(ODD_BYTES) + data[at:]


def overwrite(rng: random.Random, data: bytes) -> bytes:
    """Put bytes of another place, or of no place, over a piece."""
    a, b = _span(rng, data)
    c = rng.randrange(len(data))
    new = rng.choice(
        (data[c : c + b - a], rng.randbytes(b - a), b"\xff" * (b - a), b"\0" * (b - a))
    )
    return data[:a] + new + data[b:]


def enlarge(rng: random.Random, data: bytes) -> bytes:
    """Make a number huge, negative, or another one."""
    places = [i for i in range(len(data)) if data[i : i + 1].isdigit()]
    if not places:
        return insert(rng, data)
    at = rng.choice(places)
    new = rng.choice(
        (b"9" * 5000, b"9" * 30, b"-", b"0", b"0x", b"1e9", b".5", b"18446744073709551615")
    )
    return data[:at] + new + data[at + 1 :]


def _span(rng: random.Random, data: bytes) -> tuple[int, int]:
    a = rng.randrange(len(data))
    return a, min(len(data), a + rng.choice((1, 2, 8, rng.randrange(1, len(data) + 1))))


BYTES: tuple[Change, ...] = (
    flip,
    flip,
    remove,
    repeat,
    truncate,
    insert,
    insert,
    overwrite,
    enlarge,
)


# Lines


def _by_lines(change: Callable[[random.Random, list[bytes]], list[bytes]]) -> Change:
    def changed(rng: random.Random, data: bytes) -> bytes:
        return b"\n".join(change(rng, data.split(b"\n")))

    return changed


def _drop(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    at = rng.randrange(len(lines))
    return lines[:at] + lines[at + 1 :]


def _double(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    at = rng.randrange(len(lines))
    return lines[: at + 1] + lines[at : at + 1] + lines[at + 1 :]


def _shuffle(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    return rng.sample(lines, len(lines))


def _swap(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return lines


def _join(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    at = rng.randrange(len(lines))
    return [*lines[:at], b"".join(lines[at : at + 2]), *lines[at + 2 :]]


def _lengthen(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    at = rng.randrange(len(lines))
    lines[at] *= 200
    return lines


def _multiply(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    at = rng.randrange(len(lines))
    return lines[:at] + lines[at : at + 1] * 500 + lines[at + 1 :]


def _words(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    at = rng.randrange(len(lines))
    words = lines[at].split(b" ")
    lines[at] = b" ".join(rng.sample(words, len(words)))
    return lines


def unbalance(rng: random.Random, data: bytes) -> bytes:
    """Exchange a bracket or a quotation mark for another, or for none."""
    places = [i for i in range(len(data)) if data[i] in b"()[]{}\"'`,:"]
    if not places:
        return insert(rng, data)
    at = rng.choice(places)
    return data[:at] + rng.choice((b"", b"(", b"]", b"}", b'"', b"'", b"`", b"''")) + data[at + 1 :]


LINES: tuple[Change, ...] = (
    *map(_by_lines, (_drop, _double, _shuffle, _swap, _join, _lengthen, _multiply, _words)),
    unbalance,
    enlarge,
)


# JSON


@dataclass(frozen=True, slots=True)
class Raw:
    """A piece of text in the place of a JSON value."""

    text: str


@dataclass(slots=True)
class Pairs:
    """A JSON object as pairs: a key can be there twice."""

    pairs: list[tuple[str, Any]]


ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2**63,
    "",
    "a",
    "\ud800",
    "\0",
    "../../x",
    "a\nb",
    "«",
    "propext",
    "sorryAx",
    "x" * 5000,
    [],
    ["a", "a"],
    Raw("{}"),
    Raw('{"a":1,"a":2}'),
    Raw("1.0"),
    Raw("1e400"),
    Raw("NaN"),
    Raw("-Infinity"),
    Raw("9" * 5000),
    Raw("[" * 900 + "]" * 900),
    Raw("[" * 5000 + "]" * 5000),
    Raw('{"a":' * 900 + "1" + "}" * 900),
    Raw("01"),
    Raw("'a'"),
    Raw(""),
)


def change_json(rng: random.Random, data: bytes) -> bytes:
    """Change one value of a JSON text, or of one of its lines that are JSON."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    whole = len(lines) > 1 and not _is_json(lines[at])
    try:
        tree = json.loads(data if whole else lines[at], object_pairs_hook=Pairs)
        text = _written(_changed(rng, tree)).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        # No JSON any more, or nested more deeply than can be written.
        return rng.choice(BYTES)(rng, data)
    return text if whole else b"\n".join([*lines[:at], text, *lines[at + 1 :]])


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _places(tree: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Every value below a tree: what holds it, and where."""
    match tree:
        case Pairs(pairs):
            for i, (_, value) in enumerate(pairs):
                found.append((tree, i))
                _places(value, found)
        case list():
            for i, value in enumerate(tree):
                found.append((tree, i))
                _places(value, found)
    return found


def _get(place: tuple[Any, int]) -> Any:
    holder, i = place
    return holder.pairs[i][1] if isinstance(holder, Pairs) else holder[i]


def _set(place: tuple[Any, int], value: Any) -> None:
    holder, i = place
    if isinstance(holder, Pairs):
        holder.pairs[i] = (holder.pairs[i][0], value)
    else:
        holder[i] = value


def _changed(rng: random.Random, tree: Any) -> Any:
    places = _places(tree, [])
    if not places:
        return rng.choice(ODD_VALUES)
    place = rng.choice(places)
    holder, i = place
    match rng.randrange(9):
        case 0 | 1:
            _set(place, rng.choice(ODD_VALUES))
        case 2:
            deep = rng.randrange(700, 1000)
            _set(place, rng.choice((*ODD_VALUES, Raw("[" * deep + "]" * deep))))
        case 3:
            del (holder.pairs if isinstance(holder, Pairs) else holder)[i]
        case 4:
            inside = holder.pairs if isinstance(holder, Pairs) else holder
            inside.insert(rng.randrange(len(inside) + 1), inside[i])
        case 5:
            inside = holder.pairs if isinstance(holder, Pairs) else holder
            inside.reverse()
        case 6:
            # A copy: a value inside itself could never be written.
            _set(place, copy.deepcopy(_get(rng.choice(places))))
        case 7 if isinstance(holder, Pairs):
            key, value = holder.pairs[i]
            other = rng.choice((key.upper(), key + " ", "extra", "name", ""))
            holder.pairs[i] = (other, value)
        case _:
            value = _get(place)
            if isinstance(value, str):
                near = (value + " ", value[:-1], value.swapcase(), f"«{value}»", [value], value * 2)
                _set(place, rng.choice(near))
            elif type(value) is int:
                _set(place, rng.choice((value + 1, -value, str(value), Raw(f"{value}.0"))))
            elif isinstance(value, bool):
                _set(place, not value)
            else:
                _set(place, rng.choice(ODD_VALUES))
    return tree


def _written(tree: Any) -> str:
    match tree:
        case Raw(text):
            return text
        case Pairs(pairs):
            inside = (f"{json.dumps(k)}: {_written(v)}" for k, v in pairs)
            return "{" + ", ".join(inside) + "}"
        case list():
            return "[" + ", ".join(_written(v) for v in tree) + "]"
        case _:
            return json.dumps(tree, ensure_ascii=False)


JSON: tuple[Change, ...] = (change_json,)


def mutants(
    seeds: Sequence[bytes], count: int, name: str, kinds: Sequence[tuple[Change, ...]]
) -> Iterator[tuple[int, bytes]]:
    """So many mutants, each with the number of the seed that it was made of."""
    rng = random.Random(name)
    for _ in range(count):
        number = rng.randrange(len(seeds))
        data = seeds[number]
        changes = rng.choice(kinds)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            data = rng.choice(changes)(rng, data or b"\n")[:LARGEST]
        yield number, data
