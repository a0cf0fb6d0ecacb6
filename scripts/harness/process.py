"""Running a program: argument list, a group of its own, limits of time and memory, text decoding.

Every program that the harness starts goes through here, and none goes through a shell.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import IO

if sys.platform != "win32":
    import resource

KILL_AFTER = 1.0
"""Seconds between asking a group of processes to end and killing it."""
DRAIN = 0.5
"""Seconds that a pipe may stay open after the program itself has ended."""
READS = 20
"""Reads that empty the largest pipe, however late its reader comes to them."""
KEPT_CHARACTERS = 64 * 1024 * 1024
"""How much of each stream is kept; what comes after it is read and dropped."""

# Set by a caller's shell, each of these makes Lean or Lake look somewhere else than at this project
# and its pinned toolchain.
REDIRECTING_VARIABLES = (
    "ELAN_TOOLCHAIN",
    "LAKE",
    "LAKE_ARTIFACT_CACHE",
    "LAKE_CACHE_DIR",
    "LAKE_CONFIG",
    "LAKE_HOME",
    "LAKE_OVERRIDE_LEAN",
    "LAKE_PKG_URL_MAP",
    "LEAN",
    "LEAN_GITHASH",
    "LEAN_PATH",
    "LEAN_SRC_PATH",
    "LEAN_SYSROOT",
)

# By these, what is started here would take itself for the step of a workflow, and add to it.
WORKFLOW_VARIABLES = (
    "GITHUB_ACTIONS",
    "GITHUB_ENV",
    "GITHUB_OUTPUT",
    "GITHUB_PATH",
    "GITHUB_STATE",
    "GITHUB_STEP_SUMMARY",
)

_TERMINATIONS = (signal.SIGTERM, *((signal.SIGHUP,) if sys.platform != "win32" else ()))
_INTERRUPTS = (signal.SIGINT, *_TERMINATIONS)

LineHandler = Callable[[str], None]


class End(StrEnum):
    """How a run ended."""

    EXITED = "exited"
    """The program ended by itself or by a signal; its exit status says how."""
    TIME_LIMIT = "time limit"
    OUTLIVED = "outlived"
    """The program ended, and a process it had started went on writing to the same output."""
    OUTPUT_LIMIT = "output limit"
    NOT_STARTED = "not started"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one run.

    `code` is the exit status, negative for a signal as in `subprocess`, None if there is none.
    Text is decoded as UTF-8, with U+FFFD for what is not; lines end in a line feed.
    """

    argv: tuple[str, ...]
    end: End
    code: int | None
    stdout: str
    stderr: str
    seconds: float
    detail: str = ""
    truncated: bool = False
    """Whether there was more output than was kept."""
    memory: int = 0
    """The most that the program had resident, in bytes, and no less than what we had when it was
    started; 0 where the system does not tell."""

    @property
    def ok(self) -> bool:
        """Whether the program ended by itself with exit status 0."""
        return self.end is End.EXITED and self.code == 0

    def lines(self) -> list[str]:
        """Everything it printed, line by line: standard output first."""
        return lines_of(self.stdout) + lines_of(self.stderr)

    def says(self) -> str:
        """How it ended, as part of a sentence."""
        match self.end:
            case End.EXITED if self.code is not None and self.code < 0:
                return f"was killed by {_signal_name(-self.code)}"
            case End.EXITED:
                return f"ended with exit status {self.code}"
            case End.NOT_STARTED:
                return f"could not be started ({self.detail})"
            case _:
                return self.detail


def lines_of(text: str) -> list[str]:
    """The lines of a program's output.

    Not `str.splitlines`, which also ends a line at U+2028 and other characters that may stand in
    the middle of a message.
    """
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The caller's environment without what would lead Lean elsewhere, with `extra` on top."""
    left_out = REDIRECTING_VARIABLES + WORKFLOW_VARIABLES
    kept = {k: v for k, v in os.environ.items() if k not in left_out}
    return kept | dict(extra or {})


def run(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    seconds: float,
    env: Mapping[str, str] | None = None,
    memory: int | None = None,
    on_stdout: LineHandler | None = None,
    on_stderr: LineHandler | None = None,
    keep: int = KEPT_CHARACTERS,
    strict_limit: bool = False,
    attached: bool = False,
    pass_fds: Sequence[int] = (),
) -> Outcome:
    """Run a program to its end or to a limit, and leave no process of its group behind.

    `seconds` and `memory` (bytes of address space, each process, Linux only) are the limits.
    `on_stdout` and `on_stderr` get each line as it comes, without its end; a carriage return ends
    a line too. At most `keep` characters of each stream are kept; with `strict_limit` more of
    them end the run (`End.OUTPUT_LIMIT`). With `attached` the program writes to our own output
    and nothing is captured. Input is always empty. The program inherits the file descriptors
    `pass_fds` (not on Windows).

    Raises whatever interrupts the wait (`KeyboardInterrupt` above all), after ending the group.
    """
    words = tuple(str(a) for a in argv)
    started = time.monotonic()
    pipe = None if attached else subprocess.PIPE
    process: subprocess.Popen[bytes] | None = None
    streams: list[_Stream] = []
    resident = 0
    try:
        with _interrupts_held():
            process = subprocess.Popen(
                words,
                cwd=cwd,
                env=dict(environment() if env is None else env),
                stdin=subprocess.DEVNULL,
                stdout=pipe,
                stderr=pipe,
                start_new_session=True,
                pass_fds=pass_fds,
            )
            streams += [
                _Stream(pipe_end, handler, keep)
                for pipe_end, handler in ((process.stdout, on_stdout), (process.stderr, on_stderr))
                if pipe_end is not None
            ]
        if memory is not None and sys.platform == "linux":
            with contextlib.suppress(OSError):
                resource.prlimit(process.pid, resource.RLIMIT_AS, (memory, memory))
        end = _wait(process, streams, started + seconds, strict_limit)
    except (OSError, ValueError) as error:
        if process is not None:
            raise
        return Outcome(words, End.NOT_STARTED, None, "", "", 0.0, _reason(error, words))
    finally:
        try:
            if process is not None:
                resident = _end_group(process)
        finally:
            for stream in streams:
                stream.close()
    texts = [stream.text() for stream in streams] or ["", ""]
    detail = {
        End.TIME_LIMIT: f"was stopped after its time limit of {seconds:g} s",
        End.OUTLIVED: "ended, but left a process behind that kept its output open",
        End.OUTPUT_LIMIT: f"was stopped after {keep:,} characters of output",
    }.get(end, "")
    return Outcome(
        words,
        end,
        process.returncode,
        texts[0],
        texts[1],
        time.monotonic() - started,
        detail,
        any(stream.overflow for stream in streams),
        resident,
    )


def python(module: str, *arguments: str | Path) -> list[str | Path]:
    """The command that runs one of our modules, with compiled Python where ours goes."""
    cache = ["-X", f"pycache_prefix={sys.pycache_prefix}"] if sys.pycache_prefix else []
    return [sys.executable, "-X", "utf8", *cache, "-m", module, *arguments]


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let a request to terminate or a closed terminal end the run as Ctrl-C does."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    # What the caller ignores stays ignored: `nohup` means it.
    heeded = [n for n in _TERMINATIONS if signal.getsignal(n) != signal.SIG_IGN]
    previous = {number: signal.signal(number, interrupt) for number in heeded}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Put interrupts off to the end of a block, for one that must not be left half done."""
    came: list[int] = []
    previous = {}
    # Elsewhere than in the main thread nothing interrupts, and nothing can be held.
    with contextlib.suppress(ValueError):
        for number in _INTERRUPTS:
            if callable(handler := signal.getsignal(number)):
                signal.signal(number, lambda number, _: came.append(number))
                previous[number] = handler
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)


def _reason(error: OSError | ValueError, words: Sequence[str]) -> str:
    """Why a program could not be started; names what is missing if that is not the program."""
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    other = error.filename is not None and str(error.filename) not in words[:1]
    return f"{error.strerror}: {error.filename}" if other else error.strerror


@dataclass(slots=True)
class _Stream:
    """One output of a running program: bytes in, lines out."""

    pipe: IO[bytes]
    handler: LineHandler | None
    keep: int
    kept: list[str] = field(default_factory=list)
    size: int = 0
    """Characters of the lines so far, kept or not."""
    partial: list[str] = field(default_factory=list)
    """The pieces of a line whose end has not come."""
    partial_size: int = 0
    after_return: bool = False
    decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace")
    )

    def read(self) -> bool:
        """Take what is there. False at the end of the stream."""
        data = os.read(self.pipe.fileno(), 1 << 16)
        self._feed(self.decoder.decode(data, final=not data))
        if not data and self.partial:
            self._line("")
        return bool(data)

    def _feed(self, text: str) -> None:
        if not text:
            return
        if self.after_return and text.startswith("\n"):
            text = text[1:]
        self.after_return = text.endswith("\r")
        *ended, rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for line in ended:
            self._line(line)
        if rest:
            self.partial.append(rest)
            self.partial_size += len(rest)
        # A line without end is handed on in pieces rather than held in memory.
        if self.partial_size > self.keep:
            self._line("")

    def _line(self, last: str) -> None:
        """A line ends with `last`."""
        line = "".join([*self.partial, last])
        self.partial.clear()
        self.partial_size = 0
        if self.size <= self.keep:
            self.kept.append(line + "\n")
        self.size += len(line) + 1
        if self.handler is not None:
            self.handler(line)

    @property
    def overflow(self) -> bool:
        return self.size + self.partial_size > self.keep

    def text(self) -> str:
        return "".join([*self.kept, *self.partial])[: self.keep]

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.pipe.close()


def _wait(
    process: subprocess.Popen[bytes],
    streams: list[_Stream],
    deadline: float,
    strict_limit: bool,
) -> End:
    """Read and wait until the program has ended or a limit is reached."""
    ended_at: float | None = None
    reads = 0
    with selectors.DefaultSelector() as selector:
        for stream in streams:
            selector.register(stream.pipe, selectors.EVENT_READ, stream)
        while True:
            now = time.monotonic()
            if ended_at is None and _has_ended(process):
                ended_at = now
            open_streams = bool(selector.get_map())
            if ended_at is not None:
                if not open_streams:
                    return End.EXITED
                # Time alone does not tell: it also passes while a line is shown on a terminal.
                if now > ended_at + DRAIN and reads > READS:
                    return End.OUTLIVED
                reads += 1
            elif now > deadline:
                return End.TIME_LIMIT
            if strict_limit and any(stream.overflow for stream in streams):
                return End.OUTPUT_LIMIT
            # With both pipes closed there is nothing left to select on: only the end to wait for.
            if not open_streams:
                time.sleep(0.01)
                continue
            pause = 0.02 if ended_at is not None else 0.1
            for key, _ in selector.select(min(pause, max(deadline - now, 0.01))):
                stream = key.data
                if not stream.read():
                    selector.unregister(stream.pipe)


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether the program has ended, without reaping it: until then nobody gets its number."""
    if sys.platform == "win32":
        return process.poll() is not None
    if process.returncode is not None:
        return True
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return process.poll() is not None


def _end_group(process: subprocess.Popen[bytes]) -> int:
    """End every process of the group, then reap the leader; the most that it had resident."""
    if sys.platform == "win32":
        process.kill()
        process.wait()
        return 0
    try:
        if not _has_ended(process):
            _signal_group(process.pid, signal.SIGTERM)
            until = time.monotonic() + KILL_AFTER
            while not _has_ended(process) and time.monotonic() < until:
                time.sleep(0.01)
    finally:
        # Also when a second interrupt cuts the waiting short.
        _signal_group(process.pid, signal.SIGKILL)
        resident = _reap(process)
    return resident


def _reap(process: subprocess.Popen[bytes]) -> int:
    """Reap the leader; the most that it, or a child that it reaped, had resident, in bytes."""
    if sys.platform == "win32" or process.returncode is not None:
        process.wait()
        return 0
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except ChildProcessError:
        process.wait()
        return 0
    process.returncode = os.waitstatus_to_exitcode(status)
    # macOS counts bytes, the others units of 1024.
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
