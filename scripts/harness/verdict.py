"""Findings, steps, and the one place that decides what they come to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple


class Level(StrEnum):
    """What a finding means for the verdict."""

    VIOLATION = "violation"
    """Something is there that must not be: rejected, whatever else is found."""
    COULD_NOT_RUN = "could-not-run"
    """Evidence is missing: the step that looked for it has none."""
    WARNING = "warning"
    """A person should look; the verdict does not change."""


class Status(StrEnum):
    """What became of a step."""

    PASSED = "passed"
    FAILED = "failed"
    COULD_NOT_RUN = "could-not-run"
    NOT_RUN = "not-run"


class Verdict(StrEnum):
    """The answer, and with it the exit status."""

    ACCEPTED = "ACCEPTED"
    REJECTED = "REJECTED"
    COULD_NOT_RUN = "COULD NOT RUN"

    @property
    def exit_status(self) -> int:
        """0 accepted, 1 rejected, 2 could not run."""
        return {Verdict.ACCEPTED: 0, Verdict.REJECTED: 1, Verdict.COULD_NOT_RUN: 2}[self]


INTERRUPTED = 130
"""Exit status of a run that was interrupted: it has no verdict."""

RULES: dict[str, tuple[Level, str]] = {
    # What the project says or proves is not what it should be.
    "axiom-declared": (Level.VIOLATION, "a module of the project declares an axiom"),
    "axiom-not-allowed": (Level.VIOLATION, "a target rests on an axiom that is not allowed"),
    "axiom-type-differs": (Level.VIOLATION, "an axiom has an allowed name and another type"),
    "build-failed": (Level.VIOLATION, "a file of the project does not compile"),
    "challenge-not-apart": (Level.VIOLATION, "the agreed statement is taken from the proof itself"),
    "checker-rejects": (Level.VIOLATION, "another checker rejects what it was shown"),
    "definition-differs": (Level.VIOLATION, "a definition of the statement is not the agreed one"),
    "module-not-built": (Level.VIOLATION, "no target reaches a module of the project"),
    "declaration-cycle": (Level.VIOLATION, "declarations use each other in a circle"),
    "declaration-differs": (Level.VIOLATION, "a record is not what the kernel made"),
    "declared-twice": (Level.VIOLATION, "a name is declared twice"),
    "free-variable": (Level.VIOLATION, "a term has a free variable or a metavariable"),
    "golden-differs": (Level.VIOLATION, "what is stated is not what the golden file says"),
    "kernel-rejects": (Level.VIOLATION, "Lean's kernel rejects a declaration"),
    "name-ambiguous": (Level.VIOLATION, "a name that would make two terms look the same"),
    "not-a-theorem": (Level.VIOLATION, "a target is something else than a theorem"),
    "option-not-allowed": (Level.VIOLATION, "a source sets an option that weakens the checks"),
    "package-changed": (Level.VIOLATION, "a checked-out package is not its commit"),
    "pin-mismatch": (Level.VIOLATION, "two places name different versions"),
    "pin-not-exact": (Level.VIOLATION, "a version is named by something that can move"),
    "primitive-refuted": (
        Level.VIOLATION,
        "a constant that the kernel knows by name is another",
    ),
    "reading-changed": (Level.VIOLATION, "a trusted file changes how its text reads"),
    "sorry-in-environment": (Level.VIOLATION, "a compiled declaration rests on sorry"),
    "sorry-in-source": (Level.VIOLATION, "a source leaves something unproved"),
    "source-changed": (Level.VIOLATION, "a source or pin changed while it was being checked"),
    "statement-differs": (Level.VIOLATION, "the theorem proved is not the agreed one"),
    "target-missing": (Level.VIOLATION, "there is no declaration of a target's name"),
    "tokens-changed": (Level.VIOLATION, "the code of a Lean file is not the recorded one"),
    "witness-differs": (
        Level.VIOLATION,
        "the theorem that has to show that hypotheses can be met is about others",
    ),
    # Evidence is missing.
    "audit-failed": (Level.COULD_NOT_RUN, "the audit gave no answer"),
    "audit-incomplete": (Level.COULD_NOT_RUN, "the audit's answer leaves something out"),
    "audit-replaced": (Level.COULD_NOT_RUN, "the audit program is not the harness's own"),
    "audit-unreadable": (Level.COULD_NOT_RUN, "the audit's answer is not of the agreed form"),
    "build-infrastructure": (Level.COULD_NOT_RUN, "the build stopped for a reason of its own"),
    "build-stale": (Level.COULD_NOT_RUN, "compiled modules are missing or out of date"),
    "challenge-missing": (Level.COULD_NOT_RUN, "the agreed statement is not at hand"),
    "checker-missing": (Level.COULD_NOT_RUN, "no checker of a newer toolchain is at hand"),
    "checker-undecided": (Level.COULD_NOT_RUN, "a checker came to no answer that counts"),
    "export-stale": (Level.COULD_NOT_RUN, "an export was made from other sources"),
    "export-unreadable": (Level.COULD_NOT_RUN, "an export is not of the format"),
    "golden-from-sources": (Level.COULD_NOT_RUN, "the golden file was not made from terms"),
    "golden-missing": (Level.COULD_NOT_RUN, "the golden file is not there"),
    "golden-text-unseen": (Level.COULD_NOT_RUN, "no terms, so that no text was compared"),
    "golden-unreadable": (Level.COULD_NOT_RUN, "the golden file is not of the form"),
    "kernel-missing": (Level.COULD_NOT_RUN, "there is no kernel to check with"),
    "kernel-stopped": (Level.COULD_NOT_RUN, "the kernel gave no answer"),
    "kernel-undecided": (Level.COULD_NOT_RUN, "the kernel gave up on a declaration"),
    "lakefile-unreadable": (Level.COULD_NOT_RUN, "what Lake builds cannot be told"),
    "limit-exceeded": (Level.COULD_NOT_RUN, "a stated limit was exceeded"),
    "module-missing": (Level.COULD_NOT_RUN, "a module of the project was not found"),
    "modules-unreadable": (Level.COULD_NOT_RUN, "compiled modules cannot be read or do not fit"),
    "nothing-checked": (Level.COULD_NOT_RUN, "there was nothing to check"),
    "pin-unreadable": (Level.COULD_NOT_RUN, "a version cannot be read"),
    "primitive-unknown": (
        Level.COULD_NOT_RUN,
        "a constant that the kernel knows by name is not known",
    ),
    "print-failed": (Level.COULD_NOT_RUN, "`#print axioms` gave no answer"),
    "print-incomplete": (Level.COULD_NOT_RUN, "`#print axioms` answered fewer requests than asked"),
    "sandbox-unavailable": (Level.COULD_NOT_RUN, "what was to run in a sandbox cannot"),
    "self-test-failed": (Level.COULD_NOT_RUN, "a planted failure was not caught"),
    "source-unreadable": (Level.COULD_NOT_RUN, "a source cannot be read"),
    "text-only": (Level.COULD_NOT_RUN, "only text was compared, no term"),
    "tokens-missing": (Level.COULD_NOT_RUN, "the record of code cannot be read"),
    "toolchain-missing": (Level.COULD_NOT_RUN, "Lean, Lake or elan is not there"),
    "ways-disagree": (Level.COULD_NOT_RUN, "two ways to the axioms give different answers"),
    # For a person to look at.
    "axiom-unused": (Level.WARNING, "an axiom that no target rests on"),
    "declaration-skipped": (Level.WARNING, "an unsafe or partial declaration, shown to no kernel"),
    "declared-alike": (Level.WARNING, "modules declare the same name alike"),
    "golden-remark": (Level.WARNING, "a docstring is not what the golden file quotes of it"),
    "leanchecker-unclear": (Level.WARNING, "the pinned `leanchecker` gave no clear answer"),
    "log-disagrees": (Level.WARNING, "the build's messages and the compiled modules differ"),
    "print-reports-fewer": (Level.WARNING, "`#print axioms` names fewer axioms than the audit"),
    "reading-expected": (Level.WARNING, "a command that the policy names is not there"),
    "process-left": (Level.WARNING, "a process outlived what had started it"),
    "special-declaration": (Level.WARNING, "a declaration that runs or reads otherwise"),
    "text-differs": (Level.WARNING, "a proof's statement is not, word for word, the challenge's"),
    "sorry-unused": (Level.WARNING, "a declaration that no target uses rests on sorry"),
    "sorry-expected": (Level.WARNING, "a hole that the policy names is not there"),
}
"""Every rule: what a finding of it means, and what it is about."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found, where, and what to do about it.

    `file` is relative to the project where it lies inside it. `line` counts from 1, `column` from
    0, as Lean does. `target` is the target that it is about, None if it is about all of them.
    `remedy` is the next thing to do.
    """

    rule: str
    message: str
    step: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    declaration: str | None = None
    target: str | None = None
    remedy: str | None = None
    evidence: Any = None

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise ValueError(f"there is no rule {self.rule!r}")

    @property
    def level(self) -> Level:
        """What it means for the verdict."""
        return RULES[self.rule][0]

    def place(self) -> str:
        """`FILE:LINE:COLUMN`, as far as known."""
        parts = [self.file] if self.file else []
        if self.file and self.line is not None:
            parts.append(str(self.line))
            if self.column is not None:
                parts.append(str(self.column))
        return ":".join(p for p in parts if p)

    def one_line(self) -> str:
        """`FILE:LINE:COLUMN: RULE: message` on one line, as far as known."""
        start = self.place() or self.declaration or ""
        text = f"{start}: {self.rule}: {self.message}" if start else f"{self.rule}: {self.message}"
        return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class Step:
    """One part of a verification.

    `covered` holds the targets for which the step has evidence; only steps that are `about_targets`
    owe it for each of them.
    """

    name: str
    status: Status
    seconds: float = 0.0
    detail: str = ""
    required: bool = True
    about_targets: bool = False
    covered: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Requirement:
    """What has to be there before a verdict can be ACCEPTED.

    `steps` have to pass. `ways` of the steps in `WAYS` have to have evidence for every target.
    """

    steps: frozenset[str]
    ways: int = 0


WAYS = ("audit", "print", "terms")
"""The independent ways to the axioms of a target."""


class Verification(NamedTuple):
    """Everything that was looked at and what it comes to.

    `claim` is what ACCEPTED would mean, in one sentence; `reasons` is why it is not.
    """

    verdict: Verdict
    steps: tuple[Step, ...]
    findings: tuple[Finding, ...]
    targets: tuple[str, ...]
    claim: str
    scope: str = ""
    """What the verdict is about, where it is about less than the proof."""
    ways: int = 0
    """How many ways to the axioms each target needs."""
    reasons: tuple[str, ...] = ()
    not_looked_at: tuple[str, ...] = ()


def step_status(findings: Iterable[Finding]) -> Status:
    """What a step that ran comes to, from what it found."""
    levels = {f.level for f in findings}
    if Level.VIOLATION in levels:
        return Status.FAILED
    return Status.COULD_NOT_RUN if Level.COULD_NOT_RUN in levels else Status.PASSED


def decide(
    steps: Sequence[Step],
    findings: Sequence[Finding],
    targets: Sequence[str],
    requirement: Requirement,
) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict, and the reasons for it if it is not ACCEPTED.

    REJECTED if any finding is a violation. COULD NOT RUN if anything required has no evidence.
    ACCEPTED only if every required step passed and every target is covered by each of them that is
    about targets, and by as many ways as required.
    """
    violations = [f for f in findings if f.level is Level.VIOLATION]
    if violations:
        return Verdict.REJECTED, tuple(f.one_line() for f in violations)
    reasons = list(_missing(steps, targets, requirement))
    return (Verdict.COULD_NOT_RUN if reasons else Verdict.ACCEPTED), tuple(reasons)


def _missing(
    steps: Sequence[Step], targets: Sequence[str], requirement: Requirement
) -> Iterator[str]:
    """Everything required for which there is no evidence."""
    wanted = frozenset(targets)
    known = {step.name: step for step in steps}
    if len(known) != len(steps):
        yield "a step is listed twice"
    lacking: dict[str, list[str]] = {}
    for name in sorted(requirement.steps - known.keys()):
        lacking.setdefault("not run", []).append(name)
    for step in steps:
        if step.status is Status.FAILED:
            lacking.setdefault("failed", []).append(step.name)
        elif step.name in requirement.steps:
            if step.status is not Status.PASSED:
                lacking.setdefault(step.detail or step.status.value, []).append(step.name)
            elif step.about_targets and (without := wanted - step.covered):
                missing = ", ".join(sorted(without))
                lacking.setdefault(f"no evidence for {missing}", []).append(step.name)
    for reason, names in lacking.items():
        yield f"{', '.join(names)}: {reason}"
    if requirement.ways:
        yield from _ways(known, wanted, requirement.ways)


def _ways(known: Mapping[str, Step], wanted: frozenset[str], needed: int) -> Iterator[str]:
    """Targets whose axioms are known in fewer ways than needed."""
    if not wanted:
        yield "no target was asked for"
    ways = [known[w] for w in WAYS if w in known and known[w].status is Status.PASSED]
    short: dict[tuple[str, ...], list[str]] = {}
    for target in sorted(wanted):
        have = tuple(w.name for w in ways if target in w.covered)
        if len(have) < needed:
            short.setdefault(have, []).append(target)
    for have, names in short.items():
        which = names[0] if len(names) == 1 else f"{len(names)} targets"
        yield (
            f"{which}: axioms known in {len(have)} of {needed} ways needed"
            + (f" ({', '.join(have)})" if have else "")
        )
