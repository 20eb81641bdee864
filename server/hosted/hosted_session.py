"""Session on a server, which outlives its socket, queues its jobs for the threads and takes their results."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Final, Protocol

from treewhile.incremental.sessions.jobs import Attach, Job
from treewhile.incremental.sessions.messages import (
    AnyEvent,
    AnyMessage,
    AskAnalyses,
    Change,
    Close,
    EditGrammar,
    Event,
    Fix,
    Gold,
    Options,
    Request,
    Step,
    Undo,
)
from treewhile.incremental.sessions.options import DEFAULT_OPTIONS, DocumentOptions
from treewhile.incremental.sessions.session import OtherModels
from treewhile.server.hosted.allowances import Allowance
from treewhile.server.hosted.metrics import Metrics
from treewhile.server.limits import Limits
from treewhile.server.protocol.frames import HeldDocument
from treewhile.server.work.engines import Engine
from treewhile.server.work.worker_threads import WorkerThreads

if TYPE_CHECKING:  # only stored sessions have one
    from treewhile.server.hosted.journal import Journal

TOKEN_BYTES: Final = 16
KEPT: Final = (
    Change,
    Gold,
    Step,
    Undo,
    Fix,
    Options,
    EditGrammar,
    Close,
)  # all other events only ask for something
WORDS_AT_ONCE: Final = 500  # analysed in one turn of the event loop: two milliseconds


class Reader(Protocol):
    """Receiver of the messages of a session: its connection."""

    def wake(self) -> None:
        """Note that there may be messages to fetch."""

    def fail(self, error: Exception) -> None:
        """Note that the session has failed."""

    def give_up(self) -> None:
        """Leave the session to another reader."""


@dataclass(slots=True)
class Surroundings:
    """State that all sessions of a server share.

    options  options of documents for which clients choose none
    others   models that documents can name, as far as they are loaded
    """

    threads: WorkerThreads[HostedSession]
    limits: Limits
    metrics: Metrics
    options: DocumentOptions = DEFAULT_OPTIONS
    others: OtherModels = field(default_factory=dict)


class HostedSession:
    """Session with a token; without a reader, only jobs that are under way continue.

    journal     record of unstored events, if sessions are stored
    epoch       number of readers so far
    left_at     time when the last reader left
    on_result   callback after each result of the threads
    """

    def __init__(self, engine: Engine, shared: Surroundings, token: str | None = None) -> None:
        self.token = token or secrets.token_urlsafe(TOKEN_BYTES)
        self.journal: Journal | None = None
        self.epoch = 0
        self.engine = engine
        self.reader: Reader | None = None
        self.left_at = 0.0
        self.on_result: Callable[[], None] | None = None
        self._session = engine.new_session(options=shared.options, others=shared.others)
        self._shared = shared
        self._allowance = Allowance(self._session, shared.limits)
        self._alarm = Alarm(self._wake_up)
        self._is_over = False
        self._spent = 0.0  # seconds of attaching edits since the last call of `spent`

    # --- input ----------------------------------------------------------------------------------------------

    def receive(self, event: AnyEvent) -> None:
        """Process an event, or refuse it if a limit is reached."""
        session = self._session
        if self._allowance.bears(event):
            before = session.version_of(event.document) if self.journal else None
            session.tick(perf_counter())
            session.receive_decoded(event)
            if self.journal and self._has_taken(event, before):
                self.journal.note(event)
        self._go_on()

    def replay(self, events: Sequence[Event]) -> None:
        """Process stored events, in any thread, as long as nothing else uses this session."""
        self._session.tick(perf_counter())
        for event in events:
            if isinstance(event, Request):
                self._attach_words()
            self._session.receive(event)
        self._session.drop_messages()

    def job_done(self, job: Job, result: object) -> None:
        """Process the result of a job."""
        if self._is_over:
            return
        start = perf_counter()
        try:
            self._shared.metrics.count_job(job, result)
            self._session.tick(start)
            self._session.job_done(job, result)
            if isinstance(job, Attach) and job.edits:
                self._spent += (job.seconds or 0.0) + perf_counter() - start
            self._go_on()
        except Exception as error:
            self._break(error)
        if self.on_result:
            self.on_result()

    @property
    def is_behind(self) -> bool:
        """True if edits come faster than they can be attached."""
        return self._session.is_behind

    def spent(self) -> float:
        """Return the seconds of attaching edits since the last call, without those of `receive`."""
        seconds, self._spent = self._spent, 0.0
        return seconds

    def attach(self, reader: Reader) -> None:
        """Connect a reader."""
        self.reader, self.on_result = reader, None
        self.epoch += 1
        self._go_on()

    def begin_again(self) -> None:
        """Drop messages of a former reader, so that everything is sent again in full."""
        self._allowance.refusals.clear()
        self._session.drop_messages()
        if self.journal:
            self.journal.begin_again()
        for name in self._session.versions:
            self._session.receive(AskAnalyses(name))

    def leave(self) -> None:
        """Disconnect the reader."""
        self.reader, self.left_at = None, perf_counter()

    def end(self) -> None:
        """End the session for good."""
        self._is_over = True
        self._shared.threads.drop(self)
        self._alarm.end()

    # --- output ---------------------------------------------------------------------------------------------

    def messages(self) -> list[AnyMessage]:
        """Return some of the new messages, from the newest state; an empty list if there are none."""
        if self.journal and not self.journal.may_speak:
            return []
        said: list[AnyMessage] = [*self._allowance.refusals]
        self._allowance.refusals.clear()
        self._session.tick(perf_counter())
        while more := self._session.messages_to_send(WORDS_AT_ONCE):
            self._shared.metrics.count_first(more)
            said += self.journal.passed(more) if self.journal else more
            if said:
                return said
        if self.journal:
            said += self.journal.released(self._session.sentence_count)
        return said

    @property
    def has_messages(self) -> bool:
        """True if there may be new messages."""
        is_owed = self.journal is not None and self.journal.owes
        return is_owed or bool(self._allowance.refusals) or self._session.has_messages

    @property
    def held(self) -> list[HeldDocument]:
        """Open documents."""
        count = self._session.sentence_count
        return [
            HeldDocument(name, version, count(name), self._session.model_of(name))
            for name, version in self._session.versions.items()
        ]

    @property
    def documents(self) -> int:
        return len(self._session.versions)

    @property
    def owes(self) -> bool:
        """True if first analyses or steps are still to come."""
        return self._shared.threads.owes(self) or (self.journal is not None and self.journal.owes)

    def wake_reader(self) -> None:
        """Tell the reader that held messages may be free now."""
        if self.reader:
            self.reader.wake()

    # --- work -----------------------------------------------------------------------------------------------

    def _go_on(self) -> None:
        if self.reader is None or self._is_over:
            return
        if self.has_messages:
            self.reader.wake()
        jobs = self._session.jobs_to_run()
        if jobs:
            self._shared.threads.add(self, jobs)
        self._alarm.set(self._session.wake_at)

    def _wake_up(self) -> None:
        try:
            self._session.tick(perf_counter())
            self._go_on()
        except Exception as error:
            self._break(error)

    def _break(self, error: Exception) -> None:
        reader = self.reader
        self.end()
        if reader:
            reader.fail(error)

    def _has_taken(self, event: AnyEvent, before: int | None) -> bool:
        """Return whether the session has accepted an event to be stored, given the former version."""
        after = self._session.version_of(event.document)
        if isinstance(event, Change):
            return after != before and after == event.version
        return before is not None and isinstance(event, KEPT)

    def _attach_words(self) -> None:
        """Attach words here and now, for requests that need them; refinements are skipped."""
        is_attaching = True
        while is_attaching:
            jobs = self._session.jobs_to_run()
            is_attaching = any(isinstance(job, Attach) for job in jobs)
            for job in jobs:
                self._session.job_done(job, job.run() if isinstance(job, Attach) else None)


# --- timer --------------------------------------------------------------------------------------------------

SHORTEST: Final = 0.001  # seconds; timers of an event loop are no finer, and may fire early by less


class Alarm:
    """Timer that calls back once, at the time set last.

    Postponing does not restart the timer of the loop: when that fires too early, it is set again for the
    rest.
    """

    __slots__ = ("_at", "_goes_off_at", "_ring", "_timer")

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._at: float | None = None
        self._goes_off_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def set(self, at: float | None) -> None:
        """Set the time of the call, on the clock of `perf_counter`, or cancel it with None."""
        self._at = at
        if at is None or (self._timer and self._goes_off_at <= at):
            return
        self._look_in(at, max(0.0, at - perf_counter()))

    def end(self) -> None:
        """Cancel the timer and drop the callback, which may refer back to this alarm."""
        self._at, self._ring = None, _nobody
        self._stop()

    def _stop(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _look_in(self, at: float, seconds: float) -> None:
        self._stop()
        self._goes_off_at = at
        self._timer = asyncio.get_running_loop().call_later(seconds, self._go_off)

    def _go_off(self) -> None:
        self._timer = None
        at = self._at
        if at is None:
            return
        left = at - perf_counter()
        if left > 0:
            self._look_in(at, max(SHORTEST, left))
        else:
            self._at = None
            self._ring()


def _nobody() -> None:
    """Do nothing."""
