"""Every recording gets the exit status and the rule that it must get."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from projects_for_tests import RECORDINGS, play

CASES = sorted(path.parent for path in RECORDINGS.glob("*/meta.json"))


def test_there_are_recordings() -> None:
    assert len(CASES) >= 21


@pytest.mark.parametrize("recording", CASES, ids=lambda path: path.name)
def test_gate(recording: Path, tmp_path: Path) -> None:
    expected = json.loads((recording / "meta.json").read_text(encoding="utf-8"))["expect"]
    played = play(recording, tmp_path)
    done = played.run("check_axioms.py", "--json", str(tmp_path / "result.json"))
    assert done.returncode == expected["check_axioms"], done.stdout + done.stderr
    result = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    rules = {f["rule"] for f in result["findings"] if f["level"] == "violation"}
    if "rule" in expected:
        assert expected["rule"] in rules
        assert f": {expected['rule']}: " in done.stderr or f"{expected['rule']}: " in done.stderr
    else:
        assert not rules
    assert "replay" in " ".join(result["not_looked_at"])


@pytest.mark.parametrize("recording", CASES, ids=lambda path: path.name)
def test_source_scan(recording: Path, tmp_path: Path) -> None:
    meta = json.loads((recording / "meta.json").read_text(encoding="utf-8"))
    played = play(recording, tmp_path)
    done = played.run("check_sorry.py", "--source-only")
    texts = [
        p.read_text(encoding="utf-8")
        for p in played.project.glob("*.lean")
        if p.name not in ("Challenge.lean", "lakefile.lean")
    ]
    holes = any("sorry" in text.replace("warn.sorry", "") for text in texts)
    expected = meta["expect"].get("check_sorry --source-only", 1 if holes else 0)
    assert done.returncode == expected, done.stdout + done.stderr
    assert "compiled modules were not looked at" in done.stdout or done.returncode == 1
    assert "the compiled modules: --source-only" in done.stdout


def test_structure_type_with_propext_only(tmp_path: Path) -> None:
    played = play(RECORDINGS / "axiom_in_structure_type", tmp_path)
    played.policy(axioms=["propext"])
    done = played.run("check_axioms.py")
    assert done.returncode == 1
    assert "axiom-not-allowed" in done.stderr
    assert "Classical.choice" in done.stderr


def test_skip_kernel_is_seen_by_verify_through_the_option(tmp_path: Path) -> None:
    played = play(RECORDINGS / "skip_kernel", tmp_path)
    done = played.run("verify.py")
    assert done.returncode == 1
    assert "option-not-allowed" in done.stderr


def test_verify_needs_the_replay(tmp_path: Path) -> None:
    played = play(RECORDINGS / "good", tmp_path)
    done = played.run("verify.py")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "replay" in done.stdout.split("This machine")[0]
    asked = "build,audit,print,statement"
    done = played.run("verify.py", "--require", asked)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Demo: ACCEPTED (only build, audit, print, statement required)\n")
    for more in ("replay", "terms", "paranoid"):
        assert played.run("verify.py", "--require", f"{asked},{more}").returncode == 2
    assert played.run("verify.py", "--require", "nothing-known").returncode == 2
    assert played.run("verify.py", "--require", "").returncode == 2
