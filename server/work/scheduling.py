"""Scheduling of jobs: the order of waiting jobs, and the running jobs that have to stop for them.

    rank    job                                     runs
    ATTACH  attach what is typed: first analyses    on the event loop
    STEPS   next steps                              on the first thread; on any while that is stuck
    PASTED  attach what is pasted, slice by slice   on the others; on the first one if it is alone
    L1      the best parse                          likewise, in turns with slices of pasted text; short
                                                    ones on the event loop, behind first analyses, without
                                                    load or where somebody has just ended the sentence
    L2      the search                              likewise, and only while no L1 job waits

Threads for the same ranks are a lane, and so is the event loop. A lower rank goes first. Within a rank,
sessions take turns. For L1, the session goes first whose last L1 job is longest ago; a session that has ended
a sentence counts as if that had been HEAD_START seconds longer ago. Successive jobs that make a batch run
together, up to JOBS_TOGETHER and WORDS_TOGETHER, which bound the wait of the next ones. If a waiting job
finds no thread, a running job is told to stop if its rank is higher, or if its rank is the same and its slice
is over: its results are kept, and its session asks for the rest. A job that would lose its results stops at
once for jobs of people who type, and for others when its slice is over. Jobs that their session no longer
wants never begin.

Load is measured by the waiting time of first analyses. Beyond PATIENCE seconds, best parses keep to a BUDGET,
a share of processor time, and searches do not run. Sentences that have just ended may use the whole budget;
the share for other sentences falls with the waiting time of first analyses, to half at twice PATIENCE. Beyond
LATE, the budget falls for all. Beyond REFUSE, new sessions are refused, also if pasted text waits so long.
First analyses are always done; sessions gather words that come meanwhile into the next one.

The schedule is no thread and has no clock and no lock: see `worker_threads`. Measured effects are on the page
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

from treewhile.incremental.sessions.jobs import Job, Rank

RANKS: Final = tuple(Rank)
THREADED: Final = tuple(rank for rank in Rank if rank is not Rank.ATTACH)
URGENT: Final = tuple(rank for rank in THREADED if rank.is_urgent)
OTHERS: Final = tuple(rank for rank in THREADED if not rank.is_urgent)

PATIENCE: Final = 0.005  # waiting time of a first analysis, in seconds
REFUSE: Final = 0.25
BUDGET: Final = 0.25  # of a processor's time
LATE: Final = 0.1  # waiting time of a first analysis, in seconds; beyond, the budget falls
HEAD_START: Final = 5.0  # seconds

JOBS_TOGETHER: Final = 8
WORDS_TOGETHER: Final = 128  # about five milliseconds of L1; a longer sentence goes alone
WORDS_AT_ONCE: Final = 32  # one millisecond of L1
WEIGHT: Final = 0.1  # of one waiting time in the mean: a single delay by the machine means nothing
HALF_LIFE: Final = 0.5  # seconds, of the weights of past waiting times


class Owner(Hashable, Protocol):
    """Owner of jobs, which gets their results."""

    def job_done(self, job: Job, result: object) -> None:
        """Process the result of a job, or its exception."""


SomeOwner = TypeVar("SomeOwner", bound=Owner)


class Waiting(NamedTuple):
    """Job that has not begun."""

    job: Job
    since: float


@dataclass(frozen=True, slots=True, eq=False)
class Running(Generic[SomeOwner]):
    """Running job of a thread, or several of one rank in a batch."""

    owners: Sequence[SomeOwner]
    jobs: Sequence[Job]
    since: float

    @property
    def rank(self) -> Rank:
        return self.jobs[0].rank

    def is_slice_over(self, now: float) -> bool:
        return now - self.since >= self.rank.slice_seconds

    def stop(self) -> None:
        """Tell all jobs to stop."""
        for job in self.jobs:
            job.interrupt.set()

    def drop(self, owner: SomeOwner) -> None:
        """Tell the jobs of one owner to stop."""
        for one, job in zip(self.owners, self.jobs, strict=True):
            if one is owner:
                job.interrupt.set()


class Lane(NamedTuple):
    """Threads for jobs of some ranks, with the most words of a batch."""

    ranks: tuple[Rank, ...]
    threads: int
    words: int = WORDS_TOGETHER


LOOP: Final = Lane((Rank.ATTACH,), 1)
# The event loop, too: it finds a short best parse faster than a thread would hear of the job.
AT_ONCE: Final = Lane((Rank.L1,), 1, WORDS_AT_ONCE)


def lanes_of(threads: int) -> list[Lane]:
    """Return the lanes of so many threads: one thread for urgent jobs, the others for all other jobs."""
    if threads == 1:
        return [Lane(THREADED, 1)]
    return [Lane(URGENT, 1), Lane(OTHERS, threads - 1)]


class Turns(Generic[SomeOwner]):
    """Queue of jobs of one rank: owners take turns, each with its oldest job."""

    def __init__(self) -> None:
        self._queues: OrderedDict[SomeOwner, deque[Waiting]] = OrderedDict()
        self._awaited: dict[SomeOwner, None] = {}  # owners whose user waits for the next job, in order
        self.count = 0

    def put(self, owner: SomeOwner, job: Job, now: float) -> None:
        self._queues.setdefault(owner, deque()).append(Waiting(job, now))
        self.count += 1
        self._note_awaited(owner)

    def take_together(
        self, now: float, is_scarce: bool, most_words: int
    ) -> tuple[list[SomeOwner], list[Waiting]]:
        """Take the next job and those next in turn that fit into a batch of so many words.

        If time is scarce and a job is awaited, take awaited jobs only.
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
        """Return up to `count` owners in the order of their turns."""
        return islice(self._queues, count)

    def _take(self, turns: deque[SomeOwner], now: float) -> Waiting:
        """Take the next job of the first owner in turn, which becomes the last."""
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
        """Take the next job of the first owner that awaits one."""
        owner = next(iter(self._awaited))
        return [owner], [self._take(deque([owner]), now)]

    def take_superseded(self, owner: SomeOwner) -> list[Job]:
        """Take the unwanted jobs of an owner out of the queue."""
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
        """Note whether the next job of an owner is awaited."""
        if owner in self._queues and self._queues[owner][0].job.is_awaited:
            self._awaited.setdefault(owner)
        else:
            self._awaited.pop(owner, None)

    @property
    def is_awaited(self) -> bool:
        """True if some waiting job is awaited by a user who has stopped typing."""
        return bool(self._awaited)

    def next_words(self, is_awaited: bool) -> int | None:
        """Return the number of words of the next job, or of the next awaited job; None if there is none."""
        owners = islice(self._awaited, 1) if is_awaited else self._next_owners(1)
        return next((self._queues[owner][0].job.words for owner in owners), None)

    def has(self, owner: SomeOwner) -> bool:
        return owner in self._queues

    @property
    def waits_since(self) -> float | None:
        """Time since which the next job waits."""
        return next((queue[0].since for queue in self._queues.values()), None)


class LongestAgo(Turns[SomeOwner]):
    """Queue in which the owner goes first whose last job is longest ago; awaited jobs have a head start."""

    def __init__(self) -> None:
        super().__init__()
        self._served: dict[SomeOwner, float] = {}  # time of the last job, or of the first request

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
    """Share of recent time that an activity has taken."""

    def __init__(self) -> None:
        self._seconds = self._at = 0.0

    def add(self, seconds: float, now: float) -> None:
        self._seconds, self._at = self._faded(now) + seconds, now

    def at(self, now: float) -> float:
        return self._faded(now) * log(2) / HALF_LIFE

    def _faded(self, now: float) -> float:
        return self._seconds * faded_by(now - self._at)


class RecentMean:
    """Mean of values with weights that fall with age; without new values it decays."""

    def __init__(self) -> None:
        self._value = self._at = 0.0

    def add(self, value: float, now: float) -> None:
        faded = self.at(now)
        self._value, self._at = faded + WEIGHT * (value - faded), now

    def at(self, now: float) -> float:
        return self._value * faded_by(now - self._at)


def faded_by(seconds: float) -> float:
    """Return the weight that is left after so many seconds."""
    left: float = 0.5 ** (seconds / HALF_LIFE)
    return left


class Schedule(Generic[SomeOwner]):
    """Schedule of the jobs of all owners for a number of threads."""

    def __init__(self, threads: int) -> None:
        self._threads, self.lanes = threads, lanes_of(threads)
        self._turns: Sequence[Turns[SomeOwner]] = [
            LongestAgo() if rank is Rank.L1 else Turns() for rank in RANKS
        ]
        self.running: set[Running[SomeOwner]] = set()
        self._waited: dict[Rank, RecentMean] = {Rank.ATTACH: RecentMean(), Rank.PASTED: RecentMean()}
        self._refining = RecentShare()
        self._was_pasted = False  # True if the last job begun on the other threads was PASTED

    # --- input ----------------------------------------------------------------------------------------------

    def add(self, owner: SomeOwner, jobs: Iterable[Job], now: float) -> list[Job]:
        """Add jobs of an owner, and return older ones that are superseded and will not run."""
        gone = [job for rank in RANKS if rank.refines for job in self._turns[rank].take_superseded(owner)]
        for job in jobs:
            self._turns[job.rank].put(owner, job, now)
        return gone

    def drop(self, owner: SomeOwner) -> None:
        """Drop all jobs of an owner."""
        for turns in self._turns:
            turns.drop(owner)
        for running in self.running:
            running.drop(owner)

    def start(self, lane: Lane, now: float) -> Running[SomeOwner] | None:
        """Return the next job or batch for a free thread of a lane, or None if none should run now."""
        rank = self._next_rank(lane, now)
        if rank is None:
            return None
        if lane is AT_ONCE and self._needs_loop(now):
            owners, taken = self._turns[rank].take_awaited(now)
        else:
            owners, taken = self._turns[rank].take_together(now, self._is_scarce(now), lane.words)
        if rank in self._waited:
            self._waited[rank].add(now - taken[0].since, now)
        running = Running(owners, [waiting.job for waiting in taken], now)
        self.running.add(running)
        if lane is not AT_ONCE:
            self._was_pasted = rank is Rank.PASTED or (self._was_pasted and rank.is_urgent)
        return running

    def done(self, running: Running[SomeOwner]) -> None:
        """Note that a thread has finished its jobs."""
        self.running.discard(running)

    def spend(self, seconds: float, now: float) -> None:
        """Note processor seconds of refinements."""
        self._refining.add(seconds, now)

    def stop_for_others(self, now: float) -> None:
        """Tell running jobs to stop if waiting jobs should have their threads."""
        if not self.running:
            return
        lanes = [Lane(THREADED, self._threads)] if self.is_stuck(now) else self.lanes
        for lane in lanes:
            running = [one for one in self.running if one.rank in lane.ranks]
            running.sort(key=lambda one: (-one.rank, one.since))  # in the order of stopping
            for one, waits in zip(running, self._kept_waiting(lane, len(running)), strict=False):
                if _should_stop(one, waits, now) and (one.rank.refines or not waits.refines):
                    one.stop()

    # --- output ---------------------------------------------------------------------------------------------

    @property
    def lengths(self) -> dict[str, int]:
        """Number of waiting jobs by rank."""
        return {rank.label: self._turns[rank].count for rank in RANKS}

    @property
    def is_contended(self) -> bool:
        """True if any job waits."""
        return sum([turns.count for turns in self._turns]) > 0

    def is_stuck(self, now: float) -> bool:
        """Return whether the first thread exceeds its slice while an urgent job waits."""
        late = [one for one in self.running if one.rank in URGENT and one.is_slice_over(now)]
        return bool(late) and any(self._turns[rank].count for rank in URGENT)

    def owes(self, owner: SomeOwner) -> bool:
        """Return whether first analyses or steps of an owner run or wait."""
        waits = any(self._turns[rank].has(owner) for rank in RANKS if not rank.refines)
        return waits or any(owner in one.owners and not one.rank.refines for one in self.running)

    def waited(self, now: float, rank: Rank = Rank.ATTACH) -> float:
        """Return the recent waiting time of first analyses in seconds, at least that of the next one."""
        since = self._turns[rank].waits_since
        return max(self._waited[rank].at(now), 0.0 if since is None else now - since)

    def is_loaded(self, now: float) -> bool:
        """Return whether refinements have to keep to their budget."""
        return self.waited(now) > PATIENCE

    def refining(self, now: float) -> float:
        """Return the share of processor time that refinements have taken recently."""
        return self._refining.at(now)

    def refuses(self, now: float) -> bool:
        """Return whether new sessions have to be refused."""
        return any(self.waited(now, rank) > REFUSE for rank in self._waited)

    # --- rules ----------------------------------------------------------------------------------------------

    def _next_rank(self, lane: Lane, now: float) -> Rank | None:
        """Return the rank of the next job for a lane, or None if none should run now."""
        for rank in self._order(lane, now):
            if self._turns[rank].count and self._may_begin(rank, now):
                return rank if lane is not AT_ONCE or self._fits_loop(rank, now) else None
        return None

    def _fits_loop(self, rank: Rank, now: float) -> bool:
        """Return whether the event loop has time for the next refinement of a rank."""
        words = self._turns[rank].next_words(self._needs_loop(now))
        return words is not None and words <= AT_ONCE.words

    def _needs_loop(self, now: float) -> bool:
        """Return whether the event loop is reserved for first analyses and best parses of ended sentences."""
        return self._turns[Rank.ATTACH].count > 0 or self.is_loaded(now)

    def _may_begin(self, rank: Rank, now: float) -> bool:
        """Return whether the budget allows jobs of a rank now."""
        if not rank.refines or not self.is_loaded(now):
            return True
        is_awaited = self._turns[rank].is_awaited
        budget = BUDGET * min(1.0, LATE / self.waited(now))
        return not rank.can_wait and self.refining(now) < budget and (is_awaited or not self._is_scarce(now))

    def _is_scarce(self, now: float) -> bool:
        """Return whether only awaited best parses may run: the budget falls while first analyses wait."""
        waited = self.waited(now)
        return waited > PATIENCE and self.refining(now) >= BUDGET * PATIENCE / waited

    def _order(self, lane: Lane, now: float) -> Sequence[Rank]:
        """Return the ranks of a lane in their present order."""
        if lane in (LOOP, AT_ONCE):
            return lane.ranks
        if self.is_stuck(now):
            return THREADED
        if self._was_pasted:  # pasted text had its turn
            return sorted(lane.ranks, key=lambda rank: (not rank.is_urgent, rank is Rank.PASTED))
        return lane.ranks

    def _kept_waiting(self, lane: Lane, running: int) -> Iterator[Rank]:
        """Yield the ranks of waiting jobs that find no thread in their lane, the most urgent first."""
        free = lane.threads - running
        for rank in lane.ranks:
            count = self._turns[rank].count
            yield from (rank for _ in range(min(count - max(0, free), lane.threads)))
            free -= count


def _should_stop(one: Running[SomeOwner], waits: Rank, now: float) -> bool:
    """Return whether a running job should make room for a waiting job of a rank."""
    if one.rank > waits and (one.rank.goes_on or waits.is_urgent):
        return True
    return one.rank >= waits and one.is_slice_over(now)
