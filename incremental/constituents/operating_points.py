"""How sure taggers have to be before they close anything: what agrees best with trees that judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Final, NamedTuple

from treewhile.incremental.constituents.bracket_scores import TreebankScore
from treewhile.incremental.constituents.chart_constraints import OperatingPoints
from treewhile.incremental.constituents.grammar_models import GrammarModel
from treewhile.incremental.constituents.grammar_phrases import FLAT, GrammarPhrases
from treewhile.oracles.constituents.grammars import Side
from treewhile.oracles.constituents.phrase_trees import Phrase

THRESHOLDS: Final = (20.0, 40.0, 80.0)  # in units of the taggers' scores; the paper has 40
LINEAR: Final[dict[Side, float]] = {"right": 12.0, "left": 24.0}  # the paper's
USUAL: Final = ("ghp", "unary", "quad")


class Trial(NamedTuple):
    """What parsing with some constraints came to."""

    f1: float
    precision: float
    recall: float
    seconds: float
    flat: int  # sentences that have no tree but a flat one


def trial(
    parser: GrammarPhrases, trees: Sequence[Phrase], advance: Callable[[int], None] = lambda count: None
) -> Trial:
    """How far the parser agrees with trees, in percent, and how long it takes with tagging and all."""
    scores, seconds, flat = TreebankScore(), 0.0, 0
    for tree in trees:
        words = [leaf.word for leaf in tree.leaves]
        start = perf_counter()
        found = parser.parse(words)
        seconds += perf_counter() - start
        flat += found.outcome == FLAT
        scores.add(tree, found.phrase)
        advance(1)
    whole = scores.brackets
    return Trial(100 * whole.f1, 100 * whole.precision, 100 * whole.recall, seconds, flat)


def chosen_points(
    model: GrammarModel, trees: Sequence[Phrase], advance: Callable[[int], None] = lambda count: None
) -> tuple[OperatingPoints, dict[float, Trial]]:
    """The points with the threshold of the best agreement, the highest of equal ones, and what each came to.

    The thresholds of begins, ends and single words are the same, as in the paper, where others paid little.
    """
    tried = {}
    for threshold in THRESHOLDS:
        points = replace(model.points, ghp=threshold, unary=threshold)
        tried[threshold] = trial(GrammarPhrases(replace(model, points=points), USUAL), trees, advance)
    best = max(THRESHOLDS, key=lambda threshold: (tried[threshold].f1, threshold))
    return replace(model.points, ghp=best, unary=best), tried
