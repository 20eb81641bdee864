"""Tuning of penalties on a treebank, by correcting the errors of the search.

An averaged structured perceptron (Collins 2002) over the logarithms of penalties: the best analysis found for
a prefix is compared with the gold tree; constraints that the found one violates more often get a higher cost,
those that the gold tree violates more often a lower one. Hard and computed penalties stay.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.language.grammars import Grammar
from treewhile.incremental.constraints.language.terms import Constraint
from treewhile.incremental.constraints.machine.judging import conflicts_in
from treewhile.incremental.constraints.machine.kernels.records import ConflictColumn
from treewhile.incremental.constraints.search.frobbing import TreeSearch
from treewhile.incremental.constraints.search.searcher import ConstraintSearcher
from treewhile.incremental.constraints.search.trees import Tree
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.nodes import from_signed
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.search import SearchRequest
from treewhile.incremental.treebanks.prefix_trees import GoldTree, prefix_tree
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles.interrupts import Interrupt

Costs = npt.NDArray[np.float64]  # [constraint], as natural logarithms

STEP: Final = 0.03  # change of a cost for each conflict too many
LEAST_COST: Final = 0.01
GREATEST_COST: Final = 7.0
PREFIXES: Final = 2  # of each sentence, besides the whole
LONGEST: Final = 40  # maximum length in words of the sentences that are used


class Example(NamedTuple):
    """Prefix, or whole sentence, with its gold tree."""

    request: SearchRequest
    gold: Tree


class Tuner:
    """Tuner of the penalties of a grammar, sentence by sentence."""

    def __init__(self, model: Model, grammar: Grammar, seed: int = 1) -> None:
        self._model, self._grammar = model, grammar.weighing
        self._searcher = ConstraintSearcher(model, grammar)
        self._rng = Random(seed)
        self._costs: Costs = np.array([_tuned_cost(constraint) for constraint in self._grammar.constraints])
        self._before = self._costs
        self._sum, self._examples = np.zeros_like(self._costs), 0

    @property
    def penalties(self) -> dict[str, float]:
        """Penalties found so far, by the names of their constraints, rounded to two digits."""
        return {
            constraint.name: float(f"{math.exp(-cost):.2g}")
            for constraint, cost in zip(self._grammar.constraints, self._mean, strict=True)
            if not math.isnan(cost)
        }

    @staticmethod
    def is_left_out(sentence: Sentence) -> bool:
        """Return whether a sentence is too long to be used."""
        return len(sentence.words) > LONGEST

    @property
    def _mean(self) -> Costs:
        return self._sum / self._examples if self._examples else self._costs

    def learn(self, sentence: Sentence) -> int:
        """Update the penalties on a sentence and some of its prefixes; return the number of errors."""
        return sum(self._learn(example) for example in self._examples_of(sentence, self._rng))

    def score(self, sentence: Sentence, with_penalties: bool = True) -> Counter[str]:
        """Return the number of words in its prefixes, and the number of correct ones.

        The penalties are those found so far, or the initial ones.
        """
        counts: Counter[str] = Counter()
        self._searcher.set_penalties(np.exp(-(self._mean if with_penalties else self._before)))
        for example in self._examples_of(sentence, Random(1)):
            best = self._searched(example).best
            counts["words"] += len(example.request.words)
            counts["right"] += _right_words(best, example)
        self._searcher.set_penalties(np.exp(-self._costs))
        return counts

    def _searched(self, example: Example) -> TreeSearch:
        search = self._searcher.search_in(self._searcher.situation(example.request), example.request)
        search.run(Interrupt())
        return search

    def _learn(self, example: Example) -> bool:
        search = self._searched(example)
        gold, found = (self._conflicts(search, tree) for tree in (example.gold, search.best))
        self._costs = np.clip(self._costs + STEP * (found - gold), LEAST_COST, GREATEST_COST)
        self._sum += self._costs
        self._examples += 1
        self._searcher.set_penalties(np.exp(-self._costs))
        return search.best != example.gold

    def _conflicts(self, search: TreeSearch, tree: Tree) -> Costs:
        broken = conflicts_in(search.situation, tree.arrays())[:, ConflictColumn.CONSTRAINT]
        return np.bincount(broken, minlength=len(self._costs)).astype(np.float64)

    def _examples_of(self, sentence: Sentence, source: Random) -> Iterator[Example]:
        gold, n = GoldTree.of(sentence), len(sentence.words)
        if None in gold.heads or self.is_left_out(sentence):
            return
        chosen = {source.randrange(1, n + 1) for _ in range(PREFIXES)}
        parse = GrowingParse(self._model)
        for t, word in enumerate(sentence.words, 1):
            parse.append(word.form)
            if t in chosen:
                yield from self._example(parse, gold)
        parse.close()
        yield from self._example(parse, gold)

    def _example(self, parse: GrowingParse, gold: GoldTree) -> Iterator[Example]:
        snapshot = parse.snapshot()
        request = SearchRequest(self._model.rescore(snapshot), parse.committed(), snapshot.is_open)
        tree = self._gold_tree(gold, len(parse.words), snapshot.is_open)
        if tree is not None:
            yield Example(request, tree)

    def _gold_tree(self, gold: GoldTree, t: int, is_open: bool) -> Tree | None:
        """Return the gold tree of a prefix as numbers; None if a label is unknown."""
        tree = prefix_tree(gold, t, self._model.inventory.stock if is_open else ())
        heads = from_signed(tree.heads, unknown=0)
        numbers = self._model.inventory.label_numbers
        labels = [0 if label is None else numbers.get(label, -1) for label in tree.labels]
        return None if -1 in labels else Tree((0, *heads), (0, *labels))


def _tuned_cost(constraint: Constraint) -> float:
    """Return the initial cost; NaN if it is not tuned."""
    penalty = constraint.penalty
    return -math.log(penalty) if isinstance(penalty, float) and penalty > 0 else math.nan


def _right_words(tree: Tree, example: Example) -> int:
    """Return the number of words with their gold label and head; all heads to come count as one."""
    t, gold = len(example.request.words), example.gold
    return sum(
        tree.labels[word] == gold.labels[word]
        and min(tree.heads[word], t + 1) == min(gold.heads[word], t + 1)
        for word in range(1, t + 1)
    )
