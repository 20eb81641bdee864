"""Scores of a segmenter's words and sentences in the raw text of a treebank."""

from __future__ import annotations

from collections.abc import Sequence

from treewhile.incremental.parsers.text_sources import sentences_of_text
from treewhile.incremental.scores.conll_scores import conll_scores
from treewhile.incremental.texts.segmenter import Segmenter
from treewhile.incremental.texts.treebank_texts import treebank_text
from treewhile.incremental.treebanks.treebank import Sentence

MEASURES = ("Words", "Sentences")


def segmentation_scores(segmenter: Segmenter, gold: Sequence[Sentence]) -> dict[str, float]:
    """Return the F1 of words and of sentences in per cent, as in `treewhile evaluate --raw`."""
    text = treebank_text(gold).text
    found = list(
        map(_with_any_tree, sentences_of_text(segmenter, [text], f"the text of {gold[0].file_name}"))
    )
    scores = conll_scores(map(_with_any_tree, gold), found)
    return {name: 100 * scores[name].f1 for name in MEASURES}


def _with_any_tree(sentence: Sentence) -> Sentence:
    """Return the sentence with some tree, which the scorer needs but ignores here."""
    return sentence.with_columns(
        {number: {"head": "0", "deprel": "root"} for number in range(1, len(sentence.words) + 1)}
    )
