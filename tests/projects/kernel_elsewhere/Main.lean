-- There is no kernel where one was named.
prelude
import Logic

theorem goal {a b : Prop} (x : a) (y : b) : And a b := And.intro x y
