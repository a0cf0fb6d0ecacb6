"""What GitHub Actions shows: annotations beside the lines, and the report as the job's summary.

The runner reads both output streams of a step and takes for a command what it writes itself:
`::NAME PROPERTIES::DATA` at the beginning of a line, and `##[NAME]DATA` anywhere
(`ActionCommand.cs` in actions/runner).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from harness.console import printable
from harness.verdict import Finding, Level

SUMMARY_BYTES = 1024 * 1024
"""What GitHub takes as the summary of one step; from a larger file it takes nothing."""
MESSAGE_CHARACTERS = 4000
"""Of each message in an annotation; the report has the whole."""
CUT = "… (the rest is in the output of the step)\n"

_NAMES = {Level.VIOLATION: "error", Level.COULD_NOT_RUN: "error", Level.WARNING: "warning"}


def active(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether this runs in a step of GitHub Actions."""
    return environ.get("GITHUB_ACTIONS") == "true"


def commands(findings: Iterable[Finding], project: Path, workspace: Path) -> list[str]:
    """A workflow command for each finding that has a place in the workspace, the gravest first.

    GitHub shows the first ten errors and the first ten warnings of a step.
    """
    order = list(Level)
    graver = sorted(findings, key=lambda finding: order.index(finding.level))
    return [line for finding in graver if (line := _annotation(finding, project, workspace))]


def workspace_of(project: Path, environ: Mapping[str, str] = os.environ) -> Path:
    """The folder that GitHub's paths start at: that of the checkout, else the project."""
    named = environ.get("GITHUB_WORKSPACE")
    return Path(named).resolve() if named else project


def _annotation(finding: Finding, project: Path, workspace: Path) -> str | None:
    """GitHub counts lines and columns from 1, Lean columns from 0."""
    if finding.file is None:
        return None
    path = Path(os.path.normpath(project / finding.file))
    if not path.is_relative_to(workspace):
        return None
    properties = {"file": path.relative_to(workspace).as_posix()}
    if finding.line is not None:
        properties["line"] = str(finding.line)
        if finding.column is not None:
            properties["col"] = str(finding.column + 1)
    properties["title"] = finding.rule
    text = finding.message if len(finding.message) <= MESSAGE_CHARACTERS else _short(finding)
    if finding.remedy:
        text += f"\nWhat to do: {finding.remedy}"
    shown = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_NAMES[finding.level]} {shown}::{_data(printable(text))}"


def _short(finding: Finding) -> str:
    return finding.message[:MESSAGE_CHARACTERS] + " …"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def harmless(text: str) -> str:
    """A text of which the runner takes no line for a command.

    What Lean prints comes from files of strangers: it could hide messages, or show false ones.
    """
    # .NET, in which the runner is written, trims what Python takes for white space, and U+FEFF.
    text = re.sub(r"^([\s\ufeff\u200b]*)::", r"\1: :", text, flags=re.MULTILINE)
    return text.replace("##[", "## [")


def summary(page: str, size: int) -> str:
    """A report as a block of code, no longer than a file of `size` bytes may still grow.

    Empty where there is no room for anything that would help.
    """
    longest = max((len(run) for run in re.findall("`+", page)), default=0)
    fence = "`" * max(3, longest + 1)
    before, after = f"{fence}text\n", f"{fence}\n\n"
    room = SUMMARY_BYTES - size - len((before + CUT + after).encode())
    body = page.encode("utf-8", errors="replace")
    if len(body) <= room:
        return before + body.decode("utf-8") + after
    kept = body[: max(room, 0)].decode("utf-8", errors="ignore")
    whole_lines = kept[: kept.rfind("\n") + 1]
    return before + whole_lines + CUT + after if whole_lines else ""


def add_summary(page: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """Append a report to the summary of the step, if there is one; the reason if that fails."""
    named = environ.get("GITHUB_STEP_SUMMARY")
    if not named:
        return None
    try:
        with Path(named).open("a", encoding="utf-8") as stream:
            stream.write(summary(page, stream.tell()))
    except OSError as error:
        return f"the summary of the step cannot be written: {named}: {error.strerror}"
    return None
