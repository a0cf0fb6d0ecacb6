/-
Copyright (c) 2026 The DinhSharpness authors. All rights reserved.
Released under Apache 2.0 license as described in the file LICENSE.
Authors: The DinhSharpness authors
-/
import DinhSharpness.Rescaling
import DinhSharpness.Sharpness

/-!
# Theorem 4: arbitrarily sharp equivalent minima

Every minimum with nonzero Hessian of a loss of a one-hidden-layer ReLU network is equivalent, by
rescaling the two layers, to minima with a Hessian of norm as large as one likes.

## Main results

* `exists_le_norm_hessian_scale`: from a local minimum with nonzero Hessian, some rescaling leads to
  a point where the norm of the Hessian is at least `M`.
* `ArbitrarilySharpEquivalentMinima`: Theorem 4, in the words of `Challenge.lean`.
* `not_bddAbove_norm_hessian_scale`: the norm of the Hessian is unbounded over the rescaled
  parameters.

## Implementation notes

The idea is told in `DinhSharpness/Sharpness.lean`; here it is applied to the two layers of the
network. The rescaling `T_α` divides the arguments of the Hessian by `α` in the hidden layer and
multiplies them by `α` in the output layer. So if it is the hidden layer that has a direction of
positive curvature, a small `α` makes the minimum sharp, and if it is the output layer, a large one.

The statement of Theorem 4 is the one agreed upon, and keeps all the hypotheses of the challenge.
The proof uses less. Of the hypotheses it does not use

* `0 < d` and `0 < h`: if one of them is zero, every parameter computes the zero function, so that
  the Hessian is zero and there is nothing to prove;
* that the loss is continuous: near `θ` this follows from differentiability, and elsewhere nothing
  is needed;
* that the derivative of the loss vanishes at `θ`: this follows from the minimum.

`exists_le_norm_hessian_scale` is the stronger form, with none of these four. It states the
inequality only; the other claims of Theorem 4 hold for every `α > 0` by `prediction_scale`,
`parameterLoss_scale`, `IsLocalMin.map_of_invariant` and `TwiceDifferentiableAt.map_of_invariant`.

## References

* L. Dinh, R. Pascanu, S. Bengio, Y. Bengio, *Sharp Minima Can Generalize For Deep Nets*, ICML 2017,
  arXiv:1703.04933v2, Section 4.2, Theorem 4 (p. 5; its proof continues on p. 6).
-/

namespace DinhSharpness

variable {d h : ℕ}

/-- The sharpness half of Theorem 4, without the hypotheses that its proof does not need: no
continuity of the loss, no condition on its derivative, no condition on `d` and `h`. -/
theorem exists_le_norm_hessian_scale {ℓ : (Input d → ℝ) → ℝ} {θ : Parameter d h}
    (hdiff : TwiceDifferentiableAt (parameterLoss ℓ) θ) (hmin : IsLocalMin (parameterLoss ℓ) θ)
    (hne : hessian (parameterLoss ℓ) θ ≠ 0) {M : ℝ} (hM : 0 < M) :
    ∃ α : ℝ, 0 < α ∧ M ≤ ‖hessian (parameterLoss ℓ) (scale α θ)‖ := by
  have hscale : ∀ layer : Bool, ∀ β : ℝ, 0 < β →
      ∃ e ∈ {e | ∃ (α : ℝ) (hα : 0 < α), e = scaleEquiv (d := d) (h := h) α hα.ne'},
        ∀ z, e.symm (bif layer then hiddenPart z else outputPart z) =
          β • (bif layer then hiddenPart z else outputPart z) := by
    intro layer β hβ
    cases layer
    · refine ⟨_, ⟨β, hβ, rfl⟩, fun z => ?_⟩
      rw [scaleEquiv_symm_apply, cond_false, scale_outputPart, inv_inv]
    · refine ⟨_, ⟨β⁻¹, inv_pos.2 hβ, rfl⟩, fun z => ?_⟩
      rw [scaleEquiv_symm_apply, cond_true, scale_hiddenPart, inv_inv]
  obtain ⟨_, ⟨α, hα, rfl⟩, hle⟩ :=
    exists_le_norm_hessian_of_invariant hdiff hmin hne
      (part := fun layer z => bif layer then hiddenPart z else outputPart z)
      (fun z => (Fintype.sum_bool _).trans (hiddenPart_add_outputPart z))
      (by rintro _ ⟨α, hα, rfl⟩ z; exact parameterLoss_scale ℓ hα z) hscale hM
  exact ⟨α, hα, hle⟩

/-- **Theorem 4** of Dinh, Pascanu, Bengio and Bengio. Every minimum with nonzero Hessian of a loss
of a one-hidden-layer ReLU network is equivalent, by rescaling the two layers, to minima with a
Hessian of norm as large as one likes. -/
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
              M ≤ ‖hessian (parameterLoss ℓ) (scale α θ)‖ := by
  intro d h _ _ ℓ _ θ hdiff hmin _ hne M hM
  obtain ⟨α, hα, hsharp⟩ := exists_le_norm_hessian_scale hdiff hmin hne hM
  have hinv : ∀ z, parameterLoss ℓ (scaleEquiv α hα.ne' z) = parameterLoss (h := h) ℓ z :=
    parameterLoss_scale ℓ hα
  have hmin' : IsLocalMin (parameterLoss ℓ) (scale α θ) := IsLocalMin.map_of_invariant hinv hmin
  exact ⟨α, hα, prediction_scale hα θ, parameterLoss_scale ℓ hα θ, hmin',
    TwiceDifferentiableAt.map_of_invariant hinv hdiff, hmin'.fderiv_eq_zero, hsharp⟩

/-- Over all rescalings `T_α θ` with `α > 0` of a local minimum `θ` with nonzero Hessian, the norm
of the Hessian is not bounded above. -/
theorem not_bddAbove_norm_hessian_scale {ℓ : (Input d → ℝ) → ℝ} {θ : Parameter d h}
    (hdiff : TwiceDifferentiableAt (parameterLoss ℓ) θ) (hmin : IsLocalMin (parameterLoss ℓ) θ)
    (hne : hessian (parameterLoss ℓ) θ ≠ 0) :
    ¬ BddAbove ((fun α : ℝ => ‖hessian (parameterLoss ℓ) (scale α θ)‖) '' Set.Ioi 0) := by
  rintro ⟨C, hC⟩
  have hM : (0 : ℝ) < |C| + 1 := add_pos_of_nonneg_of_pos (abs_nonneg C) one_pos
  obtain ⟨α, hα, hle⟩ := exists_le_norm_hessian_scale hdiff hmin hne hM
  have hle' : ‖hessian (parameterLoss ℓ) (scale α θ)‖ ≤ C := hC ⟨α, hα, rfl⟩
  linarith [le_abs_self C]

end DinhSharpness
