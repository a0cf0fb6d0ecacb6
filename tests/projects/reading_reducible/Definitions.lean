-- An attribute lets a trusted definition be unfolded.
prelude
import Logic

def Wanted (a b : Prop) : Prop := And a b
attribute [reducible] Wanted
