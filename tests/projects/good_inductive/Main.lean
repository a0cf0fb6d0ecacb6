-- Mutual and nested inductive types, and proofs by their recursors.
prelude
import Data

noncomputable def Tree.value {α : Type} (t : Tree α) : α :=
  Tree.rec (motive_1 := fun _ => α) (motive_2 := fun _ => PUnit) (fun v _ _ => v) PUnit.unit
    (fun _ _ _ _ => PUnit.unit) t
noncomputable def Shrub.under (s : Shrub) : Forest :=
  Shrub.rec (motive_1 := fun _ => Forest) (motive_2 := fun _ => Forest) Forest.empty
    (fun _ _ _ _ => Forest.empty) (fun below _ => below) s
theorem value_node {α : Type} (a : α) (c : List (Tree α)) : Eq (Tree.node a c).value a := Eq.refl
theorem under_grow (f : Forest) : Eq (Shrub.grow f).under f := Eq.refl
theorem odd_after_even {n : Count} (h : Even n) : Odd (Count.succ n) := Odd.succ n h
theorem even_two : Even (Count.succ (Count.succ Count.zero)) :=
  Even.succ _ (odd_after_even Even.zero)
