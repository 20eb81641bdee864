"""How complete the words of a sentence are, by two probabilities, and what a silence after them says."""

from __future__ import annotations

from math import inf
from typing import Final, NamedTuple

from treewhile.incremental.completeness.pauses import AT_ENDS, WITHIN
from treewhile.oracles.errors import InputError


class Completeness(NamedTuple):
    """Of the words of a sentence so far; neither looks at words to come, or at sound.

    may_end  the probability that they could be a whole sentence: nothing that they need is missing
    ends     the probability that they are one, and the speaker goes on with nothing but the next sentence;
             it is not above `may_end`
    """

    may_end: float
    ends: float

    def after(self, silence: float) -> Completeness:
        """Both, once so many seconds have passed since the last word in which nothing came.

        By the rule of Bayes, where the words give what is probable before, and `pauses` how often a pause
        lasts that long within sentences and at their ends. Where the sentence goes on, how long the pause is
        says nothing of whether it could have ended.
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
NOT_BEGUN: Final = Completeness(0.0, 0.0)  # of one that has no words
