"""The command line of the replay."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import replay_support as support

SCRIPT = support.SCRIPTS / "replay.py"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "logic.ndjson"
    made.write_text(support.exports()["logic"], encoding="utf-8")
    return made


def test_accepted(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    done = run(file, "--target", "same_as_self", "--target", "Nat.zero_add", "--json", out)
    assert done.returncode == 0
    assert done.stdout.startswith("ACCEPTED\n")
    for word in ("Lean 4.35.0", "SHA-256", "propext", "∀ (p : Prop), Eq Prop p p", "theorem"):
        assert word in done.stdout
    value = json.loads(out.read_text(encoding="utf-8"))
    assert value["verdict"] == "ACCEPTED"
    assert value["targets"][0]["axioms"] == ["propext"]


def test_rejected(file: Path) -> None:
    text = file.read_text(encoding="utf-8").replace('"natVal":"4"', '"natVal":"5"')
    file.write_text(text, encoding="utf-8")
    done = run(file)
    assert done.returncode == 1
    assert "two_add_two: kernel-rejects:" in done.stderr
    assert done.stdout.startswith("REJECTED\n")


def test_could_not_run(tmp_path: Path, file: Path) -> None:
    assert run(tmp_path / "none.ndjson").returncode == 2
    done = run(file, "--kernel", tmp_path)
    assert done.returncode == 2
    assert "kernel-missing" in done.stderr
    assert done.stdout.startswith("COULD NOT RUN\n")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--cone",),
        ("--jobs", "0"),
        ("--time", "0"),
        ("--modules", "x"),
        ("--memory", "0"),
        ("--target", "a..b"),
        ("--target", "«a"),
        ("--known", "/nothing"),
        ("--modules", "a", "B", "--nothing"),
    ],
)
def test_bad_usage(file: Path, arguments: tuple[str, ...]) -> None:
    given = arguments if not arguments or "--modules" in arguments else (str(file), *arguments)
    done = run(*given)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_json_alone(file: Path) -> None:
    done = run(file, "--json", "-")
    assert json.loads(done.stdout)["verdict"] == "ACCEPTED"


def test_write_and_read(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "cone.ndjson"
    done = run(file, "--target", "chosen", "--cone", "--write-export", out)
    assert done.returncode == 0
    assert out.stat().st_size < file.stat().st_size
    manifest = json.loads(Path(f"{out}.manifest.json").read_text(encoding="utf-8"))
    assert manifest["targets"] == ["chosen"]
    assert manifest["lines"] == out.read_text(encoding="utf-8").count("\n")
    assert run(out, "--target", "chosen").returncode == 0


def test_interrupted(tmp_path: Path) -> None:
    """Interrupt it while it waits, and see nothing of it left."""
    pipe = tmp_path / "pipe.ndjson"
    pipe.write_text(support.exports()["logic"], encoding="utf-8")
    # An export that takes long to read.
    with pipe.open("a", encoding="utf-8") as stream:
        start = 1 + max(line.get("ie", 0) for line in support.records(pipe.read_text("utf-8")))
        for i in range(start, start + 600_000):
            stream.write(f'{{"bvar":{i % 1000},"ie":{i}}}\n')
    process = subprocess.Popen(
        [sys.executable, SCRIPT, pipe], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 30
    while not _opened_by_another(pipe):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in stderr
    assert not _opened_by_another(pipe)


def _opened_by_another(file: Path) -> bool:
    """Tell whether some process still has a file open."""
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            if link.readlink() == file:
                return True
    return False


def test_no_terminal_no_unicode(file: Path) -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, file, "--target", "same_as_self"],
        capture_output=True,
        check=False,
        env={**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": ""},
        timeout=60,
    )
    assert done.returncode == 0
    assert "∀".encode() in done.stdout
