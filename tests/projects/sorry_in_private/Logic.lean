-- A private theorem of a module, behind a public one, rests on sorryAx.
module
prelude

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

public section

unsafe axiom lcErased : Type
unsafe axiom lcAny : Type
unsafe axiom lcVoid : Type
unsafe axiom lcProof {α : Prop} : α

inductive False : Prop

inductive True : Prop where
  | intro : True

inductive Bool : Type where
  | false : Bool
  | true : Bool

axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α
