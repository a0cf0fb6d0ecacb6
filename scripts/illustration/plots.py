"""The pictures. Colours are those of Okabe and Ito, which colour-blind people tell apart."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm
from matplotlib.figure import Figure

from illustration import flat, measure, rounding
from illustration.measure import Rescaled, Results
from illustration.networks import Array, mean_squared_error, parameter_loss, prediction, scale

if TYPE_CHECKING:
    from matplotlib.typing import RcKeyType

BLUE, ORANGE, GREEN, BLACK, GREY = "#0072B2", "#D55E00", "#009E73", "#000000", "#666666"
STYLE: dict[RcKeyType, Any] = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "axes.axisbelow": True,
    "legend.framealpha": 1.0,
    "svg.hashsalt": "illustration",
    "svg.fonttype": "path",
}
FORMATS = ("png", "svg")
DOTS_PER_INCH = 150


def pictures() -> dict[str, Callable[[Results], Figure]]:
    """The pictures by the names of their files, without ending."""
    return {"sharpness": sharpness, "deep_sharpness": deep_sharpness, "flat_region": flat_region}


def drawn(draw: Callable[[Results], Figure], results: Results, kind: str) -> bytes:
    """A picture as a file holds it; the same for the same numbers."""
    buffer = io.BytesIO()
    with rc_context(STYLE):
        metadata = {"Date": None} if kind == "svg" else None
        draw(results).savefig(buffer, format=kind, dpi=DOTS_PER_INCH, metadata=metadata)
    return buffer.getvalue()


def sharpness(results: Results) -> Figure:
    """The network with one hidden layer: norm of the Hessian, and what does not change."""
    figure = Figure(figsize=(12, 6.5), layout="constrained")
    grid = figure.add_gridspec(3, 2, width_ratios=[1.35, 1])
    axes = figure.add_subplot(grid[:, 0])
    _norms(axes, results.rescaled, ("hidden-weights block", "output-weights block"))
    axes.set_title("Sharpness: the same function, a minimum at every α")
    axes.set_xlabel("α  (hidden weights times α, output weights times 1/α)")
    axes.set_ylabel(r"$\|\nabla^2 L(T_\alpha\theta)\|$, spectral norm")
    axes.legend(loc="upper center")
    _limit_norms(axes, results.rescaled)
    _function(figure.add_subplot(grid[0, 1]), results)
    predictions, loss = figure.add_subplot(grid[1, 1]), figure.add_subplot(grid[2, 1])
    _changes(
        predictions,
        [(row.alpha, row.prediction_change, row.prediction_rounding) for row in results.rescaled],
        "largest change of a prediction",
    )
    _changes(
        loss,
        [
            (row.alpha, row.loss_change / row.loss, row.loss_rounding / row.loss)
            for row in results.rescaled
        ],
        f"change of the loss, relative to it ({results.rescaled[0].loss:.3g})",
    )
    loss.set_xlabel("α")
    return figure


def deep_sharpness(results: Results) -> Figure:
    """The deep network: for each layer, that layer times α and the next one times 1/α."""
    figure = Figure(figsize=(11, 8.5), layout="constrained")
    grid = figure.subplots(2, 2, sharex=True, sharey=True)
    for axes, (i, j), rows in zip(grid.flat, results.pairs, results.layers, strict=True):
        _norms(axes, rows, (f"block of layer {i}", f"block of layer {j}"))
        most = (max(row.prediction_change for row in rows), max(row.loss_change for row in rows))
        axes.set_title(f"layer {i} times α, layer {j} times 1/α")
        axes.legend(
            loc="upper center",
            title=f"predictions change by {most[0]:.0e}\nat most, the loss by {most[1]:.0e}",
            title_fontsize="small",
            fontsize="small",
        )
    # All four share their axes.
    _limit_norms(grid[0, 0], [row for rows in results.layers for row in rows])
    for axes in grid[1]:
        axes.set_xlabel("α")
    for axes in grid[:, 0]:
        axes.set_ylabel(r"$\|\nabla^2 L\|$, spectral norm")
    widths = "-".join(map(str, rounding.widths(results.deep.theta)))
    figure.suptitle(
        f"Four layers of weights, numbered from 0 (widths {widths}, leaky ReLU): "
        "two rescaled at a time"
    )
    return figure


def flat_region(results: Results) -> Figure:
    """The region of Theorem 2: a cut through that of the fitted network, and one as a whole."""
    figure = Figure(figsize=(12.5, 6), layout="constrained")
    left, right = figure.subplots(1, 2)
    _cut(figure, left, results)
    _whole(right)
    return figure


def _norms(axes: Axes, rows: Sequence[Rescaled], blocks: tuple[str, str]) -> None:
    alpha = [row.alpha for row in rows]
    axes.loglog(
        alpha, [row.norm for row in rows], color=BLACK, linewidth=2.5, label=r"$\|\nabla^2 L\|$"
    )
    axes.loglog(
        alpha,
        [row.small for row in rows],
        color=BLUE,
        linestyle="--",
        label=rf"{blocks[0]}: {_number(rows, 'small')} $\cdot\ \alpha^{{-2}}$",
    )
    axes.loglog(
        alpha,
        [row.large for row in rows],
        color=ORANGE,
        linestyle="-.",
        label=rf"{blocks[1]}: {_number(rows, 'large')} $\cdot\ \alpha^{{2}}$",
    )
    axes.plot(1, rows[len(rows) // 2].norm, "o", color=BLACK, markersize=7, label="θ  (α = 1)")
    axes.set_xlim(alpha[0], alpha[-1])


def _limit_norms(axes: Axes, rows: Sequence[Rescaled]) -> None:
    """Room for the legend at the top; asymptotes far below the curve are cut off."""
    norms = [row.norm for row in rows]
    axes.set_ylim(min(norms) / 30, max(norms) * 10)


def _number(rows: Sequence[Rescaled], name: str) -> str:
    """The norm of a block at θ, the coefficient of an asymptote."""
    return f"{getattr(rows[len(rows) // 2], name):.3g}"


def _function(axes: Axes, results: Results) -> None:
    minimum = results.minimum
    t = np.linspace(-2.2, 2.2, 400)
    inputs = np.column_stack([t, np.ones_like(t)])
    axes.plot(minimum.data.inputs[:, 0], minimum.data.labels, "o", color=GREY, markersize=4,
              label="data")  # fmt: skip
    shown = ((1.0, BLUE, "-", 5.0), (1e3, BLACK, "-", 1.2), (1e-3, ORANGE, ":", 2.5))
    for alpha, color, line, width in shown:
        axes.plot(t, prediction(scale(alpha, minimum.theta), inputs), color=color, linestyle=line,
                  linewidth=width, label=f"α = {alpha:g}")  # fmt: skip
    axes.set_title("The function computed")
    axes.set_xlabel("t  (the input is (t, 1))")
    axes.set_ylabel("f(t, 1)")
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))


def _changes(axes: Axes, rows: Sequence[tuple[float, float, float]], title: str) -> None:
    """Changes in units of 2⁻⁵³, below a line for what rounding can do."""
    unit = rounding.UNIT_ROUNDOFF
    alpha, change, bound = np.array(rows).T
    axes.semilogx(alpha, bound / unit, color=ORANGE, linestyle="-.", label="bound for rounding")
    axes.semilogx(alpha, change / unit, "o", color=BLUE, markersize=3, label="change")
    axes.set_yscale("symlog", linthresh=1.0)
    axes.set_ylim(-0.3, 10 * max(bound / unit))
    axes.set_xlim(alpha[0], alpha[-1])
    axes.set_ylabel("in units of 2⁻⁵³")
    axes.set_title(title[:1].upper() + title[1:])
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))


def _cut(figure: Figure, axes: Axes, results: Results) -> None:
    theta, data = results.minimum.theta, results.minimum.data
    reach, (low, high) = 6.0, results.strip
    loss = mean_squared_error(data.inputs, data.labels)
    least = parameter_loss(loss, theta)
    side = np.linspace(0.0, reach, 161)
    excess = np.array(
        [[parameter_loss(loss, flat.in_plane(theta, s, t)) - least for s in side] for t in side]
    )
    levels = np.array([0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 16.0, 64.0, 256.0])
    drawn = axes.contourf(side, side, excess / results.epsilon, levels=levels, cmap="cividis_r",
                          norm=BoundaryNorm(levels, 256), extend="max")  # fmt: skip
    bar = figure.colorbar(drawn, ax=axes, ticks=levels, format="%g")
    bar.set_label("(L − L(θ)) / ε   (the region: below 1)")
    s = np.geomspace(low / reach, reach, 400)
    for p in (low, high):
        axes.plot(s, p / s, color=BLACK, linewidth=2)
    axes.plot(s, 1 / s, color=BLUE, linestyle="--", label=r"all $T_\alpha\theta$")
    axes.plot(1, 1, "o", color=BLUE, markersize=7, label="θ")
    axes.plot([], [], color=BLACK, linewidth=2, label=f"s t = {low:.3g} and s t = {high:.3g}")
    axes.set_xlim(0, reach)
    axes.set_ylim(0, reach)
    axes.grid(visible=False)
    axes.set_aspect("equal")
    axes.set_title(
        f"A cut through the flat region of the fitted network,\nε = {results.epsilon:.3g}: "
        "between the two curves, both arms without end"
    )
    axes.set_xlabel("s: all hidden weights times s")
    axes.set_ylabel("t: all output weights times t")
    axes.legend(loc="upper right")


def _whole(axes: Axes) -> None:
    theta, data = measure.smallest()
    low, high = strip = flat.flat_region_cut(theta, data, flat.quarter_level(theta, data))
    radius = flat.ball_radius(strip)
    w = np.geomspace(1e-2, 1e2, 200)
    axes.fill_between(w, low / w, high / w, color="#cfe3f1", label="the region: 1/2 < w v < 3/2")
    axes.loglog(w, low / w, color=BLACK, linewidth=1.5)
    axes.loglog(w, high / w, color=BLACK, linewidth=1.5)
    axes.loglog(w, 1 / w, color=BLUE, linestyle="--", label="minima: w v = 1")
    for n in range(-2, 3):
        edge: Array = flat.ball_image(4.0**n, radius)
        axes.fill(edge[:, 0], edge[:, 1], facecolor=ORANGE, edgecolor=BLACK, alpha=0.85,
                  label=None if n else r"a ball around (1, 1), and $T_\alpha$ of it")  # fmt: skip
        axes.annotate(
            f"α = {['1/16', '1/4', '1', '4', '16'][n + 2]}",
            (4.0**n * 1.6, 4.0**-n * 1.6),
            ha="left",
            va="bottom",
        )
    axes.set_xlim(w[0], w[-1])
    axes.set_ylim(w[0], w[-1])
    axes.set_aspect("equal")
    axes.set_title(
        "The whole region for f(x) = max(x w, 0) v, f(1) = 1 wanted, ε = 1/4:\n"
        f"images of a ball, disjoint, each of area {np.pi * radius**2:.3f} (both axes logarithmic)"
    )
    axes.set_xlabel("w, the hidden weight")
    axes.set_ylabel("v, the output weight")
    axes.legend(loc="lower left")
