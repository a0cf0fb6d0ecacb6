"""Verifications for tests of the page: made up, and marked as made up wherever they are shown."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harness.policy import load_policy
from harness.report.declared import Declarations, declarations
from harness.sources.lexer import Kind, tokenize
from harness.sources.project import read_sources
from projects_for_tests import AXIOMS, CHECKOUT

SCOPE = "SYNTHETIC, made up for a test of the page; nothing was verified"
MAIN = "DinhSharpness.ArbitrarilySharpEquivalentMinima"
STEPS = (
    *("self-test", "pins", "sources", "source scan", "toolchain", "build", "audit", "terms"),
    *("print", "replay", "cross-check", "statement", "sorry", "unchanged"),
)
MAIN_BINDERS = ("d", "h", "hd", "hh", "ℓ", "hcont", "θ", "hdiff", "hmin", "hgrad", "hne", "M", "hM")
MAIN_UNUSED = frozenset({"hd", "hh", "hcont", "hgrad"})


def sources() -> Declarations:
    """What the files of this project declare, the challenge left out."""
    policy = load_policy(CHECKOUT / "scripts" / "policy.toml")
    files = read_sources(CHECKOUT, policy.exclude).files
    return declarations(f for f in files if f.path.startswith(("Definitions/", "DinhSharpness")))


def synthetic(**changes: Any) -> dict[str, Any]:
    """A verification of this project as it might look where everything passed; `changes` on top.

    The graph is guessed from the words in the sources, the axioms from the policy.
    """
    found = sources()
    policy = load_policy(CHECKOUT / "scripts" / "policy.toml")
    graph = {name: _words(name, found) for name in found.by_name}
    document: dict[str, Any] = {
        "schema": 1,
        "verdict": "ACCEPTED",
        "scope": SCOPE,
        "project": policy.name,
        "time": "2026-01-01T00:00:00+00:00",
        "versions": {"lean": "4.30.0", "mathlib": "c5ea0035", "harness": "0", "kernel": "none"},
        "steps": [step(name) for name in STEPS],
        "targets": [_target(name, found, graph) for name in policy.targets],
        "findings": [],
        "not_looked_at": ["anything: this verification was made up"],
    }
    return document | changes


def step(name: str, status: str = "passed", required: bool = True) -> dict[str, Any]:
    """A step, made up."""
    return {
        "name": name,
        "status": status,
        "required": required,
        "seconds": 1.0,
        "detail": f"{name}: made up",
    }


def target(name: str, **changes: Any) -> dict[str, Any]:
    """A target of a project that does not exist, made up; `changes` on top."""
    return {
        "name": name,
        "verdict": "ACCEPTED",
        "statement": constant(name, "theorem"),
        "axioms": [],
        "hypotheses": [],
        "definitions": [],
        "graph": {},
    } | changes


def constant(name: str, kind: str, **changes: Any) -> dict[str, Any]:
    """A declaration, made up; `changes` on top."""
    return {
        "name": name,
        "kind": kind,
        "module": "Main",
        "levels": [],
        "type": "Sort 0",
        "value": None,
        "prettyType": "True",
        "prettyValue": None,
        "line": 1,
        "column": 0,
    } | changes


def small(**changes: Any) -> dict[str, Any]:
    """A verification of a project that does not exist, made up; `changes` on top."""
    return synthetic() | {"project": "Nowhere", "targets": [target("Nowhere.main")]} | changes


def tangled(count: int) -> dict[str, list[str]]:
    """A graph of `count` declarations with long names, each using up to four others."""
    numbers = random.Random(count)
    return {
        _long(i): [
            _long(j)
            for j in numbers.sample(range(i + 1, min(i + 40, count)), min(4, count - 1 - i))
        ]
        for i in range(count)
    }


def _long(number: int) -> str:
    return f"Nowhere.a_theorem_with_a_rather_long_name_{number}"


def write(document: dict[str, Any], folder: Path) -> Path:
    """A verification as a file."""
    file = folder / "verification.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


def _target(name: str, found: Declarations, graph: dict[str, list[str]]) -> dict[str, Any]:
    declared = found.by_name[name]
    below = _reached([name], graph)
    binders = MAIN_BINDERS if name == MAIN else ()
    return target(
        name,
        text=declared.statement,
        statement=constant(name, "theorem", prettyType=None),
        axioms=[
            {"name": axiom, "type": type_, "by": ["audit", "print", "terms"]}
            for axiom, (_, type_) in AXIOMS.items()
        ],
        hypotheses=[
            {"name": b, "type": "Sort 0", "explicit": True, "used": b not in MAIN_UNUSED}
            for b in binders
        ],
        definitions=[
            constant(n, "def", prettyType=None, text=found.by_name[n].text)
            for n in found.by_name
            if n in below
            and found.by_name[n].kind == "definition"
            and found.by_name[n].file.startswith("Definitions/")
        ],
        graph={n: graph[n] for n in sorted(below)},
    )


def _words(name: str, found: Declarations) -> list[str]:
    space = name.partition(".")[0]
    words = {t.text for t in tokenize(found.by_name[name].text) if t.kind is Kind.IDENTIFIER}
    return sorted(
        full for word in words if (full := f"{space}.{word}") in found.by_name and full != name
    )


def _reached(roots: Iterable[str], graph: dict[str, list[str]]) -> set[str]:
    seen: set[str] = set()
    todo = list(roots)
    while todo:
        if (name := todo.pop()) not in seen:
            seen.add(name)
            todo += graph[name]
    return seen
