"""Which files are the project's, which modules Lake's targets reach, and what is out of reach."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.sources.project import (
    LakefileError,
    Source,
    Sources,
    Target,
    missing,
    module_path,
    not_built,
    own_modules,
    reach,
    read_sources,
    read_targets,
)
from projects_for_tests import CHECKOUT, Played


def sources(**files: str) -> Sources:
    return Sources(tuple(Source(f"{path}.lean", text) for path, text in files.items()))


def test_our_own_tree() -> None:
    found = read_sources(CHECKOUT, ("tests/projects", "tests/recordings"))
    assert found.findings == ()
    reached = reach(read_targets(CHECKOUT), found)
    assert list(not_built(reached, found)) == []
    assert reached.findings == ()
    assert set(reached.targets) == {
        "Definitions", "DinhSharpness", "Challenge", "LeanTests", "audit",
    }  # fmt: skip
    # Nothing that the proof imports is the challenge, and definitions import no proof.
    assert "Challenge.lean" not in reached.targets["DinhSharpness"]
    assert reached.targets["Definitions"] == {"Definitions/Def_DinhSharpness_Model.lean"}
    assert "Mathlib" not in reached.foreign
    assert {m.partition(".")[0] for m in reached.foreign} == {"Lake", "Lean", "Mathlib"} - {"Lake"}


def lakefile(folder: Path, text: str, name: str = "lakefile.lean") -> tuple[Target, ...]:
    (folder / name).write_text(text, encoding="utf-8")
    return read_targets(folder)


def test_lakefile_forms(tmp_path: Path) -> None:
    targets = lakefile(
        tmp_path,
        """import Lake
open Lake DSL
package «my proj» where
  srcDir := "src"
  leanOptions := #[⟨`autoImplicit, false⟩]
/-- doc -/
@[default_target] lean_lib A
lean_lib B where
  roots := #[`B.One, `B.Two]
lean_lib C where
  globs := #[.submodules `C, .andSubmodules `D, `E.+, `F.*, .one `G]
  srcDir := "./sub/"
@[test_driver]
lean_exe tool where
  root := `Main
lean_exe other
""",
    )
    assert targets == (
        Target("A", "library", ("A",), "src"),
        Target("B", "library", ("B.One", "B.Two"), "src"),
        Target("C", "library", ("C.+", "D.*", "E.+", "F.*", "G"), "src/sub"),
        Target("tool", "executable", ("Main",), "src"),
        Target("other", "executable", ("other",), "src"),
    )


def test_lakefile_toml(tmp_path: Path) -> None:
    targets = lakefile(
        tmp_path,
        'name = "x"\n[[lean_lib]]\nname = "A"\n[[lean_lib]]\nname = "B"\nglobs = ["B.+"]\n'
        'srcDir = "s"\n[[lean_exe]]\nname = "e"\nroot = "Main"\n',
        "lakefile.toml",
    )
    assert targets == (
        Target("A", "library", ("A",)),
        Target("B", "library", ("B.+",), "s"),
        Target("e", "executable", ("Main",)),
    )


@pytest.mark.parametrize(
    "text",
    [
        "lean_lib A where\n  roots := moduleNames\n",
        'lean_lib A where\n  srcDir := "a" ++ "b"\n',
        "lean_lib A where\n  globs := #[.submodules root]\n",
        "lean_lib A -- \x00\n/- never closed",
        "lean_lib",
        "lean_lib \x1b[2K",
        "lean_exe e where\n  root :=\n",
        "lean_exe e where\n  root := `A `B\n",
        "lean_exe e where\n  root :=\n",
        "lean_exe audit\n\nlean_exe audit where\n  root := `Other\n",
        "lean_exe audit\nlean_exe «audit» where\n  root := `Other\n",
        "lean_lib audit\ntarget audit : Unit := pure ()\n",
        "meta if true then\nlean_lib A\n",
        "lean_lib A\n  meta if true then lean_lib B\n",
        'macro "lean_lib " x:ident : command => `(lean_lib B)\nlean_lib A\n',
        "lean_lib A\n  macro_rules | `(lean_lib $x) => `(lean_lib B)\n",
        'syntax "x" : command\n',
        'notation "A" => B\n',
        'elab "x" : command => pure ()\n',
        "run_cmd pure ()\n",
        "def x := by run_tac pure ()\n",
        "def x := run_io do pure 1\n",
        "#eval 1\n",
        "initialize x : Unit ← pure ()\n",
        "instance : Coe String Glob := ⟨fun _ => .one `B⟩\n",
        "attribute [lean_lib] x\n",
        "@[lean_lib] def x : LeanLibConfig := {}\n",
        "@[default_target, macro Lake.DSL.leanLibCommand] def x := y\n",
        "module_facet olean mod : Unit := pure ()\n",
        "import Evil\nlean_lib A\n",
        "unknown_command A\n",
        "def submodules (n : Lean.Name) : Glob := .one `B\nlean_lib A where\n"
        "  globs := #[submodules `A]\n",
        'lean_lib A where\n  srcDir := "a"\n  srcDir := "b"\n',
        "lean_lib A := { roots := #[`B] }\n",
        "lean_lib A { base with roots := #[`B] }\n",
        'lean_lib A where\n  leanOptions := let srcDir := "a"; #[]\n',
    ],
)
def test_what_is_computed_cannot_be_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(LakefileError):
        lakefile(tmp_path, text)


def test_two_targets_of_one_name_in_toml(tmp_path: Path) -> None:
    for kind in ("lean_exe", "lean_lib"):
        text = f'[[lean_exe]]\nname = "audit"\n[[{kind}]]\nname = "audit"\n'
        with pytest.raises(LakefileError, match="two targets of the name audit"):
            lakefile(tmp_path, text, "lakefile.toml")


def test_what_stands_inside_of_a_value_is_no_field(tmp_path: Path) -> None:
    text = """import Lake
open Lake DSL System
abbrev options : Array LeanOption := #[⟨`pp.all, true⟩]
private def one (x : Nat := 1) : Nat := open Nat in x
/-- Says so. -/
script hello (args) do
  IO.println s!"Hello {args}"
  return 0
target data : Unit := do
  return .pure ()
@[default_target, test_driver]
lean_lib A { roots := #[`B], leanOptions := f (srcDir := "a") }
"""
    assert lakefile(tmp_path, text) == (Target("A", "library", ("B",)),)


def test_two_files_that_could_be_one_module() -> None:
    files = sources(**{"a/Main": "import Defs\n", "a/Defs": "", "b/Defs": ""})
    main = Target("Main", "library", ("Main",), "a")
    reached = reach((main, Target("Defs", "library", ("Defs",), "b")), files)
    assert [(f.rule, f.file) for f in reached.findings] == [("lakefile-unreadable", "a/Defs.lean")]
    assert "b/Defs.lean" in reached.findings[0].message
    one = sources(**{"a/Main": "import Defs\n", "b/Defs": ""})
    reached = reach((main, Target("Defs", "library", ("Defs",), "b")), one)
    assert reached.findings == ()
    assert reached.targets["Main"] == {"a/Main.lean", "b/Defs.lean"}


def test_lake_reads_the_root_of_an_executable_and_nothing_else(tmp_path: Path) -> None:
    text = '[[lean_exe]]\nname = "audit"\nroot = "Other"\nroots = ["Audit"]\nglobs = ["Audit"]\n'
    assert lakefile(tmp_path, text, "lakefile.toml") == (Target("audit", "executable", ("Other",)),)


@pytest.mark.parametrize("value", ["1", "[]", "{ a = 1 }", "0x" + "f" * 5000])
def test_a_source_folder_that_is_no_text(tmp_path: Path, value: str) -> None:
    for text in (f"srcDir = {value}\n", f'[[lean_lib]]\nname = "A"\nsrcDir = {value}\n'):
        with pytest.raises(LakefileError):
            lakefile(tmp_path, text, "lakefile.toml")


def test_no_lakefile(tmp_path: Path) -> None:
    with pytest.raises(LakefileError, match=r"no lakefile\.lean"):
        read_targets(tmp_path)


def test_reach_follows_imports_and_globs() -> None:
    files = sources(
        A="module\npublic import A.B\nimport all A.C\nimport Other.X\n",
        **{
            "A/B": "",
            "A/C": "prelude\nimport A.D -- comment\n",
            "A/D": "/- import A.E -/ theorem x : 1 = 1 := rfl",
            "A/E": "",
            "G/One": "",
            "G/Two/Three": "",
            "s/H": "import G.One\n",
        },
    )
    reached = reach(
        (
            Target("A", "library", ("A",)),
            Target("G", "library", ("G.+",)),
            Target("H", "library", ("H",), "s"),
        ),
        files,
    )
    assert reached.targets["A"] == {"A.lean", "A/B.lean", "A/C.lean", "A/D.lean"}
    assert reached.targets["G"] == {"G/One.lean", "G/Two/Three.lean"}
    assert reached.targets["H"] == {"s/H.lean", "G/One.lean"}
    assert reached.foreign == {"Other.X": "A.lean"}
    assert [f.file for f in not_built(reached, files)] == ["A/E.lean"]


def test_import_cycles_end() -> None:
    files = sources(A="import B\n", B="import A\n")
    assert reach((Target("A", "library", ("A",)),), files).files == {"A.lean", "B.lean"}


def test_names_of_modules_with_guillemets() -> None:
    assert module_path("s", "A.«b-c»") == "s/A/b-c.lean"


def test_files_that_are_not_the_projects(tmp_path: Path) -> None:
    for path in (
        "A.lean", "sub/B.lean", ".lake/packages/d/D.lean", "build/x/E.lean", "sub/build/F.lean",
        "tests/projects/c/G.lean", ".hidden/H.lean", "not_lean.txt",
    ):  # fmt: skip
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("", encoding="utf-8")
    found = read_sources(tmp_path, ("tests/projects",))
    assert [s.path for s in found.files] == ["A.lean", "sub/B.lean", "sub/build/F.lean"]


def test_links_are_followed_inside_the_project_and_once(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "X.lean").write_text("", encoding="utf-8")
    project = tmp_path / "project"
    (project / "sub").mkdir(parents=True)
    (project / "sub" / "Y.lean").write_text("", encoding="utf-8")
    (project / "Linked").symlink_to(project / "sub")
    (project / "loop").symlink_to(project)
    (project / "Out").symlink_to(outside)
    (project / "root").symlink_to("/")
    found = read_sources(project, ())
    assert [s.path for s in found.files] == ["Linked/Y.lean"]


def test_pipes_and_devices_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "A.lean")
    (tmp_path / "B.lean").symlink_to("/dev/zero")
    found = read_sources(tmp_path, ())
    assert found.files == ()
    assert [(f.rule, f.file) for f in found.findings] == [
        ("source-unreadable", "A.lean"),
        ("source-unreadable", "B.lean"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        'lean_lib A where\n  srcDir := "../outside"\n',
        'lean_lib A where\n  srcDir := ".hidden"\n',
        'lean_lib A where\n  srcDir := "build/src"\n',
        'lean_lib A where\n  srcDir := "/tmp"\n',
    ],
)
def test_source_folders_in_which_nothing_is_read(tmp_path: Path, text: str) -> None:
    with pytest.raises(LakefileError, match="no sources are read"):
        lakefile(tmp_path, text)


def test_modules_that_would_be_ours_and_are_not_there() -> None:
    files = sources(A="import A.Gone\nimport Mathlib.X\nimport Defs\n")
    reached = reach((Target("A", "library", ("A",)), Target("N", "library", ("Nope",))), files)
    found = [f.message for f in missing(reached, ("A", "Defs"))]
    assert len(found) == 3
    assert "A.Gone is imported" in found[0]
    assert "Defs is imported" in found[1]
    assert "builds Nope (N)" in found[2]


def test_modules_that_the_roots_import_are_our_own() -> None:
    files = sources(A="import B\nimport Other\n", B="import «C d»\n", **{"C d": "", "E": ""})
    targets = (Target("A", "library", ("A",)),)
    assert own_modules(["A"], targets, files) == {"A", "B", "«C d»"}


def test_the_audit_has_to_be_the_harnesss_own(good: Played) -> None:
    program = good.project / "scripts" / "lean" / "Audit.lean"
    program.write_text(program.read_text(encoding="utf-8") + "\n-- a comment\n", "utf-8")
    assert good.run("check_axioms.py").returncode == 0
    program.write_text('def main : IO Unit := IO.println "{}"\n', encoding="utf-8")
    done = good.run("check_axioms.py")
    assert done.returncode == 2
    assert "audit-replaced" in done.stderr


@pytest.mark.parametrize("raw", [b"\xff\xfe\x00", "theorem é".encode("latin-1")])
def test_a_source_that_is_not_utf_8(good: Played, raw: bytes) -> None:
    (good.project / "Defs.lean").write_bytes(raw)
    done = good.run("check_sorry.py", "--source-only")
    assert done.returncode == 2
    assert "Defs.lean: source-unreadable: is not UTF-8 text" in done.stderr


def test_a_source_that_cannot_be_lexed(good: Played) -> None:
    (good.project / "Defs.lean").write_text("/- never closed\nsorry", encoding="utf-8")
    done = good.run("check_sorry.py", "--source-only")
    assert done.returncode == 2
    assert "Defs.lean:1:0: source-unreadable" in done.stderr


def test_crlf_sources(good: Played) -> None:
    path = good.project / "Defs.lean"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert good.run("check_sorry.py", "--source-only").returncode == 0
    path.write_bytes(path.read_bytes() + b"\r\ntheorem x : 1 = 2 :=\r\n  sorry\r\n")
    done = good.run("check_sorry.py", "--source-only")
    assert done.returncode == 1
    last = path.read_bytes().count(b"\n")
    assert f"Defs.lean:{last}:2: sorry-in-source" in done.stderr
