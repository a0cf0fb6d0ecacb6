"""The axioms of every target, in each way that was gone, against the policy and each other.

Pure: facts in, findings out. Nothing here decides (`verdict.py`) and nothing here runs a program.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from harness import statement
from harness.policy import AllowedAxiom, Policy
from harness.sources.lexer import BadName
from harness.sources.project import module_path
from harness.toolchain.audit import Audit, Constant, Statement, Target
from harness.toolchain.crosscheck import Printed, Report
from harness.verdict import Finding

AUDIT, PRINT, TERMS = "audit", "print", "terms"
CROSS_CHECK, STATEMENT = "cross-check", "statement"
"""Names of the steps that the findings here belong to."""

SORRY = "sorryAx"


class Evidence(NamedTuple):
    """What a step found, and the targets that it covers."""

    findings: tuple[Finding, ...]
    covered: frozenset[str]


def completeness(
    policy: Policy, audit: Audit, way: str = AUDIT, own: frozenset[str] | None = None
) -> Iterator[Finding]:
    """Whether the answer is about what was asked: Lean, targets, modules.

    `own` holds the modules of the project that the policy's modules import, as its sources say.
    """
    yield from _lean_version(policy, audit, way)
    asked = list(policy.targets)
    answered = [target.name for target in audit.targets]
    if answered != asked:
        yield Finding(
            "audit-incomplete",
            f"{len(asked)} targets were asked for and {len(answered)} answered: "
            f"{_names(set(asked) ^ set(answered)) or 'the same, in another order'}",
            way,
        )
    names = [module.name for module in audit.modules]
    if twice := {name for name in names if names.count(name) > 1}:
        yield Finding("audit-incomplete", f"the census has {_names(twice)} twice", way)
    wanted = frozenset(policy.modules) if own is None else own
    if absent := wanted - set(names):
        yield Finding(
            "audit-incomplete",
            f"the census leaves out modules of the project: {_names(absent)}",
            way,
            remedy="Modules of the project have to be under project.roots of the policy.",
        )
    if not any(module.constants for module in audit.modules):
        yield Finding("audit-incomplete", "the census has no declaration", way)


def of_audit(
    policy: Policy, audit: Audit, way: str = AUDIT, own: frozenset[str] | None = None
) -> Evidence:
    """Targets, axioms and census as the audit or the terms show them, against the policy.

    `way` is AUDIT or TERMS: the step that the findings belong to. `own` is as in `completeness`.
    """
    findings = list(completeness(policy, audit, way, own))
    covered: set[str] = set()
    for target in audit.targets:
        if target.name not in policy.targets:
            continue
        found = list(_target(policy, audit, target, way))
        findings += found
        if target.statement and not any(f.rule == "audit-incomplete" for f in found):
            covered.add(target.name)
    findings += _census(policy, audit, way)
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


def cross_check(policy: Policy, ways: Mapping[str, Audit], printed: Printed | None) -> Evidence:
    """Whether the ways that were gone name the same allowed axioms for every target.

    `ways` holds what the audit and the terms say, by the name of the step. Names outside the
    policy are printed differently by them, and are violations already.
    """
    findings: list[Finding] = []
    covered: set[str] = set()
    allowed = {axiom.name for axiom in policy.axioms}
    for target in policy.targets:
        known = {
            way: {a.name for a in found.axioms} & allowed
            for way, facts in ways.items()
            for found in facts.targets
            if found.name == target and found.statement is not None
        }
        reports = printed.reports.get(target, ()) if printed else ()
        names = {name for report in reports for name in report.axioms} & allowed
        if len(known) + bool(reports) >= 2:
            covered.add(target)
        findings += _disagreement(target, known, names if reports else None)
    return Evidence(tuple(findings), frozenset(covered))


def _disagreement(
    target: str, known: Mapping[str, set[str]], printed: set[str] | None
) -> Iterator[Finding]:
    """What the ways say differently of one target; `printed` is None without an answer."""
    lists = [f"{_WAY_SAYS[way]} {_names(names) or 'none'}" for way, names in known.items()]
    lists += [f"#print axioms {_names(printed) or 'none'}"] if printed is not None else []
    walked = list(known.values())
    found = walked[0] if walked else set()
    if any(names != found for names in walked) or (printed and walked and printed - found):
        yield Finding(
            "ways-disagree",
            f"the ways to the axioms differ: {'; '.join(lists)}",
            CROSS_CHECK,
            declaration=target,
            target=target,
            remedy="One of them missed something. Build anew from a clean checkout.",
        )
    elif printed is not None and walked and (fewer := found - printed):
        yield Finding(
            "print-reports-fewer",
            f"{_names(fewer)} was not named by #print axioms, which is known to leave out axioms "
            f"that are reached through imported types only: {'; '.join(lists)}",
            CROSS_CHECK,
            declaration=target,
            target=target,
        )


_WAY_SAYS = {AUDIT: "the audit says", TERMS: "the terms say"}


def of_statement(policy: Policy, audit: Audit, *, places: bool = True) -> Evidence:
    """Statement and definitions of the targets that the policy lists, against the challenge's.

    Without `places` nothing is said of where in a term they differ.
    """
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
        findings += _differences(target.statement, agreed, name, places)
        if agreed.constant.module == target.statement.constant.module:
            findings.append(
                Finding(
                    "challenge-not-apart",
                    f"the challenge does not state {name}: what was compared is the declaration of "
                    f"module {agreed.constant.module}, the proof's own",
                    STATEMENT,
                    **_at(agreed.constant),
                    declaration=name,
                    target=name,
                    remedy="State the theorem anew in the challenge.",
                )
            )
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


def _lean_version(policy: Policy, audit: Audit, way: str) -> Iterator[Finding]:
    pairs = (
        ("version", policy.lean_version, audit.lean_version),
        ("git hash", policy.lean_githash, audit.lean_githash),
    )
    for what, wanted, ran in pairs:
        # A Lean that does not know its git hash says nothing about it.
        if wanted and wanted != ran and not (what == "git hash" and not ran):
            if way == AUDIT:
                rule, said = "pin-mismatch", "the audit was run by Lean"
            else:
                rule, said = "modules-unreadable", "the compiled modules were written by Lean"
            yield Finding(
                rule, f"{said} {what} {ran or 'unknown'}, and the policy names {wanted}", way
            )


def _target(policy: Policy, audit: Audit, target: Target, way: str) -> Iterator[Finding]:
    name = target.name
    if target.statement is None:
        yield Finding(
            "target-missing",
            f"there is no {name} in {_names(policy.modules)}",
            way,
            declaration=name,
            target=name,
            remedy="Targets are written with their namespaces, as in `#check`; the module that "
            "declares one has to be imported by the modules that the policy names.",
        )
        return
    constant = target.statement.constant
    if target.closure < 1:
        yield Finding("audit-incomplete", f"nothing was followed from {name}", way)
    if target.missing:
        yield Finding(
            "audit-incomplete",
            f"{name} mentions what does not exist: {_names(target.missing)}",
            way,
            declaration=name,
            target=name,
        )
    if target.odd:
        yield Finding(
            "name-ambiguous",
            f"{name} rests on names that could be taken for something else: {_names(target.odd)}",
            way,
            declaration=name,
            target=name,
        )
    if constant.kind != "theorem":
        yield Finding(
            "not-a-theorem",
            f"{name} is a declaration of kind {constant.kind}, not a theorem",
            way,
            **_at(constant),
            declaration=name,
            target=name,
        )
    for axiom in target.axioms:
        yield from _axiom(policy, audit, target, axiom, way)


def _axiom(
    policy: Policy, audit: Audit, target: Target, axiom: Constant, way: str
) -> Iterator[Finding]:
    place = _at(target.statement.constant) if target.statement else {}
    if axiom.name == SORRY:
        direct = {n: m.name for m in audit.modules for n in m.sorries}
        path = _path(_whole_graph(audit), target.name, direct)
        through = f" through {' → '.join(path[1:])}" if path and len(path) > 1 else ""
        yield Finding(
            "sorry-in-environment",
            f"{target.name} rests on sorry{through}",
            way,
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
            way,
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
            way,
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


def _census(policy: Policy, audit: Audit, way: str) -> Iterator[Finding]:
    """What stands in our modules whether a target uses it or not."""
    used = set(_whole_graph(audit))
    for module in audit.modules:
        for name in module.axioms:
            if _may_be_declared(policy, audit.declared.get(name)):
                continue
            yield Finding(
                "axiom-declared",
                f"module {module.name} declares the axiom {name}",
                way,
                declaration=name,
                remedy="Prove it or remove it: an axiom has no place in a proof that is checked.",
            )
        for name in module.sorries:
            if name not in used:
                yield Finding(
                    "sorry-unused",
                    f"{name} (module {module.name}) rests on sorry; no target uses it",
                    way,
                    declaration=name,
                )
        if module.special:
            listed = ", ".join(f"{special.name} ({special.why})" for special in module.special)
            yield Finding(
                "special-declaration",
                f"in module {module.name} these run otherwise than their terms say, or are shown "
                f"to no kernel: {listed}",
                way,
            )
        if module.syntax:
            listed = ", ".join(f"{syntax.name} ({syntax.why})" for syntax in module.syntax)
            yield Finding(
                "special-declaration",
                f"in module {module.name} these change how source text is read: {listed}",
                way,
            )


def _may_be_declared(policy: Policy, axiom: Constant | None) -> bool:
    """Whether a declared axiom is an allowed one of the allowed type.

    So it is in a project that begins from nothing. Where only its name is known it is not.
    """
    allowed = policy.allowed(axiom.name) if axiom else None
    return axiom is not None and allowed is not None and _same_axiom(axiom, allowed)


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


def _differences(found: Statement, agreed: Statement, name: str, places: bool) -> Iterator[Finding]:
    for difference in statement.compare(found, agreed, places=places):
        where = (
            found.constant
            if difference.what == "statement"
            else next((c for c in found.definitions if c.name == difference.name), None)
        )
        yield Finding(
            f"{difference.what}-differs",
            f"{difference.name}: {difference.aspect} differs from the challenge{_told(difference)}",
            STATEMENT,
            **_at(where or found.constant),
            target=name,
            declaration=difference.name if difference.what == "definition" else name,
            evidence={
                "expected": difference.expected,
                "found": difference.found,
                "places": [
                    {"path": list(place.path), "expected": place.expected, "found": place.found}
                    for place in difference.places
                ],
            },
        )


SHOWN_PLACES, SHOWN_CHARACTERS = 3, 300
"""How many places of a difference a message shows, and how much of each side."""


def _told(difference: statement.Difference) -> str:
    """Where two sides differ, short enough to be read at once; the evidence has all of it."""
    places = difference.places or (
        statement.Place((), difference.expected or "", difference.found or ""),
    )
    lines = [
        f"at {place.text()}: expected {_shortened(place.expected)}, found {_shortened(place.found)}"
        for place in places[:SHOWN_PLACES]
    ]
    if not difference.places:
        lines = [line.removeprefix("at as a whole: ") for line in lines]
    if more := len(places) - SHOWN_PLACES:
        lines += [f"and at {more} more places"] if more > 0 else []
    return (": " if not difference.places else " ") + "; ".join(lines)


def _shortened(text: str) -> str:
    if not text:
        return "nothing of that name"
    text = " ".join(text.split())
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + " …"


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


def _names(names: Iterable[str]) -> str:
    ordered = names if isinstance(names, list | tuple) else sorted(names)
    return ", ".join(ordered)


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else "nothing"
