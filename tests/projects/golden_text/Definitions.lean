-- The golden file says another thing of a definition than is there.
prelude
import Logic

def Both (a b : Prop) : Prop := And a b
