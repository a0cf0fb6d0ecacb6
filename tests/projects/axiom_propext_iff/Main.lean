-- propext has the right type over an Iff that says nothing.
prelude
import Logic

theorem goal : False :=
  Eq.rec (motive := fun p _ => p) True.intro (propext (a := True) (b := False) ⟨True.intro⟩)
