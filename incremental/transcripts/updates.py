"""Updates of a turn: its sentences with the times of their words, changes of units, and their readers."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple
from weakref import WeakSet

from treewhile.incremental.completeness import Completeness
from treewhile.incremental.sessions.messages import AnalysisMessage, Head
from treewhile.incremental.texts.segmenter_files import WIDEST_WINDOW
from treewhile.incremental.transcripts.hypotheses import HeardWord
from treewhile.incremental.transcripts.units import ArcUnit, UnitEdit, WordUnit, joined_edits

CERTAIN_BEHIND = WIDEST_WINDOW + 2  # number of characters behind which nothing affects word and sentence ends


class Reading(NamedTuple):
    """Sentence of a turn: its analysis, and the begin and end of each word, if known.

    A word that is only part of a heard one, such as "n't", has the times of the whole.
    """

    analysis: AnalysisMessage
    times: Sequence[tuple[float | None, float | None]]

    @property
    def is_initial(self) -> bool:
        """True if a better analysis follows within milliseconds."""
        return self.analysis.stage == "initial" and not self.analysis.cut_short


class Update(NamedTuple):
    """Update of a turn.

    turn      which one, counted from 0
    text      what was heard in it so far
    readings  its sentences, all of them
    units     what happens to words and arcs
    completeness  whether the speaker seems to have finished the last sentence, by its words; None where
              nothing is known of it
    is_over   whether the turn has ended and nothing more comes of it
    late      for how many seconds the turn had been over when this came; 0 while it goes on
    """

    turn: int
    text: str
    readings: Sequence[Reading]
    units: Sequence[UnitEdit]
    completeness: Completeness | None
    is_over: bool
    late: float = 0.0

    @property
    def is_initial(self) -> bool:
        """True if an analysis of the last words is only initial: units wait for the next one."""
        return any(reading.is_initial for reading in self.readings)


def joined_updates(before: Update, after: Update) -> Update:
    """Return the later one of two updates of a turn, with the units of both."""
    return after._replace(units=joined_edits(before.units, after.units))


def text_of(words: Sequence[HeardWord]) -> str:
    return " ".join(word.form for word in words)


def length_of(words: Sequence[HeardWord]) -> int:
    """Return the number of characters of the words, with a space behind each."""
    return sum(len(word.form) + 1 for word in words)


def readings_of(analyses: Sequence[AnalysisMessage], heard: Sequence[HeardWord]) -> list[Reading]:
    """Return the analyses with the times of the heard words at the same positions."""
    behind = [*accumulate(len(word.form) + 1 for word in heard)]  # end of each word and its space

    def time_of(start: int, end: int) -> tuple[float | None, float | None]:
        first, last = bisect_right(behind, start), bisect_right(behind, end - 1)
        return (heard[first].start, heard[last].end) if last < len(heard) else (None, None)

    return [
        Reading(one, [time_of(one.start + word.start, one.start + word.end) for word in one.words])
        for one in analyses
    ]


def word_units(turn: int, readings: Sequence[Reading]) -> list[WordUnit]:
    timed = [pair for one in readings for pair in zip(one.analysis.words, one.times, strict=True)]
    return [WordUnit(turn, number, word.form, *time) for number, (word, time) in enumerate(timed, 1)]


def arc_units(turn: int, readings: Sequence[Reading]) -> Iterator[ArcUnit]:
    """Yield the arc units of all words that have a head."""
    for analysis, _ in readings:
        for number, word in enumerate(analysis.words, analysis.first_word + 1):
            if word.head is not None:
                yield ArcUnit(turn, number, _in_turn(word.head, analysis.first_word), word.label)


def _in_turn(head: Head, first_word: int) -> Head:
    return head + first_word if isinstance(head, int) and head > 0 else head


def certain_words(readings: Sequence[Reading], final_length: int, is_over: bool) -> int:
    """Return the number of leading words that cannot change, given the number of final characters."""
    count = 0
    for analysis, _ in readings:
        end = analysis.start + (analysis.words[-1].end if analysis.words else 0)
        if not is_over and (analysis.stage != "final" or end + CERTAIN_BEHIND > final_length):
            break
        count = analysis.first_word + len(analysis.words)
    return count


MOST_WAITING: Final = 100  # updates that wait for a reader, one for each turn; the oldest are dropped


class UpdateReader:
    """Asynchronous iterator over updates for one reader."""

    def __init__(self) -> None:
        self._waiting = deque[Update](maxlen=MOST_WAITING)
        self._news = asyncio.Event()
        self._has_ended = False
        self._error: Exception | None = None

    def __aiter__(self) -> UpdateReader:
        return self

    async def __anext__(self) -> Update:
        while not self._waiting and not self._has_ended:
            self._news.clear()
            await self._news.wait()
        if self._waiting:
            return self._waiting.popleft()
        raise self._error or StopAsyncIteration

    def take(self, update: Update) -> None:
        """Queue an update, merged with the last queued one if both are of the same turn."""
        if self._waiting and self._waiting[-1].turn == update.turn:
            update = joined_updates(self._waiting.pop(), update)
        self._waiting.append(update)
        self._news.set()

    def end(self, error: Exception | None) -> None:
        """End the iterator once all queued updates are read; an error is raised then."""
        self._has_ended, self._error = True, error
        self._news.set()


class UpdateReaders:
    """Readers of one listener; one that is no longer referenced is dropped."""

    def __init__(self) -> None:
        self._readers = WeakSet[UpdateReader]()
        self._end: tuple[Exception | None] | None = None

    def new(self) -> UpdateReader:
        """Return a reader of later updates."""
        reader = UpdateReader()
        self._readers.add(reader)
        if self._end:
            reader.end(*self._end)
        return reader

    def tell(self, update: Update) -> None:
        for reader in self._readers:
            reader.take(update)

    def end(self, error: Exception | None = None) -> None:
        """End all readers, also later ones, with an optional error."""
        self._end = (error,)
        for reader in self._readers:
            reader.end(error)
