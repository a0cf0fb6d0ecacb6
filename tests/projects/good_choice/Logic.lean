-- Classical.choice as it should be, over the real Nonempty.
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

class inductive Nonempty.{u} (α : Sort u) : Prop where
  | intro (val : α) : Nonempty α
axiom Classical.choice.{u} {α : Sort u} : Nonempty α → α
