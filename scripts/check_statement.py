#!/usr/bin/env python3
"""What is stated: against the challenge and the golden file, definitions included."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

# Compiled Python goes where everything goes that a run leaves behind.
if not sys.dont_write_bytecode:
    sys.pycache_prefix = str(Path(__file__).resolve().parents[1] / "build" / "pycache")

from collections.abc import Sequence

from harness import cli, golden, pipeline, stated, statement_steps
from harness.console import printable
from harness.steps import Run
from harness.verdict import Level

CLAIM = (
    "Built from these sources; every target states what was agreed, and so do the definitions "
    "that it needs. Nothing is said here about proofs and axioms."
)
EXPORT_CLAIM = (
    "Its manifest says that the export is of these sources; in it every target states what was "
    "agreed, and so do the definitions that it needs. Nothing is said here about proofs and axioms."
)
SCOPE = "statements only"


def main(argv: Sequence[str] | None = None) -> int:
    """Check what is stated. Returns 0 accepted, 1 rejected, 2 could not run, 130 interrupted."""
    parser = cli.parser(
        "check_statement.py",
        "Hold what the targets state against the challenge and the golden file.",
    )
    cli.add_build_options(parser)
    parser.add_argument(
        "--from-export",
        type=Path,
        metavar="FILE",
        help="take an export, with its manifest beside it, in the place of the build",
    )
    parser.add_argument(
        "--update-golden",
        action="store_true",
        help="write the golden file anew: from terms where something is built or an export is "
        "named, else from the text of the sources",
    )
    return cli.main(parser, argv, _check)


def _check(args: argparse.Namespace) -> int:
    run = cli.open_run(args)
    run.embedded = args.embedded
    if args.update_golden and run.policy.golden is None:
        raise cli.UsageError("--update-golden: the policy names no file (statement.golden)")
    if args.from_export is not None:
        pipeline.run_export_statement(run, args.from_export)
        needed = pipeline.exported_statement(run.policy)
        claim, scope = EXPORT_CLAIM, f"{SCOPE}; from an export, not built here"
    else:
        pipeline.run_statement(run, no_build=args.no_build, fetch=not args.no_cache)
        needed, claim, scope = pipeline.statement(run.policy), CLAIM, SCOPE
    if args.update_golden:
        return _update(run, args)
    return cli.finish(run, pipeline.conclude(run, needed, claim, scope), args)


def _update(run: Run, args: argparse.Namespace) -> int:
    """Write the golden file, unless something else than its own contents is wrong."""
    run.console.clear()
    wrong = [f for f in run.findings if f.level is Level.VIOLATION and f.step != "golden"]
    for finding in wrong:
        print(printable(finding.one_line()), file=sys.stderr)
    expected = args.embedded or args.from_export is not None
    if run.terms is None and (expected or run.lean is not None):
        wrong = [f for f in run.findings if f.level is Level.COULD_NOT_RUN and f.step != "golden"]
        for finding in wrong:
            print(printable(finding.one_line()), file=sys.stderr)
        raise cli.UsageError(
            "--update-golden: nothing was written; terms were to be had, and there are none"
        )
    if wrong:
        raise cli.UsageError("--update-golden: nothing was written; first mend what is wrong")
    try:
        done = statement_steps.update_golden(run)
    except (OSError, stated.StatedError, golden.GoldenError) as error:
        raise cli.UsageError(f"--update-golden: {error}") from None
    cli.deliver({"written": done}, f"{done}\nRead what changed in it before you commit it.\n", args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
