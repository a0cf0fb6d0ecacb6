-- Theorem 4 in the words of Mathlib, over stand-ins of two numbers.
prelude
import Library

namespace DinhSharpness

variable {d h : Nat}

/-- The inputs: families of `d` numbers. -/
abbrev Input (d : Nat) : Type := EuclideanSpace Real (Fin d)

/-- The parameters: `θ (.inl (i, j))` is the weight from input `i` to hidden unit `j`, and `θ (.inr j)`
the weight from it to the output.

Nothing of this stands in the golden file. -/
abbrev Parameter (d h : Nat) : Type := EuclideanSpace Real (Sum (Prod (Fin d) (Fin h)) (Fin h))

noncomputable def prediction (θ : Parameter d h) (x : Input d) : Real :=
  Finset.sum Finset.univ fun j => HMul.hMul
    (Max.max (Finset.sum Finset.univ fun i => HMul.hMul (x.ofLp i) (θ.ofLp (.inl (.mk i j)))) 0)
    (θ.ofLp (.inr j))

noncomputable def parameterLoss (ℓ : (Input d → Real) → Real) (θ : Parameter d h) : Real :=
  ℓ (prediction θ)

noncomputable def scale (α : Real) (θ : Parameter d h) : Parameter d h :=
  WithLp.toLp 2 (Sum.elim (fun ij => HMul.hMul α (θ.ofLp (.inl ij)))
    (fun j => HMul.hMul (Inv.inv α) (θ.ofLp (.inr j))))

section Calculus

universe u
variable {E : Type u} [NormedAddCommGroup E] [NormedSpace Real E]

/-- The derivative exists around a point, and is differentiable there: * this is
  * no list -/
def TwiceDifferentiableAt (f : E → Real) (x : E) : Prop :=
  And (Filter.Eventually (fun z => DifferentiableAt Real f z) (nhds x))
    (DifferentiableAt Real (fderiv Real f) x)

noncomputable def hessian (f : E → Real) (x : E) :
    ContinuousLinearMap (RingHom.id Real) E (ContinuousLinearMap (RingHom.id Real) E Real) :=
  fderiv Real (fderiv Real f) x

end Calculus

end DinhSharpness
