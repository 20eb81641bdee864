"""The command `treewhile grammar new`: a first grammar from a treebank."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.progress import MofNCompleteColumn

from treewhile.incremental import Sentence, open_output
from treewhile.incremental.constraints import ConstraintSearcher, parse_grammar
from treewhile.incremental.constraints.workbench.differences import gold_decisions, is_right
from treewhile.incremental.constraints.workbench.first_grammars import grammar_text_of, rules_of
from treewhile.incremental.constraints.workbench.searched_sentences import SentenceSearch
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.server.commands.grammar.inputs import limit_option, read_gold, treebank_argument
from treewhile.server.commands.options import json_option
from treewhile.server.terminal.progress_bars import progress_bar

HELD_OUT = 10  # one sentence of so many is held out
MOST_HELD_OUT = 200  # sentences


@click.command()
@click.argument("language", metavar="LANGUAGE")
@treebank_argument
@click.option("--out", "target", default="-", help="File to write; standard output by default.")
@click.option("--model", "model_name", metavar="M", help="Score the grammar on sentences that are held out.")
@limit_option
@json_option("Print figures as JSON, on standard error.")
def command(
    language: str, source: str, target: str, model_name: str | None, limit: int | None, as_json: bool
) -> None:
    """Write a first grammar of LANGUAGE, which is any name, from TREEBANK: to be read and edited.

    It has constraints on word order, distances, agreement, uniqueness and valency by relation, each
    with how many cases of it there are and how many break it, an edge that keeps it and an exception. The
    penalty is the share of exceptions to the power of 0.3.

    With --model every tenth sentence is held out, and the share of words that come out right there is told:
    in the best parses of M, and after a search under general and under the new grammar. Take a treebank that
    M was not trained on.

    \b
    Examples:
      treewhile grammar new Afrikaans train.conllu --out afrikaans.constraints
      treewhile grammar new Dutch dev.conllu --model nl --out dutch.constraints
    """
    gold = read_gold(source, limit)
    held_out = gold[::HELD_OUT] if model_name is not None and len(gold) > 1 else []
    learnt = [one for number, one in enumerate(gold) if not held_out or number % HELD_OUT]
    with progress_bar("counting", 2 * len(learnt), MofNCompleteColumn()) as advance:
        rules = rules_of(learnt, advance)
    text = grammar_text_of(rules, language, Path(source).name, len(learnt))
    figures: dict[str, Any] = {"sentences": len(learnt), "constraints": len(rules)}
    if model_name is not None and held_out:
        figures |= {"held_out": len(held_out), **_scores(model_name, text, held_out[:MOST_HELD_OUT])}
    with open_output(target) as output:
        output.write(text)
    if as_json:
        click.echo(json.dumps(figures), err=True)
    else:
        for line in _lines(figures):
            click.echo(line, err=True)


def _scores(model_name: str, text: str, sentences: Sequence[Sentence]) -> dict[str, float]:
    """Return the shares of words with their gold heads and labels, by what was searched under."""
    model = load_model(model_name)
    searchers = {"parser": None, "general": "include general", "new": text}
    scores = {}
    with progress_bar("scoring", len(searchers) * len(sentences), MofNCompleteColumn()) as advance:
        for name, grammar in searchers.items():
            searcher = None if grammar is None else ConstraintSearcher(model, parse_grammar(grammar))
            scores[name] = _share_right(SentenceSearch(model, searcher), sentences)
            advance(len(sentences))
    return scores


def _share_right(search: SentenceSearch, sentences: Sequence[Sentence]) -> float:
    found = search.analyses(sentences)
    right = [
        is_right(*pair)
        for analysis, sentence in zip(found, sentences, strict=True)
        for pair in zip(analysis.decisions, gold_decisions(sentence), strict=True)
    ]
    return sum(right) / len(right)


def _lines(figures: dict[str, Any]) -> list[str]:
    lines = [f"{figures['constraints']} constraints from {figures['sentences']:,} sentences"]
    if "new" in figures:
        shares = ", ".join(f"{name} {figures[name]:.2%}" for name in ("parser", "general", "new"))
        lines.append(f"words right in {figures['held_out']} sentences held out: {shares}")
    return lines
