"""Sessions by model: models load while the editor is served, and jobs run in threads."""

from __future__ import annotations

from collections.abc import Callable

from treewhile.incremental.embedding.async_sessions import on_loop
from treewhile.incremental.embedding.threaded_sessions import ThreadedSession
from treewhile.incremental.messages import AnyMessage
from treewhile.server.process.loading import in_thread
from treewhile.server.process.short_waits import leave_out_of_collections
from treewhile.server.work.engines import load_engines


class ModelSession:
    """Session with a model; `is_ready` is true once the model is loaded.

    tell  function that gets messages, called on the event loop
    """

    def __init__(self, model: str, tell: Callable[[list[AnyMessage]], None]) -> None:
        self._model, self._tell = model, tell
        self._session: ThreadedSession | None = None

    @property
    def is_ready(self) -> bool:
        return self._session is not None

    async def load(self) -> None:
        """Load the model; raise InputError if that is impossible."""
        engines = await in_thread(load_engines, [self._model])
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
