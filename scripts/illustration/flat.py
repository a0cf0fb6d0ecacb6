"""A plane through the flat region of Theorem 2, on which it can be given by formula.

The plane is the one in which the rescaling T_α moves θ = (W, v): the parameters (s W, t v). For
s > 0 such a network computes s t f_θ, so that the mean squared error is a quadratic polynomial of
p = s t. The part of the region in the plane is a strip between two hyperbolas s t = p, and goes on
without end along both axes.
"""

from __future__ import annotations

import math

import numpy as np

from illustration.derivatives import Data
from illustration.networks import (
    Array,
    Parameter,
    mean_squared_error,
    parameter_loss,
    prediction,
)


def in_plane(theta: Parameter, s: float, t: float) -> Parameter:
    """The point (s W, t v) of the plane through θ = (W, v)."""
    return Parameter(s * theta.hidden, t * theta.output)


def loss_without_hidden_weights(data: Data) -> float:
    """The loss of the zero function: of every network whose hidden weights are zero."""
    return float(np.mean(data.labels**2))


def quarter_level(theta: Parameter, data: Data) -> float:
    """An ε to draw: a quarter of what the zero function's loss is above that of θ."""
    loss = parameter_loss(mean_squared_error(data.inputs, data.labels), theta)
    return (loss_without_hidden_weights(data) - loss) / 4


def flat_region_cut(theta: Parameter, data: Data, epsilon: float) -> tuple[float, float]:
    """The numbers (p, q), 0 < p < 1 < q: (s W, t v), s > 0, is in the region if p < s t < q.

    Lean: `flatRegion L θ ε`, DinhSharpness/Volume.lean, the connected region around θ on which the
    loss stays below L θ + ε. The points given are all points of the plane that are connected with θ
    *within the plane*, and so belong to the region; what the region has elsewhere in the plane is
    not looked for.

    Raises ValueError unless the network computes anything on the examples, ε > 0, and
    L θ + ε is at most the loss of the zero function, so that no s t ≤ 0 is in the strip.
    """
    computed = prediction(theta, data.inputs)
    square, slope = float(np.mean(computed**2)), float(np.mean(computed * (computed - data.labels)))
    loss = parameter_loss(mean_squared_error(data.inputs, data.labels), theta)
    if not (square > 0 and 0 < epsilon <= loss_without_hidden_weights(data) - loss):
        raise ValueError(f"no strip around θ: ε = {epsilon}")
    # The loss at p = s t is that of θ, plus square (p - 1)² + 2 slope (p - 1).
    root = math.sqrt(slope**2 + square * epsilon)
    return 1 + (-slope - root) / square, 1 + (-slope + root) / square


def area_of_cut(strip: tuple[float, float], s: tuple[float, float]) -> float:
    """The area of the strip between two values of s, in the coordinates (s, t).

    It grows without bound as they go to 0 and to infinity.
    """
    return (strip[1] - strip[0]) * math.log(s[1] / s[0])


def ball_radius(strip: tuple[float, float]) -> float:
    """The radius of the ball of Theorem 2's proof, for the network with two weights at (1, 1).

    The ball has to lie in the strip, and the hidden weight has to stay within half its size. The
    points of s t = p next to (1, 1) are on the diagonal if p ≥ 1/4.

    Raises ValueError if the strip reaches below 1/4.
    """
    low, high = strip
    if low < 0.25:
        raise ValueError(f"the strip begins at {low}, below 1/4")
    return min(math.sqrt(2) * (math.sqrt(high) - 1), math.sqrt(2) * (1 - math.sqrt(low)), 0.5)


def ball_image(alpha: float, radius: float, points: int = 200) -> Array:
    """The edge of the image under T_α of the ball around (1, 1): `points` rows (s, t)."""
    angle = np.linspace(0.0, 2 * np.pi, points)
    edge = np.column_stack([1 + radius * np.cos(angle), 1 + radius * np.sin(angle)])
    image: Array = edge * np.array([alpha, 1.0 / alpha])
    return image
