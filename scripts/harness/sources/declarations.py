"""The declarations in the text of a Lean file, as the file writes them; no Lean is needed.

This is for showing statements and definitions to people. What a declaration is in Lean is decided
by Lean: the compiled modules are compared elsewhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from harness.sources import commands
from harness.sources.lexer import (
    COMMENTS,
    BadName,
    Kind,
    Token,
    format_name,
    parse_name,
    tokenize,
)
from harness.sources.normal import normal_tokens

__all__ = ["DeclarationError", "Declared", "declarations", "normal_tokens", "signature"]


class DeclarationError(Exception):
    """A command is not understood; the message begins with its line."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line


@dataclass(frozen=True, slots=True)
class Declared:
    """A declaration as the source writes it.

    `name` is whole, namespaces included; empty where Lean makes one up. `word` is what the source
    writes, `kind` is the same with `theorem` for lemmas and `def` for abbreviations. `line` is that
    of the word, from 1. `header` is the text between the name and the body, binders and type;
    `value` is the body without its `:=` or `where`, None for theorems and where there is none.
    `variables` are binders of `variable` commands that it uses, `universes` its universe names,
    its own first. `modifiers` are words and attributes before it.
    """

    name: str
    kind: str
    word: str
    line: int
    header: str
    value: str | None
    variables: tuple[str, ...] = ()
    universes: tuple[str, ...] = ()
    modifiers: tuple[str, ...] = ()
    docstring: str | None = None


def declarations(text: str) -> tuple[Declared, ...]:
    """List the declarations of a Lean file in order.

    Texts come without comments, their lines as written, common indentation removed. `variables`
    follow Lean's rule as far as text shows it: those named in the header, or for definitions in
    the body too, and not bound there; those that these need; and instances of nothing but these.
    What tactics name is counted for definitions, and an instance is counted that the elaborator may
    not have used. Declarations that other commands make (`alias`, macros, `deriving`) are left out.

    Raises LexError where the text is not Lean, DeclarationError for what is not understood.
    """
    return tuple(_Reader(text.replace("\r\n", "\n")).run())


def signature(declared: Declared) -> str:
    """Binders and type of a declaration, those from `variable` commands in front."""
    return " ".join([*declared.variables, declared.header]).strip()


_KINDS = {"lemma": "theorem", "abbrev": "def", "class inductive": "inductive"}
_THEOREMS = frozenset({"theorem", "lemma"})
_CONSTRUCTED = frozenset({"structure", "class", "inductive", "coinductive", "class inductive"})
# At depth 0 of a type these have a `:=`, a `|` or a block of their own.
_UNSURE = frozenset(
    {"let", "have", "letI", "haveI", "let_fun", "match", "do", "by", "suffices", "calc", "show"}
)
_HAS_ALTERNATIVES = frozenset({"fun", "λ", "match", "nomatch"})
_AFTER_BODY = frozenset({"deriving", "termination_by", "decreasing_by"})


@dataclass(frozen=True, slots=True)
class _Variable:
    """One name of a `variable` command; nameless for an instance without a name."""

    name: str | None
    opening: str
    group: int
    tokens: tuple[Token, ...] = ()
    """What stands after the name: `: T`, `: T := v`, or the class of a nameless instance."""


@dataclass(slots=True)
class _Scope:
    name: str | None
    is_namespace: bool
    variables: tuple[_Variable, ...]
    universes: tuple[str, ...]
    included: frozenset[str]


@dataclass(slots=True)
class _Reader:
    """Reads one file from its first command to its last."""

    text: str
    tokens: list[Token] = field(init=False)
    at: int = 0
    scopes: list[_Scope] = field(default_factory=list)
    variables: tuple[_Variable, ...] = ()
    universes: tuple[str, ...] = ()
    included: frozenset[str] = frozenset()
    before: tuple[tuple[_Variable, ...], tuple[str, ...], frozenset[str]] | None = None
    """What was in scope before `… in`, to be restored after the next command."""
    groups: Iterator[int] = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        keep = {Kind.DOC_COMMENT, Kind.MODULE_DOC}
        self.tokens = [t for t in tokenize(self.text) if t.kind not in COMMENTS or t.kind in keep]
        _check_brackets(self.tokens)

    def run(self) -> Iterator[Declared]:
        while self.at < len(self.tokens):
            state = (self.variables, self.universes, self.included)
            yield from self.command()
            if self.word() == "in":
                self.at += 1
                self.before = self.before or state
            elif self.before is not None:
                self.variables, self.universes, self.included = self.before
                self.before = None

    def word(self, ahead: int = 0) -> str:
        """The token here, empty at the end."""
        at = self.at + ahead
        return self.tokens[at].text if at < len(self.tokens) else ""

    def line(self) -> int:
        return self.tokens[min(self.at, len(self.tokens) - 1)].line

    def fail(self, message: str, line: int | None = None) -> DeclarationError:
        return DeclarationError(message, line or self.line())

    def command(self) -> Iterator[Declared]:
        """Read one command with what precedes it."""
        docstring, modifiers = self.prelude()
        if self.at >= len(self.tokens):
            if modifiers:
                raise self.fail("nothing follows these modifiers")
            return
        token = self.tokens[self.at]
        if commands.is_word(token, commands.DECLARING):
            if (declared := self.declaration(docstring, modifiers)) is not None:
                yield declared
        elif commands.is_word(token, commands.SCOPES):
            if self.before is not None:
                raise self.fail(f"`… in {token.text}` is not understood")
            self.scope(token.text)
        elif commands.is_word(token, frozenset({"variable", "universe", "include"})):
            self.at += 1
            {"variable": self.variable, "universe": self.universe, "include": self.include}[
                token.text
            ]()
        elif commands.is_word(token, frozenset({"omit"})):
            raise self.fail("`omit` is not understood")
        elif commands.is_word(token, commands.OTHER_COMMANDS) or token.text == "#":
            self.skip()
        elif token.kind is not Kind.MODULE_DOC:
            raise self.fail(f"{token.text!r} begins no command that is known here")
        else:
            self.at += 1

    def prelude(self) -> tuple[str | None, tuple[str, ...]]:
        """Read documentation, attributes and modifiers before a declaration."""
        docstring, modifiers = None, []
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.kind is Kind.DOC_COMMENT:
                docstring = token.text[3:-2].strip()
                self.at += 1
            elif commands.is_attribute(self.tokens, self.at):
                end = commands.bracket_end(self.tokens, self.at + 1)
                modifiers.append(" ".join(self.shown(self.at, end).split()))
                self.at = end
            elif commands.is_word(token, commands.MODIFIERS) or (
                token.text in ("local", "scoped") and self.word(1) == "instance"
            ):
                modifiers.append(token.text)
                self.at += 1
            else:
                break
        return docstring, tuple(modifiers)

    def skip(self) -> None:
        """Go past a command that declares nothing and changes nothing here."""
        own = self.tokens[self.at]
        start = self.at + 1
        if own.text in ("local", "scoped"):
            if self.word(1) == "[":
                start = commands.bracket_end(self.tokens, start)
            start += 1
        elif own.text == "deriving" and self.word(1) == "instance":
            start += 1
        end = self.end(start, own.column)
        if own.text in ("open", "set_option", "attribute"):
            inner = range(start, end)
            end = next((i for i in inner if self.tokens[i].text == "in"), end)
        self.at = end

    def end(self, start: int, column: int) -> int:
        """The index just past a command; raises where a line may or may not begin one."""
        end = commands.command_end(self.tokens, start, column)
        depth = 0
        for here in range(start, end):
            token = self.tokens[here]
            depth += _depth(token)
            if (
                depth == 0
                and token.column == 0
                and token.kind is Kind.IDENTIFIER
                and token.text not in commands.CONTINUING | _AFTER_BODY
                and commands.first_on_line(self.tokens, here)
            ):
                raise self.fail(
                    f"{token.text!r} in the first column begins no command that is known here",
                    token.line,
                )
        return end

    def scope(self, word: str) -> None:
        """Read `namespace`, `section`, `mutual` or `end`."""
        line = self.line()
        self.at += 1
        parts = () if word == "mutual" else self.scope_name(line)
        if word == "end":
            self.close(parts, line)
        elif word == "namespace" and not parts:
            raise self.fail("a namespace without a name", line)
        for part in (parts or (None,)) if word != "end" else ():
            self.scopes.append(
                _Scope(part, word == "namespace", self.variables, self.universes, self.included)
            )

    def scope_name(self, line: int) -> tuple[str, ...]:
        """The components of the name of a scope, none if it has no name."""
        if self.at >= len(self.tokens):
            return ()
        token = self.tokens[self.at]
        known = commands.DECLARING | commands.MODIFIERS | commands.SCOPES | commands.OTHER_COMMANDS
        if token.kind is not Kind.IDENTIFIER or token.text in known or token.column == 0:
            return ()
        self.at += 1
        try:
            return tuple(format_name((part,)) for part in parse_name(token.text))
        except BadName as error:
            raise self.fail(str(error), line) from None

    def close(self, parts: tuple[str, ...], line: int) -> None:
        """Close the scopes that `end` names."""
        names: tuple[str | None, ...] = parts or (None,)
        if tuple(scope.name for scope in self.scopes[-len(names) :]) != names:
            raise self.fail(f"`end {'.'.join(parts)}` closes no scope that is open", line)
        first = self.scopes[-len(names)]
        del self.scopes[-len(names) :]
        self.variables, self.universes = first.variables, first.universes
        self.included = first.included

    def universe(self) -> None:
        """Read the names of a `universe` command."""
        self.universes += tuple(self.identifiers())

    def include(self) -> None:
        """Read the names of an `include` command."""
        names = set(self.identifiers())
        if unknown := sorted(names - {v.name for v in self.variables}):
            raise self.fail(f"`include` names {', '.join(unknown)}, which is no variable")
        self.included |= names

    def identifiers(self) -> Iterator[str]:
        """Read identifiers up to the next command, or to `in`."""
        stop = commands.command_end(self.tokens, self.at, self.tokens[self.at - 1].column)
        while self.at < stop and self.word() != "in":
            if self.tokens[self.at].kind is not Kind.IDENTIFIER:
                raise self.fail(f"{self.word()!r} is no name")
            yield self.word()
            self.at += 1

    def variable(self) -> None:
        """Read the binders of a `variable` command."""
        first = self.at
        while self.word() in ("(", "{", "[", "⦃"):
            end = commands.bracket_end(self.tokens, self.at)
            self.variables = self.binder(self.at, end)
            self.at = end
        if self.at == first:
            raise self.fail("a `variable` command without binders in brackets")

    def binder(self, start: int, end: int) -> tuple[_Variable, ...]:
        """The variables after one more binder, or with another kind of brackets for known ones."""
        opening, inner = self.tokens[start].text, self.tokens[start + 1 : end - 1]
        names = list(itertools.takewhile(_is_name, inner))
        rest = tuple(inner[len(names) :])
        group = next(self.groups)
        if opening == "[" and not (len(names) == 1 and rest[:1] and rest[0].text == ":"):
            return (*self.variables, _Variable(None, opening, group, tuple(inner)))
        if not names:
            raise self.fail("a binder without a name", self.tokens[start].line)
        if rest:
            if rest[0].text != ":":
                raise self.fail("a binder without a type", self.tokens[start].line)
            new = (_Variable(name.text, opening, group, rest) for name in names)
            return (*self.variables, *new)
        changed = list(self.variables)
        for name in names:
            known = _resolve(changed, name.text, len(changed))
            if known is None:
                raise self.fail(f"{name.text} has no type and is no variable", name.line)
            changed[known] = replace(changed[known], opening=opening)
        return tuple(changed)

    def declaration(self, docstring: str | None, modifiers: tuple[str, ...]) -> Declared | None:
        """Read one declaration; None for an example."""
        token = self.tokens[self.at]
        word, line = token.text, token.line
        column = min(token.column, self.first_column())
        self.at += 1
        if word == "class" and self.word() in ("inductive", "abbrev"):
            word += " " + self.word()
            self.at += 1
        if word == "instance" and self.word() == "(" and self.word(1) == "priority":
            self.at = commands.bracket_end(self.tokens, self.at)
        name = self.name(word)
        own = self.own_universes()
        start = self.at
        end = self.end(start, column)
        header_end, value_start = self.header_end(word, start, end)
        value_end = self.value_end(value_start, end)
        self.at = end
        if word == "example":
            return None
        header = self.tokens[start:header_end]
        value = self.tokens[value_start:value_end]
        theorem = word in _THEOREMS
        has_value = value_start > header_end or value_start < end
        variables = self.used(header, [] if theorem else value, theorem)
        shown = self.shown(start, header_end)
        body = None if theorem or not has_value else self.shown(value_start, value_end)
        mentioned = _words(f"{shown} {' '.join(variables)} {body or ''}")
        kind = _KINDS.get(word, word)
        return Declared(
            name=name,
            kind="def" if kind == "class abbrev" else kind,
            word=word,
            line=line,
            header=shown,
            value=body,
            variables=variables,
            universes=(*own, *(u for u in self.universes if u in mentioned and u not in own)),
            modifiers=modifiers,
            docstring=docstring,
        )

    def first_column(self) -> int:
        """The column in which the line of the token here begins."""
        here = self.at
        while not commands.first_on_line(self.tokens, here):
            here -= 1
        return self.tokens[here].column

    def name(self, word: str) -> str:
        """Read the name of a declaration and put the namespaces in front."""
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        if token is None or token.kind is not Kind.IDENTIFIER or token.text == "where":
            if word in ("instance", "example"):
                return ""
            raise self.fail(f"{word} without a name")
        self.at += 1
        try:
            parts = parse_name(token.text)
        except BadName as error:
            raise self.fail(str(error), token.line) from None
        if parts[0] == "_root_" and len(parts) > 1:
            return format_name(parts[1:])
        spaces = [s.name for s in self.scopes if s.is_namespace and s.name is not None]
        return ".".join([*spaces, format_name(parts)])

    def own_universes(self) -> tuple[str, ...]:
        """Read `.{u, v}` right behind a name."""
        if self.word() != "." or self.word(1) != "{":
            return ()
        end = commands.bracket_end(self.tokens, self.at + 1)
        inner = self.tokens[self.at + 2 : end - 1]
        self.at = end
        return tuple(t.text for t in inner if t.kind is Kind.IDENTIFIER)

    def header_end(self, word: str, start: int, end: int) -> tuple[int, int]:
        """Where the header ends and where the body begins; both at the end if there is none."""
        depth, unsure, bars = 0, "", 0
        for here in range(start, end):
            token = self.tokens[here]
            before, depth = depth, depth + _depth(token)
            if before or depth:
                continue
            if token.text == ":=":
                if unsure or bars % 2:
                    what = unsure or "|"
                    raise self.fail(
                        f"`{what}` in a type, so that it is not sure where it ends", token.line
                    )
                return here, here + 1
            if token.text == "where" or (
                token.text in _AFTER_BODY and word in _CONSTRUCTED | {"class abbrev"}
            ):
                return here, here + (token.text == "where")
            if token.text == "|":
                if word in _CONSTRUCTED:
                    return here, here
                if self.alternatives(here, end):
                    if unsure or bars:
                        raise self.fail("it is not sure where the type ends", token.line)
                    return here, here
                bars += 1
            if token.kind is Kind.IDENTIFIER and token.text in _UNSURE:
                unsure = unsure or token.text
        if word in _THEOREMS | {"def", "abbrev"}:
            raise self.fail(f"{word} without a body")
        return end, end

    def alternatives(self, bar: int, end: int) -> bool:
        """Whether a `|` outside of brackets begins the alternatives of a body.

        Those have `=>` before the next `|`; the bars of `|x|` have none. Raises where a function
        in the type makes that unsure.
        """
        depth = 0
        for here in range(bar + 1, end):
            token = self.tokens[here]
            depth += _depth(token)
            if depth:
                continue
            if token.text in ("|", ":="):
                return False
            if token.text in _HAS_ALTERNATIVES:
                raise self.fail("it is not sure where the type ends", token.line)
            if token.text == "=>":
                return True
        return False

    def value_end(self, start: int, end: int) -> int:
        """Where a body ends: before what says how it terminates or what is derived."""
        depth = 0
        for here in range(start, end):
            depth += _depth(self.tokens[here])
            if depth == 0 and commands.is_word(self.tokens[here], _AFTER_BODY):
                return here
        return end

    def used(self, header: list[Token], value: list[Token], theorem: bool) -> tuple[str, ...]:
        """The binders of `variable` commands that a declaration uses."""
        bound: set[str] = set()
        names = _free(header, bound)
        names |= _free(value, bound)
        if theorem:
            names |= self.included
        active = self.variables
        chosen = {
            index for name in names if (index := _resolve(active, name, len(active))) is not None
        }
        size = -1
        while size != len(chosen):
            size = len(chosen)
            for index in sorted(chosen):
                chosen |= _needed(active, index)
            for index, variable in enumerate(active):
                if variable.opening == "[" and _needed(active, index) <= chosen:
                    chosen.add(index)
        return tuple(self.binders([active[index] for index in sorted(chosen)]))

    def binders(self, variables: list[_Variable]) -> Iterator[str]:
        """The texts of binders, names of one group with the same brackets together."""
        for (_, opening), group in itertools.groupby(variables, lambda v: (v.group, v.opening)):
            members = list(group)
            closing = next(c for c, o in commands.CLOSING.items() if o == opening)
            names = [member.name for member in members if member.name is not None]
            rest = " ".join(_layout(self.text, members[0].tokens).split())
            yield f"{opening}{' '.join([*names, *([rest] if rest else [])])}{closing}"

    def shown(self, start: int, end: int) -> str:
        """The text of tokens, without comments, common indentation removed."""
        return _layout(
            self.text,
            [t for t in self.tokens[start:end] if t.kind not in COMMENTS],
            start < end and commands.first_on_line(self.tokens, start),
        )


def _check_brackets(tokens: Sequence[Token]) -> None:
    """Raise DeclarationError where brackets do not match."""
    open_: list[Token] = []
    for token in tokens:
        if token.kind is not Kind.SYMBOL:
            continue
        if token.text in commands.OPENING:
            open_.append(token)
        elif token.text in commands.CLOSING and (
            not open_ or open_.pop().text != commands.CLOSING[token.text]
        ):
            raise DeclarationError(f"{token.text!r} closes no bracket", token.line)
    if open_:
        raise DeclarationError(f"{open_[-1].text!r} is never closed", open_[-1].line)


def _depth(token: Token) -> int:
    if token.kind is not Kind.SYMBOL:
        return 0
    return (token.text in commands.OPENING) - (token.text in commands.CLOSING)


def _is_name(token: Token) -> bool:
    return token.kind is Kind.IDENTIFIER


def _words(text: str) -> set[str]:
    return {token.text for token in tokenize(text) if token.kind is Kind.IDENTIFIER}


def _layout(text: str, tokens: Sequence[Token], first: bool = False) -> str:
    """Tokens as they stand, lines kept, common indentation removed.

    `first` says that the first of them begins its line. Where a comment stood is one space, or the
    break to the next line.
    """
    begins = [
        token
        for before, token in itertools.pairwise(tokens)
        if before.line + before.text.count("\n") < token.line
    ]
    begins += tokens[:1] if first else []
    common = min((token.column for token in begins), default=0)
    parts: list[str] = []
    for before, token in zip((None, *tokens), tokens, strict=False):
        if before is None:
            parts.append(" " * (token.column - common) if first else "")
        elif before.line + before.text.count("\n") < token.line:
            parts.append("\n" + " " * (token.column - common))
        elif before.end < token.start:
            gap = text[before.end : token.start]
            parts.append(gap if gap.isspace() else " ")
        parts.append(token.text)
    return "".join(parts)


# Which names a text uses

_QUANTIFIERS = frozenset("∀∃∑∏⨆⨅⋃⋂∫ΣΠ∐⨁⨂") | {"Σ'", "∑'", "∏'", "∀'", "∃'"}
_FUNCTIONS = frozenset({"fun", "λ"})
_LOCAL = frozenset({"let", "have", "letI", "haveI", "set", "obtain", "intro", "rintro", "rcases"})
_PREDICATES = frozenset({"∈", "∉", "<", ">", "≤", "≥", "≠", "⊆", "⊂", "⊇", "in"})


def _resolve(variables: Sequence[_Variable], name: str, before: int) -> int | None:
    """The index of the latest variable of this name."""
    return next((i for i in reversed(range(before)) if variables[i].name == name), None)


def _needed(variables: Sequence[_Variable], index: int) -> set[int]:
    """The indices of the variables that the type of a variable names."""
    names = _free(variables[index].tokens, set())
    found = (_resolve(variables, name, index) for name in names)
    return {i for i in found if i is not None}


def _free(tokens: Sequence[Token], bound: set[str]) -> set[str]:
    """First components of identifiers that are not bound in the text.

    The names that binders at depth 0 before the first `:` bind are added to `bound`, since they
    hold for the body too.
    """
    plain = [token for token in tokens if token.kind not in COMMENTS]
    names: set[str] = set()
    index = 0
    while index < len(plain) and plain[index].text in ("(", "{", "[", "⦃"):
        end = commands.bracket_end(plain, index)
        names |= _group(plain[index:end], bound)
        index = end
    return names | _all(plain[index:], frozenset(bound))


def _all(tokens: Sequence[Token], bound: frozenset[str]) -> set[str]:
    """Free names of terms that commas or bars separate."""
    found: set[str] = set()
    index = 0
    while index < len(tokens):
        more, index = _scan(tokens, index, bound)
        found |= more
        index += index < len(tokens) and tokens[index].text != "|"
    return found


def _group(tokens: Sequence[Token], bound: set[str]) -> set[str]:
    """The free names of one bracketed binder, whose own names become bound."""
    inner = tokens[1:-1]
    names = list(itertools.takewhile(_is_name, inner))
    rest = inner[len(names) :]
    if not rest or rest[0].text != ":":
        names, rest = ([], inner) if tokens[0].text == "[" else (names, rest)
    found, _ = _scan(rest, 0, frozenset(bound))
    bound |= {name.text for name in names}
    return found


def _scan(tokens: Sequence[Token], start: int, bound: frozenset[str]) -> tuple[set[str], int]:
    """Free names from `start` to the bracket or comma that ends the term there, and its index."""
    found: set[str] = set()
    index = start
    while index < len(tokens):
        token = tokens[index]
        if token.kind is Kind.SYMBOL and token.text in commands.CLOSING:
            return found, index
        if token.text == "," or (
            token.text == "|" and index > start and _alternative(tokens, index)
        ):
            # The names that a binder binds end here.
            return found, index
        if token.kind is Kind.SYMBOL and token.text in commands.OPENING:
            more, index = _bracket(tokens, index, bound)
            found |= more
            continue
        if token.text == "|" and index == start and _alternative(tokens, index):
            more, names, index = _binders(tokens, index, bound)
            found |= more
            bound |= names
            continue
        if token.text in _QUANTIFIERS or token.text in _FUNCTIONS:
            more, names, index = _binders(tokens, index, bound)
            found |= more
            more, index = _scan(tokens, index, bound | names)
            found |= more
            continue
        if commands.is_word(token, _LOCAL):
            more, names, index = _local(tokens, index, bound)
            found |= more
            bound |= names
            continue
        if _uses(tokens, index):
            name = token.text.partition(".")[0] if "«" not in token.text else token.text
            found |= {name} - bound
        index += 1
    return found, index


def _alternative(tokens: Sequence[Token], index: int) -> bool:
    """Whether `| patterns =>` begins at a bar."""
    return any(t.text in ("=>", "↦") for t in tokens[index + 1 : index + 12])


def _uses(tokens: Sequence[Token], index: int) -> bool:
    """Whether an identifier is used, and is not the name of a field or of an argument."""
    token = tokens[index]
    if token.kind is not Kind.IDENTIFIER:
        return False
    before = tokens[index - 1] if index else None
    if before is not None and before.text == "." and before.end == token.start:
        return False
    return not (index + 1 < len(tokens) and tokens[index + 1].text == ":=")


def _bracket(tokens: Sequence[Token], index: int, bound: frozenset[str]) -> tuple[set[str], int]:
    """Free names of a bracket: a list of terms, a set with a bound name, a binder before `→`."""
    end = commands.bracket_end(tokens, index)
    inner = tokens[index + 1 : end - 1]
    names: set[str] = set()
    if tokens[index].text == "{":
        names = _of_set(inner)
    return _all(inner, bound | names), end


def _of_set(inner: Sequence[Token]) -> set[str]:
    """The name that `{x | …}`, `{x : T | …}` or `{x // …}` binds."""
    depth = 0
    for token in inner:
        depth += _depth(token)
        if depth == 0 and token.text in ("|", "//"):
            return {t.text for t in itertools.takewhile(_is_name, inner)}
    return set()


def _binders(
    tokens: Sequence[Token], index: int, bound: frozenset[str]
) -> tuple[set[str], set[str], int]:
    """Free names of binders, the names that they bind, and the index behind their separator."""
    arrows = ("=>", "↦")
    ends = {"fun": arrows, "|": arrows, "λ": (*arrows, ",")}.get(tokens[index].text, (",",))
    stop, depth = index + 1, 0
    while stop < len(tokens) and not (depth == 0 and tokens[stop].text in ends):
        depth += _depth(tokens[stop])
        if depth < 0:
            break
        stop += 1
    part = list(tokens[index + 1 : stop])
    names: set[str] = set()
    found: set[str] = set()
    here = 0
    while here < len(part):
        token = part[here]
        if token.text in ("(", "{", "[", "⦃"):
            end = commands.bracket_end(part, here)
            inner = set(bound | names)
            found |= _group(part[here:end], inner)
            names |= inner - bound
            here = end
        elif token.kind is Kind.SYMBOL and token.text in ("⟨", "|"):
            # A pattern: all its names are bound.
            end = commands.bracket_end(part, here) if token.text == "⟨" else len(part)
            names |= {t.text for t in part[here:end] if t.kind is Kind.IDENTIFIER}
            here = end
        elif token.kind is Kind.IDENTIFIER and token.text != "in":
            names.add(token.text)
            here += 1
        elif token.text == ":" or token.text in _PREDICATES:
            more, _ = _scan(part, here + 1, bound)
            found |= more - names if token.text != ":" else more
            break
        else:
            here += 1
    return found, names, min(stop + 1, len(tokens)) if depth == 0 else stop


def _local(
    tokens: Sequence[Token], index: int, bound: frozenset[str]
) -> tuple[set[str], set[str], int]:
    """What `let x : T :=` binds, and the free names of `T`."""
    names: set[str] = set()
    here = index + 1
    while here < len(tokens) and (
        tokens[here].kind is Kind.IDENTIFIER or tokens[here].text in ("⟨", "⟩", ",", "_")
    ):
        if tokens[here].kind is Kind.IDENTIFIER:
            names.add(tokens[here].text)
        here += 1
    return set(), names, here
