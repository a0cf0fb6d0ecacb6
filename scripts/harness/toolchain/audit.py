"""The audit's request and answer (`scripts/lean/Audit.lean`, schema 1), read strictly.

Everything that the verdict rests on is here in a type of its own. An answer of another form is no
evidence: `AuditError` says where it differs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from harness import process
from harness.policy import Policy

SCHEMA = 1
LARGEST = 10**12
"""What no line, column or count reaches."""

_T = TypeVar("_T")


class AuditError(Exception):
    """The answer is not of the agreed form; the message says where."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A declaration as the audit shows it.

    `type` and `value` are terms in the form of `render` in `Audit.lean`, without notation and
    without binder names. `value` is None for what has none and for theorems. `binders` and
    `value_binders` are the names of their binders in the order of the text, where the answer has
    them.
    """

    name: str
    kind: str
    module: str
    levels: tuple[str, ...]
    type: str
    value: str | None = None
    pretty_type: str | None = None
    pretty_value: str | None = None
    line: int | None = None
    column: int | None = None
    binders: tuple[str, ...] = ()
    value_binders: tuple[str, ...] = ()


class Hypothesis(NamedTuple):
    """A leading binder of a proof, and whether anything after it uses it."""

    name: str
    type: str
    explicit: bool
    used: bool


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with every project declaration that it needs, in reading order.

    `signatures` has the opening brackets of the binders of every constant that is mentioned, where
    the answer has them.
    """

    constant: Constant
    definitions: tuple[Constant, ...]
    signatures: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Target:
    """What the audit found of one target; `statement` is None if there is no such declaration."""

    name: str
    statement: Statement | None
    closure: int = 0
    missing: tuple[str, ...] = ()
    odd: tuple[str, ...] = ()
    """Names that could be taken for something else in a term, where the answer looks for them."""
    axioms: tuple[Constant, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    graph: dict[str, tuple[str, ...]] | None = None


class Special(NamedTuple):
    """A declaration that runs or reads otherwise than its term says, and why."""

    name: str
    why: str


class Module(NamedTuple):
    """The census of one module of the project."""

    name: str
    constants: int
    kinds: dict[str, int]
    imports: tuple[str, ...]
    axioms: tuple[str, ...]
    sorries: tuple[str, ...]
    special: tuple[Special, ...]
    syntax: tuple[Special, ...]


@dataclass(frozen=True, slots=True)
class Audit:
    """The whole answer. `challenge` is None when none was asked for.

    `declared` holds the axioms that the project's modules declare, where the answer shows them:
    the audit names them in its census and no more, an answer from the terms shows them.
    """

    lean_version: str
    lean_githash: str
    targets: tuple[Target, ...]
    challenge: dict[str, Statement | None] | None
    modules: tuple[Module, ...]
    declared: dict[str, Constant] = field(default_factory=dict)


def request(policy: Policy) -> str:
    """The text of REQUEST.json for a policy."""
    return json.dumps(
        {
            "modules": list(policy.modules),
            "targets": list(policy.targets),
            "projectRoots": list(policy.roots),
            "challenge": list(policy.challenge_modules),
        },
        ensure_ascii=False,
    )


def find_answer(stdout: str) -> str:
    """The one line of JSON among what Lake may have printed around it.

    Raises AuditError unless there is exactly one.
    """
    lines = [line for line in process.lines_of(stdout) if line.lstrip().startswith("{")]
    if len(lines) != 1:
        raise AuditError(f"{len(lines)} lines of JSON where one was expected")
    return lines[0]


def parse(text: str) -> Audit:
    """Read an answer.

    Raises AuditError if it is not one of schema 1.
    """
    try:
        data = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except AuditError:
        raise
    except (ValueError, RecursionError) as error:
        raise AuditError(f"is not JSON: {error}") from None
    top = _Object("", data)
    if (schema := top.take("schema", _count)) != SCHEMA:
        raise AuditError(f"schema is {schema}, and this program reads schema {SCHEMA}")
    lean = top.object("lean")
    audit = Audit(
        lean_version=lean.take("version", _text),
        lean_githash=lean.take("githash", _text),
        targets=tuple(_target(o) for o in top.objects("targets")),
        challenge=_challenge(top),
        modules=tuple(_module(o) for o in top.objects("modules")),
        declared=_declared(top),
    )
    lean.finish()
    top.finish()
    return audit


def _declared(top: _Object) -> dict[str, Constant]:
    if "declared" not in top.left:
        return {}
    constants = [_constant(o) for o in top.objects("declared")]
    return {constant.name: constant for constant in constants}


def _challenge(top: _Object) -> dict[str, Statement | None] | None:
    if top.left.get("challenge", ()) is None:
        del top.left["challenge"]
        return None
    statements: dict[str, Statement | None] = {}
    for entry in top.objects("challenge"):
        name = entry.take("name", _text)
        if name in statements:
            raise AuditError(f"challenge: {name} is there twice")
        statements[name] = _statement(entry, name) if entry.take("found", _flag) else None
        entry.finish()
    return statements


def _target(entry: _Object) -> Target:
    name = entry.take("name", _text)
    if not entry.take("found", _flag):
        entry.finish()
        return Target(name, None)
    target = Target(
        name=name,
        statement=_statement(entry, name),
        closure=entry.take("closure", _count),
        missing=entry.take("missing", _texts),
        odd=entry.take("odd", _texts, ()),
        axioms=tuple(_constant(o) for o in entry.objects("axioms")),
        hypotheses=tuple(_hypothesis(o) for o in entry.objects("hypotheses")),
        graph=entry.take("graph", _graph),
    )
    entry.finish()
    return target


def _statement(entry: _Object, name: str) -> Statement:
    statement = Statement(
        _constant(entry.object("constant")),
        tuple(_constant(o) for o in entry.objects("definitions")),
        entry.take("signatures", _brackets, {}),
    )
    if statement.constant.name != name:
        raise AuditError(f"{entry.where}: {name} is answered with {statement.constant.name}")
    names = [constant.name for constant in statement.definitions]
    if twice := [one for one in names if names.count(one) > 1]:
        raise AuditError(f"{entry.where}: definitions: {twice[0]} is there twice")
    return statement


def _constant(entry: _Object) -> Constant:
    where = entry.object("range") if "range" in entry.left else None
    constant = Constant(
        name=entry.take("name", _text),
        kind=entry.take("kind", _text),
        module=entry.take("module", _text),
        levels=entry.take("levels", _texts),
        type=entry.take("type", _text),
        value=entry.take("value", _text, None),
        pretty_type=entry.take("prettyType", _text, None),
        pretty_value=entry.take("prettyValue", _text, None),
        line=where.take("line", _count) if where else None,
        column=where.take("column", _count) if where else None,
        binders=entry.take("binders", _texts, ()),
        value_binders=entry.take("valueBinders", _texts, ()),
    )
    if where:
        where.take("endLine", _count)
        where.take("endColumn", _count)
        where.finish()
    entry.finish()
    return constant


def _hypothesis(entry: _Object) -> Hypothesis:
    hypothesis = Hypothesis(
        entry.take("name", _text),
        entry.take("type", _text),
        entry.take("explicit", _flag),
        entry.take("used", _flag),
    )
    entry.finish()
    return hypothesis


def _module(entry: _Object) -> Module:
    module = Module(
        name=entry.take("module", _text),
        constants=entry.take("constants", _count),
        kinds=entry.take("kinds", _kinds),
        imports=entry.take("imports", _texts),
        axioms=entry.take("axioms", _texts),
        sorries=entry.take("sorries", _texts),
        special=tuple(_special(o, "why") for o in entry.objects("special")),
        syntax=tuple(_special(o, "type") for o in entry.objects("syntax")),
    )
    entry.finish()
    if sum(module.kinds.values()) != module.constants:
        raise AuditError(
            f"{entry.where}: {module.constants} constants, but the kinds add up to "
            f"{sum(module.kinds.values())}"
        )
    return module


def _special(entry: _Object, why: str) -> Special:
    special = Special(entry.take("name", _text), entry.take(why, _text))
    entry.finish()
    return special


_MISSING = object()


class _Object:
    """A JSON object from which known keys are taken until none is left."""

    def __init__(self, where: str, value: Any) -> None:
        if not isinstance(value, dict):
            raise AuditError(f"{where or 'the answer'}: an object was expected")
        self.where, self.left = where, value

    def take(self, key: str, read: Callable[[Any], _T], default: Any = _MISSING) -> _T:
        path = f"{self.where}.{key}" if self.where else key
        if key not in self.left:
            if default is _MISSING:
                raise AuditError(f"{path}: missing")
            return default  # type: ignore[no-any-return]
        try:
            return read(self.left.pop(key))
        except ValueError as error:
            raise AuditError(f"{path}: {error}") from None

    def object(self, key: str) -> _Object:
        return _Object(f"{self.where}.{key}" if self.where else key, self.take(key, _any))

    def objects(self, key: str) -> Iterator[_Object]:
        path = f"{self.where}.{key}" if self.where else key
        for index, value in enumerate(self.take(key, _list)):
            yield _Object(f"{path}[{index}]", value)

    def finish(self) -> None:
        if self.left:
            raise AuditError(f"{self.where or 'the answer'}: unknown {', '.join(self.left)}")


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise AuditError("a key is there twice in one object")
    return result


def _no_constant(text: str) -> Any:
    raise AuditError(f"{text} is no number")


def _any(value: Any) -> Any:
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("text was expected")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(_text(entry) for entry in _list(value))


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("an array was expected")
    return value


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("an object was expected")
    return value


def _brackets(value: Any) -> dict[str, str]:
    found = _mapping(value)
    if not all(isinstance(one, str) and set(one) <= set("({⦃[") for one in found.values()):
        raise ValueError("has to give the brackets of each constant")
    return found


def _graph(value: Any) -> dict[str, tuple[str, ...]]:
    return {key: _texts(names) for key, names in _mapping(value).items()}


def _kinds(value: Any) -> dict[str, int]:
    return {key: _count(number) for key, number in _mapping(value).items()}


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < LARGEST:
        raise ValueError("a number from 0 was expected")
    return value


def _flag(value: Any) -> bool:
    if type(value) is not bool:
        raise ValueError("true or false was expected")
    return value
