"""Minima to start from: networks fitted to noisy data until rounding ends it.

When is θ a local minimum? Each hidden unit may be rescaled by itself: what enters it times c > 0,
what it sends times c⁻¹. That changes no prediction, so through θ there is a surface of as many
dimensions as there are hidden units (each has a weight that is not zero on either side) on which
the loss is constant, and the Hessian at a critical point vanishes along it. If the Hessian is
positive in all other directions, that is, if exactly as many eigenvalues are zero as there are
hidden units, and no others, then near θ the loss is nowhere smaller than on the surface: θ is a
local minimum. `examine` looks for this, as far as rounding lets anybody see.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from illustration import rounding
from illustration.derivatives import Data, Derivatives, deep_derivatives, derivatives
from illustration.networks import (
    RELU,
    Activation,
    Array,
    DeepParameter,
    Parameter,
    as_deep,
    deep_prediction,
    deep_vector,
    prediction,
    with_deep_vector,
)

INPUTS, UNITS, EXAMPLES, NOISE = 2, 3, 25, 0.1
DEEP_WIDTHS, DEEP_EXAMPLES, DEEP_NOISE = (2, 3, 3, 2, 2), 60, 0.02
LEAKY = Activation(1.0, 0.25)
ATTEMPTS = 5000
DAMPED_STEPS, NEWTON_STEPS = 100, 20
WELL_DETERMINED = 1e-5
"""Least nonzero eigenvalue of Jᵀ J to start from, relative to the greatest."""


class NoMinimumError(Exception):
    """No start led to a minimum that can be told from its neighbours; the message says which."""


@dataclass(frozen=True, slots=True, eq=False)
class Examined:
    """What a computed parameter has of a minimum.

    `gradient` is the largest entry of the gradient relative to what rounding the weights and the
    sums can make of zero: at most 1 means that it vanishes to rounding. `eigenvalues` are those of
    the Hessian, ascending, each exact to `eigenvalue_bound`. `kink_distance` is that of
    `rounding.kink_distance`.
    """

    gradient: float
    eigenvalues: Array
    eigenvalue_bound: float
    kink_distance: float
    units: int

    @property
    def zeros(self) -> int:
        """How many eigenvalues are zero as far as can be told."""
        return int(np.sum(np.abs(self.eigenvalues) <= self.eigenvalue_bound))

    @property
    def is_minimum(self) -> bool:
        """Whether this is a minimum, twice differentiable, with a Hessian that is not zero."""
        return (
            self.gradient <= 1
            and self.kink_distance > 1
            and self.zeros == self.units < len(self.eigenvalues)
            and bool(self.eigenvalues[0] >= -self.eigenvalue_bound)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Minimum:
    """A network with one hidden layer at a minimum of its mean squared error."""

    theta: Parameter
    data: Data
    examined: Examined


@dataclass(frozen=True, slots=True, eq=False)
class DeepMinimum:
    """A deep network at a minimum of its mean squared error."""

    activation: Activation
    theta: DeepParameter
    data: Data
    examined: Examined


def examine(theta: Parameter, data: Data) -> Examined:
    """What a network with one hidden layer has of a minimum."""
    return _examined(
        theta.vector(),
        derivatives(theta, data),
        rounding.majorant(theta, data),
        kink_distance=rounding.kink_distance(RELU, as_deep(theta), data.inputs),
        roundings=rounding.derivative_roundings(rounding.widths(as_deep(theta)), len(data.inputs)),
        units=len(theta.output),
    )


def examine_deep(activation: Activation, theta: DeepParameter, data: Data) -> Examined:
    """What a deep network has of a minimum."""
    widths = rounding.widths(theta)
    return _examined(
        deep_vector(theta),
        deep_derivatives(activation, theta, data),
        rounding.deep_majorant(activation, theta, data),
        kink_distance=rounding.kink_distance(activation, theta, data.inputs),
        roundings=rounding.derivative_roundings(widths, len(data.inputs)),
        units=sum(widths[1:-1]),
    )


def _examined(
    vector: Array,
    found: Derivatives,
    most: Derivatives,
    *,
    kink_distance: float,
    roundings: int,
    units: int,
) -> Examined:
    """The gradient may be as large as γ times its majorant, plus what rounding the weights does.

    Weights are known to a relative error u at best, which changes the gradient by up to u times
    the majorant of the Hessian applied to their absolute values, to first order.
    """
    allowed = rounding.gamma(3 * roundings) * most.gradient
    allowed = allowed + rounding.UNIT_ROUNDOFF * (most.hessian @ np.abs(vector))
    relative = np.divide(
        np.abs(found.gradient),
        allowed,
        out=np.where(found.gradient == 0, 0.0, np.inf),
        where=allowed > 0,
    )
    return Examined(
        gradient=float(relative.max()),
        eigenvalues=np.asarray(np.linalg.eigvalsh(found.hessian), dtype=np.float64),
        eigenvalue_bound=rounding.eigenvalue_bound(found.hessian, most.hessian, roundings),
        kink_distance=kink_distance,
        units=units,
    )


def fitted(seed: int) -> Minimum:
    """A ReLU network with 2 inputs (t, 1) and 3 hidden units, fitted to 25 examples with noise.

    The labels are what a random network computes, plus noise; that network is where fitting
    starts. Random networks are drawn until one leads to a minimum.

    Raises NoMinimumError if none of ATTEMPTS does.
    """
    random = np.random.default_rng([seed, 1])
    t = np.linspace(-2.0, 2.0, EXAMPLES)
    inputs = np.column_stack([t, np.ones_like(t)])
    for _ in range(ATTEMPTS):
        start = Parameter(random.normal(size=(INPUTS, UNITS)), random.normal(size=UNITS))
        exact = prediction(start, inputs)
        data = Data(inputs, exact + NOISE * np.std(exact) * random.normal(size=EXAMPLES))
        at = _derivatives_at(start, data)
        vector = fit(start.vector(), at, UNITS)
        if vector is None:
            continue
        theta = start.with_vector(vector)
        if (examined := examine(theta, data)).is_minimum:
            return Minimum(theta, data, examined)
    raise NoMinimumError(f"seed {seed}: no minimum of a network with one hidden layer was found")


def fitted_deep(seed: int) -> DeepMinimum:
    """A leaky ReLU network with widths 2, 3, 3, 2, 2, fitted to 60 examples with noise.

    Made like `fitted`. Raises NoMinimumError if none of ATTEMPTS random networks serves.
    """
    random = np.random.default_rng([seed, 2])
    for _ in range(ATTEMPTS):
        inputs = random.normal(size=(DEEP_EXAMPLES, DEEP_WIDTHS[0]))
        start = tuple(
            random.normal(size=(after, before)) * np.sqrt(2.0 / before)
            for before, after in itertools.pairwise(DEEP_WIDTHS)
        )
        exact = deep_prediction(LEAKY, start, inputs)
        noise = DEEP_NOISE * np.std(exact) * random.normal(size=exact.shape)
        data = Data(inputs, exact + noise)
        at = _deep_derivatives_at(start, data)
        vector = fit(deep_vector(start), at, sum(DEEP_WIDTHS[1:-1]))
        if vector is None:
            continue
        theta = with_deep_vector(start, vector)
        if (examined := examine_deep(LEAKY, theta, data)).is_minimum:
            return DeepMinimum(LEAKY, theta, data, examined)
    raise NoMinimumError(f"seed {seed}: no minimum of a deep network was found")


def _derivatives_at(shape: Parameter, data: Data) -> Callable[[Array], Derivatives]:
    return lambda vector: derivatives(shape.with_vector(vector), data)


def _deep_derivatives_at(shape: DeepParameter, data: Data) -> Callable[[Array], Derivatives]:
    return lambda vector: deep_derivatives(LEAKY, with_deep_vector(shape, vector), data)


def fit(vector: Array, at: Callable[[Array], Derivatives], units: int) -> Array | None:
    """Weights near a minimum of the loss, from a start: damped Gauss-Newton steps, then Newton's.

    `units` directions are known to be flat. None if the examples do not determine the others at
    the start.
    """
    found = at(vector)
    curvature = np.linalg.eigvalsh(found.jacobian.T @ found.jacobian)
    if not np.sum(curvature <= WELL_DETERMINED * curvature[-1]) == units < len(vector):
        return None
    damping = 1e-2
    for _ in range(DAMPED_STEPS):
        matrix = found.jacobian.T @ found.jacobian + damping * np.eye(len(vector))
        further = vector - np.linalg.solve(matrix, found.residuals @ found.jacobian)
        if (there := at(further)).loss < found.loss:
            vector, found, damping = further, there, max(damping / 4, 1e-9)
        elif (damping := 4 * damping) > 1e9:
            break
    for _ in range(NEWTON_STEPS):
        values, vectors = np.linalg.eigh(found.hessian)
        curved = np.argsort(np.abs(values))[units:]
        if not values[curved].all():
            return None
        basis = vectors[:, curved]
        further = vector - basis @ ((found.gradient @ basis) / values[curved])
        there = at(further)
        if not np.abs(there.gradient).max() < np.abs(found.gradient).max():
            break
        vector, found = further, there
    return vector
