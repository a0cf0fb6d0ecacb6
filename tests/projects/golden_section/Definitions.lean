-- The golden file has nothing on one of the targets.
prelude
import Logic

def Both (a b : Prop) : Prop := And a b
