"""Span parser: constituents of sentences from the states of a network, with or without closed cells.

Three outputs of the same network give the odds that words begin, end or are constituents, so cells can be
closed by the same constraints as in the charts of grammars.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from treewhile.incremental.constituents.chart_constraints import OperatingPoints, closed_openings
from treewhile.incremental.constituents.chart_taggers import Openness
from treewhile.incremental.constituents.given_sentences import GivenSentence
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.parsing import Model, snapshot_of
from treewhile.incremental.parsers.span_layers import Fences, SpanLayers, fences_of
from treewhile.incremental.parsers.surroundings import Around
from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.constituents.phrase_trees import Phrase, phrase_of
from treewhile.oracles.errors import InputError

# Parameters of constraints for the network, whose log-odds have another scale than those of taggers.
POINTS: Final = OperatingPoints(ghp=4.0, unary=4.0)


class NetworkPhrases:
    """Span parser of a model, with constraints: names from `chart_constraints`, or none."""

    def __init__(self, model: Model, constraints: tuple[str, ...] = ()) -> None:
        self._model, self._constraints = model, constraints
        self._spans = spans_of(model)

    def parse_all(self, sentences: Sequence[GivenSentence]) -> list[Phrase]:
        """Return the trees of some sentences, each with at least one word; fastest with 16 at once.

        Words without tags get the coarse ones of the model.
        """
        around, fences = self._states([sentence.words for sentence in sentences])
        found = self._spans.constituents_between(fences, self._openings(fences))
        names, tags = self._model.inventory.tags, self._model.network.surroundings.tags(around)
        return [
            phrase_of(phrases, sentence.leaves([names[tag] for tag in of_words.tolist()]))
            for sentence, phrases, (of_words, _) in zip(sentences, found, tags, strict=True)
        ]

    def openness(self, words: Sequence[str]) -> Openness:
        """Return the odds that each word is open, like those of taggers."""
        _, fences = self._states([words])
        return _openness(self._spans.openings_logs(fences)[0])

    def _states(self, sentences: Sequence[Sequence[str]]) -> tuple[Around, Fences]:
        around = self._model.around([snapshot_of(self._model, words) for words in sentences])
        return around, fences_of(around, range(len(sentences)))

    def _openings(self, fences: Fences) -> Sequence[Openings | None]:
        if not self._constraints:
            return [None] * len(fences.words)
        return [
            closed_openings(_openness(logs), self._constraints, POINTS, "right")
            for logs in self._spans.openings_logs(fences)
        ]


def spans_of(model: Model) -> SpanLayers:
    """Return the layers that score spans; refuse a model without them."""
    if model.spans is None:
        raise InputError(
            "the model has no constituents: learn them with treewhile train constituents --model P "
            "--train A.ptb --dev B.ptb --out M, where P is this model"
        )
    return model.spans


def _openness(logs: Array) -> Openness:
    """Return the odds by word; infinite at the ends of the sentence."""
    begins, ends, unaries = logs.astype(np.float64).T.copy()
    begins[-1:], ends[:1] = -np.inf, -np.inf
    begins[:1], ends[-1:] = np.inf, np.inf
    return Openness(begins, ends, unaries)
