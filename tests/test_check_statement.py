"""`check_statement.py` as a person runs it: what is stated, and attacks on the golden file."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import golden
from harness.policy import load_policy
from harness.toolchain import audit
from projects_for_tests import CHECKOUT, RECORDINGS, Played, run_script
from stated_for_tests import Said, check, copied, edit, small

GOLDEN = "statement.golden.txt"


def written(project: Path, *arguments: str) -> Said:
    """Write the golden file of a project anew."""
    return check(project, "--update-golden", *arguments)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory, libraries: Path) -> Path:
    """A project with a right golden file, compiled."""
    project = copied("golden_text", tmp_path_factory.mktemp("compiled"), "project")
    (project / GOLDEN).unlink()
    assert written(project).status == 0
    assert check(project).status == 0
    return project


@pytest.fixture
def project(compiled: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(compiled, tmp_path / "project", symlinks=True))


# The golden file.


def test_what_was_written_is_accepted_and_written_alike_again(project: Path) -> None:
    before = (project / GOLDEN).read_bytes()
    said = written(project)
    assert said.status == 0
    assert "printed from terms, 2 sections" in said.page
    assert (project / GOLDEN).read_bytes() == before
    said = check(project, "--no-build")
    assert (said.status, said.rules) == (0, [])
    assert "statements only" in said.page
    left = {p.name for p in project.iterdir()} - {"build"}
    assert left == {p.name for p in copied("golden_text", project.parent, "other").iterdir()}


def test_stand_ins_for_mathlib_are_printed_as_their_golden_file_says(
    tmp_path: Path, libraries: Path
) -> None:
    project = copied("good_golden", tmp_path)
    before = (project / GOLDEN).read_bytes()
    assert written(project).status == 0
    assert (project / GOLDEN).read_bytes() == before


def test_the_golden_file_of_this_repository_is_what_would_be_written(tmp_path: Path) -> None:
    tree = checkout(tmp_path / "tree")
    before = (tree / GOLDEN).read_bytes()
    said = check(tree, "--update-golden", embedded=False)
    assert said.status == 0, said.err
    assert (tree / GOLDEN).read_bytes() == before


BROKEN = {
    "empty": b"",
    "no UTF-8": b"\xff\xfe",
    "NUL": b"\0",
    "first line only": b"project: what is stated, printed from terms; form 1.\n",
    "another file": b"# Title\n",
    "huge": b"x" * (8 * 1024 * 1024 + 1),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_golden_file_is_could_not_run(project: Path, what: str) -> None:
    (project / GOLDEN).write_bytes(BROKEN[what])
    said = check(project, "--no-build")
    assert (said.status, said.rules) == (2, ["golden-unreadable"])
    assert any(line.startswith(f"{GOLDEN}: golden-unreadable: ") for line in said.err)


@pytest.mark.parametrize("what", ["pipe", "folder", "missing", "loop", "dangling"])
def test_what_is_no_file_is_no_golden_file(project: Path, what: str) -> None:
    path = project / GOLDEN
    path.unlink()
    match what:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "loop":
            path.symlink_to(path.name)
        case "dangling":
            path.symlink_to("nothing")
    said = check(project, "--no-build")
    assert said.status == 2
    (rule,) = said.rules
    assert rule == ("golden-missing" if what in ("missing", "dangling") else "golden-unreadable")


@pytest.mark.parametrize(
    "change", ["another project", "byte order mark", "prose", "order", "twice"]
)
def test_a_golden_file_that_is_not_as_it_is_written(project: Path, change: str) -> None:
    path = project / GOLDEN
    text = path.read_text(encoding="utf-8")
    changed = {
        "another project": text.replace("golden_text:", "other:"),
        "byte order mark": "\ufeff" + text,
        "prose": text.replace("Compared on every run", "Compared on no run"),
        "order": text.replace("  And\n", "  X\n").replace("  And.intro\n", "  And\n")
        .replace("  X\n", "  And.intro\n"),
        "twice": text.replace("\ninductive And", "\ninductive And : Prop\n\ninductive And"),
    }[change]  # fmt: skip
    assert changed != text
    path.write_text(changed, encoding="utf-8")
    said = check(project, "--no-build")
    assert said.status in (1, 2)
    assert said.rules
    assert all(rule.startswith("golden-") for rule in said.rules)


def test_ends_of_lines_do_not_matter(project: Path) -> None:
    path = project / GOLDEN
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert check(project, "--no-build").status == 0


@pytest.mark.parametrize(
    ("golden", "why"),
    [
        ("Main.lean", "statement.golden has to end in .txt"),
        ("new.LEAN", "statement.golden has to end in .txt"),
        ("policy.toml", "statement.golden has to end in .txt"),
        ("lean-toolchain", "statement.golden has to end in .txt"),
        ("README.md", "statement.golden has to end in .txt"),
        ("package/__init__.py", "statement.golden has to end in .txt"),
        (".git/hooks/pre-commit", "statement.golden has to end in .txt"),
        (".git/hooks/golden.txt", "in a hidden folder"),
        (".golden.txt", "neither hidden"),
        (r"a\u0000b.txt", "a path has no control characters"),
        (r"a\u001bb.txt", "a path has no control characters"),
        ("notes.txt", "not written over"),
        ("folder.txt", "no ordinary file"),
        ("out/golden.txt", "out is a link"),
        ("hooks/golden.txt", "hooks is a link"),
        ("pipe.txt", "no ordinary file"),
        ("missing/golden.txt", "golden.txt"),
    ],
)
def test_nothing_but_a_golden_file_is_ever_written_over(
    project: Path, golden: str, why: str
) -> None:
    edit(project / "policy.toml", GOLDEN, golden)
    (project / "notes.txt").write_text("Notes\n", encoding="utf-8")
    (project / ".git" / "hooks").mkdir(parents=True)
    (project / "hooks").symlink_to(".git/hooks")
    (project / "package").mkdir()
    (project / "package" / "__init__.py").touch()
    (project / "folder.txt").mkdir()
    (project.parent / "outside").mkdir()
    (project / "out").symlink_to(project.parent / "outside")
    os.mkfifo(project / "pipe.txt")
    before = contents(project)
    said = written(project, "--no-build")
    assert said.status == 2
    assert why in "\n".join(said.err), said.err
    assert contents(project) == before
    assert not list((project.parent / "outside").iterdir())


def contents(project: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(project)): p.read_bytes()
        for p in project.rglob("*")
        if p.is_file() and "build" not in p.parts
    }


@pytest.mark.parametrize("golden", ["../golden.txt", "/tmp/golden.txt", "a/../../b", "..\\\\b", ""])
def test_a_golden_file_is_named_inside_the_project(project: Path, golden: str) -> None:
    edit(project / "policy.toml", f'"{GOLDEN}"', f'"{golden}"')
    said = written(project, "--no-build")
    assert said.status == 2
    assert "policy.toml" in "\n".join(said.err)


def test_a_link_is_replaced_and_what_it_leads_to_is_not(project: Path) -> None:
    other = project.parent / "other.txt"
    other.write_bytes((project / GOLDEN).read_bytes())
    before = other.read_bytes()
    (project / GOLDEN).unlink()
    (project / GOLDEN).symlink_to(other)
    edit(project / "Definitions.lean", "And a b", "And b a")
    assert written(project).status in (0, 2)
    assert other.read_bytes() == before


def test_a_tree_that_cannot_be_written_to(tmp_path: Path) -> None:
    tree = checkout(tmp_path / "tree")
    (tree / GOLDEN).write_text("", encoding="utf-8")
    before = contents(tree)
    script = str(tree / "scripts" / "check_statement.py")
    command = [sys.executable, "-B", script, "--update-golden"]
    if os.geteuid() == 0:
        # Root may write anywhere: somebody else asks, with a Python that all may run.
        python = shutil.which("python3", path="/usr/bin:/usr/local/bin")
        if python is None or shutil.which("setpriv") is None:
            pytest.skip("root, and no way to become somebody else")
        command[0] = python
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]
        for path in tmp_path.parents:
            if path.is_relative_to("/tmp") and path != Path("/tmp"):
                path.chmod(path.stat().st_mode | 0o055)
        tmp_path.chmod(0o755)
    subprocess.run(["chmod", "-R", "a-w,a+rX", tree], check=True)
    try:
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", timeout=60, check=False
        )
    finally:
        subprocess.run(["chmod", "-R", "u+w", tree], check=True)
    assert done.returncode == 2, done.stderr
    assert "--update-golden" in done.stderr
    assert "Permission denied" in done.stderr
    assert "Traceback" not in done.stderr
    assert contents(tree) == before


def test_spaces_and_letters_of_other_alphabets_in_paths(compiled: Path, tmp_path: Path) -> None:
    project = tmp_path / "Ort mit Räumen ∀" / "проект"
    shutil.copytree(compiled, project)
    (project / GOLDEN).rename(project / "aussage ∃.txt")
    edit(project / "policy.toml", GOLDEN, "aussage ∃.txt")
    assert check(project, "--no-build").status == 0
    before = contents(project)
    assert written(project, "--no-build").status == 0
    assert contents(project) == before


def test_the_golden_file_is_written_from_terms_or_not_at_all(project: Path, tmp_path: Path) -> None:
    before = contents(project)
    export = tmp_path / "no-export.ndjson"
    export.write_text("{}\n", encoding="utf-8")
    said = check(project, "--update-golden", "--from-export", str(export), embedded=False)
    assert said.status == 2
    assert "nothing was written" in said.err[-1]
    edit(project / "Main.lean", "And.swap h", "And.nothing h")
    assert written(project).status == 2
    after = contents(project)
    after.pop("Main.lean")
    before.pop("Main.lean")
    assert after == before


def test_from_an_export(project: Path) -> None:
    export = project / "build" / "proof.ndjson"
    done = run_script(
        "verify.py", "--project", str(project), "--embedded", "--no-build", seconds=300
    )
    assert export.exists(), done.stderr
    said = check(project, "--from-export", str(export))
    assert (said.status, said.rules) == (0, []), said.err
    assert "from an export, not built here" in said.page
    before = (project / GOLDEN).read_bytes()
    (project / GOLDEN).unlink()
    assert written(project, "--from-export", str(export)).status == 0
    assert (project / GOLDEN).read_bytes() == before
    edit(
        project / GOLDEN,
        "def Both (a b : Prop) : Prop :=\n  a ∧ b",
        "def Both (a b : Prop) : Prop :=\n  a ∧ a",
    )
    said = check(project, "--from-export", str(export))
    assert (said.status, said.rules) == (1, ["golden-differs"])


# What a difference looks like.


@pytest.mark.parametrize(
    ("case", "rule", "words"),
    [
        ("extra_hypothesis", "statement-differs", ["binder", "expected nothing, found"]),
        ("definition_changed", "definition-differs", ["expected", "found"]),
        ("weaker_conclusion", "statement-differs", ["expected", "found"]),
    ],
)
def test_a_difference_is_shown_where_it_is_on_one_screen(
    tmp_path: Path, libraries: Path, case: str, rule: str, words: list[str]
) -> None:
    said = check(copied(case, tmp_path))
    assert said.status == 1
    assert rule in said.rules
    message = said.message(rule)
    assert all(word in message for word in words), message
    assert len(said.page.splitlines()) <= 60
    found = [f["evidence"]["places"] for f in said.result["findings"] if f["rule"] == rule]
    places = [place for one in found for place in one]
    assert places
    assert all(place["path"] and place["expected"] != place["found"] for place in places)


def test_one_long_difference_fits_on_one_screen_and_is_whole_in_the_result(
    tmp_path: Path, libraries: Path
) -> None:
    chain = "True"
    for _ in range(60):
        chain = f"And True ({chain})"
    project = small(
        tmp_path / "project",
        {"Main": f"prelude\nimport Logic\ndef d : Prop := {chain}\ntheorem t (h : d) : d := h\n"},
        ["t"],
    )
    assert written(project).status == 0
    edit(project / "Main.lean", "And True (True)", "And True (And False True)")
    said = check(project)
    assert said.status == 1
    assert "golden-differs" in said.rules
    start = said.page.index("Violations")
    shown = said.page[start : said.page.index("Warnings")].splitlines()
    assert len(shown) <= 40 * said.rules.count("golden-differs")
    assert max(map(len, shown)) <= 100
    finding = next(f for f in said.result["findings"] if f["declaration"] == "d")
    assert finding["evidence"]["expected"].count("∧") == 60
    assert finding["evidence"]["found"].count("∧") == 61


# Attacks: something else is stated, and the golden file is that of before.

BEFORE = """prelude
import Logic

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

universe u v

class Sort' (α : Type u) : Type u where
  one : α

def Left (a b : Prop) : Prop := a
def Right (a b : Prop) : Prop := b
def Lev.{a, b} : Prop := And (Eq (Sort a) (Sort a)) (Eq (Sort b) (Sort b))
def pick {α : Type u} (a : α) [inst : Sort' α] : α := a

namespace A
def c : Prop := True
end A
def A.B.c : Prop := And True True
def B.c : Prop := And True (And True True)
inductive Two : Type where
  | one : Two
  | two : Two
instance first : Sort' Two := Sort'.mk Two.one
instance second : Sort' Two := Sort'.mk Two.two
"""
CLAIMS = """prelude
import Definitions
namespace A
theorem t (h : And c (And A.B.c _root_.B.c)) : And c (And A.B.c _root_.B.c) := h
end A
theorem t (h : Left A.c A.c) : A.c := h
theorem universes.{w, x} (h : Lev.{w, x}) : Lev.{w, x} := h
theorem instances (n : Two) : Eq (@pick Two n first) n := Eq.refl n
theorem implicit : Eq (@Sort'.mk Two Two.one) (@Sort'.mk Two Two.one) := Eq.refl (Sort'.mk Two.one)
theorem binders (a b : Prop) (h : And a b) : And a b := h
"""
ATTACKS = {
    "a definition's value": ("Definitions", "Prop := a\n", "Prop := b\n"),
    "a definition that the other one is taken for": ("Main", "(h : Left A.c", "(h : Right A.c"),
    "another constant of the same short name": ("Main", "And c (And A.B.c _root_.B.c) := h",
        "And _root_.B.c (And A.B.c c) := And.intro h.2.2 (And.intro h.2.1 h.1)"),
    "universe levels that are not written": ("Main", "(h : Lev.{w, x}) : Lev.{w, x}",
        "(h : Lev.{x, w}) : Lev.{x, w}"),
    "universe levels of a definition": ("Definitions",
        "And (Eq (Sort a) (Sort a)) (Eq (Sort b) (Sort b))",
        "And (Eq (Sort b) (Sort b)) (Eq (Sort a) (Sort a))"),
    "an instance": ("Main", "@pick Two n first", "@pick Two n second"),
    "an instance's value": ("Definitions", "first : Sort' Two := Sort'.mk Two.one",
        "first : Sort' Two := Sort'.mk Two.two"),
    "the kind of a binder": ("Main", "(a b : Prop) (h", "{a b : Prop} (h"),
    "a constructor more": ("Definitions", "  | two : Two\n", "  | two : Two\n  | three : Two\n"),
    "a definition that is made opaque": ("Definitions",
        "def A.B.c : Prop := And True True", "opaque A.B.c : Prop := And True True"),
}  # fmt: skip


@pytest.fixture(scope="module")
def stated(tmp_path_factory: pytest.TempPathFactory, libraries: Path) -> Path:
    project = small(
        tmp_path_factory.mktemp("stated") / "project",
        {"Definitions": BEFORE, "Main": CLAIMS},
        ["A.t", "t", "universes", "instances", "implicit", "binders"],
    )
    said = written(project)
    assert said.status == 0, said.err
    assert check(project, "--no-build").status == 0
    return project


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_is_stated_cannot_be_changed_without_the_golden_file(
    stated: Path, tmp_path: Path, attack: str
) -> None:
    project = Path(shutil.copytree(stated, tmp_path / "project"))
    name, old, new = ATTACKS[attack]
    edit(project / f"{name}.lean", old, new)
    said = check(project)
    assert "build-failed" not in said.rules, said.err
    assert (said.status, set(said.rules)) == (1, {"golden-differs"})
    if "not written" in attack:
        assert any("another term" in line for line in said.err)


def test_definitions_cannot_change_their_modules(stated: Path, tmp_path: Path) -> None:
    project = Path(shutil.copytree(stated, tmp_path / "project"))
    edit(project / "Definitions.lean", "def B.c : Prop := And True (And True True)\n", "")
    edit(
        project / "Main.lean",
        "namespace A\n",
        "def B.c : Prop := And True (And True True)\nnamespace A\n",
    )
    said = check(project)
    assert (said.status, set(said.rules)) == (1, {"golden-differs"})
    assert any("B.c" in line and "another term" in line for line in said.err)


def test_another_name_of_a_bound_variable_is_another_text(stated: Path, tmp_path: Path) -> None:
    project = Path(shutil.copytree(stated, tmp_path / "project"))
    edit(
        project / "Main.lean",
        "binders (a b : Prop) (h : And a b)",
        "binders (a b : Prop) (k : And a b)",
    )
    edit(project / "Main.lean", "And a b := h", "And a b := k")
    said = check(project)
    assert (said.status, set(said.rules)) == (1, {"golden-differs"})


def test_a_layout_or_comment_changes_nothing(stated: Path, tmp_path: Path) -> None:
    project = Path(shutil.copytree(stated, tmp_path / "project"))
    edit(project / "Main.lean", "(h : And a b) : And a b := h",
        "-- why\n    (h : And a b) :\n    And a b :=\n  h")  # fmt: skip
    edit(project / "Definitions.lean", "  one : α", "  /- this -/ one :\n    α")
    assert check(project).status == 0


FORGED = "x\n\n## (terms)\n\n" + "0" * 64 + "  t"


@pytest.mark.parametrize(
    "main",
    [
        f"theorem t (h : «{FORGED}») : «{FORGED}» := h",
        "theorem t {«a\n\n## t\n\n» : Prop} (h : «a\n\n## t\n\n») : «a\n\n## t\n\n» := h",
        "theorem «t\n## (terms)» : True := True.intro",
    ],
    ids=["definition", "variable", "target"],
)
def test_names_cannot_forge_parts_of_a_golden_file(
    tmp_path: Path, libraries: Path, main: str
) -> None:
    target = "«t\\n## (terms)»" if "theorem «" in main else "t"
    definition = f"def «{FORGED}» : Prop := True\n" if "(h : «x" in main else ""
    project = small(
        tmp_path / "project", {"Main": f"prelude\nimport Logic\n{definition}{main}\n"}, ["t"]
    )
    edit(project / "policy.toml", 'theorems = ["t"]', f'theorems = ["{target}"]')
    said = written(project)
    assert said.status == 2
    assert not (project / GOLDEN).exists()
    assert check(project).status == 2


def test_names_that_look_like_other_text_are_printed_with_their_guillemets(
    tmp_path: Path, libraries: Path
) -> None:
    main = "theorem t {«a : Prop) : False» : Prop} (h : «a : Prop) : False») : And True True :="
    project = small(
        tmp_path / "project",
        {"Main": f"prelude\nimport Logic\n{main}\n  And.intro True.intro True.intro\n"},
        ["t"],
    )
    assert written(project).status == 0
    assert check(project, "--no-build").status == 0
    assert "(h : «a : Prop) : False»)" in (project / GOLDEN).read_text(encoding="utf-8")
    edit(project / "Main.lean", main, main.replace("a : Prop) : False", "a : Prop) : True"))
    assert check(project).status == 1


def test_universe_parameters_that_read_like_operators_are_refused(
    tmp_path: Path, libraries: Path
) -> None:
    main = "theorem t.{max} {α : Sort max} (a b : α) (h : Eq a b) : Eq a b := h"
    project = small(tmp_path / "project", {"Main": f"prelude\nimport Logic\n{main}\n"}, ["t"])
    assert written(project).status == 0
    said = check(project, "--no-build")
    assert said.status == 1
    assert set(said.rules) == {"name-ambiguous"}


def test_a_module_under_no_root_of_the_policy_is_no_hiding_place(
    tmp_path: Path, libraries: Path
) -> None:
    project = small(
        tmp_path / "project",
        {
            "Hidden": "prelude\nimport Logic\ndef d : Prop := True\n",
            "Main": "prelude\nimport Hidden\ntheorem t (h : d) : d := h\n",
        },
        ["t"],
    )
    edit(project / "policy.toml", '"Hidden", ', "")
    written(project)
    said = check(project)
    assert said.status == 2
    assert "audit-incomplete" in said.rules


def dup(times: int) -> str:
    text = "True.intro"
    for _ in range(times):
        text = f"dup ({text})"
    return text


def test_a_statement_too_large_to_be_written_out_is_could_not_run(
    tmp_path: Path, libraries: Path
) -> None:
    main = f"""prelude
import Logic
universe u v
inductive Pair (α : Sort u) (β : Sort v) : Prop where
  | mk (a : α) (b : β) : Pair α β
theorem dup {{α : Prop}} (a : α) : Pair α α := Pair.mk a a
def isSo {{α : Prop}} (_ : α) : Prop := True
theorem t : isSo ({dup(24)}) := True.intro
"""
    project = small(tmp_path / "project", {"Main": main}, ["t"])
    said = written(project)
    assert said.status == 2
    assert not (project / GOLDEN).exists()
    said = check(project, "--no-build")
    assert said.status == 2
    assert "limit-exceeded" in said.rules


def test_a_statement_too_deep_to_be_printed_is_shown_and_compared_as_it_is(
    tmp_path: Path, libraries: Path
) -> None:
    chain = "And True (" * 160 + "True" + ")" * 160
    main = f"prelude\nimport Logic\ntheorem t (h : {chain}) : {chain} := h\n"
    project = small(tmp_path / "project", {"Main": main}, ["t"])
    assert written(project).status == 0
    assert check(project, "--no-build").status == 0
    text = (project / GOLDEN).read_text(encoding="utf-8")
    assert "theorem t :\n  (Π((And True" in text
    edit(project / "Main.lean", f"(h : {chain}) : {chain}", f"(h : {chain}) : And False ({chain})")
    assert check(project).status in (1, 2)


def test_the_same_text_in_two_namespaces_is_told_apart(tmp_path: Path, libraries: Path) -> None:
    main = """prelude
import Logic
namespace A
def c : Prop := True
theorem t (h : c) : c := h
end A
namespace B
def c : Prop := And True True
theorem t (h : c) : c := h
end B
"""
    project = small(tmp_path / "project", {"Main": main}, ["A.t", "B.t"])
    assert written(project).status == 0
    text = (project / GOLDEN).read_text(encoding="utf-8")
    first, second = text.split("\n## B.t\n")
    assert "def c : Prop :=\n  True" in first
    assert "def c : Prop :=\n  True ∧ True" in second
    assert " c" not in second.partition("\n\n")[2].partition("\n\n")[0]
    edit(
        project / "Main.lean",
        "def c : Prop := And True True",
        "def c : Prop := And True (And True True)",
    )
    said = check(project)
    assert (said.status, set(said.rules)) == (1, {"golden-differs"})
    assert any("And" in line or "∧" in line for line in said.err)


def test_a_target_that_is_gone_or_new_is_told(stated: Path, tmp_path: Path) -> None:
    project = Path(shutil.copytree(stated, tmp_path / "project"))
    edit(project / "policy.toml", ', "binders"]', "]")
    said = check(project, "--no-build")
    assert (said.status, set(said.rules)) == (1, {"golden-differs"})
    assert any("binders" in line for line in said.err)
    edit(project / "policy.toml", ', "implicit"]', ', "implicit", "binders", "missing"]')
    said = check(project, "--no-build")
    assert said.status == 1
    assert "target-missing" in said.rules
    assert written(project, "--no-build").status == 2


# Without Lean: the text of the sources.


def checkout(tree: Path) -> Path:
    """A copy of what is checked here, of the files that are in version control."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=CHECKOUT, capture_output=True, check=True,
    )  # fmt: skip
    for name in listed.stdout.decode().split("\0"):
        source = CHECKOUT / name
        if name and source.is_file() and not name.startswith("tests/"):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, tree / name)
    return tree


def without_lean(tree: Path) -> Said:
    return check(tree, "--toolchain", str(tree / "no-lean"), embedded=False)


def test_without_lean_only_text_is_compared(tmp_path: Path) -> None:
    said = without_lean(checkout(tmp_path / "tree"))
    assert said.status == 2
    assert "text-only" in said.rules
    assert "only text was compared" in said.page
    assert "golden-differs" not in said.rules


MODEL = "Definitions/Def_DinhSharpness_Model.lean"


@pytest.mark.parametrize(
    ("file", "old", "new", "name"),
    [
        (
            "Challenge.lean",
            "(d h : ℕ), 0 < d",
            "(d h : ℕ), 0 ≤ d",
            "ArbitrarilySharpEquivalentMinima",
        ),
        ("Challenge.lean", "∃ α : ℝ", "∃ β : ℝ", "ArbitrarilySharpEquivalentMinima"),
        (MODEL, "0 * θ (.inr j)", "1 * θ (.inr j)", "prediction"),
        (MODEL, "fun j => α⁻¹ *", "fun j => α *", "scale"),
        (GOLDEN, "fun j => α⁻¹ *", "fun j => α *", "scale"),
    ],
)
def test_a_changed_token_is_rejected_without_lean(
    tmp_path: Path, file: str, old: str, new: str, name: str
) -> None:
    tree = checkout(tmp_path / "tree")
    text = (tree / file).read_text(encoding="utf-8")
    assert old in text
    (tree / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    said = without_lean(tree)
    assert said.status == 1
    assert "golden-differs" in said.rules
    assert name in said.message("golden-differs")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("∀ M : ℝ, 0 < M →", "∀ M : ℝ, 0 ≤ M →", ["in other words than the challenge", "0 ≤ M"]),
        ("theorem ArbitrarilySharpEq", "theorem arbitrarilySharpEq", ["in no other file"]),
    ],
)
def test_without_lean_a_proof_that_states_other_words_is_named(
    tmp_path: Path, old: str, new: str, words: list[str]
) -> None:
    tree = checkout(tmp_path / "tree")
    assert not [f for f in without_lean(tree).result["findings"] if f["rule"] == "text-differs"]
    edit(tree / "DinhSharpness" / "ArbitrarilySharp.lean", old, new)
    said = without_lean(tree)
    assert said.status == 2
    message = said.message("text-differs")
    assert all(word in message for word in words), message


def remarks(said: Said) -> list[str]:
    found = [f for f in said.result["findings"] if f["rule"] == "golden-remark"]
    assert all(f["level"] == "warning" for f in found)
    return [f["message"] for f in found]


def test_a_docstring_that_is_no_longer_what_is_quoted_is_a_warning(
    tmp_path: Path, libraries: Path
) -> None:
    project = copied("good_golden", tmp_path)
    said = check(project)
    assert (said.status, remarks(said)) == (0, [])
    before = (project / GOLDEN).read_text(encoding="utf-8")
    edit(project / "Definitions.lean", "families of `d` numbers", "families of `d` reals")
    edit(project / "Definitions.lean", "/-- The derivative exists", "/- The derivative exists")
    edit(project / "Definitions.lean", "Nothing of this stands", "None of this stands")
    said = check(project)
    assert said.status == 0
    (message,) = remarks(said)
    assert "Input, TwiceDifferentiableAt; first -The inputs: families of `d` numbers. | " in message
    assert written(project).status == 0
    after = (project / GOLDEN).read_text(encoding="utf-8")
    gone = {line for line in before.splitlines() if line not in after.splitlines()}
    assert {line[:3] for line in gone} == {"-- "}
    assert "-- The inputs: families of `d` reals.\n" in after
    assert remarks(check(project)) == []


def test_without_lean_what_was_printed_from_terms_is_kept_and_quotes_anew(tmp_path: Path) -> None:
    tree = checkout(tmp_path / "tree")
    assert remarks(without_lean(tree)) == []
    made = golden.read((tree / GOLDEN).read_text(encoding="utf-8"), "DinhSharpness")
    terms = dataclasses.replace(made, origin=golden.FROM_TERMS, hashes={"a name": "0" * 64})
    (tree / GOLDEN).write_text(golden.write(terms, "DinhSharpness"), encoding="utf-8")
    edit(tree / MODEL, "/-- The input space `ℝ^d`, with", "/-- The space `ℝ^d` of inputs, with")
    said = without_lean(tree)
    assert (said.status, "text-only" in said.rules) == (2, True)
    (message,) = remarks(said)
    assert "Input; first -The input space" in message
    arguments = ("--toolchain", str(tree / "no-lean"), "--update-golden")
    assert check(tree, *arguments, embedded=False).status == 0
    text = (tree / GOLDEN).read_text(encoding="utf-8")
    assert "-- The space `ℝ^d` of inputs, with" in text
    assert golden.read(text, "DinhSharpness").hashes == {"a name": "0" * 64}
    assert remarks(without_lean(tree)) == []
    edit(tree / MODEL, "0 * θ (.inr j)", "1 * θ (.inr j)")
    assert check(tree, *arguments, embedded=False).status == 0
    made = golden.read((tree / GOLDEN).read_text(encoding="utf-8"), "DinhSharpness")
    assert (made.origin, made.hashes) == (golden.FROM_SOURCES, {})


def test_a_comment_or_the_layout_is_no_difference_without_lean(tmp_path: Path) -> None:
    tree = checkout(tmp_path / "tree")
    edit(
        tree / "Challenge.lean",
        "  ∀ (d h : ℕ), 0 < d →",
        "  -- A comment.\n  ∀ (d h : ℕ),\n      0 < d →",
    )
    said = without_lean(tree)
    assert said.status == 2
    assert "golden-differs" not in said.rules
    assert "text-only" in said.rules


# Words beside the terms: quoted from the right declaration, and compared.

HELPERS = {
    "a definition of the same short name": "def Both.Both (a b : Prop) : Prop := And a b",
    "a definition named as a stranger's": "def Both.And (a b : Prop) : Prop := a",
    "a private theorem": "private theorem Both.symm.same {a : Prop} (h : a) : a := h",
    "a theorem that is not understood": "theorem helper : let x := True; x := True.intro",
}


@pytest.mark.parametrize("helper", HELPERS)
def test_another_declaration_gives_no_words_to_one_that_is_stated(
    project: Path, helper: str
) -> None:
    edit(project / "Definitions.lean", "def Both", "/-- Both hold. -/\ndef Both")
    assert written(project).status == 0
    main = project / "Main.lean"
    before = (project / GOLDEN).read_text(encoding="utf-8")
    main.write_text(
        f"{main.read_text(encoding='utf-8')}\n/-- Words of another one. -/\n{HELPERS[helper]}\n",
        encoding="utf-8",
    )
    if "not understood" not in helper:
        said = check(project)
        assert (said.status, remarks(said)) == (0, []), said.err
    assert written(project).status == 0
    after = (project / GOLDEN).read_text(encoding="utf-8")
    assert "-- Both hold.\ndef Both (a b : Prop)" in after
    assert "another one" not in after
    assert after == before or "not understood" in helper
    said = check(project)
    assert (said.status, remarks(said)) == (0, []), said.err
    edit(project / GOLDEN, "-- Both hold.", "-- One of them holds.")
    assert len(remarks(check(project))) == 1
    edit(project / GOLDEN, "  |   And a b", "  |   False -- so the theorem proves False")
    said = check(project)
    assert (said.status, set(said.rules)) == (1, {"golden-differs"})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  | def Both (a b", "  | def False.anything (a b"),
        ("  |   And a b", "  |   And a (b : True → Nonsense)"),
        ("  | def Both (a b", "  | @[simp] def Both (a b"),
        ("  | def Both (a b", "  | /-- Nothing. -/\n  | def Both (a b"),
        ("  | def Both (a b", "  | variable (c : False)\n  | def Both (a b"),
        ("  |   And a b", "  |   And a b -- and more"),
    ],
)
def test_the_words_of_the_sources_cannot_be_others(project: Path, old: str, new: str) -> None:
    edit(project / GOLDEN, old, new)
    said = check(project)
    assert (said.status, set(said.rules)) == (1, {"golden-differs"}), said.err


@pytest.mark.parametrize("sign", ["\r", "\u2028", "\x1b[2J", "\u202e", "\u200b", "\t"])
def test_a_quoted_line_cannot_look_like_more(project: Path, sign: str) -> None:
    edit(
        project / "Definitions.lean",
        "def Both",
        "/-- They hold. -/\ndef Both",
    )
    assert written(project).status == 0
    path = project / GOLDEN
    text = path.read_text(encoding="utf-8")
    changed = text.replace("-- They hold.", f"-- They hold.{sign}def Both (a b : Prop) : Prop :=")
    path.write_bytes(changed.encode())
    said = check(project)
    assert (said.status, said.rules) == (2, ["golden-unreadable"])
    assert "a character that cannot be seen" in said.message("golden-unreadable")


def test_a_long_docstring_is_quoted_in_part(project: Path) -> None:
    words = "word " * 100_000
    edit(project / "Definitions.lean", "def Both", f"/-- {words}-/\ndef Both")
    assert written(project).status == 0
    assert len((project / GOLDEN).read_bytes()) < 10_000
    said = check(project)
    assert (said.status, remarks(said)) == (0, [])


def test_what_has_no_header_or_body_of_its_own_is_written_too(
    tmp_path: Path, libraries: Path
) -> None:
    definitions = """prelude
import Logic
set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false
structure Pair where
  left : Prop
  right : Prop
inductive Color where
  | red
  | blue
def noarg := True
"""
    main = "prelude\nimport Definitions\n"
    main += "theorem t (p : Pair) (c : Color) (h : p.left) (k : noarg) : p.left := h\n"
    project = small(tmp_path / "project", {"Definitions": definitions, "Main": main}, ["t"])
    said = written(project)
    assert said.status == 0, said.err
    text = (project / GOLDEN).read_text(encoding="utf-8")
    assert "  | structure Pair where\n  |   left : Prop\n" in text
    assert "  | def noarg :=\n  |   True\n" in text
    said = check(project)
    assert (said.status, said.rules) == (0, []), said.err


def test_a_text_that_no_terms_show_is_not_accepted(good: Played) -> None:
    good.policy()
    path = good.project / "policy.toml"
    path.write_text(
        path.read_text(encoding="utf-8") + f'[statement]\ngolden = "{GOLDEN}"\n', encoding="utf-8"
    )
    policy = load_policy(path)
    facts = audit.parse(audit.find_answer((RECORDINGS / "good" / "audit.json").read_text("utf-8")))
    made = golden.of_terms(policy, facts)
    entry = made.sections[0].entries[-1]
    lie = dataclasses.replace(entry, text=f"theorem {entry.name} : RiemannHypothesis")
    section = dataclasses.replace(made.sections[0], entries=(*made.sections[0].entries[:-1], lie))
    false = dataclasses.replace(made, sections=(section, *made.sections[1:]))
    (good.project / GOLDEN).write_text(golden.write(false, policy.name), encoding="utf-8")
    done = good.run("check_statement.py")
    assert done.returncode == 2, done.stdout
    assert "golden-text-unseen" in done.stderr


# Without Lean: what a golden file leaves out, or has besides.


def test_without_lean_a_target_of_another_name_is_none(tmp_path: Path) -> None:
    tree = checkout(tmp_path / "tree")
    made = golden.read((tree / GOLDEN).read_text(encoding="utf-8"), "DinhSharpness")
    terms = dataclasses.replace(made, origin=golden.FROM_TERMS, hashes={"Whatever": "0" * 64})
    text = golden.write(terms, "DinhSharpness").replace(
        "\ntheorem not_bddAbove_norm_hessian_scale {",
        "\ntheorem not_bddAbove_norm_hessian_scale_for_every_network {",
    )
    (tree / GOLDEN).write_text(text, encoding="utf-8")
    said = without_lean(tree)
    assert (said.status, "golden-differs" in said.rules) == (1, True)
    arguments = ("--toolchain", str(tree / "no-lean"), "--update-golden")
    assert check(tree, *arguments, embedded=False).status == 0
    text = (tree / GOLDEN).read_text(encoding="utf-8")
    assert "for_every_network" not in text and "Whatever" not in text


def cut(text: str, start: str) -> str:
    """A text without the paragraph in which a line starts so."""
    parts = text.split("\n\n")
    left = [p for p in parts if not any(line.startswith(start) for line in p.split("\n"))]
    assert len(left) == len(parts) - 1
    return "\n\n".join(left)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: cut(t, "def parameterLoss "),
        lambda t: cut(t, "theorem not_bddAbove_norm_hessian_scale "),
        lambda t: t.replace("As above: Parameter, Input", "As above: Parameter, Prejudice, Input"),
        lambda t: t.replace("As above: Input, TwiceDifferentiableAt", "As above: Input", 1),
    ],
    ids=["definition", "theorem", "one more", "one less"],
)
def test_without_lean_what_is_left_out_is_told(
    tmp_path: Path, change: Callable[[str], str]
) -> None:
    tree = checkout(tmp_path / "tree")
    text = (tree / GOLDEN).read_text(encoding="utf-8")
    assert change(text) != text
    (tree / GOLDEN).write_text(change(text), encoding="utf-8")
    said = without_lean(tree)
    assert (said.status, "golden-differs" in said.rules) == (1, True), said.err
