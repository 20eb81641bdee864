"""Profiles of grammars: what searches cost with and without each constraint, and what each brings.

Sentences are parsed once. Each search goes on until it is settled. Its time is that of the processor for
attacks, without the preparation of a sentence, which every grammar needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from time import thread_time
from typing import NamedTuple

from treewhile.incremental.constraints.language.grammars import Grammar
from treewhile.incremental.constraints.search.searcher import ConstraintSearcher, leading_of, program_for
from treewhile.incremental.constraints.search.trees import Tree, analysis_of
from treewhile.incremental.constraints.workbench.differences import gold_decisions, is_right
from treewhile.incremental.constraints.workbench.searched_sentences import request_of, whole_parse
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles.interrupts import Interrupt

Clock = Callable[[], float]


class SearchCosts(NamedTuple):
    """Seconds and trees tried in all sentences, words that come out right, and the trees found."""

    seconds: float
    tried: int
    right: int
    trees: tuple[Tree, ...]

    def changed(self, other: SearchCosts) -> int:
        """Return the number of sentences that come out differently."""
        return sum(one != another for one, another in zip(self.trees, other.trees, strict=True))


class Profiler:
    """Searches for the trees of some sentences under a grammar, and under parts of it."""

    def __init__(
        self, model: Model, grammar: Grammar, sentences: Sequence[Sentence], clock: Clock = thread_time
    ) -> None:
        self._model, self._grammar, self._clock = model, grammar, clock
        self._searcher = ConstraintSearcher(model, grammar)
        self._gold = [*map(gold_decisions, sentences)]
        self._requests = [request_of(model, whole_parse(model, sentence)) for sentence in sentences]
        self._situations = [*map(self._searcher.situation, self._requests)]

    def costs(self) -> SearchCosts:
        """Return what searches under the whole grammar cost."""
        self._costs_under(self._grammar)  # compiles the kernels
        return self._costs_under(self._grammar)

    def without_each(self) -> Iterator[tuple[str, SearchCosts]]:
        """Yield the name of each constraint that weighs, and the costs of searches without it."""
        for one in self._grammar.weighing.constraints:
            others = tuple(constraint for constraint in self._grammar.constraints if constraint is not one)
            yield one.name, self._costs_under(replace(self._grammar, constraints=others))

    def _costs_under(self, grammar: Grammar) -> SearchCosts:
        program = program_for(grammar.weighing, self._model)
        seconds, tried, right, trees = 0.0, 0, 0, list[Tree]()
        for request, made, gold in zip(self._requests, self._situations, self._gold, strict=True):
            search = self._searcher.begun(replace(made, program=program), request)
            start = self._clock()
            search.run(Interrupt())
            seconds += self._clock() - start
            tried += search.tried
            leading = leading_of(search)
            trees.append(leading.best)
            found = analysis_of(leading.situation, leading.best)
            right += sum(map(is_right, found.decisions, gold))
        return SearchCosts(seconds, tried, right, tuple(trees))
