"""Main program of the desk process, which receives sockets of clients until its standard input ends."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from functools import partial
from socket import recv_fds, socket
from typing import Final

import msgspec

from treewhile.server.doors.desk.exchanges import exchange
from treewhile.server.doors.desk.routes import Answering
from treewhile.server.doors.desk.service import Service
from treewhile.server.logs import json_log
from treewhile.server.process.desk import DeskSettings

LOWEST_RANK: Final = 19
LAST_SECONDS: Final = 60.0  # for open requests, once the process is told to end


def main() -> None:
    """Run the desk, with the descriptor of the channel as argument and settings on standard input."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # signals for the server
        signal.signal(number, signal.SIG_IGN)
    os.nice(LOWEST_RANK)
    settings = msgspec.json.decode(sys.stdin.buffer.readline(), type=DeskSettings)
    asyncio.run(_serve(socket(fileno=int(sys.argv[1])), settings))
    os._exit(0)  # without waiting for a thread that may be computing


async def _serve(channel: socket, settings: DeskSettings) -> None:
    loop, ending, exchanges = asyncio.get_running_loop(), asyncio.Event(), set[asyncio.Task[None]]()
    answering = Answering(Service(settings.served), settings, json_log().bind(desk=os.getpid()))
    channel.setblocking(False)
    loop.add_reader(channel, _take, channel, answering, exchanges)
    loop.add_reader(sys.stdin, ending.set)
    await ending.wait()
    loop.remove_reader(sys.stdin)
    loop.remove_reader(channel)
    if exchanges:
        await asyncio.wait(exchanges, timeout=LAST_SECONDS)


def _take(channel: socket, answering: Answering, exchanges: set[asyncio.Task[None]]) -> None:
    """Receive the next socket, unless another desk process was faster."""
    try:
        _, numbers, _, _ = recv_fds(channel, 1, 1)
    except BlockingIOError:
        return
    for number in numbers:
        task = asyncio.get_running_loop().create_task(_exchange(socket(fileno=number), answering))
        exchanges.add(task)
        task.add_done_callback(exchanges.discard)


async def _exchange(client: socket, answering: Answering) -> None:
    reader, writer = await asyncio.open_connection(sock=client)
    await exchange(reader, writer, partial(answering.answer))


if __name__ == "__main__":
    main()
