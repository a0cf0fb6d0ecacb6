"""A replay as text for people."""

from __future__ import annotations

from harness.console import printable
from harness.replay.result import Replay
from harness.verdict import Verdict

NOT_JUDGED = "terms only; no theorem was asked about, and no axiom was judged"


def page(done: Replay, scope: str = "") -> str:
    """What was replayed, in which kernel, what it rests on, and what was left out.

    `scope` says what the verdict is about, where it is about less than targets and their axioms.
    """
    said = scope and done.verdict is Verdict.ACCEPTED
    lines = [f"{done.verdict.value} ({scope})" if said else done.verdict.value]
    if done.kernel is not None:
        kernel = done.kernel
        lines += [
            f"kernel: Lean {kernel.version} ({kernel.githash[:12]}), {kernel.path}",
            f"        SHA-256 {kernel.sha256}",
        ]
    if done.source:
        lines.append("source: " + ", ".join(f"{k} {v}" for k, v in sorted(done.source.items())))
    if done.declarations:
        kinds = ", ".join(f"{n:,} {kind}" for kind, n in sorted(done.declarations.items()))
        cone = "what the targets rest on" if done.targets else "what the module rests on"
        what = "everything in the file" if done.scope == "file" else cone
        lines.append(f"checked: {what}, {done.added:,} declarations: {kinds}")
    for axiom in done.axioms:
        if axiom.targets or not axiom.module or not done.targets:
            use = f"used by {', '.join(axiom.targets)}" if axiom.targets else "no target uses it"
            use = use if done.targets else "not judged"
            unsafe = "unsafe, " if axiom.unsafe else ""
            lines.append(f"axiom: {axiom.name} : {axiom.type} ({unsafe}{use})")
    for target in done.targets:
        state = "checked" if target.checked else "NOT CHECKED"
        lines += [
            f"target: {target.name} ({target.kind or 'missing'}, {state}), rests on "
            f"{target.closure:,} declarations and the axioms "
            f"{', '.join(target.axioms) or '(none)'}",
            f"        {target.reading}",
        ]
    if done.primitives:
        lines.append(f"known by name, confirmed: {', '.join(done.primitives)}")
    lines += [f"skipped: {kind} {name}" for name, kind in done.skipped[:50]]
    lines += [f"not looked at: {what}" for what in done.not_looked_at]
    if "total" in done.seconds:
        lines.append(
            f"time: {done.seconds['total']:.1f} s, of which in the kernel "
            f"{done.seconds['kernel']:.1f} s of {done.jobs} processes; memory: "
            f"{done.memory / (1 << 20):,.0f} MiB"
        )
    return printable("\n".join(lines)) + "\n"
