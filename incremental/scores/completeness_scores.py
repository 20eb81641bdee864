"""Scores of probabilities of completeness, and prefixes as spoken and as written, with gold completeness.

Sentences are used without punctuation, as spoken. A prefix *may end* if nothing in it needs a word to come:

1. The root's child is among its words, and so is the head of each of them.
2. No word in it has an upcoming child that it needs: a core argument, a part of the predicate, a word that
   marks a phrase, or one that makes up a name or a number with others, as listed in NEEDED.

Other upcoming words, such as adverbials, relative clauses, or further conjuncts, can be left out. So "she
left" may end in "she left when it rained", but "she said" not in "she said it rained". A verb that could do
without its object may not end before it in a sentence that has one: the answer for a prefix depends on its
sentence, and the same words may end in another. A whole sentence may end, and *ends*.

Spoken prefixes are lower-cased and have no punctuation. A prefix that only punctuation follows, ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any, Final, NamedTuple

import numpy as np

from treewhile.incremental.parsers.completeness_layers import inputs_of
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.word_gates import FROM_LEFT
from treewhile.incremental.treebanks.treebank import Sentence

PUNCTUATION: Final = "PUNCT"

# Relations whose heads are incomplete without them, without subtypes.
NEEDED: Final = frozenset(
    {
        *("nsubj", "csubj", "expl", "obj", "iobj", "ccomp", "xcomp"),
        *("aux", "cop"),
        *("case", "mark", "det", "clf"),
        *("fixed", "flat", "compound", "goeswith", "nummod"),
    }
)


class SaidSentence(NamedTuple):
    """Sentence without its punctuation: words, heads from 1 on, and relations."""

    forms: tuple[str, ...]
    heads: tuple[int | None, ...]
    labels: tuple[str, ...]

    @classmethod
    def of(cls, sentence: Sentence) -> SaidSentence:
        """Return the words of a sentence without punctuation; children of punctuation move to its head."""
        words, heads = sentence.words, sentence.heads
        kept = [number for number, word in enumerate(words, 1) if word.upos != PUNCTUATION]
        places = {0: 0, **{number: place for place, number in enumerate(kept, 1)}}
        found = [_head_among(places, heads, heads[number - 1]) for number in kept]
        labels = [words[number - 1].deprel for number in kept]
        return cls(tuple(words[number - 1].form for number in kept), tuple(found), tuple(labels))

    def may_end(self) -> list[bool]:
        """Return for each number of leading words whether the sentence may end after them."""
        n = len(self.forms)
        roots = [word for word, head in enumerate(self.heads, 1) if head == 0]
        first = roots[0] if roots else n
        waited_for = [max(needed, default=0) for needed in self._needed()]
        found, furthest = [], 0
        for t in range(1, n + 1):
            furthest = max(furthest, waited_for[t - 1])
            found.append(t == n or (first <= t and furthest <= t))
        return found

    def _needed(self) -> list[list[int]]:
        """Return the words that each word needs: its head, and children."""
        needed = [[head] if head else [] for head in self.heads]
        for child, (head, label) in enumerate(zip(self.heads, self.labels, strict=True), 1):
            if head and label.partition(":")[0] in NEEDED:
                needed[head - 1].append(child)
        return needed


def _head_among(places: dict[int, int], heads: Sequence[int | None], head: int | None) -> int | None:
    """Return the new number of a head, or of its nearest kept ancestor; None if there is none."""
    passed: set[int] = set()
    while head is not None and head not in places:
        if head in passed:
            return None
        passed.add(head)
        head = heads[head - 1]
    return None if head is None else places[head]


class LabelledPrefixes(NamedTuple):
    """Prefixes of one sentence: its words, the length of each prefix, and whether it may end, and ends."""

    words: tuple[str, ...]
    counts: tuple[int, ...]
    truth: tuple[tuple[bool, bool], ...]

    @classmethod
    def of_said(cls, sentence: Sentence) -> LabelledPrefixes:
        """Return lower-cased prefixes without punctuation."""
        said = SaidSentence.of(sentence)
        return cls._of([form.lower() for form in said.forms], range(1, len(said.forms) + 1), said.may_end())

    @classmethod
    def of_written(cls, sentence: Sentence) -> LabelledPrefixes:
        """Return the written prefixes with at least one spoken word."""
        places = accumulate(word.upos != PUNCTUATION for word in sentence.words)
        return cls._of([word.form for word in sentence.words], places, SaidSentence.of(sentence).may_end())

    @classmethod
    def _of(cls, words: Sequence[str], places: Iterable[int], may_end: Sequence[bool]) -> LabelledPrefixes:
        """Return the prefixes of a sentence, given the number of spoken words in each."""
        kept = [(count, place) for count, place in enumerate(places, 1) if place]
        truth = tuple((may_end[place - 1], place == len(may_end)) for _, place in kept)
        return cls(tuple(words), tuple(count for count, _ in kept), truth)


def said(sentences: Iterable[Sentence]) -> list[LabelledPrefixes]:
    """Return the spoken prefixes of every sentence that has any."""
    return [one for one in map(LabelledPrefixes.of_said, sentences) if one.counts]


def written(sentences: Iterable[Sentence]) -> list[LabelledPrefixes]:
    """Return the written prefixes of every sentence that has any."""
    return [one for one in map(LabelledPrefixes.of_written, sentences) if one.counts]


def truth_of(material: Sequence[LabelledPrefixes]) -> Array:
    """Return [prefix, (may end, ends)]: 0 or 1."""
    return np.array([labels for one in material for labels in one.truth], np.float32).reshape(-1, 2)


def inputs_by(model: Model, material: Sequence[LabelledPrefixes]) -> Array:
    """Return [prefix, input]: the input of a model's completeness layers."""
    return np.concatenate([_inputs(model, one) for one in material])


def _inputs(model: Model, one: LabelledPrefixes) -> Array:
    tops = model.network.causal.tops(model.gates(one.words, FROM_LEFT), [len(one.words)])
    return inputs_of(tops[[count - 1 for count in one.counts]], one.counts)


BINS: Final = 10


class Reliability(NamedTuple):
    """Cases of one bin: their number, mean probability, and share of true ones."""

    cases: int
    chance: float
    share: float


class ChanceScore(NamedTuple):
    """Area under the ROC curve, mean squared error (Brier), expected calibration error, and its bins.

    The area is NaN if all cases are true, or none is.
    """

    auc: float
    brier: float
    ece: float
    reliability: tuple[Reliability, ...]

    @classmethod
    def of(cls, chances: Array, truth: Array) -> ChanceScore:
        """Return the score of some probabilities, given for each whether it was true: 0 or 1."""
        bins = reliability(chances, truth)
        off = sum(one.cases * abs(one.chance - one.share) for one in bins) / len(truth)
        return cls(area(chances, truth), float(np.mean((chances - truth) ** 2)), off, bins)

    def as_json(self) -> dict[str, Any]:
        """Return the score for JSON, where an undefined area is null."""
        told = {**self._asdict(), "reliability": [one._asdict() for one in self.reliability]}
        return told if self.auc == self.auc else {**told, "auc": None}


def area(chances: Array, truth: Array) -> float:
    """Return the probability that a true case ranks above a false one; ties count half."""
    _, place, times = np.unique(chances, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(times) - (times - 1) / 2)[place]
    true = truth > 0
    n, others = int(true.sum()), int((~true).sum())
    return float((ranks[true].sum() - n * (n + 1) / 2) / (n * others)) if n and others else float("nan")


def reliability(chances: Array, truth: Array) -> tuple[Reliability, ...]:
    """Return the nonempty bins, from the smallest probabilities to the greatest."""
    bins = np.minimum((chances * BINS).astype(int), BINS - 1)
    within = [bins == number for number in range(BINS)]
    return tuple(
        Reliability(
            int(one.sum()), float(chances[one].mean(dtype=float)), float(truth[one].mean(dtype=float))
        )
        for one in within
        if one.any()
    )
