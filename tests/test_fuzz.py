"""Every reader on mutated real inputs, and mutated answers through the deciding code.

A reader gives a value of its type or raises only what it says that it raises, within a second for
each input and without growing beyond bounds. A mutated answer is accepted only if a second, plain
reading of the two answers finds nothing wrong in them (`objections`).
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import hashlib
import io
import json
import lzma
import re
import resource
import sys
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import fuzz
from harness import axioms, cli, pipeline, process, steps
from harness.console import Console
from harness.policy import Policy, PolicyError, load_policy
from harness.process import End, Outcome
from harness.replay import export, manifest, modules
from harness.replay import terms as t
from harness.replay.result import Stop
from harness.report import json as json_report
from harness.report import text as text_report
from harness.sources import pins, scan
from harness.sources import project as files
from harness.sources.lexer import LexError, format_name, parse_name
from harness.sources.tokens import token_hash
from harness.toolchain import audit, crosscheck, elan, lake, prelude
from harness.verdict import Finding, Level, Verdict, Verification
from projects_for_tests import AUDIT, CHECKOUT, RECORDINGS, TESTS, policy_text

SECONDS = 1.0
"""Of processor time that a reader may take for one input."""
MEBIBYTES = 400
"""By which the test process may grow while one reader reads all its inputs."""

ALL = (fuzz.BYTES, fuzz.LINES, fuzz.JSON)
TEXT = (fuzz.BYTES, fuzz.LINES)

COUNTS = {
    "audit": 3000,
    "print": 2500,
    "lake": 2500,
    "policy": 1500,
    "manifest": 1500,
    "lakefile.lean": 600,
    "lakefile.toml": 1200,
    "lean-toolchain": 1500,
    "git": 800,
    "record": 600,
    "manifest of an export": 1500,
    "export": 600,
    "packed export": 300,
    "module": 600,
    "decide, audit changed": 2500,
    "decide, print changed": 2500,
}
TRIED = 23_700
"""How many inputs the tests of this file try."""


def test_so_many_inputs_are_tried() -> None:
    assert sum(COUNTS.values()) == TRIED


def recorded(*patterns: str) -> list[bytes]:
    """The recorded answers of a name, those that are not empty."""
    found = [p.read_bytes() for pattern in patterns for p in sorted(RECORDINGS.glob(pattern))]
    return [data for data in found if data.strip()]


def decoded(data: bytes) -> str:
    """Output as `process.run` hands it on."""
    text = data.decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def tried(
    name: str,
    seeds: Sequence[bytes],
    kinds: Sequence[tuple[fuzz.Change, ...]],
    read: Callable[[int, bytes], bool],
) -> None:
    """Let a reader read its mutants: `read` says whether it took one for what it should be.

    Fails if any takes too long or the process grows too much, and unless both happened: a reader
    that takes all, or none, was not tried.
    """
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken = count = 0
    slow: list[tuple[float, bytes]] = []
    for number, data in fuzz.mutants(seeds, COUNTS[name], name, kinds):
        started = time.process_time()
        try:
            taken += read(number, data)
        except Exception as error:
            raise AssertionError(f"{name}, input {count}: {data[:2000]!r}") from error
        seconds = time.process_time() - started
        if seconds > SECONDS:
            slow.append((seconds, data[:300]))
        count += 1
    assert not slow
    assert count == COUNTS[name]
    assert 0 < taken < count
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < MEBIBYTES * (1024 if sys.platform == "linux" else 1 << 20)


# Readers of what Lean and Lake say


def test_answers_of_the_audit() -> None:
    def read(_: int, data: bytes) -> bool:
        try:
            answer = audit.parse(audit.find_answer(decoded(data)))
        except audit.AuditError as error:
            shown(str(error))
            return False
        assert isinstance(answer, audit.Audit)
        return True

    tried("audit", recorded("*/audit.json"), ALL, read)


def test_answers_of_print_axioms() -> None:
    seeds = recorded("*/print.jsonl", "*/print.txt", "*/build.jsonl")

    def read(_: int, data: bytes) -> bool:
        said = crosscheck.read(decoded(data), {1: "A.t", 2: "Demo.main", 3: "Demo.main"})
        for reports in said.reports.values():
            for report in reports:
                assert all(isinstance(name, str) and name for name in report.axioms)
        return not said.errors and not said.unreadable

    tried("print", seeds, ALL, read)


def test_lakes_log() -> None:
    def read(_: int, data: bytes) -> bool:
        text = decoded(data)
        lines = process.lines_of(text)
        for line in lines:
            lake.progress(line)
        lake.sorry_warnings(lines)
        bad = lake.failure(Outcome(("lake",), End.EXITED, 1, text, "", 0.0), "lake build")
        assert bad
        assert all(f.level is not Level.WARNING for f in bad)
        found = lake.failure(Outcome(("lake",), End.EXITED, 0, text, "", 0.0), "lake build")
        # Whatever else changed: a line that still begins as an error is seen.
        if re.search(r"^error: \S", text, re.MULTILINE):
            assert found
        for finding in (*bad, *found):
            shown(finding.one_line())
        return not found

    tried("lake", recorded("*/lake/*.stdout", "*/lake/*.stderr"), TEXT, read)


# Readers of files


def test_policies(tmp_path: Path) -> None:
    seeds = [
        (CHECKOUT / "scripts" / "policy.toml").read_bytes(),
        policy_text().encode(),
        *(p.read_bytes() for p in sorted((TESTS / "projects").glob("*/policy.toml"))),
    ]
    path = tmp_path / "policy.toml"

    def read(_: int, data: bytes) -> bool:
        path.write_bytes(data)
        try:
            policy = load_policy(path)
        except PolicyError as error:
            shown(str(error))
            return False
        # What is allowed is what a plain reading of the file allows, no more.
        table = tomllib.loads(data.decode("utf-8-sig"))
        assert [a.type for a in policy.axioms] == [a["type"] for a in table.get("axioms", [])]
        assert list(policy.targets) == same_names(table["targets"]["theorems"])
        assert list(policy.challenge_targets) == same_names(table["targets"].get("challenge", []))
        assert policy.sorry_allowed == table.get("sources", {}).get("sorry-allowed", {})
        assert "sorryAx" not in [a.name for a in policy.axioms]
        return True

    tried("policy", seeds, TEXT, read)


def same_names(names: Iterable[str]) -> list[str]:
    return [format_name(parse_name(name)) for name in names]


OURS = ("lean-toolchain", "lakefile.lean", "lake-manifest.json")
POLICY = load_policy(CHECKOUT / "scripts" / "policy.toml")
REVISION = "c5ea00351c28e24afc9f0f84379aa41082b1188f"


def our_pins(folder: Path) -> Path:
    """A folder with the pins of this project."""
    for name in OURS:
        (folder / name).write_bytes((CHECKOUT / name).read_bytes())
    program = folder / "checkout" / files.AUDIT_PROGRAM
    program.parent.mkdir(parents=True)
    program.write_text(PROGRAM, encoding="utf-8")
    return folder


def pinned(project: Path) -> bool:
    """Whether the pins are taken for good, every part of the harness having read them."""
    findings, absent = pins.check(project, POLICY)
    pins.checked_out(project)
    pins.observed(project, POLICY, "unchanged")
    with contextlib.suppress(pins.PinError):
        pins.running(POLICY, project, "4.30.0", "Lean")
    files.snapshot(project, files.Sources(()), ())
    for text in (*(f.one_line() for f in findings), *absent):
        shown(text)
    return not findings


def test_manifests_of_lake(tmp_path: Path) -> None:
    project = our_pins(tmp_path)

    def read(_: int, data: bytes) -> bool:
        (project / "lake-manifest.json").write_bytes(data)
        if not pinned(project):
            return False
        packages = json.loads(data.decode("utf-8-sig"))["packages"]
        by_name = {p["name"]: p for p in packages}
        assert len(by_name) == len(packages)
        assert by_name["mathlib"]["rev"] == REVISION
        assert all(re.fullmatch(r"[0-9a-f]{40}", p["rev"]) for p in packages)
        return True

    tried("manifest", [(CHECKOUT / "lake-manifest.json").read_bytes()], ALL, read)


TOML = f"""name = "DinhSharpness"
defaultTargets = ["Definitions", "DinhSharpness"]
testDriver = "LeanTests"

[leanOptions]
pp.unicode.fun = true
weak.linter.mathlibStandardSet = true

[[require]]
name = "mathlib"
scope = "leanprover-community"
rev = "{REVISION}"

[[lean_lib]]
name = "Definitions"
globs = ["Definitions.+"]

[[lean_lib]]
name = "DinhSharpness"

[[lean_lib]]
name = "LeanTests"
srcDir = "tests/lean"
roots = ["LeanTests"]

[[lean_exe]]
name = "audit"
srcDir = "scripts/lean"
root = "Audit"
supportInterpreter = true
"""


def lakefile_read(project: Path) -> bool:
    """Read a lakefile as every step does; whether it is taken for good."""
    sources, checkout = few_sources(), project / "checkout"
    good = pinned(project)
    for source in files.read_sources(project, ()).files:
        if source.path == "lakefile.lean":
            with contextlib.suppress(LexError):
                scan.scan(source.text)
                scan.scan_lakefile(source.text)
    if (project / "lakefile.toml").is_file():
        text = (project / "lakefile.toml").read_bytes().decode("utf-8-sig", "replace")
        with contextlib.suppress(LexError):
            scan.scan_lakefile_toml(text)
    try:
        targets = files.read_targets(project)
    except files.LakefileError as error:
        shown(str(error))
        return False
    reach = files.reach(targets, sources)
    findings = [
        *reach.findings,
        *files.missing(reach, ("Definitions", "DinhSharpness", "Challenge")),
        *files.replaced_audit(targets, sources, checkout),
        *files.not_built(reach, sources),
    ]
    files.own_modules(("DinhSharpness",), targets, sources)
    for finding in findings:
        shown(finding.one_line())
    return good and not findings


SOURCES = (
    "Definitions/Model.lean",
    "DinhSharpness.lean",
    "DinhSharpness/Main.lean",
    "tests/lean/LeanTests/Definitions.lean",
    "scripts/lean/Audit.lean",
)


PROGRAM = "def main : IO Unit := pure ()\n"
"""In the place of the audit: to hash the real one takes longer than all else."""


@functools.cache
def few_sources() -> files.Sources:
    """Sources that the lakefile's targets reach, all but the challenge."""
    texts = dict.fromkeys(SOURCES, "")
    texts["DinhSharpness.lean"] = "import DinhSharpness.Main\n"
    texts[SOURCES[-1]] = PROGRAM
    texts["tests/lean/LeanTests.lean"] = "import LeanTests.Definitions\n"
    return files.Sources(tuple(files.Source(path, text) for path, text in texts.items()))


def test_lakefiles_in_lean(tmp_path: Path) -> None:
    project = our_pins(tmp_path)
    more = [AUDIT.encode(), *recorded("*/lake/lakefile.lean")]
    seeds = [(CHECKOUT / "lakefile.lean").read_bytes()] * len(more) + more

    def read(_: int, data: bytes) -> bool:
        (project / "lakefile.lean").write_bytes(data)
        lakefile_read(project)
        good = not pins.check(project, POLICY)[0]
        assert not good or REVISION.encode() in data
        return good

    tried("lakefile.lean", seeds, TEXT, read)


def test_lakefiles_in_toml(tmp_path: Path) -> None:
    project = our_pins(tmp_path)
    (project / "lakefile.lean").unlink()

    def read(_: int, data: bytes) -> bool:
        (project / "lakefile.toml").write_bytes(data)
        good = lakefile_read(project)
        if good:
            table = tomllib.loads(data.decode("utf-8-sig"))
            (required,) = [r for r in table["require"] if r["name"] == "mathlib"]
            assert required.get("rev", required.get("version")) == REVISION
            assert [e for e in table["lean_exe"] if e.get("root", e["name"]) == "Audit"]
        return good

    tried("lakefile.toml", [TOML.encode()], TEXT, read)


def test_toolchain_files(tmp_path: Path) -> None:
    project = our_pins(tmp_path)
    seeds = [
        (CHECKOUT / "lean-toolchain").read_bytes(),
        b"\xef\xbb\xbfleanprover/lean4:v4.30.0\r\n",
    ]

    def read(_: int, data: bytes) -> bool:
        (project / "lean-toolchain").write_bytes(data)
        try:
            elan.find(project, None, {"ELAN_HOME": str(tmp_path / "none"), "PATH": ""})
        except elan.ToolchainMissing as error:
            shown(f"{error} {error.remedy}")
        except (OSError, UnicodeDecodeError) as error:
            shown(str(error))
        good = pinned(project)
        text = data.decode("utf-8-sig", "replace").strip()
        assert not good or re.fullmatch(r"leanprover/lean4:v?4\.30\.0", text)
        return good

    tried("lean-toolchain", seeds, ALL, read)


def test_what_git_keeps(tmp_path: Path) -> None:
    git = tmp_path / ".git"
    (git / "refs" / "heads").mkdir(parents=True)
    texts = {
        "HEAD": b"ref: refs/heads/main\n",
        "packed-refs": b"# pack-refs with: peeled\n%s refs/heads/main\n" % REVISION.encode(),
    }
    places = list(texts)

    def read(number: int, data: bytes) -> bool:
        for name, text in texts.items():
            (git / name).write_bytes(data if name == places[number] else text)
        head = pins.read_head(tmp_path)
        assert head is None or re.fullmatch(r"[0-9a-f]{40}", head)
        return head == REVISION

    tried("git", list(texts.values()), TEXT, read)


def test_records_of_compiled_modules(tmp_path: Path) -> None:
    (tmp_path / "Main.lean").write_text("prelude\n", encoding="utf-8")
    out = prelude.library(tmp_path)
    out.mkdir(parents=True)
    (out / "Main.olean").write_bytes(b"olean")
    planned = [prelude.Module("Main", "Main.lean", ())]
    record = prelude._record({"Main": prelude._entry(tmp_path, planned[0])})
    seeds = [json.dumps(record, indent=1).encode()]

    def read(_: int, data: bytes) -> bool:
        (prelude.folder(tmp_path) / prelude.RECORD).write_bytes(data)
        found = prelude.stale(tmp_path, planned)
        for finding in found:
            shown(finding.one_line())
        assert found or json.loads(data) == record
        return not found

    tried("record", seeds, ALL, read)


# Exports, their manifests, compiled modules


EXPORT = TESTS / "data" / "false_by_successor.ndjson"


def an_export(folder: Path) -> tuple[Path, bytes, list[files.Source]]:
    """An export with a manifest beside it, what the manifest says, and the sources it is of."""
    file = folder / "e.ndjson"
    file.write_bytes(EXPORT.read_bytes())
    sources = [files.Source("Main.lean", "theorem boom : 1 = 1 := rfl\n")]
    said = {
        "schema": 1,
        "targets": ["boom"],
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "writer": {"name": "harness", "version": "1"},
        "lean": {"version": "4.35.0", "githash": ""},
        "sources": {s.path: token_hash(s.text) for s in sources},
        "modules": {"boom": "Main"},
        "statements": json.loads((RECORDINGS / "good" / "audit.json").read_bytes())["challenge"],
        "fingerprints": {"Nat.add": "0" * 64},
    }
    return file, json.dumps(said, indent=1).encode(), sources


def test_manifests_of_exports(tmp_path: Path) -> None:
    file, whole, sources = an_export(tmp_path)
    path = file.with_name(file.name + manifest.SUFFIX)
    first = json.loads(whole)
    answer = json.loads((RECORDINGS / "good" / "audit.json").read_bytes())

    def read(_: int, data: bytes) -> bool:
        path.write_bytes(data)
        with contextlib.suppress(manifest.ManifestError):
            manifest.fingerprints(path)
        try:
            said = manifest.read(file)
            findings = manifest.check(file, said, sources, ["boom"])
        except manifest.ManifestError as error:
            shown(str(error))
            return False
        for finding in findings:
            shown(finding.one_line())
        if findings:
            return False
        plain = json.loads(data)
        assert {k: plain[k] for k in ("sha256", "sources")} == {
            k: first[k] for k in ("sha256", "sources")
        }
        assert "boom" in plain["targets"]
        # What it says of the challenge goes where the audit's answer goes.
        run = a_run(policy_of("good"))
        answer["challenge"] = said.statements or None
        steps.perform(run, "terms", lambda r: _judged(r, answer), about_targets=True)
        shown(" ".join(f.one_line() for f in run.findings))
        return True

    tried("manifest of an export", [whole], ALL, read)


def _judged(run: steps.Run, answer: dict[str, Any]) -> steps.Looked:
    from harness import replay_steps

    return replay_steps._judged(run, answer, frozenset())


def source_of(file: Path) -> t.Source | str:
    """What an export holds, or the rule by which it is refused."""
    try:
        return export.read(file)
    except Stop as stop:
        shown(stop.finding.one_line())
        return stop.finding.rule


def test_exports(tmp_path: Path) -> None:
    """What is read in the quick way is what is read in the general way."""
    quick, general = tmp_path / "quick.ndjson", tmp_path / "general.ndjson"

    def read(_: int, data: bytes) -> bool:
        quick.write_bytes(data)
        # With a space in it no line is of the form that is read quickly.
        general.write_bytes(data.replace(b"\n{", b"\n{ "))
        one, two = source_of(quick), source_of(general)
        if isinstance(one, str) or isinstance(two, str):
            assert one == two
            return False
        assert outline(one) == outline(two)
        return True

    tried("export", [EXPORT.read_bytes()], ALL, read)


def outline(source: t.Source) -> list[Any]:
    terms = source.terms
    return [
        source.meta,
        *(list(column) for column in (terms.kind, terms.a, terms.b, terms.c)),
        terms.names,
        terms.nats,
        terms.strings,
        source.declarations,
    ]


def test_packed_exports(tmp_path: Path) -> None:
    whole = EXPORT.read_bytes()
    seeds = [gzip.compress(whole, mtime=0), lzma.compress(whole)]
    named = [tmp_path / "e.ndjson.gz", tmp_path / "e.ndjson.xz"]
    _, said, sources = an_export(tmp_path)
    (tmp_path / f"e.ndjson{manifest.SUFFIX}").write_bytes(said)

    def read(number: int, data: bytes) -> bool:
        named[number].write_bytes(data)
        one = source_of(named[number])
        run = a_run(policy_of("good"))
        run.sources = files.Sources(tuple(sources))
        steps.perform(run, "export", lambda r: _checked(r, named[number]))
        shown(" ".join(f.one_line() for f in run.findings))
        stale = "has SHA-256" in " ".join(f.message for f in run.findings)
        unreadable = any(f.rule == "export-unreadable" for f in run.findings)
        if not stale and not unreadable:
            # The manifest takes it for what it was: then it is.
            assert not isinstance(one, str)
            assert outline(one) == outline(export.read(EXPORT))
        return not isinstance(one, str)

    tried("packed export", seeds, (fuzz.BYTES,), read)


def _checked(run: steps.Run, file: Path) -> steps.Looked:
    from harness import replay_steps

    return replay_steps.check_export(run, file)


MODULES = ("good_inductive", "good_literals", "good_module")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory, libraries: Path) -> list[Path]:
    """The files of compiled modules, each beside those that it imports."""
    found = []
    for name in MODULES:
        folder = tmp_path_factory.mktemp(name)
        project = folder / name
        project.mkdir()
        for path in (TESTS / "projects" / name).glob("*.lean"):
            (project / path.name).write_bytes(path.read_bytes())
        policy = load_policy(TESTS / "projects" / name / "policy.toml")
        sources = files.read_sources(project, ()).files
        planned, _ = prelude.plan(sources, policy.modules)
        findings, _ = prelude.build(project, libraries, planned, 120, lambda _: None)
        assert not findings
        found += sorted(prelude.library(project).rglob("*.olean*"))
    return found


def test_compiled_modules(compiled: list[Path]) -> None:
    whole = [path.read_bytes() for path in compiled]

    def read(number: int, data: bytes) -> bool:
        path = compiled[number]
        name = path.name.partition(".")[0]
        path.write_bytes(data)
        try:
            reader = modules.Reader(modules.gather((name,), [path.parent]))
            last = reader.program.modules[-1]
            list(reader.kinds(last))
            reader.axioms()
            reader.read(last.constants)
        except Stop as stop:
            assert stop.finding.level is not Level.WARNING
            shown(stop.finding.one_line())
            return False
        finally:
            path.write_bytes(whole[number])
        assert len(reader.source.constants) > 0
        return True

    tried("module", whole, (fuzz.BYTES,), read)


# What people see


def shown(text: str) -> None:
    """Write a text as the scripts do: whatever is in it, that has to work."""
    with contextlib.redirect_stderr(
        io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="replace")
    ):
        cli._say(text)


# The deciding code


BAD = sorted(
    p.parent.name
    for p in RECORDINGS.glob("*/meta.json")
    if json.loads(p.read_bytes())["expect"]["check_axioms"]
    and (p.parent / "audit.json").stat().st_size
)
GOOD = sorted(
    p.parent.name
    for p in RECORDINGS.glob("*/meta.json")
    if not json.loads(p.read_bytes())["expect"]["check_axioms"]
)


@functools.cache
def meta_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RECORDINGS / name / "meta.json").read_bytes())
    return found


@functools.cache
def policy_of(name: str) -> Policy:
    """The policy that a recording is judged by, as in `projects_for_tests.play`."""
    import tempfile

    meta = meta_of(name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "policy.toml"
        path.write_text(
            policy_text(targets=meta["targets"], version=meta["lean"]), encoding="utf-8"
        )
        return load_policy(path)


def a_run(policy: Policy) -> steps.Run:
    return steps.Run(TESTS / "nowhere", policy, Console(io.StringIO(), False, False))


def decided(name: str, audit_text: bytes, print_text: bytes) -> tuple[steps.Run, Verification]:
    """Two answers through the gate's own steps, everything else having passed."""
    run = a_run(policy_of(name))
    meta = meta_of(name)
    for step in ("self-test", *pipeline.BUILT):
        steps.perform(run, step, lambda _: steps.Looked())
    steps.perform(run, "audit", lambda r: _asked(r, decoded(audit_text)), about_targets=True)
    said = Outcome(
        ("lean",), End.EXITED, meta["print"]["exit"] or 0, decoded(print_text),
        meta["print"]["stderr"], 0.0,
    )  # fmt: skip
    steps.perform(run, "print", lambda r: steps.printed(r, said, "lean"), about_targets=True)
    if run.facts():
        steps.perform(run, "cross-check", steps.cross_check, about_targets=True)
        steps.perform(run, "statement", steps.check_statement)
    return run, pipeline.conclude(run, pipeline.gate(run.policy), "claim")


def _asked(run: steps.Run, text: str) -> steps.Looked:
    try:
        run.audit = audit.parse(audit.find_answer(text))
    except audit.AuditError as error:
        return steps.Looked([Finding("audit-unreadable", str(error), "audit")])
    evidence = axioms.of_audit(run.policy, run.audit)
    return steps.Looked(steps.located(run, evidence.findings), covered=evidence.covered)


def objections(policy: Policy, audit_text: bytes, print_text: bytes) -> Iterator[str]:
    """What a plain reading of the two answers finds wrong: the acceptance of them is then one.

    Written without the readers of the harness. What it does not look at is what may change and
    leave a verdict: places, text for people, hypotheses, graph, counts, special declarations.
    """
    (line,) = [x for x in decoded(audit_text).split("\n") if x.lstrip().startswith("{")]
    said = json.loads(line, object_pairs_hook=_strict)
    if said["lean"]["version"] != policy.lean_version:
        yield "another Lean"
    if [target["name"] for target in said["targets"]] != list(policy.targets):
        yield "other targets than those asked for"
    named: dict[str, set[str]] = {}
    for target in said["targets"]:
        if not target["found"] or target["constant"]["kind"] != "theorem":
            yield "no theorem"
            continue
        if target["missing"] or target.get("odd") or target["closure"] < 1:
            yield "not all of it was followed"
        named[target["name"]] = {axiom["name"] for axiom in target["axioms"]}
        for axiom in target["axioms"]:
            allowed = policy.allowed(axiom["name"])
            if allowed is None or axiom["kind"] != "axiom":
                yield f"the axiom {axiom['name']}"
            elif _plain(axiom) != _plain({"levels": allowed.levels, "type": allowed.type}):
                yield f"another {axiom['name']}"
    yield from _statement_objections(policy, said)
    if any(module["axioms"] for module in said["modules"]):
        yield "a module declares an axiom"
    if "Solution" not in [module["module"] for module in said["modules"]]:
        yield "a module is not in the census"
    yield from _print_objections(policy, print_text, named)


def _statement_objections(policy: Policy, said: dict[str, Any]) -> Iterator[str]:
    targets = {target["name"]: target for target in said["targets"]}
    agreed = {entry["name"]: entry for entry in said["challenge"]}
    for name in policy.challenge_targets:
        if not agreed[name]["found"]:
            yield "the challenge does not state it"
            continue
        for part in ("kind", "levels", "type"):
            if targets[name]["constant"][part] != agreed[name]["constant"][part]:
                yield f"another {part}"
        ours, theirs = (
            {d["name"]: [d.get(k) for k in ("kind", "module", "levels", "type", "value")]
             for d in entry["definitions"]}
            for entry in (targets[name], agreed[name])
        )  # fmt: skip
        if ours != theirs:
            yield "other definitions"


def _print_objections(
    policy: Policy, print_text: bytes, named: dict[str, set[str]]
) -> Iterator[str]:
    first = len(policy.modules) + 1
    answers: dict[int, list[str]] = {}
    for line in decoded(print_text).split("\n"):
        if not line.strip():
            continue
        message = json.loads(line)
        if message["severity"] not in ("information", "warning", "trace"):
            yield f"a message of severity {message['severity']}"
        answers.setdefault(message["pos"]["line"], []).append(message["data"].strip())
    for number, target in enumerate(policy.targets, first):
        texts = [x for x in answers.get(number, []) if x.startswith("'")]
        if not texts:
            yield f"no answer for {target}"
        for text in texts:
            if text.endswith("' does not depend on any axioms"):
                continue
            inside = re.fullmatch(r"(?s)'.*' depends on axioms: \[([^«]*)\]", text)
            if inside is None:
                yield f"an answer that is none: {text}"
            elif more := {x.strip() for x in inside[1].split(",")} - named[target]:
                yield f"axioms that the audit does not name: {more}"


def _strict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len(dict(pairs)) == len(pairs), "a key is there twice"
    return dict(pairs)


def _plain(axiom: dict[str, Any]) -> str:
    """The type of an axiom, its universe parameters named in their order."""
    text: str = axiom["type"]
    for number, level in enumerate(axiom["levels"]):
        text = re.sub(rf"\b{re.escape(level)}\b", f"level{number}", text)
    return f"{len(axiom['levels'])}: {text}"


def test_recordings_are_decided_as_they_should_be() -> None:
    """What is changed below is, unchanged, what it should be."""
    assert len(BAD) >= 12
    assert len(GOOD) >= 4
    for name in (*BAD, *GOOD):
        texts = [(RECORDINGS / name / file).read_bytes() for file in ("audit.json", "print.jsonl")]
        _, verification = decided(name, *texts)
        assert verification.verdict.exit_status == meta_of(name)["expect"]["check_axioms"], name
        if verification.verdict is Verdict.ACCEPTED:
            assert list(objections(policy_of(name), *texts)) == []


def _decide_all(name: str, changed: int) -> None:
    """Change one of the two answers, and let the gate decide about both."""
    recordings = [*BAD, *GOOD * 2]
    pairs = [
        [(RECORDINGS / r / file).read_bytes() for file in ("audit.json", "print.jsonl")]
        for r in recordings
    ]
    count = 0

    def read(number: int, data: bytes) -> bool:
        nonlocal count
        recording, pair = recordings[number], list(pairs[number])
        pair[changed] = data
        run, verification = decided(recording, *pair)
        accepted = verification.verdict is Verdict.ACCEPTED
        if accepted:
            assert list(objections(run.policy, *pair)) == []
            # What the answer that was not changed finds wrong, no change of the other takes away.
            assert recording in GOOD or recording in SEEN_BY_THE_AUDIT_ALONE
            assert recording in GOOD or changed == 0
        for finding in verification.findings:
            shown(finding.one_line())
        if count % 10 == 0:
            page = text_report.page(run, verification, False, 80)
            page += json_report.dumps(json_report.document(run, verification))
            page.encode("utf-8", "replace")
            assert page.startswith(f"Demo: {verification.verdict.value}\n")
        count += 1
        return accepted

    tried(name, [pair[changed] for pair in pairs], ALL, read)


SEEN_BY_THE_AUDIT_ALONE = frozenset(
    {
        "definition_shadowed",
        "extra_hypothesis",
        "instance_hijack",
        "not_a_theorem",
        "notation_hijack",
        "print_axioms_redefined",
        "statement_changed",
    }
)
"""Where `#print axioms` has nothing against it: a change of the audit's answer that takes what is
wrong out of it (the challenge's type in the place of the target's) leaves nothing to be seen."""


def test_deciding_with_a_changed_audit() -> None:
    _decide_all("decide, audit changed", 0)


def test_deciding_with_changed_answers_of_print_axioms() -> None:
    _decide_all("decide, print changed", 1)
