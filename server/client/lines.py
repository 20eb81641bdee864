"""Connection of a client to a server, from welcome to end; each failure is a DisconnectedError."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
from ssl import SSLCertVerificationError
from time import monotonic
from typing import Any, Final, Literal, NamedTuple

import msgspec
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as connect_socket
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI
from websockets.typing import Subprotocol

from treewhile.incremental.sessions.messages import AnyMessage, ErrorMessage, Event
from treewhile.server.errors import DisconnectedError
from treewhile.server.protocol.frames import (
    JSON,
    MSGPACK,
    Encoding,
    FromClient,
    Goodbye,
    Hello,
    Outgoing,
    Ping,
    Pong,
    Readiness,
    Welcome,
)

PATIENCE: Final = 10.0  # seconds for the welcome of the server
LONGEST_MESSAGE: Final = 1 << 26
WRONG: Final = (1002, 1003, 1007, 1008, 1009)  # standard close codes for mistakes of the client

EncodingName = Literal["json", "msgpack"]


class ClientEncoding(NamedTuple):
    """Subprotocol on the side of the client."""

    wire: Encoding
    encode: Callable[[FromClient | Event], bytes]
    decode: Callable[[Any], Outgoing]


ENCODINGS: Final[dict[str, ClientEncoding]] = {
    "json": ClientEncoding(JSON, msgspec.json.Encoder().encode, msgspec.json.Decoder(Outgoing).decode),
    "msgpack": ClientEncoding(
        MSGPACK, msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder(Outgoing).decode
    ),
}


class Address(NamedTuple):
    """Address of a server, with the token and the wishes of the client."""

    url: str
    token: str | None
    encoding: ClientEncoding
    model: str | None
    heartbeat: float

    async def join(self, resume: str | None = None) -> Line:
        """Connect, and return the connection once the server has sent its welcome."""
        socket = await self._socket()
        try:
            return Line(socket, self.encoding, await self._greeted(socket, resume), self.heartbeat)
        except BaseException:
            await socket.close()
            raise

    async def _socket(self) -> ClientConnection:
        try:
            return await connect_socket(
                self.url,
                subprotocols=[Subprotocol(self.encoding.wire.name)],
                compression=None,
                ping_interval=None,
                open_timeout=PATIENCE,
                close_timeout=1,
                max_size=LONGEST_MESSAGE,
                proxy=None,
            )
        except InvalidURI:
            what = f"{self.url!r:.80} is no address: give one like ws://host:port"
            raise DisconnectedError(what, temporary=False) from None
        except SSLCertVerificationError as error:
            what = f"the certificate is not to be trusted ({error.verify_message})"
            raise DisconnectedError(
                f"{what}: ask who runs the server at {self.url} for a valid one"
            ) from None
        except (OSError, InvalidHandshake, TimeoutError) as error:
            what = f"nobody answers ({error or 'too late'})"
            raise DisconnectedError(f"{what}: check that the server runs at {self.url}") from None

    async def _greeted(self, socket: ClientConnection, resume: str | None) -> Welcome:
        hello = Hello(heartbeat=self.heartbeat, resume=resume, model=self.model, token=self.token)
        try:
            async with asyncio.timeout(PATIENCE):
                await socket.send(self.encoding.encode(hello), text=self.encoding.wire.is_text)
                return _welcome_of(self.encoding.decode(await socket.recv()))
        except ConnectionClosed as closed:
            raise _lost(closed) from None
        except TimeoutError:
            raise DisconnectedError(f"no welcome came in {PATIENCE:g} s: try again later") from None
        except msgspec.MsgspecError as error:
            what = f"this is no treewhile server ({error}), {self.url}"
            raise DisconnectedError(what, temporary=False) from None


class Line:
    """Connection on which the server has sent its welcome."""

    def __init__(
        self, socket: ClientConnection, encoding: ClientEncoding, welcome: Welcome, heartbeat: float
    ) -> None:
        self.welcome = welcome
        self._socket, self._encoding = socket, encoding
        self._heartbeat = welcome.heartbeat or heartbeat
        self._heard_at = monotonic()

    async def send(self, event: FromClient | Event) -> None:
        """Send an event; nothing happens on a dead connection, since `next` raises the error."""
        try:
            await self._socket.send(self._encoding.encode(event), text=self._encoding.wire.is_text)
        except ConnectionClosed:
            return

    async def next(self) -> Welcome | Readiness | Pong | AnyMessage:
        """Return the next message of the server."""
        try:
            frame = await self._socket.recv()
        except ConnectionClosed as closed:
            raise _lost(closed) from None
        self._heard_at = monotonic()
        message = self._encoding.decode(frame)
        if isinstance(message, Goodbye):
            raise _told(message)
        return message

    async def beat(self, send: Callable[[Ping], Any]) -> None:
        """Send pings for ever, behind other messages."""
        for number in count(1):
            await asyncio.sleep(self._heartbeat)
            await send(Ping(number))

    async def watch(self) -> None:
        """Abort a connection on which nothing arrives.

        Silence is checked twice: if this process itself stood still, it reads waiting messages between the
        checks.
        """
        silence, looks = 2 * self._heartbeat, 0
        while looks < 2:
            looks = looks + 1 if monotonic() - self._heard_at >= silence else 0
            await asyncio.sleep(silence / 8)
        self._socket.transport.abort()

    async def close(self) -> None:
        """Close the connection."""
        await self._socket.close()


def _welcome_of(message: Outgoing) -> Welcome:
    if isinstance(message, Welcome):
        return message
    if isinstance(message, Goodbye):
        raise _told(message)
    if isinstance(message, ErrorMessage):
        raise DisconnectedError(message.message, temporary=message.temporary)
    raise DisconnectedError("the server does not say welcome", temporary=False)


def _told(goodbye: Goodbye) -> DisconnectedError:
    return DisconnectedError(goodbye.reason, goodbye.code, goodbye.temporary, goodbye.retry_after)


def _lost(closed: ConnectionClosed) -> DisconnectedError:
    code = closed.rcvd.code if closed.rcvd else None
    reason = closed.rcvd.reason if closed.rcvd and closed.rcvd.reason else "try again later"
    is_wrong = code is not None and (code in WRONG or 4400 <= code < 4500)
    return DisconnectedError(f"the connection is lost: {reason}", code, not is_wrong)
