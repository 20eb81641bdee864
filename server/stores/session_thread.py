"""Thread that alone uses a session file, so that the event loop never waits for the disk.

Changes that arrive during a transaction go together into the next one: many sessions share one fsync.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, NamedTuple, TypeVar

from treewhile.server.stores.session_file import SessionFile
from treewhile.server.stores.shelves import AwayError, BrokenError, FullError

CLOSED: Final = "the session file is closed"

T = TypeVar("T")


class Call(NamedTuple):
    """Function to call in the thread, and its result to come."""

    function: Callable[[], Any]
    is_write: bool
    result: asyncio.Future[Any]


class SessionThread:
    """Thread for the file of a folder and for one event loop."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: SessionFile | None = None
        self._calls: list[Call] = []
        self._groups: SimpleQueue[tuple[list[Call], asyncio.AbstractEventLoop] | None] = SimpleQueue()
        self._is_busy = self._is_over = False
        Thread(target=self._run, name="sessions", daemon=True).start()

    # --- on the loop ----------------------------------------------------------------------------------------

    async def open(self, owner: str) -> None:
        """Open the file for an owner, and close it before if it is open."""
        await self._called(lambda: self._open(owner), False)

    async def read(self, function: Callable[[SessionFile], T]) -> T:
        """Return the result of a function that changes nothing."""
        return await self._called(lambda: function(self._opened), False)

    async def write(self, function: Callable[[SessionFile], T]) -> T:
        """Return the result of a function that changes rows, once the changes are durable."""
        return await self._called(lambda: function(self._opened), True)

    async def close(self) -> None:
        """Close the file."""
        await self._called(self._close, False)

    async def end(self) -> None:
        """Close the file for good."""
        if not self._is_over:
            await self.close()
            self._is_over = True
            self._groups.put(None)

    async def _called(self, function: Callable[[], T], is_write: bool) -> T:
        if self._is_over:
            raise AwayError(CLOSED)
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

    def _outcomes(self, calls: Sequence[Call]) -> list[tuple[Call, Any]]:
        """Do all writes in one transaction, and then each read; return results and errors."""
        writes = [call for call in calls if call.is_write]
        done: list[tuple[Call, Any]] = []
        if writes:
            try:
                with self._opened.transaction():
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

    @property
    def _opened(self) -> SessionFile:
        if self._file is None:
            raise AwayError(CLOSED)
        return self._file

    def _open(self, owner: str) -> None:
        self._close()
        self._file = SessionFile(self._folder, owner)

    def _close(self) -> None:
        file, self._file = self._file, None
        if file:
            file.close()


def _explained(error: Exception, temporary: type[AwayError]) -> Exception:
    if isinstance(error, sqlite3.OperationalError | OSError):
        return temporary(f"the session file does not take changes ({error})")
    if isinstance(error, sqlite3.Error):
        return BrokenError(f"the session file is damaged ({error})")
    return error
