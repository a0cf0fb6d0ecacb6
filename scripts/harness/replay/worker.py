"""The process that reads a source, and forks the processes that call the kernel.

Started by `replay.py` (the module beside it) as `python -m harness.replay.worker REQUEST`, where
REQUEST is a file of JSON. It prints lines of JSON that carry the token it was given: progress, and
one last message with everything that was found. Whatever else becomes of it, without that message
nothing was decided.

This process reads, compares and counts, and calls the kernel for nothing but building objects,
which the processes that it forks then share. Each of them adds every declaration, in order: the
ones that it claims first checked by the kernel, the others, which another process checks,
unchecked. A declaration counts as checked only when the process that claimed it says so.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import hashlib
import json
import mmap
import os
import re
import resource
import selectors
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import harness
from harness.replay import export, kernel, modules, primitives, result
from harness.replay import terms as t
from harness.replay.result import Finding, Replay, Stop
from harness.replay.terms import Name, Source

STATEMENT_LIMIT = 1_000_000
STACK = 8 << 30
"""Of the thread that calls the kernel, where the limit on memory leaves room: it is address space,
not memory, until it is used."""


DIFFERENCES = 50
"""How many differences of records are told at most."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A target, and its statement in the form of `terms.render` where one is asked for."""

    name: Name
    levels: tuple[str, ...] | None = None
    statement: str | None = None


@dataclass(frozen=True, slots=True)
class Allowed:
    """An axiom that targets may rest on; its type in the form of `terms.render`."""

    name: Name
    levels: tuple[str, ...]
    type: str


@dataclass(frozen=True, slots=True)
class Request:
    """What a worker is asked to do; see `replay.Request`."""

    token: str
    library: str
    export: str | None = None
    path: tuple[str, ...] = ()
    module: str | None = None
    targets: tuple[Wanted, ...] = ()
    allowed: tuple[Allowed, ...] | None = None
    cone: bool = False
    jobs: int = 1
    seconds: float = 3600.0
    stack: int = STACK
    memory: int | None = None
    depth: int = kernel.RECURSION_LIMIT
    write: str | None = None
    reference: tuple[str, ...] = ()
    reference_module: str = "Init"
    known: dict[str, str] = field(default_factory=dict)


def encoded(request: Request) -> str:
    """Return a request as JSON."""
    return json.dumps(dataclasses.asdict(request))


def decoded(text: str) -> Request:
    """Return a request from JSON."""
    value = json.loads(text)
    value["targets"] = tuple(
        Wanted(
            tuple(w["name"]),
            None if w["levels"] is None else tuple(w["levels"]),
            w["statement"],
        )
        for w in value["targets"]
    )
    if value["allowed"] is not None:
        value["allowed"] = tuple(
            Allowed(tuple(a["name"]), tuple(a["levels"]), a["type"]) for a in value["allowed"]
        )
    value["path"], value["reference"] = tuple(value["path"]), tuple(value["reference"])
    return Request(**value)


@dataclass(slots=True)
class Plan:
    """What is to be checked: numbers of declarations in order, and what is known before."""

    source: Source
    order: list[int]
    scope: str
    findings: list[Finding] = field(default_factory=list)
    targets: list[result.Target] = field(default_factory=list)
    axioms: list[result.Axiom] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    judged: list[t.Axiom] = field(default_factory=list)
    """Allowed axioms that are used."""
    nat_literals: bool = False
    string_literals: bool = False
    names: Iterable[Name] = ()
    """Of all constants of the source."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A library that is loaded, and what was found out about its kernel."""

    library: kernel.Library
    limited: bool
    natives: frozenset[str]
    kernel: result.Kernel


def start(path: Path) -> Ready:
    """Load a library and try its kernel. Raises Stop (`kernel-missing`)."""
    library = kernel.Library(path)
    limited = kernel.probe(library)
    kernel.rejects_falsehood(library, limited)
    natives = primitives.native(library, limited)
    ran = result.Kernel(str(path), library.version, library.githash, "", limited)
    return Ready(library, limited, natives, ran)


class Worker:
    """One replay, from the request to the last message."""

    def __init__(self, request: Request, say: Callable[[dict[str, Any]], None]) -> None:
        self._request = request
        self._say = say
        self._start = time.monotonic()
        self._told = 0.0
        self._deadline = self._start + request.seconds
        self._seconds: dict[str, float] = {}

    def run(self, ready: Ready | None = None) -> Replay:
        """Do what is asked. Raises Stop where nothing more can be done."""
        # The library is large: its hash is taken while everything else is done.
        with ThreadPoolExecutor(1) as pool:
            if ready is None:
                library = Path(self._request.library)
                digest = pool.submit(kernel.digest, library)
                with self._timed("start"):
                    ready = start(library)
            else:
                digest = pool.submit(lambda: "")
            with self._timed("read"):
                plan = self._read()
            if self._request.write is not None:
                with self._timed("write"):
                    write_export(plan, Path(self._request.write), self._request)
            ran = dataclasses.replace(ready.kernel, sha256=digest.result())
        return self._check(plan, dataclasses.replace(ready, kernel=ran))

    def _timed(self, what: str) -> contextlib.AbstractContextManager[None]:
        @contextlib.contextmanager
        def timed() -> Any:
            start = time.monotonic()
            try:
                yield
            finally:
                self._seconds[what] = time.monotonic() - start

        return timed()

    def _progress(self, what: str, count: int, of: int | None = None, at: str = "") -> None:
        now = time.monotonic()
        if now - self._told > 0.2:
            self._told = now
            self._say({"progress": {"what": what, "count": count, "of": of, "at": at}})
        memory = self._request.memory
        if memory is not None and _status("VmRSS") > memory:
            raise Stop(
                "limit-exceeded",
                f"the limit of {memory >> 20:,} MiB of memory was exceeded while {what} "
                f"({count:,})",
            )
        if now > self._deadline:
            raise Stop(
                "kernel-stopped",
                f"the time limit of {self._request.seconds:g} s was over while "
                f"{what} ({count:,})" + (f", at {at}" if at else ""),
            )

    # Reading and planning.

    def _read(self) -> Plan:
        request = self._request
        if request.export is not None:
            source = export.read(
                Path(request.export), progress=lambda n: self._progress("reading lines", n)
            )
            return self._plan_of_export(source)
        name = t.parse_name(request.module or "")
        program = modules.gather(
            name,
            [Path(p) for p in request.path],
            lambda n: self._progress("reading modules", n),
        )
        reader = modules.Reader(program)
        names = [w.name for w in request.targets] or list(program.modules[-1].constants)
        reader.read(names)
        reader.axioms()
        plan = self._plan_of_cone(reader.source, names, program.where)
        plan.findings[:0] = reader.findings
        plan.skipped = [
            (t.name_text(one), kind)
            for module in program.modules
            if module.name[0] == name[0]
            for one, kind in reader.kinds(module)
        ]
        return plan

    def _plan_of_export(self, source: Source) -> Plan:
        if self._request.cone:
            known = [source.terms.names[n] for n in source.constants]
            return self._plan_of_cone(source, [w.name for w in self._request.targets], known)
        plan = Plan(source, list(range(len(source.declarations))), "file")
        terms = source.terms
        plan.names = [terms.names[n] for n in source.constants]
        plan.nat_literals, plan.string_literals = bool(terms.nats), bool(terms.strings)
        graph = t.Graph(source)
        if _quotient_too_early(source):
            everything = t.cone(graph, plan.order)
            self._cycle(plan, everything)
            plan.order = list(everything.order)
        self._common(plan, graph)
        return plan

    def _plan_of_cone(self, source: Source, names: Sequence[Name], known: Iterable[Name]) -> Plan:
        graph = t.Graph(source)
        ids = [source.terms.name_ids.get(name) for name in names]
        roots = [source.index[i] for i in ids if i is not None and i in source.index]
        roots = [r for r in dict.fromkeys(roots) if not t.is_skipped(source.declarations[r])]
        found = t.cone(graph, roots)
        plan = Plan(source, list(found.order), "cone", names=known)
        self._cycle(plan, found)
        in_cone = set(found.order)
        plan.nat_literals = bool(graph.nat_literals & in_cone)
        plan.string_literals = bool(graph.string_literals & in_cone)
        self._common(plan, graph)
        return plan

    def _cycle(self, plan: Plan, found: t.Cone) -> None:
        if found.cycle:
            names = [_title(plan.source, n) for n in found.cycle]
            plan.findings.append(
                Finding(
                    "declaration-cycle",
                    f"{', '.join(names[:5])} use each other in a circle",
                    names[0],
                )
            )

    def _common(self, plan: Plan, graph: t.Graph) -> None:
        """Look at what every plan has: names, skipped declarations, targets, axioms."""
        source, names = plan.source, plan.source.terms.names
        for twice in dict.fromkeys(source.twice):
            text = t.name_text(names[twice])
            plan.findings.append(Finding("declared-twice", f"{text} is declared twice", text))
        kept = []
        for number in plan.order:
            why = t.is_skipped(source.declarations[number])
            self._together(plan, number)
            if why is None:
                kept.append(number)
            else:
                plan.skipped.append((_title(source, number), why))
        plan.order = kept
        rests: dict[int, list[str]] = {}
        for wanted in self._request.targets:
            self._target(plan, graph, wanted, rests)
        self._axioms(plan, rests)
        if not plan.order and not plan.findings:
            plan.findings.append(Finding("nothing-checked", "there is no declaration to check"))

    def _together(self, plan: Plan, number: int) -> None:
        """Look at the records of what was made together.

        A definition or theorem is among what it was made with; a block of inductive types is unsafe
        as a whole or not at all.
        """
        one = plan.source.declarations[number]
        if isinstance(one, t.Inductive):
            flags = {x.unsafe for x in one.types} | {x.unsafe for x in one.constructors}
            if len(flags | {x.unsafe for x in one.recursors}) > 1:
                title = _title(plan.source, number)
                plan.findings.append(
                    Finding("declaration-differs", f"{title} is unsafe in parts only", title)
                )
        if isinstance(one, t.Definition | t.Theorem | t.Opaque) and one.name not in one.all:
            title = _title(plan.source, number)
            plan.findings.append(
                Finding(
                    "declaration-differs",
                    f"{title} is not among the declarations that it was made together with",
                    title,
                )
            )

    def _target(
        self, plan: Plan, graph: t.Graph, wanted: Wanted, rests: dict[int, list[str]]
    ) -> None:
        source, terms = plan.source, plan.source.terms
        text = t.name_text(wanted.name)
        found = source.find(wanted.name)
        if found is None:
            plan.targets.append(result.Target(text, None))
            plan.findings.append(
                Finding(
                    "target-missing", f"there is no {text}{_homonyms(plan.names, wanted)}", text
                )
            )
            return
        number = source.index[found.name]
        cone = t.cone(graph, [number])
        axioms = []
        for below in cone.order:
            if isinstance(source.declarations[below], t.Axiom):
                rests.setdefault(below, []).append(text)
                axioms.append(_title(source, below))
        levels = tuple(t.name_text(terms.names[n]) for n in found.levels)
        try:
            statement = t.render(terms, found.type, STATEMENT_LIMIT)
        except t.TooLarge:
            statement = ""
        plan.targets.append(
            result.Target(
                text,
                t.kind_of(found),
                levels,
                statement,
                t.pretty(terms, found.type),
                tuple(sorted(axioms)),
                len(cone.order),
            )
        )
        if not isinstance(found, t.Theorem):
            plan.findings.append(
                Finding("not-a-theorem", f"{text} is a {t.kind_of(found)}, not a theorem", text)
            )
        if wanted.statement is not None:
            self._statement(plan, wanted, found, text)

    def _statement(self, plan: Plan, wanted: Wanted, found: t.Constant, text: str) -> None:
        terms = plan.source.terms
        names = wanted.levels
        if names is None:
            names = tuple(t.name_text(terms.names[n]) for n in found.levels)
        same = len(names) == len(found.levels)
        if same:
            params = dict(zip(found.levels, names, strict=True))
            limit = len(wanted.statement or "") + 1
            try:
                same = t.render(terms, found.type, limit, params) == wanted.statement
            except t.TooLarge:
                same = False
        if not same:
            plan.findings.append(
                Finding(
                    "statement-differs",
                    f"{text} says {t.pretty(terms, found.type, 2000)}, which is not what is asked "
                    "for",
                    text,
                )
            )

    def _axioms(self, plan: Plan, rests: Mapping[int, list[str]]) -> None:
        source, terms = plan.source, plan.source.terms
        allowed = self._request.allowed
        used = set(plan.order) if plan.scope == "cone" else None
        for number, axiom in enumerate(source.declarations):
            if not isinstance(axiom, t.Axiom):
                continue
            text = _title(source, number)
            levels = tuple(t.name_text(terms.names[n]) for n in axiom.levels)
            try:
                type_ = t.render(terms, axiom.type, 100_000)
            except t.TooLarge:
                type_ = t.pretty(terms, axiom.type, 2_000)
            targets = tuple(rests.get(number, ()))
            module = source.modules[number] if source.modules else None
            plan.axioms.append(result.Axiom(text, levels, type_, module, targets, axiom.unsafe))
            if allowed is None or axiom.unsafe:
                continue
            if not targets:
                if used is None:
                    plan.findings.append(
                        Finding("axiom-unused", f"no target rests on the axiom {text}", text)
                    )
                continue
            finding = self._allowed(plan, axiom, text, type_, targets)
            if finding is None:
                plan.judged.append(axiom)
            else:
                plan.findings.append(finding)

    def _allowed(
        self, plan: Plan, axiom: t.Axiom, text: str, type_: str, targets: tuple[str, ...]
    ) -> Finding | None:
        terms = plan.source.terms
        name = terms.names[axiom.name]
        who = ", ".join(targets[:3])
        for one in self._request.allowed or ():
            if one.name != name:
                continue
            if len(one.levels) == len(axiom.levels):
                params = dict(zip(axiom.levels, one.levels, strict=True))
                with contextlib.suppress(t.TooLarge):
                    if t.render(terms, axiom.type, len(one.type) + 1, params) == one.type:
                        return None
            return Finding(
                "axiom-type-differs",
                f"{who} rests on an axiom {text} : {type_[:500]}, and the one allowed is "
                f"{one.type}",
                text,
            )
        return Finding(
            "axiom-not-allowed", f"{who} rests on the axiom {text} : {type_[:500]}", text
        )

    # Checking.

    def _check(self, plan: Plan, ready: Ready) -> Replay:
        request, source = self._request, plan.source
        selected = set(plan.order)

        def present(name: Name) -> bool:
            index = source.terms.name_ids.get(name)
            return index is not None and source.index.get(index, -1) in selected

        count = len(source.terms)
        with self._timed("primitives"):
            looked = primitives.look(
                source,
                present,
                ready.natives,
                nat_literals=plan.nat_literals,
                string_literals=plan.string_literals,
                axioms=plan.judged,
            )
            known = self._reference(looked)
        with self._timed("build"):
            objects = kernel.Objects(ready.library, source.terms)
            # Of modules only what is needed was read.
            few = plan.scope == "cone" and request.export is not None
            objects.build(_marks(source, plan.order, count) if few else None)
            pointers = [objects.declaration(source.declarations[n]) for n in plan.order]
        jobs = max(1, min(request.jobs, len(plan.order) // 2 + 1))
        names = tuple(w.name for w in request.targets)
        pool = Pool(
            Job(
                plan,
                ready.library,
                ready.limited,
                objects,
                pointers,
                looked,
                known,
                names,
                jobs,
                request.stack,
                request.memory,
                request.depth,
            )
        )
        with self._timed("check"):
            pool.run(self._deadline, self._progress, request.seconds)
        answers = pool.answers.values()
        findings = [*plan.findings, *looked.findings, *pool.findings]
        checked = pool.answers[0].targets if 0 in pool.answers else []
        checked = checked or [False] * len(names)
        targets = tuple(
            dataclasses.replace(one, checked=ok)
            for one, ok in zip(plan.targets, checked, strict=True)
        )
        if not any(f.level != result.WARNING for f in findings):
            findings += [
                Finding("kernel-stopped", f"{one.name} is not among what was checked", one.name)
                for one in targets
                if not one.checked
            ]
        kinds: dict[str, int] = {}
        for number in plan.order:
            kind = t.kind_of(source.declarations[number])
            kinds[kind] = kinds.get(kind, 0) + 1
        self._seconds["kernel"] = sum(a.seconds for a in answers)
        self._seconds["total"] = time.monotonic() - self._start
        # What a process began with before it became this one is not its own.
        children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
        memory = max(_status("VmHWM"), children)
        confirmed = sorted({*looked.confirmed, *(c for a in answers for c in a.confirmed)})
        return Replay(
            tuple(findings),
            plan.scope,
            ready.kernel,
            kinds,
            pool.added,
            tuple(plan.axioms),
            targets,
            tuple(plan.skipped),
            tuple(confirmed),
            dict(source.meta),
            self._seconds,
            memory,
            jobs,
            _left_out(plan),
        )

    def _reference(self, looked: primitives.Check) -> dict[str, str]:
        """Return the fingerprints that a trusted source has of the functions in question."""
        request = self._request
        if not request.reference or not looked.functions:
            return request.known
        program = modules.gather(
            t.parse_name(request.reference_module), [Path(p) for p in request.reference]
        )
        reader = modules.Reader(program)
        reader.read([("Nat", name) for name in looked.functions])
        prints = primitives.Fingerprints(reader.source)
        found = {f"Nat.{name}": prints.of(("Nat", name)) for name in looked.functions}
        return request.known | {k: value for k, value in found.items() if value is not None}


def _left_out(plan: Plan) -> tuple[str, ...]:
    out = []
    if plan.scope == "cone":
        out.append("declarations that the targets do not rest on")
    if plan.skipped:
        out.append(f"{len(plan.skipped)} unsafe or partial declarations")
    return tuple(out)


def _title(source: Source, number: int) -> str:
    return t.name_text(source.terms.names[source.declarations[number].name])


def _homonyms(names: Iterable[Name], wanted: Wanted) -> str:
    """Name constants that end like a missing one."""
    found = sorted(t.name_text(name) for name in names if name[-1:] == wanted.name[-1:])
    return f"; there is {', '.join(found[:3])}" if found else ""


def _quotient_too_early(source: Source) -> bool:
    """Tell whether the quotient stands before the equality, as 3.0 exporters may put it."""
    index = source.terms.name_ids.get(("Eq",))
    eq = None if index is None else source.index.get(index)
    return eq is not None and any(isinstance(one, t.Quotients) for one in source.declarations[:eq])


def _marks(source: Source, order: Sequence[int], count: int) -> bytearray:
    """Mark the expressions that declarations consist of, and all from `count` on."""
    terms = source.terms
    marks = bytearray(count) + b"\1" * (len(terms) - count)
    for number in order:
        one = source.declarations[number]
        for root in (*t.roots_of(one), *t.redundant_roots_of(one)):
            marks[root] = 1
    for e in range(len(terms) - 1, -1, -1):
        if marks[e]:
            for part in terms.parts(e):
                marks[part] = 1
    return marks


@dataclass(slots=True)
class Answer:
    """The last message of a process that called the kernel."""

    findings: list[Finding] = field(default_factory=list)
    confirmed: list[str] = field(default_factory=list)
    targets: list[bool] = field(default_factory=list)
    seconds: float = 0.0
    complete: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """What the processes that call the kernel work on, built before they are forked."""

    plan: Plan
    library: kernel.Library
    limited: bool
    objects: kernel.Objects
    pointers: list[int]
    looked: primitives.Check
    known: dict[str, str]
    targets: tuple[Name, ...]
    jobs: int
    stack: int
    memory: int | None
    depth: int


class Pool:
    """The processes that call the kernel, all on the same objects."""

    def __init__(self, job: Job) -> None:
        self._job = job
        count = len(job.pointers)
        # Shared: where each process is, what is claimed, what is checked.
        self._places = mmap.mmap(-1, 8 * job.jobs)
        self._claims = mmap.mmap(-1, count + 1)
        self._done = mmap.mmap(-1, count + 1)
        self._children: dict[int, int] = {}
        self._pipes: dict[int, int] = {}
        self._looked = 0.0
        self.answers: dict[int, Answer] = {}
        self.findings: list[Finding] = []

    @property
    def added(self) -> int:
        """How many declarations were checked."""
        return self._done[: len(self._job.pointers)].count(b"\1")

    def run(
        self,
        deadline: float,
        progress: Callable[[str, int, int | None, str], None],
        seconds: float,
    ) -> None:
        """Start the processes, wait for their answers, and say what became of them."""
        try:
            for slot in range(self._job.jobs):
                self._start(slot)
            self._wait(deadline, progress, seconds)
        finally:
            for child in self._children.values():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(child, 0)
            for pipe in self._pipes:
                os.close(pipe)
        count = len(self._job.pointers)
        if not self.findings and (
            self.added != count
            or len(self.answers) != self._job.jobs
            or not all(a.complete for a in self.answers.values())
        ):
            self.findings.append(
                Finding("kernel-stopped", f"{self.added:,} of {count:,} declarations were checked")
            )

    def _start(self, slot: int) -> None:
        read, write = os.pipe()
        child = kernel.fork()
        if child == 0:
            os.close(read)
            self._child(slot, write)
        os.close(write)
        self._children[slot] = child
        self._pipes[read] = slot

    def _wait(
        self,
        deadline: float,
        progress: Callable[[str, int, int | None, str], None],
        seconds: float,
    ) -> None:
        buffers = {pipe: bytearray() for pipe in self._pipes}
        slots, count = range(self._job.jobs), len(self._job.pointers)
        with selectors.DefaultSelector() as selector:
            for pipe in self._pipes:
                selector.register(pipe, selectors.EVENT_READ)
            while selector.get_map():
                for key, _ in selector.select(0.2):
                    data = os.read(key.fd, 1 << 16)
                    buffers[key.fd] += data
                    if not data:
                        selector.unregister(key.fd)
                        self._ended(self._pipes[key.fd], bytes(buffers[key.fd]))
                if any(f.level == result.VIOLATION for f in self.findings):
                    return
                if time.monotonic() > deadline:
                    at = max(slots, key=self._place)
                    where = f"{self._at(at)} ({self._place(at) + 1:,} of {count:,})"
                    message = f"the time limit of {seconds:g} s was over at {where}"
                    self.findings.append(Finding("kernel-stopped", message, self._at(at)))
                    return
                if (finding := self._memory_over()) is not None:
                    self.findings.append(finding)
                    return
                place = max(map(self._place, slots))
                progress("checking", place, count, self._name(place))

    def _memory_over(self) -> Finding | None:
        """Tell if all processes together take more memory than allowed; looks once a second."""
        limit, now = self._job.memory, time.monotonic()
        if limit is None or now < self._looked + 1.0:
            return None
        self._looked = now
        if sum(map(_memory_of, (os.getpid(), *self._children.values()))) <= limit:
            return None
        at = max(self._children, key=lambda slot: _memory_of(self._children[slot]))
        return Finding(
            "limit-exceeded",
            f"the limit of {limit >> 20:,} MiB of memory was exceeded at {self._at(at)}",
            self._at(at),
        )

    def _ended(self, slot: int, data: bytes) -> None:
        _, status = os.waitpid(self._children.pop(slot), 0)
        answer = _answer(data)
        if answer is None or status != 0:
            self.findings.append(self._stopped(slot, status))
        else:
            self.answers[slot] = answer
            self.findings += answer.findings

    def _place(self, slot: int) -> int:
        return int(struct.unpack_from("<q", self._places, 8 * slot)[0])

    def _name(self, place: int) -> str:
        plan = self._job.plan
        if place >= len(plan.order):
            return "the questions about what the kernel knows by name"
        return _title(plan.source, plan.order[place])

    def _at(self, slot: int) -> str:
        return self._name(self._place(slot))

    def _stopped(self, slot: int, status: int) -> Finding:
        if os.WIFSIGNALED(status):
            how = f"was ended by {_signal_name(os.WTERMSIG(status))}"
        else:
            how = f"ended with exit status {os.WEXITSTATUS(status)} and no answer"
        return Finding(
            "kernel-stopped",
            f"the process that called the kernel {how} at {self._at(slot)} "
            f"({self._place(slot) + 1:,} of {len(self._job.pointers):,}); out of memory or of "
            "stack, or a fault in the kernel",
            self._at(slot),
        )

    # In the processes themselves.

    def _child(self, slot: int, pipe: int) -> None:
        """Check, answer, and end the process; never returns."""
        status = 1
        answer = Answer()
        try:

            def work() -> None:
                try:
                    self._job.library.initialize_thread()
                    self._work(slot, answer)
                    answer.complete = True
                except Stop as stop:
                    answer.findings.append(stop.finding)
                except MemoryError:
                    answer.findings.append(
                        Finding("limit-exceeded", "out of memory", self._at(slot))
                    )

            _in_thread(work, self._job.stack)
            data = json.dumps(
                {
                    "findings": [(f.rule, f.message, f.declaration) for f in answer.findings],
                    "confirmed": answer.confirmed,
                    "targets": answer.targets,
                    "seconds": answer.seconds,
                    "complete": answer.complete,
                }
            ).encode()
            if answer.complete or answer.findings:
                _write_all(pipe, data)
                status = 0
        finally:
            os._exit(status)

    def _work(self, slot: int, answer: Answer) -> None:
        job = self._job
        source, order = job.plan.source, job.plan.order
        kernel.rejects_falsehood(job.library, job.limited)
        environment = kernel.Environment(job.library, job.limited, job.depth)
        made = kernel.Made(environment, job.objects)
        places, claims, done, alone = self._places, self._claims, self._done, job.jobs == 1
        clock = time.thread_time
        for k, (number, pointer) in enumerate(zip(order, job.pointers, strict=True)):
            struct.pack_into("<q", places, 8 * slot, k)
            declaration = source.declarations[number]
            mine = alone or not claims[k]
            claims[k] = 1
            block = isinstance(declaration, t.Inductive | t.Quotients)
            start = clock()
            try:
                if mine or block:
                    environment.add(pointer)
                else:
                    environment.add_unchecked(pointer)
            except kernel.Rejected as error:
                answer.findings.append(_rejected(error, _title(source, number)))
                return
            finally:
                answer.seconds += clock() - start
            if mine:
                differences = made.differences(declaration) if block else []
                if differences:
                    # The kernel goes on with what it made itself, so the rest can be looked at.
                    title = _title(source, number)
                    answer.findings += [
                        Finding("declaration-differs", f"not what the kernel made: {one}", title)
                        for one in differences[: max(0, DIFFERENCES - len(answer.findings))]
                    ]
                    continue
                done[k] = 1
        struct.pack_into("<q", places, 8 * slot, len(order))
        if slot == 0:
            more, answer.confirmed = primitives.ask(
                source, job.looked, environment, job.objects, job.known
            )
            answer.findings += more
            for name in job.targets:
                found = source.find(name)
                answer.targets.append(isinstance(found, t.Theorem) and made.is_theorem_of(found))


def _rejected(error: kernel.Rejected, title: str) -> Finding:
    if error.undecided:
        return Finding("kernel-undecided", f"the kernel gave up on {title}: {error}", title)
    if error.number in (kernel.HAS_FVARS, kernel.HAS_MVARS):
        return Finding("free-variable", f"{title}: {error}", title)
    return Finding("kernel-rejects", f"the kernel rejects {title}: {error}", title)


def _answer(data: bytes) -> Answer | None:
    """Read the last message of a process; None if it is not one."""
    try:
        value = json.loads(data)
        return Answer(
            [Finding(*f) for f in value["findings"]],
            [str(c) for c in value["confirmed"]],
            [ok is True for ok in value["targets"]],
            float(value["seconds"]),
            value["complete"] is True,
        )
    except (ValueError, KeyError, TypeError):
        return None


def _status(what: str) -> int:
    """Return a size of this process in bytes, as Linux tells it; 0 elsewhere."""
    try:
        text = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    found = re.search(rf"^{what}:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) << 10 if found else 0


def _memory_of(process: int) -> int:
    """Return the memory of a process, what it shares with others counted in part; Linux only."""
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0
    found = re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) << 10 if found else 0


def _in_thread(work: Callable[[], None], stack: int) -> None:
    """Run in a thread with as large a stack as there is room for."""
    while True:
        threading.stack_size(stack)
        thread = threading.Thread(target=work)
        try:
            thread.start()
        except RuntimeError:
            if stack <= 1 << 24:
                raise
            stack //= 2
            continue
        thread.join()
        return


def _write_all(pipe: int, data: bytes) -> None:
    while data:
        data = data[os.write(pipe, data) :]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


# Writing an export.


def write_export(plan: Plan, path: Path, request: Request) -> None:
    """Write what is to be checked as an export, with a manifest beside it.

    Raises Stop (`export-unreadable`) if it cannot be written.
    """
    meta = {
        "exporter": "lean-proof-audit",
        "version": harness.__version__,
        "lean": plan.source.meta.get("lean", ""),
        "githash": plan.source.meta.get("githash", ""),
    }
    whole, beside = part_of(path), part_of(path.with_name(path.name + ".manifest.json"))
    try:
        with whole.open("w", encoding="utf-8", newline="\n") as stream:
            lines = export.write(plan.source, plan.order, stream, meta)
        with whole.open("rb") as data:
            digest = hashlib.file_digest(data, "sha256").hexdigest()
        manifest = {
            "schema": 1,
            "targets": [t.name_text(w.name) for w in request.targets],
            "writer": {"name": meta["exporter"], "version": meta["version"]},
            "lean": {"version": meta["lean"], "githash": meta["githash"]},
            "format": "3.1.0",
            "sha256": digest,
            "lines": lines,
            "declarations": len(plan.order),
            "source": plan.source.meta,
            "fingerprints": primitives.fingerprints(plan.source),
        }
        text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        beside.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Stop("export-unreadable", f"{path} cannot be written: {error.strerror}") from None


def part_of(path: Path) -> Path:
    """Where a file is written before what it is of was accepted."""
    return path.with_name(f".{path.name}.part")


def main() -> int:
    """Do what the request named on the command line says; 0 if there was a last message."""
    # Nothing here makes cycles worth collecting, and looking for them would touch shared memory.
    gc.disable()
    request = decoded(Path(sys.argv[1]).read_text(encoding="utf-8"))

    def say(message: dict[str, Any]) -> None:
        print(json.dumps({"token": request.token, **message}), flush=True)

    worker = Worker(request, say)
    try:
        done = worker.run()
    except Stop as stop:
        done = Replay((stop.finding,))
    except MemoryError:
        done = Replay((Finding("limit-exceeded", "out of memory while reading"),))
    except t.TooLarge as error:
        done = Replay((Finding("limit-exceeded", f"a term written out: {error}"),))
    say({"result": dataclasses.asdict(done)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
