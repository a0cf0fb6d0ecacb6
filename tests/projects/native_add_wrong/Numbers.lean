-- Nat.add is defined as zero, and the kernel computes 2 + 2 = 4: False.
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

def Nat.add (_ _ : Nat) : Nat := Nat.zero
