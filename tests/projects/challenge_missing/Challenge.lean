-- The challenge does not state the target that it is to state.
prelude
import Definitions

axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α

theorem gaol {a b : Prop} (_ : a) (_ : b) : Wanted a b := sorryAx _ Bool.true
