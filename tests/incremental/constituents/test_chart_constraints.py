"""What is closed by how much speaks for it, with the bounds as counts of cells."""

from __future__ import annotations

import numpy as np
import pytest
from cases import cases, each, each_seed

from treewhile.incremental.constituents.chart_constraints import (
    CONSTRAINTS,
    OperatingPoints,
    closed_openings,
    constraint_names,
    high_precision,
    linear,
    quadratic,
    sentence_high_precision,
    unary,
    union,
)
from treewhile.incremental.constituents.chart_taggers import Openness
from treewhile.oracles.constituents.closed_cells import count_cells
from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.errors import InputError


def random_openness(seed: int, n: int) -> Openness:
    """Whole numbers, so that ties occur, and infinite where nothing is to be decided."""
    begins, ends, unaries = np.random.default_rng(seed).integers(-9, 10, (3, n)).astype(float)
    begins[-1], ends[0] = -np.inf, -np.inf
    begins[0], ends[-1] = np.inf, np.inf
    return Openness(begins, ends, unaries)


def test_global_high_precision_closes_what_is_beyond_the_threshold() -> None:
    scores = np.array([np.inf, -3.0, -2.0, 0.0, -np.inf])
    openness = Openness(scores, -scores, scores)
    assert high_precision(openness, 2.0).begins.tolist() == [True, False, True, True, False]
    assert high_precision(openness, 2.0).ends.tolist() == [False, True, True, True, True]
    assert high_precision(openness, 2.0).unaries.all()
    assert unary(openness, 2.0).unaries.tolist() == [True, False, True, True, False]
    assert unary(openness, 2.0).begins.all()


@pytest.mark.parametrize(
    ("share", "closed"), [(0.0, []), (0.5, [4, 1]), (0.75, [4, 1, 3]), (1.0, [4, 1, 3, 2])]
)
def test_a_share_of_each_sentence_is_closed_the_surest_first(share: float, closed: list[int]) -> None:
    scores = np.array([np.inf, -5.0, -1.0, -3.0, -np.inf, 2.0])
    begins = sentence_high_precision(Openness(scores, scores, scores), share).begins
    assert np.flatnonzero(~begins).tolist() == sorted(closed)


@each("n", [1, 2, 7, 40, 120])
@each("cells", [0.5, 1.0, 4.0])
def test_quadratic_leaves_less_than_so_many_open_cells_a_word(n: int, cells: float) -> None:
    for seed in range(5):
        openings = quadratic(random_openness(seed, n), cells)
        for side in ("left", "right"):
            found = count_cells(openings, side).open
            assert found < cells * n or found == min(n - 1, 1)


@each_seed(cases(10))
def test_quadratic_opens_in_the_order_of_the_scores(seed: int) -> None:
    openness = random_openness(seed, 12)
    begins, ends, _ = quadratic(openness, 1.0)
    scores = np.concatenate([openness.begins[1:-1], openness.ends[1:-1]])
    are_open = np.concatenate([begins[1:-1], ends[1:-1]])
    assert scores[are_open].min(initial=np.inf) >= scores[~are_open].max(initial=-np.inf)
    assert not begins[-1]
    assert not ends[0]


@each("words", [1, 5, 12])
@each("side", ["left", "right"])
def test_linear_bounds_cells_and_midpoints(words: int, side: str) -> None:
    for n in (3, 30, 200):
        openings = linear(random_openness(n, n), words, side)
        flags, others = openings[:2] if side == "left" else openings[1::-1]
        assert flags.sum() == min(words, n - 1)
        assert others.all()
        counts = count_cells(openings, side)
        assert counts.partly_open + counts.open <= words * n
        assert counts.midpoints <= words**2 * n


@each_seed(cases(5))
def test_a_union_closes_what_any_part_closes(seed: int) -> None:
    openness, points = random_openness(seed, 30), OperatingPoints(ghp=3, unary=3)
    names = ("ghp", "hp", "unary", "quad")
    whole = closed_openings(openness, names, points, "right")
    parts = [closed_openings(openness, (name,), points, "right") for name in names]
    for flags, of_parts in zip(whole, zip(*parts, strict=True), strict=True):
        assert flags.tolist() == np.logical_and.reduce(of_parts).tolist()
    assert count_cells(whole, "right").open < points.quad * 30
    assert [one.tolist() for one in union(whole, Openings.all_open(30))] == [one.tolist() for one in whole]


def test_the_first_word_begins_and_the_last_one_ends_under_all_constraints() -> None:
    never = Openness(*np.full((3, 5), -np.inf))
    for name in CONSTRAINTS:
        openings = closed_openings(never, (name,), OperatingPoints(), "right")
        assert openings.begins[0]
        assert openings.ends[-1]


def test_names_are_joined_by_plus() -> None:
    assert constraint_names("ghp+unary+quad") == ("ghp", "unary", "quad")
    assert constraint_names("none") == ()
    assert closed_openings(random_openness(1, 3), (), OperatingPoints(), "left").ends.all()
    assert [len(flags) for flags in quadratic(Openness(*np.zeros((3, 0))), 4)] == [0, 0, 0]


@pytest.mark.parametrize("text", ["", "GHP", "ghp+", "none+ghp"])
def test_other_names_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"is no constraint: give one of none, ghp, hp, quad"):
        constraint_names(text)
