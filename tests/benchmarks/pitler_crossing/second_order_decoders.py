"""The columns of Table 2 in Pitler, Kannan & Marcus 2012 that need scores of siblings or grandparents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from treewhile.incremental.parsers.parsed_treebank import check_sentence, values_of, with_analyses
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.second_order_decoding import COLUMNS
from treewhile.incremental.parsers.second_order_parsing import analysis_by
from treewhile.incremental.treebanks.treebank import Sentence

Decode = Callable[[Model, Sequence[Sentence]], list[Sentence]]


def second_order_decoders(model: Model) -> dict[str, Decode]:
    """Ways to parse sentences by the triples that a model knows, by the names of their columns."""
    return {
        column: partial(parse_by, column) for column, (kind, _) in COLUMNS.items() if kind in model.triples
    }


def parse_by(column: str, model: Model, sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences as a column parses them."""
    for sentence in sentences:
        check_sentence(sentence)
    analyses = [
        analysis_by(model, column, [word.form for word in sentence.words], values_of(model, sentence))
        for sentence in sentences
    ]
    return with_analyses(model, sentences, analyses)
