-- The policy names the proof itself as its challenge.
prelude
import Logic

theorem goal {a b : Prop} (x : a) (_ : b) : a := x
