"""Ports of this machine that nobody uses."""

from __future__ import annotations

import socket


def free_port() -> int:
    """One that was free a moment ago."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port
