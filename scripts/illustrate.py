#!/usr/bin/env python3
"""The theorems on networks with numbers: tables, and pictures. Decides nothing about the proof."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

# Compiled Python goes where everything goes that a run leaves behind.
if not sys.dont_write_bytecode:
    sys.pycache_prefix = str(Path(__file__).resolve().parents[1] / "build" / "pycache")

from collections.abc import Sequence

from harness import cli
from harness.output import write_whole

INSTALL = (
    "python3 -m venv build/venv && build/venv/bin/pip install numpy matplotlib && "
    "build/venv/bin/python scripts/illustrate.py"
)
BUILD = cli.CHECKOUT / "build"


def main(argv: Sequence[str] | None = None) -> int:
    """Compute, draw, write. Returns 0 done, 2 could not run, 130 interrupted."""
    parser = argparse.ArgumentParser(
        prog="illustrate.py",
        description="The theorems on networks with numbers: tables on standard output, pictures "
        "as files. Nothing is decided about the proof.",
        epilog="Exit status: 0 done, 2 could not run, 130 interrupted.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--seed",
        type=_seed,
        default=0,
        metavar="N",
        help="another N, other networks and data: 0, 1, 2, … (default: 0)",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=BUILD / "illustrations",
        metavar="FOLDER",
        help="where the pictures go (default: build/illustrations of this checkout)",
    )
    parser.add_argument("--format", choices=("png", "svg"), default="png", help="of the pictures")
    parser.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="also write the numbers as JSON; - for standard output, and nothing else there",
    )
    parser.set_defaults(no_color=True)
    return cli.main(parser, argv, _illustrate)


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 18:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at most 18 digits")
    return int(text)


def _illustrate(args: argparse.Namespace) -> int:
    cli.check_outputs(args)
    for folder in (args.output, BUILD):
        cli.check_no_link(f"--output {folder}", folder, cli.CHECKOUT)
    # Matplotlib writes its list of fonts to the home folder otherwise.
    os.environ.setdefault("MPLCONFIGDIR", str(BUILD / "matplotlib"))
    try:
        from illustration import measure, minima, plots  # needs what may not be installed
    except ImportError as error:
        raise cli.UsageError(
            f"{error}; numpy and matplotlib are needed, in a folder of their own:\n  {INSTALL}"
        ) from None
    _make(args.output)
    try:
        minimum, deep = minima.fitted(args.seed), minima.fitted_deep(args.seed)
    except minima.NoMinimumError as error:
        raise cli.UsageError(f"{error}; try another --seed") from None
    results = measure.compute(args.seed, minimum, deep)
    files = []
    for name, draw in plots.pictures().items():
        path = args.output / f"{name}.{args.format}"
        _write(path, plots.drawn(draw, results, args.format))
        files.append(str(path))
    cli.deliver(measure.document(results, files), measure.page(results, files), args)
    return 0


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cli.UsageError(
            f"--output {folder}: no folder can be made: {error.strerror}"
        ) from None


def _write(path: Path, content: bytes) -> None:
    """Write a picture whole or not at all."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise cli.UsageError(f"--output: {path} cannot be written: {error.strerror}") from None


if __name__ == "__main__":
    sys.exit(main())
