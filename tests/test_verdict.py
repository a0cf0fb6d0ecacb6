"""The one place that decides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.verdict import (
    RULES,
    Finding,
    Level,
    Requirement,
    Status,
    Step,
    Verdict,
    decide,
    step_status,
)

TARGETS = ("A.t", "B.t")
BOTH = frozenset(TARGETS)
NEEDED = Requirement(frozenset({"build"}), ways=2)


def way(name: str, status: Status = Status.PASSED, covered: frozenset[str] = BOTH) -> Step:
    return Step(name, status, about_targets=True, covered=covered)


BUILD = Step("build", Status.PASSED)


def test_accepted_needs_build_and_two_ways() -> None:
    verdict, reasons = decide([BUILD, way("audit"), way("print")], [], TARGETS, NEEDED)
    assert (verdict, reasons) == (Verdict.ACCEPTED, ())


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ([way("audit"), way("print")], "build: not run"),
        ([Step("build", Status.NOT_RUN, detail="no Lean"), way("audit"), way("print")], "no Lean"),
        ([BUILD, way("audit")], "1 of 2 ways"),
        ([BUILD, way("audit"), way("print", Status.COULD_NOT_RUN)], "1 of 2 ways"),
        ([BUILD, way("audit"), way("print", covered=frozenset({"A.t"}))], "B.t: axioms known in 1"),
        ([BUILD, way("audit", covered=frozenset()), way("print", covered=frozenset())], "0 of 2"),
        ([BUILD, way("audit"), way("audit")], "listed twice"),
        ([BUILD, way("other"), way("another")], "0 of 2 ways"),
    ],
)  # fmt: skip
def test_missing_evidence_is_could_not_run(steps: list[Step], reason: str) -> None:
    verdict, reasons = decide(steps, [], TARGETS, NEEDED)
    assert verdict is Verdict.COULD_NOT_RUN
    assert reason in " ".join(reasons)


def test_no_targets_are_no_evidence() -> None:
    verdict, reasons = decide([BUILD, way("audit"), way("print")], [], (), NEEDED)
    assert verdict is Verdict.COULD_NOT_RUN
    assert "no target" in reasons[0]


def test_a_third_way_makes_up_for_one() -> None:
    steps = [BUILD, way("audit"), way("print", Status.COULD_NOT_RUN), way("terms")]
    assert decide(steps, [], TARGETS, NEEDED)[0] is Verdict.ACCEPTED


def test_required_step_about_targets_has_to_cover_each() -> None:
    needed = Requirement(frozenset({"build", "cross-check"}), ways=2)
    steps = [BUILD, way("audit"), way("print"), way("cross-check", covered=frozenset({"A.t"}))]
    verdict, reasons = decide(steps, [], TARGETS, needed)
    assert verdict is Verdict.COULD_NOT_RUN
    assert reasons == ("cross-check: no evidence for B.t",)


statuses = st.sampled_from(list(Status))
coverage = st.frozensets(st.sampled_from(TARGETS))
steps_ = st.lists(
    st.builds(
        Step,
        name=st.sampled_from(["build", "audit", "print", "terms"]),
        status=statuses,
        about_targets=st.booleans(),
        covered=coverage,
    ),
    unique_by=lambda step: step.name,
)
findings_ = st.lists(
    st.builds(Finding, st.sampled_from(sorted(RULES)), st.just("m"), st.just("audit"))
)


@given(steps_, findings_)
def test_a_violation_rejects_whatever_else_is_known(
    steps: list[Step], findings: list[Finding]
) -> None:
    verdict, _ = decide(steps, findings, TARGETS, NEEDED)
    violation = any(finding.level is Level.VIOLATION for finding in findings)
    assert (verdict is Verdict.REJECTED) == violation


@given(steps_, findings_)
def test_accepted_only_with_all_evidence(steps: list[Step], findings: list[Finding]) -> None:
    verdict, _ = decide(steps, findings, TARGETS, NEEDED)
    if verdict is Verdict.ACCEPTED:
        known = {step.name: step for step in steps}
        assert known["build"].status is Status.PASSED
        assert not any(step.status is Status.FAILED for step in steps)
        for target in TARGETS:
            covering = [
                step
                for step in steps
                if step.name in ("audit", "print", "terms")
                and step.status is Status.PASSED
                and target in step.covered
            ]
            assert len(covering) >= 2


def test_findings_make_the_status_of_their_step() -> None:
    assert step_status([]) is Status.PASSED
    assert step_status([Finding("log-disagrees", "m", "s")]) is Status.PASSED
    assert step_status([Finding("audit-failed", "m", "s")]) is Status.COULD_NOT_RUN
    both = [Finding("audit-failed", "m", "s"), Finding("axiom-not-allowed", "m", "s")]
    assert step_status(both) is Status.FAILED


def test_exit_statuses() -> None:
    assert [v.exit_status for v in Verdict] == [0, 1, 2]


def test_a_finding_needs_a_rule_that_exists() -> None:
    with pytest.raises(ValueError, match="no rule"):
        Finding("no-such-rule", "m", "s")


def test_one_line_says_where_rule_and_what() -> None:
    finding = Finding("build-failed", "unsolved goals\n⊢ False", "build", "A.lean", 7, 4)
    assert finding.one_line() == "A.lean:7:4: build-failed: unsolved goals ⊢ False"
    assert Finding("build-failed", "m", "build").one_line() == "build-failed: m"
    assert Finding("build-failed", "m", "build", declaration="A.t").one_line().startswith("A.t: ")
