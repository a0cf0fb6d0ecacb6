-- Number literals over the real Nat; the kernel computes with them.
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

noncomputable def Nat.add (m n : Nat) : Nat := Nat.rec m (fun _ sum => Nat.succ sum) n
noncomputable def Nat.mul (m n : Nat) : Nat := Nat.rec Nat.zero (fun _ p => Nat.add p m) n
