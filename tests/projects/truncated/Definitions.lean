-- A compiled module is cut off in the middle.
prelude
import Logic

def Claim : Prop := True
