"""Running programs in the sandbox, and finding out whether there can be one."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import process
from harness.process import End, Outcome

# What says how a sandbox is made is imported where one is: the gate is to start quickly.
if TYPE_CHECKING:
    from harness.sandbox import Sandbox

if sys.platform != "win32":
    import pwd

STEP = "sandbox"
SCRIPTS = Path(__file__).resolve().parents[1]
PROBE_SECONDS = 20.0
LINKS = 40
"""Symbolic links that a path may lead through, as for the kernel."""
_MAIN = Path(__file__).with_name("inside_main.py")
_HIDDEN = ("/home", "/root", "/mnt", "/media", "/run")
"""Homes, what is mounted beside the system, and the sockets of services."""
_TEMPORARY = ("/tmp", "/var/tmp")

Start = Callable[..., Outcome]
"""What starts a program: takes what `run` takes after its first argument."""


class Unavailable(Exception):
    """There is no sandbox here; the message says why, `remedy` what to do."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy or (
            "Allow unprivileged user namespaces here (sysctl user.max_user_namespaces; on Ubuntu "
            "kernel.apparmor_restrict_unprivileged_userns=0), leave the container, or use a "
            "machine that may be lost, without --sandbox."
        )


def run(
    box: Sandbox | None,
    argv: Sequence[str | Path],
    *,
    tell: Callable[[list[str]], None] = lambda _: None,
    readable: Iterable[Path] = (),
    writable: Iterable[Path] | None = None,
    network: bool = False,
    **options: Any,
) -> Outcome:
    """Run a program in the sandbox; where `box` is None, as `process.run` does.

    `readable` is shown to it besides; `writable` can be written instead of what the sandbox says.
    `tell` gets the names of processes that outlived the program. Other options are those of
    `process.run`. Raises Unavailable where the sandbox did not come to stand: then nothing ran.
    """
    if box is None:
        return process.run(argv, **options)
    from harness import sandbox

    box = replace(
        shown(box, readable),
        writable=tuple(
            p
            for p in (box.writable if writable is None else writable)
            if p.is_dir() and not p.is_symlink()
        ),
        network=network,
    )
    cwd, memory = Path(options["cwd"]).resolve(), options.pop("memory", None)
    environ = options.pop("env", None)
    kept = sandbox.environment(
        process.environment() if environ is None else environ, network=network, cache=box.cache
    )
    try:
        before = sandbox.arguments(box, cwd)
    except sandbox.Conflict as error:
        raise Unavailable(str(error), "Move the project (or what is named) elsewhere.") from None
    with tempfile.TemporaryFile() as report:
        outcome = process.run(
            [
                *before,
                *(sys.executable, "-I", "-S", "-B", _MAIN, str(report.fileno()), str(memory or 0)),
                *argv,
            ],
            env=kept,
            pass_fds=(report.fileno(),),
            **options,
        )
        report.seek(0)
        said = _messages(report.read(1 << 20))
    if "started" not in said:
        why = next((s for s in process.lines_of(outcome.stderr) if s.strip()), "")
        raise Unavailable(
            f"the sandbox did not start: {sandbox.PROGRAM} {outcome.says()}"
            + (f" ({why[:300]})" if why else "")
        )
    if names := said.get("left"):
        tell([str(name) for name in names])
    outcome = replace(outcome, argv=tuple(str(a) for a in argv))
    # For a program that was killed bwrap gives 128 and the signal's number.
    if isinstance(code := said.get("code"), int) and code < 0 and outcome.code == 128 - code:
        outcome = replace(outcome, code=code)
    if "refused" in said:
        return replace(outcome, end=End.NOT_STARTED, code=None, detail=str(said["refused"]))
    return outcome


def directly(argv: Sequence[str | Path], **options: Any) -> Outcome:
    """Run a program outside of any sandbox; takes what `run` takes."""
    return run(None, argv, **options)


def _messages(data: bytes) -> dict[str, Any]:
    """What was said on the descriptor. A program in the sandbox could write there too."""
    said: dict[str, Any] = {}
    for line in data.decode("utf-8", "replace").splitlines():
        with contextlib.suppress(ValueError, RecursionError):
            if isinstance(message := json.loads(line), dict):
                said |= message
    if not isinstance(said.get("left", []), list):
        del said["left"]
    return said


def shown(box: Sandbox, paths: Iterable[Path]) -> Sandbox:
    """A sandbox in which these paths can be read besides, by the names that they have here."""
    readable, links = list(box.readable), list(box.links)
    for path in paths:
        real, passed = walk(path.absolute())
        if os.path.exists(real):  # noqa: PTH110 - never raises
            readable.append(real)
            links += passed
    return replace(box, readable=tuple(dict.fromkeys(readable)), links=tuple(dict.fromkeys(links)))


def walk(path: Path) -> tuple[Path, list[tuple[Path, str]]]:
    """Where an absolute path leads, and every symbolic link on the way with its text."""
    real, todo = Path(path.anchor), list(reversed(path.parts[1:]))
    links: list[tuple[Path, str]] = []
    while todo:
        name = todo.pop()
        if name == "..":
            real = real.parent
            continue
        step = real / name
        try:
            text = str(step.readlink()) if len(links) < LINKS else ""
        except OSError:
            text = ""
        if not text:
            real = step
            continue
        links.append((step, text))
        target = Path(text)
        if target.is_absolute():
            real = Path(target.anchor)
        todo += [p for p in reversed(target.parts) if p != target.anchor]
    return real, links


def make(
    project: Path, writable: Sequence[Path], needed: Iterable[Path], cache: Path | None = None
) -> Sandbox:
    """The sandbox for a project; `needed` can be read besides, wherever it lies.

    Raises Unavailable where there is no bwrap, or where what is to be written is a link.
    """
    from harness import sandbox

    program = shutil.which(sandbox.PROGRAM)
    if program is None:
        raise Unavailable(
            f"there is no {sandbox.PROGRAM} on the PATH",
            "Install bubblewrap (that is the name of its package), on Linux; elsewhere use a "
            "machine that may be lost, without --sandbox.",
        )
    for folder in writable:
        inside = [p for p in (folder, *folder.parents) if p.is_relative_to(project)]
        if link := next((p for p in inside[:-1] if p.is_symlink()), None):
            raise Unavailable(
                f"{link} is a link, and what it leads to would be written to",
                "Put a folder in its place.",
            )
    histories = [p / ".git" for p in (project, *project.parents)]
    box = sandbox.Sandbox(
        Path(program).resolve(),
        _folders((*map(Path, _HIDDEN), *homes(os.environ), *histories)),
        _folders(map(Path, _TEMPORARY)),
        writable=tuple(writable),
        cache=cache,
    )
    python = (sys.executable, sys.prefix, sys.base_prefix, sys.exec_prefix)
    return shown(
        box,
        (project, SCRIPTS, *map(Path, python), *_system(os.environ), *needed),
    )


def homes(environ: Mapping[str, str]) -> list[Path]:
    """The home of this user, as the environment and as the system names it."""
    named = [environ.get("HOME", "")]
    with contextlib.suppress(KeyError):
        named.append(pwd.getpwuid(os.getuid()).pw_dir)
    return [Path(name) for name in named if name.startswith("/")]


def _folders(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Those of the paths that are folders, in full, the root of all left out."""
    found = []
    for path in paths:
        with contextlib.suppress(OSError):
            if path.is_dir() and (real := path.resolve()) != Path("/"):
                found.append(real)
    return tuple(dict.fromkeys(found))


def _system(environ: Mapping[str, str]) -> list[Path]:
    """What programs need of folders that are hidden: names of hosts, certificates, NixOS."""
    from harness import sandbox

    named = [environ.get(name, "") for name in sandbox.CERTIFICATES]
    certificates = [Path(name) for name in named if name.startswith("/")]
    return [Path("/etc/resolv.conf"), Path("/run/current-system"), *certificates]


def probe(box: Sandbox, project: Path) -> None:
    """Try the sandbox, with all its options, around `true`. Raises Unavailable."""
    outcome = run(box, ["true"], cwd=project, seconds=PROBE_SECONDS)
    if not outcome.ok:
        raise Unavailable(f"`true` in the sandbox {outcome.says()}")
