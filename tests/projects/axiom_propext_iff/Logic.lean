-- propext has the right type over an Iff that says nothing.
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

structure Iff (a b : Prop) : Prop where
  intro ::
  either : True

axiom propext {a b : Prop} : Iff a b → Eq a b
