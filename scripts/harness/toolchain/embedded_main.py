"""Started as a program: load the libraries of the wheel and be `lean`.

`python embedded_main.py FOLDER ARGUMENT…`. A process of its own, because what Lean does to a
process (signal handlers, threads, its own exit) is nothing for the one that judges it.
"""

import ctypes
import os
import sys


def main() -> int:
    """Run `lean_main` with the remaining arguments and give its exit status."""
    folder, *arguments = sys.argv[1:]
    for name in ("libInit_shared.so", "libleanshared_2.so", "libleanshared_1.so"):
        ctypes.CDLL(os.path.join(folder, name), mode=ctypes.RTLD_GLOBAL)  # noqa: PTH118
    lean = ctypes.CDLL(os.path.join(folder, "libleanshared.so"), mode=ctypes.RTLD_GLOBAL)  # noqa: PTH118
    words = [b"lean", *(os.fsencode(a) for a in arguments)]
    argv = (ctypes.c_char_p * (len(words) + 1))(*words, None)
    status: int = lean.lean_main(len(words), argv)
    ctypes.CDLL(None).fflush(None)
    return status


if __name__ == "__main__":
    os._exit(main() & 0xFF)
