"""Completeness of the words of a sentence, as two probabilities, and its update by a silence."""

from __future__ import annotations

from math import inf
from typing import Final, NamedTuple

from treewhile.incremental.completeness.pauses import AT_ENDS, WITHIN
from treewhile.oracles.errors import InputError


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

        By Bayes' rule, with the words as prior, and `pauses` as the likelihood that a pause lasts that long
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
