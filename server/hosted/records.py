"""What is written of a session: the events that lead to its documents, as few as do.

A document's changes come down to those that open it with its present words. Gold heads and steps by hand are
about the words of their version, so from the first of them on a document's events are kept as they came.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
from msgspec import UNSET

from treewhile.incremental.sessions.messages import (
    AnyEvent,
    Change,
    Close,
    Edit,
    Event,
    Gold,
    Open,
    OptionChanges,
    Options,
    Step,
    Undo,
)
from treewhile.oracles.errors import InputError
from treewhile.server.client.documents import SentText, SentWords

KEPT: Final = (Change, Gold, Step, Undo, Options, Close)  # all else asks and changes nothing

_ENCODE: Final = msgspec.msgpack.Encoder().encode
_DECODE: Final = msgspec.msgpack.Decoder(list[AnyEvent]).decode


def is_kept(event: Event) -> bool:
    """Whether an event changes what a session is."""
    return isinstance(event, KEPT)


def encoded(events: Sequence[Event]) -> bytes:
    """Events with their checksum."""
    body = _ENCODE(events)
    return zlib.crc32(body).to_bytes(4, "little") + body


def decoded(blob: bytes) -> list[AnyEvent]:
    """The events. InputError if they are not what was written."""
    if zlib.crc32(blob[4:]) != int.from_bytes(blob[:4], "little"):
        raise InputError("what was written of a session is damaged: open its documents again")
    try:
        return _DECODE(blob[4:])
    except msgspec.DecodeError as error:
        what = f"what was written of a session has other events ({error})"
        raise InputError(f"{what}: open its documents again") from None


def folded(events: Iterable[AnyEvent]) -> list[Event]:
    """Fewer events that make the same documents of the same versions."""
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
    """The documents that events lead to, with their versions."""
    found: dict[str, int] = {}
    for event in events:
        if isinstance(event, Close):
            found.pop(event.document, None)
        elif isinstance(event, Change):
            found[event.document] = event.version
    return found


class _Document:
    """A document whose changes come down to its content."""

    def __init__(self, opening: Open) -> None:
        self._opening, self._version = opening, opening.version
        self._content: SentText | SentWords = SentText() if opening.words is None else SentWords()
        self._content.apply(opening)
        self._options = opening.options
        self._later: list[Event] = []  # from the first request on

    def add(self, event: AnyEvent) -> None:
        if self._later or not isinstance(event, Change | Options):
            self._later.append(event)
        elif isinstance(event, Options):
            self._options = _joined(self._options, event.options)
        else:
            self._version = event.version
            self._content.apply(self._in_code_points(event))

    def _in_code_points(self, change: Change) -> Change:
        if not isinstance(change, Edit) or self._opening.positions == "code_points":
            return change
        text = self._content.text.encode("utf-16-le") if isinstance(self._content, SentText) else b""
        start, end = (len(text[: 2 * place].decode("utf-16-le")) for place in (change.start, change.end))
        return msgspec.structs.replace(change, start=start, end=end)

    def events(self) -> list[Event]:
        changes = _without_empty_end(self._content.opening(self._opening.document, 0, self._options))
        before = self._version - len(changes) + 1
        opening, *others = (msgspec.structs.replace(one, version=one.version + before) for one in changes)
        return [msgspec.structs.replace(opening, positions=self._opening.positions), *others, *self._later]


def _joined(before: OptionChanges, after: OptionChanges) -> OptionChanges:
    named = {name: value for name, value in msgspec.structs.asdict(after).items() if value is not UNSET}
    return msgspec.structs.replace(before, **named)


def _without_empty_end(changes: list[Change]) -> list[Change]:
    """Without words that are none behind the last end, so that no version is less than the first one was."""
    is_empty = len(changes) > 1 and not getattr(changes[-1], "words", True)
    return changes[:-1] if is_empty else changes
