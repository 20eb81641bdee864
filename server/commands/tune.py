"""The command `treewhile tune`: penalties of a grammar that fit a treebank."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import closing

import click
from rich.progress import MofNCompleteColumn

from treewhile.incremental import Sentence, open_output
from treewhile.incremental.constraints import Grammar, find_mistakes, known_names, load_grammar
from treewhile.incremental.constraints.search.tuning import Tuner
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.scores.evaluation import check_gold
from treewhile.oracles import InputError
from treewhile.server.commands.options import defaulted_option, json_option
from treewhile.server.terminal.progress_bars import progress_bar, read_with_progress


@click.command()
@click.argument("name", metavar="MODEL")
@click.argument("source", metavar="FILE")
@defaulted_option("--grammar", None, "english", "Grammar to tune: a name or a file.", "grammar_name")
@click.option("--out", "target", default="-", help="File to write; standard output by default.")
@defaulted_option("--passes", click.IntRange(1, 100), 1, "Passes over the treebank.")
@defaulted_option("--seed", int, 1, "Seed for drawing prefixes.")
@json_option("Print the scores as JSON, on standard error.")
def command(
    name: str, source: str, grammar_name: str, target: str, passes: int, seed: int, as_json: bool
) -> None:
    """Tune the penalties of a grammar on the treebank FILE, for searching with MODEL.

    Sentences and some of their prefixes are analysed: constraints that prevent mistakes become harder, and
    those that gold trees break become softer. Every second sentence is held out; the share of words in its
    prefixes that come out right is reported for the old penalties and for the new ones. Use a treebank that
    the model was not trained on: on its own it hardly makes a mistake.

    The output consists of `penalty` items, to be put after the grammar in a file of your own:

    \b
      treewhile tune en dev.conllu --grammar english --out tuned.constraints
      (echo include english; cat tuned.constraints) > mine.constraints
    """
    grammar = load_grammar(grammar_name)
    with closing(read_with_progress(source, "reading")) as sentences:
        gold = list(sentences)
    check_gold(gold)
    if len(gold) < 2:
        raise InputError(f"there is one sentence in {source}, and tuning needs two: one is held out")
    model = load_model(name)
    for mistake in find_mistakes(grammar_name, known_names(model)):
        place = f"{mistake.file}:{mistake.line}:{mistake.column}"
        click.echo(f"perhaps a mistake: {mistake.message}, at {place}", err=True)
    tuner = Tuner(model, grammar, seed)
    _learn(tuner, gold[::2], passes)
    scores = {"before": _share(tuner, gold[1::2], False), "after": _share(tuner, gold[1::2], True)}
    with open_output(target) as output:
        output.write(_items(grammar, tuner.penalties, name, source))
    _tell(scores, as_json)


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


def _tell(scores: dict[str, float], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(scores), err=True)
        return
    for when, share in scores.items():
        click.echo(f"words right {when} tuning: {share:.2%}", err=True)
