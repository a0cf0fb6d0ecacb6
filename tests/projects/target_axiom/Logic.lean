-- The target is an axiom, even one that the policy allows.
prelude

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

unsafe axiom lcErased : Type
unsafe axiom lcAny : Type
unsafe axiom lcVoid : Type
unsafe axiom lcProof {α : Prop} : α

inductive True : Prop where
  | intro : True

structure Iff (a b : Prop) : Prop where
  intro ::
  mp : a → b
  mpr : b → a

inductive Eq.{u} {α : Sort u} (a : α) : α → Prop where
  | refl : Eq a a
