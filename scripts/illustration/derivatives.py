"""Gradient and Hessian of the mean squared error, by formula.

Where no hidden unit stands at the kink of its activation on an example, each unit multiplies by a
fixed slope near the parameter, and the output is a polynomial of degree one in every single weight.
So the derivatives have closed forms, and nothing is approximated but by rounding.

With residuals r = f_θ(x) - y, Jacobian J of the outputs, and second derivatives K of the outputs,

    ∇L = (2/m) ∑ r J        ∇²L = (2/m) ∑ (J Jᵀ + r K)

with sums over examples and outputs. K vanishes within a layer.

The slopes are an argument of the functions that end in `_with_slopes`, so that the same formulas
give, for absolute values of weights and data, the sum of the absolute values of all products that a
result is made of. `rounding.py` bounds the rounding errors by that.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from illustration.networks import Activation, Array, DeepParameter, Parameter


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """m examples: `inputs` of shape (m, d); `labels` of shape (m,), for deep networks (m, out)."""

    inputs: Array
    labels: Array


@dataclass(frozen=True, slots=True, eq=False)
class Derivatives:
    """The loss at a parameter and its derivatives, in the order of the parameter's `vector`.

    `residuals` and `jacobian` have a row for each output on each example.
    """

    loss: float
    residuals: Array
    jacobian: Array
    gradient: Array
    hessian: Array


def slopes(theta: Parameter, inputs: Array) -> Array:
    """What each hidden unit (column) multiplies by on each input (row): 1 if active, else 0."""
    return np.where(inputs @ theta.hidden > 0, 1.0, 0.0)


def derivatives(theta: Parameter, data: Data) -> Derivatives:
    """The derivatives of the mean squared error of a network with one hidden layer.

    Lean: `hessian (parameterLoss ℓ) θ`, Definitions/Def_DinhSharpness_Model.lean, with the mean
    squared error as ℓ, at parameters where no unit is at its kink.
    """
    return derivatives_with_slopes(theta, data, slopes(theta, data.inputs))


def derivatives_with_slopes(theta: Parameter, data: Data, slope: Array) -> Derivatives:
    """The derivatives of the polynomial that the loss is where the units have these slopes."""
    m, (d, h) = len(data.inputs), theta.hidden.shape
    values = slope * (data.inputs @ theta.hidden)
    residuals = values @ theta.output - data.labels
    by_hidden = data.inputs[:, :, np.newaxis] * (slope * theta.output)[:, np.newaxis, :]
    jacobian = np.hstack([by_hidden.reshape(m, d * h), values])
    mixed = (residuals[:, np.newaxis] * data.inputs).T @ slope
    second = np.zeros((d * h + h, d * h + h))
    for j in range(h):
        second[j : d * h : h, d * h + j] = second[d * h + j, j : d * h : h] = mixed[:, j]
    return _assembled(residuals, jacobian, second, m)


def deep_slopes(activation: Activation, theta: DeepParameter, inputs: Array) -> tuple[Array, ...]:
    """For each hidden layer, what its units (columns) multiply by on each input (row)."""
    found = []
    for layer in theta[:-1]:
        before = inputs @ layer.T
        found.append(activation.slope(before))
        inputs = activation(before)
    return tuple(found)


def deep_derivatives(activation: Activation, theta: DeepParameter, data: Data) -> Derivatives:
    """The derivatives of the mean squared error of a deep network.

    Lean: `deepLoss`, DinhSharpness/DeepNetwork.lean, and `hessian` of it, with the mean squared
    error as ℓ, at parameters where no unit is at its kink.
    """
    return deep_derivatives_with_slopes(theta, data, deep_slopes(activation, theta, data.inputs))


def deep_derivatives_with_slopes(
    theta: DeepParameter, data: Data, slope: Sequence[Array]
) -> Derivatives:
    """The derivatives of the polynomial that the loss is where the units have these slopes."""
    m, layers = len(data.inputs), len(theta)
    values = [data.inputs]
    for layer, factor in zip(theta[:-1], slope, strict=True):
        values.append(factor * (values[-1] @ layer.T))
    residuals = values[-1] @ theta[-1].T - data.labels
    after = _after(theta, slope, m)
    jacobian = np.concatenate(
        [
            np.einsum("aoi,aj->aoij", after[k], values[k]).reshape(m * theta[-1].shape[0], -1)
            for k in range(layers)
        ],
        axis=1,
    )
    weights = layer_slices(theta)
    second = np.zeros((weights[-1].stop, weights[-1].stop))
    for k in range(layers - 1):
        # between[a, q, i]: how value q before layer n depends on value i behind layer k.
        between = slope[k][:, :, np.newaxis] * np.eye(theta[k].shape[0])
        for n in range(k + 1, layers):
            block = np.einsum(
                "ao,aop,aqi,aj->ijpq", residuals, after[n], between, values[k]
            ).reshape(theta[k].size, theta[n].size)
            second[weights[k], weights[n]], second[weights[n], weights[k]] = block, block.T
            if n < layers - 1:
                between = slope[n][:, :, np.newaxis] * (theta[n] @ between)
    return _assembled(residuals.ravel(), jacobian, second, m)


def _after(theta: DeepParameter, slope: Sequence[Array], m: int) -> list[Array]:
    """For each layer, the derivatives of the outputs by what the layer gives, before its units."""
    outputs = theta[-1].shape[0]
    after = [np.broadcast_to(np.eye(outputs), (m, outputs, outputs))]
    for layer, factor in zip(theta[:0:-1], slope[::-1], strict=True):
        after.append((after[-1] @ layer) * factor[:, np.newaxis, :])
    return after[::-1]


def _assembled(residuals: Array, jacobian: Array, second: Array, m: int) -> Derivatives:
    return Derivatives(
        loss=float(np.sum(residuals**2)) / m,
        residuals=residuals,
        jacobian=jacobian,
        gradient=(2.0 / m) * (residuals @ jacobian),
        hessian=(2.0 / m) * (jacobian.T @ jacobian + second),
    )


def layer_slices(theta: DeepParameter) -> tuple[slice, ...]:
    """Where each layer's weights stand in `deep_vector`."""
    ends = itertools.accumulate((layer.size for layer in theta), initial=0)
    return tuple(slice(a, b) for a, b in itertools.pairwise(ends))


def part_slices(theta: Parameter) -> tuple[slice, slice]:
    """Where hidden and output weights stand in `Parameter.vector`."""
    return slice(0, theta.hidden.size), slice(theta.hidden.size, None)


def spectral_norm(matrix: Array) -> float:
    """The norm of a symmetric matrix: the largest absolute value of an eigenvalue."""
    return float(np.abs(np.linalg.eigvalsh(matrix)).max())
