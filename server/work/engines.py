"""Engines of a server: its models, each with its searcher."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from time import perf_counter

from treewhile.incremental.constraints.search.searcher import searcher_for
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.sessions.jobs import Clock
from treewhile.incremental.sessions.options import DEFAULT_OPTIONS, DocumentOptions
from treewhile.incremental.sessions.session import Session
from treewhile.oracles.errors import InputError
from treewhile.server.work.served_models import ServedModels


class Engine:
    """Model with its searcher, which is None if nothing is searched for in the model's language."""

    def __init__(self, name: str, model: Model) -> None:
        self.name, self.model = name, model
        self.searcher = searcher_for(model)

    def new_session(self, clock: Clock = perf_counter, options: DocumentOptions = DEFAULT_OPTIONS) -> Session:
        return Session(self.model, self.searcher, clock, options)


def load_engines(names: Iterable[str], trees: str | None = None) -> dict[str, Engine]:
    """Return engines by the names of their models, in the given order, ready for sessions."""
    engines = [Engine(_short(name), load_model(name, trees)) for name in names]
    for engine in engines:
        engine.new_session()
    found = {engine.name: engine for engine in engines}
    if len(found) < len(engines):
        raise InputError("two models have the same name: clients could not choose, rename one of the files")
    return found


def _short(name: str) -> str:
    return Path(name).stem if name.endswith(".safetensors") else name


async def load_beside_loop(models: ServedModels) -> dict[str, Engine]:
    """Load engines in a thread of its own, which does not delay the end of the process."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[dict[str, Engine]] = loop.create_future()

    def tell(say: Callable[..., None], what: object) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(lambda: None if future.done() else say(what))

    def load() -> None:
        try:
            tell(future.set_result, load_engines(*models))
        except BaseException as error:
            tell(future.set_exception, error)

    threading.Thread(target=load, name="getting ready", daemon=True).start()
    return await future
