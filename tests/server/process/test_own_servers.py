from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from treewhile.oracles.errors import InputError
from treewhile.server.load.measurements import server_on_its_core
from treewhile.server.process.own_servers import SERVE, OwnServer, own_server

SLEEPY = "import time; print('ready: ws://127.0.0.1:1/', flush=True); time.sleep(60)"


@contextmanager
def sleepy() -> Iterator[OwnServer]:
    before = getattr(os, "sched_getaffinity", lambda _: None)(0)
    with server_on_its_core([sys.executable, "-c", SLEEPY], print, has_search=False) as own:
        yield own
    assert getattr(os, "sched_getaffinity", lambda _: None)(0) == before


def test_an_own_server_has_an_address_and_a_use_and_ends_with_its_block() -> None:
    with sleepy() as own:
        assert own.url == "ws://127.0.0.1:1/"
        use = own.use()
        assert use is None or use.memory_bytes > 1 << 20
    with pytest.raises(ProcessLookupError):
        os.kill(own.pid, 0)


def test_a_server_that_cannot_start_says_why() -> None:
    with (
        pytest.raises(InputError, match=r"could not start.*there is neither an installed model"),
        own_server([*SERVE, "--model", "xx"]),
    ):
        pass
