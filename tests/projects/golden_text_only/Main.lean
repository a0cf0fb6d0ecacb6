-- A file does not compile: of the golden file only the text can be compared.
prelude
import Definitions
import Logic.Swap

theorem Both.symm {a b : Prop} (h : Both a b) : Both b a := And.swap h
theorem Both.same {a : Prop} (h : a) : Both a a := Both.symm h
