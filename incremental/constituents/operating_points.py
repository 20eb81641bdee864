"""Choice of the thresholds of constraints by the best agreement with development trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import process_time
from typing import Final

from treewhile.incremental.constituents.bracket_scores import TreebankScore
from treewhile.incremental.constituents.chart_constraints import OperatingPoints
from treewhile.incremental.constituents.grammar_models import GrammarModel
from treewhile.incremental.constituents.grammar_phrases import GrammarPhrases
from treewhile.oracles.constituents.grammars import Side
from treewhile.oracles.constituents.phrase_trees import Phrase

THRESHOLDS: Final = (10.0, 20.0, 40.0, 80.0)  # in units of the taggers' scores; the paper has 40
LINEAR: Final[dict[Side, float]] = {"right": 12.0, "left": 24.0}  # the paper's
USUAL: Final = ("ghp", "unary", "quad")


@dataclass
class Trial:
    """Results of a parser: scores, times and outcomes."""

    scores: TreebankScore = field(default_factory=TreebankScore)
    lengths: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # processor time, including tagging
    outcomes: list[int] = field(default_factory=list)  # as in `grammar_phrases`

    def add(self, parser: GrammarPhrases, tree: Phrase) -> None:
        words = [leaf.word for leaf in tree.leaves]
        start = process_time()
        found = parser.parse(words)
        self.seconds.append(process_time() - start)
        self.lengths.append(len(words))
        self.outcomes.append(found.outcome)
        self.scores.add(tree, found.phrase)

    @property
    def f1(self) -> float:
        return 100 * self.scores.brackets.f1

    @property
    def words_per_second(self) -> float:
        return sum(self.lengths) / sum(self.seconds)


def trials(
    parsers: Mapping[str, GrammarPhrases],
    trees: Sequence[Phrase],
    advance: Callable[[int], None] = lambda count: None,
) -> dict[str, Trial]:
    """Return the results of each parser on trees, in turn; `advance` gets the number of trees done."""
    found = {}
    for name, parser in parsers.items():
        parser.parse([leaf.word for leaf in trees[0].leaves])  # may compile kernels
        found[name] = Trial()
        for tree in trees:
            found[name].add(parser, tree)
            advance(1)
    return found


def chosen_points(
    model: GrammarModel, trees: Sequence[Phrase], advance: Callable[[int], None] = lambda count: None
) -> tuple[OperatingPoints, dict[float, Trial]]:
    """Return the parameters with the best threshold, the highest on ties, and the results of each.

    Begins, ends and single words share one threshold, as in the paper, where separate ones gained little.
    """
    points = {one: replace(model.points, ghp=one, unary=one) for one in THRESHOLDS}
    parsers = {str(one): GrammarPhrases(replace(model, points=some), USUAL) for one, some in points.items()}
    found = trials(parsers, trees, advance)
    tried = {one: found[str(one)] for one in THRESHOLDS}
    best = max(THRESHOLDS, key=lambda threshold: (tried[threshold].f1, threshold))
    return points[best], tried
