-- The theorem concludes less than the challenge.
prelude
import Logic

def Wanted (a b : Prop) : Prop := And a b
