"""Which job runs next, and which one has to stop for it.

    rank    job                                     runs
    ATTACH  attach what is typed: first analyses    on the first thread; on any while that is stuck
    STEPS   next steps                              likewise
    PASTED  attach what is pasted, slice by slice   on the others; on the first one if it is alone
    L1      the best parse                          likewise, in turns with slices of what is pasted
    L2      the search                              likewise, and only while nobody waits for L1

Threads for the same ranks are a lane. A lower rank goes first; within a rank sessions take turns. Those that
are next and make a batch go together, up to JOBS_TOGETHER and WORDS_TOGETHER, which bound how long a first
analysis may wait for them. Where a job waits and can have no thread, the one that runs is told to stop if its
rank is higher, or if the rank is the same and its slice is over: what it has done is kept, and its session
asks for the rest. One that would lose what it has done stops at once for those who type, and for others when
its slice is over. Work that its session no longer wants never runs.

A rank may be held back until what its jobs run on is compiled: they wait, nobody owes them, and how long they
wait does not count.

Overload is measured by how long first analyses wait. Refinements give way first: beyond GIVE_WAY seconds none
is begun. Then new connections are refused, beyond REFUSE, and also where what is pasted waits so long. First
analyses are always done; sessions gather the words that come meanwhile into the next one.

The schedule is no thread and has no clock or lock: see `worker_threads`.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from treewhile.incremental.sessions.jobs import Job
from treewhile.incremental.sessions.ranks import Rank

RANKS: Final = tuple(Rank)
URGENT: Final = tuple(rank for rank in Rank if rank.is_urgent)
OTHERS: Final = tuple(rank for rank in Rank if not rank.is_urgent)

GIVE_WAY: Final = 0.02  # seconds that a first analysis has waited
REFUSE: Final = 0.25

JOBS_TOGETHER: Final = 8
WORDS_TOGETHER: Final = 128  # some five milliseconds of L1; a longer sentence goes alone
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
    """Threads that take the jobs of some ranks."""

    ranks: tuple[Rank, ...]
    threads: int


def lanes_of(threads: int) -> list[Lane]:
    """One thread for those who type and wait, and the others for all else."""
    if threads == 1:
        return [Lane(RANKS, 1)]
    return [Lane(URGENT, 1), Lane(OTHERS, threads - 1)]


class Turns(Generic[SomeOwner]):
    """Jobs of one rank; owners take turns, each with the job that it asked for first."""

    def __init__(self) -> None:
        self._queues: OrderedDict[SomeOwner, deque[Waiting]] = OrderedDict()
        self.count = 0

    def put(self, owner: SomeOwner, job: Job, now: float) -> None:
        self._queues.setdefault(owner, deque()).append(Waiting(job, now))
        self.count += 1

    def take(self) -> tuple[SomeOwner, Waiting]:
        owner, queue = next(iter(self._queues.items()))
        waiting = queue.popleft()
        self.count -= 1
        if queue:
            self._queues.move_to_end(owner)
        else:
            del self._queues[owner]
        return owner, waiting

    def take_together(self) -> tuple[list[SomeOwner], list[Waiting]]:
        """The next job, and with it those next in turn that can be done in one batch."""
        owner, first = self.take()
        owners, taken, words = [owner], [first], first.job.words
        while self.count and first.job.batch is not None and len(taken) < JOBS_TOGETHER:
            following = self._next
            words += following.words
            if following.batch != first.job.batch or words > WORDS_TOGETHER:
                break
            owner, waiting = self.take()
            owners.append(owner)
            taken.append(waiting)
        return owners, taken

    def take_superseded(self, owner: SomeOwner) -> list[Job]:
        """The jobs of an owner that were told to stop before they began."""
        queue = self._queues.get(owner)
        if queue is None:
            return []
        gone = [waiting.job for waiting in queue if waiting.job.interrupt.is_set]
        if gone:
            kept = deque(waiting for waiting in queue if not waiting.job.interrupt.is_set)
            self.count -= len(gone)
            self._queues[owner] = kept
            if not kept:
                del self._queues[owner]
        return gone

    def drop(self, owner: SomeOwner) -> None:
        self.count -= len(self._queues.pop(owner, ()))

    def wait_anew(self, now: float) -> None:
        """All of them begin to wait now."""
        for queue in self._queues.values():
            for place, (job, _) in enumerate(queue):
                queue[place] = Waiting(job, now)

    def has(self, owner: SomeOwner) -> bool:
        return owner in self._queues

    @property
    def _next(self) -> Job:
        return next(iter(self._queues.values()))[0].job

    @property
    def waits_since(self) -> float | None:
        """Since when the job waits that is the next one."""
        return next((queue[0].since for queue in self._queues.values()), None)


class RecentMean:
    """The mean of some values, the last of them above all; without new ones it fades."""

    def __init__(self) -> None:
        self._value = self._at = 0.0

    def add(self, value: float, now: float) -> None:
        faded = self.at(now)
        self._value, self._at = faded + WEIGHT * (value - faded), now

    def at(self, now: float) -> float:
        faded: float = self._value * 0.5 ** ((now - self._at) / HALF_LIFE)
        return faded


class Schedule(Generic[SomeOwner]):
    """The jobs of all owners, for a number of threads; those of some ranks are held back at first."""

    def __init__(self, threads: int, held: Iterable[Rank] = ()) -> None:
        self._threads, self.lanes = threads, lanes_of(threads)
        self._held = {*held}
        self._turns: Sequence[Turns[SomeOwner]] = [Turns() for _ in RANKS]
        nothing: Turns[SomeOwner] = Turns()
        # the jobs of a rank that may run: none while it is held back
        self._free = [nothing if rank in self._held else self._turns[rank] for rank in RANKS]
        self.running: set[Running[SomeOwner]] = set()
        self._waited: dict[Rank, RecentMean] = {Rank.ATTACH: RecentMean(), Rank.PASTED: RecentMean()}
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
        owners, taken = self._free[rank].take_together()
        if rank in self._waited:
            self._waited[rank].add(now - taken[0].since, now)
        running = Running(owners, [waiting.job for waiting in taken], now)
        self.running.add(running)
        self._was_pasted = rank is Rank.PASTED or (self._was_pasted and rank.is_urgent)
        return running

    def done(self, running: Running[SomeOwner]) -> None:
        """A thread is free again."""
        self.running.discard(running)

    def stop_for_others(self, now: float) -> None:
        """Tells running jobs to stop where others should have their threads."""
        if not self.running:
            return
        lanes = [Lane(RANKS, self._threads)] if self.is_stuck(now) else self.lanes
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

    def has_work(self, lane: Lane, now: float) -> bool:
        """Whether a free thread of a lane would find a job."""
        return self._next_rank(lane, now) is not None

    def is_stuck(self, now: float) -> bool:
        """Whether the first thread goes on after the end of a slice, with somebody waiting for it."""
        late = [one for one in self.running if one.rank.is_urgent and one.is_slice_over(now)]
        return bool(late) and any(self._free[rank].count for rank in URGENT)

    def owes(self, owner: SomeOwner) -> bool:
        """Whether first analyses or steps of an owner wait that are not held back, or are under way."""
        waits = any(self._free[rank].has(owner) for rank in RANKS if not rank.refines)
        return waits or any(owner in one.owners and not one.rank.refines for one in self.running)

    def waited(self, now: float, rank: Rank = Rank.ATTACH) -> float:
        """How many seconds first analyses have waited recently; the next one may have waited for longer."""
        since = self._free[rank].waits_since
        return max(self._waited[rank].at(now), 0.0 if since is None else now - since)

    def gives_way(self, now: float) -> bool:
        """Whether refinements have to wait for better times."""
        return self.waited(now) > GIVE_WAY

    def refuses(self, now: float) -> bool:
        """Whether there is no room for more clients."""
        return any(self.waited(now, rank) > REFUSE for rank in self._waited)

    # --- rules ----------------------------------------------------------------------------------------------

    def _next_rank(self, lane: Lane, now: float) -> Rank | None:
        """The rank of the next job for a lane, if any should run now."""
        for rank in self._order(lane, now):
            if self._free[rank].count and not (rank.refines and self.gives_way(now)):
                return rank
        return None

    def _order(self, lane: Lane, now: float) -> Sequence[Rank]:
        """The ranks that a lane looks at, one after the other."""
        if self.is_stuck(now):
            return RANKS
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
