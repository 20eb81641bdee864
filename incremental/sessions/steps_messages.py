"""Next steps of sentences as messages."""

from __future__ import annotations

from typing import Final

from treewhile.incremental.sessions.followed_steps import FollowedSteps
from treewhile.incremental.sessions.messages import ExpectedView, KnownView, StepsMessage
from treewhile.incremental.sessions.next_steps import edges_of
from treewhile.oracles.systems import OptimalSteps

DIGITS: Final = 4  # decimal places of expected numbers of edges
SHARE_DIGITS: Final = 6


def message_of(steps: FollowedSteps, document: str, version: int, sentence: int) -> StepsMessage:
    """Return the last answer about a sentence."""
    answer = steps.tell()
    shift, reduce_left, reduce_right = _counts(answer.scores)
    return StepsMessage(
        document=document,
        version=version,
        sentence=sentence,
        stack=[*answer.configuration.stack],
        front=answer.configuration.front,
        n=answer.configuration.n,
        shift=shift,
        reduce_left=reduce_left,
        reduce_right=reduce_right,
        optimal=answer.advised,
        share=round(answer.share, SHARE_DIGITS),
        entries_filled=answer.entries_filled,
        entries_in_all=answer.entries_in_all,
        reference="best" if answer.question.gold is None else "gold",
        wait=answer.waits,
        best=answer.best,
        known=KnownView(*_counts(answer.known)),
        expected=None if answer.expected is None else ExpectedView(*_rounded(answer.expected)),
        choices=answer.choices,
        plan=answer.plan,
        by_hand=steps.by_hand is not None,
        rebuilt=steps.is_rebuilt,
        edges=edges_of(answer.question.steps),
    )


def _counts(scores: OptimalSteps) -> list[int | None]:
    return [None if score is None else int(score) for score in scores]


def _rounded(scores: OptimalSteps) -> list[float | None]:
    return [None if score is None else round(score, DIGITS) for score in scores]
