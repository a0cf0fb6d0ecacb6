"""The steps about versions: what is there before anything is run, and everything after a build."""

from __future__ import annotations

from pathlib import Path

from harness import replay_steps
from harness.sources import compiled, packages, pins
from harness.sources import project as files
from harness.steps import Looked, Run, find_lean
from harness.toolchain import elan
from harness.verdict import Finding, Status

RUNNING, MODULES = "running Lean", "modules"
PREFIX = "pins: "
"""How a line about pins that were not looked at begins."""


def running_lean(run: Run) -> Looked:
    """The Lean that would run, where there is one: its version and git hash."""
    if run.toolchain is None:
        try:
            elan.find(run.project, None)
        except elan.ToolchainMissing as error:
            return Looked(status=Status.NOT_RUN, detail=str(error))
        except (OSError, UnicodeDecodeError):
            pass  # `find_lean` says what is wrong
    looked = find_lean(run)
    if run.lean is None or looked.findings:
        return looked
    lean, findings = _says(run, RUNNING)
    if lean is not None:
        looked.detail += f", {_commit(lean.githash)}"
    looked.findings += findings
    return looked


def compiled_modules(run: Run) -> Looked:
    """The headers of the compiled modules that are there."""
    library = replay_steps.toolchain_library(run) if run.lean and run.lean.bin else None
    lean = _says(run, MODULES)[0] if run.lean is not None else None
    sources = files.read_sources(run.project, run.policy.exclude)
    looked = compiled.read(
        run.project, [_usual_library(run.project)], _paths(sources), library, MODULES
    )
    if not (looked.written or looked.findings):
        return Looked(status=Status.NOT_RUN, detail="nothing is compiled here")
    if looked.absent:
        run.not_looked_at.append(f"{PREFIX}not there to be compared: {', '.join(looked.absent)}")
    findings = looked.findings + _compared(run, looked, lean, MODULES)
    return Looked(findings, "" if findings else f"{len(looked.written)} files of compiled modules")


def after_build(run: Run, step: str) -> tuple[list[Finding], str]:
    """Every place that names a version, now that all have to be there; and what was compared.

    What cannot be looked at is a finding of its own, but for the files of packages without git.
    """
    assert run.sources is not None
    found, absent = pins.check(run.project, run.policy)
    findings = [*found, *pins.observed(run.project, run.policy, step)]
    findings += [
        _unreadable(f"{place} is not there", step)
        for place in absent
        if place.endswith(elan.TOOLCHAIN_FILE)
    ]
    changed, unseen = packages.check(run.project, run.policy, step)
    lean, told = _says(run, step)
    library = replay_steps.toolchain_library(run)
    looked = compiled.read(run.project, _libraries(run), _paths(run.sources), library, step)
    findings += [*changed, *told, *looked.findings, *_compared(run, looked, lean, step)]
    asked = (*run.policy.modules, *run.policy.challenge_modules)
    findings += [
        _unreadable(f"no compiled module {module} was found, so which Lean wrote it is open", step)
        for module in asked
        if files.module_path("", module).removesuffix(".lean") not in looked.modules
    ]
    if lean is not None and not lean.githash:
        unseen.append(f"the git hash of {lean.place}: it tells none")
    unseen += [place for place in absent if place == pins.MANIFEST]
    run.not_looked_at[:] = [t for t in run.not_looked_at if not t.startswith(PREFIX)]
    run.not_looked_at += [f"{PREFIX}{text}" for text in (*unseen, *looked.absent)]
    names = pins.checked_out(run.project)
    detail = f"pins compared: Lean {lean.version if lean else 'unknown'}"
    detail += f", {_commit(lean.githash)}" if lean and lean.githash else ""
    detail += f", {len(looked.written)} files of compiled modules"
    detail += f", packages checked out: {len(names)}" if names else ""
    return findings, "; ".join([detail, *(f"not {text}" for text in unseen if "no git" in text)])


def _says(run: Run, step: str) -> tuple[compiled.Running | None, list[Finding]]:
    """What the Lean that runs says of itself, and whether that is what is pinned."""
    assert run.lean is not None
    place = str(run.lean.bin / "lean") if run.lean.bin else f"{run.lean.lake} env lean"
    try:
        told = elan.says_of_itself(run.lean, run.project, run.policy.limits.question)
        lean = compiled.Running(*told, place)
        return lean, list(compiled.running(run.policy, run.project, lean, step))
    except elan.ToolchainMissing as error:
        return None, [_unreadable(str(error), step, error.remedy)]
    except pins.PinError:
        return lean, []  # `pins.check` says so


def _compared(
    run: Run, looked: compiled.Looked, lean: compiled.Running | None, step: str
) -> list[Finding]:
    try:
        return list(compiled.compare(run.policy, run.project, looked.written, lean, step))
    except pins.PinError:
        return []  # `pins.check` says so


def _libraries(run: Run) -> list[Path]:
    """The folders of the project's own compiled modules: as Lake says, else as usual."""
    try:
        folders = [run.project / path for path in replay_steps.search_path(run)]
    except replay_steps.NoModules:
        return [_usual_library(run.project)]
    root = run.project.resolve()
    outside = [root / _manifest(run.project).folder]
    return [
        folder
        for folder in dict.fromkeys(folders)
        if (place := folder.resolve()).is_relative_to(root)
        and not any(place.is_relative_to(o.resolve()) for o in outside)
    ]


def _usual_library(project: Path) -> Path:
    return compiled.library_of(project, _manifest(project).lake_folder)


def _manifest(project: Path) -> pins.Manifest:
    try:
        manifest = pins.read_manifest(project)
    except (pins.PinError, OSError):
        manifest = None  # `pins.check` says so
    return manifest or pins.Manifest((), ".lake/packages")


def _paths(sources: files.Sources) -> list[str]:
    return [source.path for source in sources.files]


def _commit(githash: str) -> str:
    return f"commit {githash}" if githash else "its git hash not told"


def _unreadable(message: str, step: str, remedy: str | None = None) -> Finding:
    return Finding("pin-unreadable", message, step, remedy=remedy or "Build again.")
