"""Which job runs next, and which one has to stop for it.

    rank    job                                     runs
    ATTACH  attach what is typed: first analyses    in the loop
    STEPS   next steps                              on the first thread; on any while that is stuck
    PASTED  attach what is pasted, slice by slice   on the others; on the first one if it is alone
    L1      the best parse                          likewise, in turns with slices of what is pasted; short
                                                    ones in the loop, behind first analyses, without load
                                                    or where somebody has just ended the sentence
    L2      the search                              likewise, and only while nobody waits for L1

Threads for the same ranks are a lane, and so is the loop. A lower rank goes first. Within a rank sessions
take turns; for L1 the one goes first whose last one was longest ago, and who has ended a sentence, as if it
had been HEAD_START seconds longer ago. Those that are next and make a batch go together, up to JOBS_TOGETHER
and WORDS_TOGETHER, which bound how long the next ones wait for them. Where a job waits and can have no
thread, the one that runs is told to stop if its rank is higher, or if the rank is the same and its slice is
over: what it has done is kept, and its session asks for the rest. One that would lose what it has done stops
at once for those who type, and for others when its slice is over. Work that its session no longer wants never
begins.

A rank may be held back until what its jobs run on is compiled: they wait, nobody owes them, and how long they
wait does not count.

Load is measured by how long first analyses wait. Beyond PATIENCE seconds best parses keep to a BUDGET, a
share of a processor's time, and searches wait for better times. Sentences that have just ended may have all
of it, others the less, the longer first analyses wait: half if it is twice PATIENCE. Beyond LATE it falls for
all of them. Beyond REFUSE new sessions are refused, and also where what is pasted waits so long. First
analyses are always done; sessions gather the words that come meanwhile into the next one.

The schedule is no thread and has no clock or lock: see `worker_threads`. What comes of it is on the page
`docs/explanation/budget.md`.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice
from math import log
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from treewhile.incremental.sessions.jobs import Job
from treewhile.incremental.sessions.ranks import Rank

RANKS: Final = tuple(Rank)
THREADED: Final = tuple(rank for rank in Rank if rank is not Rank.ATTACH)
URGENT: Final = tuple(rank for rank in THREADED if rank.is_urgent)
OTHERS: Final = tuple(rank for rank in THREADED if not rank.is_urgent)

PATIENCE: Final = 0.005  # seconds that a first analysis has waited
REFUSE: Final = 0.25
BUDGET: Final = 0.25  # of a processor's time
LATE: Final = 0.1  # seconds that a first analysis has waited; beyond, the budget falls
HEAD_START: Final = 5.0  # seconds

JOBS_TOGETHER: Final = 8
WORDS_TOGETHER: Final = 128  # some five milliseconds of L1; a longer sentence goes alone
WORDS_AT_ONCE: Final = 32  # a millisecond of L1
WEIGHT: Final = 0.1  # of one such waiting in their mean: a single hiccup of the machine means nothing
HALF_LIFE: Final = 0.5  # seconds, of what is remembered of it


class Owner(Hashable, Protocol):
    """Whose jobs they are, and who takes the results."""

    def job_done(self, job: Job, result: object) -> None:
        """Takes a result, or what was raised instead."""


SomeOwner = TypeVar("SomeOwner", bound=Owner)


class Waiting(NamedTuple):
    """A job that has not begun."""

    job: Job
    since: float


@dataclass(frozen=True, slots=True, eq=False)
class Running(Generic[SomeOwner]):
    """A job on a thread, or several of one rank that it does together."""

    owners: Sequence[SomeOwner]
    jobs: Sequence[Job]
    since: float

    @property
    def rank(self) -> Rank:
        return self.jobs[0].rank

    def is_slice_over(self, now: float) -> bool:
        return now - self.since >= self.rank.slice_seconds

    def stop(self) -> None:
        """Tells all of them to stop."""
        for job in self.jobs:
            job.interrupt.set()

    def drop(self, owner: SomeOwner) -> None:
        """Tells those of one owner to stop."""
        for one, job in zip(self.owners, self.jobs, strict=True):
            if one is owner:
                job.interrupt.set()


class Lane(NamedTuple):
    """Threads that take the jobs of some ranks, those of a batch up to a number of words."""

    ranks: tuple[Rank, ...]
    threads: int
    words: int = WORDS_TOGETHER


LOOP: Final = Lane((Rank.ATTACH,), 1)
# The loop as well: it finds short best parses sooner than a thread would hear of them.
AT_ONCE: Final = Lane((Rank.L1,), 1, WORDS_AT_ONCE)


def lanes_of(threads: int) -> list[Lane]:
    """One thread for those who wait for steps, and the others for all else."""
    if threads == 1:
        return [Lane(THREADED, 1)]
    return [Lane(URGENT, 1), Lane(OTHERS, threads - 1)]


class Turns(Generic[SomeOwner]):
    """Jobs of one rank; owners take turns, each with the job that it asked for first."""

    def __init__(self) -> None:
        self._queues: OrderedDict[SomeOwner, deque[Waiting]] = OrderedDict()
        self._awaited: dict[SomeOwner, None] = {}  # those who have stopped for their next job, in turn
        self.count = 0

    def put(self, owner: SomeOwner, job: Job, now: float) -> None:
        self._queues.setdefault(owner, deque()).append(Waiting(job, now))
        self.count += 1
        self._note_awaited(owner)

    def take_together(
        self, now: float, is_scarce: bool, most_words: int
    ) -> tuple[list[SomeOwner], list[Waiting]]:
        """The next job, and with it those next in turn that can be done in one batch of so many words.

        Where time is scarce and a job is awaited, those alone that are.
        """
        turns = deque(self._next_owners(JOBS_TOGETHER))
        if is_scarce and turns[0] in self._awaited:
            turns = deque(filter(self._awaited.__contains__, turns))
        owners, taken = [turns[0]], [self._take(turns, now)]
        first, words = taken[0].job, taken[0].job.words
        while turns and first.batch is not None and len(taken) < JOBS_TOGETHER:
            following = self._queues[turns[0]][0].job
            words += following.words
            if following.batch != first.batch or words > most_words:
                break
            owners.append(turns[0])
            taken.append(self._take(turns, now))
        return owners, taken

    def _next_owners(self, count: int) -> Iterable[SomeOwner]:
        """Whose turn it is, and who is next, up to a number."""
        return islice(self._queues, count)

    def _take(self, turns: deque[SomeOwner], now: float) -> Waiting:
        """The next job of the first in turn, who is last then."""
        owner = turns.popleft()
        queue = self._queues[owner]
        self.count -= 1
        waiting = queue.popleft()
        if queue:
            self._queues.move_to_end(owner)
            turns.append(owner)
        else:
            del self._queues[owner]
        self._note_awaited(owner)
        return waiting

    def take_awaited(self, now: float) -> tuple[list[SomeOwner], list[Waiting]]:
        """The next job of who has stopped for it first."""
        owner = next(iter(self._awaited))
        return [owner], [self._take(deque([owner]), now)]

    def take_superseded(self, owner: SomeOwner) -> list[Job]:
        """The jobs of an owner that have not begun and should not."""
        queue = self._queues.get(owner)
        if queue is None:
            return []
        gone = [waiting.job for waiting in queue if waiting.job.is_unwanted]
        if gone:
            kept = deque(waiting for waiting in queue if not waiting.job.is_unwanted)
            self.count -= len(gone)
            self._queues[owner] = kept
            if not kept:
                del self._queues[owner]
            self._note_awaited(owner)
        return gone

    def drop(self, owner: SomeOwner) -> None:
        self.count -= len(self._queues.pop(owner, ()))
        self._awaited.pop(owner, None)

    def _note_awaited(self, owner: SomeOwner) -> None:
        """Looks whether the next job of an owner is awaited."""
        if owner in self._queues and self._queues[owner][0].job.is_awaited:
            self._awaited.setdefault(owner)
        else:
            self._awaited.pop(owner, None)

    @property
    def is_awaited(self) -> bool:
        """Whether a job waits that somebody has stopped for."""
        return bool(self._awaited)

    def next_words(self, is_awaited: bool) -> int | None:
        """How many words the next job is about, of all or of those that are awaited, if there is any."""
        owners = islice(self._awaited, 1) if is_awaited else self._next_owners(1)
        return next((self._queues[owner][0].job.words for owner in owners), None)

    def wait_anew(self, now: float) -> None:
        """All of them begin to wait now."""
        for queue in self._queues.values():
            for place, (job, _) in enumerate(queue):
                queue[place] = Waiting(job, now)

    def has(self, owner: SomeOwner) -> bool:
        return owner in self._queues

    @property
    def waits_since(self) -> float | None:
        """Since when the job waits that is the next one."""
        return next((queue[0].since for queue in self._queues.values()), None)


class LongestAgo(Turns[SomeOwner]):
    """Turns in which the owner goes first whose last job was longest ago; who awaits one goes ahead."""

    def __init__(self) -> None:
        super().__init__()
        self._served: dict[SomeOwner, float] = {}  # when that was, or when they asked for the first one

    def put(self, owner: SomeOwner, job: Job, now: float) -> None:
        super().put(owner, job, now)
        self._served.setdefault(owner, now)
        if job.is_awaited:
            self._queues[owner].rotate()
            self._note_awaited(owner)

    def drop(self, owner: SomeOwner) -> None:
        super().drop(owner)
        self._served.pop(owner, None)

    def _next_owners(self, count: int) -> Iterable[SomeOwner]:
        return nsmallest(count, self._queues, self._turn)

    def _turn(self, owner: SomeOwner) -> float:
        return self._served[owner] - (HEAD_START if owner in self._awaited else 0.0)

    def _take(self, turns: deque[SomeOwner], now: float) -> Waiting:
        self._served[turns[0]] = now
        return super()._take(turns, now)


class RecentShare:
    """The share of recent time that something has taken."""

    def __init__(self) -> None:
        self._seconds = self._at = 0.0

    def add(self, seconds: float, now: float) -> None:
        self._seconds, self._at = self._faded(now) + seconds, now

    def at(self, now: float) -> float:
        return self._faded(now) * log(2) / HALF_LIFE

    def _faded(self, now: float) -> float:
        return self._seconds * faded_by(now - self._at)


class RecentMean:
    """The mean of some values, the last of them above all; without new ones it fades."""

    def __init__(self) -> None:
        self._value = self._at = 0.0

    def add(self, value: float, now: float) -> None:
        faded = self.at(now)
        self._value, self._at = faded + WEIGHT * (value - faded), now

    def at(self, now: float) -> float:
        return self._value * faded_by(now - self._at)


def faded_by(seconds: float) -> float:
    """What is left of a memory."""
    left: float = 0.5 ** (seconds / HALF_LIFE)
    return left


class Schedule(Generic[SomeOwner]):
    """The jobs of all owners, for a number of threads; those of some ranks are held back at first."""

    def __init__(self, threads: int, held: Iterable[Rank] = ()) -> None:
        self._threads, self.lanes = threads, lanes_of(threads)
        self._held = {*held}
        self._turns: Sequence[Turns[SomeOwner]] = [
            LongestAgo() if rank is Rank.L1 else Turns() for rank in RANKS
        ]
        nothing: Turns[SomeOwner] = Turns()
        # the jobs of a rank that may run: none while it is held back
        self._free = [nothing if rank in self._held else self._turns[rank] for rank in RANKS]
        self.running: set[Running[SomeOwner]] = set()
        self._waited: dict[Rank, RecentMean] = {Rank.ATTACH: RecentMean(), Rank.PASTED: RecentMean()}
        self._refining = RecentShare()
        self._was_pasted = False  # what was begun last, of that which is not for the first thread

    # --- in -------------------------------------------------------------------------------------------------

    def add(self, owner: SomeOwner, jobs: Iterable[Job], now: float) -> list[Job]:
        """More jobs of an owner; gives back those from before that were superseded and will not run."""
        gone = [job for rank in RANKS if rank.refines for job in self._turns[rank].take_superseded(owner)]
        for job in jobs:
            self._turns[job.rank].put(owner, job, now)
        return gone

    def release(self, ranks: Iterable[Rank], now: float) -> None:
        """Jobs of these ranks may run from now on."""
        for rank in self._held.intersection(ranks):
            self._held.discard(rank)
            self._free[rank] = self._turns[rank]
            self._turns[rank].wait_anew(now)

    def drop(self, owner: SomeOwner) -> None:
        """Nobody wants what this owner has asked for."""
        for turns in self._turns:
            turns.drop(owner)
        for running in self.running:
            running.drop(owner)

    def start(self, lane: Lane, now: float) -> Running[SomeOwner] | None:
        """The next job or jobs, for a free thread of a lane; None if there is none that should run now."""
        rank = self._next_rank(lane, now)
        if rank is None:
            return None
        if lane is AT_ONCE and self._needs_loop(now):
            owners, taken = self._free[rank].take_awaited(now)
        else:
            owners, taken = self._free[rank].take_together(now, self._is_scarce(now), lane.words)
        if rank in self._waited:
            self._waited[rank].add(now - taken[0].since, now)
        running = Running(owners, [waiting.job for waiting in taken], now)
        self.running.add(running)
        if lane is not AT_ONCE:
            self._was_pasted = rank is Rank.PASTED or (self._was_pasted and rank.is_urgent)
        return running

    def done(self, running: Running[SomeOwner]) -> None:
        """A thread is free again."""
        self.running.discard(running)

    def spend(self, seconds: float, now: float) -> None:
        """Refinements have taken so much of a processor's time."""
        self._refining.add(seconds, now)

    def stop_for_others(self, now: float) -> None:
        """Tells running jobs to stop where others should have their threads."""
        if not self.running:
            return
        lanes = [Lane(THREADED, self._threads)] if self.is_stuck(now) else self.lanes
        for lane in lanes:
            running = [one for one in self.running if one.rank in lane.ranks]
            running.sort(key=lambda one: (-one.rank, one.since))  # those first that have to stop first
            for one, waits in zip(running, self._kept_waiting(lane, len(running)), strict=False):
                if _should_stop(one, waits, now) and (one.rank.refines or not waits.refines):
                    one.stop()

    # --- out ------------------------------------------------------------------------------------------------

    @property
    def lengths(self) -> dict[str, int]:
        """How many jobs wait, by rank."""
        return {rank.label: self._turns[rank].count for rank in RANKS}

    @property
    def is_contended(self) -> bool:
        """Whether anything waits that is not held back."""
        return sum([turns.count for turns in self._free]) > 0

    def is_stuck(self, now: float) -> bool:
        """Whether the first thread goes on after the end of a slice, with somebody waiting for it."""
        late = [one for one in self.running if one.rank in URGENT and one.is_slice_over(now)]
        return bool(late) and any(self._free[rank].count for rank in URGENT)

    def owes(self, owner: SomeOwner) -> bool:
        """Whether first analyses or steps of an owner wait that are not held back, or are under way."""
        waits = any(self._free[rank].has(owner) for rank in RANKS if not rank.refines)
        return waits or any(owner in one.owners and not one.rank.refines for one in self.running)

    def waited(self, now: float, rank: Rank = Rank.ATTACH) -> float:
        """How many seconds first analyses have waited recently; the next one may have waited for longer."""
        since = self._free[rank].waits_since
        return max(self._waited[rank].at(now), 0.0 if since is None else now - since)

    def is_loaded(self, now: float) -> bool:
        """Whether refinements have to keep to their budget."""
        return self.waited(now) > PATIENCE

    def refining(self, now: float) -> float:
        """The share of a processor's time that refinements have taken recently."""
        return self._refining.at(now)

    def refuses(self, now: float) -> bool:
        """Whether there is no room for more clients."""
        return any(self.waited(now, rank) > REFUSE for rank in self._waited)

    # --- rules ----------------------------------------------------------------------------------------------

    def _next_rank(self, lane: Lane, now: float) -> Rank | None:
        """The rank of the next job for a lane, if any should run now."""
        for rank in self._order(lane, now):
            if self._free[rank].count and self._may_begin(rank, now):
                return rank if lane is not AT_ONCE or self._fits_loop(rank, now) else None
        return None

    def _fits_loop(self, rank: Rank, now: float) -> bool:
        """Whether the loop has time for the next refinement of a rank."""
        words = self._free[rank].next_words(self._needs_loop(now))
        return words is not None and words <= AT_ONCE.words

    def _needs_loop(self, now: float) -> bool:
        """Whether the loop is for first analyses, and best parses only of those who have ended a sentence."""
        return self._free[Rank.ATTACH].count > 0 or self.is_loaded(now)

    def _may_begin(self, rank: Rank, now: float) -> bool:
        """Whether jobs of a rank are affordable now."""
        if not rank.refines or not self.is_loaded(now):
            return True
        is_awaited = self._free[rank].is_awaited
        budget = BUDGET * min(1.0, LATE / self.waited(now))
        return not rank.can_wait and self.refining(now) < budget and (is_awaited or not self._is_scarce(now))

    def _is_scarce(self, now: float) -> bool:
        """Whether best parses are for those who await them: the budget falls while first analyses wait."""
        waited = self.waited(now)
        return waited > PATIENCE and self.refining(now) >= BUDGET * PATIENCE / waited

    def _order(self, lane: Lane, now: float) -> Sequence[Rank]:
        """The ranks that a lane looks at, one after the other."""
        if lane in (LOOP, AT_ONCE):
            return lane.ranks
        if self.is_stuck(now):
            return THREADED
        if self._was_pasted:  # now it is for others, if there are any
            return sorted(lane.ranks, key=lambda rank: (not rank.is_urgent, rank is Rank.PASTED))
        return lane.ranks

    def _kept_waiting(self, lane: Lane, running: int) -> Iterator[Rank]:
        """The ranks of waiting jobs that find no thread in their lane, the most urgent first."""
        free = lane.threads - running
        for rank in lane.ranks:
            count = self._free[rank].count
            yield from (rank for _ in range(min(count - max(0, free), lane.threads)))
            free -= count


def _should_stop(one: Running[SomeOwner], waits: Rank, now: float) -> bool:
    """Whether what runs should make room for a job of a rank that waits."""
    if one.rank > waits and (one.rank.goes_on or waits.is_urgent):
        return True
    return one.rank >= waits and one.is_slice_over(now)
