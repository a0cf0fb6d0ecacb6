"""Checks that a Lean theorem is the one its repository claims, and what it rests on.

The installed form of the scripts: they and the package behind them lie in the folder `scripts` of
this one, as in the checkout, and the command `lean-proof-audit` starts them. Nothing here is to be
imported.
"""
