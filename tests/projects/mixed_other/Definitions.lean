-- A good project: what others' compiled modules are mixed with.
prelude
import Logic

def Claim : Prop := False
