"""Mutants of the developments, through the real kernel: all rejected, or explained."""

from __future__ import annotations

import collections
import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import mutants
import replay_support as support
from harness.replay import terms as t

COUNT = 2400
PROCESSES = 2


@pytest.fixture(scope="module")
def outcomes() -> list[dict[str, Any]]:
    """Replay all mutants; the seeds are fixed, so that each run has the same ones."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in support.exports().items():
            Path(folder, f"{name}.ndjson").write_text(text, encoding="utf-8")

        def part(first: int) -> list[dict[str, Any]]:
            ran = support.python(
                support.TESTS / "mutants.py",
                support.library(),
                folder,
                str(first),
                str(COUNT // PROCESSES),
                str(PROCESSES),
                seconds=900,
            )
            assert ran.ok, ran.stderr
            return [json.loads(line) for line in ran.stdout.splitlines()]

        with ThreadPoolExecutor(PROCESSES) as pool:
            return [one for some in pool.map(part, range(PROCESSES)) for one in some]


def test_each_has_an_outcome(outcomes: list[dict[str, Any]]) -> None:
    assert sorted(one["seed"] for one in outcomes) == list(range(COUNT))
    assert [one for one in outcomes if "fault" in one] == []


def test_every_kind_of_change_is_there(outcomes: list[dict[str, Any]]) -> None:
    assert {one["change"] for one in outcomes} == {c.__name__ for c, _ in mutants.CHANGES}


def test_survivors_are_explained(outcomes: list[dict[str, Any]]) -> None:
    survivors = [one for one in outcomes if one["exit"] == 0]
    assert [one for one in survivors if one["bugs"]] == []
    kinds = collections.Counter(kind for one in survivors for kind in one["kinds"])
    assert set(kinds) <= {
        "another proof",
        "found by comparing statements",
        "needed by no statement",
        "nothing that is compared",
    }
    # If nearly everything survived, nothing would be tested.
    assert len(survivors) < COUNT // 10


def test_some_kinds_never_survive(outcomes: list[dict[str, Any]]) -> None:
    assert [one for one in outcomes if one["exit"] == 0 and one["change"] in mutants.NEVER] == []


def test_each_rule_is_reached(outcomes: list[dict[str, Any]]) -> None:
    found = {rule for one in outcomes for rule in one["rules"]}
    assert found >= {
        "axiom-not-allowed",
        "axiom-type-differs",
        "declaration-differs",
        "declared-twice",
        "export-unreadable",
        "kernel-rejects",
        "not-a-theorem",
        "primitive-refuted",
        "statement-differs",
        "target-missing",
    }


def test_untouched_developments_are_accepted(tmp_path: Path) -> None:
    for name, text in support.exports().items():
        source = mutants.read(text)
        names = [t.name_text(wanted.name) for wanted in mutants.theorems(source)]
        done = support.replayed(text, tmp_path, targets=names)
        unused = [rule for rule in support.rules(done) if rule != "axiom-unused"]
        assert (name, unused, done.exit_status) == (name, [], 0)
        assert all(target.checked for target in done.targets)
