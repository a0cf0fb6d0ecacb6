-- A character that turns the direction of writing shows a statement otherwise.
prelude
import Definitions

-- What follows is stated of all a and b. ‮

axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α

theorem goal {a b : Prop} (_ : a) (_ : b) : Wanted a b := sorryAx _ Bool.true
