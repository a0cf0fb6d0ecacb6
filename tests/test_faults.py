"""What goes wrong around Lean, played back or staged: the right verdict each time, never green.

Each test names the situation; the project is a small one, the toolchain a stand-in that plays back
recorded answers or misbehaves on purpose.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from projects_for_tests import COMMIT, RECORDINGS, SCRIPTS, Played, make_package, play

OK, REJECTED, COULD_NOT_RUN = 0, 1, 2


def message(line: int, text: str, severity: str = "information") -> str:
    """One message of `lean --json`."""
    return (
        json.dumps(
            {"severity": severity, "data": text, "pos": {"line": line, "column": 0}},
            ensure_ascii=False,
        )
        + "\n"
    )


def gate(played: Played, *arguments: str) -> tuple[subprocess.CompletedProcess[str], set[str]]:
    """Run the gate; its result, and the rules of its findings."""
    path = played.project.parent / "result.json"
    path.unlink(missing_ok=True)
    done = played.run("check_axioms.py", "--json", str(path), *arguments)
    assert "Traceback" not in done.stderr + done.stdout
    findings = json.loads(path.read_text(encoding="utf-8"))["findings"] if path.exists() else []
    return done, {finding["rule"] for finding in findings}


def audit_of(recording: str) -> dict[str, Any]:
    """The recorded answer of the audit, to be changed."""
    answer: dict[str, Any] = json.loads(
        (RECORDINGS / recording / "audit.json").read_text(encoding="utf-8")
    )
    return answer


def test_good_project_is_accepted(good: Played) -> None:
    done, rules = gate(good)
    assert done.returncode == OK, done.stdout + done.stderr
    assert rules == set()
    assert done.stdout.startswith("Demo: ACCEPTED\n")
    assert "axioms: propext (audit, print)" in done.stdout


# Answers of `#print axioms`


def test_list_of_axioms_that_wraps_over_lines(good: Played) -> None:
    text = "'Demo.main' depends on axioms: [propext,\n Demo.main._native.native_decide.ax_1_1]"
    good.answer("env", "lean", stdout=message(2, text))
    done, rules = gate(good)
    assert done.returncode == REJECTED
    assert rules == {"axiom-not-allowed"}
    assert "Demo.main._native.native_decide.ax_1_1" in done.stderr


def test_error_before_a_clean_report(good: Played) -> None:
    good.answer(
        "env",
        "lean",
        stdout=message(1, "unknown identifier 'sorry'", "error")
        + message(2, "'Demo.main' does not depend on any axioms"),
        exit=1,
    )
    done, rules = gate(good)
    assert done.returncode == COULD_NOT_RUN
    assert "print-failed" in rules


def test_error_before_a_clean_report_with_status_0(good: Played) -> None:
    good.answer(
        "env",
        "lean",
        stdout=message(1, "something", "error")
        + message(2, "'Demo.main' does not depend on any axioms"),
    )
    done, rules = gate(good)
    assert done.returncode == COULD_NOT_RUN
    assert "print-failed" in rules


def test_no_report_at_all_is_not_green(good: Played) -> None:
    good.answer("env", "lean", stdout="")
    done, rules = gate(good)
    assert done.returncode == COULD_NOT_RUN
    assert "print-incomplete" in rules
    assert "no answer for Demo.main" in done.stderr


def test_report_on_another_line_than_the_request(good: Played) -> None:
    good.answer("env", "lean", stdout=message(7, "'Demo.main' does not depend on any axioms"))
    done, rules = gate(good)
    assert done.returncode == COULD_NOT_RUN
    assert "print-incomplete" in rules


def test_stray_report_of_a_bad_axiom_counts_against(good: Played) -> None:
    good.answer(
        "env",
        "lean",
        stdout=message(2, "'Demo.main' depends on axioms: [propext]")
        + message(9, "'X' depends on axioms: [X.bad]"),
    )
    done, rules = gate(good)
    assert done.returncode == REJECTED
    assert rules == {"axiom-not-allowed"}


def test_two_reports_for_one_request_have_to_be_clean_both(good: Played) -> None:
    good.answer(
        "env",
        "lean",
        stdout=message(2, "'Demo.main' does not depend on any axioms")
        + message(2, "'Other.Demo.main' depends on axioms: [sorryAx]"),
    )
    done, rules = gate(good)
    assert done.returncode == REJECTED
    assert "sorry-in-environment" in rules


@pytest.mark.parametrize(
    "axiom",
    ["Lean.ofReduceBool", "Lean.trustCompiler", "Demo.main._native.native_decide.ax_1_1", "h"],
)
def test_everything_off_the_list_is_rejected(good: Played, axiom: str) -> None:
    good.answer("env", "lean", stdout=message(2, f"'Demo.main' depends on axioms: [{axiom}]"))
    done, rules = gate(good)
    assert done.returncode == REJECTED
    assert "axiom-not-allowed" in rules
    assert axiom in done.stderr


def test_prefixed_and_wrapped_plain_report_is_read(good: Played) -> None:
    good.answer(
        "env",
        "lean",
        stdout="info: ././Probe.lean:2:0: 'Demo.main' depends on axioms: [propext,\n Demo.h]\n",
    )
    done, rules = gate(good)
    assert done.returncode == REJECTED
    assert rules == {"axiom-not-allowed"}
    good.answer(
        "env", "lean", stdout="info: ././Probe.lean:2:0: 'Demo.main' depends on axioms: [propext]\n"
    )
    done, _ = gate(good)
    assert done.returncode == OK, done.stdout


def test_print_axioms_names_fewer_than_the_audit(good: Played) -> None:
    good.answer("env", "lean", stdout=message(2, "'Demo.main' does not depend on any axioms"))
    done, rules = gate(good)
    assert done.returncode == OK
    assert rules == {"print-reports-fewer"}
    assert "propext" in done.stdout


def test_print_axioms_names_more_than_the_audit(good: Played) -> None:
    text = "'Demo.main' depends on axioms: [propext, Quot.sound]"
    good.answer("env", "lean", stdout=message(2, text))
    done, rules = gate(good)
    assert done.returncode == COULD_NOT_RUN
    assert rules == {"ways-disagree"}
    assert "the audit says propext" in done.stderr


# Answers of the audit


def test_axiom_named_like_a_standard_one_with_another_type(good: Played) -> None:
    answer = audit_of("good")
    answer["targets"][0]["axioms"][0]["type"] = "False"
    good.answer("exe", "audit", stdout=json.dumps(answer) + "\n")
    done, rules = gate(good)
    assert done.returncode == REJECTED
    assert rules == {"axiom-type-differs"}
    assert "of type False" in done.stderr


@pytest.mark.parametrize(
    "stdout",
    ["", "{}\n", "null\n", "{\n", '{"schema": 1}\n', "[" * 100_000, '{"schema": NaN}\n'],
    ids=["empty", "no keys", "null", "cut", "only schema", "deep", "NaN"],
)
def test_audit_that_does_not_answer(good: Played, stdout: str) -> None:
    good.answer("exe", "audit", stdout=stdout)
    done, rules = gate(good)
    assert done.returncode == COULD_NOT_RUN
    assert "audit-unreadable" in rules


def test_audit_answered_twice(good: Played) -> None:
    good.answer("exe", "audit", stdout=2 * (RECORDINGS / "good" / "audit.json").read_text("utf-8"))
    done, rules = gate(good)
    assert done.returncode == COULD_NOT_RUN
    assert "audit-unreadable" in rules


def test_audit_with_status_1_does_not_count_whatever_it_prints(good: Played) -> None:
    text = (RECORDINGS / "good" / "audit.json").read_text(encoding="utf-8")
    good.answer("exe", "audit", stdout=text, exit=1)
    done, rules = gate(good)
    assert done.returncode == COULD_NOT_RUN
    assert "audit-failed" in rules


def test_checker_that_skips_and_exits_0(good: Played) -> None:
    good.answer("exe", "audit", stdout="skipping Demo.main\n")
    done, rules = gate(good)
    assert done.returncode == COULD_NOT_RUN
    assert "audit-unreadable" in rules


def test_audit_that_answers_for_fewer_targets(good: Played) -> None:
    good.policy(targets=["Demo.main", "Demo.forty_le"])
    good.answer(
        "env",
        "lean",
        stdout=message(2, "'Demo.main' depends on axioms: [propext]")
        + message(3, "'Demo.forty_le' does not depend on any axioms"),
    )
    done, rules = gate(good)
    assert done.returncode == COULD_NOT_RUN
    assert "audit-incomplete" in rules


def test_object_file_that_is_not_there(good: Played) -> None:
    good.answer(
        "exe",
        "audit",
        stderr="uncaught exception: object file '/x/Solution.olean' of module Solution "
        "does not exist\n",
        exit=1,
    )
    done, rules = gate(good)
    assert done.returncode == COULD_NOT_RUN
    assert "audit-failed" in rules
    assert "a module or file is missing" in done.stderr


# The build


def test_unsolved_goals_in_our_file(tmp_path: Path) -> None:
    played = play(RECORDINGS / "build_fails", tmp_path)
    done, rules = gate(played)
    assert done.returncode == REJECTED
    assert rules == {"build-failed"}
    assert "Solution.lean:7:4: build-failed: Type mismatch" in done.stderr
    assert "Solution.lean:5:70: build-failed: unsolved goals" in done.stderr
    assert not any(call["argv"][:2] == ["exe", "audit"] for call in played.calls())


@pytest.mark.parametrize(
    "warning",
    [
        "declaration uses 'sorry'",
        "declaration uses `sorry`",
        "declaration uses sorry",
        "Demo.main uses sorry",
    ],
)
def test_wording_of_the_warning_does_not_matter(tmp_path: Path, warning: str) -> None:
    played = play(RECORDINGS / "sorry", tmp_path)
    log = f"⚠ [3/4] Built Solution (1ms)\nwarning: Solution.lean:5:8: {warning}\n"
    for text in (log, ""):
        played.answer("build", stdout=text + "Build completed successfully (4 jobs).\n")
        played.answer("build", "--no-build", exit=3)
        done, rules = gate(played)
        assert done.returncode == REJECTED
        assert "sorry-in-environment" in rules


def test_first_run_warns_and_the_second_is_silent(tmp_path: Path) -> None:
    played = play(RECORDINGS / "sorry_in_lemma_elsewhere", tmp_path)
    first, rules = gate(played)
    played.answer("build", stdout="Build completed successfully (5 jobs).\n")
    played.answer("build", "--no-build", exit=3)
    second, rules_again = gate(played)
    assert first.returncode == second.returncode == REJECTED
    assert rules == rules_again


def test_warning_without_sorry_in_the_module_is_told_and_changes_nothing(good: Played) -> None:
    good.answer(
        "build",
        stdout="warning: Solution.lean:7:8: declaration uses 'sorry'\n"
        "Build completed successfully (4 jobs).\n",
    )
    good.answer("build", "Challenge", stdout="Build completed successfully (4 jobs).\n")
    good.answer("build", "--no-build", exit=3)
    done, rules = gate(good)
    assert done.returncode == OK
    assert rules == {"log-disagrees"}
    assert "Solution.lean:7:8" in done.stderr


def test_warnings_of_dependencies_are_theirs(good: Played) -> None:
    good.answer(
        "build",
        stdout="warning: .lake/packages/d/Solution.lean:1:1: declaration uses 'sorry'\n"
        "Build completed successfully (4 jobs).\n",
    )
    good.answer("build", "Challenge", stdout="Build completed successfully (4 jobs).\n")
    good.answer("build", "--no-build", exit=3)
    done, rules = gate(good)
    assert done.returncode == OK, done.stdout
    assert rules == set()


@pytest.mark.parametrize(
    ("stdout", "status"),
    [
        ("Build completed successfully (4 jobs).\n", 1),
        ("error: it broke\nBuild completed successfully (4 jobs).\n", 0),
    ],
    ids=["success text, status 1", "error text, status 0"],
)
def test_status_and_text_that_contradict_each_other(good: Played, stdout: str, status: int) -> None:
    good.answer("build", stdout=stdout, exit=status)
    good.answer("build", "--no-build", exit=3)
    done, rules = gate(good)
    assert done.returncode == COULD_NOT_RUN
    assert rules == {"build-infrastructure"}


@pytest.mark.parametrize(
    ("stderr", "resource"),
    [
        ("error: external command 'git' exited with code 128\n", "git"),
        ("fatal: unable to access 'x': Could not resolve host: github.com\n", "network"),
        ("error: hash mismatch for Mathlib.ltar\n", "not the one expected"),
        ("curl: (60) SSL certificate problem: unable to get local issuer\n", "network"),
        ("error: Lean exited with code 137\n", "memory"),
        ("error: std::bad_alloc\n", "memory"),
        ("error: No space left on device (os error 28)\n", "disk"),
        ("error: Lean exited with code 139\n", "crashed"),
        ("error: permission denied (error code: 13)\n  file: .lake/build\n", "cannot be written"),
        ("error: Read-only file system\n", "cannot be written"),
        ("error: could not download file: HTTP 503\n", "network"),
    ],
)
def test_infrastructure_is_no_failure_of_the_proof(
    good: Played, stderr: str, resource: str
) -> None:
    good.answer("build", stderr=stderr, exit=1)
    good.answer("build", "--no-build", exit=3)
    done, rules = gate(good)
    assert done.returncode == COULD_NOT_RUN
    assert rules == {"build-infrastructure"}
    assert resource in done.stderr


def test_lake_killed_for_memory(good: Played) -> None:
    good.answer("build", signal="SIGKILL")
    good.answer("build", "--no-build", exit=3)
    done, _rules = gate(good)
    assert done.returncode == COULD_NOT_RUN
    assert "memory" in done.stderr
    assert "SIGKILL" in done.stderr


def test_missing_module_at_an_import_of_ours(good: Played) -> None:
    good.answer(
        "build",
        stdout="error: Solution.lean:1:0: object file '/p/Defs.olean' of module Defs does not "
        "exist\n",
        exit=1,
    )
    good.answer("build", "--no-build", exit=3)
    done, rules = gate(good)
    assert done.returncode == COULD_NOT_RUN
    assert rules == {"build-infrastructure"}


def test_dependency_that_does_not_compile(good: Played) -> None:
    good.answer("build", stdout="error: .lake/packages/d/D.lean:3:1: unsolved goals\n", exit=1)
    good.answer("build", "--no-build", exit=3)
    done, rules = gate(good)
    assert done.returncode == COULD_NOT_RUN
    assert rules == {"build-infrastructure"}
    assert ".lake/packages/d/D.lean:3:1" in done.stderr


def test_first_error_far_above_the_end(good: Played) -> None:
    good.answer(
        "build",
        stdout="ℹ [1/4] Building\nerror: Solution.lean:9:2: unsolved goals\n⊢ False\n",
        lines=10_000,
        exit=1,
    )
    good.answer("build", "--no-build", exit=3)
    done, rules = gate(good)
    assert done.returncode == REJECTED
    assert rules == {"build-failed"}
    assert "Solution.lean:9:2" in done.stderr
    assert len(done.stdout) < 20_000


def test_carriage_returns_of_a_progress_display(good: Played) -> None:
    good.answer(
        "build",
        stdout="[1/4] a\r[2/4] b\rerror: Solution.lean:9:2: unsolved goals\r\n",
        exit=1,
    )
    good.answer("build", "--no-build", exit=3)
    done, _rules = gate(good)
    assert done.returncode == REJECTED
    assert "Solution.lean:9:2: build-failed: unsolved goals" in done.stderr


def test_output_that_is_not_utf_8(good: Played) -> None:
    good.answer(
        "build",
        stdout="error: Solution.lean:9:2: ⊢ ℝ ‖x‖\n",
        stdout_bytes=[0xFF, 0x0A],
        exit=1,
    )
    good.answer("build", "--no-build", exit=3)
    good.save()
    done = good.run("check_axioms.py", env={"LC_ALL": "C", "PYTHONUTF8": "0"})
    assert done.returncode == REJECTED
    assert "⊢ ℝ ‖x‖" in done.stdout
    assert "Traceback" not in done.stderr


def test_no_build_needs_lakes_word_that_nothing_is_out_of_date(good: Played) -> None:
    done, rules = gate(good, "--no-build")
    assert done.returncode == COULD_NOT_RUN
    assert rules == {"build-stale"}
    assert not any(call["argv"] == ["build"] for call in good.calls())
    good.answer("build", "--no-build", stdout="Build completed successfully (4 jobs).\n")
    done, rules = gate(good, "--no-build")
    assert done.returncode == OK, done.stdout


def test_build_that_hangs_while_a_grandchild_holds_the_output(good: Played, tmp_path: Path) -> None:
    good.policy(limits="build = 2")
    pid_file = tmp_path / "pid"
    good.answer("build", spawn=600, pid_file=str(pid_file), sleep=600)
    good.answer("build", "--no-build", exit=3)
    started = time.monotonic()
    done, _rules = gate(good)
    assert time.monotonic() - started < 15
    assert done.returncode == COULD_NOT_RUN
    assert "time limit of 2 s" in done.stderr
    _assert_dead(int(pid_file.read_text(encoding="utf-8")))


def test_build_that_leaves_a_process_behind_on_its_output(good: Played, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    good.answer("build", spawn=600, pid_file=str(pid_file))
    good.answer("build", "--no-build", exit=3)
    started = time.monotonic()
    done, _ = gate(good)
    assert time.monotonic() - started < 15
    assert done.returncode == COULD_NOT_RUN
    assert "left a process behind" in done.stderr
    _assert_dead(int(pid_file.read_text(encoding="utf-8")))


def _assert_dead(pid: int) -> None:
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{pid}/stat").exists() and " Z " in Path(f"/proc/{pid}/stat").read_text(
            encoding="utf-8"
        ):
            return
        time.sleep(0.05)
    pytest.fail(f"process {pid} still runs")


def test_waiting_for_another_lake_ends_at_the_time_limit(good: Played) -> None:
    good.policy(limits="build = 1")
    lock = good.project / ".lake" / "build" / "lake.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.write_text("1", encoding="utf-8")
    good.answer("build", stderr="warning: waiting for prior `lake build` invocation\n", sleep=60)
    good.answer("build", "--no-build", exit=3)
    done, _rules = gate(good)
    assert done.returncode == COULD_NOT_RUN
    assert "another lake is building here" in done.stderr
    assert lock.exists()


# Sources and pins


def test_module_that_no_target_reaches(good: Played) -> None:
    (good.project / "Orphan.lean").write_text("theorem Demo.x : 1 = 2 := sorry\n", encoding="utf-8")
    done, rules = gate(good)
    assert done.returncode == REJECTED
    assert rules == {"module-not-built"}
    assert "Orphan.lean: module-not-built" in done.stderr


def test_file_of_the_theorem_is_gone(good: Played) -> None:
    (good.project / "Solution.lean").unlink()
    good.answer("build", stderr="error: no such file or directory\n  file: Solution.lean\n", exit=1)
    good.answer("build", "--no-build", exit=3)
    done, _ = gate(good)
    assert done.returncode == COULD_NOT_RUN
    assert "missing" in done.stderr


def test_lake_says_that_the_manifest_is_out_of_date_and_goes_on(good: Played) -> None:
    _with_packages(good)
    (good.project / "lake-manifest.json").write_text(
        _manifest(rev="b" * 40, asked="b" * 40), encoding="utf-8"
    )
    good.answer(
        "build",
        stderr="warning: manifest out of date: git revision of dependency 'mathlib' changed\n",
        stdout="Build completed successfully (4 jobs).\n",
    )
    done, rules = gate(good)
    assert done.returncode == REJECTED
    assert rules == {"pin-mismatch"}


def _with_packages(played: Played) -> None:
    """Let the project require a Mathlib, every place naming the same commit."""
    lakefile = played.project / "lakefile.lean"
    lakefile.write_text(
        lakefile.read_text(encoding="utf-8")
        + f'\nrequire mathlib from git\n  "https://example.org/mathlib4" @ "{COMMIT}"\n',
        encoding="utf-8",
    )
    (played.project / "lake-manifest.json").write_text(_manifest(), encoding="utf-8")
    make_package(played.project / ".lake" / "packages" / "mathlib")
    played.policy(packages=["mathlib"])


def _manifest(rev: str = COMMIT, asked: str = COMMIT) -> str:
    package = {"name": "mathlib", "type": "git", "rev": rev, "inputRev": asked, "url": "x"}
    return json.dumps({"version": "1.2.0", "packages": [package]})


def test_pins_that_agree(good: Played) -> None:
    _with_packages(good)
    done, rules = gate(good)
    assert done.returncode == OK, done.stdout
    assert rules == set()


@pytest.mark.parametrize(
    ("path", "text", "rule", "places"),
    [
        ("lake-manifest.json", _manifest(rev="b" * 40), "pin-mismatch", ["inputRev and rev"]),
        ("lake-manifest.json", _manifest(asked="b" * 40), "pin-mismatch", ["lakefile.lean:"]),
        ("lake-manifest.json", _manifest(rev="main", asked="main"), "pin-not-exact", ["main"]),
        (".lake/packages/mathlib/.git/HEAD", "c" * 40, "pin-mismatch", [".git/HEAD"]),
        (".lake/packages/mathlib/lean-toolchain", "leanprover/lean4:v4.26.0\n", "pin-mismatch",
         ["lean-toolchain:1"]),
        ("lean-toolchain", "leanprover/lean4:v4.28.0\n", "pin-mismatch", ["policy.toml"]),
        ("lean-toolchain", "leanprover/lean4:stable\n", "pin-not-exact", ["stable"]),
    ],
)  # fmt: skip
def test_every_pair_of_pins_wrong_once(
    good: Played, path: str, text: str, rule: str, places: list[str]
) -> None:
    _with_packages(good)
    (good.project / path).write_text(text, encoding="utf-8")
    done, rules = gate(good)
    assert done.returncode == REJECTED
    assert rule in rules
    assert all(place in done.stderr for place in places)
    assert not any(call["argv"][0] == "build" for call in good.calls())


def test_branch_name_in_the_lakefile(good: Played) -> None:
    _with_packages(good)
    lakefile = good.project / "lakefile.lean"
    text = lakefile.read_text(encoding="utf-8").replace(COMMIT, "master")
    lakefile.write_text(text, encoding="utf-8")
    (good.project / "lake-manifest.json").write_text(_manifest(asked="master"), encoding="utf-8")
    done, rules = gate(good)
    assert done.returncode == REJECTED
    assert rules == {"pin-not-exact"}


def test_running_lean_is_not_the_pinned_one(good: Played) -> None:
    good.answer("--version", stdout="Lake version 5.0.0-src (Lean version 4.28.0)\n")
    done, rules = gate(good)
    assert done.returncode == REJECTED
    assert rules == {"pin-mismatch"}
    assert "4.28.0" in done.stderr
    assert "4.27.0" in done.stderr


def test_lean_that_ran_the_audit_is_not_the_pinned_one(good: Played) -> None:
    answer = audit_of("good")
    answer["lean"]["version"] = "4.28.0"
    good.answer("exe", "audit", stdout=json.dumps(answer) + "\n")
    done, rules = gate(good)
    assert done.returncode == REJECTED
    assert rules == {"pin-mismatch"}


@pytest.mark.parametrize("path", ["lean-toolchain", "lakefile.lean", "Solution.lean"])
def test_pins_and_sources_that_change_during_the_run(good: Played, path: str) -> None:
    target = good.project / path
    changed = target.read_text(encoding="utf-8") + "\n"
    good.answer(
        "build",
        stdout="Build completed successfully (4 jobs).\n",
        write={str(target): changed},
    )
    good.answer("build", "--no-build", exit=3)
    good.answer("build", "Challenge", stdout="Build completed successfully (4 jobs).\n")
    done, rules = gate(good)
    assert done.returncode == REJECTED
    assert rules == {"source-changed"}
    assert f"{path}: source-changed" in done.stderr


def test_lake_update_is_never_run(good: Played) -> None:
    gate(good)
    assert good.calls()
    assert not any("update" in call["argv"] for call in good.calls())


def test_everything_runs_in_the_root_of_the_project(good: Played, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "lean-toolchain").write_text("leanprover/lean4:v4.1.0\n", encoding="utf-8")
    nested = good.project / "nested"
    nested.mkdir()
    (nested / "lean-toolchain").write_text("leanprover/lean4:v4.2.0\n", encoding="utf-8")
    good.save()
    done = subprocess.run(
        [sys.executable, SCRIPTS / "check_axioms.py", "--project", good.project, "--toolchain",
         good.toolchain],
        cwd=nested, capture_output=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == OK, done.stdout
    assert {call["cwd"] for call in good.calls()} == {str(good.project)}


# Around


def test_spaces_and_unicode_in_the_path(tmp_path: Path) -> None:
    played = play(RECORDINGS / "good", tmp_path / "a b" / "é ℝ")
    done, _rules = gate(played)
    assert done.returncode == OK, done.stdout + done.stderr


def test_nothing_is_left_behind_and_nothing_modified(good: Played, tmp_path: Path) -> None:
    good.save()
    temporary = tmp_path / "tmp"
    temporary.mkdir()

    def tree() -> dict[str, bytes]:
        return {
            str(p.relative_to(good.project)): p.read_bytes()
            for p in good.project.rglob("*")
            if p.is_file()
        }

    before = tree()
    done = good.run("check_axioms.py", env={"TMPDIR": str(temporary)})
    assert done.returncode == OK
    assert tree() == before
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(os.name == "nt" or shutil.which("setpriv") is None, reason="needs setpriv")
def test_read_only_tree_of_somebody_else(good: Played, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root, to become somebody else")
    good.answer("build", stderr="error: permission denied (error code: 13)\n", exit=1)
    good.answer("build", "--no-build", exit=3)
    good.save()
    (good.toolchain / "rules.log").touch()
    (good.toolchain / "rules.log").chmod(0o666)
    for path in (tmp_path, *tmp_path.parents):
        if path.is_relative_to("/tmp") and path != Path("/tmp"):
            path.chmod(0o755)
    subprocess.run(["chmod", "-R", "a-w", good.project], check=True)
    # Root's own Python may lie where nobody else may read: run the system's.
    python = shutil.which("python3", path="/usr/bin") or sys.executable
    done = subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", python, "-c",
         "import sys; sys.exit(0 if sys.version_info >= (3, 11) else 9)"],
        check=False, capture_output=True,
    )  # fmt: skip
    if done.returncode != 0:
        pytest.skip("no Python 3.11 that another user may run")
    done_as_other = subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", python,
         SCRIPTS / "check_axioms.py", "--project", good.project, "--toolchain", good.toolchain],
        capture_output=True, encoding="utf-8", timeout=60, check=False,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"},
    )  # fmt: skip
    assert done_as_other.returncode == COULD_NOT_RUN, done_as_other.stderr
    assert "Traceback" not in done_as_other.stderr


def test_two_runs_at_once_both_end_right(good: Played) -> None:
    good.answer("build", stdout="Build completed successfully (4 jobs).\n", sleep=1)
    good.answer("build", "--no-build", exit=3)
    good.answer("build", "Challenge", stdout="Build completed successfully (4 jobs).\n")
    good.save()
    command = [
        sys.executable, str(SCRIPTS / "check_axioms.py"), "--project", str(good.project),
        "--toolchain", str(good.toolchain),
    ]  # fmt: skip
    runs = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        for _ in range(2)
    ]
    results = [run.communicate(timeout=60) for run in runs]
    assert [run.returncode for run in runs] == [OK, OK], results
    assert sum("waiting for another run in this checkout" in err for _, err in results) == 1


def test_cache_is_fetched_for_the_modules_imported_and_no_others(good: Played) -> None:
    solution = good.project / "Solution.lean"
    solution.write_text(
        "import Defs\nimport Mathlib.A.B\npublic import Mathlib.«C d»\nimport Lean\n"
        + solution.read_text(encoding="utf-8"),
        encoding="utf-8",
    )
    good.policy(build='targets = ["Challenge"]\ncache-roots = ["Mathlib"]')
    good.answer("exe", "cache", "get")
    done, _ = gate(good)
    assert done.returncode == OK, done.stdout
    fetched = [call["argv"] for call in good.calls() if call["argv"][:2] == ["exe", "cache"]]
    assert fetched == [["exe", "cache", "get", "Mathlib.A.B", "Mathlib.«C d»"]]


def test_cache_that_cannot_be_fetched(good: Played) -> None:
    solution = good.project / "Solution.lean"
    solution.write_text("import Mathlib.A\n" + solution.read_text("utf-8"), encoding="utf-8")
    good.policy(build='cache-roots = ["Mathlib"]')
    good.answer("exe", "cache", "get", stderr="curl: (6) Could not resolve host: x\n", exit=1)
    done, rules = gate(good)
    assert done.returncode == COULD_NOT_RUN
    assert rules == {"build-infrastructure"}
    assert "network" in done.stderr
    assert not any(call["argv"] == ["build"] for call in good.calls())


def test_three_answers_for_three_endings(tmp_path: Path) -> None:
    rejected, _ = gate(play(RECORDINGS / "axiom", tmp_path / "a"))
    broken, broken_rules = gate(play(RECORDINGS / "build_fails", tmp_path / "b"))
    played = play(RECORDINGS / "good", tmp_path / "c")
    played.answer("build", stderr="bwrap: No permissions to create new namespace\n", exit=1)
    played.answer("build", "--no-build", exit=3)
    stopped, _ = gate(played)
    assert (rejected.returncode, broken.returncode, stopped.returncode) == (1, 1, 2)
    assert broken_rules == {"build-failed"}


def test_messages_cannot_steer_the_terminal(good: Played) -> None:
    evil = "\x1b[2K\x1b[1A\x9b2J\u2028Demo: ACCEPTED"
    good.answer("build", stdout=f"error: Solution.lean:9:2: {evil}\n", exit=1)
    good.answer("build", "--no-build", exit=3)
    done, rules = gate(good)
    assert done.returncode == REJECTED
    assert rules == {"build-failed"}
    for output in (done.stdout, done.stderr):
        assert not set("\x1b\x9b\u2028\r") & set(output)


def test_an_error_with_a_line_separator_inside_is_one_message(good: Played) -> None:
    good.answer(
        "env",
        "lean",
        stdout=message(1, "broken\u2028\x0c\x85 here", "error")
        + message(2, "'Demo.main' depends on axioms: [propext]"),
    )
    done, rules = gate(good)
    assert done.returncode == COULD_NOT_RUN
    assert "print-failed" in rules


def test_json_goes_into_a_folder_that_is_made_for_it(good: Played) -> None:
    path = good.project / "build" / "reports" / "gate.json"
    done = good.run("check_axioms.py", "--json", str(path))
    assert done.returncode == OK
    data = json.loads(path.read_text(encoding="utf-8"))
    assert (data["schema"], data["verdict"], data["scope"]) == (1, "ACCEPTED", "whole")
    assert data["targets"][0]["axioms"] == [
        {
            "name": "propext",
            "type": "(Π{Sort 0} (Π{Sort 0} (Π((Iff #1 #0)) (Eq.{1} Sort 0 #2 #1))))",
            "by": ["audit", "print"],
        }
    ]
    assert [path.name for path in path.parent.iterdir()] == ["gate.json"]


def test_a_check_of_the_text_says_that_it_is_no_more(good: Played) -> None:
    done = good.run("check_sorry.py", "--source-only", "--json", "-")
    assert json.loads(done.stdout)["scope"] == "text only"
    assert good.run("check_sorry.py", "--source-only").stdout.startswith(
        "Demo: ACCEPTED (text only)\n"
    )


def test_a_hole_that_the_policy_names_is_named_in_the_report(good: Played) -> None:
    challenge = good.project / "Challenge.lean"
    assert "sorry" in challenge.read_text(encoding="utf-8")
    page = " ".join(good.run("check_sorry.py", "--source-only").stdout.split())
    assert "No hole in the text but those that the policy names." in page
    assert "holes: those that the policy names (1 in Challenge.lean)" in page


@pytest.mark.parametrize("width", [30, 60, 100])
def test_the_page_fits_its_columns(tmp_path: Path, width: int) -> None:
    from harness.report import text as page_of

    played = play(RECORDINGS / "statement_changed", tmp_path)
    lines = played.run("check_axioms.py").stdout.splitlines()
    assert max(len(line) for line in lines) <= page_of.WIDTH
    for line in lines:
        for piece in page_of._wrap(line, width):
            assert len(piece) <= width or len(piece.split()) == 1


@pytest.mark.parametrize("script", ["check_axioms.py", "verify.py", "test.py", "check_sorry.py"])
def test_an_older_python_says_so(script: str) -> None:
    # What is read before the check has to be what an older Python can read.
    for path in (SCRIPTS / script, SCRIPTS / "harness" / "__init__.py"):
        ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))
    code = (
        "import runpy, sys; sys.version_info = (3, 10, 13); sys.argv = sys.argv[1:]; "
        "sys.path.insert(0, sys.argv[1]); runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, SCRIPTS / script, SCRIPTS],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "Python 3.11 or newer is needed, and this is 3.10" in done.stderr
    assert "Traceback" not in done.stderr
