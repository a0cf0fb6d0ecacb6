#!/usr/bin/env python3
"""A verification as a page for people: one HTML file that needs no network and no scripts."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

# Compiled Python goes where everything goes that a run leaves behind.
if not sys.dont_write_bytecode:
    sys.pycache_prefix = str(Path(__file__).resolve().parents[1] / "build" / "pycache")

import base64
import hashlib
import os
import tempfile
from collections.abc import Iterator, Sequence

from harness import cli, place, process
from harness.cli import UsageError
from harness.console import printable
from harness.output import write_whole
from harness.policy import PolicyError, find_policy, load_policy
from harness.report import statements, view
from harness.report.document import Document, DocumentError, read
from harness.sources.project import read_sources
from harness.verdict import INTERRUPTED

try:
    import jinja2
    import markupsafe
except ModuleNotFoundError as missing:
    if missing.name not in ("jinja2", "markupsafe"):
        raise
    NEEDS: str | None = missing.name
else:
    NEEDS = None

HERE = Path(__file__).resolve().parent
PIECES = HERE / "harness" / "report"
OUTPUT = Path("build") / "report.html"
BEGINNING = b"<!DOCTYPE html>\n<!-- Written by report.py. -->\n"
"""How a page begins that may be written again."""
VERIFY_SECONDS = 12 * 3600.0
WRITTEN_TO = frozenset({".html", ".htm"})
# Marks that turn the direction of writing, and could make a text look like another one.
_TURNING = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_STEERING = dict.fromkeys(_TURNING, "\ufffd")


def main(argv: Sequence[str] | None = None) -> int:
    """Write the page. Returns 0 written, 2 if that could not be done, 130 interrupted."""
    parser = argparse.ArgumentParser(
        prog=place.program("report.py"),
        description="Show a verification on one HTML page, without network and scripts.",
        epilog="Exit status: 0 the page was written, 2 it could not be, 130 interrupted. It stands "
        "for no verdict: a page that says REJECTED or COULD NOT RUN is written with 0.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "verification",
        type=Path,
        nargs="?",
        metavar="VERIFICATION.json",
        help="what `verify.py --json FILE` wrote (default: run verify.py now, for what this "
        "machine can do)",
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help=f"where the page goes (default: {OUTPUT})"
    )
    parser.add_argument(
        "--project",
        type=Path,
        metavar="DIR",
        default=place.PROJECT,
        help=f"the Lean project that it is about (default: {place.PROJECT_SAID})",
    )
    parser.add_argument(
        "--policy", type=Path, metavar="FILE", help="the policy, as verify.py takes it"
    )
    parser.add_argument(
        "--toolchain", type=Path, metavar="PATH", help="an unpacked Lean, as verify.py takes it"
    )
    parser.set_defaults(no_color=True)
    return cli.main(parser, argv, _report)


def _report(args: argparse.Namespace) -> int:
    if NEEDS is not None:
        bring = (
            f"`{sys.executable} -m pip install jinja2` gets it"
            if place.INSTALLED
            else "`python3 -m venv build/venv && build/venv/bin/pip install jinja2` gets it; then "
            "run build/venv/bin/python scripts/report.py"
        )
        raise UsageError(f"the Python package {NEEDS} is not there. {bring}")
    folder = args.project.resolve()
    if not folder.is_dir():
        raise UsageError(f"{args.project} is no folder")
    output = args.output or folder / OUTPUT
    if args.verification is not None:
        document, data = _read(args.verification)
        _check_output(output, args.verification, folder)
        source = f"{args.verification.name}, SHA-256 {hashlib.sha256(data).hexdigest()}"
    else:
        _check_output(output, None, folder)
        document = _verified(args)[0]
        source = "a verification that was run for it"
    text = page(view.view(document, _project(args, folder, document), output.absolute(), source))
    _write(output, text)
    print(printable(f"{output}: {document.verdict.value} ({document.scope})"))
    return 0


def _check_output(output: Path, verification: Path | None, project: Path) -> None:
    """Refuse, before anything long is done, what must not or cannot be written.

    Raises UsageError.
    """
    if output.is_dir():
        raise UsageError(f"--output {output}: is a folder")
    if output.exists() and not output.is_file():
        raise UsageError(f"--output {output}: is no ordinary file")
    both = verification is not None and output.exists() and verification.exists()
    if both and verification is not None and output.samefile(verification):
        raise UsageError(f"--output {output}: is the verification itself")
    # A link leads to the file that would be written.
    if any(path.suffix.lower() not in WRITTEN_TO for path in (output, output.resolve())):
        raise UsageError(f"--output {output}: has to be a file whose name ends in .html")
    if output.resolve().is_relative_to(HERE):
        raise UsageError(f"--output {output}: is among the scripts, where nothing is written")
    cli.check_not_in_git(f"--output {output}", output.resolve())
    cli.check_no_link(f"--output {output}", output, project)
    cli.check_replaced(f"--output {output}", output, BEGINNING)
    try:
        output.absolute().parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--output {output}: no folder can be made: {error.strerror}") from None
    if not os.access(output.absolute().parent, os.W_OK):
        raise UsageError(f"--output {output}: the folder cannot be written to")


def _read(path: Path) -> tuple[Document, bytes]:
    try:
        return read(path)
    except DocumentError as error:
        raise UsageError(str(error)) from None


def _verified(args: argparse.Namespace) -> tuple[Document, bytes]:
    """Run verify.py and read what it found, whatever that is.

    Raises UsageError if there is no verification.
    """
    with tempfile.TemporaryDirectory(prefix="report-") as folder:
        file = Path(folder) / "verification.json"
        command: list[str | Path] = [sys.executable, HERE / "verify.py", "--json", file]
        for option, value in (
            ("--project", args.project.resolve()),
            ("--policy", args.policy),
            ("--toolchain", args.toolchain),
        ):
            command += [option, value.resolve()] if value is not None else []
        outcome = process.run(
            command, cwd=Path.cwd(), seconds=VERIFY_SECONDS, attached=True, env=dict(os.environ)
        )
        if outcome.code == INTERRUPTED:
            raise KeyboardInterrupt
        if not file.exists():
            raise UsageError(f"verify.py {outcome.says()} and wrote no verification")
        return _read(file)


def _project(args: argparse.Namespace, folder: Path, document: Document) -> view.Project | None:
    """The checkout, if the verification is of it."""
    try:
        policy = load_policy(find_policy(folder, args.policy))
    except PolicyError:
        return None
    if policy.name != document.project:
        return None
    found: statements.Statements | str
    try:
        found = statements.load(folder / statements.PLACE)
    except statements.StatementsError as error:
        found = str(error)
    return view.project(folder, policy, read_sources(folder, policy.exclude).files, found)


def page(shown: view.View) -> str:
    """The page as HTML."""
    style = "\n".join([(PIECES / "page.css").read_text(encoding="utf-8"), *_rules(shown.map)])
    digest = hashlib.sha256(style.encode()).digest()
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(PIECES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
        keep_trailing_newline=True,
    )
    return environment.get_template("page.html").render(
        view=shown, style=style, style_hash=f"sha256-{base64.b64encode(digest).decode()}"
    )


def _rules(drawn: view.Map) -> Iterator[str]:
    """What appears when a box is pointed at: its card, and its lines."""
    if drawn.nodes:
        yield ".picture:has(svg a:is(:hover,:focus)) .hint{display:none}"
    for node in drawn.nodes:
        n = node.number
        here = f".picture:has(#n{n}:is(:hover,:focus))"
        yield f"{here} #s{n}{{display:block}}"
        yield f"{here} :is(.f{n},.t{n}){{stroke:var(--link);stroke-width:2.2}}"


def _shown(value: object) -> object:
    """Text without what would steer a reader's screen or turn the direction of writing."""
    if isinstance(value, str) and not isinstance(value, markupsafe.Markup):
        return printable(value).translate(_STEERING)
    return value


def _write(output: Path, text: str) -> None:
    """Write the page whole or not at all.

    Raises UsageError if it cannot be written.
    """
    try:
        write_whole(output.resolve(), text)
    except OSError as error:
        raise UsageError(f"--output {output}: cannot be written: {error.strerror}") from None


if __name__ == "__main__":
    sys.exit(main())
