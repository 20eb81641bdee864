"""Scores of a model on given words during training: shares of words, in percent."""

from __future__ import annotations

from collections.abc import Sequence

from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.nodes import Head
from treewhile.incremental.parsers.parsed_treebank import analyse, values_of
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shift_reduce import AHEAD
from treewhile.incremental.treebanks.treebank import Sentence, Word

AT_ONCE = 16  # sentences


def best_scores(model: Model, sentences: Sequence[Sentence]) -> dict[str, float]:
    """Return the scores of best parses."""
    return scores_of(sentences, best_parses(model, sentences))


def best_parses(model: Model, sentences: Sequence[Sentence]) -> list[Analysis]:
    """Return the best parses of whole sentences."""
    groups = (sentences[start : start + AT_ONCE] for start in range(0, len(sentences), AT_ONCE))
    return [analysis for group in groups for analysis in analyse(model, group)]


def committed_scores(model: Model, sentences: Sequence[Sentence]) -> dict[str, float]:
    """Return the scores of committed parses, with the longest delay."""
    return scores_of(sentences, [committed_parse(model, sentence) for sentence in sentences])


def committed_parse(model: Model, sentence: Sentence) -> Analysis:
    """Return the committed parse of a whole sentence, with the longest delay."""
    parse = GrowingParse(model, delay=len(AHEAD))
    for word, values in zip(sentence.words, values_of(model, sentence), strict=True):
        parse.append(word.form, values)
    parse.close()
    return parse.committed()


def scores_of(sentences: Sequence[Sentence], analyses: Sequence[Analysis]) -> dict[str, float]:
    """Return the scores of analyses of sentences."""
    right = [
        (
            word.upos == tag,
            word.feats == features,
            word.head == str(head),
            _is_attached_rightly(word, head, label),
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


def right_attachments(sentence: Sentence, analysis: Analysis) -> int:
    """Return the number of words with the right head and label."""
    rows = zip(sentence.words, analysis.heads, analysis.labels, strict=True)
    return sum(_is_attached_rightly(*row) for row in rows)


def _is_attached_rightly(word: Word, head: Head, label: str) -> bool:
    return word.head == str(head) and _universal(word) == label.split(":")[0]


def _universal(word: Word) -> str:
    return word.deprel.split(":")[0]
