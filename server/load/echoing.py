"""A bare echo server of the same library and loop, the floor of a bench.

`python -m treewhile.server.load.echoing` says where it is, and serves.
"""

from __future__ import annotations

import asyncio

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from treewhile.server.process.running import loop_factory
from treewhile.server.protocol.frames import ENCODINGS


async def echo(socket: ServerConnection) -> None:
    """Says everything again."""
    try:
        async for frame in socket:
            await socket.send(frame)
    except ConnectionClosed:
        pass


async def main() -> None:
    """Serves until the process ends."""
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
