"""Listener for asyncio: hypotheses and updates on the loop, jobs in threads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from treewhile.incremental.embedding.async_sessions import on_loop, read_as_it_comes
from treewhile.incremental.sessions.messages import OptionChanges
from treewhile.incremental.sessions.session import Session
from treewhile.incremental.transcripts.hypotheses import Difference, Hypothesis
from treewhile.incremental.transcripts.listener import State, listener_options
from treewhile.incremental.transcripts.threaded_listeners import ThreadedListener
from treewhile.incremental.transcripts.updates import Update


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
