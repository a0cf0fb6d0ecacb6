"""Checks of a Lean proof: what was built, what it rests on, and whether it says what was agreed.

The package behind the scripts beside it. Standard library only.
"""

__version__ = "0.1.0"
