"""A verification on one page, for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from harness.console import printable
from harness.report.json import target, target_verdict
from harness.steps import Run
from harness.verdict import Finding, Level, Verdict, Verification

_COLORS = {
    Verdict.ACCEPTED: "\x1b[1;32m",
    Verdict.REJECTED: "\x1b[1;31m",
    Verdict.COULD_NOT_RUN: "\x1b[1;33m",
}
_MARKS = {"passed": "✓", "failed": "✗", "could-not-run": "?", "not-run": "–"}
SHOWN_REASONS = 20


def page(run: Run, verification: Verification, color: bool = False) -> str:
    """The report as text: verdict first, then what it rests on, then what was not looked at."""
    return "\n".join(_lines(run, verification, color)) + "\n"


def _lines(run: Run, verification: Verification, color: bool) -> Iterator[str]:
    yield f"{run.policy.name}: {_paint(verification.verdict, color)}"
    yield from (f"  {line}" for line in _why(verification))
    if run.machine:
        yield ""
        yield "This machine"
        yield from (f"  {line}" for line in run.machine)
    if verification.targets:
        yield ""
        yield "Targets"
    for name in verification.targets:
        yield from _target(run, verification, name, color)
    yield ""
    yield "Steps"
    for step in verification.steps:
        detail = f"  {printable(step.detail)}" if step.detail else ""
        yield f"  {_MARKS[step.status]} {step.name:<12} {step.status.value:<14}{detail}".rstrip()
    yield from _findings(verification)
    if verification.not_looked_at:
        yield ""
        yield "Not looked at"
        yield from (f"  {text}" for text in verification.not_looked_at)


def _why(verification: Verification) -> Iterator[str]:
    match verification.verdict:
        case Verdict.ACCEPTED:
            yield verification.claim
        case Verdict.REJECTED:
            count = sum(f.level is Level.VIOLATION for f in verification.findings)
            yield f"{count} violation{'s' if count != 1 else ''}, listed below."
        case Verdict.COULD_NOT_RUN:
            yield "This is not a verdict on the proof: evidence is missing."
            yield from map(printable, verification.reasons[:SHOWN_REASONS])
            if (more := len(verification.reasons) - SHOWN_REASONS) > 0:
                yield f"… and {more} more"


def _target(run: Run, verification: Verification, name: str, color: bool) -> Iterator[str]:
    yield f"  {_paint(target_verdict(verification, name), color)}  {name}"
    facts = target(run, verification, name)
    if facts["statement"] is None and not facts["axioms"]:
        return
    axioms = [f"{a['name']} ({', '.join(a['by'])})" for a in facts["axioms"]]
    yield f"      axioms: {', '.join(axioms) or 'none'}"


def _findings(verification: Verification) -> Iterator[str]:
    titles = (
        (Level.VIOLATION, "Violations"),
        (Level.COULD_NOT_RUN, "Could not run"),
        (Level.WARNING, "Warnings"),
    )
    for level, title in titles:
        found = [f for f in verification.findings if f.level is level]
        if found:
            yield ""
            yield title
            for finding in found:
                yield from _finding(finding)


def _finding(finding: Finding) -> Iterator[str]:
    place = printable(finding.place())
    yield f"  {finding.rule}{f' at {place}' if place else ''}"
    yield from (f"      {line}" for line in printable(finding.message).split("\n"))
    if finding.remedy:
        yield f"      What to do: {finding.remedy}"


def _paint(verdict: Verdict, color: bool) -> str:
    return f"{_COLORS[verdict]}{verdict.value}\x1b[0m" if color else verdict.value
