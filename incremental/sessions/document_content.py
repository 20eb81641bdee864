"""Content of a document: a text, or given words with sentence ends; the legal order of events, and changes.

Session, store and client each hold a copy, and apply the same rules:

    session  `empty_content(opening)`, then `take(change)` for each event, the opening included: the edit
             that its parses follow. An illegal change is a RefusedError with a code, and changes nothing.
    store    `content_of(opening)` and `take(change)` for what a session has taken; `opening` gives the
             fewest changes that lead to the present content again, `opening_length` how many these are.
             An Open replaces all that was there.
    client   `checked(change)` before it sends a change, then `take`; `copy` keeps the content that is
             answered, `text` and `words` are what its user sees, `opening` what a new server is told.

The order of events is a table: the state of a document and the event give the next state. When you edit it:
a name without a document is *absent*; a document consists of *text*, which the model segments, or of given
*words*. An event that is not in the table is an error, which changes nothing. The documentation of the
protocol is generated from its rows.

Positions are in the units that the document was opened with; edits are in code points.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from treewhile.incremental.parsers.words import WORD, is_word
from treewhile.incremental.sessions.document_edits import (
    DocumentEdit,
    SentenceFinished,
    TextEdited,
    TextPositions,
    WordsCame,
    WordsWent,
)
from treewhile.incremental.sessions.messages import (
    MOST_CHARACTERS,
    MOST_WORDS,
    Append,
    AskAnalyses,
    AskMargins,
    AskSteps,
    Change,
    Close,
    Edit,
    EditGrammar,
    ErrorCode,
    Event,
    Finish,
    Fix,
    Gold,
    Open,
    OptionChanges,
    Options,
    Positions,
    RefusedError,
    Revoke,
    Step,
    Undo,
)
from treewhile.incremental.texts.scripts import LetterCounts
from treewhile.incremental.texts.segmenter import LONGEST_SENTENCE, SURROGATE

State: TypeAlias = Literal["absent", "text", "words"]

# Possible next states; for Open, its fields decide.
AFTER: Final[dict[tuple[State, type[Event]], tuple[State, ...]]] = {
    ("absent", Open): ("text", "words"),
    ("text", Edit): ("text",),
    ("words", Append): ("words",),
    ("words", Revoke): ("words",),
    ("text", Finish): ("text",),
    ("words", Finish): ("words",),
    ("text", Gold): ("text",),
    ("words", Gold): ("words",),
    ("text", Step): ("text",),
    ("words", Step): ("words",),
    ("text", Undo): ("text",),
    ("words", Undo): ("words",),
    ("text", Fix): ("text",),
    ("words", Fix): ("words",),
    ("text", AskSteps): ("text",),
    ("words", AskSteps): ("words",),
    ("text", AskMargins): ("text",),
    ("words", AskMargins): ("words",),
    ("text", AskAnalyses): ("text",),
    ("words", AskAnalyses): ("words",),
    ("text", Options): ("text",),
    ("words", Options): ("words",),
    ("text", EditGrammar): ("text",),
    ("words", EditGrammar): ("words",),
    ("text", Close): ("absent",),
    ("words", Close): ("absent",),
}

REASONS: Final[dict[State, str]] = {
    "absent": "is not open: open it first",
    "text": "is an open one of text: edit it, or close it first",
    "words": "is an open one of words: append or revoke words, or close it first",
}


# Characters that no text may have: halves of surrogate pairs, and controls that are not Unicode white space.
UNFIT: Final = re.compile("[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")


class TextContent:
    """Text that can be edited anywhere."""

    state: Final[Literal["text"]] = "text"

    def __init__(self, positions: Positions) -> None:
        self.positions, self.text, self.is_finished = positions, "", False
        self.letters = LetterCounts()
        self._places = TextPositions(positions)

    def copy(self) -> TextContent:
        copied = TextContent(self.positions)
        copied.text, copied.is_finished, copied._places = self.text, self.is_finished, self._places.copy()
        copied.letters = self.letters.copy()
        return copied

    @property
    def size(self) -> tuple[int, int]:
        """Length of the text in units, and number of given words."""
        return self._places.units, 0

    def take(self, change: Change) -> DocumentEdit:
        """Apply a change, and return it as an edit. RefusedError if it is illegal."""
        edit = self.checked(change)
        if isinstance(edit, TextEdited):
            start, end, new_text, _ = edit
            self.letters.replace(self.text[start:end], new_text)
            self.text = self.text[:start] + new_text + self.text[end:]
            self._places.replace(start, end, new_text)
        self.is_finished = isinstance(edit, SentenceFinished)
        return edit

    def checked(self, change: Change) -> DocumentEdit:
        """Return the edit that a change makes. RefusedError if it is illegal."""
        if isinstance(change, Edit):
            return self._edit(change.start, change.end, change.text)
        if isinstance(change, Open):
            return self._edit(0, self._places.units, change.text or "", is_opening=True)
        if isinstance(change, Finish):
            return SentenceFinished()
        raise RefusedError("illegal", "the document has a text, not words: edit it")

    def _edit(self, start: int, end: int, new_text: str, is_opening: bool = False) -> TextEdited:
        first, last = self._places.in_code_points(start), self._places.in_code_points(end)
        if first is None or last is None or first > last:
            units = self._places.units
            what = f"the edit from {start} to {end} does not lie within the text, which has {units} units"
            raise RefusedError("out_of_text", f"{what}: give places between characters, from 0 to {units}")
        length = len(self.text) - (last - first) + len(new_text)
        if length > MOST_CHARACTERS:
            what = f"the text would have {length} characters, and a document may have {MOST_CHARACTERS}"
            raise RefusedError("too_much", f"{what}: take several documents")
        _check_characters(new_text, "bad_text", "the text")
        return TextEdited(first, last, new_text, is_opening)

    @property
    def opening_length(self) -> int:
        """Number of changes that `opening` returns."""
        return 1 + self.is_finished

    def opening(self, name: str, version: int, options: OptionChanges) -> list[Change]:
        """Return the fewest changes that make this content, the first one of this version."""
        first = Open(name, version, text=self.text, positions=self.positions, options=options)
        return [first, Finish(name, version + 1)] if self.is_finished else [first]


class WordsContent:
    """Given words, and the word counts at which sentences have ended."""

    state: Final[Literal["words"]] = "words"

    def __init__(self, positions: Positions) -> None:
        self.positions = positions
        self.words: list[str] = []
        self.ends: list[int] = []
        self.letters = LetterCounts()

    def copy(self) -> WordsContent:
        copied = WordsContent(self.positions)
        copied.words, copied.ends, copied.letters = [*self.words], [*self.ends], self.letters.copy()
        return copied

    @property
    def size(self) -> tuple[int, int]:
        """Length of the text in units, and number of given words."""
        return 0, len(self.words)

    def take(self, change: Change) -> DocumentEdit:
        """Apply a change, and return it as an edit. RefusedError if it is illegal."""
        edit = self.checked(change)
        if isinstance(change, Open):
            self.words, self.ends, self.letters = [], [], LetterCounts()
        if isinstance(edit, WordsCame):
            self.letters.replace("", "".join(edit.words))
            self.words += edit.words
        elif isinstance(edit, WordsWent):
            kept = len(self.words) - edit.words
            self.letters.replace("".join(self.words[kept:]), "")
            del self.words[kept:]
            while self._last_end > len(self.words):
                self.ends.pop()
        elif len(self.words) > self._last_end:
            self.ends.append(len(self.words))
        return edit

    def checked(self, change: Change) -> DocumentEdit:
        """Return the edit that a change makes. RefusedError if it is illegal."""
        if isinstance(change, Open):
            return _words_came(change.words or [], 0, 0)
        if isinstance(change, Append):
            return _words_came(change.words, len(self.words), self._last_end)
        if isinstance(change, Revoke):
            return self._fewer(change.count)
        if isinstance(change, Finish):
            return SentenceFinished()
        raise RefusedError("illegal", "the document has words, not a text: append or revoke some")

    def _fewer(self, count: int) -> WordsWent:
        if count > len(self.words):
            raise RefusedError("out_of_text", f"{count} words cannot go: there are {len(self.words)}")
        return WordsWent(count)

    @property
    def _last_end(self) -> int:
        return self.ends[-1] if self.ends else 0

    @property
    def opening_length(self) -> int:
        """Number of changes that `opening` returns."""
        return 2 * len(self.ends) + (not self.ends or self._last_end < len(self.words))

    def opening(self, name: str, version: int, options: OptionChanges) -> list[Change]:
        """Return the fewest changes that make this content, the first one of this version."""
        first = self.words[: self.ends[0]] if self.ends else self.words[:]
        changes: list[Change] = [Open(name, version, words=first, positions=self.positions, options=options)]
        for start, end in pairwise([*self.ends, len(self.words)]):
            changes.append(Finish(name, version + len(changes)))
            if start < end:
                changes.append(Append(name, version + len(changes), self.words[start:end]))
        return changes


DocumentContent: TypeAlias = TextContent | WordsContent


def content_of(opening: Open) -> DocumentContent:
    """Return the content of a document that was just opened. RefusedError if the opening is illegal."""
    content = empty_content(opening)
    content.take(opening)
    return content


def empty_content(opening: Open) -> DocumentContent:
    """Return the content of a document before its opening is applied."""
    if opening.text is not None and opening.words is not None:
        raise RefusedError("bad_event", "a document has text or words, not both: leave one out")
    return TextContent(opening.positions) if opening.words is None else WordsContent(opening.positions)


def _words_came(words: Sequence[str], before: int, last_end: int) -> WordsCame:
    """Return the edit for new words behind `before` old ones, in a sentence that begins at `last_end`."""
    for number, word in enumerate(words, 1):
        if not is_word(word):
            what = f"word {number} is {word!r:.40}, and a word is {WORD}"
            raise RefusedError("bad_word", f"{what}: leave it out")
        _check_characters(word, "bad_word", f"word {number}")
    total = before + len(words)
    if total > MOST_WORDS:
        what = f"a document may have {MOST_WORDS} words, not {total}"
        raise RefusedError("too_much", f"{what}: open another one")
    if total - last_end > LONGEST_SENTENCE:
        what = f"the sentence would have {total - last_end} words"
        raise RefusedError("too_much", f"{what}: finish it after {LONGEST_SENTENCE} at most")
    return WordsCame(words)


def _check_characters(text: str, code: ErrorCode, what: str) -> None:
    """Refuse lone surrogates, which no message can encode, and controls that are not white space."""
    found = UNFIT.search(text)
    if found and SURROGATE.match(found[0]):
        raise RefusedError(code, f"{what} has half a surrogate pair in it: send whole characters")
    if found:
        control = f"the control character U+{ord(found[0]):04X}"
        raise RefusedError(code, f"{what} has {control} in it: leave it out")
