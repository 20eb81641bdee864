"""The compiled segmenter against its definition, which adds up whole windows in numpy."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from cases import cases, each_seed

from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.texts import kernels
from treewhile.incremental.texts.alphabets import (
    BEGIN,
    BLANK_LINE,
    END,
    LINE_END,
    SPACE,
    Alphabet,
    Codes,
    Positions,
    is_white,
)
from treewhile.incremental.texts.classifiers import (
    WEIGHT_ONE,
    Classifier,
    WordRuns,
    line_lengths,
    next_codes,
    numbers_of,
    stand_alone,
    visible,
    windows,
)
from treewhile.incremental.texts.segmenter import TOKEN_END, Segmenter

PIECES = [
    *"aeTB.,'-1 \n",
    "  ",
    "\n\n",
    "n't ",
    "Mr. ",
    "U.S. ",
    "the ",
    " \t",
    "é",
    "\u0301",
    "\u200d",
    "😀",
]


@pytest.fixture(scope="module", params=[False, True])
def segmenter(request: pytest.FixtureRequest) -> Segmenter:
    """That of English, as it is and with white space in tokens."""
    found = load_model("en").segmenter
    assert found
    return replace(found, joins_spaces=request.param)


def sums(activation: npt.NDArray[Any], layer: npt.NDArray[np.int8]) -> npt.NDArray[Any]:
    return np.asarray(activation @ layer[:-1].astype(np.int64) + 64 * layer[-1].astype(np.int64))


def decisions(
    classifier: Classifier, codes: Codes, at: Positions, runs: WordRuns, alone: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Whether something ends after the symbols `at`, which are tokens by themselves where they are alone."""
    rows = windows(codes, at, classifier.window)
    before = numbers_of(classifier.keys, runs.before(at, classifier.window.left))
    hashes, end = runs.after(at)
    after = np.where(end <= visible(rows, classifier.window), numbers_of(classifier.keys, hashes), 0)
    flat = classifier.symbols[rows].reshape(len(at), rows.shape[1] * classifier.symbols.shape[1])
    lines = classifier.lines[line_lengths(codes, at, classifier.window.line)]
    parts = [flat, classifier.words[before], classifier.words[after], lines]
    if classifier.window.line:
        parts.append(64 * alone[:, None].astype(np.int64))
    activation = np.concatenate(parts, axis=1).astype(np.int64)
    for layer in (classifier.hidden, classifier.second):
        activation = np.clip(sums(activation, layer) // WEIGHT_ONE, 0, 127)
    return np.asarray(sums(activation, classifier.output)[:, 0] > 0)


def labels_by_definition(segmenter: Segmenter, codes: Codes) -> npt.NDArray[np.uint8]:
    """What ends after each symbol of a text."""
    before, after = np.full(segmenter.left, BEGIN), np.full(segmenter.right, END)
    padded = np.concatenate([before, codes, after]).astype(np.uint16)
    at = segmenter.left + np.flatnonzero(~is_white(codes))
    runs, labels = WordRuns(segmenter.alphabet, padded), np.zeros(len(padded), np.uint8)
    classes = segmenter.alphabet.classes[padded]
    behind, is_last = classes[at + 1], next_codes(padded, at) == END
    ends = (behind == BLANK_LINE) | is_last | (is_white(behind) & (not segmenter.joins_spaces))
    asked = ~ends & (is_white(behind) | (segmenter.asked[classes[at], behind] > 0))
    plain = np.where(is_white(padded), SPACE, padded)
    ends[asked] = decisions(segmenter.token_ends, plain, at[asked], runs, asked[asked])
    labels[at[ends]] = TOKEN_END
    alone = stand_alone(padded, at, labels > 0)
    asked = ends & ~is_last & (behind != BLANK_LINE)
    labels[at[asked]] += decisions(segmenter.sentence_ends, padded, at[asked], runs, alone[asked])
    labels[at[ends & (behind == BLANK_LINE)]] += 1
    return labels[segmenter.left :][: len(codes)]


@each_seed(cases(20))
def test_labels_are_those_of_the_definition(seed: int, segmenter: Segmenter) -> None:
    codes = segmenter.alphabet.symbols("".join(random.Random(seed).choices(PIECES, k=seed * 20))).codes
    assert np.array_equal(segmenter.labels(codes, 0, len(codes)), labels_by_definition(segmenter, codes))


def test_labels_are_the_same_however_many_are_asked_for(segmenter: Segmenter) -> None:
    drawn = random.Random(3)
    codes = segmenter.alphabet.symbols("".join(drawn.choices(PIECES, k=300))).codes
    whole = segmenter.labels(codes, 0, len(codes))
    for _ in range(100):
        start, stop = sorted(drawn.choices(range(len(codes) + 1), k=2))
        first = max(0, start - segmenter.left)
        seen = codes[first : stop + segmenter.right]
        assert np.array_equal(segmenter.labels(seen, start - first, stop - first), whole[start:stop])


@pytest.mark.parametrize(
    ("text", "lengths"), [("ab\nc d\ne", [0, 2, 0, 3, 0]), ("\na\nb\n\ncdefg\nh", [1, 0, 0, 0, 0, 0, 4, 0])]
)
def test_a_line_that_ends_is_as_long_as_it_stands_or_as_can_be_seen(text: str, lengths: list[int]) -> None:
    codes = np.array([BEGIN, *Alphabet("").symbols(text).codes, END], np.uint16)
    at = 1 + np.flatnonzero(~is_white(codes[1:-1]))
    assert line_lengths(codes, at, 4).tolist() == lengths


def test_words_that_differ_in_any_one_letter_have_other_hashes() -> None:
    alphabet = Alphabet("abcdefghijklmnopqrstuvwxyz")
    words = (
        [f"{one}en" for one in alphabet] + [f"h{one}n" for one in alphabet] + [f"he{one}" for one in alphabet]
    )
    found = {}
    for word in words:
        codes = np.array([BEGIN, *alphabet.symbols(word).codes, END], np.uint16)
        found[word] = int(WordRuns(alphabet, codes).before(np.array([3]), 4)[0])
        assert found[word] == kernels.hash_of(codes, 1, 4, alphabet.letters)
    assert len(set(found.values())) == len(found) == 76


@each_seed(cases(20))
def test_symbols_are_runs_of_white_space_and_other_characters(seed: int) -> None:
    text = "".join(random.Random(seed).choices(["a", " ", "\t", "\n", "\0", "\u2028", "😀"], k=seed))
    alphabet, kinds = Alphabet("a"), [SPACE, LINE_END, BLANK_LINE]
    runs = [*re.finditer("[ \t\n\0\u2028]+|.", text)]
    codes, starts, shown = alphabet.symbols(text)
    assert starts.tolist() == [run.start() for run in runs]
    assert shown == "".join(" " if is_run_white(run[0]) else run[0] for run in runs)
    assert codes.tolist() == [
        kinds[min(2, run[0].count("\n"))] if is_run_white(run[0]) else alphabet[run[0]] for run in runs
    ]


def is_run_white(run: str) -> bool:
    return run[0] not in "a😀"
