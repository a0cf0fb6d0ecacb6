"""Policies are read strictly."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.policy import PolicyError, find_policy, load_policy
from projects_for_tests import AXIOMS, CHECKOUT, policy_text, run_script

OURS = CHECKOUT / "scripts" / "policy.toml"


def load(tmp_path: Path, text: str | bytes) -> None:
    path = tmp_path / "policy.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    load_policy(path)


def test_our_policy() -> None:
    policy = load_policy(OURS)
    assert policy.challenge_targets == ("DinhSharpness.ArbitrarilySharpEquivalentMinima",)
    assert policy.challenge_targets[0] in policy.targets
    assert {a.name: (list(a.levels), a.type) for a in policy.axioms} == AXIOMS
    assert policy.lean_version == "4.30.0"
    assert dict(policy.sorry_allowed or {}) == {"Challenge.lean": 1}


def test_our_targets_are_theorems_of_our_sources() -> None:
    text = "".join(p.read_text("utf-8") for p in (CHECKOUT / "DinhSharpness").glob("*.lean"))
    for target in load_policy(OURS).targets:
        namespace, _, name = target.partition(".")
        assert namespace == "DinhSharpness"
        assert f"theorem {name}" in text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("schema = 1", "schema = 2", "schema is 2"),
        ("schema = 1", "", "schema is missing"),
        ("schema = 1", "schema = true", "whole number"),
        ("[targets]", "[targets]\ntargetz = []", "unknown key in [targets]: targetz"),
        ("[project]", "surprise = 1\n[project]", "unknown key: surprise"),
        ('theorems = ["Demo.main"]', "theorems = []", "nothing to check"),
        ('theorems = ["Demo.main"]', 'theorems = "Demo.main"', "array of names"),
        ('theorems = ["Demo.main"]', 'theorems = ["Demo main"]', "no name as Lean writes it"),
        ('theorems = ["Demo.main"]', 'theorems = ["Demo.\\nmain"]', "one line"),
        ('theorems = ["Demo.main"]', 'theorems = ["Demo.main", "Demo.main"]', "twice"),
        ('challenge = ["Demo.main"]', 'challenge = ["Demo.x"]', "which is no target"),
        ('challenge-modules = ["Challenge"]', "", "needs targets.challenge-modules"),
        ('modules = ["Solution"]', "modules = []", "nothing to import"),
        ('name = "propext"', 'name = "sorryAx"', "no axiom that a policy can allow"),
        ('name = "propext"', 'name = "Quot.sound"', "axioms names Quot.sound twice"),
        ('"Challenge.lean" = 1', '"Challenge.lean" = 0', "number of its holes"),
        ('"Challenge.lean" = 1', '"../C.lean" = 1', "folders are named from the project"),
        ("[limits]", "[limits]\nbuild = -1", "above 0"),
        ("[limits]", '[statement]\nwitness = "Demo.main"\n[limits]', "would have to meet"),
        ("[limits]", "[limits]\nbuild = inf", "above 0"),
        ("[limits]", "[limits]\nbuilds = 1", "unknown key in [limits]: builds"),
        ("[project]", "[project", "is not TOML"),
        ("schema = 1", f"schema = 1{'0' * 5000}", "is not TOML"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_refused(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    text = policy_text()
    assert old in text
    with pytest.raises(PolicyError) as caught:
        load(tmp_path, text.replace(old, new, 1))
    assert message in str(caught.value)
    assert "policy.toml" in str(caught.value)


def test_the_unchanged_text_is_understood(tmp_path: Path) -> None:
    load(tmp_path, policy_text())
    load(tmp_path, policy_text().replace("\n", "\r\n"))
    load(tmp_path, b"\xef\xbb\xbf" + policy_text().encode())


@pytest.mark.parametrize("raw", [b"\xff\xfe", b"schema = 1\n# \xe9\n"])
def test_other_encodings_are_refused(tmp_path: Path, raw: bytes) -> None:
    with pytest.raises(PolicyError, match="not UTF-8"):
        load(tmp_path, raw)


def test_a_project_without_policy(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="--policy FILE"):
        find_policy(tmp_path, None)
    done = run_script("check_axioms.py", "--project", str(tmp_path))
    assert done.returncode == 2
    assert "there is no policy" in done.stderr


@pytest.mark.parametrize("script", ["check_axioms.py", "check_sorry.py", "build.py", "verify.py"])
def test_bad_usage_is_2(script: str, tmp_path: Path) -> None:
    assert run_script(script, "--no-such-option").returncode == 2
    assert run_script(script, "--project", str(tmp_path / "nowhere")).returncode == 2
    (tmp_path / "file").touch()
    where = str(tmp_path / "file" / "result.json")
    assert run_script(script, "--json", where).returncode == 2


@given(st.text())
def test_any_text_is_refused_without_a_fault(text: str) -> None:
    path = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path("/tmp")
    file = path / "policy-of-a-test.toml"
    file.write_bytes(text.encode("utf-8", "replace"))
    try:
        with pytest.raises(PolicyError):
            load_policy(file)
    finally:
        file.unlink()
