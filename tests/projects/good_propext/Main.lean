-- propext as it should be, over the real Iff and Eq.
prelude
import Logic

theorem of_true {a : Prop} (h : a) : Eq a True :=
  propext (Iff.intro (fun _ => True.intro) (fun _ => h))
theorem no_axiom : Eq True True := Eq.refl
