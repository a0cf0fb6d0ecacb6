-- The source of an imported definition changed after compiling.
prelude
import Logic

def Claim : Prop := True
