"""Websockets of a load, which must cost less than the server: the handshake by the library, frames by hand.

A message is one binary frame, both ways, as treewhile's servers send them. Frames are masked with zeros,
which leaves them as they are: a mask protects from web pages, of which there is none here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidURI
from websockets.frames import Opcode
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from treewhile.server.errors import DisconnectedError
from treewhile.server.protocol.frames import MSGPACK

LAST: Final = 0x80  # of the first byte: the message ends with this frame
MASKED, NO_MASK = 0x80, bytes(4)
LENGTH_IN: Final = {126: 2, 127: 8}  # bytes, for lengths of which the second byte says no more than that
END_OF_HEAD: Final = b"\r\n\r\n"
PATIENCE: Final = 10.0  # seconds for the handshake


class FrameSocket(asyncio.Protocol):
    """One socket: `hear` gets each message, `lose` the code of the end, if there was one."""

    def __init__(
        self, opening: ClientProtocol, hear: Callable[[bytes], None], lose: Callable[[int | None], None]
    ) -> None:
        self._opening, self._hear, self._lose = opening, hear, lose
        self._rest = b""
        self._code: int | None = None
        self._is_open = False
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def send(self, message: bytes) -> None:
        self._send(message, Opcode.BINARY)

    def close(self) -> None:
        """Hangs up, without a word."""
        self._transport.abort()

    def _send(self, payload: bytes, code: Opcode) -> None:
        self._transport.write(framed(payload, code))

    # --- for the loop ---------------------------------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._opening.send_request(self._opening.connect())
        transport.writelines(self._opening.data_to_send())

    def data_received(self, data: bytes) -> None:
        data = self._rest + data if self._rest else data
        if not self._is_open:
            data = self._after_handshake(data)
        self._rest = self._take_frames(data) if self._is_open else data

    def connection_lost(self, error: Exception | None) -> None:
        if not self.opened.done():
            self.opened.set_exception(DisconnectedError("the server hangs up: check its address"))
        self._lose(self._code)

    # --- frames ---------------------------------------------------------------------------------------------

    def _after_handshake(self, data: bytes) -> bytes:
        head, end, rest = data.partition(END_OF_HEAD)
        if not end:
            return data
        self._opening.receive_data(head + end)
        refused = self._opening.handshake_exc
        self._is_open = refused is None
        if refused is None:
            self.opened.set_result(None)
        else:
            self.opened.set_exception(DisconnectedError(f"the server refuses ({refused}): check its address"))
        return rest

    def _take_frames(self, data: bytes) -> bytes:
        """Hands over all that is whole; what is left."""
        at, end = 0, len(data)
        while end - at >= 2:
            first, length, begin = data[at], data[at + 1], at + 2
            if length >= 126:
                begin += LENGTH_IN[length]
                length = int.from_bytes(data[at + 2 : begin], "big")
            at_next = begin + length
            if at_next > end:
                break
            if first == LAST | Opcode.BINARY:
                self._hear(data[begin:at_next])
            else:
                self._take_control(first, data[begin:at_next])
            at = at_next
        return data[at:]

    def _take_control(self, first: int, payload: bytes) -> None:
        if first == LAST | Opcode.PING:
            self._send(payload, Opcode.PONG)
        elif first != LAST | Opcode.PONG:
            self._code = int.from_bytes(payload[:2], "big") if first == LAST | Opcode.CLOSE else None
            self.close()


def framed(payload: bytes, code: Opcode = Opcode.BINARY) -> bytes:
    """As a client sends it."""
    length = len(payload)
    if length < 126:
        return bytes((LAST | code, MASKED | length)) + NO_MASK + payload
    short = 126 if length < 1 << 16 else 127
    head = bytes((LAST | code, MASKED | short)) + length.to_bytes(LENGTH_IN[short], "big")
    return head + NO_MASK + payload


async def open_socket(
    url: str, hear: Callable[[bytes], None], lose: Callable[[int | None], None]
) -> FrameSocket:
    """A socket after its handshake. DisconnectedError or OSError where there is none."""
    try:
        place = parse_uri(url)
    except InvalidURI:
        what = f"{url!r:.80} is no address: give one like ws://host:port"
        raise DisconnectedError(what, temporary=False) from None
    opening = ClientProtocol(place, subprotocols=[Subprotocol(MSGPACK.name)])
    async with asyncio.timeout(PATIENCE):
        _, socket = await asyncio.get_running_loop().create_connection(
            partial(FrameSocket, opening, hear, lose), place.host, place.port, ssl=place.secure or None
        )
        await socket.opened
    return socket
