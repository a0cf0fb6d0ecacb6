-- An export names a variable beyond what Lean can count.
prelude
import Logic

theorem goal {a b : Prop} (x : a) (y : b) : And a b := And.intro x y
