-- An export ends in the middle of a line, and its manifest agrees.
prelude
import Logic

theorem goal {a b : Prop} (x : a) (y : b) : And a b := And.intro x y
