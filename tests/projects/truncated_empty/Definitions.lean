-- A compiled module is empty.
prelude
import Logic

def Claim : Prop := True
