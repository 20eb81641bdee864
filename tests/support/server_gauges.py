"""What a server's metrics show at the moment."""

from __future__ import annotations

from typing import Any


def gauge(server: Any, name: str, **labels: str) -> int:
    """The value of a metric of a server in this process; 0 before there is one."""
    return int(server.metrics.registry.get_sample_value(f"treewhile_{name}", labels) or 0)


def open_connections(server: Any) -> int:
    """How many are open."""
    return gauge(server, "connections")


def closed_for(server: Any, code: int) -> int:
    """How many the server has closed with a code."""
    return gauge(server, "closed_total", code=str(code))
