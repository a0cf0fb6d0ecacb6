/-
Copyright (c) 2026 The DinhSharpness authors. All rights reserved.
Released under Apache 2.0 license as described in the file LICENSE.
Authors: The DinhSharpness authors
-/
import DinhSharpness.Sharpness

/-!
# Networks with any number of hidden layers

Theorem 4 for networks with one or more hidden layers, any activation that commutes with
multiplication by positive numbers, and vector-valued outputs.

## Main definitions

* `DeepParameter n L`: the weights of a network with `L + 1` layers of weights and widths
  `n 0, …, n (L + 1)`.
* `PositivelyHomogeneous σ`: `σ (c t) = c σ t` for `c > 0`.
* `deepPrediction σ θ`: the function computed, with `L` hidden layers and a linear layer at the end.
* `deepLoss σ ℓ`: the loss as a function of the weights.
* `layerScale c`: the rescaling that multiplies layer `k` by `c k`.

## Main results

* `deepPrediction_layerScale`: rescaling by positive numbers whose product is `1` does not change
  the function computed.
* `exists_equivalent_minimum_of_layerScale`: among the parameters that compute the same function as
  a given minimum with nonzero Hessian there are minima as sharp as one likes.

## Implementation notes

The idea is told in `DinhSharpness/Sharpness.lean`; the parts are the `L + 1` layers. To scale layer
`k` alone, as far as that part is concerned, one other layer is scaled by the inverse number
(`pairScale`), so that the product stays `1`. For this there have to be two layers of weights, which
is the hypothesis `0 < L`.

Layers are numbered from `0` by natural numbers, and a weight of a layer that does not exist is zero
(`weight`). Only layers `0, …, L` occur in the network.

This network is defined on its own. That it is the network of `prediction` when `L = 1` and the
output has one entry is not stated as a theorem, and Theorem 4 in
`DinhSharpness/ArbitrarilySharp.lean` does not rest on this file.

The paper goes on to Theorem 5, on the number of large eigenvalues. That theorem is not proved here.

## References

* L. Dinh, R. Pascanu, S. Bengio, Y. Bengio, *Sharp Minima Can Generalize For Deep Nets*, ICML 2017,
  arXiv:1703.04933v2: Section 3, Definition 3 (p. 3) for the network, Definition 4 for homogeneity;
  Section 4.2, after Theorem 4, for the rescaling of all layers.
-/

namespace DinhSharpness

open Finset

/-! ### The network -/

variable {n : ℕ → ℕ} {L : ℕ} {σ : ℝ → ℝ}

/-- The weights of a network with `n 0` inputs, `L` hidden layers of `n 1, …, n L` units and
`n (L + 1)` outputs, all together one Euclidean space. There are `L + 1` layers of weights, numbered
from `0`: layer `k ≤ L` maps `n k` values to `n (k + 1)` values, `k + 1` being taken in `ℕ`, and the
index `⟨k, i, j⟩` belongs to its weight from value `j` to value `i`. -/
abbrev DeepParameter (n : ℕ → ℕ) (L : ℕ) : Type :=
  EuclideanSpace ℝ (Σ k : Fin (L + 1), Fin (n (k + 1)) × Fin (n k))

/-- An activation that commutes with multiplication by positive numbers: ReLU, leaky ReLU, the
identity, the absolute value. With `t = 0` and `c = 2` it follows that `σ 0 = 0`, so that it makes
no difference to ask the same for `c = 0`. -/
def PositivelyHomogeneous (σ : ℝ → ℝ) : Prop :=
  ∀ c : ℝ, 0 < c → ∀ t, σ (c * t) = c * σ t

/-- The weight from value `j` to value `i` in layer `k`; zero if the network has no layer `k`. -/
noncomputable def weight (θ : DeepParameter n L) (k : ℕ) (i : Fin (n (k + 1)))
    (j : Fin (n k)) : ℝ :=
  if hk : k < L + 1 then θ ⟨⟨k, hk⟩, i, j⟩ else 0

/-- The values after the first `k` layers, for the input `x`: each layer is a linear map without
bias, followed by `σ` in every entry. -/
noncomputable def hiddenValue (σ : ℝ → ℝ) (θ : DeepParameter n L) (x : Input (n 0)) :
    (k : ℕ) → Fin (n k) → ℝ
  | 0 => fun j => x j
  | k + 1 => fun i => σ (∑ j, weight θ k i j * hiddenValue σ θ x k j)

/-- The function computed by the network: `L` hidden layers with activation `σ`, and a linear layer
at the end. Its values, like the inputs, are families of real numbers with their Euclidean norm. -/
noncomputable def deepPrediction (σ : ℝ → ℝ) (θ : DeepParameter n L) (x : Input (n 0)) :
    Input (n (L + 1)) :=
  WithLp.toLp 2 fun i => ∑ j, weight θ L i j * hiddenValue σ θ x L j

/-- The loss as a function of the weights: `ℓ` of the function that the network computes. As with
`parameterLoss`, `ℓ` is any real-valued functional. -/
noncomputable def deepLoss (σ : ℝ → ℝ) (ℓ : (Input (n 0) → Input (n (L + 1))) → ℝ)
    (θ : DeepParameter n L) : ℝ :=
  ℓ (deepPrediction σ θ)

/-! ### Rescaling the layers -/

/-- The rescaling that multiplies every weight of layer `k` by `c k`. Of `c` only `c 0, …, c L` play
a role, as of `n` only `n 0, …, n (L + 1)`. -/
noncomputable def layerScale (c : ℕ → ℝ) (θ : DeepParameter n L) : DeepParameter n L :=
  WithLp.toLp 2 fun p => c p.1 * θ p

/-- The part of a parameter that belongs to layer `k`: all weights of other layers are replaced by
zeros. -/
noncomputable def layerPart (k : Fin (L + 1)) (θ : DeepParameter n L) : DeepParameter n L :=
  WithLp.toLp 2 fun p => if p.1 = k then θ p else 0

/-- The weights of `layerScale c θ`. -/
theorem layerScale_apply (c : ℕ → ℝ) (θ : DeepParameter n L)
    (p : Σ k : Fin (L + 1), Fin (n (k + 1)) × Fin (n k)) : layerScale c θ p = c p.1 * θ p := rfl

/-- The weights of `layerPart k θ`. -/
theorem layerPart_apply (k : Fin (L + 1)) (θ : DeepParameter n L)
    (p : Σ k : Fin (L + 1), Fin (n (k + 1)) × Fin (n k)) :
    layerPart k θ p = if p.1 = k then θ p else 0 := rfl

/-- ReLU is positively homogeneous. The paper's Theorem 1. -/
theorem PositivelyHomogeneous.max_zero : PositivelyHomogeneous fun t => max t 0 := fun c hc t => by
  rw [mul_max_of_nonneg _ _ hc.le, mul_zero]

/-- Rescaling multiplies the weights of layer `k` by `c k`. -/
theorem weight_layerScale (c : ℕ → ℝ) (θ : DeepParameter n L) (k : ℕ) (i : Fin (n (k + 1)))
    (j : Fin (n k)) : weight (layerScale c θ) k i j = c k * weight θ k i j := by
  unfold weight
  split_ifs with hk
  · rfl
  · rw [mul_zero]

/-- Rescaling by positive numbers multiplies the values after `k` layers by the product of the first
`k` numbers. -/
theorem hiddenValue_layerScale (hσ : PositivelyHomogeneous σ) {c : ℕ → ℝ} (hc : ∀ k, 0 < c k)
    (θ : DeepParameter n L) (x : Input (n 0)) (k : ℕ) (j : Fin (n k)) :
    hiddenValue σ (layerScale c θ) x k j = (∏ l ∈ range k, c l) * hiddenValue σ θ x k j := by
  induction k with
  | zero => rw [prod_range_zero, one_mul]; rfl
  | succ k ih =>
    change σ (∑ m, weight (layerScale c θ) k j m * hiddenValue σ (layerScale c θ) x k m) =
      (∏ l ∈ range (k + 1), c l) * σ (∑ m, weight θ k j m * hiddenValue σ θ x k m)
    rw [← hσ _ (prod_pos fun l _ => hc l), mul_sum]
    refine congrArg σ (sum_congr rfl fun m _ => ?_)
    rw [weight_layerScale, ih, prod_range_succ]
    ring

/-- Rescaling by positive numbers with product `1` does not change the function computed. -/
theorem deepPrediction_layerScale (hσ : PositivelyHomogeneous σ) {c : ℕ → ℝ} (hc : ∀ k, 0 < c k)
    (hprod : ∏ l ∈ range (L + 1), c l = 1) (θ : DeepParameter n L) :
    deepPrediction σ (layerScale c θ) = deepPrediction σ θ := by
  funext x
  ext i
  change ∑ j, weight (layerScale c θ) L i j * hiddenValue σ (layerScale c θ) x L j =
    ∑ j, weight θ L i j * hiddenValue σ θ x L j
  refine sum_congr rfl fun j _ => ?_
  rw [weight_layerScale, hiddenValue_layerScale hσ hc]
  calc c L * weight θ L i j * ((∏ l ∈ range L, c l) * hiddenValue σ θ x L j)
      = (∏ l ∈ range (L + 1), c l) * (weight θ L i j * hiddenValue σ θ x L j) := by
        rw [prod_range_succ]
        ring
    _ = weight θ L i j * hiddenValue σ θ x L j := by rw [hprod, one_mul]

/-- Rescaling by `c⁻¹` and then by `c` changes nothing. -/
theorem layerScale_layerScale_inv {c : ℕ → ℝ} (hc : ∀ k, c k ≠ 0) (θ : DeepParameter n L) :
    layerScale c (layerScale (fun k => (c k)⁻¹) θ) = θ := by
  ext p
  rw [layerScale_apply, layerScale_apply, mul_inv_cancel_left₀ (hc _)]

/-- Rescaling by `c` and then by `c⁻¹` changes nothing. -/
theorem layerScale_inv_layerScale {c : ℕ → ℝ} (hc : ∀ k, c k ≠ 0) (θ : DeepParameter n L) :
    layerScale (fun k => (c k)⁻¹) (layerScale c θ) = θ := by
  ext p
  rw [layerScale_apply, layerScale_apply, inv_mul_cancel_left₀ (hc _)]

/-- `layerScale c`, for nonzero numbers `c k`, as a continuous linear automorphism. -/
noncomputable def layerScaleEquiv (c : ℕ → ℝ) (hc : ∀ k, c k ≠ 0) :
    DeepParameter n L ≃L[ℝ] DeepParameter n L :=
  LinearEquiv.toContinuousLinearEquiv
    { toFun := layerScale c
      invFun := layerScale fun k => (c k)⁻¹
      map_add' := fun θ η => by
        ext p
        first
          | exact mul_add _ _ _
          | exact mul_add (c p.1) (θ p) (η p)
      map_smul' := fun r θ => by
        ext p
        first
          | exact mul_left_comm _ _ _
          | exact mul_left_comm (c p.1) r (θ p)
      left_inv := layerScale_inv_layerScale hc
      right_inv := layerScale_layerScale_inv hc }

/-- The automorphism is `layerScale c`. -/
theorem layerScaleEquiv_apply {c : ℕ → ℝ} (hc : ∀ k, c k ≠ 0) (θ : DeepParameter n L) :
    layerScaleEquiv c hc θ = layerScale c θ := rfl

/-- The inverse of rescaling by `c` is rescaling by `c⁻¹`. -/
theorem layerScaleEquiv_symm_apply {c : ℕ → ℝ} (hc : ∀ k, c k ≠ 0) (θ : DeepParameter n L) :
    (layerScaleEquiv c hc).symm θ = layerScale (fun k => (c k)⁻¹) θ := rfl

/-- A parameter is the sum of its layers. -/
theorem sum_layerPart (θ : DeepParameter n L) : ∑ k, layerPart k θ = θ := by
  ext p
  have happly : (∑ k, layerPart k θ) p = ∑ k, layerPart k θ p := by
    rw [WithLp.ofLp_sum, Finset.sum_apply]
  rw [happly]
  simp only [layerPart_apply, Finset.sum_ite_eq, Finset.mem_univ, if_true]

/-- On layer `k`, rescaling is multiplication by `c k`. -/
theorem layerScale_layerPart (c : ℕ → ℝ) (k : Fin (L + 1)) (θ : DeepParameter n L) :
    layerScale c (layerPart k θ) = c k • layerPart k θ := by
  ext p
  change c p.1 * (if p.1 = k then θ p else 0) = c k * (if p.1 = k then θ p else 0)
  split_ifs with h
  · rw [h]
  · rw [mul_zero, mul_zero]

/-- The numbers that multiply layer `i` by `a` and layer `j` by `a⁻¹`, and leave the others
alone. -/
noncomputable def pairScale (i j : ℕ) (a : ℝ) (k : ℕ) : ℝ :=
  if k = i then a else if k = j then a⁻¹ else 1

/-- If `a` is positive, so are all numbers of `pairScale i j a`. -/
theorem pairScale_pos (i j : ℕ) {a : ℝ} (ha : 0 < a) (k : ℕ) : 0 < pairScale i j a k := by
  unfold pairScale
  split_ifs
  · exact ha
  · exact inv_pos.2 ha
  · exact one_pos

/-- The product of `pairScale i j a` over the layers is `1`, if `i` and `j` are two of them. -/
theorem prod_pairScale {i j m : ℕ} (hi : i < m) (hj : j < m) (hij : i ≠ j) {a : ℝ} (ha : a ≠ 0) :
    ∏ k ∈ range m, pairScale i j a k = 1 := by
  have hother : ∀ k ∈ range m, k ≠ i ∧ k ≠ j → pairScale i j a k = 1 := fun k _ hk => by
    rw [pairScale, if_neg hk.1, if_neg hk.2]
  rw [prod_eq_mul i j hij hother (fun h => absurd (mem_range.2 hi) h)
    fun h => absurd (mem_range.2 hj) h]
  rw [pairScale, pairScale, if_pos rfl, if_neg hij.symm, if_pos rfl, mul_inv_cancel₀ ha]

/-! ### Sharp minima -/

/-- **Theorem 4 for networks with one or more hidden layers** and any positively homogeneous
activation: a minimum with nonzero Hessian is equivalent, by rescaling the layers, to minima with a
Hessian of norm as large as one likes. -/
theorem exists_equivalent_minimum_of_layerScale (hσ : PositivelyHomogeneous σ) (hL : 0 < L)
    -- The activation `σ` is positively homogeneous (`hσ`);
    -- there is at least one hidden layer (`hL`);
    -- `ℓ` is any functional on functions from inputs to outputs, and `θ` any parameter;
    {ℓ : (Input (n 0) → Input (n (L + 1))) → ℝ} {θ : DeepParameter n L}
    -- the loss is twice differentiable at `θ` (`hdiff`);
    -- `θ` is a local minimum of the loss (`hmin`);
    (hdiff : TwiceDifferentiableAt (deepLoss σ ℓ) θ) (hmin : IsLocalMin (deepLoss σ ℓ) θ)
    -- the Hessian of the loss does not vanish at `θ` (`hne`);
    -- `M` is any positive number (`hM`).
    (hne : hessian (deepLoss σ ℓ) θ ≠ 0) {M : ℝ} (hM : 0 < M) :
    -- Then there are numbers `c k`, one for each layer, such that
    -- all of them are positive,
    -- the rescaled parameter computes the same function,
    ∃ c : ℕ → ℝ, (∀ k, 0 < c k) ∧ deepPrediction σ (layerScale c θ) = deepPrediction σ θ ∧
      -- it has the same loss,
      deepLoss σ ℓ (layerScale c θ) = deepLoss σ ℓ θ ∧
      -- it is a local minimum again,
      IsLocalMin (deepLoss σ ℓ) (layerScale c θ) ∧
      -- the loss is twice differentiable there too,
      TwiceDifferentiableAt (deepLoss σ ℓ) (layerScale c θ) ∧
      -- its derivative vanishes there,
      fderiv ℝ (deepLoss σ ℓ) (layerScale c θ) = 0 ∧
      -- and the norm of its Hessian there is at least `M`.
      M ≤ ‖hessian (deepLoss σ ℓ) (layerScale c θ)‖ := by
  have hequiv : ∀ c : ℕ → ℝ, (∀ k, 0 < c k) → ∏ l ∈ range (L + 1), c l = 1 →
      ∀ η : DeepParameter n L, deepLoss σ ℓ (layerScale c η) = deepLoss σ ℓ η :=
    fun c hc hprod η => congrArg ℓ (deepPrediction_layerScale hσ hc hprod η)
  have hscale : ∀ k : Fin (L + 1), ∀ β : ℝ, 0 < β →
      ∃ e ∈ {e | ∃ (c : ℕ → ℝ) (hc : ∀ k, 0 < c k), ∏ l ∈ range (L + 1), c l = 1 ∧
        e = layerScaleEquiv (n := n) (L := L) c fun k => (hc k).ne'},
        ∀ z, e.symm (layerPart k z) = β • layerPart k z := by
    intro k β hβ
    obtain ⟨j, hj⟩ : ∃ j : Fin (L + 1), j ≠ k := by
      have : Nontrivial (Fin (L + 1)) := Fin.nontrivial_iff_two_le.2 (by omega)
      exact exists_ne k
    have hkj : (k : ℕ) ≠ j := fun h => hj (Fin.ext h).symm
    refine ⟨_, ⟨pairScale k j β⁻¹, pairScale_pos k j (inv_pos.2 hβ),
      prod_pairScale k.isLt j.isLt hkj (inv_pos.2 hβ).ne', rfl⟩, fun z => ?_⟩
    rw [layerScaleEquiv_symm_apply, layerScale_layerPart, pairScale, if_pos rfl, inv_inv]
  obtain ⟨_, ⟨c, hc, hprod, rfl⟩, hle⟩ :=
    exists_le_norm_hessian_of_invariant hdiff hmin hne sum_layerPart
      (by rintro _ ⟨c, hc, hprod, rfl⟩ z; exact hequiv c hc hprod z) hscale hM
  have hinv : ∀ z, deepLoss σ ℓ (layerScaleEquiv c (fun k => (hc k).ne') z) = deepLoss σ ℓ z :=
    hequiv c hc hprod
  have hmin' : IsLocalMin (deepLoss σ ℓ) (layerScale c θ) :=
    IsLocalMin.map_of_invariant hinv hmin
  exact ⟨c, hc, deepPrediction_layerScale hσ hc hprod θ, hequiv c hc hprod θ, hmin',
    TwiceDifferentiableAt.map_of_invariant hinv hdiff, hmin'.fderiv_eq_zero, hle⟩

end DinhSharpness
