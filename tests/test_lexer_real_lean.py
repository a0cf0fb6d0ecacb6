"""The lexer against Lean's own parser.

Lean says where each token begins and ends: with `trace.Elab.command`, `pp.raw` and
`pp.raw.showInfo` it prints every command that it has parsed, `"":START:"TOKEN":END:" "` in bytes.
(Only the first and the last token of a command come without places.)
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from harness.process import Outcome
from harness.sources.lexer import (
    COMMENTS,
    ID_FIRST,
    ID_REST,
    BadName,
    Kind,
    LexError,
    format_name,
    parse_name,
    tokenize,
)
from harness.sources.scan import imports, scan

Lean = Callable[..., Outcome]
Message = dict[str, Any]

# What can stand in a term and parses without any library.
FORMS = (
    (Path(__file__).parent / "data" / "lean_terms.txt")
    .read_text(encoding="utf-8")
    .removesuffix("\n")
    .split("\n%%\n")
)
HEADER = """prelude
set_option trace.Elab.command true
set_option pp.raw true
set_option pp.raw.showInfo true
set_option pp.raw.maxDepth 100000
axiom a : Type
"""
_QUOTED = r'"(?:\\.|[^"\\])*"'
_PLACED = re.compile(rf"{_QUOTED}:(\d+):(?:{_QUOTED}|`.*?):(\d+):{_QUOTED}", re.DOTALL)
_TRACE = "[Elab.command]"


@dataclass(frozen=True)
class Parsed:
    """A command as Lean parsed it: its line, its tokens as (start, end), the tree as text."""

    line: int
    tokens: frozenset[tuple[int, int]]
    tree: str


def run(lean: Lean, folder: Path, source: str) -> list[Message]:
    file = folder / "Test.lean"
    file.write_text(source, encoding="utf-8", newline="")
    outcome = lean("--json", "-DmaxErrors=0", file)
    assert outcome.code in (0, 1), outcome
    return [json.loads(line) for line in outcome.stdout.splitlines()]


def character_offsets(text: str) -> dict[int, int]:
    """Map offsets in bytes to offsets in characters."""
    offsets, position = {}, 0
    for index, character in enumerate(text):
        offsets[position] = index
        position += len(character.encode())
    return offsets | {position: len(text)}


def parse(lean: Lean, folder: Path, source: str) -> tuple[list[Parsed], list[Message]]:
    """Give the commands that Lean reads, with places in characters, and the other messages."""
    offsets = character_offsets(source)
    commands, others = [], []
    for message in run(lean, folder, source):
        data = message["data"]
        if not data.startswith(_TRACE):
            others.append(message)
            continue
        places = [(int(m[1]), int(m[2])) for m in _PLACED.finditer(data)]
        tokens = frozenset((offsets[s], offsets[e]) for s, e in places if s < e)
        commands.append(Parsed(message["pos"]["line"], tokens, data))
    return commands, others


def our_tokens(text: str) -> list[tuple[int, int, bool]]:
    """Give our tokens as Lean counts them: start, end, and whether it is a symbol."""
    spans = []
    for token in tokenize(text):
        ticks = len(token.text) - len(token.text.lstrip("`"))
        if token.kind is Kind.NAME and ticks == 2:
            middle = token.start + 1
            spans += [(token.start, middle, True), (middle, middle + 1, True)]
            spans.append((middle + 1, token.end, False))
        elif token.kind not in COMMENTS:
            spans.append((token.start, token.end, token.kind is Kind.SYMBOL))
    return spans


def compare(commands: list[Parsed], text: str) -> None:
    """Compare Lean's tokens with ours, between the first and the last that Lean places."""
    ours = our_tokens(text)
    starts, ends = {start for start, _, _ in ours}, {end for _, end, _ in ours}
    # To Lean a docstring is the token `/--` and one more, up to the end.
    docs = {t.end: t.start for t in tokenize(text) if t.kind in {Kind.DOC_COMMENT, Kind.MODULE_DOC}}
    starts |= set(docs.values())
    ends |= {start + 3 for start in docs.values()}
    for command in commands:
        real = command.tokens
        if not real or min(real)[0] < len(HEADER):
            continue
        code = {(s, e) for s, e in real if not docs.get(e, e) < s}
        wrong = [text[s:e] for s, e in code if s not in starts or e not in ends]
        assert not wrong, f"line {command.line}: Lean has {wrong}: {command.tree}"
        low, high = min(real)[0], max(end for _, end in real)
        more = {(s, e) for s, e, symbol in ours if low <= s < high and not symbol} - real
        assert not more, f"Lean has no {[text[s:e] for s, e in more]}: {command.tree}"


def checks(forms: list[str]) -> tuple[str, dict[int, str]]:
    """Make a source with one `#check` of each form, and a table of their lines."""
    lines, text = {}, HEADER
    for form in forms:
        lines[text.count("\n") + 1] = form
        text += f"#check ( {form} )\n"
    return text, lines


def test_terms(lean: Lean, tmp_path: Path) -> None:
    source, lines = checks(FORMS)
    commands, messages = parse(lean, tmp_path, source)
    compare(commands, source)
    parsed = {command.line: command.tree for command in commands}
    refused = [form for line, form in lines.items() if "(Command.check" not in parsed[line]]
    assert refused == [], messages
    # Wherever Lean reads the term `sorry`, the scan finds it, and nowhere else.
    found = [finding.line for finding in scan(source)]
    for line, after in pairwise([*sorted(parsed), 10**9]):
        holes = parsed[line].count("(Term.sorry ")
        assert sum(line <= at < after for at in found) == holes, lines.get(line)


def test_line_ends_of_windows(lean: Lean, tmp_path: Path) -> None:
    source, _ = checks(FORMS)
    windows = source.replace("\n", "\r\n")
    ours = [(t.kind, t.text.replace("\r", ""), t.line, t.column) for t in tokenize(windows)]
    assert ours == [(t.kind, t.text, t.line, t.column) for t in tokenize(source)]
    messages = run(lean, tmp_path, windows)
    assert messages == run(lean, tmp_path, source)


ATOMS = [
    *("x", "h'", "x.y", "«x y»", "sorry", "«sorry».x", "x₁", "é", "_", "?x", "@x", ".x", "r", "_x"),
    *("'a'", "'\"'", "' '", "'\\''", "'\\x22'", '"a"', '"\\""', '"{"', 'r"\\"', 'r#"""#', "`x"),
    *("1", "``x.y", "1.5", "0x1F", "x.1.2", "(x).1.y", "sorry.1", ".x.y.1", "`«}».x", "«--»"),
    *("(· x)", "1e5"),
]  # fmt: skip
SPACES = [
    *([" "] * 6), *(" /- c -/ ", "/-c-/", " -- c \" '\n ", "\n "),
    *("/-/ c -/", "/-/- \" -/ ", "/-\n-/"),
]  # fmt: skip
TEXTS = ["", "a ", "\\{ ", "} ", '\\" ', "-- ", "/- ", "' ", "\\\\", "«", "\\\n  ", "\n "]


def random_term(choose: random.Random, depth: int) -> str:
    """Make a term that parses without any library."""

    def space() -> str:
        return choose.choice(SPACES)

    def term() -> str:
        return random_term(choose, depth - 1)

    def interpolated() -> str:
        holes = "".join(
            choose.choice(TEXTS) + "{" + choose.choice(["", space()]) + term() + space() + "}"
            for _ in range(choose.randint(0, 2))
        )
        return '"' + holes + choose.choice(TEXTS) + '"'

    match choose.randint(0, 10) if depth else 0:
        case 0 | 1 | 2:
            return choose.choice(ATOMS)
        case 3 | 4:
            return space().join(["(x", *(choose.choice(ATOMS) for _ in range(3))]) + ")"
        case 5:
            return "⟨" + ",".join(space() + term() for _ in range(choose.randint(1, 3))) + "⟩"
        case 6:
            return f"({space()}fun x{space()}=>{term()}{space()})"
        case 7:
            return f"(dbg_trace{space()}{interpolated()};{space()}{term()})"
        case 8:
            head = choose.choice(["throwNamedErrorAt", "logNamedErrorAt", "logNamedWarningAt"])
            argument = choose.choice(["x", ".x", '(f "{")', "⟨x⟩", "x.y.1", "`x"])
            return f"({head}{space()}{argument}{space()}x.y{space()}{interpolated()})"
        case 9:
            return f"(throwNamedError{space()}x.y{space()}{interpolated()})"
        case _:
            return f"`({space()}{term()}{space()})"


@pytest.mark.parametrize("seed", range(3))
def test_random_terms(lean: Lean, tmp_path: Path, seed: int) -> None:
    choose = random.Random(seed)
    source, lines = checks([random_term(choose, 4) for _ in range(300)])
    commands, messages = parse(lean, tmp_path, source)
    compare(commands, source)
    parsed = {command.line: command.tree for command in commands}
    for line, form in lines.items():
        assert "(Command.check" in parsed[line], (form, messages)
        assert "<missing>" not in parsed[line], (form, messages)


COMMENTED = """
/-/ c -/ axiom b1 : Type
/-/- c -/ axiom b2 : Type
/-/-
axiom no1 : Type -/ axiom b3 : Type /-
axiom no2 : Type /- -/ axiom no3 : Type -/ axiom b4 : Type
/-- c -/ axiom b5 : Type
/-- c --/ axiom b6 : Type
/--/ axiom no4 : Type -/ axiom b7 : Type
/-- -- -/ axiom no5 : Type
-/ axiom b8 : Type
/--
  -- c
  /- d -/ /- -- -/ e /- f /- -/ -/
-/ axiom b9 : Type
/-! -- -/ axiom no6 : Type
-/ axiom b10 : Type
/-! c -/ axiom b11 : Type -- /- axiom no7 : Type
/-! /- axiom no8 : Type -/ axiom no9 : Type /-! -/
-/ axiom b12 : Type /- " -/ axiom b13 : Type --"
/-- "c -/ axiom b14 : Type /-" -/
/-- /-/ -/ -/ axiom b15 : Type
-- axiom no10 : Type /-
axiom b16 /- c -/ :/-d-/Type--e
axiom «b17 -- » : Type axiom «b18 /- » : Type
/--a-/axiom b19 : Type/-!b-/axiom b20 : Type
"""


def test_comments(lean: Lean, tmp_path: Path) -> None:
    source = HEADER + COMMENTED
    commands, messages = parse(lean, tmp_path, source)
    assert messages == []
    compare(commands, source)
    code = [token for token in tokenize(source) if token.kind not in COMMENTS]
    declared = [name.text for word, name in pairwise(code) if word.text == "axiom"]
    assert len(declared) == 21
    assert not [name for name in declared if name.startswith("no")]
    trees = [command.tree for command in commands if "(Command.axiom" in command.tree]
    assert len(trees) == len(declared)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("/- a", "unterminated comment"),
        ("/--/", "unterminated comment"),
        ("/-- -- -/", "unterminated comment"),
        ("/-/", "unterminated comment"),
        ('#check "a', "unterminated string literal"),
        ('#check r#"a"', "unterminated raw string literal"),
        ("#check «a", "unterminated identifier escape"),
        ('#check dbg_trace "a', "unterminated string literal"),
        ('#check dbg_trace "{', "unexpected end of input"),
        ('#check dbg_trace "{a} b', "unterminated string literal"),
    ],
)
def test_what_is_never_closed(lean: Lean, tmp_path: Path, text: str, says: str) -> None:
    assert says in run(lean, tmp_path, f"prelude\naxiom a : Type\n{text}")[0]["data"]
    with pytest.raises(LexError):
        tokenize(text)


_CLASSES = """
import ctypes, sys
for name in ("libInit_shared.so", "libleanshared_2.so", "libleanshared_1.so", "libleanshared.so"):
    library = ctypes.CDLL(sys.argv[1] + "/" + name, mode=ctypes.RTLD_GLOBAL)
for name in ("l_Lean_isIdFirst", "l_Lean_isIdRest"):
    function = library[name]
    function.argtypes, function.restype = [ctypes.c_uint32], ctypes.c_uint8
    print(*(c for c in range(0x110000) if function(c)))
"""


def test_characters_of_identifiers(libraries: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-c", _CLASSES, str(libraries)],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    first, rest = (set(map(int, line.split())) for line in done.stdout.splitlines())
    for expression, real in ((ID_FIRST, first), (ID_REST, rest)):
        every = re.compile(f"[{expression}]")
        assert {c for c in range(0x110000) if every.match(chr(c))} == real


NAMES: list[tuple[str | int, ...]] = [
    *[("b",), ("b", "c'"), ("b c",), ("b", "c d", "e"), ("λ",), ("sorry",), ("b.c",), ("1",)],
    *[("theorem",), ("b", "1x"), ("h₁", "ℝ", "é!"), ("/- --",), ('"',), ("b", ""), ("«",), ("`b",)],
    *[("b", "«c"), ("'",), ("x", "by")],
]


def test_names(lean: Lean, tmp_path: Path) -> None:
    names = [("N", *name) for name in NAMES]
    written = [format_name(name) for name in names]
    source = "prelude\n" + "".join(f"axiom {n} : Type\n#check {n}\n" for n in written)
    messages = run(lean, tmp_path, source)
    assert [m["severity"] for m in messages] == ["information"] * len(names)
    printed = [m["data"].removesuffix(" : Type") for m in messages]
    assert [parse_name(text) for text in printed] == names


def test_a_name_that_lean_prints_and_nobody_can_read(lean: Lean, tmp_path: Path) -> None:
    """A dagger stands for macro scopes too, and no guillemets around it."""
    (message,) = run(lean, tmp_path, "prelude\naxiom «b✝» : Type\n#check «b✝»")
    assert message["data"] == "b✝ : Type"
    with pytest.raises(BadName):
        parse_name("b✝")


ENDINGS = {"#exit": 1, "#exitb": 1, "#exit-- c": 1, "# exit": 0, "#«exit»": 0, "/- #exit -/": 0}


def test_what_ends_a_file(lean: Lean, tmp_path: Path) -> None:
    for text, ends in ENDINGS.items():
        source = f"prelude\n{text}\naxiom"
        assert ("to interrupt Lean" in str(run(lean, tmp_path, source))) == bool(ends)
        assert len(scan(source)) == ends


OPTIONS = """prelude
set_option debug.skipKernelTC true
set_option «debug».skipKernelTC true
set_option /- c -/ debug.«skipKernelTC» -- d
  true
set_option debug.«skipKernelTC»true
set_option
 debug.skipKernelTC
  true in axiom a : Type
"""


def test_options(lean: Lean, tmp_path: Path) -> None:
    assert run(lean, tmp_path, OPTIONS) == []
    assert [f.word for f in scan(OPTIONS)] == ["debug.skipKernelTC"] * 5
    # Lean knows no option of these names; the scan reports this one wherever its name stands.
    others = "prelude\n" + "".join(
        f"set_option {name} true\n"
        for name in ("«debug.skipKernelTC»", "Lean.debug.skipKernelTC", "_root_.debug.skipKernelTC")
    )
    messages = run(lean, tmp_path, others)
    assert [m["data"].split(" `")[0] for m in messages] == ["Unknown option"] * 3
    assert len(scan(others)) == 3
    assert scan(others.replace("skipKernelTC", "byAsSorry")) == []


HEADERS = [
    "import A\nimport B.C axiom x : Foo\n",
    "-- c\n/- d -/ module\n\npublic import A\nmeta import all B\n"
    "public meta import C import «D e».F",
    "prelude import A B",
    "/-! c -/\nimport A",
    "meta public import A",
    "import A;import B",
    "import «a.b».c.«d»",
    "module prelude import all A",
    "prelude module import A",
    "import A.B.«»",
    "import A /-/ import B -/ import C",
    "import A' import B!-- x\n--\nimport\nC₁",
    "module",
    "",
    "\ufeffimport A",
    "import x.import import A.sorry import «sorry»",
    "import A\r\nimport B\r\n",
]


def test_headers(lean: Lean, tmp_path: Path) -> None:
    """Lean's own reader of headers, which Lake uses, finds the same imports."""
    files = [tmp_path / f"{number}.lean" for number in range(len(HEADERS))]
    for file, text in zip(files, HEADERS, strict=True):
        file.write_text(text, encoding="utf-8", newline="")
    outcome = lean("--deps-json", *files)
    answers = json.loads(outcome.stdout)["imports"]
    for text, answer in zip(HEADERS, answers, strict=True):
        assert answer["errors"] == []
        header, real = imports(text), answer["result"]
        assert header.is_module == real["isModule"], text
        # Lean adds `Init` where there is no `prelude`; without `module` all imports are public.
        listed = [(i["module"], i["importAll"], i["isMeta"], i["isExported"])
                  for i in real["imports"] if i["module"] != "Init"]  # fmt: skip
        ours = [(i.module, i.is_all, i.is_meta, i.is_public or not header.is_module)
                for i in header]  # fmt: skip
        assert ours == listed, text
        assert header.is_prelude == all(i["module"] != "Init" for i in real["imports"])
