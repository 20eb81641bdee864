from __future__ import annotations

import pytest
from waiting import PATIENCE

from treewhile.server.stores import nats_shelf, redis_shelf


@pytest.fixture
def patient_shelves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stores that are there have as long for an answer as tests wait for anything."""
    for module in (nats_shelf, redis_shelf):
        monkeypatch.setattr(module, "ANSWER_SECONDS", PATIENCE)
