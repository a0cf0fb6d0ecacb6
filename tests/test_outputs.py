"""Where a run writes: never through a link of the project, never over what is no output."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness import cli
from harness.output import link_inside, write_whole
from projects_for_tests import SCRIPTS, Played, run_script
from stated_for_tests import LOGIC, check, copied, small

EXPORT = "proof.ndjson"
MANIFEST = "proof.ndjson.manifest.json"


def contents(folder: Path) -> dict[str, bytes]:
    """Every file in a folder but those of its build, links as what they lead to."""
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in folder.rglob("*")
        if p.is_file() and p.relative_to(folder).parts[0] != "build"
    }


# The way to a file


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("project/build/file", None),
        ("project/real/file", None),
        ("project/out/file", "project/out"),
        ("project/real/../out/file", "project/out"),
        ("project/out/../file", "project/out"),
        ("project/file", "project/file"),
        ("mine/file", "project/file"),
        ("mine/real/x", None),
        ("through/x", "project/out"),
        ("elsewhere", None),
        ("outside/x", None),
    ],
)
def test_links_in_the_folder_are_seen_and_links_elsewhere_followed(
    tmp_path: Path, path: str, found: str | None
) -> None:
    tmp_path = tmp_path.resolve()
    project = tmp_path / "project"
    (project / "real").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (project / "out").symlink_to("../outside")
    (project / "file").symlink_to(tmp_path / "outside" / "x")
    (tmp_path / "mine").symlink_to("project")
    (tmp_path / "through").symlink_to(project / "out")
    (tmp_path / "elsewhere").symlink_to("outside/x")
    for folder in (project, tmp_path / "mine"):
        seen = link_inside(tmp_path / path, folder)
        assert seen == (None if found is None else tmp_path / found)


def test_links_in_a_circle_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "project").mkdir()
    with pytest.raises(OSError, match="symbolic links"):
        link_inside(tmp_path / "a" / "x", tmp_path / "project")


def test_a_link_is_replaced_when_a_file_is_written(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("kept", encoding="utf-8")
    for name in ("link", f".link.{os.getpid()}"):
        (tmp_path / name).symlink_to(other)
    write_whole(tmp_path / "link", "new é")
    assert other.read_text(encoding="utf-8") == "kept"
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "link").read_text(encoding="utf-8") == "new é"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "other"]


# The export


def verify(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_script(
        "verify.py", "--embedded", "--project", str(project), *arguments, seconds=300
    )  # fmt: skip


@pytest.fixture
def proved(tmp_path: Path, libraries: Path) -> Path:
    return copied("minimal", tmp_path, "project")


def test_an_export_takes_the_place_of_links_and_leaves_what_they_lead_to(proved: Path) -> None:
    outside = proved.parent / "profile"
    outside.write_text("mine\n", encoding="utf-8")
    (proved / "build").mkdir()
    (proved / "build" / EXPORT).symlink_to("../Main.lean")
    (proved / "build" / MANIFEST).symlink_to(outside)
    before = contents(proved)
    done = verify(proved)
    assert done.returncode == 0, done.stdout + done.stderr
    assert contents(proved) == before
    assert outside.read_text(encoding="utf-8") == "mine\n"
    for name in (EXPORT, MANIFEST):
        assert (proved / "build" / name).is_file()
        assert not (proved / "build" / name).is_symlink()
    assert sorted(p.name for p in (proved / "build").iterdir()) == ["embedded", EXPORT, MANIFEST]
    again = verify(proved, "--from-export", str(proved / "build" / EXPORT))
    assert again.returncode == 0, again.stdout + again.stderr


@pytest.mark.parametrize("name", [EXPORT, MANIFEST])
def test_a_folder_in_the_place_of_the_export_is_said_first(proved: Path, name: str) -> None:
    (proved / "build" / name).mkdir(parents=True)
    done = verify(proved)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{name} is a folder. Remove it, or add --no-export." in done.stderr
    assert [p.name for p in (proved / "build").iterdir()] == [name]
    assert verify(proved, "--no-export").returncode == 0


@pytest.mark.parametrize("name", [EXPORT, MANIFEST])
def test_an_export_takes_the_place_of_nothing_else(proved: Path, name: str) -> None:
    mine = proved / "build" / name
    mine.parent.mkdir()
    mine.write_text('{"mine": true}\n', encoding="utf-8")
    for script, arguments in (
        ("verify.py", ()),
        ("replay.py", ("--write-export", str(proved / "build" / EXPORT))),
    ):
        done = run_script(script, "--embedded", "--project", str(proved), *arguments)
        assert (done.returncode, done.stdout) == (2, ""), script
        assert f"{name}: is there and does not begin as what would be written" in done.stderr
    assert [p.name for p in mine.parent.iterdir()] == [name]
    assert mine.read_text(encoding="utf-8") == '{"mine": true}\n'


def test_no_source_and_no_other_output_is_written_over_by_an_export(proved: Path) -> None:
    assert verify(proved).returncode == 0
    before = contents(proved)
    (proved / ".git").mkdir()
    (proved / ".git" / "config").write_text("mine\n", encoding="utf-8")
    for name in ("Main.lean", "policy.toml", ".git/config", ".git/new"):
        done = run_script("replay.py", "--embedded", "--project", str(proved),
                          "--write-export", str(proved / name))  # fmt: skip
        assert (done.returncode, done.stdout) == (2, ""), name
    out = str(proved / "build" / "out.json")
    done = run_script("replay.py", "--embedded", "--project", str(proved), "--write-export", out,
                      "--json", out)  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "two outputs would go to the same file" in done.stderr
    assert (proved / ".git" / "config").read_text(encoding="utf-8") == "mine\n"
    assert contents(proved) == before | {
        p: t for p, t in contents(proved).items() if str(p).startswith(".git")
    }


def test_compiled_python_goes_to_the_build_folder(tmp_path: Path, proved: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(SCRIPTS, tree / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    (tree / ".venv").symlink_to(SCRIPTS.parent / ".venv")
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, tree / "scripts" / "verify.py", "--embedded", "--project", proved],
        capture_output=True, encoding="utf-8", timeout=120, check=False, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list((tree / "scripts").rglob("__pycache__"))
    assert list((tree / "build" / "pycache").rglob("worker.*.pyc"))


def test_an_export_goes_through_no_link_of_the_project(proved: Path) -> None:
    outside = proved.parent / "outside"
    outside.mkdir()
    (proved / "build").symlink_to(outside)
    for script, arguments in (
        ("verify.py", ()),
        ("verify.py", ("--sandbox",)),
        ("replay.py", ("--write-export", str(proved / "build" / "a" / EXPORT))),
    ):
        done = run_script(script, "--embedded", "--project", str(proved), *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"{proved / 'build'} is a link" in done.stderr
        assert not list(outside.iterdir())


def test_an_export_goes_through_the_users_own_links(proved: Path) -> None:
    target, mine = proved.parent / "target", proved.parent / "mine"
    target.mkdir()
    mine.symlink_to(target)
    assert verify(proved, "--no-export").returncode == 0
    where = ("--write-export", str(mine / EXPORT))
    done = run_script("replay.py", "--embedded", "--project", str(proved), *where, seconds=300)
    assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in target.iterdir()) == [EXPORT, MANIFEST]


# Results


@pytest.mark.parametrize("option", ["--json", "--sarif", "--junit"])
@pytest.mark.parametrize("name", ["link", "out/new", "out/deep/new"])
def test_no_result_goes_through_a_link_of_the_project(good: Played, option: str, name: str) -> None:
    outside = good.project.parent / "outside"
    outside.mkdir()
    (good.project / "link").symlink_to(outside / "new")
    (good.project / "out").symlink_to("../outside")
    for script in ("check_axioms.py", "check_pins.py"):
        done = good.run(script, option, str(good.project / name))
        assert (done.returncode, done.stdout) == (2, "")
        assert "is a link, and what it leads to is not written to" in done.stderr
    assert not list(outside.iterdir())
    assert good.calls() == []


@pytest.mark.parametrize(
    ("script", "arguments"),
    [
        ("check_pins.py", ["--project", "LOOP"]),
        ("check_axioms.py", ["--toolchain", "LOOP"]),
        ("replay.py", ["--modules", "LOOP", "Main"]),
        ("replay.py", ["x.ndjson", "--write-export", "LOOP/out.ndjson"]),
        ("report.py", ["--output", "LOOP.html"]),
    ],
)
def test_links_in_a_circle_are_said_wherever_they_are_named(
    good: Played, script: str, arguments: list[str]
) -> None:
    loop, page = good.project.parent / "loop", good.project.parent / "loop.html"
    for path in (loop, page):
        path.symlink_to(path.name)
    words = [w.replace("LOOP.html", str(page)).replace("LOOP", str(loop)) for w in arguments]
    done = run_script(script, "--project", str(good.project), *words)
    assert (done.returncode, done.stdout) == (2, ""), done.stdout
    assert "Traceback" not in done.stderr and "a fault of this program" not in done.stderr
    assert str(loop) in done.stderr


def test_an_output_in_a_circle_of_links_is_said(good: Played) -> None:
    circle = good.project.parent / "circle.json"
    circle.symlink_to("circle.json")
    done = good.run("check_axioms.py", "--json", str(circle))
    assert done.returncode == 2
    assert done.stderr == (f"check_axioms.py: --json {circle}: Too many levels of symbolic links\n")


def test_results_go_through_the_users_own_links(good: Played) -> None:
    beside = good.project.parent
    (beside / "target").mkdir()
    (beside / "mine.json").symlink_to("target/new.json")
    done = good.run("check_axioms.py", "--json", str(beside / "mine.json"))
    assert done.returncode == 0, done.stderr
    assert (beside / "mine.json").is_symlink()
    assert (beside / "target" / "new.json").read_text(encoding="utf-8").startswith("{")


@pytest.mark.parametrize(
    ("option", "others"),
    [
        (
            "--json",
            ("{", "{}", '{\n "schema": "com.example"', '{\n "name": "a package"\n}\n', "<?xml"),
        ),
        ("--sarif", ("{", '{\n "schema": 1', '{\n "$schema": "https://example.org/"', "<?xml")),
        (
            "--junit",
            ("<?xml", '<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="other">', "{"),
        ),
    ],
)
def test_only_what_begins_as_a_result_is_replaced(
    good: Played, option: str, others: tuple[str, ...]
) -> None:
    file = good.project / "LICENSE"
    for text in (*others, "Apache License\n", "\n", " {", "<?x"):
        file.write_text(text, encoding="utf-8")
        done = good.run("check_sorry.py", "--source-only", option, str(file))
        assert (done.returncode, done.stdout) == (2, "")
        assert f"{option} {file}: is there and does not begin as what would be" in done.stderr
        assert file.read_text(encoding="utf-8") == text
    file.write_text("", encoding="utf-8")
    for _ in range(2):
        done = good.run("check_sorry.py", "--source-only", option, str(file))
        assert done.returncode == 0, done.stderr
        assert len(file.read_text(encoding="utf-8")) > 200


@pytest.mark.parametrize("arguments", [(), ("--self-test",)])
def test_a_golden_file_is_no_place_for_a_result(good: Played, arguments: tuple[str, ...]) -> None:
    text = (good.project / "policy.toml").read_text(encoding="utf-8")
    text += '\n[statement]\ngolden = "agreed.txt"\n'
    (good.project / "policy.toml").write_text(text, encoding="utf-8")
    golden = good.project / "agreed.txt"
    golden.touch()
    done = good.run("check_axioms.py", *arguments, "--json", str(golden))
    assert (done.returncode, done.stdout) == (2, "")
    assert "is a file that is checked" in done.stderr
    assert golden.read_bytes() == b""


@pytest.mark.parametrize("name", [".git/HEAD", ".git/new.json", ".git", "Defs/new.json"])
def test_no_result_goes_where_git_or_sources_are(good: Played, name: str) -> None:
    if name == ".git":
        (good.project / ".git").touch()
    else:
        (good.project / ".git").mkdir()
        (good.project / ".git" / "HEAD").write_text("{", encoding="utf-8")
    before = contents(good.project)
    for script in ("check_pins.py", "check_axioms.py"):
        done = good.run(script, "--json", str(good.project / name))
        assert (done.returncode, done.stdout) == (2, "")
        assert "where no output goes" in done.stderr
    assert contents(good.project) == before


@pytest.mark.parametrize("folder", cli.HARNESS_FOLDERS)
def test_no_result_goes_among_the_parts_of_the_harness(tmp_path: Path, folder: str) -> None:
    tree = tmp_path / "tree"
    ignored = shutil.ignore_patterns("__pycache__", "lean")
    shutil.copytree(SCRIPTS, tree / "scripts", ignore=ignored)
    (tree / folder).mkdir(exist_ok=True)
    new, page = tree / folder / "new.json", tree / "scripts/harness/report/page.html"
    before = contents(tree)
    for file in (new, page):
        done = subprocess.run(
            [sys.executable, "-B", tree / "scripts" / "check_axioms.py", "--self-test", "--json",
             file],
            capture_output=True, encoding="utf-8", timeout=120, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (2, "")
        assert "where no output goes" in done.stderr
    assert contents(tree) == before


def test_a_page_goes_through_no_link_of_the_project(good: Played, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    result = tmp_path / "result.json"
    good.run("verify.py", "--json", str(result))
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "page.html").write_text("mine", encoding="utf-8")
    (good.project / "build" / "report.html").unlink(missing_ok=True)
    (good.project / "build").mkdir(exist_ok=True)
    (good.project / "build" / "report.html").symlink_to(outside / "page.html")
    (good.project / "out").symlink_to(outside)
    for arguments in ([], ["--output", str(good.project / "out" / "new.html")]):
        done = run_script("report.py", str(result), "--project", str(good.project), *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert "is a link, and what it leads to is not written to" in done.stderr
    assert [p.name for p in outside.iterdir()] == ["page.html"]
    assert (outside / "page.html").read_text(encoding="utf-8") == "mine"


def test_pictures_go_through_no_link_of_the_checkout(tmp_path: Path) -> None:
    outside, tree = tmp_path / "outside", tmp_path / "tree"
    outside.mkdir()
    shutil.copytree(SCRIPTS, tree / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    (tree / "build").symlink_to(outside)
    done = subprocess.run(
        [sys.executable, "-B", tree / "scripts" / "illustrate.py"],
        capture_output=True, encoding="utf-8", timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{tree / 'build'} is a link" in done.stderr
    assert not list(outside.iterdir())


def test_the_record_of_tokens_is_written_over_no_file_elsewhere(good: Played) -> None:
    outside = good.project.parent / "mine"
    outside.write_text("mine", encoding="utf-8")
    (good.project / "lean-tokens.sha256").symlink_to(outside)
    done = good.run("check_tokens.py", "--update")
    assert done.returncode == 0, done.stderr
    assert outside.read_text(encoding="utf-8") == "mine"
    assert not (good.project / "lean-tokens.sha256").is_symlink()


# Targets of any name


def test_a_target_may_have_the_name_of_any_part(tmp_path: Path, libraries: Path) -> None:
    assert "And" in LOGIC
    main = "prelude\nimport Logic\n\ntheorem Terms (a b : Prop) (h : And a b) : And a b := h\n"
    project = small(tmp_path / "project", {"Main": main}, ["Terms"])
    said = check(project, "--update-golden")
    assert said.status == 0, said.err
    assert "## Terms\n" in (project / "statement.golden.txt").read_text(encoding="utf-8")
    said = check(project)
    assert (said.status, said.rules) == (0, []), said.err
