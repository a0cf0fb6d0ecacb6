-- A file does not compile: of the golden file only the text can be compared.
prelude
import Definitions

axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α

theorem Both.symm {a b : Prop} (_ : Both a b) : Both b a := sorryAx _ Bool.true
