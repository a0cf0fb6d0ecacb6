"""The reader and writer of exports: strict, whatever a stranger writes."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import replay_support as support
import terms_library
from harness.replay import export
from harness.replay import terms as t
from harness.replay.result import Stop

META = {
    "meta": {
        "exporter": {"name": "x", "version": "1"},
        "format": {"version": "3.1.0"},
        "lean": {"githash": "", "version": "4.35.0"},
    }
}
HEAD = json.dumps(META, separators=(",", ":")) + "\n"
NAMES = '{"in":1,"str":{"pre":0,"str":"a"}}\n'
TERMS = '{"ie":0,"sort":0}\n'
AXIOM = '{"axiom":{"isUnsafe":false,"levelParams":[],"name":1,"type":0}}\n'
GOOD = HEAD + NAMES + TERMS + AXIOM


def read(text: str | bytes, folder: Path, limits: export.Limits = export.LIMITS) -> t.Source:
    file = folder / "e.ndjson"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return export.read(file, limits=limits)


def refused(text: str | bytes, folder: Path, limits: export.Limits = export.LIMITS) -> str:
    with pytest.raises(Stop) as stop:
        read(text, folder, limits)
    assert stop.value.finding.level == "could-not-run"
    return f"{stop.value.finding.rule}: {stop.value.finding.message}"


def test_the_smallest(tmp_path: Path) -> None:
    source = read(GOOD, tmp_path)
    assert source.find(("a",)) == t.Axiom(1, (), 0)
    assert source.meta["format"] == "3.1.0"


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n",
        b"{}\n",
        b"[]\n",
        b"null\n",
        b"\xff\xfe\n",
        b"{\n",
        b"not json\n",
        b"\0" * 100,
        NAMES.encode(),
        HEAD.encode()[:-1],
        HEAD.encode() + HEAD.encode(),
        b"1\n",
        HEAD.replace("3.1.0", "2.0").encode(),
        HEAD.replace("3.1.0", "4.0.0").encode(),
        HEAD.replace("3.1.0", "3.10").encode(),
        HEAD.replace('"format"', '"Format"').encode(),
        HEAD.replace('"x"', "1").encode(),
        b'{"meta":{}}\n',
        HEAD.encode() + b"\n",
        (HEAD + "[1]\n").encode(),
        b"[" * 100_000 + b"\n",
        HEAD.encode() + b'{"ie":' + b"[" * 1_000_000 + b"\n",
        (HEAD + '{"a":' * 50_000 + "1" + "}" * 50_000 + "\n").encode(),
    ],
)
def test_no_export(tmp_path: Path, text: bytes) -> None:
    refused(text, tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        '{"in":1,"str":{"pre":0,"str":"b"}}',
        '{"in":0,"str":{"pre":0,"str":"b"}}',
        '{"in":2,"str":{"pre":5,"str":"b"}}',
        '{"in":2,"str":{"pre":2,"str":"b"}}',
        '{"in":2,"str":{"pre":-1,"str":"b"}}',
        '{"in":2.0,"str":{"pre":0,"str":"b"}}',
        '{"in":true,"str":{"pre":0,"str":"b"}}',
        '{"in":"2","str":{"pre":0,"str":"b"}}',
        '{"in":2,"str":{"pre":0,"str":"\\ud800"}}',
        '{"in":2,"str":{"pre":0,"str":7}}',
        '{"in":2,"num":{"pre":0,"i":-1}}',
        '{"in":2,"num":{"pre":0,"i":1.5}}',
        '{"in":2,"num":{"pre":0,"i":true}}',
        '{"in":2,"str":{"pre":0,"str":"b"},"num":{"pre":0,"i":1}}',
        '{"in":2,"in":2,"str":{"pre":0,"str":"b"}}',
        '{"in":2,"str":{"pre":0,"pre":0,"str":"b"}}',
        '{"in":2,"str":{"pre":0,"str":"b","more":1}}',
        '{"in":2,"il":2,"str":{"pre":0,"str":"b"}}',
        '{"in":2}',
        '{"il":0,"succ":0}',
        '{"il":1,"succ":1}',
        '{"il":1,"max":[0]}',
        '{"il":1,"max":[0,0,0]}',
        '{"il":1,"max":0}',
        '{"il":1,"param":9}',
        '{"il":1,"mvar":1}',
        '{"ie":0,"sort":0}',
        '{"ie":1,"sort":7}',
        '{"ie":1,"app":{"fn":1,"arg":0}}',
        '{"app":{"arg":1,"fn":0},"ie":1}',
        '{"app":{"arg":0,"fn":9},"ie":1}',
        '{"app":{"arg":0,"fn":00},"ie":1}',
        '{"app":{"arg":0,"fn":0},"ie":01}',
        '{"app":{"arg":0,"fn":0},"ie":1}x',
        '{"app":{"arg":0,"arg":0,"fn":0},"ie":1}',
        '{"bvar":-1,"ie":1}',
        '{"bvar":1e3,"ie":1}',
        '{"bvar":NaN,"ie":1}',
        '{"const":{"name":1,"us":[3]},"ie":1}',
        '{"const":{"name":1,"us":0},"ie":1}',
        '{"const":{"name":7,"us":[]},"ie":1}',
        '{"const":{"name":1,"us":[00]},"ie":1}',
        '{"const":{"name":1,"us":[0,]},"ie":1}',
        '{"forallE":{"binderInfo":"other","body":0,"name":0,"type":0},"ie":1}',
        '{"ie":1,"lam":{"binderInfo":null,"body":0,"name":0,"type":0}}',
        '{"ie":1,"letE":{"body":0,"name":0,"nondep":0,"type":0,"value":0}}',
        '{"ie":1,"proj":{"idx":-1,"struct":0,"typeName":1}}',
        '{"ie":1,"natVal":7}',
        '{"ie":1,"natVal":"-1"}',
        '{"ie":1,"natVal":"01"}',
        '{"ie":1,"natVal":""}',
        '{"ie":1,"natVal":"１"}',
        '{"ie":1,"strVal":1}',
        '{"ie":1,"fvar":1}',
        '{"ie":1,"mvar":1}',
        '{"ie":1,"mdata":{"data":1,"expr":0}}',
        '{"ie":1,"sort":0,"bvar":0}',
        '{"axiom":{"isUnsafe":0,"levelParams":[],"name":1,"type":0}}',
        '{"axiom":{"isUnsafe":false,"levelParams":[],"name":1,"type":3}}',
        '{"axiom":{"isUnsafe":false,"levelParams":1,"name":1,"type":0}}',
        '{"axiom":{"isUnsafe":false,"levelParams":[],"name":1}}',
        '{"axiom":[]}',
        '{"theorem":{}}',
        '{"thm":{"all":[1],"levelParams":[],"name":1,"type":0}}',
        '{"def":{"all":[1],"hints":"other","levelParams":[],"name":1,"safety":"safe","type":0,'
        '"value":0}}',
        '{"def":{"all":[1],"hints":{"regular":4294967296},"levelParams":[],"name":1,'
        '"safety":"safe","type":0,"value":0}}',
        '{"def":{"all":[1],"hints":"abbrev","levelParams":[],"name":1,"safety":"none","type":0,'
        '"value":0}}',
        '{"quot":{"kind":"other","levelParams":[],"name":1,"type":0}}',
        '{"inductive":{"ctors":[],"recs":[],"types":[]}}',
        '{"inductive":{"ctors":[],"recs":[]}}',
        '{"inductive":[]}',
        '{"axiom":{},"thm":{}}',
        "{}",
        "[]",
        "0",
        "",
        " ",
    ],
)
def test_lines_that_are_not_of_the_format(tmp_path: Path, line: str) -> None:
    message = refused(f"{HEAD}{NAMES}{TERMS}{line}\n", tmp_path)
    assert "line 4" in message
    read(HEAD + NAMES + TERMS, tmp_path)


def test_a_cut_line(tmp_path: Path) -> None:
    assert "middle of a line" in refused(GOOD[:-1], tmp_path)
    refused(GOOD[:-5], tmp_path)


@pytest.mark.parametrize(
    ("limits", "line"),
    [
        ({"lines": 3}, ""),
        ({"line_bytes": 100}, json.dumps({"in": 2, "str": {"pre": 0, "str": "x" * 200}})),
        ({"digits": 10}, '{"ie":1,"natVal":"12345678901"}'),
        ({}, '{"ie":1,"natVal":"' + "9" * 100_001 + '"}'),
        ({}, '{"in":2,"num":{"pre":0,"i":' + "9" * 5000 + "}}"),
        ({}, '{"bvar":1048575,"ie":1}'),
        ({"name_components": 1}, '{"in":2,"str":{"pre":1,"str":"b"}}'),
        ({"level_depth": 1}, '{"il":1,"succ":0}\n{"il":2,"succ":1}'),
        ({"expressions": 1}, '{"bvar":0,"ie":1}'),
    ],
)
def test_limits(tmp_path: Path, limits: dict[str, int], line: str) -> None:
    text = GOOD + (line + "\n" if line else "")
    assert "limit-exceeded" in refused(text, tmp_path, export.Limits(**limits))


def test_a_line_of_many_bytes_is_not_gathered(tmp_path: Path) -> None:
    limits = export.Limits(line_bytes=1 << 20)
    assert "limit-exceeded" in refused(b"x" * (1 << 24), tmp_path, limits)


def test_a_long_name_and_number_within_limits(tmp_path: Path) -> None:
    text = HEAD + json.dumps({"in": 1, "str": {"pre": 0, "str": "n" * 1_000_000}}) + "\n"
    digits = "7" * 100_000
    text += f'{{"ie":0,"natVal":"{digits}"}}\n'
    source = read(text, tmp_path)
    assert t.numeral(source.terms.nats[0]) == digits
    assert source.terms.names[1] == ("n" * 1_000_000,)


def test_ids_in_any_order(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = [
        {"in": 70, "str": {"pre": 0, "str": "a"}},
        {"il": 9, "succ": 0},
        {"ie": 50, "sort": 9},
        {"ie": 3, "sort": 0},
        {"ie": 7, "forallE": {"binderInfo": "default", "body": 3, "name": 70, "type": 50}},
        {"axiom": {"isUnsafe": False, "levelParams": [], "name": 70, "type": 7}},
    ]
    source = read(HEAD + support.joined(lines), tmp_path)
    found = source.find(("a",))
    assert found is not None
    assert t.render(source.terms, found.type) == "(Π(Sort 1) Sort 0)"
    refused(HEAD + support.joined([*lines, {"ie": 3, "sort": 0}]), tmp_path)
    refused(HEAD + support.joined([*lines, {"ie": 1, "app": {"fn": 0, "arg": 3}}]), tmp_path)


def test_metadata_is_left_out(tmp_path: Path) -> None:
    lines = [
        *map(json.loads, (NAMES + TERMS).splitlines()),
        {"ie": 1, "mdata": {"data": {"k": "v"}, "expr": 0}},
        {"ie": 2, "forallE": {"binderInfo": "default", "body": 1, "name": 0, "type": 1}},
        {"axiom": {"isUnsafe": False, "levelParams": [], "name": 1, "type": 2}},
    ]
    source = read(HEAD + support.joined(lines), tmp_path)
    assert t.render(source.terms, source.declarations[0].type) == "(Π(Sort 0) Sort 0)"


def older(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Write records as 3.0 has them."""
    out: list[dict[str, Any]] = []
    for line in lines:
        match line:
            case {"meta": meta}:
                out.append({"meta": {**meta, "format": {"version": "3.0.0"}}})
            case {"axiom": value}:
                out.append({"axiomInfo": value})
            case {"def": value} | {"opaque": value}:
                out.append({"def": [value]})
            case {"thm": value}:
                out.append({"thm": [value]})
            case {"quot": value}:
                out.append({"quotInfo": value})
            case {"inductive": value}:
                out.append(
                    {
                        "inductive": {
                            "inductiveVals": value["types"],
                            "constructorVals": value["ctors"],
                            "recursorVals": value["recs"],
                        }
                    }
                )
            case _:
                out.append(line)
    return out


@pytest.mark.parametrize("name", sorted(terms_library.DEVELOPMENTS))
def test_format_3_0(tmp_path: Path, name: str) -> None:
    text = support.exports()[name]
    one = read(text, tmp_path)
    two = read(support.joined(older(support.records(text))), tmp_path)
    assert two.declarations == one.declarations
    assert two.meta["format"] == "3.0.0"


def test_the_quotient_before_the_equality(tmp_path: Path) -> None:
    """Take the quotient first, as exporters of 3.0 may write it."""
    lines = older(support.records(support.exports()["quotients"]))
    equality = next(
        i
        for i, x in enumerate(lines)
        if "inductive" in x and len(x["inductive"]["inductiveVals"][0]["levelParams"]) == 1
    )
    quotients = [i for i, x in enumerate(lines) if "quotInfo" in x]
    block = lines[equality]
    users = lines[quotients[-1] + 1 :]
    kept = [x for i, x in enumerate(lines[: quotients[-1] + 1]) if i != equality]
    # What uses the equality is left out here, but for the quotient.
    kept = [x for x in kept if not {"thm", "def"} & x.keys()]
    del users
    done = support.replayed(support.joined([*kept, block]), tmp_path)
    assert (done.exit_status, support.rules(done)) == (0, [])
    assert done.declarations["quotient"] == 1


@pytest.mark.parametrize("suffix", [".xz", ".gz"])
def test_compressed(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"e.ndjson{suffix}"
    pack = lzma.compress if suffix == ".xz" else gzip.compress
    file.write_bytes(pack(GOOD.encode()))
    assert len(export.read(file).declarations) == 1
    for spoiled in (file.read_bytes()[:-9], b"no archive", file.read_bytes()[:40] + b"x" * 50):
        file.write_bytes(spoiled)
        with pytest.raises(Stop):
            export.read(file)


@pytest.mark.parametrize("name", sorted(terms_library.DEVELOPMENTS))
def test_written_and_read_again(tmp_path: Path, name: str) -> None:
    one = read(support.exports()[name], tmp_path)
    out = io.StringIO()
    meta = {"exporter": "x", "version": "1", "lean": "", "githash": ""}
    lines = export.write(one, list(range(len(one.declarations))), out, meta)
    assert lines == out.getvalue().count("\n")
    two = read(out.getvalue(), tmp_path)
    same = t.Comparison(one.terms, two.terms)
    assert len(one.constants) == len(two.constants)
    for index, constant in one.constants.items():
        there = two.find(one.terms.names[index])
        assert there is not None
        assert same.constants(constant, there)


def test_random_bytes(tmp_path: Path) -> None:
    rng = random.Random(3)
    for size in (1, 10, 1000, 100_000):
        refused(rng.randbytes(size), tmp_path)
    whole = GOOD.encode()
    for _ in range(300):
        data = bytearray(whole)
        data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            read(bytes(data), tmp_path)
        except Stop as stop:
            assert stop.finding.level == "could-not-run"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "in",
                        "ie",
                        "il",
                        "str",
                        "num",
                        "pre",
                        "i",
                        "app",
                        "fn",
                        "arg",
                        "thm",
                        "axiom",
                        "def",
                        "inductive",
                        "types",
                        "ctors",
                        "recs",
                        "name",
                        "type",
                        "value",
                        "all",
                        "quot",
                    ]
                ),
                inner,
            )
        ),
    )
)
def test_any_json(value: object) -> None:
    reader = export.Reader()
    reader.lines(HEAD.encode().splitlines())
    line = json.dumps(value).encode()
    try:
        reader.lines([line])
    except (export._Bad, export._Beyond):
        return
    assert reader.count == 2
