"""Reading files that a stranger may have put there."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any


class NotPlain(Exception):
    """A file is no ordinary file, or too large to be one of ours."""


def plain_bytes(path: Path, largest: int) -> bytes:
    """The bytes of an ordinary file; what is none (a pipe, a device) is not even opened.

    Raises NotPlain or OSError.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise NotPlain("is no ordinary file")
    if status.st_size > largest:
        raise NotPlain(f"has {status.st_size:,} bytes, more than the {largest:,} that are read")
    return path.read_bytes()


def no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, as `object_pairs_hook` of `json.loads`.

    Raises ValueError where a key is there twice: readers would take one or the other.
    """
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice in one object")
    return found
