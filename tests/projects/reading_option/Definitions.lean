-- An option lets the challenge use a variable that nobody declared.
prelude
import Logic

def Wanted (a b : Prop) : Prop := And a b
