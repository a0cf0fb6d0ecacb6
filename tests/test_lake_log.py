"""What Lake prints, read: recorded output first, then other wordings and versions."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.process import End, Outcome
from harness.toolchain.lake import cause, diagnostics, failure, progress, sorry_warnings
from projects_for_tests import RECORDINGS

RUNS = sorted(RECORDINGS.glob("*/lake/*.stdout"))


def outcome(stdout: str = "", stderr: str = "", code: int = 0) -> Outcome:
    return Outcome(("lake", "build"), End.EXITED, code, stdout, stderr, 0.1)


def rules(stdout: str = "", stderr: str = "", code: int = 1) -> list[str]:
    return [f.rule for f in failure(outcome(stdout, stderr, code), "lake build")]


@pytest.mark.parametrize("path", RUNS, ids=lambda p: f"{p.parents[1].name}-{p.stem}")
def test_recorded_runs(path: Path) -> None:
    stdout, stderr = path.read_text("utf-8"), path.with_suffix(".stderr").read_text("utf-8")
    failed = "error: build failed" in stderr
    found = failure(outcome(stdout, stderr, 1 if failed else 0), "lake build")
    if not failed:
        assert found == []
    elif path.parents[1].name == "build_fails":
        assert [(f.rule, f.file, f.line, f.column) for f in found] == [
            ("build-failed", "Solution.lean", 7, 4),
            ("build-failed", "Solution.lean", 5, 70),
        ]
        assert "has type\n  s ≤ b.n" in found[0].message
        assert found[1].message.endswith("⊢ (p ∧ q) = (q ∧ p)")
    else:
        # `--wfail` fails for warnings, and no error points anywhere.
        assert [f.rule for f in found] == ["build-infrastructure"]


def test_progress_of_recorded_runs() -> None:
    lines = (RECORDINGS / "good/lake/first.stdout").read_text("utf-8").splitlines()
    told = [p for line in lines if (p := progress(line))]
    assert [(p.done, p.all) for p in told] == [(2, 4), (3, 4)]
    assert told[0].what == "Built Defs (802ms)"


@pytest.mark.parametrize(
    "line",
    [
        "error: A/B.lean:3:4: unsolved goals",
        "error: ././A/B.lean:3:4: unsolved goals",
        "./././A/B.lean:3:4: error: unsolved goals",
        "A/B.lean:3:4: error: unsolved goals",
        "A/B.lean:3:4: error(lean.unknownIdentifier): unsolved goals",
        "\x1b[31merror\x1b[0m: A/B.lean:3:4: unsolved goals",
    ],
)
def test_every_way_to_write_a_place(line: str) -> None:
    (error,) = diagnostics([line, "⊢ False", "✔ [1/2] Built X"])
    assert (error.severity, error.file, error.line, error.column) == ("error", "A/B.lean", 3, 4)
    assert error.text == "unsolved goals\n⊢ False"
    assert error.ours


@pytest.mark.parametrize(
    "file", [".lake/packages/d/X.lean", "lake-packages/d/X.lean", "/elsewhere/X.lean"]
)
def test_files_that_are_not_ours(file: str) -> None:
    (error,) = diagnostics([f"error: {file}:1:1: unsolved goals"])
    assert not error.ours
    assert rules(f"error: {file}:1:1: unsolved goals\n") == ["build-infrastructure"]


def test_a_proof_failure_outweighs_what_follows_from_it() -> None:
    log = (
        "error: A.lean:1:1: unsolved goals\nerror: Lean exited with code 1\n"
        "error: B.lean:1:0: object file 'A.olean' of module A does not exist\n"
    )
    assert rules(log) == ["build-failed"]


@pytest.mark.parametrize("code", [0, 1, 2, -9])
def test_no_error_line_and_a_bad_status_is_not_green(code: int) -> None:
    assert rules("Build completed successfully (4 jobs).\n", code=code) == (
        [] if code == 0 else ["build-infrastructure"]
    )


def test_a_time_limit_is_not_green_whatever_was_printed() -> None:
    stopped = Outcome(("lake",), End.TIME_LIMIT, -15, "Build completed successfully.", "", 9.0,
                      "was stopped after its time limit of 9 s")  # fmt: skip
    (finding,) = failure(stopped, "lake build")
    assert finding.rule == "build-infrastructure"
    assert "time limit of 9 s" in finding.message


def test_names_of_modules_are_no_causes() -> None:
    assert cause(["✔ [1/2] Built Mathlib.Certificate.SSL", "trace: curl: (6) x"]) is None


def test_warnings_about_sorry_in_any_wording() -> None:
    lines = [
        "warning: A.lean:5:8: declaration uses 'sorry'",
        "warning: A.lean:6:8: declaration uses `sorry`",
        "warning: .lake/packages/d/X.lean:1:1: declaration uses 'sorry'",
        "warning: A.lean:7:8: unused variable `x`",
    ]
    assert [d.line for d in sorry_warnings(lines)] == [5, 6]


@given(st.text(), st.text(), st.integers(-20, 140))
def test_any_output_is_read_and_a_bad_status_is_never_green(
    stdout: str, stderr: str, code: int
) -> None:
    found = failure(outcome(stdout, stderr, code), "lake build")
    assert found or code == 0


def test_time_does_not_grow_with_the_square_of_a_message_or_a_line() -> None:
    many = "error: A.lean:1:1: unsolved goals\n" + "⊢ False ∨ something of some length\n" * 200_000
    long = "error: failed " * 100_000 + "\n" + "lake build manifest curl fatal: " * 50_000
    started = time.process_time()
    assert len(diagnostics(many.split("\n"))[0].text) > 5_000_000
    assert rules(many) == ["build-failed"]
    assert rules(long) == ["build-infrastructure"]
    assert time.process_time() - started < 20
