-- An axiom is declared that no target uses.
prelude
import Logic

axiom wish : False
theorem goal : True := True.intro
