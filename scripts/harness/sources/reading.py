"""What in a Lean file could change how it, or a file that imports it, reads.

Whoever reads the statement and its definitions takes their words and symbols for what they usually
mean. Commands can change that: a notation, an instance, an option, an opened namespace. So the
files that state what is proved have an agreed list of such commands, and no others.

Not listed, because readers see them where they read: declarations (a name that hides another of
the same name is one), namespaces, universes, variables. What imported packages declare is theirs,
and options that the lakefile passes are not in these files.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from harness.policy import Policy
from harness.sources import commands
from harness.sources.lexer import COMMENTS, Kind, LexError, Token, tokenize
from harness.sources.project import Source, Sources, Target, missing, module_path, reach
from harness.verdict import Finding

STEP = "reading"

_KINDS = {
    "macro": ("macro", "macro_rules"),
    "notation": ("notation", "notation3", "infix", "infixl", "infixr", "prefix", "postfix"),
    "syntax": ("syntax", "declare_syntax_cat", "binder_predicate"),
    "elaborator": ("elab", "elab_rules", "unif_hint", "by_elab", "run_tac"),
    "simproc": ("simproc", "dsimproc", "simproc_decl", "dsimproc_decl"),
    "built in": ("builtin_simproc", "builtin_dsimproc"),
    "instance": ("instance", "class"),
    "attribute": ("attribute", "seal", "unseal"),
    "option": ("set_option",),
    "open": ("open",),
    "export": ("export",),
    "deriving": ("deriving",),
    "run": ("initialize", "builtin_initialize", "run_cmd", "run_elab", "run_meta"),
    "variables": ("include", "omit"),
    "other": ("local", "scoped", "irreducible_def", "suppress_compilation", "alias"),
}
_KIND = {word: kind for kind, words in _KINDS.items() for word in words}
_SCOPED = frozenset({"local", "scoped"})
# `#` and one of these is a command wherever it stands; a set may be written `#s`.
_HASH = ("eval", "exit", "print", "check", "reduce", "synth", "guard", "help", "conv", "where")
# What may begin a line in the first column and changes nothing.
_PLAIN = (
    commands.DECLARING
    | commands.MODIFIERS
    | commands.SCOPES
    | commands.CONTINUING
    | {"variable", "universe", "import", "prelude", "module", "all"}
)


@dataclass(frozen=True, slots=True)
class Command:
    """Something that changes how a file reads.

    `line` counts from 1, `column` from 0 in characters. `text` is all of it on one line: spaces
    stand where the source has space, and comments are left out. An attribute comes with the
    declaration that it stands before.
    """

    kind: str
    text: str
    line: int
    column: int


def reading_commands(text: str) -> list[Command]:
    """List what changes how a file reads, in order; raises LexError.

    Words in comments and literals do not count. Invisible characters and those that turn the
    direction of writing do, wherever they stand: what a reader sees is then not what Lean reads. So
    it is where an identifier has letters that look like ASCII letters and are others.
    A word in the first column that begins no command known here is listed as one.
    """
    text = text.replace("\r\n", "\n")
    found = [*_commands(text), *_invisible(text), *_look_alikes(text)]
    return sorted(found, key=lambda command: (command.line, command.column))


def _commands(text: str) -> Iterator[Command]:
    keep = {Kind.DOC_COMMENT, Kind.MODULE_DOC}
    tokens = [t for t in tokenize(text) if t.kind not in COMMENTS or t.kind in keep]
    index = 0
    while index < len(tokens):
        kind = _kind(tokens, index)
        if kind is None:
            index += 1
            continue
        end = _end(tokens, index, kind)
        shown = _one_line(tokens[index:end])
        if commands.is_attribute(tokens, index):
            shown = " ".join([shown, *_declared(tokens, end)])
        yield Command(kind, shown, tokens[index].line, tokens[index].column)
        index = end


def _kind(tokens: Sequence[Token], index: int) -> str | None:
    """What kind of command begins at a token, None if none does."""
    token = tokens[index]
    if commands.is_attribute(tokens, index):
        return "attribute"
    if token.text == "#":
        return "run" if _is_hash(tokens, index) else None
    if token.kind is not Kind.IDENTIFIER:
        return None
    if token.text in _SCOPED:
        word = tokens[_after_scoped(tokens, index)].text
        return _KIND.get(word, "other")
    if token.text in _KIND:
        return _KIND[token.text]
    first = token.column == 0 and commands.first_on_line(tokens, index)
    if first and token.text not in _PLAIN and not _of_header(tokens, index):
        return "other"
    return None


def _is_hash(tokens: Sequence[Token], index: int) -> bool:
    if commands.is_hash_command(tokens, index):
        return True
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    return after is not None and after.start == tokens[index].end and after.text.startswith(_HASH)


def _of_header(tokens: Sequence[Token], index: int) -> bool:
    """Whether a word is the name of an imported module."""
    return index > 0 and tokens[index - 1].text in ("import", "all")


def _after_scoped(tokens: Sequence[Token], index: int) -> int:
    """The index of the word that `local`, `scoped` or `scoped[NAMESPACE]` belongs to."""
    after = index + 1
    if after < len(tokens) and tokens[after].text == "[":
        after = commands.bracket_end(tokens, after)
    return min(after, len(tokens) - 1)


def _end(tokens: Sequence[Token], index: int, kind: str) -> int:
    """The index just past a command."""
    if commands.is_attribute(tokens, index):
        return commands.bracket_end(tokens, index + 1)
    column = tokens[index].column
    if kind not in ("open", "option"):
        # The word that the command is named for cannot begin the next one.
        own = _after_scoped(tokens, index) if tokens[index].text in _SCOPED else index
        return _before_unknown(tokens, own + 1, commands.command_end(tokens, own + 1, column))
    start = index + 1
    end = commands.command_end(tokens, start, column)
    for here in range(start, end):
        if commands.is_word(tokens[here], frozenset({"in"})):
            return here + 1
        if commands.is_word(tokens[here], frozenset({"open", "set_option"})):
            return here
        if tokens[here].column <= column and commands.first_on_line(tokens, here):
            return here
    return end


def _before_unknown(tokens: Sequence[Token], start: int, end: int) -> int:
    """The index of a word in the first column that is listed by itself; `end` if there is none."""
    depth = 0
    for here in range(start, end):
        if depth <= 0 and tokens[here].column == 0 and _kind(tokens, here) == "other":
            return here
        if tokens[here].kind is Kind.SYMBOL:
            depth += tokens[here].text in commands.OPENING
            depth -= tokens[here].text in commands.CLOSING
    return end


def _declared(tokens: Sequence[Token], index: int) -> Iterator[str]:
    """The word and the name of the declaration that attributes before `index` belong to."""
    while index < len(tokens):
        if commands.is_attribute(tokens, index):
            index = commands.bracket_end(tokens, index + 1)
        elif tokens[index].kind in COMMENTS or commands.is_word(tokens[index], commands.MODIFIERS):
            index += 1
        else:
            break
    for token in tokens[index : index + 2]:
        if token.kind is not Kind.IDENTIFIER:
            return
        yield token.text
        if token.text not in commands.DECLARING:
            return


def _one_line(tokens: Sequence[Token]) -> str:
    """Tokens on one line; a line break inside one is written as in a string."""
    tokens = [token for token in tokens if token.kind not in COMMENTS]
    parts: list[str] = []
    for number, token in enumerate(tokens):
        if number and tokens[number - 1].end < token.start:
            parts.append(" ")
        parts.append(token.text.replace("\n", "\\n"))
    return "".join(parts)


def _invisible(text: str) -> Iterator[Command]:
    """Characters that are not seen or that turn the direction of writing."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.isprintable():
            continue
        for column, character in enumerate(line):
            if unicodedata.category(character) in ("Cf", "Cc", "Zl", "Zp") and character != "\t":
                yield Command("invisible", f"U+{ord(character):04X}", number, column)


# Greek and Cyrillic letters, and the sign of kelvin, with the shape of an ASCII letter, as in
# Unicode's confusables.txt. Of Greek small letters those alone that differ in no usual font.
_ALIKE = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϺοϲϳνАВЕЅІЈКМНОРСТУХҮԌԜԚаеорсухіјѕһԁԛԝѵӏ\u212a")


def _look_alikes(text: str) -> Iterator[Command]:
    """Identifiers of which a component can be taken for another one in ASCII letters.

    A letter that looks like one of ASCII stands beside such, or nothing but such letters stand
    there. A single letter is a variable as mathematicians write it, marks and digits or not.
    """
    for token in tokenize(text):
        if token.kind in (Kind.IDENTIFIER, Kind.NAME):
            for part in token.text.replace("«", ".").replace("»", ".").split("."):
                letters = [c for c in part if c.isalpha() and unicodedata.category(c) != "Lm"]
                alike = _ALIKE.intersection(letters)
                others = {c for c in letters if c not in _ALIKE and not c.isascii()}
                mixed = any(c.isascii() for c in letters)
                if alike and len(letters) > 1 and (mixed or not others):
                    yield Command("look-alike", token.text, token.line, token.column)
                    break


# Trusted files


def trusted_files(
    sources: Sources, policy: Policy, folders: Iterable[str] = ("",)
) -> tuple[Source, ...]:
    """The files of the challenge and everything of the project that they import.

    `folders` are the source folders of the lakefile.
    """
    return _trusted(sources, policy, folders)[0]


def _trusted(
    sources: Sources, policy: Policy, folders: Iterable[str]
) -> tuple[tuple[Source, ...], list[Finding]]:
    """The trusted files, and findings about those that cannot be told."""
    places = sorted(set(folders)) or [""]
    modules = policy.challenge_modules
    reached = reach([Target("challenge", "library", modules, place) for place in places], sources)
    known = sources.by_path()
    findings = [
        Finding(
            "module-missing",
            f"the policy names the challenge {module}, and no file that was read is that module",
            STEP,
            remedy="Restore the file, or name another in the policy (targets.challenge-modules).",
        )
        for module in modules
        if not any(module_path(place, module) in known for place in places)
    ]
    findings += (f for f in missing(reached, policy.roots) if f.file is not None)
    findings += reached.findings
    return tuple(s for s in sources.files if s.path in reached.files), findings


def check(
    sources: Sources, policy: Policy, folders: Iterable[str] = ("",)
) -> tuple[list[Finding], int, int]:
    """The commands of the trusted files against the agreed ones.

    Gives findings, the number of trusted files and that of the commands agreed and found.
    """
    trusted, findings = _trusted(sources, policy, folders)
    agreed = 0
    for source in trusted:
        expected = Counter(policy.reading.get(source.path, ()))
        try:
            found = reading_commands(source.text)
        except LexError as error:
            findings.append(_unreadable(source.path, error))
            continue
        for command in found:
            if expected[command.text] > 0:
                expected[command.text] -= 1
                agreed += 1
            else:
                findings.append(_changed(source.path, command))
        findings += (_expected(source.path, text) for text in (+expected).elements())
    paths = {source.path for source in trusted}
    for path, texts in policy.reading.items():
        if path not in paths:
            findings += (_expected(path, text) for text in texts)
    return findings, len(trusted), agreed


def _changed(path: str, command: Command) -> Finding:
    shown = command.text if len(command.text) <= 200 else command.text[:199] + "…"
    plain = "" if shown.isascii() else f" (in ASCII: {ascii(shown)[1:-1]})"
    return Finding(
        "reading-changed",
        f"could change how a trusted file reads: {shown}{plain}",
        STEP,
        file=path,
        line=command.line,
        column=command.column,
        remedy="Take it out of the files that state what is proved. What is meant is named in the "
        "policy, word for word (statement.reading).",
        evidence={"kind": command.kind, "text": command.text},
    )


def _expected(path: str, text: str) -> Finding:
    return Finding(
        "reading-expected", f"the policy names it, and it is not there: {text}", STEP, file=path
    )


def _unreadable(path: str, error: LexError) -> Finding:
    return Finding(
        "source-unreadable",
        error.message,
        STEP,
        file=path,
        line=error.line,
        column=error.column,
    )
