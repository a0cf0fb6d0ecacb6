/-
Copyright (c) 2026 The DinhSharpness authors. All rights reserved.
Released under Apache 2.0 license as described in the file LICENSE.
Authors: The DinhSharpness authors
-/
import DinhSharpness.ArbitrarilySharp
import Mathlib.Analysis.Calculus.ContDiff.Basic
import Mathlib.Analysis.Calculus.ContDiff.Operations

/-!
# The hypotheses of Theorem 4 can be met

A theorem whose hypotheses contradict each other is true and says nothing. This file shows, for
every input dimension and every width, a loss and a parameter that satisfy all hypotheses of
Theorem 4.

## Main definitions

* `squareAt k`: the loss, the square of the output on one unit input.
* `silentParameter d h`: the parameter, all hidden weights `1` and all output weights `0`.

## Main results

* `exists_minimum_with_nonzero_hessian`: the hypotheses of Theorem 4 can be met, for every `d > 0`
  and `h > 0`.

## Implementation notes

The loss is a square, and zero at the parameter, so that the parameter is a minimum, even a global
one. Near it all hidden weights are positive, so that on a unit input no hidden unit is switched
off, and the loss is the polynomial `(∑ j, W k j * v j)²`; this gives the derivatives although ReLU
has a kink. Along the line on which all output weights are `t`, the loss is `h² t²`, so that the
Hessian does not vanish.
-/

open scoped Topology ContDiff
open Filter

namespace DinhSharpness

variable {d h : ℕ}

/-- The input whose entry `k` is `1` and whose other entries are `0`. -/
noncomputable def unitInput (k : Fin d) : Input d :=
  WithLp.toLp 2 fun i => if i = k then 1 else 0

/-- A loss: the square of the output on the unit input `k`. -/
noncomputable def squareAt (k : Fin d) (f : Input d → ℝ) : ℝ :=
  f (unitInput k) ^ 2

/-- A minimum of that loss: every hidden weight is `1`, every output weight is `0`. -/
noncomputable def silentParameter (d h : ℕ) : Parameter d h :=
  WithLp.toLp 2 (Sum.elim 1 0)

/-- The loss `squareAt k`, written out: only the hidden weights of input `k` occur. -/
theorem parameterLoss_squareAt (k : Fin d) (θ : Parameter d h) :
    parameterLoss (squareAt k) θ = (∑ j, max (θ (.inl (k, j))) 0 * θ (.inr j)) ^ 2 := by
  have : ∀ j, ∑ i, unitInput k i * θ (.inl (i, j)) = θ (.inl (k, j)) := fun j => by
    change ∑ i, (if i = k then (1 : ℝ) else 0) * θ (.inl (i, j)) = θ (.inl (k, j))
    simp only [ite_mul, one_mul, zero_mul, Finset.sum_ite_eq', Finset.mem_univ, if_true]
  simp only [parameterLoss, squareAt, prediction, this]

/-- The polynomial that the loss agrees with where all hidden weights of input `k` are positive. -/
noncomputable def activePolynomial (k : Fin d) (θ : Parameter d h) : ℝ :=
  (∑ j, θ (.inl (k, j)) * θ (.inr j)) ^ 2

/-- The polynomial is twice continuously differentiable. -/
theorem contDiff_activePolynomial (k : Fin d) : ContDiff ℝ 2 (activePolynomial (h := h) k) := by
  have hc : ∀ i : Fin d × Fin h ⊕ Fin h, ContDiff ℝ 2 fun θ : Parameter d h => θ i := fun i =>
    (EuclideanSpace.proj (𝕜 := ℝ) i).contDiff
  change ContDiff ℝ 2 fun θ : Parameter d h => (∑ j, θ (.inl (k, j)) * θ (.inr j)) ^ 2
  exact (ContDiff.sum fun j _ => (hc (.inl (k, j))).mul (hc (.inr j))).pow 2

/-- Near `silentParameter d h`, the loss is the polynomial. -/
theorem parameterLoss_squareAt_eventuallyEq (k : Fin d) :
    parameterLoss (squareAt k) =ᶠ[𝓝 (silentParameter d h)] activePolynomial k := by
  have hc : ∀ i : Fin d × Fin h ⊕ Fin h, Continuous fun θ : Parameter d h => θ i := fun i =>
    (EuclideanSpace.proj (𝕜 := ℝ) i).continuous
  have hpos : ∀ᶠ θ in 𝓝 (silentParameter d h), ∀ j : Fin h, 0 < θ (.inl (k, j)) := by
    rw [eventually_all]
    intro j
    refine (hc _).continuousAt.eventually (lt_mem_nhds ?_)
    simp [silentParameter]
  filter_upwards [hpos] with θ hθ
  rw [parameterLoss_squareAt, activePolynomial]
  congr 1
  exact Finset.sum_congr rfl fun j _ => by rw [max_eq_left (hθ j).le]

/-- A function that agrees near a point with a twice continuously differentiable one is twice
differentiable there. -/
theorem TwiceDifferentiableAt.of_eventuallyEq {E : Type*} [NormedAddCommGroup E] [NormedSpace ℝ E]
    {f g : E → ℝ} {x : E} (hg : ContDiff ℝ 2 g) (hfg : f =ᶠ[𝓝 x] g) :
    TwiceDifferentiableAt f x := by
  refine ⟨?_, ?_⟩
  · filter_upwards [hfg.eventuallyEq_nhds] with z hz
    exact hz.differentiableAt_iff.2 (hg.differentiable (by norm_num) z)
  · have : ContDiff ℝ 1 (fderiv ℝ g) := hg.fderiv_right (by norm_num)
    exact hfg.fderiv.differentiableAt_iff.2 (this.differentiable (by norm_num) x)

/-- The hypotheses of Theorem 4 can be met, for every input dimension and every width. -/
theorem exists_minimum_with_nonzero_hessian (d h : ℕ) (hd : 0 < d) (hh : 0 < h) :
    -- If there is at least one input (`hd`)
    -- and at least one hidden unit (`hh`),
    -- there are a functional `ℓ` on functions of the input and a parameter `θ` such that
    ∃ (ℓ : (Input d → ℝ) → ℝ) (θ : Parameter d h),
      -- the loss is a continuous function of the parameters,
      -- it is twice differentiable at `θ`,
      Continuous (parameterLoss (h := h) ℓ) ∧ TwiceDifferentiableAt (parameterLoss ℓ) θ ∧
        -- `θ` is a local minimum of the loss,
        -- the derivative of the loss vanishes at `θ`,
        IsLocalMin (parameterLoss ℓ) θ ∧ fderiv ℝ (parameterLoss ℓ) θ = 0 ∧
          -- and the Hessian of the loss does not vanish at `θ`.
          hessian (parameterLoss ℓ) θ ≠ 0 := by
  have k : Fin d := ⟨0, hd⟩
  have hc : ∀ i : Fin d × Fin h ⊕ Fin h, Continuous fun θ : Parameter d h => θ i := fun i =>
    (EuclideanSpace.proj (𝕜 := ℝ) i).continuous
  have hcont : Continuous (parameterLoss (h := h) (squareAt k)) := by
    have : parameterLoss (h := h) (squareAt k) =
        fun θ => (∑ j, max (θ (.inl (k, j))) 0 * θ (.inr j)) ^ 2 :=
      funext (parameterLoss_squareAt k)
    rw [this]
    first
      | fun_prop
      | exact (continuous_finsetSum _ fun j _ =>
          ((hc (.inl (k, j))).max continuous_const).mul (hc (.inr j))).pow 2
  have hdiff : TwiceDifferentiableAt (parameterLoss (squareAt k)) (silentParameter d h) :=
    .of_eventuallyEq (contDiff_activePolynomial k) (parameterLoss_squareAt_eventuallyEq k)
  have hzero : parameterLoss (squareAt k) (silentParameter d h) = 0 := by
    rw [parameterLoss_squareAt]
    simp [silentParameter]
  have hmin : IsLocalMin (parameterLoss (squareAt k)) (silentParameter d h) :=
    Eventually.of_forall fun z => by
      rw [hzero, parameterLoss_squareAt]
      exact sq_nonneg _
  refine ⟨squareAt k, silentParameter d h, hcont, hdiff, hmin, hmin.fderiv_eq_zero, fun hH => ?_⟩
  set u : Parameter d h := WithLp.toLp 2 (Sum.elim 0 1)
  have hline : (fun t : ℝ => parameterLoss (squareAt k) (silentParameter d h + t • u)) =
      fun t => (h : ℝ) ^ 2 * t ^ 2 := by
    funext t
    rw [parameterLoss_squareAt]
    first
      | simp [silentParameter, u, mul_pow]
      | (have h₁ : ∀ j : Fin h, (silentParameter d h + t • u) (.inl (k, j)) = 1 + t * 0 :=
           fun _ => rfl
         have h₂ : ∀ j : Fin h, (silentParameter d h + t • u) (.inr j) = 0 + t * 1 :=
           fun _ => rfl
         simp [h₁, h₂, mul_pow])
  have h2 := hdiff.deriv_deriv_line u
  rw [hline, hH] at h2
  have hd1 : deriv (fun t : ℝ => (h : ℝ) ^ 2 * t ^ 2) = fun t => (h : ℝ) ^ 2 * (2 * t) := by
    funext t
    rw [((hasDerivAt_pow 2 t).const_mul ((h : ℝ) ^ 2)).deriv]
    norm_num
  have hd2 : HasDerivAt (fun t : ℝ => (h : ℝ) ^ 2 * (2 * t)) ((h : ℝ) ^ 2 * (2 * 1)) 0 :=
    ((hasDerivAt_id' (0 : ℝ)).const_mul 2).const_mul _
  rw [hd1, hd2.deriv, ContinuousLinearMap.zero_apply, ContinuousLinearMap.zero_apply] at h2
  have hpos : (0 : ℝ) < (h : ℝ) ^ 2 * (2 * 1) := by positivity
  exact hpos.ne' h2

end DinhSharpness
