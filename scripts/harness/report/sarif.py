"""A verification as SARIF 2.1.0, the format in which code scanning services take findings.

The sections named here are those of the standard, OASIS SARIF 2.1.0 with Errata 01.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import harness
from harness.console import printable
from harness.verdict import RULES, Finding, Level, Verdict, Verification

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
TOOL = "lean-proof-audit"
ROOT = "SRCROOT"
FINGERPRINT = "leanProofAudit/v1"
MESSAGE_CHARACTERS = 10_000
"""Of each message; the report has the whole."""
LARGEST_SOURCE = 16 * 1024 * 1024
"""Bytes of a file of which a line is looked up."""

_LEVELS = {Level.VIOLATION: "error", Level.COULD_NOT_RUN: "error", Level.WARNING: "warning"}
_MEANINGS = {
    Level.VIOLATION: "A violation: the verdict is REJECTED.",
    Level.COULD_NOT_RUN: "Evidence is missing: the step that looked for it has none.",
    Level.WARNING: "For a person to look at; the verdict does not change.",
}
_INDEX = {rule: number for number, rule in enumerate(RULES)}


def log(verification: Verification, project: Path, policy: Path | None = None) -> dict[str, Any]:
    """The verification of a project as a SARIF log of one run.

    A finding without a place stands at the policy, which asked for what was looked at.
    """
    places = _Places(project, root_of(project), policy)
    missing = [f for f in verification.findings if f.level is Level.COULD_NOT_RUN]
    notes = [_notification(finding, places) for finding in missing]
    if verification.verdict is Verdict.COULD_NOT_RUN:
        reasons = map(_text, verification.reasons)
        notes += [{"level": "error", "message": {"text": text}} for text in reasons]
    results = [_result(finding, places) for finding in verification.findings]
    for result, print_ in zip(results, _fingerprints(verification.findings, places), strict=True):
        result["partialFingerprints"] = {FINGERPRINT: print_}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver()},
                "invocations": [
                    {
                        "executionSuccessful": not notes,
                        "exitCode": verification.verdict.exit_status,
                        "exitCodeDescription": verification.verdict.value,
                        "toolExecutionNotifications": notes,
                    }
                ],
                "originalUriBaseIds": {
                    ROOT: {"description": {"text": "The folder that the repository stands in."}}
                },
                "columnKind": "unicodeCodePoints",
                "results": results,
                "properties": {
                    "verdict": verification.verdict.value,
                    "scope": verification.scope or "whole",
                },
            }
        ],
    }


def root_of(project: Path, environ: Mapping[str, str] = os.environ) -> Path:
    """The folder that paths are relative to: GitHub's, else the repository's, else the project."""
    named = environ.get("GITHUB_WORKSPACE")
    if named and project.is_relative_to(workspace := Path(named).resolve()):
        return workspace
    return next((p for p in (project, *project.parents) if (p / ".git").exists()), project)


def _driver() -> dict[str, Any]:
    return {
        "name": TOOL,
        "version": harness.__version__,
        "rules": [
            {
                "id": rule,
                "name": "".join(word.capitalize() for word in rule.split("-")),
                "shortDescription": {"text": f"{short[0].upper()}{short[1:]}."},
                "fullDescription": {"text": f"{short[0].upper()}{short[1:]}. {_MEANINGS[level]}"},
                "help": {
                    "text": f"{_MEANINGS[level]} docs/trust.md says what each check looks at."
                },
                "defaultConfiguration": {"level": _LEVELS[level]},
            }
            for rule, (level, short) in RULES.items()
        ],
    }


def _result(finding: Finding, places: _Places) -> dict[str, Any]:
    text = _text(finding.message)
    if finding.remedy:
        text += f"\nWhat to do: {_text(finding.remedy)}"
    found: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": _INDEX[finding.rule],
        "level": _LEVELS[finding.level],
        "message": {"text": text},
    }
    place = places.of(finding)
    policy = places.policy
    if "physicalLocation" not in place and policy and policy.is_relative_to(places.root):
        place["physicalLocation"] = {"artifactLocation": _artifact(policy, places.root)}
    if "physicalLocation" in place:
        # Code scanning services show results at lines only.
        place["physicalLocation"].setdefault("region", {"startLine": 1})
    if place:
        found["locations"] = [place]
    return found


def _notification(finding: Finding, places: _Places) -> dict[str, Any]:
    place = places.of(finding)
    return {
        "associatedRule": {"id": finding.rule, "index": _INDEX[finding.rule]},
        "level": "error",
        "message": {"text": _text(finding.message)},
        **({"locations": [place]} if place else {}),
    }


def _artifact(path: Path, root: Path) -> dict[str, str]:
    """A path as a URI: relative to the root, or whole where it is outside."""
    if path.is_relative_to(root):
        relative = path.relative_to(root).as_posix()
        return {"uri": quote(relative, errors="surrogateescape"), "uriBaseId": ROOT}
    return {"uri": path.absolute().as_uri()}


def _text(text: str) -> str:
    """A message as plain text, in which no digits in braces are a placeholder (3.11.5)."""
    short = text if len(text) <= MESSAGE_CHARACTERS else text[:MESSAGE_CHARACTERS] + " …"
    return re.sub(r"\{(\d+)\}", r"{{\1}}", printable(short)) or "(no text)"


class _Places:
    """Where findings are: in a project, below a root; each file is read once."""

    def __init__(self, project: Path, root: Path, policy: Path | None) -> None:
        self.project, self.root, self.policy = project, root, policy
        self._known: dict[str, list[str]] = {}

    def of(self, finding: Finding) -> dict[str, Any]:
        """A location, as far as known. Columns count from 1 there, and from 0 in Lean."""
        place: dict[str, Any] = {}
        if finding.file is not None:
            path = Path(os.path.normpath(self.project / finding.file))
            physical: dict[str, Any] = {"artifactLocation": _artifact(path, self.root)}
            if finding.line is not None and finding.line > 0:
                region = {"startLine": finding.line}
                if finding.column is not None:
                    region["startColumn"] = finding.column + 1
                physical["region"] = region
            place["physicalLocation"] = physical
        if finding.declaration is not None:
            place["logicalLocations"] = [{"fullyQualifiedName": printable(finding.declaration)}]
        return place

    def line(self, finding: Finding) -> str | None:
        """The text of the line of a finding, without spaces at its ends; None if there is none."""
        if finding.file is None or finding.line is None:
            return None
        if finding.file not in self._known:
            self._known[finding.file] = self._read(self.project / finding.file)
        lines = self._known[finding.file]
        return lines[finding.line - 1].strip() if 0 < finding.line <= len(lines) else None

    @staticmethod
    def _read(path: Path) -> list[str]:
        try:
            if not path.is_file() or path.stat().st_size > LARGEST_SOURCE:
                return []
            return path.read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            return []


def _fingerprints(findings: Iterable[Finding], places: _Places) -> Iterator[str]:
    """What findings are the same by when lines move: rule, file, declaration, text of the line.

    Where no line is known, the message without its numbers. Findings alike are numbered.
    """
    seen: Counter[str] = Counter()
    for finding in findings:
        text = places.line(finding)
        if text is None:
            text = re.sub(r"\d+", "0", finding.message)
        parts = (finding.rule, finding.file or "", finding.declaration or "", text)
        digest = hashlib.sha256("\0".join(parts).encode("utf-8", errors="replace")).hexdigest()
        seen[digest] += 1
        yield f"{digest}:{seen[digest]}"
