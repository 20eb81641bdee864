from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from treewhile.incremental import load_model
from treewhile.incremental.scores.evaluation import segmentation_scores
from treewhile.incremental.treebanks.treebank import read_sentences

SENTENCE = (
    "1\tdogs\t_\t_\t_\t_\t2\tnsubj\t_\t_\n"
    "2\tbark\t_\t_\t_\t_\t0\troot\t_\tSpaceAfter=No\n"
    "3\t{}\t_\t_\t_\t_\t2\tpunct\t_\t_\n\n"
)


@pytest.mark.parametrize(
    ("gold", "scores"),
    [
        (SENTENCE.format("."), {"Words": 100, "Sentences": 100}),
        (SENTENCE.format(".") + "# newpar\n" + SENTENCE.format("."), {"Words": 100, "Sentences": 100}),
        (SENTENCE.format(".") * 2, {"Words": 100, "Sentences": 0}),
        (SENTENCE.format("s"), {"Words": 100 * 2 * 1 / (3 + 2), "Sentences": 100}),
    ],
)
def test_words_and_sentences_that_are_found_are_counted(
    gold: str, scores: dict[str, float], model_file: Callable[..., Path]
) -> None:
    """By a segmenter that ends sentences at blank lines, and tokens at white space and before punctuation."""
    segmenter = load_model(str(model_file())).segmenter
    assert segmenter
    stream = io.BytesIO(gold.encode())
    stream.name = "gold.conllu"
    assert segmentation_scores(segmenter, [*read_sentences(stream)]) == pytest.approx(scores)
