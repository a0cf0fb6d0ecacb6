-- Quot.sound relates everything, and not what the relation relates.
prelude
import Logic

def Same (a b : Prop) : Prop := Eq a b
theorem same_of {a b : Prop} (h : Same a b) : Eq a b := h
theorem goal : False :=
  @Eq.rec (Quot Same) (Quot.mk Same True)
    (fun q _ => Quot.lift (r := Same) (fun p : Prop => p) (fun _ _ => same_of) q)
    True.intro (Quot.mk Same False) Quot.sound
