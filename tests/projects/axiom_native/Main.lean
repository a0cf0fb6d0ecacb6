-- Nat.add, which the kernel computes by its name, is an axiom.
prelude
import Logic

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

inductive Nat : Type where
  | zero : Nat
  | succ (n : Nat) : Nat

class OfNat (α : Type u) (n : Nat) where
  ofNat : α
instance instOfNatNat (n : Nat) : OfNat Nat n := ⟨n⟩

axiom Nat.add (m n : Nat) : Nat
theorem goal : Eq (Nat.add 2 2) 4 := Eq.refl
