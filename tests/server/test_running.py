from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from pathlib import Path

from treewhile.server.running import _Loading
from treewhile.server.serving import Server


async def test_code_and_models_are_left_out_of_later_collections(model_file: Callable[..., Path]) -> None:
    server = Server()
    loading = _Loading(server, [str(model_file())], lambda line: None, has_search=False)
    assert not gc.get_freeze_count()
    try:
        await loading.first()
        assert [*server.engines] == ["tiny"]
        assert gc.get_freeze_count() > 10_000
    finally:
        await asyncio.sleep(0)
        loading.end()
        gc.unfreeze()
