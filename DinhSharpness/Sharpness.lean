/-
Copyright (c) 2026 The DinhSharpness authors. All rights reserved.
Released under Apache 2.0 license as described in the file LICENSE.
Authors: The DinhSharpness authors
-/
import DinhSharpness.Invariance
import DinhSharpness.SecondOrder

/-!
# As sharp as one likes

The heart of the project, without networks. A function on a real normed space is invariant under a
set of continuous linear automorphisms. The space falls into finitely many parts (for a network: the
layers), and among the automorphisms there are some that scale any one part at will. Then a local
minimum with nonzero Hessian is carried by these automorphisms to points where the norm of the
Hessian is as large as one likes.

## Main results

* `exists_part_apply_pos`: a nonzero nonnegative symmetric form is positive on a vector that lies in
  a single part.
* `exists_le_norm_hessian_of_invariant`: the theorem just described.

## Implementation notes

This is the idea that carries every theorem on Hessians in this project.

Let `x` be a local minimum of `f`, and `H ≠ 0` the Hessian of `f` at `x`. As `x` is a minimum, `H`
is symmetric and nonnegative. A null vector of such a form is in its kernel: if `H a a = 0` then
`H a b = 0` for all `b`.

Now suppose that there was no curvature within any part, that is, `H a a = 0` for every `a` that
lies in a single part. Then all these vectors would be in the kernel of `H`. Every vector is a sum
of such vectors, so that `H` would vanish altogether; blocks of `H` that mix two parts cannot
survive on their own. But `H ≠ 0`. So one part contains a direction `a` of positive curvature,
`c = H a a > 0`.

Rescaling does the rest. If `e` is an automorphism under which `f` is invariant, the Hessian at
`e x` is `H` with both arguments sent through `e⁻¹`. If `e⁻¹` multiplies the part of `a` by `β`, the
curvature at `e x` in the same direction `a` is `β² c`. This is any positive number one likes, and
with `β² c = M ‖a‖²` the norm of the Hessian at `e x` is at least `M`. Meanwhile nothing has
happened to the function: `f (e x) = f x`, and for a network even the function computed is the same.

The paper finds a positive diagonal entry of the Hessian matrix by way of its trace, and goes from
entries to the spectral norm by the equivalence of norms in finite dimension. Here a vector takes
the place of the entry. So no basis, no trace and no dimension occur, and the same argument serves
one hidden layer and any number of them.

The parts enter as functions `part i : E → E` with `∑ i, part i z = z`. Nothing more is asked of
them, not even that they are linear. The hypothesis on the automorphisms is stated for `e⁻¹`, since
it is `e⁻¹` that acts on the arguments of the Hessian.

## References

* L. Dinh, R. Pascanu, S. Bengio, Y. Bengio, *Sharp Minima Can Generalize For Deep Nets*, ICML 2017,
  arXiv:1703.04933v2, Section 4.2, Theorem 4 (p. 5; its proof continues on p. 6).
-/

open scoped Topology

namespace DinhSharpness

variable {E : Type*} [NormedAddCommGroup E] [NormedSpace ℝ E] {ι : Type*} [Fintype ι]
  {part : ι → E → E}

/-- A nonzero nonnegative symmetric form on a space that is the sum of parts is positive on some
vector of a single part. -/
theorem exists_part_apply_pos {B : E →L[ℝ] E →L[ℝ] ℝ} (hsymm : ∀ u w, B u w = B w u)
    (hpos : ∀ u, 0 ≤ B u u) (hB : B ≠ 0) (hsum : ∀ z, ∑ i, part i z = z) :
    ∃ i z, 0 < B (part i z) (part i z) := by
  by_contra! hcon
  refine hB (ContinuousLinearMap.ext fun z => ContinuousLinearMap.ext fun w => ?_)
  have hzero : ∀ i, B (part i z) w = 0 := fun i =>
    apply_eq_zero_of_nonneg hsymm hpos (le_antisymm (hcon i z) (hpos _)) w
  have hz : B z w = ∑ i, B (part i z) w := by
    rw [← ContinuousLinearMap.sum_apply, ← map_sum, hsum z]
  rw [hz, Finset.sum_eq_zero fun i _ => hzero i]
  rfl

/-- Let `f` be invariant under every automorphism in `T`, and let every part of the space be scaled
by any positive number `β` by the inverse of some member of `T`. If `x` is a local minimum of `f`
with nonzero Hessian, some member of `T` carries it to a point where the norm of the Hessian is at
least `M`. -/
theorem exists_le_norm_hessian_of_invariant {f : E → ℝ} {x : E}
    (hdiff : TwiceDifferentiableAt f x) (hmin : IsLocalMin f x) (hne : hessian f x ≠ 0)
    (hsum : ∀ z, ∑ i, part i z = z) {T : Set (E ≃L[ℝ] E)} (hinv : ∀ e ∈ T, ∀ z, f (e z) = f z)
    (hscale : ∀ i, ∀ β : ℝ, 0 < β → ∃ e ∈ T, ∀ z, e.symm (part i z) = β • part i z)
    {M : ℝ} (hM : 0 < M) :
    ∃ e ∈ T, M ≤ ‖hessian f (e x)‖ := by
  obtain ⟨i, z, hc⟩ :=
    exists_part_apply_pos hdiff.hessian_symm (hdiff.hessian_nonneg hmin) hne hsum
  set a := part i z
  set c := hessian f x a a
  have ha : a ≠ 0 := fun h => by
    have : c = 0 := by simp only [c, h, map_zero]
    exact hc.ne' this
  have hr : 0 < ‖a‖ * ‖a‖ := mul_pos (norm_pos_iff.2 ha) (norm_pos_iff.2 ha)
  have hβ : 0 < M * (‖a‖ * ‖a‖) / c := div_pos (mul_pos hM hr) hc
  obtain ⟨e, he, hea⟩ := hscale i (√(M * (‖a‖ * ‖a‖) / c)) (Real.sqrt_pos.2 hβ)
  refine ⟨e, he, ?_⟩
  have hval : hessian f (e x) a a = M * (‖a‖ * ‖a‖) := by
    have h := hessian_map_of_invariant (hinv e he) hdiff.2 a a
    rw [h, hea z, map_smul, map_smul, ContinuousLinearMap.smul_apply, smul_eq_mul, smul_eq_mul,
      ← mul_assoc, Real.mul_self_sqrt hβ.le]
    exact div_mul_cancel₀ _ hc.ne'
  have hle := (hessian f (e x)).le_opNorm₂ a a
  rw [hval, mul_assoc, Real.norm_of_nonneg (mul_pos hM hr).le] at hle
  exact le_of_mul_le_mul_right hle hr

end DinhSharpness
