/-
Copyright (c) 2026 The DinhSharpness authors. All rights reserved.
Released under Apache 2.0 license as described in the file LICENSE.
Authors: The DinhSharpness authors
-/
import DinhSharpness.Rescaling
import Mathlib.MeasureTheory.Measure.Haar.InnerProductSpace

/-!
# Theorem 2: the flat region has infinite volume

The volume of the region around a minimum in which the loss stays below a given level was proposed
as a measure of flatness. For a one-hidden-layer ReLU network this volume is infinite, however low
the level, as soon as one hidden weight is not zero. So it cannot tell one minimum from another.

## Main definitions

* `flatRegion L θ ε`: the region `C(L, θ, ε)`.

## Main results

* `det_scaleEquiv`: the determinant of `T_α` is `α^(d * h) * α⁻¹^h`.
* `volume_le_volume_scale_image`: for `α ≥ 1`, the rescaling `T_α` does not make volumes smaller.
* `volume_flatRegion_eq_top`: the volume of the flat region is infinite.

## Implementation notes

By continuity the loss stays below the level on a small ball around `θ`. The rescaling does not
change the loss, so it stays below the level on all images of the ball under `T_α` with `α > 0`.
Together the images form a connected set that contains `θ`, and so lie in the region.

The images under `T_α` with `α = 1, 4, 16, …` are disjoint: the ball is so small that the absolute
value of one hidden weight stays between `w / 2` and `3 w / 2` on it, with `w > 0` its value at `θ`,
and each step multiplies it by `4`. No image has a smaller volume than the ball, since there are at
least as many hidden weights as output weights. Infinitely many disjoint sets of at least this
volume have infinite volume together.

The paper asks for a minimum and for `θ₁ ≠ 0` and `θ₂ ≠ 0`. The proof here needs no minimum and only
one hidden weight that is not zero.

## References

* L. Dinh, R. Pascanu, S. Bengio, Y. Bengio, *Sharp Minima Can Generalize For Deep Nets*, ICML 2017,
  arXiv:1703.04933v2: Section 2, Definition 1; Section 4.1, Theorem 2.
-/

open MeasureTheory
open scoped Topology ENNReal

namespace DinhSharpness

variable {d h : ℕ}

/-- The region `C(L, θ, ε)` of the paper's Definition 1: the largest connected set that contains `θ`
and on which the loss stays below `L θ + ε`. For `ε ≤ 0` there is none, and the value is the empty
set. -/
def flatRegion (L : Parameter d h → ℝ) (θ : Parameter d h) (ε : ℝ) : Set (Parameter d h) :=
  connectedComponentIn {η | L η < L θ + ε} θ

/-- The determinant of `T_α`: a factor `α` for each hidden weight, a factor `α⁻¹` for each output
weight. -/
theorem det_scaleEquiv {α : ℝ} (hα : α ≠ 0) :
    LinearMap.det
        ((scaleEquiv (d := d) (h := h) α hα).toLinearEquiv : Parameter d h →ₗ[ℝ] Parameter d h) =
      α ^ (d * h) * α⁻¹ ^ h := by
  have hconj : ((WithLp.linearEquiv 2 ℝ (Fin d × Fin h ⊕ Fin h → ℝ) :
        Parameter d h →ₗ[ℝ] Fin d × Fin h ⊕ Fin h → ℝ) ∘ₗ
      ((scaleEquiv (d := d) (h := h) α hα).toLinearEquiv : Parameter d h →ₗ[ℝ] Parameter d h) ∘ₗ
      ((WithLp.linearEquiv 2 ℝ (Fin d × Fin h ⊕ Fin h → ℝ)).symm :
        (Fin d × Fin h ⊕ Fin h → ℝ) →ₗ[ℝ] Parameter d h)) =
      Matrix.toLin' (Matrix.diagonal (Sum.elim (fun _ => α) fun _ => α⁻¹)) := by
    refine LinearMap.ext fun w => funext fun p => ?_
    rw [Matrix.toLin'_apply, Matrix.mulVec_diagonal]
    rcases p with ij | j <;> rfl
  first
    | rw [← LinearMap.det_conj _ (WithLp.linearEquiv 2 ℝ (Fin d × Fin h ⊕ Fin h → ℝ)), hconj,
        LinearMap.det_toLin', Matrix.det_diagonal, Fintype.prod_sum_type]
    | rw [(LinearMap.det_conj ((scaleEquiv (d := d) (h := h) α hα).toLinearEquiv :
          Parameter d h →ₗ[ℝ] Parameter d h)
          (WithLp.linearEquiv 2 ℝ (Fin d × Fin h ⊕ Fin h → ℝ))).symm.trans
          (congrArg LinearMap.det hconj),
        LinearMap.det_toLin', Matrix.det_diagonal, Fintype.prod_sum_type]
  simp only [Sum.elim_inl, Sum.elim_inr, Finset.prod_const, Finset.card_univ, Fintype.card_prod,
    Fintype.card_fin]

/-- For `α ≥ 1`, the determinant of `T_α` is at least `1`: there are `d * h` hidden weights and `h`
output weights. -/
theorem one_le_det_scaleEquiv (hd : 0 < d) {α : ℝ} (hα : 1 ≤ α) :
    1 ≤ LinearMap.det
      ((scaleEquiv (d := d) (h := h) α (zero_lt_one.trans_le hα).ne').toLinearEquiv :
        Parameter d h →ₗ[ℝ] Parameter d h) := by
  have hα0 : α ≠ 0 := (zero_lt_one.trans_le hα).ne'
  obtain ⟨k, rfl⟩ : ∃ k, d = k + 1 := ⟨d - 1, by omega⟩
  rw [det_scaleEquiv, add_mul, one_mul, pow_add, mul_assoc, ← mul_pow, mul_inv_cancel₀ hα0, one_pow,
    mul_one]
  exact one_le_pow₀ hα

/-- For `α ≥ 1`, the image of a set under `T_α` has at least the volume of the set. -/
theorem volume_le_volume_scale_image (hd : 0 < d) {α : ℝ} (hα : 1 ≤ α) (s : Set (Parameter d h)) :
    volume s ≤ volume (scale α '' s) := by
  have hα0 : α ≠ 0 := (zero_lt_one.trans_le hα).ne'
  have himage := Measure.addHaar_image_linearMap volume
    ((scaleEquiv (d := d) (h := h) α hα0).toLinearEquiv : Parameter d h →ₗ[ℝ] Parameter d h) s
  have hdet : (1 : ℝ≥0∞) ≤ ENNReal.ofReal |LinearMap.det
      ((scaleEquiv (d := d) (h := h) α hα0).toLinearEquiv :
        Parameter d h →ₗ[ℝ] Parameter d h)| := by
    rw [← ENNReal.ofReal_one]
    exact ENNReal.ofReal_le_ofReal ((one_le_det_scaleEquiv hd hα).trans (le_abs_self _))
  calc volume s = 1 * volume s := (one_mul _).symm
    _ ≤ _ * volume s := mul_le_mul' hdet le_rfl
    _ = volume (scale α '' s) := himage.symm

/-- `T_α θ` is continuous in `α` and `θ` together, for `α > 0`. -/
theorem continuousOn_scale :
    ContinuousOn (fun p : ℝ × Parameter d h => scale p.1 p.2) (Set.Ioi 0 ×ˢ Set.univ) := by
  have hcoord : ∀ i : Fin d × Fin h ⊕ Fin h, Continuous fun p : ℝ × Parameter d h => p.2 i :=
    fun i => (EuclideanSpace.proj (𝕜 := ℝ) i).continuous.comp continuous_snd
  refine (PiLp.continuous_toLp 2 _).comp_continuousOn (continuousOn_pi.2 ?_)
  rintro (ij | j)
  · have h₁ : ContinuousOn (fun p : ℝ × Parameter d h => p.1) (Set.Ioi 0 ×ˢ Set.univ) :=
      continuous_fst.continuousOn
    exact h₁.mul (hcoord (.inl ij)).continuousOn
  · have h₁ : ContinuousOn (fun p : ℝ × Parameter d h => p.1⁻¹) (Set.Ioi 0 ×ˢ Set.univ) :=
      continuous_fst.continuousOn.inv₀ fun p hp => (Set.mem_Ioi.1 hp.1).ne'
    exact h₁.mul (hcoord (.inr j)).continuousOn

/-- **Theorem 2** of Dinh, Pascanu, Bengio and Bengio: the region around `θ` where the loss stays
below `L θ + ε` has infinite volume, however small `ε` is, as soon as one hidden weight is not zero.
It need not be around a minimum. That there is an input (`0 < d`) follows from `ij`, and is assumed
all the same. -/
theorem volume_flatRegion_eq_top (hd : 0 < d) {ℓ : (Input d → ℝ) → ℝ}
    -- There is at least one input (`hd`); `ℓ` is any functional on functions of the input;
    -- the loss is a continuous function of the parameters (`hcont`);
    -- `θ` is any parameter, a minimum or not, and `ij` a pair of an input and a hidden unit;
    (hcont : Continuous (parameterLoss (h := h) ℓ)) {θ : Parameter d h} {ij : Fin d × Fin h}
    -- the weight from that input to that unit is not zero (`hW`);
    -- `ε` is any positive number (`hε`).
    (hW : θ (.inl ij) ≠ 0) {ε : ℝ} (hε : 0 < ε) :
    -- Then the connected region around `θ` on which the loss is less than its value at `θ` plus `ε`
    -- has infinite volume.
    volume (flatRegion (parameterLoss ℓ) θ ε) = ⊤ := by
  set U : Set (Parameter d h) := {η | parameterLoss ℓ η < parameterLoss ℓ θ + ε}
  have hU : IsOpen U := isOpen_lt hcont continuous_const
  have hθU : θ ∈ U := lt_add_of_pos_right _ hε
  obtain ⟨r₀, hr₀, hball⟩ := Metric.isOpen_iff.1 hU θ hθU
  set w := |θ (.inl ij)|
  have hw : 0 < w := abs_pos.2 hW
  set r := min r₀ (w / 2)
  have hr : 0 < r := lt_min hr₀ (half_pos hw)
  have hballU : Metric.ball θ r ⊆ U := (Metric.ball_subset_ball (min_le_left _ _)).trans hball
  -- The images of the ball stay inside the region.
  have hsub : ∀ α : ℝ, 0 < α → scale α '' Metric.ball θ r ⊆ flatRegion (parameterLoss ℓ) θ ε := by
    intro α hα
    set S := (fun p : ℝ × Parameter d h => scale p.1 p.2) '' (Set.Ioi 0 ×ˢ Metric.ball θ r)
    have hS : IsPreconnected S :=
      (isPreconnected_Ioi.prod (convex_ball θ r).isPreconnected).image _
        (continuousOn_scale.mono (Set.prod_mono_right (Set.subset_univ _)))
    have hSU : S ⊆ U := by
      rintro _ ⟨⟨β, η⟩, ⟨hβ, hη⟩, rfl⟩
      change parameterLoss ℓ (scale β η) < parameterLoss ℓ θ + ε
      rw [parameterLoss_scale ℓ (Set.mem_Ioi.1 hβ)]
      exact hballU hη
    have hθS : θ ∈ S := by
      refine ⟨(1, θ), ⟨Set.mem_Ioi.2 one_pos, Metric.mem_ball_self hr⟩, ?_⟩
      ext (ij | j)
      · first
          | exact one_mul _
          | exact one_mul (θ (.inl ij))
      · first
          | exact (congrArg (· * θ (.inr j)) inv_one).trans (one_mul _)
          | exact (congrArg (fun c : ℝ => c * θ (.inr j)) inv_one).trans (one_mul (θ (.inr j)))
    refine Set.Subset.trans ?_ (hS.subset_connectedComponentIn hθS hSU)
    rintro _ ⟨η, hη, rfl⟩
    exact ⟨(α, η), ⟨Set.mem_Ioi.2 hα, hη⟩, rfl⟩
  -- The images under the powers of 4 are disjoint, because of the weight that is not zero.
  have hfour : ∀ n : ℕ, (0 : ℝ) < 4 ^ n := pow_pos four_pos
  have hweight : ∀ η ∈ Metric.ball θ r, w / 2 < |η (.inl ij)| ∧ |η (.inl ij)| < 3 * w / 2 := by
    intro η hη
    have hle : |η (.inl ij) - θ (.inl ij)| ≤ ‖η - θ‖ := PiLp.norm_apply_le (η - θ) (.inl ij)
    have hlt : |η (.inl ij) - θ (.inl ij)| < w / 2 :=
      hle.trans_lt ((mem_ball_iff_norm.1 hη).trans_le (min_le_right _ _))
    have h₁ := abs_sub_abs_le_abs_sub (η (.inl ij)) (θ (.inl ij))
    have h₂ := abs_sub_abs_le_abs_sub (θ (.inl ij)) (η (.inl ij))
    rw [abs_sub_comm] at h₂
    constructor <;> linarith
  have hdisj : Pairwise fun m n : ℕ =>
      Disjoint (scale ((4 : ℝ) ^ m) '' Metric.ball θ r)
        (scale ((4 : ℝ) ^ n) '' Metric.ball θ r) := by
    refine (pairwise_disjoint_on _).2 fun m n hmn => Set.disjoint_left.2 ?_
    rintro _ ⟨η, hη, rfl⟩ ⟨ζ, hζ, hηζ⟩
    have hcoord : (4 : ℝ) ^ n * |ζ (.inl ij)| = 4 ^ m * |η (.inl ij)| := by
      have heq : (4 : ℝ) ^ n * ζ (.inl ij) = 4 ^ m * η (.inl ij) :=
        congrArg (fun z : Parameter d h => z (.inl ij)) hηζ
      have habs := congrArg abs heq
      rwa [abs_mul, abs_mul, abs_of_pos (hfour n), abs_of_pos (hfour m)] at habs
    have hpow : (4 : ℝ) ^ m * 4 ≤ 4 ^ n := by
      rw [← pow_succ]
      exact pow_le_pow_right₀ (by norm_num) hmn
    have h₁ := (hweight ζ hζ).1
    have h₂ := (hweight η hη).2
    have h₃ : (4 : ℝ) ^ m * 4 * (w / 2) < 4 ^ m * (3 * w / 2) := by
      calc (4 : ℝ) ^ m * 4 * (w / 2) ≤ 4 ^ n * (w / 2) :=
            mul_le_mul_of_nonneg_right hpow (half_pos hw).le
        _ < 4 ^ n * |ζ (.inl ij)| := mul_lt_mul_of_pos_left h₁ (hfour n)
        _ = 4 ^ m * |η (.inl ij)| := hcoord
        _ < 4 ^ m * (3 * w / 2) := mul_lt_mul_of_pos_left h₂ (hfour m)
    nlinarith [mul_pos (hfour m) hw]
  have hopen : ∀ n : ℕ, IsOpen (scale ((4 : ℝ) ^ n) '' Metric.ball θ r) := fun n =>
    (scaleEquiv ((4 : ℝ) ^ n) (hfour n).ne').toHomeomorph.isOpenMap _ Metric.isOpen_ball
  have hvolume : volume (⋃ n : ℕ, scale ((4 : ℝ) ^ n) '' Metric.ball θ r) = ⊤ := by
    rw [measure_iUnion hdisj fun n => (hopen n).measurableSet]
    refine top_le_iff.1 ?_
    have hpos : volume (Metric.ball θ r) ≠ 0 := (Metric.measure_ball_pos volume θ hr).ne'
    rw [← ENNReal.tsum_const_eq_top_of_ne_zero (α := ℕ) hpos]
    exact ENNReal.tsum_le_tsum fun n =>
      volume_le_volume_scale_image hd (one_le_pow₀ (by norm_num)) _
  refine top_le_iff.1 (hvolume.ge.trans (measure_mono (Set.iUnion_subset fun n => ?_)))
  exact hsub _ (hfour n)

end DinhSharpness
