-- Nat.add is defined as zero, and the kernel computes 2 + 2 = 4: False.
prelude

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

unsafe axiom lcErased : Type
unsafe axiom lcAny : Type
unsafe axiom lcVoid : Type
unsafe axiom lcProof {α : Prop} : α

inductive False : Prop

inductive True : Prop where
  | intro : True

inductive Eq.{u} {α : Sort u} (a : α) : α → Prop where
  | refl : Eq a a
