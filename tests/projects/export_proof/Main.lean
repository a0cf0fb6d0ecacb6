-- An export has another variable in the proof than the one that proves it.
prelude
import Logic

theorem goal {a b : Prop} (x : a) (y : b) : And a b := And.intro x y
