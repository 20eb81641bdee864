"""Refinement of a sentence, as one table: its phase and a happening give the next phase.

When you edit the table: a sentence begins as *committed* with every change of its words. A phase has the
stage that clients are told and the next level; without a next level the sentence is at rest, and its stage is
final, whatever its phase, once it has certainly ended. Pairs that are not in the table do not occur.

If words are added behind those of a running best parse, the parse becomes an *earlier* one. It is not
stopped, and its result for the first words is shown, unless there is a better one by then. It need not begin
any more once the next best parse is requested.

    earlier   the best parse is there of all words but the one that is being typed
    parsed    the best parse is there, and a search is to follow
    settled   nothing improves it any more
    cut       time has run out
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final, Literal, TypeAlias

from treewhile.incremental.parsers.rescoring import NO_PREFERENCE, Rescored
from treewhile.incremental.sessions.jobs import Job, Rescore
from treewhile.incremental.sessions.messages import Level, Stage

# Seconds to wait for a search that was told to stop; it takes a hundredth of that.
GRACE: Final = 0.1

Happening: TypeAlias = Literal["earlier", "parsed", "settled", "cut"]


class Phase(Enum):
    """Phase of a sentence: the stage that clients are told, and the next level."""

    COMMITTED = "initial", "L1"
    PARSED = "improved", "L2"
    REOPENED = "improved", "L1"  # a word has come, and the last probabilities are gone
    CUT_COMMITTED = "initial", None
    CUT_PARSED = "improved", None
    SETTLED = "settled", None

    def __init__(self, stage: Stage, next_level: Level | None) -> None:
        self.stage: Stage = stage
        self.next_level: Level | None = next_level


AFTER_PHASE: Final[dict[tuple[Phase, Happening], Phase]] = {
    (Phase.COMMITTED, "earlier"): Phase.REOPENED,
    (Phase.COMMITTED, "parsed"): Phase.PARSED,
    (Phase.COMMITTED, "settled"): Phase.SETTLED,
    (Phase.COMMITTED, "cut"): Phase.CUT_COMMITTED,
    (Phase.REOPENED, "parsed"): Phase.PARSED,
    (Phase.REOPENED, "settled"): Phase.SETTLED,
    (Phase.REOPENED, "cut"): Phase.CUT_PARSED,
    (Phase.PARSED, "settled"): Phase.SETTLED,
    (Phase.PARSED, "cut"): Phase.CUT_PARSED,
}


class Refinement:
    """Phase of a sentence, its running jobs, and the inputs of the next one."""

    __slots__ = (
        "cut_short",
        "deadline",
        "earlier",
        "is_awaited",
        "is_held",
        "phase",
        "preferred",
        "rescored",
        "running",
        "searching",
        "unfinished",
    )

    def __init__(self) -> None:
        self.phase = Phase.COMMITTED
        self.cut_short = False
        self.deadline: float | None = None
        self.is_held = False  # until a word ends that is being typed
        self.is_awaited = False  # see `Job`
        self.running: Job | None = None
        self.earlier: Rescore | None = None  # a running best parse of first words
        self.searching: Job | None = None  # the last search, until it returns
        self.preferred = NO_PREFERENCE  # preference of the last parse
        self.rescored: Rescored | None = None  # result of that parse, while a search may need it
        self.unfinished: object | None = None  # state from which a stopped search can continue

    @property
    def next_level(self) -> Level | None:
        return self.phase.next_level

    @property
    def may_run(self) -> bool:
        """True if a job for the next level can be handed out: one search at a time, even a late one."""
        level = self.phase.next_level
        if level is None or self.running or self.is_held:
            return False
        return level != "L2" or not self.searching

    def is_late(self, now: float) -> bool:
        """Return whether time has run out for the remaining work."""
        return self.deadline is not None and self.deadline <= now and self.phase.next_level is not None

    def begin(self, is_held: bool, words: Sequence[str] = ()) -> None:
        """Restart all levels. A running best parse of some of the first words goes on."""
        self._part_with_parse(words)
        self.interrupt()
        self.phase, self.cut_short, self.is_held = Phase.COMMITTED, False, is_held
        self.is_awaited, self.rescored, self.unfinished = False, None, None

    def _part_with_parse(self, words: Sequence[str]) -> None:
        """Turn a running best parse into an earlier one, if its words are unchanged."""
        if isinstance(self.running, Rescore):
            self._forget_earlier()
            self.earlier, self.running = self.running, None
        if self.earlier and self.earlier.snapshot.words != words[: self.earlier.words]:
            self.earlier.interrupt.set()
            self.earlier = None

    def _forget_earlier(self) -> None:
        """Drop the earlier best parse, since a better result exists or will exist."""
        if self.earlier:
            self.earlier.is_superseded = True
            self.earlier = None

    def start(self, job: Job) -> Job:
        """Note that a job is handed out, and return it."""
        job.is_awaited = self.is_awaited
        if self.earlier:
            self.earlier.is_superseded = True
        self.running = job
        if self.phase.next_level == "L2":
            self.searching = job
        return job

    def release(self, since: float, limit: float | None) -> None:
        """Note that the word that was being typed has ended, or that typing has paused."""
        self.is_held = False
        self.deadline = None if limit is None else since + limit

    def hand_back(self, job: Job) -> None:
        """Note that a job has returned, with any result."""
        if job is self.running:
            self.running = None
        if job is self.searching:
            self.searching = None
        if job is self.earlier:
            self.earlier = None

    def interrupt(self) -> None:
        """Interrupt the running job for the current words; it may be started again."""
        if self.running:
            self.running.interrupt.set()
            self.running = None

    def give_way(self) -> None:
        """Interrupt a search since the words may change; let a best parse run until that is certain."""
        if not isinstance(self.running, Rescore):
            self.interrupt()

    def stop(self) -> None:
        """Interrupt everything, since the words are gone."""
        self._part_with_parse(())
        self.interrupt()

    def go_on_with(self, rescored: Rescored) -> None:
        """Note that the best parse is there, and keep it for the search that follows."""
        self._forget_earlier()
        self.phase = AFTER_PHASE[self.phase, "parsed"]
        self.rescored, self.unfinished = rescored, None

    def catch_up(self) -> None:
        """Note that an earlier best parse has all words but the one that is being typed."""
        self.phase = AFTER_PHASE[self.phase, "earlier"]

    def rest(self, happening: Literal["settled", "cut"]) -> None:
        """End the refinement."""
        self._forget_earlier()
        self.phase = AFTER_PHASE[self.phase, happening]
        self.cut_short = happening == "cut"
        self.rescored = self.unfinished = None

    def cut(self) -> bool:
        """Cut the work since time is up, but wait for a running search; return whether none is."""
        self.cut_short = True
        search = self.running if self.phase is Phase.PARSED else None
        if search and not search.interrupt.is_set and self.deadline is not None:
            search.interrupt.set()
            self.deadline += GRACE
            return False
        self.interrupt()
        self.rest("cut")
        return True
