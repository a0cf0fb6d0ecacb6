"""The golden statement: what every target says, printed to be read, and kept to be compared with.

`statement.golden.txt` has a section a target: the definitions of this project that its statement
needs, in reading order, then the statement. Printed from terms, it ends with a hash of each term,
because terms that differ in what is not printed (instances, implicit arguments, universe levels)
read the same. Above each declaration stands the beginning of its docstring, which is for the reader
and decides nothing. Where no Lean is at hand it can be made from the text of the sources; its first
line then says so, and it is no evidence about terms.
"""

from __future__ import annotations

import difflib
import hashlib
import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from harness import printing, statement
from harness import term as t
from harness.policy import Policy
from harness.toolchain.audit import Audit, Constant, Statement

FORM = 1
FROM_TERMS = "printed from terms"
FROM_SOURCES = "made from the text of the sources, without Lean"
UPDATE = "python3 scripts/check_statement.py --update-golden"

_FIRST = re.compile(rf"(.+): what is stated, ({FROM_TERMS}|{FROM_SOURCES}); form (\d+)\.")
_HEADING = re.compile(r"## (.+)")
_HASH = re.compile(r"([0-9a-f]{64})  (.+)")
_TERMS = "(terms)"
"""The last heading, which is no name as Lean writes it, and so no target's."""
MOST_COMPARED = 2000
"""Lines of two texts for which a shortest difference is looked for."""
_AS_WRITTEN = "  as the sources write it:"
_REMARK = "-- "
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


_NAMES = {
    FROM_TERMS: (
        "Names of the target's own namespace are written without it, and what is applied without",
        "its implicit arguments, instances and universe levels; hashes stand at the end.",
    ),
    FROM_SOURCES: (
        "The words are those of the sources; what they open (namespaces, notations) is not shown.",
    ),
}
"""How what stands in the file is to be read, by what it was made from."""


class GoldenError(Exception):
    """The golden file is not of the form; the message says where."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A declaration as it is printed.

    `text` begins with its kind and `name`, which is written short. `source` is how the sources
    write it, where their text does not come to the same. `remark` is how its docstring begins.
    `whole` is its whole name and `module` its module, where terms tell them: no file does.
    """

    name: str
    text: str
    source: str = ""
    remark: str = ""
    whole: str = field(default="", compare=False)
    module: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Section:
    """One target: the declarations that are new in it, and the names of those shown before."""

    target: str
    entries: tuple[Entry, ...]
    before: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Golden:
    """What a golden file holds; `hashes` gives each declaration the hash of its terms."""

    origin: str
    sections: tuple[Section, ...]
    hashes: Mapping[str, str] = field(default_factory=dict)

    def entries(self) -> dict[str, Entry]:
        """Every declaration that is printed, by its name."""
        return {entry.name: entry for section in self.sections for entry in section.entries}


# Made from terms.


def of_terms(policy: Policy, facts: Audit) -> Golden:
    """What the targets state, from facts that have the names of binders: those from terms."""
    stated = {target.name: target.statement for target in facts.targets}
    sections: list[Section] = []
    hashes: dict[str, str] = {}
    shown: set[str] = set()
    for name in policy.targets:
        said = stated.get(name)
        if said is None:
            continue
        hashes |= hashes_of(said)
        printer = printer_of(said)
        here = (*said.definitions, said.constant)
        entries = [_entry(printer, c) for c in here if c.name not in shown]
        before = tuple(printer.short(n) for n in _names(said) if n in shown)
        sections.append(Section(name, tuple(entries), before))
        shown |= {c.name for c in here}
    return Golden(FROM_TERMS, tuple(sections), hashes)


def printer_of(said: Statement) -> printing.Printer:
    """A printer for a statement: in its namespace, with the signatures that came with it."""
    namespace = said.constant.name.rpartition(".")[0]
    return printing.Printer(said.signatures, (namespace,) if namespace else ())


def _names(said: Statement) -> list[str]:
    return [constant.name for constant in said.definitions]


def _entry(printer: printing.Printer, constant: Constant) -> Entry:
    return Entry(
        printer.short(constant.name),
        declaration(printer, constant),
        whole=constant.name,
        module=constant.module,
    )


def declaration(printer: printing.Printer, constant: Constant) -> str:
    """A declaration as a person reads it; its terms as they are, where they cannot be read back."""
    head = f"{constant.kind} {printer.short(constant.name)}"
    try:
        type_ = t.parse(constant.type, constant.levels, constant.binders)
        value = (
            t.parse(constant.value, constant.levels, constant.value_binders)
            if constant.value is not None
            else None
        )
        return printer.declaration(head, type_, value)
    except (t.TermError, RecursionError):
        text = f"{head} :\n  {constant.type}"
        return text if constant.value is None else f"{text} :=\n  {constant.value}"


def hashes_of(said: Statement) -> dict[str, str]:
    """The hash of the statement and of each definition that it needs, by name."""
    found = {c.name: _hash(c, c.module) for c in said.definitions}
    return found | {said.constant.name: _hash(said.constant, "")}


def _hash(constant: Constant, module: str) -> str:
    """SHA-256 of kind, module, type and value, the universe parameters numbered in order."""
    names = {level: f"u{place}" for place, level in enumerate(constant.levels, 1)}
    parts = [constant.kind, module, str(len(constant.levels))]
    for text in (constant.type, constant.value):
        renamed = statement.rename_levels(text or "", names)
        parts.append(statement.ordered_levels(renamed))
    whole = "\0".join(part.replace("\\", "\\\\").replace("\0", "\\0") for part in parts)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


# Written and read.


def write(golden: Golden, project: str) -> str:
    """The text of a golden file."""
    lines = [
        f"{project}: what is stated, {golden.origin}; form {FORM}.",
        "",
        "What every target states, its proof left out, after the definitions of this project that",
        "its statement needs, in reading order. What is `def` here may be `abbrev` in the sources.",
        *_NAMES[golden.origin],
        f"Compared on every run; written anew by {UPDATE}",
    ]
    if any(entry.remark for section in golden.sections for entry in section.entries):
        lines.insert(
            -1, "Behind -- stands how a docstring begins; it is for the reader, unchecked."
        )
    for section in golden.sections:
        lines += ["", f"## {section.target}"]
        if section.before:
            lines += ["", *_listed("As above: ", section.before)]
        for entry in section.entries:
            remark = entry.remark.split("\n") if entry.remark else []
            lines += ["", *(f"{_REMARK}{line}" for line in remark), *entry.text.split("\n")]
            if entry.source:
                lines += ["", _AS_WRITTEN]
                lines += [f"  | {line}".rstrip() for line in entry.source.split("\n")]
    if golden.hashes:
        lines += [
            "",
            f"## {_TERMS}",
            "",
            "SHA-256 of kind, module, type and value of each declaration, in the audit's form.",
            "",
        ]
        lines += [f"{digest}  {name}" for name, digest in golden.hashes.items()]
    return "\n".join(lines) + "\n"


def _listed(start: str, names: Iterable[str]) -> list[str]:
    lines = [start]
    for place, name in enumerate(names):
        word = ("" if place == 0 else ", ") + name
        if len(lines[-1]) + len(word) > printing.WIDTH:
            lines[-1] += ","
            lines.append(f"  {name}")
        else:
            lines[-1] += word
    lines[-1] += "."
    return lines


def read(text: str, project: str) -> Golden:
    """What the golden file of a project holds.

    Raises GoldenError unless it is as `write` writes it, but for the ends of its lines.
    """
    text = text.replace("\r\n", "\n")
    for number, line in enumerate(text.split("\n"), 1):
        if unseen(line) != line:
            raise GoldenError(f"line {number}: a character that cannot be seen, or moves others")
    golden = _read(text.split("\n"))
    for number, (is_, should) in enumerate(
        itertools.zip_longest(text.split("\n"), write(golden, project).split("\n")), 1
    ):
        if is_ != should:
            wanted = "nothing" if should is None else repr(shortened(should))
            raise GoldenError(
                f"line {number} is not as it is written: there should be {wanted}"
                + (f", and there is {shortened(is_)!r}" if is_ is not None else "")
            )
    return golden


def unseen(text: str) -> str:
    """A text in whose place of every character that cannot be seen, or moves others, is a sign."""
    return "".join("\ufffd" if unicodedata.category(c) in _UNSEEN else c for c in text)


def shortened(text: str, most: int = 200) -> str:
    """A text of which no more is shown than can be read at once."""
    return text if len(text) <= most else text[:most] + " …"


def is_golden(text: str) -> bool:
    """Whether a file begins as a golden file does."""
    return _FIRST.match(text) is not None


def _read(lines: Sequence[str]) -> Golden:
    first = _FIRST.fullmatch(lines[0])
    if first is None:
        raise GoldenError("line 1 does not say what the file was made from")
    origin = first[2]
    if first[3] != str(FORM):
        raise GoldenError(f"line 1: form {first[3]}, and this program reads form {FORM}")
    sections: list[Section] = []
    hashes: dict[str, str] = {}
    for number, heading, body in _parts(lines):
        if heading == _TERMS and origin == FROM_TERMS:
            if hashes:
                raise GoldenError(f"line {number}: a second part named {_TERMS}")
            hashes = dict(_hashes(number, body))
        elif any(section.target == heading for section in sections):
            raise GoldenError(f"line {number}: a second section for {heading}")
        else:
            sections.append(_section(heading, body))
    if not sections:
        raise GoldenError("no target is stated in it")
    if origin == FROM_TERMS and not hashes:
        raise GoldenError(f"there is no part named {_TERMS}")
    return Golden(origin, tuple(sections), hashes)


def _parts(lines: Sequence[str]) -> Iterator[tuple[int, str, list[str]]]:
    """Each heading with its line and the lines under it."""
    heads = [(n, found[1]) for n, line in enumerate(lines) if (found := _HEADING.fullmatch(line))]
    starts = [*(n for n, _ in heads), len(lines)]
    for (start, heading), end in zip(heads, starts[1:], strict=True):
        yield start + 1, heading, list(lines[start + 1 : end])


def _hashes(number: int, body: Sequence[str]) -> Iterator[tuple[str, str]]:
    seen = set()
    for place, line in enumerate(body, number + 1):
        if not line or line.startswith("SHA-256"):
            continue
        found = _HASH.fullmatch(line)
        if found is None:
            raise GoldenError(f"line {place}: no hash and name")
        if found[2] in seen:
            raise GoldenError(f"line {place}: {found[2]} for the second time")
        seen.add(found[2])
        yield found[2], found[1]


_DECLARED = re.compile(r"(?:\w+ )+((?:«[^»]*»|[^\s:({\[⦃])+)")


def _section(target: str, body: Sequence[str]) -> Section:
    """The declarations of a section: each begins in the first column and ends at an empty line."""
    entries: list[Entry] = []
    before: tuple[str, ...] = ()
    for paragraph in _paragraphs(body):
        if paragraph[0].startswith("As above: "):
            joined = " ".join(line.strip() for line in paragraph)
            before = tuple(joined.removeprefix("As above: ").rstrip(".").split(", "))
        elif paragraph[0] == _AS_WRITTEN and entries:
            source = "\n".join(line[4:] for line in paragraph[1:])
            entries[-1] = replace(entries[-1], source=source)
        else:
            remark = list(itertools.takewhile(lambda line: line.startswith(_REMARK), paragraph))
            text = paragraph[len(remark) :] or [""]
            found = _DECLARED.match(text[0])
            name = found[1] if found else text[0]
            said = "\n".join(line.removeprefix(_REMARK) for line in remark)
            entries.append(Entry(name, "\n".join(text), remark=said))
    return Section(target, tuple(entries), before)


def _paragraphs(body: Sequence[str]) -> Iterator[list[str]]:
    paragraph: list[str] = []
    for line in (*body, ""):
        if line:
            paragraph.append(line)
        elif paragraph:
            yield paragraph
            paragraph = []


# Compared.


@dataclass(frozen=True, slots=True)
class Difference:
    """What a golden file says differently from what is there now.

    `target` is the section, `name` the declaration, None where it is about the whole section;
    `expected` is the golden file's text and `found` what is there, None where there is nothing.
    `same_text` is whether the two read the same and are different terms; `source` is whether they
    are the words of the sources, which stand below what is printed; `remark` is whether they are
    what is said of it above.
    """

    target: str | None
    name: str | None
    expected: str | None
    found: str | None
    same_text: bool = False
    source: bool = False
    remark: bool = False

    def lines(self) -> list[str]:
        """What is there now against the golden file: `-` golden, `+` now."""
        old, new = (text.split("\n") if text else [] for text in (self.expected, self.found))
        if len(old) + len(new) > MOST_COMPARED:
            # To find the best way from one to the other takes time that grows with the square.
            same = sum(
                1 for _ in itertools.takewhile(lambda p: p[0] == p[1], zip(old, new, strict=False))
            )
            end = same + MOST_COMPARED // 2
            return [
                *(f"-{line}" for line in old[same:end]),
                *(f"+{line}" for line in new[same:end]),
            ]
        compared = difflib.unified_diff(old, new, lineterm="", n=1)
        return [line for line in compared if not line.startswith(("---", "+++", "@@"))]


def compare(kept: Golden, now: Golden, *, order: bool = True) -> Iterator[Difference]:
    """Where a golden file differs from what is stated now: sections, declarations, terms.

    With `order` false the order in which hashes stand is not looked at.
    """
    old = {section.target: section for section in kept.sections}
    new = {section.target: section for section in now.sections}
    told: set[str] = set()
    for target in dict.fromkeys((*old, *new)):
        if target not in new or target not in old:
            yield Difference(target, None, *_presence(target in old))
            continue
        for difference in _sections(old[target], new[target]):
            if not (difference.source or difference.remark):
                told |= {difference.name or "", _whole(target, difference.name or "")}
            yield difference
    if set(old) == set(new):
        yield from _order(None, "the order of the sections", list(old), list(new))
    texts = {_whole(s.target, e.name): e.text for s in now.sections for e in s.entries}
    texts |= {entry.name: entry.text for s in now.sections for entry in s.entries}
    for name in dict.fromkeys((*kept.hashes, *now.hashes)):
        if kept.hashes.get(name) != now.hashes.get(name) and name not in told:
            text = texts.get(name)
            yield Difference(None, name, text, text, same_text=True)
    if order and kept.hashes.keys() == now.hashes.keys():
        yield from _order(None, "the order of the hashes", list(kept.hashes), list(now.hashes))


def _whole(target: str, name: str) -> str:
    """The name of a declaration that is written short in the section of a target."""
    namespace = target.rpartition(".")[0]
    return f"{namespace}.{name}" if namespace else name


def _presence(was: bool) -> tuple[str | None, str | None]:
    return ("a section", None) if was else (None, "a section")


def _order(target: str | None, what: str, old: list[str], new: list[str]) -> Iterator[Difference]:
    if old != new:
        yield Difference(target, what, "\n".join(old), "\n".join(new))


def _sections(old: Section, new: Section) -> Iterator[Difference]:
    was = {entry.name: entry for entry in old.entries}
    now = {entry.name: entry for entry in new.entries}
    same = True
    for name in dict.fromkeys((*was, *now)):
        a, b = was.get(name), now.get(name)
        texts = (a.text if a else None, b.text if b else None)
        if texts[0] != texts[1]:
            same = False
            yield Difference(old.target, name, *texts)
        elif a and b and a.source != b.source:
            yield Difference(old.target, name, a.source, b.source, source=True)
        elif a and b and a.remark != b.remark:
            yield Difference(old.target, name, a.remark, b.remark, remark=True)
    if old.before != new.before:
        shown = ("\n".join(old.before), "\n".join(new.before))
        yield Difference(old.target, "definitions as above", *shown)
    elif same:
        names = ([entry.name for entry in side.entries] for side in (old, new))
        yield from _order(old.target, "the order", *names)
