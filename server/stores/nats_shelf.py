"""Shelf in NATS: a key-value bucket of JetStream with the last 64 values of each key.

    sessions.KEY   records of a session; the sequence number in the stream is the revision
    owners.NAME    heartbeats of an owner
    format         format of the records

A missing bucket is created, with three replicas if the address has three servers or more.
"""

from __future__ import annotations

import asyncio
import json
from asyncio import FIRST_COMPLETED
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from typing import Any, Final, TypeAlias

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js.api import KeyValueConfig, StorageType
from nats.js.errors import APIError, NotFoundError

from treewhile.server.stores.shelves import (
    FORMAT,
    Addition,
    AwayError,
    RemoteShelf,
    Row,
    answering,
    check_format,
)

BUCKET: Final = "treewhile"
STREAM: Final = f"KV_{BUCKET}"
HISTORY: Final = 64
LARGEST_BUCKET: Final = 1 << 30  # bytes
COPIES: Final = 3
ANSWER_SECONDS: Final = 2.0
ASK_AGAIN_SECONDS: Final = 0.25  # for a replica that may stand still; doubled each time
EXPECTED: Final = "Nats-Expected-Last-Subject-Sequence"
PURGE: Final = {"KV-Operation": "PURGE", "Nats-Rollup": "sub"}
OTHER_LAST: Final = (10071, 10164)  # error codes of JetStream: another message is the last one
CONNECTING: Final[Mapping[str, Any]] = {
    "name": "treewhile",
    "connect_timeout": 1.0,
    "max_reconnect_attempts": -1,
    "reconnect_time_wait": 0.1,
    "ping_interval": 1,  # finds a server that stands still, so that the client connects to another one
}


class _Refusal(msgspec.Struct):
    description: str = ""
    err_code: int = 0


class _Answer(msgspec.Struct):
    """Answer of JetStream to a published message."""

    seq: int = 0
    error: _Refusal | None = None


NOBODY: Final = "nobody keeps the sessions for now"
_ANSWER: Final = msgspec.json.Decoder(_Answer).decode

Found: TypeAlias = asyncio.Future[list[Msg]]


class _Answers:
    """Answers to one request: a single message, or several up to one with a status."""

    def __init__(self, many: bool) -> None:
        self._many = many
        self._found: list[Msg] = []
        self.all: Found = asyncio.get_running_loop().create_future()

    def take(self, message: Msg) -> None:
        self._found.append(message)
        if not self.all.done() and (not self._many or "Status" in (message.headers or {})):
            self.all.set_result(self._found)


class NatsShelf(RemoteShelf):
    """Shelf in a bucket of some NATS servers, for one event loop."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self._servers = servers_of(address)
        self._client = Client()
        self._stream = self._client.jetstream()
        self._told: list[bytes] = []
        self._answers: dict[str, _Answers] = {}  # by their reply subjects
        self._inbox, self._numbers = "", count()

    # --- interface of every shelf ---------------------------------------------------------------------------

    async def open(self, owner: str) -> None:
        await self.close()
        self._client = Client()
        self._stream = self._client.jetstream(timeout=ANSWER_SECONDS)
        try:
            async with _answering(ANSWER_SECONDS * (1 + len(self._servers))):
                await self._begin(owner)
        except BaseException:
            await self._client.close()
            raise

    async def _begin(self, owner: str) -> None:
        await self._client.connect(self._servers, error_cb=_ignore, **CONNECTING)
        self._inbox = self._client.new_inbox()
        await self._client.subscribe(f"{self._inbox}.*", cb=self._take_answer)
        await self._client.subscribe(_news(owner), cb=self._hear)
        await self._make_bucket()
        await self._check_format()

    async def birth(self) -> str:
        async with _answering(ANSWER_SECONDS):
            await self._make_bucket()
            await self._check_format()
            return str((await self._stream.stream_info(STREAM)).created)

    async def add(self, additions: Sequence[Addition], seconds: float) -> list[int | None]:
        with self._expecting(len(additions), False) as waiting:
            async with _answering(seconds):
                for one, (subject, _) in zip(additions, waiting, strict=True):
                    headers = {EXPECTED: str(one.after)}
                    await self._client.publish(_session(one.key), one.record, subject, headers)
                return [_revision(*await answers.all) for _, answers in waiting]

    async def read(self, key: bytes, seconds: float) -> Row:
        async with _answering(seconds):
            subject = _session(key)
            found = await self._asked({"seq": 1, "next_by_subj": subject, "batch": HISTORY})
            if not found and (seq := await self._last_sequence(subject)):
                raise AwayError(f"a copy of NATS does not have message {seq} yet")
        if not found:
            return Row(0, [])
        is_removed = "KV-Operation" in (found[-1].headers or {})
        return Row(_sequence(found[-1]), [] if is_removed else [one.data for one in found])

    async def remove(self, key: bytes, after: int) -> None:
        async with _answering(ANSWER_SECONDS):
            try:
                headers = {EXPECTED: str(after), **PURGE}
                done = await self._stream.publish(_session(key), b"", headers=headers)
            except APIError as error:
                if error.err_code in OTHER_LAST:
                    return
                raise
            await self._stream.purge_stream(STREAM, subject=_session(key), seq=done.seq + 1)

    async def keys(self) -> list[bytes]:
        async with _answering(ANSWER_SECONDS):
            info = await self._stream.stream_info(STREAM, subjects_filter=f"$KV.{BUCKET}.sessions.*")
        return [bytes.fromhex(subject.rpartition(".")[2]) for subject in info.state.subjects or ()]

    async def beat(self, owner: str) -> None:
        async with _answering(ANSWER_SECONDS):
            await self._stream.publish(_owner(owner))

    async def _beats(self) -> Mapping[str, int]:
        async with _answering(ANSWER_SECONDS):
            found = await self._asked({"multi_last": [_owner("*")]})
        return {_header(one, "Nats-Subject").rpartition(".")[2]: _sequence(one) for one in found}

    async def _forget_beats(self, owner: str) -> None:
        async with _answering(ANSWER_SECONDS):
            await self._stream.purge_stream(STREAM, subject=_owner(owner))

    async def tell(self, owner: str, key: bytes) -> None:
        async with _answering(ANSWER_SECONDS):
            await self._client.publish(_news(owner), key)

    async def told(self, owner: str) -> list[bytes]:
        told, self._told = self._told, []
        return told

    async def close(self) -> None:
        # Before Python 3.12, a reconnecting task may miss its cancellation, so it has to give up by itself.
        self._client.options["max_reconnect_attempts"] = 1
        if self._client.is_connected or self._client.is_reconnecting:
            async with _answering(ANSWER_SECONDS):
                await self._client.close()

    # --- the bucket -----------------------------------------------------------------------------------------

    async def _make_bucket(self) -> None:
        try:
            await self._stream.stream_info(STREAM)
        except NotFoundError:
            await self._stream.create_key_value(
                KeyValueConfig(
                    bucket=BUCKET,
                    history=HISTORY,
                    max_bytes=LARGEST_BUCKET,
                    storage=StorageType.FILE,
                    replicas=COPIES if len(self._servers) >= COPIES else 1,
                    direct=True,
                )
            )

    async def _check_format(self) -> None:
        bucket = await self._stream.key_value(BUCKET)
        try:
            found = (await bucket.get("format")).value or b""
        except NotFoundError:
            await bucket.put("format", FORMAT)
        else:
            check_format(found)

    async def _asked(self, question: Mapping[str, Any]) -> list[Msg]:
        """Return all messages that answer a request.

        Any replica may answer, even one that stands still, so the request is repeated until the first answer.
        """
        asked, pause, waiting = json.dumps(question).encode(), ASK_AGAIN_SECONDS, set[Found]()
        with ExitStack() as questions:
            done = waiting
            while not done:
                [(subject, answers)] = questions.enter_context(self._expecting(1, True))
                await self._client.publish(f"$JS.API.DIRECT.GET.{STREAM}", asked, subject)
                waiting.add(answers.all)
                done, _ = await asyncio.wait(waiting, timeout=pause, return_when=FIRST_COMPLETED)
                pause *= 2
        *found, end = done.pop().result()
        if _header(end, "Status") == "503":
            raise AwayError(f"NATS refuses: {NOBODY}")
        return found

    @contextmanager
    def _expecting(self, number: int, many: bool) -> Iterator[list[tuple[str, _Answers]]]:
        """Register so many requests for the block; yield their reply subjects and answers."""
        waiting = [(f"{self._inbox}.{next(self._numbers)}", _Answers(many)) for _ in range(number)]
        self._answers.update(waiting)
        try:
            yield waiting
        finally:
            for subject, _ in waiting:
                del self._answers[subject]

    async def _last_sequence(self, subject: str) -> int:
        """Return the sequence number of the last message at the leader, 0 if there is none."""
        try:
            return (await self._stream.get_last_msg(STREAM, subject)).seq or 0
        except NotFoundError:
            return 0

    async def _take_answer(self, message: Msg) -> None:
        answers = self._answers.get(message.subject)
        if answers:
            answers.take(message)

    async def _hear(self, message: Msg) -> None:
        self._told.append(message.data)


def servers_of(address: str) -> list[str]:
    """Return the servers of an address such as `nats://one,two:4223`, each with scheme and credentials."""
    scheme, _, rest = address.partition("://")
    who, at, hosts = rest.rstrip("/").rpartition("@")
    return [f"{scheme}://{who}{at}{host}" for host in hosts.split(",")]


def _session(key: bytes) -> str:
    return f"$KV.{BUCKET}.sessions.{key.hex()}"


def _owner(name: str) -> str:
    return f"$KV.{BUCKET}.owners.{name}"


def _news(owner: str) -> str:
    return f"{BUCKET}.taken.{owner}"


def _header(message: Msg, name: str) -> str:
    return (message.headers or {}).get(name, "")


def _sequence(message: Msg) -> int:
    return int(_header(message, "Nats-Sequence"))


def _revision(message: Msg) -> int | None:
    answer = _ANSWER(message.data) if message.data else _Answer(error=_Refusal(NOBODY))
    if answer.error is None:
        return answer.seq
    if answer.error.err_code in OTHER_LAST:
        return None
    raise AwayError(f"NATS refuses: {answer.error.description}")


async def _ignore(_: Exception) -> None:
    """Ignore an error of the connection, since each request raises its own."""


def _explained(error: Exception) -> Exception:
    if isinstance(error, APIError):
        return AwayError(f"NATS refuses: {error.description}")
    if isinstance(error, NatsError | OSError):
        return AwayError(f"NATS does not answer: {error or type(error).__name__}")
    return error


_answering = partial(answering, "NATS", _explained)
