"""What a browser transfers when the page is opened, and when it is opened again."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from real_servers import RealServer

MOST_BYTES = 200 * 1024  # of the whole page, with its headers


class Transfers:
    """Files that a browser gets from the network, from now on."""

    def __init__(self, page: Any) -> None:
        self.statuses: dict[str, int] = {}
        self.bytes = 0
        network = page.context.new_cdp_session(page)
        network.on("Network.responseReceivedExtraInfo", self._note)
        network.on("Network.loadingFinished", self._count)
        network.send("Network.enable")

    def _note(self, told: dict[str, Any]) -> None:
        if told["statusCode"] != 101:
            self.statuses[told["requestId"]] = told["statusCode"]

    def _count(self, told: dict[str, Any]) -> None:
        self.bytes += told["encodedDataLength"]


@pytest.fixture
def opened(new_page: Callable[..., Any], real_server: RealServer) -> tuple[Any, Transfers]:
    page = new_page()
    transfers = Transfers(page)
    page.goto(real_server.address)
    page.wait_for_selector(".cm-content")
    page.wait_for_load_state("networkidle")
    return page, transfers


def test_the_page_comes_compressed(opened: tuple[Any, Transfers]) -> None:
    page, transfers = opened
    assert 200 in transfers.statuses.values()
    assert 50 * 1024 < transfers.bytes < MOST_BYTES
    assert page.mistakes == []


def test_a_reload_transfers_nothing(opened: tuple[Any, Transfers]) -> None:
    page, transfers = opened
    first = len(transfers.statuses)
    for _ in range(2):
        transfers.statuses.clear()
        transfers.bytes = 0
        page.reload()
        page.wait_for_selector(".cm-content")
        page.wait_for_load_state("networkidle")
        assert set(transfers.statuses.values()) <= {304}, json.dumps(transfers.statuses)
        assert transfers.bytes < 1024 * first
    assert page.mistakes == []
