"""What this machine has, in a few lines for a person. Starts nothing and asks no network."""

from __future__ import annotations

import os
import platform
import shutil
from pathlib import Path

from harness.steps import Run
from harness.toolchain import elan

MATHLIB_GIGABYTES = 7
"""What Mathlib's sources and the compiled modules of a quarter of it take, with the toolchain."""


def describe(run: Run) -> list[str]:
    """Lines on system, memory, disk, and Lean's tools where they are needed."""
    lines = [
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, "
        f"{os.cpu_count() or '?'} processors{_memory()}",
    ]
    if run.embedded:
        return lines
    return [*lines, _disk(run.project), _tools(), _toolchain(run)]


def _memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return ""
    return f", {size / 2**30:.0f} GiB of memory"


def _disk(project: Path) -> str:
    free = shutil.disk_usage(project).free / 2**30
    compiled = (project / ".lake" / "packages" / "mathlib").is_dir()
    need = (
        "Mathlib is checked out"
        if compiled
        else (f"about {MATHLIB_GIGABYTES} GB are needed for Lean and Mathlib")
    )
    short = "" if compiled or free > MATHLIB_GIGABYTES else ", which is too little"
    return f"{free:.0f} GiB of disk free{short}; {need}"


def _tools() -> str:
    found = [name for name in ("git", "curl") if shutil.which(name)]
    lacking = [name for name in ("git", "curl") if name not in found]
    program = elan.find_elan()
    parts = [f"elan at {program}" if program else "no elan", *found]
    parts += [f"no {name} (Lake needs it)" for name in lacking]
    return ", ".join(parts)


def _toolchain(run: Run) -> str:
    try:
        lean = elan.find(run.project, run.toolchain)
    except elan.ToolchainMissing as error:
        return str(error)
    except (OSError, UnicodeDecodeError) as error:
        return f"{elan.TOOLCHAIN_FILE}: {error}"
    return f"Lean: {lean.origin}"
