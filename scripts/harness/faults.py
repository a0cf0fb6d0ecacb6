"""Planted faults: what goes wrong around a proof, on files of a moment, through the real steps.

A missing toolchain, a pin that can move, a source that is no text: each has to be told by its own
rule. Nothing is compiled here; what a Lean shows is in the planted projects.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from harness import selftest, token_record
from harness.console import Console
from harness.steps import Run
from harness.verdict import Finding


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: the rule that has to tell it, and what makes it in an empty folder and looks."""

    name: str
    rule: str
    look: Callable[[Path], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Result:
    """What a fault was told by."""

    fault: Fault
    rules: frozenset[str]

    @property
    def caught(self) -> bool:
        """Whether its own rule told it."""
        return self.fault.rule in self.rules

    def __str__(self) -> str:
        """What it got, and what it should have got."""
        got = ", ".join(sorted(self.rules)) or "no rule"
        return f"{self.fault.name}: told by {got}; it must be told by {self.fault.rule}"


def results() -> list[Result]:
    """Every planted fault, each in a folder of its own."""
    return [_result(fault) for fault in FAULTS]


def _result(fault: Fault) -> Result:
    with tempfile.TemporaryDirectory(prefix="fault-") as folder:
        found = fault.look(Path(folder))
        return Result(fault, frozenset(finding.rule for finding in found))


def _tokens(
    record: str | None, code: str = "example : True := .intro\n"
) -> Callable[[Path], list[Finding]]:
    """A Lean file beside a record of tokens."""

    def look(folder: Path) -> list[Finding]:
        (folder / "Main.lean").write_text(code, encoding="utf-8")
        if record is not None:
            (folder / token_record.FILE).write_text(record, encoding="utf-8")
        run = Run(folder, selftest.policy(), Console(io.StringIO(), False, False))
        return token_record.check(run).findings

    return look


FAULTS: tuple[Fault, ...] = (
    Fault("code that is not as recorded", "tokens-changed", _tokens(f"{'0' * 64}  Main.lean\n")),
    Fault("no record of code", "tokens-missing", _tokens(None)),
)
