"""The step that finds out whether there can be a sandbox, and of what."""

from __future__ import annotations

from pathlib import Path

from harness import embedded_steps, inside
from harness.steps import Looked, Run
from harness.toolchain import elan, embedded, prelude

LAKE = ".lake"


def prepare(run: Run) -> Looked:
    """Make the sandbox for everything that follows, and try it.

    Raises inside.Unavailable.
    """
    writable = prelude.library(run.project) if run.embedded else run.project / LAKE
    cache = None if run.embedded else writable / "cache"
    box = inside.make(run.project, (writable,), _needed(run), cache)
    inside.probe(box, run.project)
    run.sandbox = box
    run.not_looked_at.append(
        "sandbox: it does not protect from faults of the system's kernel, hides no files outside "
        "of homes, and leaves what was built where it was built"
    )
    return Looked(detail=box.says(run.project))


def _needed(run: Run) -> list[Path]:
    """What programs of the toolchain need, wherever it lies."""
    if run.embedded:
        wheel = embedded.find(embedded_steps.VENV)
        return [embedded_steps.VENV, *([wheel] if wheel else [])]
    return [*([run.toolchain] if run.toolchain else []), *_toolchain(run)]


def _toolchain(run: Run) -> list[Path]:
    try:
        lean = elan.find(run.project, run.toolchain)
    except (elan.ToolchainMissing, OSError, UnicodeDecodeError):
        return []  # the next step says so
    if lean.bin is not None:
        return [lean.lake, lean.bin.parent]
    return [lean.lake, elan.elan_home()]
