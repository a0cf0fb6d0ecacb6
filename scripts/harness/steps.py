"""The steps of a verification: each takes what is known and adds a step, findings and facts.

Here the pure parts meet files and processes. No step decides: `verdict.py` does.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import axioms, inside, place, process, selftest
from harness.console import Console
from harness.policy import Policy
from harness.process import Outcome
from harness.sources import packages, pins, scan
from harness.sources import project as files
from harness.sources.files import NotPlain, plain_bytes
from harness.sources.lexer import LexError
from harness.toolchain import audit as audits
from harness.toolchain import crosscheck, elan, lake
from harness.verdict import Finding, Level, Status, Step, step_status

if TYPE_CHECKING:
    from harness.hypotheses import Met
    from harness.replay.manifest import Manifest
    from harness.replay.result import Replay
    from harness.sandbox import Sandbox
    from harness.toolchain import prelude
    from harness.toolchain.checkers import Ran

if sys.platform != "win32":
    import fcntl

CHECKOUT = place.ROOT
"""What the harness stands in, with its audit program."""
UNCHANGED = "unchanged"
LARGEST_GOLDEN = 8 * 1024 * 1024
"""Bytes of the largest golden file that is read."""
AUDIT_OUTPUT = 512 * 1024 * 1024
"""Characters that the audit's answer may have."""


WITHOUT_NETWORK = (
    "Without a network, bring both from a machine that has one: the unpacked toolchain, and the "
    f"folder .lake/packages after `{place.call('build.py')}` has run there."
)


@dataclass(slots=True)
class Run:
    """A verification on its way: what was asked, and what is known so far."""

    project: Path
    policy: Policy
    console: Console
    toolchain: Path | None = None
    steps: list[Step] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    not_looked_at: list[str] = field(default_factory=list)
    lean: elan.Lean | None = None
    lean_version: str = ""
    sources: files.Sources | None = None
    targets: tuple[files.Target, ...] | None = None
    """What the lakefile builds."""
    reach: files.Reach | None = None
    snapshot: dict[str, str] = field(default_factory=dict)
    golden: bytes | OSError | NotPlain | None = None
    """The golden file as it was when the sources were read, or why it could not be read."""
    audit: audits.Audit | None = None
    terms: audits.Audit | None = None
    """The same facts as the audit's, computed from the terms of the compiled modules."""
    replayed: Replay | None = None
    stated: list[Any] = field(default_factory=list)
    """What the challenge states, in the form of the audit's answer."""
    manifest: Manifest | None = None
    project_modules: dict[str, str] = field(default_factory=dict)
    """The module of every constant of the project, where its modules were read."""
    unused_hypotheses: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By target, the hypotheses that its proof never uses."""
    met_hypotheses: dict[str, Met] = field(default_factory=dict)
    """By target, what the witness says of its hypotheses."""
    write_export: Path | None = None
    memory: int | None = None
    """Bytes of address space that each program started here may take; None: no limit."""
    sandboxed: bool = False
    """Whether what the project is made of may run and be read in a sandbox only."""
    sandbox: Sandbox | None = None
    embedded: bool = False
    compiled: list[prelude.Module] = field(default_factory=list)
    """The modules that the Lean inside the wheel compiled."""
    wheel: Path | None = None
    """The libraries of the Lean inside the wheel."""
    kernel: Path | None = None
    """The library to take the kernel from, where one was named."""
    printed: crosscheck.Printed | None = None
    build_lines: list[str] = field(default_factory=list)
    package_revisions: dict[str, str] = field(default_factory=dict)
    machine: list[str] = field(default_factory=list)
    """What this machine has, in lines for a person; empty where nobody asked."""
    setup_problem: str = ""
    """Why setting up what was missing did not work."""
    paranoid: bool = False
    """Whether other people's checkers are asked about the export."""
    checkers_folder: Path | None = None
    checkers_problem: str = ""
    """Why a toolchain with checkers was not installed."""
    checked: list[Ran] = field(default_factory=list)
    """What became of each checker."""
    locks: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    """What is held until the last step has ended."""

    def facts(self) -> dict[str, audits.Audit]:
        """What is known of the targets, by the way it became known."""
        ways = {axioms.AUDIT: self.audit, axioms.TERMS: self.terms}
        return {way: facts for way, facts in ways.items() if facts is not None}

    def start(self, argv: Sequence[str | Path], **options: Any) -> Outcome:
        """Run a program of the project, or one that reads what it compiled (`inside.run`)."""
        if self.sandboxed and self.sandbox is None:
            raise inside.Unavailable("the sandbox that was asked for is not there")
        if self.memory is not None:
            options.setdefault("memory", self.memory)
        return inside.run(self.sandbox, argv, tell=self._outlived, **options)

    def _outlived(self, names: list[str]) -> None:
        text = f"{', '.join(names)}: still ran when what had started it had ended, and was ended"
        self.findings.append(Finding("process-left", text, inside.STEP))

    def passed(self, name: str) -> bool:
        """Whether a step ran and passed."""
        return any(s.name == name and s.status is Status.PASSED for s in self.steps)


@dataclass(slots=True)
class Looked:
    """What a step comes back with."""

    findings: list[Finding] = field(default_factory=list)
    detail: str = ""
    covered: frozenset[str] = frozenset()
    status: Status | None = None
    """None: as the findings say."""


def perform(
    run: Run, name: str, look: Callable[[Run], Looked], about_targets: bool = False
) -> None:
    """Run one step and record what became of it."""
    run.console.step(f"{name} …")
    started = time.monotonic()
    try:
        looked = look(run)
    except Busy:
        looked = Looked(
            [
                Finding(
                    "build-infrastructure",
                    "another run has been building in this checkout all the time",
                    name,
                    remedy="Wait for it to end, or end it, and run again.",
                )
            ]
        )
    except inside.Unavailable as error:
        found = Finding("sandbox-unavailable", str(error), name, remedy=error.remedy)
        looked = Looked([found])
    if run.sandbox is not None:
        from harness import sandbox

        looked.findings = sandbox.explained(looked.findings, run.sandbox, run.project)
    run.findings += looked.findings
    status = looked.status or step_status(looked.findings)
    worst = sorted(looked.findings, key=lambda f: list(Level).index(f.level))
    detail = looked.detail or next((f.message for f in worst), "")
    run.steps.append(
        Step(
            name,
            status,
            time.monotonic() - started,
            " ".join(detail.split()),
            about_targets=about_targets,
            covered=looked.covered,
        )
    )


def not_run(run: Run, name: str, why: str) -> None:
    """Record that a step was not run."""
    run.steps.append(Step(name, Status.NOT_RUN, 0.0, why))


# Without Lean


def self_test(run: Run) -> Looked:
    """Planted failures through the deciding code, each to be caught by its own rule."""
    results = selftest.results()
    return Looked(
        [Finding("self-test-failed", str(r), "self-test") for r in results if not r.caught],
        selftest.summary(results),
    )


def check_pins(run: Run) -> Looked:
    """Every two places that name a version."""
    findings, absent = pins.check(run.project, run.policy)
    changed, unseen = packages.check(run.project, run.policy, pins.STEP)
    findings += changed
    run.not_looked_at += [f"pins: {text}" for text in unseen]
    run.package_revisions = pins.checked_out(run.project)
    if absent:
        run.not_looked_at.append(f"pins: not there to be compared: {', '.join(absent)}")
    detail = "the pins that are there agree" + (
        f"; {len(absent)} places are not there yet" if absent else ""
    )
    return Looked(findings, detail if not findings else "")


def read_sources(run: Run) -> Looked:
    """Read the sources, and find what no target of the lakefile reaches."""
    sources = files.read_sources(run.project, run.policy.exclude)
    run.sources = sources
    run.snapshot = files.snapshot(run.project, sources, watched_files(run))
    remember_golden(run)
    findings = list(sources.findings)
    try:
        run.targets = targets = files.read_targets(run.project)
    except files.LakefileError as error:
        findings.append(Finding("lakefile-unreadable", str(error), files.STEP))
        return Looked(findings)
    run.reach = files.reach(targets, sources)
    findings += run.reach.findings
    findings += files.missing(run.reach, (*run.policy.roots, *_first_names(targets)))
    findings += files.not_apart(run.policy, targets, sources)
    findings += files.replaced_audit(targets, sources, CHECKOUT)
    findings += files.not_built(run.reach, sources)
    return Looked(findings, f"{len(sources.files)} Lean files, each reached by a target")


def _first_names(targets: tuple[files.Target, ...]) -> set[str]:
    return {root.partition(".")[0] for target in targets for root in target.roots}


def scan_sources(run: Run) -> Looked:
    """Holes and options in the text of the sources."""
    sources = run.sources or files.read_sources(run.project, run.policy.exclude)
    run.sources = sources
    findings = list(sources.findings)
    allowed = dict(run.policy.sorry_allowed or {})
    for source in sources.files:
        findings += _scan_file(run.policy, source, allowed.pop(source.path, 0))
    findings += [
        Finding(
            "sorry-expected", "the policy names it, and it is not there", "source scan", file=path
        )
        for path in allowed
    ]
    findings += _scan_lakefile_toml(run)
    return Looked(findings, "" if findings else _scan_detail(run, len(sources.files)))


def _scan_detail(run: Run, files: int) -> str:
    left = [f"{count} in {path}" for path, count in (run.policy.sorry_allowed or {}).items()]
    holes = f"those that the policy names ({', '.join(left)})" if left else "none"
    return f"{files} Lean files read; holes: {holes}"


def _scan_lakefile_toml(run: Run) -> list[Finding]:
    path = run.project / "lakefile.toml"
    if not path.is_file():
        return []
    try:
        text = path.read_bytes().decode("utf-8-sig")
        found = scan.scan_lakefile_toml(text, options_allowed=frozenset(run.policy.options_allowed))
    except (OSError, UnicodeDecodeError, LexError) as error:
        return [Finding("source-unreadable", str(error), "source scan", file=path.name)]
    return [_scan_finding(path.name, f) for f in found]


def _scan_file(policy: Policy, source: files.Source, expected: int) -> list[Finding]:
    options = frozenset(policy.options_allowed)
    try:
        found = scan.scan(source.text, options_allowed=options)
        if source.path == "lakefile.lean":
            found = scan.scan_lakefile(source.text, options_allowed=options)
    except LexError as error:
        return [
            Finding(
                "source-unreadable",
                error.message,
                "source scan",
                file=source.path,
                line=error.line,
                column=error.column,
            )
        ]
    holes = [f for f in found if f.rule == "sorry-in-source"]
    if expected and len(holes) == expected:
        found = [f for f in found if f.rule != "sorry-in-source"]
    findings = [_scan_finding(source.path, f) for f in found]
    if expected > len(holes):
        findings.append(
            Finding(
                "sorry-expected",
                f"the policy names {expected} holes, and {len(holes)} are there",
                "source scan",
                file=source.path,
            )
        )
    return findings


def check_reading(run: Run) -> Looked:
    """What in the trusted files could change how they read, against what is agreed."""
    sources = run.sources or files.read_sources(run.project, run.policy.exclude)
    run.sources = sources
    folders = {target.source_folder for target in run.targets or ()}
    # Not part of the gate, which is to start quickly.
    from harness.sources import reading

    findings, trusted, agreed = reading.check(sources, run.policy, folders)
    said = "no command that changes how they read"
    if agreed:
        said = f"{agreed} agreed command{'' if agreed == 1 else 's'}"
    return Looked(findings, "" if findings else f"{trusted} trusted files: {said}")


_REMEDIES = {
    "sorry-in-source": "Prove it, or take the declaration out. A hole that is meant is named in "
    "the policy (sources.sorry-allowed).",
    "option-not-allowed": "Take the option out. One that is meant is named in the policy "
    "(sources.options-allowed).",
}


def _scan_finding(path: str, found: scan.SourceFinding) -> Finding:
    return Finding(
        found.rule,
        found.message,
        "source scan",
        file=path,
        line=found.line,
        column=found.column,
        remedy=_REMEDIES.get(found.rule),
    )


# With Lean


def find_lean(run: Run) -> Looked:
    """The Lean to run, and whether it is the pinned one. Says within seconds if there is none."""
    try:
        run.lean = elan.find(run.project, run.toolchain)
        run.lean_version = elan.running_version(
            run.lean, run.project, run.policy.limits.question, run.start
        )
    except elan.ToolchainMissing as error:
        run.lean = None
        message = f"{error}; {run.setup_problem}" if run.setup_problem else str(error)
        remedy = f"{error.remedy} {WITHOUT_NETWORK}"
        return Looked([Finding("toolchain-missing", message, "toolchain", remedy=remedy)])
    except (OSError, UnicodeDecodeError) as error:
        run.lean = None
        return Looked([Finding("pin-unreadable", f"{elan.TOOLCHAIN_FILE}: {error}", "toolchain")])
    try:
        findings = pins.running(run.policy, run.project, run.lean_version, run.lean.origin)
    except pins.PinError as error:
        findings = [Finding("pin-unreadable", str(error), "toolchain")]
    return Looked(
        [replace(f, step="toolchain") for f in findings],
        f"Lean {run.lean_version}, {run.lean.origin}",
    )


def lake_run(
    run: Run, arguments: list[str], seconds: float, prefix: str = "build", network: bool = False
) -> Outcome:
    """Run Lake in the project's root, showing its progress.

    In a sandbox there is a network only with `network`.
    """
    assert run.lean is not None

    def show(line: str) -> None:
        told = lake.progress(line)
        if told is not None:
            run.console.progress(f"{prefix}: [{told.done}/{told.all}] {told.what}")
        elif line.strip() and not line.startswith("trace:"):
            run.console.progress(f"{prefix}: {lake.clean(line)}")

    return run.start(
        [run.lean.lake, *arguments],
        cwd=run.project,
        seconds=seconds,
        env=run.lean.environment(),
        on_stdout=show,
        on_stderr=show,
        network=network,
    )


def build(run: Run, *, only_check: bool = False, fetch: bool = True) -> Looked:
    """Build the default targets and those of the policy, or check that nothing is out of date."""
    # The modules that are asked about are built by name: a default target may leave them out.
    asked = (*run.policy.modules, *run.policy.challenge_modules)
    named = [*run.policy.build_targets, *(f"+{module}" for module in asked)]
    commands = [["build"], ["build", *named]]
    with one_at_a_time(run):
        for folder in run.sandbox.writable if run.sandbox else ():
            # Lake would make it, and it can only be made from outside.
            folder.mkdir(exist_ok=True)
        if not only_check and (problem := _fetch_packages(run)):
            return Looked(problem)
        current = _up_to_date(run, commands)
        if only_check or current:
            if isinstance(current, list):
                return Looked(current)
            return Looked([], "nothing was out of date") if current else Looked([_stale(commands)])
        if fetch and (problem := _fetch_cache(run)):
            return Looked(problem)
        for arguments in commands:
            outcome = lake_run(run, arguments, run.policy.limits.build)
            run.build_lines += outcome.lines()
            if problem := lake.failure(
                outcome, " ".join(["lake", *arguments]), root=str(run.project)
            ):
                return Looked(problem)
    return Looked([], "built at the pins: " + ", ".join(" ".join(["lake", *c]) for c in commands))


def _up_to_date(run: Run, commands: list[list[str]]) -> bool | list[Finding]:
    """Lake's own answer to whether everything is built; findings where it gives none."""
    for command in commands:
        arguments = [command[0], "--no-build", *command[1:]]
        outcome = lake_run(run, arguments, run.policy.limits.build, "check")
        if outcome.end is process.End.EXITED and outcome.code == lake.NO_BUILD_STATUS:
            return False
        if problem := lake.failure(outcome, " ".join(["lake", *arguments]), root=str(run.project)):
            return problem
        run.build_lines += outcome.lines()
    return True


def _stale(commands: list[list[str]]) -> Finding:
    shown = " && ".join(" ".join(["lake", *command]) for command in commands)
    return Finding(
        "build-stale",
        "compiled modules are missing or older than their sources, says Lake",
        "build",
        remedy=f"Build first: {shown}; or leave --no-build out.",
    )


def _fetch_packages(run: Run) -> list[Finding]:
    """Fetch missing packages in a sandbox; elsewhere Lake does it whenever it runs."""
    if run.sandbox is None or not (names := pins.absent(run.project)):
        return []
    run.console.step(f"packages: {', '.join(names)} …")
    outcome = lake_run(run, ["env", "true"], run.policy.limits.cache, "packages", network=True)
    return lake.failure(outcome, "lake env true")


def _fetch_cache(run: Run) -> list[Finding]:
    """Fetch the compiled modules that our files import, and nothing more."""
    modules = list(files.cached_modules(run.reach, run.policy)) if run.reach else []
    if not modules:
        return []
    run.console.step(f"cache: {len(modules)} modules that our files import …")
    arguments = ["exe", "cache", "get", *modules]
    outcome = lake_run(run, arguments, run.policy.limits.cache, "cache", network=True)
    if outcome.ok:
        return []
    return lake.failure(outcome, "lake exe cache get …") or [
        Finding("build-infrastructure", f"`lake exe cache get` {outcome.says()}", "build")
    ]


class Busy(Exception):
    """Another run has been building in this checkout for as long as a build may take."""


def _wait_for(folder: int, deadline: float) -> None:
    """Wait until nobody else builds here. Raises Busy at the deadline."""
    while True:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() > deadline:
                raise Busy from None
            time.sleep(0.1)
        else:
            return


@contextlib.contextmanager
def one_at_a_time(run: Run) -> Iterator[None]:
    """Let one run build in a checkout at a time; a second one says that it waits."""
    if sys.platform == "win32":
        yield
        return
    folder = os.open(run.project, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            run.console.line("build: waiting for another run in this checkout")
            _wait_for(folder, time.monotonic() + run.policy.limits.build)
        yield
    finally:
        os.close(folder)


def read_audit(run: Run) -> Looked:
    """Ask the audit program for the facts of every target, and read its answer."""
    with tempfile.TemporaryDirectory(prefix="audit-") as folder:
        path = Path(folder) / "request.json"
        path.write_text(audits.request(run.policy), encoding="utf-8")
        outcome = _lake_quiet(run, ["exe", "audit", str(path)], run.policy.limits.audit, path)
    told = lake.diagnostics(process.lines_of(outcome.stderr))
    if not outcome.ok or any(d.severity == "error" for d in told):
        return Looked([_no_answer("audit-failed", "lake exe audit", outcome, axioms.AUDIT)])
    try:
        run.audit = audits.parse(audits.find_answer(outcome.stdout))
    except audits.AuditError as error:
        return Looked([Finding("audit-unreadable", f"the audit's answer: {error}", axioms.AUDIT)])
    return Looked(list(axioms.completeness(run.policy, run.audit, own=own_modules(run))))


def own_modules(run: Run) -> frozenset[str] | None:
    """The project's modules that the policy's modules import, None where that is not known."""
    if run.sources is None or run.targets is None:
        return None
    return files.own_modules(run.policy.modules, run.targets, run.sources)


def ask_audit(run: Run) -> Looked:
    """Ask the audit, and compare its answer with the policy."""
    looked = read_audit(run)
    if run.audit is None:
        return looked
    evidence = axioms.of_audit(run.policy, run.audit, own=own_modules(run))
    closure = sum(target.closure for target in run.audit.targets)
    return Looked(
        located(run, evidence.findings),
        f"{len(evidence.covered)} targets, {closure:,} constants followed"
        if not any(f.level is not Level.WARNING for f in evidence.findings)
        else "",
        evidence.covered,
    )


def ask_print(run: Run) -> Looked:
    """Ask `#print axioms` for every target, in a file outside the project."""
    with tempfile.TemporaryDirectory(prefix="probe-") as folder:
        path = Path(folder) / "Probe.lean"
        path.write_text(crosscheck.probe(run.policy), encoding="utf-8")
        arguments = ["env", "lean", "--json", str(path)]
        outcome = _lake_quiet(run, arguments, run.policy.limits.print, path)
    return printed(run, outcome, "lake env lean")


def printed(run: Run, outcome: Outcome, command: str, first_line: int = 1) -> Looked:
    """What a probe's answers come to.

    `command` is how it was asked, for people; the probe begins in line `first_line` of the file.
    """
    requests = {
        number + first_line - 1: target
        for number, target in crosscheck.request_lines(run.policy).items()
    }
    run.printed = crosscheck.read(outcome.stdout, requests)
    facts = next(iter(run.facts().values()), None)
    looked = axioms.of_print(run.policy, run.printed, facts)
    findings = list(looked.findings)
    told = lake.diagnostics(process.lines_of(outcome.stderr))
    if outcome.ok and any(d.severity == "error" for d in told):
        findings.append(_no_answer("print-failed", command, outcome, axioms.PRINT))
    missing = {t.name for t in facts.targets if t.statement is None} if facts else set()
    if not outcome.ok and not (missing and outcome.end is process.End.EXITED):
        findings.append(_no_answer("print-failed", command, outcome, axioms.PRINT))
    return Looked(
        located(run, findings),
        f"{len(looked.covered)} of {len(run.policy.targets)} requests answered"
        if not findings
        else "",
        looked.covered,
    )


def _lake_quiet(run: Run, arguments: list[str], seconds: float, reads: Path) -> Outcome:
    assert run.lean is not None
    return run.start(
        [run.lean.lake, *arguments],
        cwd=run.project,
        seconds=seconds,
        env=run.lean.environment(),
        keep=AUDIT_OUTPUT,
        strict_limit=True,
        readable=(reads,),
    )


def _no_answer(rule: str, command: str, outcome: Outcome, step: str) -> Finding:
    named = lake.cause(outcome.lines())
    said = next((s.strip() for s in process.lines_of(outcome.stderr) if s.strip()), "")
    why = f": {named[0].resource} ({named[1]})" if named else f" ({said[:300]})" if said else ""
    return Finding(
        rule,
        f"`{command}` {outcome.says()}{why}",
        step,
        remedy=named[0].remedy if named else f"Run `{command}` by hand to see all it says.",
        evidence=process.lines_of(outcome.stderr)[-20:],
    )


def cross_check(run: Run) -> Looked:
    """The ways to the axioms against each other."""
    looked = axioms.cross_check(run.policy, run.facts(), run.printed)
    return Looked(list(looked.findings), covered=looked.covered)


def check_statement(run: Run) -> Looked:
    """Statement and definitions against the challenge, for the targets that the policy lists."""
    names = run.policy.challenge_targets
    if others := len(run.policy.targets) - len(names):
        run.not_looked_at.append(
            f"whether {others} of {len(run.policy.targets)} targets say what they should: the "
            "challenge states none of them"
        )
    findings: list[Finding] = []
    for facts in run.facts().values():
        looked = axioms.of_statement(run.policy, facts)
        # What two ways find alike is said once.
        findings += [f for f in looked.findings if f.message not in {g.message for g in findings}]
    return Looked(
        located(run, findings),
        f"{len(names)} of {len(run.policy.targets)} targets compared with the challenge, "
        f"definitions included, as the {' and the '.join(run.facts())} show them"
        if not findings
        else "",
    )


def check_environment(run: Run) -> Looked:
    """Every compiled declaration of ours that reaches sorry."""
    facts = next(iter(run.facts().values()))
    findings = list(axioms.sorries(run.policy, facts, "sorry"))
    count = sum(module.constants for module in facts.modules)
    return Looked(
        findings,
        f"{count} compiled declarations in {len(facts.modules)} modules: none"
        if not findings
        else "",
    )


def compare_log(run: Run) -> list[Finding]:
    """Where the build warned of sorry and the compiled module has none, or the other way round.

    Lake repeats warnings of modules that it does not build again, but not always; so this never
    changes a verdict.
    """
    facts = next(iter(run.facts().values()), None)
    if facts is None or not run.build_lines:
        return []
    warned = {d.file: d for d in lake.sorry_warnings(run.build_lines) if d.file}
    found = []
    for module in facts.modules:
        path = files.module_path("", module.name)
        if path in warned and not module.sorries:
            found.append(
                Finding(
                    "log-disagrees",
                    f"the build warned ({warned[path].text}), and the compiled module has no sorry",
                    axioms.CROSS_CHECK,
                    file=path,
                    line=warned[path].line,
                    column=warned[path].column,
                )
            )
    return found


def watched_files(run: Run) -> tuple[str, ...]:
    """Paths of what else may not change while it is checked: golden file, and a policy inside."""
    path = run.policy.path.resolve()
    golden = (run.policy.golden,) if run.policy.golden else ()
    if not path.is_relative_to(run.project):
        return golden
    return (path.relative_to(run.project).as_posix(), *golden)


def remember_golden(run: Run) -> None:
    """Read the golden file before anything runs that could put another in its place."""
    if run.policy.golden is None:
        return
    try:
        run.golden = plain_bytes(run.project / run.policy.golden, LARGEST_GOLDEN)
    except (OSError, NotPlain) as error:
        run.golden = error


def unchanged(run: Run) -> Looked:
    """Whether sources and pins are what they were before anything was run."""
    assert run.sources is not None
    now = files.read_sources(run.project, run.policy.exclude)
    after = files.snapshot(run.project, now, watched_files(run))
    findings = list(files.changed(run.snapshot, after))
    detail = "sources and pins are as they were"
    if run.passed("build") and run.embedded:
        from harness.toolchain import prelude

        # What was asked and replayed has to be what was compiled.
        compiled = prelude.stale(run.project, run.compiled)
        findings += [replace(f, rule="source-changed", step=UNCHANGED) for f in compiled]
    elif run.passed("build"):
        # Imported here: it needs the steps. Packages may have been checked out, or changed, since
        # they were compared, and what is compiled could not be looked at before.
        from harness import pin_steps

        found, compared = pin_steps.after_build(run, UNCHANGED)
        findings += [replace(f, step=UNCHANGED) for f in found]
        run.package_revisions = pins.checked_out(run.project)
        detail += f"; {compared}"
    return Looked(findings, detail if not findings else "")


def located(run: Run, findings: tuple[Finding, ...] | list[Finding]) -> list[Finding]:
    """Findings with the files of their modules, where those are files of the project."""
    known = run.sources.by_path() if run.sources else {}
    located = []
    for finding in findings:
        file = finding.file
        if file is not None and file not in known:
            below = [path for path in known if path.endswith(f"/{file}")]
            file = below[0] if len(below) == 1 else None
        located.append(finding if file == finding.file else replace(finding, file=file))
    return located
