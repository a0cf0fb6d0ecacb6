/-
Copyright (c) 2026 The DinhSharpness authors. All rights reserved.
Released under Apache 2.0 license as described in the file LICENSE.
Authors: The DinhSharpness authors
-/
import Definitions.Def_DinhSharpness_Model

/-!
# The statement, as agreed

Theorem 4 of Dinh, Pascanu, Bengio and Bengio, for every one-hidden-layer ReLU network: from a
minimum with nonzero Hessian, rescaling the two layers leads to minima that compute the same
function and are as sharp as one likes. The words of the statement are defined in
`Definitions/Def_DinhSharpness_Model.lean`.

**The proof is left out on purpose.** The `sorry` below is meant: this file only says what is to be
proved. Nothing imports it, and it is not built by default. The theorem with its proof stands in
`DinhSharpness/ArbitrarilySharp.lean`, and the project's gate compares that theorem with this one,
the definitions that it rests on included. So a change of the statement next to its proof is
noticed.

## Implementation notes

The statement keeps some hypotheses that the proof does not use: `0 < d`, `0 < h`, the continuity of
the loss, and the vanishing of its derivative, which follows from the minimum. They belong to the
statement as agreed, which follows the paper's words. See `exists_le_norm_hessian_scale` in
`DinhSharpness/ArbitrarilySharp.lean` for the form without them.

## References

* L. Dinh, R. Pascanu, S. Bengio, Y. Bengio, *Sharp Minima Can Generalize For Deep Nets*, ICML 2017,
  arXiv:1703.04933v2, Section 4.2, Theorem 4 (p. 5).
-/

namespace DinhSharpness
/-- **Theorem 4** of Dinh, Pascanu, Bengio and Bengio: every minimum with nonzero Hessian of a loss
of a one-hidden-layer ReLU network is equivalent, by rescaling the two layers, to minima with a
Hessian of norm as large as one likes.

It is stated and not proved here. -/
theorem ArbitrarilySharpEquivalentMinima :
  -- For every input dimension `d` and every number `h` of hidden units,
  -- with at least one input
  -- and at least one hidden unit;
  ∀ (d h : ℕ), 0 < d → 0 < h →
    -- for every functional `ℓ` on functions of the input
    -- such that the loss is a continuous function of the parameters;
    ∀ (ℓ : (Input d → ℝ) → ℝ), Continuous (parameterLoss (h := h) ℓ) →
      -- for every parameter `θ`
      -- at which the loss is twice differentiable,
      ∀ (θ : Parameter d h), TwiceDifferentiableAt (parameterLoss ℓ) θ →
        -- which is a local minimum of the loss,
        -- at which the derivative of the loss vanishes,
        IsLocalMin (parameterLoss ℓ) θ → fderiv ℝ (parameterLoss ℓ) θ = 0 →
          -- and at which the Hessian of the loss does not vanish:
          hessian (parameterLoss ℓ) θ ≠ 0 →
            -- for every real number `M`, however large,
            -- as long as it is positive,
            -- there is a real number `α`
            -- which is positive, and for which
            ∀ M : ℝ, 0 < M → ∃ α : ℝ, 0 < α ∧
              -- the rescaled parameter computes the same function,
              prediction (scale α θ) = prediction θ ∧
              -- it has the same loss,
              parameterLoss ℓ (scale α θ) = parameterLoss ℓ θ ∧
              -- it is a local minimum again,
              IsLocalMin (parameterLoss ℓ) (scale α θ) ∧
              -- the loss is twice differentiable there too,
              TwiceDifferentiableAt (parameterLoss ℓ) (scale α θ) ∧
              -- its derivative vanishes there too,
              fderiv ℝ (parameterLoss ℓ) (scale α θ) = 0 ∧
              -- and the norm of its Hessian there is at least `M`.
              M ≤ ‖hessian (parameterLoss ℓ) (scale α θ)‖ := by sorry
end DinhSharpness
