/-
Copyright (c) 2026 The DinhSharpness authors. All rights reserved.
Released under Apache 2.0 license as described in the file LICENSE.
Authors: The DinhSharpness authors
-/
import Definitions.Def_DinhSharpness_Model
import Mathlib.Analysis.Calculus.FDeriv.Comp
import Mathlib.Analysis.Calculus.FDeriv.Equiv

/-!
# Functions that are invariant under a linear automorphism

Let `e` be a continuous linear automorphism of a real normed space and `f` a real function with
`f (e z) = f z` for all `z`. Then whatever `f` does at `x` it does at `e x`: minima go to minima,
and the first and second derivatives at the two points determine each other.

## Main results

* `IsLocalMin.map_of_invariant`: if `x` is a local minimum, so is `e x`.
* `fderiv_map_of_invariant`: the derivative at `e z` is the derivative at `z` after `e⁻¹`.
* `TwiceDifferentiableAt.map_of_invariant`: twice differentiable at `x`, then also at `e x`.
* `hessian_map_of_invariant`: the Hessian at `e x` is the Hessian at `x`, both arguments through
  `e⁻¹`.

## Implementation notes

Nothing here knows of networks. For the rescaling `T_α` of a one-hidden-layer network, the second
and the fourth result are the paper's Theorem 3, with vectors and linear maps where the paper has
block matrices: `e⁻¹` is then `T_α⁻¹`, which divides the hidden layer by `α` and multiplies the
output layer by `α`.

The formula for the derivative needs no differentiability. Where `f` is not differentiable at `z` it
is not differentiable at `e z` either, and Mathlib's `fderiv` is `0` at both.

## References

* L. Dinh, R. Pascanu, S. Bengio, Y. Bengio, *Sharp Minima Can Generalize For Deep Nets*, ICML 2017,
  arXiv:1703.04933v2, Section 4.2, Theorem 3 (p. 5).
-/

open scoped Topology

namespace DinhSharpness

variable {E : Type*} [NormedAddCommGroup E] [NormedSpace ℝ E]
  {f : E → ℝ} {e : E ≃L[ℝ] E} {x : E}

/-- If an invariant function has a local minimum at `x`, it has one at `e x`. -/
theorem IsLocalMin.map_of_invariant (hf : ∀ z, f (e z) = f z) (hx : IsLocalMin f x) :
    IsLocalMin f (e x) := by
  have key : ∀ᶠ y in 𝓝 (e x), f x ≤ f (e.symm y) := by
    have : Filter.Tendsto e.symm (𝓝 (e x)) (𝓝 x) := by
      simpa using e.symm.continuous.tendsto (e x)
    exact this.eventually hx
  filter_upwards [key] with y hy
  have := hf (e.symm y)
  rw [e.apply_symm_apply] at this
  rw [hf, this]
  exact hy

/-- The derivative of an invariant function at `e z` is its derivative at `z`, composed with `e⁻¹`.
The first half of the paper's Theorem 3. -/
theorem fderiv_map_of_invariant (hf : ∀ z, f (e z) = f z) (z : E) :
    fderiv ℝ f (e z) = (fderiv ℝ f z).comp (e.symm : E →L[ℝ] E) := by
  have h : fderiv ℝ f z = (fderiv ℝ f (e z)).comp (e : E →L[ℝ] E) := by
    rw [← e.comp_right_fderiv]
    congr 1
    exact (funext hf).symm
  rw [h]
  ext u
  simp

/-- An invariant function that is differentiable at `x` is differentiable at `e x`. -/
theorem DifferentiableAt.map_of_invariant (hf : ∀ z, f (e z) = f z)
    (hx : DifferentiableAt ℝ f x) : DifferentiableAt ℝ f (e x) := by
  rw [← e.comp_right_differentiableAt_iff]
  have : f ∘ e = f := funext hf
  rwa [this]

/-- The derivative of the derivative of an invariant function at `e x`, written with compositions
only: first `e⁻¹`, then the Hessian at `x`, then composition with `e⁻¹`. -/
theorem hasFDerivAt_fderiv_map_of_invariant (hf : ∀ z, f (e z) = f z)
    (hx : DifferentiableAt ℝ (fderiv ℝ f) x) :
    HasFDerivAt (fderiv ℝ f)
      (((ContinuousLinearMap.compL ℝ E E ℝ).flip (e.symm : E →L[ℝ] E)).comp
        ((hessian f x).comp (e.symm : E →L[ℝ] E))) (e x) := by
  set P := (ContinuousLinearMap.compL ℝ E E ℝ).flip (e.symm : E →L[ℝ] E)
  have hg : fderiv ℝ f = fun y => P (fderiv ℝ f (e.symm y)) := by
    funext y
    have := fderiv_map_of_invariant hf (e.symm y)
    rw [e.apply_symm_apply] at this
    simpa [P] using this
  have hx' : HasFDerivAt (fderiv ℝ f) (hessian f x) (e.symm (e x)) := by
    rw [e.symm_apply_apply]
    exact hx.hasFDerivAt
  have := P.hasFDerivAt.comp (e x) (hx'.comp (e x) e.symm.hasFDerivAt)
  rw [hg]
  exact this

/-- An invariant function that is twice differentiable at `x` is twice differentiable at `e x`. -/
theorem TwiceDifferentiableAt.map_of_invariant (hf : ∀ z, f (e z) = f z)
    (hx : TwiceDifferentiableAt f x) : TwiceDifferentiableAt f (e x) := by
  refine ⟨?_, (hasFDerivAt_fderiv_map_of_invariant hf hx.2).differentiableAt⟩
  have : Filter.Tendsto e.symm (𝓝 (e x)) (𝓝 x) := by
    simpa using e.symm.continuous.tendsto (e x)
  filter_upwards [this.eventually hx.1] with y hy
  simpa using DifferentiableAt.map_of_invariant hf hy

/-- The Hessian of an invariant function at `e x`, applied to `u` and `w`, is its Hessian at `x`,
applied to `e⁻¹ u` and `e⁻¹ w`. The second half of the paper's Theorem 3. -/
theorem hessian_map_of_invariant (hf : ∀ z, f (e z) = f z)
    (hx : DifferentiableAt ℝ (fderiv ℝ f) x) (u w : E) :
    hessian f (e x) u w = hessian f x (e.symm u) (e.symm w) := by
  have := (hasFDerivAt_fderiv_map_of_invariant hf hx).fderiv
  rw [hessian, this]
  simp

end DinhSharpness
