"""The hypotheses of a theorem: which its proof never uses, and whether they can be met at all.

A theorem whose hypotheses contradict each other says nothing. So the policy names a witness: a
theorem that says that objects with the same hypotheses exist. Here its statement is held against
the theorem's; that it is a theorem with allowed axioms is seen to where every target is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from harness import golden, printing, statement
from harness import term as t
from harness.policy import Policy
from harness.term import App, Binder, Bound, Const, Term
from harness.toolchain.audit import Audit, Statement, Target
from harness.verdict import Finding

STEP = "hypotheses"
_MARK = "\0"
"""Begins the name of a constant that stands for a variable; no name of Lean's has it."""
_OURS, _THEIRS = "\0theorem\0", "\0witness\0"
"""The same for the variables of either side."""
_PROPOSITIONS = frozenset(
    {"LT.lt", "LE.le", "GT.gt", "GE.ge", "Eq", "Ne", "HEq", "And", "Or", "Iff", "Not", "Exists"}
    | {"False", "Membership.mem", "HasSubset.Subset", "Dvd.dvd", "Nonempty"}
)


@dataclass(frozen=True, slots=True)
class Unused:
    """The hypotheses that the proof of a target never uses, as they are written."""

    target: str
    hypotheses: tuple[str, ...]


def unused(facts: Audit) -> Iterator[Unused]:
    """Hypotheses of each target that its proof never uses: from the proof's leading binders.

    Variables that only the statement needs are no hypotheses and are left out.
    """
    for target in facts.targets:
        if target.statement is None:
            continue
        try:
            found = tuple(_unused(target, target.statement))
        except (t.TermError, RecursionError):
            continue
        if found:
            yield Unused(target.name, found)


def _unused(target: Target, said: Statement) -> Iterator[str]:
    constant = said.constant
    printer = golden.printer_of(said)
    binders = t.binders(t.parse(constant.type, constant.levels, constant.binders))[0]
    around: tuple[str, ...] = ()
    for binder, told in zip(binders, target.hypotheses, strict=False):
        if not told.used and not t.mentions(binder.body, 0) and binder.sign == "Π":
            yield printer.show(binder.type, around)
        around = (*around, printing.fresh(binder, around))


# The witness.


@dataclass(slots=True)
class _Content:
    """What a statement speaks of, variables replaced by marks.

    The first `given` variables are those for all of which it speaks; `assumed` are hypotheses in
    front; `shown` what it says of the objects that it says exist.
    """

    mark: str
    given: int = 0
    variables: list[tuple[str, Term]] = field(default_factory=list)
    assumed: list[Term] = field(default_factory=list)
    shown: list[Term] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Met:
    """What a witness says of the hypotheses of a theorem, each as it is written.

    `shown` it shows, `assumed` it assumes, `others` are about none of its variables, `missing` it
    should speak of and does not. `given` are the variables of the theorem for all of which it
    speaks; `more` is what it assumes and the theorem does not, variables included.
    """

    shown: tuple[str, ...]
    assumed: tuple[str, ...]
    others: tuple[str, ...]
    missing: tuple[str, ...]
    given: tuple[str, ...] = ()
    more: tuple[str, ...] = ()


def check_witness(policy: Policy, facts: Audit) -> Iterator[Finding]:
    """Whether the witness is about the hypotheses of every statement of the challenge."""
    for name, met in witnessed(policy, facts):
        if isinstance(met, str):
            yield _finding(policy, name, met)
        elif not met.shown:
            yield _finding(policy, name, "shows none of its hypotheses to be met")
        elif met.missing:
            listed = "; ".join(met.missing)
            yield _finding(policy, name, f"does not speak of all its hypotheses: {listed}")
        elif unnamed := [one for one in met.assumed if one not in policy.witness_assumes]:
            listed = "; ".join(unnamed)
            yield _finding(
                policy, name, f"assumes, and the policy does not say that it may: {listed}", ASSUMES
            )
        elif unnamed := [one for one in met.others if one not in policy.witness_leaves_out]:
            listed = "; ".join(unnamed)
            yield _finding(
                policy,
                name,
                f"is not about, and the policy does not say that it need not be: {listed}",
                LEAVES_OUT,
            )
        elif met.more:
            listed = "; ".join(met.more)
            yield _finding(policy, name, f"assumes what that does not: {listed}")


def witnessed(policy: Policy, facts: Audit) -> Iterator[tuple[str, Met | str]]:
    """What the witness says of each statement of the challenge; a text where it cannot be told."""
    stated = {target.name: target.statement for target in facts.targets}
    witness = stated.get(policy.witness or "")
    if witness is None:
        return
    for name in policy.challenge_targets:
        said = stated.get(name)
        if said is None or name == policy.witness:
            continue
        try:
            yield name, compare(said, witness)
        except (t.TermError, RecursionError) as error:
            yield name, f"cannot be compared: {error or 'too deep'}"


ASSUMES = (
    "Prove it without, or judge whether that can be met, and name it in the policy "
    "(statement.witness-assumes)."
)
LEAVES_OUT = (
    "Let it speak of that too, or judge whether that can be met, and name it in the policy "
    "(statement.witness-leaves-out)."
)
RESTATE = "State it with the same hypotheses, of objects that it says exist."


def _finding(policy: Policy, name: str, what: str, remedy: str = RESTATE) -> Finding:
    return Finding(
        "witness-differs",
        f"{policy.witness}, which has to show that the hypotheses of {name} can be met, {what}",
        STEP,
        declaration=policy.witness,
        target=policy.witness,
        remedy=remedy,
    )


def compare(said: Statement, witness: Statement) -> Met:
    """What a witness says of the hypotheses of a theorem. Raises TermError."""
    ours, theirs = _content(said, _OURS), _content(witness, _THEIRS)
    taken = _matched(ours.variables, theirs.variables)
    printer = golden.printer_of(said)
    names = {mark: mark.split(_MARK)[-1] for mark, _ in (*ours.variables, *theirs.variables)}
    assumed = [_replaced(hypothesis, taken) for hypothesis in ours.assumed]
    found: dict[str, list[str]] = {"shown": [], "assumed": [], "others": [], "missing": []}
    for hypothesis, where in zip(ours.assumed, assumed, strict=True):
        about = {name for name in t.constants(hypothesis) if name.startswith(_MARK)}
        if where in theirs.shown:
            kind = "shown"
        elif where in theirs.assumed:
            kind = "assumed"
        else:
            kind = "others" if about and not about & taken.keys() else "missing"
        found[kind].append(printer.show(_replaced(hypothesis, names)))
    for mark, type_ in ours.variables[: ours.given]:
        if mark not in taken:
            kind = "missing" if _is_proposition(type_) else "others"
            found[kind].append(f"{names[mark]} : {_shown(printer, type_, names)}")
    given = dict(theirs.variables[: theirs.given])
    extra = [(mark, type_) for mark, type_ in given.items() if mark not in taken.values()]
    more = [f"{names[mark]} : {_shown(printer, type_, names)}" for mark, type_ in extra]
    more += [_shown(printer, one, names) for one in theirs.assumed if one not in assumed]
    return Met(
        **{kind: tuple(texts) for kind, texts in found.items()},
        given=tuple(
            f"{names[mark]} : {_shown(printer, given[own], names)}"
            for mark, own in taken.items()
            if own in given
        ),
        more=tuple(more),
    )


def _shown(printer: printing.Printer, term: Term, names: Mapping[str, str]) -> str:
    return printer.show(_replaced(term, names))


def _is_proposition(type_: Term) -> bool:
    """Whether what a variable is of is plainly a proposition, so that it is a hypothesis."""
    head = type_.head if isinstance(type_, App) else type_
    return isinstance(head, Const) and head.name in _PROPOSITIONS


def _content(said: Statement, mark: str) -> _Content:
    """A statement taken apart: variables, hypotheses, and claims about what exists."""
    constant = said.constant
    content = _Content(mark)
    numbered = {level: f"u{place}" for place, level in enumerate(constant.levels, 1)}
    text = statement.rename_levels(constant.type, numbered)
    term = t.parse(text, tuple(numbered.values()), constant.binders)
    marks: list[Term] = []
    while isinstance(term, Binder) and term.sign == "Π":
        type_ = opened(term.type, marks)
        if t.mentions(term.body, 0):
            marks.append(_mark(content, term, type_))
        else:
            content.assumed.append(type_)
            marks.append(Const(_MARK))
        term = term.body
    content.given = len(content.variables)
    exists = False
    while isinstance(term, App) and isinstance(term.head, Const) and term.head.name == "Exists":
        of = term.arguments[-1]
        if not isinstance(of, Binder):
            break
        exists = True
        type_ = opened(of.type, marks)
        if t.mentions(of.body, 0):
            marks.append(_mark(content, of, type_))
        else:
            # `∃ _ : p, q` says `p`, as a conjunction would.
            content.shown.append(type_)
            marks.append(Const(_MARK))
        term = of.body
    if exists:
        content.shown += [opened(claim, marks) for claim in _claims(term)]
    return content


def _mark(content: _Content, binder: Binder, type_: Term) -> Const:
    mark = f"{content.mark}{len(content.variables)}{_MARK}{binder.name or 'x'}"
    content.variables.append((mark, type_))
    return Const(mark)


def _claims(term: Term) -> Iterator[Term]:
    while isinstance(term, App) and isinstance(term.head, Const) and term.head.name == "And":
        if len(term.arguments) != 2:
            break
        yield from _claims(term.arguments[0])
        term = term.arguments[1]
    yield term


def _matched(ours: list[tuple[str, Term]], theirs: list[tuple[str, Term]]) -> dict[str, str]:
    """Which variable of the witness stands for which of the theorem: of the same type, in order."""
    taken: dict[str, str] = {}
    start = 0
    for mark, type_ in theirs:
        for place in range(start, len(ours)):
            name, wanted = ours[place]
            if _replaced(wanted, taken) == type_:
                taken[name] = mark
                start = place + 1
                break
    return taken


def opened(term: Term, marks: list[Term]) -> Term:
    """A term with the variables that point out of it replaced, the innermost by the last mark."""

    def change(part: Term, under: int) -> Term:
        if not isinstance(part, Bound) or part.index < under:
            return part
        place = part.index - under
        return marks[-1 - place] if place < len(marks) else Bound(part.index - len(marks))

    return t.mapped(term, change)


def _replaced(term: Term, names: Mapping[str, str]) -> Term:
    """A term with constants renamed."""

    def change(part: Term, _: int) -> Term:
        if isinstance(part, Const):
            return Const(names.get(part.name, part.name), part.levels)
        return part

    return t.mapped(term, change)
