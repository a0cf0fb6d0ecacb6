-- There is no golden file, which the policy names.
prelude
import Logic

def Both (a b : Prop) : Prop := And a b
