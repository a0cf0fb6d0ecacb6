"""Packages of the npm registry that tests use: unpacked, never installed, none of their scripts."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest


def package(name: str, version: str, sha256: str, folder: Path) -> Path:
    """The unpacked files of a package. Skips the test where there is no npm, or no registry."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not there")
    done = subprocess.run(
        ["npm", "pack", "--silent", f"{name}@{version}"],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"npm could not fetch {name}: {done.stderr.strip()}")
    archive = folder / done.stdout.split()[-1]
    assert hashlib.sha256(archive.read_bytes()).hexdigest() == sha256
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")
    return folder / "package"
