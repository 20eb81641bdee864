"""Synchronous driver of a session, with a clock: for each word the analyses that its time allows.

Everything runs in the caller's thread, except a timer that interrupts a job when its time is up.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from operator import attrgetter
from re import findall
from typing import Protocol

from treewhile.incremental.sessions.jobs import Clock, Job
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    AnyEvent,
    AnyMessage,
    Append,
    Close,
    DeltaMessage,
    Edit,
    ErrorMessage,
    Finish,
    Open,
    OptionChanges,
    Stream,
    apply_delta,
)
from treewhile.oracles.errors import InputError

RUNS = count(1)


class SteppedSession(Protocol):
    """Interface of a session that can be driven: a `Session`."""

    def receive(self, event: object) -> None: ...

    def tick(self, now: float) -> None: ...

    def job_done(self, job: Job, result: object) -> None: ...

    def jobs_to_run(self) -> list[Job]: ...

    def messages_to_send(self) -> list[AnyMessage]: ...

    @property
    def wake_at(self) -> float | None: ...


def run(
    session: SteppedSession,
    words: Iterable[str] | str,
    time_limit: float | None,
    clock: Clock | None,
    with_constituents: bool = False,
) -> Iterator[AnalysisMessage]:
    """Yield full analyses: for every word the first, then better ones in time, at the end the final one.

    Words make one sentence. A text comes as if it were typed, in pieces that end before white space, and is
    split into sentences by the model.
    """
    name = f"run {next(RUNS)}"
    stepper = Stepper(session, name, clock or time.perf_counter)
    streams: list[Stream] = ["analyses", "constituents"] if with_constituents else ["analyses"]
    options = OptionChanges(time_limit=time_limit, streams=streams)
    is_text = isinstance(words, str)
    pieces = iter(findall(r"\s*\S+", words) if isinstance(words, str) else words)
    text = next(pieces, "") if is_text else ""
    try:
        yield from stepper.after(
            Open(name, 0, text=text, options=options) if is_text else Open(name, 0, words=[], options=options)
        )
        version, at = 0, len(text)
        for version, piece in enumerate(pieces, 1):
            event = Edit(name, version, at, at, piece) if is_text else Append(name, version, [piece])
            at += len(piece)
            yield from stepper.after(event)
        yield from stepper.after(Finish(name, version + 1))
    finally:
        session.receive(Close(name))


class Stepper:
    """Runner of a session's jobs, one after the other, that collects the analyses of a document."""

    def __init__(self, session: SteppedSession, document: str, clock: Clock) -> None:
        self._session, self._document, self._clock = session, document, clock
        self._shown: dict[int, AnalysisMessage] = {}  # last analyses, by sequence number

    def after(self, event: AnyEvent) -> Iterator[AnalysisMessage]:
        """Yield the analyses that follow an event until there is nothing more to do."""
        self._session.tick(self._clock())
        self._session.receive(event)
        yield from self._analyses()
        jobs = self._session.jobs_to_run()
        while jobs:
            job = min(jobs, key=attrgetter("rank"))
            jobs.remove(job)
            self._session.job_done(job, self._result(job))
            self._session.tick(self._clock())
            yield from self._analyses()
            jobs += self._session.jobs_to_run()

    def _result(self, job: Job) -> object:
        with self._timed(job):
            try:
                return job.run()
            except Exception as error:
                return error

    @contextmanager
    def _timed(self, job: Job) -> Iterator[None]:
        """Interrupt a job when its time is up."""
        wake_at = self._session.wake_at
        if wake_at is None:
            yield
            return
        timer = threading.Timer(max(0.0, wake_at - self._clock()), job.interrupt.set)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _analyses(self) -> Iterator[AnalysisMessage]:
        for message in self._session.messages_to_send():
            if isinstance(message, ErrorMessage) and message.document == self._document:
                if not message.temporary:
                    raise InputError(message.message)
                warnings.warn(message.message, RuntimeWarning, stacklevel=2)
            if isinstance(message, AnalysisMessage | DeltaMessage) and message.document == self._document:
                full = message if isinstance(message, AnalysisMessage) else self._whole(message)
                self._shown[full.number] = full
                yield full

    def _whole(self, delta: DeltaMessage) -> AnalysisMessage:
        return apply_delta(self._shown.pop(delta.base), delta)
