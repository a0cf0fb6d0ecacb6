/-
Copyright (c) 2026 The DinhSharpness authors. All rights reserved.
Released under Apache 2.0 license as described in the file LICENSE.
Authors: The DinhSharpness authors
-/
import DinhSharpness.ArbitrarilySharp
import DinhSharpness.DeepNetwork
import DinhSharpness.EpsilonSharpness
import DinhSharpness.Invariance
import DinhSharpness.NonVacuity
import DinhSharpness.Rescaling
import DinhSharpness.SecondOrder
import DinhSharpness.Sharpness
import DinhSharpness.Volume

/-!
# Sharp minima can generalize: a machine-checked proof

Theorem 4 of Dinh, Pascanu, Bengio and Bengio, *Sharp Minima Can Generalize For Deep Nets*
(ICML 2017, arXiv:1703.04933v2, Section 4.2), for every one-hidden-layer ReLU network, and some of
its neighbours in the paper. This module only collects the others.

## What is claimed

* `Challenge.lean`: the statement, without a proof.
* `Definitions/Def_DinhSharpness_Model.lean`: what the words of the statement mean.

## How it is proved, in reading order

* `DinhSharpness/Sharpness.lean`: the idea, in its implementation notes, and the theorem that
  carries it, without networks.
* `DinhSharpness/SecondOrder.lean`: the Hessian at a minimum is symmetric and nonnegative.
* `DinhSharpness/Invariance.lean`: what an invariant function does at `x` it does at `e x`.
  Theorem 3.
* `DinhSharpness/Rescaling.lean`: rescaling the two layers does not change the function computed.
* `DinhSharpness/ArbitrarilySharp.lean`: Theorem 4.

## What else is proved

* `DinhSharpness/NonVacuity.lean`: the hypotheses of Theorem 4 can be met.
* `DinhSharpness/DeepNetwork.lean`: Theorem 4 for more layers and other activations.
* `DinhSharpness/Volume.lean`: Theorem 2, the flat region has infinite volume.
* `DinhSharpness/EpsilonSharpness.lean`: Section 4.3, the zero function is never far away.
-/
