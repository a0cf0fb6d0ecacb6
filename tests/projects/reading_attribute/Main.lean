-- One attribute of several makes a trusted definition an instance.
prelude
import Definitions

theorem goal {a b : Prop} (x : a) (_ : b) : Wanted a b := And.intro x True.intro
