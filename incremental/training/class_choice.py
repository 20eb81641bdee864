"""Choice of the class of trees for a model, on the dev part, among the classes for parsing prefixes.

Projective trees cost the least, so wider ones have to be better, and by more than chance might make them: the
gain in words with the right head and label has to be greater than its standard error, sentences being what is
drawn (the rule of one standard error; Breiman, Friedman, Olshen & Stone 1984). For n sentences that gain
d(1), ..., d(n) words, whose sum is G, the square of that error is n / (n - 1) (sum of d(i)^2 - G^2 / n); so G
is greater than the error exactly if G > 0 and G^2 > sum of d(i)^2.

Where no tree of the dev part has edges that cross, nothing can speak for wider classes, and none is tried.
Somebody may name the class, too: who wants to see edges that cross may find that chance speaks against them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from itertools import starmap
from operator import sub
from typing import Any, NamedTuple

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.tree_decoding import PREFIX_CLASSES, PROJECTIVE
from treewhile.incremental.training.dev_scores import best_parses, right_attachments, scores_of
from treewhile.incremental.treebanks.projectivized_treebank import whole_tree
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles import is_projective


class Tried(NamedTuple):
    """Scores of a class on the dev part."""

    scores: dict[str, float]  # UAS and LAS, in percent
    right: list[int]  # words with the right head and label, for each sentence
    milliseconds: float  # a sentence


class Choice(NamedTuple):
    """Class that pays, and the classes that were tried, if any were."""

    trees: str
    tried: dict[str, Tried]

    @property
    def information(self) -> dict[str, Any]:
        """Information on the choice for the model file; the time of parsing is left out, since it varies."""
        scores = {name: _rounded(tried.scores) for name, tried in self.tried.items()}
        return {"trees": self.trees, **({"trees_tried": scores} if scores else {})}

    @property
    def scores(self) -> dict[str, float]:
        """UAS and LAS in the class that pays, where some were tried."""
        return _rounded(self.tried[self.trees].scores) if self.tried else {}


def chosen_class(model: Model, dev: Sequence[Sentence], told: str | None = None) -> Choice:
    """Return the class that pays for a parser, by whole trees; or the class in `told`, with its scores."""
    if told is None and all(is_projective(whole_tree(sentence)) for sentence in dev):
        return Choice(PROJECTIVE, {})
    tried = {name: _tried(model.with_trees(name), dev) for name in PREFIX_CLASSES}
    return Choice(told or _best(tried), tried)


def _best(tried: Mapping[str, Tried]) -> str:
    chosen = PROJECTIVE
    for name, one in tried.items():
        if pays([*map(sub, one.right, tried[chosen].right)]):
            chosen = name
    return chosen


def pays(gains: Sequence[int]) -> bool:
    """Return whether the gain of right words is greater than its standard error."""
    gain = sum(gains)
    return gain > 0 and gain**2 > sum(one**2 for one in gains)


def _tried(model: Model, dev: Sequence[Sentence]) -> Tried:
    best_parses(model, dev[:1])  # loads the compiled code
    start = time.perf_counter()
    analyses = best_parses(model, dev)
    seconds = time.perf_counter() - start
    scores = {name: score for name, score in scores_of(dev, analyses).items() if name in ("UAS", "LAS")}
    right = [*starmap(right_attachments, zip(dev, analyses, strict=True))]
    return Tried(scores, right, 1000 * seconds / len(dev))


def _rounded(scores: dict[str, float]) -> dict[str, float]:
    return {name: round(score, 2) for name, score in scores.items()}
