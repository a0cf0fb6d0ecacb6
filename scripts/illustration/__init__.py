"""The theorems on networks with numbers: definitions, derivatives, minima, pictures.

The package behind `scripts/illustrate.py`. It needs numpy, and matplotlib for the pictures (the
extra `report`). It is no part of the checks: nothing here decides anything about the proof.
"""
