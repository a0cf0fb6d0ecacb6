"""Mutants of exports: small changes, each by a seed, and what became of them.

`python mutants.py LIBRARY FOLDER FIRST COUNT STEP` reads the exports in FOLDER, loads the library
once, and replays COUNT mutants, each in a process that is forked for it. It prints one line of JSON
for each: seed, development, kind of change, exit status, rules, and for an accepted one what
differs.
"""

from __future__ import annotations

import copy
import io
import json
import os
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.replay import export, worker
from harness.replay import terms as t
from harness.replay.replay import STANDARD_AXIOMS
from harness.replay.result import Finding, Replay, Stop
from harness.replay.terms import Source

Lines = list[dict[str, Any]]
Change = Callable[[random.Random, Lines], None]


class NothingToChange(Exception):
    """A development has no place for a kind of change."""


def pick(rng: random.Random, items: list[Any]) -> Any:
    """Choose one, or give up."""
    if not items:
        raise NothingToChange
    return rng.choice(items)


def of_kind(lines: Lines, *kinds: str) -> list[dict[str, Any]]:
    """Give the records of some kinds, with the number of their line."""
    return [
        {"at": i, "kind": kind, "value": line[kind], "line": line}
        for i, line in enumerate(lines)
        for kind in kinds
        if kind in line
    ]


def other(rng: random.Random, value: int, below: int) -> int:
    """Choose another number below a bound."""
    if below < 2:
        raise NothingToChange
    return (value + rng.randrange(1, below)) % below


def before(lines: Lines, at: int, key: str = "ie") -> int:
    """Count the ids of a kind that are defined before a line."""
    return sum(1 for line in lines[:at] if key in line) + (key != "ie")


# Lines.


def cut_line(rng: random.Random, lines: Lines) -> None:
    del lines[rng.randrange(len(lines))]


def swap_lines(rng: random.Random, lines: Lines) -> None:
    i, j = rng.sample(range(len(lines)), 2)
    lines[i], lines[j] = lines[j], lines[i]


def duplicate_line(rng: random.Random, lines: Lines) -> None:
    lines.insert(rng.randrange(len(lines)), copy.deepcopy(rng.choice(lines)))


def move_declaration(rng: random.Random, lines: Lines) -> None:
    one = pick(rng, of_kind(lines, "thm", "def", "inductive", "axiom", "quot", "opaque"))
    lines.insert(rng.randrange(1, one["at"] + 1), lines.pop(one["at"]))


def cut_end(rng: random.Random, lines: Lines) -> None:
    del lines[rng.randrange(1, len(lines)) :]


# Places in records.


def places(value: Any, inside: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Give the places of all simple values."""
    if isinstance(value, dict):
        return [x for k, v in value.items() for x in places(v, (*inside, k))]
    if isinstance(value, list):
        return [x for i, v in enumerate(value) for x in places(v, (*inside, i))]
    return [inside]


def put(line: Any, place: tuple[Any, ...], value: Any) -> None:
    """Put another value at a place."""
    for key in place[:-1]:
        line = line[key]
    old = line[place[-1]]
    line[place[-1]] = value(old) if callable(value) else value


def any_integer(rng: random.Random, lines: Lines) -> None:
    line = rng.choice(lines[1:])
    numbers = [p for p in places(line) if type(_at(line, p)) is int]
    put(line, pick(rng, numbers), lambda x: max(0, x + rng.choice((-2, -1, 1, 2, 7))))


def any_flag(rng: random.Random, lines: Lines) -> None:
    one = pick(rng, of_kind(lines, "inductive", "opaque", "axiom", "letE"))
    flags = [p for p in places(one["value"]) if type(_at(one["value"], p)) is bool]
    put(one["value"], pick(rng, flags), lambda x: not x)


def wrong_type(rng: random.Random, lines: Lines) -> None:
    line = rng.choice(lines)
    numbers = [p for p in places(line) if type(_at(line, p)) is int]
    wrong: list[Any] = [1.0, True, "1", None, -1, [], {}, 10**30, 0.5]
    value = rng.choice(wrong)
    put(line, pick(rng, numbers), value)


def lost_key(rng: random.Random, lines: Lines) -> None:
    line = rng.choice(lines)
    place = pick(rng, places(line))
    for key in place[:-1]:
        line = line[key]
    del line[place[-1]]


def more_key(rng: random.Random, lines: Lines) -> None:
    line = rng.choice(lines)
    inner = [v for v in line.values() if isinstance(v, dict)]
    rng.choice([line, *inner])[rng.choice(("extra", "ie", "thm", "name"))] = 0


def _at(line: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        line = line[key]
    return line


# Expressions.


def expression_part(rng: random.Random, lines: Lines) -> None:
    one = pick(rng, of_kind(lines, "app", "lam", "forallE", "letE", "proj"))
    keys = [k for k in ("fn", "arg", "type", "body", "value", "struct") if k in one["value"]]
    key = rng.choice(keys)
    one["value"][key] = other(rng, one["value"][key], before(lines, one["at"]))


def swapped_application(rng: random.Random, lines: Lines) -> None:
    value = pick(rng, of_kind(lines, "app"))["value"]
    value["fn"], value["arg"] = value["arg"], value["fn"]


def constant(rng: random.Random, lines: Lines) -> None:
    one = pick(rng, of_kind(lines, "const"))
    one["value"]["name"] = other(rng, one["value"]["name"], before(lines, one["at"], "in"))


def constant_levels(rng: random.Random, lines: Lines) -> None:
    one = pick(rng, [x for x in of_kind(lines, "const") if x["value"]["us"]])
    us = one["value"]["us"]
    change = rng.randrange(3)
    if change == 0:
        us[0] = other(rng, us[0], before(lines, one["at"], "il"))
    elif change == 1:
        us.pop()
    else:
        us.append(us[0])


def variable(rng: random.Random, lines: Lines) -> None:
    line = pick(rng, of_kind(lines, "bvar"))["line"]
    line["bvar"] = max(0, line["bvar"] + rng.choice((-1, 1, 5)))


def numeral(rng: random.Random, lines: Lines) -> None:
    line = pick(rng, of_kind(lines, "natVal"))["line"]
    line["natVal"] = str(int(line["natVal"]) + rng.choice((1, 2, 10**20)))


def string(rng: random.Random, lines: Lines) -> None:
    pick(rng, of_kind(lines, "strVal"))["line"]["strVal"] += "x"


def sort(rng: random.Random, lines: Lines) -> None:
    one = pick(rng, of_kind(lines, "sort"))
    one["line"]["sort"] = other(rng, one["value"], before(lines, one["at"], "il"))


def field(rng: random.Random, lines: Lines) -> None:
    value = pick(rng, of_kind(lines, "proj"))["value"]
    value["idx"] = rng.choice([x for x in (0, 1, 2, 9) if x != value["idx"]])


def structure_name(rng: random.Random, lines: Lines) -> None:
    one = pick(rng, of_kind(lines, "proj"))
    one["value"]["typeName"] = other(rng, one["value"]["typeName"], before(lines, one["at"], "in"))


def level(rng: random.Random, lines: Lines) -> None:
    one = pick(rng, of_kind(lines, "succ", "max", "imax", "param"))
    count = before(lines, one["at"], "in" if one["kind"] == "param" else "il")
    if isinstance(one["value"], list):
        i = rng.randrange(2)
        one["value"][i] = other(rng, one["value"][i], count)
    else:
        one["line"][one["kind"]] = other(rng, one["value"], count)


def binder_information(rng: random.Random, lines: Lines) -> None:
    value = pick(rng, of_kind(lines, "lam", "forallE"))["value"]
    value["binderInfo"] = rng.choice(t.BINDERS)


# Declarations.


def another_proof(rng: random.Random, lines: Lines) -> None:
    one = pick(rng, of_kind(lines, "thm"))
    one["value"]["value"] = other(rng, one["value"]["value"], before(lines, one["at"]))


def proof_of_another(rng: random.Random, lines: Lines) -> None:
    one, two = rng.sample(of_kind(lines, "thm"), 2)
    late = max(one, two, key=lambda x: x["at"])
    early = min(one, two, key=lambda x: x["at"])
    late["value"]["value"] = early["value"]["value"]


def another_type(rng: random.Random, lines: Lines) -> None:
    one = pick(rng, of_kind(lines, "thm", "def", "opaque", "axiom", "quot"))
    one["value"]["type"] = other(rng, one["value"]["type"], before(lines, one["at"]))


def another_value(rng: random.Random, lines: Lines) -> None:
    one = pick(rng, of_kind(lines, "def", "opaque"))
    one["value"]["value"] = other(rng, one["value"]["value"], before(lines, one["at"]))


def universe_parameters(rng: random.Random, lines: Lines) -> None:
    one = pick(rng, of_kind(lines, "thm", "def", "axiom", "quot"))
    params = one["value"]["levelParams"]
    if params and rng.random() < 0.5:
        params.pop(rng.randrange(len(params)))
    elif params and rng.random() < 0.5:
        params.append(params[0])
    else:
        params.append(rng.randrange(before(lines, one["at"], "in")))


def another_name(rng: random.Random, lines: Lines) -> None:
    one = pick(rng, of_kind(lines, "thm", "def", "opaque", "axiom", "quot"))
    one["value"]["name"] = other(rng, one["value"]["name"], before(lines, one["at"], "in"))


def theorem_as_axiom(rng: random.Random, lines: Lines) -> None:
    one = pick(rng, of_kind(lines, "thm", "opaque"))
    value = one["value"]
    lines[one["at"]] = {
        "axiom": {k: value[k] for k in ("name", "levelParams", "type")} | {"isUnsafe": False}
    }


def safety(rng: random.Random, lines: Lines) -> None:
    pick(rng, of_kind(lines, "def"))["value"]["safety"] = rng.choice(("unsafe", "partial"))


def lost_declaration(rng: random.Random, lines: Lines) -> None:
    del lines[pick(rng, of_kind(lines, "thm", "def", "inductive", "axiom", "quot"))["at"]]


def false_from_nowhere(rng: random.Random, lines: Lines) -> None:
    """Add an axiom that everything follows from, and prove a theorem by it."""
    one = pick(rng, of_kind(lines, "thm"))
    name, expr = before(lines, len(lines), "in"), before(lines, len(lines))
    axiom = {
        "name": name,
        "type": one["value"]["type"],
        "isUnsafe": False,
        "levelParams": one["value"]["levelParams"],
    }
    title = rng.choice(("propext", "easy", "Classical.choice"))
    levels = [
        next((x["il"] for x in lines if x.get("param") == n), 0)
        for n in one["value"]["levelParams"]
    ]
    lines[one["at"] : one["at"]] = [
        {"in": name, "str": {"pre": 0, "str": title}},
        {"axiom": axiom},
        {"ie": expr, "const": {"name": name, "us": levels}},
    ]
    one["value"]["value"] = expr


# Inductive types.


def inductive_fact(rng: random.Random, lines: Lines) -> None:
    value = pick(rng, of_kind(lines, "inductive"))["value"]
    record = pick(rng, [*value["types"], *value["ctors"], *value["recs"]])
    key = rng.choice(
        [
            k
            for k, v in record.items()
            if type(v) in (int, bool) and k not in ("name", "type", "induct")
        ]
    )
    old = record[key]
    record[key] = (not old) if type(old) is bool else old + rng.choice((1, 2))


def constructor_type(rng: random.Random, lines: Lines) -> None:
    one = pick(rng, [x for x in of_kind(lines, "inductive") if x["value"]["ctors"]])
    record = rng.choice(one["value"]["ctors"])
    record["type"] = other(rng, record["type"], before(lines, one["at"]))


def constructor_order(rng: random.Random, lines: Lines) -> None:
    types = [
        y for x in of_kind(lines, "inductive") for y in x["value"]["types"] if len(y["ctors"]) > 1
    ]
    pick(rng, types)["ctors"].reverse()


def lost_constructor(rng: random.Random, lines: Lines) -> None:
    value = pick(rng, [x["value"] for x in of_kind(lines, "inductive") if x["value"]["ctors"]])
    if rng.random() < 0.5:
        value["ctors"].pop(rng.randrange(len(value["ctors"])))
    else:
        pick(rng, [x for x in value["types"] if x["ctors"]])["ctors"].pop()


def inductive_type(rng: random.Random, lines: Lines) -> None:
    one = pick(rng, of_kind(lines, "inductive"))
    record = rng.choice(one["value"]["types"])
    record["type"] = other(rng, record["type"], before(lines, one["at"]))


def recursor(rng: random.Random, lines: Lines) -> None:
    """Let a recursor or one of its rules lie."""
    one = pick(rng, of_kind(lines, "inductive"))
    record = rng.choice(one["value"]["recs"])
    count = before(lines, one["at"])
    change = rng.randrange(7)
    if change == 0:
        one["value"]["recs"].remove(record)
    elif change == 1:
        record["type"] = other(rng, record["type"], count)
    elif change == 2:
        record["k"] = not record["k"]
    elif not record["rules"]:
        raise NothingToChange
    elif change == 3:
        record["rules"].pop()
    elif change == 4:
        record["rules"].append(record["rules"][0])
    elif change == 5:
        rule = rng.choice(record["rules"])
        rule["rhs"] = other(rng, rule["rhs"], count)
    else:
        rule = rng.choice(record["rules"])
        rule["nfields"] += 1


def negative_occurrence(rng: random.Random, lines: Lines) -> None:
    """Give a constructor an argument that takes the type itself: `(T → T) → T`."""
    simple = [
        x
        for x in of_kind(lines, "inductive")
        if x["value"]["types"][0]["numParams"] == x["value"]["types"][0]["numIndices"] == 0
    ]
    one = pick(rng, simple)
    at, value = one["at"], one["value"]
    name, expr = value["types"][0]["name"], before(lines, len(lines))
    binder = {"name": 0, "binderInfo": "default"}
    lines[at:at] = [
        {"ie": expr, "const": {"name": name, "us": []}},
        {"ie": expr + 1, "forallE": {**binder, "type": expr, "body": expr}},
        {"ie": expr + 2, "forallE": {**binder, "type": expr + 1, "body": expr}},
    ]
    pick(rng, value["ctors"])["type"] = expr + 2


def native_function(rng: random.Random, lines: Lines) -> None:
    """Define a function that the kernel computes natively by the body of another."""
    names = {x["line"]["in"]: x["value"]["str"] for x in of_kind(lines, "str")}
    made = [
        x
        for x in of_kind(lines, "def")
        if names.get(x["value"]["name"]) in ("add", "mul", "sub", "pow", "beq", "ble")
    ]
    one, two = rng.sample(made, 2)
    late, early = max(one, two, key=lambda x: x["at"]), min(one, two, key=lambda x: x["at"])
    if late["value"]["type"] != early["value"]["type"]:
        raise NothingToChange
    late["value"]["value"] = early["value"]["value"]


CHANGES: list[tuple[Change, int]] = [
    (cut_line, 3),
    (swap_lines, 3),
    (duplicate_line, 2),
    (move_declaration, 3),
    (cut_end, 2),
    (any_integer, 8),
    (any_flag, 3),
    (wrong_type, 3),
    (lost_key, 2),
    (more_key, 2),
    (expression_part, 8),
    (swapped_application, 3),
    (constant, 5),
    (constant_levels, 4),
    (variable, 4),
    (numeral, 2),
    (string, 1),
    (sort, 3),
    (field, 2),
    (structure_name, 1),
    (level, 3),
    (binder_information, 1),
    (another_proof, 5),
    (proof_of_another, 4),
    (another_type, 5),
    (another_value, 4),
    (universe_parameters, 4),
    (another_name, 4),
    (theorem_as_axiom, 3),
    (safety, 2),
    (lost_declaration, 3),
    (false_from_nowhere, 4),
    (inductive_fact, 6),
    (constructor_type, 4),
    (constructor_order, 2),
    (lost_constructor, 3),
    (inductive_type, 3),
    (recursor, 8),
    (negative_occurrence, 2),
    (native_function, 2),
]

NEVER = {
    "wrong_type",
    "more_key",
    "recursor",
    "inductive_fact",
    "negative_occurrence",
    "false_from_nowhere",
    "theorem_as_axiom",
    "native_function",
    "cut_end",
    "proof_of_another",
    "constructor_order",
    "lost_constructor",
    "field",
}
"""Kinds of change that leave nothing that could be accepted."""


def mutant(seed: int, bases: dict[str, str]) -> tuple[str, str, str]:
    """Make the mutant of a seed: its development, its kind of change, its text."""
    rng = random.Random(seed)
    while True:
        name = rng.choice(sorted(bases))
        change = rng.choices([c for c, _ in CHANGES], [w for _, w in CHANGES])[0]
        lines = [json.loads(line) for line in bases[name].splitlines()]
        try:
            change(rng, lines)
        except NothingToChange:
            continue
        text = "".join(
            json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n" for line in lines
        )
        return name, change.__name__, text


def read(text: str) -> Source:
    """Read an export from text."""
    reader = export.Reader()
    reader.lines(text.encode().split(b"\n")[:-1])
    return reader.finish()


def theorems(source: Source) -> list[worker.Wanted]:
    """Give all theorems of a development as targets, with their statements."""
    terms = source.terms
    return [
        worker.Wanted(
            terms.names[one.name],
            tuple(t.name_text(terms.names[n]) for n in one.levels),
            t.render(terms, one.type),
        )
        for one in source.declarations
        if isinstance(one, t.Theorem)
    ]


def stated(base: Source) -> set[int]:
    """Give the numbers of the declarations that some theorem's statement needs."""
    usage = t.Usage(base.terms)
    found: set[int] = set()
    todo = [
        n
        for one in base.declarations
        if isinstance(one, t.Theorem)
        for n in usage.of([one.type]).names
    ]
    while todo:
        number = base.index[todo.pop()]
        if number in found:
            continue
        found.add(number)
        one = base.declarations[number]
        roots = [one.type] if isinstance(one, t.Theorem) else list(t.roots_of(one))
        todo += usage.of(roots).names
    return found


def unexplained(base: Source, text: str) -> tuple[list[str], list[str]]:
    """Say what of an accepted mutant cannot be, and of what kinds the rest is.

    What can be: another proof of the same statement; other definitions or types that no statement
    needs; those that a statement needs, which is for the comparison of statements to find. What
    cannot: a theorem that says something else or is gone, and a record about an inductive type that
    differs while the type and its constructors do not.
    """
    changed = read(text)
    same = t.Comparison(base.terms, changed.terms)
    needed = stated(base)
    bugs, kinds = [], []
    blocks: dict[int, set[str]] = {}
    for index, constant in base.constants.items():
        name = base.terms.names[index]
        there = changed.find(name)
        kind, text_ = t.kind_of(constant), t.name_text(name)
        number = base.index[index]
        if there is not None and same.constants(constant, there):
            continue
        if isinstance(constant, t.Theorem):
            if there is not None and same.constants(constant, there, proofs=False):
                kinds.append("another proof")
            else:
                bugs.append(f"theorem {text_}")
        elif number in needed:
            kinds.append("found by comparing statements")
        else:
            kinds.append("needed by no statement")
        if isinstance(base.declarations[number], t.Inductive):
            blocks.setdefault(number, set()).add(kind)
    for number, changes in blocks.items():
        if changes == {"recursor"}:
            name = base.terms.names[base.declarations[number].name]
            bugs.append(f"recursor of {t.name_text(name)}")
    return bugs, sorted(set(kinds)) or ["nothing that is compared"]


def judged(text: str, targets: list[worker.Wanted], ready: worker.Ready, folder: Path) -> Replay:
    """Replay a mutant as the product does, with a library that is loaded."""
    file = folder / f"{os.getpid()}.ndjson"
    file.write_text(text, encoding="utf-8")
    request = worker.Request(
        token="",
        library=str(ready.library.path),
        export=str(file),
        targets=tuple(targets),
        allowed=STANDARD_AXIOMS,
        seconds=30.0,
        stack=1 << 26,
    )
    try:
        return worker.Worker(request, lambda _: None).run(ready)
    except Stop as stop:
        return Replay((stop.finding,))
    finally:
        file.unlink()


def main() -> None:
    """Replay mutants and print what became of them."""
    ready = worker.start(Path(sys.argv[1]))
    bases = {f.stem: f.read_text(encoding="utf-8") for f in Path(sys.argv[2]).glob("*.ndjson")}
    sources = {name: read(text) for name, text in bases.items()}
    targets = {name: theorems(source) for name, source in sources.items()}
    first, count, step = map(int, sys.argv[3:6])
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count * step, step):
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                out: dict[str, Any] = {"seed": seed}
                try:
                    name, change, text = mutant(seed, bases)
                    out |= {"base": name, "change": change}
                    done = judged(text, targets[name], ready, Path(folder))
                    out |= {"exit": done.exit_status, "rules": _rules(done.findings)}
                    if done.exit_status == 0:
                        out["bugs"], out["kinds"] = unexplained(sources[name], text)
                except BaseException as error:
                    out["fault"] = f"{type(error).__name__}: {error}"
                finally:
                    print(json.dumps(out), flush=True)
                    os._exit(0)
            _, status = os.waitpid(child, 0)
            if status:
                print(json.dumps({"seed": seed, "fault": f"status {status}"}), flush=True)


def _rules(findings: tuple[Finding, ...]) -> list[str]:
    return [f.rule for f in findings]


if __name__ == "__main__":
    sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", write_through=True)
    main()
