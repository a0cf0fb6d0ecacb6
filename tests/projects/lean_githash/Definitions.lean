-- The header of a compiled module names another build of the same Lean.
prelude
import Logic

def Claim : Prop := True
