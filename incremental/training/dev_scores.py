"""How good a model is on given words while it is trained: shares of words, in percent."""

from __future__ import annotations

from collections.abc import Sequence

from treewhile.incremental.analyses import Analysis
from treewhile.incremental.growing_parse import GrowingParse
from treewhile.incremental.labelled_computations import AHEAD
from treewhile.incremental.parsing import Model, gold_values
from treewhile.incremental.treebank import Sentence, Word


def best_scores(model: Model, sentences: Sequence[Sentence]) -> dict[str, float]:
    """The scores of best parses."""
    return _scores(sentences, [_best(model, sentence) for sentence in sentences])


def committed_scores(model: Model, sentences: Sequence[Sentence]) -> dict[str, float]:
    """The scores of committed parses, with the longest delay."""
    return _scores(sentences, [_committed(model, sentence) for sentence in sentences])


def _best(model: Model, sentence: Sentence) -> Analysis:
    values = [gold_values(model.information["tags"], word) for word in sentence.words]
    return model.parse([word.form for word in sentence.words], values)


def _committed(model: Model, sentence: Sentence) -> Analysis:
    parse = GrowingParse(model, delay=len(AHEAD))
    for word in sentence.words:
        parse.append(word.form, gold_values(model.information["tags"], word))
    parse.close()
    return parse.committed()


def _scores(sentences: Sequence[Sentence], analyses: Sequence[Analysis]) -> dict[str, float]:
    right = [
        (
            word.upos == tag,
            word.feats == features,
            word.head == str(head),
            word.head == str(head) and _universal(word) == label.split(":")[0],
        )
        for sentence, analysis in zip(sentences, analyses, strict=True)
        for word, tag, features, head, label in zip(
            sentence.words, analysis.tags, analysis.features, analysis.heads, analysis.labels, strict=True
        )
    ]
    names = ("UPOS", "FEATS", "UAS", "LAS")
    return {
        name: 100 * sum(column) / len(right)
        for name, column in zip(names, zip(*right, strict=True), strict=True)
    }


def _universal(word: Word) -> str:
    return word.deprel.split(":")[0]
