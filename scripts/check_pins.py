#!/usr/bin/env python3
"""Which Lean and which packages: every two places that name a version have to agree."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

# Compiled Python goes where everything goes that a run leaves behind.
if not sys.dont_write_bytecode:
    sys.pycache_prefix = str(Path(__file__).resolve().parents[1] / "build" / "pycache")

from collections.abc import Sequence

from harness import cli, pipeline

CLAIM = "Every two places that name a version, and are here, agree. Nothing was built or proved."


def main(argv: Sequence[str] | None = None) -> int:
    """Compare the pins. Returns 0 they agree, 1 they do not, 2 could not run, 130 interrupted."""
    parser = cli.parser(
        "check_pins.py",
        "Compare what names a version of Lean or of a package: toolchain file, lakefile, manifest, "
        "policy, what is checked out, the Lean that runs, the compiled modules. What is not there "
        "is named; nothing is fetched or built.",
    )
    return cli.main(parser, argv, _check)


def _check(args: argparse.Namespace) -> int:
    run = cli.open_run(args)
    needed = pipeline.run_pins(run)
    return cli.finish(run, pipeline.conclude(run, needed, CLAIM, "pins only"), args)


if __name__ == "__main__":
    sys.exit(main())
