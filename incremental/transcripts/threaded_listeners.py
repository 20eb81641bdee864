"""Listener that runs in threads: hypotheses come from any thread, updates are read in any other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from time import monotonic
from typing import Final

from treewhile.incremental.embedding.threaded_sessions import ThreadedSession
from treewhile.incremental.sessions.messages import OptionChanges
from treewhile.incremental.sessions.session import Session
from treewhile.incremental.transcripts.hypotheses import Difference, Hypothesis
from treewhile.incremental.transcripts.listener import Listener, State
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
