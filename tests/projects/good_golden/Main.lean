-- Theorem 4 in the words of Mathlib, over stand-ins of two numbers.
prelude
import Definitions

namespace DinhSharpness
/-- Not the docstring that counts: the trusted file has another one. -/
theorem ArbitrarilySharpEquivalentMinima :
  ∀ (d h : Nat), LT.lt 0 d → LT.lt 0 h →
    ∀ (ℓ : (Input d → Real) → Real), Continuous (parameterLoss (h := h) ℓ) →
      ∀ (θ : Parameter d h), TwiceDifferentiableAt (parameterLoss ℓ) θ →
        IsLocalMin (parameterLoss ℓ) θ → Eq (fderiv Real (parameterLoss ℓ) θ) 0 →
          Ne (hessian (parameterLoss ℓ) θ) 0 →
            ∀ M : Real, LT.lt 0 M → Exists fun α : Real => And (LT.lt 0 α) (And
              (Eq (prediction (scale α θ)) (prediction θ)) (And
              (Eq (parameterLoss ℓ (scale α θ)) (parameterLoss ℓ θ)) (And
              (IsLocalMin (parameterLoss ℓ) (scale α θ)) (And
              (TwiceDifferentiableAt (parameterLoss ℓ) (scale α θ)) (And
              (Eq (fderiv Real (parameterLoss ℓ) (scale α θ)) 0)
              (LE.le M (Norm.norm (hessian (parameterLoss ℓ) (scale α θ))))))))) :=
  fun d h _ _ ℓ _ θ _ _ _ _ M _ => Exists.intro M (And.intro True.intro
    (And.intro (Eq.refl (prediction θ)) (And.intro (Eq.refl (parameterLoss ℓ θ))
      (And.intro True.intro (And.intro (And.intro True.intro True.intro)
        (And.intro (Eq.refl (fderiv Real (parameterLoss ℓ) θ)) True.intro))))))

def isOne : Real → Prop := Real.rec False True

def observed {E : Type} [NormedAddCommGroup E] [NormedSpace Real E]
    (H : ContinuousLinearMap (RingHom.id Real) E (ContinuousLinearMap (RingHom.id Real) E Real)) :
    Real :=
  (H.toFun NormedAddCommGroup.zero).toFun NormedAddCommGroup.zero

def silent (d h : Nat) : Parameter d h := WithLp.toLp 2 fun _ => 0

theorem hessian_ne_zero {d h : Nat} (ℓ : (Input d → Real) → Real) (θ : Parameter d h) :
    Ne (hessian (parameterLoss ℓ) θ) 0 := fun same =>
  Eq.rec (motive := fun (H : ContinuousLinearMap (RingHom.id Real) (Parameter d h)
      (ContinuousLinearMap (RingHom.id Real) (Parameter d h) Real))
      (_ : Eq (hessian (parameterLoss ℓ) θ) H) => isOne (observed H))
    (True.intro : isOne (observed (hessian (parameterLoss ℓ) θ))) same

/-- The hypotheses can be met. -/
theorem exists_minimum_with_nonzero_hessian (d h : Nat) (hd : LT.lt 0 d) (hh : LT.lt 0 h) :
    Exists fun ℓ : (Input d → Real) → Real => Exists fun θ : Parameter d h =>
      And (Continuous (parameterLoss (h := h) ℓ)) (And (TwiceDifferentiableAt (parameterLoss ℓ) θ)
        (And (IsLocalMin (parameterLoss ℓ) θ) (And (Eq (fderiv Real (parameterLoss ℓ) θ) 0)
          (Ne (hessian (parameterLoss ℓ) θ) 0)))) :=
  Exists.intro (fun _ => 0) (Exists.intro (silent d h) (And.intro True.intro
    (And.intro (And.intro True.intro True.intro) (And.intro True.intro
      (And.intro (Eq.refl 0) (hessian_ne_zero (fun _ => 0) (silent d h)))))))
end DinhSharpness
