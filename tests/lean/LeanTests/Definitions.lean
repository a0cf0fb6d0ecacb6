/-
Copyright (c) 2026 The DinhSharpness authors. All rights reserved.
Released under Apache 2.0 license as described in the file LICENSE.
Authors: The DinhSharpness authors
-/
import DinhSharpness

/-!
# What the definitions say, equation by equation

Each line states what a definition of `Definitions/Def_DinhSharpness_Model.lean` unfolds to, and is
proved by unfolding alone. If the meaning of a definition is changed, its line here no longer
compiles. `lake test` builds this file.
-/

open scoped Topology

namespace DinhSharpness

variable {d h : ℕ} {E : Type*} [NormedAddCommGroup E] [NormedSpace ℝ E]

-- The spaces.
example : Input d = EuclideanSpace ℝ (Fin d) := rfl

example : Parameter d h = EuclideanSpace ℝ (Fin d × Fin h ⊕ Fin h) := rfl

-- The network and its loss.
example (θ : Parameter d h) (x : Input d) :
    prediction θ x = ∑ j, max (∑ i, x i * θ (.inl (i, j))) 0 * θ (.inr j) := rfl

example (ℓ : (Input d → ℝ) → ℝ) (θ : Parameter d h) :
    parameterLoss ℓ θ = ℓ (prediction θ) := rfl

-- The rescaling, on hidden weights and on output weights.
example (α : ℝ) (θ : Parameter d h) (i : Fin d) (j : Fin h) :
    scale α θ (.inl (i, j)) = α * θ (.inl (i, j)) := rfl

example (α : ℝ) (θ : Parameter d h) (j : Fin h) :
    scale α θ (.inr j) = α⁻¹ * θ (.inr j) := rfl

-- Derivatives.
example (f : E → ℝ) (x : E) :
    TwiceDifferentiableAt f x ↔
      (∀ᶠ z in 𝓝 x, DifferentiableAt ℝ f z) ∧ DifferentiableAt ℝ (fderiv ℝ f) x := Iff.rfl

example (f : E → ℝ) (x : E) : hessian f x = fderiv ℝ (fderiv ℝ f) x := rfl

end DinhSharpness
