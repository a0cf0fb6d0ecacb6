"""Checks of a Lean proof: what was built, what it rests on, and whether it says what was agreed.

The package behind the scripts beside it. Standard library only.
"""

import sys

__version__ = "0.1.0"

if sys.version_info < (3, 11):  # noqa: UP036
    # In words that older Pythons understand, before they meet any that they do not.
    sys.stderr.write(
        "Python 3.11 or newer is needed, and this is {}.{}; nothing was checked.\n".format(
            *sys.version_info[:2]
        )
    )
    sys.exit(2)
