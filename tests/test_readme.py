"""The README's commands, exactly as they are written, in a copy of the checkout without a Lean.

What needs Lean ends with exit status 2 there and says what is missing. What installs something from
a package index runs with what the tests have installed: only pip itself is left out.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from projects_for_tests import CHECKOUT

README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
TABLE = re.findall(r"^\| `(python3 scripts/[^`]*)`", README, re.MULTILINE)

OK, COULD_NOT_RUN = 0, 2
STATUS = {
    "python3 scripts/verify.py": COULD_NOT_RUN,
    "python3 scripts/check_pins.py": OK,
    "python3 scripts/build.py": COULD_NOT_RUN,
    "python3 scripts/check_sorry.py": COULD_NOT_RUN,
    "python3 scripts/check_axioms.py": COULD_NOT_RUN,
    "python3 scripts/check_statement.py": COULD_NOT_RUN,
    "python3 scripts/check_axioms.py --self-test": OK,
    "python3 scripts/replay.py": COULD_NOT_RUN,
    "python3 scripts/replay.py --write-export build/proof.ndjson": COULD_NOT_RUN,
    "python3 scripts/replay.py build/proof.ndjson": COULD_NOT_RUN,
    "python3 scripts/verify.py --from-export build/proof.ndjson": COULD_NOT_RUN,
    "python3 scripts/verify.py --paranoid": COULD_NOT_RUN,
    "python3 scripts/check_tokens.py": OK,
    "python3 scripts/build.py --sandbox": COULD_NOT_RUN,
    "python3 scripts/verify.py --example": OK,
    "build/venv/bin/python scripts/report.py": OK,
    "build/venv/bin/python scripts/illustrate.py": OK,
}
"""What each ends with where there is no Lean but the one inside the wheel."""
ELSEWHERE = {
    "python3 scripts/test.py": "runs these tests",
    "python3 scripts/verify.py --self-test": "test_planted.py",
    "lean-proof-audit gate --json build/gate.json": "test_package.py",
}


def commands() -> list[str]:
    """Every command of the blocks and of the table, once, without the making of environments."""
    lines = [line for block in BLOCKS for line in block.replace("\\\n", "").splitlines()]
    parts = [part.strip() for line in lines for part in line.split("&&")]
    found = [*parts, *TABLE]
    return [c for c in dict.fromkeys(found) if not re.search(r" -m venv | install ", f" {c} ")]


def test_every_command_is_known() -> None:
    assert set(commands()) == STATUS.keys() | ELSEWHERE.keys()


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory, libraries: Path) -> Iterator[Path]:
    """What git has of the checkout, and an environment at the places that the README names."""
    folder = tmp_path_factory.mktemp("readme") / "checkout"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=CHECKOUT, capture_output=True, encoding="utf-8", check=True, timeout=60,
    ).stdout  # fmt: skip
    for name in filter(None, listed.split("\0")):
        if (CHECKOUT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / name, folder / name, follow_symlinks=False)
    (folder / ".venv").symlink_to(CHECKOUT / ".venv")
    (folder / "build").mkdir()
    (folder / "build" / "venv").symlink_to(CHECKOUT / ".venv")
    yield folder


@pytest.mark.parametrize("command", STATUS)
def test_command(command: str, copy: Path, tmp_path: Path) -> None:
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "ELAN_"))},
        "HOME": str(tmp_path),
        "ELAN_HOME": str(tmp_path / "elan"),
    }
    done = subprocess.run(
        command.split(), cwd=copy, env=environment, capture_output=True, encoding="utf-8",
        timeout=300, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert done.returncode == STATUS[command], done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    if STATUS[command] == COULD_NOT_RUN:
        assert "COULD NOT RUN" in done.stdout
        assert "ACCEPTED" not in done.stdout.partition("\n")[0]
