"""Sessions that outlive their process, on the disk of their machine.

One thread writes. What has come while it waited for the disk goes together into its next transaction: many
sessions share one fsync, and the loop waits for none. Whoever takes a session over, be it in another process,
does so in a transaction; what the one before still had to write is then refused, and so never acknowledged.

Where the disk takes no more, sessions go on in memory; what is on disk of them is given up, so that nobody
gets a part of one. New sessions are kept again as soon as the disk can be written to.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from treewhile.incremental.sessions.messages import Event
from treewhile.server.hosted.hosted_session import HostedSession
from treewhile.server.logs import Log
from treewhile.server.stores.kept_store import KeptStore, MakeSession
from treewhile.server.stores.session_writer import (
    Delete,
    Done,
    Failed,
    Leave,
    News,
    SessionWriter,
    Take,
    Write,
)
from treewhile.server.stores.takeovers import Taken, key_of


class FileStore(KeptStore):
    """Sessions in a folder that other processes share."""

    def __init__(
        self, folder: Path, seconds: float, most_waiting: int, make_session: MakeSession, log: Log
    ) -> None:
        super().__init__(seconds, most_waiting, make_session, log)
        self._is_well = True
        self._loop = asyncio.get_running_loop()
        self._writer = SessionWriter(folder, seconds, most_waiting, self._on_loop)
        self._writer.start()

    async def close(self) -> None:
        """Sessions stay on disk."""
        await asyncio.to_thread(self._writer.end)
        for session in [*self._sessions.values()]:
            self._forget(session)

    # --- for the store --------------------------------------------------------------------------------------

    @property
    def _keeps(self) -> bool:
        return self._is_well

    def _write(self, session: HostedSession, key: bytes, number: int, event: Event) -> None:
        self._writer.tasks.put(Write(key, number, session.engine.name, session.epoch, event))

    def _note_leaving(self, key: bytes) -> None:
        self._writer.tasks.put(Leave(key, time.time()))

    def _delete(self, key: bytes) -> None:
        self._writer.tasks.put(Delete(key))

    async def _take(self, token: str) -> Taken | None:
        if not self._is_well:
            return None
        answer = self._loop.create_future()
        self._writer.tasks.put(Take(key_of(token), answer))
        taken: Taken | None = await answer
        return taken

    # --- from the thread ------------------------------------------------------------------------------------

    def _on_loop(self, news: News) -> None:
        try:
            self._loop.call_soon_threadsafe(self._take_news, news)
        except RuntimeError:  # the loop has ended
            return

    def _take_news(self, news: News) -> None:
        if isinstance(news, Done):
            self._take_done(news)
        elif isinstance(news, Failed):
            self._stop_keeping(news.error)
        else:
            self._is_well = True
            self._log.info("new sessions are kept again")

    def _take_done(self, done: Done) -> None:
        for key in done.lost:
            self._lose(key)
        for key in done.unkept:
            self._stop(key)
        for key, number in done.durable.items():
            self._make_durable(key, number)
        for task, taken in done.taken:
            if not task.answer.done():
                task.answer.set_result(taken)

    def _stop_keeping(self, error: BaseException) -> None:
        kept, self._is_well = self._is_well, False
        for key in [*self._by_key]:
            self._stop(key)
        if kept:
            what = f"{type(error).__name__}: {error}"
            self._log.error("sessions are not kept on disk from now on", error=what)
