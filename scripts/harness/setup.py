"""Setting up what a machine lacks: elan and the pinned toolchain, after asking."""

from __future__ import annotations

import sys

from harness.sources import pins
from harness.steps import Run
from harness.toolchain import checkers, elan

TOOLCHAIN_MEGABYTES = 500
"""What a Lean toolchain costs to download, roughly; unpacked it takes about 2 GB."""
CHECKERS_MEGABYTES = 600
"""The same from v4.35.0 on, with the checkers: a guess, nobody here has downloaded it."""
MATHLIB_GIGABYTES = 2.5
"""Mathlib's sources and the compiled modules of the quarter of it that is imported, roughly."""


def prepare(run: Run, *, assume_yes: bool) -> None:
    """Install elan and the pinned toolchain where they are missing and somebody agrees.

    Nothing is set up where the pins contradict each other: it might be the wrong Lean. What does
    not work is kept in `run.setup_problem`; the step that looks for Lean says it.
    """
    try:
        elan.find(run.project, run.toolchain)
        return
    except elan.ToolchainMissing as error:
        missing = str(error)
    except (OSError, UnicodeDecodeError):
        return
    pin = _pin(run)
    if run.toolchain is not None or pin is None:
        return
    if not elan.is_toolchain(pin) or pins.check(run.project, run.policy)[0]:
        run.setup_problem = "nothing was set up, because the pins have to be mended first"
        return
    cost = f"(about {TOOLCHAIN_MEGABYTES} MB)?"
    if run.policy.cache_roots:
        cost += f" Lake then fetches what is needed of Mathlib (about {MATHLIB_GIGABYTES} GB)."
    _install(run, pin, missing, cost, assume_yes)


def prepare_checkers(run: Run, *, assume_yes: bool) -> None:
    """Install a toolchain with checkers beside the pinned one, if none is and somebody agrees.

    Neither the project's toolchain nor elan's default changes. What does not work is kept in
    `run.checkers_problem`.
    """
    seconds = run.policy.limits.question
    installed = checkers.toolchains(elan.elan_home(), run.toolchain, seconds)
    if run.checkers_folder is not None or installed:
        return
    before, run.setup_problem = run.setup_problem, ""
    missing = "no toolchain with other checkers is installed"
    cost = f"(about {CHECKERS_MEGABYTES} MB) beside the pinned toolchain, which stays what it is?"
    _install(run, checkers.TOOLCHAIN, missing, cost, assume_yes)
    run.checkers_problem, run.setup_problem = run.setup_problem, before


def _install(run: Run, pin: str, missing: str, cost: str, assume_yes: bool) -> None:
    """Install elan where it is missing, and a toolchain; why not is in `run.setup_problem`."""
    program = elan.find_elan()
    if program is None:
        if not agreed(
            run,
            f"{missing}.\nelan manages Lean's versions. Fetch its installer from "
            f"{elan.ELAN_INSTALLER}, run it for this user (into {elan.elan_home()}), and let elan "
            f"download {pin} {cost}",
            assume_yes,
        ):
            return
        run.console.step("setup: installing elan …")
        problem = elan.install_elan(run.policy.limits.question * 10)
        program = elan.find_elan()
        if problem or program is None:
            run.setup_problem = f"elan could not be installed: {problem or 'it is not there'}"
            return
    elif not agreed(run, f"{missing}.\nLet elan download {pin} {cost}", assume_yes):
        return
    run.console.step(f"setup: elan installs {pin} …")
    problem = elan.install_toolchain(program, pin, run.project, run.policy.limits.cache)
    if problem:
        run.setup_problem = f"elan could not install {pin}: {problem}"


def _pin(run: Run) -> str | None:
    try:
        return elan.read_pin(run.project)
    except (OSError, UnicodeDecodeError):
        return None


def agreed(run: Run, question: str, assume_yes: bool) -> bool:
    """Whether somebody says yes. Without a terminal nobody is asked and nothing is set up."""
    if assume_yes:
        run.console.line(f"{question} — yes (--yes)")
        return True
    # Somebody has to see the question and be able to answer it.
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        run.setup_problem = "nobody could be asked whether to install it; --yes installs it unasked"
        return False
    run.console.clear()
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    answer = ""
    try:
        answer = sys.stdin.readline()
    finally:
        if not answer.endswith("\n"):
            sys.stderr.write("\n")
    if answer.strip().lower() in ("y", "yes"):
        return True
    run.setup_problem = "it was not installed, as you wished"
    return False
