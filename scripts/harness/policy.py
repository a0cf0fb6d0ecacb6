"""What is allowed: the targets, their axioms, and what the sources may leave open.

A policy is a TOML file (`scripts/policy.toml` is this project's, with every key explained). It is
read strictly: a key that nobody knows, or a value of another type, is an error, because a policy
that is misread allows what nobody meant to allow.
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from harness.sources.lexer import BadName, format_name, parse_name

SCHEMA = 1

_T = TypeVar("_T")


class PolicyError(Exception):
    """The policy cannot be used; the message says where and why."""


class AllowedAxiom(NamedTuple):
    """An axiom that targets may rest on; `type` is in the form in which the audit writes terms."""

    name: str
    levels: tuple[str, ...]
    type: str


@dataclass(frozen=True, slots=True)
class Limits:
    """Time limits in seconds, one for each thing that is waited for."""

    build: float = 4 * 3600.0
    cache: float = 2 * 3600.0
    audit: float = 1800.0
    print: float = 900.0
    terms: float = 1800.0
    replay: float = 3600.0
    checker: float = 3600.0
    packages: float = 300.0
    """For git, to read one package's commit or to compare its files with it."""
    question: float = 60.0
    """For what Lean's tools answer from what they have: a version, a list."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What a project has to meet. Names are written as Lean writes them."""

    path: Path
    name: str
    modules: tuple[str, ...]
    """The modules to import before the targets are looked up."""
    roots: tuple[str, ...]
    """First components of the names of the project's own modules."""
    targets: tuple[str, ...]
    axioms: tuple[AllowedAxiom, ...]
    challenge_modules: tuple[str, ...] = ()
    challenge_targets: tuple[str, ...] = ()
    lean_version: str | None = None
    lean_githash: str | None = None
    packages: tuple[str, ...] = ()
    """Packages whose pins are checked: name in the manifest, as the lakefile requires them."""
    build_targets: tuple[str, ...] = ()
    """Lake targets to build besides the default ones."""
    cache_roots: tuple[str, ...] = ()
    """First components of the modules that a cache is fetched for; empty: no cache."""
    exclude: tuple[str, ...] = ()
    """Folders whose Lean files are not the project's."""
    sorry_allowed: Mapping[str, int] | None = None
    """File, relative to the project, and how many holes it leaves on purpose."""
    options_allowed: tuple[str, ...] = ()
    golden: str | None = None
    """The golden statement, a file relative to the project; None: nothing is compared with one."""
    witness: str | None = None
    """The target that shows that the hypotheses of the challenge's statement can be met."""
    witness_assumes: tuple[str, ...] = ()
    """Hypotheses of these statements, as they are printed, that the witness may assume itself."""
    witness_leaves_out: tuple[str, ...] = ()
    """Hypotheses and variables that it need not speak of."""
    reading: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Trusted file, and the commands in it that may change how it reads, each on one line."""
    compiled_so_far: str = ""
    """One sentence for reports of runs in which nothing was compiled at the pins."""
    limits: Limits = Limits()

    def allowed(self, name: str) -> AllowedAxiom | None:
        """The allowed axiom of that name."""
        return next((a for a in self.axioms if a.name == name), None)


def find_policy(project: Path, named: Path | None) -> Path:
    """The policy file of a project.

    Raises PolicyError if there is none.
    """
    candidates = (
        (named,) if named else (project / "scripts" / "policy.toml", project / "policy.toml")
    )
    for path in candidates:
        if path.is_file():
            return path
    places = " or ".join(str(path) for path in candidates)
    raise PolicyError(f"there is no policy at {places}; name one with --policy FILE")


def load_policy(path: Path) -> Policy:
    """Read a policy file.

    Raises PolicyError if it cannot be read or is not a policy.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise PolicyError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise PolicyError(f"{path}: is not UTF-8 text (byte {error.start})") from error
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise PolicyError(f"{path}: is not TOML: {error}") from error
    try:
        return _policy(path, table)
    except PolicyError as error:
        raise PolicyError(f"{path}: {error}") from None


def _policy(path: Path, table: dict[str, Any]) -> Policy:
    top = _Table("", table)
    schema = top.take("schema", _whole)
    if schema != SCHEMA:
        raise PolicyError(f"schema is {schema}, and this program reads schema {SCHEMA}")
    project, targets = top.table("project"), top.table("targets")
    sources, build, lean = top.table("sources"), top.table("build"), top.table("lean")
    limits, statement = top.table("limits"), top.table("statement")
    policy = Policy(
        path=path,
        name=project.take("name", _text),
        modules=project.take("modules", _names),
        roots=project.take("roots", _names),
        compiled_so_far=project.take("compiled-so-far", _text, ""),
        targets=targets.take("theorems", _names),
        challenge_modules=targets.take("challenge-modules", _names, ()),
        challenge_targets=targets.take("challenge", _names, ()),
        axioms=tuple(
            _axiom(_Table(f"axioms[{i}]", entry))
            for i, entry in enumerate(top.take("axioms", _tables, ()))
        ),
        lean_version=lean.take("version", _text, None),
        lean_githash=lean.take("githash", _text, None),
        packages=lean.take("packages", _texts, ()),
        build_targets=build.take("targets", _names, ()),
        cache_roots=build.take("cache-roots", _names, ()),
        exclude=sources.take("exclude", _paths, ()),
        sorry_allowed=sources.take("sorry-allowed", _counts, {}),
        options_allowed=sources.take("options-allowed", _names, ()),
        golden=statement.take("golden", _golden, None),
        witness=statement.take("witness", _name, None),
        witness_assumes=statement.take("witness-assumes", _texts, ()),
        witness_leaves_out=statement.take("witness-leaves-out", _texts, ()),
        reading=statement.take("reading", _readings, {}),
        limits=Limits(
            **{
                limit.name: limits.take(limit.name, _seconds, limit.default)
                for limit in fields(Limits)
            }
        ),
    )
    for part in (top, project, targets, sources, build, lean, limits, statement):
        part.finish()
    _check(policy)
    return policy


def _axiom(table: _Table) -> AllowedAxiom:
    axiom = AllowedAxiom(
        table.take("name", _name), table.take("levels", _texts, ()), table.take("type", _text)
    )
    table.finish()
    if axiom.name == "sorryAx":
        raise PolicyError("sorryAx is no axiom that a policy can allow")
    return axiom


def _check(policy: Policy) -> None:
    if not policy.targets:
        raise PolicyError("targets.theorems is empty: there is nothing to check")
    if not policy.modules:
        raise PolicyError("project.modules is empty: there is nothing to import")
    for module in (*policy.modules, *policy.challenge_modules):
        if module.partition(".")[0] not in policy.roots:
            raise PolicyError(f"module {module} is not under project.roots")
    for what, names in (
        ("targets.theorems", policy.targets),
        ("targets.challenge", policy.challenge_targets),
        ("axioms", tuple(a.name for a in policy.axioms)),
    ):
        if twice := sorted({n for n in names if names.count(n) > 1}):
            raise PolicyError(f"{what} names {', '.join(twice)} twice")
    if unknown := sorted(set(policy.challenge_targets) - set(policy.targets)):
        raise PolicyError(f"targets.challenge names {', '.join(unknown)}, which is no target")
    if policy.witness is not None and policy.witness not in policy.targets:
        raise PolicyError(f"statement.witness names {policy.witness}, which is no target")
    if policy.witness is not None and not policy.challenge_targets:
        raise PolicyError("statement.witness needs targets.challenge")
    if policy.witness is not None and policy.witness in policy.challenge_targets:
        raise PolicyError(
            "statement.witness is a statement of the challenge, whose hypotheses it "
            "would have to meet"
        )
    if policy.challenge_targets and not policy.challenge_modules:
        raise PolicyError("targets.challenge needs targets.challenge-modules")
    if policy.reading and not policy.challenge_modules:
        raise PolicyError("statement.reading needs targets.challenge-modules")


_MISSING = object()


@dataclass(slots=True)
class _Table:
    """A table of the file, from which known keys are taken until none is left."""

    where: str
    left: dict[str, Any]

    def take(self, key: str, read: Callable[[Any], _T], default: Any = _MISSING) -> _T:
        path = f"{self.where}.{key}" if self.where else key
        if key not in self.left:
            if default is _MISSING:
                raise PolicyError(f"{path} is missing")
            return default  # type: ignore[no-any-return]
        try:
            return read(self.left.pop(key))
        except (ValueError, BadName) as error:
            raise PolicyError(f"{path} {error}") from None

    def table(self, key: str) -> _Table:
        return _Table(key, self.take(key, _mapping, {}))

    def finish(self) -> None:
        if self.left:
            place = f" in [{self.where}]" if self.where else ""
            raise PolicyError(f"unknown key{place}: {', '.join(sorted(self.left))}")


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("has to be a table")
    return dict(value)


def _tables(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        raise ValueError("has to be an array of tables")
    return [_mapping(entry) for entry in value]


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise ValueError("has to be a whole number")
    return value


def _seconds(value: Any) -> float:
    if type(value) not in (int, float) or not 0 < value < 1e7:
        raise ValueError("has to be a number of seconds above 0")
    return float(value)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or "\n" in value:
        raise ValueError("has to be text on one line")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError("has to be an array of texts")
    return tuple(_text(entry) for entry in value)


def _name(value: Any) -> str:
    text = _text(value)
    try:
        return format_name(parse_name(text))
    except BadName as error:
        raise ValueError(f"holds {text!r}, which is no name as Lean writes it: {error}") from None


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError("has to be an array of names")
    return tuple(_name(entry) for entry in value)


def _paths(value: Any) -> tuple[str, ...]:
    paths = _texts(value)
    for path in paths:
        parts = path.split("/")
        if path.startswith("/") or {"..", "."} & set(parts) or "\\" in path:
            raise ValueError(f"holds {path!r}: folders are named from the project, with '/'")
        if any(unicodedata.category(character) == "Cc" for character in path):
            raise ValueError(f"holds {path!r}: a path has no control characters")
    return tuple(path.rstrip("/") for path in paths)


def _golden(value: Any) -> str:
    """The golden file is written, so its name can be no other file's of worth."""
    path = _paths([value])[0]
    if not path.endswith(".txt"):
        raise ValueError(f"has to end in .txt, and is {path!r}")
    if any(part.startswith(".") for part in path.split("/")):
        raise ValueError(f"is {path!r}: it is neither hidden nor in a hidden folder")
    return path


def _counts(value: Any) -> dict[str, int]:
    table = _mapping(value)
    for count in table.values():
        if type(count) is not int or count < 1:
            raise ValueError("has to give each file the number of its holes, from 1")
    return dict(zip(_paths(list(table)), table.values(), strict=True))


def _readings(value: Any) -> dict[str, tuple[str, ...]]:
    table = _mapping(value)
    texts = (_texts(entry) for entry in table.values())
    return dict(zip(_paths(list(table)), texts, strict=True))
