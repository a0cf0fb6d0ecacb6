-- An option lets the challenge use a variable that nobody declared.
prelude
import Definitions

axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α

set_option autoImplicit true in
theorem goal {b : Prop} (_ : a) (_ : b) : Wanted a b := sorryAx _ Bool.true
