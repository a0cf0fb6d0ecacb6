"""How fast a replay is: reading, the kernel alone, start to verdict with 1, 2, … processes.

`PYTHONPATH=scripts python tests/bench_replay.py [--lines 10000 …] [--jobs 1 2 …] [--kind costly]`
prints a table; what stands in it is measured in this one run. Not run by pytest.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import IO

import mutants
import replay_support as support
from harness.replay import export, replay
from harness.replay import terms as t

STEPS = {"cheap": 0, "costly": 320}
"""How far the kernel counts in a declaration: for about 1 ms, or nothing."""


def generate(stream: IO[str], lines: int, kind: str) -> int:
    """Write a development of about that many lines; give the number of its theorems.

    Each theorem says `f (succ^k x) = f (succ^k x)`, written in about 60 lines of its own, and where
    it is to cost something, that a number computed by recursion is what it is.
    """
    base = support.exports()["naturals"]
    source = mutants.read(base)
    terms = source.terms
    text = base.splitlines()
    stream.write(base)
    name = len(terms.names)
    expr = 1 + max(
        int(line.split('"ie":')[1].split(",")[0].rstrip("}")) for line in text if '"ie":' in line
    )
    written = len(text)

    def put(template: str) -> int:
        nonlocal expr, written
        stream.write(template % expr + "\n")
        expr += 1
        written += 1
        return expr - 1

    records = support.records(base)
    ids = {full: index for index, full in _name_ids(records).items()}
    levels = {record["succ"]: record["il"] for record in records if "succ" in record}

    def const(full: t.Name, us: str = "") -> int:
        return put(f'{{"const":{{"name":{ids[full]},"us":[{us}]}},"ie":%d}}')

    def app(function: int, *arguments: int) -> int:
        for argument in arguments:
            function = put(f'{{"app":{{"arg":{argument},"fn":{function}}},"ie":%d}}')
        return function

    nat, zero, succ = const(("Nat",)), const(("Nat", "zero")), const(("Nat", "succ"))
    equal = app(const(("Eq",), str(levels[0])), nat)
    reflexive = app(const(("Eq", "refl"), str(levels[0])), nat)
    rec = const(("Nat", "rec"), str(levels[0]))
    var0, var1 = put('{"bvar":0,"ie":%d}'), put('{"bvar":1,"ie":%d}')

    def lam(body: int) -> int:
        return put(
            f'{{"ie":%d,"lam":{{"binderInfo":"default","body":{body},"name":0,"type":{nat}}}}}'
        )

    motive = lam(nat)
    step = lam(lam(app(succ, var0)))
    slow = app(rec, motive, zero, step)
    add = lam(lam(app(rec, motive, var1, step, var0)))
    count = 0
    while written < lines:
        stream.write(f'{{"in":{name},"num":{{"i":{count},"pre":0}}}}\n')
        written += 1
        value = zero
        for _ in range(3 + count % 20):
            value = app(succ, value)
        # Terms of each theorem's own.
        left = value
        for i in range(40):
            left = app(add, left, zero) if i % 20 == 0 and STEPS[kind] else app(succ, left)
        statement, proof = app(equal, left, left), app(reflexive, left)
        if STEPS[kind]:
            number = put(f'{{"ie":%d,"natVal":"{STEPS[kind] + count % 50}"}}')
            statement = app(equal, app(slow, number), number)
            proof = app(lam(app(reflexive, number)), left)
        stream.write(
            f'{{"thm":{{"all":[{name}],"levelParams":[],"name":{name},"type":{statement},'
            f'"value":{proof}}}}}\n'
        )
        written += 1
        name += 1
        count += 1
    return count


def _name_ids(records: list[dict[str, object]]) -> dict[int, t.Name]:
    """Give the names of an export by their ids."""
    found: dict[int, t.Name] = {0: ()}
    for record in records:
        if "str" in record:
            part = record["str"]
            assert isinstance(part, dict)
            index = record["in"]
            assert isinstance(index, int)
            found[index] = (*found[part["pre"]], part["str"])
    return found


def _used() -> float:
    """Return the processor time of all processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--jobs", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--kind", nargs="*", default=["cheap", "costly"])
    options = parser.parse_args()
    print(f"cores: {replay.cores()}, Python {sys.version.split()[0]}")
    # On a machine that is busy with something else, processor time says more than the clock.
    print(
        "kind    lines      theorems  read s  µs/line  kernel s  ms/decl  jobs  total s  ratio  "
        "µs/line  CPU s  CPU ratio  MiB"
    )
    for kind in options.kind:
        for lines in options.lines:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder, "bench.ndjson")
                with file.open("w", encoding="utf-8") as stream:
                    theorems = generate(stream, lines, kind)
                start = time.monotonic()
                export.read(file)
                reading = time.monotonic() - start
                alone = 0.0
                for jobs in options.jobs:
                    start, used = time.monotonic(), _used()
                    done = replay.replay(replay.Request(export=file, jobs=jobs))
                    total, used = time.monotonic() - start, _used() - used
                    assert done.exit_status == 0, done.findings
                    alone = alone or done.seconds["kernel"]
                    print(
                        f"{kind:7} {lines:<10,} {theorems:<9,} {reading:6.2f}  "
                        f"{reading / lines * 1e6:7.2f}  {alone:8.2f}  "
                        f"{alone / theorems * 1e3:7.2f}  {jobs:4}  {total:7.2f}  "
                        f"{total / alone:5.2f}  {total / lines * 1e6:7.2f}  {used:5.2f}  "
                        f"{used / alone:9.2f}  {done.memory / (1 << 20):,.0f}"
                    )
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"largest process: {usage.ru_maxrss / 1024:,.0f} MiB")


if __name__ == "__main__":
    main()
