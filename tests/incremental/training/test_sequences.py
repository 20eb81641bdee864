from __future__ import annotations

from random import Random

import pytest

from treewhile.incremental.training.exploration import UNKNOWN
from treewhile.incremental.training.sequences import awaited_place


@pytest.mark.parametrize(
    ("heads", "places"),
    [
        ([2, 0, 2], [0, 2, 4]),  # "ta lom | dovet": the word behind 1 hangs on the root, that behind 2 on it
        ([3, 1, 0], [1, 0, 4]),
        ([0, 3, 1, 3], [1, 1, 3, 5]),  # word 2 hangs on one to come, so word 3 is the first that does not
        ([0, None, 1], [UNKNOWN, 1, 4]),
        ([0, 1, None], [1, UNKNOWN, 4]),
    ],
)
def test_the_place_is_that_on_which_the_first_word_hangs_that_can(
    heads: list[int | None], places: list[int]
) -> None:
    assert [awaited_place(heads, t) for t in range(1, len(heads) + 1)] == places


def test_the_place_is_found_by_going_through_all_words_that_are_to_come() -> None:
    for seed in range(200):
        rng = Random(seed)
        n = rng.randrange(1, 9)
        heads: list[int | None] = [rng.choice([None, *range(n + 1)]) for _ in range(n)]
        for t in range(1, n + 1):
            hanging = [head for head in heads[t:] if head is None or head <= t]
            expected = hanging[0] if hanging else t + 1
            assert awaited_place(heads, t) == (UNKNOWN if expected is None else expected), seed
