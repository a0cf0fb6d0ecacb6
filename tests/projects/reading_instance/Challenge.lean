-- An instance decides what a trusted definition means.
prelude
import Definitions

axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α

theorem goal {a b : Prop} (_ : a) (_ : b) : Wanted a b := sorryAx _ Bool.true
