"""The header of a compiled module: which Lean wrote it. `modules.py` describes the rest."""

from __future__ import annotations

from typing import NamedTuple

HEADER = 88
FORMAT = 2


class Malformed(Exception):
    """What is wrong with the image of a module."""


class Header(NamedTuple):
    """What the header of a part says."""

    format: int
    flags: int
    version: str
    githash: str
    base: int


def header_of(data: bytes) -> Header:
    """Read a header. Raises Malformed for what is none."""
    if len(data) < HEADER or data[:5] != b"olean":
        raise Malformed("this is no compiled module")

    def text(part: bytes) -> str:
        return part.split(b"\0", 1)[0].decode("ascii", "replace")

    base = int.from_bytes(data[80:88], "little")
    return Header(data[5], data[6], text(data[7:40]), text(data[40:80]), base)
