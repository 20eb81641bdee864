"""What one session has received and the disk does not have yet, and what is held back until it has.

Analyses go out at once. The versions that they answer, which a client may forget then, follow when these are
durable; so do next steps after gold heads or steps by hand.
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
    """The journal of a session.

    write      takes each event to the store, with its number
    is_owned   whether the session is this process's own, and not in doubt
    """

    def __init__(
        self,
        write: Callable[[int, Event], None],
        received: int = 0,
        documents: Iterable[str] = (),
        is_owned: Callable[[], bool] = lambda: True,
    ) -> None:
        self._write, self._is_owned = write, is_owned
        self.received = self._durable = received  # events
        self._documents = {name: _Unsaid() for name in documents}
        self.is_over = False

    def note(self, event: Event) -> None:
        """An event has been accepted."""
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
        """No event up to this one can be lost any more."""
        self._durable = max(self._durable, number)

    def end(self) -> None:
        """Nothing is written any more, so nothing is held back."""
        self.is_over, self._durable = True, self.received

    @property
    def is_behind(self) -> bool:
        """Whether anything has come that could still be lost."""
        return self.received > self._durable

    @property
    def may_speak(self) -> bool:
        """Whether anything may be said now: another process may have the session."""
        return self.is_over or self._is_owned()

    @property
    def owes(self) -> bool:
        """Whether anything is held back."""
        return not self.may_speak or any(unsaid.owes for unsaid in self._documents.values())

    def begin_again(self) -> None:
        """Another reader begins, which learns what is held in another way."""
        for unsaid in self._documents.values():
            unsaid.forget()

    def passed(self, messages: Sequence[AnyMessage]) -> list[AnyMessage]:
        """What of these messages may be said now."""
        return [left for message in messages if (left := self._left_of(message)) is not None]

    def released(self, count: Callable[[str], int]) -> list[AnyMessage]:
        """What was held back and may be said now, given how many sentences there are of a document."""
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
    """What is held back of a document."""

    def __init__(self) -> None:
        self._changes: dict[int, int] = {}  # by their versions, the numbers of those not durable
        self._last_request = 0  # its number
        self._answers: list[int] = []
        self._steps: dict[int, StepsMessage] = {}  # by sentence
        self._version = 0  # of the last message

    @property
    def owes(self) -> bool:
        return bool(self._answers or self._steps)

    def forget(self) -> None:
        self._changes, self._answers, self._steps, self._last_request = {}, [], {}, 0

    def note(self, event: Event, number: int) -> None:
        if isinstance(event, Change):
            self._changes[event.version] = number
            self._steps = {}  # they are about a version that is over
        else:
            self._last_request = number

    def without_answers(self, message: Any, durable: int) -> AnyMessage | None:
        """The message with those answers that may be given, if it says anything then."""
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
