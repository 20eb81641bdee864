"""Best parse of a snapshot of the words of a sentence, with the probabilities of all other parses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import ne
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.analyses import Analysis, Decision
from treewhile.incremental.parsers.arc_layers import ArcLayers, LabelParts
from treewhile.incremental.parsers.corrections import NO_CORRECTIONS, Corrections
from treewhile.incremental.parsers.layers import Array, Rows
from treewhile.incremental.parsers.nodes import Head, Nodes, Numbers
from treewhile.incremental.parsers.tag_choices import FindTagChoices
from treewhile.incremental.parsers.tree_decoding import is_in_class
from treewhile.oracles.constituents.phrase_trees import Constituent
from treewhile.oracles.errors import InputError
from treewhile.oracles.projective_trees import lift


class Snapshot(NamedTuple):
    """Words with their causal states; immutable, so that any thread can use it."""

    words: tuple[str, ...]
    tops: Array  # [word, unit]
    is_open: bool
    values: tuple[tuple[str, ...], ...] | None = None  # for a model that was trained on gold tags
    with_constituents: bool = False  # whether they are asked for
    with_lemmas: bool = False

    def part(self, words: int, is_open: bool) -> Snapshot:
        """Return the snapshot of the first words alone."""
        values = None if self.values is None else self.values[:words]
        return self._replace(words=self.words[:words], tops=self.tops[:words], is_open=is_open, values=values)


@dataclass(frozen=True, slots=True)
class Preference:
    """Decisions of the last parse that a new one should keep: `fixed` ones always, `wanted` ones for a bonus.

    The heads of fixed words are words or the root. If the fixed words are not just the first words, with
    heads among each other, there has to be a tree of the class with their arcs. If the head of a wanted word
    was still to come, any head counts as kept that is still to come, or has come since. Corrections hold
    always, before what is fixed.
    """

    fixed: Mapping[int, Decision] = field(default_factory=dict)
    wanted: Mapping[int, Decision] = field(default_factory=dict)
    bonus: float = 0.0  # added to the logarithm of the probability of a wanted head, and of its label
    words_before: int = 0  # how many had come
    corrections: Corrections = field(default_factory=lambda: NO_CORRECTIONS)

    @property
    def corrected_heads(self) -> dict[int, int]:
        """Heads that somebody has decided, by word."""
        return {word: one.head for word, one in self.corrections.items() if one.head is not None}

    def decodable(self, trees: str) -> Preference:
        """Return the preference with fixed arcs that some tree of a class has.

        If the arcs of the first words are in no tree of the class, they are lifted. A lifted word stays below
        its own head, so a tree with the lifted arcs becomes one with the words' own arcs, too.
        """
        heads = [decision.head for _, decision in sorted(self.fixed.items())]
        closed = [head for head in heads if isinstance(head, int) and head <= len(heads)]
        if not heads or len(closed) < max(self.fixed) or is_in_class(trees, closed):
            return self
        lifted = {
            word: Decision(head, self.fixed[word].label)
            for word, head in enumerate(lift(closed), 1)
            if head is not None
        }
        return replace(self, fixed=lifted)

    def with_fixed_heads(self, tree: Numbers) -> Numbers:
        """Return the tree with the own heads of fixed words."""
        kept = tree.copy()
        for word, decision in self.fixed.items():
            assert isinstance(decision.head, int)
            kept[word - 1] = decision.head
        return kept

    def applied_to(self, scores: Array, root_labels: Collection[str]) -> Array:
        """Return scores[head, child] in which the best tree is the preferred one, given the root's labels."""
        if self == NO_PREFERENCE:
            return scores
        scores = scores.copy()
        for word, decision in self.wanted.items():
            scores[self._kept_heads(decision), word] += np.float32(self.bonus)
        for word, decision in self.fixed.items():
            _keep_alone(scores[:, word], decision.head)
        for word, correction in self.corrections.items():
            if correction.head is not None:
                _keep_alone(scores[:, word], correction.head)
            elif correction.label in root_labels:
                _keep_alone(scores[:, word], 0)
            elif root_labels and correction.label is not None:
                scores[0, word] = -np.inf
        return scores

    def are_held(self, tree: Numbers) -> bool:
        """Return whether a tree has the heads that somebody has decided."""
        return all(tree[word - 1] == head for word, head in self.corrected_heads.items())

    def corrected_tags(self, tags: Rows, numbers: Mapping[str, int]) -> Rows:
        """Return the numbers of the tags of words, with those that somebody has decided."""
        chosen = {word: one.tag for word, one in self.corrections.items() if one.tag is not None}
        if not chosen:
            return tags
        corrected = tags.copy()
        for word, tag in chosen.items():
            corrected[word - 1] = numbers[tag]
        return corrected

    def wanted_labels(self, tree: Numbers, numbers: Mapping[str, int]) -> Array:
        """Return [node - 1, label]: bonuses of labels of a tree's arcs; no rows if nothing is preferred."""
        if self == NO_PREFERENCE:
            return np.empty((0, len(numbers)), np.float32)
        added, heads = np.zeros((len(tree), len(numbers)), np.float32), tree.tolist()
        for word, decision in self.wanted.items():
            if self._is_kept(decision.head, heads[word - 1]):
                added[word - 1, numbers[decision.label]] += np.float32(self.bonus)
        for word, decision in self.fixed.items():
            _keep_alone(added[word - 1], numbers[decision.label])
        for word, correction in self.corrections.items():
            if correction.label is not None:
                _keep_alone(added[word - 1], numbers[correction.label])
        return added

    def lower_others(self, head_logs: Array, label_logs: Array, numbers: Mapping[str, int]) -> None:
        """Subtract the bonus from unwanted heads and labels, in [head, child] and in [child, head, label]."""
        for word, decision in self.wanted.items():
            kept, bonus = self._kept_heads(decision), np.float32(self.bonus)
            head_logs[:, word] -= bonus
            head_logs[kept, word] += bonus
            labels = label_logs[word, kept]
            labels -= bonus
            labels[..., numbers[decision.label]] += bonus

    def _kept_heads(self, decision: Decision) -> int | slice:
        return decision.head if isinstance(decision.head, int) else slice(self.words_before + 1, None)

    def _is_kept(self, before: Head, head: int) -> bool:
        if isinstance(before, int):
            return head == before
        return head > self.words_before


def _keep_alone(scores: Array, place: Head) -> None:
    assert isinstance(place, int)
    kept = scores[place]
    scores[:] = -np.inf
    scores[place] = kept


NO_PREFERENCE = Preference()


@dataclass(frozen=True, slots=True)
class Rescored:
    """Best tree of a snapshot, and the probabilities of every other one in the model.

    arc_logs[head, child] have the numbers of nodes as indices: the root and words, and for an open prefix
    virtual nodes, then LATER and UNUSED, which have no column. The entries are logarithms of probabilities,
    which add up to 1 over the heads of a child; an arc that is not allowed has -inf.
    """

    analysis: Analysis
    confidences: tuple[float, ...]  # of every word: the probability of its head and label
    score: float  # the logarithm of the product of the probabilities of all arcs and labels
    arc_logs: Array
    arcs: ArcLayers  # the layers that gave these logarithms
    label_parts: LabelParts
    trees: str  # the class of trees of which the best was looked for
    tag_choices: FindTagChoices
    constituents: tuple[Constituent, ...] | None = None  # None where nobody asked, or the model knows none

    def label_logs(self, heads: Rows, children: Rows) -> Array:
        """Return the logarithms of the probabilities of the labels of arcs, as an array [arc, label]."""
        barred = self.arcs.barred_labels[(heads == 0).astype(np.intp)]
        return self.arcs.label_logs(self.label_parts, heads, children, barred)

    def confidences_of(self, analysis: Analysis) -> tuple[float, ...]:
        """Return the probabilities of the heads and labels of another tree over the same words."""
        own = zip(self.analysis.heads, self.analysis.labels, strict=True)
        given = zip(analysis.heads, analysis.labels, strict=True)
        others = [word for word, differs in enumerate(map(ne, own, given), 1) if differs]
        confidences = [*self.confidences]
        for word, confidence in zip(others, self._chances(analysis, others), strict=True):
            confidences[word - 1] = confidence
        return tuple(confidences)

    def chances(self) -> npt.NDArray[np.float64]:
        """Return scores[head, dependent]: calibrated probabilities over the root, t words, and words to come.

        Index t + 1 is a word to come. Its row has the probability that the head of a word is still to come;
        its column is a distribution over known nodes: the head of the next word that has a known head.
        """
        if len(self.arc_logs) == self.arc_logs.shape[1]:
            raise InputError("the sentence has ended, so nothing is to come: ask of an open prefix")
        t, place = len(self.analysis.words), len(self.analysis.words) + 1
        heads = np.exp(self.arc_logs[:, 1:place] / np.float64(self.arcs.temperature))
        heads /= heads.sum(0)
        scores = np.zeros((t + 2, t + 2))
        scores[:place, 1:place] = heads[:place]
        scores[place, 1:place] = heads[place:].sum(0)
        awaiting = np.append(self.arcs.awaiting(self.label_parts, t), 0).astype(np.float64)
        chances = np.exp(awaiting - awaiting.max())
        scores[:place, place] = chances[:-1] / chances.sum()
        return scores

    def _chances(self, analysis: Analysis, words: Sequence[int]) -> list[float]:
        """Return the probabilities of the heads and labels of some words in a tree."""
        if not words:
            return []
        children = np.array(words, np.intp)
        nodes, numbers = self._nodes, self.arcs.label_numbers
        heads = np.array([nodes.number(analysis.heads[word - 1]) for word in words], np.intp)
        labels = np.array([numbers.get(analysis.labels[word - 1], 0) for word in words], np.intp)
        logs = self.label_logs(heads, children)[np.arange(len(words)), labels]
        chances: list[float] = np.exp(self.arc_logs[heads, children] + logs).tolist()
        return chances

    @property
    def _nodes(self) -> Nodes:
        virtual = max(0, len(self.arc_logs) - len(self.analysis.words) - 3)
        return Nodes(len(self.analysis.words), ("",) * virtual)
