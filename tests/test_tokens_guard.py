"""Code of Lean files changes together with its record; comments and documentation alone."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import check_tokens
from harness import faults, token_record
from harness.token_record import FILE, RecordError, parse, written
from projects_for_tests import CHECKOUT, policy_text

CODE = "/-- One. -/\ntheorem one : 1 = 1 :=\n  rfl  -- so\n"
ACCEPTED, REJECTED, COULD_NOT_RUN = 0, 1, 2


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of two files, recorded."""
    folder = tmp_path / "a project é"
    (folder / "Sub").mkdir(parents=True)
    (folder / "policy.toml").write_text(
        policy_text(sources='exclude = ["tests"]', build=""), encoding="utf-8"
    )
    (folder / "One.lean").write_text(CODE, encoding="utf-8")
    (folder / "Sub" / "Zwei é.lean").write_text("def two := 2\n", encoding="utf-8")
    assert guard(folder, "--update")[0] == ACCEPTED
    return folder


def guard(project: Path, *arguments: str) -> tuple[int, set[tuple[str, str]], str]:
    """Run the script: exit status, rule and file of every finding, and what was on both streams."""
    out = project.parent / "result.json"
    out.unlink(missing_ok=True)
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        status = check_tokens.main(["--project", str(project), "--json", str(out), *arguments])
    assert "Traceback" not in text.getvalue()
    result = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}
    found = {(f["rule"], f["file"]) for f in result.get("findings", ())}
    return status, found, text.getvalue()


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8", newline="")


def test_what_is_recorded_is_accepted(project: Path) -> None:
    status, found, text = guard(project)
    assert (status, found) == (ACCEPTED, set())
    assert "2 Lean files as recorded" in text
    assert text.count("ACCEPTED (code as recorded)") == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("-- so", "-- because both sides are the same"),
        ("/-- One. -/", "/-- One is one,\n\nas it says. -/"),
        ("/-- One. -/\n", ""),
        ("\n", "\r\n"),
        ("theorem", "\n\n\ntheorem"),
    ],
)
def test_comments_may_change(project: Path, old: str, new: str) -> None:
    edit(project / "One.lean", old, new)
    assert guard(project)[:2] == (ACCEPTED, set())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1 = 1", "1 = 2"),
        ("theorem one", "theorem onE"),
        ("  rfl", "    rfl"),
        (":=\n  rfl", ":= rfl"),
        ("  rfl  -- so", "  -- rfl so"),
    ],
)
def test_code_may_not(project: Path, old: str, new: str) -> None:
    edit(project / "One.lean", old, new)
    status, found, text = guard(project)
    assert (status, found) == (REJECTED, {("tokens-changed", "One.lean")})
    assert "One.lean: tokens-changed: its code, line breaks or indentation" in text
    assert "check_tokens.py --update" in text
    assert guard(project, "--update")[0] == ACCEPTED
    assert guard(project)[:2] == (ACCEPTED, set())


def test_files_that_come_and_go(project: Path) -> None:
    (project / "One.lean").rename(project / "Eins.lean")
    (project / "tests").mkdir()
    (project / "tests" / "Excluded.lean").write_text("def x := 1\n", encoding="utf-8")
    status, found, text = guard(project)
    assert status == REJECTED
    assert found == {("tokens-changed", "One.lean"), ("tokens-changed", "Eins.lean")}
    assert "is recorded, and not there" in text
    assert "is not recorded" in text


@pytest.mark.parametrize(
    "text",
    [None, b"\xff\xfe", b"0123  One.lean\n", b"0" * 64 + b" One.lean\n", b"folder"],
)
def test_no_record_is_no_evidence(project: Path, text: bytes | None) -> None:
    path = project / FILE
    path.unlink()
    if text == b"folder":
        path.mkdir()
    elif text is not None:
        path.write_bytes(text)
    status, found, _ = guard(project)
    assert (status, found) == (COULD_NOT_RUN, {("tokens-missing", FILE)})


def test_path_recorded_twice_is_no_record(project: Path) -> None:
    path = project / FILE
    path.write_text(path.read_text(encoding="utf-8") * 2, encoding="utf-8")
    status, found, text = guard(project)
    assert (status, found) == (COULD_NOT_RUN, {("tokens-missing", FILE)})
    assert "names a path again" in text


def test_empty_record_records_nothing(project: Path) -> None:
    (project / FILE).write_text("", encoding="utf-8")
    status, found, _ = guard(project)
    assert status == REJECTED
    assert {file for _, file in found} == {"One.lean", "Sub/Zwei é.lean"}


@pytest.mark.parametrize("text", [b"\xff\xfe", b"/- never closed\n"])
def test_source_that_cannot_be_read(project: Path, text: bytes) -> None:
    before = (project / FILE).read_bytes()
    (project / "One.lean").write_bytes(text)
    status, found, _ = guard(project)
    assert (status, found) == (COULD_NOT_RUN, {("source-unreadable", "One.lean")})
    status, _, said = guard(project, "--update")
    assert status == COULD_NOT_RUN
    assert "nothing was written: One.lean" in said
    assert (project / FILE).read_bytes() == before


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
@pytest.mark.parametrize("name", [b"a\nb.lean", b"\xff.lean"])
def test_name_that_cannot_be_recorded(project: Path, name: bytes) -> None:
    Path(os.fsdecode(os.fsencode(project) + b"/" + name)).write_text("", encoding="utf-8")
    before = (project / FILE).read_bytes()
    status, _, said = guard(project, "--update")
    assert status == COULD_NOT_RUN
    assert "no name that can be recorded" in said
    assert (project / FILE).read_bytes() == before


def test_record_with_other_line_ends(project: Path) -> None:
    path = project / FILE
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert guard(project)[:2] == (ACCEPTED, set())


def test_sources_are_left_as_they_are(project: Path) -> None:
    before = {p: p.read_bytes() for p in project.rglob("*.lean")}
    guard(project)
    guard(project, "--update")
    assert {p: p.read_bytes() for p in project.rglob("*.lean")} == before
    assert sorted(p.name for p in project.iterdir()) == ["One.lean", "Sub", FILE, "policy.toml"]


def test_our_own_code_is_as_recorded() -> None:
    recorded = parse((CHECKOUT / FILE).read_text(encoding="utf-8"))
    assert {"Challenge.lean", "lakefile.lean", "scripts/lean/Audit.lean"} <= recorded.keys()
    assert not any(path.startswith(("tests/projects", "tests/rec")) for path in recorded)
    assert check_tokens.main(["--project", str(CHECKOUT)]) == ACCEPTED


def test_planted_faults_show_both_rules() -> None:
    rules = {result.fault.rule for result in faults.results() if result.caught}
    assert {"tokens-changed", "tokens-missing"} <= rules


PATHS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), min_size=1)
HASHES = st.text("0123456789abcdef", min_size=64, max_size=64)


@given(st.dictionaries(PATHS, HASHES))
def test_what_is_written_is_read(hashes: dict[str, str]) -> None:
    assert parse(written(hashes)) == hashes


@given(st.dictionaries(PATHS, HASHES), st.dictionaries(PATHS, HASHES))
def test_a_finding_for_each_difference(a: dict[str, str], b: dict[str, str]) -> None:
    found = [finding.file for finding in token_record.differences(a, b)]
    assert sorted(str(f) for f in found) == sorted(
        path for path in a.keys() | b.keys() if a.get(path) != b.get(path)
    )


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(RecordError):
        assert parse(written(parse(text))) == parse(text)
