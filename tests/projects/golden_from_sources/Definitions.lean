-- The golden file was made without Lean.
prelude
import Logic

def Both (a b : Prop) : Prop := And a b
