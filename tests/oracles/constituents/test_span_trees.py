from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random

import numpy as np
import pytest
from cases import cases, each_seed
from definitions.span_trees import best_score_by_definition
from judges import scaled
from reach import Reached

from treewhile.oracles import InputError
from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.constituents.span_trees import best_spans
from treewhile.oracles.interrupts import Interrupt

Span = tuple[int, int]


def crosses(one: Span, other: Span) -> bool:
    (first, last), (other_first, other_last) = sorted([one, other])
    return first < other_first <= last < other_last


def sets_of_spans(spans: Sequence[Span]) -> Iterator[list[Span]]:
    """All sets of these spans in which none crosses another."""
    found: list[list[Span]] = [[]]
    for span in spans:
        found += [[*others, span] for others in found if not any(crosses(span, other) for other in others)]
    yield from found


def spans_over(words: int) -> list[Span]:
    return [(first, last) for first in range(words) for last in range(first, words)]


def random_scores(rng: Random, words: int) -> np.ndarray:
    return np.array([[rng.randrange(-3, 4) for _ in range(words)] for _ in range(words)], np.float32)


def sum_of(scores: np.ndarray, spans: Sequence[Span]) -> float:
    return float(sum(scores[span] for span in spans))


def found_spans(scores: np.ndarray, openings: Openings | None = None) -> list[Span]:
    spans = best_spans(scores, openings)
    assert spans is not None
    return [(first, last) for first, last in spans.tolist()]


def choices(spans: Sequence[Span], first: int, last: int) -> list[int]:
    """What the rule of ties compares: how long the last outermost span is, from the top down, then left."""
    if first == last:
        return []
    below = [span for span in spans if span != (first, last) and first <= span[0] and span[1] <= last]
    inner = min((start for start, end in below if end == last), default=last)
    return [last - inner, *choices(spans, first, inner - 1), *choices(spans, inner, last)]


@pytest.mark.reaches(0.3)
@each_seed(cases(scaled(120, 20)))
def test_the_best_set_is_the_best_of_all_that_are_listed(seed: int, reached: Reached) -> None:
    rng = Random(seed)
    words = rng.randrange(3, scaled(5, 4) + 1)
    scores = np.array(rng.choices([-1, -1, 1, 1, 1], k=words * words), np.float32).reshape(words, words)
    paying = [span for span in spans_over(words) if scores[span] > 0]
    listed = [*sets_of_spans(paying)]
    greatest = max(sum_of(scores, spans) for spans in listed)
    best = [spans for spans in listed if sum_of(scores, spans) == greatest]
    expected = min(best, key=lambda spans: choices(spans, 0, words - 1))
    assert sorted(found_spans(scores)) == sorted(expected), seed
    reached(len(best) > 1)


@each_seed(cases(scaled(60, 10)))
def test_larger_sets_are_those_of_the_definition(seed: int) -> None:
    rng = Random(seed)
    scores = random_scores(rng, rng.randrange(5, scaled(25, 12)))
    found = found_spans(scores)
    assert sum_of(scores, found) == best_score_by_definition(scores), seed
    assert not any(crosses(*pair) for pair in combinations(found, 2)), seed


@pytest.mark.reaches(0.5)
@each_seed(cases(scaled(60, 10)))
def test_only_open_spans_are_in_the_best_set_and_it_is_the_best_of_these(seed: int, reached: Reached) -> None:
    rng = Random(seed)
    words = rng.randrange(1, 6)
    scores = random_scores(rng, words)
    openings = Openings(*(np.array([rng.random() < 0.5 for _ in range(words)]) for _ in range(3)))
    found = found_spans(scores, openings)
    allowed = [span for span in spans_over(words) if is_open(openings, span, words) and scores[span] > 0]
    assert {*found} <= {*allowed}, seed
    assert sum_of(scores, found) == max(sum_of(scores, one) for one in sets_of_spans(allowed)), seed
    reached(found != found_spans(scores))


def is_open(openings: Openings, span: Span, words: int) -> bool:
    first, last = span
    if span == (0, words - 1):
        return True
    if first == last:
        return bool(openings.unaries[first])
    return bool((openings.begins[first] or first == 0) and (openings.ends[last] or last == words - 1))


def test_spans_come_outer_before_inner_and_left_before_right() -> None:
    scores = np.full((4, 4), -1.0)
    for span in [(0, 3), (0, 1), (2, 3), (3, 3), (0, 0)]:
        scores[span] = 1
    assert found_spans(scores) == [(0, 3), (0, 1), (0, 0), (2, 3), (3, 3)]


def test_no_words_have_no_spans_and_nothing_pays_in_none() -> None:
    assert found_spans(np.zeros((0, 0))) == []
    assert found_spans(np.full((3, 3), -np.inf)) == []


def test_who_interrupts_gets_nothing() -> None:
    interrupt = Interrupt()
    interrupt.set()
    assert best_spans(np.ones((3, 3)), interrupt=interrupt) is None


@pytest.mark.parametrize(
    "scores", [np.zeros((2, 3)), np.zeros(4), np.full((2, 2), np.nan), np.full((1, 1), np.inf)]
)
def test_what_is_no_table_of_scores_is_refused(scores: np.ndarray) -> None:
    with pytest.raises(InputError, match="scores of spans"):
        best_spans(scores)


def test_openings_of_other_words_are_refused() -> None:
    with pytest.raises(InputError, match="flags of 3"):
        best_spans(np.zeros((3, 3)), Openings.all_open(2))
