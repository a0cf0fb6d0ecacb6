-- The theorem has a hypothesis more than the challenge.
prelude
import Logic

def Wanted (a b : Prop) : Prop := And a b
