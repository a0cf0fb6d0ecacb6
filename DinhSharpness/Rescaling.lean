/-
Copyright (c) 2026 The DinhSharpness authors. All rights reserved.
Released under Apache 2.0 license as described in the file LICENSE.
Authors: The DinhSharpness authors
-/
import Definitions.Def_DinhSharpness_Model

/-!
# Rescaling the two layers

The rescaling `T_α (W, v) = (α W, α⁻¹ v)` of a one-hidden-layer ReLU network with `α > 0` changes
neither the function computed nor the loss. It is a linear automorphism of the parameter space, and
it acts on each of the two layers by multiplication with a number.

## Main definitions

* `scaleEquiv α`: `T_α` as a continuous linear automorphism, for `α ≠ 0`.
* `hiddenPart`, `outputPart`: the parts `(W, 0)` and `(0, v)` of a parameter `(W, v)`.

## Main results

* `prediction_scale`: `T_α θ` computes the same function as `θ`, for `α > 0`.
* `parameterLoss_scale`: it has the same loss.
* `scale_hiddenPart`, `scale_outputPart`: `T_α` multiplies the hidden layer by `α` and the output
  layer by `α⁻¹`.

## Implementation notes

That the function computed stays the same rests on one property of ReLU, that
`max (α * t) 0 = α * max t 0` for `α ≥ 0`; then `α` and `α⁻¹` cancel.

## References

* L. Dinh, R. Pascanu, S. Bengio, Y. Bengio, *Sharp Minima Can Generalize For Deep Nets*, ICML 2017,
  arXiv:1703.04933v2, Section 3, Theorem 1 and Definition 5 (p. 4).
-/

namespace DinhSharpness

variable {d h : ℕ}

/-- Hidden weights are multiplied by `α`. -/
@[simp] theorem scale_inl (α : ℝ) (θ : Parameter d h) (ij : Fin d × Fin h) :
    scale α θ (.inl ij) = α * θ (.inl ij) := rfl

/-- Output weights are multiplied by `α⁻¹`. -/
@[simp] theorem scale_inr (α : ℝ) (θ : Parameter d h) (j : Fin h) :
    scale α θ (.inr j) = α⁻¹ * θ (.inr j) := rfl

/-- Rescaling by a positive number does not change the function computed: `T_α θ` and `θ` are
observationally equivalent. -/
theorem prediction_scale {α : ℝ} (hα : 0 < α) (θ : Parameter d h) :
    prediction (scale α θ) = prediction θ := by
  funext x
  refine Finset.sum_congr rfl fun j _ => ?_
  have h₁ : ∑ i, x i * scale α θ (.inl (i, j)) = α * ∑ i, x i * θ (.inl (i, j)) := by
    rw [Finset.mul_sum]
    exact Finset.sum_congr rfl fun i _ => by rw [scale_inl]; ring
  rw [h₁, scale_inr]
  have h₂ : max (α * ∑ i, x i * θ (.inl (i, j))) 0 = α * max (∑ i, x i * θ (.inl (i, j))) 0 := by
    rw [mul_max_of_nonneg _ _ hα.le, mul_zero]
  rw [h₂]
  field_simp

/-- Rescaling by a positive number does not change the loss, whatever the loss is. -/
theorem parameterLoss_scale (ℓ : (Input d → ℝ) → ℝ) {α : ℝ} (hα : 0 < α) (θ : Parameter d h) :
    parameterLoss ℓ (scale α θ) = parameterLoss ℓ θ := by
  rw [parameterLoss, parameterLoss, prediction_scale hα]

/-- The rescaling `T_α`, for `α ≠ 0`, as a continuous linear automorphism of the parameter space. -/
noncomputable def scaleEquiv (α : ℝ) (hα : α ≠ 0) : Parameter d h ≃L[ℝ] Parameter d h :=
  LinearEquiv.toContinuousLinearEquiv
    { toFun := scale α
      invFun := scale α⁻¹
      map_add' := fun θ η => by
        ext (ij | j) <;> simp [mul_add]
      map_smul' := fun c θ => by
        ext (ij | j) <;> simp [mul_left_comm]
      left_inv := fun θ => by
        ext (ij | j) <;> simp [hα]
      right_inv := fun θ => by
        ext (ij | j) <;> simp [hα] }

/-- The automorphism is `scale α`. -/
@[simp] theorem scaleEquiv_apply {α : ℝ} (hα : α ≠ 0) (θ : Parameter d h) :
    scaleEquiv α hα θ = scale α θ := rfl

/-- The inverse of `T_α` is `T_{α⁻¹}`. -/
@[simp] theorem scaleEquiv_symm_apply {α : ℝ} (hα : α ≠ 0) (θ : Parameter d h) :
    (scaleEquiv α hα).symm θ = scale α⁻¹ θ := rfl

/-- The part `(W, 0)` of a parameter `(W, v)`: the output weights are replaced by zeros. -/
noncomputable def hiddenPart (θ : Parameter d h) : Parameter d h :=
  WithLp.toLp 2 (Sum.elim (fun ij => θ (.inl ij)) 0)

/-- The part `(0, v)` of a parameter `(W, v)`: the hidden weights are replaced by zeros. -/
noncomputable def outputPart (θ : Parameter d h) : Parameter d h :=
  WithLp.toLp 2 (Sum.elim 0 (fun j => θ (.inr j)))

/-- A parameter is the sum of its two parts. -/
theorem hiddenPart_add_outputPart (θ : Parameter d h) : hiddenPart θ + outputPart θ = θ := by
  ext (ij | j) <;> simp [hiddenPart, outputPart]

/-- On the hidden layer, `T_α` is multiplication by `α`. -/
theorem scale_hiddenPart (α : ℝ) (θ : Parameter d h) :
    scale α (hiddenPart θ) = α • hiddenPart θ := by
  ext (ij | j) <;> simp [hiddenPart]

/-- On the output layer, `T_α` is multiplication by `α⁻¹`. -/
theorem scale_outputPart (α : ℝ) (θ : Parameter d h) :
    scale α (outputPart θ) = α⁻¹ • outputPart θ := by
  ext (ij | j) <;> simp [outputPart]

/-- The hidden part of `T_α θ` is `α` times the hidden part of `θ`. -/
theorem hiddenPart_scale (α : ℝ) (θ : Parameter d h) :
    hiddenPart (scale α θ) = α • hiddenPart θ := by
  ext (ij | j) <;> simp [hiddenPart]

end DinhSharpness
