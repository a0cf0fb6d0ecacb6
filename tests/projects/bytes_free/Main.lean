-- A changed byte in a proof: a bound variable becomes a free one.
prelude
import Logic

theorem goal {a b : Prop} (x : a) (y : b) : And a b := And.intro x y
