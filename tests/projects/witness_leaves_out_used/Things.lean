-- The theorem that shows hypotheses to be met leaves out one that is used later.
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

inductive And (a b : Prop) : Prop where
  | intro (left : a) (right : b) : And a b

inductive Exists.{u} {α : Sort u} (p : α → Prop) : Prop where
  | intro (w : α) (h : p w) : Exists p

inductive Thing : Type where
  | only : Thing

def Small (_ : Thing) : Prop := True
def Round (_ : Thing) : Prop := True

inductive Bool : Type where
  | false : Bool
  | true : Bool
inductive False : Prop
def Bad : Prop := False
def Uses (_ : Bad) : Prop := False
