"""Tables of scores for predicting the ends of sentences: by kind of text, and reliability in bins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from treewhile.incremental.scores.completeness_scores import ChanceScore, Reliability
from treewhile.server.terminal.consoles import console
from treewhile.server.terminal.evaluation_tables import table_of


def show_completeness_scores(
    title: str, by_text: Mapping[str, Mapping[str, Mapping[str, ChanceScore]]]
) -> None:
    """Print all scores by text, rater and quantity; then the bins of the first rater."""
    out = console()
    out.print(Text(title, "bold"), soft_wrap=True)
    out.print(_scores(by_text))
    for text, raters in by_text.items():
        first = next(iter(raters.values()))
        out.print()
        out.print(_bins(text, first["ends"].reliability))


def _scores(by_text: Mapping[str, Mapping[str, Mapping[str, ChanceScore]]]) -> Table:
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
