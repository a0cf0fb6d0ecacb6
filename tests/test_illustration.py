"""The networks with numbers are those of the Lean files, and their derivatives are exact.

Numbers of Python are binary fractions, and fractions can be computed with exactly. So most of what
follows has no tolerance: the other side of an equation is written as the Lean file writes it, in
fractions. Where rounding enters, the bounds are those derived in `illustration/rounding.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg

from illustration import derivatives, flat, measure, minima, networks, plots, rounding
from illustration.derivatives import Data
from illustration.minima import DeepMinimum, Minimum
from illustration.networks import RELU, Activation, Array, DeepParameter, Parameter
from projects_for_tests import CHECKOUT

Exact = Sequence[Sequence[Fraction]]
Loss = Callable[[Sequence[Fraction]], Fraction]

# --- What is put in --------------------------------------------------------------------------

whole = st.integers(1, 8).map(float)
"""Small enough for every sum of products in these tests to be exact, in any order."""

real = st.floats(2.0**-10, 2.0**10)
"""No product of these overflows, underflows, or loses digits at the lower end."""

scalings = st.floats(1e-3, 1e3)
powers_of_two = st.integers(-10, 10).map(lambda n: 2.0**n)


@st.composite
def arrays(
    draw: st.DrawFn,
    shape: tuple[int, ...],
    sizes: st.SearchStrategy[float],
    signs: tuple[int, ...] = (-1, 0, 1),
) -> Array:
    """Numbers of these sizes and signs."""
    numbers = st.builds(lambda size, sign: size * sign, sizes, st.sampled_from(signs))
    count = math.prod(shape)
    return np.array(draw(st.lists(numbers, min_size=count, max_size=count))).reshape(shape)


@st.composite
def problems(
    draw: st.DrawFn, sizes: st.SearchStrategy[float], examples: tuple[int, ...] = (1, 2, 3, 4)
) -> tuple[Parameter, Data]:
    """A network with one hidden layer and examples, no unit at its kink."""
    d, h, m = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.sampled_from(examples))
    theta = Parameter(draw(arrays((d, h), sizes, (-1, 1))), draw(arrays((h,), sizes)))
    data = Data(draw(arrays((m, d), sizes, (-1, 1))), draw(arrays((m,), sizes)))
    assume(rounding.kink_distance(RELU, networks.as_deep(theta), data.inputs) > 1)
    return theta, data


@st.composite
def deep_problems(
    draw: st.DrawFn, sizes: st.SearchStrategy[float], examples: tuple[int, ...] = (1, 2, 3)
) -> tuple[Activation, DeepParameter, Data]:
    """A network of two to four layers and examples, no unit at its kink.

    Under ReLU a layer may be silent as a whole, and the next one then stands at its kink: so the
    first unit of each layer is kept active, by positive weights and positive inputs.
    """
    widths = draw(st.lists(st.integers(1, 2), min_size=3, max_size=5))
    activation = Activation(*draw(st.sampled_from([(1, 0), (1, 0.25), (1, -1), (2, 0.5)])))
    hidden = [draw(arrays((b, a), sizes, (-1, 1))) for a, b in pairwise(widths[:-1])]
    last = draw(arrays((widths[-1], widths[-2]), sizes))
    m = draw(st.sampled_from(examples))
    inputs = draw(arrays((m, widths[0]), sizes, (-1, 1)))
    if activation == RELU:
        inputs = np.abs(inputs)
        for layer in hidden:
            layer[0] = np.abs(layer[0])
    theta = (*hidden, last)
    data = Data(inputs, draw(arrays((m, widths[-1]), sizes)))
    assume(rounding.kink_distance(activation, theta, data.inputs) > 1)
    return activation, theta, data


@pytest.fixture(scope="module")
def fitted() -> Minimum:
    return minima.fitted(0)


@pytest.fixture(scope="module")
def fitted_deep() -> DeepMinimum:
    return minima.fitted_deep(0)


# --- The other side: the Lean definitions, in fractions ----------------------------------------


def exact(array: Array) -> Any:
    """The same numbers as fractions, in an array."""
    return np.vectorize(Fraction, otypes=[object])(array)


def lean_prediction(hidden: Exact, output: Sequence[Fraction], x: Sequence[Fraction]) -> Fraction:
    """`∑ j, max (∑ i, x i * θ (.inl (i, j))) 0 * θ (.inr j)`, tests/lean/LeanTests."""
    return sum(
        (
            max(sum((x[i] * hidden[i][j] for i in range(len(x))), Fraction(0)), Fraction(0))
            * output[j]
            for j in range(len(output))
        ),
        Fraction(0),
    )


def lean_hidden_value(
    activation: Activation, theta: Sequence[Exact], x: Sequence[Fraction], k: int
) -> list[Fraction]:
    """`σ (∑ j, weight θ k i j * hiddenValue σ θ x k j)`, DinhSharpness/DeepNetwork.lean."""
    if k == 0:
        return list(x)
    before = lean_hidden_value(activation, theta, x, k - 1)
    sums = [
        sum((w * b for w, b in zip(row, before, strict=True)), Fraction(0)) for row in theta[k - 1]
    ]
    return [
        Fraction(activation.positive) * s if s > 0 else Fraction(activation.negative) * s
        for s in sums
    ]


def lean_deep_prediction(
    activation: Activation, theta: Sequence[Exact], x: Sequence[Fraction]
) -> list[Fraction]:
    """`∑ j, weight θ L i j * hiddenValue σ θ x L j`, DinhSharpness/DeepNetwork.lean."""
    last = lean_hidden_value(activation, theta, x, len(theta) - 1)
    return [sum((w * b for w, b in zip(row, last, strict=True)), Fraction(0)) for row in theta[-1]]


def lean_loss(theta: Parameter, data: Data, vector: Sequence[Fraction]) -> Fraction:
    """The mean squared error at other weights, exactly."""
    d, h = theta.hidden.shape
    hidden = [vector[i * h : (i + 1) * h] for i in range(d)]
    errors = [
        lean_prediction(hidden, vector[d * h :], list(x)) - y
        for x, y in zip(exact(data.inputs), exact(data.labels), strict=True)
    ]
    return sum((e * e for e in errors), Fraction(0)) / len(errors)


def lean_deep_loss(
    activation: Activation, theta: DeepParameter, data: Data, vector: Sequence[Fraction]
) -> Fraction:
    """The mean squared error of a deep network at other weights, exactly."""
    layers, start = [], 0
    for layer in theta:
        rows, columns = layer.shape
        layers.append(
            [vector[start + r * columns : start + (r + 1) * columns] for r in range(rows)]
        )
        start += layer.size
    total = Fraction(0)
    for x, y in zip(exact(data.inputs), exact(data.labels), strict=True):
        computed = lean_deep_prediction(activation, layers, list(x))
        total += sum(((f - w) ** 2 for f, w in zip(computed, y, strict=True)), Fraction(0))
    return total / len(data.inputs)


STEP = Fraction(1, 2**200)
"""So small that no unit of these tests gets to its kink."""


def differences(loss: Loss, vector: Array) -> tuple[list[Fraction], list[list[Fraction]]]:
    """Central differences of a loss: gradient and Hessian.

    Between kinks the loss is a polynomial of degree two at most in every single weight, since the
    outputs are of degree one in each. For such a polynomial central differences are not
    approximations: (L(+) - L(-)) / 2s is the derivative, (L(+) - 2 L(0) + L(-)) / s² the second
    derivative, and (L(++) - L(+-) - L(-+) + L(--)) / 4s² the mixed one, whatever the step s.
    """
    here = [Fraction(number) for number in vector.tolist()]

    def at(*moves: tuple[int, int]) -> Fraction:
        there = list(here)
        for index, sign in moves:
            there[index] += sign * STEP
        return loss(there)

    size, middle = len(here), at()
    gradient = [(at((p, 1)) - at((p, -1))) / (2 * STEP) for p in range(size)]
    hessian = [[Fraction(0)] * size for _ in range(size)]
    for p in range(size):
        hessian[p][p] = (at((p, 1)) - 2 * middle + at((p, -1))) / STEP**2
        for q in range(p):
            mixed = sum(a * b * at((p, a), (q, b)) for a, b in product((1, -1), (1, -1)))
            hessian[p][q] = hessian[q][p] = mixed / (4 * STEP**2)
    return gradient, hessian


def within(computed: Array, true: object, bound: Array) -> bool:
    """Whether every computed entry is within its bound of the true one; exactly, in fractions."""
    difference = np.abs(exact(computed) - np.array(true, dtype=object))
    return bool(np.all(difference <= exact(bound)))


# --- Definitions -----------------------------------------------------------------------------


def lean_names() -> list[tuple[str, str]]:
    """What docstrings of the package say: names of Lean, and the files they are in."""
    found = []
    for path in sorted((CHECKOUT / "scripts/illustration").glob("*.py")):
        text = " ".join(path.read_text(encoding="utf-8").split())
        for sentence in re.findall(r"Lean: ([^.]*?\.lean)", text):
            name = re.search(r"`(\w+)", sentence)
            file = re.search(r"(\w+/\w+\.lean)", sentence)
            assert name, sentence
            assert file, sentence
            found.append((name[1], file[1]))
    return found


def test_lean_has_what_the_docstrings_name() -> None:
    names = lean_names()
    assert len(names) >= 20
    for name, file in names:
        text = (CHECKOUT / file).read_text(encoding="utf-8")
        declared = rf"^(?:noncomputable )?(?:def|abbrev|theorem) {name}\b"
        assert re.search(declared, text, re.MULTILINE), f"{file} declares no {name}"


@given(problems(whole))
def test_prediction_is_that_of_lean(problem: tuple[Parameter, Data]) -> None:
    theta, data = problem
    hidden, output = exact(theta.hidden), exact(theta.output)
    expected = [lean_prediction(hidden, output, x) for x in exact(data.inputs)]
    assert networks.prediction(theta, data.inputs).tolist() == expected
    # One input alone, and the loss as a functional of the function.
    assert networks.prediction(theta, data.inputs[0]) == expected[0]
    assert networks.parameter_loss(lambda f: float(f(data.inputs[0])), theta) == expected[0]


@given(deep_problems(whole))
def test_deep_prediction_is_that_of_lean(
    problem: tuple[Activation, DeepParameter, Data],
) -> None:
    activation, theta, data = problem
    layers = [exact(layer) for layer in theta]
    for x, exactly in zip(data.inputs, exact(data.inputs), strict=True):
        expected = lean_deep_prediction(activation, layers, list(exactly))
        assert networks.deep_prediction(activation, theta, x).tolist() == expected
    first = networks.deep_loss(activation, lambda f: float(f(data.inputs)[0, 0]), theta)
    assert first == networks.deep_prediction(activation, theta, data.inputs)[0, 0]


@given(problems(whole))
def test_one_hidden_layer_is_a_deep_network(problem: tuple[Parameter, Data]) -> None:
    theta, data = problem
    deep, deep_data = networks.as_deep(theta), Data(data.inputs, data.labels[:, np.newaxis])
    assert np.array_equal(
        networks.deep_prediction(RELU, deep, data.inputs)[:, 0],
        networks.prediction(theta, data.inputs),
    )
    # A deep network's first layer is the hidden weights with rows and columns exchanged.
    d, h = theta.hidden.shape
    order = [j * d + i for i in range(d) for j in range(h)] + [d * h + j for j in range(h)]
    one = derivatives.derivatives(theta, data)
    other = derivatives.deep_derivatives(RELU, deep, deep_data)
    assert np.array_equal(one.gradient, other.gradient[order])
    assert np.array_equal(one.hessian, other.hessian[np.ix_(order, order)])


@given(problems(real), powers_of_two)
def test_scale_is_that_of_lean(problem: tuple[Parameter, Data], alpha: float) -> None:
    theta, _ = problem
    scaled = networks.scale(alpha, theta)
    assert np.array_equal(scaled.hidden, alpha * theta.hidden)
    assert np.array_equal(scaled.output, theta.output / alpha)
    hidden, output = networks.hidden_part(theta), networks.output_part(theta)
    assert np.array_equal(hidden.vector() + output.vector(), theta.vector())
    assert np.array_equal(networks.scale(alpha, hidden).vector(), alpha * hidden.vector())
    assert np.array_equal(networks.scale(alpha, output).vector(), output.vector() / alpha)


@settings(max_examples=40)
@given(deep_problems(real), powers_of_two)
def test_layer_scale_is_that_of_lean(
    problem: tuple[Activation, DeepParameter, Data], alpha: float
) -> None:
    _, theta, _ = problem
    layers = len(theta)
    total = sum(networks.deep_vector(networks.layer_part(k, theta)) for k in range(layers))
    assert np.array_equal(total, networks.deep_vector(theta))
    for i, j in product(range(layers), repeat=2):
        factors = networks.pair_scale(i, j, alpha, layers)
        assert factors[i] == alpha
        assert i == j or (factors[j] == 1 / alpha and math.prod(factors) == 1)
        scaled = networks.layer_scale(factors, networks.layer_part(i, theta))
        assert np.array_equal(
            networks.deep_vector(scaled),
            alpha * networks.deep_vector(networks.layer_part(i, theta)),
        )


@given(arrays((2,), real), powers_of_two, arrays((1,), real))
def test_activations_are_positively_homogeneous(slopes: Array, c: float, t: Array) -> None:
    activation = Activation(*slopes)
    assert activation(c * t) == c * activation(t)
    assert RELU(t) == max(t[0], 0.0)


def test_shapes_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(2,\)"):
        Parameter(np.ones((2, 3)), np.ones(2))


@given(st.data(), st.integers(1, 4), st.integers(1, 4))
def test_silent_parameter_is_that_of_lean(data: st.DataObject, d: int, h: int) -> None:
    """What DinhSharpness/NonVacuity.lean proves of `squareAt k` and `silentParameter d h`."""
    k = data.draw(st.integers(0, d - 1))
    square, silent = networks.square_at(k, d), networks.silent_parameter(d, h)
    theta = Parameter(data.draw(arrays((d, h), whole)), data.draw(arrays((h,), whole)))
    # `parameterLoss_squareAt`
    expected = sum(max(theta.hidden[k, j], 0.0) * theta.output[j] for j in range(h)) ** 2
    assert networks.parameter_loss(square, theta) == expected
    # It is the mean squared error on one example, so that `derivatives` gives its Hessian.
    example = Data(networks.unit_input(k, d)[np.newaxis], np.zeros(1))
    error = networks.mean_squared_error(example.inputs, example.labels)
    assert networks.parameter_loss(error, theta) == expected
    # The minimum, and the line on which all output weights are t: `h² t²`.
    assert networks.parameter_loss(square, silent) == 0
    for t in (-2.0, -0.5, 1.0):
        assert (
            networks.parameter_loss(square, Parameter(silent.hidden, np.full(h, t))) == (h * t) ** 2
        )
    # So the second derivative along it is `h² (2 · 1)`, and the form is 2 g gᵀ with g = (0, 1).
    found = derivatives.derivatives(silent, example)
    u = np.concatenate([np.zeros(d * h), np.ones(h)])
    assert not found.gradient.any()
    assert u @ found.hessian @ u == 2 * h**2
    assert np.array_equal(found.hessian, 2 * np.outer(u, u))


@given(problems(real), st.floats(1e-6, 1e3))
def test_zero_function_is_near(problem: tuple[Parameter, Data], epsilon: float) -> None:
    """`exists_zero_prediction_mem_closedBall`, with the α of its proof.

    The distance is α ‖W‖ with α = ε / (‖W‖ + 1), below ε by the factor ‖W‖ / (‖W‖ + 1), that is by
    at least 1 part in 2¹⁴ here (‖W‖ ≤ 3 · 2¹⁰), unless W = 0: far more than rounding.
    """
    theta, data = problem
    size = networks.norm(networks.hidden_part(theta))
    scaled = networks.scale(epsilon / (size + 1), theta)
    near = networks.output_part(scaled)
    assert not networks.prediction(near, data.inputs).any()
    difference = scaled.vector() - near.vector()
    assert math.hypot(*difference) <= epsilon


# --- Derivatives -----------------------------------------------------------------------------


@settings(max_examples=40)
@given(problems(whole, (1, 2, 4)))
def test_derivatives_are_exact(problem: tuple[Parameter, Data]) -> None:
    """On whole numbers, with a power of two of examples, nothing is rounded."""
    theta, data = problem
    gradient, hessian = differences(lambda vector: lean_loss(theta, data, vector), theta.vector())
    found = derivatives.derivatives(theta, data)
    assert found.gradient.tolist() == gradient
    assert found.hessian.tolist() == hessian
    error = networks.mean_squared_error(data.inputs, data.labels)
    assert found.loss == networks.parameter_loss(error, theta)
    assert found.loss == lean_loss(theta, data, [Fraction(w) for w in theta.vector().tolist()])


@settings(max_examples=40)
@given(problems(real))
def test_derivatives_are_within_their_bounds(problem: tuple[Parameter, Data]) -> None:
    """γ(n) times the exact majorant; the computed one may be too small by γ(n), hence 3 n."""
    theta, data = problem
    gradient, hessian = differences(lambda vector: lean_loss(theta, data, vector), theta.vector())
    found, most = derivatives.derivatives(theta, data), rounding.majorant(theta, data)
    widths = rounding.widths(networks.as_deep(theta))
    gamma = rounding.gamma(3 * rounding.derivative_roundings(widths, len(data.inputs)) + 1)
    assert within(found.gradient, gradient, gamma * most.gradient)
    assert within(found.hessian, hessian, gamma * most.hessian)


def nothing_is_rounded(activation: Activation, theta: DeepParameter, data: Data) -> bool:
    """Whether all sums for a network of whole numbers, of four layers at most, are exact.

    The slopes are multiples of 2⁻², so outputs and their derivatives of 2⁻⁶, products of two of
    them of 2⁻¹². No partial sum is greater than the majorant times m / 2 ≤ 2. Below 2³⁹, multiples
    of 2⁻¹² have 51 digits at most.
    """
    most = rounding.deep_majorant(activation, theta, data)
    return bool(max(most.loss, most.gradient.max(), most.hessian.max()) < 2.0**38)


@settings(max_examples=40)
@given(deep_problems(whole, (1, 2)))
def test_deep_derivatives_are_exact(problem: tuple[Activation, DeepParameter, Data]) -> None:
    activation, theta, data = problem
    assume(nothing_is_rounded(activation, theta, data))
    vector = networks.deep_vector(theta)
    gradient, hessian = differences(
        lambda vector: lean_deep_loss(activation, theta, data, vector), vector
    )
    found = derivatives.deep_derivatives(activation, theta, data)
    assert found.gradient.tolist() == gradient
    assert found.hessian.tolist() == hessian


@settings(max_examples=40)
@given(deep_problems(real))
def test_deep_derivatives_are_within_their_bounds(
    problem: tuple[Activation, DeepParameter, Data],
) -> None:
    activation, theta, data = problem
    gradient, hessian = differences(
        lambda vector: lean_deep_loss(activation, theta, data, vector),
        networks.deep_vector(theta),
    )
    found = derivatives.deep_derivatives(activation, theta, data)
    most = rounding.deep_majorant(activation, theta, data)
    roundings = rounding.derivative_roundings(rounding.widths(theta), len(data.inputs))
    gamma = rounding.gamma(3 * roundings + 1)
    assert within(found.gradient, gradient, gamma * most.gradient)
    assert within(found.hessian, hessian, gamma * most.hessian)


@pytest.mark.parametrize("n", [1, 10, 1000])
def test_gamma_bounds_products_of_roundings(n: int) -> None:
    unit, gamma = Fraction(1, 2**53), Fraction(rounding.gamma(n))
    # `gamma` itself is computed with three roundings.
    assert (1 + unit) ** n - 1 <= gamma * (1 + unit) ** 4
    assert (1 - unit) ** -n - 1 <= gamma * (1 + unit) ** 4


# --- The theorems' consequences ----------------------------------------------------------------


@given(problems(whole), powers_of_two)
def test_powers_of_two_change_nothing_at_all(problem: tuple[Parameter, Data], alpha: float) -> None:
    """Products with a power of two are exact, and all sums here are of whole multiples of one."""
    theta, data = problem
    scaled = networks.scale(alpha, theta)
    assert np.array_equal(
        networks.prediction(scaled, data.inputs), networks.prediction(theta, data.inputs)
    )
    here, there = derivatives.derivatives(theta, data), derivatives.derivatives(scaled, data)
    assert there.loss == here.loss
    hidden, output = derivatives.part_slices(theta)
    assert np.array_equal(there.gradient[hidden] * alpha, here.gradient[hidden])
    assert np.array_equal(there.gradient[output] / alpha, here.gradient[output])
    # Blocks: α⁻², α⁰, α².
    assert np.array_equal(there.hessian[hidden, hidden] * alpha**2, here.hessian[hidden, hidden])
    assert np.array_equal(there.hessian[hidden, output], here.hessian[hidden, output])
    assert np.array_equal(there.hessian[output, output] / alpha**2, here.hessian[output, output])


@given(st.data(), deep_problems(whole))
def test_powers_of_two_change_nothing_in_deep_networks(
    draw: st.DataObject, problem: tuple[Activation, DeepParameter, Data]
) -> None:
    activation, theta, data = problem
    assume(nothing_is_rounded(activation, theta, data))
    some = [draw.draw(powers_of_two) for _ in theta[1:]]
    factors = [*some, 1 / math.prod(some)]
    scaled = networks.layer_scale(factors, theta)
    here = derivatives.deep_derivatives(activation, theta, data)
    there = derivatives.deep_derivatives(activation, scaled, data)
    assert there.loss == here.loss
    assert np.array_equal(there.residuals, here.residuals)
    for (a, k), (b, n) in product(
        zip(factors, derivatives.layer_slices(theta), strict=True), repeat=2
    ):
        assert np.array_equal(there.hessian[k, n] * a * b, here.hessian[k, n])


@given(st.data(), problems(real), scalings)
def test_hessian_after_rescaling(
    draw: st.DataObject, problem: tuple[Parameter, Data], alpha: float
) -> None:
    """H(T_α θ)[u, w] = H(θ)[T_α⁻¹ u, T_α⁻¹ w], for any α, to rounding.

    The bounds are those of `rounding.py`, entry by entry. For the form, the entries of H(T_α θ) are
    off by γ times the majorant, which is scaled likewise; the sum itself is taken in fractions.
    """
    theta, data = problem
    scaled = networks.scale(alpha, theta)
    widths = rounding.widths(networks.as_deep(theta))
    most = rounding.majorant(theta, data)
    change = np.abs(
        networks.prediction(scaled, data.inputs) - networks.prediction(theta, data.inputs)
    )
    assert np.all(change <= rounding.prediction_gamma(widths) * most.residuals)
    here, there = derivatives.derivatives(theta, data), derivatives.derivatives(scaled, data)
    gamma = rounding.derivative_gamma(widths, len(data.inputs))
    assert abs(there.loss - here.loss) <= gamma * most.loss

    a = Fraction(alpha)
    hidden, output = theta.hidden.size, theta.output.size
    back = np.array([a] * hidden + [1 / a] * output, dtype=object)
    entries = exact(there.hessian) * np.outer(back, back) - exact(here.hessian)
    assert np.all(np.abs(entries) <= exact(gamma * most.hessian))

    u, w = (exact(draw.draw(arrays((hidden + output,), real))) for _ in range(2))
    left = u @ exact(there.hessian) @ w
    right = (u / back) @ exact(here.hessian) @ (w / back)
    allowed = np.abs(u / back) @ exact(gamma * most.hessian) @ np.abs(w / back)
    assert abs(left - right) <= allowed


@given(st.data(), deep_problems(real), scalings)
def test_hessian_after_rescaling_layers(
    draw: st.DataObject, problem: tuple[Activation, DeepParameter, Data], alpha: float
) -> None:
    """The same for every pair of layers of a deep network."""
    activation, theta, data = problem
    i, j = draw.draw(st.permutations(range(len(theta))))[:2]
    scaled = networks.layer_scale(networks.pair_scale(i, j, alpha, len(theta)), theta)
    here = derivatives.deep_derivatives(activation, theta, data)
    there = derivatives.deep_derivatives(activation, scaled, data)
    most, widths = rounding.deep_majorant(activation, theta, data), rounding.widths(theta)
    change = np.abs(there.residuals - here.residuals)
    # A residual has one rounding more than a prediction on either side; γ(w) counts it already.
    assert np.all(change <= rounding.prediction_gamma(widths) * most.residuals.ravel())
    gamma = rounding.derivative_gamma(widths, len(data.inputs))
    back = np.array(
        [
            Fraction(alpha) if k == i else 1 / Fraction(alpha) if k == j else Fraction(1)
            for k, layer in enumerate(theta)
            for _ in range(layer.size)
        ],
        dtype=object,
    )
    entries = exact(there.hessian) * np.outer(back, back) - exact(here.hessian)
    assert np.all(np.abs(entries) <= exact(gamma * most.hessian))


def norm_error(minimum: Minimum, alpha: float) -> float:
    """How far ‖H(T_α θ)‖ and the norm of a scaled block can be from each other by rounding."""
    scaled, data = networks.scale(alpha, minimum.theta), minimum.data
    widths = rounding.widths(networks.as_deep(scaled))
    # 4 roundings a layer for the weights of T_α θ; the scaling of a norm costs less.
    roundings = rounding.derivative_roundings(widths, len(data.inputs)) + 4 * len(widths)
    return 2 * rounding.eigenvalue_bound(
        derivatives.derivatives(scaled, data).hessian,
        rounding.majorant(scaled, data).hessian,
        roundings,
    )


def test_norms_lie_between_asymptotes_and_their_sum_with_the_rest(fitted: Minimum) -> None:
    """max(‖A‖/α², ‖C‖ α²) ≤ ‖H(T_α θ)‖ ≤ max(‖A‖/α², ‖C‖ α²) + ‖B‖.

    A and C are the diagonal blocks at θ, B the block beside them, whose norm rescaling leaves
    alone. The norms are off by what `eigenvalue_bound` says, at θ scaled to T_α θ.
    """
    theta, data = fitted.theta, fitted.data
    hidden, output = derivatives.part_slices(theta)
    beside = np.linalg.norm(derivatives.derivatives(theta, data).hessian[hidden, output], ord=2)
    rows = measure.rescale(theta, data, measure.alphas())
    assert (rows[0].alpha, rows[-1].alpha, len(rows)) == (1e-3, 1e3, 121)
    for row in rows:
        error = norm_error(fitted, row.alpha)
        assert max(row.small, row.large) - error <= row.norm
        assert row.norm <= max(row.small, row.large) + beside + error
        assert row.loss_change <= row.loss_rounding
        assert row.prediction_change <= row.prediction_rounding


def test_theorem_4_with_numbers(fitted: Minimum) -> None:
    found = measure.sharpen(fitted.theta, fitted.data, (1.0, 1e3, 1e9))
    for row in found:
        # α is a square root of a quotient, and the curvature M is its square: 5 roundings at most.
        error = norm_error(fitted, row.alpha) + rounding.gamma(5) * row.wanted
        assert row.norm >= row.wanted - error
        assert error < 1e-10 * row.wanted
        scaled = networks.scale(row.alpha, fitted.theta)
        assert minima.examine(scaled, fitted.data).kink_distance > 1


# --- By hand ---------------------------------------------------------------------------------


def test_smallest_network_by_hand() -> None:
    """L(w, v) = (w v - 1)² for w > 0.

    Gradient 2 (w v - 1) (v, w). Hessian 2 [[v², 2 w v - 1], [2 w v - 1, w²]]. At w v = 1 that is
    2 (v, w)ᵀ (v, w), with eigenvalues 0 and 2 (v² + w²). At T_α (1, 1) = (α, 1/α): 2 (α² + 1/α²).
    α = 1: 4. α = 10: 2 (100 + 1/100) = 200.02. α = 1/8: 2 (64 + 1/64) = 128.03125.
    """
    theta, data = measure.smallest()
    one, ten, eighth = measure.rescale(theta, data, (1.0, 10.0, 0.125))
    assert (one.norm, one.small, one.large, one.loss) == (4, 2, 2, 0)
    assert ten.norm == pytest.approx(200.02, rel=1e-14)
    assert ten.small == pytest.approx(0.02, rel=1e-14)
    assert ten.large == pytest.approx(200, rel=1e-14)
    assert eighth.norm == pytest.approx(128.03125, rel=1e-14)
    # Away from the minimum: w = 3, v = 2, so w v - 1 = 5.
    found = derivatives.derivatives(Parameter(np.array([[3.0]]), np.array([2.0])), data)
    assert found.loss == 25
    assert found.gradient.tolist() == [20, 30]
    assert found.hessian.tolist() == [[8, 22], [22, 18]]


def test_two_inputs_two_units_by_hand() -> None:
    """Examples (1, 1) with y = 3, (-1, 0) with y = 2. W = [[1, -1], [1, 2]], v = (2, 1).

    First: x W = (2, 1), both units active, f = 2·2 + 1·1 = 5, r = 2. Derivatives of f: by W_ij
    x_i v_j = (2, 1, 2, 1), by v (2, 1). Second: x W = (-1, 1), the first unit is silent, f = 1,
    r = -1; by W (0, -1, 0, 0), by v (0, 1).

    Loss (4 + 1)/2. Gradient (2/2) (2 · first - 1 · second) = (4, 3, 4, 2, 4, 1). Hessian: the sum
    of both J Jᵀ, plus r ∂x W/∂W in the places of W_ij with v_j: for v_1, 2 (1, 1) in the first
    example alone; for v_2, 2 (1, 1) - 1 (-1, 0) = (3, 2).
    """
    theta = Parameter(np.array([[1.0, -1.0], [1.0, 2.0]]), np.array([2.0, 1.0]))
    data = Data(np.array([[1.0, 1.0], [-1.0, 0.0]]), np.array([3.0, 2.0]))
    found = derivatives.derivatives(theta, data)
    assert found.loss == 2.5
    assert found.gradient.tolist() == [4, 3, 4, 2, 4, 1]
    assert found.hessian.tolist() == [
        [4, 2, 4, 2, 4 + 2, 2],
        [2, 1 + 1, 2, 1, 2, 1 - 1 + 3],
        [4, 2, 4, 2, 4 + 2, 2],
        [2, 1, 2, 1, 2, 1 + 2],
        [4 + 2, 2, 4 + 2, 2, 4, 2],
        [2, 1 - 1 + 3, 2, 1 + 2, 2, 1 + 1],
    ]


def test_four_layers_by_hand() -> None:
    """One value a layer, all weights 1, x = 1, y = 1: L = (w₀ w₁ w₂ w₃ - 1)².

    The Hessian at the minimum is 2 g gᵀ, g the gradient of the product, of norm 2 ‖g‖². At θ
    g = (1, 1, 1, 1): 8. With the first layer times 10, the second times 1/10: g = (1/10, 10, 1, 1),
    2 (0.01 + 100 + 2) = 204.02.
    """
    theta = tuple(np.ones((1, 1)) for _ in range(4))
    data = Data(np.ones((1, 1)), np.ones((1, 1)))
    examined = minima.examine_deep(RELU, theta, data)
    one, ten = measure.rescale_layers(DeepMinimum(RELU, theta, data, examined), 0, 1, (1.0, 10.0))
    assert one.norm == pytest.approx(8, rel=1e-14)
    assert (one.small, one.large) == (2, 2)
    assert ten.norm == pytest.approx(204.02, rel=1e-14)
    # Three of four eigenvalues are zero, one for each hidden unit: a minimum.
    assert examined.is_minimum
    assert examined.zeros == 3


# --- Minima ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_fitted_networks_are_at_minima(seed: int) -> None:
    one, deep = minima.fitted(seed), minima.fitted_deep(seed)
    assert one.examined.is_minimum
    assert deep.examined.is_minimum
    assert (one.examined.zeros, deep.examined.zeros) == (3, 8)
    random = np.random.default_rng(seed)
    rises(one.theta.vector(), random, lambda vector: lean_loss(one.theta, one.data, vector))
    rises(
        networks.deep_vector(deep.theta),
        random,
        lambda vector: lean_deep_loss(deep.activation, deep.theta, deep.data, vector),
    )


def rises(vector: Array, random: np.random.Generator, loss: Loss) -> None:
    """A loss is greater, in fractions, at points so near that all but its curvature is small.

    The curvature is at least 10⁻⁵ of the length squared, most directions being curved; the gradient
    of computed weights, at most 10⁻¹⁵ of the length, is much less.
    """
    here = loss([Fraction(number) for number in vector.tolist()])
    for _ in range(20):
        step = random.normal(size=len(vector))
        there = vector + 2.0**-24 * step / np.linalg.norm(step)
        assert loss([Fraction(number) for number in there.tolist()]) > here


def test_critical_point_that_is_no_minimum_by_hand() -> None:
    """Examples (1, ±1) with y = ±1; one unit, W = (1, 0), v = 0, so f = 0 and r = (-1, 1).

    By v: r · (1, 1) = 0; by W: v = 0. The mixed derivative of W_2 and v is the sum of r x_2, -2;
    that of v twice is 2. The eigenvalues of [[0, -2], [-2, 2]] are 1 ± √5.
    """
    data = Data(np.array([[1.0, 1.0], [1.0, -1.0]]), np.array([1.0, -1.0]))
    theta = Parameter(np.array([[1.0], [0.0]]), np.zeros(1))
    examined = minima.examine(theta, data)
    assert examined.gradient == 0
    assert examined.kink_distance > 1
    root = math.sqrt(5)
    assert examined.eigenvalues == pytest.approx([1 - root, 0, 1 + root], abs=1e-14)
    assert not examined.is_minimum


def test_points_that_are_no_minima_are_told(fitted: Minimum) -> None:
    theta, data = fitted.theta, fitted.data
    moved = theta.with_vector(theta.vector() * (1 + 1e-6))
    assert not minima.examine(moved, data).is_minimum
    # A unit on its kink: the inputs are (t, 1), and one of them has t = 0.
    assert 0.0 in data.inputs[:, 0]
    hidden = theta.hidden.copy()
    hidden[1, 0] = 0.0
    assert minima.examine(Parameter(hidden, theta.output), data).kink_distance == 0
    # More flat directions than units: nothing can be said.
    silent = networks.silent_parameter(2, 2)
    example = Data(np.array([[1.0, 0.0]]), np.zeros(1))
    assert not minima.examine(silent, example).is_minimum


def test_no_minimum_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minima, "ATTEMPTS", 0)
    with pytest.raises(minima.NoMinimumError, match="seed 5"):
        minima.fitted(5)
    with pytest.raises(minima.NoMinimumError, match="seed 5"):
        minima.fitted_deep(5)


# --- The flat region ---------------------------------------------------------------------------


@given(st.floats(1e-6, 1e6), st.floats(0.01, 3.0))
def test_strip_is_where_the_loss_stays_low(fitted: Minimum, s: float, p: float) -> None:
    """Points nearer to the edges than 10⁻⁶ are left out: there, rounding could decide.

    At that distance, loss and level differ by about 10⁻⁶ ε, rounding errors of both being below
    10⁻¹¹ ε.
    """
    theta, data = fitted.theta, fitted.data
    epsilon = flat.quarter_level(theta, data)
    low, high = flat.flat_region_cut(theta, data, epsilon)
    assume(min(abs(p - low), abs(p - high)) > 1e-6)
    loss = networks.mean_squared_error(data.inputs, data.labels)
    there = networks.parameter_loss(loss, flat.in_plane(theta, s, p / s))
    assert (there < networks.parameter_loss(loss, theta) + epsilon) == (low < p < high)


def test_strip_of_the_smallest_network_by_hand() -> None:
    """(w v - 1)² < 1/4 if 1/2 < w v < 3/2.

    The ball around (1, 1) touches w v = 3/2 in (√1.5, √1.5), at √2 (√1.5 - 1) = 0.31784; the other
    curve is at √2 (1 - √0.5) = 0.41421. Between w = 1 and w = e² the strip has the area
    ∫ (3/2 - 1/2) / w = 2.
    """
    theta, data = measure.smallest()
    assert flat.quarter_level(theta, data) == 0.25
    strip = flat.flat_region_cut(theta, data, 0.25)
    assert strip == (0.5, 1.5)
    radius = flat.ball_radius(strip)
    assert radius == pytest.approx(0.31784, abs=1e-5)
    assert flat.area_of_cut(strip, (1.0, math.e**2)) == pytest.approx(2, rel=1e-14)
    # Images under T_4^n stay inside, and are disjoint: each begins behind the one before.
    end = 0.0
    for n in range(-3, 4):
        image = flat.ball_image(4.0**n, radius)
        inside = image[:, 0] * image[:, 1]
        assert inside.min() > 0.5
        assert inside.max() < 1.5 + 1e-12
        assert image[:, 0].min() > end
        end = image[:, 0].max()


@pytest.mark.parametrize("epsilon", [0.0, -1.0, 1.01, math.nan])
def test_levels_without_a_strip_are_refused(epsilon: float) -> None:
    with pytest.raises(ValueError, match="no strip"):
        flat.flat_region_cut(*measure.smallest(), epsilon)


# --- Pictures ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 3])
def test_pictures_are_labelled_and_legends_cover_nothing(seed: int) -> None:
    results = measure.compute(seed, minima.fitted(seed), minima.fitted_deep(seed))
    for name, draw in plots.pictures().items():
        with rc_context(plots.STYLE):
            figure = draw(results)
            FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
        for axes in figure.axes:
            assert axes.get_title() or axes.get_ylabel(), name
            assert axes.get_ylabel() or axes.get_subplotspec(), name
            legend = axes.get_legend()
            if legend is None:
                continue
            covered = legend.get_window_extent()
            for line in axes.get_lines():
                points = axes.transData.transform(line.get_xydata())
                inside = covered.contains
                assert not any(inside(x, y) for x, y in points), f"{name}: {line.get_label()}"
            box = figure.bbox
            assert box.x0 <= covered.x0 and covered.x1 <= box.x1, name
