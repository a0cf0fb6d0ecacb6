-- A definition is compiled anew, otherwise, after the theorem about it.
prelude
import Logic

def Claim : Prop := True
