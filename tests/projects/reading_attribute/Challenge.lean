-- One attribute of several makes a trusted definition an instance.
prelude
import Definitions

axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α

theorem goal {a b : Prop} (_ : a) (_ : b) : Wanted a b := sorryAx _ Bool.true
