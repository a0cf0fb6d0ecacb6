"""The command `lean-proof-audit`: one word for each script.

The scripts and the package `harness` lie in the folder `scripts` beside this file, out of the way
of whatever else is installed under these names; that folder comes first in the search path of this
process, and the processes that it starts are told so in PYTHONPATH.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent / "scripts"
COULD_NOT_RUN = 2

USAGE = """usage: lean-proof-audit COMMAND [ARGUMENT ...]

Check a Lean theorem and what it rests on, in the project of the current folder.

  verify         everything in order, one verdict; asks before it sets anything up
  gate           the axioms of every target, in two ways at least, and what is stated
  statement      what is stated, against the challenge and the golden file
  sorry          holes, in the text of the sources and in what was compiled from them
  pins           every two places that name a version
  build          the build alone, at the pins
  replay         a proof as terms through Lean's kernel: the project's, an export, or modules
  report         a verification as a page for people (needs the Python package jinja2)
  audit-program  print or write the Lean program that the lakefile needs for `gate` and `verify`

`lean-proof-audit COMMAND --help` explains each; --version says which harness this is.
Exit status: 0 accepted, 1 rejected, 2 could not run, 130 interrupted.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one of the scripts. Returns its exit status; 2 where there is none of that name."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    # What pip compiled is used; no run writes beside an installed package.
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.path.insert(0, str(SCRIPTS))
    import harness
    from harness import place

    match arguments:
        case ["-h" | "--help"]:
            print(USAGE, end="")
            return 0
        case ["--version"]:
            print(f"{place.NAME} {harness.__version__}")
            return 0
        case [word, *rest] if word in place.COMMANDS:
            script = importlib.import_module(place.COMMANDS[word].removesuffix(".py"))
            status: int = script.main(rest)
            return status
        case [word, *_]:
            print(f"{place.NAME}: there is no command {word!r}; --help lists them", file=sys.stderr)
        case _:
            print(USAGE, end="", file=sys.stderr)
    return COULD_NOT_RUN
