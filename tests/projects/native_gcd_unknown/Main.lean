-- Nat.gcd, which the kernel computes by its name, is nothing that it could confirm.
prelude
import Numbers

opaque veil : Nat → Nat → Nat := fun n _ => n
noncomputable def Nat.gcd (n m : Nat) : Nat := veil n m
theorem goal (n : Nat) : Eq (Nat.gcd n n) (Nat.gcd n n) := Eq.refl
