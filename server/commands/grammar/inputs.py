"""Arguments and options that the commands of grammars share, and the treebanks that they read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import closing
from itertools import islice
from typing import Final

import click
from rich.progress import MofNCompleteColumn

from treewhile.incremental import Model, Sentence
from treewhile.incremental.constraints import ConstraintSearcher, load_grammar, searcher_for
from treewhile.incremental.constraints.workbench.searched_sentences import SentenceSearch
from treewhile.incremental.parsers.parsed_treebank import parse_sentences
from treewhile.incremental.scores.evaluation import check_gold
from treewhile.oracles import InputError
from treewhile.server.commands.options import AT_LEAST_ONE
from treewhile.server.terminal.progress_bars import progress_bar, read_with_progress

AT_ONCE: Final = 32  # sentences that are parsed together

grammar_argument: Final = click.argument("grammar_name", metavar="GRAMMAR")
treebank_argument: Final = click.argument("source", metavar="TREEBANK")
needed_model_option: Final = click.option(
    "--model", "model_name", metavar="M", required=True, help="The model that parses: a name or a file."
)
limit_option: Final = click.option(
    "--limit", type=AT_LEAST_ONE, help="Take at most this many sentences, the first ones."
)


def read_gold(source: str, limit: int | None) -> list[Sentence]:
    """Return the sentences of a treebank, at most `limit`, each with a whole tree."""
    with closing(read_with_progress(source, "reading")) as sentences:
        gold = [*islice(sentences, limit)]
    if not gold:
        raise InputError(f"there are no sentences in {source}: name a treebank with some")
    check_gold(gold)
    return gold


def parsed(model: Model, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences with the best trees of a model, before any search."""
    found: list[Sentence] = []
    with progress_bar("parsing", len(sentences), MofNCompleteColumn()) as advance:
        for first in range(0, len(sentences), AT_ONCE):
            group = parse_sentences(model, sentences[first : first + AT_ONCE])
            found += group
            advance(len(group))
    return found


def searcher_under(model: Model, grammar_name: str | None) -> ConstraintSearcher:
    """Return the searcher under a grammar, or under that of the model's language.

    Standard error says so if the grammar leaves out how likely the model holds heads and labels.
    """
    if grammar_name is None:
        return searcher_for(model)
    searcher = ConstraintSearcher(model, load_grammar(grammar_name))
    if not searcher.weighs_probabilities:
        what = f"the grammar {grammar_name} leaves out how likely the model holds heads or labels"
        click.echo(f"treewhile: {what}, so most trees get worse: include predictors", err=True)
    return searcher


def search_of(model: Model, grammar_name: str | None, milliseconds: float | None = None) -> SentenceSearch:
    """Return the search for the trees of sentences, each for some milliseconds, or until it is settled."""
    seconds = math.inf if milliseconds is None else milliseconds / 1000
    return SentenceSearch(model, searcher_under(model, grammar_name), seconds)
