"""Searches that do one thing each: what a session has to cope with."""

from __future__ import annotations

from dataclasses import replace

from treewhile.incremental.constraints.search.frobbing import TreeSearch
from treewhile.incremental.constraints.search.trees import Tree
from treewhile.incremental.search import Conflict, SearchRequest, SearchResult
from treewhile.oracles.interrupts import Interrupt


def first_tree(search: TreeSearch) -> Tree:
    """Every word at the edge that is best by itself, as far as that keeps a tree."""
    t, k, unused = search.situation.t, search.situation.k, search.situation.unused
    return search.with_words(Tree((0,) * (1 + t) + (unused,) * k, (0,) * (1 + t + k)), 1, Interrupt())


class Relabelling:
    """Makes one more label "punct" at every call, and is pleased by each."""

    def __init__(self) -> None:
        self.requests: list[SearchRequest] = []

    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult:
        self.requests.append(request)
        assert request.previous
        labels, wrong = [*request.previous.labels], [1]
        left = [place for place, label in enumerate(labels) if label not in ("punct", "root")]
        for place in left[:1]:
            labels[place] = "punct"
            wrong = [place + 1]
        better = replace(request.previous, labels=tuple(labels))
        return SearchResult(
            better, -float(len(left)), (Conflict("odd", 0.5, tuple(wrong), "This is odd."),), len(left) < 2
        )


class Proving:
    """Knows that nothing is better than what it was given."""

    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult:
        return SearchResult(request.rescored.analysis, 0.0, is_proven=True)


class Failing:
    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult:
        raise RuntimeError("no luck")


class Breaking:
    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult:
        assert request.previous
        return SearchResult(replace(request.previous, words=("other",) * len(request.words)), 0.0)


class Patient:
    """Gives what it was given once it is interrupted, which it is in the test before it starts."""

    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult:
        assert request.previous
        while not interrupt.flag[0]:
            pass
        return SearchResult(request.previous, 0.0, is_settled=False)


class Late:
    """Is done at the moment when it is told to stop."""

    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult:
        assert request.previous
        return SearchResult(request.previous, 0.0)
