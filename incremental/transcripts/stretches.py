"""Stretches of speech: words heard together, and tests whether two are about the same speech."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import chain
from typing import NamedTuple

from treewhile.incremental.transcripts.hypotheses import (
    HeardWord,
    Hypothesis,
    heard_words,
    key_of,
    seconds,
)


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
