"""Learning to tell languages: the weights of `texts/languages.py`, from sentences and treebanks.

    python -m treewhile.incremental.training.language_learning OUT en=raw.txt en=train.conllu nl=raw.txt ...

A sample is a piece of a sentence of 5 to 100 letters, so that probabilities fit texts of every length. Some
have no accents, as people type whose keyboards lack them. N-grams are left out at random, so that no word
decides alone. The objective is that of logistic regression, minimized by Adam.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias
from unicodedata import combining, normalize

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save

from treewhile.incremental.output_files import open_output
from treewhile.incremental.texts.languages import CODES, ROWS, ngram_rows, words_of
from treewhile.oracles.errors import InputError

SEED: Final = 5
SAMPLES: Final = 25_000  # of each language
LETTERS: Final = (5, 100)  # of a sample
UNACCENTED: Final = 0.15  # share of samples
WHOLE: Final = 0.4  # share of samples that begin with their sentence
CUT: Final = 0.5  # share of samples that end within a word
LEFT_OUT: Final = 0.7  # share of n-grams
EPOCHS: Final = 10
BATCH: Final = 2048
RATE: Final = 0.02
DECAYS: Final = (0.9, 0.999)
LARGEST: Final = 127  # stored weight
LICENCE: Final = "CC BY-SA 4.0"

TEXT: Final = "# text ="

Words: TypeAlias = Sequence[str]
Rows: TypeAlias = npt.NDArray[np.int32]
Weights: TypeAlias = npt.NDArray[np.float32]  # [row, language]


def sentences_in(path: Path) -> Iterator[Words]:
    """Yield the sentences of a treebank, or the lines of a text, as words."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if path.suffix != ".conllu" or line.startswith(TEXT):
            words = words_of(line.removeprefix(TEXT))
            if words:
                yield words


def sample_of(sentence: Words, draw: random.Random) -> Words:
    """Return a random piece of a sentence."""
    least, most = LETTERS
    missing = int(least * (most / least) ** draw.random())
    start = 0 if draw.random() < WHOLE else draw.randrange(len(sentence))
    words = []
    for word in sentence[start:]:
        words.append(word)
        missing -= len(word)
        if missing <= 0:
            break
    if missing < 0 and draw.random() < CUT:
        words[-1] = words[-1][:missing] or words[-1]
    return [without_accents(word) for word in words] if draw.random() < UNACCENTED else words


def without_accents(word: str) -> str:
    return "".join(letter for letter in normalize("NFD", word) if not combining(letter))


def samples(sources: Mapping[str, Sequence[Path]], count: int) -> tuple[list[Rows], Rows]:
    """Return the rows of n-grams of `count` samples of each language, and the languages.

    A source gives samples by the square root of its size, so that large ones do not drown the others.
    """
    draw = random.Random(SEED)
    rows: list[Rows] = []
    for code in CODES:
        files = [[*sentences_in(path)] for path in sources[code]]
        for file in draw.choices(files, [math.sqrt(len(file)) for file in files], k=count):
            words = sample_of(draw.choice(file), draw)
            rows.append(np.array([row for word in words for row in sorted(ngram_rows(word))], np.int32))
    return rows, np.repeat(np.arange(len(CODES), dtype=np.int32), count)


def learn(rows: Sequence[Rows], languages: Rows, epochs: int = EPOCHS) -> Weights:
    """Return the weights that tell the languages of samples."""
    random_numbers = np.random.default_rng(SEED)
    weights = np.zeros((ROWS, len(CODES)), np.float32)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    steps = epochs * math.ceil(len(rows) / BATCH)
    orders = (random_numbers.permutation(len(rows)) for _ in range(epochs))
    batches = (order[start : start + BATCH] for order in orders for start in range(0, len(rows), BATCH))
    for step, chosen in enumerate(batches, 1):
        slope = slope_of(weights, [rows[one] for one in chosen], languages[chosen], random_numbers)
        mean += (1 - DECAYS[0]) * (slope - mean)
        square += (1 - DECAYS[1]) * (slope**2 - square)
        rate = RATE * (1 - step / steps) * np.sqrt(1 - DECAYS[1] ** step) / (1 - DECAYS[0] ** step)
        weights -= np.float32(rate) * mean / (np.sqrt(square) + np.float32(1e-8))
    return weights


def slope_of(
    weights: Weights, rows: Sequence[Rows], languages: Rows, random_numbers: np.random.Generator
) -> Weights:
    """Return the gradient of the mean loss of some samples, with some of their n-grams left out."""
    all_rows, lengths = np.concatenate(rows), [*map(len, rows)]
    kept = (random_numbers.random(len(all_rows)) >= LEFT_OUT).astype(np.float32) / np.float32(1 - LEFT_OUT)
    starts = np.cumsum([0, *lengths[:-1]])
    scores = np.add.reduceat(weights[all_rows] * kept[:, None], starts, axis=0)
    chances = np.exp(scores - scores.max(1, keepdims=True))
    chances /= chances.sum(1, keepdims=True)
    chances[np.arange(len(rows)), languages] -= 1
    errors = np.repeat(chances / np.float32(len(rows)), lengths, axis=0) * kept[:, None]
    columns = [np.bincount(all_rows, error, ROWS) for error in errors.T]
    return np.stack(columns, axis=1).astype(np.float32)


def stored(weights: Weights) -> bytes:
    """Return the file of the weights, in eight bits."""
    scale = np.abs(weights).max() / LARGEST
    arrays = {"weights": np.rint(weights / scale).astype(np.int8), "scale": np.array([scale], np.float32)}
    return save(arrays, {"languages": " ".join(CODES), "licence": LICENCE})


def sources_of(arguments: Sequence[str]) -> dict[str, list[Path]]:
    """Return the files of each language, given arguments like en=FILE."""
    sources: dict[str, list[Path]] = {code: [] for code in CODES}
    for argument in arguments:
        code, _, path = argument.partition("=")
        if code not in sources or not path:
            what = f"the argument is {argument!r:.80}, and it has to be a language and a file, like en=FILE"
            raise InputError(f"{what}: the languages are {', '.join(CODES)}")
        sources[code].append(Path(path))
    missing = [code for code, files in sources.items() if not files]
    if missing:
        raise InputError(f"there is nothing to learn {missing[0]} from: give {missing[0]}=FILE")
    return sources


if __name__ == "__main__":
    target, *given = sys.argv[1:]
    with open_output(target) as output:
        output.write_bytes(stored(learn(*samples(sources_of(given), SAMPLES))))
