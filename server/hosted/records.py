"""Stored form of a session: a short list of events that lead to its documents.

The changes of a document are folded into events that open it with its present words. Gold heads and steps by
hand refer to the words of one version, so events of a document are kept unfolded from the first of them on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec import UNSET

from treewhile.incremental.sessions.document_content import content_of
from treewhile.incremental.sessions.messages import (
    Change,
    Close,
    Event,
    Gold,
    Open,
    OptionChanges,
    Options,
    Step,
    Undo,
)

KEPT: Final = (Change, Gold, Step, Undo, Options, Close)  # all other events only ask for something


def is_kept(event: Event) -> bool:
    """Return whether an event changes the state of a session."""
    return isinstance(event, KEPT)


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


class _Document:
    """Document whose changes are folded into its content."""

    def __init__(self, opening: Open) -> None:
        self._name, self._version, self._options = opening.document, opening.version, opening.options
        self._content = content_of(opening)
        self._later: list[Event] = []  # from the first request on

    def add(self, event: Event) -> None:
        if self._later or not isinstance(event, Change | Options):
            self._later.append(event)
        elif isinstance(event, Options):
            self._options = _joined(self._options, event.options)
        else:
            self._version = event.version
            self._content.take(event)

    def events(self) -> list[Event]:
        first = self._version - self._content.opening_length + 1
        return [*self._content.opening(self._name, first, self._options), *self._later]


def _joined(before: OptionChanges, after: OptionChanges) -> OptionChanges:
    named = {name: value for name, value in msgspec.structs.asdict(after).items() if value is not UNSET}
    return msgspec.structs.replace(before, **named)
