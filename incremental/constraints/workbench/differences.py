"""Differences between the trees that are found under two grammars, sentence by sentence.

A word is right if its head is that of the gold tree, and its label is, without its subtype. Both searches go
on until they are settled, so the differences are the same on each run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from treewhile.incremental.constraints.language.terms import relation_of
from treewhile.incremental.constraints.machine.costs import COST_OF_E
from treewhile.incremental.constraints.search.deciding_constraints import costs_by_constraint
from treewhile.incremental.constraints.search.searcher import ConstraintSearcher
from treewhile.incremental.constraints.search.trees import tree_of
from treewhile.incremental.constraints.workbench.searched_sentences import request_of, whole_parse
from treewhile.incremental.parsers.analyses import Analysis, Decision
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.search import SearchRequest, SearchResult
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles.interrupts import Interrupt

TAGS: Final = "tags"  # stands for the cost of tags among those of constraints


class ChangedWord(NamedTuple):
    """Word with other heads or labels under two grammars, and those of the gold tree."""

    word: int
    form: str
    old: Decision
    new: Decision
    gold: Decision

    @property
    def is_won(self) -> bool:
        return is_right(self.new, self.gold) and not is_right(self.old, self.gold)

    @property
    def is_lost(self) -> bool:
        return is_right(self.old, self.gold) and not is_right(self.new, self.gold)


class Difference(NamedTuple):
    """Trees of a sentence under two grammars; `because` has the costs that speak against the old tree.

    These are natural logarithms by constraint, those of the old tree less those of the new one, under the new
    grammar; the greatest come first.
    """

    right_before: int
    right_after: int
    changed: list[ChangedWord]
    because: dict[str, float]


def is_right(decision: Decision, gold: Decision) -> bool:
    return decision.head == gold.head and relation_of(decision.label) == relation_of(gold.label)


def gold_decisions(sentence: Sentence) -> list[Decision]:
    return [Decision(int(word.head), word.deprel) for word in sentence.words]


def differences(
    model: Model, old: ConstraintSearcher, new: ConstraintSearcher, sentences: Sequence[Sentence]
) -> Iterator[Difference]:
    """Yield the difference between the trees of each sentence."""
    for sentence in sentences:
        request = request_of(model, whole_parse(model, sentence))
        before, after = found_analysis(old, request), found_analysis(new, request)
        gold = gold_decisions(sentence)
        columns = zip(sentence.words, before.decisions, after.decisions, gold, strict=True)
        changed = [
            ChangedWord(number, word.form, was, now, right)
            for number, (word, was, now, right) in enumerate(columns, 1)
            if was != now
        ]
        yield Difference(
            _right_words(before, gold),
            _right_words(after, gold),
            changed,
            reasons(new, request, before, after) if changed else {},
        )


def found_analysis(searcher: ConstraintSearcher, request: SearchRequest) -> Analysis:
    return settled_result(searcher, request).analysis


def settled_result(searcher: ConstraintSearcher, request: SearchRequest) -> SearchResult:
    """Return what a search has found when it is settled."""
    found = searcher.search(request, Interrupt())
    assert found is not None
    return found


def _right_words(analysis: Analysis, gold: Sequence[Decision]) -> int:
    return sum(map(is_right, analysis.decisions, gold))


def reasons(
    searcher: ConstraintSearcher, request: SearchRequest, worse: Analysis, better: Analysis
) -> dict[str, float]:
    """Return what a worse analysis costs beyond a better one by constraint, and by TAGS, the most first."""
    costs = costs_by_name(searcher, request, worse)
    costs.subtract(costs_by_name(searcher, request, better))
    return {name: cost / COST_OF_E for name, cost in costs.most_common() if cost > 0}


def costs_by_name(searcher: ConstraintSearcher, request: SearchRequest, analysis: Analysis) -> Counter[str]:
    """Return the cost of an analysis by constraint, and by TAGS that are not the likeliest ones."""
    situation = searcher.situation(request, analysis)
    constraints = situation.program.grammar.constraints
    found = costs_by_constraint(situation, tree_of(situation, analysis))
    costs = Counter({constraints[number].name: cost for number, cost in found.items()})
    costs[TAGS] += situation.tag_cost
    return costs
