/-
Copyright (c) 2026 The DinhSharpness authors. All rights reserved.
Released under Apache 2.0 license as described in the file LICENSE.
Authors: The DinhSharpness authors
-/
import Mathlib.Analysis.InnerProductSpace.PiL2
import Mathlib.Analysis.Calculus.FDeriv.Basic

/-!
# The words of the statement

This file says what the words of Theorem 4 mean: the network, its loss as a function of the
parameters, the rescaling of the two layers, the Hessian. It is the trusted file of the project:
whoever wants to know *what* is proved reads `Challenge.lean`, which states the theorem, and this
file, which defines every word of it that Mathlib does not define. It imports Mathlib only, and it
proves nothing.

## Main definitions

* `Input d`: the inputs, `ℝ^d`.
* `Parameter d h`: the parameters `θ = (W, v)` of a network with `d` inputs and `h` hidden units.
* `prediction θ`: the function that the network computes.
* `parameterLoss ℓ`: the loss as a function of the parameters.
* `scale α`: the rescaling `T_α` of the two layers.
* `TwiceDifferentiableAt f x`: what is asked of the loss at a minimum.
* `hessian f x`: the second derivative, a continuous bilinear form.

## Implementation notes

Mathlib's derivative `fderiv` is defined for every function: where the function is not
differentiable, its value is `0`. So `hessian f x` is an expression that always has a value, and
where `f` is not twice differentiable that value means nothing. This does no harm to the theorem. It
assumes `TwiceDifferentiableAt` at the minimum from which it starts, and it asserts
`TwiceDifferentiableAt` at the minimum that it finds, so that at both places the Hessian is a
derivative and not a placeholder.

The definitions of calculus are stated for any real normed space `E`, since nothing in them is
special to parameters of networks. In the statement, `E` is `Parameter d h` with its Euclidean norm.

## References

* L. Dinh, R. Pascanu, S. Bengio, Y. Bengio, *Sharp Minima Can Generalize For Deep Nets*, ICML 2017,
  arXiv:1703.04933v2: Section 2 (p. 2) for losses as functions of the prediction function,
  Section 3, Definition 3 (p. 3) for the network, Definition 5 (p. 4) for the rescaling, Section 4.2
  for the Hessian.
-/

open scoped Topology

namespace DinhSharpness

variable {d h : ℕ}

/-- The input space `ℝ^d`, with its Euclidean norm. Its points are families of real numbers indexed
by `Fin d = {0, …, d - 1}`. The norm of the inputs plays no role in the statement. -/
abbrev Input (d : ℕ) : Type := EuclideanSpace ℝ (Fin d)

/-- The parameter space: `θ = (W, v)` with the hidden weights `W ∈ ℝ^{d × h}` and the output weights
`v ∈ ℝ^h`. The index set is a disjoint union: `θ (.inl (i, j))` is the weight from input `i` to
hidden unit `j`, and `θ (.inr j)` is the weight from hidden unit `j` to the output.

All `d * h + h` numbers together form one Euclidean space, so that the norm is the Euclidean norm of
the list of all weights. -/
abbrev Parameter (d h : ℕ) : Type := EuclideanSpace ℝ (Fin d × Fin h ⊕ Fin h)

/-- The function computed by the one-hidden-layer ReLU network with parameters `θ = (W, v)`:
`x ↦ ∑ j, max (∑ i, x i * W i j) 0 * v j`.

The activation is `max · 0`. There are no biases, the output is one real number, and nothing is
applied to the output. -/
noncomputable def prediction (θ : Parameter d h) (x : Input d) : ℝ :=
  ∑ j, max (∑ i, x i * θ (.inl (i, j))) 0 * θ (.inr j)

/-- The loss as a function of the parameters: `ℓ` of the function that the network computes.

Here `ℓ` is any map from functions `ℝ^d → ℝ` to real numbers; data, labels, averages and
expectations are all inside it. What the definition asks of a loss is that it depends on `θ` only
through the function computed. The mean error on any set of examples is of this form. A penalty on
the weights themselves, such as weight decay, in general is not. -/
noncomputable def parameterLoss (ℓ : (Input d → ℝ) → ℝ) (θ : Parameter d h) : ℝ :=
  ℓ (prediction θ)

/-- The rescaling `T_α (W, v) = (α W, α⁻¹ v)`: every hidden weight is multiplied by `α`, every
output weight by `α⁻¹`.

The definition makes sense for every real number `α`. In Lean `0⁻¹ = 0`, so that `scale 0 θ = 0`.
The statement speaks of `0 < α` only. -/
noncomputable def scale (α : ℝ) (θ : Parameter d h) : Parameter d h :=
  WithLp.toLp 2 (Sum.elim (fun ij => α * θ (.inl ij)) (fun j => α⁻¹ * θ (.inr j)))

section Calculus

variable {E : Type*} [NormedAddCommGroup E] [NormedSpace ℝ E]

/-- `f` is twice differentiable at `x`, in the sense of Fréchet: `f` is differentiable at every
point of some neighbourhood of `x`, and its derivative, as a function of the point, is
differentiable at `x`.

Nothing is asked of second derivatives at other points, and nothing about their continuity. -/
def TwiceDifferentiableAt (f : E → ℝ) (x : E) : Prop :=
  (∀ᶠ z in 𝓝 x, DifferentiableAt ℝ f z) ∧ DifferentiableAt ℝ (fderiv ℝ f) x

/-- The Hessian of `f` at `x`: the Fréchet derivative at `x` of the Fréchet derivative of `f`. It is
a continuous bilinear form, and `hessian f x u w` is the second derivative of `f` at `x` in the
directions `u` and `w`.

Its norm is the operator norm, the least `C ≥ 0` with `|hessian f x u w| ≤ C * ‖u‖ * ‖w‖` for all
`u` and `w`. On a Euclidean space this is the largest singular value of the matrix of second partial
derivatives; since the form is symmetric where `f` is twice differentiable, it is also the largest
absolute value of an eigenvalue, which is the spectral norm that the paper speaks of. -/
noncomputable def hessian (f : E → ℝ) (x : E) : E →L[ℝ] E →L[ℝ] ℝ :=
  fderiv ℝ (fderiv ℝ f) x

end Calculus

end DinhSharpness
