"""The scripts on a terminal and without one: progress, the question, interrupts, odd outputs."""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pexpect
import pytest

from harness import cli, console
from projects_for_tests import RECORDINGS, SCRIPTS, WITHOUT_MODULES, Played, play, run_script
from test_process import gone

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")

PIN = "leanprover/lean4:v4.27.0"
NOWHERE = "http://127.0.0.1:9"
"""A proxy that is not there: nothing reaches the network, whatever the machine."""


class Screen:
    """What a terminal of some width shows: wrapping, wide characters, erasing to a line's end."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.rows: list[dict[int, str]] = [{}]
        self.column = 0
        self.seen: list[tuple[int, str]] = []
        """Rows as they stood whenever the cursor left them or went back, with their numbers."""

    def feed(self, text: str) -> Screen:
        for part in re.findall(r"\x1b\[[0-9;]*[A-Za-z]|.", text, re.DOTALL):
            if part == "\r":
                self._note()
                self.column = 0
            elif part == "\n":
                self._down()
            elif part == "\x1b[K":
                # Behind the last column the cursor is still on it.
                first = min(self.column, self.columns - 1)
                self.rows[-1] = {c: s for c, s in self.rows[-1].items() if c < first}
            elif part.startswith("\x1b"):
                assert part.endswith("m"), f"a control sequence of some other kind: {part!r}"
            elif part == "\b":
                self.column = max(self.column - 1, 0)
            else:
                assert part.isprintable(), repr(part)
                self._put(part)
        return self

    def _put(self, character: str) -> None:
        if unicodedata.combining(character):
            self.rows[-1][max(self.column - 1, 0)] += character
            return
        width = 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
        if self.column + width > self.columns:
            self._note()
            self._down()
            self.column = 0
        self.rows[-1][self.column] = character
        self.column += width

    def _down(self) -> None:
        self._note()
        self.rows.append({})

    def _note(self) -> None:
        self.seen.append((len(self.rows) - 1, self._row(self.rows[-1])))

    def _row(self, row: dict[int, str]) -> str:
        text, column = "", 0
        for at in sorted(row):
            text += " " * (at - column) + row[at]
            column = at + (2 if unicodedata.east_asian_width(row[at][0]) in ("W", "F") else 1)
        return text

    def text(self) -> str:
        """What stands there, without spaces and empty lines at the end."""
        return "\n".join(self._row(row).rstrip() for row in self.rows).rstrip("\n")


class Terminal:
    """A program on a pseudo-terminal of its own."""

    opened: ClassVar[list[Terminal]] = []

    def __init__(
        self,
        command: Sequence[str | Path],
        *,
        columns: int = 200,
        env: dict[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")}
        words = [str(word) for word in command]
        self.columns = columns
        self.read = io.StringIO()
        self.child = pexpect.spawn(
            words[0],
            words[1:],
            env=kept | {"TERM": "xterm"} | (env or {}),
            cwd=str(folder) if folder else None,
            dimensions=(60, columns),
            encoding="utf-8",
            codec_errors="replace",
            timeout=30,
        )
        self.child.logfile_read = self.read
        self.opened.append(self)

    def until(self, text: str) -> None:
        self.child.expect_exact(text)

    def end(self) -> int:
        """Wait for the program to end. Its exit status, negative for a signal."""
        self.child.expect(pexpect.EOF)
        status = self.child.wait()
        self.child.close()
        return int(status) if self.child.signalstatus is None else -int(self.child.signalstatus)

    def hang_up(self) -> int:
        """Close the terminal under the program and wait for its end."""
        self.child.ptyproc.fileobj.close()
        _, status = os.waitpid(self.child.pid, 0)
        self.child.ptyproc.terminated = self.child.ptyproc.closed = True
        self.opened.remove(self)
        return os.waitstatus_to_exitcode(status)

    @property
    def raw(self) -> str:
        return self.read.getvalue()

    @property
    def screen(self) -> Screen:
        return Screen(self.columns).feed(self.raw)


@pytest.fixture(autouse=True)
def as_users_have_it(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Output is buffered; and no terminal stays open, waiting for an answer for ever."""
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    yield
    for terminal in Terminal.opened:
        terminal.child.close(force=True)
    Terminal.opened.clear()


def command(played: Played, script: str, *arguments: str) -> list[str]:
    """The words of a script on a project with its toolchain."""
    played.save()
    required = WITHOUT_MODULES if script == "verify.py" else ()
    return [
        sys.executable, str(SCRIPTS / script), "--project", str(played.project),
        "--toolchain", str(played.toolchain), *required, *arguments,
    ]  # fmt: skip


def into(file: Path, words: Sequence[str], redirection: str = ">") -> list[str]:
    """The same with an output sent to a file."""
    return ["/bin/sh", "-c", f'exec "$@" {redirection}"$0"', str(file), *words]


def tree(folder: Path) -> dict[str, str]:
    """Every file under a folder with its hash, every folder and link with its kind."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file()
        else "folder or link"
        for path in folder.rglob("*")
    }


# Progress


def building(played: Played, *names: str, **more: Any) -> Played:
    """Let the build tell of these modules, one after the other."""
    lines = [f"✔ [{i}/{len(names)}] Built {name} (1ms)" for i, name in enumerate(names, 1)]
    text = "\n".join([*lines, "Build completed successfully (4 jobs).", ""])
    played.answer("build", stdout=text, **more)
    played.answer("build", "Challenge", stdout="Build completed successfully (4 jobs).\n")
    played.answer("build", "--no-build", exit=3)
    return played


def test_progress_changes_in_place_and_leaves_nothing(good: Played) -> None:
    building(good, "Defs", "Lemma", "Solution")
    terminal = Terminal(command(good, "check_axioms.py", "--no-color"), columns=1000)
    assert terminal.end() == 0
    report = good.run("check_axioms.py").stdout
    assert report.startswith("Demo: ACCEPTED")
    assert terminal.screen.text() == report.rstrip("\n")
    first = [text for row, text in terminal.screen.seen if row == 0]
    progress = ["self-test …", "build …", "build: [1/3] Built Defs (1ms)",
                "build: [3/3] Built Solution (1ms)", "audit …", "unchanged …"]  # fmt: skip
    assert [text for text in first if text in progress] == progress


def test_findings_stand_on_lines_of_their_own(tmp_path: Path) -> None:
    played = play(RECORDINGS / "axiom", tmp_path)
    terminal = Terminal(command(played, "check_axioms.py", "--no-color"))
    assert terminal.end() == 1
    lines = terminal.screen.text().splitlines()
    assert ": axiom-not-allowed: " in lines[0]
    assert "Demo: REJECTED" in lines


@pytest.mark.parametrize("columns", [20, 2, 1])
def test_progress_on_a_narrow_terminal_stays_on_one_line(
    good: Played, tmp_path: Path, columns: int
) -> None:
    building(good, "Defs", "定理.证明.很长的名字很长的名字", "e\u0301" * 40, "Solution")
    words = command(good, "check_axioms.py")
    terminal = Terminal(into(tmp_path / "report", words), columns=columns)
    assert terminal.end() == 0
    assert (tmp_path / "report").read_text(encoding="utf-8").startswith("Demo: ACCEPTED")
    screen = terminal.screen
    assert len(screen.rows) == 1
    assert screen.text() == ""
    if columns == 20:
        shown = {text for _, text in screen.seen}
        assert {"self-test …", "build: [1/4] Built…", "build: Build compl…"} <= shown


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("定理", 4, "定理"),
        ("定理", 3, "定…"),
        ("定理", 2, "…"),
        ("定理", 1, ""),
        ("a定", 2, "a…"),
        ("e\u0301e\u0301", 2, "e\u0301e\u0301"),
        ("ae\u0301x", 2, "a…"),
        ("aé", 1, "a"),
        ("", 5, ""),
        ("two\nlines\tand  spaces", 40, "two lines and spaces"),
        ("\x1b]0;title\x07bell\u202e", 40, "]0;titlebell"),
    ],
)
def test_text_is_cut_to_the_columns_there_are(text: str, width: int, shown: str) -> None:
    assert console.fit(text, width) == shown


@pytest.mark.parametrize("option", ["--no-color", "NO_COLOR"])
def test_no_colours_where_none_are_wanted(good: Played, option: str) -> None:
    colours = "\x1b[1;32mACCEPTED\x1b[0m"
    plain = Terminal(command(good, "check_axioms.py"))
    assert plain.end() == 0
    assert colours in plain.raw
    if option == "NO_COLOR":
        terminal = Terminal(command(good, "check_axioms.py"), env={"NO_COLOR": "1"})
    else:
        terminal = Terminal(command(good, "check_axioms.py", option))
    assert terminal.end() == 0
    assert not re.search(r"\x1b\[[0-9;]*m", terminal.raw)
    assert terminal.screen.text() == plain.screen.text()


def test_dumb_terminal_gets_plain_lines(good: Played) -> None:
    terminal = Terminal(command(good, "check_axioms.py"), env={"TERM": "dumb"})
    assert terminal.end() == 0
    assert "\x1b" not in terminal.raw
    assert not re.search(r"\r(?!\n)", terminal.raw)
    lines = terminal.raw.replace("\r\n", "\n").splitlines()
    assert lines[:3] == ["self-test …", "pins …", "sources …"]
    assert "Demo: ACCEPTED" in lines


def test_without_a_terminal_lines_are_plain(good: Played) -> None:
    building(good, "Defs", "Solution")
    done = good.run("check_axioms.py", env={"TERM": "xterm"})
    assert done.returncode == 0
    assert not re.search(r"[\x1b\r]", done.stdout + done.stderr)
    assert done.stderr.splitlines() == [
        f"{step} …"
        for step in (
            "self-test", "pins", "sources", "toolchain", "build", "audit", "terms", "print",
            "cross-check", "statement", "unchanged",
        )
    ]  # fmt: skip


def test_plain_progress_comes_every_few_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(console, "time", SimpleNamespace(monotonic=lambda: now[0]))
    stream = io.StringIO()
    shown = console.Console(stream, changing=False, color=False)
    shown.step("build …")
    for second in range(25):
        now[0] = 1000.0 + second
        shown.progress(f"build: [{second}/30]")
    shown.clear()
    assert stream.getvalue() == "build …\nbuild: [10/30]\nbuild: [20/30]\n"


# Where output goes


def test_json_is_alone_on_standard_output(good: Played) -> None:
    building(good, "Defs", "Solution")
    done = good.run("verify.py", "--json", "-", *WITHOUT_MODULES)
    assert done.returncode == 0
    assert done.stdout.startswith("{")
    assert json.loads(done.stdout)["verdict"] == "ACCEPTED"
    assert "ACCEPTED" not in done.stderr


def test_json_has_no_colours_on_a_terminal(good: Played, tmp_path: Path) -> None:
    words = command(good, "check_axioms.py", "--json", "-")
    terminal = Terminal(into(tmp_path / "progress", words, "2>"))
    assert terminal.end() == 0
    assert json.loads(terminal.raw)["verdict"] == "ACCEPTED"


def test_json_into_a_folder_is_said_before_anything_runs(good: Played, tmp_path: Path) -> None:
    for path, why in (
        (tmp_path, "is a folder"),
        (good.project / "lakefile.lean" / "x.json", "no folder can be made: File exists"),
    ):
        done = good.run("check_axioms.py", "--json", str(path))
        assert done.returncode == 2
        assert done.stderr == f"check_axioms.py: --json {path}: {why}\n"
    assert good.calls() == []
    deep = tmp_path / "new" / "deep" / "x.json"
    assert good.run("check_axioms.py", "--json", str(deep)).returncode == 0
    assert json.loads(deep.read_text(encoding="utf-8"))["verdict"] == "ACCEPTED"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_reader_that_has_gone_away(good: Played, stream: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    other = "stderr" if stream == "stdout" else "stdout"
    outputs: dict[str, Any] = {stream: writing, other: subprocess.PIPE}
    done = subprocess.run(
        command(good, "verify.py"), encoding="utf-8", timeout=60, check=False, **outputs
    )
    os.close(writing)
    assert done.returncode == 2
    said = (done.stdout or "") + (done.stderr or "")
    assert not re.search(r"Traceback|roken ?[Pp]ipe|Exception|fault", said)


def test_output_into_head(good: Played) -> None:
    words = command(good, "verify.py")
    done = subprocess.run(
        ["sh", "-c", '"$@" | head -1', "sh", *words],
        capture_output=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    assert done.stdout.startswith("Demo: ACCEPTED") and done.stdout.count("\n") == 1
    assert not re.search(r"Traceback|roken ?[Pp]ipe|Exception|fault", done.stderr)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("redirection", [">/dev/full", "2>/dev/full"])
def test_output_that_cannot_be_written_is_no_verdict(good: Played, redirection: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *command(good, "check_axioms.py")],
        capture_output=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    if redirection == ">/dev/full":
        assert "could not go on" in done.stderr
        assert "No space left on device" in done.stderr


@pytest.mark.parametrize("redirection", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_standard_streams(good: Played, redirection: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *command(good, "verify.py")],
        capture_output=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "fault" not in done.stderr
    assert done.stdout.startswith("Demo: ACCEPTED") == (">&-" not in redirection.split())


def test_text_of_the_project_does_not_steer_the_terminal(good: Played) -> None:
    said = "\x1b[2J\x1bc\x1b]0;ACCEPTED\x07\x9b1A unsolved goals\x08"
    good.answer("build", stdout=f"error: Solution.lean:3:2: {said}\n", exit=1)
    good.answer("build", "--no-build", exit=3)
    done = good.run("check_axioms.py")
    assert done.returncode == 1
    assert "Solution.lean:3:2: build-failed: " in done.stderr
    assert "unsolved goals" in done.stdout
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", done.stderr + done.stdout)


def test_fault_of_the_program_is_no_verdict_and_says_where_when_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def body(_: object) -> int:
        raise RuntimeError("planted")

    parser = cli.parser("x.py", "")
    assert cli.main(parser, [], body) == 2
    err = capsys.readouterr().err
    assert err.startswith("x.py: a fault of this program, not of the proof: RuntimeError: planted")
    assert "Traceback" not in err
    monkeypatch.setenv("HARNESS_TRACEBACK", "1")
    assert cli.main(parser, [], body) == 2
    assert "in body" in capsys.readouterr().err


# Locales


@pytest.fixture(scope="module")
def latin1(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An ISO 8859-1 locale, made if this machine can; else a name that no locale has."""
    folder = tmp_path_factory.mktemp("locales")
    if shutil.which("localedef"):
        subprocess.run(
            ["localedef", "-i", "en_US", "-f", "ISO-8859-1", folder / "en_US.ISO-8859-1"],
            capture_output=True, check=False,
        )  # fmt: skip
    return {"LOCPATH": str(folder), "LANG": "en_US.ISO-8859-1", "LC_ALL": ""}


@pytest.mark.parametrize("locale", ["LC_ALL=C", "ASCII", "ISO-8859-1"])
def test_messages_outside_the_locale_are_read_and_printed(
    tmp_path: Path, latin1: dict[str, str], locale: str
) -> None:
    env = {
        "LC_ALL=C": {"LC_ALL": "C"},
        "ASCII": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        "ISO-8859-1": latin1,
    }[locale]
    played = play(RECORDINGS / "good", tmp_path / "a b" / "é ℝ")
    played.answer(
        "build",
        stdout="error: Solution.lean:3:2: unsolved goals\nx : ℝ\n⊢ ‖x‖ = 1 ",
        stdout_bytes=[0xFF, 0x0A],
        exit=1,
    )
    played.answer("build", "--no-build", exit=3)
    done = played.run("verify.py", "--json", str(tmp_path / "out.json"), *WITHOUT_MODULES, env=env)
    assert done.returncode == 1, done.stderr
    wanted = "unsolved goals x : ℝ ⊢ ‖x‖ = 1 \ufffd"
    assert f"Solution.lean:3:2: build-failed: {wanted}\n" in done.stderr
    assert "      ⊢ ‖x‖ = 1 \ufffd\n" in done.stdout
    assert "Traceback" not in done.stderr
    result = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert [f["rule"] for f in result["findings"] if f["level"] == "violation"] == ["build-failed"]


@pytest.mark.parametrize("locale", ["ASCII", "ISO-8859-1"])
def test_paths_outside_the_locale_are_no_obstacle(
    tmp_path: Path, latin1: dict[str, str], locale: str
) -> None:
    ascii_ = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    played = play(RECORDINGS / "good", tmp_path / "a b" / "é ℝ")
    done = played.run(
        "verify.py",
        "--json",
        str(tmp_path / "out.json"),
        *WITHOUT_MODULES,
        env=ascii_ if locale == "ASCII" else latin1,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "out.json").read_text("utf-8"))["verdict"] == "ACCEPTED"


# The question


class Machine:
    """A machine of its own: home, PATH and elan's folder, with no Lean on it."""

    def __init__(self, played: Played, folder: Path) -> None:
        self.played = played
        self.home, self.path, self.elan_home = (folder / n for n in ("home", "path", "elan"))
        for made in (self.home, self.path):
            made.mkdir()
        for name in ("sh", "cp", "mkdir"):
            (self.path / name).symlink_to(str(shutil.which(name)))
        self.log = folder / "elan.log"
        self.env = {
            "HOME": str(self.home),
            "ELAN_HOME": str(self.elan_home),
            "PATH": str(self.path),
            "https_proxy": NOWHERE,
            "HTTPS_PROXY": NOWHERE,
            "no_proxy": "",
        }
        played.save()

    @property
    def words(self) -> list[str]:
        script = str(SCRIPTS / "verify.py")
        return [sys.executable, script, "--project", str(self.played.project), *WITHOUT_MODULES]

    def elan(self, commands: str) -> None:
        """Put an elan on the PATH that notes what it is asked and then does this."""
        path = self.path / "elan"
        path.write_text(f'#!/bin/sh\necho "$@" >>"{self.log}"\n{commands}\n', encoding="utf-8")
        path.chmod(0o755)

    def installing(self) -> None:
        folder = self.elan_home / "toolchains" / "leanprover--lean4---v4.27.0"
        self.elan(
            f'mkdir -p "{folder.parent}" && cp -r "{self.played.toolchain}" "{folder}"\n'
            "echo \"info: installing toolchain '$3'\" >&2"
        )

    def asked(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []


@pytest.fixture
def machine(good: Played, tmp_path: Path) -> Machine:
    return Machine(good, tmp_path)


SCOPE = "(only build, audit, print, statement required)"
QUESTION = f"Let elan download {PIN} (about 500 MB)? [y/N] "


@pytest.mark.parametrize("answer", ["y", "YES"])
def test_question_answered_with_yes(machine: Machine, answer: str) -> None:
    machine.installing()
    terminal = Terminal([*machine.words, "--no-color"], env=machine.env)
    terminal.until(QUESTION)
    assert machine.asked() == []
    terminal.child.sendline(answer)
    assert terminal.end() == 0
    assert machine.asked() == [f"toolchain install {PIN}"]
    lines = terminal.screen.text().splitlines()
    assert lines[:3] == [
        f"the pinned toolchain {PIN} is not installed.",
        f"{QUESTION}{answer}",
        f"Demo: ACCEPTED {SCOPE}",
    ]


@pytest.mark.parametrize("answer", ["n", "", "maybe", "ye s", "\x04", "\udcff"])
def test_question_answered_with_anything_else(machine: Machine, answer: str) -> None:
    machine.installing()
    # As most locales have it: what is no text is an error.
    machine.env["PYTHONIOENCODING"] = "utf-8:strict"
    terminal = Terminal([*machine.words, "--no-color"], env=machine.env)
    terminal.until(QUESTION)
    if answer == "\x04":
        terminal.child.sendeof()
    else:
        os.write(terminal.child.child_fd, (answer + "\n").encode("utf-8", "surrogateescape"))
    assert terminal.end() == 2
    assert machine.asked() == []
    lines = terminal.screen.text().splitlines()
    assert lines[1].startswith(QUESTION.rstrip())
    assert lines[2] == (
        f"toolchain-missing: the pinned toolchain {PIN} is not installed; it was not installed, as "
        "you wished"
    )
    assert f"Demo: COULD NOT RUN {SCOPE}" in lines
    assert not machine.elan_home.exists()


def test_question_answered_with_ctrl_c(machine: Machine) -> None:
    machine.installing()
    terminal = Terminal(machine.words, env=machine.env)
    terminal.until(QUESTION)
    terminal.child.sendintr()
    assert terminal.end() == 130
    assert terminal.screen.text().splitlines()[2:] == [
        "verify.py: interrupted; nothing was decided"
    ]
    assert machine.asked() == []


FAILING = """
echo "info: downloading component 'lean'" >&2
echo "error: could not download file from 'https://x' to '/y'" >&2
echo "info: caused by: error during download" >&2
echo "info: backtrace:" >&2
exit 1
"""


def test_install_that_fails_is_said_with_the_reason(machine: Machine) -> None:
    machine.elan(FAILING)
    terminal = Terminal([*machine.words, "--no-color"], env=machine.env, columns=1000)
    terminal.until(QUESTION)
    terminal.child.sendline("y")
    assert terminal.end() == 2
    assert (
        f"toolchain-missing: the pinned toolchain {PIN} is not installed; elan could not install "
        f"{PIN}: error: could not download file from 'https://x' to '/y'; info: caused by: error "
        "during download"
    ) in terminal.screen.text().splitlines()


def test_install_that_says_installed_and_installs_nothing(machine: Machine) -> None:
    machine.elan("exit 0")
    done = run_script("verify.py", *machine.words[2:], "--yes", env=machine.env)
    assert done.returncode == 2
    assert machine.asked() == [f"toolchain install {PIN}"]
    assert "toolchain-missing: the pinned toolchain" in done.stderr


def test_yes_without_a_terminal(machine: Machine) -> None:
    machine.installing()
    done = run_script("verify.py", *machine.words[2:], "--yes", env=machine.env)
    assert done.returncode == 0, done.stderr
    assert f"Let elan download {PIN} (about 500 MB)? — yes (--yes)\n" in done.stderr
    assert machine.asked() == [f"toolchain install {PIN}"]


def test_question_tells_what_lake_will_fetch_too(machine: Machine) -> None:
    machine.played.policy(build='cache-roots = ["Mathlib"]')
    machine.elan("exit 0")
    done = run_script("verify.py", *machine.words[2:], "--yes", env=machine.env)
    assert "(about 500 MB)? Lake then fetches what is needed of Mathlib (about " in done.stderr


def test_nothing_is_set_up_while_the_pins_contradict_each_other(machine: Machine) -> None:
    machine.played.policy(version="4.26.0")
    machine.installing()
    done = run_script("verify.py", *machine.words[2:], "--yes", env=machine.env)
    assert done.returncode == 1
    assert "nothing was set up, because the pins have to be mended first" in done.stderr
    assert machine.asked() == []


@pytest.mark.parametrize("script", ["verify.py", "check_axioms.py", "build.py", "check_sorry.py"])
def test_nothing_is_asked_or_installed_where_nobody_can_answer(
    machine: Machine, script: str
) -> None:
    machine.installing()
    words = machine.words[2:] if script == "verify.py" else machine.words[2:4]
    done = run_script(script, *words, env=machine.env)
    assert done.returncode == 2
    assert "[y/N]" not in done.stdout + done.stderr
    assert "toolchain-missing" in done.stderr
    assert ("--yes installs it unasked" in done.stderr) == (script == "verify.py")
    assert machine.asked() == []


@pytest.mark.parametrize("redirection", ["</dev/null", "<&-", "2>"])
def test_nothing_is_asked_where_input_or_question_has_no_terminal(
    machine: Machine, tmp_path: Path, redirection: str
) -> None:
    machine.installing()
    (tmp_path / "file").touch()
    words = (
        into(tmp_path / "file", machine.words, "2>")
        if redirection == "2>"
        else ["/bin/sh", "-c", f'exec "$@" {redirection}', "sh", *machine.words]
    )
    terminal = Terminal(words, env=machine.env)
    assert terminal.end() == 2
    said = terminal.raw + (tmp_path / "file").read_text(encoding="utf-8")
    assert "[y/N]" not in said
    assert machine.asked() == []


def test_without_elan_the_question_is_about_its_installer_too(machine: Machine) -> None:
    terminal = Terminal([*machine.words, "--no-color"], env=machine.env, columns=1000)
    terminal.until("[y/N] ")
    assert f"there is no lake on the PATH, and no elan to get {PIN} with." in terminal.raw
    assert (
        "Fetch its installer from https://elan.lean-lang.org/elan-init.sh, run it for this user "
        f"(into {machine.elan_home}), and let elan download {PIN} (about 500 MB)? [y/N] "
    ) in terminal.raw
    terminal.child.sendline("yes")
    assert terminal.end() == 2
    assert re.search(
        r"toolchain-missing: .*; elan could not be installed: \S+/elan-init.sh cannot be reached: "
        r".*refused",
        terminal.screen.text(),
    )
    assert list(machine.home.iterdir()) == []
    assert not machine.elan_home.exists()


# Interrupts


def hanging(played: Played, folder: Path, *starts: str) -> Path:
    """Let one command start a sleeper, say so and hang. The file with the sleeper's number."""
    pid_file = folder / "pid"
    building(played, "Defs")
    played.answer(
        *starts, spawn=60, pid_file=str(pid_file), stdout="✔ [2/4] Built Defs (1ms)\n", sleep=60
    )
    return pid_file


def sleeper(pid_file: Path) -> int:
    """The number of the sleeper, once it is there."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if pid_file.exists() and (text := pid_file.read_text(encoding="utf-8")):
            return int(text)
        time.sleep(0.02)
    pytest.fail("the command was never started")


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ("how", "starts"),
    [
        ("Ctrl-C", ("build",)),
        ("Ctrl-C", ("exe", "audit")),
        ("SIGTERM", ("build",)),
        ("SIGTERM", ("env", "lean")),
    ],
    ids=["Ctrl-C build", "Ctrl-C audit", "SIGTERM build", "SIGTERM print"],
)
def test_interrupted_run(
    good: Played, tmp_path: Path, temporary: Path, how: str, starts: tuple[str, ...]
) -> None:
    pid_file = hanging(good, tmp_path, *starts)
    if starts == ("build",):
        good.answer("build", "--no-build", exit=3)
    words = command(good, "verify.py")
    before = tree(good.project)
    terminal = Terminal(words, env={"TMPDIR": str(temporary)})
    if starts == ("build",):
        terminal.until("[2/4] Built Defs")
    pid = sleeper(pid_file)
    assert not gone(pid, within=0.1)
    if how == "Ctrl-C":
        terminal.child.sendintr()
    else:
        os.kill(terminal.child.pid, signal.SIGTERM)
    assert terminal.end() == 130
    assert gone(pid)
    assert terminal.screen.text() == "verify.py: interrupted; nothing was decided"
    assert tree(good.project) == before
    assert list(temporary.iterdir()) == []


def test_closed_terminal(good: Played, tmp_path: Path, temporary: Path) -> None:
    pid_file = hanging(good, tmp_path, "exe", "audit")
    before = tree(good.project)
    terminal = Terminal(command(good, "verify.py"), env={"TMPDIR": str(temporary)})
    pid = sleeper(pid_file)
    assert terminal.hang_up() == 130
    assert gone(pid)
    assert tree(good.project) == before
    assert list(temporary.iterdir()) == []


def test_closed_terminal_under_nohup(good: Played, tmp_path: Path) -> None:
    building(good, "Defs", sleep=1)
    output = tmp_path / "nohup.out"
    words = ["nohup", *command(good, "verify.py")]
    terminal = Terminal(words, folder=tmp_path)
    until = time.monotonic() + 30
    while not (output.exists() and "build …" in output.read_text("utf-8")):
        assert time.monotonic() < until
        time.sleep(0.02)
    assert terminal.hang_up() == 0
    assert "Demo: ACCEPTED" in output.read_text(encoding="utf-8")


def test_interrupt_while_waiting_for_another_run(good: Played) -> None:
    folder = os.open(good.project, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        terminal = Terminal(command(good, "check_axioms.py"))
        terminal.until("waiting for another run in this checkout")
        terminal.child.sendintr()
        assert terminal.end() == 130
    finally:
        os.close(folder)
    assert not any(call["argv"][0] == "build" for call in good.calls())


def test_interrupt_of_an_install(machine: Machine, tmp_path: Path) -> None:
    machine.elan(f'echo $$ >"{tmp_path / "pid"}"; "{shutil.which("sleep")}" 60')
    terminal = Terminal(machine.words, env=machine.env)
    terminal.until(QUESTION)
    terminal.child.sendline("y")
    pid = sleeper(tmp_path / "pid")
    terminal.child.sendintr()
    assert terminal.end() == 130
    assert gone(pid)
    assert terminal.screen.text().splitlines()[2:] == [
        "verify.py: interrupted; nothing was decided"
    ]
