"""Ports of this machine that nobody uses."""

from __future__ import annotations

import random
import socket
from contextlib import ExitStack, suppress
from typing import Final

PORTS: Final = range(12000, 28000)  # below those that systems give to whoever asks for any
TRIES: Final = 100


def free_port() -> int:
    """Return a port that was free a moment ago, and that no client is given by chance."""
    return free_ports(1)


def free_ports(count: int) -> int:
    """Return the first of several free ports in a row."""
    for first in random.SystemRandom().sample(PORTS, TRIES):
        with suppress(OSError), ExitStack() as held:
            for port in range(first, first + count):
                held.enter_context(socket.create_server(("127.0.0.1", port)))
            return first
    raise AssertionError("no port is free")
