"""A stand-in for `lake` that plays back what it is told, or misbehaves on purpose.

Started by a small shell script that names the file with its instructions: a list of rules, each
with the arguments that it answers to (`starts`) and what it then does. It never checks a proof.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def main() -> int:
    """Find the first rule for the arguments and do what it says."""
    instructions, *arguments = sys.argv[1:]
    rules: list[dict[str, Any]] = json.loads(Path(instructions).read_text(encoding="utf-8"))
    with Path(instructions).with_suffix(".log").open("a", encoding="utf-8") as log:
        log.write(json.dumps({"argv": arguments, "cwd": str(Path.cwd())}) + "\n")
    for rule in rules:
        if arguments[: len(rule["starts"])] == rule["starts"]:
            return _do(rule)
    print(f"fake lake: no rule for {arguments}", file=sys.stderr)
    return 64


def _do(rule: dict[str, Any]) -> int:
    if seconds := rule.get("spawn"):
        # Keeps our output open, as a forgotten server would.
        child = subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({seconds})"])
        if "pid_file" in rule:
            Path(rule["pid_file"]).write_text(str(child.pid), encoding="utf-8")
    for path, text in rule.get("write", {}).items():
        Path(path).write_text(text, encoding="utf-8")
    for stream, key in ((sys.stdout, "stdout"), (sys.stderr, "stderr")):
        stream.buffer.write(str(rule.get(key, "")).encode("utf-8"))
        stream.buffer.write(bytes(rule.get(f"{key}_bytes", [])))
        stream.buffer.flush()
    if lines := rule.get("lines"):
        for number in range(lines):
            print(f"info: line {number} of a long log")
        sys.stdout.flush()
    time.sleep(rule.get("sleep", 0))
    if "signal" in rule:
        os.kill(os.getpid(), signal.Signals[rule["signal"]])
    return int(rule.get("exit", 0))


if __name__ == "__main__":
    sys.exit(main())
