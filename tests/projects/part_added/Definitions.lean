-- A module in one part has a private part of another one beside it.
prelude
import Logic

def Claim : Prop := True
