"""What Lake prints, read: progress, messages with their places, and why a build stopped.

The text of a message is for people; the verdict rests on where it points and on exit statuses. A
build that stops is a failure of the proof only if an error points into a file of the project.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from harness.process import End, Outcome
from harness.verdict import Finding

NO_BUILD_STATUS = 3
"""Exit status of `lake build --no-build` when something would have to be built."""
SEARCHED = 1000
"""Characters of a line that are searched for a cause: it stands near the beginning, and to search
all of a long line takes time that grows with the square of its length."""

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufeff]")
_FAILED = re.compile(
    r"^(?:✖ |uncaught exception|INTERNAL PANIC|PANIC\b|Some required targets logged failures"
    r"|error\()"
)
"""Lines that say that something went wrong and are no message with a severity."""
_JOB = re.compile(r"^\S\s*\[(?P<done>\d{1,9})/(?P<all>\d{1,9})\]\s*(?P<what>.*)$")
_MESSAGE = re.compile(r"^(?P<severity>error|warning|info|trace): ?(?P<rest>.*)$")
_PLACE = re.compile(
    r"^(?P<file>[^:\n]+\.lean):(?P<line>\d{1,9}):(?P<column>\d{1,9}):\s?"
    r"(?:(?P<severity>error|warning|info)(?:\([^)\n]*\))?:\s?)?(?P<text>.*)$"
)
_END = re.compile(
    r"^(?:Build completed successfully|Some required targets logged failures|- \S+$|✔|⚠|✖|ℹ)"
)
_PACKAGES = (".lake/", "lake-packages/")


class Diagnostic(NamedTuple):
    """One message; `file` is relative to the project as Lake writes it, None if it names none."""

    severity: str
    file: str | None
    line: int | None
    column: int | None
    text: str

    @property
    def ours(self) -> bool:
        """Whether it points into a file of the project itself."""
        if self.file is None:
            return False
        path = PurePosixPath(self.file)
        outside = path.is_absolute() or ".." in path.parts
        return not outside and not self.file.startswith(_PACKAGES)


class Progress(NamedTuple):
    """How far a build is: jobs done, jobs known, and what is being done."""

    done: int
    all: int
    what: str


class Cause(NamedTuple):
    """A reason outside the proof for which a build stops, and what to do about it."""

    pattern: re.Pattern[str]
    resource: str
    remedy: str


def _cause(pattern: str, resource: str, remedy: str) -> Cause:
    return Cause(re.compile(pattern, re.IGNORECASE), resource, remedy)


# In the order of asking: what names a resource plainly comes before what merely follows from it.
CAUSES = (
    _cause(
        r"no space left on device|disk quota exceeded",
        "the disk is full",
        "Free some space (Mathlib's compiled modules need about 6 GB) and run again.",
    ),
    _cause(
        r"exited with code (?:137|-9)\b|out of memory|std::bad_alloc|cannot allocate memory"
        r"|memory exhausted",
        "the machine ran out of memory",
        "Close other programs, or set LEAN_NUM_THREADS=1, and run again.",
    ),
    _cause(
        r"exited with code (?:134|139|-6|-11)\b|stack overflow|segmentation fault",
        "Lean itself crashed",
        "Run again; if it crashes again, report it to Lean.",
    ),
    _cause(
        r"waiting for prior `?lake build|lake build.*already running",
        "another lake is building here",
        "Wait for the other build to end, and run again.",
    ),
    _cause(
        r"read-only file system|permission denied|operation not permitted",
        "a file cannot be written",
        "Make the project's folder and .lake writable.",
    ),
    _cause(
        r"could ?n.t resolve host|could not resolve|name resolution|failed to connect"
        r"|connection (?:refused|reset|timed out)|network is unreachable|couldn't connect"
        r"|could not download|error during download|unable to access"
        r"|\b(?:404|429|50[0234])\b.*(?:not found|error|unavailable|http)"
        r"|(?:http|error|status|returned).*\b(?:404|429|50[0234])\b"
        r"|certificate|ssl|tls handshake|curl(?:: \(\d+\)|.*exited)",
        "the network or a server did not answer",
        "Check the connection (and proxy and certificates) and run again.",
    ),
    _cause(
        r"external command '?git'?.*exited with code|fatal: .*repository|git exited",
        "git could not fetch a package",
        "Check the connection and run again.",
    ),
    _cause(
        r"hash mismatch|checksum|corrupt|leantar",
        "a downloaded file is not the one expected",
        "Run `lake exe cache clean`, then run again.",
    ),
    _cause(
        r"toolchain .*not installed|no default toolchain|unknown toolchain",
        "the toolchain is not there",
        "Install the toolchain that lean-toolchain names.",
    ),
    _cause(
        r"object file '.*' of module .* does not exist|failed to read file|invalid header"
        r"|incompatible header|unknown module prefix|bad import|no such file or directory"
        r"|unknown package",
        "a module or file is missing",
        "Check that every imported module is in the repository; then `lake clean` and run again.",
    ),
    _cause(
        r"manifest .*out of date|missing manifest|configuration file",
        "Lake's configuration or manifest cannot be used",
        "Compare lakefile and lake-manifest.json with the repository's.",
    ),
)

# A message that points into our file and means that something beside it is missing.
_NOT_THE_PROOF = re.compile(
    r"object file '.*' of module|failed to read file|invalid header|incompatible header"
    r"|unknown module prefix|bad import|no such file or directory|out of memory|std::bad_alloc"
    r"|no space left on device",
    re.IGNORECASE,
)


def clean(line: str) -> str:
    """A line without terminal colours."""
    return _CONTROL.sub("", _ANSI.sub("", line)).rstrip()


def progress(line: str) -> Progress | None:
    """The progress that a line of Lake tells, if it does."""
    match = _JOB.match(clean(line))
    return Progress(int(match["done"]), int(match["all"]), match["what"]) if match else None


def diagnostics(lines: Iterable[str], root: str = "") -> list[Diagnostic]:
    """The messages in what Lake printed. A line that starts none goes on with the one before.

    `root` is the folder of the project, for places that Lake writes in full.
    """
    found: list[tuple[Diagnostic, list[str]]] = []
    open_message = False
    for raw in lines:
        line = clean(raw)
        started = _start(line)
        if started is not None:
            found.append((started, [started.text]))
            open_message = True
        elif _FAILED.match(line):
            found.append((Diagnostic("error", None, None, None, line), [line]))
            open_message = False
        elif _JOB.match(line) or _END.match(line):
            open_message = False
        elif open_message:
            found[-1][1].append(line)
    inside = f"{root.rstrip('/')}/"
    return [
        d._replace(
            text="\n".join(text).strip(),
            file=d.file.removeprefix(inside) if root and d.file else d.file,
        )
        for d, text in found
        if d.severity != "trace"
    ]


def _start(line: str) -> Diagnostic | None:
    prefix = _MESSAGE.match(line)
    rest = prefix["rest"] if prefix else line
    place = _PLACE.match(rest)
    if place and (prefix or place["severity"]):
        severity = prefix["severity"] if prefix else place["severity"]
        return Diagnostic(
            severity,
            normal_path(place["file"]),
            int(place["line"]),
            int(place["column"]),
            place["text"],
        )
    if prefix:
        return Diagnostic(prefix["severity"], None, None, None, rest)
    return None


def normal_path(path: str) -> str:
    """A path as Lake writes it, without its `./` components."""
    return PurePosixPath(path.replace("\\", "/")).as_posix()


def cause(lines: Iterable[str]) -> tuple[Cause, str] | None:
    """The first reason outside the proof that the lines name, with the line that does.

    Lines that report an error are asked before the others.
    """
    kept = [clean(line)[:SEARCHED] for line in lines]
    # A trace shows a command, and a job its name: neither says what went wrong.
    telling = [k for k in kept if not k.startswith("trace:") and not _JOB.match(k)]
    errors = [k for k in telling if re.search(r"\b(?:error|fatal|failed)\b", k, re.IGNORECASE)]
    for group in (errors, telling):
        for known in CAUSES:
            for line in group:
                if known.pattern.search(line):
                    return known, line.strip()
    return None


def failure(outcome: Outcome, command: str, step: str = "build", root: str = "") -> list[Finding]:
    """Why a run of Lake is no evidence, as findings; empty if it succeeded without an error.

    An error that points into a file of ours is `build-failed`; everything else, whatever the exit
    status, is `build-infrastructure`.
    """
    lines = outcome.lines()
    errors = [d for d in diagnostics(lines, root) if d.severity == "error"]
    if outcome.ok and not errors and not outcome.truncated:
        return []
    ours = [d for d in errors if d.ours and not _not_the_proof(d.text)]
    if ours:
        return [_proof_failure(d, step) for d in ours]
    return [_infrastructure(outcome, command, step, lines, errors)]


def _not_the_proof(text: str) -> bool:
    return any(_NOT_THE_PROOF.search(line[:SEARCHED]) for line in text.split("\n"))


def _proof_failure(error: Diagnostic, step: str) -> Finding:
    return Finding(
        "build-failed",
        error.text,
        step,
        file=error.file,
        line=error.line,
        column=error.column,
        remedy="Mend the proof at this place, and build again.",
    )


def _infrastructure(
    outcome: Outcome, command: str, step: str, lines: Sequence[str], errors: Sequence[Diagnostic]
) -> Finding:
    named = cause(lines)
    if outcome.end is End.EXITED and outcome.code in (-9, 137) and named is None:
        named = next((c, outcome.says()) for c in CAUSES if "memory" in c.resource)
    said = named[1] if named else next((e.text.splitlines()[0] for e in errors if e.text), "")
    ending = outcome.says()
    if outcome.ok:
        ending = (
            "printed more than can be looked through"
            if outcome.truncated and not errors
            else "ended with exit status 0 and an error"
        )
    message = f"`{command}` {ending}"
    if named:
        message += f": {named[0].resource}"
    if said:
        message += f" ({said})"
    first = next((e for e in errors if e.file), None)
    return Finding(
        "build-infrastructure",
        message,
        step,
        file=first.file if first else None,
        line=first.line if first else None,
        column=first.column if first else None,
        remedy=named[0].remedy if named else f"Run `{command}` by hand to see all it says.",
        evidence=[clean(line) for line in lines if line.strip()][-20:],
    )


def sorry_warnings(lines: Iterable[str]) -> list[Diagnostic]:
    """Warnings in our files that speak of sorry, in any wording. Never the only signal."""
    return [
        d
        for d in diagnostics(lines)
        if d.severity == "warning" and d.ours and re.search(r"\bsorry\b", d.text)
    ]
