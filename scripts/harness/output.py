"""Files that are written: whole or not at all, and through no link that a project brought along."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path

MOST_LINKS = 40
"""Links that are followed one after the other, as Linux does."""


def link_inside(path: Path, folder: Path) -> Path | None:
    """The first link in a folder on the way to a path, the path itself included; None if none is.

    Links elsewhere are followed: whoever runs this made them. Raises OSError where they lead in a
    circle.
    """
    folder = folder.resolve()
    whole = path.absolute()
    here, left = Path(whole.anchor), list(reversed(whole.parts[1:]))
    followed = 0
    while left:
        part = left.pop()
        at = here.parent if part == ".." else here / part
        if not at.is_symlink():
            here = at
            continue
        if at.is_relative_to(folder):
            return at
        followed += 1
        if followed > MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        target = at.readlink()
        if target.is_absolute():
            here = Path(target.anchor)
        left += reversed(target.parts[1:] if target.is_absolute() else target.parts)
    return None


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file, text as UTF-8, whole or not at all; a link there is replaced, not followed.

    Raises OSError, and UnicodeEncodeError for half a character.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        # What lies there may be a link: it goes, and "x" opens no other.
        part.unlink(missing_ok=True)
        with part.open("xb") as stream:
            stream.write(data)
        part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise
