"""Examples beside constraints: the best tree found for a right one keeps its constraint, and breaks it for a
wrong one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from treewhile.incremental.constraints.language.grammars import Grammar
from treewhile.incremental.constraints.language.terms import Example
from treewhile.incremental.constraints.language.written import Place
from treewhile.incremental.constraints.search.conflicts import conflicts_of
from treewhile.incremental.constraints.search.searcher import ConstraintSearcher, program_for
from treewhile.incremental.constraints.search.trees import tree_of
from treewhile.incremental.constraints.workbench.differences import found_analysis
from treewhile.incremental.constraints.workbench.searched_sentences import request_of, whole_parse
from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.search import SearchRequest
from treewhile.incremental.treebanks.treebank import Sentence


class FailedExample(NamedTuple):
    constraint: str
    text: str
    is_right: bool
    place: Place
    found: Analysis  # the best one


def failed_examples(grammar: Grammar, model: Model) -> Iterator[FailedExample]:
    """Yield the examples of a grammar that do not show what they should; their words stand between blanks."""
    examples = [(constraint.name, one) for constraint in grammar.constraints for one in constraint.examples]
    if not examples:
        return
    judge = _Judge(grammar, model)
    for name, example in examples:
        found = judge.found(example)
        if (name in judge.broken(found)) == example.is_right:
            yield FailedExample(name, example.text, example.is_right, example.place, found.analysis)


class Found(NamedTuple):
    """Best analysis that is found of a request."""

    request: SearchRequest
    analysis: Analysis


class _Judge:
    def __init__(self, grammar: Grammar, model: Model) -> None:
        self._model, self._searcher = model, ConstraintSearcher(model, grammar)
        self._program = program_for(grammar, model)

    def found(self, example: Example) -> Found:
        request = request_of(self._model, whole_parse(self._model, Sentence.of_words(example.text.split())))
        return Found(request, found_analysis(self._searcher, request))

    def broken(self, found: Found) -> set[str]:
        """Return the constraints that an analysis breaks."""
        situation = replace(self._searcher.situation(*found), program=self._program)
        tree = tree_of(situation, found.analysis)
        return {conflict.constraint for conflict in conflicts_of(situation, tree.arrays())}
