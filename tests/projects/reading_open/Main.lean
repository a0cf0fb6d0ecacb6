-- An opened namespace decides which definition the statement names.
prelude
import Definitions

theorem goal {a b : Prop} (x : a) (_ : b) : Weak.Wanted a b := x
