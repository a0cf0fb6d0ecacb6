-- The challenge says nothing of its own and imports the proof.
prelude
import Logic

theorem goal {a b : Prop} (x : a) (_ : b) : a := x
