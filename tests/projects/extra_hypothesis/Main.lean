-- The theorem has a hypothesis more than the challenge.
prelude
import Definitions

theorem goal {a b : Prop} (x : a) (y : b) (_ : True) : Wanted a b := And.intro x y
