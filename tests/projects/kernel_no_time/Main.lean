-- The time that the policy gives the replay is over before the kernel is there.
prelude
import Logic

theorem goal {a b : Prop} (x : a) (y : b) : And a b := And.intro x y
