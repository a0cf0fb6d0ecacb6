"""`illustrate.py` as a user runs it: what it prints and writes, and how it says that it cannot."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import illustrate
from projects_for_tests import CHECKOUT, SCRIPTS, run_script

NAMES = ("sharpness", "deep_sharpness", "flat_region")


def test_tables_pictures_and_numbers(tmp_path: Path) -> None:
    output, numbers = tmp_path / "some pictures α", tmp_path / "new" / "numbers.json"
    done = run_script(
        "illustrate.py", "--output", str(output), "--json", str(numbers), "--seed", "1"
    )
    assert done.returncode == 0, done.stderr
    assert "decide nothing about the proof" in done.stdout
    assert "seed 1" in done.stdout
    assert "ACCEPTED" not in done.stdout
    # By hand: 2 (100 + 1/100).
    assert "10  2.000200e+02  2.000000e-02  2.000000e+02" in done.stdout
    for name in NAMES:
        assert f"Written: {output / name}.png" in done.stdout
        assert (output / f"{name}.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert sorted(path.name for path in output.iterdir()) == sorted(f"{n}.png" for n in NAMES)
    data = json.loads(numbers.read_text(encoding="utf-8"))
    assert data["seed"] == 1
    assert "decide nothing" in data["note"]
    assert data["files"] == [str(output / f"{name}.png") for name in NAMES]
    rows = {row["alpha"]: row for row in data["network"]["rescaled"]}
    assert len(rows) == 121
    assert rows[1e3]["norm"] > 1e5 * rows[1.0]["norm"]
    assert rows[1e3]["loss"] == pytest.approx(rows[1.0]["loss"], rel=1e-9)
    assert data["network"]["minimum"]["zero_eigenvalues"] == 3
    assert data["deep"]["minimum"]["zero_eigenvalues"] == 8
    assert [pair["layer"] for pair in data["deep"]["pairs"]] == [0, 1, 2, 3]


def test_json_alone_on_standard_output_and_the_same_twice(tmp_path: Path) -> None:
    arguments = ("--json", "-", "--format", "svg", "--output", str(tmp_path))
    first = run_script("illustrate.py", *arguments)
    pictures = [(tmp_path / f"{name}.svg").read_bytes() for name in NAMES]
    second = run_script("illustrate.py", *arguments)
    assert first.returncode == second.returncode == 0, first.stderr
    assert json.loads(first.stdout)["schema"] == 1
    assert first.stdout == second.stdout
    assert pictures == [(tmp_path / f"{name}.svg").read_bytes() for name in NAMES]
    assert all(picture.startswith(b"<?xml") for picture in pictures)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seed", "-1"], "'-1' is not a number"),
        (["--seed", "1.5"], "'1.5' is not a number"),
        (["--seed", "9" * 19], "at most 18 digits"),
        (["--format", "gif"], "invalid choice"),
        (["--no-such-option"], "unrecognized arguments"),
        (["--output", "{file}"], "no folder can be made"),
        (["--output", "{file}/below"], "no folder can be made"),
        (["--output", "{taken}"], "sharpness.png cannot be written"),
        (["--json", "{folder}"], "is a folder"),
        (["--json", "{file}/numbers.json"], "no folder can be made"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: list[str], message: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "taken" / "sharpness.png").mkdir(parents=True)
    places = {
        "file": tmp_path / "file",
        "folder": tmp_path,
        "taken": tmp_path / "taken",
    }
    words = [word.format_map(places) for word in arguments]
    if "--output" not in words:
        words += ["--output", str(tmp_path / "pictures")]
    done = run_script("illustrate.py", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_without_numpy_it_says_how_to_install(tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True, timeout=60)
    done = subprocess.run(
        [venv / "bin/python", SCRIPTS / "illustrate.py", "--output", tmp_path / "pictures"],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "No module named 'numpy'" in done.stderr
    assert illustrate.INSTALL in done.stderr
    assert not (tmp_path / "pictures").exists()


def test_readme_and_extra_name_the_same() -> None:
    readme = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    assert " ".join(illustrate.INSTALL.split()) in " ".join(readme.replace("\\\n", " ").split())
    table = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = table["project"]["optional-dependencies"]
    installed = illustrate.INSTALL.partition("pip install ")[2].partition(" &&")[0].split()
    assert installed == ["numpy", "matplotlib"]
    for extra in ("report", "test"):
        names = {line.partition(">=")[0] for line in extras[extra]}
        assert set(installed) <= names
