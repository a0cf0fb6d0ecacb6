-- A character that turns the direction of writing shows a statement otherwise.
prelude
import Logic

def Wanted (a b : Prop) : Prop := And a b
