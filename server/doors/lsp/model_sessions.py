"""Sessions by model: models load while the editor is served, and jobs run in threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from treewhile.incremental.embedding.loops import on_loop
from treewhile.incremental.embedding.threaded_sessions import ThreadedSession
from treewhile.incremental.messages import AnyMessage
from treewhile.server.process.compiling_process import Say
from treewhile.server.process.short_waits import leave_out_of_collections
from treewhile.server.process.warming import Compiling, in_thread, is_warm, warm
from treewhile.server.work.engines import load_engines
from treewhile.server.work.served_models import ServedModels

LEVELS: Final = ("L0", "L1", "L2")  # levels that editors use


class ModelSession:
    """Session with a model; `is_ready` is true once the model is loaded.

    say   function that reports slow steps in a line
    tell  function that gets messages, called on the event loop
    """

    def __init__(self, model: str, say: Say, tell: Callable[[list[AnyMessage]], None]) -> None:
        self._model, self._say, self._tell = model, say, tell
        self._session: ThreadedSession | None = None

    @property
    def is_ready(self) -> bool:
        return self._session is not None

    async def load(self) -> None:
        """Load the model and its compiled kernels; raise InputError if that is impossible."""
        engines = await in_thread(load_engines, [self._model])
        compiling = Compiling(ServedModels([self._model]), self._say, lambda share: None)
        for level in LEVELS:
            if not await in_thread(is_warm, engines.values(), level):
                await compiling.until(level)
                await in_thread(warm, engines.values(), level)
        await compiling.end()
        leave_out_of_collections()
        [engine] = engines.values()
        self._session = ThreadedSession(engine.new_session(), on_news=on_loop(self._read))

    def receive(self, event: object) -> None:
        """Process an event about a document; the model has to be loaded."""
        assert self._session
        self._session.receive(event)

    def _read(self) -> None:
        assert self._session
        messages = self._session.take_messages()
        if messages:
            self._tell(messages)
