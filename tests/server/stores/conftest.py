"""A store of several machines, of each kind that there is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_servers import KINDS, Store


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store = KINDS[request.param](tmp_path / "store")
    yield store
    store.kill()
