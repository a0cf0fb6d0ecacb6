-- A character that turns the direction of writing shows a statement otherwise.
prelude
import Definitions

theorem goal {a b : Prop} (x : a) (y : b) : Wanted a b := And.intro x y
