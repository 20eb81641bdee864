"""What a client has said of a document and may have to say again, since a connection can be lost.

The client knows the present words itself. It keeps every change until that is answered, and the words as they
were before, so that a lost connection costs nothing, and a refused change can be taken back.
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

# The codes of errors that are about no change.
OF_REQUESTS: Final = ("failed", "lost", "bad_gold", "bad_step", "unknown_sentence")


class SentChanges:
    """The changes of a document, and requests about its present version.

    content   the present text or words
    version   of the last change
    answered  the last version that has had an answer
    """

    def __init__(self, opening: Open) -> None:
        self._name = opening.document
        self.content = content_of(opening)
        self.version, self.answered = opening.version, -1
        self._options = opening.options
        self._answered_content = self.content.copy()
        self._unanswered: list[Change] = [opening]
        self._requests: list[Request] = []

    def add(self, change: Change) -> None:
        """Makes a change; RefusedError if it cannot be made."""
        self.content.take(change)
        self.version = change.version
        self._unanswered.append(change)
        self._requests = []

    def add_request(self, request: Request) -> None:
        """Something is asked about the present version."""
        self._requests.append(request)

    def change_options(self, options: OptionChanges) -> None:
        """Changes the options that are named."""
        self._options = msgspec.structs.replace(self._options, **_named(options))

    def take_answers(self, version: int) -> None:
        """The server has all changes up to a version."""
        while self._unanswered and self._unanswered[0].version <= version:
            self._answered_content.take(self._unanswered.pop(0))
        self.answered = max(self.answered, version)

    def take_steps(self) -> None:
        """What was asked is answered."""
        self._requests = []

    def refused_by(self, error: ErrorMessage) -> Change | None:
        """The change that an error refuses, if it is about one."""
        if error.code in OF_REQUESTS:
            return None
        return next((one for one in self._unanswered if one.version == error.version), None)

    def take_back(self, refused: Change) -> None:
        """Undoes a change that the server has refused."""
        self._unanswered.remove(refused)
        self.content = self._answered_content.copy()
        for change in self._unanswered:
            self.content.take(change)

    def resumed(self, version: int) -> list[Event]:
        """What to say to a server that has all changes up to a version."""
        self.take_answers(version)
        options = [Options(self._name, self._options)] if _named(self._options) else []
        return [*self._unanswered, *options, *self._requests]

    def opened_again(self) -> Sequence[Event]:
        """What to say to a server that knows nothing of it: the words, without gold heads and steps."""
        self._unanswered = self.content.opening(self._name, self.version + 1, self._options)
        self.version = self._unanswered[-1].version
        self._requests = []
        return [*self._unanswered]


def _named(options: OptionChanges) -> dict[str, Any]:
    values = msgspec.structs.asdict(options)
    return {name: value for name, value in values.items() if value is not msgspec.UNSET}
