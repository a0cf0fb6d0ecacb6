"""Holes and forbidden options in the text of Lean sources, and the header of a file.

A scan of the text is fast and needs no Lean; what decides is the compiled modules. So the scan
errs on reporting: words that leave a hole are found wherever a term or a tactic may stand, in the
holes of interpolated strings and in quotations too, but not in comments, in literals, or as
part of a longer name.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from harness.sources.lexer import (
    COMMENTS,
    BadName,
    Kind,
    LexError,
    Token,
    format_name,
    iter_tokens,
    parse_name,
    tokenize,
)

SORRY_RULE = "sorry-in-source"
OPTION_RULE = "option-not-allowed"


class SourceFinding(NamedTuple):
    """Something in a source text that does not belong there.

    `line` counts from 1, `column` from 0 in characters; `word` is what was found.
    """

    rule: str
    message: str
    line: int
    column: int
    word: str


class Import(NamedTuple):
    """One import: the module as Lean writes names, where that name stands, and what precedes it."""

    module: str
    line: int
    column: int
    is_public: bool = False
    is_meta: bool = False
    is_all: bool = False


@dataclass(frozen=True, slots=True)
class Header:
    """What a Lean file begins with."""

    imports: tuple[Import, ...]
    is_module: bool
    is_prelude: bool

    def __iter__(self) -> Iterator[Import]:
        """Give the imports in order."""
        return iter(self.imports)


# Words that leave a hole or end the file, wherever they stand as a whole identifier.
_HOLES = {
    "sorry": "leaves a hole",
    # The axiom behind `sorry`; used directly there is no warning.
    "sorryAx": "is the axiom of holes",
    # Lean/Elab/Tactic/LibrarySearch.lean: admits the goal when it has found suggestions only.
    "apply?": "admits the goal",
    # Mathlib/CategoryTheory/Category/Basic.lean: closes a goal that mentions a hole by a hole.
    "sorry_if_sorry": "may leave a hole",
    # Batteries/Util/ProofWanted.lean: a statement without a proof, checked and thrown away.
    "proof_wanted": "states without a proof",
    "theorem_wanted": "states without a proof",
    "def_wanted": "states without a definition",
    "instance_wanted": "states without an instance",
}
# Functions of meta-programs that make holes, by the last component of their names
# (Lean/Meta/Sorry.lean, Lean/Elab/Exception.lean and Lean/Meta/Tactic/Util.lean).
_MAKERS = re.compile("sorryAx|Sorry|admit")
_HOLE_MAKERS = frozenset({"mkSorry", "mkLabeledSorry", "mkUniqueSorry", "admitGoal"})
# Tactics that leave a hole and are ordinary names elsewhere.
_TACTICS = {
    "admit": "leaves a hole",
    # Init/Tactics.lean: `repeat sorry`, whatever follows.
    "stop": "leaves the rest of the proof open",
    # Lean/Elab/Tactic/Impossible.lean: admits the goal after proving its negation.
    "impossible": "admits the goal",
    # Plausible/Tactic.lean: admits the goal when its tests find no counterexample; once slim_check.
    "plausible": "admits the goal",
    "slim_check": "admits the goal",
    # Mathlib/Tactic/Hint.lean: admits the goal when no tactic closes it.
    "hint": "may admit the goal",
}

# Where a tactic can stand: after one of these words in a command.
_PROOF_WORDS = frozenset(
    {"by", "decreasing_by", "tactic", "tacticSeq", "conv", "register_hint", "by_elab", "run_tac"},
)
# Commands that begin anew: reserved words, which cannot stand inside a proof.
_COMMANDS = frozenset(
    {"theorem", "lemma", "def", "abbrev", "example", "instance", "structure", "class"}
    | {"inductive", "axiom", "opaque", "namespace", "section"},
)
# On the same line before a tactic: symbols and words after which one can begin.
_BEFORE_TACTIC = frozenset(
    {"by", ";", "<;>", "<|>", "·", ".", "(", "{", "=>", "|", "then", "else", "in", "with"}
    | {"try", "repeat", "repeat'", "repeat1", "repeat1'", "iterate", "first", "focus", "run_tac"}
    | {"all_goals", "any_goals", "all_goals'", "any_goals'", "fail_if_success", "success_if_fail"}
    | {"with_reducible", "with_reducible_and_instances", "with_unfolding_all", "classical"}
    | {"with_annotate_state", "fail_if_no_progress", "show_term", "solve", "attempt_all", "conv"}
    | {"decreasing_by", "register_hint"},
)
# `simp (disch := stop)`: names of arguments that are tactics.
_BEFORE_VALUE = frozenset({"disch", "discharger", "tac", "tactic"})
# After a line break too, these go on with a term or a list.
_CONTINUES = frozenset(
    {",", ":=", ":", "⟨", "[", "=", "≠", "<", ">", "≤", "≥", "+", "-", "*", "/", "^", "∈", "∧", "∨"}
    | {"→", "↔", "∪", "∩", "⊆", "∘", "•", "∣", "++", "::", "←", "fun", "λ", "∀", "∃", "let", "@"}
    | {"$", "<|", "|>", "↑", "¬", "!"},
)
# What follows a name in a term or a binder, and never a tactic.
_AFTER_TERM = frozenset(
    {":", ":=", "=>", "↦", "+", "-", "*", "/", "%", "^", "=", "≠", "<", ">", "≤"}
    | {"≥", "∈", "∉", "∧", "∨", "→", "↔", "∣", "∘", "×", "⊆", "⊂", "∪", "∩", "::", "•", "$", "&"}
    | {"..", "...", "≡", "≃", "≈", "∼", "↑", "←", "|>", "|>.", "'", "!", "with", "//", "⊢", "⁻"},
)


def scan(text: str, *, options_allowed: frozenset[str] = frozenset()) -> list[SourceFinding]:
    """Find holes (`sorry-in-source`) and debug options (`option-not-allowed`), in their order.

    `options_allowed` holds full names of options, such as `debug.byAsSorry`. Raises LexError where
    the text is not Lean.
    """
    tokens = _code(text)
    options = _set_options(tokens, options_allowed)
    return _in_order(_holes(tokens), options, _mentions(tokens, options_allowed))


def scan_lakefile(
    text: str, *, options_allowed: frozenset[str] = frozenset()
) -> list[SourceFinding]:
    """Scan a `lakefile.lean`: like `scan`, and for debug options given in any other way.

    Those are quoted names such as `` `debug.skipKernelTC `` and strings in which such a name
    stands, such as `"-Ddebug.skipKernelTC=true"`, `weak.` before it or not. Raises LexError.
    """
    tokens = _code(text)
    options = _set_options(tokens, options_allowed)
    return _in_order(
        _holes(tokens),
        options,
        _mentions(tokens, options_allowed),
        _quoted_options(tokens, options_allowed),
    )


def scan_lakefile_toml(
    text: str, *, options_allowed: frozenset[str] = frozenset()
) -> list[SourceFinding]:
    """Find debug options among the keys and strings of a `lakefile.toml`.

    The place is the first line that has `debug` in it, or the first line. Raises LexError where
    the text is not TOML.
    """
    try:
        names = set(_toml_options(tomllib.loads(text)))
    except (ValueError, RecursionError) as error:
        raise LexError(f"not TOML: {error}", 1, 0) from None
    before, word, _ = text.partition("debug")
    line = before.count("\n") + 1 if word else 1
    column = len(before) - before.rfind("\n") - 1 if word else 0
    return [_option(name, line, column) for name in sorted(names - options_allowed)]


def imports(text: str) -> Header:
    """Read the header: `module`, `prelude`, and the imports up to the first other command.

    The grammar is Module.header in Lean/Parser/Module.lean: `module`? `prelude`? and then
    (`public`? `meta`? `import` `all`? NAME)*. Raises LexError where an import has no name.
    """
    return _HeaderReader(text).read()


def _code(text: str) -> list[Token]:
    return [token for token in tokenize(text) if token.kind not in COMMENTS]


def _in_order(*found: Iterator[SourceFinding]) -> list[SourceFinding]:
    """Findings by their place, one of a rule at each."""
    every = {(f.line, f.column, f.rule): f for findings in found for f in findings}
    return [every[place] for place in sorted(every)]


# Holes


def _holes(tokens: list[Token]) -> Iterator[SourceFinding]:
    """Find the words that leave a hole, and `#exit`."""
    in_proof = False
    for index, token in enumerate(tokens):
        if token.kind is not Kind.IDENTIFIER:
            continue
        before = _attached(tokens, index)
        if token.text in _COMMANDS and (before is None or before.text != "."):
            in_proof = False
        elif token.text in _PROOF_WORDS:
            in_proof = True
        if before is not None and before.text == "#" and token.text.startswith("exit"):
            yield _hole(before, "#exit", "ends the file: what follows is not read")
        elif reason := _reason(tokens, index, in_proof):
            yield _hole(token, token.text, reason)


def _hole(place: Token, word: str, reason: str) -> SourceFinding:
    return SourceFinding(SORRY_RULE, f"{word} {reason}", place.line, place.column, word)


def _attached(tokens: list[Token], index: int) -> Token | None:
    """Give the token before, if nothing stands between."""
    before = tokens[index - 1] if index else None
    return before if before is not None and before.end == tokens[index].start else None


def _reason(tokens: list[Token], index: int, in_proof: bool) -> str | None:
    """Say what is wrong with the identifier at `index`, None if nothing is."""
    word = tokens[index].text
    reason = _HOLES.get(word) or _TACTICS.get(word)
    if reason is None:
        return _maker_reason(word)
    before = _attached(tokens, index)
    if before is not None and before.text in {".", "|>."}:
        # `(x).sorry` and `.sorry` are names, but for a `.` that is the bullet of a tactic.
        return reason if in_proof and _tactic_at(tokens, index - 1, index) else None
    if word in _HOLES:
        return reason
    return reason if in_proof and _tactic_at(tokens, index, index) else None


def _maker_reason(word: str) -> str | None:
    """Say what is wrong with a name written in some other way, None if nothing is."""
    if not _MAKERS.search(word):
        return None
    match _components(word):
        case ("sorryAx",) | ("_root_", "sorryAx"):
            return _HOLES["sorryAx"]
        case (*_, str(last)) if last in _HOLE_MAKERS:
            return "makes holes"
        case (*_, "MVarId", "admit"):
            return "makes holes"
        case _:
            return None


def _components(text: str) -> tuple[str | int, ...]:
    """Read the components of an identifier; none where they cannot be compared with anything."""
    try:
        return parse_name(text)
    except BadName:
        return ()


def _tactic_at(tokens: list[Token], first: int, last: int) -> bool:
    """Say whether the tokens from `first` to `last` may begin a tactic."""
    if not _tactic_may_follow(tokens, first):
        return False
    if last + 1 == len(tokens) or tokens[last + 1].line != tokens[last].line:
        return True
    after = tokens[last + 1]
    if after.text in {",", "⟩", "]"}:
        # `⟨by simp; stop, h⟩`, but `(stop, h)` and `| stop, h => …`.
        return tokens[first - 1].text not in {"(", "{", "|"}
    attached = after.start == tokens[last].end
    return after.text not in _AFTER_TERM and not (attached and after.text in {".", "["})


def _tactic_may_follow(tokens: list[Token], index: int) -> bool:
    """Say whether the tokens before `index` let a tactic begin there."""
    if index == 0:
        return False
    before = tokens[index - 1]
    word = tokens[index - 2].text if index > 1 else ""
    match before.kind, before.text:
        case Kind.SYMBOL, ":=":
            return word in _BEFORE_VALUE
        case Kind.SYMBOL, "[":
            return word == "`"
        case Kind.SYMBOL, "." if before.end == tokens[index].start:
            return False
        case _ if before.line < tokens[index].line:
            return before.text not in _CONTINUES
        case Kind.NUMBER, _:
            return word == "iterate"
        case Kind.STRING, _:
            return word == "success_if_fail_with_msg"
        case _:
            return before.text in _BEFORE_TACTIC


# Options


def _set_options(tokens: list[Token], allowed: frozenset[str]) -> Iterator[SourceFinding]:
    """Find `set_option debug.…`, with anything that is no code between the two words."""
    for word, option in pairwise(tokens):
        if word.kind is option.kind is Kind.IDENTIFIER and word.text == "set_option":
            yield from _debug_option(option.text, option, allowed)


_KERNEL = "skipKernelTC"


def _mentions(tokens: list[Token], allowed: frozenset[str]) -> Iterator[SourceFinding]:
    """Find the option that goes around the kernel wherever its name stands, however it is made.

    A metaprogram can put the name together and set the option itself.
    """
    for token in tokens:
        if _KERNEL in token.text and f"debug.{_KERNEL}" not in allowed:
            yield _option(f"debug.{_KERNEL}", token.line, token.column)


def _quoted_options(tokens: list[Token], allowed: frozenset[str]) -> Iterator[SourceFinding]:
    """Find debug options in quoted names and in strings."""
    for token in tokens:
        if token.kind is Kind.NAME:
            yield from _debug_option(token.text.lstrip("`"), token, allowed)
        elif token.kind in {Kind.STRING, Kind.RAW_STRING, Kind.INTERPOLATED}:
            if token.text == '"debug"':
                yield _option("debug.…", token.line, token.column)
            for name in _options_in(_string_value(token)):
                if name not in allowed:
                    yield _option(name, token.line, token.column)


def _debug_option(text: str, token: Token, allowed: frozenset[str]) -> Iterator[SourceFinding]:
    """Give a finding if `text` is the name of a debug option."""
    parts = _components(text)
    parts = parts[1:] if parts[:1] == ("weak",) else parts
    if parts[:1] == ("debug",) and format_name(parts) not in allowed:
        yield _option(format_name(parts), token.line, token.column)


def _option(name: str, line: int, column: int) -> SourceFinding:
    return SourceFinding(OPTION_RULE, f"the option {name} is set", line, column, name)


# In `-Ddebug.x=1`, `debug.x`, `weak.debug.x`, with guillemets or not; not in `mydebug.x`.
_OPTION = re.compile(r"(?:(?<![\w.«])|(?<=-D)|(?<=weak[.])|(?<=weak».))«?debug»?([.][\w.«»'?!]*)")


def _options_in(text: str) -> list[str]:
    """List the debug options that a text names, without guillemets."""
    return ["debug" + re.sub("[«»]", "", found) for found in _OPTION.findall(text)]


_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(\r?\n\s*)|(.))", re.DOTALL)


def _string_value(token: Token) -> str:
    """Read what a string stands for, its quotation marks left on."""

    def value(found: re.Match[str]) -> str:
        two, four, gap, other = found.groups()
        code = two or four
        return chr(int(code, 16)) if code else "" if gap else other

    return token.text if token.kind is Kind.RAW_STRING else _ESCAPE.sub(value, token.text)


def _toml_options(value: object, path: tuple[str, ...] = ()) -> Iterator[str]:
    """List the debug options among the keys and strings of a TOML value."""
    match value:
        case dict():
            for key, below in value.items():
                parts = re.sub("[«»]", "", key).split(".")
                yield from _toml_options(below, (*path, *parts))
        case list():
            for below in value:
                yield from _toml_options(below, path)
        case _ if "debug" in path:
            yield ".".join(path[path.index("debug") :])
        case str():
            yield from _options_in(value)


# The header


_HEADER_WORDS = frozenset({"module", "prelude", "import", "public", "meta", "all"})


class _HeaderReader:
    """Reads the header of one file, token by token, and nothing after it."""

    def __init__(self, text: str) -> None:
        # A documentation comment is a token of its own: it ends the header.
        blank = {Kind.LINE_COMMENT, Kind.BLOCK_COMMENT}
        self.rest = (token for token in iter_tokens(text) if token.kind not in blank)
        self.ahead: list[Token] = []
        self.last: Token | None = None

    def read(self) -> Header:
        """Read all of it."""
        is_module = self.take("module")
        is_prelude = self.take("prelude")
        return Header(tuple(self.imports()), is_module, is_prelude)

    def imports(self) -> Iterator[Import]:
        """Read imports until something else comes."""
        while True:
            is_public = self.is_next("public")
            is_meta = self.is_next("meta", is_public)
            if not self.is_next("import", is_public + is_meta):
                return
            for word in ("public", "meta", "import"):
                self.take(word)
            yield self.module(is_public, is_meta, self.take("all"))

    def module(self, is_public: bool, is_meta: bool, is_all: bool) -> Import:
        """Read the name of a module; raises LexError."""
        name, after = self.peek(0), self.peek(1)
        if name is None or name.kind is not Kind.IDENTIFIER or name.text in _HEADER_WORDS:
            raise self.error("an import without the name of a module", name or self.last)
        if after is not None and after.start == name.end and after.text == ".":
            raise self.error("the name of a module ends with a point", name)
        try:
            module = format_name(parse_name(name.text))
        except BadName as error:
            raise self.error(str(error), name) from None
        self.take(name.text)
        return Import(module, name.line, name.column, is_public, is_meta, is_all)

    def peek(self, count: int) -> Token | None:
        """Look at the token after `count` others, None at the end."""
        while len(self.ahead) <= count:
            token = next(self.rest, None)
            if token is None:
                return None
            self.ahead.append(token)
        return self.ahead[count]

    def is_next(self, word: str, count: int = 0) -> bool:
        """Say whether this word comes after `count` others."""
        token = self.peek(count)
        return token is not None and token.text == word

    def take(self, word: str) -> bool:
        """Go past the next token if it is this word."""
        if not self.is_next(word):
            return False
        self.last = self.ahead.pop(0)
        return True

    def error(self, message: str, token: Token | None) -> LexError:
        """Make the error for what stands at `token`."""
        return LexError(message, token.line, token.column) if token else LexError(message, 1, 0)
