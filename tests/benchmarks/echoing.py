"""A server of the same library and loop that only acknowledges versions: the floor of a bench.

`python tests/benchmarks/echoing.py` prints its address, and serves.
"""

from __future__ import annotations

import asyncio
from typing import Final

import msgspec
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from treewhile.server.process.running import loop_factory
from treewhile.server.protocol.frames import ENCODINGS


class Asked(msgspec.Struct):
    """Fields of a message that decide its answer."""

    type: str
    version: int = 0


DECODE: Final = msgspec.msgpack.Decoder(Asked).decode


def answer_to(frame: bytes, filling: str = "") -> bytes:
    """Return a welcome to a hello, and an answer without analyses to all else."""
    asked = DECODE(frame)
    if asked.type == "hello":
        return msgspec.msgpack.encode({"type": "welcome", "session": "echo"})
    return msgspec.msgpack.encode({"type": "echo", "answers": [asked.version], "filling": filling})


async def echo(socket: ServerConnection) -> None:
    try:
        async for frame in socket:
            await socket.send(answer_to(bytes(frame)))
    except ConnectionClosed:
        pass


async def main() -> None:
    """Serve until the process ends."""
    protocols = [Subprotocol(name) for name in ENCODINGS]
    async with serve(
        echo, "127.0.0.1", 0, subprotocols=protocols, compression=None, ping_interval=None
    ) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        print(f"ready: ws://127.0.0.1:{port}/", flush=True)
        await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(main())
