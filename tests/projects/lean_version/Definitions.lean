-- The header of a compiled module names another version of Lean.
prelude
import Logic

def Claim : Prop := True
