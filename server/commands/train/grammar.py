"""The command `treewhile train grammar`: a grammar and its taggers, from bracketed trees."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import click
from rich.progress import MofNCompleteColumn

from treewhile.incremental.constituents.binarization import Binarization
from treewhile.incremental.constituents.chart_constraints import OperatingPoints
from treewhile.incremental.constituents.chart_tagger_training import STEPS, learnt_taggers
from treewhile.incremental.constituents.grammar_models import GrammarModel, write_grammar_model
from treewhile.incremental.constituents.grammar_phrases import FLAT
from treewhile.incremental.constituents.operating_points import (
    LINEAR,
    THRESHOLDS,
    USUAL,
    Trial,
    chosen_points,
)
from treewhile.incremental.constituents.treebank_grammars import read_grammar
from treewhile.oracles.constituents.phrase_trees import Phrase
from treewhile.server.commands.options import chosen_option
from treewhile.server.commands.train.files import check_place, phrases_to_learn, phrases_to_score
from treewhile.server.commands.train.options import dev_option, out_option, seed_option, train_option
from treewhile.server.commands.train.shown_runs import size_of
from treewhile.server.terminal.progress_bars import progress_bar

ORDERS: Final = ("0", "1", "2")  # of the Markov model


@click.command()
@train_option
@dev_option("Bracketed trees to score the grammar on.")
@out_option
@chosen_option("--binarization", ("right", "left"), "right", "The side on which rules become binary.", "side")
@chosen_option("--markov", ORDERS, "2", "How many children an incomplete symbol names.")
@click.option("--parents", "with_parents", is_flag=True, help="Let phrases name the ones above them.")
@chosen_option("--tag-order", ORDERS, "1", "Markov order of the taggers of begins, ends and single words.")
@seed_option
def command(
    train: tuple[str, ...],
    dev: str,
    out: Path,
    side: Literal["left", "right"],
    markov: str,
    with_parents: bool,
    tag_order: str,
    seed: int,
) -> None:
    """Learn a grammar of phrases from the bracketed trees of A, and write it to M.

    M is a grammar, with taggers of the words that begin or end constituents of several words or have a phrase
    over them alone, which close cells of its charts: a text that people can read, compressed if its name ends
    in .gz. How sure the taggers have to be is chosen by the agreement with B. That takes a few minutes.

    \b
    Examples:
      treewhile train grammar --train gum-train.ptb --dev gum-dev.ptb --out gum.grammar
    """
    check_place(out.with_suffix("") if out.suffix == ".gz" else out)
    sentences, gold = phrases_to_learn(train), phrases_to_score(dev)
    with progress_bar("learning taggers", STEPS, MofNCompleteColumn()) as advance:
        taggers, accuracy = learnt_taggers(sentences, gold, int(tag_order), seed, advance)
    click.echo("right tags: " + "  ".join(f"{name} {share:.2f}" for name, share in accuracy.items()))
    grammar = read_grammar(sentences, Binarization(side, int(markov), with_parents))
    model = GrammarModel(grammar, taggers, OperatingPoints(linear=LINEAR[side]), USUAL)
    symbols, rules = len(grammar.grammar.symbols), len(grammar.rules)
    click.echo(f"grammar: {symbols:,} symbols, {rules:,} rules, binary on the {side}")
    points = _points(model, gold)
    write_grammar_model(out, GrammarModel(grammar, taggers, points, USUAL))
    click.echo(f"{size_of(out)}  threshold {points.ghp:g}")


def _points(model: GrammarModel, gold: list[Phrase]) -> OperatingPoints:
    """Return the operating points that agree best with trees; print the points that were tried."""
    with progress_bar("choosing thresholds", len(THRESHOLDS) * len(gold), MofNCompleteColumn()) as advance:
        points, tried = chosen_points(model, gold, advance)
    for threshold, found in tried.items():
        click.echo(f"{'+'.join(USUAL)}, threshold {threshold:g}: {_told(found)}")
    return points


def _told(found: Trial) -> str:
    shares = "  ".join(f"{name} {100 * share:.2f}" for name, share in found.scores.brackets.shares().items())
    return f"agreement {shares}, {found.words_per_second:,.0f} words/s, {found.outcomes.count(FLAT)} flat"
