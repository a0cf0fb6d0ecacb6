"""A verification as JSON, schema 1, from which every other report can be made."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import harness
from harness.axioms import TERMS
from harness.sources import pins
from harness.steps import Run
from harness.toolchain.audit import Constant, Statement
from harness.verdict import WAYS, Finding, Level, Status, Verdict, Verification

SCHEMA = 1


def document(run: Run, verification: Verification) -> dict[str, Any]:
    """The verification of a run as plain data."""
    return {
        "schema": SCHEMA,
        "verdict": verification.verdict.value,
        "scope": verification.scope or "whole",
        "project": run.policy.name,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": _versions(run),
        "steps": [
            {
                "name": step.name,
                "status": step.status.value,
                "required": step.required,
                "seconds": round(step.seconds, 3),
                "detail": step.detail,
            }
            for step in verification.steps
        ],
        "targets": [target(run, verification, name) for name in verification.targets],
        "checkers": [dataclasses.asdict(ran) for ran in run.checked],
        "findings": [_finding(finding) for finding in verification.findings],
        "not_looked_at": list(verification.not_looked_at),
    }


def dumps(data: dict[str, Any]) -> str:
    """JSON as files hold it: UTF-8 text, indented, with a final line feed."""
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def target(run: Run, verification: Verification, name: str) -> dict[str, Any]:
    """Everything that is known of one target."""
    # The terms have names of binders, the audit has none.
    ways = sorted(run.facts().items(), key=lambda way: way[0] != TERMS)
    targets = (t for _, facts in ways for t in facts.targets)
    found = next((t for t in targets if t.name == name), None)
    statement = found.statement if found else None
    return {
        "name": name,
        "verdict": target_verdict(verification, name).value,
        "statement": _constant(statement.constant) if statement else None,
        "text": _text(statement, statement.constant) if statement else None,
        "axioms": _axioms(run, name),
        "hypotheses": [
            {"name": h.name, "type": h.type, "explicit": h.explicit, "used": h.used}
            for h in (found.hypotheses if found else ())
        ],
        "unused": list(run.unused_hypotheses.get(name, ())),
        "met": _met(run, name),
        "definitions": [
            {**_constant(c), "text": _text(statement, c)}
            for c in (statement.definitions if statement else ())
        ],
        "graph": {k: list(v) for k, v in ((found.graph or {}) if found else {}).items()},
    }


def target_verdict(verification: Verification, name: str) -> Verdict:
    """What is known of one target: never more than the verdict on the whole allows.

    A violation that is about one target leaves the others as they are; one that is about none in
    particular is about all.
    """
    violations = [f for f in verification.findings if f.level is Level.VIOLATION]
    if any(f.target in (None, name) for f in violations):
        return Verdict.REJECTED
    needed = [s for s in verification.steps if s.required]
    ran = all(s.status in (Status.PASSED, Status.FAILED) for s in needed)
    covered = all(name in s.covered for s in needed if s.about_targets)
    ways = sum(name in s.covered for s in verification.steps if s.name in WAYS)
    if (
        verification.verdict is Verdict.COULD_NOT_RUN
        or not (ran and covered)
        or ways < verification.ways
    ):
        return Verdict.COULD_NOT_RUN
    return Verdict.ACCEPTED


def _axioms(run: Run, name: str) -> list[dict[str, Any]]:
    types: dict[str, str | None] = {}
    by: dict[str, list[str]] = {}
    for way, facts in run.facts().items():
        for axiom in (a for t in facts.targets if t.name == name for a in t.axioms):
            types.setdefault(axiom.name, axiom.type)
            by.setdefault(axiom.name, []).append(way)
    reports = run.printed.reports.get(name, ()) if run.printed else ()
    for axiom_name in dict.fromkeys(a for report in reports for a in report.axioms):
        types.setdefault(axiom_name, None)
        by.setdefault(axiom_name, []).append("print")
    return [{"name": n, "type": types[n], "by": by[n]} for n in types]


def _text(statement: Statement | None, constant: Constant) -> str | None:
    """A declaration as the golden file has it, where the names of its binders are known."""
    if statement is None or not statement.signatures:
        return None
    from harness import golden  # not needed by the gate, which is to start quickly

    return golden.declaration(golden.printer_of(statement), constant)


def _met(run: Run, name: str) -> dict[str, Any] | None:
    """What the witness says of a target's hypotheses."""
    met = run.met_hypotheses.get(name)
    if met is None:
        return None
    return {
        "witness": run.policy.witness,
        "shown": list(met.shown),
        "assumed": list(met.assumed),
        "others": list(met.others),
        "missing": list(met.missing),
    }


def _constant(constant: Constant) -> dict[str, Any]:
    return {
        "name": constant.name,
        "kind": constant.kind,
        "module": constant.module,
        "levels": list(constant.levels),
        "type": constant.type,
        "value": constant.value,
        "prettyType": constant.pretty_type,
        "prettyValue": constant.pretty_value,
        "line": constant.line,
        "column": constant.column,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "level": finding.level.value,
        "message": finding.message,
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
        "declaration": finding.declaration,
        "evidence": finding.evidence,
        "remedy": finding.remedy,
    }


def _sources_hash(run: Run) -> str | None:
    """SHA-256 of the Lean files, pins and policy that were looked at: each path with its hash."""
    if not run.snapshot:
        return None
    lines = "".join(f"{digest}  {path}\n" for path, digest in sorted(run.snapshot.items()))
    digest = hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{len(run.snapshot)} files, SHA-256 {digest}"


def _versions(run: Run) -> dict[str, str | None]:
    facts = next(iter(run.facts().values()), None)
    lean = facts.lean_version if facts else run.lean_version or None
    ran = run.replayed.kernel if run.replayed else None
    return {
        "commit": pins.read_head(run.project),
        "sources": _sources_hash(run),
        "lean": lean,
        "mathlib": run.package_revisions.get("mathlib"),
        "harness": harness.__version__,
        "kernel": f"{ran.version} (SHA-256 {ran.sha256})" if ran else None,
    }
