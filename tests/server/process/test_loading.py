from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from pathlib import Path

import pytest

from treewhile.server.process.loading import Loading
from treewhile.server.process.server import Server
from treewhile.server.process.warming import GIVEN_UP, Progress
from treewhile.server.work.served_models import ServedModels


@pytest.mark.slow
async def test_code_and_models_are_left_out_of_later_collections(
    model_file: Callable[..., Path],
) -> None:
    server = Server(levels=())
    await server.start()
    models = ServedModels([str(model_file())])
    loading = Loading(server, models, lambda line: None, Progress(lambda: None))
    assert not gc.get_freeze_count()
    try:
        loading.begin_first(asyncio.Event())
        await server.preparations.loaded()
        assert [*server.preparations.engines] == ["tiny"]
        while not gc.get_freeze_count():
            await asyncio.sleep(0.01)
        assert gc.get_freeze_count() > 10_000
    finally:
        await loading.end()
        gc.unfreeze()
        await server.close()


@pytest.mark.slow
async def test_models_that_are_loaded_anew_leave_no_session_without_its_search(
    model_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "treewhile.server.process.loading.is_warm", lambda engines, level: level not in ("L2", "steps")
    )
    server, asked = Server(levels=()), asyncio.Event()
    await server.start()
    progress = Progress(asked.set)
    loading = Loading(server, ServedModels([str(model_file())]), lambda line: None, progress)
    try:
        loading.begin_first(asyncio.Event())
        await asked.wait()
        before = server.preparations.engines
        loading.begin_again()
        progress.take(GIVEN_UP)
        while server.preparations.engines is before:
            await asyncio.sleep(0.01)
        assert all(engine.searcher for engine in [*before.values(), *server.preparations.engines.values()])
    finally:
        await loading.end()
        gc.unfreeze()
        await server.close()
