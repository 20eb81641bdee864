from __future__ import annotations

import pytest
from eager_judges import attainable_by_eager_search
from hypothesis import given
from hypothesis import strategies as st

from treewhile.oracles import EagerConfiguration
from treewhile.oracles.transitions import STRATEGIES
from treewhile.server.terminal.optimal_walks import Walk, walk


@st.composite
def forests(draw: st.DrawFn) -> list[int | None]:
    """Heads without cycles; some may be unknown."""
    order = draw(st.integers(1, 6).flatmap(lambda n: st.permutations(range(1, n + 1))))
    heads = {word: draw(st.sampled_from([None, 0, *order[:at]])) for at, word in enumerate(order)}
    return [heads[word] for word in sorted(heads)]


@pytest.mark.slow
@given(forests(), st.sampled_from(list(STRATEGIES)))
def test_a_walk_makes_every_edge_that_could_be_made_by_preferred_steps(
    heads: list[int | None], strategy: str
) -> None:
    walked = walk(["x"] * len(heads), heads, strategy=strategy)
    assert walked.strategy == strategy
    assert_is_optimal(walked, ["reduce_right", "reduce_left", "shift"])


@given(forests())
def test_a_walk_of_arc_eager_does_so_too(heads: list[int | None]) -> None:
    walked = walk(["x"] * len(heads), heads, "arc-eager")
    assert walked.strategy is None
    assert_is_optimal(walked, ["left_arc", "right_arc", "reduce", "shift"])
    n, single_root = len(heads), heads.count(0) == 1
    attainable = attainable_by_eager_search(EagerConfiguration.initial(n), heads, single_root)
    assert walked.gold_edges_made == max(score for score in attainable if score is not None)


def assert_is_optimal(walked: Walk, preferred: list[str]) -> None:
    assert len(walked.steps) == 2 * len(walked.heads)
    assert walked.gold_edges_made == walked.steps[0].scores.attainable
    for step in walked.steps:
        assert step.taken == next(name for name in preferred if name in step.scores.best)


def test_entries_are_kept_from_step_to_step() -> None:
    for heads in ([0, 1, 2, 3, 4, 5, 6, 7], [3, 4, 0, 3, 7, 8, 4, 3]):
        first, *others = walk(["x"] * len(heads), heads).steps
        assert first.entries_filled == first.entries_in_all
        assert sum(step.entries_filled for step in others) < sum(step.entries_in_all for step in others)
