"""Tables of numbers of trees by class, and drawings of sentences outside of classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from treewhile.incremental import Sentence
from treewhile.incremental.treebanks.classified_treebank import CLASSES, DEGREES, ClassCounts, Example
from treewhile.server.terminal.consoles import console, percent, print_if_it_fits, shown, table_of
from treewhile.server.terminal.drawings import draw_arcs

# Time to find the best tree by arc scores, without pruning.
TIMES: Final = {
    "is_projective": "n³",
    "is_gap_minding": "n⁵",
    "is_1_inherit": "n⁶",
    "is_mild": "n⁷",
    "is_1_endpoint_crossing": "n⁴",
    "is_mh4": "n⁴",
}
LABELS: Final = {
    "is_1_inherit": "1-Inherit",
    "is_1_endpoint_crossing": "1-endpoint-crossing",
    "is_mild": "mildly non-projective",
    "is_mh4": "MH4",
}
# From the narrowest class on; classes without a decoder are last.
ORDER: Final = (*TIMES, *(name for name in CLASSES if name not in TIMES))
ALL_TREES: Final = ("all trees", "n²")
FIRST_COLUMNS: Final = 32  # width of the columns before the files


def label(name: str) -> str:
    """Return the name of an attribute in tables."""
    return LABELS.get(name, name.removeprefix("is_").replace("_", "-"))


# --- table --------------------------------------------------------------------------------------------------


def show_counts(counts: Mapping[str, ClassCounts]) -> None:
    """Print the share of trees in each class for each file, with as many files in a table as fit."""
    out = console()
    for number, names in enumerate(_groups([*counts], out.width - FIRST_COLUMNS)):
        if number:
            out.print()
        out.print(_table({name: counts[name] for name in names}))


def _groups(names: Sequence[str], width: int) -> Iterator[list[str]]:
    """Yield the names in groups that fit the width, if possible."""
    group: list[str] = []
    for name in names:
        if group and sum(cell_len(one) + 2 for one in (*group, name)) > width:
            yield group
            group = []
        group.append(name)
    yield group


def _table(counts: Mapping[str, ClassCounts]) -> Table:
    table = table_of("trees in % that are", "time", *counts)
    for name in ORDER:
        shares = (_share(one.of_class(name), one) for one in counts.values())
        table.add_row(label(name), TIMES.get(name, ""), *shares)
    table.add_row(*ALL_TREES, *(_share(one.trees, one) for one in counts.values()), end_section=True)
    for name in DEGREES:
        _add_degrees(table, name, [*counts.values()])
    table.add_section()
    table.add_row("trees", "", *(f"{one.trees:,}" for one in counts.values()))
    return table


def _add_degrees(table: Table, name: str, counts: Sequence[ClassCounts]) -> None:
    """Add a row for each degree above 0 that occurs."""
    trees = [one.of_degree(name) for one in counts]
    for degree in sorted({degree for found in trees for degree in found if degree}):
        shares = (_share(found.get(degree, 0), one) for found, one in zip(trees, counts, strict=True))
        table.add_row(f"of {name.replace('_', ' ')} {degree}", "", *shares)


def _share(number: int, counts: ClassCounts) -> str:
    return percent(number / counts.trees if counts.trees else None)


# --- examples -----------------------------------------------------------------------------------------------


class Edge(NamedTuple):
    """Edge between two words, or between the root and a word."""

    head: int
    dependent: int

    def crosses(self, other: Edge) -> bool:
        (left, right), (other_left, other_right) = sorted([sorted(self), sorted(other)])
        return left < other_left < right < other_right


def show_example(example: Example) -> None:
    """Print the place and the classes of a sentence, and its drawing if that is not too wide."""
    out = console()
    sentence = example.sentence
    out.print(Text(f"{sentence.file_name}:{sentence.first_row_line}", "bold"), soft_wrap=True)
    out.print(Text(_description(example)), soft_wrap=True)
    if not print_if_it_fits(out, draw_arcs([shown(word.form) for word in sentence.words], sentence.heads)):
        _tell_crossings(out, sentence)
    out.print()


def _description(example: Example) -> str:
    outside = [f"not {label(name)}" for name in ORDER if not getattr(example.classes, name)]
    degrees = [f"{name.replace('_', ' ')} {getattr(example.classes, name)}" for name in DEGREES]
    return f"{', '.join(outside)}; {', '.join(degrees)}"


def _tell_crossings(out: Console, sentence: Sentence) -> None:
    """Print the pairs of edges that cross, for a sentence whose drawing is too wide."""
    names = ["root", *(f"{shown(word.form)} {number}" for number, word in enumerate(sentence.words, 1))]
    edges = [Edge(head or 0, number) for number, head in enumerate(sentence.heads, 1)]
    for one, other in combinations(edges, 2):
        if one.crosses(other):
            first, second = (f"{names[edge.head]} → {names[edge.dependent]}" for edge in (one, other))
            out.print(Text(f"  {first} crosses {second}"))
