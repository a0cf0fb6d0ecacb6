-- Nat has no constructor, and literals all the same: False.
prelude
import Logic

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

inductive Nat : Type

class OfNat (α : Type u) (n : Nat) where
  ofNat : α
instance instOfNatNat (n : Nat) : OfNat Nat n := ⟨n⟩

theorem none (n : Nat) : False := Nat.rec (fun _ => False) n
theorem goal : False := none 0
