"""Where sessions can be kept: a folder, and a store of several machines of each kind that there is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_servers import KINDS, PLACES, Store, place_in
from waiting import PATIENCE

from treewhile.server.stores import nats_shelf, redis_shelf


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store = KINDS[request.param](tmp_path / "store")
    yield store
    store.kill()


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path | str]:
    store = PLACES[request.param](tmp_path / "place")
    yield place_in(store)
    store.kill()


@pytest.fixture
def patient_shelves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stores that are there have as long for an answer as tests wait for anything."""
    for module in (nats_shelf, redis_shelf):
        monkeypatch.setattr(module, "ANSWER_SECONDS", PATIENCE)
