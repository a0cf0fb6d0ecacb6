"""Terms printed the way Lean sources write them: `∀ d, 0 < d → …`, `‖x‖`, `fderiv ℝ f`.

What a person reads: implicit arguments and universe levels are left out, so that different terms
can read the same. Whether two are the same is decided on the terms themselves (`statement.py`).
Notation is that of Mathlib for the constants in the tables below; another constant is applied to
its explicit arguments, and one whose signature is not known is written with `@` and all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from harness import term as t
from harness.term import App, Binder, Bound, Const, Let, Literal, Proj, Sort, Term

WIDTH = 100
"""Columns of a line."""
Signatures = Mapping[str, str]
"""The brackets of a constant's binders in order, as in `{[(`, by its name."""

# How tightly a construct binds, as in Lean: an argument of an application has to be MAX.
MAX, APPLY, ARROW, LOWEST = 1024, 1023, 25, 0

_INFIX: dict[str, tuple[str, int, str]] = {
    # Sign, strength, and the side on which another of the same strength needs no parentheses.
    "HAdd.hAdd": ("+", 65, "left"),
    "HSub.hSub": ("-", 65, "left"),
    "HMul.hMul": ("*", 70, "left"),
    "HDiv.hDiv": ("/", 70, "left"),
    "HMod.hMod": ("%", 70, "left"),
    "HPow.hPow": ("^", 75, "right"),
    "HSMul.hSMul": ("•", 73, "right"),
    "LT.lt": ("<", 50, "none"),
    "LE.le": ("≤", 50, "none"),
    "GT.gt": (">", 50, "none"),
    "GE.ge": ("≥", 50, "none"),
    "Eq": ("=", 50, "none"),
    "Ne": ("≠", 50, "none"),
    "HEq": ("≍", 50, "none"),
    "HasSubset.Subset": ("⊆", 50, "none"),
    "Dvd.dvd": ("∣", 50, "none"),
    "And": ("∧", 35, "right"),
    "Or": ("∨", 30, "right"),
    "Iff": ("↔", 20, "none"),
    "Prod": ("×", 35, "right"),
    "Sum": ("⊕", 30, "right"),
    "Function.comp": ("∘", 90, "right"),
    "Union.union": ("∪", 65, "left"),
    "Inter.inter": ("∩", 70, "left"),
    "SDiff.sdiff": ("\\", 70, "none"),
}
_WORDS = {
    "Nat": "ℕ",
    "Int": "ℤ",
    "Rat": "ℚ",
    "Real": "ℝ",
    "Complex": "ℂ",
    "ENNReal": "ℝ≥0∞",
    "NNReal": "ℝ≥0",
}


_RESERVED = frozenset(
    {*_WORDS.values(), "max", "min", "𝓝", "⊤", "⊥", "Prop", "Type", "Sort", "_"}
    | {"fun", "let", "if", "then", "else", "bif", "in"}
)
"""What stands for something else than a constant of that name."""


@dataclass(frozen=True, slots=True)
class Written:
    """A text and how tightly it binds.

    `open_end` where what follows would belong to it; `leads` where it begins with the sign that
    says how far it goes, so that nothing before can take a part of it.
    """

    text: str
    strength: int = MAX
    open_end: bool = False
    leads: bool = False


def _leading(text: str, strength: int = LOWEST) -> Written:
    """A text like `∃ x, p`: it goes on as far as it can."""
    return Written(text, strength, open_end=True, leads=True)


@dataclass(slots=True)
class Printer:
    """Prints terms: `signatures` of constants, namespaces whose names are written short."""

    signatures: Signatures = field(default_factory=dict)
    namespaces: Sequence[str] = ()

    def show(self, term: Term, around: Sequence[str] = ()) -> str:
        """The text of a term, on one line; `around` names the binders around it, from outside."""
        return self.written(term, tuple(around)).text

    def declaration(self, head: str, type_: Term, value: Term | None = None) -> str:
        """A declaration in lines: `head` (word and name), binders, type, value.

        Before the colon stand the binders that the value's own leading binders repeat; of a
        statement, which has no value here, the leading ones that somebody named.
        """
        limit = None
        if value is not None:
            leading = t.binders(value)[0]
            limit = len(leading) if leading and leading[0].sign == "λ" else 0
        groups, rest, around = self._header(type_, limit, value)
        lines = _filled([head, *groups], " :", "    ")
        shown = self._lines(rest, around, "  " if value is None else "    ")
        ending = " :=" if value is not None else ""
        if len(shown) == 1 and len(f"{lines[-1]} {shown[0].strip()}{ending}") <= WIDTH:
            lines[-1] += f" {shown[0].strip()}"
        else:
            lines += shown
        if value is None:
            return "\n".join(lines)
        lines[-1] += ending
        for _ in around:
            value = value.body if isinstance(value, Binder) else value
        return "\n".join([*lines, *self._lines(value, around, "  ")])

    def short(self, name: str) -> str:
        """A constant's name without the namespaces that are open."""
        for namespace in self.namespaces:
            short = name.removeprefix(namespace + ".")
            # Not where it would be taken for another constant.
            if short not in (name, "") and short not in self.signatures and short not in _WORDS:
                return short
        return name

    def constant(self, name: str, around: Sequence[str]) -> str:
        """A constant's name as it is written where these names are around."""
        word = _WORDS.get(name)
        text = word or self.short(name)
        if text.partition(".")[0] in around or (word is None and text in _RESERVED):
            return f"_root_.{name}"
        return text

    # Binders.

    def _header(
        self, term: Term, limit: int | None, value: Term | None
    ) -> tuple[list[str], Term, tuple[str, ...]]:
        """Binders before the colon as groups, what is left, and the names that are then around.

        `limit` is how many there are; None: those up to the first that nobody named. The `value`
        begins with the same ones, and may name and use what the type does not.
        """
        groups: list[tuple[list[str], str, str]] = []
        around: tuple[str, ...] = ()
        while isinstance(term, Binder) and term.sign == "Π":
            if limit is not None and len(around) >= limit:
                break
            if limit is None and term.bracket == "(" and not _all_named(term):
                break
            name = fresh(term, around)
            if isinstance(value, Binder):
                if name == "_":
                    name = fresh(value, around)
                value = value.body
            _grouped(groups, name, self.written(term.type, around).text, term.bracket)
            around, term = (*around, name), term.body
        return [_group(*group) for group in groups], term, around

    def _enter(
        self, groups: list[tuple[list[str], str, str]], binder: Binder, around: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Add a binder to the groups; the names that are then around."""
        name = fresh(binder, around)
        _grouped(groups, name, self.written(binder.type, around).text, binder.bracket)
        return (*around, name)

    # Lines.

    def _lines(self, term: Term, around: tuple[str, ...], indent: str) -> list[str]:
        """A term in lines of at most WIDTH columns where that can be."""
        text = self.written(term, around).text
        if len(indent) + len(text) <= (WIDTH // 2 if _is_row(term) else WIDTH):
            return [indent + text]
        return self._broken(term, around, indent)

    def _broken(self, term: Term, around: tuple[str, ...], indent: str) -> list[str]:
        """A statement broken where a person would: a hypothesis a line, a claim a line."""
        match term:
            case Binder("Π"):
                return self._broken_pi(term, around, indent)
            case App(Const("Exists"), (_, Binder("λ"))):
                head, body, inner = self.exists_head(term, around)
                *before, line = _folded(head, indent)
                if _is(body, "Exists"):
                    return [*before, line, *self._broken(body, inner, indent + "  ")]
                rest = self._lines(body, inner, indent + "  ")
                if len(line) + 1 + len(rest[0].strip()) <= WIDTH:
                    return [*before, f"{line} {rest[0].strip()}", *rest[1:]]
                return [*before, line, *rest]
            case App(Const("And"), (left, right)):
                shown = self.operand(left, around, 36)
                return [*_folded(f"{shown} ∧", indent), *self._last(right, around, indent, 35)]
            case _:
                return _folded(self.written(term, around).text, indent)

    def _broken_pi(self, term: Term, around: tuple[str, ...], indent: str) -> list[str]:
        lines: list[str] = []
        needed = LOWEST
        while isinstance(term, Binder) and term.sign == "Π":
            if _is_arrow(term):
                needed = ARROW
                lines += _folded(f"{self.operand(term.type, around, ARROW + 1)} →", indent)
                around, term = (*around, "_"), term.body
            else:
                needed = LOWEST
                head, term, around = self._forall_head(term, around)
                lines += _folded(head, indent)
        if _fits(self.written(term, around), needed, last=True):
            return [*lines, *self._lines(term, around, indent + "  ")]
        return [*lines, *self._last(term, around, indent + "  ", needed)]

    def _last(self, term: Term, around: tuple[str, ...], indent: str, strength: int) -> list[str]:
        """The last operand of something, broken where it needs no parentheses."""
        if _fits(self.written(term, around), strength, last=True):
            return self._broken(term, around, indent)
        return _folded(self.operand(term, around, strength, last=True), indent)

    # Terms.

    def written(self, term: Term, around: tuple[str, ...]) -> Written:
        """The text of a term and how tightly it binds."""
        match term:
            case Bound(index):
                return Written(around[-1 - index] if index < len(around) else f"#{index}")
            case Sort(level):
                return _sort(level)
            case Const(name):
                return Written(self.constant(name, around))
            case Literal(text):
                return Written(text)
            case Proj(_, index, of):
                return _field(self, of, index, around)
            case Let(type_, value, body, name):
                hidden = t.is_hidden(name)
                name = t.distinct(f"x{len(around) + 1}" if hidden else name, around)
                left, right = self.written(type_, around).text, self.written(value, around).text
                inner = self.written(body, (*around, name)).text
                return _leading(f"let {name} : {left} := {right}; {inner}")
            case Binder("λ"):
                return self._function(term, around)
            case Binder():
                return self._pi(term, around)
            case App(head, arguments):
                return self._application(head, arguments, around)

    def operand(
        self, term: Term, around: tuple[str, ...], strength: int, *, last: bool = False
    ) -> str:
        """A part of something that asks for `strength`; `last` where nothing follows it."""
        return _fitted(self.written(term, around), strength, last)

    def bound(self, binder: Binder, around: tuple[str, ...]) -> tuple[str, Written]:
        """The name of a bound variable, and what stands under its binder."""
        name = fresh(binder, around)
        return name, self.written(binder.body, (*around, name))

    def _pi(self, term: Binder, around: tuple[str, ...]) -> Written:
        if _is_arrow(term):
            left = self.operand(term.type, around, ARROW + 1)
            shown = self.written(term.body, (*around, "_"))
            return _right(f"{left} →", shown, ARROW, ARROW)
        head, rest, around = self._forall_head(term, around)
        return _leading(f"{head} {self.written(rest, around).text}")

    def _forall_head(
        self, term: Term, around: tuple[str, ...]
    ) -> tuple[str, Term, tuple[str, ...]]:
        """`∀ (a b : A) {c : C},`, what comes after, and the names that are then around."""
        groups: list[tuple[list[str], str, str]] = []
        while isinstance(term, Binder) and term.sign == "Π" and not _is_arrow(term):
            around = self._enter(groups, term, around)
            term = term.body
        return f"∀ {_bare([_group(*group) for group in groups])},", term, around

    def exists_head(self, term: Term, around: tuple[str, ...]) -> tuple[str, Term, tuple[str, ...]]:
        """`∃ (a : A) (b : B),`, what comes after, and the names that are then around."""
        groups: list[tuple[list[str], str, str]] = []
        while isinstance(term, App) and _is(term, "Exists") and len(term.arguments) == 2:
            binder = term.arguments[1]
            if not (isinstance(binder, Binder) and binder.sign == "λ"):
                break
            name = fresh(binder, around)
            member = self._membership(binder.body, (*around, name))
            if member and groups:
                break
            if member:
                return f"∃ {name} {member[0]},", member[1], (*around, name)
            around, term = self._enter(groups, binder, around), binder.body
        return f"∃ {_bare([_group(*group) for group in groups])},", term, around

    def _membership(self, body: Term, around: tuple[str, ...]) -> tuple[str, Term] | None:
        """`∈ s` and what comes after, where a body begins with that about its variable."""
        match body:
            case App(Const("And"), (App(Const("Membership.mem"), (*_, where, Bound(0))), rest)):
                if not t.mentions(where, 0):
                    return f"∈ {self.operand(where, around, 51)}", rest
        return None

    def _function(self, term: Term, around: tuple[str, ...]) -> Written:
        names = []
        while isinstance(term, Binder) and term.sign == "λ":
            name = fresh(term, around)
            closing = _CLOSING[term.bracket]
            names.append(name if term.bracket == "(" else f"{term.bracket}{name}{closing}")
            around, term = (*around, name), term.body
        shown = self.written(term, around).text
        return _leading(f"fun {' '.join(names)} => {shown}")

    def _application(
        self, head: Term, arguments: tuple[Term, ...], around: tuple[str, ...]
    ) -> Written:
        shown = self._explicit(head, arguments)
        if isinstance(head, Const) and shown is not None:
            special = self._notation(head.name, shown, around)
            if special is not None:
                return special
        first = self.operand(head, around, MAX)
        if shown is None:
            shown, first = list(arguments), f"@{first}"
        if not shown:
            return Written(first)
        texts = [self.operand(one, around, MAX) for one in shown]
        return Written(" ".join([first, *texts]), APPLY)

    def _explicit(self, head: Term, arguments: Sequence[Term]) -> list[Term] | None:
        """The arguments that are written, None where the signature is not known."""
        if not isinstance(head, Const):
            return list(arguments)
        signature = self.signatures.get(head.name)
        if signature is None:
            return None
        return [
            argument
            for place, argument in enumerate(arguments)
            if place >= len(signature) or signature[place] == "("
        ]

    def _notation(
        self, name: str, arguments: Sequence[Term], around: tuple[str, ...]
    ) -> Written | None:
        """What Mathlib's notation makes of a constant with its explicit arguments, if anything."""
        if name in _INFIX:
            return self._infix(name, arguments, around)
        made = _NOTATION.get(name)
        return made(self, arguments, around) if made else None

    def _infix(
        self, name: str, arguments: Sequence[Term], around: tuple[str, ...]
    ) -> Written | None:
        if len(arguments) != 2:
            return None
        sign, strength, alike = _INFIX[name]
        left = self.operand(arguments[-2], around, strength + (alike != "left"))
        shown = self.written(arguments[-1], around)
        return _right(f"{left} {sign}", shown, strength + (alike != "right"), strength)


def _is(term: Term, name: str) -> bool:
    """Whether a term is this constant applied to something."""
    return isinstance(term, App) and isinstance(term.head, Const) and term.head.name == name


def _fitted(shown: Written, strength: int, last: bool) -> str:
    """A text in parentheses where it would be read otherwise; `last` where nothing follows it."""
    return shown.text if _fits(shown, strength, last=last) else f"({shown.text})"


def _fits(shown: Written, strength: int, *, last: bool) -> bool:
    """Whether a text needs no parentheses as an operand that has to bind that tightly."""
    if last:
        return shown.leads or shown.strength >= strength
    return not shown.open_end and shown.strength >= strength


def _right(before: str, shown: Written, needed: int, strength: int) -> Written:
    """Something with its last operand, which asks for `needed`: open where the operand is."""
    right = _fitted(shown, needed, True)
    return Written(f"{before} {right}", strength, open_end=shown.open_end and right == shown.text)


def _field(w: Printer, of: Term, index: int, around: tuple[str, ...]) -> Written:
    """A field by its number; a number before the point would be read as a part of it."""
    text = w.operand(of, around, MAX)
    return Written(f"({text}).{index + 1}" if text.isdecimal() else f"{text}.{index + 1}")


def brackets(type_: Term) -> str:
    """The signature of a constant of this type."""
    return "".join(binder.bracket for binder in t.binders(type_)[0] if binder.sign == "Π")


def fresh(binder: Binder, around: Sequence[str]) -> str:
    """A name for a binder: its own where it has one that can be written, distinct from others."""
    if t.is_hidden(binder.name):
        if not t.mentions(binder.body, 0):
            return "_"
        word = "inst" if binder.bracket == "[" else "x"
        return t.distinct(f"{word}{len(around) + 1}", around)
    return t.distinct(binder.name, around)


def _is_arrow(binder: Binder) -> bool:
    """Whether a `Π` is written as an arrow."""
    return binder.bracket == "(" and t.is_hidden(binder.name) and not t.mentions(binder.body, 0)


def _all_named(term: Term) -> bool:
    """Whether every explicit binder from here on to the claim has a name that somebody wrote."""
    return all(one.bracket != "(" or not t.is_hidden(one.name) for one in t.binders(term)[0])


# Notation, one function a form: from explicit arguments, None where they are not of that form.

Form = Callable[[Printer, Sequence[Term], tuple[str, ...]], Written | None]


def _of_number(w: Printer, arguments: Sequence[Term], around: tuple[str, ...]) -> Written | None:
    match arguments:
        case [Literal(text)]:
            return Written(text)
    return None


def _exists(w: Printer, arguments: Sequence[Term], around: tuple[str, ...]) -> Written | None:
    match arguments:
        case [Binder("λ") as of]:
            whole = App(Const("Exists"), (of.type, of))
            head, rest, inner = w.exists_head(whole, around)
            return _leading(f"{head} {w.written(rest, inner).text}")
    return None


def _around(before: str, after: str) -> Form:
    """What stands between two signs."""

    def made(w: Printer, arguments: Sequence[Term], around: tuple[str, ...]) -> Written | None:
        match arguments:
            case [of]:
                return Written(f"{before}{w.written(of, around).text}{after}")
        return None

    return made


def _beside(before: str, after: str, strength: int = MAX, needed: int | None = None) -> Form:
    """What has a sign before or after it and binds that tightly.

    Its operand has to bind as tightly, or as `needed` says.
    """

    def made(w: Printer, arguments: Sequence[Term], around: tuple[str, ...]) -> Written | None:
        match arguments:
            case [of]:
                text = w.operand(of, around, strength if needed is None else needed)
                # `--` would begin a comment.
                gap = " " if before and text.startswith(before) else ""
                return Written(f"{before}{gap}{text}{after}", strength)
        return None

    return made


def _function(word: str, count: int) -> Form:
    """A function of another name."""

    def made(w: Printer, arguments: Sequence[Term], around: tuple[str, ...]) -> Written | None:
        # A bound name of that spelling would be taken for the function.
        if len(arguments) != count or word in around:
            return None
        words = [w.operand(one, around, MAX) for one in arguments]
        return Written(" ".join([word, *words]), APPLY)

    return made


def _numbered(index: int) -> Form:
    """A field written by its number."""

    def made(w: Printer, arguments: Sequence[Term], around: tuple[str, ...]) -> Written | None:
        match arguments:
            case [of]:
                return _field(w, of, index, around)
        return None

    return made


def _member(w: Printer, arguments: Sequence[Term], around: tuple[str, ...]) -> Written | None:
    match arguments:
        case [where, of]:
            left, right = w.operand(of, around, 51), w.operand(where, around, 51)
            return Written(f"{left} ∈ {right}", 50)
    return None


def _pair(w: Printer, arguments: Sequence[Term], around: tuple[str, ...]) -> Written | None:
    match arguments:
        case [left, right]:
            return Written(f"({w.show(left, around)}, {w.show(right, around)})")
    return None


def _big(sign: str) -> Form:
    """A sum or product over a finite set, all of a finite type where none is named."""

    def made(w: Printer, arguments: Sequence[Term], around: tuple[str, ...]) -> Written | None:
        match arguments:
            case [App(Const("Finset.univ")), Binder("λ") as of]:
                over = ""
            case [where, Binder("λ") as of]:
                over = f" ∈ {w.operand(where, around, 51)}"
            case _:
                return None
        name = fresh(of, around)
        body = w.operand(of.body, (*around, name), 67, last=True)
        # In parentheses before anything else: few know where a sum ends.
        return _leading(f"{sign} {name}{over}, {body}", 67)

    return made


def _eventually(w: Printer, arguments: Sequence[Term], around: tuple[str, ...]) -> Written | None:
    match arguments:
        case [Binder("λ") as of, where]:
            name, body = w.bound(of, around)
            over = w.show(where, around)
            return _leading(f"∀ᶠ {name} in {over}, {body.text}")
    return None


def _linear_maps(w: Printer, arguments: Sequence[Term], around: tuple[str, ...]) -> Written | None:
    match arguments:
        case [App(Const("RingHom.id"), (ring, *_)), source, target]:
            left, right = w.operand(source, around, 26), w.operand(target, around, 25)
            return Written(f"{left} →L[{w.show(ring, around)}] {right}", 25)
    return None


def _image(w: Printer, arguments: Sequence[Term], around: tuple[str, ...]) -> Written | None:
    match arguments:
        case [function, of]:
            left, right = w.operand(function, around, 80), w.operand(of, around, 81)
            return Written(f"{left} '' {right}", 80)
    return None


def _set_of(w: Printer, arguments: Sequence[Term], around: tuple[str, ...]) -> Written | None:
    match arguments:
        case [Binder("λ") as of]:
            name, body = w.bound(of, around)
            return Written(f"{{{name} | {body.text}}}")
    return None


def _applied(w: Printer, arguments: Sequence[Term], around: tuple[str, ...]) -> Written | None:
    """A function behind a coercion, written as if it were the value that it is taken of."""
    match arguments:
        case [of, first, *rest]:
            words = [w.operand(one, around, MAX) for one in (of, first, *rest)]
            return Written(" ".join(words), APPLY)
    return None


def _constant(word: str) -> Form:
    def made(w: Printer, arguments: Sequence[Term], around: tuple[str, ...]) -> Written | None:
        return Written(word) if not arguments else None

    return made


def _choice(word: str) -> Form:
    def made(w: Printer, arguments: Sequence[Term], around: tuple[str, ...]) -> Written | None:
        if len(arguments) != 3:
            return None
        a, b, c = (w.show(one, around) for one in arguments)
        return _leading(f"{word} {a} then {b} else {c}")

    return made


_NOTATION: dict[str, Form] = {
    "OfNat.ofNat": _of_number,
    "Exists": _exists,
    # It takes `=` and what binds as tightly along: `¬a = b` is `¬(a = b)`, and so it is written.
    "Not": _beside("¬", "", 40, APPLY),
    "Neg.neg": _beside("-", "", 75),
    "Inv.inv": _beside("", "⁻¹"),
    "Max.max": _function("max", 2),
    "Min.min": _function("min", 2),
    "Norm.norm": _around("‖", "‖"),
    "abs": _around("|", "|"),
    "Membership.mem": _member,
    "Prod.mk": _pair,
    "Prod.fst": _numbered(0),
    "Prod.snd": _numbered(1),
    "Finset.sum": _big("∑"),
    "Finset.prod": _big("∏"),
    "Filter.Eventually": _eventually,
    "nhds": _function("𝓝", 1),
    "ContinuousLinearMap": _linear_maps,
    "Set.image": _image,
    "setOf": _set_of,
    "DFunLike.coe": _applied,
    "WithLp.ofLp": _applied,
    "Nat.cast": _beside("↑", ""),
    "Top.top": _constant("⊤"),
    "Bot.bot": _constant("⊥"),
    "ite": _choice("if"),
    "cond": _choice("bif"),
}


def _sort(level: str) -> Written:
    if level == "0":
        return Written("Prop")
    if level == "1":
        return Written("Type")
    if re.fullmatch(r"u_\d+\+1", level):
        return Written("Type*")
    base, plus, more = level.rpartition("+")
    if plus and more.isdecimal() and base:
        rest = base if more == "1" else f"({base}+{int(more) - 1})"
        return Written(f"Type {rest}", APPLY)
    if level.isdecimal():
        return Written(f"Type {int(level) - 1}", APPLY)
    return Written(f"Sort {level}" if " " not in level else f"Sort ({level})", APPLY)


def _is_row(term: Term) -> bool:
    """Whether a term is a row of hypotheses or of several claims, easier to read line by line."""
    match term:
        case Binder("Π") | App(Const("Exists")):
            return True
        case App(Const("And"), (_, App(Const("And")))):
            return True
        case _:
            return False


_CLOSING = {"(": ")", "{": "}", "⦃": "⦄", "[": "]"}


def _grouped(groups: list[tuple[list[str], str, str]], name: str, type_: str, bracket: str) -> None:
    """Add a binder, to the last group if that is of the same type."""
    last = groups[-1] if groups else None
    if last and last[1:] == (type_, bracket) and bracket != "[":
        last[0].append(name)
    else:
        groups.append(([name], type_, bracket))


def _group(names: list[str], type_: str, bracket: str) -> str:
    closing = _CLOSING[bracket]
    # An instance is named only where somebody named it.
    if bracket == "[" and (names == ["_"] or names[0].startswith("inst")):
        return f"[{type_}]"
    return f"{bracket}{' '.join(names)} : {type_}{closing}"


def _bare(groups: list[str]) -> str:
    """Groups after `∀` or `∃`: a single explicit name needs no parentheses."""
    if len(groups) == 1 and groups[0].startswith("(") and groups[0].split()[1] == ":":
        return groups[0][1:-1]
    return " ".join(groups)


_UNBROKEN = re.compile(r'"(?:\\.|[^"\\])*"|«[^»]*»|( )', re.DOTALL)


def _words(text: str) -> list[str]:
    """A text taken apart at the spaces where it may be broken."""
    places = [found.start() for found in _UNBROKEN.finditer(text) if found[1]]
    starts = [0, *(place + 1 for place in places)]
    return [text[a:b] for a, b in zip(starts, [*places, len(text)], strict=True)]


def _filled(words: list[str], end: str, indent: str) -> list[str]:
    """Words in lines of at most WIDTH columns where that can be, the later lines indented."""
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) + len(end) > WIDTH:
            lines.append(indent + word)
        else:
            lines[-1] += f" {word}"
    lines[-1] += end
    first, *more = lines
    return [first, *(part for line in more for part in _folded(line.lstrip(), indent))]


def _folded(text: str, indent: str) -> list[str]:
    """A long text in lines, broken at spaces outside strings and quoted names."""
    lines = [indent]
    for word in _words(text):
        gap = "" if lines[-1] in (indent, indent + "  ") else " "
        if len(lines[-1]) + len(gap) + len(word) > WIDTH and gap:
            lines.append(indent + "  " + word)
        else:
            lines[-1] += gap + word
    return lines
