"""What a person sees while something runs.

One changing line on a terminal, plain lines elsewhere.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TextIO

PLAIN_PAUSE = 10.0
"""Seconds between two lines of progress where lines cannot be changed."""


@dataclass(slots=True)
class Console:
    """Progress and findings on `stream` (standard error).

    `about` stands before every step: what the steps are of, where that is not the project.
    """

    stream: TextIO
    changing: bool
    color: bool
    about: str = ""
    _shown: bool = False
    _last: float = field(default=0.0)

    def step(self, text: str) -> None:
        """A step begins: a line that stays where lines cannot be changed."""
        if self.changing:
            self._show(self.about + text)
        else:
            self.line(self.about + text)
            self._last = time.monotonic()

    def progress(self, text: str) -> None:
        """How far the step is."""
        if self.changing:
            self._show(self.about + text)
        elif time.monotonic() - self._last >= PLAIN_PAUSE:
            self.line(self.about + text)
            self._last = time.monotonic()

    def line(self, text: str) -> None:
        """A line that stays."""
        self.clear()
        print(text, file=self.stream, flush=True)

    def clear(self) -> None:
        """Take the changing line away."""
        if self._shown:
            self._shown = False
            # A terminal that was closed has nothing left to take away.
            with contextlib.suppress(OSError):
                self.stream.write("\r\x1b[K")
                self.stream.flush()

    def _show(self, text: str) -> None:
        width = self._width()
        self.stream.write("\r" + fit(text, max(width - 1, 1)) + "\x1b[K")
        self.stream.flush()
        self._shown = True

    def _width(self) -> int:
        """Columns of this stream's own terminal: the report may go elsewhere."""
        try:
            return os.get_terminal_size(self.stream.fileno()).columns or 80
        except (OSError, ValueError):
            return 80


def open_console(no_color: bool, environ: Mapping[str, str] = os.environ) -> Console:
    """The console on standard error, as the terminal and NO_COLOR have it."""
    terminal = sys.stderr.isatty() and environ.get("TERM", "") != "dumb"
    return Console(sys.stderr, terminal, use_color(no_color, sys.stderr, environ))


def use_color(no_color: bool, stream: TextIO, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether to colour what goes to a stream."""
    terminal = stream.isatty() and environ.get("TERM", "") != "dumb"
    return terminal and not no_color and not environ.get("NO_COLOR")


def printable(text: str) -> str:
    """A text without characters that would steer a terminal; line feeds and tabs stay.

    What Lean and Lake print comes from files of strangers.
    """
    return "".join(
        c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs", "Zl", "Zp") else "\ufffd"
        for c in text
    )


def fit(text: str, width: int) -> str:
    """The beginning of a text that fits into `width` columns, on one line without control codes."""
    shown, used = "", 0
    for character in " ".join(text.split()):
        if unicodedata.category(character).startswith("C"):
            continue
        columns = _columns(character)
        if used + columns > width:
            if width < 2:
                return shown
            while used > width - 1:
                used -= _columns(shown[-1])
                shown = shown[:-1]
            return shown + "…"
        shown += character
        used += columns
    return shown


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
