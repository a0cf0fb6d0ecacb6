"""The drawing of a graph: complete, in columns, without boxes upon each other."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from harness.report.picture import HEIGHT, Picture, complete, components, draw
from report_support import tangled

NAMES = st.sampled_from([f"n{i}" for i in range(9)])
GRAPHS = st.dictionaries(NAMES, st.lists(NAMES, max_size=5), max_size=9)


def reached(graph: dict[str, tuple[str, ...]] | dict[str, list[str]], start: str) -> set[str]:
    seen: set[str] = set()
    todo = list(graph[start])
    while todo:
        if (name := todo.pop()) not in seen:
            seen.add(name)
            todo += graph[name]
    return seen


def edges(picture: Picture) -> set[tuple[str, str]]:
    return {(line.source, line.target) for line in picture.lines}


@given(GRAPHS)
def test_every_name_has_a_box_and_every_use_a_line_or_a_reason(graph: dict[str, list[str]]) -> None:
    whole = complete(graph)
    picture = draw(graph, str)
    assert sorted(box.name for box in picture.boxes) == sorted(whole)
    uses = {(a, b) for a, used in whole.items() for b in used}
    assert edges(picture) | set(picture.implied) == uses
    assert not edges(picture) & set(picture.implied)


@given(GRAPHS)
def test_lines_alone_say_what_rests_on_what(graph: dict[str, list[str]]) -> None:
    whole = complete(graph)
    drawn: dict[str, list[str]] = {name: [] for name in whole}
    for a, b in edges(draw(graph, str)):
        drawn[a].append(b)
    assert all(reached(drawn, name) == reached(whole, name) for name in whole)


@given(GRAPHS)
def test_lines_lead_to_the_right_but_in_a_circle(graph: dict[str, list[str]]) -> None:
    whole = complete(graph)
    picture = draw(graph, str)
    columns = {box.name: box.column for box in picture.boxes}
    for line in picture.lines:
        in_circle = line.source in reached(whole, line.target)
        assert line.circular == in_circle
        assert in_circle or columns[line.source] < columns[line.target]


@given(GRAPHS)
def test_boxes_are_apart_and_inside(graph: dict[str, list[str]]) -> None:
    picture = draw(graph, lambda name: name * 5)
    for box in picture.boxes:
        assert box.x >= 0 and box.x + box.width <= picture.width
        assert box.y >= 0 and box.y + HEIGHT <= picture.height
        for other in picture.boxes:
            if other.name < box.name and other.column == box.column:
                assert abs(other.y - box.y) > HEIGHT
            assert (other.column < box.column) == (other.x < box.x)


@given(GRAPHS)
def test_components_come_after_what_they_lead_to(graph: dict[str, list[str]]) -> None:
    whole = complete(graph)
    groups = components(whole)
    position = {name: i for i, group in enumerate(groups) for name in group}
    assert sorted(position) == sorted(whole)
    for name, used in whole.items():
        assert all(position[u] <= position[name] for u in used)
        assert {n for n in whole if position[n] == position[name]} == {
            n for n in reached(whole, name) if name in reached(whole, n)
        } | {name}


def test_what_is_used_by_nobody_stands_left_and_the_edge_right() -> None:
    graph = {"top": ["a", "outside"], "a": ["b"], "b": ["c"], "c": []}
    columns = {b.name: b.column for b in draw(graph, str, {"outside"}).boxes}
    assert columns == {"top": 0, "a": 1, "b": 2, "c": 3, "outside": 3}


def test_a_use_that_others_imply_has_no_line() -> None:
    picture = draw({"a": ["b", "c"], "b": ["c"]}, str)
    assert edges(picture) == {("a", "b"), ("b", "c")}
    assert picture.implied == (("a", "c"),)


def test_long_chains_and_large_graphs_are_drawn() -> None:
    chain = {f"n{i}": [f"n{i + 1}"] for i in range(3000)}
    assert len(draw(chain, str).boxes) == 3001
    picture = draw(tangled(400), str)
    assert len(picture.boxes) == 400


def test_a_line_starts_and_ends_at_its_boxes() -> None:
    picture = draw(tangled(30), str)
    boxes = {box.name: box for box in picture.boxes}
    for line in picture.lines:
        numbers = [float(n) for n in re.findall(r"[-\d.]+", line.path)]
        start, end = boxes[line.source], boxes[line.target]
        assert abs(numbers[0] - (start.x + start.width)) <= 0.5
        assert abs(numbers[1] - (start.y + HEIGHT / 2)) <= 0.1
        assert abs(numbers[-2] - end.x) <= 0.5
        assert abs(numbers[-1] - (end.y + HEIGHT / 2)) <= 0.1
