"""The terms as facts: what the audit says of compiled modules, computed from the terms alone.

The third way to the axioms of a target. Same questions and same form of answer as
`scripts/lean/Audit.lean` (schema 1, with the names of binders and which of them are implicit
besides), so that the same comparisons serve both; nothing of Lean runs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.replay import export, modules
from harness.replay import terms as t
from harness.replay.result import Stop
from harness.replay.terms import Constant, Name, Source

SCHEMA = 1
SHOWN = 4_000
"""Characters of a term in the form for people."""

_KINDS = {
    "axiom": "axiom",
    "definition": "def",
    "theorem": "theorem",
    "opaque": "opaque",
    "quotient": "quot",
    "inductive": "inductive",
    "constructor": "constructor",
    "recursor": "recursor",
}


class Facts:
    """Facts about the constants of a source.

    `module_of` gives the module of a constant (an index of a name), `roots` are the first
    components of the names of the project's modules.
    """

    def __init__(
        self, source: Source, module_of: Callable[[int], str], roots: Sequence[str]
    ) -> None:
        self._source, self._terms = source, source.terms
        self._module_of = module_of
        self._roots = frozenset(roots)
        self._usage = t.Usage(source.terms)
        self._refs: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}

    def target(self, name: Name) -> dict[str, Any]:
        """Everything about one target."""
        text = t.name_text(name)
        found = self._source.find(name)
        if found is None:
            return {"name": text, "found": False}
        walked, missing = self._walk([found.name], self._all)
        axioms = [n for n in walked if isinstance(self._source.constants[n], t.Axiom)]
        ours = [n for n in walked if self.in_project(n)]
        return {
            "name": text,
            "found": True,
            "closure": len(walked),
            "missing": [self._text(n) for n in missing],
            "odd": [self._text(n) for n in walked if is_odd(self._terms.names[n])],
            "axioms": [self._constant(n) for n in axioms],
            "hypotheses": self._hypotheses(found),
            "graph": {
                self._text(n): sorted(
                    self._text(m) for m in set(self._all(n)) if m != n and self.in_project(m)
                )
                for n in ours
            },
            **self._statement(found),
        }

    def challenge(self, name: Name) -> dict[str, Any]:
        """The statement of one name, as a challenge states it."""
        found = self._source.find(name)
        if found is None:
            return {"name": t.name_text(name), "found": False}
        return {"name": t.name_text(name), "found": True, **self._statement(found)}

    def module(
        self, title: str, constants: Iterable[Name], imports: Sequence[str]
    ) -> dict[str, Any]:
        """The census of one module, of the constants that it declares."""
        kinds: dict[str, int] = {}
        axioms, sorries, special = [], [], []
        for name in constants:
            found = self._source.find(name)
            if found is None:
                continue
            kind = self._kind(found)
            kinds[kind] = kinds.get(kind, 0) + 1
            text = t.name_text(name)
            if isinstance(found, t.Axiom) and not found.unsafe:
                axioms.append(text)
            if any(self._terms.names[n] == ("sorryAx",) for n in self._all(found.name)):
                sorries.append(text)
            if kind in ("unsafe def", "partial def", "opaque"):
                special.append({"name": text, "why": kind})
            elif isinstance(found, t.Axiom) and found.unsafe:
                special.append({"name": text, "why": "unsafe axiom"})
        return {
            "module": title,
            "constants": sum(kinds.values()),
            "kinds": kinds,
            "imports": list(imports),
            "axioms": axioms,
            "sorries": sorries,
            "special": special,
            "syntax": [],
        }

    def declared(self, constants: Iterable[Name]) -> list[dict[str, Any]]:
        """The safe axioms among constants."""
        found = [self._source.find(name) for name in constants]
        return [
            self._constant(one.name) for one in found if isinstance(one, t.Axiom) and not one.unsafe
        ]

    def in_project(self, name: int) -> bool:
        """Whether a constant stands in a module of the project."""
        return self._module_of(name).partition(".")[0] in self._roots

    def _statement(self, found: Constant) -> dict[str, Any]:
        def needed(name: int) -> tuple[int, ...]:
            constant = self._source.constants[name]
            types, bodies = self._references(name)
            return types if isinstance(constant, t.Theorem) else types + bodies

        types, _ = self._references(found.name)
        read, _ = self._walk(types, needed)
        ours = [n for n in read if self.in_project(n)]
        return {
            "constant": self._constant(found.name, with_value=False),
            "definitions": [self._constant(n) for n in ours],
            "signatures": self._signatures(found.name, ours),
        }

    def _signatures(self, statement: int, definitions: Iterable[int]) -> dict[str, str]:
        """Which binders of the constants that are shown are implicit."""
        mentioned = {*self._references(statement)[0], *definitions}
        for name in definitions:
            mentioned.update(self._all(name))
        shown = (self._source.constants[n] for n in mentioned if n in self._source.constants)
        found = {self._text(c.name): t.signature(self._terms, c.type) for c in shown}
        return dict(sorted(found.items()))

    def _walk(
        self, roots: Iterable[int], needed: Callable[[int], tuple[int, ...]]
    ) -> tuple[list[int], list[int]]:
        """Constants, each after those it needs as far as that can be, and missing ones."""
        order: list[int] = []
        missing: list[int] = []
        seen: set[int] = set()
        stack = [(name, False) for name in reversed(list(roots))]
        while stack:
            name, finished = stack.pop()
            if finished:
                order.append(name)
                continue
            if name in seen:
                continue
            seen.add(name)
            if name not in self._source.constants:
                missing.append(name)
                continue
            constant, after = self._source.constants[name], needed(name)
            if isinstance(constant, t.InductiveType):
                # To be read before its constructors, and after what they mention.
                stack += [(n, False) for n in reversed(after)]
                stack.append((name, True))
                stack += [(n, False) for n in reversed(self._before(constant))]
            else:
                stack.append((name, True))
                stack += [(n, False) for n in reversed(after) if n not in seen]
        return order, missing

    def _before(self, constant: t.InductiveType) -> list[int]:
        """What an inductive type and its constructors mention, but for types of its own block."""
        mentioned = list(self._references(constant.name)[0])
        for constructor in constant.constructors:
            if constructor in self._source.constants:
                mentioned += self._references(constructor)[0]
        return [name for name in mentioned if name not in constant.all]

    def _all(self, name: int) -> tuple[int, ...]:
        types, bodies = self._references(name)
        return types + bodies

    def _references(self, name: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """What a constant mentions: in its type, and in its body or with it."""
        known = self._refs.get(name)
        if known is None:
            constant = self._source.constants[name]
            types, bodies = self._mentioned([constant.type]), self._body(constant)
            if self.in_project(name):
                # In the order in which they are read, whatever the terms were read from.
                place = self._places(constant)
                types, bodies = (tuple(sorted(x, key=place)) for x in (types, bodies))
            known = self._refs[name] = (types, bodies)
        return known

    def _places(self, constant: Constant) -> Callable[[int], tuple[int, list[str]]]:
        """Where a constant is met first in another's type and body; by name where it is not."""
        places: dict[int, int] = {}
        terms, seen = self._terms, set[int]()
        stack = [constant.type]
        if isinstance(constant, t.Definition | t.Theorem | t.Opaque):
            stack.insert(0, constant.value)
        while stack:
            e = stack.pop()
            if e in seen:
                continue
            seen.add(e)
            if terms.kind[e] & t.KIND_MASK in (t.CONST, t.PROJ):
                places.setdefault(terms.a[e], len(places))
            stack += reversed(terms.parts(e))
        end = len(places)
        return lambda name: (places.get(name, end), [str(part) for part in terms.names[name]])

    def _body(self, constant: Constant) -> tuple[int, ...]:
        match constant:
            case t.Definition() | t.Theorem() | t.Opaque():
                return self._mentioned([constant.value])
            case t.InductiveType():
                return (*constant.constructors, *constant.all)
            case t.Constructor():
                return (constant.inductive,)
            case t.Recursor():
                return (
                    *constant.all,
                    *(rule.constructor for rule in constant.rules),
                    *self._mentioned([rule.value for rule in constant.rules]),
                )
            case _:
                return ()

    def _mentioned(self, roots: Iterable[int]) -> tuple[int, ...]:
        """The constants that expressions mention, those of literals included."""
        uses = self._usage.of(roots)
        found = set(uses.names)
        demanded = (
            *(t.NAT_LITERAL if uses.nat_literal else ()),
            *(t.STRING_LITERAL if uses.string_literal else ()),
        )
        for wanted in demanded:
            at = self._source.find(wanted)
            if at is not None:
                found.add(at.name)
        return tuple(sorted(found))

    def _constant(self, name: int, with_value: bool = True) -> dict[str, Any]:
        constant = self._source.constants[name]
        shown = {
            "name": self._text(name),
            "kind": self._kind(constant),
            "module": self._module_of(name),
            "levels": [self._text(n) for n in constant.levels],
            "type": self._render(constant.type),
            "binders": t.binder_names(self._terms, constant.type),
            "prettyType": t.pretty(self._terms, constant.type, SHOWN),
        }
        if with_value and isinstance(constant, t.Definition | t.Opaque):
            shown["value"] = self._render(constant.value)
            shown["valueBinders"] = t.binder_names(self._terms, constant.value)
            shown["prettyValue"] = t.pretty(self._terms, constant.value, SHOWN)
        return shown

    def _hypotheses(self, constant: Constant) -> list[dict[str, Any]]:
        """The leading binders of a proof, and whether anything after each one uses it."""
        found: list[dict[str, Any]] = []
        if not isinstance(constant, t.Theorem):
            return found
        terms, e = self._terms, constant.value
        while terms.kind[e] & t.KIND_MASK == t.LAM:
            found.append(
                {
                    "name": t.name_text(terms.names[terms.a[e]]) or "[anonymous]",
                    "type": self._render(terms.b[e]),
                    "explicit": terms.kind[e] >> t.INFO_SHIFT == 0,
                    "used": t.uses_bvar(terms, terms.c[e], 0),
                }
            )
            e = terms.c[e]
        return found

    def _kind(self, constant: Constant) -> str:
        if isinstance(constant, t.Definition) and constant.safety != "safe":
            return f"{constant.safety} def"
        return _KINDS[t.kind_of(constant)]

    def _render(self, expr: int) -> str:
        return t.render(self._terms, expr)

    def _text(self, name: int) -> str:
        return t.name_text(self._terms.names[name])


_SYNTAX = frozenset(' (){}[]⦃⦄#"«»,;:')


def is_odd(name: Name) -> bool:
    """Whether a name, written as Lean prints it, could be taken for something else in a term.

    Lean prints a name that begins with `#`, `?` or a number, or that contains `»`, as it is: like a
    bound variable, a metavariable, a literal, or parts of a term.
    """
    if name == ("Sort",) or not name or not isinstance(name[0], str):
        return True
    if name[0].startswith(("#", "?")):
        return True
    printed = t.name_text(name)
    return any(
        isinstance(part, str)
        and (_SYNTAX & set(part) or not part.isprintable())
        and f"«{part}»" not in printed
        for part in name
    )


# As a process of its own: compiled modules are read where a fault costs nothing but the answer.


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked: of root modules on a search path, or of an export.

    `project` gives the constants of an export their modules, as pairs.
    """

    token: str
    path: tuple[str, ...]
    modules: tuple[str, ...]
    targets: tuple[str, ...]
    roots: tuple[str, ...]
    challenge: tuple[str, ...] = ()
    export: tuple[str, ...] = ()
    project: tuple[tuple[str, str], ...] = ()


def answer(request: Request) -> dict[str, Any]:
    """The facts of a request, in the form of the audit's answer.

    Raises Stop where compiled modules cannot be read.
    """
    targets = [t.parse_name(name) for name in request.targets]
    if request.export:
        return _of_export(request, targets)
    reader, facts, ours = _read(request, request.modules, targets)
    version = reader.source.meta
    found: dict[str, Any] = {
        "schema": SCHEMA,
        "lean": {"version": version["lean"], "githash": version["githash"]},
        "targets": [facts.target(name) for name in targets],
        "challenge": None,
        "modules": [
            facts.module(m.title, m.constants, [t.name_text(i) for i in m.imports]) for m in ours
        ],
    }
    found["declared"] = facts.declared(n for module in ours for n in module.constants)
    found["project"] = {t.name_text(n): module.title for module in ours for n in module.constants}
    if request.challenge:
        _, stated, _ = _read(request, request.challenge, targets)
        found["challenge"] = [stated.challenge(name) for name in targets]
    return found


def _of_export(request: Request, targets: Sequence[Name]) -> dict[str, Any]:
    """The facts of an export: of its modules only what stands in the cone is known."""
    source = export.read(Path(request.export[0]))
    modules_of = {t.parse_name(name): module for name, module in request.project}
    names = source.terms.names
    facts = Facts(source, lambda name: modules_of.get(names[name], "-"), request.roots)
    ours: dict[str, list[Name]] = {}
    for name, module in modules_of.items():
        if source.find(name) is not None:
            ours.setdefault(module, []).append(name)
    return {
        "schema": SCHEMA,
        "lean": {"version": source.meta.get("lean", ""), "githash": ""},
        "targets": [facts.target(name) for name in targets],
        "challenge": None,
        "modules": [facts.module(title, inside, ()) for title, inside in sorted(ours.items())],
        "declared": facts.declared(name for inside in ours.values() for name in inside),
    }


def _read(
    request: Request, roots: Sequence[str], targets: Sequence[Name]
) -> tuple[modules.Reader, Facts, list[modules.Module]]:
    if len(roots) != 1:
        raise Stop("modules-unreadable", f"terms are read from one root module, not {len(roots)}")
    program = modules.gather(t.parse_name(roots[0]), [Path(p) for p in request.path])
    reader = modules.Reader(program)
    reader.read(name for name in targets if name in program.where)
    ours = [m for m in program.modules if str(m.name[0]) in request.roots]
    for module in ours:
        reader.these(module.constants)
    titles = [module.title for module in program.modules]
    names = reader.source.terms.names

    def module_of(name: int) -> str:
        return titles[program.where[names[name]]]

    return reader, Facts(reader.source, module_of, request.roots), ours


def main() -> int:
    """Answer the request in the file that is named, in one line that carries its token."""
    values: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    token = str(values.pop("token"))
    pairs = tuple((str(name), str(module)) for name, module in values.pop("project", ()))
    request = Request(token, **{k: tuple(v) for k, v in values.items()}, project=pairs)
    try:
        found: dict[str, Any] = {"answer": answer(request)}
    except Stop as stop:
        finding = stop.finding
        found = {"stop": [finding.rule, finding.message, finding.declaration]}
    except (t.TooLarge, MemoryError) as error:
        found = {"stop": ["limit-exceeded", f"reading the terms: {error or 'out of memory'}", None]}
    print(json.dumps({"token": request.token, **found}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
