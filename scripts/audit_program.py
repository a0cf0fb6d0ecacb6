#!/usr/bin/env python3
"""The audit program, for the lakefile of another project: print it, or write it there."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

# Compiled Python goes where everything goes that a run leaves behind.
if not sys.dont_write_bytecode:
    sys.pycache_prefix = str(Path(__file__).resolve().parents[1] / "build" / "pycache")

from collections.abc import Sequence

import harness
from harness import cli, place
from harness.sources.lexer import BadName, LexError, format_name
from harness.sources.project import AUDIT_PROGRAM
from harness.sources.tokens import token_hash

OURS = place.ROOT / AUDIT_PROGRAM


def main(argv: Sequence[str] | None = None) -> int:
    """Print or write it. Returns 0, 2 where it cannot be written, 130 interrupted."""
    parser = argparse.ArgumentParser(
        prog=place.program("audit_program.py"),
        description="Print the Lean program that the gate runs as `lake exe audit`, or write it "
        "into a project and say what its lakefile needs.",
        epilog="Exit status: 0, or 2 if it could not be written.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=harness.__version__)
    parser.add_argument(
        "file",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="where to write it, such as scripts/lean/Audit.lean; a file that is there and is "
        "another program is left as it is",
    )
    parser.set_defaults(no_color=True)
    return cli.main(parser, argv, _deliver)


def _deliver(args: argparse.Namespace) -> int:
    text = OURS.read_text(encoding="utf-8")
    if args.file is None:
        sys.stdout.write(text)
        return 0
    if args.file.suffix != ".lean":
        raise cli.UsageError(f"{args.file}: a Lean file is needed, such as {AUDIT_PROGRAM}")
    here, file = Path.cwd().resolve(), args.file.resolve()
    if not file.is_relative_to(here):
        raise cli.UsageError(f"{args.file}: is not in this folder; run this in the project's")
    try:
        needed = entry(file.relative_to(here))
    except BadName as error:
        raise cli.UsageError(f"{args.file}: {error}") from None
    written = _write(file, text)
    print(f"{args.file}: {'written' if written else 'is the audit program already'}")
    print("The lakefile has to have an executable of the name audit, such as\n")
    print(needed, end="")
    return 0


def _write(file: Path, text: str) -> bool:
    """Write the program where no file is; False where it is already. Raises UsageError."""
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
            return True
        same = token_hash(file.read_bytes().decode("utf-8")) == token_hash(text)
    except OSError as error:
        raise cli.UsageError(f"{file}: {error.strerror}") from None
    except (UnicodeDecodeError, LexError):
        same = False
    if not same:
        raise cli.UsageError(
            f"{file}: is there, and another program; remove it first, or name another file"
        )
    return False


def entry(file: Path) -> str:
    """The executable for a lakefile in the current folder, in both languages."""
    folder, root = file.parent.as_posix(), format_name((file.stem,))
    return (
        f"lean_exe audit where\n"
        f'  srcDir := "{folder}"\n'
        f"  root := `{root}\n"
        f"  supportInterpreter := true\n"
        f"\nin lakefile.lean, or in lakefile.toml\n\n"
        f"[[lean_exe]]\n"
        f'name = "audit"\n'
        f'srcDir = "{folder}"\n'
        f'root = "{root}"\n'
        f"supportInterpreter = true\n"
    )


if __name__ == "__main__":
    sys.exit(main())
