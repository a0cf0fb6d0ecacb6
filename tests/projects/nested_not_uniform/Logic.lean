-- A nested inductive type that is applied to other parameters than its own.
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

inductive List.{u} (α : Type u) : Type u where
  | nil : List α
  | cons (head : α) (tail : List α) : List α
