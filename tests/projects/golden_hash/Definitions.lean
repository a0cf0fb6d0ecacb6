-- A definition reads as in the golden file and is another term.
prelude
import Logic

def Both (a b : Prop) : Prop := And a b
