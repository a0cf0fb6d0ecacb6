"""The golden statement: written, read, compared with what is stated; and its hashes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import golden, stated
from harness.golden import FROM_SOURCES, FROM_TERMS, Entry, Golden, GoldenError, Section
from harness.policy import Policy, load_policy
from harness.replay.facts import is_odd
from harness.sources import project as files
from harness.toolchain.audit import Audit, Constant, Statement, Target
from projects_for_tests import CHECKOUT
from stated_for_tests import PROJECTS, check, copied, facts

FILE = PROJECTS / "good_golden" / "statement.golden.txt"
TEXT = FILE.read_text(encoding="utf-8")
NAME = "good_golden"
TARGET = "DinhSharpness.ArbitrarilySharpEquivalentMinima"


@pytest.fixture(scope="module")
def known(
    tmp_path_factory: pytest.TempPathFactory, libraries: Path
) -> tuple[Policy, Audit, Golden]:
    """Theorem 4 over stand-ins: its policy, its facts, and what the golden file has to say."""
    project = copied(NAME, tmp_path_factory.mktemp("golden"))
    assert check(project).status == 0
    policy, found = facts(project)
    now = golden.of_terms(policy, found)
    return policy, found, stated.with_sources(now, policy, files.read_sources(project, ()))


def test_the_golden_file_is_what_would_be_written(known: tuple[Policy, Audit, Golden]) -> None:
    assert golden.write(known[2], NAME) == TEXT
    assert golden.read(TEXT, NAME) == known[2]
    assert list(golden.compare(golden.read(TEXT, NAME), known[2])) == []


def accepted(text: str, now: Golden) -> bool:
    """Whether a golden file would be taken for one that says what is stated now."""
    try:
        kept = golden.read(text, NAME)
    except GoldenError as error:
        assert str(error)
        return False
    return not list(golden.compare(kept, now))


LINES = TEXT.split("\n")


@pytest.mark.parametrize("what", ["dropped", "doubled", "changed", "exchanged", "shortened"])
def test_no_line_of_a_golden_file_can_be_another(
    known: tuple[Policy, Audit, Golden], what: str
) -> None:
    assert accepted(TEXT, known[2])
    for number, line in enumerate(LINES):
        lines = list(LINES)
        match what:
            case "dropped":
                del lines[number]
            case "doubled":
                lines.insert(number, line)
            case "changed":
                middle = len(line) // 2
                lines[number] = line[:middle] + "z" + line[middle + 1 :]
            case "exchanged":
                lines[number : number + 2] = reversed(lines[number : number + 2])
            case "shortened":
                lines[number] = line[:-1]
        text = "\n".join(lines)
        assert text == TEXT or not accepted(text, known[2]), (number, line)


def paragraphs() -> Iterator[tuple[int, int]]:
    start = 0
    for number, line in enumerate(LINES):
        if not line:
            yield start, number + 1
            start = number + 1


def test_no_paragraph_of_a_golden_file_can_be_missing_or_there_twice(
    known: tuple[Policy, Audit, Golden],
) -> None:
    for start, end in paragraphs():
        part = LINES[start:end]
        if part == [""]:
            continue
        assert not accepted("\n".join(LINES[:start] + LINES[end:]), known[2]), part
        assert not accepted("\n".join(LINES[:end] + part + LINES[end:]), known[2]), part


def test_ends_of_lines_are_no_difference(known: tuple[Policy, Audit, Golden]) -> None:
    assert accepted(TEXT.replace("\n", "\r\n"), known[2])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "line 1"),
        ("\ufeff" + TEXT, "line 1"),
        (TEXT.replace("good_golden:", "another:"), "line 1"),
        (TEXT.replace("form 1.", "form 2."), "form 2"),
        (TEXT.replace("\n", "\r"), "line 1"),
        (TEXT.partition("\n## (terms)")[0], r"no part named \(terms\)"),
        (TEXT + TEXT[TEXT.index("\n## (terms)") :], r"second part named \(terms\)"),
        (TEXT + "more\n", "no hash"),
        (TEXT.rstrip("\n"), "there should be ''"),
        (TEXT.replace("As above: ", "As above:  "), ""),
        (TEXT.replace("\n## (terms)", f"\n## {TARGET}\n\n## (terms)"), "second section"),
        (TEXT.replace("  Exists.intro\n", "  Exists\n"), "for the second time"),
        (TEXT.replace("Compared on every run", "Compared never"), "line 8"),
        (TEXT.replace("printed from terms", "made from the text of the sources, without Lean"),
            "line "),
        (TEXT.replace("\n\ndef LT.lt", "\nstray\n\ndef LT.lt"), ""),
    ],
)  # fmt: skip
def test_a_file_of_another_form_is_said_to_be_one(
    known: tuple[Policy, Audit, Golden], text: str, why: str
) -> None:
    if why:
        with pytest.raises(GoldenError, match=why):
            golden.read(text, NAME)
    assert not accepted(text, known[2])


NOISE = st.lists(st.sampled_from([*"#\n :.a=|", "## ", "As above: ", "def ", TEXT[:60]]))


@given(NOISE.map("".join))
def test_garbage_is_no_golden_file(text: str) -> None:
    for start in ("", TEXT[: TEXT.index("\n") + 1]):
        with pytest.raises(GoldenError):
            golden.read(start + text, NAME)


# Written and read back.

WORDS = st.sampled_from(["x", "y'", "A.b", "«two words»", "h₂"])
BLOCK = st.lists(st.sampled_from(["a = b", "  ∀ x, p", "(x : ℕ) :=", "| 0 => 1"]), max_size=3)


@st.composite
def entries(draw: st.DrawFn, name: str) -> Entry:
    body = draw(BLOCK)
    text = "\n".join(
        [f"{draw(st.sampled_from(['def', 'theorem', 'inductive']))} {name} : T", *body]
    )
    source = "\n".join([f"def {name} : T", *draw(BLOCK)]) if draw(st.booleans()) else ""
    remark = draw(st.lists(st.sampled_from(["some words", "def x : T", "-- more"]), max_size=2))
    return Entry(name, text, source, "\n".join(remark))


@st.composite
def goldens(draw: st.DrawFn) -> Golden:
    sections = []
    for target in draw(st.lists(WORDS, min_size=1, max_size=3, unique=True)):
        names = draw(st.lists(WORDS, max_size=3, unique=True))
        before = draw(st.lists(WORDS, max_size=40, unique=True))
        made = tuple(draw(entries(name)) for name in names)
        sections.append(Section(target, made, tuple(before)))
    origin = draw(st.sampled_from([FROM_TERMS, FROM_SOURCES]))
    hashes = draw(st.dictionaries(WORDS, st.just("0" * 64), min_size=1))
    return Golden(origin, tuple(sections), hashes if origin == FROM_TERMS else {})


@given(goldens())
def test_what_is_written_is_read_back(made: Golden) -> None:
    text = golden.write(made, "a project")
    assert golden.read(text, "a project") == made
    assert list(golden.compare(golden.read(text, "a project"), made)) == []


@given(goldens(), goldens())
def test_two_golden_files_compare_as_equal_only_if_they_are(one: Golden, other: Golden) -> None:
    same = (one.sections, one.hashes) == (other.sections, other.hashes)
    same = same and list(one.hashes) == list(other.hashes)
    assert (not list(golden.compare(one, other))) == same


# Differences.


def entry(name: str, text: str = "", source: str = "", remark: str = "") -> Entry:
    return Entry(name, text or f"def {name} : T", source, remark)


BASE = Golden(
    FROM_TERMS,
    (
        Section("N.t", (entry("d"), entry("t")), ()),
        Section("N.s", (entry("s"),), ("d",)),
    ),
    {"N.d": "a" * 64, "N.t": "b" * 64, "N.s": "c" * 64},
)


def section(number: int, **changes: object) -> tuple[Section, ...]:
    sections = list(BASE.sections)
    sections[number] = replace(sections[number], **changes)  # type: ignore[arg-type]
    return tuple(sections)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"sections": BASE.sections[:1]}, [("N.s", None)]),
        ({"sections": BASE.sections[::-1]}, [(None, "the order of the sections")]),
        ({"sections": section(0, entries=(entry("d", "def d : U"), entry("t")))}, [("N.t", "d")]),
        ({"sections": section(0, entries=(entry("t"),))}, [("N.t", "d")]),
        ({"sections": section(0, entries=(entry("t"), entry("d")))}, [("N.t", "the order")]),
        ({"sections": section(0, entries=(entry("d", "", "def d"), entry("t")))}, [("N.t", "d")]),
        ({"sections": section(1, entries=(entry("s", remark="It is s."),))}, [("N.s", "s")]),
        ({"sections": section(1, before=())}, [("N.s", "definitions as above")]),
        ({"sections": section(1, entries=(entry("s"), entry("e")))}, [("N.s", "e")]),
        ({"hashes": {**BASE.hashes, "N.d": "0" * 64}}, [(None, "N.d")]),
        ({"hashes": {n: h for n, h in BASE.hashes.items() if n != "N.t"}}, [(None, "N.t")]),
        ({"hashes": {**BASE.hashes, "M.d": "0" * 64}}, [(None, "M.d")]),
        ({"hashes": dict(reversed([*BASE.hashes.items()]))}, [(None, "the order of the hashes")]),
    ],
)  # fmt: skip
def test_every_kind_of_difference_is_told(
    change: dict[str, object], told: list[tuple[str | None, str]]
) -> None:
    changed = replace(BASE, **change)  # type: ignore[arg-type]
    assert [(d.target, d.name) for d in golden.compare(BASE, changed)] == told
    assert [(d.target, d.name) for d in golden.compare(changed, BASE)] == told
    assert all(d.lines() or d.same_text for d in golden.compare(BASE, changed))


def test_a_difference_of_long_texts_is_shown_in_part() -> None:
    old = "\n".join(f"a {number}" for number in range(50_000))
    new = "\n".join(f"b {number}" if number > 9 else f"a {number}" for number in range(50_000))
    lines = golden.Difference("N.t", "d", old, new).lines()
    assert len(lines) == golden.MOST_COMPARED
    assert (lines[0], lines[len(lines) // 2]) == ("-a 10", "+b 10")


def test_a_change_that_is_not_printed_is_told_as_one() -> None:
    changed = replace(BASE, hashes={**BASE.hashes, "N.d": "0" * 64})
    (difference,) = golden.compare(BASE, changed)
    assert difference.same_text
    assert difference.found == "def d : T"


# Hashes.

CONSTANT = Constant(
    "A.d", "def", "M", ("u", "v"), "(Π{Sort u} Sort v)", "(λ{Sort u} (A.{u, v} #0))"
)


def hash_of(constant: Constant) -> str:
    return golden.hashes_of(Statement(CONSTANT, (replace(constant, name="A.x"),)))["A.x"]


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "opaque"},
        {"module": "N"},
        {"levels": ("u", "v", "w")},
        {"levels": ("v", "u")},
        {"type": "(Π(Sort u) Sort v)"},
        {"type": "(Π{Sort v} Sort u)"},
        {"value": "(λ{Sort u} (A.{v, u} #0))"},
        {"value": "(λ{Sort u} (B.{u, v} #0))"},
        {"value": None},
        {"type": '(Π{Sort u} "\\0")'},
        {"type": "a\0b", "value": "c"},
        {"type": "a", "value": "b\0c"},
        {"type": "a\\0b", "value": "c"},
    ],
)
def test_every_change_of_a_constant_changes_its_hash(change: dict[str, object]) -> None:
    changes = [{}, {"type": "a\0b", "value": "c"}, {"type": "a", "value": "b\0c"}, change]
    made = [replace(CONSTANT, **one) for one in changes]  # type: ignore[arg-type]
    assert len({hash_of(one) for one in made}) == len(set(made))


def test_other_names_of_universe_parameters_are_the_same_hash() -> None:
    renamed = replace(
        CONSTANT, levels=("w", "a"), type="(Π{Sort w} Sort a)", value="(λ{Sort w} (A.{w, a} #0))"
    )
    assert hash_of(renamed) == hash_of(CONSTANT)
    one = replace(CONSTANT, type="Sort max u v", value=None)
    # Lean orders the arguments of `max` by their names.
    other = replace(CONSTANT, levels=("b", "a"), type="(Π{Sort max a b} #0)", value=None)
    assert hash_of(other) == hash_of(replace(one, type="(Π{Sort max u v} #0)"))


def test_names_of_binders_and_what_people_read_are_no_part_of_a_hash() -> None:
    named = replace(CONSTANT, binders=("α",), value_binders=("β",), pretty_type="x", line=7)
    assert hash_of(named) == hash_of(CONSTANT)


# What is printed, against the sources of this repository.


@pytest.mark.parametrize(
    "name",
    [
        "Input", "Parameter", "prediction", "parameterLoss", "TwiceDifferentiableAt", "hessian",
        "scale", "ArbitrarilySharpEquivalentMinima", "exists_minimum_with_nonzero_hessian",
    ],
)  # fmt: skip
def test_terms_are_printed_as_our_sources_write_them(name: str) -> None:
    policy = load_policy(CHECKOUT / "scripts" / "policy.toml")
    declared = stated.read(policy, files.read_sources(CHECKOUT, policy.exclude)).find(
        name, "DinhSharpness"
    )
    assert declared is not None
    # Without Mathlib's `Type*` the stand-ins name their universes.
    printed = golden.read(TEXT, NAME).entries()[name].text.replace("Type u}", "Type*}")
    found = stated._tokens_of(printed)
    assert found is not None
    assert found == stated._tokens(declared)


def test_names_that_are_alike_when_written_short_are_told_apart() -> None:
    def made(name: str, type_: str) -> Constant:
        return Constant(name, "def", "M", (), type_, "T")

    one, other = made("A.c", "P"), made("B.c", "Q")
    root = made("c", "R")
    signatures = dict.fromkeys(("A.c", "B.c", "c", "P", "Q", "R", "T"), "")
    said = [
        Statement(replace(made("A.t", "(T A.c c)"), kind="theorem"), (one, root), signatures),
        Statement(replace(made("B.t", "(T B.c)"), kind="theorem"), (other,), signatures),
    ]
    facts_ = Audit("", "", tuple(Target(s.constant.name, s) for s in said), None, ())
    policy = Policy(Path("policy.toml"), "p", ("M",), ("M",), ("A.t", "B.t"), ())
    first, second = golden.of_terms(policy, facts_).sections
    assert [e.text.partition(" :")[0] for e in first.entries] == ["def A.c", "def c", "theorem t"]
    assert [e.text.partition(" :")[0] for e in second.entries] == ["def B.c", "theorem t"]
    assert (first.before, second.before) == ((), ())


@pytest.mark.parametrize(
    ("name", "odd"),
    [
        (("a\nb", "x✝"), True),
        (("a\0b", "_hyg"), True),
        (("a b", "x✝"), True),
        (("a\n## (terms)",), False),
        (("a", "x✝"), False),
    ],
)
def test_a_name_that_could_break_a_line_of_text_is_odd_unless_it_is_quoted(
    name: tuple[str, ...], odd: bool
) -> None:
    assert is_odd(name) == odd
