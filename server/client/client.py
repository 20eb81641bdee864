"""Python client of a server: documents whose analyses arrive while words are sent.

    async with connect("ws://127.0.0.1:8080") as client, await client.open("letter", words=[]) as document:
        await document.append("Peter", "drives")
        async for analysis in document.analyses():
            print(analysis.stage, [word.head for word in analysis.words])

After a lost connection, the client connects again: at once, then after growing pauses of random length. It
resumes its session; if the session is gone, it opens its documents again with their present words.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from random import uniform
from typing import Final

from treewhile.incremental.sessions.messages import (
    AnyMessage,
    Close,
    ClosedMessage,
    Event,
    Open,
    OptionChanges,
)
from treewhile.oracles.errors import InputError
from treewhile.server.client.documents import Document
from treewhile.server.client.lines import ENCODINGS, Address, EncodingName, Line
from treewhile.server.errors import DisconnectedError, DocumentError
from treewhile.server.protocol.frames import FromClient, Pong, Readiness, Welcome

__all__ = ["Client", "DisconnectedError", "Document", "DocumentError", "connect"]

FIRST_PAUSE, LONGEST_PAUSE = 0.25, 30.0  # bounds of random pauses between attempts to connect
HEARTBEAT: Final = 15.0  # seconds


class Client:
    """Client of a server, made by `connect`, which connects again after a lost connection.

    welcome       last welcome message of the server
    is_connected  whether there is a connection at present
    connections   number of connections so far
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._documents: dict[str, Document] = {}
        self._closing = Counter[str]()  # number of unconfirmed closings by name of document
        self._sending = asyncio.Lock()
        self._is_free = asyncio.Event()  # set when some document may send gathered changes
        self._line: Line | None = None
        self._task: asyncio.Task[None] | None = None
        self._end: Exception | None = None
        self.welcome: Welcome
        self.connections = 0

    async def __aenter__(self) -> Client:
        line = await self._join(resume=None)
        self._task = asyncio.create_task(self._stay(line))
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for document in self._documents.values():
            document.end()
        if self._line:
            await self._line.close()

    @property
    def is_connected(self) -> bool:
        return self._line is not None

    async def open(
        self,
        name: str,
        text: str | None = None,
        words: Sequence[str] | None = None,
        options: OptionChanges | None = None,
    ) -> Document:
        """Open and return a new document, of text or of given words."""
        if self._end:
            raise self._end
        if words is None:
            text = text or ""
        given = None if words is None else [*words]
        opening = Open(name, 0, text=text, words=given, options=options or OptionChanges())
        document = Document(self._send, opening)
        if name in self._documents and not self._documents[name].is_over:
            raise InputError(f"the document {name!r:.40} is open: close it first, or choose another name")
        self._documents[name] = document
        await document.say(opening)
        return document

    # --- connection -----------------------------------------------------------------------------------------

    async def _join(self, resume: str | None) -> Line:
        self._line = line = await self._address.join(resume)
        self.welcome = line.welcome
        self.connections += 1
        return line

    async def _stay(self, line: Line) -> None:
        """Read messages, and connect again after each loss, until the loss is permanent."""
        try:
            while True:
                try:
                    await self._use(line)
                except DisconnectedError as lost:
                    line = await self._come_back(lost)
        except Exception as error:
            self._end = error
            for document in self._documents.values():
                document.end(error)

    async def _come_back(self, lost: DisconnectedError) -> Line:
        longest = FIRST_PAUSE
        while lost.temporary:
            await asyncio.sleep((lost.retry_after or 0) + uniform(0, longest))
            longest = min(2 * longest, LONGEST_PAUSE)
            try:
                line = await self._join(resume=self.welcome.session)
            except DisconnectedError as again:
                lost = again
            else:
                await self._say_again()
                return line
        raise lost

    async def _use(self, line: Line) -> None:
        """Read messages until the connection is lost, which raises DisconnectedError."""
        at_work = [
            asyncio.create_task(work) for work in (line.beat(self._send), line.watch(), self._release())
        ]
        try:
            while True:
                await self._take(await line.next())
        finally:
            self._line = None
            for task in at_work:
                task.cancel()
            await line.close()

    # --- messages -------------------------------------------------------------------------------------------

    async def _send(self, *events: FromClient | Event) -> None:
        """Send events if there is a connection; otherwise the documents send them again later."""
        async with self._sending:
            for event in events:
                await self._write(event)
                if isinstance(event, Close):
                    self._documents.pop(event.document, None)

    async def _release(self) -> None:
        """Send gathered changes, in a task beside the reading of answers."""
        while True:
            await self._is_free.wait()
            self._is_free.clear()
            async with self._sending:
                for event in [
                    one for document in self._documents.values() for one in document.changes.released()
                ]:
                    await self._write(event)

    async def _write(self, event: FromClient | Event) -> None:
        if self._line:
            if isinstance(event, Close):
                self._closing[event.document] += 1
            await self._line.send(event)

    async def _say_again(self) -> None:
        """Send everything that the server does not have, before newer events."""
        async with self._sending:
            held = {one.document: one.version for one in self.welcome.documents}
            # a server that holds less than it has answered has lost data
            whole = {name for name, one in self._documents.items() if 0 <= one.answered <= held.get(name, -1)}
            events: list[Event] = [Close(name) for name in held if name not in whole]
            for name, document in self._documents.items():
                events += document.resume(held[name]) if name in whole else document.open_again()
            self._closing.clear()
            for event in events:
                await self._write(event)

    async def _take(self, message: Welcome | Readiness | Pong | AnyMessage) -> None:
        if isinstance(message, Pong | Welcome | Readiness):
            return
        for document in self._concerned(message.document):
            events = document.take(message)
            if events:
                await self._send(*events)
            if document.changes.is_free:
                self._is_free.set()
        if isinstance(message, ClosedMessage) and self._closing[message.document]:
            self._closing[message.document] -= 1

    def _concerned(self, name: str | None) -> Sequence[Document]:
        """Return the documents that a message is about: one by name, or all.

        While a former document of that name is being closed, return none.
        """
        if name is None:
            return [*self._documents.values()]
        return [self._documents[name]] if name in self._documents and not self._closing[name] else []


def connect(
    url: str,
    token: str | None = None,
    encoding: EncodingName = "msgpack",
    model: str | None = None,
    heartbeat: float = HEARTBEAT,
) -> Client:
    """Return a client for an async context, which raises DisconnectedError if the first attempt fails."""
    return Client(Address(url, token, ENCODINGS[encoding], model, heartbeat))
