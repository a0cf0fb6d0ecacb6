"""What is measured at T_α θ, and the numbers as JSON and as tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from illustration import flat, rounding
from illustration.derivatives import (
    Data,
    Derivatives,
    deep_derivatives,
    derivatives,
    layer_slices,
    part_slices,
    spectral_norm,
)
from illustration.minima import DeepMinimum, Examined, Minimum
from illustration.networks import (
    Array,
    Parameter,
    as_deep,
    deep_prediction,
    hidden_part,
    layer_scale,
    norm,
    pair_scale,
    prediction,
    scale,
)

SCHEMA = 1
DECADES = 3
POINTS_A_DECADE = 20
TARGETS = (1e2, 1e4, 1e6, 1e8)
"""The numbers M for which a rescaling is given."""

NOTE = "Numbers on examples: they illustrate the theorems, and decide nothing about the proof."


def alphas() -> Array:
    """The factors α, six decades around 1."""
    exponents = np.arange(-DECADES * POINTS_A_DECADE, DECADES * POINTS_A_DECADE + 1)
    return 10.0 ** (exponents / POINTS_A_DECADE)


@dataclass(frozen=True, slots=True)
class Rescaled:
    """A network after rescaling by α, compared with the one before.

    `norm` is the spectral norm of the Hessian. `small` and `large` are its asymptotes, for α → 0
    and for α → ∞: the norms of two diagonal blocks, scaled. At a minimum the norm is at least
    each. `prediction_change` is the largest on an example, `loss_change` the absolute one; each
    has beside it how large rounding can make it.
    """

    alpha: float
    norm: float
    small: float
    large: float
    loss: float
    loss_change: float
    loss_rounding: float
    prediction_change: float
    prediction_rounding: float


@dataclass(frozen=True, slots=True)
class Sharpened:
    """Theorem 4 with numbers: the α that its proof takes for M, and the norm there."""

    wanted: float
    alpha: float
    norm: float


def rescale(theta: Parameter, data: Data, factors: Sequence[float] | Array) -> list[Rescaled]:
    """The network with one hidden layer at each T_α θ."""
    here, most = derivatives(theta, data), rounding.majorant(theta, data)
    hidden, output = (here.hessian[part, part] for part in part_slices(theta))
    widths = rounding.widths(as_deep(theta))
    computed = prediction(theta, data.inputs)
    rows = []
    for alpha in map(float, factors):
        scaled = scale(alpha, theta)
        rows.append(
            _rescaled(
                alpha,
                (spectral_norm(hidden), spectral_norm(output)),
                (here, derivatives(scaled, data), most),
                prediction(scaled, data.inputs) - computed,
                widths=widths,
                examples=len(data.inputs),
            )
        )
    return rows


def rescale_layers(
    minimum: DeepMinimum, i: int, j: int, factors: Sequence[float] | Array
) -> list[Rescaled]:
    """The deep network with layer i multiplied by each α, layer j by α⁻¹."""
    theta, data, activation = minimum.theta, minimum.data, minimum.activation
    here = deep_derivatives(activation, theta, data)
    most = rounding.deep_majorant(activation, theta, data)
    blocks = [here.hessian[part, part] for part in layer_slices(theta)]
    computed = deep_prediction(activation, theta, data.inputs)
    rows = []
    for alpha in map(float, factors):
        scaled = layer_scale(pair_scale(i, j, alpha, len(theta)), theta)
        rows.append(
            _rescaled(
                alpha,
                (spectral_norm(blocks[i]), spectral_norm(blocks[j])),
                (here, deep_derivatives(activation, scaled, data), most),
                deep_prediction(activation, scaled, data.inputs) - computed,
                widths=rounding.widths(theta),
                examples=len(data.inputs),
            )
        )
    return rows


def _rescaled(
    alpha: float,
    blocks: tuple[float, float],
    derivatives: tuple[Derivatives, Derivatives, Derivatives],
    change: Array,
    *,
    widths: Sequence[int],
    examples: int,
) -> Rescaled:
    here, there, most = derivatives
    # The residuals of the majorant are at least what its predictions are.
    largest = float(most.residuals.max())
    return Rescaled(
        alpha=alpha,
        norm=spectral_norm(there.hessian),
        small=blocks[0] / alpha**2,
        large=blocks[1] * alpha**2,
        loss=there.loss,
        loss_change=abs(there.loss - here.loss),
        loss_rounding=rounding.derivative_gamma(widths, examples) * most.loss,
        prediction_change=float(np.abs(change).max()),
        prediction_rounding=rounding.prediction_gamma(widths) * largest,
    )


def sharpen(theta: Parameter, data: Data, wanted: Sequence[float] = TARGETS) -> list[Sharpened]:
    """For each M an α with ‖∇²L(T_α θ)‖ ≥ M, as in the proof of Theorem 4.

    The part of the proof is the output layer, its vector the one of greatest curvature c there: α
    is the square root of M / c. Lean: `exists_le_norm_hessian_of_invariant`,
    DinhSharpness/Sharpness.lean.
    """
    output = part_slices(theta)[1]
    curvature = spectral_norm(derivatives(theta, data).hessian[output, output])
    found = []
    for m in wanted:
        alpha = math.sqrt(m / curvature)
        hessian = derivatives(scale(alpha, theta), data).hessian
        found.append(Sharpened(m, alpha, spectral_norm(hessian)))
    return found


def smallest() -> tuple[Parameter, Data]:
    """One input, one unit, one example: f(x) = max(x w, 0) v at w = v = 1, with f(1) = 1 wanted.

    The loss is (w v - 1)² for w > 0, and the Hessian at T_α (1, 1) is 2 (α⁻¹, α)ᵀ (α⁻¹, α), of norm
    2 (α² + α⁻²).
    """
    return (
        Parameter(np.ones((1, 1)), np.ones(1)),
        Data(np.ones((1, 1)), np.ones(1)),
    )


@dataclass(frozen=True, slots=True)
class Results:
    """Everything that is computed, for the tables, the JSON and the pictures."""

    seed: int
    smallest: list[Rescaled]
    minimum: Minimum
    rescaled: list[Rescaled]
    sharpened: list[Sharpened]
    deep: DeepMinimum
    pairs: list[tuple[int, int]]
    layers: list[list[Rescaled]]
    epsilon: float
    strip: tuple[float, float]


def compute(seed: int, minimum: Minimum, deep: DeepMinimum) -> Results:
    """All numbers for two minima."""
    factors, count = alphas(), len(deep.theta)
    pairs = [(k, (k + 1) % count) for k in range(count)]
    epsilon = flat.quarter_level(minimum.theta, minimum.data)
    return Results(
        seed=seed,
        smallest=rescale(*smallest(), factors),
        minimum=minimum,
        rescaled=rescale(minimum.theta, minimum.data, factors),
        sharpened=sharpen(minimum.theta, minimum.data),
        deep=deep,
        pairs=pairs,
        layers=[rescale_layers(deep, i, j, factors) for i, j in pairs],
        epsilon=epsilon,
        strip=flat.flat_region_cut(minimum.theta, minimum.data, epsilon),
    )


def document(results: Results, files: Sequence[str]) -> dict[str, Any]:
    """The numbers as JSON holds them, and the names of the pictures."""
    minimum, deep = results.minimum, results.deep
    return {
        "schema": SCHEMA,
        "note": NOTE,
        "seed": results.seed,
        "smallest": {"rescaled": [asdict(row) for row in results.smallest]},
        "network": {
            "hidden": minimum.theta.hidden.tolist(),
            "output": minimum.theta.output.tolist(),
            "inputs": minimum.data.inputs.tolist(),
            "labels": minimum.data.labels.tolist(),
            "minimum": _examined(minimum.examined),
            "rescaled": [asdict(row) for row in results.rescaled],
            "sharpened": [asdict(row) for row in results.sharpened],
        },
        "deep": {
            "activation": asdict(deep.activation),
            "layers": [layer.tolist() for layer in deep.theta],
            "inputs": deep.data.inputs.tolist(),
            "labels": deep.data.labels.tolist(),
            "minimum": _examined(deep.examined),
            "pairs": [
                {"layer": i, "inverse": j, "rescaled": [asdict(row) for row in rows]}
                for (i, j), rows in zip(results.pairs, results.layers, strict=True)
            ],
        },
        "flat_region": {"epsilon": results.epsilon, "strip": list(results.strip)},
        "files": list(files),
    }


def _examined(examined: Examined) -> dict[str, Any]:
    return {
        "gradient": examined.gradient,
        "eigenvalues": examined.eigenvalues.tolist(),
        "eigenvalue_bound": examined.eigenvalue_bound,
        "kink_distance": examined.kink_distance,
        "zero_eigenvalues": examined.zeros,
        "hidden_units": examined.units,
    }


def page(results: Results, files: Sequence[str]) -> str:
    """The numbers as tables for people."""
    minimum, deep = results.minimum, results.deep
    reach = norm(hidden_part(minimum.theta))
    low, high = results.strip
    lines = [
        NOTE,
        "",
        "norm: the spectral norm of the Hessian at T_α θ. block: its two asymptotes, from the",
        "norms of two diagonal blocks at θ, first that of the weights that are multiplied by α.",
        "Loss and predictions f change by no more than rounding.",
        "",
        "By hand: one input, one unit, loss (w v - 1)² at w = v = 1.",
        "  the norm of the Hessian at T_α θ is 2 (α² + α⁻²)",
        *_table(_every_decade(results.smallest)),
        "",
        f"One hidden layer: ReLU, 2 inputs, 3 units, fitted to {len(minimum.data.inputs)} examples "
        f"(seed {results.seed}).",
        *_minimum(minimum.examined),
        "  T_α multiplies the hidden weights by α, the output weights by 1/α:",
        *_table(_every_decade(results.rescaled)),
        "  Theorem 4, for a norm of at least M:",
        *(
            f"    M = {row.wanted:.0e}   α = {row.alpha:10.4g}   norm = {row.norm:.6e}"
            for row in results.sharpened
        ),
        f"  ε-sharpness: T_α θ is α · {reach:.4g} away from a parameter that computes zero.",
        "",
        f"Four layers: leaky ReLU, widths {_widths(deep)}, fitted to {len(deep.data.inputs)} "
        f"examples (seed {results.seed}).",
        *_minimum(deep.examined),
    ]
    for (i, j), rows in zip(results.pairs, results.layers, strict=True):
        lines += [f"  layer {i} times α, layer {j} times 1/α:", *_table(_every_decade(rows))]
    lines += [
        "",
        f"The flat region of Theorem 2 for the first network, ε = {results.epsilon:.4g}:",
        f"  (s W, t v) with s > 0 lies in it if {low:.6f} < s t < {high:.6f}.",
        "  Area of this strip for s between 1/S and S:",
        *(
            f"    S = 1e{k}   area = {flat.area_of_cut(results.strip, (10.0**-k, 10.0**k)):.4f}"
            for k in (1, 2, 4, 8)
        ),
        "",
        *(f"Written: {name}" for name in files),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _widths(deep: DeepMinimum) -> str:
    return "-".join(map(str, rounding.widths(deep.theta)))


def _minimum(examined: Examined) -> list[str]:
    values, zeros = examined.eigenvalues, examined.zeros
    return [
        f"  a minimum to rounding: gradient {examined.gradient:.2g} of what rounding allows; of "
        f"{len(values)} eigenvalues of the Hessian",
        f"  {zeros} are zero (± {examined.eigenvalue_bound:.0e}), one for each hidden unit, the "
        f"others between {values[zeros]:.3g} and {values[-1]:.3g};",
        f"  no unit is at its kink on an example ({examined.kink_distance:.0e} times what "
        "rounding could move it)",
    ]


def _every_decade(rows: Sequence[Rescaled]) -> Sequence[Rescaled]:
    return rows[::POINTS_A_DECADE]


def _table(rows: Sequence[Rescaled]) -> list[str]:
    head = ("norm", "block / α²", "block · α²", "loss", "loss changes", "f changes")
    lines = ["    " + f"{'α':>6}" + "".join(f"  {word:>12}" for word in head)]
    for row in rows:
        numbers = (row.norm, row.small, row.large, row.loss)
        lines.append(
            f"    {row.alpha:>6g}"
            + "".join(f"  {number:>12.6e}" for number in numbers)
            + f"  {row.loss_change:>12.1e}  {row.prediction_change:>12.1e}"
        )
    return lines
