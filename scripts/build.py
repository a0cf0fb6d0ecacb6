#!/usr/bin/env python3
"""Build the project at its pins: check tools and pins, fetch Mathlib's modules, run Lake."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

# Compiled Python goes where everything goes that a run leaves behind.
if not sys.dont_write_bytecode:
    sys.pycache_prefix = str(Path(__file__).resolve().parents[1] / "build" / "pycache")

from collections.abc import Sequence

from harness import cli, pipeline

CLAIM = "The project builds from these sources. What it rests on was not asked."


def main(argv: Sequence[str] | None = None) -> int:
    """Build. Returns 0 built, 1 our file does not compile, 2 could not run, 130 interrupted."""
    parser = cli.parser(
        "build.py", "Build the default targets of the lakefile and those of the policy."
    )
    cli.add_build_options(parser, embedded=False)
    return cli.main(parser, argv, _build)


def _build(args: argparse.Namespace) -> int:
    run = cli.open_run(args)
    pipeline.run_build(run, no_build=args.no_build, fetch=not args.no_cache)
    return cli.finish(run, pipeline.conclude(run, pipeline.BUILD, CLAIM, "build only"), args)


if __name__ == "__main__":
    sys.exit(main())
