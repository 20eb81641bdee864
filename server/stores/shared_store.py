"""Store of sessions on a shelf that several servers share; sessions outlive their machine.

Events that arrive during a round trip to the shelf go together with the next one; typing never waits for the
shelf. Each session has one owner at a time. A new owner adds a record to the row of the session; later writes
of the former owner are then refused, and so never acknowledged.

While the shelf does not answer, or is full, sessions go on, and changes are acknowledged once the shelf has
them. The search for a session that is not in this process ends soon then, and its client is asked to come
again.

No decision depends on the clock of another machine: an owner is dead when its heartbeats have stood still for
as long as sessions wait for their clients, on the clock of another owner, which then removes the sessions.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from functools import partial
from itertools import count, islice
from time import monotonic
from typing import Final, TypeVar

import msgspec

from treewhile.incremental.sessions.messages import Event
from treewhile.oracles.errors import InputError
from treewhile.server.hosted.hosted_session import HostedSession
from treewhile.server.logs import Log, place_of
from treewhile.server.stores.kept_store import KeptStore, MakeSession
from treewhile.server.stores.ledgers import Ledger
from treewhile.server.stores.lives import Lives
from treewhile.server.stores.session_store import NotFoundYetError
from treewhile.server.stores.shared_records import Record, decoded, encoded, joined
from treewhile.server.stores.shelves import LARGEST_RECORD, Addition, AwayError, Row, Shelf, SlowError
from treewhile.server.stores.takeovers import Taken, key_of

GROUP_SECONDS: Final = 0.004  # delay of a write for others to join; only acknowledgements wait
MOST_AT_ONCE: Final = 256  # sessions in one round trip
LOOK_SECONDS: Final = 0.25  # between checks for sessions that others have taken
BEAT_SECONDS: Final = 5.0
BEAT_LOOKS: Final = round(BEAT_SECONDS / LOOK_SECONDS)
FEWEST_BEATS: Final = 3  # missed by an owner before it is dead
FIND_SECONDS: Final = 5.0  # longest wait of a client for its session while the shelf does not answer
SHORTEST_WAIT, LONGEST_WAIT = 1.0, 8.0  # bounds of the time for an answer of the shelf
PAUSES: Final = (0.05, 0.25)  # seconds between attempts: the first and the longest
MOST_REMOVALS: Final = 100_000  # removals that wait for the shelf; others happen when this owner is dead


FOREIGN: Final = Record("", 0, "", 0, True, [])

T = TypeVar("T")


class SharedStore(KeptStore):
    """Store of the sessions of one owner on a shelf.

    owner   random name of this run of the process
    """

    def __init__(
        self, shelf: Shelf, seconds: float, most_waiting: int, make_session: MakeSession, log: Log
    ) -> None:
        super().__init__(seconds, most_waiting, make_session, log)
        self.owner = secrets.token_hex(8)
        self._shelf = shelf
        self._ledgers: dict[bytes, Ledger] = {}
        self._behind: dict[bytes, None] = {}  # keys of sessions to write, in order
        self._removals: dict[bytes, Ledger] = {}
        self._stirred, self._writing, self._opening = asyncio.Event(), asyncio.Lock(), asyncio.Lock()
        self._is_open, self._ending = False, asyncio.Event()
        self._news: list[tuple[str, bytes]] = []  # losers and keys of sessions taken over
        self._complaint = ""  # last logged error of the shelf
        self._patience = SHORTEST_WAIT
        self._lives = Lives()
        self._birth = ""  # of the shelf
        self._tasks = [asyncio.create_task(doing()) for doing in (self._keep_writing, self._keep_looking)]

    async def close(self) -> None:
        """Write the remaining changes and forget all sessions; they stay on the shelf."""
        self._ending.set()
        self._stirred.set()
        await asyncio.wait(self._tasks, timeout=SHORTEST_WAIT)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(AwayError, TimeoutError):
            async with asyncio.timeout(SHORTEST_WAIT):
                await self._insisting(self._write_all)
        with suppress(AwayError):
            await self._shelf.close()
        for session in [*self._sessions.values()]:
            self._forget(session)

    # --- called by KeptStore --------------------------------------------------------------------------------

    def _write(self, session: HostedSession, key: bytes, number: int, event: Event) -> None:
        if number == 1:
            self._ledgers[key] = Ledger(session.engine.name)
        ledger = self._ledgers.get(key)
        if ledger is None:  # another owner took the session before it was restored here
            self._lose(key)
            return
        ledger.take(number, event)
        self._fall_behind(key)

    def _delete(self, key: bytes) -> None:
        self._behind.pop(key, None)
        ledger = self._ledgers.pop(key, None)
        if ledger and len(self._removals) < MOST_REMOVALS:
            self._removals[key] = ledger
            self._stirred.set()

    def _ask_after(self, keys: Iterable[bytes]) -> None:
        for key in keys:
            ledger = self._ledgers.get(key)
            if ledger:
                self._doubt(key, ledger)

    async def _take(self, token: str) -> Taken | None:
        key = key_of(token)
        try:
            async with asyncio.timeout(FIND_SECONDS):
                return await self._insisting(partial(self._take_now, key))
        except TimeoutError:
            ledger = self._ledgers.get(key)
            if ledger is None:
                raise NotFoundYetError from None
            # If another owner has taken the session, the next write is refused.
            return Taken(ledger.epoch, ledger.model, ledger.number, None)

    async def _take_now(self, key: bytes) -> Taken | None:
        ledger = self._ledgers.get(key)
        if ledger:
            await self._confirm(key, ledger)
            if key in self._ledgers:
                return Taken(ledger.epoch, ledger.model, ledger.number, None)
        await self._open()
        while (row := await self._read(key)).records:
            try:
                before = joined(row.records)
            except InputError as error:
                self._log.error("a session cannot be read", error=str(error))
                return None
            if await self._has_taken_over(key, row, before):
                return Taken(before.epoch, before.model, before.number, [*before.events])
        return None

    async def _has_taken_over(self, key: bytes, row: Row, before: Record) -> bool:
        """Write a record of the new owner, and return whether no other owner was faster."""
        record = msgspec.structs.replace(before, owner=self.owner, epoch=before.epoch + 1)
        addition = Addition(key, encoded(record), row.revision, True)
        [revision] = await self._shelf.add([addition], self._patience)
        if revision is None:
            return False
        self._removals.pop(key, None)
        self._ledgers[key] = ledger = Ledger(record.model)
        ledger.begin(revision, record)
        self._news.append((before.owner, key))
        return True

    async def _confirm(self, key: bytes, ledger: Ledger) -> None:
        """Write to a session, to make sure that this owner still has it, for a client that comes back."""
        ledger.doubt()
        ledger.connections = 1
        try:
            self._fall_behind(key)
            await self._write_all()
        finally:
            ledger.connections = 0

    # --- writing --------------------------------------------------------------------------------------------

    async def _keep_writing(self) -> None:
        while not self._ending.is_set():
            await self._stirred.wait()
            await asyncio.sleep(GROUP_SECONDS)
            self._stirred.clear()
            with suppress(AwayError):
                await self._insisting(self._write_all)

    async def _insisting(self, doing: Callable[[], Awaitable[T]]) -> T:
        """Try until the shelf answers or the server ends, and log each error once."""
        pause, longest = PAUSES
        while True:
            try:
                done = await doing()
            except AwayError as error:
                trouble = error
            except InputError as error:
                trouble = AwayError(str(error))
            except Exception as error:
                trouble = AwayError(place_of(error))
            else:
                self._note_answer()
                return done
            self._note_trouble(trouble)
            if self._ending.is_set():
                raise trouble
            await asyncio.sleep(pause)
            pause = min(2 * pause, longest)

    def _note_trouble(self, error: AwayError) -> None:
        if self._complaint != str(error):
            self._complaint = str(error)
            self._log.error("sessions go on, and are acknowledged when the store has them", error=str(error))

    def _note_answer(self) -> None:
        if self._complaint:
            self._complaint = ""
            self._log.info("the store answers again")

    async def _open(self) -> None:
        async with self._opening:
            if not self._is_open:
                await self._shelf.open(self.owner)
                self._is_open = True

    async def _write_all(self) -> None:
        """Write until nothing is left to write."""
        async with self._writing:
            while self._behind or self._removals:
                await self._open()
                keys = [*islice(self._behind, MOST_AT_ONCE)]
                await self._settle(key for key in keys if self._ledgers[key].revision is None)
                await self._write_some([key for key in keys if key in self._ledgers])
                await self._remove_some()

    async def _write_some(self, keys: Iterable[bytes]) -> None:
        written: list[tuple[bytes, Ledger, Record]] = []
        additions: list[Addition] = []
        for key in keys:
            self._behind.pop(key, None)
            ledger, session = self._ledgers[key], self._by_key.get(key)
            if session is None:  # the session is not restored yet
                continue
            record = ledger.record(self.owner, session.epoch + ledger.connections)
            blob = encoded(record) if record else b""
            if record is None or len(blob) > LARGEST_RECORD:
                self._delete(key)
                self._stop(key)
                continue
            written.append((key, ledger, record))
            additions.append(Addition(key, blob, ledger.revision or 0, record.is_whole))
        standstills = self._standstills
        try:
            revisions = await self._shelf.add(additions, self._patience) if additions else []
        except BaseException:
            for key, ledger, _ in written:
                self._doubt(key, ledger)
            raise
        for (key, ledger, record), addition, revision in zip(written, additions, revisions, strict=True):
            if revision is None:
                self._doubt(key, ledger)
            else:
                ledger.stand(revision, record, len(addition.record))
                self._make_durable(key, record.number)
                self._trust(key, standstills)

    async def _settle(self, keys: Iterable[bytes]) -> None:
        """Read the last records of sessions whose last write may have failed."""
        doubtful, standstills = [*keys], self._standstills
        for key, last in zip(doubtful, await self._last_records(doubtful), strict=True):
            ledger = self._ledgers.get(key)
            if ledger is None:
                continue
            revision, record = last
            if record and record.owner != self.owner:
                self._give_way(key, ledger)
            else:
                ledger.settle(revision, record)
                self._make_durable(key, ledger.stored)
                self._trust(key, standstills)

    async def _last_records(self, keys: Iterable[bytes]) -> list[tuple[int, Record | None]]:
        rows = await asyncio.gather(*map(self._read, keys))
        return [(row.revision, self._last_of(row)) for row in rows]

    async def _read(self, key: bytes) -> Row:
        """Read the row of a key, and adapt the time allowed for answers to the speed of the shelf.

        Late writes are found by reading. Writes sent to a NATS leader that stands still are lost, however
        long one waits.
        """
        patience = self._patience
        try:
            row = await self._shelf.read(key, patience)
        except SlowError:
            self._patience = min(2 * patience, LONGEST_WAIT)
            raise
        self._patience = max(patience / 2, SHORTEST_WAIT)
        return row

    def _last_of(self, row: Row) -> Record | None:
        """Return the last record of a row; an unreadable record counts as another owner's."""
        try:
            return decoded(row.records[-1]) if row.records else None
        except InputError as error:
            self._log.error("a session cannot be read", error=str(error))
            return FOREIGN

    async def _remove_some(self) -> None:
        ended = dict(islice(self._removals.items(), MOST_AT_ONCE))
        for (key, ledger), (revision, record) in zip(
            ended.items(), await self._last_records(ended), strict=True
        ):
            if record and record.owner == self.owner and key not in self._ledgers:
                await self._shelf.remove(key, revision)
            if self._removals.get(key) is ledger:
                del self._removals[key]

    def _fall_behind(self, key: bytes) -> None:
        self._behind[key] = None
        self._stirred.set()

    def _doubt(self, key: bytes, ledger: Ledger) -> None:
        ledger.doubt()
        if self._ledgers.get(key) is ledger:
            self._fall_behind(key)

    def _give_way(self, key: bytes, ledger: Ledger) -> None:
        """Forget a session that another server has taken over."""
        self._behind.pop(key, None)
        self._ledgers.pop(key, None)
        if ledger.stored < ledger.number:
            what = "another server has a session: what came here since then is not acknowledged"
            self._log.warning(what, changes=ledger.number - ledger.stored)
        self._lose(key)

    # --- other owners ---------------------------------------------------------------------------------------

    async def _keep_looking(self) -> None:
        turns = count()
        while not self._ending.is_set():
            with suppress(AwayError):
                await self._open()
                await self._tell()
                await self._hear()
                if next(turns) % BEAT_LOOKS == 0:
                    await self._beat()
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._ending.wait()

    async def _tell(self) -> None:
        """Tell former owners which sessions were taken; owners that miss this find out on writing."""
        news, self._news = self._news, []
        await asyncio.gather(*(self._shelf.tell(owner, key) for owner, key in news))

    async def _hear(self) -> None:
        """Check the sessions that other owners report to have taken."""
        for key in await self._shelf.told(self.owner):
            ledger = self._ledgers.get(key)
            if ledger:
                self._doubt(key, ledger)

    async def _beat(self) -> None:
        await self._look_for_losses()
        await self._shelf.beat(self.owner)
        self._lives.look(await self._shelf.beats(), monotonic())
        dead = self._lives.silent_for(max(self._seconds, FEWEST_BEATS * BEAT_SECONDS), monotonic())
        if dead and self.owner == min(self._lives.owners - dead, default=""):
            await self._bury(dead)

    async def _look_for_losses(self) -> None:
        """Write all sessions again, even idle ones, if the shelf has lost its data."""
        birth, before = await self._shelf.birth(), self._birth
        self._birth = birth
        if before not in ("", birth):
            what = "the store has lost what it had; the sessions of this server are written again"
            self._log.warning(what, sessions=len(self._ledgers))
            self._ask_after([*self._ledgers])

    async def _bury(self, dead: set[str]) -> None:
        """Remove the sessions of dead owners, and then the owners."""
        for key in await self._shelf.keys():
            [(revision, record)] = await self._last_records([key])
            if record and record.owner in dead:
                await self._shelf.remove(key, revision)
        for owner in dead:
            await self._shelf.forget(owner)
