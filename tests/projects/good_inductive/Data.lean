-- Mutual and nested inductive types, and proofs by their recursors.
prelude

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

set_option bootstrap.inductiveCheckResultingUniverse false

unsafe axiom lcErased : Type
unsafe axiom lcAny : Type
unsafe axiom lcVoid : Type
unsafe axiom lcProof {α : Prop} : α

inductive True : Prop where
  | intro : True

inductive Eq.{u} {α : Sort u} (a : α) : α → Prop where
  | refl : Eq a a

inductive PUnit.{u} : Sort u where
  | unit : PUnit
inductive List.{u} (α : Type u) : Type u where
  | nil : List α
  | cons (head : α) (tail : List α) : List α
inductive Count : Type where
  | zero : Count
  | succ (n : Count) : Count
inductive Tree (α : Type) : Type where
  | node (value : α) (children : List (Tree α)) : Tree α

mutual
  inductive Even : Count → Prop where
    | zero : Even Count.zero
    | succ (n : Count) (h : Odd n) : Even (Count.succ n)
  inductive Odd : Count → Prop where
    | succ (n : Count) (h : Even n) : Odd (Count.succ n)
end
mutual
  inductive Forest : Type where
    | empty : Forest
    | more (first : Shrub) (others : Forest) : Forest
  inductive Shrub : Type where
    | grow (below : Forest) : Shrub
end
