-- Several modules, the statement as in the challenge.
prelude
import Logic

def Both (a b : Prop) : Prop := And a b
