"""Sending side of a document: changes, requests and options. The receiving side is in `documents`.

The client has the present words, every unanswered change, and the words before these changes. So a lost
connection loses nothing, and a refused change can be undone.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import msgspec

from treewhile.incremental.sessions.document_content import TextContent, WordsContent, content_of
from treewhile.incremental.sessions.messages import (
    Append,
    AskMargins,
    AskSteps,
    Change,
    Edit,
    EditGrammar,
    ErrorMessage,
    Event,
    Finish,
    Fix,
    Gold,
    Open,
    OptionChanges,
    Options,
    RefusedError,
    Request,
    Revoke,
    Step,
    StepName,
    Undo,
)
from treewhile.oracles.errors import InputError
from treewhile.server.client.gathered_changes import GatheredChanges

# Error codes about requests, not about changes.
OF_REQUESTS: Final = ("failed", "lost", "bad_fix", "bad_gold", "bad_step", "unknown_sentence")

NOTHING: Final[Mapping[int, Any]] = MappingProxyType({})

Send: TypeAlias = Callable[..., Coroutine[Any, Any, None]]  # sends events in their order


class EditedDocument:
    """Document that is open until `is_over`. Changes return their version at once.

    Typing is gathered while the last edit is unanswered: the server gets one composed change with the last of
    the versions, and its answer counts for all of them.

    version   version of the last change
    answered  last version that was answered
    changes   unanswered changes
    """

    def __init__(self, send: Send, opening: Open) -> None:
        self.name, self.version, self.answered = opening.document, opening.version, -1
        self.is_over = False
        self.end_reason: Exception | None = None
        self.changes = GatheredChanges()
        self.changes.add(opening)
        self._send, self._options = send, opening.options
        self._content = content_of(opening)
        self._answered_content = self._content.copy()
        self._grammar: EditGrammar | None = None  # the last text of a grammar
        self._requests: list[Request] = []  # about the present version

    @property
    def text(self) -> str:
        """Present text, in a document of text."""
        return self._content.text if isinstance(self._content, TextContent) else ""

    @property
    def words(self) -> list[str]:
        """Present words, in a document of words."""
        return [*self._content.words] if isinstance(self._content, WordsContent) else []

    async def append(self, *words: str) -> int:
        """Append words, in a document of words."""
        return await self._change(Append(self.name, self.version + 1, [*words]))

    async def edit(self, start: int, end: int, text: str) -> int:
        """Replace the text from `start` to `end`, in a document of text."""
        return await self._change(Edit(self.name, self.version + 1, start, end, text))

    async def write(self, text: str) -> int:
        """Append text, in a document of text."""
        return await self.edit(len(self.text), len(self.text), text)

    async def revoke(self, count: int = 1) -> int:
        """Remove the last words, in a document of words."""
        return await self._change(Revoke(self.name, self.version + 1, count))

    async def finish(self) -> int:
        """End the last sentence."""
        return await self._change(Finish(self.name, self.version + 1))

    async def give_gold(self, sentence: int, heads: Sequence[int | None] | None) -> None:
        """Set the true heads of a sentence of the present version; None removes them."""
        await self._ask(Gold(self.name, self.version, sentence, None if heads is None else [*heads]))

    async def fix(
        self,
        sentence: int,
        heads: Mapping[int, int | None] = NOTHING,
        labels: Mapping[int, str | None] = NOTHING,
        tags: Mapping[int, str | None] = NOTHING,
    ) -> None:
        """Decide about words of a sentence of the present version, by their numbers; None frees one."""
        await self._ask(Fix(self.name, self.version, sentence, {**heads}, {**labels}, {**tags}))

    async def step(self, sentence: int, step: StepName) -> None:
        """Take a step by hand."""
        await self._ask(Step(self.name, self.version, sentence, step))

    async def undo(self, sentence: int, all: bool = False) -> None:
        """Take back the last step, or all steps by hand."""
        await self._ask(Undo(self.name, self.version, sentence, all))

    async def ask_steps(self, sentence: int, plan: bool = False) -> None:
        """Ask for the next steps, with a plan if wanted; the answer is among the messages."""
        await self._ask(AskSteps(self.name, self.version, sentence, plan))

    async def ask_margins(self, sentence: int, words: Sequence[int] | None = None) -> None:
        """Ask how sure some arcs are, or all; the answer is among the messages."""
        asked = None if words is None else [*words]
        await self._ask(AskMargins(self.name, self.version, sentence, asked))

    async def change_options(self, options: OptionChanges) -> None:
        """Change the given options."""
        self._options = msgspec.structs.replace(self._options, **_named(options))
        await self.say(Options(self.name, options))

    async def edit_grammar(self, text: str | None, number: int = 0) -> None:
        """Search this document under the text of a grammar; None takes it back. The answer has its number."""
        self._grammar = EditGrammar(self.name, text, number)
        await self.say(self._grammar)

    async def say(self, *events: Event) -> None:
        """Send events through the client; raise an error if the document is closed."""
        if self.is_over:
            raise self.end_reason or InputError(f"the document {self.name!r:.40} is closed: open another one")
        await self._send(*events)

    async def _change(self, change: Change) -> int:
        self._content.take(change)
        self.version, self._requests = change.version, []
        await self.say(*self.changes.add(change))
        return change.version

    async def _ask(self, request: Request) -> None:
        self._requests.append(request)
        await self.say(*self.changes.flushed(), request)

    # --- called by the receiving side -----------------------------------------------------------------------

    def _take_answers(self, version: int) -> None:
        """Note that the server has all changes up to a version."""
        for change in self.changes.answer(version):
            self._answered_content.take(change)
        self.answered = max(self.answered, version)

    def _refused_by(self, error: ErrorMessage) -> Change | None:
        """Return the change that an error message refuses, or None."""
        if error.version is not None:
            self.changes.refuse(error.version)
        if error.code in OF_REQUESTS:
            return None
        return next((one for one in self.changes.unanswered if one.version == error.version), None)

    def _take_back(self, refused: Change) -> None:
        """Undo a refused change, and later changes that are illegal without it."""
        self.changes.remove(refused)
        self._content = self._answered_content.copy()
        for change in self.changes.unanswered:
            try:
                self._content.take(change)
            except RefusedError:
                self.changes.remove(change)

    def _resumed(self, version: int) -> Sequence[Event]:
        """Return the events for a server that has all changes up to a version."""
        self._take_answers(version)
        options = [Options(self.name, self._options)] if _named(self._options) else []
        return [*self.changes.again(), *options, *self._grammar_again, *self._requests]

    def _opened_again(self) -> Sequence[Event]:
        """Return the events for a server without the document: its words, without gold heads and steps."""
        self.changes = GatheredChanges()
        for change in self._content.opening(self.name, self.version + 1, self._options):
            self.changes.add(change)
            self.version = change.version
        self._requests = []
        return [*self.changes.again(), *self._grammar_again]

    @property
    def _grammar_again(self) -> Sequence[Event]:
        return [self._grammar] if self._grammar else []


def _named(options: OptionChanges) -> dict[str, Any]:
    values = msgspec.structs.asdict(options)
    return {name: value for name, value in values.items() if value is not msgspec.UNSET}
