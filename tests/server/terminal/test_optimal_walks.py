from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from treewhile.oracles.transitions import STRATEGIES
from treewhile.server.terminal.optimal_walks import walk


@st.composite
def forests(draw: st.DrawFn) -> list[int | None]:
    """Heads without cycles; some may be unknown."""
    order = draw(st.integers(1, 8).flatmap(lambda n: st.permutations(range(1, n + 1))))
    heads = {word: draw(st.sampled_from([None, 0, *order[:at]])) for at, word in enumerate(order)}
    return [heads[word] for word in sorted(heads)]


@given(forests(), st.sampled_from(list(STRATEGIES)))
def test_a_walk_makes_every_edge_that_could_be_made_by_preferred_steps(
    heads: list[int | None], strategy: str
) -> None:
    walked = walk(["x"] * len(heads), heads, strategy)
    assert len(walked.steps) == 2 * len(heads)
    assert walked.gold_edges_made == walked.steps[0].scores.attainable
    for step in walked.steps:
        preferred = [name for name in ("reduce_right", "reduce_left", "shift") if name in step.scores.best]
        assert step.taken == preferred[0]


def test_entries_are_kept_from_step_to_step() -> None:
    for heads in ([0, 1, 2, 3, 4, 5, 6, 7], [3, 4, 0, 3, 7, 8, 4, 3]):
        first, *others = walk(["x"] * len(heads), heads).steps
        assert first.entries_filled == first.entries_in_all
        assert sum(step.entries_filled for step in others) < sum(step.entries_in_all for step in others)
