"""Other people's checkers on our export.

No real checker is at hand: stand-ins (`fake_checker.py`) answer as the real ones are said to. What
is tested is what the harness makes of an answer; nothing here says anything about a proof.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import lzma
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness import process
from harness.checker_steps import read_leanchecker
from harness.process import End, Outcome
from harness.toolchain import checkers
from harness.toolchain.checkers import Answer, Counted, Found, Limits, Ran, Task
from projects_for_tests import CHECKOUT, TESTS, WITHOUT_MODULES, Played, run_script

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shell scripts stand in for tools")

CASE = TESTS / "projects" / "good_universes"
NAMES = tuple(checker.name for checker in checkers.CHECKERS)
REJECTING = ("leanchecker", "leanchecker-paranoid", "con-leche", "con-ron")
"""Those of which it is known what they print when they reject."""
COUNTING = ("lean4lean", "nanoda_bin", "con-leche", "con-ron")
NOWHERE = "http://127.0.0.1:9"
ELAN = shutil.which("elan", path="/usr/bin:/usr/local/bin")


def stand_in(folder: Path, name: str, behaviour: str = "accepts") -> Path:
    """Put a stand-in for a checker into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -I "{TESTS / "fake_checker.py"}" {name} '
        f'"{behaviour}" "{folder / "log"}" "$@"\n',
        encoding="utf-8",
    )
    path.chmod(0o755)
    return path


def calls(folder: Path) -> list[list[str]]:
    """What the stand-ins of a folder were started with."""
    log = folder / "log"
    if not log.exists():
        return []
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


# What an answer means


EXPORT = """\
{"meta":{"format":{"version":"3.1.0"}}}
{"in":1,"str":{"pre":0,"str":"thm"}}
{"thm":{"name":1}}
{"thm":{"name":2}}
{"axiom":{"name":3,"isUnsafe":false}}
{"axiom":{"name":4,"isUnsafe":true}}
{"def":{"name":5,"safety":"safe"}}
{"def":{"name":6,"safety":"partial"}}
{"opaque":{"name":7,"isUnsafe":false}}
{"quot":{"name":8}}
{"inductive":{"types":[{"isUnsafe":false}],"ctors":[{},{}],"recs":[{}]}}
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the records that stand-ins count; it is not a whole export."""
    file = tmp_path_factory.mktemp("small") / "a b é.ndjson"
    file.write_text(EXPORT, encoding="utf-8")
    return file


LIMITS = Limits(30, 4 << 30)


def asked(name: str, behaviour: str, folder: Path, export: Path, limits: Limits = LIMITS) -> Ran:
    """Ask a stand-in."""
    (checker,) = (c for c in checkers.CHECKERS if c.name == name)
    found = Found(checker, stand_in(folder, name, behaviour), "--checkers here", "4.35.0")
    return checkers.run(found, Task(export, checkers.count(export), ("propext",), limits))


def test_records_and_constants_are_counted(small: Path) -> None:
    assert checkers.count(small) == Counted(records=6, constants=9)


@pytest.mark.parametrize("name", NAMES)
def test_acceptance_is_status_and_line_and_count(name: str, tmp_path: Path, small: Path) -> None:
    ran = asked(name, "accepts", tmp_path, small)
    assert ran.verdict is Answer.ACCEPTED
    assert ran.exit_status == 0
    assert ran.declarations == (9 if name in COUNTING else None)
    assert ran.sha256 == hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
    asked_for_version = name in ("nanoda_bin", "con-leche", "con-ron")
    assert ran.version == (f"{name} 0.9.1 " if asked_for_version else "") + "of Lean 4.35.0"
    assert ran.memory > 1 << 20
    assert 0 < ran.seconds < 30


UNDECIDED = {
    "declines": "declined (exit status 2)|left something out",
    "skips an axiom": "left something out",
    "skips and accepts": "left something out",
    "panics": "panicked (exit status 101)",
    "panics and goes on": "gave up: PANIC",
    "eats memory": "gave up: MemoryError|ended with exit status|was killed by",
    "is killed": "was killed by SIGKILL",
    "accepts and fails": "said that it accepts, and ended with exit status 1",
    "is silent": "did not say that it accepts",
    "fails silently": "ended with exit status 1",
    "usage": "ended with exit status 3: usage",
    "accepts twice": "more than one answer",
    "accepts everything": "accepts a false theorem",
    "quotes": "did not say that it accepts",
    "floods": "characters of output",
    "rejects in colour, then accepts": "said that it accepts, and besides: |more than one answer",
    "rejects aside, then accepts": "and besides: uncaught exception: (kernel) declaration type",
    "is written over": "and besides: type mismatch",
    "meddles": "changed the export that it was shown",
}


@pytest.mark.parametrize("behaviour", UNDECIDED)
@pytest.mark.parametrize("name", NAMES)
def test_anything_else_is_no_answer(name: str, behaviour: str, tmp_path: Path, small: Path) -> None:
    ran = asked(name, behaviour, tmp_path, small)
    assert ran.verdict is Answer.UNDECIDED
    assert any(text in ran.why for text in UNDECIDED[behaviour].split("|")), ran.why


@pytest.mark.parametrize("name", NAMES)
def test_acceptance_for_a_terminal_is_one(name: str, tmp_path: Path, small: Path) -> None:
    ran = asked(name, "accepts in colour", tmp_path, small)
    assert ran.verdict is Answer.ACCEPTED, ran.why
    assert ran.why.isprintable()


@pytest.mark.parametrize("word", ["Error", "PANICKED", "an invalid proof", "exceptions: 1"])
def test_any_word_of_a_rejection_beside_an_acceptance(word: str) -> None:
    con_ron, accepts = checkers.CHECKERS[-1], "accepted 9 declarations\n"
    for stdout, stderr in ((accepts + word, ""), (accepts, word), (f"{word}\n{accepts}", "")):
        outcome = Outcome(("con-ron",), End.EXITED, 0, stdout, stderr, 0.1)
        assert checkers.judge(con_ron, outcome, Counted(6, 9))[0] is Answer.UNDECIDED
    quiet = Outcome(("con-ron",), End.EXITED, 0, f"errors_bound\n{accepts}", "terror", 0.1)
    assert checkers.judge(con_ron, quiet, Counted(6, 9))[0] is Answer.ACCEPTED


@pytest.mark.parametrize("name", NAMES)
def test_rejection_is_what_the_checker_is_known_to_say(
    name: str, tmp_path: Path, small: Path
) -> None:
    ran = asked(name, "rejects", tmp_path, small)
    assert ran.verdict is (Answer.REJECTED if name in REJECTING else Answer.UNDECIDED)
    assert "mismatch" in ran.why or "assertion failed" in ran.why


@pytest.mark.parametrize("name", ["leanchecker", "leanchecker-paranoid"])
def test_quotient_is_compared_after_the_kernel_accepted(
    name: str, tmp_path: Path, small: Path
) -> None:
    ran = asked(name, "rejects the quotient", tmp_path, small)
    assert ran.verdict is Answer.REJECTED
    assert ran.why == "Quotient post-check rejects the solution: Quot.lift"


@pytest.mark.parametrize("name", ["leanchecker", "leanchecker-paranoid"])
def test_kernel_that_ran_out_of_something_rejects_nothing(
    name: str, tmp_path: Path, small: Path
) -> None:
    ran = asked(name, "gives up", tmp_path, small)
    assert ran.verdict is Answer.UNDECIDED
    assert "deep recursion" in ran.why


@pytest.mark.parametrize("name", REJECTING)
def test_two_answers_are_none(name: str, tmp_path: Path, small: Path) -> None:
    ran = asked(name, "accepts and rejects", tmp_path, small)
    assert (ran.verdict, ran.why) == (Answer.UNDECIDED, "gave more than one answer")


@pytest.mark.parametrize("behaviour", ["accepts fewer", "accepts nothing"])
@pytest.mark.parametrize("name", COUNTING)
def test_fewer_than_the_export_has(name: str, behaviour: str, tmp_path: Path, small: Path) -> None:
    ran = asked(name, behaviour, tmp_path, small)
    assert ran.verdict is Answer.UNDECIDED
    assert "declarations of at least 6 that the export has" in ran.why


@pytest.mark.parametrize("name", ["con-leche", "con-ron"])
def test_acceptance_in_the_mode_that_is_not_verified_is_none(
    name: str, tmp_path: Path, small: Path
) -> None:
    assert asked(name, "accepts on trust", tmp_path, small).verdict is Answer.UNDECIDED


@pytest.mark.parametrize("name", NAMES)
def test_checker_that_hangs_is_stopped(name: str, tmp_path: Path, small: Path) -> None:
    began = time.monotonic()
    ran = asked(name, "hangs", tmp_path, small, Limits(1))
    assert time.monotonic() - began < 15
    assert ran.verdict is Answer.UNDECIDED
    assert ran.why == "was stopped after its time limit of 1 s"


def test_program_that_cannot_be_started(tmp_path: Path, small: Path) -> None:
    path = stand_in(tmp_path, "con-ron")
    path.write_bytes(b"\x7fELF neither a program nor a script")
    ran = checkers.run(
        Found(checkers.CHECKERS[-1], path), Task(small, Counted(6, 9), (), Limits(5))
    )
    assert ran.verdict is Answer.UNDECIDED
    assert "could not be started" in ran.why


def test_checker_works_in_a_temporary_folder_of_its_own(
    tmp_path: Path, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    before = sorted(Path.cwd().iterdir())
    assert asked("con-ron", "writes here", tmp_path / "bin", small).verdict is Answer.ACCEPTED
    assert list(place.iterdir()) == []
    assert sorted(Path.cwd().iterdir()) == before


def test_planted_theorem_is_refused_by_a_real_kernel(libraries: Path, tmp_path: Path) -> None:
    from harness.replay import replay

    file = tmp_path / "planted.ndjson"
    file.write_text(checkers.planted(), encoding="utf-8")
    done = replay.replay(replay.Request(export=file, seconds=60))
    assert [(f.rule, f.declaration) for f in done.findings] == [("kernel-rejects", "everything")]


# Where they are looked for


def installed(home: Path, folder: str, *names: str, lean: str = "") -> Path:
    """An installed toolchain with stand-ins for its checkers; gives its programs."""
    programs = home / "toolchains" / folder / "bin"
    programs.mkdir(parents=True)
    for name in names:
        stand_in(programs, name)
    if lean:
        (programs / "lean").write_text(
            f'#!/bin/sh\necho "Lean (version {lean}, x86_64, commit 0, Release)"\n',
            encoding="utf-8",
        )
        (programs / "lean").chmod(0o755)
    return programs


def found(home: Path, folder: Path | None = None, path: str = "") -> dict[str, Found]:
    at_hand = checkers.find(folder, checkers.toolchains(home), {"PATH": path})
    assert tuple(f.checker.name for f in at_hand) == NAMES
    return {f.checker.name: f for f in at_hand if f.path is not None}


def test_newest_toolchain_that_is_new_enough(tmp_path: Path) -> None:
    installed(tmp_path, "leanprover--lean4---v4.30.0", "leanchecker")
    installed(tmp_path, "leanprover--lean4---v4.35.0-rc3", "leanchecker", "con-ron")
    old = installed(tmp_path, "leanprover--lean4---v4.35.0", "leanchecker", "con-leche")
    new = installed(tmp_path, "by hand", "leanchecker", lean="4.100.0")
    installed(tmp_path, "by hand and old", "con-ron", lean="4.34.1")
    installed(tmp_path, "says nothing", "con-ron")
    here = found(tmp_path)
    assert {name: f.path for name, f in here.items()} == {
        "leanchecker": new / "leanchecker",
        "con-leche": old / "con-leche",
    }
    assert here["leanchecker"].version == "4.100.0"
    assert here["con-leche"].origin == "elan: leanprover--lean4---v4.35.0"


def test_folder_that_was_named_comes_first(tmp_path: Path) -> None:
    installed(tmp_path, "leanprover--lean4---v4.35.0", "con-ron", "nanoda_bin")
    mine = stand_in(tmp_path / "mine" / "bin", "con-ron")
    here = found(tmp_path, tmp_path / "mine")
    assert here["con-ron"].path == mine
    assert here["con-ron"].origin == f"--checkers {tmp_path / 'mine'}"
    assert set(here) == {"con-ron", "nanoda_bin"}


def test_path_is_last_and_its_leanchecker_has_to_be_new(tmp_path: Path) -> None:
    old = installed(tmp_path / "old", "x", "leanchecker", "nanoda_bin", lean="4.30.0")
    here = found(tmp_path, path=str(old))
    assert {name: f.origin for name, f in here.items()} == {"nanoda_bin": "PATH"}
    (refused,) = (
        f for f in checkers.find(None, [], {"PATH": str(old)}) if f.checker.name == "leanchecker"
    )
    assert refused.why == f"{old / 'leanchecker'} is of Lean 4.30.0"
    new = installed(tmp_path / "new", "x", "leanchecker", lean="4.35.0")
    assert found(tmp_path, path=str(new))["leanchecker"].version == "4.35.0"


@pytest.mark.parametrize("name", NAMES)
def test_elans_stand_in_is_no_checker_and_is_not_started(name: str, tmp_path: Path) -> None:
    shims = tmp_path / "shims"
    elan = stand_in(shims, "elan")
    (shims / name).symlink_to("elan")
    copied = tmp_path / "copies"
    copied.mkdir()
    for program in ("elan", name):
        shutil.copy(elan, copied / program)
    for folder in (shims, copied):
        assert found(tmp_path, folder) == {}
        assert found(tmp_path, path=str(folder)) == {}
    real = installed(tmp_path, "leanprover--lean4---v4.35.0", name)
    assert found(tmp_path, shims, path=str(shims))[name].path == real / name
    assert calls(shims) == calls(copied) == []


# Through verify.py


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, libraries: Path) -> Iterator[Path]:
    """A folder with a project and an export of it."""
    folder = tmp_path_factory.mktemp("paranoid")
    shutil.copytree(CASE, folder / "project")
    project = str(folder / "project")
    assert run_script("check_axioms.py", "--embedded", "--project", project).returncode == 0
    done = run_script(
        "replay.py", "--embedded", "--project", project, "--write-export",
        str(folder / "proof.ndjson"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    shutil.rmtree(folder / "project" / "build")
    yield folder


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copy"))


@pytest.fixture
def alone(tmp_path: Path) -> dict[str, str]:
    """An environment without elan, checkers or network."""
    home = tmp_path / "home"
    home.mkdir()
    return {
        "PATH": "/nowhere",
        "HOME": str(home),
        "ELAN_HOME": str(tmp_path / "elan"),
    } | dict.fromkeys(("https_proxy", "http_proxy", "all_proxy"), NOWHERE)


Verify = Callable[..., tuple[int, dict[str, Any], str, str]]


@pytest.fixture
def verify(copy: Path, alone: dict[str, str]) -> Verify:
    """Verify the export with other checkers: exit status, result, page, findings."""

    def run(*arguments: str, file: str = "proof.ndjson") -> tuple[int, dict[str, Any], str, str]:
        done = run_script(
            "verify.py", "--embedded", "--project", str(copy / "project"), "--from-export",
            str(copy / file), "--paranoid", "--json", str(copy / "result.json"), *arguments,
            env=alone,
        )  # fmt: skip
        assert "Traceback" not in done.stderr
        result = json.loads((copy / "result.json").read_text(encoding="utf-8"))
        return done.returncode, result, done.stdout, done.stderr

    return run


def rules(result: dict[str, Any]) -> set[str]:
    return {f["rule"] for f in result["findings"] if f["level"] != "warning"}


def step(result: dict[str, Any], name: str = "paranoid") -> dict[str, Any]:
    (one,) = (s for s in result["steps"] if s["name"] == name)
    return dict(one)


def test_all_that_run_accept(copy: Path, verify: Verify, tmp_path: Path) -> None:
    folder = tmp_path / "checkers"
    for name in NAMES[1:]:
        stand_in(folder, name)
    status, result, page, _ = verify("--checkers", str(folder))
    assert status == 0, page
    assert step(result) == step(result) | {"status": "passed", "required": True}
    assert "Its export was accepted by leanchecker-paranoid, lean4lean" in " ".join(page.split())
    table = {ran["name"]: ran for ran in result["checkers"]}
    assert table.pop("leanchecker")["verdict"] == "not here"
    for name, ran in table.items():
        assert ran["verdict"] == "accepted"
        assert ran["path"] == str(folder / name)
        assert ran["origin"] == f"--checkers {folder}"
        assert ran["sha256"] == hashlib.sha256((folder / name).read_bytes()).hexdigest()
        assert ran["sha256"] in page
        assert ran["memory"] > 0
    assert "it was written down without one at hand" in " ".join(page.split())
    # Each was shown the false theorem first, then the export.
    shown = [call[-1] for call in calls(folder) if call[0] == "con-ron"]
    assert shown[0] == "--version"
    assert shown[1].endswith("false.ndjson")
    # Of a copy: what it writes beside the export ends with it.
    assert [Path(one).name for one in shown[2:]] == ["proof.ndjson"]
    assert Path(shown[2]).parents[1] == Path(shown[1]).parent
    assert not Path(shown[2]).exists()


@pytest.mark.parametrize(("suffix", "packed"), [(".xz", lzma.compress), (".gz", gzip.compress)])
def test_compressed_export_is_unpacked_for_them(
    copy: Path, verify: Verify, tmp_path: Path, suffix: str, packed: Callable[[bytes], bytes]
) -> None:
    folder = tmp_path / "checkers"
    stand_in(folder, "nanoda_bin")
    file = copy / "proof.ndjson"
    file.with_name(file.name + suffix).write_bytes(packed(file.read_bytes()))
    file.unlink()
    status, result, page, _ = verify("--checkers", str(folder), file=file.name + suffix)
    assert status == 0, page
    assert [ran["name"] for ran in result["checkers"] if ran["verdict"] == "accepted"] == [
        "nanoda_bin"
    ]


def test_one_rejection_is_a_violation(verify: Verify, tmp_path: Path) -> None:
    folder = tmp_path / "checkers"
    stand_in(folder, "con-leche")
    stand_in(folder, "con-ron", "rejects")
    status, result, page, said = verify("--checkers", str(folder))
    assert status == 1
    assert rules(result) == {"checker-rejects"}
    assert step(result)["status"] == "failed"
    assert "checker-rejects: con-ron rejects the export: con-ron: rejected: type mismatch" in said
    assert page.startswith("good_universes: REJECTED")


@pytest.mark.parametrize("behaviour", ["declines", "is silent", "accepts and fails", "panics"])
def test_one_without_an_answer_is_never_green(
    verify: Verify, tmp_path: Path, behaviour: str
) -> None:
    folder = tmp_path / "checkers"
    stand_in(folder, "leanchecker")
    stand_in(folder, "con-leche", behaviour)
    status, result, page, _ = verify("--checkers", str(folder))
    assert status == 2
    assert rules(result) == {"checker-undecided"}
    assert page.startswith("good_universes: COULD NOT RUN")
    answers = {ran["name"]: ran["verdict"] for ran in result["checkers"]}
    assert answers["leanchecker"] == "accepted"
    assert answers["con-leche"] == "could not run"


def test_checker_that_changes_what_it_is_shown_changes_it_for_nobody(
    copy: Path, verify: Verify, tmp_path: Path
) -> None:
    before = (copy / "proof.ndjson").read_bytes()
    stand_in(tmp_path / "checkers", "con-ron", "meddles")
    status, result, page, _ = verify("--checkers", str(tmp_path / "checkers"))
    assert status == 2, page
    assert rules(result) == {"checker-undecided"}
    assert "con-ron changed the export that it was shown" in " ".join(page.split())
    assert (copy / "proof.ndjson").read_bytes() == before


def test_none_at_hand(verify: Verify, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    status, result, _, said = verify("--checkers", str(tmp_path / "empty"))
    assert status == 2
    assert rules(result) == {"checker-missing"}
    assert {ran["verdict"] for ran in result["checkers"]} == {"not here"}
    assert "nobody could be asked" not in said


def test_without_a_terminal_nobody_is_asked(verify: Verify) -> None:
    status, result, page, said = verify()
    assert status == 2
    assert rules(result) == {"checker-missing"}
    assert "nobody could be asked whether to install it" in said
    assert "elan toolchain install leanprover/lean4:v4.35.0" in " ".join(page.split())


def test_they_are_installed_beside_the_pinned_toolchain(
    copy: Path, alone: dict[str, str], verify: Verify, tmp_path: Path
) -> None:
    ready = tmp_path / "ready"
    for name in NAMES:
        stand_in(ready / "bin", name)
    elan = tmp_path / "elan" / "bin" / "elan"
    elan.parent.mkdir(parents=True)
    target = tmp_path / "elan" / "toolchains" / "leanprover--lean4---v4.35.0"
    elan.write_text(
        f'#!/bin/sh\necho "$@" >>"{tmp_path / "asked"}"\n'
        f'/bin/mkdir -p "{target.parent}" && /bin/cp -r "{ready}" "{target}"\n',
        encoding="utf-8",
    )
    elan.chmod(0o755)
    pin = copy / "project" / "lean-toolchain"
    pin.write_text("leanprover/lean4:v4.30.0\n", encoding="utf-8")
    status, result, page, said = verify("--yes")
    assert status == 0, page
    assert "beside the pinned toolchain, which stays what it is? — yes (--yes)" in said
    asked_of_elan = (tmp_path / "asked").read_text(encoding="utf-8")
    assert asked_of_elan == "toolchain install leanprover/lean4:v4.35.0\n"
    assert pin.read_text(encoding="utf-8") == "leanprover/lean4:v4.30.0\n"
    assert {ran["verdict"] for ran in result["checkers"]} == {"accepted"}
    assert {ran["origin"] for ran in result["checkers"]} == {"elan: leanprover--lean4---v4.35.0"}
    # What is there is not installed again.
    assert verify("--yes")[0] == 0
    assert (tmp_path / "asked").read_text(encoding="utf-8") == asked_of_elan


@pytest.mark.skipif(ELAN is None, reason="elan is not installed (on Debian: apt install elan)")
def test_real_elan_without_a_network_ends_in_seconds(alone: dict[str, str], verify: Verify) -> None:
    assert ELAN is not None
    alone["PATH"] = os.pathsep.join([str(Path(ELAN).parent), "/bin"])
    began = time.monotonic()
    status, result, _, said = verify("--yes")
    assert time.monotonic() - began < 20
    assert status == 2
    assert rules(result) == {"checker-missing"}
    assert "elan could not install leanprover/lean4:v4.35.0: error: could not download" in said


def test_folder_that_is_none_is_bad_usage(copy: Path, alone: dict[str, str]) -> None:
    for arguments, why in (
        (("--paranoid", "--checkers", str(copy / "nowhere")), "is no folder"),
        (("--checkers", str(copy)), "name both"),
        (("--example", "--paranoid"), "not about the example"),
    ):
        done = run_script(
            "verify.py", "--embedded", "--project", str(copy / "project"), *arguments, env=alone
        )
        assert done.returncode == 2
        assert why in done.stderr


def test_export_of_the_same_run_is_what_they_check(
    copy: Path, alone: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "checkers"
    for name in ("lean4lean", "con-ron"):
        stand_in(folder, name)
    done = run_script(
        "verify.py", "--embedded", "--project", str(copy / "project"), "--require",
        "build,terms,replay,paranoid", "--checkers", str(folder), "--json",
        str(copy / "result.json"), env=alone,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads((copy / "result.json").read_text(encoding="utf-8"))
    names = [s["name"] for s in result["steps"]]
    assert names.index("paranoid") == names.index("replay") + 1
    shown = {call[-1] for call in calls(folder) if call[-1].endswith("proof.ndjson")}
    assert len(shown) == 2
    build = copy / "project" / "build"
    assert (build / "proof.ndjson").read_bytes() == (copy / "proof.ndjson").read_bytes()
    assert not any(Path(one).is_relative_to(build) for one in shown)


def test_what_the_replay_rejects_is_shown_to_nobody(
    alone: dict[str, str], tmp_path: Path, libraries: Path
) -> None:
    project = shutil.copytree(TESTS / "projects" / "skip_kernel", tmp_path / "project")
    folder = tmp_path / "checkers"
    stand_in(folder, "con-ron")
    done = run_script(
        "verify.py", "--embedded", "--project", str(project), "--paranoid", "--checkers",
        str(folder), env=alone,
    )  # fmt: skip
    assert done.returncode == 1
    assert "– paranoid" in done.stdout
    assert calls(folder) == []


# The pinned toolchain's leanchecker


def answered(status: int, stdout: str = "", stderr: str = "") -> Outcome:
    return Outcome(("lake", "env", "leanchecker"), End.EXITED, status, stdout, stderr, 0.1)


MODULES = ["Demo.A", "Demo.B"]
BOTH = "replaying Demo.A\nreplaying Demo.B\n"
PROBLEM = "leanchecker found a problem in Demo.B\nuncaught exception: "


@pytest.mark.parametrize(
    ("outcome", "status", "rule", "said"),
    [
        (answered(0, BOTH), None, None, "2 of our modules replayed"),
        (answered(0), "could-not-run", "leanchecker-unclear", "Demo.A, Demo.B"),
        (answered(0, "replaying Demo.A\n"), "could-not-run", "leanchecker-unclear", "Demo.B"),
        (answered(0, BOTH, PROBLEM + "x"), "could-not-run", "leanchecker-unclear", "x"),
        (
            answered(1, BOTH, PROBLEM + "while replaying declaration 'x':\n(kernel) mismatch"),
            None,
            "checker-rejects",
            "the kernel rejects module Demo.B: uncaught exception: while replaying declaration 'x'",
        ),
        (
            answered(1, BOTH, PROBLEM + "(kernel) deep recursion detected"),
            "could-not-run",
            "leanchecker-unclear",
            "deep recursion",
        ),
        (
            answered(1, BOTH, PROBLEM + "object file 'B.olean' of module Demo.B does not exist"),
            "could-not-run",
            "leanchecker-unclear",
            "does not exist",
        ),
        (
            answered(1, "", "uncaught exception: Could not find any oleans for: Demo.A"),
            "could-not-run",
            "leanchecker-unclear",
            "Could not find any oleans",
        ),
        (answered(-9, BOTH), "could-not-run", "leanchecker-unclear", "was killed by SIGKILL"),
        (answered(137, BOTH), "could-not-run", "leanchecker-unclear", "exit status 137"),
    ],
)
def test_what_leanchecker_says(
    outcome: Outcome, status: str | None, rule: str | None, said: str
) -> None:
    looked = read_leanchecker(outcome, MODULES)
    assert looked.status == status
    assert [f.rule for f in looked.findings] == ([rule] if rule else [])
    assert said in (looked.findings[0].message if rule else looked.detail)


def gate(good: Played, result: Path) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    done = good.run("verify.py", *WITHOUT_MODULES, "--json", str(result))
    return done, json.loads(result.read_text(encoding="utf-8"))


def test_toolchain_without_leanchecker_is_said_to_have_none(good: Played, tmp_path: Path) -> None:
    done, result = gate(good, tmp_path / "result.json")
    assert done.returncode == 0, done.stdout
    assert step(result, "leanchecker")["status"] == "not-run"
    assert "leanchecker: the pinned toolchain has no leanchecker" in done.stdout


@pytest.mark.parametrize("verdict", ["accepts", "rejects", "unclear"])
def test_leanchecker_of_the_pinned_toolchain(good: Played, tmp_path: Path, verdict: str) -> None:
    """A stand-in for `lake env leanchecker` plays back what the sources of Lean 4.30 print."""
    program = stand_in(good.toolchain / "bin", "leanchecker")
    modules = [m for m in ("Defs", "Lemma", "Solution") if (good.project / f"{m}.lean").exists()]
    lines = "".join(f"replaying {module}\n" for module in modules)
    match verdict:
        case "accepts":
            good.answer("env", str(program), "-v", stdout=lines)
        case "rejects":
            problem = "leanchecker found a problem in Solution\nuncaught exception: (kernel) no\n"
            good.answer("env", str(program), "-v", stdout=lines, stderr=problem, exit=1)
        case "unclear":
            good.answer("env", str(program), "-v", exit=1, stderr="uncaught exception: what?\n")
    done, result = gate(good, tmp_path / "result.json")
    (call,) = (c["argv"] for c in good.calls() if c["argv"][:2] == ["env", str(program)])
    assert call[3:] == modules
    assert done.returncode == (1 if verdict == "rejects" else 0), done.stdout
    found_rules = {f["rule"] for f in result["findings"]}
    assert ("checker-rejects" in found_rules) == (verdict == "rejects")
    assert ("leanchecker-unclear" in found_rules) == (verdict == "unclear")
    one = step(result, "leanchecker")
    assert one["required"] is False
    assert one["status"] == {
        "accepts": "passed", "rejects": "failed", "unclear": "could-not-run"
    }[verdict]  # fmt: skip


# For the day on which the pins reach v4.35.0


def test_comparators_configuration_says_what_the_policy_says() -> None:
    config = json.loads((CHECKOUT / "comparator_config.json").read_text(encoding="utf-8"))
    policy = tomllib.loads((CHECKOUT / "scripts" / "policy.toml").read_text(encoding="utf-8"))
    assert config == {
        "challenge_module": "Challenge",
        "solution_module": "DinhSharpness",
        "theorem_names": policy["targets"]["challenge"],
        "permitted_axioms": [axiom["name"] for axiom in policy["axioms"]],
    }
    assert policy["project"]["modules"] == [config["solution_module"]]
    assert policy["targets"]["challenge-modules"] == [config["challenge_module"]]


def test_memory_of_a_program_is_measured(tmp_path: Path) -> None:
    code = "held = bytearray(300 << 20); print(len(held))"
    outcome = process.run([sys.executable, "-I", "-c", code], cwd=tmp_path, seconds=60)
    assert outcome.ok
    assert 300 << 20 <= outcome.memory < 1 << 30
