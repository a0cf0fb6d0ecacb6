"""All three ways to the axioms at once, and the replay, as where Lean is installed.

Lake and the audit program are stand-ins that say what the real ones would say of this project; the
compiled modules, `#print axioms` and the kernel are the real ones of the Lean inside the wheel.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from harness.policy import load_policy
from harness.replay import facts
from harness.toolchain import crosscheck, embedded, prelude
from projects_for_tests import AUDIT, CHECKOUT, TESTS, Played, make_toolchain, run_script

CASE = TESTS / "projects" / "good_propext"


@pytest.fixture
def played(tmp_path: Path, libraries: Path) -> Played:
    """The project as one of Lake's, its modules compiled, and a toolchain that plays Lake."""
    project = tmp_path / "project"
    shutil.copytree(CASE, project)
    assert run_script("verify.py", "--embedded", "--project", str(project)).returncode == 0
    policy = load_policy(project / "policy.toml")
    library = prelude.library(project)
    (project / "lean-toolchain").write_text("leanprover/lean4:v4.35.0\n", encoding="utf-8")
    roots = ", ".join(f"`{path.stem}" for path in sorted(project.glob("*.lean")))
    (project / "lakefile.lean").write_text(
        f"import Lake\nopen Lake DSL\npackage Demo\nlean_lib Demo where\n  roots := #[{roots}]\n"
        + AUDIT,
        encoding="utf-8",
    )
    program = project / "scripts" / "lean" / "Audit.lean"
    program.parent.mkdir(parents=True)
    shutil.copy(CHECKOUT / "scripts" / "lean" / "Audit.lean", program)
    answer = facts.answer(
        facts.Request(
            "", (str(library),), policy.modules, policy.targets, policy.roots,
            policy.challenge_modules,
        )
    )  # fmt: skip
    for key in ("project", "declared"):
        del answer[key]
    for target in answer["targets"]:
        del target["odd"]
    for module in answer["modules"]:
        module["axioms"] = []
    probe = tmp_path / "Probe.lean"
    probe.write_text("prelude\n" + crosscheck.probe(policy), encoding="utf-8")
    said = embedded.run_lean(libraries, ["--json", probe], cwd=tmp_path, lean_path=[library]).stdout
    # The probe of a project of Lake's has no `prelude`: each answer is a line higher there.
    messages = [json.loads(line) for line in said.splitlines()]
    for message in messages:
        message["pos"]["line"] -= 1
    made = Played(project, make_toolchain(tmp_path / "toolchain"))
    made.rules = [
        {"starts": ["--version"], "stdout": "Lake version 5.0.0-src (Lean version 4.35.0)\n"},
        {"starts": ["build", "--no-build"]},
        {"starts": ["exe", "audit"], "stdout": json.dumps(answer) + "\n"},
        {
            "starts": ["env", "lean", "--json"],
            "stdout": "".join(json.dumps(m) + "\n" for m in messages),
        },
        {"starts": ["env", "printenv", "LEAN_PATH"], "stdout": f"{library}\n"},
    ]
    return made


def verify(played: Played) -> tuple[int, dict[str, Any], str]:
    path = played.project.parent / "result.json"
    done = played.run("verify.py", "--json", str(path))
    return done.returncode, json.loads(path.read_text(encoding="utf-8")), done.stdout


def rules(result: dict[str, Any]) -> set[str]:
    return {f["rule"] for f in result["findings"] if f["level"] != "warning"}


def test_three_ways_and_the_replay_agree(played: Played) -> None:
    status, result, page = verify(played)
    assert status == 0, page
    steps = {step["name"]: step["status"] for step in result["steps"]}
    wanted = ("build", "audit", "terms", "print", "replay", "cross-check")
    assert {steps[name] for name in wanted} == {"passed"}
    axioms = [a for target in result["targets"] for a in target["axioms"]]
    assert axioms
    assert all(set(axiom["by"]) == {"audit", "terms", "print"} for axiom in axioms)
    assert result["versions"]["kernel"].startswith("4.35.0")


def test_an_audit_that_misses_an_axiom_is_contradicted(played: Played) -> None:
    rule = next(r for r in played.rules if r["starts"] == ["exe", "audit"])
    answer = json.loads(rule["stdout"])
    for target in answer["targets"]:
        target["axioms"] = []
    rule["stdout"] = json.dumps(answer) + "\n"
    status, result, _ = verify(played)
    assert status == 2
    assert "ways-disagree" in rules(result)


def test_an_audit_that_fails_leaves_two_ways(played: Played) -> None:
    rule = next(r for r in played.rules if r["starts"] == ["exe", "audit"])
    rule.update(stdout="", exit=1)
    path = str(played.project.parent / "gate.json")
    done = played.run("check_axioms.py", "--json", path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "audit-failed" in done.stderr


def test_modules_that_were_exchanged_are_contradicted(played: Played) -> None:
    other = played.project.parent / "other"
    shutil.copytree(TESTS / "projects" / "sorry_direct", other)
    run_script("check_axioms.py", "--embedded", "--project", str(other))
    rule = next(r for r in played.rules if r["starts"][:2] == ["env", "printenv"])
    rule["stdout"] = f"{prelude.library(other)}\n"
    status, _, _ = verify(played)
    assert status != 0


def test_replay_without_arguments_is_about_the_policys_targets(played: Played) -> None:
    export = played.project / "build" / "proof.ndjson"
    done = played.run("replay.py", "--write-export", str(export))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ACCEPTED\n")
    manifest = json.loads(export.with_name("proof.ndjson.manifest.json").read_text("utf-8"))
    assert set(manifest["sources"]) >= {"Main.lean"}
    again = played.run("verify.py", "--from-export", str(export))
    assert again.returncode == 0, again.stdout + again.stderr
