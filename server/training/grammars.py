"""Training of a grammar and its taggers on bracketed trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

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
from treewhile.incremental.constituents.plain_phrases import plain_tree
from treewhile.incremental.constituents.treebank_grammars import read_grammar
from treewhile.oracles.constituents.phrase_trees import Phrase
from treewhile.oracles.errors import InputError
from treewhile.server.terminal.progress_bars import progress_bar, read_phrases_with_progress
from treewhile.server.training.places import check_place
from treewhile.server.training.shown_runs import size_of


@dataclass(frozen=True)
class GrammarOrder:
    """Order to train a grammar: the treebanks, its form, the file of the result, and settings."""

    train: Sequence[str]
    dev: str
    out: Path
    form: Binarization
    tag_order: int
    seed: int


def train_grammar(order: GrammarOrder) -> None:
    """Write a grammar and taggers learnt from trees, with the thresholds that are best on other trees."""
    check_place(order.out.with_suffix("") if order.out.suffix == ".gz" else order.out)
    sentences = [
        tree for source in order.train for tree in plain_phrases(source, "reading what to learn from")
    ]
    gold = plain_phrases(order.dev, "reading what to score on")
    with progress_bar("learning taggers", STEPS, MofNCompleteColumn()) as advance:
        taggers, accuracy = learnt_taggers(sentences, gold, order.tag_order, order.seed, advance)
    click.echo("right tags: " + "  ".join(f"{name} {share:.2f}" for name, share in accuracy.items()))
    grammar = read_grammar(sentences, order.form)
    side = order.form.side
    model = GrammarModel(grammar, taggers, OperatingPoints(linear=LINEAR[side]), USUAL)
    symbols, rules = len(grammar.grammar.symbols), len(grammar.rules)
    click.echo(f"grammar: {symbols:,} symbols, {rules:,} rules, binary on the {side}")
    with progress_bar("choosing thresholds", len(THRESHOLDS) * len(gold), MofNCompleteColumn()) as advance:
        points, tried = chosen_points(model, gold, advance)
    for threshold, found in tried.items():
        click.echo(f"{'+'.join(USUAL)}, threshold {threshold:g}: {_told(found)}")
    write_grammar_model(order.out, GrammarModel(grammar, taggers, points, USUAL))
    click.echo(f"{size_of(order.out)}  threshold {points.ghp:g}")


def plain_phrases(source: str, task: str) -> list[Phrase]:
    """Return the plain trees of a treebank; raise InputError if there are none."""
    trees = [plain_tree(tree).phrase for tree in read_phrases_with_progress(source, task)]
    if not trees:
        raise InputError(f"{source} has no trees: give another file")
    return trees


def _told(found: Trial) -> str:
    shares = "  ".join(f"{name} {100 * share:.2f}" for name, share in found.scores.brackets.shares().items())
    return f"agreement {shares}, {found.words_per_second:,.0f} words/s, {found.outcomes.count(FLAT)} flat"
