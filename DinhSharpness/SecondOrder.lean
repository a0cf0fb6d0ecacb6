/-
Copyright (c) 2026 The DinhSharpness authors. All rights reserved.
Released under Apache 2.0 license as described in the file LICENSE.
Authors: The DinhSharpness authors
-/
import Definitions.Def_DinhSharpness_Model
import Mathlib.Analysis.Calculus.DerivativeTest
import Mathlib.Analysis.Calculus.FDeriv.Symmetric
import Mathlib.Analysis.Calculus.LocalExtr.Basic

/-!
# The Hessian at a local minimum

What is known of the second derivative of a function at a point where it is twice differentiable and
has a local minimum: it is symmetric, it is nonnegative, and a vector on which it vanishes is in its
kernel.

## Main results

* `TwiceDifferentiableAt.hessian_symm`: the Hessian is symmetric. No minimum is needed.
* `TwiceDifferentiableAt.deriv_deriv_line`: `hessian f x u u` is the second derivative at `t = 0` of
  `t ↦ f (x + t u)`.
* `TwiceDifferentiableAt.hessian_nonneg`: at a local minimum, `0 ≤ hessian f x u u`.
* `apply_eq_zero_of_nonneg`: if a symmetric bilinear form `B` is nonnegative and `B a a = 0`, then
  `B a b = 0` for every `b`.

## Implementation notes

Symmetry is Mathlib's theorem on second derivatives, which asks for differentiability near the point
and a second derivative at the point, that is for `TwiceDifferentiableAt`.

Nonnegativity is proved on lines. Suppose that `φ t = f (x + t u)` had `φ'' 0 < 0`. Its derivative
at `0` is zero because `x` is a minimum. So by the second derivative test `φ` has a local maximum at
`0`. It has a local minimum there too, hence is constant near `0`, hence `φ'' 0 = 0`: a
contradiction.

For the last result, `B (b + c a) (b + c a) = B b b + 2 c B a b` is an affine function of the number
`c` and never negative, so its slope `2 B a b` is zero. The proof takes the `c` at which the value
would be `-1`.
-/

open scoped Topology
open Filter

namespace DinhSharpness

variable {E : Type*} [NormedAddCommGroup E] [NormedSpace ℝ E] {f : E → ℝ} {x : E}

/-- The Hessian of a function that is twice differentiable at `x` is symmetric. -/
theorem TwiceDifferentiableAt.hessian_symm (hf : TwiceDifferentiableAt f x) (u w : E) :
    hessian f x u w = hessian f x w u :=
  second_derivative_symmetric_of_eventually_of_real
    (hf.1.mono fun _ hz => hz.hasFDerivAt) hf.2.hasFDerivAt u w

/-- The line through `x` in the direction `u` has the derivative `u` everywhere. -/
private theorem hasDerivAt_line (u : E) (t : ℝ) : HasDerivAt (fun t : ℝ => x + t • u) u t := by
  simpa using ((hasDerivAt_id t).smul_const u).const_add x

/-- Near `t = 0`, the derivative of `t ↦ f (x + t u)` is the derivative of `f` at that point in the
direction `u`. -/
theorem TwiceDifferentiableAt.eventually_hasDerivAt_line (hf : TwiceDifferentiableAt f x) (u : E) :
    ∀ᶠ t : ℝ in 𝓝 0, HasDerivAt (fun t : ℝ => f (x + t • u)) (fderiv ℝ f (x + t • u) u) t := by
  have hline : Tendsto (fun t : ℝ => x + t • u) (𝓝 0) (𝓝 x) := by
    simpa using (hasDerivAt_line (x := x) u 0).continuousAt.tendsto
  filter_upwards [hline.eventually hf.1] with t ht
  exact ht.hasFDerivAt.comp_hasDerivAt t (hasDerivAt_line u t)

/-- The Hessian on the diagonal is the second derivative along a line: the curvature of `f` at `x`
in the direction `u`. -/
theorem TwiceDifferentiableAt.deriv_deriv_line (hf : TwiceDifferentiableAt f x) (u : E) :
    deriv (deriv fun t : ℝ => f (x + t • u)) 0 = hessian f x u u := by
  have hderiv : deriv (fun t : ℝ => f (x + t • u)) =ᶠ[𝓝 0] fun t => fderiv ℝ f (x + t • u) u :=
    (hf.eventually_hasDerivAt_line u).mono fun t ht => ht.deriv
  have hH : HasFDerivAt (fderiv ℝ f) (hessian f x) (x + (0 : ℝ) • u) := by
    rw [zero_smul, add_zero]
    exact hf.2.hasFDerivAt
  have h₁ : HasDerivAt (fun t : ℝ => fderiv ℝ f (x + t • u)) (hessian f x u) 0 :=
    hH.comp_hasDerivAt (0 : ℝ) (hasDerivAt_line u 0)
  have h₂ : HasDerivAt (fun t : ℝ => fderiv ℝ f (x + t • u) u) (hessian f x u u) 0 := by
    have h := h₁.clm_apply (hasDerivAt_const (0 : ℝ) u)
    rwa [map_zero, add_zero] at h
  rw [hderiv.deriv_eq, h₂.deriv]

/-- At a local minimum there is no direction of negative curvature. -/
theorem TwiceDifferentiableAt.hessian_nonneg (hf : TwiceDifferentiableAt f x)
    (hx : IsLocalMin f x) (u : E) : 0 ≤ hessian f x u u := by
  by_contra! hneg
  set φ : ℝ → ℝ := fun t => f (x + t • u) with hφ
  have hφ0 : φ 0 = f x := by simp [hφ]
  have hd := hf.eventually_hasDerivAt_line u
  have h1 : deriv φ 0 = 0 := by
    have := hd.self_of_nhds.deriv
    rw [zero_smul, add_zero, hx.fderiv_eq_zero] at this
    simpa using this
  have h2 : deriv (deriv φ) 0 = hessian f x u u := hf.deriv_deriv_line u
  have hmax : IsLocalMax φ 0 :=
    isLocalMax_of_deriv_deriv_neg (h2.trans_lt hneg) h1 hd.self_of_nhds.continuousAt
  have hline : Tendsto (fun t : ℝ => x + t • u) (𝓝 0) (𝓝 x) := by
    simpa using (hasDerivAt_line (x := x) u 0).continuousAt.tendsto
  have hconst : φ =ᶠ[𝓝 0] fun _ => f x := by
    filter_upwards [hline.eventually hx, hmax] with t h₁ h₂
    exact le_antisymm (h₂.trans_eq hφ0) h₁
  have h3 : deriv (deriv φ) 0 = 0 := by
    rw [hconst.deriv.deriv_eq]
    simp
  exact hneg.ne (h2.symm.trans h3)

/-- A null vector of a nonnegative symmetric form is in its kernel: if `B a a = 0` then `B a b = 0`
for every `b`. -/
theorem apply_eq_zero_of_nonneg {B : E →L[ℝ] E →L[ℝ] ℝ} (hsymm : ∀ u w, B u w = B w u)
    (hpos : ∀ u, 0 ≤ B u u) {a : E} (ha : B a a = 0) (b : E) : B a b = 0 := by
  by_contra hab
  have h := hpos (b + (-(B b b + 1) / (2 * B a b)) • a)
  simp only [map_add, map_smul, ContinuousLinearMap.add_apply, ContinuousLinearMap.smul_apply,
    smul_eq_mul, ha, hsymm b a] at h
  have : -(B b b + 1) / (2 * B a b) * B a b = -(B b b + 1) / 2 := by
    field_simp
  first
    | nlinarith
    | (have hexpand : ∀ c : ℝ, B (b + c • a) (b + c • a) = B b b + 2 * (c * B a b) := by
         intro c
         have h₁ : ∀ w : E, B w (b + c • a) = B w b + c * B w a := fun w => by
           rw [map_add, map_smul, smul_eq_mul]
         have h₂ : B (b + c • a) = B b + c • B a := by
           rw [map_add, map_smul]
         rw [h₁, h₂, ContinuousLinearMap.add_apply, ContinuousLinearMap.add_apply,
           ContinuousLinearMap.smul_apply, ContinuousLinearMap.smul_apply, smul_eq_mul,
           smul_eq_mul, ha, hsymm b a]
         ring
       have hneg := hpos (b + (-(B b b + 1) / (2 * B a b)) • a)
       rw [hexpand, this] at hneg
       linarith)

end DinhSharpness
