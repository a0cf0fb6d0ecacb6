"""Projects for tests: a folder with sources, policy and pins, and a toolchain that plays back."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent
CHECKOUT = TESTS.parent
RECORDINGS = TESTS / "recordings"
SCRIPTS = CHECKOUT / "scripts"

AXIOMS = {
    "propext": ([], "(Π{Sort 0} (Π{Sort 0} (Π((Iff #1 #0)) (Eq.{1} Sort 0 #2 #1))))"),
    "Classical.choice": (["u"], "(Π{Sort u} (Π((Nonempty.{u} #0)) #1))"),
    "Quot.sound": (
        ["u"],
        "(Π{Sort u} (Π{(Π(#0) (Π(#1) Sort 0))} (Π{#1} (Π{#2} (Π((#2 #1 #0)) (Eq.{u} (Quot.{u} #4 "
        "#3) (Quot.mk.{u} #4 #3 #2) (Quot.mk.{u} #4 #3 #1)))))))",
    ),
}

COMMIT = "fd1fce937a8be2adacaf7d00a1d5c5f7be196774"
"""The commit of `make_package`: the same files, names and dates give the same one everywhere."""

AUDIT = """
lean_exe audit where
  srcDir := "scripts/lean"
  root := `Audit
  supportInterpreter := true
"""
"""What the recorded lakefiles lack: the recordings were made with the audit beside them."""

WITHOUT_MODULES = ("--require", "build,audit,print,statement")
"""For `verify.py` on what is played back: there are no compiled modules that could be replayed."""

Rule = dict[str, Any]


@dataclass
class Played:
    """A project with a toolchain beside it that answers by `rules`, the first match first."""

    project: Path
    toolchain: Path
    rules: list[Rule] = field(default_factory=list)

    def answer(self, *starts: str, first: bool = True, **what: Any) -> None:
        """Add a rule, before the others unless `first` is False."""
        rule = {"starts": list(starts), **what}
        self.rules.insert(0, rule) if first else self.rules.append(rule)

    def calls(self) -> list[dict[str, Any]]:
        """What the toolchain was asked so far: arguments and folder."""
        log = self.toolchain / "rules.log"
        if not log.exists():
            return []
        return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]

    def run(
        self, script: str, *arguments: str, seconds: float = 60, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a script on the project with this toolchain."""
        self.save()
        return run_script(
            script,
            "--project",
            str(self.project),
            "--toolchain",
            str(self.toolchain),
            *arguments,
            seconds=seconds,
            env=env,
        )

    def save(self) -> None:
        """Write the rules where the toolchain reads them."""
        text = json.dumps(self.rules, ensure_ascii=False)
        (self.toolchain / "rules.json").write_text(text, encoding="utf-8")

    def policy(self, **changes: Any) -> None:
        """Write the policy: that of a small project, with changes to its keys."""
        (self.project / "policy.toml").write_text(policy_text(**changes), encoding="utf-8")


def run_script(
    script: str, *arguments: str, seconds: float = 60, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run one of the scripts as a user does."""
    return subprocess.run(
        [sys.executable, SCRIPTS / script, *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=seconds,
        stdin=subprocess.DEVNULL,
        env=os.environ | (env or {}),
        check=False,
    )


def policy_text(
    *,
    targets: Sequence[str] = ("Demo.main",),
    challenge: Sequence[str] = ("Demo.main",),
    modules: Sequence[str] = ("Solution",),
    roots: Sequence[str] = ("Defs", "Trick", "Lemma", "Challenge", "Solution"),
    axioms: Sequence[str] = tuple(AXIOMS),
    version: str | None = "4.27.0",
    limits: str = "",
    sources: str = 'sorry-allowed = { "Challenge.lean" = 1 }',
    build: str = 'targets = ["Challenge"]',
    packages: Sequence[str] = (),
) -> str:
    """The text of a policy for a project like those of the recordings."""

    def array(values: Sequence[str]) -> str:
        return "[" + ", ".join(json.dumps(v, ensure_ascii=False) for v in values) + "]"

    parts = [
        "schema = 1",
        "[project]",
        'name = "Demo"',
        f"modules = {array(modules)}",
        f"roots = {array(roots)}",
        "[targets]",
        f"theorems = {array(targets)}",
    ]
    if challenge:
        parts += ['challenge-modules = ["Challenge"]', f"challenge = {array(challenge)}"]
    parts += ["[lean]", f"packages = {array(packages)}"]
    parts += [f'version = "{version}"'] if version else []
    parts += ["[sources]", sources, "[build]", build, "[limits]", limits]
    for name in axioms:
        levels, type_ = AXIOMS[name]
        parts += [
            "[[axioms]]",
            f'name = "{name}"',
            f"levels = {array(levels)}",
            f'type = "{type_}"',
        ]
    return "\n".join(parts) + "\n"


def make_toolchain(folder: Path) -> Path:
    """A toolchain folder whose `lake` plays back the rules beside it."""
    programs = folder / "bin"
    programs.mkdir(parents=True)
    for name in ("lake", "lean"):
        path = programs / name
        words = (sys.executable, TESTS / "fake_lake.py", folder / "rules.json")
        command = " ".join(shlex.quote(str(word)) for word in words)
        path.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
        path.chmod(0o755)
    return folder


def write_header(path: Path, version: str, githash: str = "", *, form: int = 2) -> None:
    """A compiled module of which there is nothing but the header."""
    path.parent.mkdir(parents=True, exist_ok=True)
    words = version.encode().ljust(33, b"\0") + githash.encode().ljust(40, b"\0")
    path.write_bytes(b"olean" + bytes([form, 0]) + words + bytes(8))


def make_package(folder: Path) -> None:
    """A small Mathlib as Lake checks it out: a real repository at `COMMIT`."""
    (folder / "Mathlib").mkdir(parents=True)
    (folder / "lean-toolchain").write_bytes(b"leanprover/lean4:v4.27.0\n")
    (folder / ".gitignore").write_bytes(b"/.lake\n")
    (folder / "Mathlib" / "Basic.lean").write_bytes(b"theorem x : True := trivial\n")
    git(folder, "init", "--quiet", "--template=", "--object-format=sha1")
    commit(folder)
    assert git(folder, "rev-parse", "HEAD") == COMMIT


def commit(folder: Path) -> None:
    """Commit everything that is in a folder."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=Demo")


def git(folder: Path, *words: str, text: str = "") -> str:
    """What git prints, with nobody's settings; the author and the date are always the same."""
    people = {
        f"GIT_{who}_{key}": value
        for who in ("AUTHOR", "COMMITTER")
        for key, value in (
            ("NAME", "Demo"), ("EMAIL", "demo@example.org"), ("DATE", "2026-01-01T00:00:00Z"),
        )
    }  # fmt: skip
    done = subprocess.run(
        ["git", *words], cwd=folder, input=text, capture_output=True, encoding="utf-8", timeout=60,
        env=os.environ | people | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull},
        check=True,
    )  # fmt: skip
    return done.stdout.strip()


def play(recording: Path, folder: Path) -> Played:
    """A project of a recording's sources, and a toolchain that plays the recording back."""
    project = folder / "project"
    project.mkdir(parents=True)
    modules = []
    for source in sorted((recording / "sources").glob("*.lean")):
        (project / source.name).write_bytes(source.read_bytes())
        modules.append(source.stem)
    meta = json.loads((recording / "meta.json").read_text(encoding="utf-8"))
    lakefile = recording / "lake" / "lakefile.lean"
    text = lakefile.read_text(encoding="utf-8") if lakefile.exists() else _lakefile(modules)
    (project / "lakefile.lean").write_text(text + AUDIT, encoding="utf-8")
    program = project / "scripts" / "lean" / "Audit.lean"
    program.parent.mkdir(parents=True)
    program.write_bytes((CHECKOUT / "scripts" / "lean" / "Audit.lean").read_bytes())
    version = meta["lean"]
    for module in modules:
        write_header(project / ".lake" / "build" / "lib" / "lean" / f"{module}.olean", version)
    (project / "lean-toolchain").write_text(f"leanprover/lean4:v{version}\n", encoding="utf-8")
    played = Played(project, make_toolchain(folder / "toolchain"))
    played.policy(targets=meta["targets"], version=version)
    played.rules = _rules(recording, meta, modules)
    return played


def _lakefile(modules: Sequence[str]) -> str:
    roots = ", ".join(f"`{m}" for m in modules if m != "Challenge")
    return (
        "import Lake\n\nopen Lake DSL\n\npackage Demo\n\n@[default_target]\n"
        f"lean_lib Demo where\n  roots := #[{roots}]\n\nlean_lib Challenge\n"
    )


def _rules(recording: Path, meta: dict[str, Any], modules: Sequence[str]) -> list[Rule]:
    def text(name: str) -> str:
        path = recording / name
        return path.read_text(encoding="utf-8") if path.exists() else ""

    version = f"Lake version 5.0.0-src (Lean version {meta['lean']})\n"
    status = max(code for module, code in meta["build"].items() if module != "Challenge")
    first = text("lake/first.stdout") or _as_lake(text("build.jsonl"), modules)
    challenge = text("lake/challenge.stdout") or "Build completed successfully (4 jobs).\n"
    return [
        {"starts": ["--version"], "stdout": version},
        {"starts": ["build", "--no-build"], "exit": 3},
        {"starts": ["build", "Challenge"], "stdout": challenge},
        {"starts": ["build"], "exit": status, "stdout": first, "stderr": text("lake/first.stderr")},
        {
            "starts": ["exe", "audit"],
            "exit": meta["audit"]["exit"] or 0,
            "stdout": text("audit.json"),
            "stderr": meta["audit"]["stderr"],
        },
        {
            "starts": ["env", "lean", "--json"],
            "exit": meta["print"]["exit"] or 0,
            "stdout": text("print.jsonl"),
            "stderr": meta["print"]["stderr"],
        },
    ]


def _as_lake(messages: str, modules: Sequence[str]) -> str:
    """What Lake prints of the recorded messages, where its own output was not recorded."""
    lines = [f"✔ [{i}/{len(modules)}] Built {m} (1ms)" for i, m in enumerate(modules, 1)]
    for line in messages.splitlines():
        data = json.loads(line)
        if data["fileName"] != "Challenge.lean":
            place = f"{data['fileName']}:{data['pos']['line']}:{data['pos']['column']}"
            lines.append(f"{data['severity']}: {place}: {data['data']}")
    return "\n".join([*lines, f"Build completed successfully ({len(modules)} jobs).", ""])
