"""Choice and check of the place for stored sessions: a folder, or a shelf on other machines."""

from __future__ import annotations

import asyncio
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from treewhile.oracles.errors import InputError
from treewhile.server.stores import session_file
from treewhile.server.stores.shelves import AwayError, Shelf
from treewhile.server.stores.sqlite_shelf import SqliteShelf

NATS: Final = ("nats", "tls")
REDIS: Final = ("redis", "rediss")
TRIALS, TRY_AGAIN_SECONDS = 10, 1.0  # to reach a shelf at the start of a server


def checked_address(text: str) -> str:
    """Return the address of a shelf; raise InputError if its scheme is unknown."""
    scheme = text.partition("://")[0]
    if scheme not in (*NATS, *REDIS):
        raise InputError(f"{scheme!r:.40} keeps no sessions: give a folder, nats://HOST or redis://HOST")
    return text


def prepare(place: Path | str) -> bool:
    """Check that sessions can be stored at a place, and return whether a damaged file was removed."""
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
    """Open a shelf, with retries: a store that starts together with this server may need longer."""
    for _ in range(TRIALS - 1):
        with suppress(AwayError):
            await shelf.open(secrets.token_hex(8))
            return
        await asyncio.sleep(TRY_AGAIN_SECONDS)
    await shelf.open(secrets.token_hex(8))


def new_shelf(place: Path | str) -> Shelf:
    """Return the shelf in a folder or at an address, not yet connected."""
    if isinstance(place, Path):
        return SqliteShelf(place)
    try:
        if place.startswith(NATS):
            from treewhile.server.stores.nats_shelf import NatsShelf

            return NatsShelf(place)
        from treewhile.server.stores.redis_shelf import RedisShelf

        return RedisShelf(place)
    except ModuleNotFoundError as error:
        what = f"--sessions at {place.partition(':')[0]}:// needs the package {error.name}"
        raise InputError(f"{what}: pip install 'treewhile[cluster]'") from None
    except ValueError as error:
        raise InputError(f"this address cannot be read ({error}): give it as redis://HOST:PORT") from None
