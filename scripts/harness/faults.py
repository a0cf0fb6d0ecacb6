"""Planted faults: what goes wrong around a proof, on files of a moment, through the real steps.

A missing toolchain, a pin that can move, a source that is no text: each has to be told by its own
rule and by no other. Nothing is compiled here; what a Lean shows is in the planted projects.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness import (
    checker_steps,
    embedded_steps,
    golden,
    inside,
    pipeline,
    policy,
    process,
    replay_steps,
    sandbox,
    sandbox_steps,
    selftest,
    statement_steps,
    steps,
    token_record,
)
from harness.console import Console
from harness.policy import PolicyError
from harness.process import End, Outcome
from harness.replay import facts, manifest
from harness.sources import pins
from harness.sources.tokens import token_hash
from harness.steps import Looked, Run
from harness.toolchain import audit, checkers, elan, prelude
from harness.verdict import Finding, Level, Requirement, Status, Step, Verdict


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: the rule that has to tell it, and what makes it in an empty folder and looks.

    Without a rule nothing is wrong, and nothing may be found.
    """

    name: str
    rule: str | None
    look: Callable[[Path], Iterable[Finding]]
    needs_kernel: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """What a fault was told by; `problem` says why nothing could be looked at."""

    fault: Fault
    rules: frozenset[str]
    problem: str = ""

    @property
    def caught(self) -> bool:
        """Whether its own rule told it, and no other."""
        wanted = {self.fault.rule} if self.fault.rule else set[str]()
        return not self.problem and self.rules == wanted

    def __str__(self) -> str:
        """What it got, and what it should have got."""
        got = self.problem or ", ".join(sorted(self.rules)) or "no rule"
        return (
            f"{self.fault.name}: told by {got}; it must be told by {self.fault.rule or 'no rule'}"
        )


def results() -> list[Result]:
    """Every planted fault, each in a folder of its own."""
    return [_result(fault) for fault in FAULTS]


def _result(fault: Fault) -> Result:
    with tempfile.TemporaryDirectory(prefix="fault-") as name:
        folder = Path(name).resolve()
        try:
            with _alone(folder):
                found = list(fault.look(folder))
        except Exception as error:
            return Result(fault, frozenset(), f"{type(error).__name__}: {error}")
    return Result(fault, frozenset(f.rule for f in found if f.level is not Level.WARNING))


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hide the programs and toolchains of this machine."""
    before = {name: os.environ.get(name) for name in ("PATH", "ELAN_HOME", "HOME")}
    os.environ.update(PATH=str(folder / "no-programs"), ELAN_HOME=str(folder / "no-toolchains"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


# A small project in which nothing is wrong

A, B = "a" * 40, "b" * 40
LAKEFILE = f"""import Lake
open Lake DSL

package Demo

require mathlib from git "https://example.org/mathlib4" @ "{A}"

@[default_target]
lean_lib Demo where
  roots := #[`Solution]

lean_lib Challenge

lean_exe audit where
  srcDir := "scripts/lean"
  root := `Audit
"""
PACKAGES = ".lake/packages/mathlib"


def _manifest(*others: dict[str, str], **changes: str) -> str:
    """A manifest with Mathlib, some of its entries changed, and with other packages."""
    package = {"name": "mathlib", "type": "git", "rev": A, "inputRev": A, **changes}
    return json.dumps({"packages": [package, *others]})


SOLUTION = "import Defs\n\ntheorem Demo.main : Demo.s = 42 := rfl\n"


@functools.cache
def _files() -> dict[str, str]:
    audit = steps.CHECKOUT / "scripts" / "lean" / "Audit.lean"
    return {
        "lean-toolchain": "leanprover/lean4:v4.30.0\n",
        "lakefile.lean": LAKEFILE,
        "lake-manifest.json": _manifest(),
        f"{PACKAGES}/.git/HEAD": f"{A}\n",
        "Defs.lean": "def Demo.s : Nat := 42\n",
        "Solution.lean": SOLUTION,
        "Challenge.lean": "import Defs\n\ntheorem Demo.main : Demo.s = 42 := by decide\n",
        "scripts/lean/Audit.lean": audit.read_text(encoding="utf-8"),
    }


def _project(folder: Path, **policy: Any) -> Run:
    """The project, and a run that was asked about it; keyword arguments change its policy."""
    for name, text in _files().items():
        _write(folder / name, text)
    plain = replace(selftest.policy(), path=folder / "policy.toml", packages=("mathlib",))
    return Run(folder, replace(plain, **policy), Console(io.StringIO(), False, False))


def _write(path: Path, text: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def _program(path: Path, script: str) -> Path:
    """A program that the shell runs; it finds no other on the PATH."""
    _write(path, f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


Look = Callable[[Path], Iterable[Finding]]
Asked = Callable[[Run], Looked]


def _with(look: Asked, file: str | None = None, text: str | bytes | None = "") -> Look:
    """A step on the project, of which one file has another text; without a text it is gone."""

    def looked(folder: Path) -> list[Finding]:
        run = _project(folder)
        if file is not None and text is None:
            (folder / file).unlink()
        elif file is not None:
            _write(folder / file, text or b"")
        return look(run).findings

    return looked


def _pins(name: str, rule: str | None, file: str, text: str | bytes | None) -> Fault:
    return Fault(name, rule, _with(steps.check_pins, file, text))


def _sources(name: str, rule: str, file: str, text: str | bytes | None) -> Fault:
    return Fault(name, rule, _with(steps.read_sources, file, text))


def _scanned(name: str, rule: str, file: str, text: str | bytes) -> Fault:
    return Fault(name, rule, _with(steps.scan_sources, file, text))


def _two_homes(folder: Path) -> list[Finding]:
    """A library in another folder, with a module that the project's own folder has too."""
    run = _project(folder)
    _write(folder / "other" / "Defs.lean", "def Demo.s : Nat := 41\n")
    more = '\nlean_lib Defs where\n  srcDir := "other"\n'
    _write(folder / "lakefile.lean", LAKEFILE + more)
    return steps.read_sources(run).findings


# Lean and Lake


def _no_toolchain(folder: Path) -> list[Finding]:
    return steps.find_lean(_project(folder)).findings


def _not_unpacked(folder: Path) -> list[Finding]:
    run = _project(folder)
    run.toolchain = folder
    return steps.find_lean(run).findings


def _toolchain_says(script: str) -> Look:
    """A toolchain whose Lake answers so when it is asked for its version."""

    def looked(folder: Path) -> list[Finding]:
        run = _project(folder)
        run.toolchain = folder / "toolchain"
        for name in ("lake", "lean"):
            _program(run.toolchain / "bin" / name, script)
        return steps.find_lean(run).findings

    return looked


def _lake(look: Asked, script: str) -> Look:
    """A step with a Lake that does no more than the script says."""

    def looked(folder: Path) -> list[Finding]:
        run = _project(folder)
        run.lean = elan.Lean(_program(folder / "programs" / "lake", script), None, "a stand-in")
        return look(run).findings

    return looked


def _build(run: Run) -> Looked:
    return steps.build(run, fetch=False)


def _only_check(run: Run) -> Looked:
    return steps.build(run, only_check=True)


def _building(script: str) -> str:
    """A Lake that says that something has to be built, and then builds as the script says."""
    return f'[ "$2" = --no-build ] && exit 3\n{script}'


# While it runs


def _changes(file: str, text: str) -> Look:
    """A file of the project has another text at the end than when it was read."""

    def looked(folder: Path) -> list[Finding]:
        run = _project(folder)
        steps.read_sources(run)
        _write(folder / file, text)
        return steps.unchanged(run).findings

    return looked


def _revision_gone(folder: Path) -> list[Finding]:
    """A package whose commit cannot be told once it has to be there."""
    run = _project(folder)
    (folder / PACKAGES / ".git" / "HEAD").unlink()
    return pins.observed(folder, run.policy, "unchanged")


# What is stated


def _golden(text: str | None) -> Look:
    def looked(folder: Path) -> list[Finding]:
        run = _project(folder, golden="golden.txt")
        if text is not None:
            _write(folder / "golden.txt", text)
        steps.read_sources(run)
        return statement_steps.check_golden(run).findings

    return looked


# Exports


NOTHING = checkers.planted().partition("\n")[0] + "\n"
"""An export that declares nothing."""


def _export(look: Callable[[Run, Path], Looked], text: str | None = None, **changes: Any) -> Look:
    """A step on an export of one theorem with its manifest, in which some entries are others."""

    def looked(folder: Path) -> list[Finding]:
        run = _project(folder, targets=("everything",))
        steps.read_sources(run)
        return look(run, _exported(folder, text or checkers.planted(), changes)).findings

    return looked


def _exported(folder: Path, text: str, changes: dict[str, Any]) -> Path:
    file = folder / "proof.ndjson"
    _write(file, text)
    proof = ("Challenge.lean", "Defs.lean", "Solution.lean")
    data = {
        "schema": manifest.SCHEMA,
        "targets": ["everything"],
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "writer": {"name": "faults", "version": "1"},
        "lean": {"version": "4.30.0"},
        "sources": {name: token_hash(_files()[name]) for name in proof},
        "modules": {"everything": "Solution"},
        "statements": [],
        "fingerprints": {},
    }
    _write(file.with_name(file.name + manifest.SUFFIX), json.dumps(data | changes))
    return file


def _no_manifest(folder: Path) -> list[Finding]:
    run = _project(folder)
    steps.read_sources(run)
    _write(folder / "proof.ndjson", checkers.planted())
    return replay_steps.check_export(run, folder / "proof.ndjson").findings


def _read(run: Run, file: Path) -> Looked:
    replay_steps.check_export(run, file)
    return replay_steps.read_export(run, file)


def _long_name() -> str:
    """An export with a name of more components than are read."""
    names = [{"in": i, "str": {"pre": i - 1, "str": "x"}} for i in range(1, 250)]
    return NOTHING + "".join(json.dumps(one) + "\n" for one in names)


# The kernel


def _false(folder: Path) -> list[Finding]:
    run = _project(folder, targets=("everything",))
    _write(folder / "proof.ndjson", checkers.planted())
    return replay_steps.replayed(run, export=folder / "proof.ndjson").findings


def _kernel_elsewhere(folder: Path) -> list[Finding]:
    run = _project(folder, targets=("everything",))
    run.kernel = folder / "nowhere"
    _write(folder / "proof.ndjson", checkers.planted())
    return replay_steps.replayed(run, export=folder / "proof.ndjson").findings


DEPTH, LIMIT = 500, 10
"""Types inside each other, and how deep the kernel may recur, which is not enough for so many."""


def _deeper(**limit: int) -> Look:
    def looked(folder: Path) -> list[Finding]:
        run = _project(folder, targets=("deep",))
        _write(folder / "proof.ndjson", _deep())
        return replay_steps.replayed(run, export=folder / "proof.ndjson", **limit).findings

    return looked


def _no_place(folder: Path) -> list[Finding]:
    """An export that a replay accepts and cannot put where it belongs: a folder is there."""
    run = _project(folder, targets=("deep",))
    _write(folder / "proof.ndjson", _deep())
    _write(folder / "written.ndjson" / "file", "")
    place = folder / "written.ndjson"
    return replay_steps.replayed(run, export=folder / "proof.ndjson", write=place).findings


def _deep() -> str:
    """An export of a theorem with one hypothesis, an arrow from an arrow from an arrow ….

    It concludes `p → p` for every `p`, and its proof uses the hypothesis for nothing.
    """
    binder = {"binderInfo": "default", "name": 0}
    last = 6 + DEPTH
    lines = [
        {"in": 1, "str": {"pre": 0, "str": "deep"}},
        {"ie": 0, "sort": 0},
        {"bvar": 0, "ie": 1},
        {"bvar": 1, "ie": 2},
        {"forallE": {**binder, "body": 2, "type": 1}, "ie": 3},
        {"forallE": {**binder, "body": 3, "type": 0}, "ie": 4},
        {"ie": 5, "lam": {**binder, "body": 1, "type": 1}},
        {"ie": 6, "lam": {**binder, "body": 5, "type": 0}},
        *({"forallE": {**binder, "body": 4, "type": i - 1 if i > 7 else 4}, "ie": i}
          for i in range(7, last + 1)),
        {"ie": last + 1, "lam": {**binder, "body": 6, "type": last - 1}},
        {"thm": {"all": [1], "levelParams": [], "name": 1, "type": last, "value": last + 1}},
    ]  # fmt: skip
    return NOTHING + "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


# Other people's checkers


def _checker(script: str | None, text: str | None = None) -> Look:
    """A checker that does no more than the script says, or none, on an export."""

    def looked(folder: Path) -> list[Finding]:
        run = _project(folder)
        run.checkers_folder = folder / "checkers"
        if script is not None:
            _program(run.checkers_folder / "con-ron", script)
        file = folder / "proof.ndjson"
        _write(file, text or checkers.planted())
        return checker_steps.check_export(run, file).findings

    return looked


def _leanchecker(folder: Path) -> list[Finding]:
    """The pinned toolchain's own, run by a Lake that says what it says of a wrong module."""
    run = _project(folder)
    script = 'printf "leanchecker found a problem in Solution\\n(kernel) mismatch\\n" >&2\nexit 1'
    programs = folder / "toolchain" / "bin"
    run.lean = elan.Lean(_program(programs / "lake", script), programs, "a stand-in")
    _program(programs / "leanchecker", "exit 1")
    return checker_steps.ask_leanchecker(run).findings


_GIT = shutil.which("git")
"""Found before the programs of this machine are hidden."""


Change = Callable[[Path], None]
"""Something done to a folder."""


def _nothing(folder: Path) -> None:
    pass


def _package(after: Change = _nothing, before: Change = _nothing) -> Look:
    """A package that was changed before, or after, its commit was checked out."""
    return lambda folder: _compared(folder, before, after)


def _compared(folder: Path, before: Change, after: Change) -> list[Finding]:
    if _GIT is None:
        raise FileNotFoundError("git is needed")
    run = _project(folder)
    os.environ["PATH"] = str(Path(_GIT).parent)
    package = folder / PACKAGES
    shutil.rmtree(package)
    _write(package / "Mathlib.lean", "theorem x : True := trivial\n")
    _write(package / "Mathlib" / "Sub.lean", "theorem y : True := trivial\n")
    _git(package, "init", "--quiet", "--template=")
    _git(package, "add", "--all")
    before(package)
    _git(package, "commit", "--quiet", "-mA")
    commit = _git(package, "rev-parse", "HEAD").strip()
    _write(folder / "lakefile.lean", LAKEFILE.replace(A, commit))
    _write(folder / "lake-manifest.json", _manifest(rev=commit, inputRev=commit))
    after(package)
    return steps.check_pins(run).findings


def _other_text(package: Path) -> None:
    _write(package / "Mathlib.lean", "axiom x : False\n")


def _forged_folder(package: Path) -> None:
    """The folder of the commit, stored as one with another file, which is checked out."""

    def stored(name: str) -> Path:
        tree = _git(package, "rev-parse", f"{name}:Mathlib").strip()
        return package / ".git" / "objects" / tree[:2] / tree[2:]

    _write(package / "Mathlib" / "Sub.lean", "axiom y : False\n")
    _git(package, "add", "--all")
    forged, real = stored(_git(package, "write-tree").strip()), stored("HEAD")
    real.unlink()
    shutil.copy(forged, real)


def _hidden_files(package: Path) -> None:
    """Files that say of themselves that git does not see them."""
    _write(package / "Mathlib" / "Evil" / ".gitignore", "*\n")
    _write(package / "Mathlib" / "Evil" / "X.lean", "axiom x : False\n")


def _submodule(package: Path) -> None:
    _git(package, "update-index", "--add", "--cacheinfo", f"160000,{A},Evil")


def _in_submodule(package: Path) -> None:
    _write(package / "Evil" / "X.lean", "axiom x : False\n")


def _git(folder: Path, *words: str) -> str:
    people = {
        f"GIT_{who}_{key}": "demo" for who in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")
    }
    nobody = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    outcome = process.run(
        ["git", *words], cwd=folder, seconds=60.0, env=process.environment(people | nobody)
    )
    if not outcome.ok:
        raise RuntimeError(f"git {words[0]} {outcome.says()}")
    return outcome.stdout


def _without_sandbox(folder: Path) -> list[Finding]:
    """A sandbox that was asked for on a machine that has none."""
    run = _project(folder)
    run.sandboxed = True
    steps.perform(run, inside.STEP, sandbox_steps.prepare)
    return run.findings


def _tokens(
    record: str | None, code: str = "example : True := .intro\n"
) -> Callable[[Path], list[Finding]]:
    """A Lean file beside a record of tokens."""

    def look(folder: Path) -> list[Finding]:
        (folder / "Main.lean").write_text(code, encoding="utf-8")
        if record is not None:
            (folder / token_record.FILE).write_text(record, encoding="utf-8")
        run = Run(folder, selftest.policy(), Console(io.StringIO(), False, False))
        return token_record.check(run).findings

    return look


# What has to be refused: each of these finds something only where it is not


def _blind(message: str) -> Finding:
    return Finding("self-test-failed", message, "self-test")


HOMES = ("/home", "/root", "/mnt", "/media", "/run")
"""Folders in which a sandbox has to show nothing."""


def _sandbox_allows(folder: Path) -> Iterator[Finding]:
    """What a sandbox for a project lets be written, read and reached that it must not."""
    home, work = folder / "home", folder / "home" / "work"
    for place in (home / "secret", work / ".lake"):
        place.mkdir(parents=True)
    os.environ["HOME"] = str(home)
    _program(folder / "no-programs" / sandbox.PROGRAM, "exit 0")
    box = inside.make(work, (work / ".lake",), ())
    # This folder may lie in one that is hidden as a whole, which would hide the home as well.
    above = tuple(path for path in box.hidden if not folder.is_relative_to(path))
    box = replace(box, hidden=above, temporary=())
    words = sandbox.arguments(box, work)
    words = words[: words.index("--")]
    if "--unshare-net" not in words:
        yield _blind("a program in the sandbox has a network")
    for path in (Path("/"), Path("/usr"), Path("/etc"), work, work / "Main.lean"):
        if _mounted(words, path) != "--ro-bind":
            yield _blind(f"a program in the sandbox can write {path}, or there is none")
    if _mounted(words, work / ".lake" / "x") != "--bind":
        yield _blind("a program in the sandbox cannot write where it has to")
    hidden = [path.resolve() for path in map(Path, HOMES) if path.is_dir()]
    hidden = [path for path in hidden if not folder.is_relative_to(path)]
    for path in (home, *hidden):
        if _mounted(words, path / "secret") != "--tmpfs":
            yield _blind(f"a program in the sandbox can read what is in {path}")


def _mounted(words: list[str], path: Path) -> str:
    """The option of the last mount that a path lies in."""
    found = ""
    for at, word in enumerate(words):
        if word in ("--bind", "--ro-bind"):
            place = words[at + 2]
        elif word == "--tmpfs":
            place = words[at + 1]
        else:
            continue
        if path.is_relative_to(place):
            found = word
    return found


BUILT = {"pins", "sources", "toolchain", "build", "unchanged"}
STATED = {"statement", "reading", "golden"}
NEEDED: tuple[tuple[Callable[[policy.Policy], Requirement], set[str]], ...] = (
    (pipeline.gate, {"self-test", "cross-check", "statement", *BUILT}),
    (
        pipeline.verification,
        {"self-test", "cross-check", "source scan", "sorry", "hypotheses", "replay"}
        | BUILT
        | STATED,
    ),
    (pipeline.statement, {"self-test", *BUILT, *STATED}),
    (
        pipeline.exported,
        {"self-test", "sources", "source scan", "export", "replay", "hypotheses", *STATED},
    ),
    (pipeline.exported_statement, {"self-test", "sources", "export", "terms", *STATED}),
)
"""What has to have passed before anything is accepted, written down a second time."""


def _accepted_without(folder: Path) -> Iterator[Finding]:
    """Runs in which one step could not run, and all others passed."""
    run = _project(folder, golden="golden.txt", witness=selftest.OTHER)
    for requirement, names in NEEDED:
        needed = requirement(run.policy)
        for lacking in ("", *sorted(names)):
            run.steps = [
                Step(
                    name,
                    Status.COULD_NOT_RUN if name == lacking else Status.PASSED,
                    about_targets=name in ("audit", "print", "terms"),
                    covered=frozenset(run.policy.targets),
                )
                for name in sorted(names | {"audit", "print", "terms"})
            ]
            accepted = pipeline.conclude(run, needed, "").verdict is Verdict.ACCEPTED
            if accepted == bool(lacking):
                what = f"without {lacking}" if lacking else "with all of its steps"
                yield _blind(f"{requirement.__name__} is {accepted} {what}")


def _odd_names(folder: Path) -> Iterator[Finding]:
    """Names that read as something else in a term, and names that do not."""
    odd = (("#0",), ("?m",), ("Sort",), (), (1, "x"), ("a»b",))
    plain = (("Nat", "add"), ("Demo", "Sort"), ("a b",), ("x'",))
    for name, wanted in [*((n, True) for n in odd), *((n, False) for n in plain)]:
        if facts.is_odd(name) != wanted:
            yield _blind(f"{name} is taken for {'a plain' if wanted else 'an odd'} name")


POLICY = """\
schema = 1
[project]
name = "Demo"
modules = ["Solution"]
roots = ["Solution"]
[targets]
theorems = ["Demo.main"]
"""
BAD_POLICIES = {
    "allows sorryAx": '[[axioms]]\nname = "sorryAx"\ntype = "False"\n',
    "has a key that nobody knows": "[audits]\n",
    "names a witness without a challenge": '[statement]\nwitness = "Demo.main"\n',
    "names a golden file elsewhere": '[statement]\ngolden = "../golden.txt"\n',
    "has a time limit of 0 s": "[limits]\nbuild = 0\n",
}


def _policies(folder: Path) -> Iterator[Finding]:
    """Policies that must not be read as any."""
    path = folder / "policy.toml"
    _write(path, POLICY)
    policy.load_policy(path)
    for what, text in BAD_POLICIES.items():
        _write(path, POLICY + text)
        try:
            policy.load_policy(path)
        except PolicyError:
            continue
        yield _blind(f"a policy is read that {what}")


def _reads(line: str) -> Look:
    """A trusted file with a command that stands where no line begins in the first column."""
    return _with(steps.check_reading, "Defs.lean", f"def Demo.s : Nat := 42\n{line}\n")


READ = {
    "a macro": '  macro "x" : term => `(1)',
    "macro rules": "  macro_rules | `(x) => `(1)",
    "a notation": '  notation "x" => 1',
    "an infix": '  infixl:65 " + " => Nat.mul',
    "a prefix": '  prefix:max "-" => Nat.succ',
    "syntax": '  syntax "x" : term',
    "an elaborator": '  elab "x" : term => pure default',
    "a simproc": "  simproc x (1) := fun _ => pure .continue",
    "an attribute": "  attribute [simp] Nat.add",
    "an option": "  set_option autoImplicit true",
    "an opened namespace": "  open Nat",
    "an export": "  export Nat (succ)",
    "a derived instance": "inductive Demo.T | t\n  deriving Inhabited",
    "code that runs": "  initialize pure ()",
    "an included variable": "  include x",
    "something local": '  local notation "x" => 1',
    "an alias": "  alias x := Nat.succ",
    "a word that nobody knows": "frobnicate x",
}
"""A command that changes how a file reads, for each kind of them."""


def _challenge_is(module: str) -> Look:
    def looked(folder: Path) -> list[Finding]:
        return steps.read_sources(_project(folder, challenge_modules=(module,))).findings

    return looked


# What is built and asked again


def _after_build(script: str) -> Look:
    """The end of a run whose build passed, with a Lake that does no more than the script says."""

    def looked(folder: Path) -> list[Finding]:
        run = _project(folder)
        run.lean = elan.Lean(_program(folder / "programs" / "lake", script), None, "a stand-in")
        steps.read_sources(run)
        run.steps.append(Step("build", Status.PASSED))
        return steps.unchanged(run).findings

    return looked


def _compiling(after: Change = _nothing, meddling: bool = False) -> Look:
    """Two modules that a stand-in compiles; with `meddling`, the second changes the first."""

    def compile_(argv: list[Any], **options: Any) -> Outcome:
        out = Path(argv[argv.index("-o") + 1])
        _write(out, out.name)
        if meddling and out.stem == "Main":
            _write(out.with_name("Defs.olean"), "another")
        return Outcome((), End.EXITED, 0, "", "", 0.0)

    def looked(folder: Path) -> list[Finding]:
        modules = [
            prelude.Module("Defs", "Defs.lean", ()),
            prelude.Module("Main", "Main.lean", ("Defs",)),
        ]
        for module in modules:
            _write(folder / module.path, "prelude\n")
        found, _ = prelude.build(folder, folder, modules, 60.0, lambda text: None, start=compile_)
        after(prelude.library(folder))
        return found or prelude.stale(folder, modules)

    return looked


def _extra_module(library: Path) -> None:
    _write(library / "Evil.olean", "of no source")


# Statements


def _said(name: str, type_: str, levels: tuple[str, ...] = ()) -> dict[str, Any]:
    """A target of the audit's answer that states this."""
    answer: dict[str, Any] = selftest.good().answer["targets"][1]
    answer |= {"name": name, "definitions": [], "graph": {name: []}}
    answer["constant"] |= {"name": name, "type": type_, "levels": list(levels)}
    return answer


def _facts(*targets: dict[str, Any]) -> audit.Audit:
    return audit.parse(json.dumps(selftest.good().answer | {"targets": list(targets)}))


GOAL = "(Π(Demo.T) (Π((Demo.P #0)) (Π((Demo.Q #1)) (Demo.P #2))))"
SHOWN = "(Exists.{1} Demo.T (λ(Demo.T) (And (Demo.P #0) (Demo.Q #0))))"


def _witness(type_: str) -> Look:
    """A witness that states this for a theorem about some T with P and Q."""

    def looked(folder: Path) -> list[Finding]:
        run = _project(folder, witness=selftest.OTHER)
        run.audit = _facts(_said(selftest.MAIN, GOAL), _said(selftest.OTHER, type_))
        return statement_steps.check_hypotheses(run).findings

    return looked


def _kept(level: str, *, terms: bool = True) -> Look:
    """A statement with this universe parameter, as the golden file has it."""

    def looked(folder: Path) -> list[Finding]:
        run = _project(folder, golden="golden.txt", challenge_targets=(), targets=("Demo.t",))
        run.terms = _facts(_said("Demo.t", f"(Eq.{{1}} Sort {level} #0)", (level,)))
        _write(folder / "golden.txt", golden.write(golden.of_terms(run.policy, run.terms), "Demo"))
        if not terms:
            run.audit, run.terms = run.terms, None
        steps.read_sources(run)
        return statement_steps.check_golden(run).findings

    return looked


# Checkers that answer as they should of the false theorem


REFUSES = 'case "$1" in *false*) echo "con-ron: rejected: no"; exit 1;; esac\n'
ACCEPTS = 'echo "accepted 1 declarations"'
FLOOD = "x=0123456789abcdef; for i in 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7; do x=$x$x; done; echo $x"


def _answers(script: str) -> Look:
    return _checker(REFUSES + script)


FAULTS: tuple[Fault, ...] = (
    # Pins.
    Fault("pins that agree", None, _with(steps.check_pins)),
    _pins("no toolchain is named", "pin-unreadable", "lean-toolchain", None),
    _pins("two toolchains are named", "pin-unreadable", "lean-toolchain", "a/b:v1.2.3 v4.30.0\n"),
    _pins("a toolchain file that is no text", "pin-unreadable", "lean-toolchain", b"\xff\xfe"),
    _pins("a channel", "pin-not-exact", "lean-toolchain", "leanprover/lean4:stable\n"),
    _pins("a Lean of others", "pin-not-exact", "lean-toolchain", "others/lean4:v4.30.0\n"),
    _pins("another Lean", "pin-mismatch", "lean-toolchain", "leanprover/lean4:v4.29.0\n"),
    _pins("no manifest", "pin-unreadable", "lake-manifest.json", None),
    _pins("a manifest that is cut off", "pin-unreadable", "lake-manifest.json", '{"packages": ['),
    _pins("a manifest without the package", "pin-unreadable", "lake-manifest.json",
          '{"packages": []}'),
    _pins("a package twice", "pin-unreadable", "lake-manifest.json",
          _manifest({"name": "mathlib", "rev": A})),
    _pins("a key twice", "pin-unreadable", "lake-manifest.json",
          _manifest().replace('"rev"', f'"rev": "{B}", "rev"')),
    _pins("another commit in the manifest", "pin-mismatch", "lake-manifest.json",
          _manifest(rev=B, inputRev=B)),
    _pins("a manifest of two minds", "pin-mismatch", "lake-manifest.json", _manifest(inputRev=B)),
    _pins("a branch in the manifest", "pin-not-exact", "lake-manifest.json",
          _manifest({"name": "batteries", "rev": "main"})),
    _pins("a package from a folder", "pin-not-exact", "lake-manifest.json",
          _manifest({"name": "batteries", "type": "path", "dir": "../batteries"})),
    _pins("a revision that is computed", "pin-unreadable", "lakefile.lean",
          LAKEFILE.replace(f'@ "{A}"', "@ revision")),
    _pins("a revision with more behind it", "pin-unreadable", "lakefile.lean",
          LAKEFILE.replace(f'@ "{A}"', f'@ ("{A}" ++ suffix)')),
    _pins("a macro in the lakefile", "pin-unreadable", "lakefile.lean",
          LAKEFILE + "macro_rules | `(require $x) => `(lean_lib Other)\n"),
    _pins("a package with a lakefile from elsewhere", "pin-not-exact", "lake-manifest.json",
          _manifest(configFile="../../../other.lean")),
    _pins("a package outside of its folder", "pin-not-exact", "lake-manifest.json",
          _manifest(subDir="../../../other")),
    _pins("a package under another name of its folder", "pin-unreadable", "lake-manifest.json",
          _manifest({"name": "«other»", "rev": A})),
    _pins("no revision", "pin-unreadable", "lakefile.lean",
          LAKEFILE.replace("require mathlib", "-- require mathlib")),
    _pins("packages from elsewhere", "pin-not-exact", ".lake/package-overrides.json", "{}"),
    _pins("another commit is checked out", "pin-mismatch", f"{PACKAGES}/.git/HEAD", B),
    _pins("Mathlib is for another Lean", "pin-mismatch", f"{PACKAGES}/lean-toolchain",
          "leanprover/lean4:v4.29.0\n"),
    Fault("the wheel's Lean is not the policy's", "pin-mismatch", _with(embedded_steps.check_pins)),
    # Sources.
    Fault("sources that are read", None, _with(steps.read_sources)),
    Fault("sources without a hole", None, _with(steps.scan_sources)),
    _sources("a source that is no text", "source-unreadable", "More.lean", b"def x := \xff\n"),
    _sources("a comment without an end", "source-unreadable", "Defs.lean", "/- def x := 1\n"),
    _sources("a module of ours is gone", "module-missing", "Defs.lean", None),
    _sources("a root of the lakefile is gone", "module-missing", "Challenge.lean", None),
    _sources("a file that nothing imports", "module-not-built", "Orphan.lean", "def x := 1\n"),
    _sources("no lakefile", "lakefile-unreadable", "lakefile.lean", None),
    _sources("a lakefile that computes", "lakefile-unreadable", "lakefile.lean",
             LAKEFILE.replace("#[`Solution]", "names.map id")),
    _sources("a lakefile that decides", "lakefile-unreadable", "lakefile.lean",
             LAKEFILE + "\nmeta if true then\nlean_lib More\n"),
    _sources("two targets of one name", "lakefile-unreadable", "lakefile.lean",
             LAKEFILE + "\nlean_exe «audit» where\n  root := `Other\n"),
    Fault("two files for one module", "lakefile-unreadable", _two_homes),
    _sources("a lakefile without the audit", "audit-replaced", "lakefile.lean",
             LAKEFILE.partition("lean_exe")[0] + "lean_lib Audit where\n"
             '  srcDir := "scripts/lean"\n'),
    _sources("another audit", "audit-replaced", "scripts/lean/Audit.lean",
             'def main : IO Unit := IO.println "{}"\n'),
    _scanned("a hole", "sorry-in-source", "Solution.lean", "theorem x : 1 = 2 := sorry\n"),
    _scanned("an option", "option-not-allowed", "Solution.lean",
             "set_option debug.skipKernelTC true\n"),
    Fault("the challenge is gone", "module-missing",
          _with(steps.check_reading, "Challenge.lean", None)),
    Fault("an instance in a trusted file", "reading-changed",
          _with(steps.check_reading, "Defs.lean", "instance : Inhabited Nat := ⟨0⟩\n")),
    Fault("a name that looks like another", "reading-changed",
          _with(steps.check_reading, "Defs.lean", "def x : Prop := \u0391nd True True\n")),
    Fault("a challenge that is the proof", "challenge-not-apart", _challenge_is("Solution")),
    Fault("a challenge that imports the proof", "challenge-not-apart",
          _with(steps.read_sources, "Challenge.lean", "import Solution\n")),
    *(Fault(f"a trusted file with {word}", "reading-changed", _reads(line))
      for word, line in READ.items()),
    Fault("sources that stay", None, _changes("Solution.lean", SOLUTION)),
    Fault("a source changes", "source-changed", _changes("Solution.lean", "import Defs\n")),
    Fault("a pin changes", "source-changed", _changes("lean-toolchain", "leanprover/lean4:v4.2\n")),
    Fault("a source comes along", "source-changed", _changes("More.lean", "")),
    Fault("what is checked out cannot be told any more", "pin-unreadable", _revision_gone),
    Fault("pins that cannot be told after the build", "pin-unreadable", _after_build("exit 1")),
    Fault("modules that stay as they were compiled", None, _compiling()),
    Fault("a module changes while another is compiled", "source-changed",
          _compiling(meddling=True)),
    Fault("a compiled module of no source", "build-stale", _compiling(_extra_module)),
    # Lean and Lake.
    Fault("no Lean at all", "toolchain-missing", _no_toolchain),
    Fault("a folder that is no toolchain", "toolchain-missing", _not_unpacked),
    Fault("a Lean that does not answer", "toolchain-missing", _toolchain_says("exit 1")),
    Fault("the pinned Lean runs", None,
          _toolchain_says('echo "Lake version 5 (Lean version 4.30.0)"')),
    Fault("another Lean runs", "pin-mismatch",
          _toolchain_says('echo "Lake version 5 (Lean version 4.29.0)"')),
    Fault("a build that succeeds", None, _lake(_build, _building("exit 0"))),
    Fault("a proof that is none", "build-failed",
          _lake(_build, _building('echo "error: Solution.lean:3:4: unsolved goals"; exit 1'))),
    Fault("a disk that is full", "build-infrastructure",
          _lake(_build, _building('echo "error: No space left on device" >&2; exit 1'))),
    Fault("a Lake that is killed", "build-infrastructure",
          _lake(_build, _building("kill -9 $$"))),
    Fault("nothing was built", "build-stale", _lake(_only_check, "exit 3")),
    Fault("an audit that fails", "audit-failed", _lake(steps.ask_audit, "exit 1")),
    Fault("an audit that says nothing", "audit-unreadable", _lake(steps.ask_audit, "exit 0")),
    Fault("an audit of another form", "audit-unreadable",
          _lake(steps.ask_audit, "echo '{\"schema\": 1}'")),
    Fault("no answer to #print axioms", "print-incomplete", _lake(steps.ask_print, "exit 0")),
    # What is stated.
    Fault("no golden file", "golden-missing", _golden(None)),
    Fault("a golden file of another form", "golden-unreadable", _golden("theorem x\n")),
    Fault("what the golden file says", None, _kept("u")),
    Fault("a golden file whose text nothing shows", "golden-text-unseen", _kept("u", terms=False)),
    Fault("a level that reads as something else", "name-ambiguous", _kept("max")),
    Fault("a witness", None, _witness(SHOWN)),
    Fault("a witness that assumes what is false", "witness-differs",
          _witness(f"(Π(False) {SHOWN})")),
    Fault("a witness of less", "witness-differs",
          _witness(SHOWN.replace("(And (Demo.P #0) (Demo.Q #0))", "(Demo.P #0)"))),
    # Exports.
    Fault("an export of these sources", None, _export(replay_steps.check_export)),
    Fault("an export without a manifest", "export-unreadable", _no_manifest),
    Fault("a manifest of another form", "export-unreadable",
          _export(replay_steps.check_export, schema=2)),
    Fault("an export of other targets", "export-stale",
          _export(replay_steps.check_export, targets=["Demo.other"])),
    Fault("an export of another hash", "export-stale",
          _export(replay_steps.check_export, sha256="0" * 64)),
    Fault("an export of other sources", "export-stale",
          _export(replay_steps.check_export, sources={})),
    Fault("a name beyond the limit", "limit-exceeded", _export(_read, _long_name())),
    # The kernel.
    Fault("a false theorem", "kernel-rejects", _false, needs_kernel=True),
    Fault("a kernel that is not there", "kernel-missing", _kernel_elsewhere),
    Fault("a theorem too deep for the kernel", "kernel-undecided", _deeper(depth=LIMIT),
          needs_kernel=True),
    Fault("the same for a kernel that may go deeper", None, _deeper(), needs_kernel=True),
    Fault("a folder where the export goes", "export-unreadable", _no_place, needs_kernel=True),
    # Checkers.
    Fault("no checker", "checker-missing", _checker(None)),
    Fault("a checker that rejects", "checker-rejects",
          _checker('echo "con-ron: rejected: type mismatch"; exit 1')),
    Fault("a checker that accepts what is false", "checker-undecided",
          _checker('echo "accepted 1 declarations"')),
    Fault("a checker that declines", "checker-undecided", _checker("exit 2")),
    Fault("an export that declares nothing", "nothing-checked", _checker("exit 1", NOTHING)),
    Fault("a checker that accepts", None, _answers(ACCEPTS)),
    Fault("a checker that saw less than there is", "checker-undecided",
          _answers('echo "accepted 0 declarations"')),
    Fault("a checker that skipped something", "checker-undecided",
          _answers(f'echo "skipped 1 axiom"; {ACCEPTS}')),
    Fault("a checker that says more than is kept", "checker-undecided",
          _answers(f"{ACCEPTS}; {FLOOD}")),
    Fault("a checker that panics and goes on", "checker-undecided",
          _answers(f'echo "stack overflow"; {ACCEPTS}')),
    Fault("a checker that ran out of stack and rejects", "checker-undecided",
          _answers('echo "con-ron: rejected: deep recursion"; exit 1')),
    Fault("a checker that rejects in colour, and accepts", "checker-undecided",
          _answers(f'printf "\\033[31mrejected\\033[0m\\n"; {ACCEPTS}')),
    Fault("a checker that writes over what it said", "checker-undecided",
          _answers(f'printf "rejected: no\\r"; {ACCEPTS}')),
    Fault("a checker that objects, and accepts", "checker-undecided",
          _answers(f'echo "uncaught exception: (kernel) type mismatch" >&2; {ACCEPTS}')),
    Fault("a checker that changes what it is shown", "checker-undecided",
          _answers(f'echo >>"$1"; {ACCEPTS}')),
    Fault("a checker that changes the export", "checker-undecided",
          _answers(f'echo >>"${{0%/*}}/../proof.ndjson"; {ACCEPTS}')),
    # Packages.
    Fault("a package as in its commit", None, _package()),
    Fault("a package that was changed", "package-changed", _package(_other_text)),
    Fault("a package with a forged folder", "pin-unreadable", _package(_forged_folder)),
    Fault("a package with files that hide", "package-changed", _package(_hidden_files)),
    Fault("a package with a submodule", "package-changed", _package(_in_submodule, _submodule)),
    Fault("no sandbox", "sandbox-unavailable", _without_sandbox),
    Fault("what a sandbox must not allow", None, _sandbox_allows),
    # The verdict, and what it rests on.
    Fault("a run that lacks a step", None, _accepted_without),
    Fault("names that read as something else", None, _odd_names),
    Fault("policies that are none", None, _policies),
    # The record of code.
    Fault("code that is not as recorded", "tokens-changed", _tokens(f"{'0' * 64}  Main.lean\n")),
    Fault("no record of code", "tokens-missing", _tokens(None)),
    Fault("the pinned kernel rejects a module", "checker-rejects", _leanchecker),
)  # fmt: skip
