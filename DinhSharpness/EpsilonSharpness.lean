/-
Copyright (c) 2026 The DinhSharpness authors. All rights reserved.
Released under Apache 2.0 license as described in the file LICENSE.
Authors: The DinhSharpness authors
-/
import DinhSharpness.Rescaling

/-!
# The zero function is never far away

A measure of sharpness other than the Hessian is the largest increase of the loss within a small
ball around the minimum, the `ε`-sharpness. It fares no better: every parameter is equivalent, by
rescaling, to one within distance `ε` of a parameter that computes the zero function, however small
`ε` is.

## Main results

* `exists_zero_prediction_mem_closedBall`: the statement just given.

## Implementation notes

With a small `α` the hidden layer of `T_α θ` is small. Replacing it by zeros is then a small step,
and the network without hidden weights computes the zero function, whatever its output weights are.
The proof takes `α = ε / (‖W‖ + 1)` where the paper has `ε / ‖W‖`, so that it need not ask for
`W ≠ 0`.

What follows for a loss `ℓ` is read off at once: within the ball around `T_α θ` of radius `ε` the
loss takes the value `ℓ 0`, the loss of the zero function. If the minimum is better than the zero
function by some amount, the increase of the loss within that ball is at least this amount, for
every `ε`. The `ε`-sharpness itself, a maximum over a ball divided by `1 + L θ`, is not defined
here.

## References

* L. Dinh, R. Pascanu, S. Bengio, Y. Bengio, *Sharp Minima Can Generalize For Deep Nets*, ICML 2017,
  arXiv:1703.04933v2: Section 2, Definition 2; Section 4.3.
-/

namespace DinhSharpness

variable {d h : ℕ}

/-- Without hidden weights, the network computes the zero function. -/
theorem prediction_outputPart (θ : Parameter d h) : prediction (outputPart θ) = 0 := by
  funext x
  refine Finset.sum_eq_zero fun j _ => ?_
  have hzero : ∑ i, x i * outputPart θ (.inl (i, j)) = 0 :=
    Finset.sum_eq_zero fun i _ => mul_zero (x i)
  rw [hzero, max_self, zero_mul]

/-- Within every distance of a parameter that computes the same function as `θ` there is one that
computes the zero function. -/
theorem exists_zero_prediction_mem_closedBall (θ : Parameter d h) {ε : ℝ} (hε : 0 < ε) :
    ∃ α : ℝ, 0 < α ∧ prediction (scale α θ) = prediction θ ∧
      ∃ η ∈ Metric.closedBall (scale α θ) ε, prediction η = 0 := by
  have hr : 0 < ‖hiddenPart θ‖ + 1 := add_pos_of_nonneg_of_pos (norm_nonneg _) one_pos
  have hα : 0 < ε / (‖hiddenPart θ‖ + 1) := div_pos hε hr
  refine ⟨_, hα, prediction_scale hα θ, outputPart (scale (ε / (‖hiddenPart θ‖ + 1)) θ), ?_,
    prediction_outputPart _⟩
  set α := ε / (‖hiddenPart θ‖ + 1)
  have hsub : scale α θ - outputPart (scale α θ) = α • hiddenPart θ := by
    rw [← hiddenPart_scale, sub_eq_iff_eq_add, hiddenPart_add_outputPart]
  rw [Metric.mem_closedBall, dist_comm, dist_eq_norm, hsub, norm_smul, Real.norm_of_nonneg hα.le]
  calc α * ‖hiddenPart θ‖ ≤ α * (‖hiddenPart θ‖ + 1) :=
        mul_le_mul_of_nonneg_left (le_add_of_nonneg_right zero_le_one) hα.le
    _ = ε := div_mul_cancel₀ _ hr.ne'

end DinhSharpness
