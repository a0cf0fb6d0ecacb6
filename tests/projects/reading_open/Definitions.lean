-- An opened namespace decides which definition the statement names.
prelude
import Logic

def Strong.Wanted (a b : Prop) : Prop := And a b
def Weak.Wanted (a _ : Prop) : Prop := a
