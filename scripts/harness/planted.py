"""Planted failures as projects: compiled by the Lean inside the wheel, judged as the proof is.

One folder a case under `tests/projects`: sources, policy, and in `expect.toml` the exit status and
the rule that it must get, and what is done to it after compiling. Together with the planted facts
of `selftest.py` and the planted faults of `faults.py` they have to show every rule at work.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from harness import faults, place, process, selftest
from harness.replay import manifest, replay
from harness.toolchain import prelude
from harness.verdict import RULES, Level

SCRIPTS = Path(__file__).resolve().parents[1]
PROJECTS = place.ROOT / "tests" / "projects"
SECONDS = 300.0
"""For one run of a script on one case."""


@dataclass(frozen=True, slots=True)
class Case:
    """A project and what `verify.py --embedded` has to say of it; no rule where it is accepted.

    `also` holds further rules that it must show. `arguments` are given to `verify.py`, `{project}`
    in them replaced by the folder; `after` is done to the project once it is compiled.
    """

    folder: Path
    exit: int
    rule: str | None
    after: tuple[dict[str, Any], ...] = ()
    also: frozenset[str] = frozenset()
    arguments: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.folder.name

    @property
    def shows(self) -> frozenset[str]:
        """The rules that it must show."""
        return self.also | ({self.rule} if self.rule else frozenset())

    def arguments_for(self, project: Path) -> list[str]:
        """The arguments for `verify.py` on a compiled copy of it."""
        return [one.replace("{project}", str(project)) for one in self.arguments]


@dataclass(frozen=True, slots=True)
class Result:
    """What a case got: exit status, and the rules of its findings that are no warnings.

    `problem` says why there are none: the case could not be run, or the script gave no result.
    """

    case: Case
    exit: int | None
    rules: frozenset[str]
    problem: str = ""

    @property
    def caught(self) -> bool:
        """Whether it got what it must get, for its own reasons."""
        if self.problem or self.exit != self.case.exit:
            return False
        return self.case.shows <= self.rules if self.case.shows else not self.rules

    def __str__(self) -> str:
        """What it got, and what it should have got."""
        got = self.problem or _listed(self.rules)
        wanted = f"{self.case.exit} by {_listed(self.case.shows)}"
        ended = "no exit status" if self.exit is None else f"exit {self.exit}"
        return f"{self.case.name}: {ended} by {got}; it must get {wanted}"


def _listed(rules: frozenset[str]) -> str:
    return ", ".join(sorted(rules)) or "no rule"


def cases(projects: Path = PROJECTS) -> list[Case]:
    """The planted projects. Raises OSError where there are none."""
    found = [_case(path) for path in sorted(projects.glob("*/expect.toml"))]
    if not found:
        raise FileNotFoundError(f"there are no planted projects in {projects}")
    return found


def _case(path: Path) -> Case:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    wanted = table["verify"]
    return Case(
        path.parent,
        wanted["exit"],
        wanted.get("rule"),
        tuple(table.get("after", ())),
        frozenset(wanted.get("also", ())),
        tuple(wanted.get("arguments", ())),
    )


def results(found: Iterable[Case], jobs: int, told: Callable[[str], None]) -> Iterator[Result]:
    """Every case through `verify.py`, `jobs` at a time, in order."""
    with ThreadPoolExecutor(jobs) as pool:
        for result in pool.map(_result, found):
            told(result.case.name)
            yield result


def _result(case: Case) -> Result:
    with TemporaryDirectory(prefix="planted-") as folder:
        try:
            project = copied(case.folder, Path(folder))
            if case.after:
                run_script("verify.py", project)
                for step in case.after:
                    change(project, step)
        except (OSError, ValueError) as error:
            return Result(case, None, frozenset(), f"a case that cannot be made: {error}")
        # What was changed after compiling would be compiled away.
        arguments = [*(["--no-build"] if case.after else []), *case.arguments_for(project)]
        return _read(case, run_script("verify.py", project, *arguments))


def copied(case: Path, folder: Path) -> Path:
    """A copy of a case, without what was built in it."""
    return Path(shutil.copytree(case, folder / case.name, ignore=shutil.ignore_patterns("build")))


def run_script(script: str, project: Path, *arguments: str) -> process.Outcome:
    """Run a script on a project with the Lean inside the wheel, as a user does."""
    return process.run(
        [sys.executable, SCRIPTS / script, "--embedded", "--project", project, "--json", "-",
         *arguments],
        cwd=project,
        seconds=SECONDS,
    )  # fmt: skip


def _read(case: Case, outcome: process.Outcome) -> Result:
    try:
        findings = json.loads(outcome.stdout)["findings"]
    except (ValueError, KeyError, TypeError):
        said = next((s for s in reversed(outcome.stderr.splitlines()) if s.strip()), "")
        return Result(case, outcome.code, frozenset(), said or f"no result: it {outcome.says()}")
    rules = frozenset(f["rule"] for f in findings if f["level"] != Level.WARNING.value)
    return Result(case, outcome.code, rules)


def change(project: Path, step: dict[str, Any]) -> None:
    """Do one thing to a compiled project: to a source, to part of a module, or to its export.

    Raises OSError or ValueError where it cannot be done or would change nothing.
    """
    path = _place(project, step["file"])
    match step["do"]:
        case "replace":
            text = path.read_text(encoding="utf-8")
            if text.count(step["old"]) != 1:
                raise ValueError(f"{step['file']}: {step['old']!r} is not there once")
            path.write_text(text.replace(step["old"], step["new"]), encoding="utf-8")
        case "overwrite":
            path.write_bytes(_overwritten(path.read_bytes(), step))
        case "truncate":
            path.write_bytes(path.read_bytes()[: step["size"]])
        case "remove":
            path.unlink()
        case "copy":
            other, _, part = step["from"].partition("/")
            with TemporaryDirectory(prefix="planted-") as folder:
                made = copied(PROJECTS / other, Path(folder))
                run_script("check_axioms.py", made)
                shutil.copy(prelude.library(made) / part, path)
        case "sign":
            _sign(path)
        case "record":
            _record(project)
        case unknown:
            raise ValueError(f"nobody knows how to do {unknown!r}")


def _place(project: Path, name: str) -> Path:
    """The file that a change names: a source, an export under `build`, or part of a module."""
    mine = name.endswith(".lean") or name.startswith("build/")
    return project / name if mine else prelude.library(project) / name


def _sign(file: Path) -> None:
    """Let the manifest of an export name the hash that the export has now."""
    path = file.with_name(file.name + manifest.SUFFIX)
    data = json.loads(path.read_text(encoding="utf-8"))
    data["sha256"] = _digest(file)
    path.write_text(json.dumps(data), encoding="utf-8")


def _record(project: Path) -> None:
    """Let the record of the compiled modules name the hashes that they have now."""
    path = prelude.folder(project) / prelude.RECORD
    data = json.loads(path.read_text(encoding="utf-8"))
    for module in data["modules"].values():
        out = prelude.library(project) / Path(module["path"])
        module["parts"] = {part: _digest(out.with_suffix(part)) for part in module["parts"]}
    path.write_text(json.dumps(data), encoding="utf-8")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _overwritten(data: bytes, step: dict[str, Any]) -> bytes:
    new = bytes.fromhex(step["bytes"])
    offset = step.get("offset")
    if offset is None:
        offset = data.find(step["find"].encode())
    if offset < 0 or data[offset : offset + len(new)] in (new, b""):
        raise ValueError("overwriting would change nothing")
    return data[:offset] + new + data[offset + len(new) :]


@dataclass(frozen=True, slots=True)
class Summary:
    """What all planted failures got: projects, facts, and faults."""

    projects: tuple[Result, ...]
    facts: tuple[selftest.Result, ...]
    faults: tuple[faults.Result, ...]

    def uncaught(self) -> list[str]:
        """Those that did not get what they must get."""
        every: list[Result | selftest.Result | faults.Result] = [
            *self.projects, *self.facts, *self.faults
        ]  # fmt: skip
        return [str(one) for one in every if not one.caught]

    def without_case(self) -> list[str]:
        """The rules that no planted failure shows at work."""
        shown = {rule for r in self.projects if r.caught for rule in r.case.shows}
        shown |= {f.planted.rule for f in self.facts if f.caught and f.planted.rule}
        shown |= {f.fault.rule for f in self.faults if f.caught and f.fault.rule}
        return [
            rule
            for rule, (level, _) in RULES.items()
            if level is not Level.WARNING and rule not in shown and rule not in ELSEWHERE
        ]

    def failures(self) -> list[str]:
        """What is wrong, a line each; none where every rule was seen at work."""
        missing = [f"{rule}: no planted failure shows it at work" for rule in self.without_case()]
        return [*self.uncaught(), *missing]

    def page(self) -> str:
        """A line for each, and how many there were."""
        lines = [
            f"project  {r.exit if r.exit is not None else '-'}  {r.case.rule or '-':<22} "
            f"{r.case.name}"
            for r in self.projects
        ]
        lines += [
            f"facts    {f.verdict.exit_status}  {f.why or '-':<22} {f.planted.name}"
            for f in self.facts
        ]
        lines += [f"fault    -  {f.fault.rule or '-':<22} {f.fault.name}" for f in self.faults]
        count = len(lines)
        caught = count - len(self.uncaught())
        rules = sum(level is not Level.WARNING for level, _ in RULES.values()) - len(ELSEWHERE)
        lines += [
            f"{caught} of {count} planted failures got what they must get; "
            f"{rules - len(self.without_case())} of {rules} rules were seen at work"
        ]
        return "\n".join([*lines, ""])

    def as_json(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "schema": 1,
            "projects": [
                {"name": r.case.name, "exit": r.exit, "rules": sorted(r.rules), "caught": r.caught}
                for r in self.projects
            ],
            "facts": [
                {"name": f.planted.name, "verdict": f.verdict.value, "caught": f.caught}
                for f in self.facts
            ],
            "faults": [
                {"name": f.fault.name, "rules": sorted(f.rules), "caught": f.caught}
                for f in self.faults
            ],
            "without_case": self.without_case(),
        }


ELSEWHERE = {"self-test-failed"}
"""The rule of the self-test itself, which the tests show at work."""


def run(told: Callable[[str], None]) -> Summary:
    """Every planted failure. Raises OSError where there are none."""
    found = cases()
    done: list[Result] = []
    for result in results(found, replay.cores(), lambda name: None):
        done.append(result)
        told(f"{len(done)} of {len(found)} projects, {result.case.name}")
    told("facts and faults")
    return Summary(tuple(done), tuple(selftest.results()), tuple(faults.results()))
