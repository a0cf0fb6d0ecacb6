"""How far rounding can move what is computed here.

Everything is computed in binary64 numbers, with unit roundoff u = 2⁻⁵³: an operation gives its
exact result times 1 + δ with |δ| ≤ u, as long as nothing overflows or underflows. With
γ(n) = n u/(1 - n u), a product of n such factors (and their inverses) is 1 + δ with |δ| ≤ γ(n), and
γ(a) + γ(b) + γ(a) γ(b) ≤ γ(a + b) (N. Higham, *Accuracy and Stability of Numerical Algorithms*,
2nd edition, Lemmas 3.1 and 3.3).

Predictions, gradients and Hessians are sums of products of weights, data and slopes. If no product
goes through more than n roundings, the computed sum differs from the exact one by at most γ(n)
times the *majorant*, the same sum of the absolute values of the products: whatever the order of
summation, and however much cancels.

How many roundings: a sum of n products costs n, a slope one more, so a value, a derivative by a
value, or the chain between two layers costs n_k + 1 for each layer that it crosses. The widths that
the factors of one product in J or K cross are different ones, so J costs at most w + 1, with
w = ∑ (n_k + 1) over all widths from inputs to outputs, and K at most w + 2; r costs at most w. So
J J and r K cost at most 2 w + 3; the sum over examples and outputs m n_out more; joining the two
sums, dividing 2 by m, multiplying by that, 3. Gradient, loss and predictions cost less.

Rescaling stores α W, one rounding, and α⁻¹ v, two. A product has at most one weight of each layer
in a prediction, two in a loss or a derivative of it: 2 and 4 more roundings a layer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from illustration.derivatives import (
    Data,
    Derivatives,
    deep_derivatives_with_slopes,
    deep_slopes,
    derivatives_with_slopes,
    slopes,
)
from illustration.networks import Activation, Array, DeepParameter, Parameter

UNIT_ROUNDOFF = 2.0**-53


def gamma(n: int) -> float:
    """γ(n), the largest relative change by n roundings."""
    return n * UNIT_ROUNDOFF / (1 - n * UNIT_ROUNDOFF)


def widths(theta: DeepParameter) -> tuple[int, ...]:
    """How many values there are before each layer, and at the end."""
    return (theta[0].shape[1], *(layer.shape[0] for layer in theta))


def prediction_roundings(widths: Sequence[int]) -> int:
    """w: at most so many roundings for a product in a prediction or a residual."""
    return sum(n + 1 for n in widths)


def derivative_roundings(widths: Sequence[int], examples: int) -> int:
    """At most so many roundings for a product in the loss, the gradient, the Hessian."""
    return 2 * prediction_roundings(widths) + examples * widths[-1] + 6


def prediction_gamma(widths: Sequence[int]) -> float:
    """γ for the difference of two computed predictions, at θ and at T_α θ.

    Each is γ(w) or γ(w + 2 layers) times the majorant away from the exact value, which is the same;
    the majorant is computed, and so at least 1 - γ(w) times the exact one, which 2 w more make good
    (1/(1 - γ(w)) ≤ 1 + γ(2 w)); 1 is for the difference itself.
    """
    return gamma(4 * prediction_roundings(widths) + 2 * (len(widths) - 1) + 1)


def derivative_gamma(widths: Sequence[int], examples: int) -> float:
    """γ for the difference of a computed derivative at θ and the one at T_α θ, scaled back.

    As in `prediction_gamma`, with 4 a layer; scaling back an entry of the Hessian is two products
    by factors that may themselves be rounded, 4; and 1 is for the difference.
    """
    layers = len(widths) - 1
    return gamma(4 * derivative_roundings(widths, examples) + 4 * layers + 5)


def majorant(theta: Parameter, data: Data) -> Derivatives:
    """The sums of absolute values that belong to `derivatives(theta, data)`.

    With -|y| in the place of y, the residual becomes what the absolute values compute, plus |y|.
    """
    absolute = Parameter(np.abs(theta.hidden), np.abs(theta.output))
    return derivatives_with_slopes(absolute, _absolute(data), slopes(theta, data.inputs))


def deep_majorant(activation: Activation, theta: DeepParameter, data: Data) -> Derivatives:
    """The sums of absolute values that belong to `deep_derivatives(activation, theta, data)`."""
    slope = [np.abs(s) for s in deep_slopes(activation, theta, data.inputs)]
    absolute = tuple(np.abs(layer) for layer in theta)
    return deep_derivatives_with_slopes(absolute, _absolute(data), slope)


def _absolute(data: Data) -> Data:
    return Data(np.abs(data.inputs), -np.abs(data.labels))


def kink_distance(activation: Activation, theta: DeepParameter, inputs: Array) -> float:
    """How far the units are from the kink of the activation, in units of rounding errors.

    The least |z| over all hidden units and inputs, z being what enters the unit, divided by a bound
    for the rounding errors of z at θ and at any T_α θ (relative to its size). If it is greater than
    1, no z is zero, and z has the sign that was computed, here and there: the loss is a polynomial
    around θ and around T_α θ.
    """
    bound = prediction_gamma(widths(theta))
    values, absolute, least = inputs, np.abs(inputs), np.inf
    for layer in theta[:-1]:
        entering, most = values @ layer.T, absolute @ np.abs(layer).T
        distance = np.divide(
            np.abs(entering), bound * most, out=np.zeros_like(most), where=most > 0
        )
        least = min(least, float(distance.min()))
        slope = activation.slope(entering)
        values, absolute = slope * entering, np.abs(slope) * most
    return least


def eigenvalue_bound(hessian: Array, majorant: Array, roundings: int) -> float:
    """How far a computed eigenvalue of the Hessian can be from the exact one.

    By Weyl's inequality at most the norm of what rounding does to the matrix, γ(n) times the
    (Frobenius) norm of the majorant, computed, hence 2 n more; and what LAPACK's solver for
    symmetric matrices does: it gives the eigenvalues of a matrix within p(n) u ‖H‖, p a "modestly
    growing function" of the size (LAPACK Users' Guide, section 4.7.1), taken as its square here.
    """
    size = len(hessian)
    matrix = gamma(3 * roundings + size * size) * float(np.linalg.norm(majorant))
    return matrix + size**2 * UNIT_ROUNDOFF * float(np.linalg.norm(hessian))
