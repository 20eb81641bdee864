"""Configuration that a session follows for a sentence, the parser's own or one by hand, and its message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from treewhile.incremental.sessions.messages import ExpectedView, KnownView, StepsMessage
from treewhile.incremental.sessions.next_steps import (
    Chances,
    NextSteps,
    StepFollower,
    configuration_after,
    steps_within,
)
from treewhile.incremental.sessions.plans import STEP_NAMES, edges_of
from treewhile.incremental.sessions.words_to_come import ForestHeads
from treewhile.oracles.errors import InputError
from treewhile.oracles.references import as_reference
from treewhile.oracles.systems import OptimalSteps

if TYPE_CHECKING:
    from treewhile.incremental.sessions.jobs import Job

DIGITS: Final = 4  # decimal places of expected numbers of edges
SHARE_DIGITS: Final = 6


class FollowedSteps:
    """Gold heads and steps by hand of a sentence, if any, and the last answer."""

    __slots__ = (
        "answer",
        "by_hand",
        "chances",
        "follower",
        "gold",
        "is_rebuilt",
        "is_rewound",
        "made",
        "may_rebuild",
        "running",
        "wanted",
        "wants_plan",
    )

    def __init__(self) -> None:
        self.gold: ForestHeads | None = None
        self.by_hand: bytes | None = None
        self.made = 0  # number of the last steps that were made by hand
        self.is_rewound = False  # whether steps of the parser have been undone by hand
        self.follower: StepFollower | None = None
        self.wanted = self.wants_plan = False
        self.chances: Chances | None = None  # of an open sentence, computed by L1 for its current words
        self.running: Job | None = None
        self.answer: NextSteps | None = None
        self.may_rebuild = True
        self.is_rebuilt = False

    def change_words(self, kept: int, before: int, after: int) -> None:
        """Replace the words behind the first `kept` ones; keep the gold heads and steps by hand of these."""
        self.may_rebuild, self.is_rebuilt, self.chances = True, False, None
        if self.gold is not None:
            heads = (head if head is not None and head <= kept else None for head in self.gold[:kept])
            self.gold = (*heads, *[None] * (after - kept))
        if self.by_hand is not None and kept < before:
            self._keep_steps(self.by_hand, kept)

    def _keep_steps(self, steps: bytes, words: int) -> None:
        """Keep the steps by hand before the first one that shifts a word behind the first ones."""
        kept = steps_within(steps, words)
        if kept == steps:
            return
        self.by_hand, self.made = kept, self.made - (len(steps) - len(kept))
        if self.made <= 0:
            self.give_back()

    def hand_back(self, job: Job) -> None:
        """Note that a job has returned, with any result."""
        if job is self.running:
            self.running = None

    def tell(self) -> NextSteps:
        """Return the last answer, to be sent now; a requested plan is then answered."""
        assert self.answer is not None
        self.wants_plan = self.wants_plan and not self.answer.question.wants_plan
        return self.answer

    def set_gold(self, heads: list[int | None] | None, n: int) -> None:
        """Set gold heads, or none, for n words."""
        if heads is not None:
            if len(heads) != n:
                raise InputError(
                    f"the sentence has {n} words, but {len(heads)} gold heads came: give one each"
                )
            as_reference(heads)
        self.gold = None if heads is None else tuple(heads)

    @property
    def follows_best(self) -> bool:
        """True if the parser's own steps are followed, towards the best analysis."""
        return self.gold is None and self.by_hand is None

    def taken(self, own: bytes) -> bytes:
        """Return the steps that led to the followed configuration: by hand, or the parser's own ones."""
        return own if self.by_hand is None else self.by_hand

    def step(self, step: str, own: bytes, n: int, is_open: bool) -> None:
        """Take a step by hand, after those by hand or the parser's own ones."""
        steps = self.taken(own)
        configuration = configuration_after(steps, n)
        if is_open and step == "shift" and configuration.front > n:
            raise InputError(
                f"shift would take word {n + 1}, which is not there yet: wait until it comes, or reduce"
            )
        configuration.apply(step)
        self.by_hand, self.made = steps + bytes([STEP_NAMES.index(step)]), self.made + 1

    def give_back(self) -> None:
        """Drop all steps by hand: the parser's own ones count again."""
        self.by_hand, self.made, self.is_rewound = None, 0, False

    def undo(self, own: bytes) -> None:
        """Undo the last step, also one of the parser's own."""
        steps = self.taken(own)
        if not steps:
            raise InputError("there is no step to undo: this is the first configuration")
        self.by_hand = steps[:-1]
        if not self.made:
            self.is_rewound = True
            return
        self.made -= 1
        if not self.made and not self.is_rewound and own.startswith(self.by_hand):
            self.give_back()


def steps_message(steps: FollowedSteps, document: str, version: int, sentence: int) -> StepsMessage:
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
