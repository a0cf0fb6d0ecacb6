"""What a program may see and change: the arguments of `bwrap`, and the environment that is left.

Elaborating a proof runs code of whoever wrote it, and reading a compiled module that a stranger
built is reading memory. Nothing here starts a program or looks at a file: `inside.py` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from harness.verdict import Finding

PROGRAM = "bwrap"


class Conflict(Exception):
    """A folder would have to be hidden and shown at once; the message names it."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The rights of a program. All paths are absolute and free of symbolic links.

    Everything outside of `hidden` and `temporary` can be read; in them, only what is `readable` or
    `writable`. Where paths lie in each other the deeper one counts.
    """

    program: Path
    """The bwrap to start it with."""
    hidden: tuple[Path, ...] = ()
    """Folders in whose place stands an empty one."""
    temporary: tuple[Path, ...] = ()
    """Folders in whose place stands an empty one that can be written and ends with the program."""
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    links: tuple[tuple[Path, str], ...] = ()
    """Symbolic links by which what is readable is reached, each with its text."""
    network: bool = False
    cache: Path | None = None
    """Where programs keep what they download."""

    def says(self, project: Path) -> str:
        """What it allows, for a person."""
        places = [p.relative_to(project).as_posix() for p in self.writable]
        fetching = " but for fetching" if self.cache else ""
        return (
            f"only {', '.join(places)} can be written, homes are hidden, and there is no "
            f"network{fetching}"
        )


class _Kind(StrEnum):
    HIDDEN = "hidden"
    TEMPORARY = "temporary"
    READABLE = "readable"
    WRITABLE = "writable"


_EMPTY = (_Kind.HIDDEN, _Kind.TEMPORARY)


def arguments(sandbox: Sandbox, cwd: Path) -> list[str]:
    """The arguments that come before a program's own to start it in the folder `cwd`.

    Raises Conflict.
    """
    mounts = _mounts(sandbox)
    words = [
        str(sandbox.program),
        *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"),
        "--unshare-cgroup-try",
        *(() if sandbox.network else ("--unshare-net",)),
        *("--die-with-parent", "--new-session"),
        # Started by root, bwrap would keep what it takes to unmount everything below.
        *("--cap-drop", "ALL"),
        *("--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"),
    ]
    for path, kind in mounts.items():
        if kind in _EMPTY:
            words += ["--tmpfs", str(path)]
        else:
            option = "--bind" if kind is _Kind.WRITABLE else "--ro-bind"
            words += [option, str(path), str(path)]
    for path, text in sandbox.links:
        if _above(mounts, path) in _EMPTY:
            words += ["--symlink", text, str(path)]
    for path, kind in mounts.items():
        if kind is _Kind.HIDDEN:
            words += ["--remount-ro", str(path)]
    return [*words, "--chdir", str(cwd), "--"]


def _mounts(sandbox: Sandbox) -> dict[Path, _Kind]:
    """What is mounted where, outer folders first, without what changes nothing."""
    wanted: dict[Path, _Kind] = {}
    for kind, paths in (
        (_Kind.HIDDEN, sandbox.hidden),
        (_Kind.TEMPORARY, sandbox.temporary),
        (_Kind.READABLE, sandbox.readable),
        (_Kind.WRITABLE, sandbox.writable),
    ):
        for path in paths:
            if kind not in _EMPTY and wanted.get(path) in _EMPTY:
                raise Conflict(f"{path} is needed, and is one of the folders that are hidden")
            wanted[path] = kind
    mounts: dict[Path, _Kind] = {}
    for path in sorted(wanted, key=lambda p: (len(p.parts), p)):
        above, kind = _above(mounts, path), wanted[path]
        if (kind is _Kind.READABLE and above not in _EMPTY) or (
            kind is _Kind.HIDDEN and above in _EMPTY
        ):
            continue
        mounts[path] = kind
    return mounts


def _above(mounts: Mapping[Path, _Kind], path: Path) -> _Kind:
    """What stands at a path before anything is mounted there itself."""
    return next((mounts[p] for p in path.parents if p in mounts), _Kind.READABLE)


_KEPT = re.compile(
    r"PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|TERM|COLUMNS|NO_COLOR|LD_LIBRARY_PATH"
    r"|PYTHONPATH|PYTHONSAFEPATH|PYTHONDONTWRITEBYTECODE|(?:LEAN|ELAN|LAKE)_\w+"
)
_KEPT_FOR_THE_NETWORK = re.compile(
    r"(?:https?|all|no|ftp)_proxy|SSL_CERT_FILE|SSL_CERT_DIR|NIX_SSL_CERT_FILE|CURL_CA_BUNDLE"
    r"|GIT_SSL_CAINFO|MATHLIB_CACHE_GET_URL",
    re.IGNORECASE,
)
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH", re.IGNORECASE)
"""In the name of a variable that is not passed on, whoever it is meant for."""


def environment(
    environ: Mapping[str, str], *, network: bool, cache: Path | None = None
) -> dict[str, str]:
    """The variables that a program gets: what Lean and Lake need, and nothing else.

    With the network, proxies and certificates too.
    """
    kept = {
        name: value
        for name, value in environ.items()
        if not _SECRET.search(name)
        and (_KEPT.fullmatch(name) or (network and _KEPT_FOR_THE_NETWORK.fullmatch(name)))
    }
    return kept | ({"XDG_CACHE_HOME": str(cache)} if cache else {})


CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "NIX_SSL_CERT_FILE", "CURL_CA_BUNDLE")
"""Variables that name files which fetching needs."""

_REFUSED = re.compile(
    r"read-only file system|operation not permitted|permission denied|network is unreachable"
    r"|connection refused|could ?n.t resolve|could not resolve|name resolution"
    r"|no such file or directory|the network or a server did not answer|a file cannot be written"
    r"|resource busy|error code: 30\b",
    re.IGNORECASE,
)
_FAILED = ("build-failed", "build-infrastructure", "audit-failed", "print-failed")


def explained(findings: Sequence[Finding], sandbox: Sandbox, project: Path) -> list[Finding]:
    """The findings; where something failed that the sandbox may have refused, with that said."""
    remedy = (
        f"This ran in a sandbox: {sandbox.says(project)}. If that is what was refused, read what "
        "the file does before it is built in any other way."
    )
    return [
        replace(f, remedy=remedy)
        if f.rule in _FAILED and _REFUSED.search("\n".join(_texts(f)))
        else f
        for f in findings
    ]


def _texts(finding: Finding) -> Iterable[str]:
    yield finding.message
    if isinstance(finding.evidence, list):
        yield from (str(line) for line in finding.evidence)
