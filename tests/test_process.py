"""Running a program, with real children: how it ends, what it says, and that nothing stays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import process
from harness.process import End, Outcome

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="groups of processes are POSIX")

PYTHON = (sys.executable, "-I", "-S", "-c")


def shell(commands: str, folder: Path, *, seconds: float = 30, **more: Any) -> Outcome:
    """Run `sh`, which starts in a moment: for what has to happen before a short time limit."""
    return process.run(["sh", "-c", commands], cwd=folder, seconds=seconds, **more)


def python(code: str, folder: Path, *arguments: str, seconds: float = 30, **more: Any) -> Outcome:
    return process.run([*PYTHON, code, *arguments], cwd=folder, seconds=seconds, **more)


def gone(pid: int, within: float = 2.0) -> bool:
    """Whether a process has ended; one that only waits to be reaped has."""
    until = time.monotonic() + within
    while time.monotonic() < until:
        try:
            status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        except OSError:
            return True
        if status.rpartition(")")[2].split()[0] in "ZX":
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The numbers of the programs that were started; each has to be gone at the end."""
    numbers: list[int] = []

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **more: Any) -> None:
            super().__init__(*arguments, **more)
            numbers.append(self.pid)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    yield numbers
    assert numbers
    assert all(gone(number) for number in numbers)


# What a program is given


def test_arguments_come_as_they_are_without_a_shell(tmp_path: Path) -> None:
    arguments = ["a b", "$HOME", "*", "; touch made", "`id`", "", "é ℝ", "--x='y'", "\n"]
    done = python("import json, sys; print(json.dumps(sys.argv[1:]))", tmp_path, *arguments)
    assert json.loads(done.stdout) == arguments
    assert list(tmp_path.iterdir()) == []


def test_input_is_empty_and_the_folder_is_the_one_named(tmp_path: Path) -> None:
    ours, writing = os.pipe()
    os.write(writing, b"what was typed for us")
    os.close(writing)
    kept = os.dup(0)
    os.dup2(ours, 0)
    try:
        done = python("import os, sys; print([sys.stdin.read(), os.getcwd()])", tmp_path)
    finally:
        os.dup2(kept, 0)
        os.close(kept)
        os.close(ours)
    assert done.ok
    assert done.stdout == f"{['', str(tmp_path)]}\n"


def test_program_leads_a_group_of_its_own(tmp_path: Path) -> None:
    """Ctrl-C at the terminal reaches us alone, and we end the group."""
    done = python("import os; print(os.getpgrp() == os.getpid() == os.getsid(0))", tmp_path)
    assert done.stdout == "True\n"


def test_environment_is_the_callers_without_what_leads_lean_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    redirecting = [
        "ELAN_TOOLCHAIN",
        "LAKE",
        "LAKE_HOME",
        "LAKE_OVERRIDE_LEAN",
        "LAKE_PKG_URL_MAP",
        "LEAN",
        "LEAN_GITHASH",
        "LEAN_PATH",
        "LEAN_SRC_PATH",
        "LEAN_SYSROOT",
    ]
    for name in [*redirecting, "ELAN_HOME", "KEPT"]:
        monkeypatch.setenv(name, "/elsewhere")
    done = python("import json, os; print(json.dumps(dict(os.environ)))", tmp_path)
    seen = json.loads(done.stdout)
    assert not set(redirecting) & set(seen)
    assert seen["KEPT"] == seen["ELAN_HOME"] == "/elsewhere"
    assert seen["PATH"] == os.environ["PATH"]
    assert process.environment({"LEAN_PATH": "/here"})["LEAN_PATH"] == "/here"


def test_memory_limit(tmp_path: Path) -> None:
    code = "import mmap, time; time.sleep(0.2); print(len(mmap.mmap(-1, 1 << 30)))"
    assert python(code, tmp_path).stdout == f"{1 << 30}\n"
    limited = python(code, tmp_path, memory=512 << 20)
    assert limited.end is End.EXITED
    assert not limited.ok
    assert "Cannot allocate memory" in limited.stderr


# How it ends


def test_exit_status(tmp_path: Path) -> None:
    good, bad = (python(f"raise SystemExit({code})", tmp_path) for code in (0, 3))
    assert (good.ok, good.code, good.end) == (True, 0, End.EXITED)
    assert (bad.ok, bad.code, bad.end) == (False, 3, End.EXITED)
    assert bad.says() == "ended with exit status 3"


@pytest.mark.parametrize(
    ("number", "says"),
    [(9, "was killed by SIGKILL"), (11, "was killed by SIGSEGV"), (40, "was killed by signal 40")],
)
def test_killed_by_a_signal(tmp_path: Path, number: int, says: str) -> None:
    done = shell(f"echo so far; kill -{number} $$", tmp_path)
    assert (done.end, done.code, done.ok) == (End.EXITED, -number, False)
    assert done.stdout == "so far\n"
    assert done.says() == says


def _not_executable(folder: Path) -> list[str]:
    (folder / "plain").write_text("#!/bin/sh\n", encoding="utf-8")
    return [str(folder / "plain")]


def _no_program(folder: Path) -> list[str]:
    (folder / "odd").write_bytes(b"\x00\x01")
    (folder / "odd").chmod(0o755)
    return [str(folder / "odd")]


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (lambda folder: [str(folder / "missing")], "No such file or directory"),
        (lambda _: ["no-such-program-anywhere"], "No such file or directory"),
        (lambda folder: [str(folder)], "Permission denied"),
        (_not_executable, "Permission denied"),
        (_no_program, "Exec format error"),
        (lambda _: ["true", "a\0b"], "embedded null byte"),
    ],
)
def test_program_that_cannot_be_started(
    tmp_path: Path, argv: Callable[[Path], list[str]], reason: str
) -> None:
    done = process.run(argv(tmp_path), cwd=tmp_path, seconds=30)
    assert (done.end, done.code, done.ok) == (End.NOT_STARTED, None, False)
    assert done.says() == f"could not be started ({reason})"


def test_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = process.run(["true"], cwd=tmp_path / "gone", seconds=30)
    assert done.end is End.NOT_STARTED
    assert done.says() == f"could not be started (No such file or directory: {tmp_path / 'gone'})"


def test_time_limit_ends_leader_and_grandchild_at_once(
    tmp_path: Path, started: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "KILL_AFTER", 30.0)
    done = shell("sleep 60 & echo $!; printf 'half a line'; wait", tmp_path, seconds=0.5)
    assert done.seconds < 10
    assert (done.end, done.code, done.ok) == (End.TIME_LIMIT, -signal.SIGTERM, False)
    assert done.says() == "was stopped after its time limit of 0.5 s"
    pid, rest = done.stdout.splitlines()
    assert rest == "half a line"
    assert gone(int(pid))


def test_grandchild_keeps_the_output_open_after_its_parent_ended(
    tmp_path: Path, started: list[int]
) -> None:
    done = shell("sleep 60 & echo $!", tmp_path)
    assert done.seconds < 10
    assert (done.end, done.code, done.ok) == (End.OUTLIVED, 0, False)
    assert "left a process behind" in done.says()
    assert gone(int(done.stdout))


def test_grandchild_goes_on_writing_after_its_parent_ended(
    tmp_path: Path, started: list[int]
) -> None:
    done = shell("yes & echo $! >pid", tmp_path, keep=1000)
    assert done.seconds < 10
    assert done.end is End.OUTLIVED
    assert gone(int((tmp_path / "pid").read_text(encoding="utf-8")))


def test_grandchild_without_our_output_is_ended_too(tmp_path: Path, started: list[int]) -> None:
    done = shell("sleep 60 >/dev/null 2>&1 & echo $!", tmp_path)
    assert done.ok
    assert gone(int(done.stdout))


def test_program_that_ignores_the_request_to_end(tmp_path: Path, started: list[int]) -> None:
    done = shell("trap '' TERM; echo deaf; sleep 60", tmp_path, seconds=0.5)
    assert done.seconds < 10
    assert (done.end, done.code, done.stdout) == (End.TIME_LIMIT, -signal.SIGKILL, "deaf\n")


def test_program_that_tidies_up_when_asked_to_end(tmp_path: Path) -> None:
    done = shell("trap 'touch tidy; exit 0' TERM; sleep 60 & wait", tmp_path, seconds=0.5)
    assert (done.end, done.ok) == (End.TIME_LIMIT, False)
    assert (tmp_path / "tidy").exists()


def test_outputs_closed_while_the_program_goes_on(tmp_path: Path) -> None:
    done = shell("echo a; exec >&- 2>&-; sleep 0.4; exit 3", tmp_path)
    assert (done.end, done.code, done.stdout) == (End.EXITED, 3, "a\n")
    assert done.seconds >= 0.4
    hanging = shell("echo a; exec >&- 2>&-; exec sleep 60", tmp_path, seconds=0.4)
    assert (hanging.end, hanging.stdout) == (End.TIME_LIMIT, "a\n")
    assert hanging.seconds < 10


def test_slow_reader_does_not_make_a_program_outlive_itself(tmp_path: Path) -> None:
    """As when somebody stops the terminal for a moment with Ctrl-S."""
    seen: list[str] = []

    def slow(line: str) -> None:
        seen.append(line)
        time.sleep(process.DRAIN + 0.1)

    done = shell("echo a; sleep 0.2; echo b", tmp_path, on_stdout=slow)
    assert done.ok, done.says()
    assert seen == ["a", "b"]


# What it says


@pytest.mark.parametrize(
    ("pieces", "lines"),
    [
        ([b"a\xffb\n"], ["a\ufffdb"]),
        ([b"\xe2\x8a", b"\xa2 x\n"], ["⊢ x"]),
        ([b"x \xe2\x8a"], ["x \ufffd"]),
        ([b"a\r\nb\r\n"], ["a", "b"]),
        ([b"a\r", b"\nb\n"], ["a", "b"]),
        ([b"a\r", b"\n\nb\n"], ["a", "", "b"]),
        ([b"a\r", b"\r\n"], ["a", ""]),
        ([b"10%\r20", b"%\rdone\n"], ["10%", "20%", "done"]),
        ([b"\r"], [""]),
        ([b"no end"], ["no end"]),
        ([b"two ", b"pieces\nno ", b"end"], ["two pieces", "no end"]),
        ([b"\n\n"], ["", ""]),
        ([], []),
    ],
)
def test_output_comes_as_lines_of_text(
    tmp_path: Path, pieces: list[bytes], lines: list[str]
) -> None:
    code = (
        "import os, time\n"
        f"for piece in {pieces!r}:\n"
        "    os.write(1, piece); os.write(2, piece); time.sleep(0.05)"
    )
    out: list[str] = []
    err: list[str] = []
    done = python(code, tmp_path, on_stdout=out.append, on_stderr=err.append)
    assert out == err == lines
    assert done.stdout == done.stderr == "".join(f"{line}\n" for line in lines)


@given(st.lists(st.binary(max_size=6) | st.sampled_from([b"\r", b"\n", b"\r\n", b"\xe2", b"\x8a"])))
def test_lines_do_not_depend_on_how_the_bytes_arrive(pieces: list[bytes]) -> None:
    """Each write into a pipe comes as one read."""
    whole = b"".join(pieces).decode("utf-8", "replace")
    expected = whole.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not expected[-1]:
        del expected[-1]
    reading, writing = os.pipe()
    lines: list[str] = []
    with os.fdopen(reading, "rb") as pipe:
        stream = process._Stream(pipe, lines.append, process.KEPT_CHARACTERS)
        for piece in pieces:
            os.write(writing, piece)
            if piece:
                assert stream.read()
        os.close(writing)
        assert not stream.read()
    assert lines == expected
    assert stream.text() == "".join(f"{line}\n" for line in expected)


def test_lines_are_handed_on_as_they_come(tmp_path: Path) -> None:
    """The program goes on only when the harness has seen its line."""
    code = (
        "import os, sys, time\n"
        "print('first', flush=True)\n"
        "while not os.path.exists('seen'): time.sleep(0.01)\n"
        "print('second')"
    )
    done = python(code, tmp_path, seconds=10, on_stdout=(tmp_path / "seen").write_text)
    assert done.ok
    assert done.stdout == "first\nsecond\n"


def test_long_output_on_both_streams_does_not_block(tmp_path: Path) -> None:
    code = (
        "import sys\nfor i in range(200_000):\n"
        "    print('out', i)\n    print('err', i, file=sys.stderr)"
    )
    count = {"out": 0, "err": 0}

    def counter(line: str) -> None:
        count[line[:3]] += 1

    done = python(code, tmp_path, on_stdout=counter, on_stderr=counter)
    assert done.ok
    assert count == {"out": 200_000, "err": 200_000}
    assert done.stdout.startswith("out 0\nout 1\n")
    assert done.stderr.endswith("\nerr 199999\n")
    assert done.stdout.count("\n") == done.stderr.count("\n") == 200_000


def test_one_stream_silent_while_the_other_is_full(tmp_path: Path) -> None:
    done = python("import sys; sys.stderr.write('e' * 3_000_000); print('end')", tmp_path)
    assert (done.ok, done.stdout, len(done.stderr)) == (True, "end\n", 3_000_001)


def test_very_long_line_is_read_in_time(tmp_path: Path) -> None:
    """The audit answers on one line."""
    code = "import sys\nfor _ in range(60): sys.stdout.write('x' * 1_000_000)"
    done = python(code, tmp_path, seconds=10)
    assert done.end is End.EXITED
    assert len(done.stdout) == 60_000_001


def test_no_more_is_kept_than_was_asked_for(tmp_path: Path) -> None:
    seen: list[str] = []
    done = python(
        "for i in range(1000): print('line', i)", tmp_path, keep=20, on_stdout=seen.append
    )
    assert done.ok
    assert done.stdout == "line 0\nline 1\nline 2"[:20]
    assert len(seen) == 1000
    long = python("print('x' * 200_000)", tmp_path, keep=20)
    assert (long.ok, long.stdout) == (True, "x" * 20)


def test_line_without_end_is_handed_on_in_pieces(tmp_path: Path) -> None:
    seen: list[str] = []
    done = python(
        "import os\nfor _ in range(200): os.write(1, b'x' * 1000)",
        tmp_path,
        keep=5000,
        on_stdout=seen.append,
    )
    assert done.ok
    assert len(seen) > 1
    assert "".join(seen) == "x" * 200_000


def test_output_limit_ends_the_run(tmp_path: Path, started: list[int]) -> None:
    done = process.run(["yes"], cwd=tmp_path, seconds=30, keep=1_000_000, strict_limit=True)
    assert (done.end, done.ok) == (End.OUTPUT_LIMIT, False)
    assert done.says() == "was stopped after 1,000,000 characters of output"
    assert done.stdout == "y\n" * 500_000


def test_output_without_a_line_end_reaches_the_limit_too(
    tmp_path: Path, started: list[int]
) -> None:
    code = "import os\nwhile True: os.write(2, b'x' * 1000)"
    done = python(code, tmp_path, keep=100_000, strict_limit=True)
    assert done.end is End.OUTPUT_LIMIT
    assert done.stderr == "x" * 100_000


def test_line_that_has_not_ended_counts_for_the_limit(tmp_path: Path) -> None:
    done = shell("printf '%060d\\n%060d' 1 2; exec sleep 60", tmp_path, keep=100, strict_limit=True)
    assert done.end is End.OUTPUT_LIMIT


def test_output_just_below_the_limit_is_whole(tmp_path: Path) -> None:
    done = python("print('x' * 999)", tmp_path, keep=1000, strict_limit=True)
    assert (done.ok, done.stdout) == (True, "x" * 999 + "\n")


def test_attached_program_writes_to_our_own_output(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    done = python("print('shown'); raise SystemExit(5)", tmp_path, attached=True)
    assert (done.end, done.code, done.stdout, done.stderr) == (End.EXITED, 5, "", "")
    assert capfd.readouterr().out == "shown\n"


# Interrupts


def _interrupt(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_interrupt_leaves_no_process(tmp_path: Path, started: list[int]) -> None:
    seen: list[str] = []

    def on_line(line: str) -> None:
        seen.append(line)
        _interrupt()

    with pytest.raises(KeyboardInterrupt):
        shell("sleep 60 & echo $!; wait", tmp_path, on_stdout=on_line)
    assert gone(int(seen[0]))


def test_second_interrupt_while_the_group_is_being_ended(
    tmp_path: Path, started: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "KILL_AFTER", 30.0)
    seen: list[str] = []

    def on_line(line: str) -> None:
        seen.append(line)
        second = threading.Timer(0.2, _interrupt)
        second.start()
        _interrupt()

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        shell("trap '' TERM; sleep 60 & echo $!; wait", tmp_path, on_stdout=on_line)
    assert 0.2 <= time.monotonic() - began < 10
    assert gone(int(seen[0]))


def test_interrupt_while_a_program_is_being_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers: list[int] = []

    class Interrupted(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **more: Any) -> None:
            super().__init__(*arguments, **more)
            numbers.append(self.pid)
            _interrupt()
            time.sleep(0.01)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        process.run(["sleep", "60"], cwd=tmp_path, seconds=30)
    assert gone(numbers[0])
    assert signal.getsignal(signal.SIGINT) is before


def test_fault_in_a_line_handler_leaves_no_process(tmp_path: Path, started: list[int]) -> None:
    def fail(line: str) -> None:
        raise BrokenPipeError(line)

    with pytest.raises(BrokenPipeError, match=r"^a$"):
        shell("echo a; sleep 60", tmp_path, on_stdout=fail)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_request_to_terminate_ends_a_run_as_ctrl_c_does(
    tmp_path: Path, started: list[int], number: signal.Signals
) -> None:
    def nothing(*_: object) -> None:
        """What is done about it where nobody lets it end the run."""

    before = signal.signal(number, nothing)
    try:
        with pytest.raises(KeyboardInterrupt), process.interruptible():
            shell(
                "echo a; sleep 60",
                tmp_path,
                seconds=5,
                on_stdout=lambda _: os.kill(os.getpid(), number),
            )
        assert signal.getsignal(number) is nothing
    finally:
        signal.signal(number, before)


def test_hangup_that_the_caller_ignores_stays_ignored(tmp_path: Path) -> None:
    """As under `nohup`."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with process.interruptible():
            os.kill(os.getpid(), signal.SIGHUP)
            done = shell("kill -HUP $$; echo on", tmp_path)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    except KeyboardInterrupt:
        pytest.fail("the hangup ended the run")
    finally:
        signal.signal(signal.SIGHUP, before)
    assert done.stdout == "on\n"


def test_programs_can_be_run_outside_the_main_thread(tmp_path: Path) -> None:
    results: list[Outcome] = []
    thread = threading.Thread(
        target=lambda: results.append(process.run(["echo", "a"], cwd=tmp_path, seconds=30))
    )
    thread.start()
    thread.join(30)
    assert [result.stdout for result in results] == ["a\n"]
