-- An axiom of an allowed name and another type, which nothing uses.
prelude
import Logic

axiom propext : False
theorem goal : True := True.intro
