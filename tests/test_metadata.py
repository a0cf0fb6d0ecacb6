"""The files for other people's programs say what the policy, the pins and the sources say."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from harness.policy import Policy, load_policy
from projects_for_tests import CHECKOUT, SCRIPTS

AXIOMS = ["propext", "Classical.choice", "Quot.sound"]


def text(name: str) -> str:
    return (CHECKOUT / name).read_text(encoding="utf-8")


def flat(name: str) -> str:
    return " ".join(text(name).split())


def yaml(name: str) -> dict[str, Any]:
    read = YAML(typ="safe").load(CHECKOUT / name)
    assert isinstance(read, dict)
    return read


@pytest.fixture(scope="module")
def policy() -> Policy:
    return load_policy(SCRIPTS / "policy.toml")


@pytest.fixture(scope="module")
def formalization() -> dict[str, Any]:
    return yaml("formalization.yaml")


def mathlib() -> str:
    packages = json.loads(text("lake-manifest.json"))["packages"]
    (commit,) = [p["rev"] for p in packages if p["name"] == "mathlib"]
    assert isinstance(commit, str)
    return commit


# CITATION.cff


def test_citation_is_of_the_schema(tmp_path: Path) -> None:
    def check(file: Path) -> int:
        return subprocess.run(
            [Path(sys.executable).parent / "check-jsonschema", "--builtin-schema",
             "vendor.citation-file-format", "--force-filetype", "yaml", file],
            capture_output=True, timeout=120, check=False,
        ).returncode  # fmt: skip

    assert check(CHECKOUT / "CITATION.cff") == 0
    worse = tmp_path / "CITATION.cff"
    worse.write_text(text("CITATION.cff").replace("type: software", "type: proof"), "utf-8")
    assert check(worse) == 1


def test_citation_says_what_the_readme_says() -> None:
    citation = yaml("CITATION.cff")
    bibtex = dict(re.findall(r"^ *(@?\w+) *= *\{+(.*?)\}+,?$", text("README.md"), re.MULTILINE))
    # The second entry is this repository's.
    assert citation["title"] == bibtex["title"]
    assert [author["name"] for author in citation["authors"]] == [bibtex["author"]]
    assert (
        citation["message"]
        == "If you use this work, cite the paper, and this repository for the formalization."
    )
    assert citation["message"].removesuffix(".") in flat("README.md")
    (paper,) = citation["references"]
    assert f"title = {{{paper['title']}}}" in re.sub(r" +", " ", text("README.md"))
    people = " and ".join(f"{a['family-names']}, {a['given-names']}" for a in paper["authors"])
    assert people in text("README.md")
    assert paper["identifiers"][0]["value"] == bibtex["note"]
    assert paper["collection-title"] == bibtex["booktitle"]
    assert paper["url"] in text("README.md")


def test_license_is_the_same_everywhere(formalization: dict[str, Any]) -> None:
    table = tomllib.loads(text("pyproject.toml"))
    named = {table["project"]["license"], yaml("CITATION.cff")["license"],
             formalization["project"]["license"]}  # fmt: skip
    assert named == {"Apache-2.0"}
    assert "Apache License" in text("LICENSE")
    assert "Version 2.0" in text("LICENSE")


# formalization.yaml


def test_formalization_has_what_the_form_requires(formalization: dict[str, Any]) -> None:
    assert formalization["version"] == "v0.4"
    for group, keys in {
        "project": ("name", "authors", "license"),
        "automation": ("methods",),
        "review": ("status",),
    }.items():
        assert all(formalization[group][key] for key in keys)
    assert all(method["method"] for method in formalization["automation"]["methods"])
    assert formalization["sources"]
    for source in formalization["sources"]:
        assert all(source[key] for key in ("title", "authors", "id"))


def test_formalization_names_the_pins(policy: Policy, formalization: dict[str, Any]) -> None:
    status = formalization["status"]
    assert status["lean"] == policy.lean_version
    assert text("lean-toolchain").strip() == f"leanprover/lean4:v{status['lean']}"
    assert status["mathlib"] == mathlib()
    assert status["mathlib"] in text("lakefile.lean")
    assert status["compiled"] == policy.compiled_so_far


def test_formalization_names_the_targets(policy: Policy, formalization: dict[str, Any]) -> None:
    results = formalization["status"]["main_results"]
    assert [result["declaration"] for result in results] == list(policy.targets)
    for result in results:
        space, _, name = result["declaration"].rpartition(".")
        source = text(result["file"])
        assert re.search(rf"^theorem {re.escape(name)}\b", source, re.MULTILINE)
        assert f"namespace {space}\n" in source
        assert result["axioms"] == AXIOMS
        in_challenge = result["declaration"] in policy.challenge_targets
        assert result.get("comparator_config") == (
            "comparator_config.json" if in_challenge else None
        )
    for statement in formalization["alignment"]["statements"]:
        assert statement["lean"] in policy.targets
        file = statement["module"].replace(".", "/") + ".lean"
        assert (statement["lean"], file) in [(r["declaration"], r["file"]) for r in results]
        assert statement["source"] in text("docs/paper_mapping.md")


def test_formalization_counts_holes_and_axioms(
    policy: Policy, formalization: dict[str, Any]
) -> None:
    status = formalization["status"]
    assert status["axioms"] == [axiom.name for axiom in policy.axioms] == AXIOMS
    # The one hole is the challenge's; the proof has none.
    assert policy.sorry_allowed == {"Challenge.lean": 1}
    assert (status["sorry_count"], status["sorry_in_definitions"]) == (0, 0)
    assert all(result["sorry_count"] == 0 for result in status["main_results"])


def test_formalization_and_citation_name_the_same_paper(formalization: dict[str, Any]) -> None:
    (source,) = formalization["sources"]
    (paper,) = yaml("CITATION.cff")["references"]
    assert source["title"] == paper["title"]
    assert source["id"] == paper["identifiers"][0]["value"]
    assert source["authors"] == [
        f"{author['given-names']} {author['family-names']}" for author in paper["authors"]
    ]
    (author,) = yaml("CITATION.cff")["authors"]
    assert formalization["project"]["authors"] == [author["name"]]


# What the others say of the same things


def test_comparator_compares_what_the_policy_claims(policy: Policy) -> None:
    config = json.loads(text("comparator_config.json"))
    assert config["theorem_names"] == list(policy.challenge_targets)
    assert config["permitted_axioms"] == [axiom.name for axiom in policy.axioms]
    assert [config["challenge_module"]] == list(policy.challenge_modules)
    assert [config["solution_module"]] == list(policy.modules)


def test_documents_name_the_pins(policy: Policy) -> None:
    for name in ("README.md", "docs/trust.md"):
        named = re.findall(r"\bpin(?:s are Lean)? v(\d+\.\d+\.\d+)", flat(name))
        assert set(named) == {policy.lean_version}, name
    assert f"Lean v{policy.lean_version} and Mathlib `{mathlib()}`" in flat("docs/trust.md")


def test_documents_name_the_axioms(policy: Policy) -> None:
    for name in ("CONTRIBUTING.md", "docs/trust.md"):
        assert all(f"`{axiom.name}`" in text(name) for axiom in policy.axioms)
    assert flat("CONTRIBUTING.md").count("`propext`, `Classical.choice` and `Quot.sound`") == 1
    assert policy.sorry_allowed == {"Challenge.lean": 1}
    assert "no `sorry` but the one in `Challenge.lean`" in flat("CONTRIBUTING.md")


def test_what_the_readme_says_of_lake_is_what_the_lakefile_says() -> None:
    lakefile = text("lakefile.lean")
    readme = text("README.md")
    defaults = re.findall(r"@\[default_target\]\nlean_lib (\w+)", lakefile)
    assert f"default targets {' and '.join(f'`{name}`' for name in defaults)}" in readme
    (driver,) = re.findall(r'testDriver := "(\w+)"', lakefile)
    assert f"| `lake test` | builds `{driver}` " in readme
    (linter,) = re.findall(r'lintDriver := "batteries/(\w+)"', lakefile)
    (module,) = re.findall(r'lintDriverArgs := #\["(\w+)"\]', lakefile)
    assert f"| `lake lint` | runs Batteries' `{linter}` on the module `{module}` |" in readme


def test_what_contributing_names_is_there() -> None:
    named = re.findall(r"`((?:[\w.-]+/)*[\w-]+\.(?:lean|py|toml|yml|yaml|json|md))`",
                       text("CONTRIBUTING.md"))  # fmt: skip
    made_by_runs = {"proof.ndjson.manifest.json"}
    assert {"scripts/policy.toml", "Challenge.lean", "comparator_config.json"} <= set(named)
    assert [n for n in named if n not in made_by_runs and not (CHECKOUT / n).exists()] == []
