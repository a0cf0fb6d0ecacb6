-- The compiled module of the theorem is of another build of its imports.
prelude
import Logic

def Claim : Prop := True
