"""Views of an analysis: a drawing and a table for people, JSON for programs."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from treewhile.incremental.constituents.bracketed_trees import on_lines
from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.nodes import LATER, Head, Virtual
from treewhile.oracles.constituents.phrase_trees import Leaf, Phrase, phrase_of
from treewhile.server.terminal.consoles import console, plain_table, print_if_it_fits, shown
from treewhile.server.terminal.drawings import draw_arcs, draw_brackets

ON_LATER = "…"


def show_analysis(analysis: Analysis) -> None:
    """Print a table of the nodes of an analysis, below its tree if that is not too wide."""
    out = console()
    if print_if_it_fits(out, draw_analysis(analysis)):
        out.print()
    out.print(_table(analysis))


def show_phrases(analysis: Analysis) -> None:
    """Print the phrases over the words, if they are not too wide, and a tree in brackets."""
    out = console()
    if print_if_it_fits(out, draw_brackets([*map(shown, analysis.words)], analysis.constituents)):
        out.print()
    out.print(Text(on_lines(phrase_tree(analysis))), soft_wrap=True)


def phrase_tree(analysis: Analysis) -> Phrase:
    """Return the tree of the constituents under a root, open ones up to the last word.

    Blanks in words become `_`.
    """
    forms = ("_".join(form.split()) for form in analysis.words)
    return phrase_of(analysis.constituents, [*map(Leaf, analysis.tags, forms)])


def draw_analysis(analysis: Analysis) -> str:
    """Draw the tree over the words, then the virtual nodes, then LATER if it is a head."""
    words, nodes = len(analysis.words), [expected.node for expected in analysis.expected]

    def place(head: Head) -> int:
        if isinstance(head, Virtual):
            return words + 1 + nodes.index(head)
        return words + 1 + len(nodes) if head == LATER else head

    heads = [*analysis.heads, *(expected.head for expected in analysis.expected)]
    forms = [*map(shown, analysis.words), *map(_name, nodes)]
    places: list[int | None] = [place(head) for head in heads]
    return draw_arcs([*forms, ON_LATER], [*places, None]) if LATER in heads else draw_arcs(forms, places)


def _name(node: Virtual) -> str:
    return f"[{node.tag}]"


def _table(analysis: Analysis) -> Table:
    table = plain_table()
    table.add_column("", justify="right", no_wrap=True)
    for name in ("word", "tag", "head", "label"):
        table.add_column(name, overflow="fold")
    rows = zip(analysis.words, analysis.tags, analysis.heads, analysis.labels, strict=True)
    for number, (form, tag, head, label) in enumerate(rows, 1):
        table.add_row(str(number), Text(shown(form)), tag, Text(_head(analysis, head)), label)
    for node, head, label in ((one.node, one.head, one.label) for one in analysis.expected):
        table.add_row("", Text(_name(node)), node.tag, Text(_head(analysis, head)), label)
    return table


def _head(analysis: Analysis, head: Head) -> str:
    if isinstance(head, Virtual):
        return _name(head)
    if head == LATER:
        return ON_LATER
    return f"{head} {shown(analysis.words[head - 1])}" if head else "root"


def as_json(analysis: Analysis, is_open: bool = False, with_constituents: bool = False) -> dict[str, Any]:
    """Return the analysis as values for JSON."""
    constituents = {"constituents": analysis.constituents} if with_constituents else {}
    return {
        "words": analysis.words,
        "tags": analysis.tags,
        "features": analysis.features,
        "heads": [_as_json(head) for head in analysis.heads],
        "labels": analysis.labels,
        "expected": [
            {**_node_as_json(one.node), "head": _as_json(one.head), "label": one.label}
            for one in analysis.expected
        ],
        "is_open": is_open,
        **constituents,
        **{name: column for name in ("lemmas", "xpos") if (column := getattr(analysis, name))},
    }


def _as_json(head: Head) -> int | str | dict[str, Any]:
    return _node_as_json(head) if isinstance(head, Virtual) else head


def _node_as_json(node: Virtual) -> dict[str, Any]:
    return {"virtual": node.number, "tag": node.tag}
