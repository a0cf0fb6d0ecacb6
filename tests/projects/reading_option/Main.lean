-- An option lets the challenge use a variable that nobody declared.
prelude
import Definitions

theorem goal {a b : Prop} (x : a) (y : b) : Wanted a b := And.intro x y
