#!/usr/bin/env python3
"""Code of Lean files changes together with its record; comments may change alone."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

# Compiled Python goes where everything goes that a run leaves behind.
if not sys.dont_write_bytecode:
    sys.pycache_prefix = str(Path(__file__).resolve().parents[1] / "build" / "pycache")

from collections.abc import Sequence

from harness import cli, pipeline, steps, token_record
from harness.verdict import Requirement

CLAIM = f"The code of every Lean file is as {token_record.FILE} says. Nothing was built or proved."


def main(argv: Sequence[str] | None = None) -> int:
    """Compare tokens. Returns 0 as recorded, 1 not, 2 could not run, 130 interrupted."""
    parser = cli.parser(
        "check_tokens.py",
        "Compare the code of the Lean files (all but comments and documentation) with "
        f"{token_record.FILE}: who changes code changes that file too.",
    )
    parser.add_argument("--update", action="store_true", help="write the record anew")
    return cli.main(parser, argv, _check)


def _check(args: argparse.Namespace) -> int:
    if args.update:
        cli.only_json(args, "--update")
    run = cli.open_run(args)
    if args.update:
        try:
            path = token_record.update(run)
        except (token_record.RecordError, OSError) as error:
            raise cli.UsageError(f"--update: nothing was written: {error}") from None
        done = f"{path}: written"
        cli.deliver({"written": str(path)}, f"{done}\n", args)
        return 0
    steps.perform(run, token_record.STEP, token_record.check)
    needed = Requirement(frozenset({token_record.STEP}))
    return cli.finish(run, pipeline.conclude(run, needed, CLAIM, "code as recorded"), args)


if __name__ == "__main__":
    sys.exit(main())
