#!/usr/bin/env python3
"""The gate: build, audit, `#print axioms`, and both against the policy and each other."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

# Compiled Python goes where everything goes that a run leaves behind.
if not sys.dont_write_bytecode:
    sys.pycache_prefix = str(Path(__file__).resolve().parents[1] / "build" / "pycache")

from collections.abc import Sequence

from harness import cli, pipeline, selftest

CLAIM = (
    "Built from these sources; every target is a theorem and rests on allowed axioms only, "
    "in two independent ways."
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the gate. Returns 0 accepted, 1 rejected, 2 could not run, 130 interrupted."""
    parser = cli.parser("check_axioms.py", "Check the axioms of every target against the policy.")
    cli.add_build_options(parser)
    parser.add_argument(
        "--self-test", action="store_true", help="only show that planted failures are rejected"
    )
    return cli.main(parser, argv, _gate)


def _gate(args: argparse.Namespace) -> int:
    if args.self_test:
        return _self_test(args)
    run = cli.open_run(args)
    run.embedded = args.embedded
    pipeline.run_all(run, no_build=args.no_build, fetch=not args.no_cache)
    return cli.finish(run, pipeline.conclude(run, pipeline.gate(run.policy), CLAIM), args)


def _self_test(args: argparse.Namespace) -> int:
    """Put every planted case through the deciding code. 0 if each got what it must get, else 1."""
    cli.only_json(args, "--self-test")
    results = selftest.results()
    lines = [f"{r.verdict.value:<14} {r.why or '-':<22} {r.planted.name}" for r in results]
    for result in results:
        if not result.caught:
            print(f"self-test-failed: {result}", file=sys.stderr)
    data = {
        "schema": 1,
        "cases": [
            {"name": r.planted.name, "verdict": r.verdict.value, "why": r.why, "caught": r.caught}
            for r in results
        ],
    }
    cli.deliver(data, "\n".join([*lines, selftest.summary(results), ""]), args)
    return 0 if all(result.caught for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
