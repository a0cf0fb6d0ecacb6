-- sorryAx hides in a definition that reduction makes disappear.
prelude
import Logic

def Bad : Prop := sorryAx Prop Bool.false
def First (a _ : Prop) : Prop := a
