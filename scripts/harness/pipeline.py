"""The order of the steps, for the gate and for the whole verification."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from harness import steps
from harness.policy import Policy
from harness.steps import Run, not_run, perform
from harness.verdict import WAYS, Requirement, Status, Verification, decide

BEFORE_LEAN = ("self-test", "pins", "sources")
GATE = (*BEFORE_LEAN, "toolchain", "build", "cross-check", "unchanged")
"""What the gate needs besides two ways to the axioms."""
SCANS = ("source scan", "sorry")
BUILD = Requirement(frozenset({"pins", "sources", "toolchain", "build", "unchanged"}))
SOURCE_SCAN = Requirement(frozenset({"source scan"}))
SORRY = Requirement(frozenset({*BUILD.steps, *SCANS, "audit"}))
OPTIONAL = {
    "replay": "the proof as terms was not replayed in a kernel of its own: a theorem that went "
    "around Lean's kernel would not be seen",
}
"""Steps of the whole answer that this version does not have, and what is therefore not known."""


def requirement(policy: Policy, *, scans: bool) -> Requirement:
    """What ACCEPTED needs: build, both ways to the axioms, the statement where one is agreed."""
    needed = {*GATE, *(SCANS if scans else ())}
    if policy.challenge_targets:
        needed.add("statement")
    return Requirement(frozenset(needed), ways=2)


def run_all(run: Run, *, no_build: bool = False, fetch: bool = True, scans: bool = False) -> None:
    """Every step in order; what cannot be run any more is recorded as not run.

    With `scans` the text of the sources and the compiled declarations are looked through for holes
    too: the whole verification, where the gate asks for the targets alone.
    """
    perform(run, "self-test", steps.self_test)
    perform(run, "pins", steps.check_pins)
    perform(run, "sources", steps.read_sources)
    if scans:
        perform(run, "source scan", steps.scan_sources)
    perform(run, "toolchain", steps.find_lean)
    with_lean = ("build", "audit", "print", "cross-check", "statement")
    if not scans:
        after: tuple[str, ...] = ()
    else:
        after = ("sorry",)
    if missing := _first_missing(run, ("pins", "toolchain")):
        _none(run, (*with_lean, *after), missing)
    else:
        perform(run, "build", lambda r: steps.build(r, only_check=no_build, fetch=fetch))
        if not run.passed("build"):
            _none(run, (*with_lean[1:], *after), "build")
        else:
            _ask(run, after)
    perform(run, "unchanged", steps.unchanged)


def run_build(run: Run, *, no_build: bool = False, fetch: bool = True) -> None:
    """Pins, sources and the build alone."""
    perform(run, "pins", steps.check_pins)
    perform(run, "sources", steps.read_sources)
    perform(run, "toolchain", steps.find_lean)
    if missing := _first_missing(run, ("pins", "toolchain")):
        not_run(run, "build", f"needs the step {missing}")
    else:
        perform(run, "build", lambda r: steps.build(r, only_check=no_build, fetch=fetch))
    perform(run, "unchanged", steps.unchanged)


def run_sorry(run: Run, *, source_only: bool) -> None:
    """Holes in the text of the sources, and in the compiled declarations unless `source_only`."""
    if source_only:
        perform(run, "source scan", steps.scan_sources)
        run.not_looked_at.append("the compiled modules: --source-only reads the sources alone")
        return
    run_build(run, no_build=True)
    perform(run, "source scan", steps.scan_sources)
    if not run.passed("build"):
        _none(run, ("audit", "sorry"), "build")
        return
    perform(run, "audit", steps.read_audit)
    if run.audit is None:
        _none(run, ("sorry",), "audit")
    else:
        perform(run, "sorry", steps.check_environment)


def _ask(run: Run, after: tuple[str, ...]) -> None:
    perform(run, "audit", steps.ask_audit, about_targets=True)
    perform(run, "print", steps.ask_print, about_targets=True)
    if run.audit is None:
        _none(run, ("cross-check", "statement", *after), "audit")
        return
    perform(run, "cross-check", steps.cross_check, about_targets=True)
    run.findings += steps.compare_log(run)
    if run.policy.challenge_targets:
        perform(run, "statement", steps.check_statement)
    if after:
        perform(run, "sorry", steps.check_environment)


def _first_missing(run: Run, names: Iterable[str]) -> str | None:
    return next((name for name in names if not run.passed(name)), None)


def _none(run: Run, names: Iterable[str], because: str) -> None:
    for name in names:
        if name != "statement" or run.policy.challenge_targets:
            not_run(run, name, f"needs the step {because}")


def conclude(run: Run, needed: Requirement, claim: str, scope: str = "") -> Verification:
    """The verdict on everything that was looked at.

    `claim` is what ACCEPTED means here; `scope` says what it is about, if less than the proof.
    """
    marked = tuple(
        replace(step, required=step.name in needed.steps or (needed.ways > 0 and step.name in WAYS))
        for step in run.steps
    )
    targets = run.policy.targets if needed.ways else ()
    verdict, reasons = decide(marked, run.findings, targets, needed)
    not_looked_at = [*run.not_looked_at]
    left_out: dict[str, list[str]] = {}
    for step in marked:
        if step.status is Status.NOT_RUN:
            left_out.setdefault(step.detail, []).append(step.name)
    not_looked_at += [f"{', '.join(names)}: {why}" for why, names in left_out.items()]
    if needed.ways:
        not_looked_at += [f"{name}: {why}" for name, why in OPTIONAL.items()]
    return Verification(
        verdict,
        marked,
        tuple(run.findings),
        targets,
        claim,
        scope,
        reasons,
        tuple(not_looked_at),
    )
