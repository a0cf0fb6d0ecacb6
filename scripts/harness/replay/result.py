"""What a replay finds and what it comes to: plain values, which nothing here decides about."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from harness import verdict
from harness.verdict import RULES, Level, Requirement, Status, Step, Verdict, Verification

VIOLATION, COULD_NOT_RUN, WARNING = Level.VIOLATION, Level.COULD_NOT_RUN, Level.WARNING


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found. `declaration` is a name as Lean prints it."""

    rule: str
    message: str
    declaration: str | None = None

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise ValueError(f"there is no rule {self.rule!r}")

    @property
    def level(self) -> Level:
        """What it means for the verdict."""
        return RULES[self.rule][0]

    def one_line(self) -> str:
        """Return `DECLARATION: RULE: message` on one line, as far as known."""
        start = f"{self.declaration}: " if self.declaration else ""
        return " ".join(f"{start}{self.rule}: {self.message}".split())


class Stop(Exception):
    """Nothing more can be done: the finding says why."""

    def __init__(self, rule: str, message: str, declaration: str | None = None) -> None:
        super().__init__(message)
        self.finding = Finding(rule, message, declaration)


@dataclass(frozen=True, slots=True)
class Axiom:
    """An axiom: name, universe parameters, type in the form of `terms.render`, module if known,
    the targets that rest on it, and whether it is unsafe."""  # noqa: D205, D209

    name: str
    levels: tuple[str, ...]
    type: str
    module: str | None
    targets: tuple[str, ...]
    unsafe: bool


@dataclass(frozen=True, slots=True)
class Target:
    """A target: what stands there under its name, and what it rests on.

    `statement` is in the form of `terms.render`, `reading` for people. `checked` says that it was
    among what the kernel added, as a theorem of this statement.
    """

    name: str
    kind: str | None
    levels: tuple[str, ...] = ()
    statement: str = ""
    reading: str = ""
    axioms: tuple[str, ...] = ()
    closure: int = 0
    checked: bool = False


@dataclass(frozen=True, slots=True)
class Kernel:
    """The kernel that ran: file, Lean version and git hash, SHA-256 of the file."""

    path: str
    version: str
    githash: str
    sha256: str
    recursion_limit: bool


@dataclass(frozen=True, slots=True)
class Replay:
    """What became of a replay.

    `scope` says what was checked: "file" or "cone". `declarations` counts by kind, `added` is how
    many the kernel added. Seconds are wall-clock time; `memory` is the largest resident size of a
    process, in bytes. `source` is what the source says about itself, `not_looked_at` what was left
    out and why.
    """

    findings: tuple[Finding, ...]
    scope: str = "file"
    kernel: Kernel | None = None
    declarations: dict[str, int] = field(default_factory=dict)
    added: int = 0
    axioms: tuple[Axiom, ...] = ()
    targets: tuple[Target, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    primitives: tuple[str, ...] = ()
    source: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    memory: int = 0
    jobs: int = 1
    not_looked_at: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """What it comes to, every target among what the kernel added (`verdict.decide`)."""
        return self.verification().verdict

    def verification(self) -> Verification:
        """The replay as a verification of one step, and what it comes to."""
        findings = tuple(
            verdict.Finding(f.rule, f.message, "replay", declaration=f.declaration)
            for f in self.findings
        )
        status = verdict.step_status(findings)
        if self.kernel is None or self.added == 0:
            status = Status.COULD_NOT_RUN if status is Status.PASSED else status
        checked = frozenset(target.name for target in self.targets if target.checked)
        seconds = self.seconds.get("total", 0.0)
        step = Step("replay", status, seconds, about_targets=True, covered=checked)
        targets = tuple(target.name for target in self.targets)
        needed = Requirement(frozenset({"replay"}))
        found, reasons = verdict.decide([step], findings, targets, needed)
        return Verification(found, (step,), findings, targets, claim="", reasons=reasons)

    @property
    def exit_status(self) -> int:
        """0 accepted, 1 rejected, 2 could not run."""
        return self.verdict.exit_status

    def as_json(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        value = dataclasses.asdict(self)
        value["findings"] = [
            {"rule": f.rule, "level": f.level, "message": f.message, "declaration": f.declaration}
            for f in self.findings
        ]
        value["verdict"] = self.verdict.value
        return value
