"""Words of a turn by the hypotheses so far, in any order of arrival.

A transcript is a row of stretches. A stretch is *interim* while the recognizer changes it, *assumed* once a
silence has ended it, *final* once the recognizer has said so. A hypothesis *revises* open stretches at the
end of the row, those that are not final, if it has their name; or, without names, if its time overlaps
theirs; or, without times, if half of the words of each are in the same places in it. The rules:

1. A hypothesis replaces the open stretches that it revises, as many as possible, and in any case the interim
   one. If there is nothing to replace, it is appended.
2. A final stretch stays. A hypothesis with its name is late or repeated, and ignored; so is a final one with
   its words and its times, and an interim one that revises it and lies within its time.
3. A final hypothesis that ends before the interim stretch begins leaves that alone, and is inserted where its
   time fits between two stretches. A time that fits nowhere, as when a clock was set back, is ignored: words
   then stand in order of arrival.
4. An interim hypothesis without words is ignored. A final one without words removes the stretches it
   replaces.
5. A silence makes interim words count as final, until the recognizer says otherwise.
6. A difference changes the last words of the interim stretch; if it revokes words and nothing is interim, of
   the assumed stretch at the end. It revokes no more than there is.
7. With the turn, all open stretches end for good. Until a final one is heard in the next turn, a hypothesis
   that revises the end of the last turn continues it: its first words, as many as there were, are left out.
8. By words alone, only the first hypothesis of a turn can continue the last one: one that begins otherwise is
   new speech, and so are all that follow. An interim hypothesis is new speech, too, unless it has the same
   words and more, if a voice has begun since the last turn ended; if voices are never reported, it is new if
   it is shorter, or a silence came before that end.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import chain, takewhile
from operator import attrgetter
from typing import Final, NamedTuple

from treewhile.incremental.transcripts.hypotheses import (
    Difference,
    HeardWord,
    Hypothesis,
    heard_words,
    key_of,
    seconds,
)
from treewhile.oracles.errors import InputError


class Standing(Enum):
    """Standing of a stretch: still changing, ended by a silence, or ended by the recognizer."""

    INTERIM = "interim"
    ASSUMED = "assumed"
    FINAL = "final"


class Stretch(NamedTuple):
    """Words heard together, with the name of the stretch and its times, if known."""

    words: Sequence[HeardWord]
    standing: Standing
    id: str | None = None
    start: float | None = None
    end: float | None = None

    @property
    def is_final(self) -> bool:
        return self.standing is Standing.FINAL

    def ends_before(self, other: Stretch) -> bool:
        """Return whether the stretch is known to end before the other begins."""
        return self.end is not None and other.start is not None and self.end <= other.start

    def lies_within(self, other: Stretch) -> bool:
        """Return whether the stretch is known to lie within the other."""
        starts_later = None not in (self.start, other.start) and not other.starts_behind(self)
        return starts_later and self.end is not None and other.end is not None and self.end <= other.end

    def starts_behind(self, other: Stretch) -> bool:
        """Return whether the stretch is known to begin after the other."""
        return self.start is not None and other.start is not None and self.start > other.start

    def repeats(self, other: Stretch) -> bool:
        """Return whether both have the same words, and the same known times."""
        times = self.start, self.end
        same_words = [word.form for word in self.words] == [word.form for word in other.words]
        return None not in times and times == (other.start, other.end) and same_words

    def revises(self, others: Sequence[Stretch]) -> bool:
        """Return whether the stretch is about the same speech as all others: by names, times, or words."""
        is_known = self.is_known_to_revise(others)
        return self._repeats_half_of_each(others) if is_known is None else is_known

    def is_known_to_revise(self, others: Sequence[Stretch]) -> bool | None:
        """Return whether the stretch is about the same speech, by names or times; None without either."""
        first, last = others[0], others[-1]
        if self.id is not None and last.id is not None:
            return all(one.id == self.id for one in others)
        if None not in (self.start, self.end, first.start, last.end):
            return not (last.ends_before(self) or self.ends_before(first))
        return None

    def _repeats_half_of_each(self, others: Sequence[Stretch]) -> bool:
        """Return whether at least half of the words of each are in the same places."""
        begin = 0
        for other in others:
            pairs = zip(self.words[begin:], other.words, strict=False)
            same = sum(key_of(one.form) == key_of(another.form) for one, another in pairs)
            if 2 * same < max(1, len(other.words)):
                return False
            begin += len(other.words)
        return True


def stretch_of(hypothesis: Hypothesis) -> Stretch:
    """Return the stretch of a whole hypothesis, by default with the times of its words."""
    words = heard_words(hypothesis)
    start, end = seconds(hypothesis.start), seconds(hypothesis.end)
    standing = Standing.FINAL if hypothesis.is_final else Standing.INTERIM
    return timed(Stretch(words, standing, hypothesis.id, start, end))


def timed(stretch: Stretch) -> Stretch:
    """Return the stretch with missing times taken from its words, and without backward ones."""
    words, _, _, start, end = stretch
    start = next((word.start for word in words if word.start is not None), None) if start is None else start
    ends = (word.end for word in reversed(words) if word.end is not None)
    end = next(ends, None) if end is None else end
    runs_backwards = start is not None and end is not None and end < start
    return (
        stretch._replace(start=None, end=None) if runs_backwards else stretch._replace(start=start, end=end)
    )


def words_of(stretches: Sequence[Stretch]) -> list[HeardWord]:
    """Return the words of all stretches, one after the other."""
    return [*chain.from_iterable(stretch.words for stretch in stretches)]


LOOKED_BACK: Final = 8  # stretches that a hypothesis may revise together, or be late for


class Transcript:
    """Stretches of one turn. `before` is the last turn's transcript, about which more may come."""

    def __init__(self, before: Transcript | None = None) -> None:
        self._stretches: list[Stretch] = []
        self._before = before._stretches[-LOOKED_BACK:] if before else []
        self._hears_voices: bool = before is not None and before._hears_voices
        self._has_voice = self._is_new_speech = False
        self._firm = 0  # number of stretches before or between which nothing is inserted

    @property
    def words(self) -> list[HeardWord]:
        """Words of this turn so far."""
        return words_of(self._stretches)

    @property
    def final_words(self) -> list[HeardWord]:
        """First words, up to those that the recognizer may still change."""
        return words_of([*takewhile(attrgetter("is_final"), self._stretches)])

    def keep_final_words(self) -> None:
        """Forbid insertions between the words that are final now."""
        self._firm = sum(1 for _ in takewhile(attrgetter("is_final"), self._stretches))

    # --- what is said --------------------------------------------------------------------------------------

    def hear(self, hypothesis: Hypothesis | Difference) -> bool:
        """Process a hypothesis, and return whether it is about this turn; an InputError if it is none."""
        if isinstance(hypothesis, Difference):
            self._change(hypothesis)
            return True
        if not isinstance(hypothesis, Hypothesis):
            raise InputError(f"{hypothesis!r:.40} is no hypothesis: give a Hypothesis or a Difference")
        new = self._without_before(stretch_of(hypothesis))
        if new is None or self._is_late(new):
            return False
        if new.words or new.is_final:
            self._take(new)
        return True

    def silence(self, at: float | None = None) -> None:
        """Make the interim stretch count as final until the recognizer says otherwise; it ended by `at`."""
        if self._stretches and self._stretches[-1].standing is Standing.INTERIM:
            last = self._stretches[-1]._replace(standing=Standing.ASSUMED)
            self._stretches[-1] = last if last.end is not None else timed(last._replace(end=seconds(at)))

    def voice(self) -> None:
        """Note that the speaker has begun to speak: earlier speech is over."""
        self._hears_voices = self._has_voice = True

    def _take(self, heard: Stretch) -> None:
        first, behind = self._replaced(heard)
        if first == behind and not heard.is_final:
            self.silence()  # there is one interim stretch at a time
        self._stretches[first:behind] = [heard] if heard.words else []

    def _is_late(self, heard: Stretch) -> bool:
        """Return whether the stretch is about another one that does not change any more."""
        final = [one for one in [*self._before, *self._stretches] if one.is_final]
        if heard.id is not None and any(one.id == heard.id for one in [*self._before[:-1], *final]):
            return True
        if heard.is_final:
            return any(heard.repeats(one) for one in final[-LOOKED_BACK:])
        return bool(final) and heard.lies_within(final[-1]) and heard.revises(final[-1:])

    # --- where it belongs ----------------------------------------------------------------------------------

    def _replaced(self, heard: Stretch) -> tuple[int, int]:
        """Return the range of stretches that a new one replaces."""
        n = len(self._stretches)
        for first in range(max(self._first_open, n - LOOKED_BACK), n):
            if heard.id is not None and heard.id == self._stretches[first].id:
                return first, first + 1
            if heard.revises(self._stretches[first:]):
                return first, n
        if self._replaces_interim(heard):
            return n - 1, n
        place = self._place(heard) if heard.is_final else n
        return place, place

    @property
    def _first_open(self) -> int:
        """Index behind the last final stretch."""
        places = (place for place, one in enumerate(self._stretches, 1) if one.is_final)
        return max(places, default=0)

    def _replaces_interim(self, heard: Stretch) -> bool:
        if not self._stretches or self._stretches[-1].standing is not Standing.INTERIM:
            return False
        interim = self._stretches[-1]
        has_another_name = None not in (heard.id, interim.id) and heard.id != interim.id
        return not has_another_name and not (heard.is_final and heard.ends_before(interim))

    def _place(self, heard: Stretch) -> int:
        """Return the index at which the stretch's time fits, or else the end."""
        row = self._stretches
        for place in range(self._firm, len(row)):
            left = row[place - 1 : place] if place else self._before[-1:]
            if heard.ends_before(row[place]) and all(one.ends_before(heard) for one in left):
                return place
        return len(row)

    # --- differences ---------------------------------------------------------------------------------------

    def _change(self, difference: Difference) -> None:
        added, last = heard_words(difference), self._changed(difference)
        kept = last.words[: max(0, len(last.words) - max(0, difference.revoked))]
        standing = Standing.FINAL if difference.is_final else Standing.INTERIM
        if words := [*kept, *added]:
            self._stretches.append(timed(Stretch(words, standing, last.id)))

    def _changed(self, difference: Difference) -> Stretch:
        """Remove and return the last stretch if the difference changes it; else return an empty one."""
        last = self._stretches[-1].standing if self._stretches else Standing.FINAL
        if last is Standing.INTERIM or (last is Standing.ASSUMED and difference.revoked > 0):
            return self._stretches.pop()
        return Stretch((), Standing.INTERIM)

    # --- the last turn -------------------------------------------------------------------------------------

    def _without_before(self, heard: Stretch) -> Stretch | None:
        """Return the part of the stretch that is new since the last turn; None if nothing is."""
        tail = [*takewhile(lambda one: not one.is_final, reversed(self._before))][::-1]
        if not tail or any(one.is_final for one in self._stretches):
            return heard
        revised = (n for n in range(len(tail)) if heard.words and self._goes_on(heard, tail[n:]))
        first = next(revised, None)
        if first is None:
            self._is_new_speech = self._is_new_speech or bool(heard.words)
            return heard
        new = heard.words[len(words_of(tail[first:])) :]
        if heard.is_final and not new:  # later hypotheses belong to this turn
            self._before = [one._replace(standing=Standing.FINAL) for one in self._before]
        return timed(heard._replace(words=new, start=None, end=None)) if new else None

    def _goes_on(self, heard: Stretch, tail: Sequence[Stretch]) -> bool:
        """Return whether the stretch is about the same speech as the end of the last turn."""
        is_known = heard.is_known_to_revise(tail)
        if is_known is not None or self._is_new_speech:
            return bool(is_known)
        return heard.revises(tail) and not self._seems_new(heard, tail)

    def _seems_new(self, heard: Stretch, tail: Sequence[Stretch]) -> bool:
        """Return whether words that repeat the end of the last turn are probably new speech."""
        said = [key_of(word.form) for word in words_of(tail)]
        now = [key_of(word.form) for word in heard.words]
        if heard.is_final or (len(now) > len(said) and now[: len(said)] == said):
            return False
        is_parted = len(now) < len(said) or tail[-1].standing is Standing.ASSUMED
        return self._has_voice if self._hears_voices else is_parted
