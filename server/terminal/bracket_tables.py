"""Tables of scores of phrase trees: of all brackets, by label and by length."""

from __future__ import annotations

from collections.abc import Mapping

from rich.table import Table
from rich.text import Text

from treewhile.incremental.constituents.bracket_scores import BracketScore, TreebankScore
from treewhile.server.terminal.consoles import console, shown
from treewhile.server.terminal.evaluation_tables import percent, table_of


def show_bracket_scores(title: str, scores: TreebankScore, every: TreebankScore) -> None:
    """Print all scores in per cent; `every` has the scores without exceptions."""
    out = console()
    out.print(Text(f"{title} ({scores.sentences:,} sentences)", "bold"), soft_wrap=True)
    out.print(_whole({"brackets": scores, "every bracket": every}))
    for name, parts in (("label", scores.by_label), ("words", scores.by_length)):
        out.print()
        out.print(_parts(name, parts))


def _whole(scores: Mapping[str, TreebankScore]) -> Table:
    table = table_of("", "precision", "recall", "F1", "exact", "none crosses", "tags")
    for name, score in scores.items():
        shares = (
            *score.brackets.shares().values(),
            score.exact_share,
            score.uncrossed_share,
            score.tag_accuracy,
        )
        table.add_row(name, *map(percent, shares))
    return table


def _parts(name: str, scores: Mapping[str, BracketScore]) -> Table:
    table = table_of(name, "gold", "system", "precision", "recall", "F1")
    for part, score in scores.items():
        counts = (f"{score.gold:,}", f"{score.system:,}")
        table.add_row(shown(part), *counts, *map(percent, score.shares().values()))
    return table
