"""Whole sentences searched under a grammar, as a session searches them at their end."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

from treewhile.incremental.constraints.search.searcher import ConstraintSearcher
from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.parsed_treebank import analyse, values_of, with_analyses
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.search import SearchRequest
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles.interrupts import Interrupt


class SentenceSearch(NamedTuple):
    """Search for the trees of sentences, each for some seconds at most; without a searcher, the model's."""

    model: Model
    searcher: ConstraintSearcher | None = None
    seconds: float = math.inf

    def analyses(self, sentences: Sequence[Sentence], with_constituents: bool = False) -> list[Analysis]:
        """Return the analyses of whole sentences; an InputError names one that cannot be parsed."""
        parsed = analyse(self.model, sentences, with_constituents)
        if self.searcher is None:
            return parsed
        return [self._improved(*pair) for pair in zip(sentences, parsed, strict=True)]

    def parsed(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """Return the sentences with their analyses in their columns."""
        return with_analyses(self.model, sentences, self.analyses(sentences))

    def improved(self, parse: GrowingParse, best: Analysis) -> Analysis:
        """Return the best parse of words so far with the heads and labels that the search finds."""
        found = None
        if self.searcher is not None and parse.words:
            with interrupt_after(self.seconds) as interrupt:
                found = self.searcher.search(request_of(self.model, parse), interrupt)
        if found is None:
            return best
        searched = found.analysis
        tagged = replace(best, tags=searched.tags, features=searched.features)
        return replace(tagged, heads=searched.heads, labels=searched.labels, expected=searched.expected)

    def _improved(self, sentence: Sentence, best: Analysis) -> Analysis:
        return self.improved(whole_parse(self.model, sentence), best)


def whole_parse(model: Model, sentence: Sentence) -> GrowingParse:
    """Return the parse of all words of a sentence, which has ended."""
    parse = GrowingParse(model)
    for word, values in zip(sentence.words, values_of(model, sentence), strict=True):
        parse.append(word.form, values)
    parse.close()
    return parse


def request_of(model: Model, parse: GrowingParse) -> SearchRequest:
    """Return the data of the words so far for a search."""
    snapshot = parse.snapshot()
    return SearchRequest(model.rescore(snapshot), parse.committed(), snapshot.is_open)


@contextmanager
def interrupt_after(seconds: float) -> Iterator[Interrupt]:
    """Yield an interrupt that is set after some seconds."""
    interrupt = Interrupt()
    timer = threading.Timer(seconds, interrupt.set) if seconds < math.inf else None
    if timer:
        timer.daemon = True
        timer.start()
    try:
        yield interrupt
    finally:
        if timer:
            timer.cancel()
