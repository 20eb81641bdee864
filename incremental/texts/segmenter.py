"""Text to sentences of words, as a treebank's own tokenization has them; whole numbers, and exact.

A run of white space is one symbol: a space, a line end, or a blank line, which always ends a sentence. Every
other character is a symbol of its own. Two classifiers look at a bounded window of symbols: does the token
end after this one, and if so, does the sentence? The second also knows whether the symbol is a token by
itself, and how long a line is that ends. So an edit can only change what lies within a window of it, and
whether a sentence ends where its line does. Then a token's surface alone decides which words it stands for.

Weights and activations are small integers, whose sums are exact in whatever order they are added. Therefore
the answer depends neither on how many symbols are classified at once nor on the machine.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, chain, repeat
from typing import Any, NamedTuple, TypeAlias
from unicodedata import category, normalize

import numpy as np
import numpy.typing as npt

from treewhile.incremental.texts import kernels
from treewhile.oracles.errors import InputError

LONGEST_TEXT = 1 << 22  # in characters; a stream has no such bound

# In symbols and in words: a token or a sentence that has no end of its own by then is cut there.
LONGEST_TOKEN, LONGEST_SENTENCE = 400, 2000

SHORT = 64  # a text that takes less time by characters than as arrays

# The words of so many tokens are kept, some 5 MB, but not those of longer ones.
TOKENS_KEPT, LONGEST_KEPT = 1 << 14, 32

BLOCK = 1 << 14  # how many characters are classified at once: more would only take memory
SURROGATE = re.compile("[\ud800-\udfff]")

# Symbols that stand for no character, then classes of characters, then the characters of a vocabulary.
END, BEGIN, HIDDEN, SPACE, LINE_END, BLANK_LINE = kernels.SYMBOLS
MARK, JOINER, UPPER, LOWER, LETTER, DIGIT, PUNCTUATION, SIGN, OTHER = range(6, 15)
CLASSES = 15

INSIDE, TOKEN_END, SENTENCE_END = kernels.LABELS
LABELLED = re.compile(rb"[^\0]")  # what is not INSIDE

Codes: TypeAlias = npt.NDArray[np.uint16]
Positions: TypeAlias = npt.NDArray[np.int64]


# --- characters to symbols --------------------------------------------------------------------------------

CLASS_OF_CATEGORY = {"Lu": UPPER, "Lt": UPPER, "Ll": LOWER, "Cc": SPACE}
CLASS_OF_MAJOR = {"M": MARK, "L": LETTER, "N": DIGIT, "P": PUNCTUATION, "S": SIGN}
CLASS_OF_CHARACTER = {
    "\n": LINE_END,
    "\u200b": SPACE,
    "\ufeff": SPACE,
    "\u200d": JOINER,
    **dict.fromkeys(map(chr, range(0x1F3FB, 0x1F400)), MARK),  # skin tones
}
# The shortest text of each symbol that is white space: what is read on goes behind it.
WHITE_SPACE = {SPACE: " ", LINE_END: "\n", BLANK_LINE: "\n\n"}


def class_of(character: str) -> int:
    """The class of a character; controls count as white space, since no file could hold them in a word."""
    if character in CLASS_OF_CHARACTER:
        return CLASS_OF_CHARACTER[character]
    if character.isspace():
        return SPACE
    kind = category(character)
    return CLASS_OF_CATEGORY.get(kind) or CLASS_OF_MAJOR.get(kind[0], OTHER)


class Symbols(NamedTuple):
    """A text in symbols: of each the code, where it starts in the text, and its character or one space."""

    codes: Codes
    starts: Positions
    shown: str


class Alphabet(dict[str, int]):
    """The code of every character: its own if it is in the vocabulary, else that of its class."""

    def __init__(self, vocabulary: str) -> None:
        super().__init__((character, code) for code, character in enumerate(vocabulary, CLASSES))
        self.vocabulary = vocabulary
        self.classes = np.array([*range(CLASSES), *map(class_of, vocabulary)], np.uint16)
        folded = [self.get(character.lower(), code) for code, character in enumerate(vocabulary, CLASSES)]
        self.folded = np.array([*range(CLASSES), *folded], np.uint16)
        self.folded[UPPER] = LOWER

    def __missing__(self, character: str) -> int:
        self[character] = code = class_of(character)
        return code

    def symbols(self, text: str) -> Symbols:
        """The symbols of a text."""
        codes, starts = self.codes(text)
        symbols = zip(codes, starts, strict=True)
        shown = "".join(" " if code in WHITE_SPACE else text[start] for code, start in symbols)
        return Symbols(np.array(codes, np.uint16), np.array(starts, np.int64), shown)

    def codes(self, text: str) -> tuple[array[int], array[int]]:
        """The codes of the symbols of a text, and where they start."""
        return self._few_codes(text) if len(text) <= SHORT else self._many_codes(text)

    def _many_codes(self, text: str) -> tuple[array[int], array[int]]:
        codes = np.fromiter(map(self.__getitem__, text), np.uint16, len(text))
        starts = np.empty(len(codes), np.int64)
        count = kernels.merge_white_space(codes, starts)
        return array("H", codes[:count].tobytes()), array("q", starts[:count].tobytes())

    def _few_codes(self, text: str) -> tuple[array[int], array[int]]:
        """The same in less time, if there are few."""
        codes, starts, line_ends = array("H"), array("q"), -1  # in the last white space; -1: there is none
        for at, code in enumerate(map(self.__getitem__, text)):
            if not SPACE <= code <= BLANK_LINE:
                line_ends = -1
                codes.append(code)
                starts.append(at)
                continue
            if line_ends < 0:
                line_ends = 0
                codes.append(SPACE)
                starts.append(at)
            line_ends += code == LINE_END
            codes[-1] = SPACE + min(line_ends, 2)
        return codes, starts

    @cached_property
    def letters(self) -> npt.NDArray[np.uint64]:
        """What the hash of a run is made of, by codes; 0 where no run goes on."""
        is_letter = (self.classes >= MARK) & (self.classes <= DIGIT)
        return np.where(is_letter, self.folded + np.uint64(1), np.uint64(0))


def is_white(codes: Codes) -> npt.NDArray[np.bool_]:
    """Where a symbol is white space."""
    return (codes >= SPACE) & (codes <= BLANK_LINE)


# --- symbols to decisions ---------------------------------------------------------------------------------

FACTOR = int(kernels.FACTOR)
INVERSE = pow(FACTOR, -1, 1 << 64)


@lru_cache(32)
def _powers(count: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """The powers of the factor and of its inverse: a hash is the same wherever in the text a run stands."""
    powers = np.full((2, count), [[FACTOR], [INVERSE]], np.uint64)
    powers[:, 0] = 1
    np.multiply.accumulate(powers, axis=1, out=powers)
    return powers[0], powers[1]


class WordRuns:
    """The runs of letters and digits around any symbol, each known by a hash that takes no heed of case."""

    def __init__(self, alphabet: Alphabet, codes: Codes) -> None:
        count = len(codes)
        classes = alphabet.classes[codes]
        is_word = (classes >= MARK) & (classes <= DIGIT)
        places = np.arange(count)
        self._last_word = np.maximum.accumulate(np.where(is_word, places, -1))
        self._last_gap = np.maximum.accumulate(np.where(is_word, -1, places))
        self._next_word = np.minimum.accumulate(np.where(is_word, places, count)[::-1])[::-1]
        self._next_gap = np.minimum.accumulate(np.where(is_word, count, places)[::-1])[::-1]
        powers, self._inverses = _powers(1 << count.bit_length())
        self._sums = np.zeros(count + 1, np.uint64)
        np.cumsum((alphabet.folded[codes] + np.uint64(1)) * powers[:count], out=self._sums[1:])

    def before(self, at: Positions, left: int) -> npt.NDArray[np.uint32]:
        """The hash of the last run up to each symbol, 0 if `left` symbols do not show all of it."""
        end = self._last_word[at]
        start = self._last_gap[end] + 1
        return np.where((end >= 0) & (start > at - left), self._hash(start, end + 1), 0).astype(np.uint32)

    def after(self, at: Positions) -> tuple[npt.NDArray[np.uint32], Positions]:
        """The hash of the next run after each symbol, and how far behind the symbol that run has ended."""
        start = self._next_word[np.minimum(at + 1, len(self._next_word) - 1)]
        inside = np.minimum(start, len(self._next_gap) - 1)
        end = self._next_gap[inside]
        return self._hash(inside, np.maximum(inside, end)), end - at

    def _hash(self, start: Positions, end: Positions) -> npt.NDArray[np.uint32]:
        hashes = (self._sums[end] - self._sums[start]) * self._inverses[start] * kernels.FACTOR
        return np.asarray((hashes >> np.uint64(32)).astype(np.uint32))


class Window(NamedTuple):
    """How far a classifier sees: symbols to the left, to the right, and white spaces to the right.

    If `line` is not 0, it also knows whether the symbol is a token by itself, and where a line ends, how many
    symbols that has, up to `line` of them.
    """

    left: int
    right: int
    blanks: int
    line: int


def windows(codes: Codes, at: Positions, window: Window) -> Codes:
    """The symbols around each place, `[place, offset]`; what lies behind the last white space is HIDDEN."""
    rows = codes[at[:, None] + np.arange(-window.left, window.right + 1)]
    after = rows[:, window.left + 1 :]
    blank = is_white(after)
    after[np.cumsum(blank, axis=1) - blank >= window.blanks] = HIDDEN
    return np.asarray(rows)


def next_codes(codes: Codes, at: Positions) -> Codes:
    """The symbol after each place, white space passed over."""
    return np.asarray(codes[at + 1 + is_white(codes[at + 1])])


def line_lengths(codes: Codes, at: Positions, longest: int) -> Positions:
    """How many symbols a line has that ends after each place, at most `longest`; 0 where none ends."""
    begins_line = (codes >= LINE_END) & (codes <= BLANK_LINE) | (codes == BEGIN)
    begins = np.maximum.accumulate(np.where(begins_line, np.arange(len(codes)), -1))
    return np.where(codes[at + 1] == LINE_END, np.minimum(at - begins[at], longest), 0)


def stand_alone(codes: Codes, at: Positions, ends: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Whether a token ends before each place, white space passed over; `ends` says behind which symbols."""
    before = at - 1 - is_white(codes[at - 1])
    return np.asarray(ends[before] | (codes[before] == BEGIN))


def visible(rows: Codes, window: Window) -> Positions:
    """How many symbols to the right each window shows, `[place]`."""
    after = rows[:, window.left + 1 :]
    hidden = (after == HIDDEN) | (after == END)
    return np.where(hidden.any(axis=1), hidden.argmax(axis=1), window.right)


# In units of an activation: what a bias is multiplied by, and the most that an activation can be.
ONE, LARGEST = 64, kernels.LARGEST
WEIGHT_ONE = 1 << kernels.WEIGHT_BITS
EXACT = 1 << 24  # whole numbers below this keep their value in a float32, in which classifiers are trained


@dataclass(frozen=True)
class Classifier:
    """A perceptron with two hidden layers over a window, in whole numbers.

    Each layer has its biases as the last row. An activation counts in units of 1/64, a weight in 1/128.
    """

    window: Window
    keys: npt.NDArray[np.uint32]  # [word - 1], hashes of the known words in rising order
    symbols: npt.NDArray[np.int8]  # [code, feature]
    words: npt.NDArray[np.int8]  # [word, feature]; word 0 is none or not known
    lines: npt.NDArray[np.int8]  # [length of the line that ends, feature]; 0 if none ends
    hidden: npt.NDArray[
        np.int8
    ]  # [features of each offset, of the words before and after, of the line; unit]
    second: npt.NDArray[np.int8]  # [unit, unit]
    output: npt.NDArray[np.int8]  # [unit, 0]

    def layers(self) -> kernels.Layers:
        """The classifier as kernels take it, with what each symbol and word adds to the first layer."""
        offsets, width = self.window.left + 1 + self.window.right, self.symbols.shape[1]
        ends = np.cumsum([offsets * width, 2 * self.words.shape[1], self.lines.shape[1]])
        by_symbol, by_word, by_line, alone = np.split(self.hidden[:-1], ends)
        units = self.hidden.shape[1]
        symbols = _products(self.symbols, by_symbol.reshape(offsets, width, units))
        before, after = _products(self.words, by_word.reshape(2, -1, units))
        lines = _products(self.lines, by_line)
        symbols[self.window.left] += self.hidden[-1] * np.int32(ONE) + lines[0]
        others = np.concatenate([before, after, lines - lines[0], alone * np.int32(ONE)])
        second, output = self.second.astype(np.int32), self.output[:, 0].astype(np.int32)
        second[-1] *= ONE
        output[-1] *= ONE
        return np.array(self.window), self.keys, symbols, others, second, output


def _products(features: npt.NDArray[np.int8], weights: npt.NDArray[np.int8]) -> npt.NDArray[np.int32]:
    return np.asarray((features.astype(float) @ weights.astype(float)).astype(np.int32))


def numbers_of(keys: npt.NDArray[np.uint32], hashes: npt.NDArray[np.uint32]) -> Positions:
    """The number of the word with each hash, 0 where it is not among the keys."""
    if not len(keys):
        return np.zeros(len(hashes), np.int64)
    places = np.minimum(np.searchsorted(keys, hashes), len(keys) - 1)
    return np.where(keys[places] == hashes, places + 1, 0)


# --- tokens to words --------------------------------------------------------------------------------------


class Split(NamedTuple):
    """How a token becomes words: its last characters go, `ending` completes the first word, others follow."""

    strip: int
    ending: str
    others: tuple[str, ...]

    def words(self, surface: str) -> tuple[str, ...]:
        """The words that `surface` stands for, in its case."""
        at = len(surface) - self.strip
        stem, tail = surface[:at], surface[at:]
        if not self.ending and "".join(self.others) == lower_case(tail):
            return (stem, *_pieces(tail, map(len, self.others)))
        words = (stem + self.ending, *self.others)
        if len(surface) > 1 and surface.isupper():
            return tuple(word.upper() for word in words)
        return (words[0][:1].upper() + words[0][1:], *words[1:]) if surface[:1].isupper() else words


def _pieces(text: str, lengths: Iterable[int]) -> Iterator[str]:
    at = 0
    for length in lengths:
        yield text[at : at + length]
        at += length


def lower_case(surface: str) -> str:
    """The surface in lower case, where each character stays one."""
    lower = surface.lower()
    if len(lower) == len(surface):
        return lower
    return "".join(min(character.lower(), character, key=len) for character in surface)


@dataclass(frozen=True)
class Splits:
    """What is known of multiword tokens, in lower case: whole tokens first, else the longest known ending.

    None says that a token, or one with that ending, is a single word.
    """

    tokens: Mapping[str, Split | None]
    endings: Mapping[str, Split | None]

    def words(self, surface: str) -> tuple[str, ...]:
        """The words of the token `surface`, mostly itself alone."""
        lower = lower_case(surface)
        split = self.tokens[lower] if lower in self.tokens else self._by_ending(lower)
        if not split:
            return (surface,)
        words = split.words(surface)
        if " " in surface:
            words = tuple(map(str.strip, words))
        return words if all(words) else (surface,)

    def _by_ending(self, lower: str) -> Split | None:
        for at in range(max(1, len(lower) - self._longest), len(lower)):
            if (ending := lower[at:]) in self.endings:
                return self.endings[ending]
        return None

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self.endings), default=0)


# --- what comes out ---------------------------------------------------------------------------------------


class TextToken(NamedTuple):
    """A token with its place in the text, in code points; white space within is one space in `surface`."""

    surface: str
    start: int
    end: int
    words: int  # how many it stands for


class TextWord(NamedTuple):
    """A word with its place: its own part of the token if the words make up the surface, else all of it."""

    form: str
    start: int
    end: int
    token: TextToken


FINAL_PUNCTUATION = set(".!?。")


def has_final_punctuation(surfaces: Sequence[str]) -> bool:
    """Whether the last token is final punctuation, but for closing brackets and quotation marks."""
    shown = [normalize("NFKC", surface) for surface in surfaces]
    while len(shown) > 1 and all(map(_closes, shown[-1])):
        shown.pop()
    return set(shown[-1]) <= FINAL_PUNCTUATION


def _closes(character: str) -> bool:
    return character in "\"'" or category(character) in ("Pe", "Pf")


class TextSentence(NamedTuple):
    """The words of a sentence, and whether white space follows the last one.

    It `is_closed` where more text would belong to another sentence.
    """

    words: tuple[TextWord, ...]
    space_after: bool
    is_closed: bool

    @property
    def has_ended(self) -> bool:
        """Whether nothing seems to come: it is closed, or has its final punctuation."""
        return self.is_closed or has_final_punctuation([token.surface for _, token, _ in self.tokens()])

    @property
    def start(self) -> int:
        """Where the sentence begins in the text."""
        return self.words[0].start

    @property
    def end(self) -> int:
        """Where it ends, without the white space behind it."""
        return self.words[-1].token.end

    def tokens(self) -> Iterator[tuple[int, TextToken, bool]]:
        """Every token: the number of its first word, counted from 1, and whether white space follows it."""
        number = 1
        while number <= len(self.words):
            token = self.words[number - 1].token
            next_number = number + token.words
            is_last = next_number > len(self.words)
            after = self.space_after if is_last else token.end < self.words[next_number - 1].token.start
            yield number, token, after
            number = next_number

    def rows(self) -> Iterator[str]:
        """The rows of the sentence in CoNLL-U, with ranges and `SpaceAfter=No`, all other columns being _."""
        for number, token, space_after in self.tokens():
            misc = "_" if space_after else "SpaceAfter=No"
            if token.words > 1:
                yield _row(f"{number}-{number + token.words - 1}", token.surface, misc)
            for at in range(number, number + token.words):
                yield _row(str(at), self.words[at - 1].form, "_" if token.words > 1 else misc)


def _row(id_: str, form: str, misc: str) -> str:
    return "\t".join([id_, form, *"_______", misc])


def utf16_spans(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in UTF-16 code units, as a browser counts them, for spans in code points of `text`."""
    wide = np.fromiter((character > "\uffff" for character in text), np.int64, len(text))
    before = [0, *np.cumsum(wide).tolist()]
    return [(start + before[start], end + before[end]) for start, end in spans]


# --- the segmenter ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Segmenter:
    """Characters in, words out; what it has learned are the fields.

    `asked[left, right]` says for two classes of characters whether a token may end between them.
    """

    alphabet: Alphabet
    joins_spaces: bool  # whether a token can have white space in it
    asked: npt.NDArray[np.uint8]
    token_ends: Classifier
    sentence_ends: Classifier
    splits: Splits

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], information: Mapping[str, Any]) -> Segmenter:
        """The segmenter that gave these `arrays()` and `information()`."""
        alphabet = _read_alphabet(information)
        joins_spaces = information.get("joins_spaces")
        if not isinstance(joins_spaces, bool):
            raise _problem("joins_spaces", "has to be true or false")
        asked = _array(arrays, "asked", np.uint8, (CLASSES, CLASSES))
        classifiers = [
            _read_classifier(name, arrays, information, len(alphabet.classes)) for name in CLASSIFIERS
        ]
        splits = Splits(_read_splits(information, "tokens"), _read_splits(information, "endings"))
        return cls(alphabet, joins_spaces, asked, classifiers[0], classifiers[1], splits)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What the segmenter has learned in numbers: int8, but uint32 for hashes and uint8 for `asked`."""
        classifiers = ((name, getattr(self, name)) for name in CLASSIFIERS)
        named = {
            f"{name}.{field}": getattr(one, field)
            for name, one in classifiers
            for field in ARRAYS
            if field != "lines" or one.window.line
        }
        return {"asked": self.asked, **named}

    def information(self) -> dict[str, Any]:
        """The rest of it, for JSON."""
        return {
            "vocabulary": self.alphabet.vocabulary,
            "joins_spaces": self.joins_spaces,
            **{f"{name}.window": list(getattr(self, name).window) for name in CLASSIFIERS},
            "tokens": {token: _written(split) for token, split in self.splits.tokens.items()},
            "endings": {ending: _written(split) for ending, split in self.splits.endings.items()},
        }

    @cached_property
    def left(self) -> int:
        """How many symbols to the left can bear on what is said of a symbol."""
        return max(self._near_left, self.line)

    @cached_property
    def _near_left(self) -> int:
        """Likewise, where no line ends: whether a token ends before the symbol may be asked, too."""
        white_space_too = 2
        return max(self.token_ends.window.left + white_space_too, self.sentence_ends.window.left)

    @cached_property
    def line(self) -> int:
        """How many symbols of a line can bear on what is said of its last one."""
        return max(self.token_ends.window.line, self.sentence_ends.window.line)

    @cached_property
    def right(self) -> int:
        """How many symbols to the right can."""
        return max(self.token_ends.window.right, self.sentence_ends.window.right, 2)

    @cached_property
    def blanks(self) -> int:
        """How many white spaces to the right can: behind them, nothing does."""
        return max(self.token_ends.window.blanks, self.sentence_ends.window.blanks)

    def labels(self, codes: Codes, start: int, stop: int) -> npt.NDArray[np.uint8]:
        """What ends after each symbol from `start` to `stop`: nothing, the token, or the sentence too.

        `codes` has `left` more symbols before and `right` after these, unless the text begins or ends there.
        """
        labels = np.zeros(stop, np.uint8)
        kernels.write_labels(codes, start, stop, self.tables, labels)
        return labels[start:]

    @cached_property
    def tables(self) -> kernels.Tables:
        """All that decides on labels, as kernels take it; to token ends, all white space is the same."""
        alphabet = self.alphabet
        token_ends, sentence_ends = self.token_ends.layers(), self.sentence_ends.layers()
        _, _, symbols, *_ = token_ends
        symbols[:, [LINE_END, BLANK_LINE]] = symbols[:, [SPACE]]
        known = alphabet.classes, alphabet.letters, self._may_end()
        return self._near_left, self.right, self.line, *known, token_ends, sentence_ends

    def _may_end(self) -> npt.NDArray[np.uint8]:
        """`asked` with what is certain beforehand."""
        ends = np.where(self.asked, kernels.MAYBE, kernels.NO).astype(np.uint8)
        ends[:, [SPACE, LINE_END]] = kernels.MAYBE if self.joins_spaces else kernels.SURELY
        ends[:, BLANK_LINE] = kernels.SURELY
        return ends

    def words(self, shown: str, start: int, end: int) -> list[TextWord]:
        """The words of the token that stands at a place in the text, `shown` being its symbols."""
        surface, forms = self._known.get(shown) or self._cut(shown)
        token = TextToken(surface, start, end, len(forms))
        if len(forms) == 1:
            return [TextWord(forms[0], start, end, token)]
        if len(surface) < end - start or "".join(forms) != surface:
            return [TextWord(form, start, end, token) for form in forms]
        ends = [start + reached for reached in accumulate(map(len, forms))]
        return list(map(TextWord, forms, [start, *ends], ends, repeat(token)))

    def _cut(self, shown: str) -> tuple[str, tuple[str, ...]]:
        """The surface of a token and the words that it stands for, which are kept."""
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
        """The sentences of a whole text."""
        if len(text) > LONGEST_TEXT:
            what = f"a text may have at most {LONGEST_TEXT} characters, not {len(text)}"
            raise InputError(f"{what}, give it to segment_stream in pieces")
        return list(self.segment_stream([text]))

    def segment_stream(self, chunks: Iterable[str]) -> Iterator[TextSentence]:
        """The sentences of a text that comes in chunks, each as soon as nothing to come can change it.

        At most about `LONGEST_SENTENCE` words and a chunk are held, whatever the text is.
        """
        reader = _Reader(self)
        for chunk in chunks:
            for at in range(0, len(chunk), BLOCK):
                reader.read(chunk[at : at + BLOCK])
                yield from reader.sentences(is_last=False)
        yield from reader.sentences(is_last=True)


class _Reader:
    """The open end of a stream: its symbols from a window before the first open token, and open words."""

    def __init__(self, segmenter: Segmenter) -> None:
        self._segmenter = segmenter
        self._symbols = segmenter.alphabet.symbols("")
        self._length = 0  # of the text so far
        self._begin = 0  # the symbol that the first open token begins with, or white space before it
        self._words: list[TextWord] = []

    def read(self, chunk: str) -> None:
        """Take in what comes next."""
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
        """The sentences that are complete, or all if the text ends here."""
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
    """Every token from the symbol `begin` on: its first symbol, the one behind its last, what ends there.

    A token that goes on for more than `LONGEST_TOKEN` symbols is cut there. One that has no end yet is not
    given.
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


# --- what a file holds ------------------------------------------------------------------------------------

CLASSIFIERS = ("token_ends", "sentence_ends")
ARRAYS = ("keys", "symbols", "words", "lines", "hidden", "second", "output")
LONGEST_LINE = 128  # beyond which no model may tell lines apart


def _written(split: Split | None) -> list[Any] | None:
    return split and [split.strip, split.ending, list(split.others)]


def _read_alphabet(information: Mapping[str, Any]) -> Alphabet:
    vocabulary = information.get("vocabulary")
    if not isinstance(vocabulary, str) or len(set(vocabulary)) < len(vocabulary):
        raise _problem("vocabulary", "has to be a text of characters that all differ")
    return Alphabet(vocabulary)


def _read_classifier(
    name: str, arrays: Mapping[str, npt.NDArray[Any]], information: Mapping[str, Any], codes: int
) -> Classifier:
    window = _read_window(name, information)
    keys = _array(arrays, f"{name}.keys", np.uint32, (None,))
    symbols = _array(arrays, f"{name}.symbols", np.int8, (codes, None))
    words = _array(arrays, f"{name}.words", np.int8, (len(keys) + 1, None))
    lines = _read_lines(name, arrays, window.line)
    offsets = window.left + 1 + window.right
    inputs = offsets * symbols.shape[1] + 2 * words.shape[1] + lines.shape[1] + (window.line > 0)
    hidden = _layer(arrays, f"{name}.hidden", inputs, None)
    second = _layer(arrays, f"{name}.second", hidden.shape[1], None)
    output = _layer(arrays, f"{name}.output", second.shape[1], 1)
    if (keys[1:] <= keys[:-1]).any():
        raise _problem(f"{name}.keys", "have to rise")
    return Classifier(window, keys, symbols, words, lines, hidden, second, output)


def _read_window(name: str, information: Mapping[str, Any]) -> Window:
    sizes = information.get(f"{name}.window")
    if (
        not isinstance(sizes, Sequence)
        or len(sizes) != 4
        or not all(_is_count(size, 1, 64) for size in sizes[:3])
        or not _is_count(sizes[3], 0, LONGEST_LINE)
    ):
        what = "four numbers: left, right and white spaces, from 1 to 64; and of a line, up to"
        again = "older models need treewhile train --segmenter-of"
        raise _problem(f"{name}.window", f"has to be {what} {LONGEST_LINE} ({again})")
    return Window(*sizes)


def _read_lines(name: str, arrays: Mapping[str, npt.NDArray[Any]], line: int) -> npt.NDArray[np.int8]:
    if not line:
        return np.zeros((1, 0), np.int8)
    return _array(arrays, f"{name}.lines", np.int8, (line + 1, None))


def _layer(
    arrays: Mapping[str, npt.NDArray[Any]], name: str, inputs: int, units: int | None
) -> npt.NDArray[np.int8]:
    layer = _array(arrays, name, np.int8, (inputs + 1, units))
    if (np.abs(layer.astype(np.int64)).sum(axis=0) * (LARGEST + 1) >= EXACT).any():
        raise _problem(name, f"has to have weights whose sums stay below {EXACT // (LARGEST + 1)}")
    return layer


def _array(
    arrays: Mapping[str, npt.NDArray[Any]], name: str, dtype: npt.DTypeLike, shape: Sequence[int | None]
) -> npt.NDArray[Any]:
    """An array of a file, where None in `shape` is any length."""
    if (array := arrays.get(name)) is None:
        raise _problem(name, "is missing")
    lengths = zip(array.shape, shape, strict=False)
    fits = array.ndim == len(shape) and all(wanted in (None, length) for length, wanted in lengths)
    if array.dtype != dtype or not fits:
        right = f"{np.dtype(dtype).name} with the shape {_shape(shape)}"
        raise _problem(name, f"has to be {right}, not {array.dtype} with {_shape(array.shape)}")
    return array


def _shape(shape: Sequence[int | None]) -> str:
    return " x ".join("any" if length is None else str(length) for length in shape)


def _read_splits(information: Mapping[str, Any], name: str) -> dict[str, Split | None]:
    splits = information.get(name)
    if not isinstance(splits, Mapping):
        raise _problem(name, "has to be a dictionary of multiword tokens")
    return {key: _read_split(key, split, name) for key, split in splits.items()}


def _read_split(key: str, split: Any, name: str) -> Split | None:
    if split is None:
        return None
    if isinstance(split, list) and len(split) == 3:
        strip, ending, others = split
        has_stem = bool(ending) or name == "endings" or strip != len(key)
        if _is_count(strip, 0, len(key)) and has_stem and _are_forms(ending, others):
            return Split(strip, ending, tuple(others))
    what = "has to have the number of its last characters that go, an ending and a list of words"
    raise _problem(f"{name} {key!r:.40}", what)


def _are_forms(ending: Any, others: Any) -> bool:
    """Whether others are words and the ending can end one."""
    if not isinstance(ending, str) or not isinstance(others, list):
        return False
    return all(isinstance(form, str) and is_form(form) for form in [f"-{ending}", *others])


def is_form(form: str) -> bool:
    """Whether a word may look so: not empty, no white space but single spaces between other characters."""
    is_plain = all(character == " " or class_of(character) > BLANK_LINE for character in form)
    return is_plain and bool(form) and " ".join(form.split()) == form


def _is_count(number: Any, least: int, most: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and least <= number <= most


def _problem(name: str, what: str) -> InputError:
    return InputError(f"{name} {what}, in the segmenter of a model file")
