"""The networks of the proof, with numbers in the place of real numbers.

Every definition here has the name of the Lean definition that it mirrors, written as Python writes
names, and says where that stands. Functions of an input take many at once: the last axis of an
array of inputs belongs to one input.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Function = Callable[[Array], Array]
"""What a network computes: inputs in, outputs out."""


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """The weights θ = (W, v) of a network with d inputs and h hidden units.

    Lean: `Parameter d h`, Definitions/Def_DinhSharpness_Model.lean; `hidden[i, j]` is its
    `θ (.inl (i, j))`, and `output[j]` is `θ (.inr j)`.
    """

    hidden: Array
    output: Array

    def __post_init__(self) -> None:
        if self.hidden.ndim != 2 or self.output.shape != self.hidden.shape[1:]:
            raise ValueError(
                f"hidden weights of shape {self.hidden.shape} do not go with output weights of "
                f"shape {self.output.shape}: (d, h) and (h,) are wanted"
            )

    def vector(self) -> Array:
        """All weights as one list, hidden weights first, row by row."""
        return np.concatenate([self.hidden.ravel(), self.output])

    def with_vector(self, vector: Array) -> Parameter:
        """The parameter of the same shape with these weights."""
        hidden, output = np.split(vector, [self.hidden.size])
        return Parameter(hidden.reshape(self.hidden.shape), output)


def prediction(theta: Parameter, x: Array) -> Array:
    """The function computed: x ↦ ∑ j, max (∑ i, x i * W i j) 0 * v j.

    Lean: `prediction`, Definitions/Def_DinhSharpness_Model.lean.
    """
    computed: Array = np.maximum(x @ theta.hidden, 0.0) @ theta.output
    return computed


def parameter_loss(loss: Callable[[Function], float], theta: Parameter) -> float:
    """The loss of a parameter: `loss` of the function that the network computes.

    Lean: `parameterLoss`, Definitions/Def_DinhSharpness_Model.lean.
    """
    return loss(lambda x: prediction(theta, x))


def scale(alpha: float, theta: Parameter) -> Parameter:
    """The rescaling T_α (W, v) = (α W, α⁻¹ v), for α ≠ 0.

    Lean: `scale`, Definitions/Def_DinhSharpness_Model.lean.
    """
    return Parameter(alpha * theta.hidden, (1.0 / alpha) * theta.output)


def hidden_part(theta: Parameter) -> Parameter:
    """The part (W, 0). Lean: `hiddenPart`, DinhSharpness/Rescaling.lean."""
    return Parameter(theta.hidden, np.zeros_like(theta.output))


def output_part(theta: Parameter) -> Parameter:
    """The part (0, v). Lean: `outputPart`, DinhSharpness/Rescaling.lean."""
    return Parameter(np.zeros_like(theta.hidden), theta.output)


def unit_input(k: int, d: int) -> Array:
    """The input with entry k equal to 1. Lean: `unitInput`, DinhSharpness/NonVacuity.lean."""
    return np.where(np.arange(d) == k, 1.0, 0.0)


def square_at(k: int, d: int) -> Callable[[Function], float]:
    """The square of the output on one unit input.

    Lean: `squareAt`, DinhSharpness/NonVacuity.lean.
    """
    return lambda f: float(f(unit_input(k, d))) ** 2


def silent_parameter(d: int, h: int) -> Parameter:
    """Hidden weights 1, output weights 0.

    Lean: `silentParameter`, DinhSharpness/NonVacuity.lean.
    """
    return Parameter(np.ones((d, h)), np.zeros(h))


@dataclass(frozen=True, slots=True)
class Activation:
    """A function t ↦ `positive` · t for t > 0, `negative` · t for t ≤ 0.

    These are all the functions that Lean's `PositivelyHomogeneous` (DinhSharpness/DeepNetwork.lean)
    asks for: such a function is given by its values at 1 and -1.
    """

    positive: float
    negative: float

    def __call__(self, t: Array) -> Array:
        """The function, entry by entry."""
        return self.slope(t) * t

    def slope(self, t: Array) -> Array:
        """Its derivative, entry by entry; at 0, where it may have none, that of the left."""
        return np.where(t > 0, self.positive, self.negative)


RELU = Activation(1.0, 0.0)

DeepParameter = tuple[Array, ...]
"""The weights of a network, one matrix a layer.

Lean: `DeepParameter n L`, DinhSharpness/DeepNetwork.lean, has `L + 1` layers; `theta[k][i, j]` is
its weight at ⟨k, i, j⟩, from value j to value i.
"""


def deep_vector(theta: DeepParameter) -> Array:
    """All weights as one list, layer by layer, each row by row."""
    return np.concatenate([layer.ravel() for layer in theta])


def with_deep_vector(theta: DeepParameter, vector: Array) -> DeepParameter:
    """The parameter of the same shape with these weights."""
    ends = np.cumsum([layer.size for layer in theta])[:-1]
    return tuple(
        part.reshape(layer.shape) for part, layer in zip(np.split(vector, ends), theta, strict=True)
    )


def hidden_value(activation: Activation, theta: DeepParameter, x: Array, k: int) -> Array:
    """The values after the first k layers.

    Lean: `hiddenValue`, DinhSharpness/DeepNetwork.lean.
    """
    for layer in theta[:k]:
        x = activation(x @ layer.T)
    return x


def deep_prediction(activation: Activation, theta: DeepParameter, x: Array) -> Array:
    """The function computed: hidden layers with the activation, then a linear layer.

    Lean: `deepPrediction`, DinhSharpness/DeepNetwork.lean.
    """
    computed: Array = hidden_value(activation, theta, x, len(theta) - 1) @ theta[-1].T
    return computed


def deep_loss(
    activation: Activation, loss: Callable[[Function], float], theta: DeepParameter
) -> float:
    """The loss of a parameter. Lean: `deepLoss`, DinhSharpness/DeepNetwork.lean."""
    return loss(lambda x: deep_prediction(activation, theta, x))


def layer_scale(factors: Sequence[float], theta: DeepParameter) -> DeepParameter:
    """The rescaling that multiplies layer k by `factors[k]`.

    Lean: `layerScale`, DinhSharpness/DeepNetwork.lean.
    """
    return tuple(factor * layer for factor, layer in zip(factors, theta, strict=True))


def layer_part(k: int, theta: DeepParameter) -> DeepParameter:
    """The weights of layer k, zeros elsewhere.

    Lean: `layerPart`, DinhSharpness/DeepNetwork.lean.
    """
    return tuple(layer if n == k else np.zeros_like(layer) for n, layer in enumerate(theta))


def pair_scale(i: int, j: int, a: float, layers: int) -> tuple[float, ...]:
    """Factors that multiply layer i by a, layer j by a⁻¹, and leave the others alone.

    Lean: `pairScale`, DinhSharpness/DeepNetwork.lean; there for all natural numbers, here for the
    layers of a network.
    """
    return tuple(a if k == i else 1.0 / a if k == j else 1.0 for k in range(layers))


def as_deep(theta: Parameter) -> DeepParameter:
    """The same network with one hidden layer as one of the deep ones."""
    return theta.hidden.T, theta.output[np.newaxis, :]


def mean_squared_error(inputs: Array, labels: Array) -> Callable[[Function], float]:
    """The functional f ↦ (1/m) ∑ a, ‖f (inputs a) - labels a‖², for m examples.

    `labels` has the shape of what f computes.
    """
    return lambda f: float(np.sum((f(inputs) - labels) ** 2)) / len(inputs)


def norm(theta: Parameter) -> float:
    """The Euclidean norm of the list of all weights."""
    return math.hypot(*theta.vector())
