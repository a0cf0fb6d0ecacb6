#!/usr/bin/env python3
"""The proof as terms, declaration by declaration, through Lean's own kernel.

    replay.py                         the policy's targets, from the project's compiled modules
    replay.py FILE.ndjson[.xz|.gz]    an export by lean4export or leanexport
    replay.py --modules ROOT MODULE   compiled modules elsewhere, MODULE and what it rests on

For the project its policy says what is asked for. For a file, or for modules elsewhere: with
--policy its targets are asked for and its axioms allowed; with --target the three axioms of Lean's
own library; with neither, axioms are reported and not judged, and the verdict says so.
"""

from __future__ import annotations

import argparse
import functools
import sys
from pathlib import Path
from typing import Any

# Compiled Python goes where everything goes that a run leaves behind.
if not sys.dont_write_bytecode:
    sys.pycache_prefix = str(Path(__file__).resolve().parents[1] / "build" / "pycache")

from collections.abc import Sequence

from harness import (
    cli,
    embedded_steps,
    inside,
    replay_steps,
    sandbox_steps,
    steps,
)
from harness.console import printable
from harness.policy import Policy, PolicyError, load_policy
from harness.replay import manifest
from harness.replay import replay as core
from harness.replay.result import Replay
from harness.replay.terms import parse_name
from harness.replay.worker import Allowed, Wanted
from harness.report import replay as replay_report
from harness.steps import Run
from harness.verdict import Finding, Status, Step, Verdict, Verification


def main(argv: Sequence[str] | None = None) -> int:
    """Replay. Returns 0 accepted, 1 rejected, 2 could not run, 130 interrupted."""
    parser = cli.parser("replay.py", "Check a proof as terms with Lean's own kernel.")
    add = parser.add_argument
    add("export", nargs="?", type=Path, metavar="FILE", help="an export: NDJSON, .xz and .gz too")
    add(
        "--modules",
        nargs=2,
        metavar=("ROOT", "MODULE"),
        help="compiled modules: the folder (or folders, as in LEAN_PATH), and the root module",
    )
    add(
        "--target",
        action="append",
        default=[],
        metavar="NAME",
        help="a theorem that has to be there, as Lean writes its name; repeatable",
    )
    add("--cone", action="store_true", help="check only what the targets of an export rest on")
    add("--kernel", type=Path, metavar="PATH", help="libleanshared.so, or a folder that has it")
    add(
        "--reference",
        type=Path,
        metavar="DIR",
        help="compiled modules of a toolchain: its functions on numbers are the known ones",
    )
    add(
        "--known",
        type=Path,
        metavar="MANIFEST",
        help="take what the kernel knows by name for the known ones if this manifest does",
    )
    add(
        "--write-export",
        type=Path,
        metavar="FILE",
        help="write what is checked as an export, with a manifest beside it",
    )
    add(
        "--embedded",
        action="store_true",
        help="the modules that check_axioms.py --embedded or verify.py --embedded compiled",
    )
    add(
        "--sandbox",
        action="store_true",
        help="read under bwrap: without network, nothing shown of homes but what is read, nothing "
        "writable but the export (Linux)",
    )
    add("--jobs", type=cli.count, metavar="N", help="processes that call the kernel")
    add("--time", type=cli.count, default=3600, metavar="SECONDS", help="limit of the whole run")
    add("--memory", type=cli.count, metavar="MIB", help="limit of address space of each process")
    return cli.main(parser, argv, _replay)


def _replay(args: argparse.Namespace) -> int:
    cli.check_outputs(args)
    if args.write_export is not None:
        file = args.write_export
        cli.check_export(f"--write-export {file}", file, args, args.project.resolve())
    if args.export is not None and args.modules is not None:
        raise cli.UsageError("name an export, or modules, not both")
    if args.cone and not (args.target or args.policy):
        raise cli.UsageError("--cone is the cone of targets: name them")
    try:
        return _project(args) if args.export is None and args.modules is None else _terms(args)
    except inside.Unavailable as error:
        found = Finding("sandbox-unavailable", str(error), inside.STEP, remedy=error.remedy)
        return _stopped([found], None, args)


def _terms(args: argparse.Namespace) -> int:
    """An export, or modules that need be no project's. Raises inside.Unavailable."""
    policy = _policy(args)
    root, module = args.modules or ("", None)
    done = core.replay(
        core.Request(
            export=args.export,
            path=tuple(Path(p) for p in root.split(":") if p),
            module=module,
            targets=_targets(args, policy),
            allowed=_allowed(args, policy),
            cone=args.cone,
            write=args.write_export,
            **_common(args),
        ),
        lambda progress: args.console.progress(progress.line()),
        _start(args),
    )
    return _finish(done, policy, args)


def _start(args: argparse.Namespace) -> inside.Start:
    """What starts the worker. Raises inside.Unavailable."""
    if not args.sandbox:
        return inside.directly
    # It is told what it has to read; no project belongs to that.
    box = inside.make(cli.CHECKOUT / "scripts", (), ())
    inside.probe(box, cli.CHECKOUT / "scripts")
    return functools.partial(inside.run, box)


def _common(args: argparse.Namespace) -> dict[str, Any]:
    kernel = args.kernel or replay_steps.wheel_library()
    return {
        "kernel": kernel,
        "reference": (args.reference,) if args.reference else (),
        "known": _known(args.known) if args.known else {},
        "toolchain": args.toolchain,
        "jobs": args.jobs or core.cores(),
        "seconds": float(args.time),
        "memory": args.memory << 20 if args.memory else None,
    }


def _known(file: Path) -> dict[str, str]:
    """The fingerprints of a manifest."""
    try:
        return dict(manifest.fingerprints(file))
    except manifest.ManifestError as error:
        raise cli.UsageError(f"--known: {error}") from None


def _policy(args: argparse.Namespace) -> Policy | None:
    """The policy that was named; a file or modules from elsewhere are not this project's."""
    try:
        return load_policy(args.policy) if args.policy else None
    except PolicyError as error:
        raise cli.UsageError(str(error)) from None


def _targets(args: argparse.Namespace, policy: Policy | None) -> tuple[Wanted, ...]:
    names = args.target or (policy.targets if policy else ())
    try:
        return tuple(Wanted(parse_name(name)) for name in names)
    except ValueError as error:
        raise cli.UsageError(f"--target: {error}") from None


def _allowed(args: argparse.Namespace, policy: Policy | None) -> tuple[Allowed, ...] | None:
    if policy is not None:
        return tuple(Allowed(parse_name(a.name), a.levels, a.type) for a in policy.axioms)
    return core.STANDARD_AXIOMS if args.target else None


def _project(args: argparse.Namespace) -> int:
    """The policy's targets from the compiled modules of the project and of what it rests on."""
    run = cli.open_run(args)
    run.kernel, run.write_export = args.kernel, args.write_export
    run.embedded = args.embedded
    room = embedded_steps if run.embedded else steps
    if run.sandboxed:
        sandbox_steps.prepare(run)
    found = room.read_sources(run).findings if run.write_export else []
    found += room.find_lean(run).findings
    if run.lean is None and run.wheel is None:
        return _stopped(found, run, args)
    with run.locks:
        if run.embedded:
            try:
                run.locks.enter_context(steps.one_at_a_time(run))
            except steps.Busy:
                raise cli.UsageError("another run has been building in this checkout") from None
        replay_steps.replay_modules(run)
        if run.write_export and run.replayed and run.replayed.exit_status == 0:
            _complete(run)
    assert run.replayed is not None or found
    if run.replayed is None:
        return _stopped(found, run, args)
    return _finish(run.replayed, run.policy, args)


def _complete(run: Run) -> None:
    """Add to the manifest what only the project knows."""
    assert run.write_export is not None
    answer = replay_steps.ask_facts(run, replay_steps.facts_request(run))
    if isinstance(answer, Finding):
        raise cli.UsageError(f"--write-export: {answer.message}")
    project = answer.pop("project")
    manifest.complete(run.write_export, replay_steps.proof_sources(run), answer, project)


def _stopped(findings: list[Finding], run: Run | None, args: argparse.Namespace) -> int:
    """Nothing could be replayed: say why."""
    lines = [f"{f.message}. {f.remedy or ''}".strip() for f in findings]
    page = printable("\n".join(["COULD NOT RUN", *lines, ""]))
    step = Step("replay", Status.COULD_NOT_RUN)
    verification = Verification(
        Verdict.COULD_NOT_RUN, (step,), tuple(findings), (), claim="", reasons=tuple(lines)
    )
    project = run.project if run else args.project.resolve()
    cli.show(verification, project, run.policy if run else None, page, args)
    data = {"verdict": "COULD NOT RUN", "findings": [f.message for f in findings]}
    cli.deliver(data, page, args)
    return cli.COULD_NOT_RUN


def _finish(done: Replay, policy: Policy | None, args: argparse.Namespace) -> int:
    args.console.clear()
    asked = policy is not None or done.targets
    page = replay_report.page(done, "" if asked else replay_report.NOT_JUDGED)
    cli.show(done.verification(), args.project.resolve(), policy, page, args)
    cli.deliver(done.as_json(), page, args)
    return done.exit_status


if __name__ == "__main__":
    sys.exit(main())
