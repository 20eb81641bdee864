"""Scores of raters that predict the ends of sentences, by kind of text, and their tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from rich.table import Table
from rich.text import Text

from treewhile.incremental import Sentence
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.scores.completeness_scores import (
    ChanceScore,
    LabelledPrefixes,
    Reliability,
    inputs_by,
    said,
    truth_of,
    written,
)
from treewhile.oracles import InputError
from treewhile.server.terminal.consoles import console, table_of
from treewhile.server.terminal.progress_bars import read_with_progress

TEXTS: Final = {"as said": said, "as written": written}
PARSER: Final = "the parser's states"

Scores = Mapping[str, ChanceScore]  # by what is asked, may_end or ends
Rater = Callable[
    [str, Sequence[LabelledPrefixes]], Mapping[str, Array]
]  # which takes the name of the text, too


def sentences_of(sources: Sequence[str], task: str) -> list[Sentence]:
    """Return the sentences of treebanks; raise InputError if a treebank has no spoken words."""
    found = []
    for source in sources:
        sentences = [*read_with_progress(source, task)]
        if not said(sentences):
            raise InputError(f"{source} has no words: give another file")
        found += sentences
    return found


def by_model(model: Model) -> Rater:
    """Return a rater that asks the layers of a model."""
    layers = model.completeness
    if layers is None:
        raise InputError(
            "the model has not learnt when sentences end: give another one, "
            "or let it learn that with treewhile train completeness"
        )
    return lambda _, material: named(layers.chances(inputs_by(model, material)))


def scores_by_text(
    raters: Mapping[str, Rater], sentences: Sequence[Sentence]
) -> dict[str, dict[str, Scores]]:
    """Return the scores of each rater on all prefixes, by text and by rater."""
    return {
        text: {name: _scores(rater, text, prefixes(sentences)) for name, rater in raters.items()}
        for text, prefixes in TEXTS.items()
    }


def _scores(rater: Rater, text: str, material: Sequence[LabelledPrefixes]) -> Scores:
    truth = named(truth_of(material))
    return {what: ChanceScore.of(chances, truth[what]) for what, chances in rater(text, material).items()}


def named(pairs: Array) -> dict[str, Array]:
    return {"may_end": pairs[:, 0], "ends": pairs[:, 1]}


def show_completeness_scores(title: str, by_text: Mapping[str, Mapping[str, Scores]]) -> None:
    """Print all scores by text, rater and quantity; then the bins of the first rater."""
    out = console()
    out.print(Text(title, "bold"), soft_wrap=True)
    out.print(_table(by_text))
    for text, raters in by_text.items():
        first = next(iter(raters.values()))
        out.print()
        out.print(_bins(text, first["ends"].reliability))


def _table(by_text: Mapping[str, Mapping[str, Scores]]) -> Table:
    table = table_of("", "text", "of", "AUC", "Brier", "ECE")
    for text, raters in by_text.items():
        for name, scores in raters.items():
            for what, score in scores.items():
                figures = (score.auc, score.brier, score.ece)
                table.add_row(name, text, what, *(f"{figure:.3f}" for figure in figures))
    return table


def _bins(text: str, bins: Sequence[Reliability]) -> Table:
    table = table_of(f"ends, {text}", "prefixes", "said", "true")
    for number, one in enumerate(bins, 1):
        table.add_row(str(number), f"{one.cases:,}", f"{one.chance:.3f}", f"{one.share:.3f}")
    return table
