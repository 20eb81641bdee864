"""Tables of the scores of trees: of dependency trees by label, and of phrases by label and length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.table import Table
from rich.text import Text

from treewhile.incremental.constituents.bracket_scores import BracketScore, TreebankScore
from treewhile.incremental.scores.conll_scores import Score
from treewhile.server.terminal.consoles import console, percent, shown, table_of


def show_scores(
    title: str, scores: Mapping[str, Score], without: Mapping[str, Score], labels: Mapping[str, Score]
) -> None:
    """Print all scores in per cent; those `without` punctuation have a column of their own."""
    out = console()
    out.print(Text(title, "bold"), soft_wrap=True)
    out.print(_measures(scores, without))
    out.print()
    out.print(_labels(labels))


def _measures(scores: Mapping[str, Score], without: Mapping[str, Score]) -> Table:
    table = table_of("", "precision", "recall", "F1", "aligned", "F1 without\npunctuation")
    for name, score in scores.items():
        plain = without[name].f1 if name in without else None
        numbers = (score.precision, score.recall, score.f1, score.aligned_accuracy, plain)
        table.add_row(name, *map(percent, numbers))
    return table


def _labels(labels: Mapping[str, Score]) -> Table:
    table = table_of("labelled attachment", "gold", "system", "precision", "recall", "F1")
    for name, label in _in_families(labels):
        score = labels[label]
        counts = (f"{score.gold:,}", f"{score.system:,}")
        table.add_row(shown(name), *counts, *map(percent, (score.precision, score.recall, score.f1)))
    return table


def _in_families(labels: Mapping[str, Score]) -> Iterator[tuple[str, str]]:
    """Yield relations, each followed by its subtypes: name in the table, and whole label."""
    for relation in (label for label in labels if ":" not in label):
        yield relation, relation
        for label in labels:
            if label.startswith(f"{relation}:"):
                yield f"  {label.removeprefix(relation)}", label


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
