"""Small projects that state things, compiled by the Lean inside the wheel, and their facts."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import check_statement
from harness.policy import Policy, load_policy
from harness.replay import facts as facts_of
from harness.toolchain import audit, prelude
from projects_for_tests import TESTS

PROJECTS = TESTS / "projects"
LOGIC = """prelude

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

universe u v

unsafe axiom lcErased : Type
unsafe axiom lcAny : Type
unsafe axiom lcVoid : Type
unsafe axiom lcProof {α : Prop} : α

inductive False : Prop

inductive True : Prop where
  | intro : True

inductive And (a b : Prop) : Prop where
  | intro (left : a) (right : b) : And a b

inductive Eq {α : Sort u} : α → α → Prop where
  | refl (a : α) : Eq a a

inductive Exists {α : Sort u} (p : α → Prop) : Prop where
  | intro (w : α) (h : p w) : Exists p

inductive Nat : Type where
  | zero : Nat
  | succ (n : Nat) : Nat

inductive Empty : Type

inductive Bool : Type where
  | false : Bool
  | true : Bool
"""
READING = [
    "set_option genCtorIdx false",
    "set_option genInjectivity false",
    "set_option genSizeOf false",
]


@dataclass(frozen=True, slots=True)
class Said:
    """What `check_statement.py` said: exit status, result, lines of standard error, the page."""

    status: int
    result: dict[str, Any]
    err: list[str]
    page: str

    @property
    def rules(self) -> list[str]:
        return [f["rule"] for f in self.result.get("findings", ()) if f["level"] != "warning"]

    def message(self, rule: str) -> str:
        return next(str(f["message"]) for f in self.result["findings"] if f["rule"] == rule)


def check(project: Path, *arguments: str, embedded: bool = True) -> Said:
    """Run `check_statement.py` on a project, in this process."""
    path = project.parent / "result.json"
    path.unlink(missing_ok=True)
    out, err = io.StringIO(), io.StringIO()
    words = ["--project", str(project), "--json", str(path), *arguments]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = check_statement.main([*words, *(["--embedded"] if embedded else [])])
    assert "Traceback" not in out.getvalue() + err.getvalue()
    assert "a fault of this program" not in err.getvalue()
    result = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    lines = [line for line in err.getvalue().splitlines() if not line.endswith(" …")]
    return Said(status, result, lines, out.getvalue())


def copied(case: str, folder: Path, name: str | None = None) -> Path:
    """A copy of one of the projects of the tests, without what was compiled of it."""
    project = folder / (name or case)
    shutil.copytree(PROJECTS / case, project, ignore=shutil.ignore_patterns("build"))
    return project


def small(
    folder: Path,
    files: Mapping[str, str],
    targets: Sequence[str],
    *,
    golden: str | None = "statement.golden.txt",
    more: str = "",
    reading: Sequence[str] = READING,
) -> Path:
    """A project of `Logic.lean` and these files, whose `Main` states the targets.

    Its challenge, if there is one, states those of the targets that `more` names.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sources = {"Logic": LOGIC, **files}
    for name, text in sources.items():
        path = folder / f"{name.replace('.', '/')}.lean"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    roots = sorted({name.partition(".")[0] for name in sources})
    challenge = "Challenge" in files
    policy = [
        "schema = 1",
        "[project]",
        'name = "small"',
        'modules = ["Main"]',
        f"roots = {json.dumps(roots)}",
        "[targets]",
        f"theorems = {json.dumps(list(targets), ensure_ascii=False)}",
        *(['challenge-modules = ["Challenge"]'] if challenge else []),
        more,
        *(["[sources]", 'sorry-allowed = { "Challenge.lean" = 2 }'] if challenge else []),
        "[statement]",
        *([f"golden = {json.dumps(golden)}"] if golden is not None else []),
        *([f'reading = {{ "Logic.lean" = {json.dumps(list(reading))} }}'] if challenge else []),
        "[lean]",
        'version = "4.35.0"',
    ]
    (folder / "policy.toml").write_text("\n".join(policy) + "\n", encoding="utf-8")
    return folder


def facts(project: Path) -> tuple[Policy, audit.Audit]:
    """The policy of a project that was compiled, and the facts from its terms."""
    policy = load_policy(project / "policy.toml")
    request = facts_of.Request(
        token="",
        path=(str(prelude.library(project)),),
        modules=policy.modules,
        targets=policy.targets,
        roots=policy.roots,
        challenge=policy.challenge_modules if policy.challenge_targets else (),
    )
    answer = facts_of.answer(request)
    answer.pop("project")
    return policy, audit.parse(json.dumps(answer))


def edit(path: Path, old: str, new: str) -> None:
    """Replace a text that stands in a file once."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, (path, text.count(old), old)
    path.write_text(text.replace(old, new), encoding="utf-8")
