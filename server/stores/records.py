"""Records of sessions on a shelf: a whole record, and records of changes after it."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final

import msgspec
from msgspec import UNSET

from treewhile.incremental.sessions.document_content import content_of
from treewhile.incremental.sessions.messages import (
    AnyEvent,
    Change,
    Close,
    EditGrammar,
    Event,
    Open,
    OptionChanges,
    Options,
)
from treewhile.oracles.errors import InputError


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


# --- events -------------------------------------------------------------------------------------------------


def folded(events: Iterable[Event]) -> list[Event]:
    """Return fewer events that lead to the same documents in the same versions."""
    documents: dict[str, _Document] = {}
    for event in events:
        if isinstance(event, Open):
            documents[event.document] = _Document(event)
        elif isinstance(event, Close):
            documents.pop(event.document, None)
        elif event.document in documents:
            documents[event.document].add(event)
    return [event for document in documents.values() for event in document.events()]


def versions(events: Iterable[Event]) -> dict[str, int]:
    """Return the versions of the documents that events lead to."""
    found: dict[str, int] = {}
    for event in events:
        if isinstance(event, Close):
            found.pop(event.document, None)
        elif isinstance(event, Change):
            found[event.document] = event.version
    return found


def models_in(events: Iterable[Event]) -> set[str]:
    """Return the names of the models that documents have chosen."""
    chosen = (event.options.model for event in events if isinstance(event, Open))
    return {name for name in chosen if name is not UNSET}


def grammars_in(events: Iterable[Event]) -> tuple[set[tuple[str | None, str]], bool]:
    """Return the grammars that documents have chosen, each with its model, and whether any brings a text."""
    models: dict[str, str | None] = {}
    named: set[tuple[str | None, str]] = set()
    has_texts = False
    for event in events:
        if isinstance(event, Open):
            models[event.document] = None if event.options.model is UNSET else event.options.model
        if isinstance(event, Open | Options) and isinstance(event.options.grammar, str):
            named.add((models.get(event.document), event.options.grammar))
        has_texts |= isinstance(event, EditGrammar) and event.text is not None
    return named, has_texts


class _Document:
    """Document whose changes are folded into its content, up to the first request.

    Gold heads and steps by hand are about the words of one version, so from there on no event may be folded.
    """

    def __init__(self, opening: Open) -> None:
        self._name, self._version, self._options = opening.document, opening.version, opening.options
        self._content = content_of(opening)
        self._grammar: EditGrammar | None = None
        self._later: list[Event] = []

    def add(self, event: Event) -> None:
        if isinstance(event, EditGrammar):
            self._grammar = event  # only the last one counts, whatever else happens
        elif self._later or not isinstance(event, Change | Options):
            self._later.append(event)
        elif isinstance(event, Options):
            self._options = _joined(self._options, event.options)
        else:
            self._version = event.version
            self._content.take(event)

    def events(self) -> list[Event]:
        first = self._version - self._content.opening_length + 1
        text = [self._grammar] if self._grammar and self._grammar.text is not None else []
        return [*self._content.opening(self._name, first, self._options), *text, *self._later]


def _joined(before: OptionChanges, after: OptionChanges) -> OptionChanges:
    named = {name: value for name, value in msgspec.structs.asdict(after).items() if value is not UNSET}
    return msgspec.structs.replace(before, **named)
