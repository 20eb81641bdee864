"""A `Segmenter` learned from a treebank: its text is put together again, then taken apart as it was.

Two small networks learn with torch, and from the first third of the steps on as the whole numbers that they
will be. They see the text of the treebank, and again in passages that are laid out as lists, as wrapped lines
and so on, with names, addresses and the like in them. Part of the examples have their text end at any
character, as it does while somebody types. Splits of multiword tokens are counted, not trained: whole tokens,
and endings for tokens that have not been seen.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

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
from treewhile.incremental.texts.classifiers import LARGEST, ONE, WEIGHT_ONE, Classifier, numbers_of
from treewhile.incremental.texts.segmenter import SENTENCE_END, TOKEN_END, Segmenter
from treewhile.incremental.texts.splits import Split, Splits, is_form, lower_case
from treewhile.incremental.texts.treebank_texts import TreebankText, treebank_text
from treewhile.incremental.texts.windows import (
    Window,
    WordRuns,
    line_lengths,
    next_codes,
    stand_alone,
    visible,
    windows,
)
from treewhile.incremental.training.text_layouts import laid_out
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles.errors import InputError

if TYPE_CHECKING:
    import torch

Progress: TypeAlias = Callable[[int, int], None]  # steps done, steps in all


def train_segmenter(
    sentences: Iterable[Sentence], seed: int, *, least_steps: int = 1500, progress: Progress | None = None
) -> Segmenter:
    """The segmenter of a treebank; the same sentences and seed give the same one.

    Large treebanks take more than `least_steps` for each of the two classifiers.
    """
    text = treebank_text(sentences)
    if not text.tokens:
        raise InputError("the treebank has no sentences, give it some to learn from")
    random = np.random.default_rng(seed)
    if "\n\n" not in text.white_space:
        text.make_paragraphs(random)
    texts = [text, *_varied(text, random)]
    alphabet = Alphabet(_vocabulary(texts))
    examples = _examples(texts, alphabet, text.tokens)
    training = _Training(seed, least_steps, progress)
    return training.segmenter(examples, learn_splits(text.tokens))


# --- multiword tokens -------------------------------------------------------------------------------------

LONGEST_CONTEXT = 2  # how many characters before those that go may belong to a known ending
LEAST_TYPES = 3  # how many tokens have to show what happens to an ending


def learn_splits(tokens: Counter[tuple[str, tuple[str, ...]]]) -> Splits:
    """The splits of multiword tokens, from how often each surface stood for which forms.

    A token is split as it mostly is. An ending counts each token with it once; of two endings the longer one
    decides, so those that add nothing are left out, and then the tokens that their endings decide well.
    """
    splits = _usual_splits(tokens)
    endings = _without_needless(_usual_endings(splits))
    by_ending = Splits({}, endings)
    by_token = {
        surface: split
        for surface, split in splits.items()
        if _words(split, surface) != by_ending.words(surface)
    }
    return Splits(by_token, endings)


def _usual_splits(tokens: Counter[tuple[str, tuple[str, ...]]]) -> dict[str, Split | None]:
    counts: defaultdict[str, Counter[Split | None]] = defaultdict(Counter)
    for (surface, forms), times in tokens.items():
        counts[lower_case(surface)][_split(lower_case(surface), forms)] += times
    return {surface: splits.most_common(1)[0][0] for surface, splits in counts.items()}


def _split(surface: str, forms: Sequence[str]) -> Split | None:
    if len(forms) < 2 or not all(map(is_form, forms)):
        return None
    first, *others = map(lower_case, forms)
    kept = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(surface, first, strict=False)))
    return Split(len(surface) - kept, first[kept:], tuple(others))


def _usual_endings(splits: dict[str, Split | None]) -> dict[str, Split | None]:
    """What mostly happens to tokens with an ending that goes in one of them, or with a bit before it."""
    go = {surface[-split.strip :] for surface, split in splits.items() if split and split.strip}
    longest = max(map(len, go), default=0) + LONGEST_CONTEXT
    counts: defaultdict[str, Counter[Split | None]] = defaultdict(Counter)
    for surface, split in splits.items():
        for at in range(max(1, len(surface) - longest), len(surface)):
            if any(surface[at + more :] in go for more in range(LONGEST_CONTEXT + 1)):
                counts[surface[at:]][split] += 1
    usual = {ending: times.most_common(1)[0] for ending, times in counts.items()}
    return {ending: split for ending, (split, times) in usual.items() if times >= LEAST_TYPES}


def _without_needless(endings: dict[str, Split | None]) -> dict[str, Split | None]:
    """The endings that decide otherwise than the longest known ending within them."""
    needed: dict[str, Split | None] = {}
    for ending in sorted(endings, key=len):
        shorter = next((ending[at:] for at in range(1, len(ending)) if ending[at:] in needed), None)
        if endings[ending] != (needed[shorter] if shorter else None):
            needed[ending] = endings[ending]
    return needed


def _words(split: Split | None, surface: str) -> tuple[str, ...]:
    return split.words(surface) if split else (surface,)


# --- examples ---------------------------------------------------------------------------------------------

IN_VOCABULARY = {UPPER, LOWER, LETTER, PUNCTUATION, SIGN}
LARGEST_VOCABULARY, LEAST_IN_VOCABULARY = 2000, 5
KNOWN_WORDS, LEAST_KNOWN = 2000, 4
LEAST_SHARE = 0.001  # of the places between two classes: token ends that are rarer are taken for errors
LEAST_JOINED = 0.0003  # likewise, of the tokens: those with white space in them

# Sentences that are too few to be laid out, those that are so many that once is enough, and how often at most
FEWEST_SENTENCES, ENOUGH_SENTENCES, MOST_VARIANTS = 10, 6000, 5
OWN_TEXT = 2  # how many places of the treebank's own text there are for one of those that are laid out


def _varied(text: TreebankText, random: np.random.Generator) -> Iterator[TreebankText]:
    """The text in other layouts, small ones in several."""
    if len(text.last_tokens) < FEWEST_SENTENCES:
        return iter(())
    times = min(MOST_VARIANTS, -(-ENOUGH_SENTENCES // len(text.last_tokens)))
    return chain.from_iterable(laid_out(text, random) for _ in range(times))


def _vocabulary(texts: Sequence[TreebankText]) -> str:
    counts = sum((Counter(text.text) for text in texts), Counter[str]()).most_common()
    known = [one for one, times in counts if times >= LEAST_IN_VOCABULARY and class_of(one) in IN_VOCABULARY]
    return "".join(sorted(known[:LARGEST_VOCABULARY]))


def _asked(classes: Codes, labels: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Between which classes `[left, right]` a token may end, judged by those that do."""
    places, ends = np.zeros((2, CLASSES, CLASSES), np.int64)
    np.add.at(places, (classes[:-1], classes[1:]), 1)
    np.add.at(ends, (classes[:-1], classes[1:]), labels[:-1] > 0)
    asked = ends > LEAST_SHARE * places
    letters = np.isin(np.arange(CLASSES), [UPPER, LOWER, LETTER, DIGIT])
    asked |= (places == 0) & ~(letters[:, None] & letters)
    asked[:, [MARK, JOINER]] = asked[JOINER] = False
    return asked.astype(np.uint8)


@dataclass(frozen=True)
class _Examples:
    """Texts in symbols, as wide as the windows want them, with the label of each symbol.

    First comes the treebank's own text, of so many symbols.
    """

    own_text: int
    alphabet: Alphabet
    codes: Codes
    labels: npt.NDArray[np.uint8]
    asked: npt.NDArray[np.uint8]
    joins_spaces: bool


PADDING = 96  # symbols around a text, more than any window shows


def _examples(
    texts: Sequence[TreebankText], alphabet: Alphabet, tokens: Counter[tuple[str, tuple[str, ...]]]
) -> _Examples:
    all_codes, all_labels = zip(*(_labelled(text, alphabet) for text in texts), strict=True)
    codes, labels = np.concatenate(all_codes), np.concatenate(all_labels)
    asked = _asked(alphabet.classes[codes], labels)
    joined = sum(times for (surface, _), times in tokens.items() if len(surface.split()) > 1)
    joins_spaces = joined > LEAST_JOINED * tokens.total()
    return _Examples(len(all_codes[0]), alphabet, codes, labels, asked, joins_spaces)


def _labelled(text: TreebankText, alphabet: Alphabet) -> tuple[Codes, npt.NDArray[np.uint8]]:
    """A text's symbols with what surrounds them, and their labels."""
    symbols = alphabet.symbols(text.text)
    last_characters = text.last_characters()
    labels = np.zeros(len(symbols.codes), np.uint8)
    labels[np.isin(symbols.starts, last_characters)] = TOKEN_END
    labels[np.isin(symbols.starts, last_characters[text.last_tokens])] = SENTENCE_END
    labels[is_white(symbols.codes)] = 0
    codes = np.pad(symbols.codes, PADDING, constant_values=((BEGIN, END),))
    return codes.astype(np.uint16), np.pad(labels, PADDING)


@dataclass(frozen=True)
class _Samples:
    """What a classifier is asked in a treebank: the places, what it sees of them, and the answers."""

    window: Window
    dropped: int  # how many activations of so many BYTES are left out
    keys: npt.NDArray[np.uint32]
    rows: Codes  # [sample, offset]
    before: Positions  # [sample], the number of the word before
    after: Positions  # likewise
    after_end: Positions  # [sample], how far behind the place the word after has ended
    visible: Positions  # [sample], how many symbols to the right are shown
    lines: Positions  # [sample], the length of the line that ends
    alone: npt.NDArray[np.bool_]  # [sample], whether the symbol is a token by itself
    answers: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.answers)


def _token_samples(examples: _Examples) -> _Samples:
    codes, classes = examples.codes, examples.alphabet.classes[examples.codes]
    after = np.append(classes[1:], END)
    asked = (classes > BLANK_LINE) & (examples.asked[classes, after] != 0)
    if examples.joins_spaces:
        asked |= (classes > BLANK_LINE) & (after >= SPACE) & (after < BLANK_LINE)
    plain = np.where(is_white(codes), SPACE, codes).astype(np.uint16)
    window = TOKEN_WINDOW._replace(blanks=1 + examples.joins_spaces)
    ends = examples.labels > 0
    return _samples(examples, plain, np.flatnonzero(asked), window, TOKEN_DROPPED, ends)


def _sentence_samples(examples: _Examples) -> _Samples:
    codes = examples.codes
    at = np.flatnonzero(examples.labels)
    at = at[(codes[at + 1] != BLANK_LINE) & (next_codes(codes, at) != END)]
    at = _with_own_text_often(at, examples.own_text)
    ends = examples.labels == SENTENCE_END
    return _samples(examples, codes, at, SENTENCE_WINDOW, SENTENCE_DROPPED, ends)


def _with_own_text_often(at: Positions, own_text: int) -> Positions:
    """The places, those in the treebank's own text so often that they are twice as many as the others."""
    own = at[at < own_text]
    others = len(at) - len(own)
    times = max(1, round(OWN_TEXT * others / max(1, len(own))))
    return np.concatenate([np.repeat(own, times), at[len(own) :]])


def _samples(
    examples: _Examples,
    codes: Codes,
    at: Positions,
    window: Window,
    dropped: int,
    answers: npt.NDArray[np.bool_],
) -> _Samples:
    runs = WordRuns(examples.alphabet, codes)
    rows = windows(codes, at, window)
    before, (after, after_end) = runs.before(at, window.left), runs.after(at)
    shown = visible(rows, window)
    keys = _frequent(np.concatenate([before, after[after_end <= shown]]))
    numbers = numbers_of(keys, before), numbers_of(keys, after)
    lines = line_lengths(codes, at, window.line)
    alone = stand_alone(codes, at, examples.labels > 0)
    return _Samples(window, dropped, keys, rows, *numbers, after_end, shown, lines, alone, answers[at])


def _frequent(hashes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    keys, times = np.unique(hashes[hashes > 0], return_counts=True)
    most = np.argsort(-times, kind="stable")[:KNOWN_WORDS]
    return np.sort(keys[most[times[most] >= LEAST_KNOWN]])


# --- training ---------------------------------------------------------------------------------------------

TOKEN_WINDOW, SENTENCE_WINDOW = Window(10, 10, 1, 0), Window(16, 20, 2, 80)
TOKEN_ROUNDS, SENTENCE_ROUNDS = 12, 5
SYMBOL_FEATURES, WORD_FEATURES, LINE_FEATURES, HIDDEN_UNITS, SECOND_UNITS = 16, 16, 8, 64, 32
BATCH, RATE, WARM_UP = 512, 0.003, 0.03  # the last a share of the steps

CUT = 0.2  # the share of examples whose text ends early; below, what else is made unknown at random
TO_CLASS, NO_WORD = 0.02, 0.1
TOKEN_DROPPED, SENTENCE_DROPPED, BYTES = 26, 51, 256  # activations, of so many: bytes are drawn fast
OTHER_LENGTH = 2  # how far the length of a line is put off, so that what is like others is learnt as such
WHOLE_FROM = 0.3  # from this share of the steps on, numbers are whole


@dataclass
class _Training:
    """What both classifiers have in common while they learn."""

    seed: int
    least_steps: int
    progress: Progress | None
    steps_done: int = 0
    steps: int = 0

    def segmenter(self, examples: _Examples, splits: Splits) -> Segmenter:
        """The segmenter, after all steps."""
        samples = _token_samples(examples), _sentence_samples(examples)
        rounds = TOKEN_ROUNDS, SENTENCE_ROUNDS
        wanted = [-(-times * len(one) // BATCH) for one, times in zip(samples, rounds, strict=True)]
        steps = [max(self.least_steps, one) if one else 0 for one in wanted]
        self.steps = sum(steps)
        pairs = zip(samples, steps, strict=True)
        token_ends, sentence_ends = (self._classifier(*pair, examples.alphabet) for pair in pairs)
        return Segmenter(
            examples.alphabet, examples.joins_spaces, examples.asked, token_ends, sentence_ends, splits
        )

    def _classifier(self, samples: _Samples, steps: int, alphabet: Alphabet) -> Classifier:
        import torch

        network = _Network(samples, alphabet, self.seed)
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # with more, sums come in another order at every run
        try:
            self._learn(network, samples, steps)
        finally:
            torch.set_num_threads(threads)
        return network.classifier(samples)

    def _learn(self, network: _Network, samples: _Samples, steps: int) -> None:
        from torch.autograd import backward
        from torch.optim import Adam

        random = np.random.default_rng(self.seed)
        optimizer = Adam(network.parameters, lr=RATE)
        for step, chosen in enumerate(islice(_batches(len(samples), random), steps)):
            rate = RATE * min(1, (step + 1) / (WARM_UP * steps)) * (1 - step / steps)
            optimizer.param_groups[0]["lr"] = rate
            batch = _batch(samples, chosen, network.classes, random)
            loss = network.loss(batch, are_whole=step >= WHOLE_FROM * steps)
            optimizer.zero_grad()
            backward(loss)
            optimizer.step()
            self._tell_progress()

    def _tell_progress(self) -> None:
        self.steps_done += 1
        if self.progress:
            self.progress(self.steps_done, self.steps)


def _batches(samples: int, random: np.random.Generator) -> Iterator[Positions]:
    """Random samples without end, each once a round."""
    while samples:
        order = random.permutation(samples)
        yield from (order[at : at + BATCH] for at in range(0, samples, BATCH))


class _Batch(NamedTuple):
    """What is seen of some samples, as in these, and the answers."""

    rows: Codes
    before: Positions
    after: Positions
    lines: Positions
    alone: npt.NDArray[np.bool_]
    answers: npt.NDArray[np.bool_]


def _batch(samples: _Samples, chosen: Positions, classes: Codes, random: np.random.Generator) -> _Batch:
    """The chosen samples, some of them made harder."""
    rows, shown = samples.rows[chosen], samples.visible[chosen]
    cuts = _cuts(samples, rows, shown, random)
    rows[:, samples.window.left + 1 :][np.arange(samples.window.right) >= cuts[:, None]] = END
    rows = np.where(_some(TO_CLASS, rows, random), classes[rows], rows)
    before = np.where(_some(NO_WORD, shown, random), 0, samples.before[chosen])
    is_hidden = _some(NO_WORD, shown, random) | (samples.after_end[chosen] > np.minimum(cuts, shown))
    after = np.where(is_hidden, 0, samples.after[chosen])
    lines, alone = _other_lengths(samples, chosen, random), samples.alone[chosen]
    return _Batch(rows, before, after, lines, alone, samples.answers[chosen])


def _cuts(samples: _Samples, rows: Codes, shown: Positions, random: np.random.Generator) -> Positions:
    """Behind how many symbols to the right each text ends: anywhere, but not before what is asked about."""
    least = 1 + is_white(rows[:, samples.window.left + 1])
    cuts = least + np.floor(random.random(len(shown)) * (shown - least)).astype(np.int64)
    is_cut = _some(CUT, shown, random) & (cuts < shown)
    return np.where(is_cut, cuts, samples.window.right)


def _other_lengths(samples: _Samples, chosen: Positions, random: np.random.Generator) -> Positions:
    lines = samples.lines[chosen]
    others = np.clip(
        lines + random.integers(-OTHER_LENGTH, OTHER_LENGTH + 1, len(lines)), 1, samples.window.line
    )
    return np.where(lines, others, 0)


def _some(share: float, like: npt.NDArray[Any], random: np.random.Generator) -> npt.NDArray[np.bool_]:
    return random.random(like.shape) < share


class _Network:
    """A classifier that learns: its numbers are fractions, which it can take for the nearest whole units."""

    def __init__(self, samples: _Samples, alphabet: Alphabet, seed: int) -> None:
        line, self._knows_more = samples.window.line, samples.window.line > 0
        line_features = LINE_FEATURES * self._knows_more
        features = samples.rows.shape[1] * SYMBOL_FEATURES + 2 * WORD_FEATURES
        features += line_features + self._knows_more
        self.classes, self._dropped = alphabet.classes, samples.dropped
        self._random = np.random.default_rng(seed)
        self._symbols = self._parameter(len(self.classes), SYMBOL_FEATURES, scale=0.3)
        self._symbol_classes = self._parameter(CLASSES, SYMBOL_FEATURES, scale=0.3)
        self._words = self._parameter(len(samples.keys) + 1, WORD_FEATURES, scale=0.1)
        self._lines = self._parameter(line + 1, line_features, scale=0.1)
        sizes = pairwise([features, HIDDEN_UNITS, SECOND_UNITS, 1])
        self._layers = [self._parameter(size + 1, units, scale=size**-0.5) for size, units in sizes]
        self.parameters = [self._symbols, self._symbol_classes, self._words, self._lines, *self._layers]

    def _parameter(self, *shape: int, scale: float) -> torch.Tensor:
        from torch import from_numpy

        return from_numpy(
            self._random.standard_normal(shape, np.float32) * np.float32(scale)
        ).requires_grad_()

    def loss(self, batch: _Batch, are_whole: bool) -> torch.Tensor:
        """How far from the answers the network is, with parts of it left out at random."""
        from torch import cat, from_numpy
        from torch.nn.functional import binary_cross_entropy_with_logits, embedding

        rounded = _whole if are_whole else _as_is
        symbols, words, lines = (rounded(table, ONE) for table in self._tables())
        of_tables = (batch.rows, symbols), (batch.before, words), (batch.after, words), (batch.lines, lines)
        parts = [embedding(from_numpy(of.astype(np.int64)), table).flatten(1) for of, table in of_tables]
        activation = cat([self._thinned(cat(parts[:-1], 1)), parts[-1]], 1)
        if self._knows_more:
            activation = cat([activation, from_numpy(batch.alone.astype(np.float32))[:, None]], 1)
        *inner, last = (rounded(layer, WEIGHT_ONE) for layer in self._layers)
        for layer in inner:
            activation = self._thinned(_activation(activation @ layer[:-1] + layer[-1], are_whole))
        answer = (activation @ last[:-1] + last[-1])[:, 0]
        return binary_cross_entropy_with_logits(answer, from_numpy(batch.answers.astype(np.float32)))

    def _tables(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        symbols = self._symbols + self._symbol_classes[self.classes.astype(np.int64)]
        return symbols, self._words, self._lines

    def _thinned(self, activation: torch.Tensor) -> torch.Tensor:
        from torch import from_numpy

        drawn = self._random.integers(BYTES, size=tuple(activation.shape), dtype=np.uint8)
        kept = (drawn >= self._dropped).astype(np.float32) * np.float32(BYTES / (BYTES - self._dropped))
        return activation * from_numpy(kept)

    def classifier(self, samples: _Samples) -> Classifier:
        """What has been learned; without a single sample, that nothing ends."""
        tables = [_bytes(table, ONE) for table in self._tables()]
        layers = [_bytes(layer, WEIGHT_ONE) for layer in self._layers]
        layers[-1] *= bool(len(samples))
        return Classifier(samples.window, samples.keys, *tables, *layers)


def _as_is(numbers: torch.Tensor, one: int) -> torch.Tensor:
    return numbers


def _whole(numbers: torch.Tensor, one: int) -> torch.Tensor:
    """The nearest whole units, with the gradient of the numbers themselves."""
    units = (numbers * one).round().clamp(-LARGEST, LARGEST) / one
    return numbers + (units - numbers).detach()


def _activation(sums: torch.Tensor, are_whole: bool) -> torch.Tensor:
    activation = sums.clamp(0, LARGEST / ONE)
    return activation + ((activation * ONE).floor() / ONE - activation).detach() if are_whole else activation


def _bytes(numbers: torch.Tensor, one: int) -> npt.NDArray[np.int8]:
    units = (numbers.detach() * one).round().clamp(-LARGEST, LARGEST)
    return np.asarray(units.numpy(), np.int8)
