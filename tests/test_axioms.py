"""What an answer comes to, against the policy: each thing that is looked at, changed once."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness import axioms, selftest
from harness.toolchain import audit, crosscheck
from harness.verdict import Finding, Level
from projects_for_tests import RECORDINGS, Played, play

MAIN, OTHER = selftest.MAIN, selftest.OTHER


def answer(change: Callable[[dict[str, Any]], None] = lambda _: None) -> audit.Audit:
    """The good answer of the self-test, changed."""
    data = selftest.good().answer
    change(data)
    return audit.parse(json.dumps(data))


def of_audit(change: Callable[[dict[str, Any]], None]) -> axioms.Evidence:
    return axioms.of_audit(selftest.policy(), answer(change))


def rules(findings: tuple[Finding, ...]) -> set[str]:
    return {finding.rule for finding in findings}


def main(data: dict[str, Any]) -> dict[str, Any]:
    target: dict[str, Any] = data["targets"][0]
    return target


def test_the_good_answer_covers_every_target() -> None:
    looked = of_audit(lambda _: None)
    assert looked.findings == ()
    assert looked.covered == {MAIN, OTHER}


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda d: main(d).update(closure=0), "audit-incomplete"),
        (lambda d: main(d).update(missing=["Demo.gone"]), "audit-incomplete"),
        (lambda d: d["targets"].pop(0), "audit-incomplete"),
        (lambda d: d["targets"].reverse(), "audit-incomplete"),
        (lambda d: d["modules"].append(d["modules"][0]), "audit-incomplete"),
        (lambda d: d["modules"].pop(), "audit-incomplete"),
        (lambda d: main(d)["axioms"][0].update(kind="theorem"), "axiom-type-differs"),
        (lambda d: main(d).update(odd=["#0"]), "name-ambiguous"),
        (lambda d: d["lean"].update(version="4.30.1"), "pin-mismatch"),
    ],
)
def test_what_is_missing_or_wrong_is_found(
    change: Callable[[dict[str, Any]], None], rule: str
) -> None:
    looked = of_audit(change)
    assert rules(looked.findings) == {rule}
    if rule == "audit-incomplete" and "targets" not in str(looked.findings[0].message):
        assert looked.covered <= {MAIN, OTHER}


@pytest.mark.parametrize(
    "change",
    [
        lambda d: main(d).update(graph={"Demo.main": 1}),
        lambda d: main(d).update(graph={"Demo.main": [1]}),
        lambda d: main(d).update(graph=[]),
        lambda d: d["modules"][0].update(kinds={"def": -1}),
        lambda d: d["modules"][0].update(kinds={"def": "1"}),
    ],
)
def test_an_answer_of_another_form_says_where(change: Callable[[dict[str, Any]], None]) -> None:
    with pytest.raises(audit.AuditError, match=r"(graph|kinds): "):
        answer(change)


def test_a_target_with_gaps_is_not_covered() -> None:
    looked = of_audit(lambda d: main(d).update(closure=0))
    assert looked.covered == {OTHER}
    assert of_audit(lambda d: main(d).update(closure=1)).covered == {MAIN, OTHER}


def test_a_missing_target_is_not_covered() -> None:
    looked = of_audit(lambda d: d["targets"].__setitem__(0, {"name": MAIN, "found": False}))
    assert rules(looked.findings) == {"target-missing"}
    assert looked.covered == {OTHER}


def test_a_target_that_nobody_asked_for_is_no_coverage() -> None:
    def extra(data: dict[str, Any]) -> None:
        more = json.loads(json.dumps(main(data)).replace(MAIN, "Demo.more"))
        data["targets"].append(more)

    looked = of_audit(extra)
    assert rules(looked.findings) == {"audit-incomplete"}
    assert looked.covered == {MAIN, OTHER}


def test_own_modules_that_the_census_leaves_out() -> None:
    own = frozenset({"Solution", "Defs", "Extra"})
    found = list(axioms.completeness(selftest.policy(), answer(), own=own))
    assert [f.rule for f in found] == ["audit-incomplete"]
    assert "Extra" in found[0].message


def test_git_hash_counts_where_both_know_it() -> None:
    policy = dataclasses.replace(selftest.policy(), lean_githash="a" * 40)
    assert axioms.of_audit(policy, answer()).findings == ()
    other = answer(lambda d: d["lean"].update(githash="b" * 40))
    assert rules(axioms.of_audit(policy, other).findings) == {"pin-mismatch"}
    unknown_to_us = answer(lambda d: d["lean"].update(githash="b" * 40))
    assert axioms.of_audit(selftest.policy(), unknown_to_us).findings == ()


def test_modules_of_another_lean_are_unreadable_to_the_terms() -> None:
    other = answer(lambda d: d["lean"].update(version="4.29.0"))
    found = axioms.of_audit(selftest.policy(), other, axioms.TERMS).findings
    assert rules(found) == {"modules-unreadable"}
    assert "4.29.0" in found[0].message
    assert "4.30.0" in found[0].message


def test_census_is_shown() -> None:
    def change(data: dict[str, Any]) -> None:
        data["modules"][1]["sorries"] = ["Demo.unused"]
        data["modules"][1]["special"] = [{"name": "Demo.fast", "why": "implemented_by"}]
        data["modules"][1]["syntax"] = [{"name": "Demo.term", "type": "Lean.Macro"}]

    looked = of_audit(change)
    assert [(f.rule, f.level) for f in looked.findings] == [
        ("sorry-unused", Level.WARNING),
        ("special-declaration", Level.WARNING),
        ("special-declaration", Level.WARNING),
    ]
    text = " ".join(f.message for f in looked.findings)
    assert all(part in text for part in ("Demo.unused", "Demo.fast (implemented_by)", "Demo.term"))


def test_an_allowed_axiom_may_be_declared_where_its_type_is_shown() -> None:
    def declare(type_: str | None) -> Callable[[dict[str, Any]], None]:
        def change(data: dict[str, Any]) -> None:
            data["modules"][1]["axioms"] = ["propext"]
            if type_ is not None:
                axiom = dict(main(data)["axioms"][0], type=type_, module="Solution")
                data["declared"] = [axiom]

        return change

    assert of_audit(declare(selftest.PROPEXT)).findings == ()
    assert rules(of_audit(declare("False")).findings) == {"axiom-declared"}
    assert rules(of_audit(declare(None)).findings) == {"axiom-declared"}


# `#print axioms`


def printed(*messages: tuple[int, str, str]) -> crosscheck.Printed:
    text = "".join(
        json.dumps({"severity": s, "data": t, "pos": {"line": n, "column": 0}}) + "\n"
        for n, s, t in messages
    )
    return crosscheck.read(text, crosscheck.request_lines(selftest.policy()))


GOOD = (
    (2, "information", f"'{MAIN}' depends on axioms: [propext]"),
    (3, "information", f"'{OTHER}' does not depend on any axioms"),
)


@pytest.mark.parametrize("severity", ["error", "fatal", "Error", "panic", ""])
def test_any_severity_that_is_not_known_to_be_harmless_is_an_error(severity: str) -> None:
    looked = axioms.of_print(selftest.policy(), printed(*GOOD, (1, severity, "x")), None)
    assert rules(looked.findings) == {"print-failed"}


@pytest.mark.parametrize(
    "line",
    [
        '{"severity": "error", "data": null}',
        '{"severity": "error", "data": {"a": 1}}',
        '{"severity": "error"}',
        "{}",
        "PANIC at Foo",
        "uncaught exception: x",
        "INTERNAL PANIC: out of memory",
        "error(lean.x): y",
        "  error: x",
        "error: no place",
        "X.lean:1: error: x",
    ],
)
def test_what_is_no_message_keeps_the_probe_from_counting(line: str) -> None:
    text = "".join(
        json.dumps({"severity": s, "data": d, "pos": {"line": n, "column": 0}}) + "\n"
        for n, s, d in GOOD
    )
    for output in (f"{line}\n{text}", f"{text}{line}\n"):
        read = crosscheck.read(output, crosscheck.request_lines(selftest.policy()))
        looked = axioms.of_print(selftest.policy(), read, None)
        assert "print-failed" in rules(looked.findings), output


@pytest.mark.parametrize(
    "text",
    [
        f"''{MAIN}' depends on axioms: [Bad]' does not depend on any axioms",
        f"'{MAIN}' depends on axioms: [Bad]\n'X' does not depend on any axioms",
        f"'{MAIN}' depends on axioms: [propext]' depends on axioms: [propext]",
    ],
)
def test_a_report_in_doubt_is_never_clean(text: str) -> None:
    looked = axioms.of_print(selftest.policy(), printed((2, "information", text), GOOD[1]), None)
    assert rules(looked.findings) == {"axiom-not-allowed"}


def test_an_answer_that_is_no_report_is_told() -> None:
    looked = axioms.of_print(selftest.policy(), printed(*GOOD, (2, "information", "hello")), None)
    assert rules(looked.findings) == {"print-incomplete"}
    assert "hello" in looked.findings[0].message


def test_an_error_for_a_target_that_is_not_there_is_the_audits_to_tell() -> None:
    gone = answer(lambda d: d["targets"].__setitem__(0, {"name": MAIN, "found": False}))
    error = (2, "error", f"Unknown constant `{MAIN}`")
    looked = axioms.of_print(selftest.policy(), printed(error, GOOD[1]), gone)
    assert looked.findings == ()
    assert looked.covered == {OTHER}
    elsewhere = (1, "error", "unknown module")
    looked = axioms.of_print(selftest.policy(), printed(elsewhere, error, GOOD[1]), gone)
    assert rules(looked.findings) == {"print-failed"}


# The ways against each other


def test_two_walks_that_differ_disagree() -> None:
    without = answer(lambda d: main(d)["axioms"].clear())
    ways = {axioms.AUDIT: answer(), axioms.TERMS: without}
    looked = axioms.cross_check(selftest.policy(), ways, None)
    assert rules(looked.findings) == {"ways-disagree"}
    message = looked.findings[0].message
    assert "the audit says propext" in message
    assert "the terms say none" in message


def test_two_ways_cover_and_one_does_not() -> None:
    policy, read = selftest.policy(), printed(*GOOD)
    assert axioms.cross_check(policy, {axioms.TERMS: answer()}, read).covered == {MAIN, OTHER}
    assert axioms.cross_check(policy, {axioms.TERMS: answer()}, None).covered == frozenset()
    assert axioms.cross_check(policy, {}, read).covered == frozenset()
    both = {axioms.AUDIT: answer(), axioms.TERMS: answer()}
    assert axioms.cross_check(policy, both, None).covered == {MAIN, OTHER}


def test_axioms_off_the_list_are_not_compared_by_name() -> None:
    more = answer(
        lambda d: main(d)["axioms"].append(dict(main(d)["axioms"][0], name="_private.M.0.h"))
    )
    said = printed((2, "information", f"'{MAIN}' depends on axioms: [propext, h]"), GOOD[1])
    assert axioms.cross_check(selftest.policy(), {axioms.AUDIT: more}, said).findings == ()


# Declarations that reach sorry


def sorries(change: Callable[[dict[str, Any]], None]) -> list[str]:
    found = axioms.sorries(selftest.policy(), answer(change), "sorry")
    return [finding.message for finding in found]


def test_each_declaration_that_reaches_sorry_is_named_with_the_way_there() -> None:
    assert sorries(lambda _: None) == []

    def lemma(data: dict[str, Any]) -> None:
        data["modules"][1]["sorries"] = ["Demo.lemma"]
        main(data)["graph"] = {MAIN: ["Demo.step"], "Demo.step": ["Demo.lemma"], "Demo.lemma": []}

    assert sorries(lemma) == [
        "Demo.lemma (module Solution) rests on sorry",
        f"{MAIN} rests on sorry through Demo.step → Demo.lemma",
        "Demo.step rests on sorry through Demo.lemma",
    ]


def test_sorry_in_a_dependency_is_told_of_the_target() -> None:
    sorry = {"name": "sorryAx", "kind": "axiom", "module": "Init", "levels": ["u"], "type": "x"}
    assert sorries(lambda d: main(d)["axioms"].append(sorry)) == [
        f"{MAIN} rests on sorry in a module that is not the project's"
    ]


@pytest.mark.parametrize(
    ("recording", "status"), [("good", 0), ("sorry", 1), ("sorry_in_lemma_elsewhere", 1)]
)
def test_check_sorry_asks_the_compiled_modules(recording: str, status: int, tmp_path: Path) -> None:
    played = play(RECORDINGS / recording, tmp_path)
    played.policy(sources='sorry-allowed = { "Challenge.lean" = 1 }')
    played.answer("build", "--no-build")
    done = played.run("check_sorry.py")
    assert done.returncode == status, done.stdout + done.stderr
    assert done.stdout.startswith(f"Demo: {'ACCEPTED' if status == 0 else 'REJECTED'} (holes only)")
    if status:
        assert "sorry-in-environment" in done.stderr


def test_check_sorry_without_a_build_could_not_run(good: Played) -> None:
    done = good.run("check_sorry.py")
    assert done.returncode == 2
    assert "build-stale" in done.stderr
    assert not any(call["argv"][:2] == ["exe", "audit"] for call in good.calls())
