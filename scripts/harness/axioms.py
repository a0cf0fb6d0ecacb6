"""The axioms of every target, in each way that was gone, against the policy and each other.

Pure: facts in, findings out. Nothing here decides (`verdict.py`) and nothing here runs a program.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from harness import statement
from harness.policy import AllowedAxiom, Policy
from harness.sources.lexer import BadName
from harness.sources.project import module_path
from harness.toolchain.audit import Audit, Constant, Statement, Target
from harness.toolchain.crosscheck import Printed, Report
from harness.verdict import Finding

AUDIT, PRINT, CROSS_CHECK, STATEMENT = "audit", "print", "cross-check", "statement"
"""Names of the steps that the findings here belong to."""

SORRY = "sorryAx"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a step found, and the targets that it covers."""

    findings: tuple[Finding, ...]
    covered: frozenset[str]


def completeness(policy: Policy, audit: Audit) -> Iterator[Finding]:
    """Whether the answer is about what was asked: Lean, targets, modules."""
    yield from _lean_version(policy, audit)
    asked = list(policy.targets)
    answered = [target.name for target in audit.targets]
    if answered != asked:
        yield Finding(
            "audit-incomplete",
            f"{len(asked)} targets were asked for and {len(answered)} answered: "
            f"{_names(set(asked) ^ set(answered)) or 'the same, in another order'}",
            AUDIT,
        )
    census = {module.name for module in audit.modules}
    if absent := [m for m in policy.modules if m not in census and _is_ours(policy, m)]:
        yield Finding("audit-incomplete", f"the census has no module {_names(absent)}", AUDIT)


def of_audit(policy: Policy, audit: Audit) -> Evidence:
    """Targets, axioms and census as the audit shows them, against the policy."""
    findings = list(completeness(policy, audit))
    covered: set[str] = set()
    for target in audit.targets:
        if target.name not in policy.targets:
            continue
        found = list(_target(policy, audit, target))
        findings += found
        if target.statement and not any(f.rule == "audit-incomplete" for f in found):
            covered.add(target.name)
    findings += _census(policy, audit)
    return Evidence(tuple(findings), frozenset(covered))


def of_print(policy: Policy, printed: Printed, audit: Audit | None) -> Evidence:
    """What `#print axioms` answered, against the policy.

    A target that does not exist is a finding of the audit; here it is merely not covered.
    """
    findings: list[Finding] = []
    covered: set[str] = set()
    absent = {t.name for t in audit.targets if t.statement is None} if audit else set()
    for target, reports in printed.reports.items():
        if reports:
            covered.add(target)
        for report in reports:
            findings += _printed(policy, target, report)
    for stray in printed.strays:
        findings += _printed(policy, None, stray)
    for failure in printed.errors:
        if failure.target in absent:
            continue
        findings.append(
            Finding(
                "print-failed",
                f"lean reported an error: {_first_line(failure.text)}",
                PRINT,
                declaration=failure.target,
                target=failure.target,
                evidence=failure.text,
                remedy="The file that asks imports the project and asks for each target's axioms; "
                "nothing but its answers may come back.",
            )
        )
    for text in printed.unreadable:
        findings.append(
            Finding(
                "print-incomplete",
                f"an answer cannot be read: {_first_line(text)}",
                PRINT,
                evidence=text,
            )
        )
    if lacking := [t for t in printed.reports if t not in covered and t not in absent]:
        findings.append(
            Finding(
                "print-incomplete",
                f"{len(printed.reports)} requests, and no answer for {_names(lacking)}",
                PRINT,
            )
        )
    return Evidence(tuple(findings), frozenset(covered))


def cross_check(policy: Policy, audit: Audit, printed: Printed) -> Evidence:
    """Whether the audit and `#print axioms` name the same allowed axioms for every target.

    Names outside the policy are printed differently by the two, and are violations already.
    """
    findings: list[Finding] = []
    covered: set[str] = set()
    allowed = {axiom.name for axiom in policy.axioms}
    audited = {
        target.name: {a.name for a in target.axioms} & allowed
        for target in audit.targets
        if target.statement is not None
    }
    for target in policy.targets:
        reports = printed.reports.get(target, ())
        if target not in audited or not reports:
            continue
        covered.add(target)
        names = {name for report in reports for name in report.axioms} & allowed
        if more := names - audited[target]:
            findings.append(
                Finding(
                    "ways-disagree",
                    f"#print axioms names {_names(more)}, and the audit does not: the audit says "
                    f"{_names(audited[target]) or 'none'}, #print axioms {_names(names)}",
                    CROSS_CHECK,
                    declaration=target,
                    target=target,
                    remedy="One of the two missed something. Build anew from a clean checkout.",
                )
            )
        elif fewer := audited[target] - names:
            findings.append(
                Finding(
                    "print-reports-fewer",
                    f"the audit also found {_names(fewer)}; #print axioms is known to leave out "
                    "axioms that are reached through imported types only",
                    CROSS_CHECK,
                    declaration=target,
                    target=target,
                )
            )
    return Evidence(tuple(findings), frozenset(covered))


def of_statement(policy: Policy, audit: Audit) -> Evidence:
    """Statement and definitions of the targets that the policy lists, against the challenge's."""
    findings: list[Finding] = []
    covered: set[str] = set()
    targets = {target.name: target for target in audit.targets}
    for name in policy.challenge_targets:
        agreed = (audit.challenge or {}).get(name)
        if agreed is None:
            findings.append(
                Finding(
                    "challenge-missing",
                    f"{_names(policy.challenge_modules)} states no {name}",
                    STATEMENT,
                    declaration=name,
                    target=name,
                )
            )
            continue
        target = targets.get(name)
        if target is None or target.statement is None:
            continue
        covered.add(name)
        findings += _differences(target.statement, agreed, name)
        for side, said in (("the proof's", target.statement), ("the challenge's", agreed)):
            findings += [
                Finding(
                    "name-ambiguous",
                    f"in {side} statement {text}",
                    STATEMENT,
                    **_at(said.constant),
                    declaration=name,
                    target=name,
                )
                for text in dict.fromkeys(statement.ambiguous(said))
            ]
    return Evidence(tuple(findings), frozenset(covered))


def sorries(policy: Policy, audit: Audit, step: str) -> Iterator[Finding]:
    """Every project declaration that mentions sorry, and every one known to reach it.

    The census lists each declaration that mentions `sorryAx` itself. Which others use those is
    known for what the targets rest on.
    """
    direct = {name: module.name for module in audit.modules for name in module.sorries}
    for name, module in direct.items():
        yield Finding(
            "sorry-in-environment",
            f"{name} (module {module}) rests on sorry",
            step,
            declaration=name,
            remedy="Prove it.",
        )
    graph = _whole_graph(audit)
    for name in graph:
        if name in direct:
            continue
        if path := _path(graph, name, direct):
            yield Finding(
                "sorry-in-environment",
                f"{name} rests on sorry through {' → '.join(path[1:])}",
                step,
                declaration=name,
            )
    for target in audit.targets:
        if target.name in direct or not any(a.name == SORRY for a in target.axioms):
            continue
        if not _path(graph, target.name, direct):
            yield Finding(
                "sorry-in-environment",
                f"{target.name} rests on sorry in a module that is not the project's",
                step,
                declaration=target.name,
            )


def _whole_graph(audit: Audit) -> dict[str, tuple[str, ...]]:
    graph: dict[str, tuple[str, ...]] = {}
    for target in audit.targets:
        graph |= target.graph or {}
    return graph


def _lean_version(policy: Policy, audit: Audit) -> Iterator[Finding]:
    pairs = (
        ("version", policy.lean_version, audit.lean_version),
        ("git hash", policy.lean_githash, audit.lean_githash),
    )
    for what, wanted, ran in pairs:
        # A Lean that does not know its git hash says nothing about it.
        if wanted and wanted != ran and not (what == "git hash" and not ran):
            yield Finding(
                "pin-mismatch",
                f"the audit was run by Lean {what} {ran or 'unknown'}, and the policy names "
                f"{wanted}",
                AUDIT,
            )


def _target(policy: Policy, audit: Audit, target: Target) -> Iterator[Finding]:
    name = target.name
    if target.statement is None:
        yield Finding(
            "target-missing",
            f"there is no {name} in {_names(policy.modules)}",
            AUDIT,
            declaration=name,
            target=name,
            remedy="Targets are written with their namespaces, as in `#check`; the module that "
            "declares one has to be imported by the modules that the policy names.",
        )
        return
    constant = target.statement.constant
    if constant.name != name:
        yield Finding("audit-incomplete", f"{name} was answered with {constant.name}", AUDIT)
    if target.closure < 1:
        yield Finding("audit-incomplete", f"nothing was followed from {name}", AUDIT)
    if target.missing:
        yield Finding(
            "audit-incomplete",
            f"{name} mentions what does not exist: {_names(target.missing)}",
            AUDIT,
            declaration=name,
            target=name,
        )
    if constant.kind != "theorem":
        yield Finding(
            "not-a-theorem",
            f"{name} is a declaration of kind {constant.kind}, not a theorem",
            AUDIT,
            **_at(constant),
            declaration=name,
            target=name,
        )
    for axiom in target.axioms:
        yield from _axiom(policy, audit, target, axiom)


def _axiom(policy: Policy, audit: Audit, target: Target, axiom: Constant) -> Iterator[Finding]:
    place = _at(target.statement.constant) if target.statement else {}
    if axiom.name == SORRY:
        direct = {n: m.name for m in audit.modules for n in m.sorries}
        path = _path(_whole_graph(audit), target.name, direct)
        through = f" through {' → '.join(path[1:])}" if path and len(path) > 1 else ""
        yield Finding(
            "sorry-in-environment",
            f"{target.name} rests on sorry{through}",
            AUDIT,
            **place,
            declaration=target.name,
            target=target.name,
            evidence=list(path or ()),
            remedy="Prove what is left out, and build again.",
        )
        return
    allowed = policy.allowed(axiom.name)
    if allowed is None:
        yield Finding(
            "axiom-not-allowed",
            f"{target.name} rests on the axiom {axiom.name} : {axiom.type} (module {axiom.module})",
            AUDIT,
            **place,
            declaration=target.name,
            target=target.name,
            evidence={"axiom": axiom.name, "type": axiom.type},
            remedy=f"The policy allows {_names(a.name for a in policy.axioms) or 'none'}.",
        )
    elif not _same_axiom(axiom, allowed):
        yield Finding(
            "axiom-type-differs",
            f"{target.name} rests on an axiom named {axiom.name} of type {axiom.type}, and the "
            f"policy allows {axiom.name} of type {allowed.type}",
            AUDIT,
            **place,
            declaration=target.name,
            target=target.name,
            evidence={"axiom": axiom.name, "type": axiom.type, "allowed": allowed.type},
        )


def _same_axiom(axiom: Constant, allowed: AllowedAxiom) -> bool:
    if axiom.kind != "axiom" or len(axiom.levels) != len(allowed.levels):
        return False
    names = dict(zip(axiom.levels, allowed.levels, strict=True))
    return statement.rename_levels(axiom.type, names) == allowed.type


def _census(policy: Policy, audit: Audit) -> Iterator[Finding]:
    """What stands in our modules whether a target uses it or not."""
    used = set(_whole_graph(audit))
    for module in audit.modules:
        for name in module.axioms:
            yield Finding(
                "axiom-declared",
                f"module {module.name} declares the axiom {name}",
                AUDIT,
                declaration=name,
                remedy="Prove it or remove it: an axiom has no place in a proof that is checked.",
            )
        for name in module.sorries:
            if name not in used:
                yield Finding(
                    "sorry-unused",
                    f"{name} (module {module.name}) rests on sorry; no target uses it",
                    AUDIT,
                    declaration=name,
                )
        for special in module.special:
            yield Finding(
                "special-declaration",
                f"{special.name} (module {module.name}): {special.why}",
                AUDIT,
                declaration=special.name,
            )
        for syntax in module.syntax:
            yield Finding(
                "special-declaration",
                f"{syntax.name} (module {module.name}) changes how source text is read: "
                f"{syntax.why}",
                AUDIT,
                declaration=syntax.name,
            )


def _printed(policy: Policy, target: str | None, report: Report) -> Iterator[Finding]:
    subject = target or "an answer that no request can be told for"
    for name in report.axioms:
        if name == SORRY:
            yield Finding(
                "sorry-in-environment",
                f"{subject} rests on sorry, says #print axioms",
                PRINT,
                declaration=target,
                target=target,
            )
        elif policy.allowed(name) is None:
            yield Finding(
                "axiom-not-allowed",
                f"{subject} rests on the axiom {name}, says #print axioms",
                PRINT,
                declaration=target,
                target=target,
                evidence={"axiom": name},
            )


def _differences(found: Statement, agreed: Statement, name: str) -> Iterator[Finding]:
    for difference in statement.compare(found, agreed):
        where = (
            found.constant
            if difference.what == "statement"
            else next((c for c in found.definitions if c.name == difference.name), None)
        )
        yield Finding(
            f"{difference.what}-differs",
            f"{difference.name}: {difference.aspect} differs from the challenge: expected "
            f"{difference.expected or 'nothing of that name'}, found "
            f"{difference.found or 'nothing of that name'}",
            STATEMENT,
            **_at(where or found.constant),
            target=name,
            declaration=difference.name if difference.what == "definition" else name,
            evidence={"expected": difference.expected, "found": difference.found},
        )


def _at(constant: Constant) -> dict[str, Any]:
    """The place of a declaration, as far as its module's name tells the file."""
    try:
        file = module_path("", constant.module)
    except BadName:
        return {}
    return {"file": file, "line": constant.line, "column": constant.column}


def _path(graph: dict[str, tuple[str, ...]], start: str, ends: Iterable[str]) -> list[str] | None:
    """A shortest way from `start` to one of `ends` along what declarations use."""
    goal, came_from, queue = set(ends), {start: start}, deque([start])
    while queue:
        name = queue.popleft()
        if name in goal:
            path = [name]
            while path[-1] != start:
                path.append(came_from[path[-1]])
            return path[::-1]
        for used in graph.get(name, ()):
            if used not in came_from:
                came_from[used] = name
                queue.append(used)
    return None


def _is_ours(policy: Policy, module: str) -> bool:
    return any(module == root or module.startswith(f"{root}.") for root in policy.roots)


def _names(names: Iterable[str]) -> str:
    ordered = names if isinstance(names, list | tuple) else sorted(names)
    return ", ".join(ordered)


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else "nothing"
