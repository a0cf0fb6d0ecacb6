"""The sandbox, with the real bwrap: what a build tries, with it and without it.

The attacks are real: a `prelude` project compiled by the Lean inside the wheel, or a stand-in for
`lake` that does what a lakefile could do. Each is shown to work without the sandbox.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness import inside, sandbox
from harness.replay import replay
from harness.sandbox import Sandbox
from harness.toolchain import prelude
from harness.verdict import Finding
from projects_for_tests import (
    CHECKOUT,
    RECORDINGS,
    SCRIPTS,
    TESTS,
    Played,
    commit,
    git,
    play,
    run_script,
)

OK, REJECTED, COULD_NOT_RUN, INTERRUPTED = 0, 1, 2, 130
PROJECTS = TESTS / "projects"

LAKE = """#!{python}
import os, pathlib, socket, subprocess, sys, time
args, here = sys.argv[1:], pathlib.Path.cwd()
toolchain = pathlib.Path(__file__).resolve().parents[1]
if args == ["--version"]:
    print("Lake version 5.0.0-src (Lean version 4.27.0)")
    sys.exit()
if args[:2] == ["build", "--no-build"]:
    sys.exit(3)
if args == ["env", "printenv", "LEAN_PATH"]:
    print(here / ".lake" / "build" / "lib" / "lean")
    sys.exit()
if args[:2] == ["exe", "audit"]:
    assert pathlib.Path(args[2]).read_text(encoding="utf-8")
    sys.stdout.write((toolchain / "audit.json").read_text(encoding="utf-8"))
    sys.exit()
if args[:3] == ["env", "lean", "--json"]:
    assert "#print axioms" in pathlib.Path(args[3]).read_text(encoding="utf-8")
    sys.stdout.write((toolchain / "print.jsonl").read_text(encoding="utf-8"))
    sys.exit()
def attempt(what):
    try:
        return what()
    except OSError as error:
        print(f"error: {{error}}", file=sys.stderr)
        sys.exit(1)
{body}
print("Build completed successfully (4 jobs).")
"""

needs_bwrap = pytest.mark.usefixtures("bwrap")


@pytest.fixture(scope="session")
def bwrap() -> Path:
    """The real bwrap, where it works."""
    program = shutil.which("bwrap")
    if program is None:
        pytest.skip("there is no bwrap here")
    try:
        inside.probe(inside.make(CHECKOUT, (), ()), CHECKOUT)
    except inside.Unavailable as error:
        pytest.skip(str(error))
    return Path(program)


@dataclass(frozen=True)
class Built:
    """What became of a run of a script."""

    status: int
    page: str
    errors: str
    findings: list[dict[str, Any]]

    @property
    def rules(self) -> set[str]:
        return {finding["rule"] for finding in self.findings}

    @property
    def text(self) -> str:
        return " ".join(self.page.split())


def lake(played: Played, body: str) -> None:
    """Give a project a `lake` that does `body` (Python) where it should build."""
    path = played.toolchain / "bin" / "lake"
    path.write_text(LAKE.format(python=sys.executable, body=body), encoding="utf-8")


def build(
    played: Played,
    *arguments: str,
    script: str = "build.py",
    env: dict[str, str] | None = None,
) -> Built:
    """Run a script on a project as a user does."""
    file = played.toolchain.parent / "result.json"
    file.unlink(missing_ok=True)
    done = played.run(script, "--json", str(file), *arguments, env=env)
    return _built(done, file)


def embedded(
    project: Path, *arguments: str, env: dict[str, str] | None = None, script: str = "verify.py"
) -> Built:
    file = project.parent / "result.json"
    file.unlink(missing_ok=True)
    done = run_script(
        script, "--embedded", "--project", str(project), "--json", str(file), *arguments, env=env
    )
    return _built(done, file)


def _built(done: subprocess.CompletedProcess[str], file: Path) -> Built:
    assert "Traceback" not in done.stderr + done.stdout
    data = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return Built(done.returncode, done.stdout, done.stderr, data.get("findings", []))


@pytest.fixture
def elsewhere() -> Iterator[Path]:
    """A folder outside of /tmp, which the sandbox replaces in any case."""
    (CHECKOUT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="sandbox-", dir=CHECKOUT / "build") as folder:
        yield Path(folder).resolve()


def copy(case: str, folder: Path, **changes: str) -> Path:
    """A copy of a project of the tests, with words of its sources replaced."""
    project = folder / case
    shutil.copytree(PROJECTS / case, project, ignore=shutil.ignore_patterns("build"))
    for file in project.glob("*.lean"):
        text = file.read_text(encoding="utf-8")
        for old, new in changes.items():
            text = text.replace(old.replace("_", "-"), new)
        file.write_text(text, encoding="utf-8")
    return project


# Compiled by the real Lean


@needs_bwrap
def test_good_project_is_accepted_and_everything_ran_inside(
    tmp_path: Path, libraries: Path, bwrap: Path
) -> None:
    project = copy("good_universes", tmp_path)
    log = tmp_path / "bin" / "log"
    programs = _bwrap(tmp_path, f'printf "%s " "$@" >> "{log}"; echo >> "{log}"')
    done = embedded(project, "--sandbox", env=programs)
    assert done.status == OK, done.page + done.errors
    assert "✓ sandbox passed" in done.text
    assert done.rules <= {"special-declaration"}
    calls = log.read_text(encoding="utf-8").splitlines()
    for program in ("harness.replay.facts", "harness.replay.worker", "Probe.lean"):
        (call,) = [c for c in calls if program in c]
        # The worker writes an export, into a folder of its own.
        writes = program == "harness.replay.worker"
        assert call.count(" --bind ") == writes, "what only reads can write nothing"
        assert "--unshare-net" in call
    compiled = [c for c in calls if " -o " in c]
    assert compiled
    assert all(c.count(" --bind ") == 1 for c in compiled)


@needs_bwrap
def test_code_that_makes_a_folder_while_it_is_compiled(tmp_path: Path, libraries: Path) -> None:
    project = copy("acts", tmp_path)
    made = project / "made-while-compiling"
    done = embedded(project, "--sandbox")
    assert not made.exists()
    assert (done.status, done.rules) == (REJECTED, {"build-failed"})
    assert "read-only file system" in done.text
    assert "This ran in a sandbox: only build/embedded/lib can be written" in done.text
    assert embedded(project).status == OK
    assert made.is_dir(), "without the sandbox the attack does not work, so nothing is shown"


@needs_bwrap
def test_folder_made_in_tmp_is_in_a_tmp_of_its_own(tmp_path: Path, libraries: Path) -> None:
    made = Path(tempfile.gettempdir()) / f"made-by-{os.getpid()}"
    project = copy("acts", tmp_path, made_while_compiling=str(made))
    assert embedded(project, "--sandbox").status == OK
    assert not made.exists()
    embedded(project)
    assert made.is_dir()
    made.rmdir()


@needs_bwrap
def test_code_that_reads_a_home_while_it_is_compiled(elsewhere: Path, libraries: Path) -> None:
    """The project lies in the home: it is seen, and what lies beside it is not."""
    home = elsewhere / "home"
    home.mkdir()
    (home / "note").write_text("build/embedded/lib/what-the-note-says", encoding="utf-8")
    project = copy("reads_a_home", home, HOME=str(home))
    read = project / "build" / "embedded" / "lib" / "what-the-note-says"
    done = embedded(project, "--sandbox", env={"HOME": str(home)})
    assert not read.exists()
    assert (done.status, done.rules) == (REJECTED, {"build-failed"})
    assert "cannot be found" in done.text
    assert "homes are hidden" in done.text
    embedded(project, env={"HOME": str(home)})
    assert read.is_dir(), "without the sandbox the attack does not work, so nothing is shown"


@needs_bwrap
def test_proof_that_is_wrong_is_told_as_without_a_sandbox(tmp_path: Path, libraries: Path) -> None:
    project = copy("does_not_compile", tmp_path)
    done, plain = embedded(project, "--sandbox"), embedded(project)
    assert done.status == plain.status == REJECTED
    assert done.findings == plain.findings


@needs_bwrap
def test_export_is_replayed_in_a_sandbox(tmp_path: Path, libraries: Path) -> None:
    project = copy("good_universes", tmp_path)
    assert embedded(project).status == OK
    file = tmp_path / "proof.ndjson"
    done = run_script(
        "replay.py", "--embedded", "--project", str(project), "--write-export", str(file)
    )
    assert done.returncode == OK, done.stdout
    log = tmp_path / "bin" / "log"
    programs = _bwrap(tmp_path, f'printf "%s " "$@" >> "{log}"; echo >> "{log}"')
    read = embedded(project, "--sandbox", "--from-export", str(file), env=programs)
    assert read.status == OK, read.page
    calls = log.read_text(encoding="utf-8")
    assert "harness.replay.facts" in calls
    assert "harness.replay.worker" in calls


@needs_bwrap
def test_replay_in_a_sandbox_writes_its_export_through_a_folder_of_its_own(
    elsewhere: Path, libraries: Path
) -> None:
    project = copy("good_universes", elsewhere)
    assert embedded(project).status == OK
    box = inside.make(project, (), (libraries,))
    started: list[Any] = []

    def start(argv: Any, **options: Any) -> Any:
        started.append(options["writable"])
        return inside.run(box, argv, **options)

    out = elsewhere / "out" / "proof.ndjson"
    out.parent.mkdir()
    done = replay.replay(
        replay.Request(
            path=(prelude.library(project),), module="Main", kernel=libraries, write=out
        ),
        start=start,
    )
    assert done.exit_status == OK, done.findings
    assert sorted(p.name for p in out.parent.iterdir()) == [
        "proof.ndjson",
        "proof.ndjson.manifest.json",
    ]
    ((place,),) = started
    assert place.parent == out.parent, "nothing else in that folder can be written"


@needs_bwrap
def test_terms_are_replayed_in_a_sandbox_wherever_they_come_from(
    elsewhere: Path, tmp_path: Path, libraries: Path
) -> None:
    home = elsewhere / "home"
    home.mkdir()
    project = copy("good_universes", home)
    assert embedded(project).status == OK
    log = tmp_path / "bin" / "log"
    env = {
        "HOME": str(home),
        **_bwrap(tmp_path, f'printf "%s " "$@" >> "{log}"; echo >> "{log}"'),
    }
    out = home / "an export"
    out.mkdir()
    sources: list[list[str]] = [
        ["--embedded", "--project", str(project), "--write-export", str(out / "proof.ndjson")],
        [str(out / "proof.ndjson")],
        ["--modules", str(prelude.library(project)), "Main"],
    ]
    for number, source in enumerate(sources, 1):
        done = run_script("replay.py", "--sandbox", *source, env=env)
        assert done.returncode == OK, done.stdout + done.stderr
        calls = log.read_text(encoding="utf-8").splitlines()
        workers = [call for call in calls if "harness.replay.worker" in call]
        assert len(workers) == number
        assert (" --bind " in workers[-1]) is (number == 1)
    assert {p.name for p in out.iterdir()} == {"proof.ndjson", "proof.ndjson.manifest.json"}
    (tmp_path / "empty").mkdir()
    for source in sources:
        done = run_script("replay.py", "--sandbox", *source, env={"PATH": str(tmp_path / "empty")})
        assert done.returncode == COULD_NOT_RUN
        assert "sandbox-unavailable: there is no bwrap on the PATH" in done.stderr


# What a lakefile could do


def _attack(played: Played, worked: Callable[[], bool], status: int, **options: Any) -> Built:
    """Build with and without the sandbox. The attack works without, and only without."""
    done = build(played, "--sandbox", **options)
    assert not worked()
    assert done.status == status, done.page + done.errors
    build(played, **options)
    assert worked(), "without the sandbox the attack does not work, so nothing is shown"
    return done


@needs_bwrap
def test_build_that_connects_to_the_network(good: Played) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        port = listener.getsockname()[1]
        lake(good, f'attempt(lambda: socket.create_connection(("127.0.0.1", {port}), 5))')

        def worked() -> bool:
            with contextlib.suppress(BlockingIOError):
                listener.accept()[0].close()
                return True
            return False

        done = _attack(good, worked, COULD_NOT_RUN)
    assert done.rules == {"build-infrastructure"}
    assert "there is no network but for fetching" in done.text


HEARTBEAT = """
code = '''
import pathlib, time
for beat in range(3000):
    pathlib.Path(".lake/beat").write_text(str(beat), encoding="utf-8")
    time.sleep(0.02)
'''
quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
os.makedirs(".lake", exist_ok=True)
child = subprocess.Popen([sys.executable, "-c", code], start_new_session=True, **quiet)
pathlib.Path(".lake/pid").write_text(str(child.pid), encoding="utf-8")
while not os.path.exists(".lake/beat"):
    time.sleep(0.01)
"""


def _beats(project: Path) -> bool:
    """Whether the process that a build started still runs."""
    file = project / ".lake" / "beat"
    before = file.read_text(encoding="utf-8")
    time.sleep(0.4)
    return file.read_text(encoding="utf-8") != before


@needs_bwrap
def test_process_that_outlives_the_build(good: Played) -> None:
    lake(good, HEARTBEAT)
    done = build(good, "--sandbox")
    assert not _beats(good.project)
    assert done.status == OK, done.page
    assert done.rules == {"process-left"}
    assert "still ran when what had started it had ended" in done.text
    shutil.rmtree(good.project / ".lake")
    build(good)
    assert _beats(good.project)
    os.kill(int((good.project / ".lake" / "pid").read_text(encoding="utf-8")), signal.SIGKILL)


@needs_bwrap
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, INTERRUPTED), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_inside_ends_with_the_run(good: Played, number: int, status: int) -> None:
    lake(good, HEARTBEAT + "\ntime.sleep(60)")
    process = subprocess.Popen(
        [sys.executable, SCRIPTS / "build.py", "--sandbox", "--project", good.project,
         "--toolchain", good.toolchain],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    until = time.monotonic() + 30
    while not (good.project / ".lake" / "beat").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert _beats(good.project)
    process.send_signal(number)
    assert process.wait(20) == status
    time.sleep(0.2)
    assert not _beats(good.project)


@needs_bwrap
@pytest.mark.parametrize("place", ["Solution.lean", ".git/config", "scripts/lean/Audit.lean"])
def test_build_that_writes_to_what_is_checked(good: Played, place: str) -> None:
    file = good.project / place
    (good.project / ".git").mkdir()
    (good.project / ".git" / "config").write_text("[core]\n", encoding="utf-8")
    before = file.read_text(encoding="utf-8")
    lake(good, f"attempt(lambda: pathlib.Path({place!r}).write_text('mine', encoding='utf-8'))")
    done = _attack(good, lambda: file.read_text(encoding="utf-8") != before, COULD_NOT_RUN)
    assert "Read-only file system" in done.text
    assert "only .lake can be written" in done.text


@needs_bwrap
def test_history_of_the_project_is_not_read(good: Played) -> None:
    """CI systems keep tokens in `.git/config`."""
    (good.project / ".git").mkdir()
    (good.project / ".git" / "config").write_text("a token", encoding="utf-8")
    copied = good.project / ".lake" / "copied"
    lake(
        good,
        'attempt(lambda: (os.makedirs(".lake", exist_ok=True), pathlib.Path(".lake/copied")'
        '.write_bytes(pathlib.Path(".git/config").read_bytes())))',
    )
    _attack(good, copied.exists, COULD_NOT_RUN)


@needs_bwrap
def test_mounts_cannot_be_undone(elsewhere: Path, good: Played) -> None:
    """Whoever starts it, root too: with its capabilities a program could unmount what hides."""
    home = elsewhere / "home"
    home.mkdir()
    (home / "note").touch()
    lake(
        good,
        "import ctypes\n"
        f"ctypes.CDLL(None).umount2({os.fsencode(home)!r}, 0)\n"
        "os.makedirs('.lake', exist_ok=True)\n"
        f"there = os.listdir({str(home)!r}) if os.path.isdir({str(home)!r}) else []\n"
        "pathlib.Path('.lake/seen').write_text(str(there))\n"
        "caps = [s for s in open('/proc/self/status') if s.startswith('CapEff')]\n"
        "pathlib.Path('.lake/caps').write_text(caps[0])",
    )
    done = build(good, "--sandbox", env={"HOME": str(home)})
    assert done.status == OK, done.page
    assert (good.project / ".lake" / "seen").read_text(encoding="utf-8") == "[]"
    assert int((good.project / ".lake" / "caps").read_text(encoding="utf-8").split()[1], 16) == 0


ENVIRONMENT = """
import json
seen = []
for file in pathlib.Path("/proc").glob("[0-9]*/environ"):
    try:
        seen.append(file.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        pass
os.makedirs(".lake", exist_ok=True)
text = json.dumps([dict(os.environ), seen])
pathlib.Path(".lake/environment.json").write_text(text, encoding="utf-8")
"""


@needs_bwrap
def test_secrets_of_the_environment_are_not_seen(good: Played) -> None:
    names = ("GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "LAKE_CACHE_KEY", "WHATEVER")
    secrets = dict.fromkeys(names, "do-not-tell-this")
    lake(good, ENVIRONMENT)
    file = good.project / ".lake" / "environment.json"
    done = build(good, "--sandbox", env={**secrets, "LEAN_NUM_THREADS": "3", "LANG": "C.UTF-8"})
    assert done.status == OK, done.page
    environ, seen = json.loads(file.read_text(encoding="utf-8"))
    assert (environ["LEAN_NUM_THREADS"], environ["LANG"]) == ("3", "C.UTF-8")
    assert len(seen) >= 1
    assert "do-not-tell-this" not in file.read_text(encoding="utf-8")
    build(good, env=secrets)
    assert "do-not-tell-this" in file.read_text(encoding="utf-8")


@needs_bwrap
def test_error_in_our_file_is_a_violation_and_not_the_sandbox(good: Played) -> None:
    lake(
        good,
        'print("error: Solution.lean:7:4: Type mismatch", flush=True)\nsys.exit(1)',
    )
    done = build(good, "--sandbox")
    assert (done.status, done.rules) == (REJECTED, {"build-failed"})


@needs_bwrap
def test_lake_that_is_killed_is_told_as_such(good: Played) -> None:
    lake(good, "os.kill(os.getpid(), 9)")
    done = build(good, "--sandbox")
    assert done.status == COULD_NOT_RUN
    assert "was killed by SIGKILL" in done.text


@needs_bwrap
@pytest.mark.parametrize("name", ["ein Projekt – ∀ x", "'quoted' \"twice\" $HOME"])
def test_paths_with_spaces_quotes_and_unicode(tmp_path: Path, name: str) -> None:
    played = play(RECORDINGS / "good", tmp_path / name)
    for file in ("audit.json", "print.jsonl"):
        shutil.copy(RECORDINGS / "good" / file, played.toolchain)
    lake(played, 'os.makedirs(".lake", exist_ok=True); pathlib.Path(".lake/built").touch()')
    done = build(played, "--sandbox", script="check_axioms.py")
    assert done.status == OK, done.page + done.errors
    assert (played.project / ".lake" / "built").exists()
    assert "✓ audit passed" in done.text
    assert "✓ print passed" in done.text


@needs_bwrap
def test_toolchain_below_the_home_and_behind_a_link_is_found(elsewhere: Path) -> None:
    """As elan has it: the home is hidden, what the toolchain needs of it is not."""
    home = elsewhere / "home"
    real = play(RECORDINGS / "good", home / "store")
    lake(
        real, "pathlib.Path('.lake/seen').write_text(str(sorted(os.listdir(toolchain.parents[1]))))"
    )
    (home / "lean").symlink_to("store/toolchain")
    (home / "private").touch()
    played = Played(real.project, home / "lean", real.rules)
    done = build(played, "--sandbox", env={"HOME": str(home)})
    assert done.status == OK, done.page
    seen = (real.project / ".lake" / "seen").read_text(encoding="utf-8")
    assert "private" not in seen


@needs_bwrap
def test_only_fetching_has_a_network(good: Played) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        port = listener.getsockname()[1]
        lake(
            good,
            f"""
try:
    socket.create_connection(("127.0.0.1", {port}), 5).sendall(" ".join(args).encode())
except OSError:
    pass
if args[0] == "env":
    import shutil
    shutil.copytree(toolchain / "lib", ".lake/packages/lib")
    pathlib.Path(".lake/proxy").write_text(os.environ.get("https_proxy", ""))
else:
    pathlib.Path(".lake/later").write_text(os.environ.get("https_proxy", ""))
""",
        )
        library = good.toolchain / "lib"
        library.mkdir()
        (library / "Lib.lean").touch()
        git(library, "init", "--quiet", "--template=")
        commit(library)
        head = git(library, "rev-parse", "HEAD")
        manifest = {
            "version": "1.1.0",
            "packagesDir": ".lake/packages",
            "packages": [
                {"name": "lib", "type": "git", "url": "https://x", "rev": head,
                 "inputRev": head, "inherited": False, "configFile": "lakefile.lean"}
            ],
            "name": "Demo",
        }  # fmt: skip
        (good.project / "lake-manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        lakefile = good.project / "lakefile.lean"
        lakefile.write_text(
            lakefile.read_text(encoding="utf-8")
            + f'\nrequire lib from git "https://x" @ "{head}"\n',
            encoding="utf-8",
        )
        done = build(good, "--sandbox", env={"https_proxy": "http://me:pw@proxy"})
        assert done.status == OK, done.page
        heard = []
        with contextlib.suppress(TimeoutError):
            while True:
                connection, _ = listener.accept()
                with connection:
                    heard.append(connection.recv(1000).decode())
    assert heard == ["env true"]
    assert (good.project / ".lake" / "proxy").read_text(encoding="utf-8") == "http://me:pw@proxy"
    assert (good.project / ".lake" / "later").read_text(encoding="utf-8") == ""


# Where there is no sandbox, nothing runs


def _marked(played: Played, marker: Path) -> None:
    """A `lake` that leaves a mark whatever it is asked."""
    path = played.toolchain / "bin" / "lake"
    path.write_text(
        f"#!{sys.executable}\nimport pathlib\npathlib.Path({str(marker)!r}).touch()\n"
        'print("Lake version 5.0.0-src (Lean version 4.27.0)")\n',
        encoding="utf-8",
    )


def _nothing_ran(done: Built, marker: Path) -> None:
    assert done.status == COULD_NOT_RUN, done.page
    assert done.rules == {"sandbox-unavailable"}
    assert not marker.exists()
    assert "toolchain, build" in done.text


def _bwrap(folder: Path, before: str, after: str = 'exec "$real" "$@"') -> dict[str, str]:
    """An environment with a `bwrap` that does something (in sh) before the real one runs."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    path = programs / "bwrap"
    real = shutil.which("bwrap")
    path.write_text(f"#!/bin/sh\nreal={real}\n{before}\n{after}\n", encoding="utf-8")
    path.chmod(0o755)
    return {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}


def test_without_bwrap_nothing_is_built(good: Played, tmp_path: Path) -> None:
    _marked(good, tmp_path / "ran")
    (tmp_path / "empty").mkdir()
    done = build(good, "--sandbox", env={"PATH": str(tmp_path / "empty")})
    _nothing_ran(done, tmp_path / "ran")
    assert "there is no bwrap on the PATH" in done.text
    assert "Install bubblewrap" in done.text
    build(good, env={"PATH": str(tmp_path / "empty")})
    assert (tmp_path / "ran").exists()


@needs_bwrap
def test_where_namespaces_are_refused_nothing_is_built(good: Played, tmp_path: Path) -> None:
    refuse = "echo 0 > /proc/sys/user/max_user_namespaces"
    if subprocess.run(["unshare", "-U", "-r", "sh", "-c", refuse], check=False).returncode:
        pytest.skip("namespaces cannot be refused here")
    _marked(good, tmp_path / "ran")
    file = tmp_path / "result.json"
    done = subprocess.run(
        ["unshare", "-U", "-r", "sh", "-c", f'{refuse}; exec "$@"', "sh", sys.executable,
         SCRIPTS / "build.py", "--sandbox", "--project", good.project, "--toolchain",
         good.toolchain, "--json", file],
        capture_output=True, encoding="utf-8", check=False, timeout=60,
    )  # fmt: skip
    built = _built(done, file)
    _nothing_ran(built, tmp_path / "ran")
    assert "user namespaces" in built.text


@pytest.mark.parametrize("status", [0, 1])
def test_bwrap_that_starts_nothing_is_not_believed(
    good: Played, tmp_path: Path, status: int
) -> None:
    _marked(good, tmp_path / "ran")
    done = build(good, "--sandbox", env=_bwrap(tmp_path, f"exit {status}"))
    _nothing_ran(done, tmp_path / "ran")
    assert f"bwrap ended with exit status {status}" in done.text


@needs_bwrap
def test_sandbox_that_fails_after_the_probe_is_no_failed_build(
    good: Played, tmp_path: Path
) -> None:
    """The exit status is 1 then, as that of a build that fails."""
    lake(good, 'print("error: Solution.lean:7:4: Type mismatch", flush=True)\nsys.exit(1)')
    count = tmp_path / "count"
    env = _bwrap(
        tmp_path,
        f'echo x >> "{count}"; [ $(wc -l < "{count}") -le 2 ] || '
        '{ echo "bwrap: Creating new namespace failed" >&2; exit 1; }',
    )
    done = build(good, "--sandbox", env=env)
    assert (done.status, done.rules) == (COULD_NOT_RUN, {"sandbox-unavailable"})
    assert "Creating new namespace failed" in done.text


@needs_bwrap
@pytest.mark.parametrize("where", ["lake", "embedded"])
def test_build_folder_that_leads_elsewhere_is_refused(
    good: Played, tmp_path: Path, where: str
) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    if where == "lake":
        lake(good, 'pathlib.Path(".lake/planted").touch()')
        shutil.rmtree(good.project / ".lake")
        (good.project / ".lake").symlink_to(victim)
        done = build(good, "--sandbox")
        assert not list(victim.iterdir())
        build(good)
        assert [p.name for p in victim.iterdir()] == ["planted"]
    else:
        project = copy("acts", tmp_path)
        (project / "build").symlink_to(victim)
        done = embedded(project, "--sandbox")
        assert not list(victim.iterdir())
    assert done.status == COULD_NOT_RUN
    if where == "lake":
        assert done.rules == {"sandbox-unavailable"}
    assert "is a link" in done.text + done.errors


@needs_bwrap
def test_project_that_is_the_home_itself_is_refused(elsewhere: Path) -> None:
    played = play(RECORDINGS / "good", elsewhere)
    done = build(played, "--sandbox", env={"HOME": str(played.project)})
    assert (done.status, done.rules) == (COULD_NOT_RUN, {"sandbox-unavailable"})
    assert "is one of the folders that are hidden" in done.text


# Without processes

BWRAP = Path("/usr/bin/bwrap")


def _options(words: list[str], name: str) -> list[str]:
    return [words[i + 1] for i, word in enumerate(words) if word == name]


def test_deeper_paths_are_mounted_later() -> None:
    home = Path("/home/u")
    box = Sandbox(
        BWRAP,
        hidden=(Path("/home"), home, home / "project/.git", home / "project/home"),
        temporary=(Path("/tmp"),),
        readable=(home / "project", Path("/usr/lib"), Path("/tmp/request.json")),
        writable=(home / "project/.lake",),
        links=((home / ".elan", "/data/elan"), (Path("/usr/lean"), "/opt/lean")),
    )
    words = sandbox.arguments(box, home / "project")
    mounts = [w for i, w in enumerate(words) if words[i - 1] in ("--tmpfs", "--ro-bind", "--bind")]
    assert mounts == [
        "/",
        "/home",
        "/tmp",
        "/tmp/request.json",
        "/home/u/project",
        "/home/u/project/.git",
        "/home/u/project/.lake",
        "/home/u/project/home",
    ]
    assert _options(words, "--bind") == ["/home/u/project/.lake"]
    assert _options(words, "--symlink") == ["/data/elan"]
    assert _options(words, "--remount-ro") == [
        "/home", "/home/u/project/.git", "/home/u/project/home",
    ]  # fmt: skip
    assert words[-3:] == ["--chdir", "/home/u/project", "--"]


@pytest.mark.parametrize("network", [True, False])
def test_every_namespace_is_its_own(network: bool) -> None:
    words = sandbox.arguments(Sandbox(BWRAP, network=network), Path("/"))
    assert ("--unshare-net" in words) is not network
    for word in ("--unshare-user", "--unshare-pid", "--new-session", "--die-with-parent"):
        assert word in words
    assert _options(words, "--cap-drop") == ["ALL"]


def test_folder_that_is_hidden_and_shown_is_a_conflict() -> None:
    home = (Path("/home/u"),)
    shown = Sandbox(BWRAP, hidden=home, readable=home)
    for box in (shown, Sandbox(BWRAP, hidden=home, writable=home)):
        with pytest.raises(sandbox.Conflict, match="/home/u"):
            sandbox.arguments(box, Path("/"))


def test_environment_keeps_what_lean_needs_and_nothing_else() -> None:
    needed = {"PATH": "p", "HOME": "h", "LC_ALL": "C", "LEAN_NUM_THREADS": "2", "ELAN_HOME": "e"}
    network = {"HTTPS_PROXY": "x", "no_proxy": "y", "SSL_CERT_FILE": "z"}
    other = {"LAKE_CACHE_KEY": "s", "SSH_AUTH_SOCK": "s", "NPM_TOKEN": "s", "PATHS": "s", "X": "s"}
    everything = needed | network | other
    assert sandbox.environment(everything, network=False) == needed
    assert sandbox.environment(everything, network=True) == needed | network
    kept = sandbox.environment(needed, network=False, cache=Path("/c"))
    assert kept == needed | {"XDG_CACHE_HOME": "/c"}


def test_only_what_a_sandbox_may_have_refused_is_explained() -> None:
    box = Sandbox(BWRAP, writable=(Path("/p/.lake"),))
    refused = Finding("build-failed", "read-only file system (error code: 30)", "build")
    wrong = Finding("build-failed", "unsolved goals", "build", remedy="Mend the proof.")
    other = Finding("pin-mismatch", "permission denied", "pins")
    explained = sandbox.explained([refused, wrong, other], box, Path("/p"))
    assert "only .lake can be written" in str(explained[0].remedy)
    assert explained[1:] == [wrong, other]


def test_links_on_the_way_are_found(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "relative").symlink_to("a/../a")
    (tmp_path / "a" / "absolute").symlink_to(tmp_path / "relative" / "b")
    (tmp_path / "circle").symlink_to("circle")
    real, links = inside.walk(tmp_path / "relative" / "absolute")
    assert real == (tmp_path / "a" / "b").resolve()
    assert {link.name for link, _ in links} >= {"relative", "absolute"}
    inside.walk(tmp_path / "circle" / "x")


def test_without_a_sandbox_a_program_runs_as_ever(tmp_path: Path) -> None:
    start = functools.partial(inside.run, None)
    assert start([sys.executable, "-c", "print(1)"], cwd=tmp_path, seconds=20).stdout == "1\n"
    assert inside.directly(["true"], cwd=tmp_path, seconds=20).ok


@needs_bwrap
def test_limit_of_memory_holds_inside(tmp_path: Path) -> None:
    box = inside.make(tmp_path.resolve(), (), ())
    argv = [sys.executable, "-c", "bytearray(1 << 30)"]
    assert inside.run(box, argv, cwd=tmp_path, seconds=20).ok
    limited = inside.run(box, argv, cwd=tmp_path, seconds=20, memory=1 << 29)
    assert limited.code == 1
    assert "MemoryError" in limited.stderr


@needs_bwrap
def test_program_that_is_not_there_could_not_be_started(tmp_path: Path) -> None:
    box = inside.make(tmp_path.resolve(), (), ())
    outcome = inside.run(box, ["/nowhere/lake"], cwd=tmp_path, seconds=20)
    assert outcome.says() == "could not be started (No such file or directory: /nowhere/lake)"
