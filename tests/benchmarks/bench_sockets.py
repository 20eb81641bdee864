"""What the websocket library costs: one letter in, two answers out, at servers that do nothing else.

    websockets   the library's own loop, `async for` and `send`
    guarded      treewhile's own socket, as its server uses it: a listener, both answers in one `send_at_once`
    picows       the library of that name, where somebody has installed it (--picows says where, if not here)
    by hand      frames read and written in an `asyncio.Protocol`: what is left without any library

All on one core in turns, the load on the others; processor time of the server a letter, in milliseconds,
median and range over rounds. Answers have 650 bytes each, as analyses by letters have them on average.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any, Final

from echoing import answer_to
from rich.console import Console
from rich.table import Table
from websockets.asyncio.server import ServerConnection, serve
from websockets.frames import apply_mask
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from treewhile.server.connections.sockets import GuardedSocket
from treewhile.server.load.measurements import Load, measure_at, server_on_its_core
from treewhile.server.process.running import loop_factory
from treewhile.server.protocol.frames import ENCODINGS

ANSWERS, ANSWER_BYTES = 2, 650
PROTOCOLS: Final = [Subprotocol(name) for name in ENCODINGS]
FILLING: Final = "x" * (ANSWER_BYTES - 60)
FIRST_BYTE, MASK_BYTES = 0x82, 4  # of a binary frame; of a frame of a client


def answers(frame: bytes) -> list[bytes]:
    """Return two answers of the usual length."""
    return [answer_to(frame, FILLING)] * ANSWERS


# --- servers ----------------------------------------------------------------------------------------------


async def by_websockets() -> int:
    async def answer(socket: ServerConnection) -> None:
        async for frame in socket:
            for message in answers(bytes(frame)):
                await socket.send(message)

    server = await serve(answer, "127.0.0.1", 0, subprotocols=PROTOCOLS, compression=None, ping_interval=None)
    return next(iter(server.sockets)).getsockname()[1]


async def by_guarded_sockets() -> int:
    async def answer(socket: ServerConnection) -> None:
        assert isinstance(socket, GuardedSocket)
        send = socket.send_at_once
        socket.listen(lambda said, is_text: None if is_text else send(answers(said), is_text=False))
        await socket.wait_closed()

    server = await serve(
        answer, "127.0.0.1", 0, subprotocols=PROTOCOLS, compression=None, create_connection=GuardedSocket
    )
    return next(iter(server.sockets)).getsockname()[1]


async def by_picows() -> int:
    import picows

    class Listener(picows.WSListener):
        def on_ws_frame(self, transport: Any, frame: Any) -> None:
            if frame.msg_type == picows.WSMsgType.BINARY:
                for message in answers(frame.get_payload_as_bytes()):
                    transport.send(picows.WSMsgType.BINARY, message)

    server = await picows.ws_create_server(lambda request: Listener(), "127.0.0.1", 0)
    return server.sockets[0].getsockname()[1]


class Bare(asyncio.Protocol):
    """Knows the frames of the load and no others."""

    def __init__(self) -> None:
        self._opening: ServerProtocol | None = ServerProtocol(subprotocols=PROTOCOLS)

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if self._opening:
            self._opening.receive_data(data)
            (request,) = self._opening.events_received()
            self._opening.send_response(self._opening.accept(request))
            self._transport.writelines(self._opening.data_to_send())
            self._opening = None
            return
        at = 0
        while at < len(data):
            begin = at + 2 + MASK_BYTES
            mask, at = data[at + 2 : begin], begin + (data[at + 1] & 0x7F)
            for message in answers(apply_mask(data[begin:at], mask)):
                head = bytes((FIRST_BYTE, 126)) + len(message).to_bytes(2, "big")
                self._transport.write(head + message)


async def by_hand() -> int:
    server = await asyncio.get_running_loop().create_server(Bare, "127.0.0.1", 0)
    return server.sockets[0].getsockname()[1]


SERVERS: Final[dict[str, Callable[[], Awaitable[int]]]] = {
    "websockets": by_websockets,
    "guarded": by_guarded_sockets,
    "picows": by_picows,
    "by hand": by_hand,
}


async def serve_for_ever(kind: str) -> None:
    print(f"ready: ws://127.0.0.1:{await SERVERS[kind]()}/", flush=True)
    await asyncio.get_running_loop().create_future()


# --- measuring --------------------------------------------------------------------------------------------


def measured(kind: str, typists: int, seconds: float, picows: Path | None) -> float:
    """Milliseconds a letter."""
    where = ["--picows", str(picows)] if picows else []
    command = [sys.executable, __file__, "--serve", kind, *where]
    load = Load(typists, 80, seconds)
    with server_on_its_core(command, print, has_search=False) as own:
        _, told = measure_at(own.url, load, own)
    assert not told["lost"]
    return float(told["server"]["cpu_ms_a_stroke"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--typists", type=int, nargs="+", default=[50, 150, 500])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--picows", type=Path, help="the folder into which it was installed")
    parser.add_argument("--serve", choices=SERVERS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.picows:
        sys.path.append(str(arguments.picows))
    if arguments.serve:
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            runner.run(serve_for_ever(arguments.serve))
    kinds = [kind for kind in SERVERS if kind != "picows" or find_spec("picows")]
    table = Table("typists", *kinds)
    for typists in arguments.typists:
        found: dict[str, list[float]] = {kind: [] for kind in kinds}
        for _ in range(arguments.rounds):
            for kind in kinds:
                found[kind].append(measured(kind, typists, arguments.seconds, arguments.picows))
        cells = [f"{median(each):.3f} ({min(each):.3f} to {max(each):.3f})" for each in found.values()]
        table.add_row(str(typists), *cells)
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
