"""A verification on one page, for a person at a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from harness.console import printable
from harness.report.json import target, target_verdict
from harness.steps import Run
from harness.verdict import Finding, Level, Status, Verdict, Verification

_COLORS = {
    Verdict.ACCEPTED: "\x1b[1;32m",
    Verdict.REJECTED: "\x1b[1;31m",
    Verdict.COULD_NOT_RUN: "\x1b[1;33m",
}
_MARKS = {"passed": "✓", "failed": "✗", "could-not-run": "?", "not-run": "–"}
_ANSWER_MARKS = {"accepted": "✓", "rejected": "✗", "could not run": "?", "not here": "–"}
SHOWN_REASONS = 20
WIDTH = 100
"""Columns of a page that goes to no terminal."""
NARROWEST = 40


def page(run: Run, verification: Verification, color: bool = False, width: int = WIDTH) -> str:
    """The report as text: verdict first, then what it rests on, then what was not looked at."""
    columns = max(min(width, WIDTH), NARROWEST)
    lines = [wrapped for line in _lines(run, verification) for wrapped in _wrap(line, columns)]
    return "\n".join(_painted(line) if color else line for line in lines) + "\n"


def _painted(line: str) -> str:
    """A line with its verdict in colour: at its beginning, or after the project's name."""
    for verdict, code in _COLORS.items():
        for start in ("  ", line[: line.find(": ") + 2]):
            whole = start + verdict.value
            if start and line.startswith(whole):
                return f"{start}{code}{verdict.value}\x1b[0m{line.removeprefix(whole)}"
    return line


def _wrap(line: str, width: int) -> list[str]:
    """A line in pieces that fit, those after the first indented like it and two columns more."""
    if len(line) <= width:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(
        line,
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
    )


def _lines(run: Run, verification: Verification) -> Iterator[str]:
    scope = f" ({verification.scope})" if verification.scope else ""
    yield f"{printable(run.policy.name)}: {verification.verdict.value}{scope}"
    yield from (f"  {line}" for line in _why(verification))
    if not run.passed("build") and run.policy.compiled_so_far:
        yield f"  {run.policy.compiled_so_far}"
    if run.machine:
        yield ""
        yield "This machine"
        yield from (f"  {line}" for line in run.machine)
    if verification.targets:
        yield ""
        yield "Targets"
        yield from _targets(run, verification)
    yield ""
    yield "Steps"
    for step in verification.steps:
        detail = f"  {printable(step.detail)}" if step.detail else ""
        yield f"  {_MARKS[step.status]} {step.name:<12} {step.status.value:<14}{detail}".rstrip()
    yield from _checkers(run)
    yield from _findings(verification)
    if verification.not_looked_at:
        yield ""
        yield "Not looked at"
        yield from (f"  {printable(text)}" for text in verification.not_looked_at)


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


def _targets(run: Run, verification: Verification) -> Iterator[str]:
    verdicts = {name: target_verdict(verification, name) for name in verification.targets}
    asked = any(s.about_targets and s.status is not Status.NOT_RUN for s in verification.steps)
    if not asked and set(verdicts.values()) == {Verdict.COULD_NOT_RUN}:
        yield f"  Nothing compiled says anything of any of the {len(verdicts)} targets."
        return
    for name, verdict in verdicts.items():
        yield f"  {verdict.value:<14} {name}"
        facts = target(run, verification, name)
        if facts["statement"] is not None or facts["axioms"]:
            axioms = [f"{a['name']} ({', '.join(a['by'])})" for a in facts["axioms"]]
            yield f"      axioms: {', '.join(axioms) or 'none'}"
        if facts["unused"]:
            yield f"      hypotheses that its proof never uses: {', '.join(facts['unused'])}"


def _checkers(run: Run) -> Iterator[str]:
    """A table of other people's checkers: what each said, of which version, where it was found."""
    if not run.checked:
        return
    yield ""
    yield "Other checkers, on the export"
    for ran in run.checked:
        mark = _ANSWER_MARKS[ran.verdict]
        if not ran.path:
            yield f"  {mark} {ran.name:<21} {ran.verdict.value:<14} {printable(ran.why)}"
            continue
        cost = f"{ran.seconds:6.1f} s  {ran.memory / 2**20:6,.0f} MiB"
        yield f"  {mark} {ran.name:<21} {ran.verdict.value:<14} {cost}  {printable(ran.why)}"
        version = printable(ran.version) or "of a version that it does not tell"
        yield f"      {version}, {printable(ran.path)} ({printable(ran.origin)})"
        yield f"      SHA-256 {ran.sha256 or 'not known'}"


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
        yield f"      What to do: {printable(finding.remedy)}"
