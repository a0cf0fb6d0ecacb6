-- An instance decides what a trusted definition means.
prelude
import Logic

class Side (a b : Prop) where
  side : Prop
instance (a b : Prop) : Side a b where
  side := True
def Wanted (a b : Prop) : Prop := And a (Side.side a b)
