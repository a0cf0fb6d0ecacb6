-- Quotients as they should be, with Quot.sound.
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

inductive Eq.{u} {α : Sort u} (a : α) : α → Prop where
  | refl : Eq a a

init_quot

axiom Quot.sound.{u} {α : Sort u} {r : α → α → Prop} {a b : α} :
    r a b → Eq (Quot.mk r a) (Quot.mk r b)
