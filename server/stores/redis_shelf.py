"""Shelf in Redis: one hash per session, changed by scripts, which Redis runs atomically.

treewhile:session:KEY    records by their revisions, and the last revision
treewhile:revision       last revision that was given to any record
treewhile:owners         number of heartbeats of each owner
treewhile:taken:NAME     keys that an owner has lost since its last look
treewhile:format         format of the records
treewhile:birth          random name, which is gone if Redis loses its data
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from redis.asyncio import BlockingConnectionPool, Redis
from redis.exceptions import AuthenticationError, OutOfMemoryError, RedisError

from treewhile.oracles.errors import InputError
from treewhile.server.stores.shelves import (
    FORMAT,
    Addition,
    AwayError,
    FullError,
    RemoteShelf,
    Row,
    answering,
    check_format,
)

ANSWER_SECONDS: Final = 2.0
CONNECTIONS: Final = 16  # a server whose neighbour has died requests many sessions at once
NEWS_SECONDS: Final = 60  # before an unread list of lost sessions expires
SESSION, REVISION, OWNERS, TAKEN, KIND, BIRTH = (
    f"treewhile:{name}" for name in ("session:", "revision", "owners", "taken:", "format", "birth")
)

# Revisions begin at a random number, so that none is reused after Redis has lost its data.
ADD: Final = """
if (redis.call('HGET', KEYS[1], 'last') or '0') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[4], 'NX')
local revision = redis.call('INCR', KEYS[2])
if ARGV[3] == '1' then redis.call('DEL', KEYS[1]) end
redis.call('HSET', KEYS[1], 'last', revision, revision, ARGV[2])
return revision
"""
REMOVE: Final = "if redis.call('HGET', KEYS[1], 'last') == ARGV[1] then redis.call('DEL', KEYS[1]) end"


class RedisShelf(RemoteShelf):
    """Shelf in the Redis database of an address, for one event loop."""

    def __init__(self, address: str) -> None:
        super().__init__()
        pool = BlockingConnectionPool.from_url(address, max_connections=CONNECTIONS, timeout=None, protocol=2)
        self._redis: Any = Redis.from_pool(pool)
        self._first = secrets.randbelow(1 << 48)

    async def open(self, owner: str) -> None:
        async with _answering(2 * ANSWER_SECONDS):
            await self._redis.set(KIND, FORMAT, nx=True)
            check_format(await self._redis.get(KIND))

    async def birth(self) -> str:
        async with _answering(ANSWER_SECONDS):
            await self._redis.set(BIRTH, secrets.token_hex(8), nx=True)
            birth: bytes = await self._redis.get(BIRTH)
        return birth.decode()

    async def add(self, additions: Sequence[Addition], seconds: float) -> list[int | None]:
        pipe = self._redis.pipeline(transaction=False)
        for key, record, after, is_whole in additions:
            pipe.eval(ADD, 2, _session(key), REVISION, after, record, int(is_whole), self._first)
        async with _answering(seconds):
            return [revision or None for revision in await pipe.execute()]

    async def read(self, key: bytes, seconds: float) -> Row:
        async with _answering(seconds):
            found = await self._redis.hgetall(_session(key))
        last = int(found.pop(b"last", 0))
        return Row(last, [found[revision] for revision in sorted(found, key=int)])

    async def remove(self, key: bytes, after: int) -> None:
        async with _answering(ANSWER_SECONDS):
            await self._redis.eval(REMOVE, 1, _session(key), after)

    async def keys(self) -> list[bytes]:
        async with _answering(ANSWER_SECONDS):
            found = [name async for name in self._redis.scan_iter(f"{SESSION}*", 1000)]
        return [bytes.fromhex(name.decode().removeprefix(SESSION)) for name in found]

    async def beat(self, owner: str) -> None:
        async with _answering(ANSWER_SECONDS):
            await self._redis.hincrby(OWNERS, owner)

    async def _beats(self) -> Mapping[str, int]:
        async with _answering(ANSWER_SECONDS):
            found = await self._redis.hgetall(OWNERS)
        return {owner.decode(): int(beat) for owner, beat in found.items()}

    async def _forget_beats(self, owner: str) -> None:
        async with _answering(ANSWER_SECONDS):
            await self._redis.hdel(OWNERS, owner)

    async def tell(self, owner: str, key: bytes) -> None:
        pipe = self._redis.pipeline(transaction=False)
        pipe.rpush(TAKEN + owner, key)
        pipe.expire(TAKEN + owner, NEWS_SECONDS)
        async with _answering(ANSWER_SECONDS):
            await pipe.execute()

    async def told(self, owner: str) -> list[bytes]:
        pipe = self._redis.pipeline(transaction=True)
        pipe.lrange(TAKEN + owner, 0, -1)
        pipe.delete(TAKEN + owner)
        async with _answering(ANSWER_SECONDS):
            told: list[bytes] = (await pipe.execute())[0]
        return told

    async def close(self) -> None:
        async with _answering(ANSWER_SECONDS):
            await self._redis.aclose()


def _session(key: bytes) -> str:
    return SESSION + key.hex()


def _explained(error: Exception) -> Exception:
    if isinstance(error, OutOfMemoryError):
        return FullError("Redis is full: give it more memory")
    if isinstance(error, AuthenticationError):
        return InputError(f"Redis lets nobody in ({error}): put who connects into the address")
    if isinstance(error, RedisError | OSError):
        return AwayError(f"Redis does not answer: {type(error).__name__}")
    return error


_answering = partial(answering, "Redis", _explained)
