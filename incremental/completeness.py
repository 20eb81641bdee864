"""Completeness of the words of a sentence, as two probabilities, and its update by a silence.

Pauses of speakers between words are assumptions, not measurements. They are about log-normal, in classes that
overlap: below 0.2 s, from 0.2 to 1 s, and, in spontaneous speech alone, longer ones (Campione & Véronis 2002,
on 6,000 pauses in five languages); a typical one lasts a quarter to half a second (Lundholm Fors 2015).
Values not in these works are assumed here, and round: the share of gaps between words that are pauses, their
spread, and that every second sentence is the last of its turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, inf, log, sqrt
from typing import Final, NamedTuple

from treewhile.oracles.errors import InputError


class Pauses(NamedTuple):
    """Log-normal pauses: their share of all gaps, their median in seconds, and their spread."""

    share: float
    median: float
    spread: float = 0.8  # standard deviation of the logarithm: two of three are between 0.45 and 2.2 medians

    def outlasts(self, seconds: float) -> float:
        """Return the probability that a gap is such a pause and lasts longer."""
        if seconds <= 0 or self.median == inf:
            return self.share
        return self.share * erfc(log(seconds / self.median) / (self.spread * sqrt(2))) / 2


class Gaps(NamedTuple):
    """Gaps between words in one kind of place, by kinds of pauses whose shares add up to 1."""

    kinds: Sequence[Pauses]

    def outlasts(self, seconds: float) -> float:
        """Return the probability that nothing is said for longer."""
        return sum(pauses.outlasts(seconds) for pauses in self.kinds)


CLOSURES: Final = 0.05  # seconds: gaps of fluent speech, which are no pauses

WITHIN: Final = Gaps((Pauses(0.9, CLOSURES), Pauses(0.1, 0.4)))
AT_ENDS: Final = Gaps((Pauses(0.5, 0.6), Pauses(0.5, inf)))


class Completeness(NamedTuple):
    """Completeness of a sentence so far, by its words alone, without lookahead or sound.

    may_end  the probability that they could be a whole sentence: nothing that they need is missing
    ends     the probability that they are one, and the speaker goes on with nothing but the next sentence;
             it is not above `may_end`
    """

    may_end: float
    ends: float

    def after(self, silence: float) -> Completeness:
        """Return both probabilities after so many seconds of silence since the last word.

        By Bayes' rule, with the words as prior, and `Pauses` as the likelihood that a pause lasts that long
        within sentences and at their ends. If the sentence goes on, the length of the pause does not depend
        on whether it could have ended.
        """
        if not 0 <= silence < inf:
            raise InputError(f"a silence of {silence} seconds is not possible: give a number from 0 on")
        at_ends, within = AT_ENDS.outlasts(silence), WITHIN.outlasts(silence)
        going_on = 1 - self.ends
        total = self.ends * at_ends + going_on * within
        ends = self.ends * at_ends / total if total else self.ends
        might = (self.may_end - self.ends) / going_on if going_on else 0.0
        return Completeness(ends + (1 - ends) * might, ends)


ENDED: Final = Completeness(1.0, 1.0)  # of a sentence that has ended
NOT_BEGUN: Final = Completeness(0.0, 0.0)  # of a sentence without words
