"""Shelf that is tried until it answers, opened when that is needed, and given up once it is broken."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, TypeVar

from treewhile.oracles.errors import InputError
from treewhile.server.logs import Log, place_of
from treewhile.server.stores.session_store import NotFoundYetError
from treewhile.server.stores.shelves import AwayError, BrokenError, Row, Shelf, SlowError

SHORTEST_WAIT, LONGEST_WAIT = 1.0, 8.0  # bounds of the time for an answer of the shelf
PAUSES: Final = (0.05, 0.25)  # seconds between attempts: the first and the longest

T = TypeVar("T")


class PatientShelf:
    """Shelf of one owner.

    owner      random name of this run of the process; another one after the shelf was given up
    is_well    false from the time when the shelf was given up until it is opened again
    patience   seconds in which the shelf has to answer
    ending     set when the server ends
    """

    def __init__(self, shelf: Shelf, log: Log, forget_all: Callable[[], None]) -> None:
        self.shelf, self._log, self._forget_all = shelf, log, forget_all
        self.owner, self.is_well, self.patience = secrets.token_hex(8), True, SHORTEST_WAIT
        self.ending = asyncio.Event()
        self._opening, self._is_open = asyncio.Lock(), False
        self._complaint = ""  # last logged error of the shelf

    async def attempt(self, doing: Callable[[], Awaitable[T]]) -> T:
        """Do something once with the open shelf; raise AwayError if that fails."""
        try:
            await self._open()
            return await doing()
        except BrokenError as error:
            await self._give_up(error)
            raise
        except (AwayError, NotFoundYetError):
            raise
        except InputError as error:
            raise AwayError(str(error)) from None
        except Exception as error:
            raise AwayError(place_of(error)) from None

    async def insisting(self, doing: Callable[[], Awaitable[T]]) -> T:
        """Try until the shelf answers, is broken, or the server ends; log each error once."""
        pause, longest = PAUSES
        while True:
            try:
                done = await self.attempt(doing)
            except BrokenError:
                raise
            except AwayError as error:
                self.note_trouble(error)
                if self.ending.is_set():
                    raise
            else:
                self._note_answer()
                return done
            await asyncio.sleep(pause)
            pause = min(2 * pause, longest)

    async def read(self, key: bytes) -> Row:
        """Read the row of a key, and adapt the time allowed for answers to the speed of the shelf.

        Late writes are found by reading. Writes sent to a NATS leader that stands still are lost, however
        long one waits.
        """
        patience = self.patience
        try:
            row = await self.shelf.read(key, patience)
        except SlowError:
            self.patience = min(2 * patience, LONGEST_WAIT)
            raise
        self.patience = max(patience / 2, SHORTEST_WAIT)
        return row

    def note_trouble(self, error: AwayError) -> None:
        """Log an error, unless it was the last one."""
        if self._complaint != str(error):
            self._complaint = str(error)
            self._log.error("sessions go on, and are acknowledged when the store has them", error=str(error))

    def _note_answer(self) -> None:
        if self._complaint:
            self._complaint = ""
            self._log.info("the store answers again")

    async def _open(self) -> None:
        async with self._opening:
            if self._is_open:
                return
            await self.shelf.open(self.owner)
            self._is_open = True
        if not self.is_well:
            self.is_well = True
            self._log.info("new sessions are kept again")

    async def _give_up(self, error: BrokenError) -> None:
        """Give up all stored sessions of this owner, since they are no longer complete."""
        async with self._opening:
            with suppress(AwayError):
                await self.shelf.give_up()
            self.owner, self._is_open = secrets.token_hex(8), False
        was_well, self.is_well, self._complaint = self.is_well, False, ""
        self._forget_all()
        if was_well:
            self._log.error("sessions are not kept from now on", error=str(error))
