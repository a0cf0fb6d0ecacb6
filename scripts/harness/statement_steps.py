"""The steps about what is stated: the golden file, and the hypotheses."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator
from pathlib import Path

from harness import axioms, golden, hypotheses, output, stated, statement
from harness.golden import Difference, Golden, GoldenError
from harness.sources.files import NotPlain, plain_bytes
from harness.steps import LARGEST_GOLDEN, Looked, Run
from harness.verdict import Finding, Level

GOLDEN = "golden"
REMEDY = (
    f"If the change is meant: {golden.UPDATE}, read what changed in it, and commit it. "
    "If not, undo the change."
)


def check_golden(run: Run) -> Looked:
    """What is stated against the golden file: terms where there are some, else text alone."""
    assert run.policy.golden is not None
    try:
        kept = golden.read(_kept(run).decode("utf-8"), run.policy.name)
    except FileNotFoundError:
        return Looked([_could_not(run, "golden-missing", "it is not there")])
    except (OSError, UnicodeDecodeError, NotPlain, GoldenError) as error:
        return Looked([_could_not(run, "golden-unreadable", str(error))])
    if not run.facts():
        return _text_alone(run, kept)
    if kept.origin == golden.FROM_SOURCES:
        why = "it was made from the text of the sources, and here are compiled modules"
        return Looked([_could_not(run, "golden-from-sources", why)])
    findings = list(_against_terms(run, kept))
    if axioms.TERMS not in run.facts():
        findings.append(
            Finding(
                "golden-text-unseen",
                "its hashes were compared, as the audit shows terms; its text was compared with "
                "nothing, since no terms were read",
                GOLDEN,
                file=run.policy.golden,
                remedy="See why the step terms did not run.",
            )
        )
    ways = " and the ".join(run.facts())
    covered = sum(name in kept.hashes for name in run.policy.targets)
    return Looked(
        findings,
        f"{covered} of {len(run.policy.targets)} targets, definitions included, are what "
        f"{run.policy.golden} says, as the {ways} show them"
        if all(f.level is Level.WARNING for f in findings)
        else "",
    )


def _kept(run: Run) -> bytes:
    """The golden file as it was before anything ran. Raises OSError or NotPlain."""
    if isinstance(run.golden, bytes):
        return run.golden
    if run.golden is not None:
        raise run.golden
    assert run.policy.golden is not None
    return plain_bytes(run.project / run.policy.golden, LARGEST_GOLDEN)


def _could_not(run: Run, rule: str, why: str) -> Finding:
    return Finding(rule, why, GOLDEN, file=run.policy.golden, remedy=f"Write it: {golden.UPDATE}.")


def _against_terms(run: Run, kept: Golden) -> Iterator[Finding]:
    """Differences of the golden file from every way that has facts: texts, and hashes of terms."""
    told: set[str] = set()
    remarks: dict[str, Difference] = {}
    yield from _ambiguous(run)
    for way, facts in sorted(run.facts().items(), key=lambda pair: pair[0] != axioms.TERMS):
        now = _with_sources(run, golden.of_terms(run.policy, facts), kept)
        if way != axioms.TERMS:
            # The audit does not name binders: its terms are compared, not how they are printed.
            now = Golden(kept.origin, kept.sections, now.hashes)
        for difference in golden.compare(kept, now, order=way == axioms.TERMS):
            if difference.remark:
                remarks[difference.name or ""] = difference
                continue
            finding = _differs(run, difference)
            if finding.message not in told:
                told.add(finding.message)
                yield finding
    yield from _remarks(run, remarks.values())


def _folders(run: Run) -> set[str]:
    """The source folders of the lakefile; the project's own where none has been read."""
    return {target.source_folder for target in run.targets or ()} or {""}


def _with_sources(run: Run, now: Golden, kept: Golden) -> Golden:
    """What is stated, with the words of the sources where they are not what is printed.

    The golden file's own words stand for those that are laid out otherwise.
    """
    assert run.sources is not None
    now = stated.with_sources(now, run.policy, run.sources, _folders(run))
    words = {(s.target, e.name): e.source for s in kept.sections for e in s.entries}

    def worded(target: str, entry: golden.Entry) -> golden.Entry:
        own = words.get((target, entry.name), "")
        same = stated.same_but_for_layout(own, entry.source)
        return dataclasses.replace(entry, source=own) if same else entry

    return dataclasses.replace(
        now,
        sections=tuple(
            dataclasses.replace(s, entries=tuple(worded(s.target, e) for e in s.entries))
            for s in now.sections
        ),
    )


def _ambiguous(run: Run) -> Iterator[Finding]:
    """What in a statement would make two different terms look the same, and their hashes equal."""
    for facts in run.facts().values():
        for target in facts.targets:
            if target.statement is None or target.name in run.policy.challenge_targets:
                continue
            for text in dict.fromkeys(statement.ambiguous(target.statement)):
                what = f"in the statement of {target.name} {text}"
                yield Finding("name-ambiguous", what, GOLDEN, target=target.name)


def _differs(run: Run, difference: Difference) -> Finding:
    lines = difference.lines()
    name = difference.name or difference.target or ""
    if difference.same_text:
        what = (
            f"{name} is another term than the golden file has the hash of, although it reads the "
            "same: instances, implicit arguments, universe levels or its module differ"
        )
    elif difference.source:
        what = f"{name} is written otherwise in the sources than there: {_shown(lines)}"
    elif difference.found is None:
        what = f"{name} is in the golden file and is not stated"
    elif difference.expected is None:
        what = f"{name} is stated and not in the golden file"
    else:
        what = f"{name} is not what the golden file says: {_shown(lines)}"
    whole = difference.name is None or difference.target is None
    return Finding(
        "golden-differs",
        what,
        GOLDEN,
        file=run.policy.golden,
        declaration=name,
        target=difference.target if not whole and _is_target(run, difference) else None,
        remedy=REMEDY,
        evidence={
            "expected": difference.expected,
            "found": difference.found,
            "lines": lines,
        },
    )


def _remarks(run: Run, differences: Collection[Difference]) -> Iterator[Finding]:
    """One finding for all docstrings that begin otherwise than the golden file quotes."""
    if not differences:
        return
    names = [str(difference.name) for difference in differences]
    first = _shown(next(iter(differences)).lines())
    yield Finding(
        "golden-remark",
        f"docstrings begin otherwise in the sources than is quoted there: "
        f"{_listed(names)}; first {first}",
        GOLDEN,
        file=run.policy.golden,
        remedy=f"Write it anew: {golden.UPDATE}.",
        evidence={d.name: {"expected": d.expected, "found": d.found} for d in differences},
    )


def _is_target(run: Run, difference: Difference) -> bool:
    target, name = difference.target or "", difference.name or ""
    return target == name or target.endswith("." + name)


SHOWN_LINES = 4
SHOWN_NAMES = 5


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN_NAMES} more" if len(names) > SHOWN_NAMES else ""
    return ", ".join(names[:SHOWN_NAMES]) + more


def _shown(lines: list[str]) -> str:
    """The first changed lines, on one line."""
    changed = [line for line in lines if line[:1] in "-+"]
    more = f" … ({len(changed)} lines in all)" if len(changed) > SHOWN_LINES else ""
    shown = (golden.shortened(" ".join(line.split())) for line in changed[:SHOWN_LINES])
    return " | ".join(shown) + more


def _text_alone(run: Run, kept: Golden) -> Looked:
    """Without terms: the sections whose text stands in the sources, token by token."""
    assert run.sources is not None
    try:
        compared, differences = stated.compare(kept, run.policy, run.sources, _folders(run))
    except stated.StatedError as error:
        return Looked([_could_not(run, "source-unreadable", str(error))])
    remarks = [found for found in differences if found.remark]
    if len(remarks) < len(differences):
        return Looked([_differs(run, found) for found in differences if not found.remark])
    detail = (
        f"only text was compared: {len(compared)} declarations of {run.policy.golden} with the "
        "tokens of the sources"
    )
    every = [entry.name for section in kept.sections for entry in section.entries]
    if left := [name for name in every if name not in compared]:
        detail += f"; not compared, since none declares them: {_listed(left)}"
    found = Finding(
        "text-only",
        detail,
        GOLDEN,
        file=run.policy.golden,
        remedy=f"Build (python3 scripts/build.py), then write it from terms: {golden.UPDATE}.",
    )
    return Looked([found, *_unlike_challenge(run), *_remarks(run, remarks)], detail)


def _unlike_challenge(run: Run) -> Iterator[Finding]:
    """Proofs of the challenge's targets whose words are others than the challenge's."""
    assert run.sources is not None
    for one in stated.unlike_challenge(run.policy, run.sources, _folders(run)):
        if one.difference is None:
            what = "it is declared in the challenge, and in no other file"
        else:
            what = (
                f"the proof states it in other words than the challenge: "
                f"{_shown(one.difference.lines())}. Terms will tell whether it is the same"
            )
        yield Finding(
            "text-differs",
            f"{one.target}: {what}",
            GOLDEN,
            file=one.file,
            line=one.line,
            target=one.target,
            remedy="Build, and compare terms: python3 scripts/check_statement.py.",
        )


def update_golden(run: Run) -> str:
    """Write the golden file anew; returns what was written.

    From the terms of compiled modules where there are some, else from the text of the sources; what
    was printed from terms and still has the tokens of the sources stays.

    Raises OSError, StatedError, GoldenError.
    """
    assert run.policy.golden is not None and run.sources is not None
    path = _writable(run)
    if run.terms is not None:
        terms = golden.of_terms(run.policy, run.terms)
        made = stated.with_sources(terms, run.policy, run.sources, _folders(run))
    else:
        made = _quoted_anew(run) or stated.of_sources(run.policy, run.sources, _folders(run))
    text = golden.write(made, run.policy.name)
    try:
        same = golden.read(text, run.policy.name) == made
    except GoldenError:
        same = False
    if not same:
        raise GoldenError(
            "nothing was written; a name or a text in what is stated would be read as a part of "
            "the file"
        )
    output.write_whole(path, text)
    return f"{path}: {made.origin}, {len(made.sections)} sections"


def _quoted_anew(run: Run) -> Golden | None:
    """The golden file that was printed from terms, where nothing is new but what it quotes."""
    assert run.sources is not None
    try:
        kept = golden.read(_kept(run).decode("utf-8"), run.policy.name)
    except (OSError, UnicodeDecodeError, NotPlain, GoldenError):
        return None
    compared, found = stated.compare(kept, run.policy, run.sources, _folders(run))
    whole = len(compared) == sum(len(section.entries) for section in kept.sections)
    if kept.origin == golden.FROM_SOURCES or not whole or not all(d.remark for d in found):
        return None
    return stated.with_sources(kept, run.policy, run.sources, _folders(run))


def _writable(run: Run) -> Path:
    """Where the golden file is written: over nothing but a golden file, and through no link.

    Raises GoldenError.
    """
    assert run.policy.golden is not None
    path = run.project / run.policy.golden
    if (link := output.link_inside(path.parent, run.project)) is not None:
        raise GoldenError(
            f"{run.policy.golden}: {link} is a link, and what it leads to is not written to"
        )
    try:
        there = plain_bytes(path, LARGEST_GOLDEN).decode("utf-8", "replace")
    except FileNotFoundError:
        return path
    except (OSError, NotPlain) as error:
        raise GoldenError(f"{run.policy.golden}: {error}") from None
    if there and not golden.is_golden(there):
        raise GoldenError(
            f"{run.policy.golden} is there and does not begin as a golden file does; it is not "
            "written over. If it was one, remove it first"
        )
    return path


def check_hypotheses(run: Run) -> Looked:
    """Hypotheses that a proof never uses, and whether the witness is about the same ones."""
    facts = run.terms or next(iter(run.facts().values()))
    run.unused_hypotheses = {one.target: one.hypotheses for one in hypotheses.unused(facts)}
    findings: list[Finding] = []
    said: list[str] = []
    if run.policy.witness is None:
        run.not_looked_at.append(
            "hypotheses: whether they can be met: the policy names no theorem that shows it"
        )
    else:
        findings = list(hypotheses.check_witness(run.policy, facts))
        for name, met in hypotheses.witnessed(run.policy, facts):
            if not isinstance(met, str):
                said.append(_met(run.policy.witness, name, met))
                run.met_hypotheses[name] = met
    count = sum(len(texts) for texts in run.unused_hypotheses.values())
    where = f"in {len(run.unused_hypotheses)} of {len(facts.targets)} targets"
    said.append(
        f"{count} hypotheses {where} are not used by the proof"
        if count
        else "every hypothesis is used by its proof"
    )
    clean = not any(f.level is not Level.WARNING for f in findings)
    return Looked(findings, "; ".join(said) if clean else "")


def _met(witness: str, name: str, met: hypotheses.Met) -> str:
    parts = [f"{witness} shows {len(met.shown)} hypotheses of {name} to be met"]
    if met.given:
        parts.append(f"for all {', '.join(met.given)}")
    if met.assumed:
        parts.append(f"and assumes {', '.join(met.assumed)}")
    if met.others:
        parts.append(f"and is not about {', '.join(met.others)}")
    return " ".join(parts)
