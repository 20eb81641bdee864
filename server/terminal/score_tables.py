"""Tables of scores: of dependency trees, of phrases, and of a model word by word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import getitem
from typing import Any

from rich.console import Console
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


# --- a model word by word -----------------------------------------------------------------------------------

# Other measures are about words, which are given, or about columns that a model does not change.
WHOLE = ("UPOS", "UFeats", "UAS", "LAS", "LAS with subtypes", "CLAS", "MLAS")

SEGMENTED = ("Tokens", "Sentences", "Words")

# Crossing edges by criterion: correct, or crossing in both trees, too.
CROSSING = {"crossing_heads": "right", "crossing_edges": "right, and cross in both trees"}

TIMES = {
    "committed": "commit to a word",
    "best": "find the best parse",
    "best_of_30_words": "find it for 30 words",
}
TIMED = {"time_limits": "milliseconds a word", "schedules": "words as in"}
CURVES: dict[str, tuple[str, ...]] = {
    "initial, labelled": ("labelled", "initial"),
    "final, labelled": ("labelled", "final"),
    "settled": ("settled",),
}
NO_SHARES = ("correction_time",)


def show_report(scores: Mapping[str, Any]) -> None:
    """Print all scores, shares in per cent."""
    out = console()
    size = f"{scores['sentences']:,} sentences, {scores['words']:,} words"
    out.print(Text(f"{scores['model']} on {scores['file']} ({size})", "bold"), soft_wrap=True)
    measures = (*scores["also_predicted"], *WHOLE)
    out.print(_f1_table("whole sentences", measures, scores["scores"]))
    if scores["crossing_edges"]["system"]:  # no crossing edges exist in projective trees
        out.print()
        out.print(_crossing_edges({name: scores[name] for name in CROSSING}))
    if "raw" in scores:
        out.print()
        out.print(_f1_table("from raw text", (*SEGMENTED, *measures), scores["raw"]))
    if "stream" in scores:
        for kind in ("labelled", "unlabelled"):
            out.print()
            out.print(_stream(kind, scores["stream"][kind]))
        out.print()
        out.print(_committed(scores["stream"]))
        out.print()
        out.print(_times(scores["milliseconds"]))
        for title in TIMED:
            if title in scores:
                _show_curves(out, title, scores[title])
        threads = scores["threads"] or "as many threads as numpy takes"
        out.print(f"processes: {scores['processes']}, threads in each: {threads}")


def _f1_table(title: str, names: Sequence[str], scores: Mapping[str, Mapping[str, float]]) -> Table:
    table = table_of(title, "F1")
    for name in names:
        table.add_row(name, percent(scores[name]["f1"]))
    return table


def _crossing_edges(scores: Mapping[str, Mapping[str, float]]) -> Table:
    table = table_of("edges that cross", "precision", "recall", "F1")
    for name, label in CROSSING.items():
        table.add_row(label, *(percent(scores[name][share]) for share in ("precision", "recall", "f1")))
    return table


def _stream(kind: str, shares: Mapping[str, Mapping[str, float | None]]) -> Table:
    table = table_of(f"word by word, {kind}", *(parse_name(name).replace(" ", "\n") for name in shares))
    for name in next(iter(shares.values())):
        numbers = (parse[name] for parse in shares.values())
        cells = (percent(number, 1 if name in NO_SHARES else 100) for number in numbers)
        table.add_row(name.replace("_", " "), *cells)
    return table


def _committed(stream: Mapping[str, Any]) -> Table:
    """Return a table of final accuracy against the mean delay of attachments."""
    table = table_of("committed parse", "UAS", "LAS", "mean delay")
    for name, delay in stream["mean_delay"].items():
        shares = (stream[kind][name]["final"] for kind in ("unlabelled", "labelled"))
        table.add_row(parse_name(name), *map(percent, shares), percent(delay, 1))
    return table


def parse_name(name: str) -> str:
    """Return the name of a parse of a stream in tables."""
    return name.replace("committed_", "delay ").replace("_", " ")


def _times(milliseconds: Mapping[str, Mapping[str, float | None]]) -> Table:
    table = table_of("milliseconds to", "median", "99th percentile")
    for name, label in TIMES.items():
        table.add_row(label, *(percent(number, 1) for number in milliseconds[name].values()))
    return table


def _show_curves(out: Console, title: str, curves: Mapping[str, Mapping[str, Any]]) -> None:
    """Print the most important values of the curves; JSON has all of them."""
    for what, keys in CURVES.items():
        systems = next(iter(curves.values()))
        table = table_of(f"{TIMED[title]}: {what}", *(name.replace("_", " ") for name in systems))
        for name, by_system in curves.items():
            table.add_row(name, *(percent(reduce(getitem, keys, system)) for system in by_system.values()))
        out.print()
        out.print(table)
