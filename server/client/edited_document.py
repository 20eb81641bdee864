"""What one says of a document on a server: changes, requests, options. What comes back is in `documents`."""

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

Send: TypeAlias = Callable[..., Coroutine[Any, Any, None]]  # of events, which go out in their order


class EditedDocument:
    """A document that is open until `is_over`. Changes return their version at once.

    What is typed while the last edit is unanswered is gathered: the server gets it as one change with the
    last of the versions, whose answer counts for all of them.
    """

    def __init__(self, send: Send, opening: Open) -> None:
        self.name = opening.document
        self.sent = SentChanges(opening)
        self.is_over = False
        self.end_reason: Exception | None = None
        self._send = send

    @property
    def version(self) -> int:
        """That of the last change."""
        return self.sent.version

    @property
    def answered(self) -> int:
        """The last version that has had an answer."""
        return self.sent.answered

    @property
    def text(self) -> str:
        """The present text, in a document of text."""
        content = self.sent.content
        return content.text if isinstance(content, TextContent) else ""

    @property
    def words(self) -> list[str]:
        """The present words, in a document of words."""
        content = self.sent.content
        return [*content.words] if isinstance(content, WordsContent) else []

    async def append(self, *words: str) -> int:
        """More words come, in a document of words."""
        return await self._change(Append(self.name, self.version + 1, [*words]))

    async def edit(self, start: int, end: int, text: str) -> int:
        """A text takes the place of what stands from `start` to `end`, in a document of text."""
        return await self._change(Edit(self.name, self.version + 1, start, end, text))

    async def write(self, text: str) -> int:
        """More text comes at the end, in a document of text."""
        return await self.edit(len(self.text), len(self.text), text)

    async def revoke(self, count: int = 1) -> int:
        """The last words are gone, in a document of words."""
        return await self._change(Revoke(self.name, self.version + 1, count))

    async def finish(self) -> int:
        """The last sentence has ended."""
        return await self._change(Finish(self.name, self.version + 1))

    async def give_gold(self, sentence: int, heads: Sequence[int | None] | None) -> None:
        """The true heads of a sentence of the present version; none takes them back."""
        await self._ask(Gold(self.name, self.version, sentence, None if heads is None else [*heads]))

    async def step(self, sentence: int, step: StepName) -> None:
        """A step by hand."""
        await self._ask(Step(self.name, self.version, sentence, step))

    async def undo(self, sentence: int, all: bool = False) -> None:
        """Takes the last step back, or all steps by hand."""
        await self._ask(Undo(self.name, self.version, sentence, all))

    async def ask_steps(self, sentence: int, plan: bool = False) -> None:
        """Asks for the next steps, maybe with a plan, which come among the messages."""
        await self._ask(AskSteps(self.name, self.version, sentence, plan))

    async def change_options(self, options: OptionChanges) -> None:
        """Changes the options that are named."""
        self.sent.change_options(options)
        await self.say(Options(self.name, options))

    async def say(self, *events: Event) -> None:
        """Hands events to the client, as long as the document is open."""
        if self.is_over:
            raise self.end_reason or InputError(f"the document {self.name!r:.40} is closed: open another one")
        await self._send(*events)

    async def _change(self, change: Change) -> int:
        await self.say(*self.sent.add(change))
        return change.version

    async def _ask(self, request: Request) -> None:
        await self.say(*self.sent.add_request(request))
