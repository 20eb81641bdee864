"""Word that is being typed: shown before it is attached, until it ends or the typist pauses.

A letter takes one way. If it begins or continues the last word of a text, the text is not even segmented: no
token ends between such letters, and if they begin a word, another one stands a space before them. Else the
text is segmented, and if only one word is new or changed, that word is shown. All other effects are computed
once the word ends, or the typist pauses, as when *cannot* becomes two words.
"""

from __future__ import annotations

from typing import Final

from treewhile.incremental.sessions.document_content import TextContent
from treewhile.incremental.sessions.document_edits import DocumentEdit, Followed, TextEdited, units
from treewhile.incremental.sessions.document_parses import DocumentParses, Retyped
from treewhile.incremental.sessions.document_words import SentenceWords
from treewhile.incremental.sessions.intake import Intake
from treewhile.incremental.sessions.open_sentences import AttachedSentences, OpenSentence, is_refined
from treewhile.incremental.sessions.outbox import Outbox
from treewhile.incremental.sessions.sentence_work import SentenceWork
from treewhile.incremental.sessions.standing_trees import with_waiting
from treewhile.incremental.texts.segmenter import Segmenter

MOST_LETTERS: Final = 32  # maximum that may wait
PAUSE: Final = 0.25  # minimum of seconds without an edit that make a pause
IN_RHYTHM: Final = 2.0  # multiple of the mean time between edits that makes a pause, for slow typists
LONGEST_PAUSE: Final = 1.0
WEIGHT: Final = 0.2  # of the last time between two edits in their mean


class TypedLetters:
    """Typed letters of a content, in its state after they were typed."""

    __slots__ = ("_content", "_segmenter")

    def __init__(self, content: TextContent, segmenter: Segmenter) -> None:
        self._content, self._segmenter = content, segmenter

    def begin(self, words: SentenceWords, start: int, edit: TextEdited) -> SentenceWords | None:
        """Return the words of the last sentence, which begins at `start`, with one that an edit begins."""
        content, letters = self._content, edit.new_text
        if not (letters and self._is_at_end(edit)):
            return None
        if not self._segmenter.is_within_sentence(edit.start, content.text):
            return None
        place = content.size[0] - units(letters, content.positions)
        return words.with_more(letters, place - start, content.positions)

    def go_on(
        self, words: SentenceWords, edit: TextEdited, waited: TextEdited | None
    ) -> SentenceWords | None:
        """Return the words of the last sentence with other last letters, some of which may have waited."""
        form, letters = words.forms[-1], waited.new_text if waited else ""
        known = form[: len(form) - len(letters)]
        fit = self._is_at_end(edit) and self._fit(known, edit, letters)
        return words.with_last(known + edit.new_text, self._content.positions) if fit else None

    def _is_at_end(self, edit: TextEdited) -> bool:
        start, end, letters, _ = edit
        return start == end == len(self._content.text) - len(letters) and len(letters) <= MOST_LETTERS

    def _fit(self, known: str, edit: TextEdited, waited: str) -> bool:
        """Return whether letters continue their word's segmented letters, or begin a word.

        Letters that have waited were checked before.
        """
        text, segmenter = self._content.text, self._segmenter
        if waited and edit.new_text.startswith(waited):
            return segmenter.is_unbroken(text[edit.start + len(waited) - 1 :])
        if known:
            return text.endswith(known, 0, edit.start) and segmenter.is_unbroken(text[edit.start - 1 :])
        return bool(edit.new_text) and segmenter.is_within_sentence(edit.start, text)


class TypingPauses:
    """Pauses in one document: edits of its text put off the next pause."""

    __slots__ = ("_between", "_edited_at", "begins_at")

    def __init__(self) -> None:
        self._edited_at: float | None = None
        self._between = 0.0  # mean of seconds between edits
        self.begins_at: float | None = None  # unless another edit comes; None during a pause

    def put_off(self, now: float) -> None:
        """Put off the pause, since somebody has typed."""
        if self._edited_at is not None:
            self._between += WEIGHT * (min(now - self._edited_at, LONGEST_PAUSE) - self._between)
        self._edited_at = now
        self.begins_at = now + min(max(PAUSE, IN_RHYTHM * self._between), LONGEST_PAUSE)


class TypedWord:
    """Word that is being typed in a document, and the sentence that waits for its end."""

    __slots__ = (
        "_intake",
        "_letters",
        "_outbox",
        "_parses",
        "_sentences",
        "_work",
        "awaits_pause",
        "held",
        "pauses",
    )

    def __init__(
        self,
        letters: TypedLetters | None,
        parses: DocumentParses,
        sentences: AttachedSentences,
        intake: Intake,
        work: SentenceWork,
        outbox: Outbox,
    ) -> None:
        self._letters, self._parses, self._sentences = letters, parses, sentences
        self._intake, self._work, self._outbox = intake, work, outbox
        self.pauses = TypingPauses()
        self.held: OpenSentence | None = None  # waits for the end of the typed word
        self.awaits_pause = False  # whether the last sentence would be a whole one after a pause

    # --- letters -------------------------------------------------------------------------------------------

    def take(self, edit: TextEdited, moved: int, version: int, now: float) -> DocumentEdit | None:
        """Show an edit that only changes one word, and return None; else return the edit to attach.

        The text behind the edit has moved by `moved` units.
        """
        self.pauses.put_off(now)
        waited = self._intake.letters
        edit = self._intake.with_letters(edit)
        left: DocumentEdit = edit
        if self._may_show(edit):
            typed = self._with_letters(edit, waited)
            if typed and self._show(typed, version, now):
                self._intake.letters = edit if edit.new_text else None
                return None
            left, typed = Followed(self._parses.edited(edit)), self._parses.retyped
            if typed and self._show(typed, version, now):
                self._note_effects(typed, moved)
                return None
        if waited is not None and self.held is not None:
            self._intake.anew.add(self.held.number)  # even if its words are those before the letters
        return left

    def _may_show(self, edit: TextEdited) -> bool:
        """Return whether an edit may only begin, continue or shorten a word, and nothing more is wanted."""
        return (
            edit.is_within_word
            and self._intake.is_idle
            and not self._sentences.waiting
            and not self._work.options.tells_more_than_trees
        )

    def _with_letters(self, edit: TextEdited, waited: TextEdited | None) -> Retyped | None:
        """Return the last word with letters at the end of the text that can be segmented later."""
        if self._letters is None or not self._sentences.in_order:
            return None
        last, words = self._sentences.in_order[-1], None
        if self.held is None:
            begin = self._sentences.begins[-1]
            words = self._letters.begin(last.words, begin.place, edit) if begin and last.attached else None
        elif self.held is last and last.retyped:
            words = self._letters.go_on(last.words, edit, waited)
        return Retyped(last.number, len(words.forms) - 1, words) if words else None

    def _show(self, typed: Retyped, version: int, now: float) -> bool:
        """Show a word that has begun, or has another form, if possible; the version is answered by that."""
        sentence = self._sentences.by_number[typed.number]
        if self.held is None:
            tag = self._parses.tag_of_new(typed) if self._may_begin(typed, sentence) else None
            if tag is None:
                return False
            self._begin(typed.words, tag, sentence, now)
        elif self.held is sentence and _may_retype(typed, sentence):
            sentence.retyped, sentence.since, sentence.version = typed.words, now, version
            self._work.tell(sentence)
        else:
            return False
        self._intake.version = self._sentences.version = version
        self._outbox.answers.append(version)
        return True

    def _may_begin(self, typed: Retyped, sentence: OpenSentence) -> bool:
        """Return whether the words are the current ones and one more, which can be shown already."""
        options = self._work.options
        is_attached = sentence.attached is not None and not (sentence.retyped or sentence.is_whole)
        is_held = is_refined(typed.words, options) and options.time_limit != 0
        return is_attached and is_held and sentence.forms == typed.words.forms[:-1]

    def _begin(self, words: SentenceWords, tag: str, sentence: OpenSentence, now: float) -> None:
        """Show one more word, which waits for its head until it is attached."""
        attached = sentence.attached
        assert attached is not None
        rated = with_waiting((attached.at_once, attached.confidences), words.forms[-1], tag)
        begun = attached._replace(words=words, at_once=rated[0], confidences=rated[1], is_begun=True)
        sentence.attach(begun, self._work.options, is_typed=True)
        sentence.retyped = words
        self._work.begin(sentence, now, 1, may_have_ended=False)
        self.held = sentence

    def _note_effects(self, typed: Retyped, moved: int) -> None:
        """Note the effects of a segmented word on other sentences."""
        self._note_end(self._parses.awaits_pause)
        move = self._sentences.move_behind(self._sentences.places[typed.number], moved)
        if move:
            self._outbox.tell_move(move)

    def catch_up(self) -> None:
        """Attach the word, since more than its form is wanted."""
        if self.held is not None and self.held.retyped and self._intake.is_idle:
            self._intake.catch_up(len(self._sentences.in_order))

    # --- its end -------------------------------------------------------------------------------------------

    def release(self, since: float, typed: int | None = None) -> None:
        """Let the held sentence be refined, since its word has ended, unless it has this number."""
        held = self.held
        if held is None or held.number == typed:
            return
        self.held = None
        if held.refinement.is_held:
            held.since = since
            held.refinement.release(since, self._work.options.time_limit)

    def take_pause(self, now: float) -> None:
        """Treat the last word as complete, and the last sentence as whole, since typing has paused."""
        self.pauses.begins_at = None
        self.awaits_pause |= self.held is not None and self.held.retyped is not None
        self.release(now)
        if self.awaits_pause and not self._intake.edits:
            self.awaits_pause = False
            self._intake.pause()

    def go_on(self, awaits_pause: bool, now: float) -> None:
        """Continue after words are attached, the last of which may await a pause."""
        self._note_end(awaits_pause)
        self.awaits_pause = awaits_pause
        if self.pauses.begins_at is None:
            self.take_pause(now)

    def _note_end(self, awaits_pause: bool) -> None:
        """Set whether the last sentence would be a whole one after a pause."""
        in_order = self._sentences.in_order
        if in_order and in_order[-1].await_pause(awaits_pause):
            self._work.tell(in_order[-1])


def _may_retype(typed: Retyped, sentence: OpenSentence) -> bool:
    """Return whether the words differ in one that is not promised."""
    is_as_long = len(typed.words.forms) == len(sentence.words.forms)
    return sentence.refinement.is_held and is_as_long and typed.word >= sentence.standing.promised
