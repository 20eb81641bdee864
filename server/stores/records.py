"""Records of sessions on a shelf: a whole record, and records of changes after it."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

import msgspec

from treewhile.incremental.sessions.messages import AnyEvent, Event
from treewhile.oracles.errors import InputError
from treewhile.server.hosted.records import folded


class Record(msgspec.Struct, frozen=True, array_like=True):
    """Events of a session; a whole record contains them from the beginning."""

    owner: str
    epoch: int  # number of connections that the session has had
    model: str
    number: int  # of the last event; a whole record may have fewer events
    is_whole: bool
    events: Sequence[Event]


class _Stored(Record, frozen=True, array_like=True):
    """Record with the event types that are decoded."""

    events: Sequence[AnyEvent]


_ENCODE: Final = msgspec.msgpack.Encoder().encode
_DECODE: Final = msgspec.msgpack.Decoder(_Stored).decode


def encoded(record: Record) -> bytes:
    """Return the bytes of a record with its checksum."""
    body = _ENCODE(record)
    return zlib.crc32(body).to_bytes(4, "little") + body


def decoded(blob: bytes) -> Record:
    """Return the record of some bytes; raise InputError if they are damaged."""
    if zlib.crc32(blob[4:]) != int.from_bytes(blob[:4], "little"):
        raise InputError("what was written of a session is damaged: open its documents again")
    try:
        return _DECODE(blob[4:])
    except msgspec.DecodeError as error:
        what = f"what was written of a session has other events ({error})"
        raise InputError(f"{what}: open its documents again") from None


def owner_of(blob: bytes) -> str:
    """Return the owner of a record, or an empty string if the record cannot be read."""
    try:
        return decoded(blob).owner
    except InputError:
        return ""


def joined(blobs: Sequence[bytes]) -> Record:
    """Join the records of a row into one whole record with few events; raise InputError if any is missing."""
    records = [decoded(blob) for blob in blobs]
    begin = max((at for at, record in enumerate(records) if record.is_whole), default=None)
    if begin is None:
        raise InputError("what was written of a session has no beginning: open its documents again")
    events = [*records[begin].events]
    for before, record in zip(records[begin:], records[begin + 1 :], strict=False):
        if record.number - len(record.events) != before.number:
            raise InputError("of what was written of a session a part is missing: open its documents again")
        events += record.events
    last = records[-1]
    return Record(last.owner, last.epoch, last.model, last.number, True, folded(events))


def key_of(token: str) -> bytes:
    """Return the key of the row of a session, a hash from which the token cannot be recovered."""
    return sha256(token.encode()).digest()[:16]
