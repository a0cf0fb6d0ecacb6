"""What a page shows of a verification: everything put into words, order and place; no markup here.

Nothing is said that does not stand in the verification, but for texts of the repository, which are
marked as such.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from harness.policy import Policy
from harness.report import picture as pictures
from harness.report import statements as written
from harness.report.declared import Declarations, Declared, declarations, without_private
from harness.report.document import Constant, Document, Step, Target
from harness.sources import pins
from harness.sources.lexer import BadName
from harness.sources.project import Source, module_path
from harness.verdict import WAYS, Level, Status, Verdict

MOST_NODES = 600
MOST_USES = 6000
"""A graph with more than these is too large to be drawn, or to be read as a list."""
LONGEST = 6000
"""Characters of a text on the page; what is longer is cut, and the page says so."""
LONGEST_ON_CARD = 500

FROM_JSON = "as it is written, from the verification"
AS_PRINTED = "as the verification prints it"
FROM_FILES = "from the repository as it is now; the verification does not contain it"

LOOKS_AT = {
    "self-test": "The deciding program itself: is every planted failure caught?",
    "pins": "Every place that names a version: do they agree?",
    "sources": "The Lean files: does the build reach each of them?",
    "source scan": "The text of the Lean files: is a proof left out, an option set that weakens "
    "the checks?",
    "toolchain": "The pinned Lean: is it there?",
    "build": "Lean compiles every file.",
    "audit": "A Lean program reads the compiled modules: which axioms, which definitions?",
    "reading": "The trusted files: does anything in them change how they read, such as a notation?",
    "golden": "What every theorem states, definitions included: is it what the file says that was "
    "written down to be read?",
    "hypotheses": "Can the hypotheses be met, and which does the proof never use?",
    "leanchecker": "The pinned Lean’s own replay of our modules.",
    "sandbox": "A room without network and with nothing to write but what is built.",
    "terms": "The proof as terms, read without Lean: the same questions.",
    "print": "Lean’s own answer to “which axioms?” (#print axioms).",
    "export": "The exported proof: is it whole, and made from these sources?",
    "replay": "The proof and everything that it rests on, once more through Lean’s kernel.",
    "cross-check": "Do these ways agree, and is every axiom an allowed one?",
    "statement": "Is the theorem the agreed one, definitions included?",
    "sorry": "The compiled declarations: is anything left unproved?",
    "unchanged": "Are sources and pins at the end what they were at the beginning?",
    "paranoid": "Kernels that other people wrote.",
}

_MARKS = {
    Status.PASSED: ("✓", "passed"),
    Status.FAILED: ("✗", "failed"),
    Status.COULD_NOT_RUN: ("?", "could not run"),
    Status.NOT_RUN: ("–", "not run"),
}


@dataclass(frozen=True, slots=True)
class Project:
    """The checkout that a verification is of, as far as it is at hand."""

    folder: Path
    policy: Policy
    declared: Declarations
    texts: dict[str, str]
    statements: written.Statements
    pinned: dict[str, str]
    """Versions that the repository asks for, by what they are versions of."""
    problem: str = ""
    """Why there are no statements in mathematics, if there should be."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A sign and a word that say the same; `css` is the class of both."""

    sign: str
    word: str
    css: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One of the questions at the top of the page."""

    question: str
    mark: Mark
    text: str


@dataclass(frozen=True, slots=True)
class Lean:
    """Lean text, and where it is from; `cut` are the characters left out at its end."""

    text: str
    origin: str
    cut: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a source file; `href` leads there from the page."""

    text: str
    href: str | None


@dataclass(frozen=True, slots=True)
class PartOf:
    """A part of a statement, the word before it, whether the proof uses it (None: not known)."""

    part: written.Part
    word: str
    used: bool | None


@dataclass(frozen=True, slots=True)
class Binder:
    """A hypothesis as the verification has it."""

    name: str
    type: str
    used: bool


@dataclass(frozen=True, slots=True)
class Theorem:
    """A target."""

    id: str
    name: str
    mark: Mark
    verdict: str
    statement: written.Statement | None
    lean: Lean | None
    place: Place | None
    parts: tuple[PartOf, ...]
    binders: tuple[Binder, ...]
    axioms: str
    note: str


@dataclass(frozen=True, slots=True)
class Definition:
    """What a word of a statement means; `label` is its name without the theorems' namespace."""

    name: str
    label: str
    kind: str
    lean: Lean
    doc: str
    meaning: written.Meaning | None
    place: Place | None


@dataclass(frozen=True, slots=True)
class AxiomOf:
    """An axiom that targets rest on."""

    name: str
    type: str
    meaning: written.Meaning | None
    by: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Used:
    """What a node uses; `drawn` if there is a line for it."""

    number: int
    label: str
    drawn: bool


@dataclass(frozen=True, slots=True)
class Node:
    """A box of the picture with its card."""

    number: int
    name: str
    box: pictures.Box
    css: str
    kind: str
    place: Place | None
    lean: Lean | None
    doc: str
    uses: tuple[Used, ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """A line of the picture, from node to node."""

    source: int
    target: int
    path: str


@dataclass(frozen=True, slots=True)
class Map:
    """The picture; `origin` says what it is drawn from. Without nodes `origin` says why."""

    origin: str
    what: str
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    uses: int = 0
    implied: int = 0
    width: float = 0.0
    height: float = 0.0


@dataclass(frozen=True, slots=True)
class StepOf:
    """A step in words."""

    step: Step
    mark: Mark
    looks_at: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding in words."""

    level: str
    rule: str
    message: str
    place: str
    declaration: str | None
    remedy: str | None


@dataclass(frozen=True, slots=True)
class View:
    """The whole page."""

    project: str
    mark: Mark
    verdict: str
    scope: str
    part_only: bool
    reasons: tuple[str, ...]
    looked_at: str
    compiled_so_far: str
    time: str
    answers: tuple[Answer, ...]
    theorems: tuple[Theorem, ...]
    not_claimed: tuple[str, ...]
    definitions: tuple[Definition, ...]
    definitions_origin: str
    axioms: tuple[AxiomOf, ...]
    axioms_known: bool
    map: Map
    steps: tuple[StepOf, ...]
    replay: StepOf | None
    versions: tuple[tuple[str, str], ...]
    pinned: tuple[tuple[str, str], ...]
    findings: tuple[Finding, ...]
    not_looked_at: tuple[str, ...]
    notes: tuple[str, ...]
    source: str


def project(
    folder: Path, policy: Policy, files: Iterable[Source], statements: written.Statements | str
) -> Project:
    """What is at hand of a checkout; `statements` is a text where they cannot be used."""
    challenges = {module_path("", module) for module in policy.challenge_modules}
    own = [
        source
        for source in files
        if source.path.removesuffix(".lean").partition("/")[0] in policy.roots
        and source.path not in challenges
    ]
    found = declarations(own)
    texts = {source.path: source.text.replace("\r\n", "\n") for source in own}
    pinned = {"Lean": policy.lean_version} if policy.lean_version else {}
    pinned |= {k: v for k, v in pins.manifest_revisions(folder).items() if k in policy.packages}
    if isinstance(statements, str):
        return Project(folder, policy, found, texts, written.NONE, pinned, statements)
    return Project(folder, policy, found, texts, statements, pinned)


def view(document: Document, at_hand: Project | None, output: Path, source: str) -> View:
    """Everything on the page of a verification that will stand in the file `output`.

    `source` says what the page was made from.
    """
    return _Maker(document, at_hand, output.parent).view(source)


class _Maker:
    def __init__(self, document: Document, at_hand: Project | None, folder: Path) -> None:
        self.document = document
        self.at_hand = at_hand
        self.folder = folder
        self.notes: list[str] = []
        if at_hand is not None and at_hand.problem:
            self.notes.append(f"The statements in mathematics cannot be shown: {at_hand.problem}.")

    def view(self, source: str) -> View:
        document = self.document
        mark = _VERDICTS[document.verdict]
        theorems = tuple(self._theorem(i, t) for i, t in enumerate(document.targets))
        definitions, origin = self._definitions()
        axioms = tuple(self._axioms())
        steps = tuple(_step(step) for step in document.steps)
        return View(
            project=document.project,
            mark=mark,
            verdict=document.verdict.value,
            scope=document.scope,
            part_only=document.scope != "whole",
            reasons=tuple(_reasons(document)),
            looked_at=", ".join(s.name for s in document.steps if s.status is Status.PASSED),
            compiled_so_far=self._compiled_so_far(),
            time=document.time,
            answers=tuple(_answers(document)),
            theorems=theorems,
            not_claimed=self._not_claimed(theorems),
            definitions=definitions,
            definitions_origin=origin,
            axioms=axioms,
            axioms_known=bool(_ways(document)),
            map=self._map(),
            steps=steps,
            replay=next((s for s in steps if s.step.name == "replay"), None),
            versions=tuple((k, v or "not known") for k, v in document.versions.items()),
            pinned=tuple(self.at_hand.pinned.items()) if self.at_hand else (),
            findings=tuple(_findings(document)),
            not_looked_at=document.not_looked_at,
            notes=tuple(self.notes),
            source=source,
        )

    def _not_claimed(self, theorems: Sequence[Theorem]) -> tuple[str, ...]:
        """What is said of the claims, where one of them is the repository's."""
        if self.at_hand is None or not any(theorem.statement for theorem in theorems):
            return ()
        return self.at_hand.statements.not_claimed

    def _compiled_so_far(self) -> str:
        if self.at_hand is None or self.document.passed("build"):
            return ""
        return self.at_hand.policy.compiled_so_far

    # Lean text and places

    def _declared(self, name: str) -> Declared | None:
        return self.at_hand.declared.of(name) if self.at_hand else None

    def _labels(self, names: Iterable[str]) -> dict[str, str]:
        """Names without the namespace of the first target, if it is nothing else too."""
        first = next((t.name for t in self.document.targets), "")
        space, dot, _ = first.rpartition(".")
        if self._constant(space) or ((found := self._declared(space)) and found.name == space):
            space = dot = ""
        return {name: without_private(name).removeprefix(space + dot) for name in names}

    def _place(self, declared: Declared | None) -> Place | None:
        if declared is None or self.at_hand is None:
            return None
        text = f"{declared.file}, line {declared.line}"
        return Place(text, _href(self.at_hand.folder / declared.file, self.folder))

    def _statement_text(self, target: Target) -> Lean | None:
        if target.text is not None:
            return _cut(target.text, FROM_JSON)
        constant = target.statement
        if constant is not None and constant.text is not None:
            return _cut(constant.text, FROM_JSON)
        if constant is not None and constant.pretty_type is not None:
            return _cut(f"{constant.name} : {constant.pretty_type}", AS_PRINTED)
        declared = self._declared(target.name)
        return None if declared is None else _cut(declared.statement, FROM_FILES)

    def _theorem(self, number: int, target: Target) -> Theorem:
        statement, note = self._mathematics(target)
        parts: tuple[PartOf, ...] = ()
        if statement is not None:
            parts = tuple(_parts(statement, target))
        return Theorem(
            id=f"theorem-{number}",
            name=target.name,
            mark=_VERDICTS[target.verdict],
            verdict=target.verdict.value,
            statement=statement,
            lean=self._statement_text(target),
            place=self._place(self._declared(target.name)),
            parts=parts,
            binders=tuple(Binder(h.name, h.type, h.used) for h in target.hypotheses),
            axioms=_axioms_of(target, self.document),
            note=note,
        )

    def _mathematics(self, target: Target) -> tuple[written.Statement | None, str]:
        """A statement in mathematics that fits the Lean text at hand, or why there is none."""
        if self.at_hand is None:
            return None, ""
        statement = self.at_hand.statements.statements.get(target.name)
        if statement is None:
            return None, ""
        declared = self._declared(target.name)
        if declared is None:
            return None, f"The repository at hand declares no {target.name}."
        whole = self.at_hand.texts[declared.file]
        before = whole[: whole.find(declared.text)]
        problem = written.misfit(statement, declared.statement, before)
        if problem is None and target.text is not None:
            problem = written.misfit(statement, target.text, before)
        if problem is not None:
            return None, f"The statement in mathematics is not that of the Lean text: {problem}."
        return statement, ""

    # Definitions and axioms

    def _definitions(self) -> tuple[tuple[Definition, ...], str]:
        """What the statements rest on, the first target's first, each once."""
        constants = {c.name: c for t in self.document.targets for c in t.definitions}
        if constants:
            return tuple(self._definition(c) for c in constants.values()), (
                "In reading order, as the verification lists them."
            )
        if self.at_hand is None or not self.document.targets:
            return (), ""
        found = []
        labels = self._labels(self.at_hand.statements.definitions)
        for name, meaning in self.at_hand.statements.definitions.items():
            declared = self.at_hand.declared.by_name.get(name)
            if declared is not None:
                found.append(
                    Definition(
                        name,
                        labels[name],
                        declared.kind,
                        _cut(declared.text, FROM_FILES),
                        declared.doc,
                        meaning if written.misfit_definition(meaning, declared) is None else None,
                        self._place(declared),
                    )
                )
        return tuple(found), (
            "The verification has no definitions, since it read no compiled module. These are the "
            f"ones that {written.PLACE.as_posix()} explains, of the repository as it is now."
        )

    def _definition(self, constant: Constant) -> Definition:
        declared = self._declared(constant.name)
        exact = declared if declared is not None and declared.name == constant.name else None
        meaning = self.at_hand.statements.definitions.get(constant.name) if self.at_hand else None
        if meaning and (exact is None or written.misfit_definition(meaning, exact) is not None):
            meaning = None
        return Definition(
            constant.name,
            self._labels([constant.name])[constant.name],
            constant.kind,
            _definition_text(constant, exact),
            exact.doc if exact else "",
            meaning,
            self._place(declared),
        )

    def _axioms(self) -> Iterator[AxiomOf]:
        known = self.at_hand.statements.axioms if self.at_hand else {}
        names = dict.fromkeys(a.name for t in self.document.targets for a in t.axioms)
        for name in names:
            uses = [(t.name, a) for t in self.document.targets for a in t.axioms if a.name == name]
            types = dict.fromkeys(a.type for _, a in uses if a.type is not None)
            meaning = known.get(name)
            yield AxiomOf(
                name,
                "; elsewhere: ".join(types) or "not known",
                meaning if meaning and list(types) == [meaning.type] else None,
                ", ".join(dict.fromkeys(way for _, a in uses for way in a.by)),
                tuple(target for target, _ in uses),
            )

    # The picture

    def _map(self) -> Map:
        graph: dict[str, tuple[str, ...]] = {}
        for target in self.document.targets:
            graph |= target.graph
        if graph:
            audit = self.document.step("audit")
            ran = audit is not None and audit.status in (Status.PASSED, Status.FAILED)
            by = (
                "the audit of the verification has" if ran else "the terms of the verification have"
            )
            origin = (
                f"Drawn from the compiled declarations, as {by} them. What they use of Mathlib and "
                "of Lean’s own library the verification does not list."
            )
            return self._drawn(graph, origin, "declaration", self._declaration)
        if self.at_hand is not None and self.document.targets:
            graph = _import_graph(self.at_hand)
            if graph:
                origin = (
                    "Drawn from what the Lean files import, in the repository as it is now: the "
                    "verification has no graph of the declarations, since it read no compiled "
                    "module. At the right edge stands what is imported from elsewhere."
                )
                return self._drawn(graph, origin, "module", self._module)
        return Map("The verification has no graph, and there are no sources to draw one from.", "")

    def _drawn(
        self,
        graph: Mapping[str, tuple[str, ...]],
        origin: str,
        what: str,
        card: Callable[[str], tuple[str, str, Place | None, Lean | None, str]],
    ) -> Map:
        graph = pictures.complete(graph)
        uses = sum(len(used) for used in graph.values())
        if len(graph) > MOST_NODES or uses > MOST_USES:
            return Map(
                f"The graph has {len(graph):,} {what}s and {uses:,} uses, too many for a picture.",
                what,
            )
        labels = self._labels(graph)
        edge = {name for name in graph if card(name)[0] == "outside"}
        made = pictures.draw(graph, labels.__getitem__, edge)
        number = {box.name: i for i, box in enumerate(made.boxes)}
        implied = set(made.implied)
        nodes = []
        for box in made.boxes:
            css, kind, place, lean, doc = card(box.name)
            used = tuple(
                Used(number[n], labels[n], (box.name, n) not in implied) for n in graph[box.name]
            )
            nodes.append(Node(number[box.name], box.name, box, css, kind, place, lean, doc, used))
        return Map(
            origin,
            what,
            tuple(nodes),
            tuple(Edge(number[x.source], number[x.target], x.path) for x in made.lines),
            uses,
            len(made.implied),
            made.width,
            made.height,
        )

    def _declaration(self, name: str) -> tuple[str, str, Place | None, Lean | None, str]:
        declared = self._declared(name)
        exact = declared is not None and declared.name == without_private(name)
        target = next((t for t in self.document.targets if t.name == name), None)
        constant = self._constant(name)
        kind = constant.kind if constant else ""
        if not kind and declared is not None:
            kind = declared.kind if exact else f"made by Lean for {declared.name}"
        lean: Lean | None = None
        if target is not None:
            lean = self._statement_text(target)
        elif constant is not None:
            lean = _definition_text(constant, declared if exact else None)
        elif declared is not None and exact:
            whole = declared.statement if declared.kind == "theorem" else declared.text
            lean = _cut(whole, FROM_FILES)
        css = "target" if target else "theorem" if kind == "theorem" else "other"
        shown = _cut(lean.text, lean.origin, LONGEST_ON_CARD) if lean else None
        doc = declared.doc if declared is not None and exact else ""
        return css, kind or "declaration", self._place(declared), shown, _cut(doc, "", 400).text

    def _constant(self, name: str) -> Constant | None:
        for target in self.document.targets:
            for constant in target.definitions:
                if constant.name == name:
                    return constant
            if target.statement is not None and target.statement.name == name:
                return target.statement
        return None

    def _module(self, name: str) -> tuple[str, str, Place | None, Lean | None, str]:
        assert self.at_hand is not None
        path = module_path("", name)
        if path not in self.at_hand.texts:
            return "outside", "imported from elsewhere", None, None, ""
        place = Place(path, _href(self.at_hand.folder / path, self.folder))
        own = [d for d in self.at_hand.declared.by_name.values() if d.file == path]
        lines = "\n".join(f"{d.kind} {d.name.rpartition('.')[2]}" for d in own)
        targets = {t.name for t in self.document.targets}
        css = "target" if any(d.name in targets for d in own) else "theorem"
        lean = _cut(lines, FROM_FILES, LONGEST_ON_CARD) if lines else None
        return css, "module", place, lean, ""


_ROLES = {"variable": "given", "given": "given", "hypothesis": "assumed", "claim": "claimed"}
_VERDICTS = {
    Verdict.ACCEPTED: Mark("✓", "accepted", "good"),
    Verdict.REJECTED: Mark("✗", "rejected", "bad"),
    Verdict.COULD_NOT_RUN: Mark("?", "could not run", "open"),
}
_CSS = {Status.PASSED: "good", Status.FAILED: "bad"}


def _step(step: Step) -> StepOf:
    sign, word = _MARKS[step.status]
    return StepOf(
        step, Mark(sign, word, _CSS.get(step.status, "open")), LOOKS_AT.get(step.name, "")
    )


def _ways(document: Document) -> tuple[str, ...]:
    return tuple(way for way in WAYS if document.passed(way))


def _reasons(document: Document) -> Iterator[str]:
    """What the verdict rests on, or why there is none."""
    required = [step for step in document.steps if step.required]
    match document.verdict:
        case Verdict.ACCEPTED:
            yield (
                f"Each of the {len(required)} steps that were required passed: "
                f"{', '.join(s.name for s in required)}."
            )
            if ways := _ways(document):
                count = len(ways)
                yield (
                    f"The axioms are known in {count} way{'s' if count != 1 else ''}: "
                    f"{', '.join(ways)}."
                )
        case Verdict.REJECTED:
            count = sum(f.level is Level.VIOLATION for f in document.findings)
            yield f"{count} violation{'s' if count != 1 else ''}, listed under Findings."
        case Verdict.COULD_NOT_RUN:
            lacking: dict[str, list[str]] = {}
            for step in required:
                if step.status is not Status.PASSED:
                    lacking.setdefault(step.detail or step.status.value, []).append(step.name)
            for why, names in lacking.items():
                yield f"{', '.join(names)}: {why}"
            if not lacking:
                yield "Every step that was required passed; a target is not covered by enough."


def _answers(document: Document) -> Iterator[Answer]:
    """The questions that a reader has first."""
    yield _answer(document, "Did Lean compile it?", "build")
    if document.step("statement") is None and document.step("build") is not None:
        yield Answer(
            "Is the theorem the agreed one?",
            Mark("–", "not looked at", "open"),
            "no agreed statement to compare with",
        )
    else:
        yield _answer(document, "Is the theorem the agreed one?", "statement")
    yield _answer_axioms(document)
    yield _answer(document, "Are all proofs there?", "sorry")
    yield _answer(document, "Did a kernel check it once more?", "replay")


def _answer(document: Document, question: str, name: str) -> Answer:
    step = document.step(name)
    if step is None:
        return Answer(question, Mark("–", "not looked at", "open"), "no such step")
    word = {Status.PASSED: "yes", Status.FAILED: "no"}.get(step.status, "not known")
    made = _step(step)
    detail = step.detail or made.mark.word
    if name == "sorry" and step.status is Status.PASSED:
        detail = f"looked for holes: {detail}"
    return Answer(question, Mark(made.mark.sign, word, made.mark.css), detail)


def _answer_axioms(document: Document) -> Answer:
    question = "Which axioms does it rest on?"
    ways = _ways(document)
    if not ways or not document.targets:
        return Answer(question, Mark("–", "not known", "open"), "no way to the axioms passed")
    names = dict.fromkeys(a.name for t in document.targets for a in t.axioms)
    check = document.step("cross-check")
    status = check.status if check is not None else Status.NOT_RUN
    word = {
        Status.PASSED: "allowed ones only" if names else "none",
        Status.FAILED: "others than allowed",
    }
    sign = _MARKS[status][0]
    text = f"{', '.join(names) or 'no axiom'} (by {', '.join(ways)})"
    return Answer(
        question,
        Mark(sign, word.get(status, "not compared with those allowed"), _CSS.get(status, "open")),
        text,
    )


def _axioms_of(target: Target, document: Document) -> str:
    if target.axioms:
        return ", ".join(f"{a.name} (by {', '.join(a.by) or 'no way'})" for a in target.axioms)
    return "none" if _ways(document) and target.statement is not None else "not known"


def _parts(statement: written.Statement, target: Target) -> Iterator[PartOf]:
    """Parts with the uses of their binders, where the two go together."""
    fits = sum(part.binders for part in statement.parts) == len(target.hypotheses)
    at = 0
    for part in statement.parts:
        binders = target.hypotheses[at : at + part.binders]
        at += part.binders
        used = any(h.used for h in binders) if fits and binders else None
        yield PartOf(part, _ROLES[part.role], used if part.role == "hypothesis" else None)


def _definition_text(constant: Constant, declared: Declared | None) -> Lean:
    if constant.text is not None:
        return _cut(constant.text, FROM_JSON)
    if constant.pretty_type is not None:
        value = constant.pretty_value
        text = f"{constant.name} : {constant.pretty_type}"
        return _cut(text + (f" :=\n  {value}" if value is not None else ""), AS_PRINTED)
    if declared is not None:
        return _cut(declared.text, FROM_FILES)
    return _cut(f"{constant.name} : {constant.type}", "as a term, from the verification")


def _findings(document: Document) -> Iterator[Finding]:
    words = {
        Level.VIOLATION: "violation",
        Level.COULD_NOT_RUN: "could not run",
        Level.WARNING: "warning",
    }
    for level, word in words.items():
        for found in document.findings:
            if found.level is level:
                yield Finding(
                    word, found.rule, found.message, found.place, found.declaration, found.remedy
                )


def _import_graph(at_hand: Project) -> dict[str, tuple[str, ...]]:
    """Modules of the project, what they import, and at the edge what is not the project's."""
    graph = {}
    for path in at_hand.texts:
        name = path.removesuffix(".lean").replace("/", ".")
        try:
            if module_path("", name) == path:
                graph[name] = at_hand.declared.imports.get(path, ())
        except BadName:
            continue
    return graph


def _href(file: Path, folder: Path) -> str | None:
    """A link from a page in a folder to a file; None where there is no way."""
    try:
        way = Path(os.path.relpath(file.resolve(), folder.resolve()))
    except (OSError, ValueError):
        return None
    return quote(way.as_posix()) if file.is_file() else None


def _cut(text: str, origin: str, longest: int = LONGEST) -> Lean:
    if len(text) <= longest:
        return Lean(text, origin)
    return Lean(text[:longest].rstrip() + " …", origin, len(text) - longest)
