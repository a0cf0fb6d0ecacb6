"""What every script shares: arguments, the project, output, exit statuses."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import harness
from harness import place, process
from harness.console import Console, open_console, printable, use_color
from harness.output import link_inside, write_whole
from harness.policy import Policy, PolicyError, find_policy, load_policy
from harness.report import github
from harness.report import json as json_report
from harness.report import text as text_report
from harness.sources.lexer import parse_name
from harness.steps import Run
from harness.verdict import INTERRUPTED, Verification

COULD_NOT_RUN = 2
CHECKOUT = place.ROOT
"""What these scripts stand in: a checkout, or the installed package."""


NEVER_WRITTEN = ("lake-manifest.json", "comparator_config.json", "lean-toolchain")
NEVER_WRITTEN_ENDINGS = (
    ".lean", ".olean", ".ilean", ".ndjson", ".manifest.json", ".py", ".toml", ".md", ".yml",
    ".yaml", ".cff", ".sha256",
)  # fmt: skip
HARNESS_FOLDERS = ("scripts", "src", "tests", "docs", ".github")
"""Of the checkout, what no output goes to."""
BEGINNINGS = {
    "--json": b'{\n "schema": 1,\n',
    "--sarif": b'{\n "$schema": "https://docs.oasis-open.org/sarif/',
    "--junit": b'<?xml version="1.0" encoding="UTF-8"?>\n<!-- A verification as test cases. -->\n',
}
"""How a file begins that an option has written, and may write again."""
EXPORT_BEGINNING = b'{"meta":{"exporter":{"name":"lean-proof-audit"'


class UsageError(Exception):
    """What was asked cannot be done; the message says why."""


def parser(program: str, description: str) -> argparse.ArgumentParser:
    """A parser with the options of every script."""
    made = argparse.ArgumentParser(
        prog=place.program(program),
        description=description,
        epilog="Exit status: 0 accepted, 1 rejected, 2 could not run, 130 interrupted.",
        allow_abbrev=False,
    )
    made.add_argument("--version", action="version", version=harness.__version__)
    made.add_argument(
        "--project",
        type=Path,
        metavar="DIR",
        default=place.PROJECT,
        help=f"the Lean project (default: {place.PROJECT_SAID})",
    )
    made.add_argument(
        "--policy",
        type=Path,
        metavar="FILE",
        help="what is allowed (default: DIR/scripts/policy.toml, then DIR/policy.toml)",
    )
    made.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="also write the result as JSON; - for standard output, and nothing else there",
    )
    made.add_argument(
        "--sarif",
        type=Path,
        metavar="FILE",
        help="also write the findings as SARIF 2.1.0, for code scanning services",
    )
    made.add_argument(
        "--junit",
        type=Path,
        metavar="FILE",
        help="also write what became of each step and target as JUnit XML",
    )
    made.add_argument(
        "--toolchain", type=Path, metavar="PATH", help="an unpacked Lean to use instead of elan's"
    )
    made.add_argument("--no-color", action="store_true", help="no colours on a terminal")
    return made


def count(text: str) -> int:
    """An argument that is a number from 1 on."""
    value = int(text) if text.isdecimal() and len(text) < 10 else 0
    if value < 1:
        raise argparse.ArgumentTypeError("a number from 1 to 999,999,999 is needed")
    return value


def add_build_options(made: argparse.ArgumentParser, *, embedded: bool = True) -> None:
    """Add the options of scripts that build."""
    made.add_argument(
        "--no-build",
        action="store_true",
        help="do not build; what is compiled has to be up to date",
    )
    made.add_argument(
        "--memory",
        type=count,
        metavar="MIB",
        help="limit of address space of each program that is started (Linux); compiled modules "
        "are mapped, so that a Lean with Mathlib needs 10,000 and more",
    )
    made.add_argument(
        "--no-cache", action="store_true", help="do not fetch compiled modules of Mathlib"
    )
    made.add_argument(
        "--sandbox",
        action="store_true",
        help="run and read what the project is made of under bwrap: without network, with empty "
        "homes, nothing writable but .lake; where that cannot be had, nothing runs (Linux)",
    )
    if embedded:
        made.add_argument(
            "--embedded",
            action="store_true",
            help="build and ask with the Lean inside the wheel (`prelude` projects only)",
        )


def main(
    parser_: argparse.ArgumentParser,
    argv: Sequence[str] | None,
    body: Callable[[argparse.Namespace], int],
) -> int:
    """Parse, run, and turn every way of ending into an exit status."""
    _modules_stay()
    _standard_streams()
    try:
        with process.interruptible():
            args = parser_.parse_args(argv)
            args.console = open_console(args.no_color)
            with _cleared(args.console):
                return body(args)
    except KeyboardInterrupt:
        _say(f"{parser_.prog}: interrupted; nothing was decided")
        return INTERRUPTED
    except UsageError as error:
        _say(f"{parser_.prog}: {error}")
        return COULD_NOT_RUN
    except BrokenPipeError:
        # Whoever read our output has gone: a verdict that nobody read is none.
        return COULD_NOT_RUN
    except OSError as error:
        _traceback()
        _say(f"{parser_.prog}: could not go on: {error}")
        return COULD_NOT_RUN
    except Exception as error:
        _traceback()
        if isinstance(error, RuntimeError) and str(error).startswith("Symlink loop"):
            # From `Path.resolve`, up to Python 3.12.
            _say(f"{parser_.prog}: links lead in a circle: {str(error).partition('from ')[2]}")
            return COULD_NOT_RUN
        _say(
            f"{parser_.prog}: a fault of this program, not of the proof: "
            f"{type(error).__name__}: {error} (HARNESS_TRACEBACK=1 shows where)"
        )
        return COULD_NOT_RUN
    finally:
        _drop_what_cannot_be_written()


def _modules_stay() -> None:
    """Spare the garbage collector the modules: it walks them again and again, last at the end."""
    if not gc.get_freeze_count():
        gc.freeze()


def _standard_streams() -> None:
    """Let every standard stream take any text; one that was closed takes it to nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
        if hasattr(stream := getattr(sys, name), "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")


def _drop_what_cannot_be_written() -> None:
    """Python would try once more at its end, complain, and make the exit status 120."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with contextlib.suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
                stream.flush()


@contextlib.contextmanager
def _cleared(console: Console) -> Iterator[None]:
    """Leave no changing line behind, however a block ends."""
    try:
        yield
    finally:
        console.clear()


def _traceback() -> None:
    if os.environ.get("HARNESS_TRACEBACK"):
        import traceback

        traceback.print_exc()


def open_run(args: argparse.Namespace) -> Run:
    """The run that the arguments ask for.

    Raises UsageError where the project or its policy cannot be used.
    """
    project = args.project.resolve()
    if not project.is_dir():
        raise UsageError(f"{args.project} is no folder")
    try:
        policy = load_policy(find_policy(project, args.policy))
    except PolicyError as error:
        raise UsageError(str(error)) from None
    check_outputs(args, policy, project)
    memory = getattr(args, "memory", None)
    return Run(
        project,
        policy,
        args.console,
        args.toolchain,
        memory=memory << 20 if memory else None,
        sandboxed=getattr(args, "sandbox", False),
    )


def check_outputs(
    args: argparse.Namespace, policy: Policy | None = None, project: Path | None = None
) -> None:
    """Make the folders that outputs go to, before anything long is done.

    Raises UsageError if one cannot be written there, or would take the place of a source, of a
    file that the policy names, of another output, or of anything else that is no output.
    """
    if project is None:
        project = getattr(args, "project", CHECKOUT).resolve()
    taken = {_real(policy.path)} if policy else set()
    if policy and policy.golden:
        taken.add(_real(project / policy.golden))
    for option, path in _outputs(args):
        if str(path) == "-" and option != "--json":
            raise UsageError(f"{option} -: only --json can go to standard output; name a file")
        if str(path) == "-":
            continue
        if path.is_dir():
            raise UsageError(f"{option} {path}: is a folder")
        real = _real(path)
        if real in taken or any(_is_source(one.name) for one in (path, real)):
            raise UsageError(f"{option} {path}: is a file that is checked, not one to write to")
        check_no_link(f"{option} {path}", path, project)
        if (kept := _kept(real, policy, project)) is not None:
            raise UsageError(f"{option} {path}: lies in {kept}, where no output goes")
        check_replaced(f"{option} {path}", real, BEGINNINGS[option])
        try:
            real.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{option} {path}: no folder can be made: {error.strerror}") from None
    files = [_real(path) for _, path in _outputs(args) if path.is_file() or not path.exists()]
    if len(set(files)) != len(files):
        raise UsageError("two outputs would go to the same file")


def _is_source(name: str) -> bool:
    return name in NEVER_WRITTEN or name.endswith(NEVER_WRITTEN_ENDINGS)


def _real(path: Path) -> Path:
    """A path without links; where they lead in a circle, as far as they can be followed."""
    return Path(os.path.realpath(path))


def check_no_link(said: str, path: Path, project: Path) -> None:
    """Raise UsageError if something is a link on the way to a path, and lies in the project."""
    try:
        link = link_inside(path, project)
    except OSError as error:
        raise UsageError(f"{said}: {error.strerror}") from None
    if link is not None:
        raise UsageError(f"{said}: {link} is a link, and what it leads to is not written to")


def check_not_in_git(said: str, path: Path) -> None:
    """Raise UsageError if a path without links lies in what git keeps for itself."""
    if (kept := _git_folder(path)) is not None:
        raise UsageError(f"{said}: lies in {kept}, where no output goes")


def check_export(
    said: str, file: Path, args: argparse.Namespace, project: Path, remedy: str = ""
) -> None:
    """Raise UsageError if an export cannot go there; a link at its end would be replaced.

    It takes the place of an earlier export and of nothing else.
    """
    check_no_link(said, file.parent, project)
    written = (file, file.with_name(file.name + ".manifest.json"))
    taken = {_real(path) for _, path in _outputs(args) if str(path) != "-"}
    if taken & {_real(path) for path in written}:
        raise UsageError(f"{said}: two outputs would go to the same file")
    check_not_in_git(said, _real(file.parent))
    for path, beginning in zip(written, (EXPORT_BEGINNING, BEGINNINGS["--json"]), strict=True):
        if path.is_file() and not path.is_symlink():
            check_replaced(f"{said}: {path.name}", path, beginning, remedy)
        if not path.is_symlink() and path.exists() and not path.is_file():
            what = "a folder" if path.is_dir() else "no ordinary file"
            raise UsageError(f"{said}: {path.name} is {what}. {remedy}".strip())


def _git_folder(path: Path) -> Path | None:
    return next((p for p in (path, *path.parents) if p.name.lower() == ".git"), None)


def _kept(path: Path, policy: Policy | None, project: Path) -> Path | None:
    """The folder of git, of the harness or of sources that a path without links lies in."""
    if (kept := _git_folder(path)) is not None:
        return kept
    folders = [CHECKOUT] if place.INSTALLED else [CHECKOUT / name for name in HARNESS_FOLDERS]
    if policy is not None:
        folders += [project / str(parse_name(root)[0]) for root in policy.roots]
    return next((one for one in folders if path.is_relative_to(one)), None)


def check_replaced(said: str, path: Path, beginning: bytes, remedy: str = "") -> None:
    """Raise UsageError if what is there is no earlier output, which would begin so."""
    if not _begins(path, beginning):
        raise UsageError(
            f"{said}: is there and does not begin as what would be written; it is not written "
            f"over. {remedy or 'Remove it first, or name another file'}"
        )


def _begins(path: Path, wanted: bytes) -> bool:
    """Whether a file may be replaced: it is not there, empty, no ordinary one, or begins so."""
    if not path.is_file():
        return True
    try:
        with path.open("rb") as stream:
            start = stream.read(len(wanted))
    except OSError:
        return False
    return start in (b"", wanted)


def _outputs(args: argparse.Namespace) -> list[tuple[str, Path]]:
    """The files that were asked for, each with its option."""
    wanted = [(f"--{name}", getattr(args, name, None)) for name in ("json", "sarif", "junit")]
    return [(option, path) for option, path in wanted if path is not None]


def only_json(args: argparse.Namespace, asked: str) -> None:
    """Check the outputs of what is no verification. Raises UsageError as `check_outputs` does."""
    for option, path in _outputs(args):
        if option != "--json":
            raise UsageError(f"{option} {path}: is about a verification, and {asked} makes none")
    project = args.project.resolve()
    try:
        policy = load_policy(find_policy(project, args.policy))
    except PolicyError:
        policy = None
    check_outputs(args, policy, project)


def deliver(data: dict[str, Any], page: str, args: argparse.Namespace) -> None:
    """Put the page on standard output and the JSON where it was asked for.

    Raises UsageError if the JSON cannot be written.
    """
    text = json_report.dumps({"schema": json_report.SCHEMA} | data)
    alone = args.json is not None and str(args.json) == "-"
    if args.json is not None and not alone:
        _write("--json", args.json, text)
    if github.active():
        # In JSON, text can be written so that the runner takes nothing in it for a command.
        text, page = text.replace("##[", "#\\u0023["), github.harmless(page)
    sys.stdout.write(text if alone else page)
    sys.stdout.flush()


def finish(run: Run, verification: Verification, args: argparse.Namespace) -> int:
    """Print findings and report, write what was asked for, and give the exit status.

    Raises UsageError if something cannot be written.
    """
    run.console.clear()
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else text_report.WIDTH
    color = use_color(args.no_color, sys.stdout)
    page = text_report.page(run, verification, color, width)
    plain = text_report.page(run, verification)
    show(verification, run.project, run.policy, plain, args)
    deliver(json_report.document(run, verification), page, args)
    return verification.verdict.exit_status


def show(
    verification: Verification,
    project: Path,
    policy: Policy | None,
    page: str,
    args: argparse.Namespace,
) -> None:
    """Say the findings, and give them to whatever else reads them: files, GitHub.

    Raises UsageError if a file cannot be written.
    """
    for finding in verification.findings:
        _say(finding.one_line())
    # Imported where they are used: the gate is to start quickly.
    if args.sarif is not None:
        from harness.report import sarif

        log = sarif.log(verification, project, policy.path.resolve() if policy else None)
        _write("--sarif", args.sarif, json_report.dumps(log))
    if args.junit is not None:
        from harness.report import junit

        name = policy.name if policy else project.name
        _write("--junit", args.junit, junit.document(verification, name))
    if github.active():
        workspace = github.workspace_of(project)
        for line in github.commands(verification.findings, project, workspace):
            print(line, file=sys.stderr, flush=True)
        if problem := github.add_summary(page):
            _say(problem)


def _write(option: str, path: Path, text: str) -> None:
    """Write a file whole or not at all; into what is no ordinary file, write as it is."""
    path = _real(path)
    data = text.encode("utf-8", "replace")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        write_whole(path, data)
    except OSError as error:
        raise UsageError(f"{option} {path}: cannot be written: {error.strerror}") from None


def _say(text: str) -> None:
    """A line on standard error; what would steer a terminal, or GitHub's runner, is replaced."""
    shown = printable(text)
    with contextlib.suppress(OSError):
        print(github.harmless(shown) if github.active() else shown, file=sys.stderr, flush=True)
