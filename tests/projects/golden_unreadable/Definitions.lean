-- The golden file is not of the form.
prelude
import Logic

def Both (a b : Prop) : Prop := And a b
