"""The golden statement and the text of the sources: token by token, where no terms are at hand.

What only terms show (instances, implicit arguments, what a name resolves to) is not seen here.
"""

from __future__ import annotations

import contextlib
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.golden import (
    FROM_SOURCES,
    Difference,
    Entry,
    Golden,
    Section,
    shortened,
    unseen,
)
from harness.policy import Policy
from harness.printing import WIDTH
from harness.sources.declarations import (
    DeclarationError,
    Declared,
    declarations,
    signature,
)
from harness.sources.lexer import BadName, LexError, tokenize
from harness.sources.normal import normal_tokens
from harness.sources.project import Source, Sources, module_path
from harness.sources.reading import trusted_files


class StatedError(Exception):
    """The text of a source is not understood; the message says where."""


_PROOF = ("theorem", "instance", "example")
MOST_QUOTED = 2000
"""Characters of a docstring that are quoted."""
_OPENING = {"structure": " where", "class": " where", "inductive": " where"}
"""What comes before the body of a declaration, where that is not `:=`."""
_CODE = re.compile(r"`[^`]*`")


@dataclass(frozen=True, slots=True)
class Stated:
    """The declarations of a project by name: those of the trusted files, and those of each file.

    Private ones are left out: they have other names.
    """

    folders: Sequence[str]
    trusted: Mapping[str, Declared]
    files: Mapping[str, Mapping[str, Declared]]
    problems: Sequence[str] = ()
    """The files that are not understood, each with the reason."""

    def find(self, name: str, namespace: str) -> Declared | None:
        """What a name means in a namespace: a trusted declaration where there is one."""
        parts = namespace.split(".") if namespace else []
        spaces = [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
        for named in (self.trusted, *self.files.values()):
            for full in (*(f"{space}.{name}" for space in spaces), name):
                if full in named:
                    return named[full]
        return None

    def of_entry(self, entry: Entry, namespace: str, agreed: Collection[str]) -> Declared | None:
        """The declaration of an entry: of its module, where terms tell that, and of no other.

        That of the challenge for what is `agreed`.
        """
        if not entry.module:
            return self.find(entry.name, namespace)
        if entry.whole in agreed and entry.whole in self.trusted:
            return self.trusted[entry.whole]
        for folder in self.folders:
            with contextlib.suppress(BadName):
                path = module_path(folder, entry.module)
                if entry.whole in (named := self.files.get(path, {})):
                    return named[entry.whole]
        return None

    def proved(self, name: str) -> list[tuple[str, Declared]]:
        """The declarations of this name outside of the trusted files, each with its file."""
        return [(file, named[name]) for file, named in self.files.items() if name in named]


def read(policy: Policy, sources: Sources, folders: Iterable[str] = ("",)) -> Stated:
    """The declarations in the text of the sources. Raises StatedError.

    `folders` are the source folders of the lakefile.
    """
    stated = _read(policy, sources, folders)
    if stated.problems:
        raise StatedError(stated.problems[0])
    return stated


def _read(policy: Policy, sources: Sources, folders: Iterable[str]) -> Stated:
    """The same, with what is understood of the files."""
    places = tuple(folders)
    paths = {source.path for source in trusted_files(sources, policy, places)}
    trusted: dict[str, Declared] = {}
    files: dict[str, dict[str, Declared]] = {}
    problems = []
    for source in sources.files:
        if source.path not in paths and not _is_ours(policy, source, places):
            continue
        try:
            found = declarations(source.text)
        except (DeclarationError, LexError) as error:
            problems.append(f"{source.path}: {error}")
            continue
        named = {d.name: d for d in found if "private" not in d.modifiers}
        if source.path in paths:
            trusted |= named
        files[source.path] = named
    return Stated(places, trusted, files, problems)


def _is_ours(policy: Policy, source: Source, folders: Iterable[str]) -> bool:
    """Whether a file is one of the project's modules: not a lakefile, a script, or a test."""
    return any(
        source.path.startswith(start)
        and source.path.removeprefix(start).removesuffix(".lean").partition("/")[0] in policy.roots
        for start in {"", *(f"{folder}/" for folder in folders if folder)}
    )


def of_sources(policy: Policy, sources: Sources, folders: Iterable[str] = ("",)) -> Golden:
    """What the targets state, in the words of the sources. Raises StatedError."""
    stated = read(policy, sources, folders)
    sections: list[Section] = []
    shown: set[str] = set()
    for target in policy.targets:
        declared = stated.find(target, "")
        if declared is None:
            continue
        namespace = target.rpartition(".")[0]
        needed = [_short(d.name, namespace) for d in _needs(stated, declared)]
        entries = [
            _entry(d, namespace)
            for d in (*_needs(stated, declared), declared)
            if _short(d.name, namespace) not in shown
        ]
        before = tuple(name for name in needed if name in shown)
        sections.append(Section(target, tuple(entries), before))
        shown |= {entry.name for entry in entries}
    return Golden(FROM_SOURCES, tuple(sections))


def _needs(stated: Stated, declared: Declared) -> list[Declared]:
    """The definitions that a statement mentions, and those that they mention, in reading order."""
    order: list[Declared] = []
    seen = {declared.name}

    def visit(one: Declared) -> None:
        for word in _mentioned(one):
            other = stated.find(word, one.name.rpartition(".")[0])
            if other is not None and other.name not in seen and other.kind not in _PROOF:
                seen.add(other.name)
                visit(other)
                order.append(other)

    visit(declared)
    return order


def _mentioned(declared: Declared) -> Iterator[str]:
    texts = [signature(declared)]
    if declared.kind not in _PROOF and declared.value is not None:
        texts.append(declared.value)
    for text in texts:
        yield from dict.fromkeys(normal_tokens(text))


def _short(name: str, namespace: str) -> str:
    return name.removeprefix(f"{namespace}.") if namespace else name


def _entry(declared: Declared, namespace: str) -> Entry:
    name = _short(declared.name, namespace)
    return Entry(name, _text(declared, name), remark=_remark(declared))


def _remark(declared: Declared) -> str:
    """The first paragraph of a docstring, in lines that end in no piece of code."""
    paragraph = re.split(r"\n\s*\n", (declared.docstring or "").strip())[0]
    paragraph = unseen(shortened(" ".join(paragraph.split()), MOST_QUOTED))
    joined = _CODE.sub(lambda code: code[0].replace(" ", "\0"), paragraph)
    width = WIDTH - len("-- ")
    lines = textwrap.wrap(joined, width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


def _text(declared: Declared, name: str) -> str:
    """A declaration in the form of the golden file, in the words of the sources."""
    head = _wrapped(f"{declared.kind} {name} {_indented(signature(declared))}".rstrip())
    if declared.kind in _PROOF or declared.value is None:
        return head
    opening = "" if declared.value.startswith("|") else _OPENING.get(declared.kind, " :=")
    return f"{head}{opening}\n  {_indented(declared.value, '  ')}"


def _wrapped(text: str) -> str:
    """A text whose first line is broken where a binder or the type begins, if it is too long."""
    first, newline, rest = text.partition("\n")
    lines = []
    while len(first) > WIDTH:
        breaks = [n for n in _breaks(first) if n <= WIDTH - 1]
        if not breaks or breaks[-1] < 8:
            break
        lines.append(first[: breaks[-1]])
        first = "    " + first[breaks[-1] + 1 :]
    return "\n".join([*lines, first]) + newline + rest


def _breaks(line: str) -> list[int]:
    """The spaces before a binder or after the colon, outside all brackets."""
    found, depth = [], 0
    for place, sign in enumerate(line):
        depth += (sign in "([{⦃") - (sign in ")]}⦄")
        if sign == " " and depth == 0 and (line[place + 1] in "([{⦃" or line[place - 1] == ":"):
            found.append(place)
    return found


def _indented(text: str, by: str = "  ") -> str:
    """A text whose later lines are indented, none of them empty."""
    lines = [line for line in text.split("\n") if line.strip()] or [""]
    return "\n".join([lines[0].strip(), *(f"{by}{line}" for line in lines[1:])])


# Compared.


def with_sources(
    golden: Golden, policy: Policy, sources: Sources, folders: Iterable[str] = ("",)
) -> Golden:
    """The golden file with the words of the sources wherever its own differ from them.

    So that without Lean its text can be compared with theirs; and with what they say of each
    declaration. What stands in a file that is not understood has none of both.
    """
    stated = _read(policy, sources, folders)
    sections = []
    for section in golden.sections:
        namespace = section.target.rpartition(".")[0]
        entries = [
            _with_source(entry, stated.of_entry(entry, namespace, policy.challenge_targets))
            for entry in section.entries
        ]
        sections.append(replace(section, entries=tuple(entries)))
    return replace(golden, sections=tuple(sections))


def _with_source(entry: Entry, declared: Declared | None) -> Entry:
    if declared is None:
        return entry
    entry = replace(entry, remark=_remark(declared))
    if _tokens_of(entry.text) == _tokens(declared):
        return entry
    return replace(entry, source=_text(declared, entry.name))


def compare(
    kept: Golden, policy: Policy, sources: Sources, folders: Iterable[str] = ("",)
) -> tuple[list[str], list[Difference]]:
    """The declarations of a golden file that were compared with the sources, and differences.

    Those of the trusted files before others of the same name. Raises StatedError.
    """
    stated = read(policy, sources, folders)
    from_sources = kept.origin == FROM_SOURCES
    compared: list[str] = []
    found: list[Difference] = []
    targets = [section.target for section in kept.sections]
    for name in (*policy.targets, *(t for t in targets if t not in policy.targets)):
        if name not in targets or name not in policy.targets:
            there, here = (None, "a section") if name in policy.targets else ("a section", None)
            found.append(Difference(name, None, there, here))
    for section in kept.sections:
        namespace = section.target.rpartition(".")[0]
        for entry in section.entries:
            declared = stated.find(entry.name, namespace)
            if declared is None:
                if from_sources:
                    found.append(Difference(section.target, entry.name, entry.text, None))
                continue
            compared.append(entry.name)
            text = _text(declared, entry.name)
            if entry.source or from_sources:
                same = same_but_for_layout(entry.source or entry.text, text)
            else:
                same = _tokens_of(entry.text) == _tokens(declared)
            if not same:
                kept_text = entry.source or entry.text
                found.append(Difference(section.target, entry.name, kept_text, text))
            elif entry.remark != (remark := _remark(declared)):
                found.append(
                    Difference(section.target, entry.name, entry.remark, remark, remark=True)
                )
    found += _left_out(kept)
    if from_sources:
        found += _unlike(kept, of_sources(policy, sources, folders))
    return compared, found


def _left_out(kept: Golden) -> Iterator[Difference]:
    """The targets that have a section and are stated in none."""
    shown = {
        name
        for section in kept.sections
        for entry in section.entries
        for name in (entry.name, f"{section.target.rpartition('.')[0]}.{entry.name}")
    }
    for section in kept.sections:
        if section.target not in shown:
            yield Difference(section.target, section.target, None, section.target)


def _unlike(kept: Golden, now: Golden) -> Iterator[Difference]:
    """What a golden file made from sources leaves out of them, or refers to otherwise."""
    there = {section.target: section for section in kept.sections}
    for section in now.sections:
        old = there.get(section.target)
        if old is None:
            continue
        names = {entry.name for entry in old.entries}
        for entry in section.entries:
            if entry.name not in names:
                yield Difference(section.target, entry.name, None, entry.text)
        if old.before != section.before:
            texts = "\n".join(old.before), "\n".join(section.before)
            yield Difference(section.target, "definitions as above", *texts)


@dataclass(frozen=True, slots=True)
class Otherwise:
    """A target that is not proved in the words of the challenge; nowhere, where `file` is None."""

    target: str
    file: str | None = None
    line: int | None = None
    difference: Difference | None = None


def unlike_challenge(
    policy: Policy, sources: Sources, folders: Iterable[str] = ("",)
) -> Iterator[Otherwise]:
    """The targets of the challenge whose proofs state other tokens. Raises StatedError.

    Other tokens can state the same: only terms tell.
    """
    stated = read(policy, sources, folders)
    for target in policy.challenge_targets:
        agreed = stated.trusted.get(target)
        if agreed is None:
            continue
        proved = [(file, one) for file, one in stated.proved(target) if one is not agreed]
        if not proved:
            yield Otherwise(target)
        for file, declared in proved:
            # Sources against sources: what printers leave out counts too.
            if _tokens(declared, exact=True) != _tokens(agreed, exact=True):
                texts = _text(agreed, target), _text(declared, target)
                yield Otherwise(target, file, declared.line, Difference(target, target, *texts))


def same_but_for_layout(one: str, other: str) -> bool:
    """Whether two texts are the same token for token, comments included."""
    if one == other:
        return True
    try:
        return [(t.kind, t.text) for t in tokenize(one)] == [
            (t.kind, t.text) for t in tokenize(other)
        ]
    except LexError:
        return False


def _tokens_of(text: str) -> tuple[str, ...] | None:
    """The normal tokens of a declaration as it is printed; None where it is none."""
    whole = f"{text} := _" if text.split(" ", 1)[0] in _PROOF else text
    try:
        read_back = declarations(whole)
    except (DeclarationError, LexError):
        return None
    return _tokens(read_back[0]) if len(read_back) == 1 else None


def _tokens(declared: Declared, *, exact: bool = False) -> tuple[str, ...]:
    """The tokens of a declaration in a form that does not depend on how it is laid out."""
    kind = "theorem" if declared.kind in _PROOF else declared.kind
    namespaces = [declared.name.rpartition(".")[0]] if "." in declared.name else []
    value = (
        () if kind == "theorem" else normal_tokens(declared.value or "", namespaces, exact=exact)
    )
    stated = normal_tokens(signature(declared), namespaces, exact=exact)
    return (kind, *stated, ":=", *value)
