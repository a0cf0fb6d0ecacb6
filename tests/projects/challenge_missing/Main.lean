-- The challenge does not state the target that it is to state.
prelude
import Definitions

theorem goal {a b : Prop} (x : a) (y : b) : Wanted a b := And.intro x y
