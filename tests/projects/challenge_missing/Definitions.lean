-- The challenge does not state the target that it is to state.
prelude
import Logic

def Wanted (a b : Prop) : Prop := And a b
