-- A definition reads as in the golden file and is another term.
prelude
import Definitions
import Logic.Swap

theorem Both.symm {a b : Prop} (h : Both a b) : Both b a := And.swap h
theorem Both.same {a : Prop} (h : a) : Both a a := Both.symm (And.intro h h)
