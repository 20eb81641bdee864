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
from treewhile.incremental.sessions.refusals import RefusedError
from treewhile.server.client.gathered_changes import GatheredChanges

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
        self._changes = GatheredChanges()
        self._changes.add(opening)
        self._requests: list[Request] = []

    def add(self, change: Change) -> Sequence[Change]:
        """Makes a change; what is to be sent now. RefusedError if it cannot be made."""
        self.content.take(change)
        self.version = change.version
        self._requests = []
        return self._changes.add(change)

    def add_request(self, request: Request) -> Sequence[Event]:
        """Something is asked about the present version, which has to be sent before."""
        self._requests.append(request)
        return [*self._changes.flushed(), request]

    @property
    def is_free(self) -> bool:
        """Whether something that was typed waits for nothing any more."""
        return self._changes.is_free

    def released(self) -> Sequence[Change]:
        """What is to be sent now that the last edit is answered."""
        return self._changes.released()

    def change_options(self, options: OptionChanges) -> None:
        """Changes the options that are named."""
        self._options = msgspec.structs.replace(self._options, **_named(options))

    def take_answers(self, version: int) -> None:
        """The server has all changes up to a version."""
        for change in self._changes.answer(version):
            self._answered_content.take(change)
        self.answered = max(self.answered, version)

    def take_steps(self) -> None:
        """What was asked is answered."""
        self._requests = []

    def refused_by(self, error: ErrorMessage) -> Change | None:
        """The change that an error refuses, if it is about one."""
        if error.version is not None:
            self._changes.refuse(error.version)
        if error.code in OF_REQUESTS:
            return None
        return next((one for one in self._changes.unanswered if one.version == error.version), None)

    def take_back(self, refused: Change) -> None:
        """Undoes a change that the server has refused, with those behind it that no longer can be made."""
        self._changes.remove(refused)
        self.content = self._answered_content.copy()
        for change in self._changes.unanswered:
            try:
                self.content.take(change)
            except RefusedError:
                self._changes.remove(change)

    def resumed(self, version: int) -> list[Event]:
        """What to say to a server that has all changes up to a version."""
        self.take_answers(version)
        options = [Options(self._name, self._options)] if _named(self._options) else []
        return [*self._changes.again(), *options, *self._requests]

    def opened_again(self) -> Sequence[Event]:
        """What to say to a server that knows nothing of it: the words, without gold heads and steps."""
        self._changes = GatheredChanges()
        for change in self.content.opening(self._name, self.version + 1, self._options):
            self._changes.add(change)
            self.version = change.version
        self._requests = []
        return self._changes.again()


def _named(options: OptionChanges) -> dict[str, Any]:
    values = msgspec.structs.asdict(options)
    return {name: value for name, value in values.items() if value is not msgspec.UNSET}
