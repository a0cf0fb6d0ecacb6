"""Reading `#print axioms`: what the real `lean` prints, and what nobody should print."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.process import Outcome
from harness.toolchain.crosscheck import messages, read, report_axioms, split_names
from projects_for_tests import RECORDINGS

# What a `prelude` file has to have before anything can be said.
PRELUDE = """prelude
set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false
axiom P : Prop
axiom p : P
axiom h' : P
axiom «two words» : P
axiom «a, b» : P
axiom «x]» : P
axiom h₂é : P
"""


def ask(lean: Callable[..., Outcome], folder: Path, text: str) -> tuple[str, Outcome]:
    (folder / "Ask.lean").write_text(text, encoding="utf-8")
    outcome = lean("--json", "Ask.lean")
    return outcome.stdout, outcome


def numbered(text: str) -> dict[int, str]:
    """Lines that ask, with the name that each asks for."""
    return {
        number: line.removeprefix("#print axioms ")
        for number, line in enumerate(text.splitlines(), 1)
        if line.startswith("#print axioms ")
    }


def test_names_with_primes_unicode_and_guillemets(
    lean: Callable[..., Outcome], tmp_path: Path
) -> None:
    theorems = {
        "foo": "p",
        "foo'": "h'",
        "h₂é'": "h₂é",
        "«two words again»": "«two words»",
        "«c, d»": "«a, b»",
        "«'y' depends on axioms: [z]»": "«x]»",
    }
    text = PRELUDE + "".join(f"theorem {n} : P := {a}\n" for n, a in theorems.items())
    text += "".join(f"#print axioms {n}\n" for n in theorems)
    output, outcome = ask(lean, tmp_path, text)
    assert outcome.ok, outcome.stdout
    printed = read(output, numbered(text))
    assert printed.errors == ()
    assert printed.strays == ()
    for name, axiom in theorems.items():
        (report,) = printed.reports[name]
        if name.startswith("«'y'"):
            # Where the list begins is in doubt: the whole text is an axiom that nobody allows.
            assert len(report.axioms) == 1
            assert "x]" in report.axioms[0]
        else:
            assert set(report.axioms) == {"P", axiom}


def test_error_then_clean_report(lean: Callable[..., Outcome], tmp_path: Path) -> None:
    text = PRELUDE + (
        "inductive False : Prop\ntheorem bad : False := p\n#print axioms bad\n"
        "theorem fine : P → P := fun x => x\n#print axioms fine\n"
    )
    output, outcome = ask(lean, tmp_path, text)
    assert outcome.code == 1
    printed = read(output, numbered(text))
    assert printed.errors
    assert [report.axioms for report in printed.reports["fine"]] == [("P",)]
    # Lean itself reports the theorem that failed as clean: the error is what forbids green.
    assert [report.axioms for report in printed.reports["bad"]] == [()]


def test_homonyms_answer_by_line(lean: Callable[..., Outcome], tmp_path: Path) -> None:
    text = PRELUDE + (
        "theorem A.t : P := p\ntheorem B.t : P → P := fun x => x\nopen A B\n#print axioms t\n"
    )
    output, _ = ask(lean, tmp_path, text)
    printed = read(output, numbered(text))
    assert {axiom for report in printed.reports["t"] for axiom in report.axioms} >= {"p"} or (
        printed.errors
    )


def test_unknown_name_is_an_error_on_its_line(lean: Callable[..., Outcome], tmp_path: Path) -> None:
    text = PRELUDE + "#print axioms _root_.Nothing.here\n"
    output, outcome = ask(lean, tmp_path, text)
    assert outcome.code == 1
    printed = read(output, numbered(text))
    assert [failure.target for failure in printed.errors] == ["_root_.Nothing.here"]
    assert printed.reports["_root_.Nothing.here"] == ()


def test_a_long_list_wraps_and_is_read_whole(lean: Callable[..., Outcome], tmp_path: Path) -> None:
    names = [f"a_rather_long_name_of_an_axiom_{i}" for i in range(12)]
    text = PRELUDE + "".join(f"axiom {n} : P → P\n" for n in names)
    term = "p"
    for name in names:
        term = f"{name} ({term})"
    text += f"theorem t : P := {term}\n#print axioms t\n"
    output, _ = ask(lean, tmp_path, text)
    (report,) = read(output, numbered(text)).reports["t"]
    assert set(report.axioms) == {"P", "p", *names}
    assert "\n" in json.loads(output.splitlines()[-1])["data"]


def test_plain_text_says_the_same_as_json(lean: Callable[..., Outcome], tmp_path: Path) -> None:
    text = PRELUDE + "theorem t : P := p\n#print axioms t\n"
    (tmp_path / "Ask.lean").write_text(text, encoding="utf-8")
    plain = lean("Ask.lean").stdout
    printed = read(plain, numbered(text))
    # Plain text has no line, so it counts against a proof and never for one.
    assert printed.reports["t"] == ()
    assert [set(report.axioms) for report in printed.strays] == [{"P", "p"}]


@pytest.mark.parametrize(
    ("text", "axioms"),
    [
        ("'A.t' does not depend on any axioms", ()),
        ("'A.t' depends on axioms: [propext]", ("propext",)),
        ("'A.t'' depends on axioms: [propext,\n Quot.sound]", ("propext", "Quot.sound")),
        ("'«a' does not depend on any axioms»' depends on axioms: [h]", ("h",)),
        ("'x' depends on axioms: [«a, b», c]", ("«a, b»", "c")),
        ("'x' depends on axioms: []", ("'x' depends on axioms: []",)),
        ("declaration uses 'sorry'", None),
        ("", None),
        ("'x' depends on axioms: [h", None),
    ],
)
def test_report(text: str, axioms: tuple[str, ...] | None) -> None:
    assert report_axioms(text) == axioms


def test_recorded_text_and_json_agree() -> None:
    compared = 0
    for folder in sorted(RECORDINGS.iterdir()):
        if not (folder / "print.jsonl").exists():
            continue
        by_json = [report_axioms(m.text) for m in messages((folder / "print.jsonl").read_text())]
        by_text = [report_axioms(m.text) for m in messages((folder / "print.txt").read_text())]
        assert by_json == by_text, folder.name
        compared += len(by_json)
    assert compared >= 20


names = st.text(st.characters(exclude_characters="«»\n\r", codec="utf-8"), min_size=1).map(
    lambda text: f"«{text}»"
)


def test_a_key_that_is_there_twice_makes_no_message() -> None:
    line = '{"severity":"error","data":"x","severity":"information","pos":{"line":2,"column":0}}'
    assert [m.severity for m in messages(line)] == ["unknown"]


def test_a_line_that_is_neither_a_report_nor_a_message_is_told() -> None:
    clean = json.dumps(
        {
            "severity": "information",
            "data": "'A.t' does not depend on any axioms",
            "pos": {"line": 2, "column": 0},
        }
    )
    assert read(f"{clean}\n'\n", {2: "A.t"}).unreadable == ("'",)
    assert read(f"{clean}\n", {2: "A.t"}).unreadable == ()


def test_a_message_of_many_lines_is_read_in_time() -> None:
    started = time.process_time()
    (message,) = messages("A.lean:1:0: error: unsolved goals\n" + "⊢ False\n" * 200_000)
    assert len(message.text) > 1_500_000
    assert time.process_time() - started < 10


@given(st.lists(names, min_size=1, unique=True))
def test_quoted_names_survive_whatever_they_contain(wanted: list[str]) -> None:
    assert split_names(", ".join(wanted)) == tuple(wanted)


@given(st.text(), st.dictionaries(st.integers(1, 9), st.just("A.t")))
def test_any_output_is_read_without_a_fault(output: str, requests: dict[int, str]) -> None:
    read(output, requests)
