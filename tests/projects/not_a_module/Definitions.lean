-- The header of a compiled module says that it is none.
prelude
import Logic

def Claim : Prop := True
