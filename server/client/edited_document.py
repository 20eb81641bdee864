"""Sending side of a document: changes, requests and options. The receiving side is in `documents`."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeAlias

from treewhile.incremental.sessions.document_content import TextContent, WordsContent
from treewhile.incremental.sessions.messages import (
    Append,
    AskSteps,
    Change,
    Edit,
    Event,
    Finish,
    Gold,
    Open,
    OptionChanges,
    Options,
    Request,
    Revoke,
    Step,
    StepName,
    Undo,
)
from treewhile.oracles.errors import InputError
from treewhile.server.client.sent_changes import SentChanges

Send: TypeAlias = Callable[..., Coroutine[Any, Any, None]]  # sends events in their order


class EditedDocument:
    """Document that is open until `is_over`. Changes return their version at once.

    Typing is gathered while the last edit is unanswered: the server gets one composed change with the last of
    the versions, and its answer counts for all of them.
    """

    def __init__(self, send: Send, opening: Open) -> None:
        self.name = opening.document
        self.sent = SentChanges(opening)
        self.is_over = False
        self.end_reason: Exception | None = None
        self._send = send

    @property
    def version(self) -> int:
        """Version of the last change."""
        return self.sent.version

    @property
    def answered(self) -> int:
        """Last version that was answered."""
        return self.sent.answered

    @property
    def text(self) -> str:
        """Present text, in a document of text."""
        content = self.sent.content
        return content.text if isinstance(content, TextContent) else ""

    @property
    def words(self) -> list[str]:
        """Present words, in a document of words."""
        content = self.sent.content
        return [*content.words] if isinstance(content, WordsContent) else []

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

    async def step(self, sentence: int, step: StepName) -> None:
        """Take a step by hand."""
        await self._ask(Step(self.name, self.version, sentence, step))

    async def undo(self, sentence: int, all: bool = False) -> None:
        """Take back the last step, or all steps by hand."""
        await self._ask(Undo(self.name, self.version, sentence, all))

    async def ask_steps(self, sentence: int, plan: bool = False) -> None:
        """Ask for the next steps, with a plan if wanted; the answer is among the messages."""
        await self._ask(AskSteps(self.name, self.version, sentence, plan))

    async def change_options(self, options: OptionChanges) -> None:
        """Change the given options."""
        self.sent.change_options(options)
        await self.say(Options(self.name, options))

    async def say(self, *events: Event) -> None:
        """Send events through the client; raise an error if the document is closed."""
        if self.is_over:
            raise self.end_reason or InputError(f"the document {self.name!r:.40} is closed: open another one")
        await self._send(*events)

    async def _change(self, change: Change) -> int:
        await self.say(*self.sent.add(change))
        return change.version

    async def _ask(self, request: Request) -> None:
        await self.say(*self.sent.add_request(request))
