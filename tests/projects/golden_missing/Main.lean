-- There is no golden file, which the policy names.
prelude
import Definitions
import Logic.Swap

theorem Both.symm {a b : Prop} (h : Both a b) : Both b a := And.swap h
theorem Both.same {a : Prop} (h : a) : Both a a := Both.symm (And.intro h h)
