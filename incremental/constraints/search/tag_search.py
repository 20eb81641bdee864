"""Search among trees and tags: of each word a likely tag, at the cost of its probability.

The tree is searched under some tags until it is settled. Then one word gets another of its likely tags, the
likeliest change first, and the tree is searched again from the best one so far. What costs less is the new
best, and all changes are tried from there. Nobody tries the same tags twice, more changes than MOST_TRIALS,
or a change whose cost no tree can make up for. The tags of several words that pay only together are missed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from treewhile.incremental.constraints.machine.costs import COST_OF_E
from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.constraints.search.frobbing import TreeSearch
from treewhile.incremental.constraints.search.trees import Tree
from treewhile.incremental.parsers.tag_choices import TagChoice, TagChoices
from treewhile.oracles.interrupts import Interrupt

MOST_TRIALS: Final = 24  # searches under other tags than the first ones

Tags: TypeAlias = tuple[TagChoice, ...]  # of each word
Begin: TypeAlias = Callable[[Tags, Sequence[Tree]], TreeSearch]  # the trees are additional ones to begin from


class Trial(NamedTuple):
    """Search under some tags."""

    tags: Tags
    search: TreeSearch

    @property
    def cost(self) -> int:
        return self.search.cost + cost_of_tags(self.tags)


class TagSearch:
    """Search among the likely tags of words, beginning with the cheapest of some choices.

    No tree costs less than the floor under any tags, of which the likeliest cost nothing.
    """

    def __init__(self, choices: TagChoices, starts: Sequence[Tags], begin: Begin, floor: int) -> None:
        self._choices, self._begin, self.floor = choices, begin, floor
        begun = [Trial(tags, begin(tags, ())) for tags in starts]
        self._best = min(begun, key=lambda one: one.cost)
        self._trial: Trial | None = self._best
        self._searched, self._tried_before = {self._best.tags}, 0

    @property
    def leading(self) -> TreeSearch:
        """Search under the best tags so far."""
        return min(filter(None, (self._best, self._trial)), key=lambda one: one.cost).search

    @property
    def tried(self) -> int:
        """Number of trees tried, under all tags."""
        return self._tried_before + (0 if self._trial is None else self._trial.search.tried)

    def run(self, interrupt: Interrupt) -> bool:
        """Search until interrupted; return whether the search is settled."""
        while self._trial is not None:
            if not self._trial.search.run(interrupt):
                return False
            self._tried_before += self._trial.search.tried
            if self._trial.cost < self._best.cost:
                self._best = self._trial
            self._trial = self._next_trial()
        return True

    def _next_trial(self) -> Trial | None:
        for tags in self._changed():
            is_open = tags not in self._searched and len(self._searched) <= MOST_TRIALS
            if is_open and cost_of_tags(tags) + self.floor < self._best.cost:
                self._searched.add(tags)
                return Trial(tags, self._begin(tags, [self._best.search.best]))
        return None

    def _changed(self) -> Iterator[Tags]:
        """Return the best tags with one of them changed, the likeliest first."""
        best = self._best.tags
        changed = [
            (*best[:place], other, *best[place + 1 :])
            for place, of_word in enumerate(self._choices)
            for other in of_word
            if other != best[place]
        ]
        return iter(sorted(changed, key=cost_of_tags))


def cost_of_tags(tags: Tags) -> int:
    return sum(round(-tag.log * COST_OF_E) for tag in tags)


def tags_among(choices: TagChoices, tags: Sequence[str]) -> Tags:
    """Return the choices that have these tags, and for words without one the likeliest."""
    return tuple(
        next((choice for choice in of_word if choice.tag == tag), of_word[0])
        for of_word, tag in zip(choices, tags, strict=True)
    )


def with_tags(situation: Situation, tags: Tags) -> Situation:
    """Return a situation whose words have these tags."""
    names, features = tuple(tag.tag for tag in tags), tuple(tag.features for tag in tags)
    return replace(situation, tags=names, features=features, tag_cost=cost_of_tags(tags))
