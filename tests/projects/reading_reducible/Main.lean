-- An attribute lets a trusted definition be unfolded.
prelude
import Definitions

theorem goal {a b : Prop} (x : a) (y : b) : Wanted a b := And.intro x y
