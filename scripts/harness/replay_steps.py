"""The steps about terms: facts read from compiled modules, and the replay in Lean's kernel."""

from __future__ import annotations

import dataclasses
import json
import os
import secrets
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import axioms, place, process
from harness.sources.project import Source, Target, reach
from harness.steps import Looked, Run, located, own_modules
from harness.toolchain import audit
from harness.verdict import Finding, Level, Status

# What reads terms, runs a kernel or knows the wheel is imported where it is used: the gate is to
# start quickly.
if TYPE_CHECKING:
    from harness.replay import facts
    from harness.replay.result import Replay

TERMS, REPLAY = "terms", "replay"
ANSWER = 512 * 1024 * 1024
"""Characters that the facts may have."""
SCRIPTS = Path(__file__).resolve().parents[1]


class NoModules(Exception):
    """Compiled modules cannot be looked for; the message says why."""


def search_path(run: Run) -> tuple[Path, ...]:
    """The folders of compiled modules: the project's, its packages', the toolchain's.

    Raises NoModules where they cannot be told.
    """
    if run.embedded:
        from harness.toolchain import prelude

        return (prelude.library(run.project),)
    assert run.lean is not None
    outcome = run.start(
        [run.lean.lake, "env", "printenv", "LEAN_PATH"],
        cwd=run.project,
        seconds=run.policy.limits.question,
        env=run.lean.environment(),
    )
    folders = [Path(p) for p in outcome.stdout.strip().split(os.pathsep) if p]
    if not outcome.ok or not folders:
        raise NoModules(f"`lake env printenv LEAN_PATH` {outcome.says()}")
    library = toolchain_library(run)
    return (*folders, *((library,) if library else ()))


def toolchain_library(run: Run) -> Path | None:
    """The folder of the toolchain's own compiled modules and libraries."""
    if run.embedded or run.lean is None:
        return None
    if run.lean.bin is not None:
        folder = run.lean.bin.parent / "lib" / "lean"
        return folder if folder.is_dir() else None
    outcome = run.start(
        [run.lean.lake, "env", "lean", "--print-libdir"],
        cwd=run.project,
        seconds=run.policy.limits.question,
        env=run.lean.environment(),
    )
    folder = Path(outcome.stdout.strip() or ".")
    return folder if outcome.ok and (folder / "Init.olean").is_file() else None


def kernel_library(run: Run) -> Path | None:
    """The library to take the kernel from: the one named, the wheel's, the toolchain's."""
    if run.kernel is not None:
        return run.kernel
    return wheel_library() or toolchain_library(run)


def wheel_library() -> Path | None:
    """The folder of the wheel's libraries, where it is installed beside the harness."""
    from harness.toolchain import embedded

    return embedded.find(place.VENV) if embedded.unsupported() is None else None


def read_terms(run: Run) -> Looked:
    """The facts of every target from the terms of the compiled modules, against the policy."""
    try:
        path = search_path(run)
    except NoModules as error:
        return Looked(status=Status.NOT_RUN, detail=str(error))
    answer = ask_facts(run, facts_request(run, path))
    if isinstance(answer, Finding):
        return Looked([answer])
    run.project_modules = answer.pop("project")
    run.stated = answer["challenge"] or []
    return _judged(run, answer, own_modules(run))


def _judged(run: Run, answer: dict[str, Any], own: frozenset[str] | None) -> Looked:
    """The facts that were read, against the policy."""
    try:
        run.terms = audit.parse(json.dumps(answer))
    except (audit.AuditError, RecursionError) as error:
        return Looked([Finding("modules-unreadable", f"the facts read: {error}", TERMS)])
    evidence = axioms.of_audit(run.policy, run.terms, axioms.TERMS, own)
    closure = sum(target.closure for target in run.terms.targets)
    clean = not any(f.level is not Level.WARNING for f in evidence.findings)
    return Looked(
        located(run, evidence.findings),
        f"{len(evidence.covered)} targets, {closure:,} constants followed" if clean else "",
        evidence.covered,
    )


def facts_request(run: Run, path: tuple[Path, ...] | None = None) -> facts.Request:
    """What is asked of the compiled modules. Raises NoModules where they cannot be found."""
    path = search_path(run) if path is None else path
    from harness.replay import facts

    return facts.Request(
        token=secrets.token_hex(16),
        path=tuple(str(p) for p in path),
        modules=run.policy.modules,
        targets=run.policy.targets,
        roots=run.policy.roots,
        challenge=run.policy.challenge_modules if run.policy.challenge_targets else (),
    )


def ask_facts(run: Run, request: facts.Request) -> dict[str, Any] | Finding:
    """Ask the process that reads terms; a finding where it has no answer."""
    # A request can be longer than an argument may be.
    with tempfile.TemporaryDirectory(prefix="facts-") as folder:
        file = Path(folder) / "request.json"
        file.write_text(json.dumps(dataclasses.asdict(request)), encoding="utf-8")
        outcome = run.start(
            process.python("harness.replay.facts", file),
            cwd=run.project,
            seconds=run.policy.limits.terms,
            env=process.environment({"PYTHONPATH": str(SCRIPTS), "PYTHONSAFEPATH": "1"}),
            keep=ANSWER,
            strict_limit=True,
            readable=(file, *map(Path, request.export)),
            writable=(),
        )
    for line in process.lines_of(outcome.stdout):
        message = _message(line, request.token)
        if message is None or not outcome.ok:
            continue
        if "stop" in message:
            rule, text, declaration = message["stop"]
            return Finding(rule, text, TERMS, declaration=declaration)
        found: dict[str, Any] = message["answer"]
        return found
    said = next((s for s in reversed(process.lines_of(outcome.stderr)) if s.strip()), "")
    return Finding(
        "modules-unreadable",
        f"the process that reads compiled modules {outcome.says()}" + (f": {said}" if said else ""),
        TERMS,
    )


def _message(line: str, token: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and value.get("token") == token else None


def check_export(run: Run, file: Path) -> Looked:
    """Whether an export is of these sources and of the policy's targets."""
    from harness.replay import manifest

    assert run.sources is not None
    try:
        run.manifest = read = manifest.read(file)
        findings = manifest.check(file, read, proof_sources(run), run.policy.targets)
    except manifest.ManifestError as error:
        return Looked([Finding("export-unreadable", f"{file}: {error}", "export")])
    except (OSError, ValueError) as error:
        return Looked([Finding("export-unreadable", f"{file}: {error}", "export")])
    return Looked(
        findings,
        f"{file.name}, written by {read.writer} with Lean {read.lean}, of these sources"
        if not findings
        else "",
    )


def proof_sources(run: Run) -> list[Source]:
    """The files that the policy's modules and the challenge are made of."""
    assert run.sources is not None
    roots = (*run.policy.modules, *run.policy.challenge_modules)
    folders = {target.source_folder for target in run.targets or ()} or {""}
    targets = tuple(Target("proof", "library", roots, folder) for folder in sorted(folders))
    reached = reach(targets, run.sources).files
    return [source for source in run.sources.files if source.path in reached]


def read_export(run: Run, file: Path) -> Looked:
    """The facts of every target from the terms of an export, against the policy."""
    from harness.replay import facts

    assert run.manifest is not None
    answer = ask_facts(
        run,
        facts.Request(
            token=secrets.token_hex(16),
            path=(),
            modules=run.policy.modules,
            targets=run.policy.targets,
            roots=run.policy.roots,
            export=(str(file.resolve()),),
            project=tuple(run.manifest.modules.items()),
        ),
    )
    if isinstance(answer, Finding):
        return Looked([answer])
    answer["challenge"] = run.manifest.statements or None
    return _judged(run, answer, frozenset())


def replay_modules(run: Run) -> Looked:
    """The targets and what they rest on, as terms of the compiled modules, through a kernel."""
    try:
        path = search_path(run)
    except NoModules as error:
        return Looked(status=Status.NOT_RUN, detail=str(error))
    if len(run.policy.modules) != 1:
        return Looked(
            [Finding("modules-unreadable", "terms are read from one root module", REPLAY)]
        )
    library = toolchain_library(run)
    return replayed(
        run,
        path=path,
        module=run.policy.modules[0],
        write=run.write_export,
        reference=(library,) if library else (),
    )


def complete_export(run: Run) -> Looked:
    """Add to the manifest of the export that the replay wrote what only the project knows."""
    from harness.replay import manifest

    file = run.write_export
    assert file is not None
    if not run.passed(REPLAY) or not run.project_modules or not file.is_file():
        return Looked(status=Status.NOT_RUN, detail="needs the steps terms and replay")
    try:
        said = {"challenge": run.stated}
        manifest.complete(file, proof_sources(run), said, run.project_modules)
    except (OSError, ValueError) as error:
        return Looked([Finding("export-unreadable", f"{file}: {error}", "export")])
    megabytes = file.stat().st_size / 1e6
    return Looked(detail=f"{file}, {megabytes:.1f} MB, with its manifest")


def replay_export(run: Run, export: Path) -> Looked:
    """The targets as terms of an export, and everything else in it, through a kernel."""
    assert run.manifest is not None
    known = dict(run.manifest.fingerprints)
    if known:
        run.not_looked_at.append(
            f"functions that kernels compute by name ({', '.join(sorted(known))}): taken for the "
            "real ones where the manifest says so and the kernel cannot confirm it"
        )
    return replayed(run, export=export, known=known)


def replayed(run: Run, **source: Any) -> Looked:
    """Replay the targets from there (fields of `replay.Request`), and say what it comes to."""
    from harness.replay import replay
    from harness.replay.terms import parse_name
    from harness.replay.worker import Allowed, Wanted

    request = replay.Request(
        targets=tuple(Wanted(parse_name(name)) for name in run.policy.targets),
        allowed=tuple(
            Allowed(parse_name(axiom.name), axiom.levels, axiom.type) for axiom in run.policy.axioms
        ),
        kernel=kernel_library(run),
        jobs=replay.cores(),
        memory=run.memory,
        seconds=run.policy.limits.replay,
        **source,
    )
    run.replayed = done = replay.replay(
        request, lambda progress: run.console.progress(f"replay: {progress.line()}"), run.start
    )
    targets = {target.name for target in done.targets}
    findings = [
        Finding(
            f.rule,
            f.message,
            REPLAY,
            declaration=f.declaration,
            target=f.declaration if f.declaration in targets else None,
        )
        for f in done.findings
    ]
    checked = frozenset(target.name for target in done.targets if target.checked)
    if not findings and (done.kernel is None or done.added == 0):
        findings.append(Finding("nothing-checked", "the kernel was shown nothing", REPLAY))
    run.not_looked_at += [f"replay: {text}" for text in done.not_looked_at]
    return Looked(findings, _detail(done) if not findings else "", checked)


def _detail(done: Replay) -> str:
    if done.kernel is None:
        return ""
    return (
        f"{done.added:,} declarations through the kernel of Lean {done.kernel.version} "
        f"({done.kernel.path}) in {done.seconds.get('total', 0.0):.1f} s"
    )
