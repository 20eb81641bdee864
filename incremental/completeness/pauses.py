"""Pauses of speakers between words, within sentences and at their ends: assumptions, not measurements.

Pauses are about log-normal, in classes that overlap: below 0.2 s, from 0.2 to 1 s, and, in spontaneous speech
alone, longer ones (Campione & Véronis 2002, on 6,000 pauses in five languages); a typical one lasts a quarter
to half a second (Lundholm Fors 2015). Values not in these works are assumed here, and round: the share of
gaps between words that are pauses, their spread, and that every second sentence is the last of its turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, inf, log, sqrt
from typing import Final, NamedTuple


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
