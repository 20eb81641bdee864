"""Whole computations for many references at once, for training with a dynamic oracle.

One compiled loop scores the steps as an `OptimalStepTracker` does, and takes them: at random among the
optimal ones, sometimes any legal step, or as given by a parser that has run. A sentence of n words takes 2n
steps, so all results are in flat arrays with a row for each configuration.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.oracles.errors import InputError
from treewhile.oracles.kernels import lockstep, memos, situations, standings
from treewhile.oracles.kernels.values import Ints, Longs
from treewhile.oracles.kernels.walks import walk_all
from treewhile.oracles.projective_steps import is_for, standing
from treewhile.oracles.references import Heads, Reference, as_reference
from treewhile.oracles.tabular_parsing import check_length
from treewhile.oracles.transitions import TRANSITIONS, Strategy, as_strategy

Mask = npt.NDArray[np.bool_]
Steps = Sequence[int] | npt.NDArray[np.integer]


class Computations(NamedTuple):
    """Configurations of some computations before each step, sentence after sentence.

    Steps are numbered as in `OptimalSteps`: 0 shift, 1 reduce_left, 2 reduce_right.
    """

    steps: Longs  # [row]: number of the step that was taken
    scores: Longs  # [row, step]: attainable score; -1 if the step is not legal, or an early single root
    begin: Longs  # [sentence]: its first row; one more entry at the end

    @property
    def legal(self) -> Mask:
        """Mask [row, step] of the steps that have a score."""
        return self.scores >= 0

    @property
    def optimal(self) -> Mask:
        """Mask [row, step] of the steps that attain the maximum."""
        best: Mask = self.scores == self.scores.max(axis=1, keepdims=True)
        return best

    def of(self, sentence: int) -> Computations:
        """Return the computation of one sentence, as views into the arrays."""
        first, last = self.begin[sentence], self.begin[sentence + 1]
        return Computations(self.steps[first:last], self.scores[first:last], np.array([0, last - first]))


def optimal_computations(
    references: Iterable[Heads],
    strategy: str = "left-before-right",
    single_root: bool = False,
    exploration: float = 0.0,
    seed: int = 0,
) -> Computations:
    """Return one computation for each reference, whose steps are drawn at random among the optimal ones.

    With probability `exploration` a step is drawn from all legal ones instead; with a single root the root
    still gets its child last. The same seed gives the same steps. Scores are those of a tracker.
    """
    if not 0 <= exploration <= 1:
        raise InputError(f"the exploration is {exploration}, but it is a share of steps: give 0 to 1")
    checked = _checked(references)
    draws = np.random.default_rng(seed).random((2 * sum(one.n for one in checked), 2))
    return _walk(checked, as_strategy(strategy), single_root, None, exploration, draws)


def scores_along(
    references: Iterable[Heads],
    steps: Sequence[Steps],
    strategy: str = "left-before-right",
    single_root: bool = False,
) -> Computations:
    """Return the scores along given computations, one for each reference, as numbers of legal steps."""
    checked = _checked(references)
    if len(steps) != len(checked):
        raise InputError(f"there are {len(checked)} references, but {len(steps)} computations were given")
    for sentence, (reference, own) in enumerate(zip(checked, steps, strict=True)):
        if len(own) != 2 * reference.n:
            raise InputError(
                f"the computation of sentence {sentence} has {len(own)} steps, but its {reference.n} words "
                f"take {2 * reference.n}"
            )
    given = np.concatenate([np.zeros(0, np.int64), *(_as_numbers(own) for own in steps)])
    no_draws = np.empty((len(given), 2))
    return _walk(checked, as_strategy(strategy), single_root, given, 0.0, no_draws)


class OptimalStepBatch:
    """Computations of many sentences side by side, for a parser in training that steps in all at once.

    It says and does what one `OptimalStepTracker` for each sentence would, in one compiled loop, and does not
    go back. The references are heads. One thread at a time may use it. The steps are those of arc-standard;
    for arc-eager take a tracker with that system for each sentence.
    """

    def __init__(
        self, references: Iterable[Heads], strategy: str = "left-before-right", single_root: bool = False
    ) -> None:
        checked, row = _checked(references), as_strategy(strategy)
        self._places = np.zeros((len(checked), lockstep.PLACE_COLUMNS), dtype=np.int64)
        self._places[:, lockstep.WORDS] = self._n = np.array([one.n for one in checked], dtype=np.int64)
        self._places[:, lockstep.BY_FACTS] = [is_for(one, row, single_root) for one in checked]
        self._standings = np.tile(standing(row, single_root), (len(checked), 1))
        ints, longs = lockstep.give_places(self._places)
        self._ints, self._longs = np.zeros(ints, np.int32), np.full(longs, -1, np.int64)
        self._options = np.empty((situations.MOST_OPTIONS, situations.OPTION_COLUMNS), dtype=np.int32)
        self._done = np.empty(max(self._n, default=0) + 2, dtype=np.int32)
        self._make_room_to_work()
        lockstep.begin_all(self._places, self._standings, self._ints, self._longs, _all_heads(checked))

    def _make_room_to_work(self) -> None:
        rows = self._places[:, lockstep.MEMO_ROWS].max(initial=1)
        self._todo = np.empty((rows, situations.OPTION_COLUMNS), dtype=np.int32)

    @property
    def fronts(self) -> Longs:
        """First remaining word of each sentence; n + 1 if no word remains."""
        return self._standings[:, standings.FRONT].copy()

    @property
    def is_final(self) -> Mask:
        """Mask of the sentences whose computation has ended."""
        final: Mask = (self.fronts > self._n) & (self._standings[:, standings.TOP] == 0)
        return final

    def tops(self, depth: int) -> Ints:
        """Return [sentence, depth]: the topmost words of each stack, the top first; -1 for no word."""
        found = np.empty((len(self._n), depth), dtype=np.int32)
        lockstep.list_tops(self._places, self._standings, self._ints, self._longs, found)
        return found

    def scores(self) -> Longs:
        """Return [sentence, step]: the attainable score; -1 if not legal, or an early single root."""
        found = np.empty((len(self._n), len(TRANSITIONS)), dtype=np.int64)
        while (full := self._score(found)) >= 0:
            self._make_room(full)
        return found

    def _score(self, found: Longs) -> int:
        kept = self._places, self._standings, self._ints, self._longs
        return int(lockstep.score_all(*kept, self._todo, self._options, self._done, found))

    def _make_room(self, sentence: int) -> None:
        """Give a sentence a memo four times as large, behind all others."""
        place = self._places[sentence]
        place[lockstep.MEMO_AT] = len(self._longs)
        place[lockstep.MEMO_ROWS] *= 4
        added = np.full(memos.MEMO_COLUMNS * place[lockstep.MEMO_ROWS], -1, dtype=np.int64)
        self._longs = np.concatenate([self._longs, added])
        self._make_room_to_work()
        lockstep.forget_one(place, self._standings[sentence], self._ints, self._longs)

    def apply(self, steps: Steps) -> None:
        """Take a legal step in each sentence, given by its number; -1 takes none, as it must at the end."""
        numbers = _as_numbers(steps)
        if numbers.shape != self._n.shape:
            raise InputError(f"there are {len(self._n)} sentences: give a step for each, not {numbers.shape}")
        wrong = int(lockstep.find_illegal(self._places, self._standings, numbers))
        if wrong >= 0:
            raise InputError(
                f"step {numbers[wrong]} is not legal in sentence {wrong}: steps are 0 shift, 1 reduce_left, "
                "2 reduce_right, and -1 for none"
            )
        lockstep.take_all(self._places, self._standings, self._ints, self._longs, numbers)


def _checked(references: Iterable[Heads]) -> list[Reference]:
    found = []
    for sentence, heads in enumerate(references):
        try:
            found.append(as_reference(heads))
            check_length(found[-1].n)
        except InputError as error:
            raise InputError(f"sentence {sentence}: {error}") from None
    return found


def _as_numbers(steps: Steps) -> Longs:
    numbers = np.asarray(steps)
    if numbers.size and numbers.dtype.kind not in "iu":
        names = ", ".join(f"{number} {name}" for number, name in enumerate(TRANSITIONS))
        raise InputError(f"a computation is made of numbers of steps: {names}")
    return numbers.astype(np.int64)


def _all_heads(references: Sequence[Reference]) -> Ints:
    """Return the heads of all sentences, one after another, node 0 included."""
    return np.concatenate([np.zeros(0, np.int32), *(one.heads for one in references)])


def _walk(
    references: Sequence[Reference],
    strategy: Strategy,
    single_root: bool,
    given: Longs | None,
    exploration: float,
    draws: npt.NDArray[np.float64],
) -> Computations:
    begin = np.concatenate([[0], np.cumsum([one.n for one in references], dtype=np.int64)])
    by_facts = np.array([is_for(one, strategy, single_root) for one in references], dtype=np.bool_)
    steps, scores = np.empty(len(draws), dtype=np.int64), np.empty((len(draws), 3), dtype=np.int64)
    rules = standing(strategy, single_root)
    wrong = walk_all(_all_heads(references), begin, by_facts, rules, given, exploration, draws, steps, scores)
    if wrong >= 0:
        _refuse(begin, given, wrong)
    return Computations(steps, scores, 2 * begin)


def _refuse(begin: Longs, given: Longs | None, row: int) -> None:
    sentence = int(np.searchsorted(2 * begin, row, side="right")) - 1
    number = None if given is None else int(given[row])
    raise InputError(
        f"step {row - 2 * int(begin[sentence])} of sentence {sentence} is {number}, not legal there: "
        "steps are 0 shift, 1 reduce_left, 2 reduce_right"
    )
