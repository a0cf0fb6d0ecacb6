"""Other people's checkers on an export: finding them, running them, and what their answers mean.

Toolchains bring them along since v4.35.0. How each says *accepted* is what people who ran them
report of v4.35.0-rc3, and what their sources say; none was at hand when this was written. So each
answer is read narrowly: accepted needs the exit status, the one line that says it, and a count that
fits; rejected needs what that checker is known to say; whatever else happens is no answer.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from harness import process
from harness.process import End, Outcome
from harness.toolchain import elan

TOOLCHAIN = "leanprover/lean4:v4.35.0"
"""What is installed, after asking, for its checkers."""
FIRST_RELEASE = "4.35.0"
PLANTED_SECONDS = 60.0
VERSION_SECONDS = 10.0
KEPT = 1 << 20
"""Characters of each output that are kept: an answer is one line, a reason not much more."""
THREADS = 4


class Answer(StrEnum):
    """What came of a checker."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDECIDED = "could not run"
    MISSING = "not here"


@dataclass(frozen=True, slots=True)
class Checker:
    """A program that checks an export, and how it is known to answer.

    `accepts` matches the whole line that says accepted; its group, where it has one, is how many
    declarations it checked. `rejects` matches a line of a rejection, None where nothing that it
    prints tells a rejection from other failures. `alone` says that it also comes without a
    toolchain, `says_version` that `--version` cannot make it begin to check something.
    """

    name: str
    options: tuple[str, ...]
    accepts: re.Pattern[str]
    rejects: re.Pattern[str] | None = None
    alone: bool = True
    says_version: bool = True


_LEAN = re.compile(r"Lean default kernel accepts the solution")
_LEAN_REJECTS = re.compile(
    r"(?:Lean default kernel|Quotient post-check) rejects the solution(:.*)?"
)
# `leanchecker` says that the kernel accepts before it compares the quotient, so a rejection by the
# latter comes after the line of an acceptance.
_AFTER_ACCEPTING = "Quotient post-check"

CHECKERS = (
    *(
        Checker(name, ("--from-export",), _LEAN, _LEAN_REJECTS, alone=False, says_version=False)
        for name in ("leanchecker", "leanchecker-paranoid")
    ),
    Checker(
        "lean4lean",
        ("--import",),
        re.compile(r"checked (\d{1,12}) declarations"),
        says_version=False,
    ),
    # A false proof makes nanoda panic, and so do other things: a panic is no answer.
    Checker("nanoda_bin", (), re.compile(r"Checked (\d{1,12}) declarations with no errors")),
    *(
        Checker(
            name,
            options,
            re.compile(rf"(?:{name}: )?accepted (\d{{1,12}}) declarations(?: \(--verified\))?"),
            re.compile(rf"(?:{name}: )?(?:invalid|rejected)\b.*"),
        )
        for name, options in (("con-leche", ("--verified",)), ("con-ron", ()))
    ),
)
"""Every checker, in the order in which they are run and listed."""

# A checker that ran out of something has rejected nothing, whatever it says besides.
_GAVE_UP = re.compile(
    r"deep recursion|excessive memory|deterministic\)? timeout|\(kernel\) interrupted"
    r"|maximum recursion depth|out of memory|memory allocation of|Cannot allocate memory"
    r"|MemoryError|stack overflow|Stack overflow|PANIC|panicked at"
)
_LEFT_OUT = re.compile(r"\b(?:[Ss]kipp(?:ed|ing|s)|[Dd]eclin(?:ed|es|ing)|not implemented)\b")
# Beside the line that says accepted, any of these words is a second answer.
_OBJECTS = re.compile(
    r"\b(?:reject(?:s|ed|ing|ions?)?|errors?|invalid|exceptions?|panic(?:s|ked|king)?"
    r"|mismatch(?:es|ed)?)\b",
    re.IGNORECASE,
)
# Colours, titles and cursor movements of a terminal; other control characters are no text either.
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_PANIC, _DECLINED = 101, 2


@dataclass(frozen=True, slots=True)
class Counted:
    """What an export has: its declaration records, and the constants that they declare.

    Without the quotient, which each checker counts in its own way, and without `unsafe` and
    `partial` declarations, which some leave out. Each checker is known to count at least one for
    each such record.
    """

    records: int
    constants: int


@dataclass(frozen=True, slots=True)
class Found:
    """A checker at hand, or why it is not: `path` is None and `why` says it.

    `origin` is where it was found, `version` that of the toolchain it is part of, if any.
    """

    checker: Checker
    path: Path | None = None
    origin: str = ""
    version: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds, and bytes of address space of each process; None for no limit."""

    seconds: float
    memory: int | None = None


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of one checker. Seconds are wall-clock time, memory is peak resident bytes."""

    name: str
    verdict: Answer
    why: str
    path: str = ""
    origin: str = ""
    version: str = ""
    sha256: str = ""
    exit_status: int | None = None
    declarations: int | None = None
    """How many it says that it checked."""
    seconds: float = 0.0
    memory: int = 0


# Reading an answer


def judge(checker: Checker, outcome: Outcome, counted: Counted) -> tuple[Answer, str, int | None]:
    """What an outcome means: the answer, why, and how many declarations it says it checked."""
    lines = printed_lines(outcome)
    if problem := _no_answer(outcome, lines):
        return Answer.UNDECIDED, problem, None
    accepted = [found for line in lines if (found := checker.accepts.fullmatch(line))]
    rejected = [line for line in lines if checker.rejects and checker.rejects.fullmatch(line)]
    status = outcome.code
    if left_out := next((line for line in lines if _LEFT_OUT.search(line)), None):
        return Answer.UNDECIDED, f"left something out: {left_out[:300]}", None
    if status == 0:
        if len(accepted) > 1 or (accepted and rejected):
            return Answer.UNDECIDED, "gave more than one answer", None
        if accepted and (objection := _objection(checker, lines)):
            return Answer.UNDECIDED, f"said that it accepts, and besides: {objection[:300]}", None
        if accepted:
            return _counted(accepted[0], counted)
        return Answer.UNDECIDED, "ended with exit status 0 and did not say that it accepts", None
    late = bool(rejected) and all(line.startswith(_AFTER_ACCEPTING) for line in rejected)
    if accepted and not late:
        return Answer.UNDECIDED, f"said that it accepts, and {outcome.says()}", None
    if status == 1 and rejected:
        return Answer.REJECTED, " ".join(rejected)[:500], None
    return Answer.UNDECIDED, f"{outcome.says()}{_said(outcome)}", None


def printed_lines(outcome: Outcome) -> list[str]:
    """What it printed, line by line, without what a terminal would take for a command.

    What a carriage return lets be written over is a line of its own: it was said as well.
    """
    parts = [part for line in outcome.lines() for part in _ESCAPE.sub("", line).split("\r")]
    return [_CONTROL.sub("", part).strip() for part in parts]


def _objection(checker: Checker, lines: Sequence[str]) -> str | None:
    """The first line but that of the acceptance that speaks of a rejection or an error."""
    return next(
        (line for line in lines if _OBJECTS.search(line) and not checker.accepts.fullmatch(line)),
        None,
    )


def _counted(line: re.Match[str], counted: Counted) -> tuple[Answer, str, int | None]:
    """An acceptance, if it is of as many declarations as the export has."""
    if not line.groups():
        return Answer.ACCEPTED, line[0], None
    number, least = int(line[1]), max(1, counted.records)
    if number < least:
        why = f"checked {number:,} declarations of at least {least:,} that the export has"
        return Answer.UNDECIDED, why, number
    return Answer.ACCEPTED, line[0], number


def _no_answer(outcome: Outcome, lines: Sequence[str]) -> str:
    """Why an outcome is no answer at all, whatever was printed; empty if it may be one."""
    if outcome.end is not End.EXITED or outcome.code is None:
        return outcome.says()
    if outcome.truncated:
        return f"printed more than {KEPT:,} characters"
    if outcome.code < 0:
        return f"{outcome.says()}{_said(outcome)}"
    if outcome.code == _PANIC:
        return f"panicked (exit status {_PANIC}){_said(outcome)}"
    if told := next((line for line in lines if gave_up(line)), None):
        return f"gave up: {told[:300]}"
    if outcome.code == _DECLINED:
        return f"declined (exit status {_DECLINED}){_said(outcome)}"
    return ""


def gave_up(text: str) -> bool:
    """Whether a text says that something ran out, so that it rejects nothing."""
    return _GAVE_UP.search(text) is not None


def _said(outcome: Outcome) -> str:
    """What it printed first, as the end of a sentence."""
    told = process.lines_of(outcome.stderr) + process.lines_of(outcome.stdout)
    lines = [line.strip() for line in told if line.strip()]
    return f": {' '.join(lines[:3])[:300]}" if lines else ""


# The export


_KINDS = ("axiom", "def", "thm", "opaque", "inductive")
_RECORD = re.compile(rf'"(?:{"|".join(_KINDS)})":\s*\{{'.encode())


def count(file: Path) -> Counted:
    """Count what an export has. It was read and replayed before, so that its lines are records.

    Raises OSError or ValueError.
    """
    records = constants = 0
    with file.open("rb") as stream:
        for line in stream:
            # Nearly all lines are expressions.
            if _RECORD.search(line) is None:
                continue
            match json.loads(line):
                case dict(record):
                    here = sum(_constants(kind, record[kind]) for kind in _KINDS if kind in record)
                    constants += here
                    records += here > 0
                case _:
                    raise ValueError("a line is no record")
    return Counted(records, constants)


def _constants(kind: str, record: object) -> int:
    """How many constants a record declares that every checker has to look at."""
    if not isinstance(record, dict):
        return 0
    if kind != "inductive":
        unsafe = record.get("isUnsafe") or record.get("safety", "safe") != "safe"
        return 0 if unsafe else 1
    parts = [record.get(part) for part in ("types", "ctors", "recs")]
    declared = [one for part in parts if isinstance(part, list) for one in part]
    unsafe = any(isinstance(one, dict) and one.get("isUnsafe") for one in declared)
    return 0 if unsafe else len(declared)


def planted() -> str:
    """An export with one theorem: that every proposition is true, proved by its own binder."""
    binder = {"binderInfo": "default", "body": 1, "name": 2, "type": 0}
    records = (
        {
            "meta": {
                "exporter": {"name": "lean-proof-audit", "version": "planted"},
                "format": {"version": "3.1.0"},
                "lean": {"githash": "", "version": FIRST_RELEASE},
            }
        },
        {"in": 1, "str": {"pre": 0, "str": "everything"}},
        {"in": 2, "str": {"pre": 0, "str": "p"}},
        {"ie": 0, "sort": 0},
        {"bvar": 0, "ie": 1},
        {"forallE": binder, "ie": 2},
        {"ie": 3, "lam": binder},
        {"thm": {"all": [1], "levelParams": [], "name": 1, "type": 2, "value": 3}},
    )
    return "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)


# Finding


@dataclass(frozen=True, slots=True)
class Toolchain:
    """An installed toolchain that is new enough: its folder of programs, version and name."""

    bin: Path
    version: str
    origin: str


def toolchains(
    home: Path, named: Path | None = None, seconds: float = VERSION_SECONDS
) -> list[Toolchain]:
    """The toolchains from v4.35.0 on: the one that was named, and elan's, the newest first."""
    folders = [(home / "toolchains" / name, f"elan: {name}") for name in elan.installed(home)]
    if named is not None:
        folders.insert(0, (named, f"--toolchain {named}"))
    found = []
    for folder, origin in folders:
        programs = folder / "bin"
        if not any(_executable(programs / checker.name) for checker in CHECKERS):
            continue
        version = elan.release_of(folder.name.replace("---", ":")) or _lean_version(
            programs, seconds
        )
        if version and is_new_enough(version):
            found.append(Toolchain(programs, version, origin))
    return sorted(found, key=lambda t: _order(t.version), reverse=True)


def is_new_enough(version: str) -> bool:
    """Whether a toolchain of that version has the checkers, as far as is known."""
    return _order(version) >= _order(FIRST_RELEASE)


def _order(version: str) -> tuple[int, int, int, bool, str]:
    match = re.fullmatch(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-(.*))?", version)
    if match is None:
        return (0, 0, 0, False, "")
    return (int(match[1]), int(match[2]), int(match[3]), match[4] is None, match[4] or "")


def _lean_version(programs: Path, seconds: float) -> str:
    """The version of a Lean, empty where it does not say."""
    lean = programs / "lean"
    if not _executable(lean) or elan.is_shim(lean):
        return ""
    outcome = process.run([lean, "--version"], cwd=programs, seconds=seconds)
    match = re.search(r"Lean \(version ([0-9][^\s,)]*)", outcome.stdout)
    return match[1] if match and outcome.ok else ""


def find(
    folder: Path | None,
    installed: Sequence[Toolchain],
    environ: Mapping[str, str] = os.environ,
    seconds: float = VERSION_SECONDS,
) -> list[Found]:
    """Every checker, at hand or not: in `folder`, in a toolchain, on the PATH, in this order."""
    return [_find(checker, folder, installed, environ, seconds) for checker in CHECKERS]


def _find(
    checker: Checker,
    folder: Path | None,
    installed: Sequence[Toolchain],
    environ: Mapping[str, str],
    seconds: float,
) -> Found:
    refused: list[str] = []
    for path, origin, version in _candidates(checker, folder, installed, environ):
        if elan.is_shim(path):
            refused.append(f"{path} is elan's stand-in, not a checker")
            continue
        if origin == "PATH" and not checker.alone:
            version = _lean_version(path.resolve().parent, seconds)  # noqa: PLW2901
            if not is_new_enough(version):
                refused.append(f"{path} is of Lean {version or 'of an unknown version'}")
                continue
        return Found(checker, path, origin, version)
    return Found(checker, why="; ".join(refused) or "not found")


def _candidates(
    checker: Checker,
    folder: Path | None,
    installed: Sequence[Toolchain],
    environ: Mapping[str, str],
) -> Iterator[tuple[Path, str, str]]:
    if folder is not None:
        for path in (folder / checker.name, folder / "bin" / checker.name):
            if _executable(path):
                yield path, f"--checkers {folder}", ""
    for toolchain in installed:
        if _executable(path := toolchain.bin / checker.name):
            yield path, toolchain.origin, toolchain.version
    if on_path := shutil.which(checker.name, path=environ.get("PATH", "")):
        yield Path(on_path).absolute(), "PATH", ""


def _executable(path: Path) -> bool:
    try:
        return path.is_file() and bool(path.stat().st_mode & stat.S_IXUSR)
    except OSError:
        return False


# Running


@dataclass(frozen=True, slots=True)
class Task:
    """What a checker is asked: a plain export, and the axioms that may be in it."""

    export: Path
    counted: Counted
    axioms: tuple[str, ...]
    limits: Limits


def run(found: Found, task: Task) -> Ran:
    """Run one checker, in a temporary folder of its own and on a copy of the export in it.

    So it can change the export for no other, and leaves nothing beside it. First it is shown a
    false theorem: a program that accepts that checks nothing.
    """
    checker, path = found.checker, found.path
    if path is None:
        return Ran(checker.name, Answer.MISSING, found.why)
    ran = Ran(checker.name, Answer.UNDECIDED, "", str(path), found.origin, found.version)
    with tempfile.TemporaryDirectory(prefix="checker-") as made:
        folder = Path(made)
        try:
            ran = replace(ran, sha256=digest(path), version=_version(found, path, folder))
            false = folder / "false.ndjson"
            false.write_text(planted(), encoding="utf-8")
            mine = folder / "export" / "proof.ndjson"
            mine.parent.mkdir()
            before = digest(Path(shutil.copyfile(task.export, mine)))
        except OSError as error:
            return replace(ran, why=f"cannot be shown the export: {error.strerror or error}")
        limits = replace(task.limits, seconds=min(PLANTED_SECONDS, task.limits.seconds))
        probe = _started(checker, path, Task(false, Counted(1, 1), (), limits), folder)
        if judge(checker, probe, Counted(1, 1))[0] is Answer.ACCEPTED:
            why = "accepts a false theorem, which each is shown first"
            return replace(ran, why=why, exit_status=probe.code)
        outcome = _started(checker, path, replace(task, export=mine), folder)
        left = digest(mine) if mine.is_file() and not mine.is_symlink() else ""
    if left != before:
        why = "changed the export that it was shown, so what it says is about another"
        return replace(ran, why=why, exit_status=outcome.code)
    answer, why, number = judge(checker, outcome, task.counted)
    return replace(
        ran,
        verdict=answer,
        why=why,
        exit_status=outcome.code,
        declarations=number,
        seconds=outcome.seconds,
        memory=outcome.memory,
    )


def _started(checker: Checker, path: Path, task: Task, folder: Path) -> Outcome:
    argument = task.export
    if checker.name == "nanoda_bin":
        argument = folder / "config.json"
        text = json.dumps(nanoda_config(task.export, task.axioms))
        argument.write_text(text, encoding="utf-8")
    return process.run(
        [path, *checker.options, argument],
        cwd=folder,
        seconds=task.limits.seconds,
        memory=task.limits.memory,
        env=_environment(folder),
        keep=KEPT,
        strict_limit=True,
    )


def _environment(folder: Path) -> dict[str, str]:
    """What a checker is started with. Left alone, Lean goes on after a panic as if it were fine."""
    return process.environment({"TMPDIR": str(folder), "LEAN_ABORT_ON_PANIC": "1"})


def nanoda_config(export: Path, axioms: Sequence[str]) -> dict[str, object]:
    """What nanoda is told: which export, and which axioms may be in it."""
    return {
        "export_file_path": str(export),
        "use_stdin": False,
        "permitted_axioms": list(axioms),
        "unpermitted_axiom_hard_error": True,
        "nat_extension": True,
        "string_extension": True,
        "num_threads": min(THREADS, os.cpu_count() or 1),
        "print_success_message": True,
    }


def _version(found: Found, path: Path, folder: Path) -> str:
    """What a checker says of its version, and the toolchain that it came from."""
    parts = []
    # The others take no word of the kind, and would begin to check whatever modules they find.
    if found.checker.says_version:
        outcome = process.run(
            [path, "--version"],
            cwd=folder,
            seconds=VERSION_SECONDS,
            env=_environment(folder),
            keep=KEPT,
            strict_limit=True,
        )
        line = next((x.strip() for x in process.lines_of(outcome.stdout) if x.strip()), "")
        if outcome.ok and re.search(r"\d", line):
            parts.append(line[:100])
    if found.version:
        parts.append(f"of Lean {found.version}")
    return " ".join(parts)


def digest(path: Path) -> str:
    """The SHA-256 of a file. Raises OSError."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
