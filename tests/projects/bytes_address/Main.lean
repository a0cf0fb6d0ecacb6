-- A changed byte in a proof: an address that leads out of the module.
prelude
import Logic

theorem goal {a b : Prop} (x : a) (y : b) : And a b := And.intro x y
