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

from harness import checker_steps, cli, example, machine, pipeline, setup
from harness.console import printable
from harness.steps import Run
from harness.verdict import Requirement

EXPORT_SCOPE = "from an export; not built here"
EXPORT_CLAIM = (
    "Its manifest says that the export is of these sources and what they state; every target is a "
    "theorem in it, states what was agreed, rests on allowed axioms only, and was replayed as "
    "terms in a kernel. Nothing "
    "was built here: who made export and manifest has to be believed about that."
)
EXPORT = Path("build", "proof.ndjson")
CLAIM = (
    "Built from these sources; every target is a theorem, states what was agreed, rests on allowed "
    "axioms only in two independent ways, and was replayed as terms in a kernel; no hole but those "
    "that the policy names."
)


def main(argv: Sequence[str] | None = None) -> int:
    """Verify. Returns 0 accepted, 1 rejected, 2 could not run, 130 interrupted."""
    parser = cli.parser(
        "verify.py",
        "Say what this machine has, set up what it lacks (after asking), and verify the proof.",
    )
    parser.add_argument(
        "--yes",
        action="store_true",
        help="set up elan and the pinned toolchain, and what --paranoid needs, without asking",
    )
    cli.add_build_options(parser)
    parser.add_argument(
        "--kernel", type=Path, metavar="PATH", help="take the kernel from this libleanshared.so"
    )
    parser.add_argument(
        "--from-export",
        type=Path,
        metavar="FILE",
        help="take an export, with its manifest beside it, in the place of the build",
    )
    parser.add_argument(
        "--no-export",
        action="store_true",
        help=f"do not write what was replayed as an export ({EXPORT} in the project)",
    )
    parser.add_argument(
        "--example",
        action="store_true",
        help="run every step on a small project of the tests instead, with the Lean inside the "
        "wheel: what works here, whatever Lean this machine lacks",
    )
    parser.add_argument(
        "--self-test",
        action="store_true",
        help="only show that planted failures are caught, each by its own rule: small projects "
        "that the Lean inside the wheel compiles, facts, and faults around the proof; every rule "
        "has to be among them",
    )
    parser.add_argument(
        "--paranoid",
        action="store_true",
        help="require that every other checker at hand accepts the export of the proof too; where "
        "none is, install the toolchain that brings them along (after asking), beside the pinned "
        "one",
    )
    parser.add_argument(
        "--checkers",
        type=Path,
        metavar="DIR",
        help="with --paranoid: look for checkers in this folder first, and install none",
    )
    parser.add_argument(
        "--require",
        type=_evidence,
        metavar="LIST",
        help="evidence to require instead of the usual: some of "
        f"{', '.join(pipeline.REQUIRABLE)}, separated by commas",
    )
    return cli.main(parser, argv, _verify)


def _evidence(text: str) -> tuple[str, ...]:
    names = tuple(part.strip() for part in text.split(",") if part.strip())
    unknown = [name for name in names if name not in pipeline.REQUIRABLE]
    if unknown or not names:
        raise argparse.ArgumentTypeError(f"{text!r} names no evidence that is known")
    return names


def _verify(args: argparse.Namespace) -> int:
    if args.self_test:
        return _self_test(args)
    if args.example:
        if args.paranoid or args.checkers is not None:
            raise cli.UsageError("--paranoid is about the project, not about the example")
        return _example(args)
    run = cli.open_run(args)
    run.embedded, run.kernel = args.embedded, args.kernel
    _paranoid(run, args)
    if args.from_export is not None:
        return _from_export(run, args)
    run.write_export = _export_to(run, args)
    if not run.embedded:
        setup.prepare(run, assume_yes=args.yes)
    if run.paranoid:
        setup.prepare_checkers(run, assume_yes=args.yes)
    run.machine = machine.describe(run)
    pipeline.run_all(run, no_build=args.no_build, fetch=not args.no_cache, whole=True)
    if run.lean is None and not run.embedded:
        run.machine.append(example.line(args))
    if args.require:
        needed = pipeline.required(run.policy, args.require)
        claim = f"As far as the evidence that was asked for goes: {', '.join(args.require)}."
        scope = f"only {', '.join(args.require)} required"
    else:
        needed, claim, scope = pipeline.verification(run.policy), CLAIM, ""
    return _finish(run, needed, claim, scope, args)


def _finish(run: Run, needed: Requirement, claim: str, scope: str, args: argparse.Namespace) -> int:
    if run.paranoid:
        needed = pipeline.with_paranoid(needed)
        claim = f"{claim} {checker_steps.claim(run)}".strip()
    return cli.finish(run, pipeline.conclude(run, needed, claim, scope), args)


def _paranoid(run: Run, args: argparse.Namespace) -> None:
    """Take what was asked about other checkers. Raises UsageError where it cannot be done."""
    run.paranoid = args.paranoid or "paranoid" in (args.require or ())
    if args.checkers is not None:
        if not run.paranoid:
            raise cli.UsageError("--checkers says where --paranoid looks: name both")
        if not args.checkers.is_dir():
            raise cli.UsageError(f"--checkers {args.checkers}: is no folder")
        run.checkers_folder = args.checkers.resolve()


def _export_to(run: Run, args: argparse.Namespace) -> Path | None:
    """Where the export goes. Raises UsageError where it cannot go there."""
    if args.no_export:
        if run.paranoid:
            raise cli.UsageError("--paranoid shows the export to others: leave --no-export out")
        return None
    file = run.project / EXPORT
    remedy = "Remove it, or add --no-export."
    cli.check_export(f"the export {file}", file, args, run.project, remedy)
    return file


def _from_export(run: Run, args: argparse.Namespace) -> int:
    if run.paranoid:
        setup.prepare_checkers(run, assume_yes=args.yes)
    run.machine = machine.describe(run)
    pipeline.run_export(run, args.from_export)
    needed = pipeline.exported(run.policy)
    return _finish(run, needed, EXPORT_CLAIM, EXPORT_SCOPE, args)


def _self_test(args: argparse.Namespace) -> int:
    """Every planted failure through the whole verification. 0 if each was caught, else 1."""
    # Imported where it is used: nothing else here needs it.
    from harness import planted

    cli.only_json(args, "--self-test")
    if (problem := example.prepare(args.console)) is not None:
        raise cli.UsageError(f"--self-test needs the Lean inside the wheel: {problem}")
    done = planted.run(lambda text: args.console.progress(f"self-test: {text}"))
    args.console.clear()
    for line in done.failures():
        print(f"self-test-failed: {printable(line)}", file=sys.stderr)
    cli.deliver(done.as_json(), done.page(), args)
    return 1 if done.failures() else 0


def _example(args: argparse.Namespace) -> int:
    with example.project() as folder:
        args.project, args.policy = folder, None
        run = example.verify(cli.open_run(args))
        needed = pipeline.verification(run.policy)
        scope = "an example, not the theorem of this repository"
        return cli.finish(run, pipeline.conclude(run, needed, CLAIM, scope), args)


if __name__ == "__main__":
    sys.exit(main())
