"""The steps that ask other people's checkers: about an export, and about our own modules."""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness import place, process
from harness.steps import Looked, Run, own_modules
from harness.toolchain import checkers, elan
from harness.toolchain.checkers import Answer, Ran
from harness.verdict import Finding, Status

if TYPE_CHECKING:
    from harness.process import Outcome

PARANOID, LEANCHECKER = "paranoid", "leanchecker"
HEARSAY = (
    "paranoid: how each checker says that it accepts is what others report (docs/trust.md); it "
    "was written down without one at hand"
)


def check_written(run: Run) -> Looked:
    """Every checker at hand on the export that the replay of this run has written."""
    file = run.write_export
    if file is None or not run.passed("replay") or not file.is_file():
        return Looked(status=Status.NOT_RUN, detail="needs the step replay, which writes an export")
    return check_export(run, file)


def check_export(run: Run, file: Path) -> Looked:
    """Every checker at hand on an export: all that run have to accept it."""
    run.not_looked_at.append(HEARSAY)
    limits = run.policy.limits
    home = elan.elan_home()
    installed = checkers.toolchains(home, run.toolchain, limits.question)
    at_hand = checkers.find(run.checkers_folder, installed, seconds=limits.question)
    missing = [found for found in at_hand if found.path is None]
    if len(missing) == len(at_hand):
        run.checked = [Ran(found.checker.name, Answer.MISSING, found.why) for found in missing]
        return Looked([_none_at_hand(run, [f.why for f in missing if f.why != "not found"])])
    try:
        with _plain(file) as plain:
            return _checked(run, plain, at_hand)
    except (OSError, EOFError, ValueError, RecursionError) as error:
        return Looked([Finding("export-unreadable", f"{file}: {error}", PARANOID)])


def _checked(run: Run, plain: Path, at_hand: list[checkers.Found]) -> Looked:
    from harness.replay import replay

    counted, before = checkers.count(plain), checkers.digest(plain)
    if counted.records == 0:
        return Looked([Finding("nothing-checked", "the export declares nothing", PARANOID)])
    limits = checkers.Limits(
        run.policy.limits.checker, replay.machine_memory() * 9 // 10 + replay.RESERVED
    )
    axioms = tuple(axiom.name for axiom in run.policy.axioms)
    task = checkers.Task(plain, counted, axioms, limits)
    for found in at_hand:
        if found.path is not None:
            run.console.step(f"paranoid: {found.checker.name} …")
        run.checked.append(checkers.run(found, task))
    findings = [finding for ran in run.checked for finding in _findings(ran)]
    expected = before if run.manifest is None else run.manifest.sha256
    if {before, checkers.digest(plain)} != {expected}:
        changed = "the export changed while it was being checked"
        findings.append(Finding("checker-undecided", changed, PARANOID))
    accepted = [ran.name for ran in run.checked if ran.verdict is Answer.ACCEPTED]
    detail = (
        f"{', '.join(accepted)} accept the export ({counted.constants:,} constants, SHA-256 "
        f"{before[:12]}…)"
    )
    return Looked(findings, detail if not findings else "")


def _findings(ran: Ran) -> Iterator[Finding]:
    match ran.verdict:
        case Answer.REJECTED:
            yield Finding(
                "checker-rejects",
                f"{ran.name} rejects the export: {ran.why}",
                PARANOID,
                remedy=f"Run {ran.path} on the export by hand to see all it says.",
            )
        case Answer.UNDECIDED:
            yield Finding(
                "checker-undecided",
                f"{ran.name} {ran.why}",
                PARANOID,
                remedy=f"Look at {ran.path} ({ran.origin}); without it the other checkers are "
                "asked alone.",
            )


def _none_at_hand(run: Run, refused: list[str]) -> Finding:
    message = "none of the checkers of newer toolchains is at hand"
    parts = [message, *refused, *([run.checkers_problem] if run.checkers_problem else [])]
    return Finding(
        "checker-missing",
        "; ".join(parts),
        PARANOID,
        remedy=f"elan toolchain install {checkers.TOOLCHAIN} (the project's own toolchain stays "
        f"what it is), or let `{place.call('verify.py')} --paranoid` do it (it asks first), or "
        "name a folder that holds checkers with --checkers DIR.",
    )


@contextlib.contextmanager
def _plain(file: Path) -> Iterator[Path]:
    """An export as the checkers read it: not compressed. Raises OSError, EOFError, ValueError."""
    from harness.replay import export, manifest

    if file.suffix not in (".xz", ".gz"):
        yield file.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="export-") as folder:
        plain = Path(folder) / "export.ndjson"
        with export.opened(file) as packed, plain.open("wb") as stream:
            while block := packed.read(1 << 20):
                stream.write(block)
                if stream.tell() > manifest.LARGEST_EXPORT:
                    raise ValueError(f"has more than {manifest.LARGEST_EXPORT:,} bytes")
        yield plain


def claim(run: Run) -> str:
    """What the checkers add to what an acceptance means, in one sentence."""
    names = [ran.name for ran in run.checked if ran.verdict is Answer.ACCEPTED]
    return f"Its export was accepted by {', '.join(names)} besides." if names else ""


# The pinned toolchain's own


def ask_leanchecker(run: Run) -> Looked:
    """Our own modules, replayed by the `leanchecker` of the pinned toolchain.

    It adds each module's declarations to what the module imports, with the pinned kernel. It is no
    second kernel; it sees what went around the kernel while our files were compiled.
    """
    assert run.lean is not None
    program = None if run.lean.bin is None else run.lean.bin / "leanchecker"
    if program is None or shutil.which(program) is None or elan.is_shim(program):
        return Looked(status=Status.NOT_RUN, detail="the pinned toolchain has no leanchecker")
    modules = sorted(own_modules(run) or run.policy.modules)
    outcome = run.start(
        [run.lean.lake, "env", program, "-v", *modules],
        cwd=run.project,
        seconds=run.policy.limits.checker,
        # It replays modules at the same time, each with an environment of its own.
        env={**run.lean.environment(), "LEAN_NUM_THREADS": "1", "LEAN_ABORT_ON_PANIC": "1"},
        keep=checkers.KEPT,
    )
    return read_leanchecker(outcome, modules)


@dataclass(frozen=True, slots=True)
class _Problem:
    """What `leanchecker` says of a module, and whether the kernel says it."""

    module: str
    text: str
    of_the_kernel: bool


def read_leanchecker(outcome: Outcome, modules: list[str]) -> Looked:
    """What the answer of `leanchecker -v` on modules comes to.

    It prints `replaying MODULE` for each; where a module fails, `leanchecker found a problem in
    MODULE` on standard error, the reason after it, and ends with exit status 1. Anything else is
    no answer, and said to be none.
    """
    problem = _problem(outcome)
    if problem is not None and problem.of_the_kernel and outcome.code == 1:
        return Looked(
            [
                Finding(
                    "checker-rejects",
                    f"leanchecker: the kernel rejects module {problem.module}: {problem.text}",
                    LEANCHECKER,
                    remedy=f"Run `lake env leanchecker {problem.module}` to see all it says.",
                )
            ]
        )
    replayed = {line.removeprefix("replaying ") for line in process.lines_of(outcome.stdout)}
    left_out = [module for module in modules if module not in replayed]
    if outcome.ok and problem is None and not left_out:
        return Looked(
            detail=f"{len(modules)} of our modules replayed by the pinned kernel, each on what it "
            "imports"
        )
    if outcome.ok and problem is None:
        why = f"did not say that it replayed {', '.join(left_out)}"
    else:
        said = problem.text if problem else " ".join(outcome.stderr.split())[:300]
        why = outcome.says() + (f": {said}" if said else "")
    finding = Finding("leanchecker-unclear", f"leanchecker {why}", LEANCHECKER)
    return Looked([finding], finding.message, status=Status.COULD_NOT_RUN)


def _problem(outcome: Outcome) -> _Problem | None:
    match = re.search(r"^leanchecker found a problem in (.*)\n([\s\S]*)", outcome.stderr, re.M)
    if match is None:
        return None
    text = " ".join(match[2].split())[:500]
    kernel = "(kernel)" in match[2] and not checkers.gave_up(match[2])
    return _Problem(match[1].strip(), text, kernel)
