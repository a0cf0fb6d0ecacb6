-- An opened namespace as agreed, and an agreed command that is not there.
prelude
import Logic

def Strong.Wanted (a b : Prop) : Prop := And a b
