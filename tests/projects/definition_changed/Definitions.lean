-- The statement reads the same over another definition than agreed.
prelude
import Logic

def Wanted (a b : Prop) : Prop := And a b
