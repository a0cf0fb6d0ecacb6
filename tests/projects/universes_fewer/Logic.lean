-- The challenge is about every universe, the theorem about one.
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

inductive Bool : Type where
  | false : Bool
  | true : Bool
