"""Where sessions are kept: in memory, in a folder, or on a shelf of other machines; and that they can be."""

from __future__ import annotations

import asyncio
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from treewhile.oracles.errors import InputError
from treewhile.server.logs import Log
from treewhile.server.stores import session_file
from treewhile.server.stores.file_store import FileStore
from treewhile.server.stores.kept_store import MakeSession
from treewhile.server.stores.session_store import MemoryStore, SessionStore
from treewhile.server.stores.shared_store import SharedStore
from treewhile.server.stores.shelves import AwayError, Shelf

NATS: Final = ("nats", "tls")
REDIS: Final = ("redis", "rediss")
TRIALS, TRY_AGAIN_SECONDS = 10, 1.0  # to reach a shelf when a server starts


def checked_address(text: str) -> str:
    """The address of a shelf. InputError if it is one of something else."""
    scheme = text.partition("://")[0]
    if scheme not in (*NATS, *REDIS):
        raise InputError(f"{scheme!r:.40} keeps no sessions: give a folder, nats://HOST or redis://HOST")
    return text


def new_store(
    place: Path | str | None, seconds: float, most_waiting: int, make_session: MakeSession, log: Log
) -> SessionStore:
    """The store of a server; to be made on the loop."""
    if place is None:
        return MemoryStore(seconds, most_waiting)
    if isinstance(place, Path):
        return FileStore(place, seconds, most_waiting, make_session, log)
    return SharedStore(new_shelf(place), seconds, most_waiting, make_session, log)


def prepare(place: Path | str) -> bool:
    """Checks that sessions can be kept there; says whether a damaged file was removed."""
    if isinstance(place, Path):
        return session_file.prepare(place)
    asyncio.run(_try(place))
    return False


async def _try(address: str) -> None:
    shelf = new_shelf(address)
    try:
        await _opened_soon(shelf)
        await shelf.close()
    except AwayError as error:
        where = re.sub(r"//.*@", "//", address)
        raise InputError(
            f"cannot keep sessions ({error}): start {where} or give another --sessions"
        ) from None


async def _opened_soon(shelf: Shelf) -> None:
    """Tries for a while: a store that is started together with this server may need longer."""
    for _ in range(TRIALS - 1):
        with suppress(AwayError):
            await shelf.open(secrets.token_hex(8))
            return
        await asyncio.sleep(TRY_AGAIN_SECONDS)
    await shelf.open(secrets.token_hex(8))


def new_shelf(address: str) -> Shelf:
    """The shelf of an address, before anybody has connected to it."""
    try:
        if address.startswith(NATS):
            from treewhile.server.stores.nats_shelf import NatsShelf

            return NatsShelf(address)
        from treewhile.server.stores.redis_shelf import RedisShelf

        return RedisShelf(address)
    except ModuleNotFoundError as error:
        what = f"--sessions at {address.partition(':')[0]}:// needs the package {error.name}"
        raise InputError(f"{what}: pip install 'treewhile[cluster]'") from None
    except ValueError as error:
        raise InputError(f"this address cannot be read ({error}): give it as redis://HOST:PORT") from None
