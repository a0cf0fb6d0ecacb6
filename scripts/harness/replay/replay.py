"""A replay: terms from an export or from compiled modules, through Lean's kernel, to facts.

The work is done in a process of its own (`worker.py`), with limits on time and memory. Whatever
happens to it, what comes back is a `Replay`; without the worker's last message it is one that could
not run.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness import inside, process
from harness.replay import kernel, result, worker
from harness.replay import terms as t
from harness.replay.kernel import RECURSION_LIMIT
from harness.replay.result import Finding, Replay, Stop
from harness.replay.worker import Allowed, Wanted

STANDARD_AXIOMS = (
    Allowed(("propext",), (), "(Π{Sort 0} (Π{Sort 0} (Π((Iff #1 #0)) (Eq.{1} Sort 0 #2 #1))))"),
    Allowed(("Classical", "choice"), ("u",), "(Π{Sort u} (Π((Nonempty.{u} #0)) #1))"),
    Allowed(
        ("Quot", "sound"),
        ("u",),
        "(Π{Sort u} (Π{(Π(#0) (Π(#1) Sort 0))} (Π{#1} (Π{#2} (Π((#2 #1 #0)) "
        "(Eq.{u} (Quot.{u} #4 #3) (Quot.mk.{u} #4 #3 #2) (Quot.mk.{u} #4 #3 #1)))))))",
    ),
)
"""The axioms of Lean's own library, with their types as `scripts/policy.toml` has them."""

RESERVED = 4 << 30
"""Address space that Lean's library takes before it does anything is 2.3 GiB."""
GRACE = 10.0
"""Seconds that a worker has beyond its own limit to say why it stopped."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to replay.

    Either `export`, a file, or `module`, the name of a root module on the search path `path`.
    `targets` are theorems; `allowed` the axioms that they may rest on, None to judge none. An
    export is checked whole unless `cone`; of modules always the cone of the targets, or of all
    that the root module declares. `kernel` names the library; without it the wheel's is used, then
    that of `toolchain`. `reference` is the search path of modules (such as a toolchain's own) whose
    native functions are known to be the real ones; `known` has fingerprints of such functions, as
    manifests of exports have them. `memory` limits, in bytes, what all processes
    take together (default: nine tenths of the machine's), `depth` how deep a
    kernel that takes such a limit may recur, `seconds` the whole.
    """

    export: Path | None = None
    path: tuple[Path, ...] = ()
    module: str | None = None
    targets: tuple[Wanted, ...] = ()
    allowed: tuple[Allowed, ...] | None = None
    cone: bool = False
    kernel: Path | None = None
    toolchain: Path | None = None
    reference: tuple[Path, ...] = ()
    reference_module: str = "Init"
    known: Mapping[str, str] = field(default_factory=dict)
    jobs: int = 1
    seconds: float = 3600.0
    memory: int | None = None
    depth: int = RECURSION_LIMIT
    write: Path | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a replay is: what it is doing, how much is done, of how many, and where it is."""

    what: str
    count: int
    of: int | None
    at: str

    def line(self) -> str:
        """Return it as text."""
        of = f" of {self.of:,}" if self.of else ""
        return f"{self.what}: {self.count:,}{of}" + (f", {self.at}" if self.at else "")


def replay(
    request: Request,
    on_progress: Callable[[Progress], None] = lambda _: None,
    start: inside.Start = inside.directly,
) -> Replay:
    """Replay, and return what was found; raises only what interrupts the wait.

    `start` starts the worker; what it raises is raised.
    """
    try:
        if request.write is None:
            return _replay(request, None, on_progress, start)
        # The worker writes into a folder of its own, and nowhere else.
        with _beside(request.write) as place:
            return _replay(request, place, on_progress, start)
    except Stop as stop:
        return Replay((stop.finding,))


@contextlib.contextmanager
def _beside(file: Path) -> Iterator[Path]:
    """A folder in the one that a file is to stand in. Raises Stop if there can be none."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        room = tempfile.TemporaryDirectory(prefix=".export-", dir=file.parent.resolve())
    except OSError as error:
        raise Stop("export-unreadable", f"{file} cannot be written: {error.strerror}") from None
    with room as folder:
        yield Path(folder)


def _replay(
    request: Request,
    place: Path | None,
    on_progress: Callable[[Progress], None],
    start: inside.Start,
) -> Replay:
    """Replay; an export goes into the folder `place` first. Raises Stop."""
    asked = _asked(request, place)
    last: list[Progress] = []
    results: list[Any] = []

    def line(text: str) -> None:
        message = _message(text, asked.token)
        if message is None:
            return
        if "result" in message:
            results.append(message["result"])
        elif isinstance(told := message.get("progress"), dict):
            last[:] = [Progress(told["what"], told["count"], told["of"], told["at"])]
            on_progress(last[0])

    scripts = Path(__file__).resolve().parents[2]
    # Statements can be longer than an argument may be.
    with tempfile.TemporaryDirectory(prefix="replay-") as folder:
        file = Path(folder, "request.json")
        file.write_text(worker.encoded(asked), encoding="utf-8")
        outcome = start(
            process.python("harness.replay.worker", file),
            cwd=Path(folder),
            seconds=request.seconds + GRACE,
            env=process.environment({"PYTHONPATH": str(scripts), "PYTHONSAFEPATH": "1"}),
            memory=(asked.memory or 0) + asked.stack + RESERVED,
            on_stdout=line,
            readable=[Path(folder), *_read(asked)],
            writable=[place] if place else [],
        )
    done = _result(results) if outcome.ok else None
    if place and request.write is not None and done is not None and done.exit_status == 0:
        _keep(request.write, place)
    if done is not None:
        return done
    where = f", {last[0].line()}" if last else ""
    told = outcome.stderr.strip().splitlines()
    return Replay(
        (
            Finding(
                "kernel-stopped",
                f"the worker {outcome.says()}{where}" + (f": {told[-1][:300]}" if told else ""),
            ),
        )
    )


def _read(asked: worker.Request) -> list[Path]:
    """What the worker reads: the library's folder, for it may need others, and terms."""
    named = [asked.export] if asked.export else [*asked.path, *asked.reference]
    return [Path(asked.library).parent, *map(Path, named)]


def _result(results: list[Any]) -> Replay | None:
    """The worker's last message, None if there is not exactly one."""
    if len(results) != 1:
        return None
    try:
        return decoded(results[0])
    except (KeyError, TypeError, ValueError):
        return None


def _keep(file: Path, place: Path) -> None:
    """Put an export that was accepted and its manifest in their places; a link there is replaced.

    Raises Stop.
    """
    for path in (file, file.with_name(file.name + ".manifest.json")):
        part = worker.part_of(place / path.name)
        if part.is_file() and not part.is_symlink():
            try:
                part.replace(path)
            except OSError as error:
                raise Stop(
                    "export-unreadable", f"{path} cannot be written: {error.strerror}"
                ) from None


def _asked(request: Request, place: Path | None) -> worker.Request:
    if (request.export is None) == (request.module is None):
        raise ValueError("either an export or a module has to be named")
    if request.cone and not request.targets:
        raise ValueError("a cone is that of targets")
    if request.export is not None and not request.export.is_file():
        raise Stop("export-unreadable", f"there is no file {request.export}")
    both = [p.resolve() for p in (request.write, request.export) if p is not None]
    if len(both) == 2 and both[0] == both[1]:
        raise Stop("export-unreadable", "an export is not written over the one that is read")
    return worker.Request(
        token=secrets.token_hex(16),
        library=str(kernel.find(request.kernel, request.toolchain)),
        export=None if request.export is None else str(request.export.resolve()),
        path=tuple(str(p.resolve()) for p in request.path),
        module=request.module,
        targets=request.targets,
        allowed=request.allowed,
        cone=request.cone,
        jobs=max(1, request.jobs),
        seconds=request.seconds,
        memory=request.memory or machine_memory() * 9 // 10,
        depth=request.depth,
        write=str(place / request.write.name) if place and request.write else None,
        reference=tuple(str(p.resolve()) for p in request.reference),
        reference_module=request.reference_module,
        known=dict(request.known),
    )


def _message(text: str, token: str) -> dict[str, Any] | None:
    """Return a line of the worker's that carries the token; others are not its messages."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or value.get("token") != token:
        return None
    return value


def decoded(value: dict[str, Any]) -> Replay:
    """Return a replay from JSON values. Raises KeyError, TypeError or ValueError."""
    value = dict(value)
    value["findings"] = tuple(
        Finding(f["rule"], f["message"], f["declaration"]) for f in value["findings"]
    )
    if value["kernel"] is not None:
        value["kernel"] = result.Kernel(**value["kernel"])
    value["axioms"] = tuple(
        result.Axiom(**{**a, "levels": tuple(a["levels"]), "targets": tuple(a["targets"])})
        for a in value["axioms"]
    )
    value["targets"] = tuple(
        result.Target(**{**x, "levels": tuple(x["levels"]), "axioms": tuple(x["axioms"])})
        for x in value["targets"]
    )
    value["skipped"] = tuple((str(name), str(kind)) for name, kind in value["skipped"])
    for name in ("primitives", "not_looked_at"):
        value[name] = tuple(value[name])
    return Replay(**value)


def target(text: str) -> Wanted:
    """Return a target from a name as Lean writes it. Raises ValueError."""
    return Wanted(t.parse_name(text))


def machine_memory() -> int:
    """Return the bytes of memory that this machine has."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 << 30


def cores() -> int:
    """Return how many processes can run at once here: no more than LEAN_NUM_THREADS says."""
    try:
        here = len(os.sched_getaffinity(0))
    except AttributeError:
        here = os.cpu_count() or 1
    told = os.environ.get("LEAN_NUM_THREADS", "")
    return max(1, min(here, int(told))) if told.isdecimal() and len(told) < 10 else here
