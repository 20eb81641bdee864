"""Listener with a session on a server: hypotheses of a speech recognizer are sent, and updates come back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from itertools import count
from random import uniform
from time import monotonic

from treewhile.incremental.sessions.messages import (
    AnyEvent,
    Close,
    ClosedMessage,
    Edit,
    ErrorMessage,
    Finish,
    Open,
    OptionChanges,
)
from treewhile.incremental.transcripts.hypotheses import Difference, Hypothesis
from treewhile.incremental.transcripts.listener import Listener, State
from treewhile.incremental.transcripts.turns import LOST
from treewhile.incremental.transcripts.updates import Update
from treewhile.server.client.client import FIRST_PAUSE, LONGEST_PAUSE, Client, connect
from treewhile.server.client.documents import Document
from treewhile.server.errors import DisconnectedError, DocumentError


class RemoteListener:
    """`Listener` with a session on a server, to be used as an asynchronous context.

        async with RemoteListener("ws://127.0.0.1:8080") as listener:
            listener.hear(Hypothesis("peter drives"))
            async for update in listener.updates():
                ...

    No method waits for the server or fails without one: hypotheses are sent once the server is there, and
    updates come later; `state` says whether they are missing. After a permanent error, such as a wrong token,
    `updates` raises DisconnectedError.

    options  options as for `Listener`
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        model: str | None = None,
        *,
        options: OptionChanges | None = None,
    ) -> None:
        self._address = url, token, model
        self._listener = Listener(options=options)
        self._client: Client | None = None
        self._documents: dict[str, Document] = {}
        self._readers = set[asyncio.Task[None]]()
        self._said, self._news = asyncio.Event(), asyncio.Event()
        self._is_closed = False
        self._end: DisconnectedError | None = None

    async def __aenter__(self) -> RemoteListener:
        self._task = asyncio.create_task(self._stay())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._is_closed = True
        self._news.set()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    @property
    def turn(self) -> int:
        """Number of the present turn; updates of other turns are late."""
        return self._listener.turn

    @property
    def state(self) -> State:
        """State of the analyses of heard words; `away` if there is no connection."""
        return self._listener.state if self._client and self._client.is_connected else "away"

    def is_current(self, update: Update | None) -> bool:
        """Return whether an update covers all words heard in the present turn; None covers no words."""
        return self._listener.is_current(update)

    # --- input and output -----------------------------------------------------------------------------------

    def hear(self, hypothesis: Hypothesis | Difference) -> bool:
        """Note a hypothesis, and return at once whether it belongs to the present turn."""
        is_new = self._listener.hear(hypothesis)
        self._said.set()
        return is_new

    def voice(self) -> None:
        """Note that the speaker begins to speak: the next hypothesis is new, even with the same words."""
        self._listener.voice()

    def silence(self, at: float | None = None) -> None:
        """Note that nobody has spoken since a time: interim words count as final, and an update follows."""
        self._listener.silence(at)
        self._said.set()
        self._news.set()

    def end_turn(self) -> None:
        """Note that the speaker has finished; later hypotheses belong to the next turn."""
        self._listener.end_turn(monotonic())
        self._said.set()

    def discard_turn(self) -> None:
        """Discard the present turn: its last update revokes all its units, and has no text."""
        self._listener.discard_turn(monotonic())
        self._said.set()
        self._news.set()

    async def updates(self) -> AsyncIterator[Update]:
        """Yield each update once, until the context ends."""
        while not self._is_closed:
            self._news.clear()
            updates = self._listener.updates(monotonic())
            for update in updates:
                yield update
            if updates:
                self._said.set()  # closes a turn that is over
            elif self._end:
                raise self._end
            else:
                await self._news.wait()

    # --- connection -----------------------------------------------------------------------------------------

    async def _stay(self) -> None:
        """Connect to the server again and again, until it refuses permanently."""
        url, token, model = self._address
        for attempt in count():
            try:
                async with connect(url, token, model=model) as client:
                    await self._use(client)
            except DisconnectedError as lost:
                if not lost.temporary:
                    self._end = lost
                    self._news.set()
                    return
                await asyncio.sleep((lost.retry_after or 0) + uniform(0, _pause(attempt)))

    async def _use(self, client: Client) -> None:
        """Send events of the listener as long as the client connects again by itself."""
        self._client = client
        try:
            while True:
                self._said.clear()
                for event in self._listener.events():
                    await self._say(client, event)
                await self._said.wait()
        finally:
            self._client = None
            for reader in self._readers:
                reader.cancel()

    async def _say(self, client: Client, event: AnyEvent) -> None:
        document = self._documents.get(event.document)
        if isinstance(event, Open):
            document = await client.open(event.document, text=event.text, options=event.options)
            self._documents[event.document] = document
            self._read(document)
        elif document is None:  # the document was lost, and is opened again later
            return
        if isinstance(event, Edit):
            await document.edit(event.start, event.end, event.text)
        elif isinstance(event, Finish):
            await document.finish()
        elif isinstance(event, Close):
            await self._documents.pop(event.document).close()
        self._listener.see(document.view, document.version)

    def _read(self, document: Document) -> None:
        reader = asyncio.create_task(self._follow(document))
        self._readers.add(reader)
        reader.add_done_callback(self._readers.discard)

    async def _follow(self, document: Document) -> None:
        """Read messages of a document until it is closed or lost; a lost document is opened again later."""
        with suppress(DocumentError):  # the document was refused
            try:
                async for message in document.messages():
                    self._listener.see(document.view, document.version)
                    if isinstance(message, ErrorMessage) and message.code in LOST:
                        await document.close()
                    self._news.set()
            except DisconnectedError:
                self._said.set()  # wakes `_use`, which gets the same error
        if self._documents.get(document.name) is document:
            del self._documents[document.name]
            self._listener.receive(ClosedMessage(document.name, []))


def _pause(attempt: int) -> float:
    """Return the longest pause in seconds before the next attempt to connect."""
    return min(FIRST_PAUSE * (1 << min(attempt, 10)), LONGEST_PAUSE)
