-- Nat.gcd, which the kernel computes by its name, is nothing that it could confirm.
prelude
import Logic

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

inductive Eq.{u} {α : Sort u} (a : α) : α → Prop where
  | refl : Eq a a

inductive Nat : Type where
  | zero : Nat
  | succ (n : Nat) : Nat

class OfNat.{u} (α : Type u) (n : Nat) where
  ofNat : α
instance instOfNatNat (n : Nat) : OfNat Nat n := ⟨n⟩
