"""Versions as every place writes them, in all the forms that lakefiles and manifests have."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.policy import load_policy
from harness.sources.lexer import LexError
from harness.sources.pins import check, read_head
from harness.sources.project import LakefileError, read_targets
from harness.sources.scan import scan_lakefile_toml
from projects_for_tests import CHECKOUT, policy_text

A, B = "a" * 40, "b" * 40
POLICY = load_policy(CHECKOUT / "scripts" / "policy.toml")


def findings(
    folder: Path, lakefile: str, *, rev: str = A, asked: str = A, name: str = "lakefile.lean"
) -> list[str]:
    """Rules of what a small project's pins come to."""
    (folder / name).write_text(lakefile, encoding="utf-8")
    (folder / "lean-toolchain").write_text("leanprover/lean4:v4.27.0\n", encoding="utf-8")
    package = {"name": "mathlib", "type": "git", "rev": rev, "inputRev": asked}
    (folder / "lake-manifest.json").write_text(json.dumps({"packages": [package]}), "utf-8")
    (folder / "policy.toml").write_text(policy_text(packages=["mathlib"], version=None), "utf-8")
    return [f.rule for f in check(folder, load_policy(folder / "policy.toml"))[0]]


def test_our_own_pins_agree() -> None:
    found, absent = check(CHECKOUT, POLICY)
    assert found == []
    assert all(place.startswith(".lake/") for place in absent)


@pytest.mark.parametrize(
    "lakefile",
    [
        f'require mathlib from git "https://x/mathlib4" @ "{A}"\n',
        f'require mathlib from git\n  "https://x/mathlib4.git" @ "{A}"\n@[default_target]\n'
        "lean_lib Demo\n",
        f'require "leanprover-community" / "mathlib" @ git "{A}"\n',
        f'require "leanprover-community" / mathlib @ git "{A}"\n',
        f'require «mathlib» from git "https://x" @ "{A}" / "sub"\n',
        f'-- require mathlib from git "x" @ "{B}"\nrequire mathlib from git "x" @ "{A}"\n',
        f'/- require mathlib from git "x" @ "{B}" -/ require mathlib from git "x" @ "{A}"\n',
    ],
)
def test_every_form_of_require(tmp_path: Path, lakefile: str) -> None:
    assert findings(tmp_path, lakefile) == []
    assert findings(tmp_path, lakefile, rev=B, asked=B) == ["pin-mismatch"]


def test_lakefile_toml(tmp_path: Path) -> None:
    text = f'name = "x"\n[[require]]\nname = "mathlib"\nscope = "c"\nrev = "{A}"\n'
    assert findings(tmp_path, text, name="lakefile.toml") == []
    assert findings(tmp_path, text, rev=B, asked=B, name="lakefile.toml") == ["pin-mismatch"]


def test_where_both_lakefiles_are_there_lake_uses_the_lean_one(tmp_path: Path) -> None:
    (tmp_path / "lakefile.toml").write_text(
        f'[[require]]\nname = "mathlib"\nrev = "{B}"\n', encoding="utf-8"
    )
    assert findings(tmp_path, f'require mathlib from git "x" @ "{A}"\n') == []


@pytest.mark.parametrize(
    "lakefile",
    [
        'require mathlib from git "x" @ revision\n',
        "require mathlib from path\n",
        "lean_lib Demo\n",
        'require other from git "x" @ "' + A + '"\n',
        'require mathlib from git "x\n',
    ],
)
def test_what_cannot_be_read_is_could_not_run(tmp_path: Path, lakefile: str) -> None:
    assert findings(tmp_path, lakefile) == ["pin-unreadable"]


@pytest.mark.parametrize("lakefile", ['require mathlib from git "x"\n',
                                      'require mathlib from git "x" @ "v4.30.0"\n'])  # fmt: skip
def test_no_commit_is_no_pin(tmp_path: Path, lakefile: str) -> None:
    assert "pin-not-exact" in findings(tmp_path, lakefile)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"packages": [1]}', '{"packages": [{"name": "x"}]}', "{", "[" * 10**5]
)
def test_broken_manifest(tmp_path: Path, text: str) -> None:
    findings(tmp_path, f'require mathlib from git "x" @ "{A}"\n')
    (tmp_path / "lake-manifest.json").write_text(text, encoding="utf-8")
    found, _ = check(tmp_path, load_policy(tmp_path / "policy.toml"))
    assert [f.rule for f in found] == ["pin-unreadable"]


def test_missing_manifest(tmp_path: Path) -> None:
    findings(tmp_path, f'require mathlib from git "x" @ "{A}"\n')
    (tmp_path / "lake-manifest.json").unlink()
    found, absent = check(tmp_path, load_policy(tmp_path / "policy.toml"))
    assert [f.rule for f in found] == ["pin-unreadable"]
    assert "lake-manifest.json" in absent


def test_revision_that_is_checked_out(tmp_path: Path) -> None:
    git = tmp_path / ".git"
    git.mkdir()
    assert read_head(tmp_path) is None
    (git / "HEAD").write_text(f"{A}\n", encoding="utf-8")
    assert read_head(tmp_path) == A
    (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    assert read_head(tmp_path) is None
    (git / "packed-refs").write_text(f"# pack-refs\n{B} refs/heads/main\n", encoding="utf-8")
    assert read_head(tmp_path) == B
    (git / "refs/heads").mkdir(parents=True)
    (git / "refs/heads/main").write_text(f"{A}\n", encoding="utf-8")
    assert read_head(tmp_path) == A
    # git reads capitals too, and follows refs to refs.
    (git / "HEAD").write_text(f"{A.upper()}\n", encoding="utf-8")
    assert read_head(tmp_path) == A
    (git / "refs/heads/other").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (git / "HEAD").write_text("ref: refs/heads/other\n", encoding="utf-8")
    assert read_head(tmp_path) == A
    (git / "refs/heads/round").write_text("ref: refs/heads/round\n", encoding="utf-8")
    for bad in (
        "ref: refs/heads/round",
        "ref: ../../outside",
        "ref: /etc/passwd",
        "ref: refs/heads",
        "\0",
    ):
        (git / "HEAD").write_text(bad, encoding="utf-8")
        assert read_head(tmp_path) is None, bad


@pytest.mark.parametrize(
    "clause",
    [
        f'from git "x" @ ("{A}" ++ "x")',
        f'from git "x" @ "{A}" ++ "x"',
        f'from git "x" @ "{A}".replace "a" "b"',
        f'from git "x" @ (f (fallback := "{A}"))',
        f'from git (f "x") @ "{A}"',
        f'from git "x" @ r"{A}"',
        f'from git "x" @ s!"{A}"',
        f'@ git "{A}" from git "x" @ "{A}"',
        f'from git "x" @ "{A}" / "../evil"',
        f'from git "x" @ "{A}" / ("a" ++ "b")',
        f'from git "x" @ "{A}"\n  macro_rules | `(require $x) => `(lean_lib B)',
        f'from git "x" @ "{A}"\nmeta if true then lean_lib B',
        f'from git "x" @ "{A}"\n#eval 1',
    ],
)
def test_a_revision_that_is_more_than_a_string(tmp_path: Path, clause: str) -> None:
    assert findings(tmp_path, f"require mathlib {clause}\n") == ["pin-unreadable"]


def test_the_options_of_a_package_are_no_part_of_its_revision(tmp_path: Path) -> None:
    options = 'NameMap.empty.insert `key "value"'
    text = f'require mathlib from git "x" @ "{A}" / "sub" with {options}\nlean_lib X\n'
    assert findings(tmp_path, text) == []


def manifest_rules(folder: Path, *others: dict[str, object], **more: object) -> list[str]:
    """Rules of what a manifest comes to with more in the entry of Mathlib, and other packages."""
    findings(folder, f'require mathlib from git "x" @ "{A}"\n')
    packages = [{"name": "mathlib", "type": "git", "rev": A, **more}, *others]
    (folder / "lake-manifest.json").write_text(json.dumps({"packages": packages}), "utf-8")
    found, _ = check(folder, load_policy(folder / "policy.toml"))
    return [f.rule for f in found]


@pytest.mark.parametrize(
    ("key", "value", "rules"),
    [
        ("configFile", "lakefile.toml", []),
        ("configFile", "../../../evil.lean", ["pin-not-exact"]),
        ("configFile", "/evil/lakefile.lean", ["pin-not-exact"]),
        ("configFile", "sub/lakefile.lean", ["pin-not-exact"]),
        ("configFile", "evil.lean", ["pin-not-exact"]),
        ("configFile", 1, ["pin-unreadable"]),
        ("subDir", None, []),
        ("subDir", "lean/sub", []),
        ("subDir", "../../../evil", ["pin-not-exact"]),
        ("subDir", "a/../../evil", ["pin-not-exact"]),
        ("subDir", "/evil", ["pin-not-exact"]),
        ("subDir", "C:\\evil", ["pin-not-exact"]),
        ("subDir", [], ["pin-unreadable"]),
    ],
)
def test_a_package_is_what_its_commit_has(
    tmp_path: Path, key: str, value: object, rules: list[str]
) -> None:
    assert manifest_rules(tmp_path, **{key: value}) == rules


def test_a_folder_of_a_package_that_is_a_link(tmp_path: Path) -> None:
    package = tmp_path / ".lake" / "packages" / "mathlib"
    (package / ".git").mkdir(parents=True)
    (package / ".git" / "HEAD").write_text(A, encoding="utf-8")
    (tmp_path / "evil" / "sub").mkdir(parents=True)
    (package / "real" / "sub").mkdir(parents=True)
    (package / "link").symlink_to(tmp_path / "evil")
    assert manifest_rules(tmp_path, subDir="real/sub") == []
    assert manifest_rules(tmp_path, subDir="link/sub") == ["pin-not-exact"]


@pytest.mark.parametrize(
    ("names", "rules"),
    [
        (["«doc-gen4»"], []),
        (["Cli", "aesop"], []),
        (["«other»"], ["pin-unreadable"]),
        (["other", "«other»"], ["pin-unreadable"]),
        (["doc-gen4", "«doc-gen4»"], ["pin-unreadable"]),
        (["Mathlib"], ["pin-unreadable"]),
        (["«../evil»"], ["pin-unreadable"]),
        (["a.«b»"], ["pin-unreadable"]),
    ],
)
def test_names_of_packages_are_names_of_folders(
    tmp_path: Path, names: list[str], rules: list[str]
) -> None:
    others: list[dict[str, object]] = [{"name": n, "type": "git", "rev": B} for n in names]
    assert manifest_rules(tmp_path, *others) == rules


def test_no_toolchain_file_is_no_pin(tmp_path: Path) -> None:
    findings(tmp_path, f'require mathlib from git "x" @ "{A}"\n')
    (tmp_path / "lean-toolchain").unlink()
    found, _ = check(tmp_path, load_policy(tmp_path / "policy.toml"))
    assert [f.rule for f in found] == ["pin-unreadable"]


@pytest.mark.parametrize("pin", ["evil/lean4:v4.27.0", "file:///x:v4.27.0", "v4.27.0", "stable"])
def test_toolchain_of_another_origin(tmp_path: Path, pin: str) -> None:
    findings(tmp_path, f'require mathlib from git "x" @ "{A}"\n')
    (tmp_path / "lean-toolchain").write_text(pin + "\n", encoding="utf-8")
    found, _ = check(tmp_path, load_policy(tmp_path / "policy.toml"))
    assert [f.rule for f in found] == ["pin-not-exact"]


@pytest.mark.parametrize(
    ("packages", "rule"),
    [
        ([{"name": "mathlib", "type": "path", "dir": "./evil"}], "pin-not-exact"),
        ([{"name": "mathlib", "type": "git", "rev": B}], "pin-mismatch"),
        ([{"name": "mathlib", "type": "git", "rev": B, "inputRev": None}], "pin-mismatch"),
        ([{"name": "mathlib", "type": "git", "rev": A}] * 2, "pin-unreadable"),
        ([{"name": "../mathlib", "type": "git", "rev": A}], "pin-unreadable"),
        ([{"name": "m\0", "type": "git", "rev": A}], "pin-unreadable"),
    ],
)
def test_ways_around_the_manifest(
    tmp_path: Path, packages: list[dict[str, object]], rule: str
) -> None:
    findings(tmp_path, f'require mathlib from git "x" @ "{A}"\n')
    (tmp_path / "lake-manifest.json").write_text(json.dumps({"packages": packages}), "utf-8")
    found, _ = check(tmp_path, load_policy(tmp_path / "policy.toml"))
    assert rule in [f.rule for f in found]


def test_a_manifest_with_two_lists_of_packages(tmp_path: Path) -> None:
    findings(tmp_path, f'require mathlib from git "x" @ "{A}"\n')
    one = json.dumps([{"name": "mathlib", "type": "git", "rev": A}])
    text = f'{{"packages": [], "packages": {one}}}'
    (tmp_path / "lake-manifest.json").write_text(text, encoding="utf-8")
    found, _ = check(tmp_path, load_policy(tmp_path / "policy.toml"))
    assert [f.rule for f in found] == ["pin-unreadable"]


def test_an_overrides_file_of_lake(tmp_path: Path) -> None:
    assert findings(tmp_path, f'require mathlib from git "x" @ "{A}"\n') == []
    (tmp_path / ".lake").mkdir()
    (tmp_path / ".lake" / "package-overrides.json").write_text("{}", encoding="utf-8")
    assert findings(tmp_path, f'require mathlib from git "x" @ "{A}"\n') == ["pin-not-exact"]


@pytest.mark.parametrize("name", ["lean-toolchain", "lakefile.lean", "lake-manifest.json"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path, name: str) -> None:
    findings(tmp_path, f'require mathlib from git "x" @ "{A}"\n')
    (tmp_path / name).unlink()
    os.mkfifo(tmp_path / name)
    found, _ = check(tmp_path, load_policy(tmp_path / "policy.toml"))
    assert "pin-unreadable" in [f.rule for f in found]


PIN_FILES = ("lean-toolchain", "lakefile.lean", "lake-manifest.json")


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(PIN_FILES), st.integers(0), st.integers(0, 40), st.binary(max_size=8))
def test_changed_bytes_are_read_without_a_fault(
    tmp_path: Path, name: str, position: int, removed: int, inserted: bytes
) -> None:
    for file in PIN_FILES:
        shutil.copy(CHECKOUT / file, tmp_path / file)
    raw = (tmp_path / name).read_bytes()
    position %= len(raw)
    (tmp_path / name).write_bytes(raw[:position] + inserted + raw[position + removed :])
    check(tmp_path, replace(POLICY, path=tmp_path / "policy.toml"))


@pytest.mark.parametrize(
    "text",
    [
        f'require mathlib from git "x" @ "{A}"\nrequire mathlib from git "x" @ "{"b" * 40}"\n',
        f'require mathlib from git "x" @ "{A}"\nrequire mathlib from git "x" @ "{A}"\n',
    ],
)
def test_a_package_that_is_required_twice(tmp_path: Path, text: str) -> None:
    assert "pin-unreadable" in findings(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("leanprover/lean4:v4.30.0", []),
        ("leanprover/lean4:4.30.0\r\n", []),
        ("leanprover/lean4:v4.30.0leanprover/lean4:v4.30.0", ["pin-not-exact"]),
        ("leanprover/lean4:x:v4.30.0", ["pin-not-exact"]),
        ("leanprover/lean4:v4.30.0:v4.30.0", ["pin-not-exact"]),
    ],
)
def test_a_toolchain_that_only_ends_like_a_release(
    tmp_path: Path, text: str, rules: list[str]
) -> None:
    for file in PIN_FILES:
        shutil.copy(CHECKOUT / file, tmp_path / file)
    (tmp_path / "lean-toolchain").write_bytes(text.encode())
    found, _ = check(tmp_path, replace(POLICY, path=tmp_path / "policy.toml"))
    assert [f.rule for f in found] == rules


@pytest.mark.parametrize("text", ["x = 1" + "0" * 5000, "srcDir = 0x" + "f" * 5000, "a = [" * 5000])
def test_a_lakefile_with_numbers_or_nesting_beyond_bounds(tmp_path: Path, text: str) -> None:
    for file in ("lean-toolchain", "lake-manifest.json"):
        shutil.copy(CHECKOUT / file, tmp_path / file)
    (tmp_path / "lakefile.toml").write_text(text + "\n", encoding="utf-8")
    found, _ = check(tmp_path, replace(POLICY, path=tmp_path / "policy.toml"))
    assert [f.rule for f in found] == ["pin-unreadable"]
    assert "lakefile.toml" in found[0].message
    with pytest.raises(LakefileError):
        read_targets(tmp_path)
    if not text.startswith("srcDir"):
        with pytest.raises(LexError):
            scan_lakefile_toml(text)
