"""The client: documents on a server, whose analyses come while words go there.

    async with connect("ws://127.0.0.1:8080") as client, await client.open("letter", words=[]) as document:
        await document.append("Peter", "drives")
        async for analysis in document.analyses():
            print(analysis.stage, [word.head for word in analysis.words])

When the connection is lost, the client comes back: at once, then after longer and longer times of random
length. It goes on with its session; if that is gone, it opens its documents again with their present words.
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

FIRST_PAUSE, LONGEST_PAUSE = 0.25, 30.0  # seconds between attempts to connect; each is at random below them
HEARTBEAT: Final = 15.0  # seconds


class Client:
    """A connection to a server that lasts. Made by `connect`.

    welcome       what the server said last
    is_connected  whether there is a connection at this moment
    connections   how many there have been
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._documents: dict[str, Document] = {}
        self._closing = Counter[str]()  # documents whose end is not confirmed, by their names
        self._sending = asyncio.Lock()
        self._is_free = asyncio.Event()  # what was gathered in some document
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
        """A new document, of text or of given words."""
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

    # --- the line -------------------------------------------------------------------------------------------

    async def _join(self, resume: str | None) -> Line:
        self._line = line = await self._address.join(resume)
        self.welcome = line.welcome
        self.connections += 1
        return line

    async def _stay(self, line: Line) -> None:
        """Reads, and comes back when the connection is lost, until it is lost for good."""
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
        """Reads. Ends with a DisconnectedError."""
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
        """Sends them if there is a connection; what is lost otherwise is said again by the documents."""
        async with self._sending:
            for event in events:
                await self._write(event)
                if isinstance(event, Close):
                    self._documents.pop(event.document, None)

    async def _release(self) -> None:
        """Sends what was gathered while something else was unanswered, beside the reading of more answers."""
        while True:
            await self._is_free.wait()
            self._is_free.clear()
            async with self._sending:
                for event in [
                    one for document in self._documents.values() for one in document.sent.released()
                ]:
                    await self._write(event)

    async def _write(self, event: FromClient | Event) -> None:
        if self._line:
            if isinstance(event, Close):
                self._closing[event.document] += 1
            await self._line.send(event)

    async def _say_again(self) -> None:
        """What the server does not have yet, before anything newer."""
        async with self._sending:
            held = {one.document: one.version for one in self.welcome.documents}
            # a server that holds less than it has answered has lost something
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
            if document.sent.is_free:
                self._is_free.set()
        if isinstance(message, ClosedMessage) and self._closing[message.document]:
            self._closing[message.document] -= 1

    def _concerned(self, name: str | None) -> Sequence[Document]:
        """The document of a name, or all; not one whose name another one had that is still being closed."""
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
    """A client, to be used as an async context. The first connection is tried once: a DisconnectedError."""
    return Client(Address(url, token, ENCODINGS[encoding], model, heartbeat))
