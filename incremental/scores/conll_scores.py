"""Scores of the CoNLL 2018 shared task: a system's treebank against the gold one.

The measures are defined at https://universaldependencies.org/conll18/evaluation.html. The two treebanks must
have the same characters, apart from spaces; sentences, tokens and words may be segmented differently, so
first words are aligned, then their columns are compared. Reimplemented, since the official scorer is under
the GPL, has no scores of single labels, and does not report where two texts differ; the tests compare both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from operator import attrgetter
from typing import Any, Final, NamedTuple
from unicodedata import category

import numpy as np
import numpy.typing as npt

from treewhile.incremental.scores.placed_treebanks import (
    ROOT,
    PlacedWord,
    TreebankSource,
    aligned_words,
    check_same_text,
    placed_treebank,
)
from treewhile.incremental.treebanks.projectivized_treebank import whole_tree
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles.trees.crossing_edges import which_cross

CONTENT_RELATIONS: Final = {
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl",
    "advmod", "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound",
    "list", "parataxis", "orphan", "goeswith", "reparandum", "root", "dep"
}  # fmt: skip
FUNCTION_RELATIONS: Final = {"aux", "cop", "mark", "det", "clf", "case", "cc"}
UNIVERSAL_FEATURES: Final = {
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case",
    "Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person",
    "Polite"
}  # fmt: skip

UNALIGNED: Final = -2  # in place of the number of a gold word; ROOT, -1, is the last index of `gold_of`

Mask = npt.NDArray[np.bool_]


class Score(NamedTuple):
    """Number of correct units, of gold ones, of the system's, and of aligned words."""

    correct: int
    gold: int
    system: int
    aligned: int | None = None  # None for sentences, tokens and words, which are themselves aligned

    @property
    def precision(self) -> float:
        """Share of the system's units that are correct."""
        return self.correct / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        """Share of the gold units that the system has."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.correct / (self.gold + self.system) if self.gold + self.system else 0.0

    @property
    def aligned_accuracy(self) -> float | None:
        """Share of the aligned words that are correct, None if not applicable."""
        return self.correct / self.aligned if self.aligned else self.aligned

    def as_json(self) -> dict[str, float | None]:
        """Return the shares, from 0 to 1, and the counts."""
        names = ("precision", "recall", "f1", "aligned_accuracy")
        return {**{name: getattr(self, name) for name in names}, **self._asdict()}


# Columns that must be equal in aligned words; the second group counts only words with a content relation.
WORD_MEASURES: Final = {
    "UPOS": ["upos"],
    "XPOS": ["xpos"],
    "UFeats": ["feats"],
    "AllTags": ["upos", "xpos", "feats"],
    "Lemmas": ["lemma"],
    "UAS": ["head"],
    "LAS": ["head", "relation"],
    "LAS with subtypes": ["head", "deprel"],
}
CONTENT_MEASURES: Final = {
    "CLAS": ["head", "relation"],
    "MLAS": ["head", "relation", "upos", "feats", "function_words"],
    "BLEX": ["head", "relation", "lemma"],
}


def conll_scores(
    gold: TreebankSource, system: TreebankSource, *, punctuation: bool = True
) -> dict[str, Score]:
    """Return the scores by their names in the shared task, and `LAS with subtypes`, such as `nsubj:pass`.

    Either treebank is given as sentences or as the path of a file. Trees need all their heads, and may have
    several roots. Without punctuation, words of only punctuation characters count neither for tags and lemmas
    nor for attachment.
    """
    return ComparedTreebanks(gold, system).scores(punctuation=punctuation)


def label_scores(gold: TreebankSource, system: TreebankSource) -> dict[str, Score]:
    """Return the labelled attachment of words by relation, most frequent in the gold treebank first.

    Treebanks are given as to `conll_scores`. The relation `nsubj` includes all its subtypes; a subtype such
    as `nsubj:pass` is listed too, and requires the same subtype.
    """
    return ComparedTreebanks(gold, system).label_scores()


def crossing_score(gold: TreebankSource, system: TreebankSource, *, punctuation: bool = True) -> Score:
    """Return the unlabelled attachment of the words whose edges cross another edge of their tree.

    Treebanks are given as to `conll_scores`. An edge is correct if it crosses another one in both trees;
    edges from the root count, which stands before the first word. `aligned` counts gold edges whose
    dependents are aligned. Without punctuation, edges to words of only punctuation characters do not count,
    but edges that these cross do.
    """
    return ComparedTreebanks(gold, system).crossing_score(punctuation=punctuation)


class CrossingHeads(NamedTuple):
    """Number of words with crossing edges and correct heads, even if the correct edge crosses none.

    This is the usual definition (McDonald & Nivre 2007). `crossing_score` is stricter: an edge must cross in
    both trees, which requires a second correct edge.
    """

    kept: int  # edges that cross in the system's tree and are correct
    system: int
    found: int  # edges that cross in the gold tree and are in the system's
    gold: int

    @property
    def precision(self) -> float:
        """Share of the system's crossing edges that are correct."""
        return self.kept / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        """Share of the gold crossing edges that were found, crossing or not."""
        return self.found / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    def as_json(self) -> dict[str, float]:
        """Return the shares, from 0 to 1, and the counts."""
        return {**{name: getattr(self, name) for name in ("precision", "recall", "f1")}, **self._asdict()}


class _Counted(NamedTuple):
    """Masks of the words of both treebanks that a measure counts."""

    gold: Mask  # [word]
    system: Mask  # [word]


class ComparedTreebanks:
    """Two treebanks over one text whose words are aligned."""

    def __init__(self, gold: TreebankSource, system: TreebankSource) -> None:
        self._gold, self._system = placed_treebank(gold), placed_treebank(system)
        check_same_text(self._gold, self._system)
        pairs = aligned_words(self._gold.words, self._system.words)
        self._aligned_gold, self._aligned_system = np.array(pairs, np.int64).reshape(-1, 2).T
        gold_of = [UNALIGNED] * len(self._system.words) + [ROOT]
        for g, s in pairs:
            gold_of[s] = g
        self._truth = _columns(self._gold.words, [*range(len(self._gold.words)), ROOT])
        self._answer = _columns(self._system.words, gold_of)
        self._equal = {name: self._agreement(name, pairs) for name in self._truth}  # [pair] for each column

    def _agreement(self, name: str, pairs: Iterable[tuple[int, int]]) -> Mask:
        truth, answer = self._truth[name], self._answer[name]
        any_is_right = "_" if name == "lemma" else None
        return _mask(truth[g] in (answer[s], any_is_right) for g, s in pairs)

    def scores(self, *, punctuation: bool = True) -> dict[str, Score]:
        """Return the scores of the shared task, and LAS with subtypes."""
        return {
            "Tokens": _span_score(self._gold.tokens, self._system.tokens),
            "Sentences": _span_score(self._gold.sentences, self._system.sentences),
            "Words": Score(len(self._aligned_gold), len(self._gold.words), len(self._system.words)),
            **self._scores(WORD_MEASURES, self._all_words() if punctuation else self._words_proper()),
            **self._scores(CONTENT_MEASURES, self._with_labels("relation", CONTENT_RELATIONS)),
        }

    def label_scores(self) -> dict[str, Score]:
        """Return the labelled attachment of the words with each relation, and with each subtype."""
        found: dict[str, Score] = {}
        for column in ("relation", "deprel"):
            for label in {*self._truth[column], *self._answer[column]} - found.keys():
                found[label] = self._score(["head", column], self._with_labels(column, {label}))
        return dict(sorted(found.items(), key=lambda item: (-item[1].gold, item[0])))

    def crossing_score(self, *, punctuation: bool = True) -> Score:
        """Return the unlabelled attachment of the words whose edges cross."""
        counted = self._all_words() if punctuation else self._words_proper()
        return self._score(["head"], _Counted(*map(np.logical_and, counted, self._with_crossing_edges)))

    def crossing_heads(self) -> CrossingHeads:
        """Return the number of words with crossing edges that have the correct head."""
        gold, system = self._with_crossing_edges
        right = self._equal["head"]
        kept, found = right & system[self._aligned_system], right & gold[self._aligned_gold]
        return CrossingHeads(*(int(mask.sum()) for mask in (kept, system, found, gold)))

    def _scores(self, measures: Mapping[str, Sequence[str]], counted: _Counted) -> dict[str, Score]:
        return {name: self._score(columns, counted) for name, columns in measures.items()}

    def _score(self, columns: Sequence[str], counted: _Counted) -> Score:
        aligned = counted.gold[self._aligned_gold]
        in_both = aligned & counted.system[self._aligned_system]
        right = np.all([in_both, *(self._equal[column] for column in columns)], axis=0)
        return Score(*(int(mask.sum()) for mask in (right, *counted, aligned)))

    def _all_words(self) -> _Counted:
        return _Counted(*(np.ones(len(words), np.bool_) for words in (self._gold.words, self._system.words)))

    def _words_proper(self) -> _Counted:
        of_both = (self._gold.words, self._system.words)
        return _Counted(*(_mask(not _is_punctuation(one.form) for one in words) for words in of_both))

    def _with_labels(self, column: str, labels: set[str]) -> _Counted:
        of_both = (self._truth[column], self._answer[column])
        return _Counted(*(_mask(label in labels for label in column_labels) for column_labels in of_both))

    @cached_property
    def _with_crossing_edges(self) -> _Counted:
        of_both = (self._gold.sources, self._system.sources)
        return _Counted(*(_mask(chain.from_iterable(map(_which_cross, one))) for one in of_both))


def _which_cross(sentence: Sentence) -> list[bool]:
    return which_cross(whole_tree(sentence))


def _span_score(gold: Sequence[tuple[int, int]], system: Sequence[tuple[int, int]]) -> Score:
    return Score(len(set(gold) & set(system)), len(gold), len(system))


def _columns(words: Sequence[PlacedWord], gold_of: Sequence[int]) -> dict[str, list[Any]]:
    """Return the compared columns of every word, with other words by their numbers in the gold treebank."""
    plain = ("lemma", "upos", "xpos", "deprel")
    columns: dict[str, list[Any]] = {name: list(map(attrgetter("word." + name), words)) for name in plain}
    columns["relation"] = [deprel.partition(":")[0] for deprel in columns["deprel"]]
    columns["feats"] = [_universal(placed.word.feats) for placed in words]
    columns["head"] = [gold_of[placed.head] for placed in words]
    columns["function_words"] = [()] * len(words)
    said = zip(gold_of, columns["relation"], columns["upos"], columns["feats"], strict=False)
    for placed, dependent in zip(words, said, strict=False):
        if dependent[1] in FUNCTION_RELATIONS and placed.head != ROOT:
            columns["function_words"][placed.head] += (dependent,)
    return columns


@lru_cache(1 << 16)
def _universal(feats: str) -> str:
    features = feats.split("|")
    return "|".join(sorted(one for one in features if one.partition("=")[0] in UNIVERSAL_FEATURES))


@lru_cache(1 << 16)
def _is_punctuation(form: str) -> bool:
    return all(category(character).startswith("P") for character in form)


def _mask(truths: Iterable[bool]) -> Mask:
    return np.fromiter(truths, dtype=np.bool_)
