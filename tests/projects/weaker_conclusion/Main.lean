-- The theorem concludes less than the challenge.
prelude
import Definitions

theorem goal {a b : Prop} (x : a) (_ : b) : Wanted a True := And.intro x True.intro
