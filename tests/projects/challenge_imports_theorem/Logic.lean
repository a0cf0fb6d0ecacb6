-- The challenge imports the module that the proof imports the theorem from.
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

inductive And (a b : Prop) : Prop where
  | intro (left : a) (right : b) : And a b

inductive Bool : Type where
  | false : Bool
  | true : Bool
