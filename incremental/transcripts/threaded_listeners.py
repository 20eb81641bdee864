"""Listeners that run jobs in threads: used from any thread, or from an event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from time import monotonic
from typing import Final

from treewhile.incremental.embedding.async_sessions import on_loop, read_as_it_comes
from treewhile.incremental.embedding.threaded_sessions import ThreadedSession
from treewhile.incremental.sessions.messages import OptionChanges
from treewhile.incremental.sessions.session import Session
from treewhile.incremental.transcripts.hypotheses import Difference, Hypothesis
from treewhile.incremental.transcripts.listener import Listener, State, listener_options
from treewhile.incremental.transcripts.updates import Update

THREADS: Final = 2  # so that new words are attached while the best parse of earlier ones is computed


def _nobody() -> None:
    """Do nothing: the default of `on_news`."""


class ThreadedListener:
    """`Listener` with a session of its own, until closed.

        with ThreadedListener(Session(load_model())) as listener:
            listener.hear(Hypothesis("peter drives"))
            for update in listener.updates():
                ...

    on_news  is called when there may be something to read, in whatever thread that comes up. It should
             return at once, and raise nothing
    options  those of a `Listener`
    """

    def __init__(
        self,
        session: Session,
        on_news: Callable[[], object] = _nobody,
        *,
        options: OptionChanges | None = None,
    ) -> None:
        self._listener = Listener(options=options)
        self._news = threading.Condition()
        self._on_news = on_news
        self._session = ThreadedSession(session, THREADS, on_news=self._wake)

    def __enter__(self) -> ThreadedListener:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_closed(self) -> bool:
        return self._session.is_closed

    @property
    def turn(self) -> int:
        """Number of the current turn; updates of other turns are late."""
        with self._news:
            return self._listener.turn

    @property
    def state(self) -> State:
        """State of the analyses of what was heard: "present" or "behind"."""
        with self._news:
            return self._listener.state

    def is_current(self, update: Update | None) -> bool:
        """Return whether an update is about all that was heard in the current turn; None if nothing was."""
        with self._news:
            return self._listener.is_current(update)

    # --- in ------------------------------------------------------------------------------------------------

    def hear(self, hypothesis: Hypothesis | Difference) -> bool:
        """Process a hypothesis, and return whether it is about the current turn, and not late."""
        with self._news:
            is_new = self._listener.hear(hypothesis)
            self._tell()
        return is_new

    def voice(self) -> None:
        """Note that the speaker begins to speak: the next hypothesis is new, even if it repeats words."""
        with self._news:
            self._listener.voice()

    def silence(self, at: float | None = None) -> None:
        """Note a silence since a time: interim words count as final, and an update follows."""
        with self._news:
            self._listener.silence(at)
            self._tell()

    def end_turn(self) -> None:
        """End the turn; later hypotheses belong to the next one."""
        with self._news:
            self._listener.end_turn(monotonic())
            self._tell()

    def discard_turn(self) -> None:
        """Discard the current turn: its last update revokes all its units, and has no text."""
        with self._news:
            self._listener.discard_turn(monotonic())
            self._tell()

    def _tell(self) -> None:
        for event in self._listener.events():
            self._session.receive(event)
        self._wake()

    # --- out -----------------------------------------------------------------------------------------------

    def updates(self) -> Iterator[Update]:
        """Yield the updates as they come, until the listener is closed; each is read once."""
        while updates := self.take_updates(timeout=None):
            yield from updates

    def take_updates(self, timeout: float | None = 0) -> list[Update]:
        """Return the updates to read; empty if none comes within so many seconds, or before the end."""
        updates: list[Update] = []
        with self._news:
            self._news.wait_for(lambda: self._read_into(updates) or self.is_closed, timeout)
        return updates

    def _read_into(self, updates: list[Update]) -> bool:
        """Append all updates to the list; return whether there were any."""
        for message in self._session.take_messages():
            self._listener.receive(message)
        updates += self._listener.updates(monotonic())
        if not self.is_closed:
            for event in self._listener.events():
                self._session.receive(event)
        return bool(updates)

    def close(self) -> None:
        """End the session and its threads."""
        self._session.close()
        self._wake()

    def _wake(self) -> None:
        with self._news:
            self._news.notify_all()
        self._on_news()


class AsyncListener:
    """`Listener` with a session of its own beside an event loop, within an asynchronous context.

    async with AsyncListener(Session(load_model())) as listener:
        listener.hear(Hypothesis("peter drives"))
        async for update in listener.updates():
            ...

    options those of a `Listener`
    """

    def __init__(self, session: Session, *, options: OptionChanges | None = None) -> None:
        self._session, self._options = session, listener_options(options)
        self._news = asyncio.Event()

    async def __aenter__(self) -> AsyncListener:
        self._threaded = ThreadedListener(self._session, on_loop(self._news.set), options=self._options)
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self._threaded.close)
        self._news.set()

    @property
    def turn(self) -> int:
        """Number of the current turn; updates of other turns are late."""
        return self._threaded.turn

    @property
    def state(self) -> State:
        """State of the analyses of what was heard: "present" or "behind"."""
        return self._threaded.state

    def is_current(self, update: Update | None) -> bool:
        """Return whether an update is about all that was heard in the current turn; None if nothing was."""
        return self._threaded.is_current(update)

    def hear(self, hypothesis: Hypothesis | Difference) -> bool:
        """Process a hypothesis without waiting; return whether it is about the current turn."""
        return self._threaded.hear(hypothesis)

    def voice(self) -> None:
        """Note that the speaker begins to speak: the next hypothesis is new, even if it repeats words."""
        self._threaded.voice()

    def silence(self, at: float | None = None) -> None:
        """Note a silence since a time: interim words count as final, and an update follows."""
        self._threaded.silence(at)

    def end_turn(self) -> None:
        """End the turn; later hypotheses belong to the next one."""
        self._threaded.end_turn()

    def discard_turn(self) -> None:
        """Discard the current turn: its last update revokes all its units, and has no text."""
        self._threaded.discard_turn()

    def updates(self) -> AsyncIterator[Update]:
        """Return an iterator over the updates as they come, until the context ends; each is read once."""
        threaded = self._threaded
        return read_as_it_comes(threaded.take_updates, lambda: threaded.is_closed, self._news)
