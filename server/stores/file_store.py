"""Store of sessions on the local disk; sessions outlive their process.

One thread writes. Changes that arrive during a write go together into the next transaction: many sessions
share one fsync, and the event loop never waits for the disk. A process takes a session over in a transaction;
later writes of the former owner are then refused, and so never acknowledged.

While the disk is full, sessions go on, and their changes are acknowledged once they are written; nobody can
take a session over meanwhile. If the file is damaged, it is given up, so that no client gets a part of a
session; sessions go on in memory, and new ones are stored again as soon as possible.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from pathlib import Path

from treewhile.incremental.sessions.messages import Event
from treewhile.server.hosted.hosted_session import HostedSession
from treewhile.server.logs import Log
from treewhile.server.stores.kept_store import KeptStore, MakeSession
from treewhile.server.stores.session_store import NotFoundYetError
from treewhile.server.stores.session_writer import (
    Check,
    Delete,
    Done,
    Failed,
    Freed,
    Leave,
    Mended,
    News,
    SessionWriter,
    Stuck,
    Take,
    Write,
)
from treewhile.server.stores.takeovers import Taken, key_of


class FileStore(KeptStore):
    """Store of sessions in a folder that several processes share."""

    def __init__(
        self, folder: Path, seconds: float, most_waiting: int, make_session: MakeSession, log: Log
    ) -> None:
        super().__init__(seconds, most_waiting, make_session, log)
        self._is_well = True
        self._loop = asyncio.get_running_loop()
        self._writer = SessionWriter(folder, seconds, most_waiting, self._on_loop)
        self._writer.start()

    async def close(self) -> None:
        """Stop the writer thread and forget all sessions; they stay on disk."""
        await asyncio.to_thread(self._writer.end)
        for session in [*self._sessions.values()]:
            self._forget(session)

    # --- called by KeptStore --------------------------------------------------------------------------------

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
        self._writer.tasks.put(Take(key_of(token), time.time() - self._seconds, answer))
        taken: Taken | None = await answer
        return taken

    def _ask_after(self, keys: Iterable[bytes]) -> None:
        self._writer.tasks.put(Check(self._standstills))

    # --- called by the writer thread ------------------------------------------------------------------------

    def _on_loop(self, news: News) -> None:
        try:
            self._loop.call_soon_threadsafe(self._take_news, news)
        except RuntimeError:  # the loop has ended
            return

    def _take_news(self, news: News) -> None:
        match news:
            case Done():
                self._take_done(news)
            case Stuck(error):
                self._log.error(
                    "sessions go on, and are acknowledged when the disk has them", error=_said(error)
                )
            case Freed():
                self._log.info("the disk takes changes again")
            case Failed(error):
                self._stop_keeping(error)
            case Mended():
                self._is_well = True
                self._log.info("new sessions are kept again")

    def _take_done(self, done: Done) -> None:
        for key in done.lost:
            self._lose(key)
        for key in done.unkept:
            self._stop(key)
        for key, number in done.durable.items():
            self._make_durable(key, number)
        if done.checked:
            for key in [*self._doubted]:
                self._trust(key, done.checked)
        for task, taken in done.taken:
            if not task.answer.done():
                task.answer.set_result(taken)
        for task in done.untold:
            if not task.answer.done():
                task.answer.set_exception(NotFoundYetError())

    def _stop_keeping(self, error: BaseException) -> None:
        kept, self._is_well = self._is_well, False
        for key in [*self._by_key]:
            if key in self._doubted:
                self._lose(key)
            else:
                self._stop(key)
        if kept:
            self._log.error("sessions are not kept on disk from now on", error=_said(error))


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
