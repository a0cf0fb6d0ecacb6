-- Number literals over the real Nat; the kernel computes with them.
prelude

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

unsafe axiom lcErased : Type
unsafe axiom lcAny : Type
unsafe axiom lcVoid : Type
unsafe axiom lcProof {α : Prop} : α

inductive Eq.{u} {α : Sort u} (a : α) : α → Prop where
  | refl : Eq a a
