"""A normal form of statements, so that what people write and what Lean prints can be compared."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from harness.sources import commands
from harness.sources.lexer import COMMENTS, BadName, Kind, LexError, Token, parse_name, tokenize


def normal_tokens(
    text: str, namespaces: Sequence[str] = (), *, exact: bool = False
) -> tuple[str, ...]:
    """Give the tokens of a statement or a value in normal form.

    Texts with the same normal form are the same up to what is listed here; texts with different
    ones may still mean the same. Not seen is

    - layout and comments; `↦` for `=>`, and `λ x,` for `fun x =>`; `Type _` and `Type u_1` for
      `Type*`; `in` for `∈` behind ∑ and ∏;
    - how binders are grouped: `∀ a b : T, p`, `∀ (a b : T), p`, `∀ (a : T), ∀ (b : T), p` and the
      signature `(a b : T) : p` are one, as with ∃ and `fun`; a colon that begins the text; the name
      of an instance if it begins with `inst`;
    - parentheses around one atom, around parentheses, and around the whole text;
    - `namespaces` in front of a name;

    and, unless `exact`, since printers leave it out or write it otherwise,

    - the types of bound names, but for ∀ and Π, and for ∃ if the type is plainly a proposition
      (there is a relation in it): so `∃ x : ℝ, p` is `∃ x : ℕ, p`, and `fun x : T => b` is
      `fun x => b`;
    - type ascriptions: `(1 : ℝ)` is `(1 : ℕ)`; and named arguments: `f (h := h)` is `f`;
    - namespaces that begin with capital letters, and leading points: `Sum.inl`, `Option.inl` and
      `.inl` are one; names that begin with a name bound in the text are left whole.

    All else is seen: operators, constants, numbers, bound names, order. Raises LexError where the
    text is not Lean or its brackets do not match.
    """
    tokens = [token for token in tokenize(text) if token.kind not in COMMENTS]
    normal = _Normal(tuple(namespaces), exact)
    return tuple(normal.whole(_tree(tokens)))


@dataclass(frozen=True, slots=True)
class _Bracket:
    opening: Token
    inner: tuple[_Node, ...]
    closing: Token

    @property
    def text(self) -> str:
        """What a token of this place would be."""
        return self.opening.text

    @property
    def start(self) -> int:
        return self.opening.start

    @property
    def end(self) -> int:
        return self.closing.end


_Node = Token | _Bracket

_SPLIT = frozenset({"∀", "∃", "Π", "fun", "λ", "⨆", "⨅", "⋃", "⋂"})
"""Binders for which several names are the same as one after the other."""
_BINDERS = _SPLIT | frozenset("∑∏∫ΣΠ") | {"Σ'", "∑'", "∏'", "∀'", "∃'"}
_TYPED = frozenset({"∀", "Π"})
_MARKS = frozenset("!ᶠᵐᵉ⁻'")
_RELATIONS = frozenset("=≠<>≤≥∈∉⊆⊂∧∨↔¬∣")
_PREDICATES = frozenset({"∈", "∉", "<", ">", "≤", "≥", "≠", "⊆", "⊂", "in"})
_ARROWS = frozenset("→≃↪↠≅")
_BINDER_BRACKETS = frozenset({"(", "{", "[", "⦃"})
# After these words a colon is no type ascription.
_OTHER_COLON = frozenset({"if", "let", "have", "letI", "haveI", "match", "show", "suffices", "by"})
_ATOM = re.compile(r"[\w«\"'`]")
_UNIVERSE = re.compile(r"u_[0-9]+|_")


def _tree(tokens: Sequence[Token]) -> list[_Node]:
    """Tokens with what brackets enclose put into them. Raises LexError."""
    levels: list[tuple[Token | None, list[_Node]]] = [(None, [])]
    for token in tokens:
        if token.kind is Kind.SYMBOL and token.text in commands.OPENING:
            levels.append((token, []))
        elif token.kind is Kind.SYMBOL and token.text in commands.CLOSING:
            opening, inner = levels.pop()
            if opening is None or opening.text != commands.CLOSING[token.text]:
                raise LexError(f"{token.text!r} closes no bracket", token.line, token.column)
            levels[-1][1].append(_Bracket(opening, tuple(inner), token))
        else:
            levels[-1][1].append(token)
    opening, inner = levels[-1]
    if opening is not None:
        raise LexError(f"{opening.text!r} is never closed", opening.line, opening.column)
    return inner


def _names(nodes: Sequence[_Node]) -> list[str]:
    """The identifiers that nodes begin with."""
    return [node.text for node in itertools.takewhile(_is_name, nodes)]


def _is_name(node: _Node) -> bool:
    return isinstance(node, Token) and node.kind is Kind.IDENTIFIER and node.text != "in"


@dataclass(frozen=True, slots=True)
class _Group:
    """Names that are bound alike: in these brackets, of this type; or a pattern as it stands."""

    names: tuple[str, ...]
    opening: str = "("
    type: tuple[_Node, ...] | None = None
    pattern: _Node | None = None


@dataclass(slots=True)
class _Normal:
    namespaces: tuple[str, ...]
    exact: bool
    bound: set[str] = field(default_factory=set)

    def whole(self, nodes: list[_Node]) -> list[str]:
        """The normal form of a whole text."""
        count = len(list(itertools.takewhile(lambda n: n.text in _BINDER_BRACKETS, nodes)))
        if count < len(nodes) and nodes[count].text == ":":
            found = self.groups(nodes[:count]) if count else ([], [])
            out = self.binders("∀", found[0], [], ",")
            return self.stripped([*out, *self.nodes(nodes[count + 1 :])])
        return self.stripped(self.nodes(nodes))

    def stripped(self, out: list[str]) -> list[str]:
        """Without parentheses around all of it."""
        while out[:1] == ["("] and _closing(out) == len(out) - 1:
            out = out[1:-1]
        return out

    def nodes(self, nodes: Sequence[_Node]) -> list[str]:
        """The normal form of nodes that follow each other."""
        out: list[str] = []
        index = 0
        while index < len(nodes):
            node = nodes[index]
            if isinstance(node, _Bracket):
                out += self.bracket(node, nodes[index + 1] if index + 1 < len(nodes) else None)
                index += 1
            elif node.text in _BINDERS and (found := self.binding(nodes, index)):
                more, index = found
                out += more
            else:
                more, index = self.token(nodes, index)
                out += more
        return out

    def token(self, nodes: Sequence[_Node], index: int) -> tuple[list[str], int]:
        """The normal form of a token that begins no binder, and the index behind it."""
        node = nodes[index]
        after = nodes[index + 1] if index + 1 < len(nodes) else None
        attached = index > 0 and nodes[index - 1].end == node.start
        assert isinstance(node, Token)
        if node.text in ("Type", "Sort") and after is not None:
            if after.text == "*" and after.start == node.end:
                return [f"{node.text}*"], index + 2
            if _is_name(after) and _UNIVERSE.fullmatch(after.text):
                return [f"{node.text}*"], index + 2
        if node.text == "." and after is not None and after.start == node.end and _is_name(after):
            if attached:
                return [".", after.text], index + 2
            return [f".{after.text}" if self.exact else self.name(after.text)], index + 2
        if node.kind is Kind.IDENTIFIER and node.text != "λ":
            return [self.name(node.text)], index + 1
        if node.text in _ARROWS and self.is_arrow_word(nodes, index):
            return [node.text + nodes[index + 1].text], index + 2
        return [{"↦": "=>", "λ": "fun"}.get(node.text, node.text)], index + 1

    def is_arrow_word(self, nodes: Sequence[_Node], index: int) -> bool:
        """Whether `L` of `→L[R]` follows, which is part of the arrow and no name."""
        if index + 2 >= len(nodes) or not _is_name(nodes[index + 1]):
            return False
        arrow, word, bracket = nodes[index : index + 3]
        return arrow.end == word.start and word.end == bracket.start and bracket.text == "["

    def name(self, text: str) -> str:
        """A name without namespaces, as far as they are not to be seen."""
        try:
            parts = [part for part in parse_name(text) if isinstance(part, str)]
        except BadName:
            return text
        for space in self.namespaces:
            if text.startswith(f"{space}."):
                return self.name(text[len(space) + 1 :])
        if self.exact or parts[0] in self.bound:
            return text
        if all(part[:1].isupper() for part in parts[:-1]):
            return text.rpartition(".")[2] if "«" not in text else text
        return text

    # Binders

    def binding(self, nodes: Sequence[_Node], index: int) -> tuple[list[str], int] | None:
        """A binder with all that it binds, and the index behind its comma or arrow."""
        symbol = nodes[index].text
        start = index + 1
        while (
            start < len(nodes)
            and nodes[start].text in _MARKS
            and nodes[start].start == nodes[start - 1].end
        ):
            symbol += nodes[start].text
            start += 1
        ends = {"fun": ("=>", "↦"), "λ": ("=>", "↦", ",")}.get(symbol, (",",))
        stop = next((i for i in range(start, len(nodes)) if nodes[i].text in ends), None)
        if stop is None or stop == start or nodes[start].text == "|":
            return None
        groups, rest = self.groups(nodes[start:stop])
        symbol = "fun" if symbol == "λ" else symbol
        between = "=>" if symbol == "fun" else ","
        return self.binders(symbol, groups, rest, between), stop + 1

    def groups(self, items: Sequence[_Node]) -> tuple[list[_Group], list[_Node]]:
        """What is bound, and the predicate that follows: `∈ s`, `> 0`, `in f`."""
        groups: list[_Group] = []
        index = 0
        while index < len(items):
            item = items[index]
            if isinstance(item, _Bracket):
                groups.append(self.group(item))
                index += 1
                continue
            names = _names(items[index:])
            index += len(names)
            self.bound |= {*names}
            after = items[index].text if index < len(items) else ""
            if after == ":":
                stop = next(
                    (i for i in range(index, len(items)) if items[i].text == "in"), len(items)
                )
                groups.append(_Group(tuple(names), type=tuple(items[index + 1 : stop])))
                return groups, list(items[stop:])
            groups += [_Group((name,)) for name in names]
            if not names or after in _PREDICATES:
                return groups, list(items[index:])
        return groups, []

    def group(self, item: _Bracket) -> _Group:
        names = _names(item.inner)
        rest = item.inner[len(names) :]
        if item.text in _BINDER_BRACKETS and names and (not rest or rest[0].text == ":"):
            if item.text != "[":
                self.bound |= {*names}
                return _Group(tuple(names), item.text, tuple(rest[1:]) if rest else None)
            if len(names) == 1 and rest:
                own = () if names[0].startswith("inst") else (names[0],)
                return _Group(own, "[", tuple(rest[1:]))
        if item.text == "[":
            return _Group((), "[", item.inner)
        return _Group((), pattern=item)

    def binders(
        self, symbol: str, groups: list[_Group], rest: list[_Node], between: str
    ) -> list[str]:
        """Write what is bound one name at a time, where that means the same."""
        items: list[list[str]] = []
        for group in groups:
            if group.pattern is not None:
                items.append(self.pattern(group.pattern))
                continue
            type_ = None if group.type is None else self.stripped(self.nodes(group.type))
            names = group.names or ("",)
            items += [self.bind(symbol, name, group.opening, type_) for name in names]
        tail = self.nodes(rest)
        if symbol.rstrip("'") in ("∑", "∏") and tail[:1] == ["in"]:
            tail[0] = "∈"
        if symbol.rstrip("".join(_MARKS)) not in _SPLIT or tail:
            return [symbol, *itertools.chain(*items), *tail, between] if items or tail else []
        return [text for item in items for text in (symbol, *item, between)]

    def pattern(self, node: _Node) -> list[str]:
        """A pattern, or a binder with a predicate in parentheses, as it stands."""
        assert isinstance(node, _Bracket)
        return [node.opening.text, *self.nodes(node.inner), node.closing.text]

    def bind(self, symbol: str, name: str, opening: str, type_: list[str] | None) -> list[str]:
        """One name as it is bound."""
        closing = next(c for c, o in commands.CLOSING.items() if o == opening)
        names = [name] if name else []
        keep = type_ is not None and (
            self.exact
            or symbol in _TYPED
            or not name
            or (symbol == "∃" and bool(_RELATIONS & set(type_)))
        )
        if type_ is not None and keep:
            return [opening, *names, *([":"] if name else []), *type_, closing]
        return names if opening == "(" else [opening, *names, closing]

    # Brackets

    def bracket(self, node: _Bracket, after: _Node | None) -> list[str]:
        """A bracket in a term, before the node `after`."""
        inner = node.inner
        names = _names(inner)
        behind = inner[len(names)].text if len(names) < len(inner) else ""
        if node.text == "(":
            if len(names) == 1 and behind == ":=" and not self.exact:
                return []
            if names and behind == ":" and after is not None and after.text in ("→", "×", "×'"):
                return self.dependent(names, inner[len(names) + 1 :], after.text)
            colon = self.ascription(inner)
            if colon is not None and not self.exact:
                inner = inner[:colon]
            out = self.nodes(inner)
            if len(out) == 1 and _ATOM.match(out[0]):
                return out
            if out[:1] == ["("] and _closing(out) == len(out) - 1:
                return out
            return ["(", *out, ")"]
        if node.text == "{" and names:
            bars = (i for i, n in enumerate(inner) if n.text in ("|", "//"))
            bar = next(bars, None)
            if bar is not None:
                self.bound |= {*names}
                if behind == ":" and not self.exact:
                    inner = (*inner[: len(names)], *inner[bar:])
        return [node.opening.text, *self.nodes(inner), node.closing.text]

    def dependent(self, names: list[str], type_: Sequence[_Node], arrow: str) -> list[str]:
        """`(a b : T) →`, one name at a time, the last arrow left out."""
        self.bound |= {*names}
        shown = self.stripped(self.nodes(type_))
        out: list[str] = []
        for name in names:
            out += [arrow] if out else []
            out += ["(", name, ":", *shown, ")"]
        return out

    def ascription(self, nodes: Sequence[_Node]) -> int | None:
        """The index of the colon of a type ascription."""
        index = 0
        while index < len(nodes):
            text = nodes[index].text
            if text in _OTHER_COLON:
                return None
            if text == ":":
                return index
            if text in _BINDERS:
                ends = ("=>", "↦", ",") if text in ("fun", "λ") else (",",)
                index = next((i for i in range(index, len(nodes)) if nodes[i].text in ends), index)
            index += 1
        return None


def _closing(out: list[str]) -> int:
    """The index at which the parenthesis that begins a text is closed."""
    depth = 0
    for index, text in enumerate(out):
        depth += (text == "(") - (text == ")")
        if depth == 0:
            return index
    return len(out)
