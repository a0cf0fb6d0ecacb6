"""Findings as other programs read them: SARIF, JUnit XML, GitHub's annotations and summary."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import process
from harness.report import github, junit, sarif
from harness.verdict import (
    RULES,
    Finding,
    Level,
    Requirement,
    Status,
    Step,
    Verdict,
    Verification,
    decide,
)
from npm_for_tests import package
from projects_for_tests import CHECKOUT, RECORDINGS, Played, play, run_script
from test_verdict import NEEDED, TARGETS, steps_

REGISTERED = {"error", "warning", "notice", "debug", "group", "endgroup", "add-mask", "add-matcher",
              "remove-matcher", "stop-commands", "echo", "set-output", "save-state", "set-env",
              "add-path", "command", "internal-set-repo-path"}  # fmt: skip
"""What the runner takes for a command. Of these only the first two are ours."""


# As the runner of GitHub Actions reads a line (ActionCommand.cs).


def command(line: str) -> tuple[str, dict[str, str], str] | None:
    """Name, properties and data of a line that the runner takes for a command."""
    text = line.lstrip()
    if text.startswith("::") and "::" in text[2:]:
        info, data = text[2:].split("::", 1)
        name, _, rest = info.partition(" ")
        if name in REGISTERED:
            pairs = [pair.split("=", 1) for pair in rest.strip().split(",") if pair]
            return name, {k: unescape(v) for k, v in pairs}, unescape(data)
    old = re.search(r"##\[([^\] ]*)[^\]]*\](.*)", line)
    return (old[1], {}, old[2]) if old and old[1] in REGISTERED else None


def unescape(text: str) -> str:
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text


def commands(output: str) -> list[tuple[str, dict[str, str], str]]:
    return [found for line in re.split(r"\r\n|\n|\r", output) if (found := command(line))]


def actions(workspace: Path, summary: Path | None = None) -> dict[str, str]:
    """The environment of a step of GitHub Actions."""
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_WORKSPACE": str(workspace),
        "GITHUB_STEP_SUMMARY": str(summary) if summary else "",
    }


def verification(
    findings: Sequence[Finding], steps: Sequence[Step] = (), targets: Sequence[str] = ()
) -> Verification:
    named = [Step(name, Status.PASSED) for name in dict.fromkeys(f.step for f in findings)]
    every = tuple(steps or named)
    verdict, reasons = decide(every, findings, targets, Requirement(frozenset()))
    return Verification(
        verdict, every, tuple(findings), tuple(targets), claim="c", reasons=reasons
    )  # fmt: skip


texts = st.text(st.characters(exclude_categories=[]), max_size=40)
names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
placed = st.builds(
    Finding,
    rule=st.sampled_from(sorted(RULES)),
    message=texts,
    step=st.sampled_from(["build", "audit", "elsewhere"]),
    file=st.none() | names.filter(lambda name: name.strip("./") != ""),
    line=st.none() | st.integers(0, 10**6),
    column=st.none() | st.integers(0, 10**4),
    declaration=st.none() | texts,
    remedy=st.none() | texts,
)


# SARIF


@pytest.fixture(scope="session")
def schema(tmp_path_factory: pytest.TempPathFactory) -> jsonschema.Draft4Validator:
    """The schema of SARIF 2.1.0, of which this package has a copy."""
    files = package(
        "@microsoft/jest-sarif",
        "1.0.0-beta.0",
        "748e2c3d1a842e7bb258416685c7ea3a0da40005b72267b2052c2856d48ad102",
        tmp_path_factory.mktemp("schema"),
    )
    text = (files / "lib" / "schemas" / "sarif-2.1.0-rtm.5.json").read_text(encoding="utf-8-sig")
    return jsonschema.Draft4Validator(json.loads(text))


def the_run(log: dict[str, Any]) -> dict[str, Any]:
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


def well_formed(log: dict[str, Any]) -> None:
    """What the standard asks for and no schema can say."""
    assert log["version"] == "2.1.0"
    run = the_run(log)
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(RULES)
    assert all(re.fullmatch(r"([A-Z][a-z]*)+", rule["name"]) for rule in rules)
    for result in run["results"]:
        rule = rules[result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        assert result["level"] == rule["defaultConfiguration"]["level"]
        assert result["message"]["text"]
    prints = [r["partialFingerprints"][sarif.FINGERPRINT] for r in run["results"]]
    assert len(set(prints)) == len(prints)
    (invocation,) = run["invocations"]
    assert invocation["exitCode"] in (0, 1, 2)
    if invocation["exitCode"] == 2:
        assert invocation["toolExecutionNotifications"]
    assert invocation["executionSuccessful"] == (not invocation["toolExecutionNotifications"])
    for place in places(run):
        artifact = place["artifactLocation"]
        assert re.fullmatch(r"(file:/)?(%[0-9A-F]{2}|[A-Za-z0-9._~/-])+", artifact["uri"])
        if "uriBaseId" in artifact:
            assert artifact["uriBaseId"] in run["originalUriBaseIds"]
            assert not artifact["uri"].startswith("/")
        if "region" in place:
            assert place["region"]["startLine"] >= 1
            assert place["region"].get("startColumn", 1) >= 1


def places(run: dict[str, Any]) -> Iterator[dict[str, Any]]:
    (invocation,) = run["invocations"]
    for holder in [*run["results"], *invocation["toolExecutionNotifications"]]:
        for location in holder.get("locations", ()):
            if "physicalLocation" in location:
                yield location["physicalLocation"]


@given(st.lists(placed, max_size=4))
def test_sarif_of_any_findings_is_well_formed(findings: list[Finding]) -> None:
    log = sarif.log(verification(findings), CHECKOUT, CHECKOUT / "scripts" / "policy.toml")
    well_formed(json.loads(json.dumps(log)))
    assert len(the_run(log)["results"]) == len(findings)
    assert all("physicalLocation" in r["locations"][0] for r in the_run(log)["results"])


@pytest.mark.parametrize(
    ("recording", "rule", "status"),
    [
        ("good", None, 0),
        ("axiom", "axiom-not-allowed", 1),
        ("sorry", "sorry-in-environment", 1),
        ("build_fails", "build-failed", 1),
        ("statement_changed", "statement-differs", 1),
    ],
)
def test_sarif_of_a_real_run_is_of_the_schema(
    tmp_path: Path, schema: jsonschema.Draft4Validator, recording: str, rule: str, status: int
) -> None:
    played = play(RECORDINGS / recording, tmp_path)
    file = tmp_path / "out" / "gate.sarif"
    done = played.run("check_axioms.py", "--sarif", str(file), "--json", "-")
    assert done.returncode == status
    log = json.loads(file.read_text(encoding="utf-8"))
    schema.validate(log)
    well_formed(log)
    found = [result["ruleId"] for result in the_run(log)["results"]]
    assert found == [finding["rule"] for finding in json.loads(done.stdout)["findings"]]
    assert rule is None or rule in found
    (invocation,) = the_run(log)["invocations"]
    assert invocation["exitCode"] == status
    assert the_run(log)["properties"]["verdict"] == ("REJECTED" if status else "ACCEPTED")


def test_sarif_of_this_checkout_is_of_the_schema(
    tmp_path: Path, schema: jsonschema.Draft4Validator
) -> None:
    file = tmp_path / "scan.sarif"
    done = run_script("check_sorry.py", "--source-only", "--sarif", str(file))
    assert done.returncode == 0, done.stderr
    log = json.loads(file.read_text(encoding="utf-8"))
    schema.validate(log)
    well_formed(log)
    (invocation,) = the_run(log)["invocations"]
    assert invocation["executionSuccessful"] is True
    assert the_run(log)["results"] == []


def test_sarif_names_the_place_that_lean_names(tmp_path: Path) -> None:
    played = play(RECORDINGS / "build_fails", tmp_path)
    file = tmp_path / "build.sarif"
    assert played.run("build.py", "--sarif", str(file)).returncode == 1
    results = the_run(json.loads(file.read_text(encoding="utf-8")))["results"]
    # Lean says 7:4 and 5:70, columns from 0.
    regions = [
        (r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
         r["locations"][0]["physicalLocation"]["region"])
        for r in results if r["ruleId"] == "build-failed"
    ]  # fmt: skip
    assert ("Solution.lean", {"startLine": 7, "startColumn": 5}) in regions
    assert ("Solution.lean", {"startLine": 5, "startColumn": 71}) in regions


def test_sarif_paths_start_at_the_repository_and_are_encoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    project = tmp_path / "repo" / "a proof"
    project.mkdir(parents=True)
    (tmp_path / "repo" / ".git").mkdir()
    files = ("é/x y#1.lean", "../z%.lean", "../../outside.lean")
    findings = [Finding("build-failed", "m", "build", file) for file in files]
    log = sarif.log(verification(findings), project)
    artifacts = [place["artifactLocation"] for place in places(the_run(log))]
    base = {"uriBaseId": sarif.ROOT}
    assert artifacts[:2] == [
        {"uri": "a%20proof/%C3%A9/x%20y%231.lean", **base}, {"uri": "z%25.lean", **base}
    ]  # fmt: skip
    assert artifacts[2] == {"uri": (tmp_path / "outside.lean").as_uri()}
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    log = sarif.log(verification(findings), project)
    assert unquote(next(places(the_run(log)))["artifactLocation"]["uri"]).startswith("repo/a proof")


def test_sarif_fingerprints_outlive_moved_lines_and_tell_findings_apart(tmp_path: Path) -> None:
    source = tmp_path / "A.lean"

    def prints(text: str, *lines: int) -> list[str]:
        source.write_text(text, encoding="utf-8")
        findings = [Finding("sorry-in-source", f"line {n}", "scan", "A.lean", n, 2) for n in lines]
        results = the_run(sarif.log(verification(findings), tmp_path))["results"]
        return [result["partialFingerprints"][sarif.FINGERPRINT] for result in results]

    before = prints("theorem a := sorry\ntheorem b := sorry\nsorry\nsorry\n", 1, 2, 3, 4)
    assert len(set(before)) == 4
    moved = prints("-- new\n\n  theorem a := sorry\ntheorem b := sorry\nsorry\nsorry\n", 3, 4, 5, 6)
    assert moved == before
    changed = prints("theorem other := sorry\ntheorem b := sorry\n", 1, 2)
    assert changed[0] != before[0]
    assert changed[1] == before[1]


def test_what_could_not_run_is_a_notification_too(tmp_path: Path) -> None:
    findings = [
        Finding("toolchain-missing", "no Lean", "toolchain", remedy="install it"),
        Finding("sorry-unused", "m", "sorry"),
    ]
    steps = [Step("toolchain", Status.COULD_NOT_RUN), Step("sorry", Status.PASSED)]
    verdict, reasons = decide(steps, findings, (), Requirement(frozenset({"toolchain"})))
    whole = Verification(verdict, tuple(steps), tuple(findings), (), "c", reasons=reasons)
    run = the_run(sarif.log(whole, tmp_path))
    (invocation,) = run["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)
    named = [
        note.get("associatedRule", {}).get("id")
        for note in invocation["toolExecutionNotifications"]
    ]
    assert named == ["toolchain-missing", None]
    assert {note["level"] for note in invocation["toolExecutionNotifications"]} == {"error"}
    assert [result["level"] for result in run["results"]] == ["error", "warning"]
    assert run["results"][0]["message"]["text"] == "no Lean\nWhat to do: install it"


def test_sarif_messages_have_no_placeholders(tmp_path: Path) -> None:
    log = sarif.log(verification([Finding("kernel-rejects", "{0} {u} {12}", "replay")]), tmp_path)
    assert the_run(log)["results"][0]["message"]["text"] == "{{0}} {u} {{12}}"


# JUnit XML


@given(steps_, st.lists(placed, max_size=4))
def test_junit_has_a_failure_exactly_where_the_verdict_is_not_accepted(
    steps: list[Step], findings: list[Finding]
) -> None:
    verdict, reasons = decide(steps, findings, TARGETS, NEEDED)
    marked = tuple(replace(step, required=step.name in NEEDED.steps) for step in steps)
    whole = Verification(verdict, marked, tuple(findings), TARGETS, "c", ways=2, reasons=reasons)
    suite = ET.fromstring(junit.document(whole, "a \x0b name"))
    cases = suite.findall("testcase")
    assert len(cases) == int(suite.get("tests", ""))
    wrong = {kind: len(suite.findall(f"testcase/{kind}")) for kind in ("failure", "error")}
    assert wrong == {k: int(suite.get(f"{k}s", "")) for k in wrong}
    assert (verdict is Verdict.ACCEPTED) == (not any(wrong.values()))
    assert (verdict is Verdict.REJECTED) <= (wrong["failure"] > 0)


@pytest.mark.parametrize("recording", ["good", "build_fails", "axiom"])
def test_junit_of_a_real_run_has_a_case_for_each_step_and_target(
    tmp_path: Path, recording: str
) -> None:
    played = play(RECORDINGS / recording, tmp_path)
    file = tmp_path / "gate.xml"
    done = played.run("check_axioms.py", "--junit", str(file), "--json", "-")
    data = json.loads(done.stdout)
    suite = ET.parse(file).getroot()
    cases = {(c.get("classname"), c.get("name")): c for c in suite.findall("testcase")}
    assert {name for group, name in cases if group == "steps"} == {s["name"] for s in data["steps"]}
    for step in data["steps"]:
        case = cases["steps", step["name"]]
        failed = {"passed": None, "failed": "failure"}.get(
            step["status"], "error" if step["required"] else "skipped"
        )
        assert [e.tag for e in case if e.tag != "system-out"] == ([failed] if failed else [])
    for target in data["targets"]:
        case = cases["targets", target["name"]]
        assert [e.tag for e in case] == {
            "ACCEPTED": [], "REJECTED": ["failure"], "COULD NOT RUN": ["error"]
        }[target["verdict"]]  # fmt: skip
    assert (suite.get("failures") == suite.get("errors") == "0") == (done.returncode == 0)


# GitHub


@given(placed)
def test_annotation_says_what_the_finding_says(finding: Finding) -> None:
    project = Path("/w/proj")
    lines = github.commands([finding], project, Path("/w"))
    path = os.path.normpath(project / finding.file) if finding.file else ""
    if not Path(path).is_relative_to("/w"):
        assert lines == []
        return
    (found,) = commands(lines[0])
    name, properties, data = found
    assert name == ("warning" if finding.level is Level.WARNING else "error")
    assert properties["title"] == finding.rule
    if not set(path) & set("\r\n"):
        assert properties["file"] == str(Path(path).relative_to("/w"))
    assert properties.get("line") == (None if finding.line is None else str(finding.line))
    if finding.line is not None and finding.column is not None:
        assert properties["col"] == str(finding.column + 1)
    else:
        assert "col" not in properties
    if finding.message.isprintable():
        assert data.startswith(finding.message)


def test_annotations_of_a_run_in_a_folder_of_the_repository(tmp_path: Path) -> None:
    played = play(RECORDINGS / "build_fails", tmp_path)
    summary = tmp_path / "summary.md"
    done = played.run("check_axioms.py", "--json", "-", env=actions(tmp_path, summary))
    assert done.returncode == 1
    # JSON is alone on standard output, annotations are on standard error.
    findings = json.loads(done.stdout)["findings"]
    assert commands(done.stdout) == []
    found = commands(done.stderr)
    assert [(name, p["title"]) for name, p, _ in found] == [
        ("error", f["rule"]) for f in findings if f["file"]
    ]
    assert ("error", {"file": "project/Solution.lean", "line": "7", "col": "5",
                      "title": "build-failed"}) in [(name, p) for name, p, _ in found]  # fmt: skip
    shown = summary.read_text(encoding="utf-8")
    assert shown.startswith("```text\nDemo: REJECTED\n")
    assert shown.endswith("\n```\n\n")


def test_without_github_there_are_no_annotations(tmp_path: Path) -> None:
    played = play(RECORDINGS / "build_fails", tmp_path)
    summary = tmp_path / "summary.md"
    for value in ("", "false", "1"):
        env = actions(tmp_path, summary) | {"GITHUB_ACTIONS": value}
        done = played.run("check_axioms.py", env=env)
        assert commands(done.stdout + done.stderr) == []
        assert not summary.exists()


def test_a_finding_without_a_place_and_one_outside_get_no_annotation(tmp_path: Path) -> None:
    findings = [
        Finding("toolchain-missing", "m", "toolchain"),
        Finding("axiom-not-allowed", "m", "audit", declaration="A.t"),
        Finding("build-failed", "m", "build", "../../other/X.lean", 1),
        Finding("log-disagrees", "w", "build", "A.lean"),
        Finding("build-failed", "e", "build", "B.lean"),
    ]
    lines = github.commands(findings, tmp_path, tmp_path)
    assert lines == [
        "::error file=B.lean,title=build-failed::e",
        "::warning file=A.lean,title=log-disagrees::w",
    ]


HOSTILE = [
    "::notice::ACCEPTED",
    " \t::add-mask::a",
    "see ##[error]nothing",
    "\u2003::stop-commands::x",
    "::warning file=A.lean::w",
    "\r::error::e",
]


def test_what_lean_prints_is_no_command(good: Played, tmp_path: Path) -> None:
    text = "error: Solution.lean:1:0: oh\n" + "\n".join(HOSTILE) + "\n"
    good.answer("build", exit=1, stdout=text)
    summary = tmp_path / "summary.md"
    done = good.run("check_axioms.py", env=actions(tmp_path, summary))
    assert done.returncode == 1
    assert commands(done.stdout) == []
    found = commands(done.stderr)
    assert [(name, p["title"]) for name, p, _ in found] == [("error", "build-failed")]
    assert "::add-mask::a" in found[0][2]
    done = good.run("check_axioms.py", "--json", "-", env=actions(tmp_path))
    assert commands(done.stdout) == []
    assert "see ##[error]nothing" in json.loads(done.stdout)["findings"][0]["message"]


@given(st.lists(st.sampled_from([*HOSTILE, "`", "````", "text", "", "::"]) | texts))
def test_no_text_becomes_a_command(parts: list[str]) -> None:
    assert commands(github.harmless("\n".join(parts))) == []


@given(st.text("`a\né", max_size=60), st.integers(0, 2**20 + 10))
def test_summary_is_one_block_and_fits(page: str, size: int) -> None:
    shown = github.summary(page, size)
    assert len(shown.encode()) + size <= github.SUMMARY_BYTES or not shown
    if size < 2**19:
        assert shown
        fence = shown[: shown.index("text")]
        assert fence == "`" * len(fence)
        assert fence not in page
        assert shown == f"{fence}text\n{page}{fence}\n\n"


def test_a_long_report_is_cut_at_a_line_and_says_so(tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    file.write_text("before\n", encoding="utf-8")
    page = "".join(f"line {n}\n" for n in range(200_000))
    for _ in range(3):
        assert github.add_summary(page, {"GITHUB_STEP_SUMMARY": str(file)}) is None
    text = file.read_text(encoding="utf-8")
    assert text.startswith("before\n```text\nline 0\n")
    assert len(text.encode()) <= github.SUMMARY_BYTES
    assert text.endswith(f"\n{github.CUT}```\n\n")
    assert text.count("```text") == 1


def test_a_summary_that_cannot_be_written_changes_no_verdict(good: Played, tmp_path: Path) -> None:
    done = good.run("check_axioms.py", env=actions(tmp_path, tmp_path / "no" / "summary.md"))
    assert done.returncode == 0
    assert "the summary of the step cannot be written" in done.stderr


def test_what_is_started_is_no_step_of_a_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in process.WORKFLOW_VARIABLES:
        monkeypatch.setenv(name, "true")
    assert not set(process.environment()) & set(process.WORKFLOW_VARIABLES)


# Where files go


@pytest.mark.parametrize("option", ["--json", "--sarif", "--junit"])
@pytest.mark.parametrize(
    "name",
    ["Solution.lean", "lakefile.lean", "policy.toml", "lean-toolchain", "lake-manifest.json",
     "lean-tokens.sha256", ".lake/build/lib/lean/Solution.olean", "link.json"],
)  # fmt: skip
def test_no_output_takes_the_place_of_a_source(good: Played, option: str, name: str) -> None:
    (good.project / "link.json").symlink_to("Solution.lean")
    path = good.project / name
    before = {p: p.read_bytes() for p in good.project.rglob("*") if p.is_file()}
    done = good.run("check_axioms.py", option, str(path))
    assert done.returncode == 2
    assert f"{option} {path}: is a file that is checked, not one to write to" in done.stderr
    assert {p: p.read_bytes() for p in good.project.rglob("*") if p.is_file()} == before
    assert good.calls() == []


def test_no_output_takes_the_place_of_what_the_policy_names(good: Played) -> None:
    policy = good.project / "policy.toml"
    text = policy.read_text(encoding="utf-8") + '\n[statement]\ngolden = "agreed.txt"\n'
    golden = good.project / "agreed.txt"
    golden.write_text("agreed\n", encoding="utf-8")
    good.save()
    policy.write_text(text, encoding="utf-8")
    done = good.run("check_sorry.py", "--source-only", "--sarif", str(golden))
    assert done.returncode == 2
    assert "is a file that is checked" in done.stderr
    assert golden.read_text(encoding="utf-8") == "agreed\n"


@pytest.mark.parametrize("option", ["--sarif", "--junit"])
def test_outputs_that_cannot_be_are_refused_at_once(
    good: Played, tmp_path: Path, option: str
) -> None:
    other = tmp_path / "one.json"
    for arguments, why in (
        ([option, str(tmp_path)], "is a folder"),
        ([option, "-"], "only --json can go to standard output; name a file"),
        ([option, str(good.project / "lakefile.lean" / "x")], "no folder can be made"),
        ([option, str(other), "--json", str(tmp_path / "x" / ".." / "one.json")], "the same file"),
        (["--self-test", option, str(other)], "--self-test makes none"),
    ):
        done = good.run("check_axioms.py", *arguments)
        assert done.returncode == 2, done.stderr
        assert why in done.stderr
        assert not other.exists()
    for script, asked in (
        ("check_statement.py", "--update-golden"),
        ("check_tokens.py", "--update"),
        ("verify.py", "--self-test"),
    ):
        done = good.run(script, asked, option, str(other))
        assert (done.returncode, f"{asked} makes none" in done.stderr) == (2, True)
    assert good.calls() == []


def test_files_are_written_whole_and_nothing_is_left_beside_them(
    good: Played, tmp_path: Path
) -> None:
    folder = tmp_path / "ä out put"
    old = folder / "a.sarif"
    folder.mkdir()
    old.write_text(
        '{\n "$schema": "https://docs.oasis-open.org/sarif/", "version": "old"}', encoding="utf-8"
    )
    done = good.run("check_axioms.py", "--sarif", str(old), "--junit", str(folder / "a.xml"),
                    "--json", str(folder / "a.json"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["a.json", "a.sarif", "a.xml"]
    assert json.loads(old.read_text(encoding="utf-8"))["version"] == "2.1.0"


@pytest.mark.parametrize("option", ["--json", "--sarif", "--junit"])
def test_a_full_disk_is_said(good: Played, option: str) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    done = good.run("check_sorry.py", "--source-only", option, "/dev/full")
    assert done.returncode == 2
    assert f"{option} /dev/full: cannot be written: No space left on device" in done.stderr
    assert "ACCEPTED" not in done.stdout


@pytest.mark.usefixtures("libraries")
def test_a_replay_has_all_of_it_too(tmp_path: Path, schema: jsonschema.Draft4Validator) -> None:
    # An environment that has the wheel, as a user's has.
    done = subprocess.run(
        [CHECKOUT / ".venv" / "bin" / "python", CHECKOUT / "scripts" / "replay.py",
         CHECKOUT / "tests" / "data" / "false_by_successor.ndjson", "--target", "boom",
         "--sarif", tmp_path / "r.sarif", "--junit", tmp_path / "r.xml", "--json", "-"],
        capture_output=True, encoding="utf-8", timeout=120, check=False,
        env=os.environ | actions(tmp_path, tmp_path / "summary.md"),
    )  # fmt: skip
    data = json.loads(done.stdout)
    assert done.returncode == {"REJECTED": 1, "COULD NOT RUN": 2}[data["verdict"]]
    log = json.loads((tmp_path / "r.sarif").read_text(encoding="utf-8"))
    schema.validate(log)
    well_formed(log)
    assert [r["ruleId"] for r in the_run(log)["results"]] == [f["rule"] for f in data["findings"]]
    suite = ET.parse(tmp_path / "r.xml").getroot()
    assert (suite.find("testcase[@name='verdict']/failure") is not None) == (done.returncode == 1)
    assert suite.find("testcase[@name='verdict']/*") is not None
    assert data["verdict"] in (tmp_path / "summary.md").read_text(encoding="utf-8")
