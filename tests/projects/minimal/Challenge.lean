/-
The statement as agreed, its proof left out on purpose.
-/
prelude
import Definitions

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

/-- What `sorry` needs. -/
inductive Bool : Type where
  | false : Bool
  | true : Bool

/-- What `sorry` is. -/
axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α

/-- The order of two propositions does not matter. -/
theorem and_swap {a b : Prop} (_ : And a b) : And b a := sorryAx _ Bool.true
