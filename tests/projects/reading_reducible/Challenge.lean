-- An attribute lets a trusted definition be unfolded.
prelude
import Definitions

axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α

theorem goal {a b : Prop} (_ : a) (_ : b) : Wanted a b := sorryAx _ Bool.true
