-- Quotients as they should be, with Quot.sound.
prelude
import Logic

def Always (α : Type) (_ _ : α) : Prop := True
def Squash (α : Type) : Type := Quot (Always α)
theorem Squash.alike {α : Type} (a b : α) :
    @Eq (Squash α) (Quot.mk (Always α) a) (Quot.mk (Always α) b) :=
  Quot.sound True.intro
theorem Squash.every {α : Type} {p : Squash α → Prop} (h : (a : α) → p (Quot.mk (Always α) a))
    (s : Squash α) : p s :=
  Quot.ind h s
theorem lift_mk {α β : Type} (f : α → β) (h : (a b : α) → Always α a b → Eq (f a) (f b)) (a : α) :
    Eq (Quot.lift f h (Quot.mk (Always α) a)) (f a) :=
  Eq.refl
