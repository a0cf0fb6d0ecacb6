#!/usr/bin/env python3
"""One command for the whole question: set up what is missing, build, check, one verdict."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

# Compiled Python goes where everything goes that a run leaves behind.
if not sys.dont_write_bytecode:
    sys.pycache_prefix = str(Path(__file__).resolve().parents[1] / "build" / "pycache")

from collections.abc import Sequence

from harness import cli, machine, pipeline, setup

CLAIM = (
    "Built from these sources; every target is a theorem and rests on allowed axioms only, in two "
    "independent ways; no hole but those that the policy names."
)


def main(argv: Sequence[str] | None = None) -> int:
    """Verify. Returns 0 accepted, 1 rejected, 2 could not run, 130 interrupted."""
    parser = cli.parser(
        "verify.py",
        "Say what this machine has, set up what it lacks (after asking), and verify the proof.",
    )
    parser.add_argument(
        "--yes", action="store_true", help="set up elan and the pinned toolchain without asking"
    )
    parser.add_argument(
        "--no-build",
        action="store_true",
        help="do not build; Lake has to say that nothing is out of date",
    )
    parser.add_argument(
        "--no-cache", action="store_true", help="do not fetch compiled modules of Mathlib"
    )
    return cli.main(parser, argv, _verify)


def _verify(args: argparse.Namespace) -> int:
    run = cli.open_run(args)
    run.machine = machine.describe(run.project)
    setup.prepare(run, assume_yes=args.yes)
    pipeline.run_all(run, no_build=args.no_build, fetch=not args.no_cache, scans=True)
    needed = pipeline.requirement(run.policy, scans=True)
    return cli.finish(run, pipeline.conclude(run, needed, CLAIM), args)


if __name__ == "__main__":
    sys.exit(main())
