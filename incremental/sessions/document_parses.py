"""Growing parses of all sentences of a document, which follow its edits; only one job at a time uses them.

An edit only marks sentences as waiting; they are updated word by word, in slices, so the work on a long paste
can stop after any word and resume later. The parse of an ended sentence is dropped: the results read off it
suffice, until an edit touches the sentence again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from treewhile.incremental.completeness import Completeness
from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import Snapshot
from treewhile.incremental.parsers.shift_reduce import ROOT_LABEL
from treewhile.incremental.parsers.tree_decoding import PROJECTIVE
from treewhile.incremental.sessions.document_edits import DocumentEdit, Followed, Splice
from treewhile.incremental.sessions.document_words import DocumentWords, SentenceWords
from treewhile.incremental.sessions.messages import MOST_SENTENCES
from treewhile.incremental.sessions.options import DocumentOptions
from treewhile.incremental.sessions.plans import rebuilt_classes
from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt

WORDS_IN_A_SLICE = 64  # some ten milliseconds


class Attached(NamedTuple):
    """Results of a sentence whose words are attached."""

    number: int
    words: SentenceWords
    is_closed: bool
    snapshot: Snapshot
    at_once: Analysis  # committed parse, completed as if it did not wait
    confidences: tuple[float | None, ...]
    steps: bytes  # committed steps
    root_label: str = ROOT_LABEL  # the model's label of the root's child
    trees: str = PROJECTIVE  # class of the model's trees
    completeness: Callable[[], Completeness] | None = None  # completeness of the words, if predicted
    is_begun: bool = False  # only the first letters of the last word are known, and its tag is a guess
    is_anew: bool = False  # all levels are to be computed again, even if the words are the same

    def has_words_of(self, other: Attached | None) -> bool:
        """Return whether words and openness are the same in both."""
        return (
            other is not None and self.words.forms == other.words.forms and self.is_closed == other.is_closed
        )


class Progress(NamedTuple):
    """Results of a slice of work."""

    splices: list[Splice]
    attached: list[Attached]
    waiting: frozenset[int]  # numbers of sentences that are not attached yet
    starts: list[int]  # positions of the sentences' begins in the document, and word counts at their ends
    ends: list[int]
    firm: int  # number of leading words, and ends among them, that more text does not change
    is_finished: bool
    typed: int | None  # number of the sentence with the word that is being typed
    awaits_pause: bool  # whether the last sentence would be a whole one after a pause in typing


class Retyped(NamedTuple):
    """Words of a sentence in which one word, counted from 0, is new or changed and not attached yet."""

    number: int
    word: int
    words: SentenceWords


class Rebuild(NamedTuple):
    """Request to take the steps of a sentence anew, along its best analysis."""

    number: int
    best: Analysis


@dataclass(slots=True)
class _Sentence:
    number: int
    start: int = 0
    end: int = 0
    is_closed: bool = False
    parse: GrowingParse | None = None


class DocumentParses:
    """Growing parses of the sentences of some words."""

    def __init__(self, model: Model, words: DocumentWords, options: DocumentOptions) -> None:
        self._model, self._words, self._options = model, words, options
        self._sentences: list[_Sentence] = []
        self._waiting: dict[int, _Sentence] = {}  # by number
        self._anew: set[int] = set()  # numbers of sentences that are to begin anew
        self._numbers = 0  # number of sentence numbers given out so far

    def progress(self, splices: list[Splice], attached: list[Attached]) -> Progress:
        """Return the progress made by edits and attached sentences."""
        words, ends, typed = self._words, list(self._words.ends), self._words.typed_sentence
        return Progress(
            splices,
            attached,
            frozenset(self._waiting),
            words.starts(ends),
            ends,
            words.firm,
            words.is_finished,
            None if typed is None else self._sentences[typed].number,
            words.awaits_pause,
        )

    @property
    def awaits_pause(self) -> bool:
        """True if the last sentence would be a whole one after a pause in typing."""
        return self._words.awaits_pause

    # --- edits --------------------------------------------------------------------------------------------

    def edited(self, edit: DocumentEdit) -> Splice:
        """Apply an edit and return its effect on sentences; changed ones then wait."""
        if isinstance(edit, Followed):
            return edit.splice
        splice = self._words.apply(edit)
        place, gone = splice.place, splice.place + splice.removed
        for sentence in self._sentences[place:gone]:
            self._waiting.pop(sentence.number, None)
            self._anew.discard(sentence.number)
        self._sentences[place:gone] = [_Sentence(self._numbers + more) for more in range(1, splice.added + 1)]
        self._numbers += splice.added
        for sentence in self._sentences[splice.first : place + splice.added]:
            self._waiting[sentence.number] = sentence
        self._place_from(max(0, splice.first - 1))
        return splice

    @property
    def retyped(self) -> Retyped | None:
        """Sentence with the word that is being typed, if the last edit changed nothing else."""
        word, place = self._words.retyped_word, self._words.typed_sentence
        if word is None or place is None:
            return None
        sentence = self._sentences[place]
        words = self._words.sentence(sentence.start, sentence.end)
        return Retyped(sentence.number, word - sentence.start, words)

    def tag_of_new(self, retyped: Retyped) -> str | None:
        """Return the likely tag of a new last word, by its letters or behind attached words."""
        forms, sentence = retyped.words.forms, self._waiting.get(retyped.number)
        tag = self._model.tag_by_letters(forms[-1])
        if tag is not None or sentence is None:
            return tag
        parse = sentence.parse
        if parse is None or parse.is_closed or parse.words != forms[:-1]:
            return None
        return parse.next_tag(forms[-1])

    def check_size(self) -> None:
        """Raise an InputError if edits have made too many sentences, which is known only now."""
        if len(self._sentences) > MOST_SENTENCES:
            what = f"it would have {len(self._sentences)} sentences, and a document may have {MOST_SENTENCES}"
            raise InputError(f"{what}: take several documents")

    def _place_from(self, first: int) -> None:
        """Set the bounds of sentences from `first` on, and whether they have ended."""
        ends, has_ended = self._words.ends, self._words.is_finished or self._words.is_whole
        bounds = pairwise([ends[first - 1] if first else 0, *ends[first:]])
        for sentence, (start, end) in zip(self._sentences[first:], bounds, strict=True):
            sentence.start, sentence.end = start, end
            is_closed = sentence is not self._sentences[-1] or has_ended
            if is_closed != sentence.is_closed:
                self._waiting[sentence.number] = sentence
            sentence.is_closed = is_closed

    def attach_anew(self, numbers: Collection[int]) -> None:
        """Make these sentences wait, since more results are needed; ignore removed ones."""
        missing = len(numbers)
        for sentence in reversed(self._sentences) if numbers else ():
            if sentence.number in numbers:
                self._waiting[sentence.number] = sentence
                self._anew.add(sentence.number)
                missing -= 1
            if not missing:
                break

    def take_options(self, options: DocumentOptions) -> None:
        """Set the options; if the risk differs, parse open sentences again."""
        before, self._options = self._options, options
        for sentence in self._sentences if options.risk != before.risk else ():
            if sentence.parse is not None:
                sentence.parse = None
                self._waiting[sentence.number] = sentence

    # --- slices -------------------------------------------------------------------------------------------

    def attached(self, at_once: int, interrupt: Interrupt) -> list[Attached]:
        """Return the sentences that are fully attached after this slice of about `at_once` words."""
        attached: list[Attached] = []
        for sentence in sorted(self._waiting.values(), key=attrgetter("start")):
            words = self._words.sentence(sentence.start, sentence.end)
            parse = self._cut_back(sentence, words.forms)
            same = parse.word_count
            for number, word in enumerate(words.forms[same : same + at_once], same + 1):
                parse.append(word, looks_ahead=number == len(words.forms) and not sentence.is_closed)
                if interrupt.is_set:
                    break
            done = parse.word_count
            if done == len(words.forms):
                del self._waiting[sentence.number]
                attached.append(self._read_off(sentence, parse, words))
            at_once -= max(1, done - same)
            if at_once <= 0 or interrupt.is_set:
                break
        return attached

    def _cut_back(self, sentence: _Sentence, forms: Sequence[str]) -> GrowingParse:
        """Return the parse of a sentence, cut back to the words that are still the same."""
        parse = sentence.parse = sentence.parse or GrowingParse(self._model, risk=self._options.risk)
        known = parse.words
        same = common_length(known, forms)
        if same < len(known) or parse.is_closed:
            parse.cut(same)
        return parse

    def _read_off(self, sentence: _Sentence, parse: GrowingParse, words: SentenceWords) -> Attached:
        if sentence.is_closed:
            parse.close()
            sentence.parse = None
        is_anew = sentence.number in self._anew
        self._anew.discard(sentence.number)
        analysis, confidences = parse.at_once()
        return Attached(
            sentence.number,
            words,
            sentence.is_closed,
            parse.snapshot(),
            analysis,
            confidences,
            parse.steps,
            self._model.root_label,
            self._model.trees,
            parse.completeness_later() if self._model.knows_completeness else None,
            is_anew=is_anew,
        )

    def rebuilt(self, rebuild: Rebuild) -> list[Attached]:
        """Return the sentence with rebuilt steps, unless its words have changed since the request."""
        for sentence in self._sentences:
            if sentence.number != rebuild.number or sentence.number in self._waiting:
                continue
            words = self._words.sentence(sentence.start, sentence.end)
            if words.forms == rebuild.best.words:
                parse = self._cut_back(sentence, words.forms)
                for word in words.forms[parse.word_count :]:
                    parse.append(word)
                if sentence.is_closed:
                    parse.close()
                labels = self._model.inventory.label_numbers
                parse.follow(rebuilt_classes(rebuild.best, parse.front, sentence.is_closed, labels))
                return [self._read_off(sentence, parse, words)]
        return []


def common_length(some: Sequence[object], others: Sequence[object]) -> int:
    """Return the length of the common prefix."""
    shorter = min(len(some), len(others))
    if some[:shorter] == others[:shorter]:
        return shorter
    if some[: shorter - 1] == others[: shorter - 1]:  # the common case while somebody types
        return shorter - 1
    for place, (one, other) in enumerate(zip(some, others, strict=False)):
        if one != other:
            return place
    return shorter
