-- An instance decides what a trusted definition means.
prelude
import Definitions

theorem goal {a b : Prop} (x : a) (_ : b) : Wanted a b := And.intro x True.intro
