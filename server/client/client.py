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
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from random import uniform
from time import monotonic
from typing import Any, Final, Literal

import msgspec
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as connect_socket
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI
from websockets.typing import Subprotocol

from treewhile.incremental.sessions.messages import Close, ClosedMessage, ErrorMessage, Event, OptionChanges
from treewhile.oracles.errors import InputError
from treewhile.server.client.documents import Document, SentText, SentWords
from treewhile.server.errors import DisconnectedError, DocumentError
from treewhile.server.protocol import frames as wire
from treewhile.server.protocol.frames import (
    FromClient,
    Goodbye,
    Hello,
    Outgoing,
    Ping,
    Pong,
    Readiness,
    Welcome,
)

__all__ = ["Client", "DisconnectedError", "Document", "DocumentError", "connect"]

FIRST_PAUSE, LONGEST_PAUSE = 0.25, 30.0  # seconds between attempts to connect; each is at random below them
HEARTBEAT: Final = 15.0  # seconds
PATIENCE: Final = 10.0  # seconds that the server has for its welcome
LONGEST_MESSAGE: Final = 1 << 26
WRONG: Final = (1002, 1003, 1007, 1008, 1009)  # codes of the standard that say that the client is to blame

EncodingName = Literal["json", "msgpack"]
ENCODINGS: Final[
    dict[str, tuple[wire.Encoding, Callable[[FromClient | Event], bytes], Callable[[Any], Any]]]
] = {
    "json": (wire.JSON, msgspec.json.Encoder().encode, msgspec.json.Decoder(Outgoing).decode),
    "msgpack": (wire.MSGPACK, msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder(Outgoing).decode),
}


class Client:
    """A connection to a server that lasts. Made by `connect`.

    welcome       what the server said last
    is_connected  whether there is a connection at this moment
    connections   how many there have been
    """

    def __init__(
        self, url: str, token: str | None, encoding: EncodingName, model: str | None, heartbeat: float
    ) -> None:
        self._url, self._token, self._model, self._heartbeat = url, token, model, heartbeat
        self._encoding, self._encode, self._decode = ENCODINGS[encoding]
        self._documents: dict[str, Document] = {}
        self._closing = Counter[str]()  # documents whose end is not confirmed, by their names
        self._sending = asyncio.Lock()
        self._socket: ClientConnection | None = None
        self._task: asyncio.Task[None] | None = None
        self._end: Exception | None = None
        self._heard_at = 0.0
        self.welcome: Welcome
        self.connections = 0

    async def __aenter__(self) -> Client:
        self._socket = socket = await self._join(resume=None)
        self._task = asyncio.create_task(self._stay(socket))
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for document in self._documents.values():
            document.end()
        if self._socket:
            await self._socket.close()

    @property
    def is_connected(self) -> bool:
        return self._socket is not None

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
        if text is not None and words is not None:
            raise InputError("a document has text or words, not both: leave one out")
        content = SentText(text or "") if words is None else SentWords([*words])
        if name in self._documents and not self._documents[name].is_over:
            raise InputError(f"the document {name!r:.40} is open: close it first, or choose another name")
        document = Document(self._send, name, content, options or OptionChanges())
        self._documents[name] = document
        await document.open()
        return document

    # --- the socket -----------------------------------------------------------------------------------------

    async def _join(self, resume: str | None) -> ClientConnection:
        """A socket that is welcome."""
        try:
            socket = await connect_socket(
                self._url,
                subprotocols=[Subprotocol(self._encoding.name)],
                compression=None,
                ping_interval=None,
                open_timeout=PATIENCE,
                close_timeout=1,
                max_size=LONGEST_MESSAGE,
                proxy=None,
            )
        except InvalidURI:
            raise DisconnectedError(
                f"{self._url!r:.80} is no address: give one like ws://host:port", None, False
            ) from None
        except (OSError, InvalidHandshake, TimeoutError) as error:
            what = f"nobody answers ({error or 'too late'})"
            raise DisconnectedError(f"{what}: look whether the server runs at {self._url}") from None
        try:
            await self._greet(socket, resume)
        except BaseException:
            await socket.close()
            raise
        return socket

    async def _greet(self, socket: ClientConnection, resume: str | None) -> None:
        hello = Hello(heartbeat=self._heartbeat, resume=resume, model=self._model, token=self._token)
        try:
            async with asyncio.timeout(PATIENCE):
                await socket.send(self._encode(hello), text=self._encoding.is_text)
                self.welcome = self._welcome_of(self._decode(await socket.recv()))
        except ConnectionClosed as closed:
            raise _lost(closed) from None
        except TimeoutError:
            raise DisconnectedError(f"no welcome came in {PATIENCE:g} s: try again later") from None
        except msgspec.MsgspecError as error:
            raise DisconnectedError(
                f"this is no treewhile server ({error}), {self._url}", None, False
            ) from None
        self.connections += 1

    def _welcome_of(self, message: Outgoing) -> Welcome:
        if isinstance(message, Welcome):
            return message
        if isinstance(message, Goodbye):
            raise _told(message)
        what = message.message if isinstance(message, ErrorMessage) else "the server does not say welcome"
        raise DisconnectedError(what, temporary=False)

    async def _stay(self, socket: ClientConnection) -> None:
        """Reads, and comes back when the connection is lost, until it is lost for good."""
        try:
            while True:
                try:
                    await self._use(socket)
                except DisconnectedError as lost:
                    socket = await self._come_back(lost)
        except Exception as error:
            self._end = error
            for document in self._documents.values():
                document.end(error)

    async def _come_back(self, lost: DisconnectedError) -> ClientConnection:
        longest = FIRST_PAUSE
        while lost.temporary:
            await asyncio.sleep((lost.retry_after or 0) + uniform(0, longest))
            longest = min(2 * longest, LONGEST_PAUSE)
            try:
                self._socket = await self._join(resume=self.welcome.session)
                await self._say_again()
            except DisconnectedError as again:
                lost = again
            else:
                return self._socket
        raise lost

    async def _use(self, socket: ClientConnection) -> None:
        """Reads. Ends with a DisconnectedError."""
        self._heard_at = monotonic()
        at_work = [asyncio.create_task(work) for work in (self._beat(), self._watch(socket))]
        try:
            while True:
                frame = await socket.recv()
                self._heard_at = monotonic()
                await self._take(frame)
        except ConnectionClosed as closed:
            raise _lost(closed) from None
        finally:
            self._socket = None
            for task in at_work:
                task.cancel()
            await socket.close()

    async def _beat(self) -> None:
        """Pings, behind what is being sent."""
        for number in count(1):
            await asyncio.sleep(self.welcome.heartbeat or self._heartbeat)
            await self._send(Ping(number))

    async def _watch(self, socket: ClientConnection) -> None:
        """Gives a connection up on which nothing comes, whether or not it still takes anything."""
        silence = 2 * (self.welcome.heartbeat or self._heartbeat)
        while monotonic() - self._heard_at < silence:
            await asyncio.sleep(silence / 8)
        socket.transport.abort()

    # --- messages -------------------------------------------------------------------------------------------

    async def _send(self, event: FromClient | Event) -> None:
        """Sends it if there is a connection; what is lost otherwise is said again by the documents."""
        async with self._sending:
            if self._socket:
                await self._write(self._socket, event)
        if isinstance(event, Close):
            self._documents.pop(event.document, None)

    async def _write(self, socket: ClientConnection, event: FromClient | Event) -> None:
        if isinstance(event, Close):
            self._closing[event.document] += 1
        with suppress(ConnectionClosed):  # the reader finds it, too
            await socket.send(self._encode(event), text=self._encoding.is_text)

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
                if self._socket:
                    await self._write(self._socket, event)

    async def _take(self, frame: str | bytes) -> None:
        message: Outgoing = self._decode(frame)
        if isinstance(message, Goodbye):
            raise _told(message)
        if isinstance(message, Pong | Welcome | Readiness):
            return
        for document in self._concerned(message.document):
            for event in document.take(message):
                await self._send(event)
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
    return Client(url, token, encoding, model, heartbeat)


def _told(goodbye: Goodbye) -> DisconnectedError:
    return DisconnectedError(goodbye.reason, goodbye.code, goodbye.temporary, goodbye.retry_after)


def _lost(closed: ConnectionClosed) -> DisconnectedError:
    code = closed.rcvd.code if closed.rcvd else None
    reason = closed.rcvd.reason if closed.rcvd and closed.rcvd.reason else "try again later"
    is_wrong = code is not None and (code in WRONG or 4400 <= code < 4500)
    return DisconnectedError(f"the connection is lost: {reason}", code, not is_wrong)
