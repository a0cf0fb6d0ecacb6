"""Started inside the sandbox: run a program, and say on a file descriptor what became of it.

`python inside_main.py DESCRIPTOR MEMORY PROGRAM ARGUMENT…`. The first line on the descriptor says
that the sandbox stands; without it nothing of the program ran. MEMORY is the limit of address space
of each process in bytes, 0 for none. Processes that the program left behind are named; they end
with the sandbox.
"""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

GRACE = 0.3
"""Seconds that processes have to end in after the one that started them."""


def left() -> list[str]:
    """The names of the processes in this sandbox that are neither its own nor about to end."""
    names = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) in (1, os.getpid()):
            continue
        try:
            name, _, state = (folder / "stat").read_text("utf-8", "replace").rpartition(") ")
        except OSError:
            continue
        if state[:1] not in ("Z", "X"):
            names.append(name.partition("(")[2])
    return sorted(names)


def main() -> int:
    """Give the exit status of the program, 128 and its number for a signal."""
    descriptor, memory, *argv = sys.argv[1:]
    with os.fdopen(int(descriptor), "w", encoding="utf-8") as report:

        def say(**what: object) -> None:
            report.write(json.dumps(what) + "\n")
            report.flush()

        say(started=True)
        if int(memory):
            resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
        try:
            process = subprocess.Popen(argv)
        except OSError as error:
            say(refused=f"{error.strerror}: {error.filename}")
            return 127
        code = process.wait()
        say(code=code)
        until = time.monotonic() + GRACE
        while (names := left()) and time.monotonic() < until:
            time.sleep(0.02)
        if names:
            say(left=names)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
