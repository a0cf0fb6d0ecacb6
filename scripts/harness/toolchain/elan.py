"""Finding the pinned Lean: an unpacked toolchain, elan's, or the `lake` on the PATH.

Nothing here reaches the network but `install_elan` and `install_toolchain`, which are called after
asking. elan's `lake` and `lean` are stand-ins that download a toolchain when it is not there; they
are never started, the toolchain's own programs are.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from harness import place, process
from harness.sources.files import NotPlain, plain_bytes

TOOLCHAIN_FILE = "lean-toolchain"
LARGEST = 1024 * 1024
"""Bytes of the largest toolchain file that is read."""
ELAN_INSTALLER = "https://elan.lean-lang.org/elan-init.sh"
ELAN_PAGE = "https://lean-lang.org/install/"

_VERSION = re.compile(r"Lean \(?version ([0-9][^\s,)]*)")
_COMMIT = re.compile(r"\bcommit ([0-9a-f]{40})\b")
_RELEASE = re.compile(r"v?([0-9]+\.[0-9]+\.[0-9]+(?:-[\w.]+)?)")
_TOOLCHAIN = re.compile(r"\w[\w.+:/-]*", re.ASCII)


class ToolchainMissing(Exception):
    """No Lean to run; `remedy` says how to get it."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


class Lean(NamedTuple):
    """A Lean to run: its `lake`, and the folder of its programs where that is known."""

    lake: Path
    bin: Path | None
    origin: str

    def environment(self) -> dict[str, str]:
        """The environment to run it in: its own programs first on the PATH."""
        if self.bin is None:
            return process.environment()
        path = os.pathsep.join(p for p in (str(self.bin), os.environ.get("PATH", "")) if p)
        return process.environment({"PATH": path})


def read_pin(project: Path) -> str | None:
    """The toolchain that a project is pinned to, None if it has no toolchain file.

    Raises OSError or UnicodeDecodeError where the file cannot be read.
    """
    path = project / TOOLCHAIN_FILE
    if not path.is_file():
        return None
    try:
        return plain_bytes(path, LARGEST).decode("utf-8-sig").strip()
    except NotPlain as error:
        raise OSError(str(error)) from None


def is_toolchain(pin: str) -> bool:
    """Whether a pin is a toolchain's name: neither an option nor a path that leads elsewhere."""
    return _TOOLCHAIN.fullmatch(pin) is not None


def release_of(pin: str) -> str | None:
    """The version in a toolchain's name: `4.30.0` of `leanprover/lean4:v4.30.0`."""
    match = _RELEASE.fullmatch(pin.rpartition(":")[2])
    return match[1] if match else None


def folder_name(pin: str) -> str:
    """The folder that elan keeps a toolchain in."""
    return pin.replace("/", "--").replace(":", "---")


def elan_home(environ: Mapping[str, str] = os.environ) -> Path:
    """Where elan keeps its toolchains."""
    # Where nobody knows the user's home the tilde stays, and nothing is found.
    return Path(environ.get("ELAN_HOME") or os.path.expanduser("~/.elan")).absolute()  # noqa: PTH111


def find(project: Path, named: Path | None, environ: Mapping[str, str] = os.environ) -> Lean:
    """The Lean to run for a project: `named` if given, else elan's pinned one, else `lake`'s.

    Raises ToolchainMissing, without having started anything.
    """
    if named is not None:
        return _unpacked(named.resolve(), f"--toolchain {named}")
    pin = read_pin(project)
    if pin is not None and not is_toolchain(pin):
        raise ToolchainMissing(
            f"{TOOLCHAIN_FILE} names no toolchain: {pin[:100]!r}",
            f"Write one into {TOOLCHAIN_FILE}, for example leanprover/lean4:v4.30.0.",
        )
    home = elan_home(environ)
    folder = home / "toolchains" / folder_name(pin or "")
    if pin is not None and os.path.isdir(folder):  # noqa: PTH112 - never raises
        return _unpacked(folder, "elan", reinstall=pin)
    lake = _on_path("lake", environ)
    if lake is not None and not is_shim(lake):
        sibling = lake.resolve().parent
        return Lean(lake, sibling if (sibling / "lean").is_file() else None, f"{lake} (PATH)")
    if pin is None:
        raise ToolchainMissing(
            f"{project} has no {TOOLCHAIN_FILE} file, so there is no telling which Lean it needs",
            f"Write its toolchain into {TOOLCHAIN_FILE}, for example leanprover/lean4:v4.30.0.",
        )
    elan = find_elan(environ)
    others = installed(home)
    raise ToolchainMissing(
        (
            f"the pinned toolchain {pin} is not installed"
            if elan
            else f"there is no lake on the PATH, and no elan to get {pin} with"
        )
        + (f" (installed: {', '.join(others)})" if others else ""),
        (f"elan toolchain install {pin}" if elan else f"Install elan ({ELAN_PAGE})")
        + f", or let `{place.call('verify.py')}` do it (it asks first), or name an unpacked "
        "toolchain with --toolchain PATH.",
    )


def find_elan(environ: Mapping[str, str] = os.environ) -> Path | None:
    """The elan to call: on the PATH, or where its installer puts it."""
    installed_elan = elan_home(environ) / "bin" / "elan"
    return _on_path("elan", environ) or (installed_elan if _executable(installed_elan) else None)


def _on_path(name: str, environ: Mapping[str, str]) -> Path | None:
    found = shutil.which(name, path=environ.get("PATH", ""))
    # The PATH may name folders relative to the one that we were called in.
    return Path(found).absolute() if found else None


def installed(home: Path) -> list[str]:
    """The folders of toolchains that elan has."""
    try:
        return sorted(p.name for p in (home / "toolchains").iterdir() if p.is_dir())
    except OSError:
        return []


def is_shim(lake: Path) -> bool:
    """Whether a `lake` is elan under another name: a link to it, or the same file beside it."""
    target = lake.resolve()
    if target.name.startswith("elan"):
        return True
    for elan in (lake.parent / "elan", target.parent / "elan"):
        try:
            if elan.is_file() and (elan.samefile(target) or _same_bytes(elan, target)):
                return True
        except OSError:
            continue
    return False


def running_version(
    lean: Lean,
    project: Path,
    seconds: float,
    start: Callable[..., process.Outcome] = process.run,
) -> str:
    """The version of the Lean that `lake` belongs to. `start` runs it, as `process.run` does.

    Raises ToolchainMissing if it does not answer with one.
    """
    outcome = start([lean.lake, "--version"], cwd=project, seconds=seconds, env=lean.environment())
    match = _VERSION.search(outcome.stdout)
    if not outcome.ok or match is None:
        said = next((s for s in (outcome.stderr + outcome.stdout).splitlines() if s.strip()), "")
        raise ToolchainMissing(
            f"`{lean.lake} --version` {outcome.says()}"
            + (f" and said: {said.strip()[:200]}" if said else ""),
            "Install the pinned toolchain, or name an unpacked one with --toolchain PATH.",
        )
    return match[1]


def says_of_itself(lean: Lean, project: Path, seconds: float) -> tuple[str, str]:
    """What `lean --version` says: version and git hash, which is empty if it knows none.

    Raises ToolchainMissing if it does not answer with a version.
    """
    words = [lean.bin / "lean"] if lean.bin else [lean.lake, "env", "lean"]
    outcome = process.run(
        [*words, "--version"], cwd=project, seconds=seconds, env=lean.environment()
    )
    version, commit = _VERSION.search(outcome.stdout), _COMMIT.search(outcome.stdout)
    if not outcome.ok or version is None:
        raise ToolchainMissing(
            f"`{' '.join(map(str, words))} --version` {outcome.says()} and names no version",
            "Install the pinned toolchain, or name an unpacked one with --toolchain PATH.",
        )
    return version[1], commit[1] if commit else ""


def install_elan(seconds: float) -> str | None:
    """Fetch elan's installer and run it for this user. The reason if that does not work."""
    # Imported here: nothing else in the gate needs it, and it costs more than the gate itself.
    import http.client
    import urllib.request

    if shutil.which("sh") is None:
        return f"elan's installer needs a shell; see {ELAN_PAGE}"
    try:
        with urllib.request.urlopen(ELAN_INSTALLER, timeout=20) as answer:
            script = answer.read(1 << 20)
    except (OSError, http.client.HTTPException) as error:
        return f"{ELAN_INSTALLER} cannot be reached: {getattr(error, 'reason', error)}"
    if not script.startswith(b"#!"):
        return f"{ELAN_INSTALLER} answers with something else than a script"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "elan-init.sh"
        path.write_bytes(script)
        outcome = process.run(
            ["sh", path, "-y", "--default-toolchain", "none"], cwd=Path(folder), seconds=seconds
        )
    return None if outcome.ok else _why(outcome)


def install_toolchain(elan: Path, pin: str, project: Path, seconds: float) -> str | None:
    """Let elan install a toolchain. The reason if that does not work."""
    outcome = process.run([elan, "toolchain", "install", pin], cwd=project, seconds=seconds)
    return None if outcome.ok else _why(outcome)


def _why(outcome: process.Outcome) -> str:
    lines = [line.strip() for line in outcome.stderr.splitlines() if line.strip()]
    wanted = [line for line in lines if line.startswith(("error:", "info: caused by:"))]
    return "; ".join(wanted or lines[:1]) or outcome.says()


def _unpacked(folder: Path, origin: str, reinstall: str | None = None) -> Lean:
    """The Lean of an unpacked toolchain."""
    programs = [folder / "bin" / name for name in ("lake", "lean")]
    lacking = [p for p in programs if not _executable(p)]
    if lacking:
        raise ToolchainMissing(
            f"the toolchain in {folder} has no {' and no '.join(f'bin/{p.name}' for p in lacking)}",
            f"Install it anew: elan toolchain uninstall {reinstall}, then elan toolchain install "
            f"{reinstall}."
            if reinstall
            else "Name the folder of an unpacked Lean, the one that holds bin/lake and lib/lean.",
        )
    return Lean(programs[0], folder / "bin", f"{folder} ({origin})")


def _executable(path: Path) -> bool:
    try:
        return path.is_file() and bool(path.stat().st_mode & stat.S_IXUSR)
    except OSError:
        return False


def _same_bytes(a: Path, b: Path) -> bool:
    return a.stat().st_size == b.stat().st_size and a.read_bytes() == b.read_bytes()
