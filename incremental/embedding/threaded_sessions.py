"""Session whose jobs run in threads: events come from any thread, messages are read in any other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from heapq import heappop, heappush
from itertools import count
from time import monotonic
from typing import Final

from treewhile.incremental.sessions.jobs import Clock, Job
from treewhile.incremental.sessions.messages import AnyMessage
from treewhile.incremental.sessions.session import Session
from treewhile.oracles.errors import InputError

MOST_UNREAD: Final = (
    1000  # errors and closings; analyses are made when they are read, so there is at most one of each
)
TIMEKEEPER: Final = -1  # its number among threads
REST: Final = 10.0  # seconds without work after which a thread ends; later work starts another one


def _nobody() -> None:
    """Do nothing: the default of `on_news`."""


class ThreadedSession:
    """Session that runs in threads of its own, until closed; idle threads end after a while.

        with ThreadedSession(Session(load_model())) as session:
            session.receive(Open("letter", 0, text="Peter drives a red"))
            for message in session.messages():
                ...

    It takes events from any thread, and any thread may read; each message is read once. Nothing piles up
    where nobody reads for a while: a message is made when it is read, from the newest analysis.

    threads  that run jobs, the most urgent job first. Where all are busy, a word that comes interrupts the
             least urgent one, which goes on later. One thread is enough for one who types
    clock    seconds, for the time limits of documents
    on_news  is called when there may be something to read, in whatever thread that comes up: for loops of
             another kind, which then call `take_messages()`. It should return at once, and raise nothing
    """

    def __init__(
        self,
        session: Session,
        threads: int = 1,
        clock: Clock = monotonic,
        on_news: Callable[[], object] = _nobody,
    ) -> None:
        if not isinstance(session, Session):
            raise InputError(f"{session!r:.40} is no session: give Session(load_model())")
        if threads < 1:
            raise InputError(f"{threads} threads run no job: give 1 or more")
        self._session, self._clock, self._on_news = session, clock, on_news
        self._jobs = _JobsAtHand(threads)
        self._unread: list[AnyMessage] = []  # errors and closings
        self._is_closed = False
        self._failure: Exception | None = None
        lock = threading.Lock()
        self._work, self._news, self._time = (threading.Condition(lock) for _ in range(3))
        self._workers = range(threads)
        self._threads: dict[int, threading.Thread] = {}  # running threads

    def __enter__(self) -> ThreadedSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    # --- in and out ----------------------------------------------------------------------------------------

    def receive(self, event: object) -> None:
        """Process an event, or a mapping that is one. Its errors are answered by an ErrorMessage.

        InputError if the session is closed, or a thousand errors and closings are unread.
        """
        with self._using_session():
            if self._is_closed:
                raise InputError("the session is closed: make another one") from self._failure
            if len(self._unread) >= MOST_UNREAD:
                raise InputError(
                    f"{MOST_UNREAD} errors and closings are unread: read messages while you send events"
                )
            self._session.receive(event)
            self._unread += self._session.messages_to_send(words=0)
        self._on_news()

    def messages(self) -> Iterator[AnyMessage]:
        """Yield the messages as they come, until the session is closed."""
        while messages := self.take_messages(timeout=None):
            yield from messages

    def take_messages(self, timeout: float | None = 0) -> list[AnyMessage]:
        """Return the messages to read; empty if none comes within the timeout, in seconds, or before the end.

        A timeout of None waits indefinitely. A fatal error of the session is raised here.
        """
        with self._news:
            messages: list[AnyMessage] = []
            self._news.wait_for(lambda: self._read_into(messages) or self._is_closed, timeout)
            if self._failure and not messages:
                raise self._failure
        return messages

    def _read_into(self, messages: list[AnyMessage]) -> bool:
        """Append all messages to the list; return whether there were any."""
        messages += self._unread
        self._unread = []
        if not self._failure:
            messages += self._session.messages_to_send()
        return bool(messages)

    def close(self) -> None:
        """Interrupt running jobs, and wait for the threads; unread messages can still be read."""
        with self._work:
            self._end()
            threads = [*self._threads.values()]
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join()

    # --- in the threads ------------------------------------------------------------------------------------

    def _begin(self, number: int, work: Callable[[int], None]) -> None:
        """Start a thread unless it is running."""
        if number not in self._threads:
            thread = threading.Thread(target=work, args=(number,), name="treewhile", daemon=True)
            self._threads[number] = thread
            thread.start()

    def _rest(self, number: int) -> None:
        """Remove this thread, which ends; called with the lock held."""
        del self._threads[number]

    def _run_jobs(self, number: int) -> None:
        while job := self._next_job(number):
            [result] = job.run_together([])
            try:
                with self._using_session():
                    self._jobs.end(job)
                    self._session.job_done(job, result)
            except Exception as error:
                self._fail(error)
            self._on_news()

    def _next_job(self, number: int) -> Job | None:
        """Return the most urgent job, once there is one; None at the end, or after a long rest."""
        with self._work:
            if not self._work.wait_for(lambda: self._jobs.are_waiting or self._is_closed, REST):
                self._rest(number)
                return None
            return None if self._is_closed else self._jobs.begin()

    def _keep_time(self, number: int) -> None:
        """Tell the session the time whenever it is due."""
        while self._wait_until_due(number):
            try:
                with self._using_session():
                    pass  # on entry, which tells the time
            except Exception as error:
                self._fail(error)
            self._on_news()

    def _wait_until_due(self, number: int) -> bool:
        """Return whether the session must be told the time now; False at the end, or after a long rest."""
        with self._time:
            while not self._is_closed:
                wake_at = self._session.wake_at
                left = REST if wake_at is None else wake_at - self._clock()
                if left <= 0:
                    return True
                if not self._time.wait(left) and wake_at is None and self._session.wake_at is None:
                    self._rest(number)
                    return False
        return False

    @contextmanager
    def _using_session(self) -> Iterator[None]:
        """Lock the session in the block; afterwards start its jobs, and wake readers."""
        with self._work:
            self._session.tick(self._clock())
            wake_at = self._session.wake_at
            yield
            jobs = [] if self._is_closed else self._session.jobs_to_run()
            self._jobs.add(jobs)
            self._work.notify(len(jobs))
            self._news.notify()
            if self._session.wake_at != wake_at:
                self._time.notify()
            self._begin_threads()

    def _begin_threads(self) -> None:
        """Start the threads for waiting work."""
        if self._jobs.are_waiting:
            for number in self._workers:
                self._begin(number, self._run_jobs)
        if self._session.wake_at is not None and not self._is_closed:
            self._begin(TIMEKEEPER, self._keep_time)

    def _fail(self, error: Exception) -> None:
        """Mark the session as broken, and wake its readers."""
        with self._work:
            self._failure = self._failure or error
            self._end()

    def _end(self) -> None:
        self._is_closed = True
        self._jobs.interrupt()
        for changed in (self._work, self._news, self._time):
            changed.notify_all()


class _JobsAtHand:
    """Waiting jobs, the most urgent first, and running ones."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._waiting: list[tuple[int, int, Job]] = []
        self._running = set[Job]()
        self._numbers = count()

    @property
    def are_waiting(self) -> bool:
        return bool(self._waiting)

    def add(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            heappush(self._waiting, (job.rank, next(self._numbers), job))
        self._make_way()

    def begin(self) -> Job:
        """Return the most urgent waiting job, which is run now."""
        *_, job = heappop(self._waiting)
        self._running.add(job)
        self._make_way()
        return job

    def end(self, job: Job) -> None:
        self._running.discard(job)

    def interrupt(self) -> None:
        """Interrupt all running jobs, and drop the waiting ones."""
        for job in self._running:
            job.interrupt.set()
        self._waiting.clear()

    def _make_way(self) -> None:
        """Interrupt the least urgent job if a more urgent one waits; its session asks for the rest."""
        if self._waiting and len(self._running) == self._threads:
            least = max(self._running, key=lambda job: job.rank)
            if least.rank > self._waiting[0][0]:
                least.interrupt.set()
