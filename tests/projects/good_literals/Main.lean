-- Number literals over the real Nat; the kernel computes with them.
prelude
import Numbers

theorem two_is : @Eq Nat 2 (Nat.succ 1) := Eq.refl
theorem sum : Eq (Nat.add 20 22) 42 := Eq.refl
theorem product : Eq (Nat.mul 123456789 987654321) 121932631112635269 := Eq.refl
theorem add_zero (n : Nat) : Eq (Nat.add n 0) n := Eq.refl
