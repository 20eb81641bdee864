"""Segmenter of text into sentences of words, as in a treebank's tokenization; exact integer arithmetic.

A run of white space is one symbol: a space, a line end, or a blank line, which always ends a sentence. Every
other character is a symbol of its own. Two classifiers look at a bounded window of symbols: does the token
end after this one, and if so, does the sentence? The second also knows whether the symbol is a token by
itself, and the length of a line that ends. So an edit can only change labels within a window of it, and
whether a sentence ends where its line does. Then a token's surface alone determines its words.

Weights and activations are small integers, whose sums are exact in any order of addition. Therefore the
result depends neither on the number of symbols classified at once nor on the machine.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, pairwise, repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from treewhile.incremental.texts import kernels
from treewhile.incremental.texts.alphabets import (
    BLANK_LINE,
    CLASSES,
    LETTER,
    LINE_END,
    SPACE,
    UPPER,
    WHITE_SPACE,
    Alphabet,
    Codes,
    Symbols,
    is_white,
)
from treewhile.incremental.texts.classifiers import Classifier
from treewhile.incremental.texts.segmenter_files import (
    ARRAYS,
    CLASSIFIERS,
    array_in,
    problem,
    read_alphabet,
    read_classifier,
    read_splits,
    written,
)
from treewhile.incremental.texts.splits import Splits
from treewhile.incremental.texts.text_words import TextSentence, TextToken, TextWord
from treewhile.oracles.errors import InputError

LONGEST_TEXT = 1 << 22  # in characters; a stream has no such bound

# In symbols and in words: a token or a sentence without an end by then is cut there.
LONGEST_TOKEN, LONGEST_SENTENCE = 400, 2000

# Number of tokens whose words are cached, some 5 MB; longer ones are not.
TOKENS_KEPT, LONGEST_KEPT = 1 << 14, 32

BLOCK = 1 << 14  # number of characters classified at once: more would only take memory
SURROGATE = re.compile("[\ud800-\udfff]")

INSIDE, TOKEN_END, SENTENCE_END = kernels.LABELS
LABELLED = re.compile(rb"[^\0]")  # any label but INSIDE


@dataclass(frozen=True)
class Segmenter:
    """Segmenter from characters to words; the fields are its learnt parameters.

    `asked[left, right]` says for two classes of characters whether a token may end between them.
    """

    alphabet: Alphabet
    joins_spaces: bool  # whether a token can contain white space
    asked: npt.NDArray[np.uint8]
    token_ends: Classifier
    sentence_ends: Classifier
    splits: Splits

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], information: Mapping[str, Any]) -> Segmenter:
        alphabet = read_alphabet(information)
        joins_spaces = information.get("joins_spaces")
        if not isinstance(joins_spaces, bool):
            raise problem("joins_spaces", "has to be true or false")
        asked = array_in(arrays, "asked", np.uint8, (CLASSES, CLASSES))
        classifiers = [
            read_classifier(name, arrays, information, len(alphabet.classes)) for name in CLASSIFIERS
        ]
        splits = Splits(read_splits(information, "tokens"), read_splits(information, "endings"))
        return cls(alphabet, joins_spaces, asked, classifiers[0], classifiers[1], splits)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the learnt arrays: int8, but uint32 for hashes and uint8 for `asked`."""
        classifiers = ((name, getattr(self, name)) for name in CLASSIFIERS)
        named = {
            f"{name}.{field}": getattr(one, field)
            for name, one in classifiers
            for field in ARRAYS
            if field != "lines" or one.window.line
        }
        return {"asked": self.asked, **named}

    def information(self) -> dict[str, Any]:
        """Return the other parameters, for JSON."""
        return {
            "vocabulary": self.alphabet.vocabulary,
            "joins_spaces": self.joins_spaces,
            **{f"{name}.window": list(getattr(self, name).window) for name in CLASSIFIERS},
            "tokens": {token: written(split) for token, split in self.splits.tokens.items()},
            "endings": {ending: written(split) for ending, split in self.splits.endings.items()},
        }

    @cached_property
    def left(self) -> int:
        """Number of symbols to the left that can affect the label of a symbol."""
        return max(self._near_left, self.line)

    @cached_property
    def _near_left(self) -> int:
        """Number of such symbols without a line end, including those for the previous token end."""
        white_space_too = 2
        return max(self.token_ends.window.left + white_space_too, self.sentence_ends.window.left)

    @cached_property
    def line(self) -> int:
        """Number of symbols of a line that can affect the label of its last one."""
        return max(self.token_ends.window.line, self.sentence_ends.window.line)

    @cached_property
    def right(self) -> int:
        """Number of symbols to the right that can affect the label of a symbol."""
        return max(self.token_ends.window.right, self.sentence_ends.window.right, 2)

    @cached_property
    def blanks(self) -> int:
        """Number of white spaces to the right after which no symbol affects a label."""
        return max(self.token_ends.window.blanks, self.sentence_ends.window.blanks)

    def labels(self, codes: Codes, start: int, stop: int) -> npt.NDArray[np.uint8]:
        """Return the label after each symbol from `start` to `stop`: no end, token end, or sentence end.

        `codes` must have `left` more symbols before and `right` after these, unless the text begins or ends
        there.
        """
        labels = np.zeros(stop, np.uint8)
        kernels.write_labels(codes, start, stop, self.tables, labels)
        return labels[start:]

    @cached_property
    def tables(self) -> kernels.Tables:
        """Parameters of labels in kernel layout; for token ends, all white space is the same."""
        alphabet = self.alphabet
        token_ends, sentence_ends = self.token_ends.layers(), self.sentence_ends.layers()
        _, _, symbols, *_ = token_ends
        symbols[:, [LINE_END, BLANK_LINE]] = symbols[:, [SPACE]]
        known = alphabet.classes, alphabet.letters, self._may_end()
        return self._near_left, self.right, self.line, *known, token_ends, sentence_ends

    def _may_end(self) -> npt.NDArray[np.uint8]:
        """Return `asked`, completed by what is certain."""
        ends = np.where(self.asked, kernels.MAYBE, kernels.NO).astype(np.uint8)
        ends[:, [SPACE, LINE_END]] = kernels.MAYBE if self.joins_spaces else kernels.SURELY
        ends[:, BLANK_LINE] = kernels.SURELY
        return ends

    def is_unbroken(self, text: str) -> bool:
        """Return whether no token ends between any two characters, in any context."""
        classes, unbroken = self._classes, self._unbroken
        of_text = [classes[code] for code in map(self.alphabet.__getitem__, text)]
        return all(unbroken[one][behind] for one, behind in pairwise(of_text))

    def is_within_sentence(self, place: int, text: str) -> bool:
        """Return whether a word begins at a position in a text, and another ends one space before it.

        Such words are almost always of one sentence.
        """
        if place < 2 or text[place - 1] != " ":
            return False
        classes, alphabet = self._classes, self.alphabet
        before, behind = classes[alphabet[text[place - 2]]], classes[alphabet[text[place]]]
        return UPPER <= before <= LETTER and UPPER <= behind <= LETTER and self.is_unbroken(text[place:])

    @cached_property
    def _classes(self) -> list[int]:
        return [int(one) for one in self.alphabet.classes]

    @cached_property
    def _unbroken(self) -> list[list[bool]]:
        never = self._may_end() == kernels.NO
        never[: BLANK_LINE + 1] = False  # behind white space, another token begins
        unbroken: list[list[bool]] = never.tolist()
        return unbroken

    def words(self, shown: str, start: int, end: int) -> list[TextWord]:
        """Return the words of the token at a position in the text, `shown` being its symbols."""
        surface, forms = self._known.get(shown) or self._cut(shown)
        token = TextToken(surface, start, end, len(forms))
        if len(forms) == 1:
            return [TextWord(forms[0], start, end, token)]
        if len(surface) < end - start or "".join(forms) != surface:
            return [TextWord(form, start, end, token) for form in forms]
        ends = [start + reached for reached in accumulate(map(len, forms))]
        return list(map(TextWord, forms, [start, *ends], ends, repeat(token)))

    def _cut(self, shown: str) -> tuple[str, tuple[str, ...]]:
        """Return the surface of a token and its words, and cache them."""
        surface = SURROGATE.sub("\ufffd", shown)
        known = surface, self.splits.words(surface)
        if len(shown) <= LONGEST_KEPT:
            if len(self._known) >= TOKENS_KEPT:
                self._known.clear()
            self._known[shown] = known
        return known

    @cached_property
    def _known(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        return {}

    def segment(self, text: str) -> list[TextSentence]:
        """Return the sentences of a whole text."""
        check_text(text)
        if len(text) > LONGEST_TEXT:
            what = f"a text may have at most {LONGEST_TEXT} characters, not {len(text)}"
            raise InputError(f"{what}, give it to segment_stream in pieces")
        return list(self.segment_stream([text]))

    def segment_stream(self, chunks: Iterable[str]) -> Iterator[TextSentence]:
        """Yield the sentences of a stream, each as soon as it is certain.

        At most about `LONGEST_SENTENCE` words and a chunk are held in memory.
        """
        reader = _Reader(self)
        for chunk in chunks:
            for at in range(0, len(chunk), BLOCK):
                reader.read(chunk[at : at + BLOCK])
                yield from reader.sentences(is_last=False)
        yield from reader.sentences(is_last=True)


def check_text(text: object) -> None:
    """Refuse anything but a text."""
    if not isinstance(text, str):
        raise InputError(f"a text has to be given, and {text!r:.40} is none: decode bytes, join lists")


def as_segmenter(segmenter: object) -> Segmenter:
    """Return the segmenter unchanged; refuse anything else, such as a model."""
    if not isinstance(segmenter, Segmenter):
        what = f"a segmenter has to be given, and {segmenter!r:.40} is none"
        raise InputError(f"{what}: give load_model('en').segmenter")
    return segmenter


class _Reader:
    """Open end of a stream: its symbols from a window before the first open token, and open words."""

    def __init__(self, segmenter: Segmenter) -> None:
        self._segmenter = segmenter
        self._symbols = segmenter.alphabet.symbols("")
        self._length = 0  # of the text so far
        self._begin = 0  # symbol with which the first open token begins, or white space before it
        self._words: list[TextWord] = []

    def read(self, chunk: str) -> None:
        codes, starts, shown = self._symbols
        known = WHITE_SPACE.get(int(codes[-1]), "") if len(codes) else ""
        new = self._segmenter.alphabet.symbols(known + chunk)
        new_starts = new.starts + (self._length - len(known))
        if known:
            codes, starts, shown = codes[:-1], starts[:-1], shown[:-1]
        self._length += len(chunk)
        self._symbols = Symbols(
            np.concatenate([codes, new.codes]), np.concatenate([starts, new_starts]), shown + new.shown
        )

    def sentences(self, is_last: bool) -> Iterator[TextSentence]:
        """Yield complete sentences, or all if the text ends here."""
        codes, starts, shown = self._symbols
        stop = len(codes) if is_last else max(self._begin, len(codes) - self._segmenter.right - 1)
        labels = bytes(self._begin) + self._segmenter.labels(codes, self._begin, stop).tobytes()
        white = is_white(codes)
        for first, end, label in token_spans(array("H", codes[:stop].tobytes()), labels, self._begin):
            place = int(starts[first]), int(starts[end - 1]) + 1
            self._words += self._segmenter.words(shown[first:end], *place)
            self._begin = end
            if label == SENTENCE_END or len(self._words) >= LONGEST_SENTENCE:
                yield self._sentence(end < len(white) and bool(white[end]), is_closed=True)
        if is_last and self._words:
            yield self._sentence(bool(white[-1]), is_closed=False)
        self._forget(self._begin - self._segmenter.left)

    def _sentence(self, space_after: bool, is_closed: bool) -> TextSentence:
        words, self._words = tuple(self._words), []
        return TextSentence(words, space_after, is_closed)

    def _forget(self, count: int) -> None:
        if count > 0:
            codes, starts, shown = self._symbols
            self._symbols = Symbols(codes[count:], starts[count:], shown[count:])
            self._begin -= count


def token_spans(
    codes: Sequence[int], labels: bytes | bytearray, begin: int
) -> Iterator[tuple[int, int, int]]:
    """Yield every token from symbol `begin` on: first symbol, stop symbol, and label after it.

    A token of more than `LONGEST_TOKEN` symbols is cut there. A token that has no end yet is not yielded.
    """
    stop = len(codes)
    ends = ((found.start(), labels[found.start()]) for found in LABELLED.finditer(labels, begin))
    for last, label in chain(ends, [(stop, INSIDE)]):
        while begin < min(last + 1, stop):
            begin += codes[begin] in WHITE_SPACE
            end = min(begin + LONGEST_TOKEN, last + 1)
            if end > stop:
                return
            yield begin, end - (codes[end - 1] in WHITE_SPACE), label if end > last else TOKEN_END
            begin = end
