-- The challenge imports the module that the proof imports the theorem from.
prelude
import Logic

theorem goal {a b : Prop} (x : a) (_ : b) : a := x
