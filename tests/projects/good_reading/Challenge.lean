-- An opened namespace as agreed, and an agreed command that is not there.
prelude
import Definitions

axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α

open Strong

theorem goal {a b : Prop} (_ : a) (_ : b) : Wanted a b := sorryAx _ Bool.true
