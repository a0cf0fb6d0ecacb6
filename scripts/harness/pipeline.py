"""The order of the steps, for the gate and for the whole verification.

Steps that not every run takes are imported where they are taken: the gate is to start quickly.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from harness import inside, pin_steps, replay_steps, steps
from harness.policy import Policy
from harness.steps import Run, not_run, perform
from harness.verdict import WAYS, Requirement, Status, Verification, decide

BUILT = ("pins", "sources", "toolchain", "build", "unchanged")
SCANS = ("source scan", "sorry")
BUILD = Requirement(frozenset(BUILT))
SOURCE_SCAN = Requirement(frozenset({"source scan"}))
SORRY = Requirement(frozenset({*BUILT, *SCANS}))
NO_REPLAY = (
    "replay: the terms were not replayed in a kernel: a theorem that went around Lean's kernel "
    "would not be seen (verify.py replays)"
)
NO_GOLDEN = (
    "golden: what the targets state was not held against the golden file (check_statement.py and "
    "verify.py do)"
)
REQUIRABLE = {
    "build": frozenset(BUILT),
    "audit": frozenset({"audit"}),
    "print": frozenset({"print"}),
    "terms": frozenset({"terms"}),
    "statement": frozenset({"statement", "golden", "reading"}),
    "replay": frozenset({"replay"}),
    "paranoid": frozenset({"paranoid"}),
}
"""What `verify.py --require` can name, and the steps that each needs."""


def gate(policy: Policy) -> Requirement:
    """What the gate needs: the build, two ways to the axioms, the statement where one is agreed."""
    return Requirement(frozenset({"self-test", *BUILT, "cross-check", *_statement(policy)}), ways=2)


def verification(policy: Policy) -> Requirement:
    """What the whole verification needs: the gate's evidence, the scans, and the replay.

    And where the policy names them, the golden file and a witness.
    """
    more = {*SCANS, *_stated(policy), *_hypotheses(policy), "replay"}
    return Requirement(gate(policy).steps | more, ways=2)


def statement(policy: Policy) -> Requirement:
    """What the check of the statement needs: the build, one way to the terms, and what is agreed.

    The way has to have every target, whose axioms are not judged here.
    """
    needed = {"self-test", *BUILT, *_statement(policy), *_stated(policy)}
    return Requirement(frozenset(needed), ways=1)


def exported_statement(policy: Policy) -> Requirement:
    """The same for the terms of an export."""
    needed = {"self-test", "sources", "export", "terms", *_statement(policy), *_stated(policy)}
    return Requirement(frozenset(needed), ways=1)


def required(policy: Policy, names: Iterable[str]) -> Requirement:
    """What a verification needs whose evidence was named, more or less than usual.

    A target's axioms have to be known in some way all the same.
    """
    wanted = frozenset(names)
    needed = frozenset({"self-test"}).union(*(REQUIRABLE[name] for name in wanted))
    needed -= {"statement", "golden", "reading"} - _statement(policy) - _stated(policy)
    return Requirement(needed, ways=max(1, len(wanted & set(WAYS))))


def exported(policy: Policy) -> Requirement:
    """What an export has to bring: its terms, the replay, the statement where one is agreed."""
    needed = {"self-test", "sources", "source scan", "export", "replay", *_statement(policy)}
    return Requirement(frozenset(needed | _stated(policy) | _hypotheses(policy)), ways=1)


def with_paranoid(needed: Requirement) -> Requirement:
    """The same, and that every checker at hand accepts the export."""
    return Requirement(needed.steps | REQUIRABLE["paranoid"], needed.ways)


def _statement(policy: Policy) -> frozenset[str]:
    return frozenset({"statement"}) if policy.challenge_targets else frozenset()


def _stated(policy: Policy) -> frozenset[str]:
    """The steps that hold what is stated against what is agreed, besides the challenge's."""
    reading = {"reading"} if policy.challenge_modules else set()
    return frozenset(reading | ({"golden"} if policy.golden else set()))


def _hypotheses(policy: Policy) -> frozenset[str]:
    return frozenset({"hypotheses"}) if policy.witness else frozenset()


def _scan(run: Run) -> None:
    """What the text of the sources shows without Lean."""
    perform(run, "source scan", steps.scan_sources)
    _read_trusted(run)


def _read_trusted(run: Run) -> None:
    if run.policy.challenge_modules:
        perform(run, "reading", steps.check_reading)


def _golden(run: Run) -> None:
    """What is stated against the golden file, of which text can be compared without Lean."""
    if run.policy.golden is None:
        run.not_looked_at.append("golden: the policy names no golden file to compare with")
    else:
        from harness import statement_steps

        perform(run, "golden", statement_steps.check_golden)


def _look_at_hypotheses(run: Run) -> None:
    if run.facts():
        from harness import statement_steps

        perform(run, "hypotheses", statement_steps.check_hypotheses)
    else:
        _none(run, ("hypotheses",), "terms")


def run_all(run: Run, *, no_build: bool = False, fetch: bool = True, whole: bool = False) -> None:
    """Every step in order; what cannot be run any more is recorded as not run.

    `whole` is the whole verification: the text of the sources and the compiled declarations are
    looked through for holes too, and the terms go through a kernel.
    """
    with run.locks:
        perform(run, "self-test", steps.self_test)
        _sources(run)
        if whole:
            _scan(run)
        _build(run, no_build=no_build, fetch=fetch)
        if run.passed("build"):
            _ask(run, whole)
        else:
            because = next(name for name in BUILT if name != "sources" and not run.passed(name))
            _none(run, _asking(run, whole), because)
        if whole:
            _golden(run)
            _look_at_hypotheses(run)
            if run.write_export is not None:
                perform(run, "export", replay_steps.complete_export)
        perform(run, "unchanged", steps.unchanged)
        if not whole and run.policy.golden:
            run.not_looked_at.append(NO_GOLDEN)
        if not _replays(run, whole):
            run.not_looked_at.append(NO_REPLAY)


def _sources(run: Run) -> None:
    if run.embedded:
        from harness import embedded_steps

        perform(run, "pins", embedded_steps.check_pins)
        perform(run, "sources", embedded_steps.read_sources)
    else:
        perform(run, "pins", steps.check_pins)
        perform(run, "sources", steps.read_sources)
    if run.sandboxed:
        from harness import sandbox_steps

        perform(run, inside.STEP, sandbox_steps.prepare)


def _build(run: Run, *, no_build: bool, fetch: bool) -> None:
    if run.sandboxed and run.sandbox is None:
        _none(run, ("toolchain", "build"), inside.STEP)
        return
    find_lean = steps.find_lean
    build = functools.partial(steps.build, only_check=no_build, fetch=fetch)
    if run.embedded:
        from harness import embedded_steps

        find_lean = embedded_steps.find_lean
        build = functools.partial(embedded_steps.build, only_check=no_build)
    perform(run, "toolchain", find_lean)
    if missing := next((n for n in ("pins", "toolchain") if not run.passed(n)), None):
        not_run(run, "build", f"needs the step {missing}")
    else:
        perform(run, "build", build)


def _asking(run: Run, whole: bool) -> tuple[str, ...]:
    """The steps that ask compiled modules, in order."""
    first = () if run.embedded else ("audit",)
    replayed = ("replay", *_checkers(run, whole)) if _replays(run, whole) else ()
    last = (*_statement(run.policy), *(("sorry",) if whole else ()))
    return (*first, "terms", "print", *replayed, "cross-check", *last)


def _replays(run: Run, whole: bool) -> bool:
    """Whether the terms go through a kernel: in the gate only where that takes no time."""
    return whole or run.embedded


def _checkers(run: Run, whole: bool) -> tuple[str, ...]:
    """The steps that ask other checkers: the pinned toolchain's, and those of newer ones."""
    pinned = ("leanchecker",) if whole and not run.embedded else ()
    return (*pinned, *(("paranoid",) if run.paranoid else ()))


def _ask_checkers(run: Run, names: Iterable[str]) -> None:
    from harness import checker_steps

    look = {"leanchecker": checker_steps.ask_leanchecker, "paranoid": checker_steps.check_written}
    for name in names:
        perform(run, name, look[name])


def _ask(run: Run, whole: bool) -> None:
    if not run.embedded:
        perform(run, "audit", steps.ask_audit, about_targets=True)
    perform(run, "terms", replay_steps.read_terms, about_targets=True)
    if run.embedded:
        from harness import embedded_steps

        perform(run, "print", embedded_steps.ask_print, about_targets=True)
    else:
        perform(run, "print", steps.ask_print, about_targets=True)
    if _replays(run, whole):
        perform(run, "replay", replay_steps.replay_modules, about_targets=True)
        _ask_checkers(run, _checkers(run, whole))
    rest = ("cross-check", *_statement(run.policy), *(("sorry",) if whole else ()))
    if not run.facts():
        _none(run, rest, "terms" if run.embedded else "audit")
        return
    perform(run, "cross-check", steps.cross_check, about_targets=True)
    run.findings += steps.compare_log(run)
    if run.policy.challenge_targets:
        perform(run, "statement", steps.check_statement)
    if whole:
        perform(run, "sorry", steps.check_environment)


def run_export(run: Run, file: Path) -> None:
    """An export in the place of the build: its terms, through a kernel, of these sources."""
    perform(run, "self-test", steps.self_test)
    _sources(run)
    _scan(run)
    perform(run, "export", lambda r: replay_steps.check_export(r, file))
    paranoid = ("paranoid",) if run.paranoid else ()
    rest = ("terms", "replay", *paranoid, *_statement(run.policy))
    lacking = [n for n in ("export", *((inside.STEP,) * run.sandboxed)) if not run.passed(n)]
    if lacking:
        _none(run, rest, lacking[0])
        return
    perform(run, "terms", lambda r: replay_steps.read_export(r, file), about_targets=True)
    perform(run, "replay", lambda r: replay_steps.replay_export(r, file), about_targets=True)
    if run.paranoid:
        from harness import checker_steps

        perform(run, "paranoid", lambda r: checker_steps.check_export(r, file))
    _statement_and_golden(run)
    _look_at_hypotheses(run)
    run.not_looked_at.append("build, audit, print: from an export; nothing was built here")


def _statement_and_golden(run: Run) -> None:
    if run.policy.challenge_targets:
        if run.facts():
            perform(run, "statement", steps.check_statement)
        else:
            _none(run, ("statement",), "terms")
    _golden(run)


def run_statement(run: Run, *, no_build: bool = False, fetch: bool = True) -> None:
    """What is stated: against the challenge and the golden file, and what changes how it reads."""
    with run.locks:
        perform(run, "self-test", steps.self_test)
        _sources(run)
        _read_trusted(run)
        _build(run, no_build=no_build, fetch=fetch)
        asking = (*(() if run.embedded else ("audit",)), "terms")
        if run.passed("build"):
            if not run.embedded:
                perform(run, "audit", steps.ask_audit, about_targets=True)
            perform(run, "terms", replay_steps.read_terms, about_targets=True)
        else:
            because = next(name for name in BUILT if name != "sources" and not run.passed(name))
            _none(run, asking, because)
        _statement_and_golden(run)
        perform(run, "unchanged", steps.unchanged)


def run_export_statement(run: Run, file: Path) -> None:
    """What an export of these sources states, without a kernel."""
    perform(run, "self-test", steps.self_test)
    _sources(run)
    _read_trusted(run)
    perform(run, "export", lambda r: replay_steps.check_export(r, file))
    if run.passed("export"):
        perform(run, "terms", lambda r: replay_steps.read_export(r, file), about_targets=True)
    else:
        _none(run, ("terms",), "export")
    _statement_and_golden(run)
    run.not_looked_at.append("build, replay: from an export; nothing was built, no kernel was run")


def run_build(run: Run, *, no_build: bool = False, fetch: bool = True) -> None:
    """Pins, sources and the build alone."""
    _sources(run)
    _build(run, no_build=no_build, fetch=fetch)
    perform(run, "unchanged", steps.unchanged)


def run_pins(run: Run) -> Requirement:
    """The versions that are named here, in every place that is there; gives what that needs."""
    perform(run, "pins", steps.check_pins)
    perform(run, pin_steps.RUNNING, pin_steps.running_lean)
    perform(run, pin_steps.MODULES, pin_steps.compiled_modules)
    # What is not there is named; what is there has to be readable.
    looked = {step.name for step in run.steps if step.status is not Status.NOT_RUN}
    return Requirement(frozenset(looked | {"pins"}))


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


def _none(run: Run, names: Iterable[str], because: str) -> None:
    for name in names:
        not_run(run, name, f"needs the step {because}")


def conclude(run: Run, needed: Requirement, claim: str, scope: str = "") -> Verification:
    """The verdict on everything that was looked at.

    `claim` is what ACCEPTED means here; `scope` says what it is about, if less than the proof.
    """
    if run.sandboxed:
        needed = replace(needed, steps=needed.steps | {inside.STEP})
    marked = tuple(replace(step, required=step.name in needed.steps) for step in run.steps)
    targets = run.policy.targets if needed.ways else ()
    verdict, reasons = decide(marked, run.findings, targets, needed)
    not_looked_at = [*run.not_looked_at]
    left_out: dict[str, list[str]] = {}
    for step in marked:
        if step.status is Status.NOT_RUN:
            left_out.setdefault(step.detail, []).append(step.name)
    not_looked_at += [f"{', '.join(names)}: {why}" for why, names in left_out.items()]
    return Verification(
        verdict,
        marked,
        tuple(run.findings),
        targets,
        claim,
        scope,
        needed.ways,
        reasons,
        tuple(not_looked_at),
    )
