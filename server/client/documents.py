"""A document as its client has it: what was said of it that may be lost, and what the server has answered.

The client knows the present words itself. It keeps every change until that is answered, and the words as they
were before, so that a lost connection costs nothing, and a refused change can be taken back.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, TypeAlias

import msgspec

from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    AnyMessage,
    Append,
    AskAnalyses,
    AskSteps,
    Change,
    Close,
    ClosedMessage,
    DeltaMessage,
    Edit,
    ErrorMessage,
    Event,
    Finish,
    Gold,
    MovedMessage,
    Open,
    OptionChanges,
    Options,
    Request,
    Revoke,
    SentencesMessage,
    Step,
    StepName,
    StepsMessage,
    Undo,
    apply_delta,
)
from treewhile.oracles.errors import InputError
from treewhile.server.errors import DocumentError

KEPT: Final = 1000  # messages that wait to be read; of more, the oldest go
OF_REQUESTS: Final = (
    "failed",
    "lost",
    "bad_gold",
    "bad_step",
    "unknown_sentence",
)  # errors about no change

Told: TypeAlias = AnalysisMessage | StepsMessage | SentencesMessage | MovedMessage | ErrorMessage
Send: TypeAlias = Callable[[Event], Coroutine[Any, Any, None]]


# --- the words ----------------------------------------------------------------------------------------------


@dataclass
class SentText:
    """A text, in code points."""

    text: str = ""
    is_finished: bool = False

    def copy(self) -> SentText:
        return SentText(self.text, self.is_finished)

    def check(self, change: Change) -> None:
        """An InputError for what the text does not allow."""
        if isinstance(change, Append | Revoke):
            raise InputError("the document has a text, not words: edit it")
        if isinstance(change, Edit) and not change.start <= change.end <= len(self.text):
            where = f"from {change.start} to {change.end}"
            raise InputError(f"the text has {len(self.text)} characters: edit within them, not {where}")

    def apply(self, change: Change) -> None:
        self.is_finished = isinstance(change, Finish)
        if isinstance(change, Open):
            self.text = change.text or ""
        elif isinstance(change, Edit):
            self.text = self.text[: change.start] + change.text + self.text[change.end :]

    def opening(self, name: str, version: int, options: OptionChanges) -> list[Change]:
        """The changes that make it anew, the first of this version."""
        finish = [Finish(name, version + 1)] if self.is_finished else []
        return [Open(name, version, text=self.text, options=options), *finish]


@dataclass
class SentWords:
    """Given words, and after how many of them sentences were finished."""

    words: list[str] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def copy(self) -> SentWords:
        return SentWords([*self.words], [*self.ends])

    def check(self, change: Change) -> None:
        """An InputError for what the words do not allow."""
        if isinstance(change, Edit):
            raise InputError("the document has words, not a text: append or revoke some")
        if isinstance(change, Revoke) and change.count > len(self.words):
            raise InputError(f"there are {len(self.words)} words: revoke no more, not {change.count}")

    def apply(self, change: Change) -> None:
        if isinstance(change, Open):
            self.words, self.ends = [*(change.words or ())], []
        elif isinstance(change, Append):
            self.words += change.words
        elif isinstance(change, Revoke):
            del self.words[len(self.words) - change.count :]
            self.ends = [end for end in self.ends if end <= len(self.words)]
        elif isinstance(change, Finish) and len(self.words) > max(self.ends, default=0):
            self.ends.append(len(self.words))

    def opening(self, name: str, version: int, options: OptionChanges) -> list[Change]:
        """The changes that make it anew, the first of this version."""
        first, *others = pairwise([0, *self.ends, len(self.words)])
        changes: list[Change] = [Open(name, version, words=self.words[slice(*first)], options=options)]
        for start, end in others:
            changes.append(Finish(name, version + len(changes)))
            changes.append(Append(name, version + len(changes), self.words[start:end]))
        return changes


# --- the document -------------------------------------------------------------------------------------------


class Document:
    """An open document. Changes return their version at once; analyses come as they are made.

    version    of the last change
    answered   the last version that has had an answer
    sentences  the newest analysis of each sentence, None where there is none yet
    is_over    whether it is closed
    """

    def __init__(self, send: Send, name: str, content: SentText | SentWords, options: OptionChanges) -> None:
        self.name, self.version, self.answered = name, -1, -1
        self.sentences: list[AnalysisMessage | None] = []
        self._send, self._options = send, options
        self._now, self._answered_content = content, content.copy()
        self._unanswered: list[Change] = []
        self._requests: list[
            Request
        ] = []  # about this version, to be sent again where the connection is lost
        self._told: deque[Told] = deque(maxlen=KEPT)
        self._news = asyncio.Event()
        self._end: Exception | None = None
        self.is_over = False

    async def __aenter__(self) -> Document:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def text(self) -> str:
        """The present text, in a document of text."""
        return self._now.text if isinstance(self._now, SentText) else ""

    @property
    def words(self) -> list[str]:
        """The present words, in a document of words."""
        return [*self._now.words] if isinstance(self._now, SentWords) else []

    # --- changes and requests -------------------------------------------------------------------------------

    async def open(self) -> int:
        """Opens it, by its client."""
        return await self._say_changes(self._now.opening(self.name, 0, self._options)[:1])

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

    async def undo(self, sentence: int) -> None:
        """Takes the last step by hand back."""
        await self._ask(Undo(self.name, self.version, sentence))

    async def ask_steps(self, sentence: int, plan: bool = False) -> None:
        """Asks for the next steps, maybe with a plan, which come among the messages."""
        await self._ask(AskSteps(self.name, self.version, sentence, plan))

    async def change_options(self, options: OptionChanges) -> None:
        """Changes the options that are named."""
        named = {**msgspec.structs.asdict(self._options), **_named(options)}
        self._options = OptionChanges(**named)
        await self._say(Options(self.name, options))

    async def close(self) -> None:
        """The document is done with."""
        if not self.is_over:
            await self._say(Close(self.name))
            self.end()

    async def _change(self, change: Change) -> int:
        self._now.check(change)
        return await self._say_changes([change])

    async def _say_changes(self, changes: Sequence[Change]) -> int:
        for change in changes:
            self._now.apply(change)
            self.version = change.version
        self._unanswered += changes
        self._requests = []
        for change in changes:
            await self._say(change)
        return self.version

    async def _ask(self, request: Request) -> None:
        self._requests.append(request)
        await self._say(request)

    async def _say(self, event: Event) -> None:
        self._check_open()
        await self._send(event)

    def _check_open(self) -> None:
        if self.is_over:
            raise self._end or InputError(f"the document {self.name!r:.40} is closed: open another one")

    # --- what comes back ------------------------------------------------------------------------------------

    async def messages(self) -> AsyncIterator[Told]:
        """All that the server says of it, analyses in full, until it is closed.

        If nobody reads for long, the oldest messages are dropped. Ends with an exception if the server has
        closed the connection for good.
        """
        while True:
            while self._told:
                yield self._told.popleft()
            if self.is_over:
                break
            self._news.clear()
            await self._news.wait()
        if self._end:
            raise self._end

    async def analyses(self) -> AsyncIterator[AnalysisMessage]:
        """The analyses in full, until it is closed. An error is a DocumentError; then call it again."""
        async for message in self.messages():
            if isinstance(message, AnalysisMessage):
                yield message
            elif isinstance(message, ErrorMessage):
                raise DocumentError(message)

    # --- for the client -------------------------------------------------------------------------------------

    def take(self, message: AnyMessage) -> Sequence[Event]:
        """Takes a message; returns what there is to say to it."""
        if isinstance(message, ErrorMessage):
            return self._take_error(message)
        if isinstance(message, ClosedMessage):
            self.end()
            return ()
        if isinstance(message, StepsMessage):
            self._requests = []
            self._tell(message)
            return ()
        if isinstance(message, MovedMessage):
            self._move(message)
            self._tell(message)
            return ()
        if isinstance(message, SentencesMessage):
            self._renumber(message)
            self._tell(message)
        elif not self._take_analysis(message):
            return [AskAnalyses(self.name)]
        self._take_answers(max(message.answers, default=-1))
        return ()

    def resume(self, version: int) -> list[Event]:
        """What to say to a server that has all changes up to a version and will send all analyses anew."""
        self.sentences = []
        self._take_answers(version)
        options = [Options(self.name, self._options)] if _named(self._options) else []
        return [*self._unanswered, *options, *self._requests]

    def open_again(self) -> list[Event]:
        """What to say to a server that knows nothing of it: the words, without gold heads and steps."""
        self.sentences, self._requests = [], []
        changes = self._now.opening(self.name, self.version + 1, self._options)
        self.version = changes[-1].version
        self._unanswered = changes
        return [*changes]

    def end(self, why: Exception | None = None) -> None:
        """Nothing more comes."""
        self.is_over, self._end = True, self._end or why
        self._news.set()

    def _tell(self, message: Told) -> None:
        self._told.append(message)
        self._news.set()

    def _take_answers(self, version: int) -> None:
        while self._unanswered and self._unanswered[0].version <= version:
            self._answered_content.apply(self._unanswered.pop(0))
        self.answered = max(self.answered, version)

    def _take_analysis(self, message: AnalysisMessage | DeltaMessage) -> bool:
        """Whether the analysis is known in full now."""
        at = message.sentence
        self.sentences += [None] * (at + 1 - len(self.sentences))
        if isinstance(message, DeltaMessage):
            base = self.sentences[at]
            if base is None or base.number != message.base:
                return False
            message = apply_delta(base, message)
        self.sentences[at] = message
        self._tell(message)
        return True

    def _renumber(self, message: SentencesMessage) -> None:
        first = message.first
        self.sentences += [None] * (first + message.removed - len(self.sentences))
        self.sentences[first : first + message.removed] = [None] * message.added

    def _move(self, moved: MovedMessage) -> None:
        """Shifts what is known of sentences that stand somewhere else now."""
        for at, known in enumerate(self.sentences[moved.sentence :], moved.sentence):
            if known:
                first_word, start = known.first_word + moved.words, known.start + moved.units
                self.sentences[at] = msgspec.structs.replace(known, first_word=first_word, start=start)

    def _take_error(self, error: ErrorMessage) -> Sequence[Event]:
        if error.code == "unknown_document":
            return self.open_again()
        if error.code == "old_version" and not error.temporary:
            return ()  # said twice, around a lost connection
        refused = next((one for one in self._unanswered if one.version == error.version), None)
        is_open = isinstance(refused, Open)
        if is_open and error.code not in OF_REQUESTS:
            self.end(DocumentError(error))
        elif refused and error.code not in OF_REQUESTS and not error.temporary:
            self._take_back(refused)
        self._tell(error)
        return ()

    def _take_back(self, refused: Change) -> None:
        """The words without a change that the server has refused."""
        self._unanswered.remove(refused)
        now = self._answered_content.copy()
        for change in self._unanswered:
            now.apply(change)
        self._now = now


def _named(options: OptionChanges) -> dict[str, Any]:
    return {
        name: value for name, value in msgspec.structs.asdict(options).items() if value is not msgspec.UNSET
    }
