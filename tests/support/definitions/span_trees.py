"""Best sum of spans over all binary trees, in plain Python."""

from __future__ import annotations

from functools import cache

from treewhile.oracles.constituents.span_trees import SpanScores


def best_score_by_definition(scores: SpanScores) -> float:
    """The greatest sum over binary trees whose parts may each be no constituent: the judge of the kernel."""

    @cache
    def best(first: int, last: int) -> float:
        ways = [best(first, k) + best(k + 1, last) for k in range(first, last)]
        return max(float(scores[first, last]), 0.0) + max(ways, default=0.0)

    return best(0, len(scores) - 1) if len(scores) else 0.0
