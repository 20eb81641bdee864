"""Scores of a parser while a sentence comes in: measures of its decisions after every word.

`prefixes[t - 1][i - 1]` is the decision for word i when t words have come. Its head may be still to come, so
decisions are compared by *minimal prediction* (Beuck, Köhn & Menzel 2011): two agree in prefix t if their
labels are equal, and their heads are, too, or both come after word t. Virtual nodes and LATER always come
after. Further information in virtual nodes is measured separately. Counts add up over sentences; shares are
of sums.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from treewhile.incremental.parsers.analyses import Decision
from treewhile.incremental.parsers.nodes import LATER, Head, Virtual
from treewhile.oracles import InputError


class GoldWord(NamedTuple):
    """Gold decision for a word; a virtual node with this coarse tag, or any if None, can stand for it."""

    head: int
    label: str
    tag: str | None = None


# Number of further words after which a decision is evaluated; at the latest at the end of the sentence.
DELAYS = {"initial": 0, **{f"delay_{words}": words for words in range(1, 6)}, "final": sys.maxsize}


@dataclass(frozen=True, slots=True)
class StreamCounts:
    """Counts of sentences, added up by `+`; properties are shares and means (None if undefined)."""

    words: int = 0  # also the number of prefixes

    # Words whose decision agrees with the gold tree, by DELAYS.
    initial: int = 0
    delay_1: int = 0
    delay_2: int = 0
    delay_3: int = 0
    delay_4: int = 0
    delay_5: int = 0
    final: int = 0

    changes: int = 0
    steps_to_last_change: int = 0
    prefixes_kept: int = 0

    # Words of prefixes.
    correct: int = 0
    correct_predictions: int = 0
    wrong_predictions: int = 0
    wrong: int = 0
    correct_on_later: int = 0  # included in the correct predictions

    # Nodes of prefixes.
    virtual_nodes: int = 0  # with children among the words
    upcoming_heads: int = 0  # upcoming words with children among the words
    fulfilled: int = 0  # virtual nodes that stand for a gold head of their children

    def __add__(self, other: StreamCounts) -> StreamCounts:
        return StreamCounts(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))

    @property
    def attachment(self) -> dict[str, float | None]:
        """Shares of words decided as in the gold tree: when they come, some words later, at the end."""
        return {moment: _share(getattr(self, moment), self.words) for moment in DELAYS}

    @property
    def edit_overhead(self) -> float | None:
        """Share of changes among all decisions, which are the first one of every word and its changes.

        A change disagrees with the previous decision, in the previous prefix: an expected head that comes, or
        is expected in another way, is no change.
        """
        return _share(self.changes, self.words + self.changes)

    @property
    def correction_time(self) -> float | None:
        """Mean number of words after a word's own until its decision changes for the last time."""
        return _share(self.steps_to_last_change, self.words)

    @property
    def relative_correctness(self) -> float | None:
        """Share of prefixes in which every decision agrees with the final one."""
        return _share(self.prefixes_kept, self.words)

    @property
    def classes(self) -> dict[str, float | None]:
        """Shares of the four classes among the words of all prefixes.

        A decision for a word or the root as head is correct or wrong. LATER is a correct prediction if the
        gold head is still to come, a virtual node if it stands for the gold head, else a wrong one. The
        assignment of virtual nodes to gold words maximizes the number of correct words: one to one, and by
        their tags.
        """
        names = ("correct", "correct_predictions", "wrong_predictions", "wrong")
        decided = sum(getattr(self, name) for name in names)
        return {name: _share(getattr(self, name), decided) for name in names}

    @property
    def virtual_precision(self) -> float | None:
        """Share of virtual nodes with children that stand for the gold head of one of these."""
        return _share(self.fulfilled, self.virtual_nodes)

    @property
    def virtual_recall(self) -> float | None:
        """Share of upcoming heads of words for which a virtual node of one of these stands."""
        return _share(self.fulfilled, self.upcoming_heads)

    @property
    def shares(self) -> dict[str, float | None]:
        names = (
            "edit_overhead",
            "correction_time",
            "relative_correctness",
            "virtual_precision",
            "virtual_recall",
        )
        return self.attachment | self.classes | {name: getattr(self, name) for name in names}


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def count_stream(
    gold: Sequence[GoldWord], prefixes: Sequence[Sequence[Decision]], labelled: bool = True
) -> StreamCounts:
    """Return the counts for one sentence; if not labelled, only heads matter. O(n^2) without the matching."""
    _check(gold, prefixes)
    if not labelled:
        gold = [word._replace(label="") for word in gold]
        prefixes = [[Decision(head, "") for head, _ in prefix] for prefix in prefixes]
    in_prefixes = (count_prefix(gold, prefix) for prefix in prefixes)
    return sum(in_prefixes, _attachments(gold, prefixes) + _stability(prefixes))


def _check(gold: Sequence[GoldWord], prefixes: Sequence[Sequence[Decision]]) -> None:
    n = len(gold)
    if [len(prefix) for prefix in prefixes] != [*range(1, n + 1)]:
        raise InputError(f"the prefixes of {n} words have to be {n}, with decisions for 1 to {n} words")
    for t, decisions in [(n, gold), *enumerate(prefixes, 1)]:
        for word, (head, *_) in enumerate(decisions, 1):
            if isinstance(head, int) and (head == word or not 0 <= head <= t):
                right = f"a number from 0 to {t} but not {word}"
                raise InputError(f"the head {head} has to be {right}, at word {word} of {t}")


def _attachments(gold: Sequence[GoldWord], prefixes: Sequence[Sequence[Decision]]) -> StreamCounts:
    n = len(gold)
    right = dict.fromkeys(DELAYS, 0)
    for moment, delay in DELAYS.items():
        for word, truth in enumerate(gold, 1):
            t = min(word + delay, n)
            right[moment] += _agree(prefixes[t - 1][word - 1], truth, t)
    return StreamCounts(words=n, **right)


def _agree(one: Decision, other: Decision | GoldWord, t: int) -> bool:
    """Return whether both decisions for a word of prefix t agree, by minimal prediction."""
    if one.label != other.label:
        return False
    return one.head == other.head or (_comes_after(one.head, t) and _comes_after(other.head, t))


def _comes_after(head: Head, t: int) -> bool:
    return not isinstance(head, int) or head > t


def _stability(prefixes: Sequence[Sequence[Decision]]) -> StreamCounts:
    changes = steps = 0
    for word in range(1, len(prefixes) + 1):
        decided = pairwise(prefix[word - 1] for prefix in prefixes[word - 1 :])
        times = [t for t, (before, after) in enumerate(decided, word) if not _agree(before, after, t)]
        changes += len(times)
        steps += times[-1] + 1 - word if times else 0
    kept = sum(all(map(_agree, prefix, prefixes[-1], [t] * t)) for t, prefix in enumerate(prefixes, 1))
    return StreamCounts(changes=changes, steps_to_last_change=steps, prefixes_kept=kept)


def count_prefix(gold: Sequence[GoldWord], prefix: Sequence[Decision]) -> StreamCounts:
    """Return the counts of the words and nodes of one prefix."""
    t = len(prefix)
    on_words: list[bool] = []
    on_later: list[bool] = []
    # gold heads of the children of a node
    gold_heads: defaultdict[Virtual, Counter[int]] = defaultdict(Counter)
    for decision, truth in zip(prefix, gold, strict=False):
        agrees = _agree(decision, truth, t)
        if isinstance(decision.head, Virtual):
            gold_heads[decision.head][truth.head] += agrees and _fits(decision.head, gold[truth.head - 1])
        else:
            (on_later if decision.head == LATER else on_words).append(agrees)
    right, fulfilled = best_match(gold_heads.values())
    return StreamCounts(
        correct=on_words.count(True),
        wrong=on_words.count(False),
        correct_predictions=right + on_later.count(True),
        wrong_predictions=t - len(on_words) - right - on_later.count(True),
        correct_on_later=on_later.count(True),
        virtual_nodes=len(gold_heads),
        upcoming_heads=len({word.head for word in gold[:t] if word.head > t}),
        fulfilled=fulfilled,
    )


def _fits(node: Virtual, word: GoldWord) -> bool:
    return word.tag in (None, node.tag)


def best_match(gold_heads: Collection[Counter[int]]) -> tuple[int, int]:
    """Return the number of correct words, then of virtual nodes, in the best matching.

    For every virtual node, `gold_heads` counts its children by their gold head. No two nodes stand for one
    head. With k nodes each needs only its k most frequent heads: the others take at most k - 1 of them.
    """
    best: dict[frozenset[int], int] = {frozenset(): 0}  # correct words, by the set of assigned heads
    for counts in gold_heads:
        for taken, right in [*best.items()]:
            for head, words in (+counts).most_common(len(gold_heads)):
                if head not in taken:
                    best[taken | {head}] = max(best.get(taken | {head}, 0), right + words)
    return max((right, len(taken)) for taken, right in best.items())
