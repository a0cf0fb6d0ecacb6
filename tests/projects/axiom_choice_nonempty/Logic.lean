-- Classical.choice has the right type over a Nonempty that asks nothing.
prelude

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

unsafe axiom lcErased : Type
unsafe axiom lcAny : Type
unsafe axiom lcVoid : Type
unsafe axiom lcProof {α : Prop} : α

inductive False : Prop

inductive Nonempty.{u} (α : Sort u) : Prop where
  | intro : Nonempty α
axiom Classical.choice.{u} {α : Sort u} : Nonempty α → α
