"""The command `treewhile grammar tune`: penalties of a grammar that fit a treebank."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

import click
from rich.progress import MofNCompleteColumn

from treewhile.incremental import Sentence, open_output
from treewhile.incremental.constraints import Grammar, find_mistakes, known_names, load_grammar
from treewhile.incremental.constraints.search.searcher import grammar_name_for
from treewhile.incremental.constraints.workbench.tuning import LONGEST, Tuner
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.oracles import InputError
from treewhile.server.commands import BadData
from treewhile.server.commands.grammar.inputs import (
    limit_option,
    needed_model_option,
    read_gold,
    treebank_argument,
)
from treewhile.server.commands.options import defaulted_option, json_option
from treewhile.server.terminal.progress_bars import progress_bar


@click.command()
@treebank_argument
@needed_model_option
@click.option(
    "--grammar",
    "grammar_name",
    metavar="G",
    help="Grammar to tune: a name or a file.  [default: that of M's language]",
)
@click.option("--out", "target", default="-", help="File to write; standard output by default.")
@defaulted_option("--passes", click.IntRange(1, 100), 1, "Passes over the treebank.")
@defaulted_option("--seed", int, 1, "Seed for drawing prefixes.")
@limit_option
@json_option("Print the scores as JSON, on standard error.")
def command(
    source: str,
    model_name: str,
    grammar_name: str | None,
    target: str,
    passes: int,
    seed: int,
    limit: int | None,
    as_json: bool,
) -> None:
    """Tune the penalties of a grammar on TREEBANK, for searching with the model M.

    Sentences and some of their prefixes are analysed: constraints that the best trees found break more often
    than gold trees become harder, and those that gold trees break more often become softer. Penalties that
    are 0 or computed stay. Every second sentence is held out; the share of words in its prefixes that come
    out right is told for the old penalties and for the new ones, and if the new ones score worse nothing is
    written, and the exit code is 1. Sentences of more than 40 words are left out. Use a treebank that the
    model was not trained on: on its own it hardly makes a mistake.

    The output consists of `penalty` items, to be put after the grammar in a file of your own:

    \b
    Examples:
      treewhile grammar tune dev.conllu --model en --out tuned.constraints
      (echo include english; cat tuned.constraints) > mine.constraints
    """
    gold, model = read_gold(source, limit), load_model(model_name)
    grammar_name = grammar_name or grammar_name_for(model)
    grammar = load_grammar(grammar_name)
    used = [sentence for sentence in gold if not Tuner.is_left_out(sentence)]
    learnt, held_out = used[::2], used[1::2]
    if not held_out:
        what = f"there are {len(used)} sentences of at most {LONGEST} words in {source}"
        raise InputError(f"{what}, and tuning needs two: one is held out")
    for mistake in find_mistakes(grammar_name, known_names(model)):
        place = f"{mistake.file}:{mistake.line}:{mistake.column}"
        click.echo(f"perhaps a mistake: {mistake.message}, at {place}", err=True)
    tuner = Tuner(model, grammar, seed)
    _learn(tuner, learnt, passes)
    figures = {
        "learnt": len(learnt),
        "held_out": len(held_out),
        "left_out": len(gold) - len(used),
        "before": _share(tuner, held_out, False),
        "after": _share(tuner, held_out, True),
    }
    _tell(figures, as_json)
    if figures["after"] < figures["before"]:
        raise BadData("the tuned penalties score worse, so nothing was written: give more sentences")
    with open_output(target) as output:
        output.write(_items(grammar, tuner.penalties, model_name, source))


def _learn(tuner: Tuner, sentences: Sequence[Sentence], passes: int) -> None:
    with progress_bar("tuning", passes * len(sentences), MofNCompleteColumn()) as advance:
        for _ in range(passes):
            for sentence in sentences:
                tuner.learn(sentence)
                advance(1)


def _share(tuner: Tuner, sentences: Sequence[Sentence], with_penalties: bool) -> float:
    """Return the share of correct words."""
    counts: Counter[str] = Counter()
    with progress_bar("scoring", len(sentences), MofNCompleteColumn()) as advance:
        for sentence in sentences:
            counts += tuner.score(sentence, with_penalties)
            advance(1)
    return counts["right"] / max(counts["words"], 1)


def _items(grammar: Grammar, penalties: dict[str, float], model: str, source: str) -> str:
    """Return the changed penalties as items of the grammar language."""
    before = {constraint.name: constraint.penalty for constraint in grammar.constraints}
    items = [
        f"penalty {json.dumps(name, ensure_ascii=False)} {penalty:g}\n"
        for name, penalty in penalties.items()
        if penalty != before[name]
    ]
    return (
        f"# penalties of {grammar.name}, tuned for {model} on every second sentence of {source}\n"
        + "".join(items)
    )


def _tell(figures: dict[str, float], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(figures), err=True)
        return
    learnt, held_out, left_out = (int(figures[name]) for name in ("learnt", "held_out", "left_out"))
    click.echo(f"sentences: {learnt} learnt from, {held_out} held out, {left_out} too long", err=True)
    for when in ("before", "after"):
        click.echo(f"words right {when} tuning: {figures[when]:.2%}", err=True)
