"""Journal of the events of a session that are not stored yet, and buffer of messages that depend on them.

Analyses are sent at once. The list of versions that they answer, which a client may then forget, is sent when
these versions are durable; so are next steps after gold heads or steps by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    AnyMessage,
    Change,
    Close,
    ClosedMessage,
    DeltaMessage,
    Event,
    Open,
    SentencesMessage,
    StepsMessage,
)


class Journal:
    """Journal of one session.

    write      function that stores an event under its number
    is_owned   function that says whether the session certainly belongs to this process
    """

    def __init__(
        self,
        write: Callable[[int, Event], None],
        received: int = 0,
        documents: Iterable[str] = (),
        is_owned: Callable[[], bool] = lambda: True,
    ) -> None:
        self._write, self._is_owned = write, is_owned
        self.received = self._durable = received  # numbers of the last events
        self._documents = {name: _Unsaid() for name in documents}
        self.is_over = False

    def note(self, event: Event) -> None:
        """Note an accepted event, and store it."""
        if self.is_over:
            return
        self.received += 1
        if isinstance(event, Open):
            self._documents[event.document] = _Unsaid()
        elif isinstance(event, Close):
            self._documents.pop(event.document, None)
        if event.document in self._documents:
            self._documents[event.document].note(event, self.received)
        self._write(self.received, event)

    def make_durable(self, number: int) -> None:
        """Note that all events up to a number are durable."""
        self._durable = max(self._durable, number)

    def end(self) -> None:
        """Stop storing events and holding messages back."""
        self.is_over, self._durable = True, self.received

    @property
    def is_behind(self) -> bool:
        """True if some event is not durable yet."""
        return self.received > self._durable

    @property
    def may_speak(self) -> bool:
        """True if messages may be sent now: no other process may have the session."""
        return self.is_over or self._is_owned()

    @property
    def owes(self) -> bool:
        """True if messages are held back."""
        return not self.may_speak or any(unsaid.owes for unsaid in self._documents.values())

    def begin_again(self) -> None:
        """Drop held messages for a new reader, which gets the state in another way."""
        for unsaid in self._documents.values():
            unsaid.forget()

    def passed(self, messages: Sequence[AnyMessage]) -> list[AnyMessage]:
        """Return the messages that may be sent now, without answers to events that are not durable."""
        return [left for message in messages if (left := self._left_of(message)) is not None]

    def released(self, count: Callable[[str], int]) -> list[AnyMessage]:
        """Return held messages that may be sent now; `count` gives the number of sentences of a document."""
        return [
            message
            for name, unsaid in self._documents.items()
            for message in unsaid.released(name, count, self._durable)
        ]

    def _left_of(self, message: AnyMessage) -> AnyMessage | None:
        unsaid = self._documents.get(message.document or "")
        if unsaid is None or isinstance(message, ClosedMessage):
            return message
        if isinstance(message, AnalysisMessage | DeltaMessage | SentencesMessage):
            return unsaid.without_answers(message, self._durable)
        if isinstance(message, StepsMessage):
            return unsaid.held_steps(message, self._durable)
        return message


class _Unsaid:
    """Messages of one document that are held back."""

    def __init__(self) -> None:
        self._changes: dict[int, int] = {}  # numbers of the events that are not durable, by version
        self._last_request = 0  # number of the last request
        self._answers: list[int] = []
        self._steps: dict[int, StepsMessage] = {}  # by sentence
        self._version = 0  # version of the last message

    @property
    def owes(self) -> bool:
        return bool(self._answers or self._steps)

    def forget(self) -> None:
        self._changes, self._answers, self._steps, self._last_request = {}, [], {}, 0

    def note(self, event: Event, number: int) -> None:
        if isinstance(event, Change):
            self._changes[event.version] = number
            self._steps = {}  # these steps are about a former version
        else:
            self._last_request = number

    def without_answers(self, message: Any, durable: int) -> AnyMessage | None:
        """Return the message with answers to durable versions only, or None if nothing is left."""
        self._version = message.version
        early = [version for version in message.answers if self._changes.get(version, 0) > durable]
        if not early:
            return self._passed(message, message.answers)
        self._answers += early
        rest = [version for version in message.answers if version not in early]
        is_structure = isinstance(message, SentencesMessage)
        if is_structure and not (rest or message.removed or message.added):
            return None
        return self._passed(message, rest)

    def _passed(self, message: Any, answers: list[int]) -> AnyMessage:
        for version in answers:
            self._changes.pop(version, None)
        left: AnyMessage = (
            message if answers == message.answers else msgspec.structs.replace(message, answers=answers)
        )
        return left

    def held_steps(self, message: StepsMessage, durable: int) -> AnyMessage | None:
        if self._last_request <= durable:
            return message
        self._steps[message.sentence] = message
        return None

    def released(self, name: str, count: Callable[[str], int], durable: int) -> list[AnyMessage]:
        said: list[AnyMessage] = []
        answers = [version for version in self._answers if self._changes[version] <= durable]
        if answers:
            self._answers = [version for version in self._answers if version not in answers]
            for version in answers:
                del self._changes[version]
            sentences = count(name)
            said.append(SentencesMessage(name, self._version, answers, sentences, 0, 0, sentences))
        if self._steps and self._last_request <= durable:
            said += self._steps.values()
            self._steps = {}
        return said
