"""Shelf in an SQLite file on the local disk, which the processes of a machine share.

One thread uses the file. Changes that arrive during a transaction go together into the next one: many
sessions share one fsync, and the event loop never waits for the disk. If the file is damaged, its owner gives
its sessions up, so that no client gets a part of a session.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, NamedTuple, TypeVar

from treewhile.server.stores.session_database import SessionDatabase
from treewhile.server.stores.shelves import Addition, AwayError, Bounds, BrokenError, FullError, Row

GROUP_SECONDS: Final = 0.004  # between transactions, in which changes gather for the next one
CHANGES_BEHIND: Final = 200_000  # about 60 MB: the typing of a hundred people in five minutes

T = TypeVar("T")


class Call(NamedTuple):
    """Function to call in the thread, and its result to come."""

    function: Callable[[], Any]
    is_write: bool
    result: asyncio.Future[Any]


class SqliteShelf:
    """Shelf in the session file of a folder, for one event loop."""

    bounds: Bounds = Bounds(row=256, record=1 << 28, delay=0.0, behind=CHANGES_BEHIND)

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._groups: SimpleQueue[tuple[list[Call], asyncio.AbstractEventLoop] | None] = SimpleQueue()
        Thread(target=self._run, name="sessions", daemon=True).start()
        self._open_database: SessionDatabase | None = None
        self._calls: list[Call] = []
        self._is_busy = self._is_over = False

    # --- interface of every shelf ---------------------------------------------------------------------------

    async def open(self, owner: str) -> None:
        await self._read(partial(self._open, owner))

    async def birth(self) -> str:
        return str(self._folder)  # nothing on this machine outlives the loss of its file

    async def add(self, additions: Sequence[Addition], seconds: float) -> list[int | None]:
        return await self._write(partial(self._database.add, additions))

    async def read(self, key: bytes, seconds: float) -> Row:
        return await self._read(partial(self._database.read, key))

    async def remove(self, key: bytes, after: int) -> None:
        await self._write(partial(self._database.remove, key, after))

    async def keys(self) -> list[bytes]:
        return await self._read(self._database.keys)

    async def beat(self, owner: str) -> None:
        await self._read(self._database.owner.beat)

    async def silences(self) -> Mapping[str, float]:
        return await self._read(self._database.owner.silences)

    async def forget(self, owners: Collection[str]) -> None:
        await self._write(partial(self._database.forget, owners))
        await self._read(partial(self._database.owner.forget, owners))

    async def tell(self, owner: str, key: bytes) -> None:
        await self._write(partial(self._database.tell, owner, key))

    async def told(self, owner: str) -> list[bytes]:
        if await self._read(partial(self._database.told, owner)):
            return await self._write(partial(self._database.forget_told, owner))
        return []

    async def give_up(self) -> None:
        await self._read(partial(self._close, is_whole=False))

    async def close(self) -> None:
        if not self._is_over:
            await self._read(self._close)
            self._is_over = True
            self._groups.put(None)

    # --- calls in groups ------------------------------------------------------------------------------------

    @property
    def _database(self) -> SessionDatabase:
        if self._open_database is None:
            raise AwayError("the session file is closed")
        return self._open_database

    async def _read(self, function: Callable[[], T]) -> T:
        return await self._called(function, False)

    async def _write(self, function: Callable[[], T]) -> T:
        return await self._called(function, True)

    async def _called(self, function: Callable[[], T], is_write: bool) -> T:
        if self._is_over:
            raise AwayError("the session file is closed")
        result: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._calls.append(Call(function, is_write, result))
        if not self._is_busy:
            self._call_all()
        return await result

    def _call_all(self) -> None:
        """Let the thread do all that waits, if anything does."""
        self._is_busy = bool(self._calls)
        if self._calls:
            calls, self._calls = self._calls, []
            self._groups.put((calls, asyncio.get_running_loop()))

    def _take_outcomes(self, outcomes: Sequence[tuple[Call, Any]]) -> None:
        for call, outcome in outcomes:
            if call.result.done():
                continue
            if isinstance(outcome, Exception):
                call.result.set_exception(outcome)
            else:
                call.result.set_result(outcome)
        self._call_all()

    # --- in the thread --------------------------------------------------------------------------------------

    def _run(self) -> None:
        while group := self._groups.get():
            calls, loop = group
            outcomes = self._outcomes(calls)
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._take_outcomes, outcomes)
            if any(call.is_write for call in calls):
                time.sleep(GROUP_SECONDS)

    def _outcomes(self, calls: Sequence[Call]) -> list[tuple[Call, Any]]:
        """Do all writes in one transaction, and then each read; return results and errors."""
        writes = [call for call in calls if call.is_write]
        done: list[tuple[Call, Any]] = []
        if writes:
            try:
                with self._database.transaction():
                    done = [(call, call.function()) for call in writes]
            except Exception as error:
                done = [(call, _explained(error, FullError)) for call in writes]
        for call in calls:
            if not call.is_write:
                try:
                    done.append((call, call.function()))
                except Exception as error:
                    done.append((call, _explained(error, AwayError)))
        return done

    def _open(self, owner: str) -> None:
        self._close()
        database = SessionDatabase(self._folder, owner)
        try:
            database.try_out()
        except BaseException:
            database.close()
            raise
        self._open_database = database

    def _close(self, is_whole: bool = True) -> None:
        database, self._open_database = self._open_database, None
        if database:
            try:
                if not is_whole:
                    database.owner.disown()
            finally:
                database.close()


def _explained(error: Exception, temporary: type[AwayError]) -> Exception:
    if isinstance(error, sqlite3.ProgrammingError):
        return AwayError("the session file is closed")
    if isinstance(error, sqlite3.OperationalError | OSError):
        return temporary(f"the session file does not take changes ({error})")
    if isinstance(error, sqlite3.Error):
        return BrokenError(f"the session file is damaged ({error})")
    return error
