-- Beside the target: instances, abbreviations, an opaque constant, an unsafe one.
prelude
import Data

unsafe def spin (n : Data) : Data := spin n
abbrev Pair (a b : Prop) : Prop := And a b
opaque hidden : And True True := And.intro True.intro True.intro
class Holds (p : Prop) : Prop where
  proof : p
instance : Holds True := ⟨True.intro⟩
theorem goal : And True (Pair True True) := And.intro (Holds.proof) hidden
