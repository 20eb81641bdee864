"""Training samples of a segmenter's classifiers, in batches: places in texts, surroundings, and answers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.texts.alphabets import (
    BEGIN,
    BLANK_LINE,
    CLASSES,
    DIGIT,
    END,
    JOINER,
    LETTER,
    LOWER,
    MARK,
    PUNCTUATION,
    SIGN,
    SPACE,
    UPPER,
    Alphabet,
    Codes,
    Positions,
    class_of,
    is_white,
)
from treewhile.incremental.texts.classifiers import (
    Window,
    WordRuns,
    line_lengths,
    next_codes,
    numbers_of,
    stand_alone,
    visible,
    windows,
)
from treewhile.incremental.texts.segmenter import SENTENCE_END, TOKEN_END
from treewhile.incremental.texts.treebank_texts import TreebankText
from treewhile.incremental.training.text_layouts import laid_out

TOKEN_WINDOW: Final = Window(10, 10, 1, 0)
SENTENCE_WINDOW: Final = Window(16, 20, 2, 80)

TOKEN_DROPPED, SENTENCE_DROPPED, BYTES = 26, 51, 256  # dropped activations, of BYTES

IN_VOCABULARY = {UPPER, LOWER, LETTER, PUNCTUATION, SIGN}
LARGEST_VOCABULARY, LEAST_IN_VOCABULARY = 2000, 5
KNOWN_WORDS, LEAST_KNOWN = 2000, 4
LEAST_SHARE = 0.001  # of the places between two classes: token ends that are rarer are taken for errors
LEAST_JOINED = 0.0003  # of the tokens: those with white space inside

# Number of sentences below which texts are not laid out, number that is enough when laid out once, and
# greatest number of variants
FEWEST_SENTENCES, ENOUGH_SENTENCES, MOST_VARIANTS = 10, 12000, 8
OWN_TEXT = 2  # places in the treebank's own text for each place in a laid-out one


def varied_texts(text: TreebankText, random: np.random.Generator) -> Iterator[TreebankText]:
    """Return the text in other layouts, small ones in several."""
    if len(text.last_tokens) < FEWEST_SENTENCES:
        return iter(())
    times = min(MOST_VARIANTS, -(-ENOUGH_SENTENCES // len(text.last_tokens)))
    return chain.from_iterable(laid_out(text, random) for _ in range(times))


def vocabulary(texts: Sequence[TreebankText]) -> str:
    counts = sum((Counter(text.text) for text in texts), Counter[str]()).most_common()
    known = [one for one, times in counts if times >= LEAST_IN_VOCABULARY and class_of(one) in IN_VOCABULARY]
    return "".join(sorted(known[:LARGEST_VOCABULARY]))


def _asked(classes: Codes, labels: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return the mask `[left, right]` of classes between which a token may end, by those that do."""
    places, ends = np.zeros((2, CLASSES, CLASSES), np.int64)
    np.add.at(places, (classes[:-1], classes[1:]), 1)
    np.add.at(ends, (classes[:-1], classes[1:]), labels[:-1] > 0)
    asked = ends > LEAST_SHARE * places
    letters = np.isin(np.arange(CLASSES), [UPPER, LOWER, LETTER, DIGIT])
    asked |= (places == 0) & ~(letters[:, None] & letters)
    asked[:, [MARK, JOINER]] = asked[JOINER] = False
    return asked.astype(np.uint8)


@dataclass(frozen=True)
class LabelledTexts:
    """Texts in symbols, padded to the windows' width, with the label of each symbol.

    The treebank's own text comes first; its length in symbols is given.
    """

    own_text: int
    alphabet: Alphabet
    codes: Codes
    labels: npt.NDArray[np.uint8]
    asked: npt.NDArray[np.uint8]
    joins_spaces: bool


PADDING = 96  # symbols around a text, more than any window has


def labelled_texts(
    treebank_texts: Sequence[TreebankText], alphabet: Alphabet, tokens: Counter[tuple[str, tuple[str, ...]]]
) -> LabelledTexts:
    all_codes, all_labels = zip(*(_labelled(text, alphabet) for text in treebank_texts), strict=True)
    codes, labels = np.concatenate(all_codes), np.concatenate(all_labels)
    asked = _asked(alphabet.classes[codes], labels)
    joined = sum(times for (surface, _), times in tokens.items() if len(surface.split()) > 1)
    joins_spaces = joined > LEAST_JOINED * tokens.total()
    return LabelledTexts(len(all_codes[0]), alphabet, codes, labels, asked, joins_spaces)


def _labelled(text: TreebankText, alphabet: Alphabet) -> tuple[Codes, npt.NDArray[np.uint8]]:
    """Return a text's symbols with padding, and their labels."""
    symbols = alphabet.symbols(text.text)
    last_characters = text.last_characters()
    labels = np.zeros(len(symbols.codes), np.uint8)
    labels[np.isin(symbols.starts, last_characters)] = TOKEN_END
    labels[np.isin(symbols.starts, last_characters[text.last_tokens])] = SENTENCE_END
    labels[is_white(symbols.codes)] = 0
    codes = np.pad(symbols.codes, PADDING, constant_values=((BEGIN, END),))
    return codes.astype(np.uint16), np.pad(labels, PADDING)


@dataclass(frozen=True)
class Samples:
    """Samples of a classifier in a treebank: the places, their inputs, and the answers."""

    window: Window
    dropped: int  # dropped activations, of BYTES
    keys: npt.NDArray[np.uint32]
    rows: Codes  # [sample, offset]
    before: Positions  # [sample], number of the word before
    after: Positions  # [sample], number of the word after
    after_end: Positions  # [sample], distance from the place to the end of the word after
    visible: Positions  # [sample], number of visible symbols to the right
    lines: Positions  # [sample], length of the line that ends
    alone: npt.NDArray[np.bool_]  # [sample], true if the symbol is a token by itself
    answers: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.answers)


def token_samples(texts: LabelledTexts) -> Samples:
    codes, classes = texts.codes, texts.alphabet.classes[texts.codes]
    after = np.append(classes[1:], END)
    asked = (classes > BLANK_LINE) & (texts.asked[classes, after] != 0)
    if texts.joins_spaces:
        asked |= (classes > BLANK_LINE) & (after >= SPACE) & (after < BLANK_LINE)
    plain = np.where(is_white(codes), SPACE, codes).astype(np.uint16)
    window = TOKEN_WINDOW._replace(blanks=1 + texts.joins_spaces)
    ends = texts.labels > 0
    return _samples(texts, plain, np.flatnonzero(asked), window, TOKEN_DROPPED, ends)


def sentence_samples(texts: LabelledTexts) -> Samples:
    codes = texts.codes
    at = np.flatnonzero(texts.labels)
    at = at[(codes[at + 1] != BLANK_LINE) & (next_codes(codes, at) != END)]
    at = _with_own_text_often(at, texts.own_text)
    ends = texts.labels == SENTENCE_END
    return _samples(texts, codes, at, SENTENCE_WINDOW, SENTENCE_DROPPED, ends)


def _with_own_text_often(at: Positions, own_text: int) -> Positions:
    """Return the places, repeated in the treebank's own text until these outnumber the others two to one."""
    own = at[at < own_text]
    others = len(at) - len(own)
    times = max(1, round(OWN_TEXT * others / max(1, len(own))))
    return np.concatenate([np.repeat(own, times), at[len(own) :]])


def _samples(
    texts: LabelledTexts,
    codes: Codes,
    at: Positions,
    window: Window,
    dropped: int,
    answers: npt.NDArray[np.bool_],
) -> Samples:
    runs = WordRuns(texts.alphabet, codes)
    rows = windows(codes, at, window)
    before, (after, after_end) = runs.before(at, window.left), runs.after(at)
    shown = visible(rows, window)
    keys = _frequent(np.concatenate([before, after[after_end <= shown]]))
    numbers = numbers_of(keys, before), numbers_of(keys, after)
    lines = line_lengths(codes, at, window.line)
    alone = stand_alone(codes, at, texts.labels > 0)
    return Samples(window, dropped, keys, rows, *numbers, after_end, shown, lines, alone, answers[at])


def _frequent(hashes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    keys, times = np.unique(hashes[hashes > 0], return_counts=True)
    most = np.argsort(-times, kind="stable")[:KNOWN_WORDS]
    return np.sort(keys[most[times[most] >= LEAST_KNOWN]])


BATCH: Final = 512

CUT = 0.2  # share of examples whose text ends early; below, the shares of symbols and words made unknown
TO_CLASS, NO_WORD = 0.02, 0.1
OTHER_LENGTH = 2  # greatest random change of a line's length, so that similar lengths are learnt alike


class Rounds:
    """Random samples without end, each once a round."""

    def __init__(self, samples: int, random: np.random.Generator) -> None:
        self._samples, self._random = samples, random
        self._order, self._at = np.zeros(0, np.int64), 0
        self._before = random_state(random)  # state before the round

    def next(self) -> Positions:
        """Return the samples of the next batch."""
        if self._at >= len(self._order):
            self._begin()
        chosen: Positions = self._order[self._at : self._at + BATCH]
        self._at += BATCH
        return chosen

    def _begin(self) -> None:
        self._before = random_state(self._random)
        self._order, self._at = self._random.permutation(self._samples), 0

    def state(self) -> dict[str, Any]:
        """Return the state that decides all further batches."""
        return {"before": self._before, "now": random_state(self._random), "at": self._at}

    def go_on_from(self, state: dict[str, Any]) -> None:
        """Go on from a state for the same number of samples."""
        set_random_state(self._random, state["before"])
        self._begin()
        self._at = state["at"]
        set_random_state(self._random, state["now"])


def random_state(random: np.random.Generator) -> str:
    return json.dumps(random.bit_generator.state)


def set_random_state(random: np.random.Generator, state: str) -> None:
    random.bit_generator.state = json.loads(state)


class SampleBatch(NamedTuple):
    """Inputs of some samples, as in `Samples`, and the answers."""

    rows: Codes
    before: Positions
    after: Positions
    lines: Positions
    alone: npt.NDArray[np.bool_]
    answers: npt.NDArray[np.bool_]


def sample_batch(
    samples: Samples, chosen: Positions, classes: Codes, random: np.random.Generator
) -> SampleBatch:
    """Return the chosen samples, some of them made harder."""
    rows, shown = samples.rows[chosen], samples.visible[chosen]
    cuts = _cuts(samples, rows, shown, random)
    rows[:, samples.window.left + 1 :][np.arange(samples.window.right) >= cuts[:, None]] = END
    rows = np.where(_some(TO_CLASS, rows, random), classes[rows], rows)
    before = np.where(_some(NO_WORD, shown, random), 0, samples.before[chosen])
    is_hidden = _some(NO_WORD, shown, random) | (samples.after_end[chosen] > np.minimum(cuts, shown))
    after = np.where(is_hidden, 0, samples.after[chosen])
    lines, alone = _other_lengths(samples, chosen, random), samples.alone[chosen]
    return SampleBatch(rows, before, after, lines, alone, samples.answers[chosen])


def _cuts(samples: Samples, rows: Codes, shown: Positions, random: np.random.Generator) -> Positions:
    """Return the number of symbols to the right after which each text ends: at least those asked about."""
    least = 1 + is_white(rows[:, samples.window.left + 1])
    cuts = least + np.floor(random.random(len(shown)) * (shown - least)).astype(np.int64)
    is_cut = _some(CUT, shown, random) & (cuts < shown)
    return np.where(is_cut, cuts, samples.window.right)


def _other_lengths(samples: Samples, chosen: Positions, random: np.random.Generator) -> Positions:
    lines = samples.lines[chosen]
    others = np.clip(
        lines + random.integers(-OTHER_LENGTH, OTHER_LENGTH + 1, len(lines)), 1, samples.window.line
    )
    return np.where(lines, others, 0)


def _some(share: float, like: npt.NDArray[Any], random: np.random.Generator) -> npt.NDArray[np.bool_]:
    return random.random(like.shape) < share
