-- A flipped bit in a proof: it names another variable than before.
prelude
import Logic

theorem goal {a b : Prop} (x : a) (y : b) : And a b := And.intro x y
