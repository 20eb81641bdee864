"""Client websockets of the load generator: the websockets protocol on a bare transport, without tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidURI
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from treewhile.server.errors import DisconnectedError
from treewhile.server.protocol.frames import MSGPACK

PATIENCE: Final = 10.0  # seconds for the handshake


class ClientSocket(asyncio.Protocol):
    """Websocket that passes binary messages to `hear`, and its close code, if any, to `lose`."""

    def __init__(
        self, protocol: ClientProtocol, hear: Callable[[bytes], None], lose: Callable[[int | None], None]
    ) -> None:
        self._protocol, self._hear, self._lose = protocol, hear, lose
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def send(self, message: bytes) -> None:
        if self._protocol.state is State.OPEN:
            self._protocol.send_binary(message)
            self._write()

    def close(self) -> None:
        """Close the connection without a closing handshake."""
        self._transport.abort()

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._protocol.send_request(self._protocol.connect())
        self._write()

    def data_received(self, data: bytes) -> None:
        self._protocol.receive_data(data)
        for event in self._protocol.events_received():
            if not isinstance(event, Frame):
                self._end_handshake()
            elif event.opcode is Opcode.BINARY:
                self._hear(bytes(event.data))
        self._write()
        if self._protocol.state is State.CLOSING:
            self.close()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.opened.done():
            self.opened.set_exception(DisconnectedError("the server hangs up: check its address"))
        closing = self._protocol.close_rcvd
        self._lose(closing.code if closing else None)

    def _end_handshake(self) -> None:
        refused = self._protocol.handshake_exc
        if refused is None:
            self.opened.set_result(None)
        else:
            self.opened.set_exception(DisconnectedError(f"the server refuses ({refused}): check its address"))

    def _write(self) -> None:
        self._transport.writelines(self._protocol.data_to_send())


async def open_socket(
    url: str, hear: Callable[[bytes], None], lose: Callable[[int | None], None]
) -> ClientSocket:
    """Return a socket after its handshake; raise DisconnectedError or OSError if that fails."""
    try:
        place = parse_uri(url)
    except InvalidURI:
        wrong = f"{url!r:.80} is no address: give one like ws://host:port"
        raise DisconnectedError(wrong, temporary=False) from None
    protocol = ClientProtocol(place, subprotocols=[Subprotocol(MSGPACK.name)], max_size=None)
    async with asyncio.timeout(PATIENCE):
        _, socket = await asyncio.get_running_loop().create_connection(
            partial(ClientSocket, protocol, hear, lose), place.host, place.port, ssl=place.secure or None
        )
        await socket.opened
    return socket
