"""What the gate itself costs: its own time and memory for the good recording, Lean's left out.

    .venv/bin/python tests/bench_gate.py [RUNS]

The time is from start to verdict less the time in which a program was running that the gate had
started; the memory is the peak of the gate's own process. Prints every figure's median, and exits 1
if a limit is exceeded.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from projects_for_tests import RECORDINGS, SCRIPTS, Played, play

SECONDS = 0.2
MEBIBYTES = 64.0

# Runs the gate in a process of its own, with a clock around every program that it starts.
TIMED = """
import sys, time
started = time.perf_counter()
sys.path.insert(0, {scripts!r})
sys.pycache_prefix = {cache!r}
from harness import process
inside, run = 0.0, process.run
def timed(*a, **k):
    global inside
    before = time.perf_counter()
    try:
        return run(*a, **k)
    finally:
        inside += time.perf_counter() - before
process.run = timed
import check_axioms
status = check_axioms.main(sys.argv[1:])
total = time.perf_counter() - started
print(status, total - inside, inside, file=open({out!r}, "w", encoding="utf-8"))
"""


def main() -> int:
    """Measure; 0 if the limits hold."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    with tempfile.TemporaryDirectory() as folder:
        played = play(RECORDINGS / "good", Path(folder))
        played.save()
        figures = [_once(played, Path(folder)) for _ in range(runs + 1)][1:]
    own = statistics.median(f[0] for f in figures)
    started = statistics.median(f[1] for f in figures)
    memory = statistics.median(f[2] for f in figures)
    low, high = min(f[0] for f in figures), max(f[0] for f in figures)
    print(f"own time    {own:.3f} s (limit {SECONDS} s; median of {runs}, {low:.3f} to {high:.3f};")
    print("            the start of Python included)")
    print(f"in programs {started:.3f} s  (left out)")
    print(f"peak memory {memory:.1f} MiB (limit {MEBIBYTES} MiB)")
    return 0 if own <= SECONDS and memory <= MEBIBYTES else 1


def _once(played: Played, folder: Path) -> tuple[float, float, float]:
    """Own seconds, seconds in programs, peak MiB of one run."""
    out = folder / "out"
    code = TIMED.format(scripts=str(SCRIPTS), cache=str(folder / "cache"), out=str(out))
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    silence = os.open(os.devnull, os.O_WRONLY)
    before = time.perf_counter()
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, "-c", code, "--project", str(played.project), "--toolchain",
         str(played.toolchain)],
        environment,
        file_actions=[(os.POSIX_SPAWN_DUP2, silence, 1), (os.POSIX_SPAWN_DUP2, silence, 2)],
    )  # fmt: skip
    _, status, usage = os.wait4(pid, 0)
    total = time.perf_counter() - before
    os.close(silence)
    if status != 0:
        sys.exit(f"the gate ended with status {status}")
    verdict, _, inside = (float(x) for x in out.read_text(encoding="utf-8").split())
    if verdict != 0:
        sys.exit(f"the gate gave exit status {verdict:g} for the good recording")
    return total - inside, inside, usage.ru_maxrss / 1024


if __name__ == "__main__":
    sys.exit(main())
