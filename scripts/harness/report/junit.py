"""A verification as JUnit XML, which most services of continuous integration can show.

One case a step, one a target, and one for the verdict: something failed there exactly where the
verdict is not ACCEPTED.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from xml.etree import ElementTree as ET

from harness.console import printable
from harness.report.json import target_verdict
from harness.verdict import Finding, Level, Status, Step, Verdict, Verification

_KINDS = {Verdict.REJECTED: "failure", Verdict.COULD_NOT_RUN: "error"}
# What XML 1.0 has no way to write, besides what `printable` replaces.
_NOT_XML = re.compile("[\ud800-\udfff\ufffe\uffff]")


class _Outcome(NamedTuple):
    """The element inside a case: none, `failure`, `error` or `skipped`."""

    kind: str | None
    message: str
    text: str = ""


def document(verification: Verification, name: str) -> str:
    """The verification of a project of this name as the text of an XML file."""
    suite = ET.Element("testsuite", name=_legal(name))
    _case(suite, "verification", "verdict", _verdict(verification))
    for step in verification.steps:
        found = [f for f in verification.findings if f.step == step.name]
        case = _case(suite, "steps", step.name, _step(step, found))
        case.set("time", f"{step.seconds:.3f}")
        if warnings := [f for f in found if f.level is Level.WARNING]:
            ET.SubElement(case, "system-out").text = _legal(_lines(warnings))
    steps = {step.name for step in verification.steps}
    for finding in verification.findings:
        if finding.step not in steps and finding.level is not Level.WARNING:
            kind = _KINDS.get(verification.verdict, "skipped")
            outcome = _Outcome(kind, finding.rule, finding.one_line())
            _case(suite, "findings", finding.rule, outcome)
    for target in verification.targets:
        verdict = target_verdict(verification, target)
        _case(suite, "targets", target, _Outcome(_KINDS.get(verdict), verdict.value))
    suite.set("tests", str(len(suite)))
    for kind, total in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        suite.set(total, str(len(suite.findall(f"testcase/{kind}"))))
    suite.set("time", f"{sum(step.seconds for step in verification.steps):.3f}")
    ET.indent(suite)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<!-- A verification as test cases. -->\n'
    return f"{head}{ET.tostring(suite, encoding='unicode')}\n"


def _case(suite: ET.Element, group: str, name: str, outcome: _Outcome) -> ET.Element:
    case = ET.SubElement(suite, "testcase", classname=group, name=_legal(name))
    if outcome.kind is not None:
        inside = ET.SubElement(case, outcome.kind, message=_legal(outcome.message))
        inside.text = _legal(outcome.text)
    return case


def _verdict(verification: Verification) -> _Outcome:
    verdict = verification.verdict
    return _Outcome(_KINDS.get(verdict), verdict.value, "\n".join(verification.reasons))


def _step(step: Step, found: Iterable[Finding]) -> _Outcome:
    """What became of a step: what was not needed and has no evidence is skipped, no error."""
    text = _lines(f for f in found if f.level is not Level.WARNING)
    message = step.detail or step.status.value
    match step.status:
        case Status.PASSED:
            return _Outcome(None, "")
        case Status.FAILED:
            return _Outcome("failure", message, text)
        case _:
            return _Outcome("error" if step.required else "skipped", message, text)


def _lines(findings: Iterable[Finding]) -> str:
    return "\n".join(finding.one_line() for finding in findings)


def _legal(text: str) -> str:
    return _NOT_XML.sub("\ufffd", printable(text))
