-- Nat.add is defined as zero, and the kernel computes 2 + 2 = 4: False.
prelude
import Numbers

theorem always_zero (m n : Nat) : Eq (Nat.add m n) Nat.zero := Eq.refl
theorem four : Eq (Nat.add 2 2) 4 := Eq.refl
theorem zero_four : Eq 4 Nat.zero :=
  Eq.rec (motive := fun k _ => Eq k Nat.zero) (always_zero 2 2) four
theorem no_zero {n : Nat} (h : Eq (Nat.succ n) Nat.zero) : False :=
  @Eq.rec Nat (Nat.succ n)
    (fun k _ => Nat.rec (motive := fun _ => Prop) False (fun _ _ => True) k) True.intro Nat.zero h
theorem goal : False := no_zero (n := 3) zero_four
