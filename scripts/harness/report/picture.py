"""A graph of declarations drawn in columns: what uses is left of what it uses.

Columns by the longest path, lines over several columns led through the columns between, the order
within a column by the mean of the neighbours (K. Sugiyama, S. Tagawa, M. Toda, *Methods for Visual
Understanding of Hierarchical System Structures*, 1981), heights by isotonic regression. A line
that others imply is left out of the drawing.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

HEIGHT = 26.0
"""Of a box; this and what follows in CSS pixels."""
ROW = 36.0
"""From one box to the next below it."""
TRACK = 14.0
"""What a line needs that passes through a column."""
GAP = 64.0
"""Between two columns."""
MARGIN = 12.0
PADDING = 11.0
CHARACTER = 7.3
"""Width of a character of a fixed-width font of 12 pixels."""
SWEEPS = 16

Graph = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Box:
    """A declaration in the drawing; `x` and `y` are its upper left corner."""

    name: str
    label: str
    column: int
    x: float
    y: float
    width: float


@dataclass(frozen=True, slots=True)
class Line:
    """`source` uses `target`: an SVG path. `circular` if they use each other, perhaps by others."""

    source: str
    target: str
    path: str
    circular: bool


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing. `implied` are the uses that it leaves out, since they follow from others."""

    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    implied: tuple[tuple[str, str], ...]
    width: float
    height: float


def complete(graph: Graph) -> dict[str, tuple[str, ...]]:
    """The graph with an entry for every name in it, without repetitions and loops."""
    made = {
        name: tuple(dict.fromkeys(n for n in used if n != name)) for name, used in graph.items()
    }
    for used in graph.values():
        for name in used:
            made.setdefault(name, ())
    return made


def draw(graph: Graph, label: Callable[[str], str], edge: Collection[str] = ()) -> Picture:
    """Draw a graph; `label` gives the text in a box.

    What is in `edge`, which may not use anything, stands in the last column.
    """
    whole = complete(graph)
    groups = components(whole)
    group_of = {name: i for i, group in enumerate(groups) for name in group}
    above = _condensed(whole, groups, group_of)
    column_of_group = _columns(above)
    kept, implied = _split(whole, group_of, above)
    last = max(column_of_group, default=0)
    columns = {name: last if name in edge else column_of_group[group_of[name]] for name in whole}
    chains, order, spots = _chains(kept, columns, group_of)
    everywhere: dict[Node, int] = dict(columns.items())
    everywhere.update(spots.items())
    _sort(order, chains)
    widths = [
        max(len(label(n)) * CHARACTER + 2 * PADDING for n in column if isinstance(n, str))
        for column in order
    ]
    lefts = [MARGIN + sum(widths[:i]) + GAP * i for i in range(len(widths))]
    heights = _heights(order, chains)
    boxes = tuple(
        Box(n, label(n), c, lefts[c], heights[n] - HEIGHT / 2, widths[c])
        for c, column in enumerate(order)
        for n in column
        if isinstance(n, str)
    )
    lines = [
        Line(chain[0], chain[-1], _path(chain, everywhere, heights, lefts, widths), False)
        for chain in chains
        if isinstance(chain[0], str) and isinstance(chain[-1], str)
    ]
    lines += [
        Line(a, b, _arc(heights[a], heights[b], lefts[columns[a]] + widths[columns[a]]), True)
        for a, b in kept
        if group_of[a] == group_of[b]
    ]
    right = max((lefts[-1] + widths[-1] + MARGIN for _ in boxes[:1]), default=2 * MARGIN)
    # An arc among boxes of the last column reaches beyond them.
    right += GAP / 2 if any(line.circular for line in lines) else 0
    bottom = max((box.y + HEIGHT + MARGIN for box in boxes), default=2 * MARGIN)
    bottom = max([bottom, *(y + MARGIN for y in heights.values())])
    return Picture(boxes, tuple(lines), tuple(implied), right, bottom)


# The graph


def components(graph: Graph) -> list[list[str]]:
    """The strongly connected components, each after those that it leads to (Tarjan, 1972)."""
    found: list[list[str]] = []
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    open_: set[str] = set()
    for root in graph:
        work = [(root, iter(graph[root]))] if root not in index else []
        while work:
            name, rest = work[-1]
            if name not in index:
                index[name] = low[name] = len(index)
                stack.append(name)
                open_.add(name)
            for used in rest:
                if used not in index:
                    work.append((used, iter(graph[used])))
                    break
                if used in open_:
                    low[name] = min(low[name], index[used])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    at = stack.index(name)
                    found.append(stack[at:])
                    open_.difference_update(stack[at:])
                    del stack[at:]
    return found


def _condensed(
    graph: Graph, groups: Sequence[Sequence[str]], group_of: Mapping[str, int]
) -> list[list[int]]:
    """Which groups each group uses, all of them with smaller numbers."""
    return [
        sorted({group_of[u] for name in group for u in graph[name]} - {i}, reverse=True)
        for i, group in enumerate(groups)
    ]


def _columns(above: Sequence[Sequence[int]]) -> list[int]:
    """The longest path that leads to each group."""
    columns = [0] * len(above)
    for i in reversed(range(len(above))):
        for used in above[i]:
            columns[used] = max(columns[used], columns[i] + 1)
    return columns


def _split(
    graph: Graph, group_of: Mapping[str, int], above: Sequence[Sequence[int]]
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The uses that are drawn, and those that follow from them."""
    reach: list[int] = []
    needed: list[set[int]] = []
    for i, below in enumerate(above):
        covered, direct = 0, set()
        # Larger numbers are never reached from smaller ones.
        for group in below:
            if not covered >> group & 1:
                direct.add(group)
            covered |= reach[group]
        reach.append(covered | 1 << i)
        needed.append(direct)
    drawn: list[tuple[str, str]] = []
    implied: list[tuple[str, str]] = []
    for name, uses in graph.items():
        a = group_of[name]
        for used in uses:
            b = group_of[used]
            (drawn if a == b or b in needed[a] else implied).append((name, used))
    return drawn, implied


# The drawing. A node is a declaration (its name) or a place where a line passes (a number).

Node = str | int
Chain = list[Node]


def _chains(
    kept: Iterable[tuple[str, str]], columns: Mapping[str, int], group_of: Mapping[str, int]
) -> tuple[list[Chain], list[list[Node]], dict[int, int]]:
    """Lines as chains through neighbouring columns, what stands in each column, and passes."""
    count = max(columns.values(), default=-1) + 1
    order: list[list[Node]] = [[] for _ in range(count)]
    for name, column in columns.items():
        order[column].append(name)
    chains: list[Chain] = []
    spots: dict[int, int] = {}
    for source, target in kept:
        if group_of[source] == group_of[target]:
            continue
        chain: Chain = [source]
        for column in range(columns[source] + 1, columns[target]):
            spots[len(spots)] = column
            order[column].append(len(spots) - 1)
            chain.append(len(spots) - 1)
        chains.append([*chain, target])
    return chains, order, spots


def _neighbours(chains: Iterable[Chain]) -> tuple[dict[Node, list[Node]], dict[Node, list[Node]]]:
    left: dict[Node, list[Node]] = {}
    right: dict[Node, list[Node]] = {}
    for chain in chains:
        for a, b in pairwise(chain):
            right.setdefault(a, []).append(b)
            left.setdefault(b, []).append(a)
    return left, right


def _sort(order: list[list[Node]], chains: Sequence[Chain]) -> None:
    """Put each column in an order in which few lines cross."""
    left, right = _neighbours(chains)
    best, fewest = [list(column) for column in order], _crossings(order, right)
    for sweep in range(SWEEPS):
        forward = sweep % 2 == 0
        beside = left if forward else right
        positions: dict[Node, float] = {}
        for column in order if forward else reversed(order):
            own = {node: float(i) for i, node in enumerate(column)}
            wanted = {
                node: fmean(positions[b] for b in beside[node]) if beside.get(node) else own[node]
                for node in column
            }
            column.sort(key=lambda node: wanted[node])
            positions |= {node: float(i) for i, node in enumerate(column)}
        if (crossings := _crossings(order, right)) < fewest:
            best, fewest = [list(column) for column in order], crossings
    order[:] = best


def _crossings(order: Sequence[Sequence[Node]], right: Mapping[Node, Sequence[Node]]) -> int:
    count = 0
    for column, following in pairwise(order):
        position = {node: i for i, node in enumerate(following)}
        ends: list[int] = []
        for node in column:
            for end in sorted(position[b] for b in right.get(node, ())):
                count += len(ends) - bisect_right(ends, end)
                insort(ends, end)
    return count


def _heights(order: Sequence[Sequence[Node]], chains: Sequence[Chain]) -> dict[Node, float]:
    """The middle of each node: near its neighbours, in the order given, and not too close."""
    left, right = _neighbours(chains)
    heights: dict[Node, float] = {}
    for column in order:
        heights |= _spread(column, dict.fromkeys(column, 0.0))
    for sweep in range(SWEEPS):
        forward = sweep % 2 == 0
        for column in order if forward else reversed(order):
            wanted = {}
            for node in column:
                beside = (left if forward else right).get(node) or [node]
                wanted[node] = fmean(heights[b] for b in beside)
            heights |= _spread(column, wanted)
    top = min(heights.values(), default=0.0)
    return {node: y - top + MARGIN + HEIGHT / 2 for node, y in heights.items()}


def _spread(column: Sequence[Node], wanted: Mapping[Node, float]) -> dict[Node, float]:
    """The heights nearest to those wanted (least squares) that keep order and distance."""
    offset, offsets = 0.0, []
    for before, node in zip([None, *column], column, strict=False):
        if before is not None:
            both = isinstance(before, str) and isinstance(node, str)
            either = isinstance(before, str) or isinstance(node, str)
            offset += ROW if both else (ROW + TRACK) / 2 if either else TRACK
        offsets.append(offset)
    blocks: list[list[float]] = []
    for node, shift in zip(column, offsets, strict=True):
        blocks.append([wanted[node] - shift, 1.0])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            mean, weight = blocks.pop()
            blocks[-1][0] = (blocks[-1][0] * blocks[-1][1] + mean * weight) / (
                blocks[-1][1] + weight
            )
            blocks[-1][1] += weight
    means = [mean for mean, weight in blocks for _ in range(int(weight))]
    return {n: mean + shift for n, mean, shift in zip(column, means, offsets, strict=True)}


def _path(
    chain: Chain,
    columns: Mapping[Node, int],
    heights: Mapping[Node, float],
    lefts: Sequence[float],
    widths: Sequence[float],
) -> str:
    """From the right edge of the first box through the passes to the left edge of the last."""
    x, y = lefts[columns[chain[0]]] + widths[columns[chain[0]]], heights[chain[0]]
    path = f"M{x:.0f} {y:.1f}"
    for node in chain[1:]:
        left, height = lefts[columns[node]], heights[node]
        middle = (x + left) / 2
        path += f"C{middle:.0f} {y:.1f} {middle:.0f} {height:.1f} {left:.0f} {height:.1f}"
        x, y = left, height
        if isinstance(node, int):
            x += widths[columns[node]]
            path += f"H{x:.0f}"
    return path


def _arc(y0: float, y1: float, x: float) -> str:
    out = x + GAP / 2.2
    return f"M{x:.0f} {y0:.1f}C{out:.0f} {y0:.1f} {out:.0f} {y1:.1f} {x:.0f} {y1:.1f}"
