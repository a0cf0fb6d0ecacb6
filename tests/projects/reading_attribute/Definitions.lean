-- One attribute of several makes a trusted definition an instance.
prelude
import Logic

class Side (a b : Prop) where
  side : Prop
@[inline, instance] def weak (a b : Prop) : Side a b := ⟨True⟩
def Wanted (a b : Prop) : Prop := And a (Side.side a b)
