"""A served model, in a process of its own, as clients over HTTP meet it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from real_servers import RealServer


@pytest.fixture(scope="session")
def served() -> Iterator[RealServer]:
    with RealServer("en", "--model", "nl") as server:
        server.wait_until_ready()
        yield server
