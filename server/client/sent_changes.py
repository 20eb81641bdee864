"""Record of the changes of a document, which may have to be sent again after a lost connection.

The client has the present words, every unanswered change, and the words before these changes. So a lost
connection loses nothing, and a refused change can be undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from treewhile.incremental.sessions.document_content import content_of
from treewhile.incremental.sessions.messages import (
    Change,
    ErrorMessage,
    Event,
    Open,
    OptionChanges,
    Options,
    Request,
)
from treewhile.incremental.sessions.refusals import RefusedError
from treewhile.server.client.gathered_changes import GatheredChanges

# Error codes about requests, not about changes.
OF_REQUESTS: Final = ("failed", "lost", "bad_gold", "bad_step", "unknown_sentence")


class SentChanges:
    """Changes of a document, and requests about its present version.

    content   present text or words
    version   version of the last change
    answered  last version that was answered
    """

    def __init__(self, opening: Open) -> None:
        self._name = opening.document
        self.content = content_of(opening)
        self.version, self.answered = opening.version, -1
        self._options = opening.options
        self._answered_content = self.content.copy()
        self._changes = GatheredChanges()
        self._changes.add(opening)
        self._requests: list[Request] = []

    def add(self, change: Change) -> Sequence[Change]:
        """Apply a change, and return the changes to send now; raise RefusedError if it is illegal."""
        self.content.take(change)
        self.version = change.version
        self._requests = []
        return self._changes.add(change)

    def add_request(self, request: Request) -> Sequence[Event]:
        """Add a request about the present version, and return the events to send now."""
        self._requests.append(request)
        return [*self._changes.flushed(), request]

    @property
    def is_free(self) -> bool:
        """True if gathered changes may be sent now."""
        return self._changes.is_free

    def released(self) -> Sequence[Change]:
        """Return the changes to send after the answer to the last edit."""
        return self._changes.released()

    def change_options(self, options: OptionChanges) -> None:
        """Change the given options."""
        self._options = msgspec.structs.replace(self._options, **_named(options))

    def take_answers(self, version: int) -> None:
        """Note that the server has all changes up to a version."""
        for change in self._changes.answer(version):
            self._answered_content.take(change)
        self.answered = max(self.answered, version)

    def take_steps(self) -> None:
        """Note that the requests are answered."""
        self._requests = []

    def refused_by(self, error: ErrorMessage) -> Change | None:
        """Return the change that an error message refuses, or None."""
        if error.version is not None:
            self._changes.refuse(error.version)
        if error.code in OF_REQUESTS:
            return None
        return next((one for one in self._changes.unanswered if one.version == error.version), None)

    def take_back(self, refused: Change) -> None:
        """Undo a refused change, and later changes that are illegal without it."""
        self._changes.remove(refused)
        self.content = self._answered_content.copy()
        for change in self._changes.unanswered:
            try:
                self.content.take(change)
            except RefusedError:
                self._changes.remove(change)

    def resumed(self, version: int) -> list[Event]:
        """Return the events for a server that has all changes up to a version."""
        self.take_answers(version)
        options = [Options(self._name, self._options)] if _named(self._options) else []
        return [*self._changes.again(), *options, *self._requests]

    def opened_again(self) -> Sequence[Event]:
        """Return the events for a server without the document: its words, without gold heads and steps."""
        self._changes = GatheredChanges()
        for change in self.content.opening(self._name, self.version + 1, self._options):
            self._changes.add(change)
            self.version = change.version
        self._requests = []
        return self._changes.again()


def _named(options: OptionChanges) -> dict[str, Any]:
    values = msgspec.structs.asdict(options)
    return {name: value for name, value in values.items() if value is not msgspec.UNSET}
