-- A compiled module is cut off, and the record of the compiled modules agrees.
prelude
import Logic

theorem goal {a b : Prop} (x : a) (y : b) : And a b := And.intro x y
