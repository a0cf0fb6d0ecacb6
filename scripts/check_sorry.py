#!/usr/bin/env python3
"""No sorry: in the text of the sources, and in what was compiled from them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

# Compiled Python goes where everything goes that a run leaves behind.
if not sys.dont_write_bytecode:
    sys.pycache_prefix = str(Path(__file__).resolve().parents[1] / "build" / "pycache")

from collections.abc import Sequence

from harness import cli, pipeline

_HOLES = "No hole in the text but those that the policy names"
SOURCE_CLAIM = f"{_HOLES}. The compiled modules were not looked at."
CLAIM = f"{_HOLES}, and no compiled declaration of the proof rests on sorry."


def main(argv: Sequence[str] | None = None) -> int:
    """Look for holes. Returns 0 none, 1 found, 2 could not run, 130 interrupted."""
    parser = cli.parser("check_sorry.py", "Find what sources and compiled modules leave unproved.")
    parser.add_argument(
        "--source-only", action="store_true", help="read the sources only; needs no Lean"
    )
    return cli.main(parser, argv, _check)


def _check(args: argparse.Namespace) -> int:
    run = cli.open_run(args)
    pipeline.run_sorry(run, source_only=args.source_only)
    if args.source_only:
        verification = pipeline.conclude(run, pipeline.SOURCE_SCAN, SOURCE_CLAIM, "text only")
    else:
        verification = pipeline.conclude(run, pipeline.SORRY, CLAIM, "holes only")
    return cli.finish(run, verification, args)


if __name__ == "__main__":
    sys.exit(main())
