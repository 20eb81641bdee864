from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from pathlib import Path

import pytest

from treewhile.server.process.running import Loading
from treewhile.server.process.server import Server
from treewhile.server.work.engines import Engines
from treewhile.server.work.served_models import ServedModels


@pytest.mark.slow
async def test_code_and_models_are_left_out_of_later_collections(model_file: Callable[..., Path]) -> None:
    server = Server(engines=Engines(ServedModels([str(model_file())])))
    await server.start()
    loading = Loading(server, lambda line: None)
    assert not gc.get_freeze_count()
    try:
        loading.begin_first(asyncio.Event())
        await server.preparations.loaded()
        assert [*server.preparations.engines.loaded] == ["tiny"]
        while not gc.get_freeze_count():
            await asyncio.sleep(0.01)
        assert gc.get_freeze_count() > 10_000
    finally:
        await loading.end()
        gc.unfreeze()
        await server.close()
