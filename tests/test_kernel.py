"""The kernel and the processes around it: what is accepted, rejected, and could not be decided."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import replay_support as support
import terms_library
from harness.replay import kernel, replay, worker
from harness.replay import terms as t
from harness.replay.result import Stop

Lines = list[dict[str, Any]]


def ids(lines: Lines) -> dict[t.Name, int]:
    """Give the ids of names."""
    found: dict[int, t.Name] = {0: ()}
    for line in lines:
        for kind, last in (("str", "str"), ("num", "i")):
            if kind in line and "in" in line:
                found[line["in"]] = (*found[line[kind]["pre"]], line[kind][last])
    return {name: index for index, name in found.items()}


class Text:
    """An export to be changed or continued."""

    def __init__(self, name: str = "naturals") -> None:
        self.lines = support.records(support.exports()[name])
        self.ids = ids(self.lines)
        self.next: int = 1 + max(line.get("ie", 0) for line in self.lines)

    def put(self, **record: object) -> int:
        self.lines.append({**record, "ie": self.next})
        self.next += 1
        return self.next - 1

    def name(self, *name: str | int) -> int:
        if name not in self.ids:
            prefix = self.name(*name[:-1]) if name[:-1] else 0
            index = self.ids[name] = 1 + max(self.ids.values())
            last = name[-1]
            part = (
                {"str": {"pre": prefix, "str": last}}
                if isinstance(last, str)
                else {"num": {"pre": prefix, "i": last}}
            )
            self.lines.append({"in": index, **part})
        return self.ids[name]

    def level(self, number: int) -> int:
        level = 0
        for _ in range(number):
            found = [x["il"] for x in self.lines if x.get("succ") == level]
            if not found:
                found = [1 + max(x.get("il", 0) for x in self.lines)]
                self.lines.append({"il": found[0], "succ": level})
            level = found[0]
        return level

    def const(self, *name: str | int, us: tuple[int, ...] = ()) -> int:
        return self.put(const={"name": self.name(*name), "us": list(us)})

    def app(self, function: int, *arguments: int) -> int:
        for argument in arguments:
            function = self.put(app={"fn": function, "arg": argument})
        return function

    def pi(self, type_: int, body: int) -> int:
        return self.put(forallE={"name": 0, "type": type_, "body": body, "binderInfo": "default"})

    def lam(self, type_: int, body: int) -> int:
        return self.put(lam={"name": 0, "type": type_, "body": body, "binderInfo": "default"})

    def eq(self, type_: int, left: int, right: int) -> int:
        return self.app(self.const("Eq", us=(self.level(1),)), type_, left, right)

    def refl(self, type_: int, of: int) -> int:
        return self.app(self.const("Eq", "refl", us=(self.level(1),)), type_, of)

    def theorem(self, *name: str | int, type_: int, value: int) -> None:
        index = self.name(*name)
        self.lines.append(
            {
                "thm": {
                    "all": [index],
                    "levelParams": [],
                    "name": index,
                    "type": type_,
                    "value": value,
                }
            }
        )

    def of(self, kind: str, *name: str | int) -> dict[str, Any]:
        """Find a declaration."""
        index = self.ids[name]
        for line in self.lines:
            if kind == "inductive" and kind in line:
                if line[kind]["types"][0]["name"] == index:
                    return dict(line[kind])
            elif kind in line and line[kind]["name"] == index:
                value = line[kind]
                assert isinstance(value, dict)
                return value
        raise KeyError(name)

    def text(self) -> str:
        return support.joined(self.lines)


@pytest.mark.parametrize("name", sorted(terms_library.DEVELOPMENTS))
@pytest.mark.parametrize("jobs", [1, 3])
def test_developments_are_accepted(tmp_path: Path, name: str, jobs: int) -> None:
    done = support.replayed(support.exports()[name], tmp_path, jobs=jobs)
    assert (support.rules(done), done.exit_status) == ([], 0)
    assert done.added == sum(done.declarations.values())
    assert done.kernel is not None
    assert done.kernel.version == "4.35.0"
    assert done.kernel.sha256 == kernel.digest(support.library())


def test_a_target_and_its_axioms(tmp_path: Path) -> None:
    done = support.replayed(
        support.exports()["logic"], tmp_path, targets=["same_as_self", "chosen", "power"]
    )
    assert done.exit_status == 0
    assert [x.axioms for x in done.targets] == [("propext",), ("Classical.choice",), ()]
    assert done.targets[0].statement == "(Π(Sort 0) (Eq.{1} Sort 0 #0 #0))"
    assert done.targets[0].reading == "∀ (p : Prop), Eq Prop p p"
    assert {"Eq", "Iff", "Nonempty"} <= set(done.primitives)


def test_the_cone_of_a_target(tmp_path: Path) -> None:
    text = Text()
    text.of("thm", "product")["value"] = 0
    whole = support.replayed(text.text(), tmp_path)
    assert whole.exit_status == 1
    cone = support.replayed(text.text(), tmp_path, targets=["Nat.zero_add"], cone=True)
    assert (cone.exit_status, cone.scope) == (0, "cone")
    assert cone.added < sum(1 for line in text.lines if {"thm", "def"} & line.keys())
    assert cone.not_looked_at
    assert support.replayed(text.text(), tmp_path, targets=["product"], cone=True).exit_status == 1


def test_no_axiom_but_the_allowed(tmp_path: Path) -> None:
    text = Text()
    prop = text.put(sort=0)
    text.lines.append(
        {
            "axiom": {
                "isUnsafe": False,
                "levelParams": [],
                "name": text.name("easy"),
                "type": text.pi(prop, text.put(bvar=0)),
            }
        }
    )
    false = text.pi(prop, text.put(bvar=0))
    text.theorem("wrong", type_=false, value=text.const("easy"))
    done = support.replayed(text.text(), tmp_path, targets=["wrong"])
    assert support.rules(done) == ["axiom-not-allowed"]
    done = support.replayed(text.text(), tmp_path, targets=["power"])
    assert (support.rules(done), done.exit_status) == (["axiom-unused"], 0)
    # Without a target axioms are reported.
    done = support.replayed(text.text(), tmp_path)
    assert [axiom.name for axiom in done.axioms] == ["easy"]


def test_an_allowed_axiom_of_another_type(tmp_path: Path) -> None:
    text = Text()
    prop = text.put(sort=0)
    false = text.pi(prop, text.put(bvar=0))
    text.lines.append(
        {
            "axiom": {
                "isUnsafe": False,
                "levelParams": [],
                "name": text.name("propext"),
                "type": false,
            }
        }
    )
    text.theorem("wrong", type_=false, value=text.const("propext"))
    done = support.replayed(text.text(), tmp_path, targets=["wrong"])
    assert support.rules(done) == ["axiom-type-differs"]
    assert done.exit_status == 1


def test_names_are_not_text(tmp_path: Path) -> None:
    """Two names that are printed alike: a component `a.b`, and a number and digits."""
    text = Text()
    nat = text.const("Nat")
    same = text.eq(nat, text.const("Nat", "zero"), text.const("Nat", "zero"))
    proof = text.refl(nat, text.const("Nat", "zero"))
    text.theorem("a.b", type_=same, value=proof)
    text.theorem("x", "1", type_=same, value=proof)
    text.theorem("line\nbreak: axiom-not-allowed", type_=same, value=proof)
    assert support.replayed(text.text(), tmp_path).exit_status == 0
    for target in ("a.b", "x.1"):
        done = support.replayed(text.text(), tmp_path, targets=[target])
        assert support.rules(done) == ["target-missing"], target
    done = support.replayed(text.text(), tmp_path, targets=["«a.b»"])
    assert done.exit_status == 0


def test_what_is_no_theorem(tmp_path: Path) -> None:
    for name, target in (
        ("naturals", "Nat.add"),
        ("structures", "secret"),
        ("quotients", "Quot.lift"),
        ("naturals", "Nat.rec"),
        ("quotients", "Quot.sound"),
    ):
        done = support.replayed(support.exports()[name], tmp_path, targets=[target])
        assert "not-a-theorem" in support.rules(done)
        assert done.exit_status == 1


def test_a_statement_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "e.ndjson"
    file.write_text(support.exports()["structures"], encoding="utf-8")

    def ask(levels: tuple[str, ...] | None, statement: str) -> int:
        wanted = worker.Wanted(("List", "nil_append"), levels, statement)
        return replay.replay(replay.Request(export=file, targets=(wanted,), allowed=())).exit_status

    right = (
        "(Π(Sort (u+1)) (Π((List.{u} #0)) (Eq.{u+1} (List.{u} #1) "
        "(List.append.{u} #1 (List.nil.{u} #1) #0) #0)))"
    ).replace("Sort (u+1)", "Sort u+1")
    assert ask(("u",), right) == 0
    assert ask(None, right) == 0
    # Parameters may have other names, in order.
    renamed = right.replace("{u}", "{v_1}").replace("u+1", "v_1+1")
    assert ask(("v_1",), renamed) == 0
    assert ask(("u",), renamed) == 1
    assert ask(("u",), right.replace("#0", "#1", 1)) == 1
    assert ask(("u", "v"), right) == 1


@pytest.mark.parametrize("value", [0, 3])
def test_a_wrong_proof(tmp_path: Path, value: int) -> None:
    text = Text()
    text.of("thm", "power")["value"] = value
    for jobs in (1, 2):
        done = support.replayed(text.text(), tmp_path, jobs=jobs)
        assert support.rules(done) == ["kernel-rejects"]
        assert done.findings[0].declaration == "power"
        assert done.exit_status == 1


def test_loose_variables_and_unknown_levels(tmp_path: Path) -> None:
    for inside in (False, True):
        text = Text()
        loose = text.put(bvar=7)
        type_ = text.pi(text.put(bvar=3), loose) if inside else loose
        text.theorem("loose", type_=type_, value=text.put(bvar=0))
        assert support.replayed(text.text(), tmp_path).exit_status == 1


def test_unsafe_and_partial_are_skipped(tmp_path: Path) -> None:
    text = Text()
    text.of("def", "Nat", "mul")["safety"] = "unsafe"
    done = support.replayed(text.text(), tmp_path)
    # What rests on it has nothing to rest on.
    assert ("Nat.mul", "unsafe") in done.skipped
    assert done.exit_status == 1


Lie = Callable[[dict[str, Any]], object]


def _set(*place: Any) -> Lie:
    """Put a value at a place."""

    def change(value: Any) -> None:
        for key in place[:-2]:
            value = value[key]
        value[place[-2]] = place[-1]

    return change


@pytest.mark.parametrize(
    "lie",
    [
        _set("types", 0, "numIndices", 1),
        _set("types", 0, "numNested", 1),
        _set("types", 0, "isRec", False),
        _set("types", 0, "isReflexive", True),
        _set("ctors", 0, "cidx", 1),
        _set("ctors", 1, "numFields", 0),
        _set("ctors", 1, "numParams", 1),
        _set("ctors", 1, "isUnsafe", True),
        _set("recs", 0, "k", True),
        _set("recs", 0, "numMotives", 2),
        _set("recs", 0, "numMinors", 1),
        _set("recs", 0, "numParams", 1),
        _set("recs", 0, "numIndices", 1),
        _set("recs", 0, "rules", []),
        _set("recs", []),
        _set("recs", 0, "rules", 0, "nfields", 1),
        _set("recs", 0, "isUnsafe", True),
        _set("recs", 0, "levelParams", []),
        _set("ctors", 0, "levelParams", [1]),
        _set("recs", 0, "all", []),
        _set("types", 0, "all", []),
        lambda v: v["recs"][0]["rules"].reverse(),
        lambda v: v["recs"].append(v["recs"][0]),
        lambda v: v["ctors"].append(v["ctors"][0]),
        lambda v: v["ctors"].reverse() or v["types"][0]["ctors"].reverse(),
        lambda v: v["ctors"].pop(),
        # A successor rule that forgets the successor.
        lambda v: v["recs"][0]["rules"][1].update(rhs=v["recs"][0]["rules"][0]["rhs"]),
        lambda v: v["ctors"][0].update(induct=v["ctors"][0]["name"]),
        lambda v: v["ctors"][0].update(type=v["ctors"][1]["type"]),
    ],
)
def test_records_that_lie(tmp_path: Path, lie: Lie) -> None:
    text = Text()
    for line in text.lines:
        if "inductive" in line and line["inductive"]["types"][0]["name"] == text.ids[("Nat",)]:
            lie(line["inductive"])
    done = support.replayed(text.text(), tmp_path)
    assert done.exit_status == 1
    assert {"declaration-differs", "kernel-rejects", "declared-twice"} & set(support.rules(done))


def test_quotient_records_that_lie(tmp_path: Path) -> None:
    for name, kind in (("mk", "lift"), ("lift", "ind")):
        text = Text("quotients")
        text.of("quot", "Quot", name)["kind"] = kind
        assert support.replayed(text.text(), tmp_path).exit_status == 1
    text = Text("quotients")
    text.of("quot", "Quot", "ind")["type"] = text.of("quot", "Quot", "lift")["type"]
    assert support.replayed(text.text(), tmp_path).exit_status == 1


def test_inductive_types_that_are_none(tmp_path: Path) -> None:
    """Write negative occurrences, a wrong result, a universe too small, parameters not uniform."""

    def block(text: Text, type_: int, *ctors: int, params: int = 0) -> str:
        name = text.name("T")
        constructors = [
            {
                "name": text.name("T", f"c{i}"),
                "levelParams": [],
                "type": one,
                "induct": name,
                "cidx": i,
                "numParams": params,
                "numFields": 1,
                "isUnsafe": False,
            }
            for i, one in enumerate(ctors)
        ]
        text.lines.append(
            {
                "inductive": {
                    "types": [
                        {
                            "name": name,
                            "levelParams": [],
                            "type": type_,
                            "numParams": params,
                            "numIndices": 0,
                            "all": [name],
                            "numNested": 0,
                            "isRec": True,
                            "ctors": [c["name"] for c in constructors],
                            "isUnsafe": False,
                            "isReflexive": False,
                        }
                    ],
                    "ctors": constructors,
                    "recs": [],
                }
            }
        )
        return text.text()

    cases: list[str] = []
    text = Text()
    self_, sort = text.const("T"), text.put(sort=text.level(1))
    cases.append(block(text, sort, text.pi(text.pi(self_, self_), self_)))
    text = Text()
    cases.append(
        block(text, text.put(sort=text.level(1)), text.pi(text.const("Nat"), text.const("Nat")))
    )
    text = Text()
    small = text.put(sort=text.level(1))
    cases.append(block(text, small, text.pi(text.put(sort=text.level(1)), text.const("T"))))
    text = Text()
    cases.append(block(text, text.const("Nat"), text.const("T")))
    # Nested in a list, with a type as argument that is not one (an ill-typed parameter).
    text = Text("structures")
    lists = text.const("List", us=(0,))
    bad = text.app(lists, text.app(lists, text.const("Nat", "zero")))
    cases.append(block(text, text.put(sort=text.level(1)), text.pi(bad, text.const("T"))))
    # Applied to another parameter than its own.
    text = Text("structures")
    family = text.pi(text.put(sort=text.level(1)), text.put(sort=text.level(1)))
    other = text.app(text.const("T"), text.const("Nat"))
    own = text.app(text.const("T"), text.put(bvar=1))
    cases.append(
        block(
            text,
            family,
            text.pi(
                text.put(sort=text.level(1)),
                text.pi(text.app(text.const("List", us=(0,)), other), own),
            ),
            params=1,
        )
    )
    for case in cases:
        done = support.replayed(case, tmp_path)
        assert done.exit_status == 1
        assert support.rules(done) == ["kernel-rejects"]


def test_other_rejected_kinds(tmp_path: Path) -> None:
    """Write what other checkers got wrong: each has to be rejected."""
    cases: list[Text] = []
    text = Text()  # a theorem whose type is no proposition
    text.theorem("data", type_=text.const("Nat"), value=text.const("Nat", "zero"))
    cases.append(text)
    text = Text()  # a type that is none
    text.theorem("notype", type_=text.const("Nat", "zero"), value=text.const("Nat", "zero"))
    cases.append(text)
    text = Text()  # a universe parameter twice
    index = text.name("twice_u")
    u = text.name("u")
    text.lines.append(
        {
            "def": {
                "all": [index],
                "levelParams": [u, u],
                "name": index,
                "hints": "opaque",
                "safety": "safe",
                "type": text.put(sort=text.level(1)),
                "value": text.put(sort=0),
            }
        }
    )
    cases.append(text)
    text = Text()  # a universe parameter that is not declared
    index = text.name("free_u")
    level = next(x["il"] for x in text.lines if x.get("param") == u)
    text.lines.append(
        {
            "axiom": {
                "isUnsafe": False,
                "levelParams": [],
                "name": index,
                "type": text.put(sort=level),
            }
        }
    )
    cases.append(text)
    text = Text()  # a projection of what is no structure
    nat = text.const("Nat")
    value = text.put(
        proj={"typeName": text.name("Nat"), "idx": 0, "struct": text.const("Nat", "zero")}
    )
    text.theorem("projected", type_=text.eq(nat, value, value), value=text.refl(nat, value))
    cases.append(text)
    text = Text()  # it rests on itself
    false = text.pi(text.put(sort=0), text.put(bvar=0))
    text.theorem("self", type_=false, value=text.const("self"))
    cases.append(text)
    text = Text()  # large elimination out of a proposition
    prop = text.put(sort=0)
    exists = text.name("Ex")
    text.lines.append(
        {
            "inductive": {
                "types": [
                    {
                        "name": exists,
                        "levelParams": [],
                        "type": prop,
                        "numParams": 0,
                        "numIndices": 0,
                        "all": [exists],
                        "numNested": 0,
                        "isRec": False,
                        "ctors": [text.name("Ex", "a"), text.name("Ex", "b")],
                        "isUnsafe": False,
                        "isReflexive": False,
                    }
                ],
                "ctors": [
                    {
                        "name": text.name("Ex", x),
                        "levelParams": [],
                        "type": text.const("Ex"),
                        "induct": exists,
                        "cidx": i,
                        "numParams": 0,
                        "numFields": 0,
                        "isUnsafe": False,
                    }
                    for i, x in enumerate("ab")
                ],
                "recs": [
                    {
                        "name": text.name("Ex", "rec"),
                        "levelParams": [u],
                        "numParams": 0,
                        "type": text.put(sort=0),
                        "all": [exists],
                        "numIndices": 0,
                        "numMotives": 1,
                        "numMinors": 2,
                        "rules": [],
                        "k": False,
                        "isUnsafe": False,
                    }
                ],
            }
        }
    )
    cases.append(text)
    for case in cases:
        done = support.replayed(case.text(), tmp_path)
        assert done.exit_status == 1, done.findings


def test_a_cycle(tmp_path: Path) -> None:
    """Name a theorem in its own proof, and two in each other's."""
    text = Text()
    false = text.pi(text.put(sort=0), text.put(bvar=0))
    text.theorem("one", type_=false, value=text.const("two"))
    text.theorem("two", type_=false, value=text.const("one"))
    done = support.replayed(text.text(), tmp_path, targets=["one"], cone=True)
    assert "declaration-cycle" in support.rules(done)
    assert support.replayed(text.text(), tmp_path, targets=["two"]).exit_status == 1


def deep(count: int, wrap: Callable[[Text, int], int]) -> str:
    text = Text()
    nat = text.const("Nat")
    value = text.const("Nat", "zero")
    lines = [text.text()]
    start = text.next
    before = len(text.lines)
    for _ in range(count):
        value = wrap(text, value)
        if len(text.lines) > before + 10_000:
            lines.append(support.joined(text.lines[before:]))
            del text.lines[before:]
    assert text.next > start
    text.theorem("deep", type_=text.eq(nat, value, value), value=text.refl(nat, value))
    return "".join([*lines, support.joined(text.lines[before:])])


def test_a_deep_term(tmp_path: Path) -> None:
    text = Text()
    succ = text.const("Nat", "succ")
    del text

    def wrap(text: Text, value: int) -> int:
        return text.put(app={"fn": _constant(text, succ), "arg": value})

    done = support.replayed(deep(20_000, wrap), tmp_path, targets=["deep"])
    assert (done.exit_status, support.rules(done)) == (0, [])
    # With little room for a stack the kernel gives up, and says so.
    done = support.replayed(deep(20_000, wrap), tmp_path, targets=["deep"], memory=2 << 30)
    assert done.exit_status in (0, 2)


def _constant(text: Text, index: int) -> int:
    if text.next == index:
        text.const("Nat", "succ")
    for line in text.lines[-60:]:
        if line.get("const") == {"name": text.ids[("Nat", "succ")], "us": []}:
            return int(line["ie"])
    return text.const("Nat", "succ")


def test_a_million_levels_of_nesting(tmp_path: Path) -> None:
    """Nest applications, functions and types: whatever comes of it, it is no verdict."""
    text = Text()
    nat, succ, zero = text.const("Nat"), text.const("Nat", "succ"), text.const("Nat", "zero")
    start = text.next
    head = text.text()

    def chain(template: str) -> str:
        return "".join(
            template % (i - 1 if i > start else zero, i) for i in range(start, start + 1_000_000)
        )

    applications = chain('{"app":{"arg":%d,"fn":' + str(succ) + '},"ie":%d}\n')
    types = chain(
        '{"forallE":{"binderInfo":"default","body":%d,"name":0,"type":' + str(nat) + '},"ie":%d}\n'
    )
    last = start + 999_999
    index = 1 + max(text.ids.values())
    theorem = (
        f'{{"in":{index},"str":{{"pre":0,"str":"deep"}}}}\n'
        f'{{"thm":{{"all":[{index}],"levelParams":[],"name":{index},"type":{last},'
        f'"value":{last}}}}}\n'
    )
    for body in (applications, types):
        start_time = time.monotonic()
        done = support.replayed(head + body + theorem, tmp_path, seconds=12.0, targets=["deep"])
        # Both are wrong as well as deep; not to decide is right, to accept is not.
        assert done.exit_status in (1, 2)
        assert done.findings
        assert time.monotonic() - start_time < 60


def test_a_time_limit(tmp_path: Path) -> None:
    text = Text()
    endless(text)
    done = support.replayed(text.text(), tmp_path, seconds=4.0)
    assert done.exit_status == 2
    assert {"kernel-stopped", "kernel-undecided"} & set(support.rules(done))
    assert done.findings[-1].declaration == "endless"


def endless(text: Text) -> None:
    """Add a theorem that the kernel would compute at for ever, and take ever more memory."""
    nat = text.const("Nat")
    value = text.app(
        text.const("Nat", "rec", us=(text.level(1),)),
        text.lam(nat, nat),
        text.const("Nat", "zero"),
        text.lam(nat, text.lam(nat, text.app(text.const("Nat", "succ"), text.put(bvar=0)))),
        text.put(natVal=str(10**12)),
    )
    right = text.put(natVal=str(10**12 + 1))
    text.theorem("endless", type_=text.eq(nat, value, right), value=text.refl(nat, right))


def test_a_memory_limit(tmp_path: Path) -> None:
    done = support.replayed(support.exports()["naturals"], tmp_path, memory=50 << 20)
    assert (support.rules(done), done.exit_status) == (["limit-exceeded"], 2)
    assert "50 MiB" in done.findings[0].message
    done = support.replayed(support.exports()["naturals"], tmp_path, memory=1 << 30, jobs=2)
    assert done.exit_status == 0
    text = Text()
    endless(text)
    done = support.replayed(text.text(), tmp_path, memory=300 << 20, jobs=2)
    assert done.exit_status == 2
    assert {"limit-exceeded", "kernel-undecided"} & set(support.rules(done))
    assert done.findings[0].declaration == "endless"


def test_a_killed_process_says_where_it_was(tmp_path: Path) -> None:
    """Kill the processes that call the kernel while they work."""
    text = Text()
    endless(text)
    killed: list[int] = []

    def kill(progress: replay.Progress) -> None:
        if progress.what == "checking" and progress.at == "endless" and not killed:
            for child in _children(os.getpid()):
                for grandchild in _children(child):
                    killed.append(grandchild)
                    os.kill(grandchild, signal.SIGKILL)

    file = tmp_path / "e.ndjson"
    file.write_text(text.text(), encoding="utf-8")
    done = replay.replay(replay.Request(export=file, seconds=30.0), kill)
    assert killed
    assert support.rules(done) == ["kernel-stopped"]
    assert done.findings[0].declaration == "endless"
    assert "SIGKILL" in done.findings[0].message


def _children(process_id: int) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == process_id:
                found.append(int(folder.name))
    return found


def test_what_a_worker_says_needs_its_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Take a worker that prints an accepting message of its own making, and exits 0."""
    forged = tmp_path / "python"
    message = json.dumps({"token": "guess", "result": {}})
    forged.write_text(f"#!/bin/sh\necho '{message}'\n", encoding="utf-8")
    forged.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(forged))
    done = support.replayed(support.exports()["naturals"], tmp_path)
    assert (support.rules(done), done.exit_status) == (["kernel-stopped"], 2)


def test_no_kernel(tmp_path: Path) -> None:
    done = support.replayed(support.exports()["naturals"], tmp_path, kernel=tmp_path / "none")
    assert (support.rules(done), done.exit_status) == (["kernel-missing"], 2)
    other = tmp_path / "libleanshared.so"
    other.write_bytes(b"no library")
    done = support.replayed(support.exports()["naturals"], tmp_path, kernel=other)
    assert (support.rules(done), done.exit_status) == (["kernel-missing"], 2)


def test_a_library_that_is_no_lean(tmp_path: Path) -> None:
    source = subprocess.run(
        [sys.executable, "-c", "import _ctypes; print(_ctypes.__file__)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    other = tmp_path / "libleanshared.so"
    other.write_bytes(Path(source).read_bytes())
    with pytest.raises(Stop) as stop:
        kernel.Library(other)
    assert stop.value.finding.rule == "kernel-missing"


def test_nothing_to_check(tmp_path: Path) -> None:
    lines = support.records(support.exports()["naturals"])[:20]
    lines = [line for line in lines if not {"inductive", "thm", "def"} & line.keys()]
    done = support.replayed(support.joined(lines), tmp_path)
    assert (support.rules(done), done.exit_status) == (["nothing-checked"], 2)
    assert support.replayed("", tmp_path).exit_status == 2


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[replay.Progress] = []
    file = tmp_path / "e.ndjson"
    file.write_text(support.exports()["families"], encoding="utf-8")
    replay.replay(replay.Request(export=file), told.append)
    assert told
    assert all(one.line() for one in told)
