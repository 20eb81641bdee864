"""Grammar parser: best trees of sentences, with cells of the chart closed by its taggers.

If the constraints leave no tree, thresholds are loosened, then dropped, while constraints that bound the time
stay. If there is still no tree, all words are children of the root, as without any parse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from treewhile.incremental.constituents.bracketed_trees import BRACKETS
from treewhile.incremental.constituents.chart_constraints import (
    OperatingPoints,
    closed_openings,
    linear,
    union,
)
from treewhile.incremental.constituents.given_sentences import GivenSentence
from treewhile.incremental.constituents.grammar_models import GrammarModel
from treewhile.incremental.constituents.sequence_taggers import Numbers
from treewhile.incremental.constituents.treebank_grammars import Floats
from treewhile.oracles.constituents.chart_cells import bytes_of
from treewhile.oracles.constituents.closed_cells import count_cells
from treewhile.oracles.constituents.grammar_charts import MOST_MIDPOINTS, Derivation, GrammarChart
from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.constituents.phrase_trees import Leaf, Phrase, constituents_of, tree_of

BY_THRESHOLD: Final = frozenset({"ghp", "hp", "unary"})
LOOSER: Final = 3.0  # factor of the threshold
MOST_KEPT: Final = 64 << 20  # bytes of a chart
LONG_SENTENCE: Final = 24  # number of open words in sentences too long for the requested constraints

AS_ASKED, BOUNDED, LOOSENED, FLAT = range(4)


class ParsedSentence(NamedTuple):
    """Tree with its outcome: parsed as requested, with an added bound, with fewer constraints, or flat."""

    phrase: Phrase
    outcome: int


class GrammarPhrases:
    """Parser by a model with constraints, by default its own; `complain` is called for flat trees.

    Only one sentence at a time, since all share a chart.
    """

    def __init__(
        self,
        model: GrammarModel,
        constraints: tuple[str, ...] | None = None,
        complain: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.model, self._complain = model, complain
        self.constraints = model.usual if constraints is None else constraints
        self._chart = GrammarChart(model.grammar.grammar)

    def parse_all(self, sentences: Sequence[GivenSentence]) -> list[Phrase]:
        """Return the trees of some sentences, each with at least one word."""
        return [self._phrase(sentence) for sentence in sentences]

    def parse(self, words: Sequence[str]) -> ParsedSentence:
        """Return the best tree of words whose brackets are spelt out, as in treebanks."""
        model, parts_of_speech = self.model, self.model.taggers.tags(words)
        lexical = model.grammar.lexical(words, model.taggers.names_of(parts_of_speech))
        for outcome, openings in self._rungs(words, parts_of_speech):
            if (found := self._best(lexical, openings)) is not None:
                return ParsedSentence(model.grammar.phrase_of(found.nodes, words), outcome)
        tags = lexical.argmax(axis=1).tolist()
        symbols = model.grammar.grammar.symbols
        leaves = tuple(Leaf(symbols[tag], word) for tag, word in zip(tags, words, strict=True))
        return ParsedSentence(Phrase(model.grammar.start, leaves), FLAT)

    def _best(self, lexical: Floats, openings: Openings) -> Derivation | None:
        """Return the best tree, in a chart whose memory is kept unless it is large."""
        try:
            self._chart.follow([*lexical], openings)
            return self._chart.best()
        finally:
            if bytes_of(self._chart.cells) > MOST_KEPT:
                self._chart = GrammarChart(self.model.grammar.grammar)

    def _phrase(self, sentence: GivenSentence) -> Phrase:
        words = [leaf.word for leaf in sentence.own_leaves or ()] or [*map(spelt_out, sentence.words)]
        phrase, outcome = self.parse(words)
        if outcome == FLAT:
            self._complain(f"no tree is left, all words are under the root, at {sentence.where}")
        elif outcome == BOUNDED:
            what = f"the sentence is too long for that, so at most {LONG_SENTENCE} words are left open"
            self._complain(f"{what}, at {sentence.where}")
        if sentence.own_leaves is None:
            return phrase
        return tree_of(constituents_of(phrase), sentence.own_leaves)

    def _rungs(self, words: Sequence[str], parts_of_speech: Numbers) -> Iterator[tuple[int, Openings]]:
        """Yield the openings to try in turn, with the outcome of each."""
        points, side = self.model.points, self.model.grammar.form.side
        if not self.constraints:
            yield self._bounded(Openings.all_open(len(words)), words)
            return
        openness = self.model.taggers.openness(words, parts_of_speech)
        yield self._bounded(closed_openings(openness, self.constraints, points, side), words)
        bounds = tuple(name for name in self.constraints if name not in BY_THRESHOLD)
        if len(bounds) < len(self.constraints):
            for names, by in ((self.constraints, _looser(points)), (bounds, points)):
                outcome, openings = self._bounded(closed_openings(openness, names, by, side), words)
                yield max(outcome, LOOSENED), openings

    def _bounded(self, openings: Openings, words: Sequence[str]) -> tuple[int, Openings]:
        """Return the openings, with a linear bound added if the chart would take too long."""
        side = self.model.grammar.form.side
        if count_cells(openings, side).midpoints <= MOST_MIDPOINTS:
            return AS_ASKED, openings
        return BOUNDED, union(openings, linear(self.model.taggers.openness(words), LONG_SENTENCE, side))


def spelt_out(word: str) -> str:
    """Return the word with brackets spelt out, as in a bracketed tree."""
    return "".join(BRACKETS.get(letter, letter) for letter in word)


def _looser(points: OperatingPoints) -> OperatingPoints:
    return replace(
        points,
        ghp=points.ghp * LOOSER,
        unary=points.unary * LOOSER,
        hp=max(0.0, 1 - LOOSER * (1 - points.hp)),
    )
