"""A stand-in for a checker of exports. It checks nothing: it answers as it is told to.

What it prints, and its exit status, are what `docs/trust.md` says of the program of that name. The
false theorem that every checker is shown first it refuses, as a checker would, unless it is told to
accept everything.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

KINDS = ("axiom", "def", "thm", "opaque", "inductive", "quot")
OPTIONS = {
    "leanchecker": ["--from-export"],
    "leanchecker-paranoid": ["--from-export"],
    "lean4lean": ["--import"],
    "nanoda_bin": [],
    "con-leche": ["--verified"],
    "con-ron": [],
}
ACCEPTS = {
    "leanchecker": "Lean default kernel accepts the solution",
    "leanchecker-paranoid": "Lean default kernel accepts the solution",
    "lean4lean": "checked {} declarations",
    "nanoda_bin": "Checked {} declarations with no errors",
    "con-leche": "con-leche: accepted {} declarations (--verified)",
    "con-ron": "con-ron: accepted {} declarations (--verified)",
}
REJECTS = {
    "leanchecker": (1, "Lean default kernel rejects the solution: (kernel) type mismatch"),
    "leanchecker-paranoid": (1, "Lean default kernel rejects the solution: (kernel) mismatch"),
    "lean4lean": (1, "uncaught exception: (kernel) declaration type mismatch"),
    "nanoda_bin": (101, "thread 'main' panicked at src/tc.rs:1:1: assertion failed: self.def_eq"),
    "con-leche": (1, "con-leche: invalid: type mismatch in theorem t [at theorem t, position 3]"),
    "con-ron": (1, "con-ron: rejected: type mismatch in declaration [at thm t, position 3]"),
}


def main() -> int:
    """Do what the first argument but one says, under the name of the first."""
    name, behaviour, log, *arguments = sys.argv[1:]
    with Path(log).open("a", encoding="utf-8") as stream:
        print(json.dumps([name, *arguments]), file=stream)
    if arguments == ["--version"]:
        print(f"{name} 0.9.1")
        return 0
    assert arguments[:-1] == OPTIONS[name], arguments
    if behaviour == "writes here":
        Path("left behind").write_text(str(Path.cwd()), encoding="utf-8")
    text = _export(name, Path(arguments[-1])).read_text(encoding="utf-8")
    records = [json.loads(line) for line in text.splitlines()]
    if '"everything"' in text and behaviour != "accepts everything":
        return _say(*REJECTS[name])
    count = sum(any(kind in record for kind in KINDS) for record in records)
    return _answer(name, behaviour, count)


def _export(name: str, argument: Path) -> Path:
    if name != "nanoda_bin":
        return argument
    config = json.loads(argument.read_text(encoding="utf-8"))
    assert config["use_stdin"] is False
    assert config["print_success_message"] is True
    assert config["unpermitted_axiom_hard_error"] is True
    assert config["nat_extension"] is config["string_extension"] is True
    return Path(config["export_file_path"])


def _say(status: int, *lines: str) -> int:
    for line in lines:
        print(line, flush=True)
    return status


def _answer(name: str, behaviour: str, count: int) -> int:
    accepts = ACCEPTS[name].format(count)
    match behaviour:
        case "accepts" | "accepts everything" | "writes here":
            return _say(0, accepts)
        case "meddles":
            with _export(name, Path(sys.argv[-1])).open("a", encoding="utf-8") as stream:
                stream.write("\n")
            return _say(0, accepts)
        case "rejects":
            return _say(*REJECTS[name])
        case "rejects the quotient":
            return _say(1, accepts, "Quotient post-check rejects the solution: Quot.lift")
        case "declines":
            return _say(2, f"{name}: not implemented yet: non-standard axiom (mine)")
        case "skips an axiom":
            return _say(0, f"{accepts}, skipping exported but unpermitted axioms [mine]")
        case "skips and accepts":
            return _say(0, "skipped 1 axiom", accepts)
        case "panics":
            return _say(101, "thread 'main' panicked at src/main.rs:1:1", accepts)
        case "panics and goes on":
            return _say(0, "PANIC at Lean.Expr.bvar! Lean.Expr:1:1: bvar expected", accepts)
        case "gives up":
            return _say(
                1, "Lean default kernel rejects the solution: (kernel) deep recursion detected"
            )
        case "eats memory":
            held = bytearray(1 << 33)
            return _say(0, accepts, str(len(held)))
        case "hangs":
            print(accepts, flush=True)
            time.sleep(600)
        case "is killed":
            print(accepts, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        case "accepts and fails":
            return _say(1, accepts)
        case "is silent":
            return _say(0)
        case "fails silently":
            return _say(1)
        case "usage":
            return _say(3, f"usage: {name} FILE.ndjson")
        case "accepts fewer":
            return _say(0, ACCEPTS[name].format(1))
        case "accepts nothing":
            return _say(0, ACCEPTS[name].format(0))
        case "rejects in colour, then accepts":
            return _say(
                0, "\x1b[31mrejected\x1b[0m", "error: rejected declaration and_swap", accepts
            )
        case "rejects aside, then accepts":
            print("uncaught exception: (kernel) declaration type mismatch", file=sys.stderr)
            return _say(0, accepts)
        case "is written over":
            return _say(0, f"type mismatch\r{accepts}")
        case "accepts in colour":
            return _say(0, f"checking 1 of 2\r\x1b[2K\x1b[1;32m{accepts}\x1b[0m\r")
        case "accepts and rejects":
            return _say(0, accepts, REJECTS[name][1])
        case "accepts twice":
            return _say(0, accepts, accepts)
        case "accepts on trust":
            return _say(0, accepts.replace("--verified", "--trusted"))
        case "quotes":
            return _say(0, f"it would have said: {accepts}")
        case "floods":
            return _say(0, accepts, "x" * (1 << 22))
    raise AssertionError(behaviour)


if __name__ == "__main__":
    sys.exit(main())
