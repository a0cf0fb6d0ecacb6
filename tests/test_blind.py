"""Comparisons switched off one at a time in a copy of the harness: a planted case notices each."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness import faults, selftest
from projects_for_tests import CHECKOUT


@dataclass(frozen=True, slots=True)
class Blind:
    """A text of a file under `scripts/harness`, another in its place, and what notices."""

    file: str
    old: str
    new: str
    noticed_by: str


CHECKERS, PACKAGES, PRELUDE = "toolchain/checkers.py", "sources/packages.py", "toolchain/prelude.py"
READING, FACTS, AXIOMS = "sources/reading.py", "replay/facts.py", "axioms.py"
SANDBOX = "what a sandbox must not allow"

BLIND = (
    Blind("sandbox.py", '("--ro-bind", "/", "/",', '("--bind", "/", "/",', SANDBOX),
    Blind("sandbox.py", '("--unshare-net",)', "()", SANDBOX),
    Blind("sandbox.py", '"--bind" if kind is _Kind.WRITABLE else "--ro-bind"', '"--bind"', SANDBOX),
    Blind("inside.py", '_HIDDEN = ("/home", "/root", "/mnt", "/media", "/run")', "_HIDDEN = ()",
          SANDBOX),
    Blind("inside.py", "*homes(os.environ), ", "", SANDBOX),
    Blind("hypotheses.py", "elif met.more:", "elif False:",
          "a witness that assumes what is false"),
    Blind("hypotheses.py", "elif met.missing:", "elif False:", "a witness of less"),
    Blind("steps.py", "findings += [replace(f, step=UNCHANGED) for f in found]", "",
          "pins that cannot be told after the build"),
    Blind("pipeline.py", 'BUILT = ("pins", "sources", "toolchain", "build", "unchanged")',
          'BUILT = ("sources", "build")', "a run that lacks a step"),
    Blind("pipeline.py", '*_hypotheses(policy), "replay"}', "*_hypotheses(policy)}",
          "a run that lacks a step"),
    Blind("pipeline.py", 'return frozenset(reading | ({"golden"} if policy.golden else set()))',
          "return frozenset(reading)", "a run that lacks a step"),
    Blind(READING, '"macro": ("macro", "macro_rules")', '"macro": ("macro_rules",)',
          "a trusted file with a macro"),
    Blind(READING, '("notation", "notation3", "infix", "infixl", "infixr", "prefix", "postfix")',
          "()", "a trusted file with a notation"),
    Blind(READING, '"infixl", ', "", "a trusted file with an infix"),
    Blind(READING, '"export": ("export",)', '"export": ()', "a trusted file with an export"),
    Blind(READING, '"deriving": ("deriving",)', '"deriving": ()',
          "a trusted file with a derived instance"),
    Blind(READING, "if first and token.text not in _PLAIN", "if False",
          "a trusted file with a word that nobody knows"),
    Blind(PACKAGES, "if [computed] != git.ask(", "if None is git.ask(",
          "a package with a forged folder"),
    Blind(PACKAGES,
          '*git.ask(*others, "--", ":(glob)**/.gitignore", ":(glob)**/.gitattributes"),', "",
          "a package with files that hide"),
    Blind(PACKAGES, "if about.startswith(_SUBMODULE)", "if False",
          "a package with a submodule"),
    Blind(PRELUDE, "if _entry(project, m) != made[m.name]]", "if False]",
          "a module changes while another is compiled"),
    Blind(PRELUDE, "    if extra:\n", "    if False:\n", "a compiled module of no source"),
    Blind("statement.py", "found.module != expected.module", "False",
          "definition of another module"),
    Blind("statement.py", "if found.kind != expected.kind", "if False",
          "definition of another kind"),
    Blind("statement.py", "if stray := _stray_guillemet(term)", "if stray := None",
          "guillemet in a name"),
    Blind("statement.py", 'elif "«" in level or not _WORD.fullmatch(level)', "elif False",
          "level of two words"),
    Blind("statement.py", 'if constant.name == "Sort"', "if False", "constant named Sort"),
    Blind("statement_steps.py", "    yield from _ambiguous(run)\n", "",
          "a level that reads as something else"),
    Blind(AXIOMS, "if absent := wanted - set(names)", "if absent := set()",
          "module not in the census"),
    Blind(AXIOMS, "for stray in printed.strays", "for stray in ()", "axiom in a stray report"),
    Blind(AXIOMS, "if target.odd", "if False", "name like a variable"),
    Blind(AXIOMS, "if agreed.constant.module == target.statement.constant.module", "if False",
          "challenge is the proof"),
    Blind(FACTS, 'startswith(("#", "?"))', "startswith(())", "names that read as something else"),
    Blind(FACTS, 'startswith(("#", "?"))', 'startswith("#")', "names that read as something else"),
    Blind("policy.py", 'if axiom.name == "sorryAx"', "if False", "policies that are none"),
    Blind(CHECKERS, "if number < least", "if False", "a checker that saw less than there is"),
    Blind(CHECKERS, "if left_out := next(", "if False and next(",
          "a checker that skipped something"),
    Blind(CHECKERS, "if told := next((line for line in lines if gave_up(line)), None)",
          "if told := None", "a checker that panics and goes on"),
    Blind(CHECKERS, "return _GAVE_UP.search(text) is not None", "return False",
          "a checker that ran out of stack and rejects"),
    Blind(CHECKERS, "if accepted and (objection := _objection(checker, lines))",
          "if accepted and (objection := None)", "a checker that objects, and accepts"),
    Blind(CHECKERS, "if left != before", "if False", "a checker that changes what it is shown"),
    Blind("checker_steps.py", "if {before, checkers.digest(plain)} != {expected}", "if False",
          "a checker that changes the export"),
    Blind("sources/project.py",
          "if module in policy.challenge_modules or paths & reached", "if False",
          "a challenge that imports the proof"),
    Blind("steps.py", "    findings += files.not_apart(run.policy, targets, sources)\n", "",
          "a challenge that is the proof"),
)  # fmt: skip

ASK = """
import sys
from harness import faults, selftest
known = {one.name: (faults._result, one) for one in faults.FAULTS}
known |= {one.name: (selftest._result, one) for one in selftest.PLANTED}
for name in sys.argv[1:]:
    look, one = known[name]
    found = look(one)
    if not found.caught:
        print(found)
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the harness."""
    folder = tmp_path_factory.mktemp("copy") / "scripts"
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(CHECKOUT / "scripts", folder, ignore=ignored))


def uncaught(scripts: Path, *names: str) -> list[str]:
    """What a copy of the harness says of those planted cases that it did not catch."""
    done = subprocess.run(
        [sys.executable, "-B", "-c", ASK, *names],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        stdin=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(scripts), "PYTHONUTF8": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_in_a_copy_as_it_is_every_case_is_caught(copy: Path) -> None:
    names = {blind.noticed_by for blind in BLIND}
    known = {fault.name for fault in faults.FAULTS}
    assert names <= known | {planted.name for planted in selftest.PLANTED}
    assert uncaught(copy, *sorted(names)) == []


@pytest.mark.parametrize(
    "blind", BLIND, ids=[f"{number} {blind.noticed_by}" for number, blind in enumerate(BLIND)]
)
def test_a_comparison_that_was_switched_off_is_noticed(copy: Path, blind: Blind) -> None:
    path = copy / "harness" / blind.file
    text = path.read_text(encoding="utf-8")
    assert text.count(blind.old) == 1
    path.write_text(text.replace(blind.old, blind.new), encoding="utf-8")
    try:
        (told,) = uncaught(copy, blind.noticed_by)
    finally:
        path.write_text(text, encoding="utf-8")
    assert told.startswith(f"{blind.noticed_by}: ")
    assert "Error: " not in told, "the case broke, and saw nothing"
