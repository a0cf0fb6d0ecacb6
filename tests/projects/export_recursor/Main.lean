-- An export says of a recursor what the kernel would not make.
prelude
import Logic

theorem goal {a b : Prop} (x : a) (y : b) : And a b := And.intro x y
