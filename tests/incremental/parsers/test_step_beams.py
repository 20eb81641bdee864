"""Beams of steps: the narrowest is the committed parse, the widest finds the best computation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random

import numpy as np
import pytest
from closed_trees import is_allowed_projective, random_openings
from reach import Reached

from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.labelled_computations import AHEAD, LabelledComputation
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.step_beams import beam_parse
from treewhile.incremental.parsers.step_rules import IS_FINAL, MUST_SHIFT, situation
from treewhile.oracles import InputError, is_projective
from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.systems import ARC_EAGER

Draw = Callable[[Random, int], Sequence[str]]


def grown(model: Model, words: Sequence[str]) -> GrowingParse:
    parse = GrowingParse(model, delay=len(AHEAD))
    for word in words:
        parse.append(word)
    parse.close()
    return parse


def best_of_all_computations(model: Model, tops: Array) -> float:
    """The highest sum of logarithms of probabilities, by trying every step everywhere."""
    computation = LabelledComputation(len(model.inventory.labels), len(tops))
    parts, missing = model.network.steps.roles(tops), model.network.steps.missing_roles

    def best() -> float:
        now = situation(len(computation.stack), computation.remaining > 0)
        if now == IS_FINAL:
            return 0.0
        barred, logs = model.barred_steps[now], np.zeros(1)
        legal = np.flatnonzero(barred == 0)
        if now != MUST_SHIFT:
            roles = enumerate(computation.roles(len(AHEAD), True))
            chosen = [parts[word - 1, role] if word > 0 else missing[-word, role] for role, word in roles]
            scores = model.network.steps.scores(np.stack(chosen))[legal].astype(np.float64)
            logs = scores - np.logaddexp.reduce(scores)
        found = -math.inf
        for step, log in zip(legal.tolist(), logs.tolist(), strict=True):
            computation.take(step)
            found = max(found, log + best())
            computation.undo()
        return found

    return best()


@pytest.mark.parametrize("seed", range(12))
def test_a_width_of_one_is_the_committed_parse(
    seed: int, make_model: Callable[..., Model], random_words: Draw
) -> None:
    model, words = make_model(seed=seed % 3), random_words(Random(seed), 1 + seed)
    parse = grown(model, words)
    found, committed = beam_parse(model, parse.snapshot().tops, 1), parse.committed()
    assert (found.heads, found.labels) == ([*committed.heads], [*committed.labels])


@pytest.mark.parametrize("seed", range(2))
def test_a_beam_that_loses_nothing_finds_the_best_computation(
    seed: int, make_model: Callable[..., Model], random_words: Draw
) -> None:
    model = make_model(seed=seed)
    tops = grown(model, random_words(Random(seed), 3)).snapshot().tops
    found = beam_parse(model, tops, 10_000)
    assert found.score == pytest.approx(best_of_all_computations(model, tops))
    assert beam_parse(model, tops, 2).score <= found.score + 1e-9


@pytest.mark.reaches(0.5)
@pytest.mark.parametrize("seed", range(20))
def test_projections_begin_and_end_where_that_is_open(
    seed: int, make_model: Callable[..., Model], random_words: Draw, reached: Reached
) -> None:
    """With so many computations one is left that needs nothing that is closed, most often."""
    rng = Random(seed)
    model, words = make_model(seed=seed % 3), random_words(rng, 6)
    tops, openings = grown(model, words).snapshot().tops, random_openings(rng, 6)
    found = beam_parse(model, tops, 8, openings)
    assert is_projective(found.heads)
    assert found.heads.count(0) == 1
    reached(is_allowed_projective(tuple(found.heads), openings))


def test_where_all_is_open_nothing_is_lost(make_model: Callable[..., Model], random_words: Draw) -> None:
    model = make_model()
    tops = grown(model, random_words(Random(1), 12)).snapshot().tops
    assert beam_parse(model, tops, 4, Openings.all_open(12)) == beam_parse(model, tops, 4)


def test_no_words_have_no_heads(model: Model) -> None:
    assert beam_parse(model, np.zeros((0, 8), np.float32), 4) == ([], [], 0.0, 0)


def test_beams_of_other_steps_and_of_no_width_are_refused(make_model: Callable[..., Model]) -> None:
    tops = np.zeros((2, 8), np.float32)
    with pytest.raises(
        InputError, match="beams take steps of arc-standard, and the model those of arc-eager"
    ):
        beam_parse(make_model(system=ARC_EAGER), tops, 4)
    with pytest.raises(InputError, match="a beam of 0 computations is not possible"):
        beam_parse(make_model(), tops, 0)
