"""A listener for asyncio: hypotheses and updates on the loop, jobs in threads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from treewhile.incremental.embedding.loops import on_loop, read_as_it_comes
from treewhile.incremental.sessions.messages import OptionChanges
from treewhile.incremental.sessions.session import Session
from treewhile.incremental.transcripts.hypotheses import Difference, Hypothesis
from treewhile.incremental.transcripts.listener import State
from treewhile.incremental.transcripts.listener_options import listener_options
from treewhile.incremental.transcripts.threaded_listeners import ThreadedListener
from treewhile.incremental.transcripts.updates import Update


class AsyncListener:
    """A `Listener` with a session of its own beside an event loop, for the time of an asynchronous context.

    async with AsyncListener(Session(load_model())) as listener:
        listener.hear(Hypothesis("peter drives"))
        async for update in listener.updates():
            ...

    options  those of a `Listener`
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
        """The number of the present turn; updates of others come late."""
        return self._threaded.turn

    @property
    def state(self) -> State:
        """Whether all that was heard has an analysis."""
        return self._threaded.state

    def is_current(self, update: Update | None) -> bool:
        """Whether an update is about all that was heard in the present turn; None is, where nothing was."""
        return self._threaded.is_current(update)

    def hear(self, hypothesis: Hypothesis | Difference) -> bool:
        """Takes what a recognizer says, and returns at once: whether it is about the present turn."""
        return self._threaded.hear(hypothesis)

    def voice(self) -> None:
        """The speaker begins to speak: what is heard next is new, also where it is what was said before."""
        self._threaded.voice()

    def silence(self, at: float | None = None) -> None:
        """Nobody speaks since a time: what is interim is taken for final, and an update follows."""
        self._threaded.silence(at)

    def end_turn(self) -> None:
        """The speaker has finished; what is heard from now on belongs to the next turn."""
        self._threaded.end_turn()

    def discard_turn(self) -> None:
        """Throws the present turn away: its last update revokes all its units, and has no text."""
        self._threaded.discard_turn()

    def updates(self) -> AsyncIterator[Update]:
        """The updates as they come, until the context ends; each is read once."""
        threaded = self._threaded
        return read_as_it_comes(threaded.take_updates, lambda: threaded.is_closed, self._news)
