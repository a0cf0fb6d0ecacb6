"""Finding the pinned Lean, and saying at once what is missing, without downloading anything."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness import console, machine, policy, selftest, setup
from harness.steps import Run
from harness.toolchain import elan
from harness.toolchain.elan import Lean, ToolchainMissing
from projects_for_tests import SCRIPTS, Played, run_script

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shell scripts stand in for tools")

PIN = "leanprover/lean4:v4.27.0"
FOLDER = "leanprover--lean4---v4.27.0"
OTHER = "leanprover--lean4---v4.26.0"
NOWHERE = "http://127.0.0.1:9"
"""A proxy that is not there: nothing reaches the network, whatever the machine."""


class Place:
    """A machine of its own: a home, elan's folder and a PATH, all empty at first.

    Every program put on it leaves `started` behind when it is started.
    """

    def __init__(self, folder: Path) -> None:
        self.home, self.path, self.elan_home = (folder / n for n in ("home", "path", "elan home"))
        self.temporary = folder / "tmp"
        for made in (self.home, self.path, self.temporary):
            made.mkdir()
        self.started = folder / "started"
        self.environ = {
            "HOME": str(self.home),
            "ELAN_HOME": str(self.elan_home),
            "PATH": str(self.path),
            "TMPDIR": str(self.temporary),
        } | dict.fromkeys(("https_proxy", "http_proxy", "all_proxy"), NOWHERE)

    def program(self, path: Path, commands: str = "") -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f'#!/bin/sh\necho "$0 $@" >>"{self.started}"\n{commands}\n', encoding="utf-8"
        )
        path.chmod(0o755)
        return path

    def toolchain(self, folder: Path, commands: str = "") -> Path:
        for name in ("lake", "lean"):
            self.program(folder / "bin" / name, commands)
        return folder

    def in_elan(self, name: str = FOLDER) -> Path:
        return self.elan_home / "toolchains" / name

    def calls(self) -> list[str]:
        if not self.started.exists():
            return []
        return self.started.read_text(encoding="utf-8").splitlines()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "pinned"
    folder.mkdir()
    pin(folder, PIN + "\n")
    return folder


def pin(folder: Path, text: str) -> None:
    (folder / "lean-toolchain").write_text(text, encoding="utf-8")


def missing(project: Path, place: Place, named: Path | None = None) -> ToolchainMissing:
    """What is said where no Lean is found; nothing may have been started for it."""
    with pytest.raises(ToolchainMissing) as caught:
        elan.find(project, named, place.environ)
    assert place.calls() == []
    return caught.value


def flat(page: str) -> str:
    """A page as one line: where its lines break is of no importance."""
    return " ".join(page.split())


def limit(commands: str) -> float:
    """Seconds for commands: few for those that would take for ever."""
    return 1 if "sleep" in commands else 30


# Pins and names


@pytest.mark.parametrize(
    ("pinned", "release"),
    [
        (PIN, "4.27.0"),
        ("leanprover/lean4:v4.31.0-rc1", "4.31.0-rc1"),
        ("leanprover/lean4:4.27.0", "4.27.0"),
        ("v4.27.0", "4.27.0"),
        ("leanprover/lean4:nightly-2025-01-01", None),
        ("leanprover/lean4:stable", None),
        ("leanprover/lean4:v4.27", None),
        ("leanprover/lean4:v4.27.0.1", None),
        ("leanprover/lean4:v4.27.0 ", None),
        ("leanprover/lean4:v4.٢.0", None),
        ("", None),
    ],
)
def test_release_of_a_pin(pinned: str, release: str | None) -> None:
    assert elan.release_of(pinned) == release


def test_folder_of_a_toolchain() -> None:
    assert elan.folder_name(PIN) == FOLDER
    assert elan.folder_name("mine") == "mine"


@pytest.mark.parametrize("text", [PIN, f"{PIN}\n", f"  {PIN}\r\n\n", f"\ufeff{PIN}\n"])
def test_pin_is_read_whatever_stands_around_it(project: Path, text: str) -> None:
    (project / "lean-toolchain").write_bytes(text.encode("utf-8"))
    assert elan.read_pin(project) == PIN


def test_project_without_a_pin(tmp_path: Path, place: Place) -> None:
    assert elan.read_pin(tmp_path) is None
    error = missing(tmp_path, place)
    assert "has no lean-toolchain file" in str(error)
    assert "leanprover/lean4:v4.30.0" in error.remedy


@pytest.mark.parametrize(
    "text", ["", "\n", "-v", "--help", ".", "..", "../../x", "/bin", "a b", f"{PIN}\n{PIN}", "«»",
             "--x:v4.27.0"],
)  # fmt: skip
def test_pin_that_names_no_toolchain(project: Path, place: Place, text: str) -> None:
    """None may become an option of elan or a folder elsewhere, such as that of elan's stand-ins."""
    pin(project, text)
    place.toolchain(place.elan_home)
    place.in_elan().mkdir(parents=True)
    place.program(place.path / "elan")
    assert "lean-toolchain names no toolchain: " in str(missing(project, place))


def test_elan_is_not_asked_for_a_pin_that_names_no_toolchain(good: Played, place: Place) -> None:
    place.program(place.path / "elan")
    pin(good.project, "--help:v4.27.0\n")
    done = run_script("verify.py", "--project", str(good.project), "--yes", env=place.environ)
    assert done.returncode == 1
    assert "pin-not-exact" in done.stderr
    assert "toolchain-missing: lean-toolchain names no toolchain: '--help:v4.27.0'" in done.stderr
    assert place.calls() == []


def test_pin_that_is_no_text(good: Played, place: Place) -> None:
    (good.project / "lean-toolchain").write_bytes(b"\xff\xfe")
    done = run_script("check_axioms.py", "--project", str(good.project), env=place.environ)
    assert done.returncode == 2
    assert "pin-unreadable: lean-toolchain" in done.stderr


# Which Lean is found


def test_toolchain_that_is_named(
    tmp_path: Path, project: Path, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = place.toolchain(tmp_path / "unpacked")
    place.toolchain(place.in_elan())
    expected = Lean(folder / "bin/lake", folder / "bin", f"{folder} (--toolchain {folder})")
    assert elan.find(project, folder, place.environ) == expected
    monkeypatch.chdir(tmp_path)
    relative = elan.find(project, Path("unpacked"), place.environ)
    assert relative.lake == folder / "bin/lake"
    assert place.calls() == []


@pytest.mark.parametrize("lacking", [["lake"], ["lean"], ["lake", "lean"]], ids=" ".join)
@pytest.mark.parametrize("how", ["deleted", "not executable", "a folder", "a dead link"])
def test_toolchain_whose_programs_are_missing(
    tmp_path: Path, project: Path, place: Place, lacking: list[str], how: str
) -> None:
    says = "has no " + " and no ".join(f"bin/{name}" for name in lacking)
    for folder in (tmp_path / "unpacked", place.in_elan()):
        place.toolchain(folder)
        for name in lacking:
            path = folder / "bin" / name
            if how == "not executable":
                path.chmod(0o644)
                continue
            path.unlink()
            if how == "a folder":
                path.mkdir()
            elif how == "a dead link":
                path.symlink_to("nowhere")
    named = missing(project, place, tmp_path / "unpacked")
    assert str(named) == f"the toolchain in {tmp_path / 'unpacked'} {says}"
    assert "the one that holds bin/lake and lib/lean" in named.remedy
    of_elan = missing(project, place)
    assert str(of_elan) == f"the toolchain in {place.in_elan()} {says}"
    assert of_elan.remedy == (
        f"Install it anew: elan toolchain uninstall {PIN}, then elan toolchain install {PIN}."
    )


def test_toolchain_that_is_named_and_not_there(tmp_path: Path, project: Path, place: Place) -> None:
    place.toolchain(place.in_elan())
    assert f"the toolchain in {tmp_path / 'gone'} has no" in str(
        missing(project, place, tmp_path / "gone")
    )
    file = place.program(tmp_path / "lake")
    assert f"the toolchain in {file} has no" in str(missing(project, place, file))


def test_pinned_toolchain_of_elan(project: Path, place: Place) -> None:
    place.toolchain(place.in_elan())
    place.toolchain(place.in_elan(OTHER))
    found = elan.find(project, None, place.environ)
    assert found == Lean(
        place.in_elan() / "bin/lake", place.in_elan() / "bin", f"{place.in_elan()} (elan)"
    )
    assert place.calls() == []


def test_pinned_toolchain_of_elan_comes_before_a_lake_on_the_path(
    project: Path, place: Place
) -> None:
    place.toolchain(place.in_elan())
    place.program(place.path / "lake")
    assert elan.find(project, None, place.environ).lake == place.in_elan() / "bin/lake"


def test_elan_keeps_its_toolchains_in_the_home_unless_told_otherwise(
    project: Path, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(place.home))
    folder = place.toolchain(place.home / ".elan" / "toolchains" / FOLDER)
    for unset in ({}, {"ELAN_HOME": ""}):
        environ = {"PATH": str(place.path), **unset}
        assert elan.find(project, None, environ).bin == folder / "bin"


def test_lake_on_the_path_that_is_no_stand_in(tmp_path: Path, project: Path, place: Place) -> None:
    real = place.toolchain(tmp_path / "opt" / "lean")
    (place.path / "lake").symlink_to(real / "bin/lake")
    place.program(place.path / "elan", "# another file than lake")
    found = elan.find(project, None, place.environ)
    assert found == Lean(place.path / "lake", real / "bin", f"{place.path / 'lake'} (PATH)")
    (real / "bin/lean").unlink()
    assert elan.find(project, None, place.environ).bin is None
    assert place.calls() == []


def test_relative_folders_are_those_of_the_caller(
    tmp_path: Path, project: Path, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs are run in the project, and a relative path would be another one there."""
    monkeypatch.chdir(tmp_path)
    place.program(place.path / "lake")
    place.program(place.path / "elan", "# another file than lake")
    environ = place.environ | {"PATH": "path", "ELAN_HOME": "elan home"}
    assert elan.find(project, None, environ).lake == place.path / "lake"
    assert elan.find_elan(environ) == place.path / "elan"
    place.toolchain(place.in_elan())
    assert elan.find(project, None, environ).lake == place.in_elan() / "bin/lake"


def _link(place: Place) -> None:
    (place.path / "lake").symlink_to("elan")


def _hard_link(place: Place) -> None:
    (place.path / "lake").hardlink_to(place.path / "elan")


def _copy(place: Place) -> None:
    shutil.copy(place.path / "elan", place.path / "lake")


def _link_to_a_copy(place: Place) -> None:
    away = place.home / "shims"
    away.mkdir()
    for name in ("elan", "lake"):
        shutil.copy(place.path / "elan", away / name)
    (place.path / "elan").unlink()
    (place.path / "lake").symlink_to(away / "lake")
    shutil.copy(away / "elan", place.elan_home / "bin" / "elan")


def _link_to_its_installer(place: Place) -> None:
    installer = place.program(place.home / "bin" / "elan-init")
    (place.path / "lake").symlink_to(installer)


@pytest.mark.parametrize(
    "make", [_link, _hard_link, _copy, _link_to_a_copy, _link_to_its_installer]
)
def test_stand_in_of_elan_is_known_and_never_started(
    project: Path, place: Place, make: Callable[[Place], None]
) -> None:
    (place.elan_home / "bin").mkdir(parents=True)
    place.program(place.path / "elan", "# elan itself")
    make(place)
    assert elan.is_shim(place.path / "lake")
    error = missing(project, place)
    assert str(error) == f"the pinned toolchain {PIN} is not installed"
    assert error.remedy.startswith(f"elan toolchain install {PIN}, or let ")


def test_nothing_on_the_path(project: Path, place: Place) -> None:
    for environ in (place.environ, place.environ | {"PATH": ""}, {"ELAN_HOME": "/nowhere"}):
        with pytest.raises(ToolchainMissing) as caught:
            elan.find(project, None, environ)
        assert str(caught.value) == (f"there is no lake on the PATH, and no elan to get {PIN} with")
        assert caught.value.remedy.startswith("Install elan (https://lean-lang.org/install/), or ")


def test_other_toolchains_are_named_and_not_used(project: Path, place: Place) -> None:
    place.toolchain(place.in_elan(OTHER))
    place.toolchain(place.in_elan("lean-4.27.0-linux"))
    place.program(place.path / "elan")
    error = missing(project, place)
    assert str(error) == (
        f"the pinned toolchain {PIN} is not installed (installed: lean-4.27.0-linux, {OTHER})"
    )
    assert "name an unpacked toolchain with --toolchain PATH" in error.remedy


def test_folder_of_elan_that_cannot_be_looked_into(project: Path, place: Place) -> None:
    """As a home that belongs to somebody else; a name too long fails for root too."""
    environ = place.environ | {"ELAN_HOME": "/" + "x" * 300}
    with pytest.raises(ToolchainMissing, match="no elan to get"):
        elan.find(project, None, environ)
    assert elan.find_elan(environ) is None


def test_elan_is_looked_for_on_the_path_and_where_its_installer_puts_it(place: Place) -> None:
    assert elan.find_elan(place.environ) is None
    installed = place.program(place.elan_home / "bin" / "elan")
    assert elan.find_elan(place.environ) == installed
    on_path = place.program(place.path / "elan")
    assert elan.find_elan(place.environ) == on_path
    on_path.chmod(0o644)
    installed.chmod(0o644)
    assert elan.find_elan(place.environ) is None


# What the Lean that was found says of itself


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("Lake version 5.0.0-src (Lean version 4.27.0)", "4.27.0"),
        ("Lake version 5.0.0-src+db93fe1 (Lean version 4.31.0-rc1)", "4.31.0-rc1"),
        ("Lean (version 4.27.0, x86_64-unknown-linux-gnu, commit db93fe1, Release)", "4.27.0"),
    ],
)
def test_running_version(project: Path, place: Place, line: str, version: str) -> None:
    lake = place.program(place.path / "lake", f"echo 'info: something'; echo '{line}'")
    assert elan.running_version(Lean(lake, None, ""), project, 30) == version


@pytest.mark.parametrize(
    ("commands", "says"),
    [
        ("echo 'info: downloading component' >&2; exec sleep 60",
         "was stopped after its time limit of 1 s and said: info: downloading component"),
        ("printf 'info: downloading' >&2; exec sleep 60",
         "was stopped after its time limit of 1 s and said: info: downloading"),
        ("echo; echo 'error: no such toolchain' >&2; exit 1",
         "ended with exit status 1 and said: error: no such toolchain"),
        ("echo 'Lean (version 4.27.0)'; exit 1",
         "ended with exit status 1 and said: Lean (version 4.27.0)"),
        ("echo hello", "ended with exit status 0 and said: hello"),
        ("exit 0", "ended with exit status 0"),
        ("kill -9 $$", "was killed by SIGKILL"),
    ],
)  # fmt: skip
def test_lake_that_does_not_tell_its_version(
    project: Path, place: Place, commands: str, says: str
) -> None:
    lake = place.program(place.path / "lake", commands)
    with pytest.raises(ToolchainMissing) as caught:
        elan.running_version(Lean(lake, None, ""), project, limit(commands))
    assert str(caught.value) == f"`{lake} --version` {says}"


def test_lean_runs_with_its_own_programs_first(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("PATH", "/a:/b"), ("ELAN_TOOLCHAIN", "x"), ("LEAN_PATH", "/x")):
        monkeypatch.setenv(name, value)
    seen = Lean(Path("/t/bin/lake"), Path("/t/bin"), "").environment()
    assert seen["PATH"] == "/t/bin:/a:/b"
    assert not {"ELAN_TOOLCHAIN", "LEAN_PATH"} & set(seen)
    assert Lean(Path("/t/lake"), None, "").environment()["PATH"] == "/a:/b"
    monkeypatch.delenv("PATH")
    assert Lean(Path("/t/bin/lake"), Path("/t/bin"), "").environment()["PATH"] == "/t/bin"


# The scripts


def gate(
    played: Played, place: Place, *arguments: str, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the gate on this machine, without saying which toolchain."""
    played.save()
    return subprocess.run(
        [sys.executable, SCRIPTS / "check_axioms.py", "--project", played.project, *arguments],
        cwd=folder, env=place.environ, capture_output=True, encoding="utf-8", timeout=60,
        check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def install(played: Played, folder: Path) -> None:
    """Put the toolchain that plays back there too, told by the same rules."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(played.toolchain, folder)


def test_lake_that_stalls_is_said_within_the_limit_for_questions(
    good: Played, place: Place
) -> None:
    good.policy(limits="question = 1")
    good.answer("--version", stderr="info: downloading component 'lean'\n", sleep=60)
    began = time.monotonic()
    done = gate(good, place, "--toolchain", str(good.toolchain))
    assert time.monotonic() - began < 10
    assert done.returncode == 2
    assert (
        "was stopped after its time limit of 1 s and said: info: downloading component 'lean'\n"
        in done.stderr
    )
    assert [call["argv"] for call in good.calls()] == [["--version"]]


def test_lake_that_fails_at_once(good: Played, place: Place) -> None:
    good.answer("--version", stderr="error: toolchain is broken\n", exit=1)
    done = gate(good, place, "--toolchain", str(good.toolchain))
    assert done.returncode == 2
    assert "ended with exit status 1 and said: error: toolchain is broken\n" in done.stderr
    assert "? toolchain could-not-run" in flat(done.stdout)
    assert [call["argv"] for call in good.calls()] == [["--version"]]


def test_named_toolchain_without_lake_is_said_at_once(good: Played, place: Place) -> None:
    (good.toolchain / "bin" / "lake").unlink()
    install(good, place.in_elan())
    done = gate(good, place, "--toolchain", str(good.toolchain))
    assert done.returncode == 2
    assert f"toolchain-missing: the toolchain in {good.toolchain} has no bin/lake\n" in done.stderr
    assert good.calls() == []


def test_elans_toolchain_without_lake_is_said_at_once(good: Played, place: Place) -> None:
    install(good, place.in_elan())
    (place.in_elan() / "bin" / "lake").unlink()
    place.program(place.path / "elan")
    done = gate(good, place)
    assert done.returncode == 2
    assert f"toolchain-missing: the toolchain in {place.in_elan()} has no bin/lake\n" in done.stderr
    assert f"elan toolchain uninstall {PIN}, then elan toolchain install {PIN}." in flat(
        done.stdout
    )
    assert good.calls() == []
    assert place.calls() == []


def test_toolchain_unpacked_by_hand_under_another_name(good: Played, place: Place) -> None:
    by_hand = place.in_elan("lean-4.27.0-linux")
    install(good, by_hand)
    place.program(place.path / "elan")
    (place.path / "lake").symlink_to("elan")
    done = gate(good, place)
    assert done.returncode == 2
    assert f"{PIN} is not installed (installed: lean-4.27.0-linux)" in done.stderr
    assert "--toolchain PATH" in flat(done.stdout)
    named = gate(good, place, "--toolchain", str(by_hand))
    assert named.returncode == 0, named.stdout
    assert f"Lean 4.27.0, {by_hand} (--toolchain {by_hand})" in flat(named.stdout)
    assert place.calls() == []


def test_elans_toolchain_is_used_without_starting_elan(good: Played, place: Place) -> None:
    install(good, place.in_elan())
    place.program(place.path / "elan")
    for name in ("lake", "lean"):
        (place.path / name).symlink_to("elan")
    done = gate(good, place)
    assert done.returncode == 0, done.stdout
    assert f"Lean 4.27.0, {place.in_elan()} (elan)" in flat(done.stdout)
    assert place.calls() == []


def test_callers_choice_of_another_toolchain_is_not_followed(good: Played, place: Place) -> None:
    install(good, place.in_elan())
    place.toolchain(place.in_elan(OTHER))
    seen = place.home / "seen"
    lake = place.in_elan() / "bin" / "lake"
    played_back = lake.rename(lake.with_name("lake.played"))
    place.program(
        lake, f'echo "${{ELAN_TOOLCHAIN-unset}} $LEAN_PATH" >>"{seen}"; exec "{played_back}" "$@"'
    )
    place.environ |= {"ELAN_TOOLCHAIN": "leanprover/lean4:v4.26.0", "LEAN_PATH": "/elsewhere"}
    done = gate(good, place)
    assert done.returncode == 0, done.stdout
    assert set(seen.read_text(encoding="utf-8").splitlines()) == {"unset "}
    assert all(call.startswith(f"{lake} ") for call in place.calls())


def test_pin_of_the_project_counts_not_that_of_the_folder_around_or_within(
    good: Played, place: Place
) -> None:
    install(good, place.in_elan())
    for name in (OTHER, "leanprover--lean4---v4.25.0"):
        place.toolchain(place.in_elan(name))
    nested = good.project / "nested"
    nested.mkdir()
    pin(nested, "leanprover/lean4:v4.26.0\n")
    pin(good.project.parent, "leanprover/lean4:v4.25.0\n")
    for folder in (nested, good.project.parent):
        done = gate(good, place, folder=folder)
        assert done.returncode == 0, done.stdout
        assert f"Lean 4.27.0, {place.in_elan()} (elan)" in flat(done.stdout)
    assert {call["cwd"] for call in good.calls()} == {str(good.project)}
    assert place.calls() == []


@pytest.mark.parametrize("where", ["elan", "PATH"])
def test_running_version_is_not_the_pinned_one(good: Played, place: Place, where: str) -> None:
    good.answer("--version", stdout="Lake version 5.0.0-src (Lean version 4.28.0)\n")
    if where == "elan":
        install(good, place.in_elan())
    else:
        (place.path / "lake").symlink_to(good.toolchain / "bin" / "lake")
    done = gate(good, place)
    assert done.returncode == 1
    assert "lean-toolchain:1: pin-mismatch: " in done.stderr
    assert "is Lean 4.28.0, and lean-toolchain:1 names 4.27.0" in done.stderr
    assert [call["argv"] for call in good.calls()] == [["--version"]]


def test_empty_path(good: Played, place: Place) -> None:
    place.environ["PATH"] = ""
    done = gate(good, place)
    assert done.returncode == 2
    assert "there is no lake on the PATH, and no elan to get" in done.stderr
    assert "Install elan (https://lean-lang.org/install/)" in flat(done.stdout)


def test_machine_is_described_in_words(
    project: Path, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in place.environ.items():
        monkeypatch.setenv(name, value)
    run = Run(project, selftest.policy(), console.open_console(True))
    bare = machine.describe(run)
    assert bare[2] == "no elan, no git (Lake needs it), no curl (Lake needs it)"
    assert bare[3] == f"there is no lake on the PATH, and no elan to get {PIN} with"
    for name in ("elan", "git", "curl"):
        place.program(place.path / name)
    place.toolchain(place.in_elan())
    equipped = machine.describe(run)
    assert equipped[2] == f"elan at {place.path / 'elan'}, git, curl"
    assert equipped[3] == f"Lean: {place.in_elan()} (elan)"
    pin(project, "")
    assert machine.describe(run)[3] == "lean-toolchain names no toolchain: ''"
    assert place.calls() == []


# Installing


INSTALLER = """#!/bin/sh
echo "$@" >"$ELAN_HOME.arguments"
mkdir -p "$ELAN_HOME/bin"
cp "{elan}" "$ELAN_HOME/bin/elan"
"""


@pytest.fixture
def here(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """The machine, as that of this process; with the few programs that scripts need."""
    for name in ("sh", "cp", "mkdir", "sleep"):
        (place.path / name).symlink_to(str(shutil.which(name)))
    for name, value in place.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return place


def installer(place: Place, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = place.home / "elan-init.sh"
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(elan, "ELAN_INSTALLER", path.as_uri())


@pytest.fixture
def server() -> Iterator[tuple[str, list[bytes]]]:
    """The address of a server, and the answers that it gives, one a connection."""
    answers: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            try:
                while True:
                    with listening.accept()[0] as connection:
                        connection.recv(65536)
                        connection.sendall(answers.pop(0))
            except (OSError, IndexError):
                return

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/elan-init.sh", answers
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(10)


def test_elan_and_toolchain_are_installed_one_after_the_other(
    good: Played, here: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    new = here.program(
        here.home / "new-elan",
        f'mkdir -p "{here.in_elan().parent}" && cp -r "{good.toolchain}" "{here.in_elan()}"',
    )
    installer(here, INSTALLER.format(elan=new), monkeypatch)
    run = Run(
        good.project, policy.load_policy(good.project / "policy.toml"), console.open_console(True)
    )
    setup.prepare(run, assume_yes=True)
    assert run.setup_problem == ""
    arguments = Path(f"{here.elan_home}.arguments").read_text(encoding="utf-8")
    assert arguments == "-y --default-toolchain none\n"
    assert here.calls() == [f"{here.elan_home / 'bin/elan'} toolchain install {PIN}"]
    assert elan.find(good.project, None).bin == here.in_elan() / "bin"
    assert f"let elan download {PIN} (about 500 MB)? — yes (--yes)" in capsys.readouterr().err
    assert list(here.temporary.iterdir()) == []
    # Whatever is there already is not installed again.
    setup.prepare(run, assume_yes=True)
    assert len(here.calls()) == 1


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("#!/bin/sh\necho 'error: no such platform' >&2\nexit 1\n", "error: no such platform"),
        ("#!/bin/sh\necho 'elan: unsupported' >&2\nexit 1\n", "elan: unsupported"),
        ("#!/bin/sh\nexit 3\n", "ended with exit status 3"),
        ("#!/bin/sh\nexec sleep 60\n", "was stopped after its time limit of 1 s"),
    ],
)
def test_installer_that_fails(
    here: Place, monkeypatch: pytest.MonkeyPatch, script: str, reason: str
) -> None:
    installer(here, script, monkeypatch)
    assert elan.install_elan(limit(script)) == reason
    assert list(here.temporary.iterdir()) == []


def test_page_that_is_no_installer_is_not_run(here: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a hotel's network answers whatever was asked for."""
    installer(here, f"<html>\ntouch '{here.started}'\n", monkeypatch)
    assert str(elan.install_elan(30)).endswith("answers with something else than a script")
    assert here.calls() == []


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"HTTP/1.0 404 Not Found\r\n\r\n", "Not Found"),
        (b"HTTP/1.0 503 Service Unavailable\r\n\r\n", "Service Unavailable"),
        (b"garbage\r\n\r\n", "garbage"),
        (b"", "closed connection"),
    ],
)
def test_server_that_does_not_give_the_installer(
    here: Place,
    monkeypatch: pytest.MonkeyPatch,
    server: tuple[str, list[bytes]],
    answer: bytes,
    reason: str,
) -> None:
    address, answers = server
    answers.append(answer)
    monkeypatch.setattr(elan, "ELAN_INSTALLER", address)
    problem = elan.install_elan(30)
    assert problem is not None
    assert problem.startswith(f"{address} cannot be reached: ")
    assert reason in problem


def test_installer_needs_a_shell(here: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert str(elan.install_elan(30)).startswith("elan's installer needs a shell")


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ("exit 0", None),
        ("echo 'info: downloading' >&2; echo 'error: 404' >&2; echo 'info: caused by: x' >&2; "
         "echo 'info: backtrace:' >&2; exit 1", "error: 404; info: caused by: x"),
        ("exec sleep 60", "was stopped after its time limit of 1 s"),
    ],
)  # fmt: skip
def test_install_of_a_toolchain(
    here: Place, project: Path, commands: str, reason: str | None
) -> None:
    program = here.program(here.path / "elan", commands)
    assert elan.install_toolchain(program, PIN, project, limit(commands)) == reason
    assert here.calls() == [f"{program} toolchain install {PIN}"]


# The real elan, as Debian packages it


REAL = shutil.which("elan", path="/usr/bin:/usr/local/bin")
needs_elan = pytest.mark.skipif(
    REAL is None, reason="elan is not installed (on Debian: apt install elan)"
)


@pytest.fixture
def real(place: Place) -> Place:
    """A machine with the real elan on the PATH, its folder private, its network gone."""
    assert REAL is not None
    place.environ["PATH"] = os.pathsep.join([str(Path(REAL).parent), "/bin"])
    return place


def contents(*folders: Path) -> dict[Path, bytes]:
    return {p: p.read_bytes() for f in folders for p in f.rglob("*") if p.is_file()}


@needs_elan
def test_real_stand_in_is_known(real: Place, project: Path) -> None:
    lake = shutil.which("lake", path=real.environ["PATH"])
    assert lake is not None
    assert elan.is_shim(Path(lake))
    # The stand-in leaves a trace when it is started: what the tests below look for.
    subprocess.run([lake, "--version"], env=real.environ, capture_output=True, check=False)
    assert real.elan_home.exists()


@needs_elan
def test_real_elan_calls_the_folder_what_we_call_it(real: Place) -> None:
    real.toolchain(real.in_elan())
    done = subprocess.run(
        ["elan", "toolchain", "list"],
        env=real.environ, capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert done.stdout.split()[0] == PIN


@needs_elan
def test_without_the_toolchain_the_gate_says_so_and_never_starts_the_stand_in(
    good: Played, real: Place
) -> None:
    before = contents(good.project)
    began = time.monotonic()
    done = gate(good, real)
    assert time.monotonic() - began < 5
    assert done.returncode == 2
    assert f"toolchain-missing: the pinned toolchain {PIN} is not installed\n" in done.stderr
    assert f"elan toolchain install {PIN}" in flat(done.stdout)
    assert "python3 scripts/verify.py" in flat(done.stdout)
    assert not real.elan_home.exists()
    assert contents(good.project) == before
    assert [*real.home.iterdir(), *real.temporary.iterdir()] == []


@needs_elan
def test_with_the_toolchain_the_gate_runs_it_and_never_starts_the_stand_in(
    good: Played, real: Place
) -> None:
    install(good, real.in_elan())
    before = contents(real.elan_home)
    done = gate(good, real)
    assert done.returncode == 0, done.stdout
    assert f"Lean 4.27.0, {real.in_elan()} (elan)" in flat(done.stdout)
    assert contents(real.elan_home) == before


@needs_elan
def test_install_through_the_real_elan_without_a_network(good: Played, real: Place) -> None:
    before = contents(good.project)
    began = time.monotonic()
    done = run_script("verify.py", "--project", str(good.project), "--yes", env=real.environ)
    assert time.monotonic() - began < 10
    assert done.returncode == 2
    assert f"Let elan download {PIN} (about 500 MB)? — yes (--yes)\n" in done.stderr
    assert (
        f"toolchain-missing: the pinned toolchain {PIN} is not installed; elan could not install "
        f"{PIN}: error: could not download file from 'https://" in done.stderr
    )
    assert "info: caused by: " in done.stderr
    assert "backtrace" not in done.stderr
    assert real.elan_home.exists()
    assert contents(good.project) == before
    assert [*real.home.iterdir(), *real.temporary.iterdir()] == []
