-- A compiled module ends within its header.
prelude
import Logic

def Claim : Prop := True
