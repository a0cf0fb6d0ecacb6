-- An opened namespace as agreed, and an agreed command that is not there.
prelude
import Definitions

theorem goal {a b : Prop} (x : a) (y : b) : Strong.Wanted a b := And.intro x y
