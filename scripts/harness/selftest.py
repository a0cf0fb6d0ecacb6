"""Planted cases for the deciding code: each has to get its own verdict, for its own reason.

A checker that has stopped seeing looks like a proof without fault. So every run of the gate first
shows its own readers and its own `decide` a run in which nothing is wrong and many in which one
thing is; a planted failure that is accepted, or caught for another reason than its own, makes the
run one that could not run.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from harness import axioms
from harness.policy import AllowedAxiom, Policy
from harness.process import End, Outcome
from harness.sources import project, scan
from harness.sources.project import Source, Sources, Target
from harness.toolchain import audit, crosscheck, lake
from harness.verdict import Finding, Requirement, Step, Verdict, decide, step_status

PROPEXT = "(Π{Sort 0} (Π{Sort 0} (Π((Iff #1 #0)) (Eq.{1} Sort 0 #2 #1))))"
SORRY_TYPE = "(Π(Sort u) (Π(Bool) #1))"
MAIN, OTHER = "Demo.main", "Demo.other"


@dataclass(slots=True)
class Facts:
    """What a good run would have seen; a planted failure changes one thing in it."""

    answer: dict[str, Any]
    printed: list[tuple[int, str, str]]
    """Line, severity and text of each message of `lean`."""
    log: str = "✔ [3/4] Built Solution (1ms)\nBuild completed successfully (4 jobs).\n"
    log_status: int = 0
    sources: dict[str, str] = field(default_factory=dict)
    steps_left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Planted:
    """One case: what it changes, the verdict it has to get, and why.

    `rule` is the rule that has to say so; where no rule does, `reason` is part of the reason that
    `decide` has to give.
    """

    name: str
    verdict: Verdict
    rule: str | None
    change: Callable[[Facts], None]
    reason: str | None = None


class Result(NamedTuple):
    """What a planted failure got."""

    planted: Planted
    verdict: Verdict
    rules: frozenset[str]
    reasons: tuple[str, ...]

    @property
    def caught(self) -> bool:
        """Whether it got the verdict that it must get, for its own reason."""
        planted = self.planted
        return (
            self.verdict is planted.verdict
            and (planted.rule is None or planted.rule in self.rules)
            and (planted.reason is None or planted.reason in " ".join(self.reasons))
        )

    @property
    def why(self) -> str:
        """The rule or reason that was found of those it must have; empty if none was."""
        if self.planted.rule in self.rules:
            return self.planted.rule or ""
        return next((r for r in self.reasons if (self.planted.reason or "\0") in r), "")

    def __str__(self) -> str:
        """What it got, and what it should have got."""
        got = ", ".join(sorted(self.rules)) or "no rule"
        why = self.planted.rule or self.planted.reason or "no rule"
        wanted = f"{self.planted.verdict.value} by {why}"
        return f"{self.planted.name}: {self.verdict.value} by {got}; it must get {wanted}"


def results() -> list[Result]:
    """Every planted failure through the deciding code."""
    return [_result(planted) for planted in PLANTED]


def _result(planted: Planted) -> Result:
    facts = good()
    planted.change(facts)
    verdict, findings, reasons = judge(facts)
    return Result(planted, verdict, frozenset(finding.rule for finding in findings), reasons)


def summary(found: list[Result]) -> str:
    """How many planted cases there were, and what they got."""
    caught = sum(result.caught for result in found)
    return f"{caught} of {len(found)} planted cases got the verdict that they must get"


def policy() -> Policy:
    """The policy of the planted project."""
    return Policy(
        path=Path("policy.toml"),
        name="Demo",
        modules=("Solution",),
        roots=("Defs", "Solution", "Challenge"),
        targets=(MAIN, OTHER),
        axioms=(AllowedAxiom("propext", (), PROPEXT),),
        challenge_modules=("Challenge",),
        challenge_targets=(MAIN,),
        lean_version="4.30.0",
    )


def good() -> Facts:
    """The facts of a run in which nothing is wrong."""
    return Facts(
        answer={
            "schema": 1,
            "lean": {"version": "4.30.0", "githash": ""},
            "targets": [_target(MAIN, [_axiom("propext", PROPEXT)]), _target(OTHER, [])],
            "challenge": [
                {"name": MAIN, "found": True, **_statement(MAIN, "Challenge")},
                {"name": OTHER, "found": False},
            ],
            "modules": [_module("Defs", 1, "def"), _module("Solution", 2, "theorem")],
        },
        printed=[
            (2, "information", f"'{MAIN}' depends on axioms: [propext]"),
            (3, "information", f"'{OTHER}' does not depend on any axioms"),
        ],
        sources={"Solution.lean": "import Defs\n", "Defs.lean": ""},
    )


def judge(facts: Facts) -> tuple[Verdict, list[Finding], tuple[str, ...]]:
    """The facts through the same readers, comparisons and decision as a real run."""
    rules, findings, steps = policy(), list[Finding](), list[Step]()

    def step(name: str, found: list[Finding], covered: frozenset[str] | None = None) -> None:
        findings.extend(found)
        if name not in facts.steps_left_out:
            steps.append(
                Step(
                    name,
                    step_status(found),
                    about_targets=covered is not None,
                    covered=covered or frozenset(),
                )
            )

    outcome = Outcome(("lake", "build"), End.EXITED, facts.log_status, facts.log, "", 0.0)
    step("build", lake.failure(outcome, "lake build"))
    step("sources", list(_of_sources(tuple(facts.sources.items()))))
    read: audit.Audit | None = None
    try:
        read = _parsed(json.dumps(facts.answer))
        of_audit = axioms.of_audit(rules, read)
        step("audit", list(of_audit.findings), of_audit.covered)
    except audit.AuditError as error:
        step("audit", [Finding("audit-unreadable", str(error), "audit")], frozenset())
    printed = _printed(tuple(facts.printed))
    of_print = axioms.of_print(rules, printed, read)
    step("print", list(of_print.findings), of_print.covered)
    if read is not None:
        crossed = axioms.cross_check(rules, {"audit": read}, printed)
        step("cross-check", list(crossed.findings), crossed.covered)
        step("statement", list(axioms.of_statement(rules, read, places=False).findings))
    needed = Requirement(frozenset({"build", "sources", "cross-check", "statement"}), ways=2)
    verdict, reasons = decide(steps, findings, rules.targets, needed)
    return verdict, findings, reasons


# Most cases change one of these and leave the others as they are: each text is read once.


@functools.cache
def _of_sources(sources: tuple[tuple[str, str], ...]) -> tuple[Finding, ...]:
    files = Sources(tuple(Source(path, text) for path, text in sources))
    reach = project.reach((Target("Demo", "library", ("Solution",)),), files)
    scanned = [
        Finding(f.rule, f.message, "sources", file=source.path)
        for source in files.files
        for f in scan.scan(source.text)
    ]
    return (*project.not_built(reach, files), *scanned)


@functools.cache
def _parsed(answer: str) -> audit.Audit:
    """Raises audit.AuditError."""
    return audit.parse(audit.find_answer(answer))


@functools.cache
def _printed(printed: tuple[tuple[int, str, str], ...]) -> crosscheck.Printed:
    return crosscheck.read(_messages(printed), crosscheck.request_lines(policy()))


def _messages(printed: Iterable[tuple[int, str, str]]) -> str:
    return "".join(
        json.dumps({"severity": s, "data": t, "pos": {"line": n, "column": 0}}) + "\n"
        for n, s, t in printed
    )


def _constant(name: str, kind: str, type_: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "kind": kind, "module": "Solution", "levels": [], "type": type_, **more}


def _axiom(name: str, type_: str, levels: tuple[str, ...] = ()) -> dict[str, Any]:
    return _constant(name, "axiom", type_) | {"module": "Init.Core", "levels": list(levels)}


def _statement(name: str, module: str = "Solution") -> dict[str, Any]:
    return {
        "constant": _constant(name, "theorem", "(Eq.{1} Nat Demo.s 42)") | {"module": module},
        "definitions": [_constant("Demo.s", "def", "Nat", value="42") | {"module": "Defs"}],
    }


def _target(name: str, found: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "name": name,
        "found": True,
        "closure": 9,
        "missing": [],
        "axioms": found,
        "hypotheses": [],
        "graph": {name: ["Demo.s"], "Demo.s": []},
        **_statement(name),
    }


def _module(name: str, constants: int, kind: str) -> dict[str, Any]:
    return {
        "module": name,
        "constants": constants,
        "kinds": {kind: constants},
        "imports": ["Init"],
        "axioms": [],
        "sorries": [],
        "special": [],
        "syntax": [],
    }


# The failures


def _main(facts: Facts) -> dict[str, Any]:
    entry: dict[str, Any] = facts.answer["targets"][0]
    return entry


def _sorry(facts: Facts) -> None:
    _main(facts)["axioms"].append(_axiom("sorryAx", SORRY_TYPE, ("u",)))
    facts.answer["modules"][1]["sorries"].append(MAIN)
    facts.printed[0] = (2, "information", f"'{MAIN}' depends on axioms: [propext, sorryAx]")


def _sorry_elsewhere(facts: Facts) -> None:
    _main(facts)["axioms"].append(_axiom("sorryAx", SORRY_TYPE, ("u",)))


def _extra_axiom(facts: Facts) -> None:
    _main(facts)["axioms"].append(_axiom("Demo.h", "False"))


def _axiom_of_another_type(facts: Facts) -> None:
    _main(facts)["axioms"][0]["type"] = "False"


def _axiom_with_levels(facts: Facts) -> None:
    _main(facts)["axioms"][0]["levels"] = ["u"]


def _axiom_only_printed(facts: Facts) -> None:
    text = f"'{MAIN}' depends on axioms: [propext,\n {MAIN}._native.native_decide.ax_1_1]"
    facts.printed[0] = (2, "information", text)


def _axiom_in_a_second_report(facts: Facts) -> None:
    facts.printed.append((2, "information", f"'{MAIN}' depends on axioms: [Demo.h]"))


def _axiom_declared(facts: Facts) -> None:
    facts.answer["modules"][1]["axioms"].append("Demo.unused")


def _definition_changed(facts: Facts) -> None:
    _main(facts)["definitions"][0]["value"] = "0"


def _definition_of_another_module(facts: Facts) -> None:
    _main(facts)["definitions"][0]["module"] = "Solution"


def _definition_of_another_kind(facts: Facts) -> None:
    _main(facts)["definitions"][0]["kind"] = "opaque"


def _definition_missing(facts: Facts) -> None:
    _main(facts)["definitions"].clear()


def _statement_changed(facts: Facts) -> None:
    _main(facts)["constant"]["type"] = "True"


def _definition_as_target(facts: Facts) -> None:
    _main(facts)["constant"]["kind"] = "def"


def _target_missing(facts: Facts) -> None:
    facts.answer["targets"][0] = {"name": MAIN, "found": False}


def _challenge_missing(facts: Facts) -> None:
    facts.answer["challenge"][0] = {"name": MAIN, "found": False}


def _challenge_is_the_proof(facts: Facts) -> None:
    facts.answer["challenge"][0]["constant"]["module"] = "Solution"


def _level_named_max(facts: Facts) -> None:
    for statement in (_main(facts), facts.answer["challenge"][0]):
        statement["constant"]["levels"] = ["max"]


def _both(facts: Facts, **changes: Any) -> None:
    """The same change to what the proof and the challenge state, which stay alike."""
    for statement in (_main(facts), facts.answer["challenge"][0]):
        statement["constant"] |= changes


def _guillemet(facts: Facts) -> None:
    _both(facts, type="(Eq.{1} Nat a»b 42)")


def _level_no_word(facts: Facts) -> None:
    _both(facts, levels=["u v"])


def _constant_named_sort(facts: Facts) -> None:
    for statement in (_main(facts), facts.answer["challenge"][0]):
        statement["definitions"][0]["name"] = "Sort"


def _odd_name(facts: Facts) -> None:
    _main(facts)["odd"] = ["#0"]


def _mentions_nothing(facts: Facts) -> None:
    _main(facts)["missing"] = ["Demo.gone"]


def _module_not_in_census(facts: Facts) -> None:
    del facts.answer["modules"][1]


def _module_twice_in_census(facts: Facts) -> None:
    facts.answer["modules"].append(facts.answer["modules"][1])


def _axiom_in_a_stray_report(facts: Facts) -> None:
    facts.printed.append((9, "information", f"'{MAIN}' depends on axioms: [Demo.h]"))


def _report_missing(facts: Facts) -> None:
    del facts.printed[1]


def _no_reports(facts: Facts) -> None:
    facts.printed.clear()


def _error_before_clean_reports(facts: Facts) -> None:
    facts.printed.insert(0, (1, "error", "unknown identifier 'sorry'"))


def _nothing_followed(facts: Facts) -> None:
    _main(facts)["closure"] = 0


def _no_targets_answered(facts: Facts) -> None:
    facts.answer["targets"].clear()


def _no_census(facts: Facts) -> None:
    facts.answer["modules"].clear()


def _another_schema(facts: Facts) -> None:
    facts.answer["schema"] = 2


def _key_missing(facts: Facts) -> None:
    del _main(facts)["axioms"]


def _wrong_lean(facts: Facts) -> None:
    facts.answer["lean"]["version"] = "4.29.0"


def _ways_disagree(facts: Facts) -> None:
    facts.printed[1] = (3, "information", f"'{OTHER}' depends on axioms: [propext]")


def _one_way_only(facts: Facts) -> None:
    facts.steps_left_out = ("print",)


def _no_build(facts: Facts) -> None:
    facts.steps_left_out = ("build",)


def _does_not_compile(facts: Facts) -> None:
    facts.log, facts.log_status = "error: Solution.lean:7:4: unsolved goals\n⊢ False\n", 1


def _error_with_status_0(facts: Facts) -> None:
    facts.log = "error: something went wrong\n" + facts.log


def _success_text_with_status_1(facts: Facts) -> None:
    facts.log_status = 1


def _sorry_in_source(facts: Facts) -> None:
    facts.sources["Solution.lean"] += "theorem Demo.main : s = 42 := sorry\n"


def _option_in_source(facts: Facts) -> None:
    facts.sources["Solution.lean"] += "set_option debug.skipKernelTC true\n"


def _module_not_built(facts: Facts) -> None:
    facts.sources["Orphan.lean"] = "import Defs\n"


PLANTED = (
    Planted("nothing wrong", Verdict.ACCEPTED, None, lambda facts: None),
    Planted("sorry", Verdict.REJECTED, "sorry-in-environment", _sorry),
    Planted("sorry elsewhere", Verdict.REJECTED, "sorry-in-environment", _sorry_elsewhere),
    Planted("extra axiom", Verdict.REJECTED, "axiom-not-allowed", _extra_axiom),
    Planted(
        "propext of another type", Verdict.REJECTED, "axiom-type-differs", _axiom_of_another_type
    ),
    Planted("propext with levels", Verdict.REJECTED, "axiom-type-differs", _axiom_with_levels),
    Planted("axiom only printed", Verdict.REJECTED, "axiom-not-allowed", _axiom_only_printed),
    Planted(
        "axiom in a second report", Verdict.REJECTED, "axiom-not-allowed", _axiom_in_a_second_report
    ),
    Planted("unused axiom", Verdict.REJECTED, "axiom-declared", _axiom_declared),
    Planted("changed definition", Verdict.REJECTED, "definition-differs", _definition_changed),
    Planted(
        "definition of another module",
        Verdict.REJECTED,
        "definition-differs",
        _definition_of_another_module,
    ),
    Planted(
        "definition of another kind",
        Verdict.REJECTED,
        "definition-differs",
        _definition_of_another_kind,
    ),
    Planted("definition gone", Verdict.REJECTED, "definition-differs", _definition_missing),
    Planted("changed statement", Verdict.REJECTED, "statement-differs", _statement_changed),
    Planted("target a definition", Verdict.REJECTED, "not-a-theorem", _definition_as_target),
    Planted("target missing", Verdict.REJECTED, "target-missing", _target_missing),
    Planted("challenge missing", Verdict.COULD_NOT_RUN, "challenge-missing", _challenge_missing),
    Planted(
        "challenge is the proof", Verdict.REJECTED, "challenge-not-apart", _challenge_is_the_proof
    ),
    Planted("level named max", Verdict.REJECTED, "name-ambiguous", _level_named_max),
    Planted("guillemet in a name", Verdict.REJECTED, "name-ambiguous", _guillemet),
    Planted("level of two words", Verdict.REJECTED, "name-ambiguous", _level_no_word),
    Planted("constant named Sort", Verdict.REJECTED, "name-ambiguous", _constant_named_sort),
    Planted("name like a variable", Verdict.REJECTED, "name-ambiguous", _odd_name),
    Planted(
        "mentions what is not there", Verdict.COULD_NOT_RUN, "audit-incomplete", _mentions_nothing
    ),
    Planted(
        "module not in the census",
        Verdict.COULD_NOT_RUN,
        "audit-incomplete",
        _module_not_in_census,
    ),
    Planted(
        "module twice in the census",
        Verdict.COULD_NOT_RUN,
        "audit-incomplete",
        _module_twice_in_census,
    ),
    Planted(
        "axiom in a stray report", Verdict.REJECTED, "axiom-not-allowed", _axiom_in_a_stray_report
    ),
    Planted("report missing", Verdict.COULD_NOT_RUN, "print-incomplete", _report_missing),
    Planted("no reports", Verdict.COULD_NOT_RUN, "print-incomplete", _no_reports),
    Planted(
        "error, then clean reports",
        Verdict.COULD_NOT_RUN,
        "print-failed",
        _error_before_clean_reports,
    ),
    Planted("nothing followed", Verdict.COULD_NOT_RUN, "audit-incomplete", _nothing_followed),
    Planted("no targets answered", Verdict.COULD_NOT_RUN, "audit-incomplete", _no_targets_answered),
    Planted("no census", Verdict.COULD_NOT_RUN, "audit-incomplete", _no_census),
    Planted("another schema", Verdict.COULD_NOT_RUN, "audit-unreadable", _another_schema),
    Planted("key missing", Verdict.COULD_NOT_RUN, "audit-unreadable", _key_missing),
    Planted("wrong Lean", Verdict.REJECTED, "pin-mismatch", _wrong_lean),
    Planted("ways disagree", Verdict.COULD_NOT_RUN, "ways-disagree", _ways_disagree),
    Planted("one way only", Verdict.COULD_NOT_RUN, None, _one_way_only, "1 of 2 ways"),
    Planted("no build", Verdict.COULD_NOT_RUN, None, _no_build, "build: not run"),
    Planted("does not compile", Verdict.REJECTED, "build-failed", _does_not_compile),
    Planted(
        "error with status 0", Verdict.COULD_NOT_RUN, "build-infrastructure", _error_with_status_0
    ),
    Planted(
        "success text with status 1",
        Verdict.COULD_NOT_RUN,
        "build-infrastructure",
        _success_text_with_status_1,
    ),
    Planted("sorry in source", Verdict.REJECTED, "sorry-in-source", _sorry_in_source),
    Planted("option in source", Verdict.REJECTED, "option-not-allowed", _option_in_source),
    Planted("module not built", Verdict.REJECTED, "module-not-built", _module_not_built),
)
