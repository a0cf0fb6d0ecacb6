-- The statement reads the same over another definition than agreed.
prelude
import Logic

def Wanted (a _ : Prop) : Prop := a
theorem goal {a b : Prop} (x : a) (_ : b) : Wanted a b := x
