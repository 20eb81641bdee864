"""The command `treewhile grammar explain`: why a search finds a tree, and not another one."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import click
from rich.table import Table
from rich.text import Text

from treewhile.incremental import Sentence
from treewhile.incremental.constraints import Grammar, load_grammar
from treewhile.incremental.constraints.machine.costs import COST_OF_E, HARD
from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.constraints.search.trees import Tree, tree_of
from treewhile.incremental.constraints.workbench.differences import TAGS, settled_result
from treewhile.incremental.constraints.workbench.explanations import (
    GREATEST,
    PenaltyChange,
    TaggedTree,
    compared,
    costs_of,
    smallest_change,
    tree_in,
)
from treewhile.incremental.constraints.workbench.searched_sentences import request_of, whole_parse
from treewhile.incremental.constraints.workbench.silences import Silence, silences
from treewhile.incremental.parsers.analyses import Analysis, Decision
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.oracles import InputError
from treewhile.server.commands.grammar.diff import edge_text
from treewhile.server.commands.grammar.inputs import (
    grammar_argument,
    needed_model_option,
    read_gold,
    searcher_under,
    treebank_argument,
)
from treewhile.server.commands.options import AT_LEAST_ONE, json_option
from treewhile.server.terminal.consoles import console, plain_table, shown

MOST_SILENCES = 5  # shown to people


@click.command()
@grammar_argument
@treebank_argument
@click.option("--sentence", "number", type=AT_LEAST_ONE, required=True, help="Which sentence, from 1 on.")
@needed_model_option
@click.option(
    "--other",
    metavar="PARSE",
    help="A treebank of the same sentences, with the tree to compare.  [default: TREEBANK]",
)
@click.option("--why-not", "silent", metavar="CONSTRAINT", help="Tell why this constraint is not broken.")
@json_option("Print one JSON object.")
def command(
    grammar_name: str,
    source: str,
    number: int,
    model_name: str,
    other: str | None,
    silent: str | None,
    as_json: bool,
) -> None:
    """Explain why the search under GRAMMAR finds a tree for a sentence of TREEBANK, and not the gold tree.

    The two trees stand side by side, with what each constraint costs them: the negative natural logarithms
    of penalties, which add up. Then it says whether the search has shown that no tree costs less than the one
    found: it does not try all, so it may not know. Last comes a small change of penalties with which the
    search finds the other tree, confirmed by a search; penalties that are 0 or computed stay.

    With --why-not, there are the edges of the tree that was found for which the constraint comes closest to
    being broken, each with the first of its conditions that fails.

    \b
    Examples:
      treewhile grammar explain general dev.conllu --sentence 12 --model af
      treewhile grammar explain mine.constraints dev.conllu --sentence 12 --model af --why-not "det left"
    """
    grammar, model = load_grammar(grammar_name), load_model(model_name)
    sentence, compared_with = (_sentence(one, number) for one in (source, other or source))
    if [word.form for word in sentence.words] != [word.form for word in compared_with.words]:
        raise InputError(f"sentence {number} of {other} has other words: give parses of the same sentences")
    searcher, request = searcher_under(model, grammar_name), request_of(model, whole_parse(model, sentence))
    result = settled_result(searcher, request)
    found = result.analysis
    situation = searcher.situation(request, found)
    if silent is not None:
        constraint = _named(grammar, silent)
        names = [situation.program.labels[0], *found.labels]
        heads = tree_of(situation, found).heads
        _tell_silences(silences(situation, constraint, heads, names), sentence, silent, as_json)
        return
    other_tree = _tree(situation, compared_with)
    one = TaggedTree(situation, tree_of(situation, found))
    other_one = TaggedTree(searcher.situation_of(request, other_tree), other_tree)
    trees = Trees(sentence, found, compared_with, one, other_one, result.is_proven)
    change = smallest_change(model, grammar, request, other_tree)
    if as_json:
        click.echo(json.dumps(_figures(trees, change), ensure_ascii=False))
    else:
        _show(trees, change)


class Trees(NamedTuple):
    """Tree that was found, and another one."""

    sentence: Sentence
    found: Analysis
    compared_with: Sentence
    one: TaggedTree
    other: TaggedTree
    is_proven: bool


def _sentence(source: str, number: int) -> Sentence:
    found = [*islice(read_gold(source, number), number - 1, number)]
    if not found:
        raise InputError(f"there is no sentence {number} in {source}: it has fewer")
    return found[0]


def _named(grammar: Grammar, name: str) -> Any:
    if name not in grammar.numbers:
        raise InputError(f"the grammar {grammar.name} has no constraint {name!r:.60}: correct the name")
    return grammar.constraints[grammar.numbers[name]]


def _tree(situation: Situation, sentence: Sentence) -> Tree:
    unknown = {word.deprel for word in sentence.words} - {*situation.program.labels}
    if unknown:
        raise InputError(f"the model lacks the label {min(unknown)!r:.40} of the other tree")
    heads, labels = zip(*((int(word.head), word.deprel) for word in sentence.words), strict=True)
    return tree_in(situation, heads, labels)


# --- two trees ----------------------------------------------------------------------------------------------


def _rows(trees: Trees) -> Iterator[tuple[str, str, str, str]]:
    """Yield a row for each word: both edges, with tags where these differ, and a mark where edges do."""
    columns = zip(trees.sentence.words, trees.found.decisions, trees.compared_with.words, strict=True)
    for number, (word, decision, other) in enumerate(columns, 1):
        their = Decision(int(other.head), other.deprel)
        mark = "" if decision == their else "*"
        one, another = edge_text(decision, trees.sentence), edge_text(their, trees.sentence)
        tags = [tree.situation.tags[number - 1] for tree in (trees.one, trees.other)]
        if tags[0] != tags[1]:
            one, another, mark = f"{one} as {tags[0]}", f"{another} as {tags[1]}", "*"
        yield (f"{number} {shown(word.form)}", one, another, mark)


def _show(trees: Trees, change: Sequence[PenaltyChange] | None) -> None:
    out, words, costs = console(), plain_table(), plain_table()
    for name in ("word", "found", "other", ""):
        words.add_column(name, overflow="fold")
    for row in _rows(trees):
        words.add_row(*map(Text, row))
    out.print(words)
    _add_costs(costs, trees)
    out.print()
    out.print(costs)
    out.print()
    out.print(Text(_bound(trees)), soft_wrap=True)
    for line in _change_lines(change, _total(trees.other) - _total(trees.one)):
        out.print(Text(line), soft_wrap=True)


def _add_costs(table: Table, trees: Trees) -> None:
    for name in ("constraint", "penalty", "found:\nconflicts", "\ncost", "other:\nconflicts", "\ncost"):
        table.add_column(name, justify="left" if name == "constraint" else "right", overflow="fold")
    for constraint, counts, costs in compared(trees.one, trees.other):
        penalty = f"{constraint.penalty:g}" if isinstance(constraint.penalty, float) else "computed"
        numbers = [cell for pair in zip(map(str, counts), map(_cost, costs), strict=True) for cell in pair]
        table.add_row(*map(Text, [shown(constraint.name), penalty, *numbers]))
    of_tags = [costs_of(*tree).of_tags for tree in (trees.one, trees.other)]
    if any(of_tags):
        table.add_row(TAGS, "", "", _cost(of_tags[0]), "", _cost(of_tags[1]))
    table.add_row("all", "", "", _cost(_total(trees.one)), "", _cost(_total(trees.other)))


def _cost(cost: float) -> str:
    return "hard" if cost * COST_OF_E >= HARD else f"{cost:.3f}"


def _total(tree: TaggedTree) -> float:
    return costs_of(*tree).total


def _bound(trees: Trees) -> str:
    """Return whether some tree is better than the one found."""
    if trees.is_proven:
        return "no tree costs less than the one found, as the search has shown"
    if _total(trees.other) < _total(trees.one):
        return "the other tree costs less: the search has missed it"
    return "the search has settled, but has not shown that no tree costs less than the one found"


def _change_lines(change: Sequence[PenaltyChange] | None, more: float) -> Iterator[str]:
    if change is None:
        yield "no change of constant penalties was found with which the search finds the other tree"
        if GREATEST > more > 0:
            what = "it would need a constraint that only the tree found breaks"
            yield f"{what}, with a penalty below {math.exp(-more):.2g}"
    elif not change:
        yield "the search finds the other tree already"
    else:
        yield "with these penalties the search finds the other tree, as a search has confirmed:"
        for name, before, after in change:
            yield f"  penalty {json.dumps(name, ensure_ascii=False)} {after:g}  # was {before:g}"


def _figures(trees: Trees, change: Sequence[PenaltyChange] | None) -> dict[str, Any]:
    def side(tagged: TaggedTree, place: int) -> dict[str, Any]:
        situation, tree = tagged
        return {
            "heads": tree.heads[1:],
            "labels": [situation.program.labels[label] for label in tree.labels[1:]],
            "tags": situation.tags,
            "cost": _total(tagged),
            "cost_of_tags": costs_of(*tagged).of_tags,
            "conflicts": {
                constraint.name: {"count": counts[place], "cost": costs[place]}
                for constraint, counts, costs in compared(trees.one, trees.other)
            },
        }

    return {
        "words": trees.found.words,
        "found": side(trees.one, 0),
        "other": side(trees.other, 1),
        "proven": trees.is_proven,
        "change": None if change is None else [one._asdict() for one in change],
    }


# --- silent constraints -------------------------------------------------------------------------------------


def _tell_silences(found: Sequence[Silence], sentence: Sentence, name: str, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"constraint": name, "edges": [one._asdict() for one in found]}))
        return
    if not found:
        click.echo(f"{shown(name)!r} has no edges here: the tree has none in its relation")
    for silence in found[:MOST_SILENCES]:
        words = " and ".join(f"{word} {shown(sentence.words[word - 1].form)}" for word in silence.words)
        values = ", ".join(f"{text} is {value}" for text, value in silence.values.items())
        why = f"fails at {silence.condition}" + (f" ({values})" if values else "")
        click.echo(f"{words}: {why if silence.condition else 'broken'}")
    if len(found) > MOST_SILENCES:
        click.echo(f"and {len(found) - MOST_SILENCES} more, which --json lists")
