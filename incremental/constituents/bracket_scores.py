"""Agreement of brackets between trees, as EVALB counts it.

In EVALB (Sekine & Collins 1997) a bracket is a label and a span of words. Two conventions are supported:

- EVALB, with its parameters COLLINS.prm, the standard of the literature: functions of labels are cut off
  (NP-SBJ is NP), brackets of the root (TOP, ROOT, S1, or none) do not count, words with the tags , : `` '' .
  are removed, with all phrases that have no other words, and ADVP and PRT are one label. ROOT, S1 and the
  empty label are this module's addition to TOP, for treebanks that call their roots so.
- PYEVALB, as in the package of that name: every bracket counts, with its unchanged label, but one that is
  repeated over the same words matches at most once, so even equal trees may not agree fully.

Empty elements are removed before, in either convention.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, zip_longest
from typing import Any, Final, NamedTuple

from treewhile.incremental.constituents.bracketed_trees import BracketedTree
from treewhile.incremental.constituents.plain_phrases import EMPTY, plain_label, words_alone
from treewhile.oracles.constituents.phrase_trees import Leaf, Phrase, constituents_of
from treewhile.oracles.errors import InputError

LENGTHS: Final = (10, 20, 30, 40, 50, 60)  # maximum length of each group but the last
GROUPS: Final = ("1-10", "11-20", "21-30", "31-40", "41-50", "51-60", "61-")


class Bracket(NamedTuple):
    """Label over the words between two gaps: gap 0 is before the first word."""

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Conventions:
    """Conventions: the brackets that count, and labels that count as equal."""

    roots: frozenset[str]  # labels of brackets that do not count
    deleted: frozenset[str]  # tags of words that are removed; those of the gold tree decide
    equal: Mapping[str, str]  # labels that count as others
    with_functions: bool
    repeated: bool  # whether repeated brackets over the same words count repeatedly

    def brackets(self, phrase: Phrase, gaps: Sequence[int]) -> Counter[Bracket]:
        """Return the counts of brackets; `gaps` comes from the method `gaps`."""
        found: Counter[Bracket] = Counter()
        for label, first, last in constituents_of(phrase):
            start, end = gaps[first - 1], gaps[last or first]
            if start < end and label not in self.roots:
                found[Bracket(self.name(label), start, end)] += 1
        return found

    def gaps(self, leaves: Iterable[Leaf]) -> list[int]:
        """Return, for the start and each word, the number of remaining words up to there."""
        return [0, *accumulate(leaf.tag not in self.deleted for leaf in leaves)]

    def name(self, label: str) -> str:
        """Return the name under which a label counts."""
        name = label if self.with_functions else plain_label(label)
        return self.equal.get(name, name)


EVALB: Final = Conventions(
    frozenset({"TOP", "ROOT", "S1", ""}), frozenset({",", ":", "``", "''", "."}), {"PRT": "ADVP"}, False, True
)
PYEVALB: Final = Conventions(frozenset(), frozenset(), {}, True, False)


class BracketScore(NamedTuple):
    """Number of matched brackets, of gold ones and of the system's."""

    matched: int = 0
    gold: int = 0
    system: int = 0

    @property
    def precision(self) -> float:
        """Share of the system's brackets that are in the gold tree."""
        return self.matched / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        """Share of the gold brackets that the system has."""
        return self.matched / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.matched / (self.gold + self.system) if self.gold + self.system else 0.0

    def __add__(self, other: tuple[Any, ...]) -> BracketScore:
        """Return the sum of both scores."""
        return BracketScore(*(one + more for one, more in zip(self, other, strict=True)))

    def shares(self) -> dict[str, float]:
        return {name: getattr(self, name) for name in ("precision", "recall", "f1")}

    def as_json(self) -> dict[str, float]:
        """Return the shares, from 0 to 1, and the counts."""
        return {**self.shares(), **self._asdict()}


@dataclass
class TreebankScore:
    """Accumulated agreement of all trees compared so far."""

    conventions: Conventions = EVALB
    sentences: int = 0
    exact: int = 0  # number of trees whose brackets all agree
    crossing: int = 0  # number of the system's brackets that cross a gold one
    uncrossed: int = 0  # number of trees without such brackets
    tags: int = 0  # number of correct tags
    words: int = 0  # number of words whose tags count
    brackets: BracketScore = field(default_factory=BracketScore)
    _labels: defaultdict[str, BracketScore] = field(default_factory=partial(defaultdict, BracketScore))
    _lengths: defaultdict[int, BracketScore] = field(default_factory=partial(defaultdict, BracketScore))

    def add(self, gold: Phrase, system: Phrase) -> BracketScore:
        """Compare two trees over the same words, without empty elements; return the score of this pair."""
        gold_leaves = gold.leaves
        gaps = self.conventions.gaps(gold_leaves)
        truth, answer = (self.conventions.brackets(phrase, gaps) for phrase in (gold, system))
        score = self._count_brackets(truth, answer)
        self.sentences += 1
        self.exact += score.matched == score.gold == score.system
        self._count_crossing(truth, answer)
        self._count_tags(gold_leaves, system.leaves)
        self._lengths[bisect_left(LENGTHS, len(gold_leaves))] += score
        return score

    @property
    def exact_share(self) -> float:
        """Share of trees whose brackets all agree: EVALB's complete match."""
        return _share(self.exact, self.sentences)

    @property
    def uncrossed_share(self) -> float:
        """Share of trees without brackets that cross those of the gold tree."""
        return _share(self.uncrossed, self.sentences)

    @property
    def tag_accuracy(self) -> float:
        """Share of words with their gold tags."""
        return _share(self.tags, self.words)

    @property
    def by_label(self) -> dict[str, BracketScore]:
        """Score of the brackets by label, most frequent in gold trees first."""
        return dict(sorted(self._labels.items(), key=lambda item: (-item[1].gold, item[0])))

    @property
    def by_length(self) -> dict[str, BracketScore]:
        """Score of trees by length, in groups of ten as in Figure 4 of Roark et al. 2012."""
        return {GROUPS[group]: score for group, score in sorted(self._lengths.items())}

    def as_json(self) -> dict[str, float | dict[str, int]]:
        """Return shares from 0 to 1, an average, and the counts of `brackets`."""
        return {
            **self.brackets.shares(),
            "brackets": self.brackets._asdict(),
            "exact": self.exact_share,
            "uncrossed": self.uncrossed_share,
            "average_crossing": _share(self.crossing, self.sentences),
            "tags": self.tag_accuracy,
        }

    def _count_brackets(self, truth: Counter[Bracket], answer: Counter[Bracket]) -> BracketScore:
        matched = truth & answer if self.conventions.repeated else Counter({*truth} & {*answer})
        score = BracketScore(matched.total(), truth.total(), answer.total())
        self.brackets += score
        for place, brackets in enumerate((matched, truth, answer)):
            for bracket, number in brackets.items():
                self._labels[bracket.label] += BracketScore(*(number * (at == place) for at in range(3)))
        return score

    def _count_crossing(self, truth: Iterable[Bracket], answer: Counter[Bracket]) -> None:
        crossing = sum(answer[bracket] for bracket in crossing_brackets(truth, answer))
        self.crossing += crossing
        self.uncrossed += not crossing

    def _count_tags(self, gold: Sequence[Leaf], system: Sequence[Leaf]) -> None:
        for truth, answer in zip(gold, system, strict=True):
            if truth.tag not in self.conventions.deleted:
                self.words += 1
                self.tags += truth.tag == answer.tag


def crossing_brackets(truth: Iterable[Bracket], answer: Iterable[Bracket]) -> Iterator[Bracket]:
    """Yield the brackets of `answer` that cross one of `truth`."""
    farthest: dict[int, int] = {}  # end of the longest bracket from a gap
    nearest: dict[int, int] = {}  # begin of the longest bracket to a gap
    for _, start, end in truth:
        farthest[start] = max(end, farthest.get(start, end))
        nearest[end] = min(start, nearest.get(end, start))
    for bracket in answer:
        inside = range(bracket.start + 1, bracket.end)
        if any(
            farthest.get(gap, gap) > bracket.end or nearest.get(gap, gap) < bracket.start for gap in inside
        ):
            yield bracket


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def paired_phrases(
    gold: Iterable[BracketedTree], system: Iterable[BracketedTree]
) -> Iterator[tuple[Phrase, Phrase]]:
    """Yield the pairs of trees of two treebanks over the same words, without empty elements.

    An InputError says where a tree is missing or a word differs.
    """
    for truth, answer in zip_longest(gold, system):
        if truth is None:
            raise InputError(
                f"the gold trees end before the tree at {answer.where()}: both need the same ones"
            )
        if answer is None:
            raise InputError(
                f"the system's trees end before the one of {truth.where()}: both need the same ones"
            )
        check_same_words(truth, answer)
        yield words_alone(truth), words_alone(answer)


def check_same_words(gold: BracketedTree, system: BracketedTree) -> None:
    """Refuse trees over different words, ignoring empty elements."""
    truth, answer = numbered_words(gold), numbered_words(system)
    for (number, word), (other_number, other) in zip(truth, answer, strict=False):
        if word != other:
            what = f"the word {other!r:.40} has to be {word!r:.40} as at {gold.where(number)}"
            raise InputError(f"{what}, at {system.where(other_number)}")
    if len(truth) > len(answer):
        number, word = truth[len(answer)]
        what = f"the system's tree ends before the word {word!r:.40} of {gold.where(number)}"
        raise InputError(f"{what}, at {system.where()}")
    if len(truth) < len(answer):
        number, word = answer[len(truth)]
        what = f"the gold tree ends before the word {word!r:.40} of {system.where(number)}"
        raise InputError(f"{what}, at {gold.where()}")


def numbered_words(tree: BracketedTree) -> list[tuple[int, str]]:
    """Return the words that are not empty elements, with their numbers among all leaves, from 1."""
    return [(number, leaf.word) for number, leaf in enumerate(tree.leaves, 1) if leaf.tag != EMPTY]
