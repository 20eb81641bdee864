"""How a sentence is refined, as one table: its phase, and what happens, give the phase after it.

When you edit the table: a sentence begins as *committed* with every change of its words. A phase has the
stage that clients are told and the level that comes next; where none does, the sentence is at rest, and it is
told as final, whatever its phase, once it has ended for certain. What is not in the table does not happen.

Where more words come behind those that a best parse is about, it is an *earlier* one. It is not stopped, and
what it says of the first words is told, unless there is something better by then. It need not begin any more
once the next best parse is asked for.

    earlier   the best parse is there of all words but the one that is being typed
    parsed    the best parse is there, and a search is to follow
    settled   nothing improves it any more
    cut       time has run out
    searcher  a search is there now that was missing
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final, Literal, TypeAlias

from treewhile.incremental.parsers.rescoring import NO_PREFERENCE, Rescored
from treewhile.incremental.sessions.jobs import Job, Rescore
from treewhile.incremental.sessions.messages import Level, Stage

# How long a search that was told to stop is waited for, in seconds; it takes a hundredth of that.
GRACE: Final = 0.1

Happening: TypeAlias = Literal["earlier", "parsed", "settled", "cut", "searcher"]


class Phase(Enum):
    """How far a sentence has come: the stage that is told, and the level that comes next."""

    COMMITTED = "initial", "L1"
    PARSED = "improved", "L2"
    REOPENED = "improved", "L1"  # since a word or a search has come, whose probabilities are not there
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
    (Phase.PARSED, "searcher"): Phase.REOPENED,
    (Phase.SETTLED, "searcher"): Phase.REOPENED,
}


class Refinement:
    """The phase of a sentence, the jobs that are under way for it, and what the next one needs."""

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
        self.earlier: Rescore | None = None  # a best parse of first words, under way
        self.searching: Job | None = None  # the last search, until it comes back
        self.preferred = NO_PREFERENCE  # by the last parse
        self.rescored: Rescored | None = None  # that parse, while a search may need it
        self.unfinished: object | None = None  # what a search that was told to stop can go on with

    @property
    def next_level(self) -> Level | None:
        return self.phase.next_level

    @property
    def may_run(self) -> bool:
        """Whether a job for the next level can be handed out: one search at a time, even a late one."""
        level = self.phase.next_level
        if level is None or self.running or self.is_held:
            return False
        return level != "L2" or not (self.searching or self.awaits_searcher)

    def is_late(self, now: float) -> bool:
        """Whether time has run out for what is still to be done."""
        return self.deadline is not None and self.deadline <= now and self.phase.next_level is not None

    def begin(self, is_held: bool, words: Sequence[str] = ()) -> None:
        """All levels lie ahead. A best parse of some of the first words goes on."""
        self._part_with_parse(words)
        self.interrupt()
        self.phase, self.cut_short, self.is_held = Phase.COMMITTED, False, is_held
        self.is_awaited, self.rescored, self.unfinished = False, None, None

    def _part_with_parse(self, words: Sequence[str]) -> None:
        """A best parse that is under way is an earlier one from now on, if its words stand."""
        if isinstance(self.running, Rescore):
            self._forget_earlier()
            self.earlier, self.running = self.running, None
        if self.earlier and self.earlier.snapshot.words != words[: self.earlier.words]:
            self.earlier.interrupt.set()
            self.earlier = None

    def _forget_earlier(self) -> None:
        """There is something better, or there will be."""
        if self.earlier:
            self.earlier.is_superseded = True
            self.earlier = None

    def start(self, job: Job) -> Job:
        """A job is handed out."""
        job.is_awaited = self.is_awaited
        if self.earlier:
            self.earlier.is_superseded = True
        self.running = job
        if self.phase.next_level == "L2":
            self.searching = job
        return job

    def release(self, since: float, limit: float | None) -> None:
        """The word that was being typed has ended, or waits."""
        self.is_held = False
        self.deadline = None if limit is None else since + limit

    def hand_back(self, job: Job) -> None:
        """A job has come back, whatever it gives."""
        if job is self.running:
            self.running = None
        if job is self.searching:
            self.searching = None
        if job is self.earlier:
            self.earlier = None

    def interrupt(self) -> None:
        """What is being done of the present words should stop; it may start again."""
        if self.running:
            self.running.interrupt.set()
            self.running = None

    def give_way(self) -> None:
        """The words may change: searches stop, and a best parse goes on until that is known."""
        if not isinstance(self.running, Rescore):
            self.interrupt()

    def stop(self) -> None:
        """The words are gone: all stops."""
        self._part_with_parse(())
        self.interrupt()

    def go_on_with(self, rescored: Rescored) -> None:
        """The best parse is there, and a search is to follow that needs it."""
        self._forget_earlier()
        self.phase = AFTER_PHASE[self.phase, "parsed"]
        self.rescored, self.unfinished = rescored, None

    def await_searcher(self) -> None:
        """The search is not there yet. The best parse will be looked for once more then.

        To keep it would take some kilobytes a word of all sentences of a text, for half a minute.
        """
        self.rescored = None

    @property
    def awaits_searcher(self) -> bool:
        """Whether a search that is not there yet is to follow."""
        return self.phase is Phase.PARSED and self.rescored is None

    def catch_up(self) -> None:
        """An earlier best parse is there, and lacks no word but the one that is being typed."""
        self.phase = AFTER_PHASE[self.phase, "earlier"]

    def reopen(self) -> None:
        """There is a search now that was missing."""
        self.phase = AFTER_PHASE[self.phase, "searcher"]

    def rest(self, happening: Literal["settled", "cut"]) -> None:
        """Nothing more is done."""
        self._forget_earlier()
        self.phase = AFTER_PHASE[self.phase, happening]
        self.cut_short = happening == "cut"
        self.rescored = self.unfinished = None

    def cut(self) -> bool:
        """Time has run out. A search is waited for, since it gives what it has; whether nothing is."""
        self.cut_short = True
        search = self.running if self.phase is Phase.PARSED else None
        if search and not search.interrupt.is_set and self.deadline is not None:
            search.interrupt.set()
            self.deadline += GRACE
            return False
        self.interrupt()
        self.rest("cut")
        return True
