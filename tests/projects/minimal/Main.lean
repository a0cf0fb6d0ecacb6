/-
The proof.
-/
prelude
import Definitions

/-- The order of two propositions does not matter. -/
theorem and_swap {a b : Prop} (both : And a b) : And b a :=
  And.rec (motive := fun _ => And b a) (fun left right => And.intro right left) both
