"""Worker threads and event loop that run jobs in the order of the schedule.

First analyses run on the event loop, all other jobs in threads. Only the event loop uses the schedule: a
thread gets its next job when the result of the last one is there. So no thread waits for a lock whose holder
waits for a processor. Jobs that are added in one turn of the loop are scheduled together behind it, and
results that are ready together are delivered in one turn. A first analysis takes less time than waking a
thread and hearing its result; the loop does some of them, and then looks at its sockets.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from time import perf_counter, thread_time
from typing import Final, Generic

from treewhile.incremental.sessions.jobs import Job
from treewhile.server.work.scheduling import AT_ONCE, LOOP, Lane, Running, Schedule, SomeOwner

NICENESS: Final = 10  # of threads that refine: a tenth of a processor that the event loop could use up
LOOK_AGAIN: Final = 0.005  # seconds between looks at slices and waiting times, while any job waits
IN_A_TURN: Final = 0.001  # seconds after which the event loop begins no more first analyses


@dataclass(frozen=True, slots=True, eq=False)
class Worker(Generic[SomeOwner]):
    """Queue of a thread in a lane; None ends the thread."""

    lane: Lane
    orders: SimpleQueue[Running[SomeOwner] | None] = field(default_factory=SimpleQueue)


class WorkerThreads(Generic[SomeOwner]):
    """Threads for the jobs of one event loop, in parallel since kernels release the interpreter lock."""

    def __init__(self, threads: int) -> None:
        self._schedule: Schedule[SomeOwner] = Schedule(threads)
        self._loop = asyncio.get_running_loop()
        self._added: list[tuple[SomeOwner, Sequence[Job], float]] = []
        # worker, finished jobs, their results and processor seconds
        self._results: deque[tuple[Worker[SomeOwner], Running[SomeOwner], list[object], float]] = deque()
        self._is_called = False  # True once the loop is called for results
        self._goes_on = False  # True if the loop goes on with first analyses in its next turn
        self._is_attaching = False  # True while the loop attaches and looks itself at added jobs
        self._watch: asyncio.TimerHandle | None = None
        self._is_ending = False
        lanes = [lane for lane in self._schedule.lanes for _ in range(lane.threads)]
        self._workers: list[Worker[SomeOwner]] = [Worker(lane) for lane in lanes]
        self._idle = [*self._workers]
        self._threads = [
            threading.Thread(target=self._work, args=[worker], name=f"jobs {number}", daemon=True)
            for number, worker in enumerate(self._workers, 1)
        ]
        for thread in self._threads:
            thread.start()

    # --- called on the event loop ---------------------------------------------------------------------------

    def add(self, owner: SomeOwner, jobs: Sequence[Job]) -> None:
        """Add jobs of an owner; older jobs that are superseded and will not run get the result None."""
        if not self._added and not self._is_attaching:
            self._loop.call_soon(self._hand_over)
        self._added.append((owner, jobs, perf_counter()))

    def drop(self, owner: SomeOwner) -> None:
        """Drop the jobs of an owner."""
        self._added = [added for added in self._added if added[0] is not owner]
        self._schedule.drop(owner)

    def owes(self, owner: SomeOwner) -> bool:
        """Return whether first analyses or steps of an owner are still to come."""
        return self._schedule.owes(owner) or any(one is owner for one, *_ in self._added)

    def waited(self) -> float:
        """Return the recent waiting time of first analyses in seconds; may be called in any thread."""
        while True:
            try:
                return self._schedule.waited(perf_counter())
            except RuntimeError:  # the queue has changed meanwhile
                continue

    def refining(self) -> float:
        """Return the share of processor time of recent refinements; may be called in any thread."""
        return self._schedule.refining(perf_counter())

    def refuses(self) -> bool:
        """Return whether new sessions have to be refused."""
        return self._schedule.refuses(perf_counter())

    def lengths(self) -> dict[str, int]:
        """Return the number of waiting jobs by rank; may be called in any thread."""
        return self._schedule.lengths

    def end(self) -> None:
        """Tell the threads to end, each after its present job."""
        self._is_ending = True
        for worker in self._workers:
            worker.orders.put(None)
        if self._watch:
            self._watch.cancel()

    def join(self, seconds: float) -> None:
        """Wait for the threads after `end`."""
        for thread in self._threads:
            thread.join(seconds)

    def _hand_over(self) -> None:
        self._take_added()
        if not self._goes_on:
            self._attach()
        else:
            self._start_threads()
        self._watch_slices()

    def _take_added(self) -> None:
        """Pass added jobs to the schedule."""
        while self._added:
            added, self._added = self._added, []
            gone = [
                (owner, job) for owner, jobs, since in added for job in self._schedule.add(owner, jobs, since)
            ]
            self._schedule.stop_for_others(perf_counter())
            for owner, job in gone:
                owner.job_done(job, None)

    def _start_threads(self) -> None:
        """Give jobs to idle threads."""
        now = perf_counter()
        for worker in [] if self._is_ending else [*self._idle]:
            running = self._schedule.start(worker.lane, now)
            if running:
                self._idle.remove(worker)
                worker.orders.put(running)

    def _attach(self) -> None:
        """Run first analyses, and short best parses, until the event loop should look at its sockets."""
        self._goes_on, self._is_attaching = False, True
        until = perf_counter() + IN_A_TURN
        try:
            while self._attach_next():
                if perf_counter() >= until:
                    self._goes_on = True
                    self._loop.call_soon(self._attach)
                    break
        finally:
            self._is_attaching = False
        self._start_threads()

    def _attach_next(self) -> bool:
        """Run the next job for the event loop, and return whether there was one."""
        begin, now, schedule = thread_time(), perf_counter(), self._schedule
        running = None if self._is_ending else schedule.start(AT_ONCE, now) or schedule.start(LOOP, now)
        if running is None:
            return False
        results = running.jobs[0].run_together(running.jobs[1:])
        self._note_done(running, thread_time() - begin)
        for owner, job, result in zip(running.owners, running.jobs, results, strict=True):
            owner.job_done(job, result)
        self._take_added()
        return True

    def _note_done(self, running: Running[SomeOwner], seconds: float) -> None:
        """Note finished jobs and their processor seconds."""
        self._schedule.done(running)
        if running.rank.refines:
            self._schedule.spend(seconds, perf_counter())

    def _watch_slices(self) -> None:
        if self._watch is None and self._schedule.is_contended:
            self._watch = self._loop.call_later(LOOK_AGAIN, self._look_at_slices)

    def _look_at_slices(self) -> None:
        """Stop jobs whose slice is over, and start those that may run now."""
        self._watch = None
        self._schedule.stop_for_others(perf_counter())
        self._start_threads()
        self._watch_slices()

    def _deliver(self) -> None:
        self._is_called = False  # comes first: a thread that adds a result after the last look calls again
        while self._results:
            worker, running, results, seconds = self._results.popleft()
            self._note_done(running, seconds)
            self._idle.append(worker)
            for owner, job, result in zip(running.owners, running.jobs, results, strict=True):
                owner.job_done(job, result)
        self._start_threads()

    # --- run in the threads ---------------------------------------------------------------------------------

    def _work(self, worker: Worker[SomeOwner]) -> None:
        if any(rank.refines for rank in worker.lane.ranks):
            _give_way_to_others()
        while self._does_next(worker):
            pass

    def _does_next(self, worker: Worker[SomeOwner]) -> bool:
        """Wait for an order and carry it out; return whether more may come."""
        running = worker.orders.get()
        if running is None:
            return False
        begin = thread_time()
        results = running.jobs[0].run_together(running.jobs[1:])
        self._results.append((worker, running, results, thread_time() - begin))
        return self._call_loop()

    def _call_loop(self) -> bool:
        if self._is_called:
            return True
        self._is_called = True
        try:
            self._loop.call_soon_threadsafe(self._deliver)
        except RuntimeError:  # the loop has ended
            return False
        return True


def _give_way_to_others() -> None:
    """Lower the priority of this thread below other threads of the process.

    The kernels of a refinement run for milliseconds without the interpreter; on few cores, first analyses
    would have to wait for them.
    """
    if sys.platform == "linux":  # elsewhere this would change the whole process
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
