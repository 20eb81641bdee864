"""The command `treewhile constituents`: training, use and scoring of phrase parsers."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Final, Literal

import click

from treewhile.server.commands.options import (
    AT_LEAST_ONE,
    FEW,
    chosen_option,
    defaulted_option,
    json_option,
)

ORDERS: Final = ("0", "1", "2")  # of the Markov model
OF_NETWORKS: Final = ("licence", "epochs", "threads")
OF_GRAMMARS: Final = ("side", "markov", "with_parents", "tag_order")


@click.group()
def command() -> None:
    """Train, run and score parsers of phrases.

    \b
    Examples:
      treewhile constituents score gold.ptb parsed.ptb
    """


@command.command()
@click.option("--train", "sources", metavar="A", multiple=True, required=True, help="Trees to learn from.")
@click.option("--dev", metavar="B", required=True, help="Trees to score the model on.")
@click.option("--out", metavar="M", required=True, type=click.Path(path_type=Path), help="The model's file.")
@click.option("--network", metavar="P", help="Model to add scores of spans to: a name or a file.")
@click.option("--licence", help="Licence of the trees, recorded in the model.")
@click.option("--epochs", type=AT_LEAST_ONE, help="Number of passes; 16 by default.")
@chosen_option("--binarization", ("right", "left"), "right", "The side on which rules become binary.", "side")
@chosen_option("--markov", ORDERS, "2", "How many children an incomplete symbol names.")
@click.option("--parents", "with_parents", is_flag=True, help="Let phrases name the ones above them.")
@chosen_option("--tag-order", ORDERS, "1", "Markov order of the taggers of begins, ends and single words.")
@defaulted_option("--seed", int, 1, "Random seed; another one gives another model.")
@defaulted_option("--threads", FEW, 1, "How many threads compute; with others, the numbers differ.")
def train(
    sources: tuple[str, ...],
    dev: str,
    out: Path,
    network: str | None,
    licence: str | None,
    epochs: int | None,
    side: Literal["left", "right"],
    markov: str,
    with_parents: bool,
    tag_order: str,
    seed: int,
    threads: int,
) -> None:
    """Learn phrases from the bracketed trees of A, and write the model to M.

    M is a grammar, with taggers of the words that begin or end constituents of several words or have a phrase
    over them alone, which close cells of its charts: a text that people can read, compressed if its name ends
    in .gz. How sure the taggers have to be is chosen by the agreement with B. That takes a few minutes.

    With --network, M is the unchanged model P with additional scores of spans, which are learnt from the
    states of P, those of unfinished sentences included. Training takes some minutes and 2 GB, and needs the
    extra `train`.

    \b
    Examples:
      treewhile constituents train --train gum-train.ptb --dev gum-dev.ptb --out gum.grammar
      treewhile constituents train --network en --train gum-train.ptb --dev gum-dev.ptb --out en.safetensors
    """
    from treewhile.server.training.given_options import refuse

    if network is None:
        from treewhile.incremental.constituents.binarization import Binarization
        from treewhile.server.training.grammars import GrammarOrder, train_grammar

        refuse(OF_NETWORKS, "--network alone", "goes")
        form = Binarization(side, int(markov), with_parents)
        train_grammar(GrammarOrder(sources, dev, out, form, int(tag_order), seed))
        return
    from treewhile.server.training.spans import SpanOrder, train_spans

    refuse(OF_GRAMMARS, "a grammar, not with --network", "goes")
    train_spans(SpanOrder(network, sources, dev, out, licence, epochs, seed, threads))


@command.command()
@click.option("--model", "name", metavar="M", required=True, help="The name or the file of a model.")
@click.option(
    "--constraints",
    metavar="NAMES",
    help="What closes cells: none, ghp, hp, quad, linear, unary, or some with +.  [default: that of M]",
)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
def parse(name: str, constraints: str | None, source: str, target: str) -> None:
    """Find the phrases of the sentences of IN, and write their trees to OUT.

    IN has plain words, one sentence a line, or bracketed trees, whose words and tags are kept; either is
    compressed if its name ends in .gz, and - is standard input. OUT, which appears when it is complete, has a
    tree on each line; - is standard output.

    M is the name of an installed model, or the file of a network or a grammar. Where a grammar has no tree
    that the constraints allow, those by thresholds are loosened; where none is left, all words stand under
    the root, and a line on standard error says so.

    \b
    Examples:
      treewhile constituents parse --model gum.grammar --constraints ghp+unary+quad sentences.txt parsed.ptb
      treewhile constituents parse --model en sentences.txt parsed.ptb
      treewhile constituents parse --model en gum-dev.ptb parsed.ptb
    """
    from treewhile.incremental.constituents.chart_constraints import constraint_names
    from treewhile.incremental.constituents.phrase_parsers import load_phrase_parser
    from treewhile.server.terminal.phrase_files import parse_phrases

    names = None if constraints is None else constraint_names(constraints)
    parser = load_phrase_parser(name, names, lambda what: click.echo(what, err=True))
    click.echo(parse_phrases(parser, source, target), err=True)


@command.command()
@click.argument("gold", metavar="GOLD")
@click.argument("system", metavar="SYSTEM")
@json_option("Print one JSON object with all scores, shares from 0 to 1.")
def score(gold: str, system: str, as_json: bool) -> None:
    """Score the trees SYSTEM, the output of a parser, against the trees GOLD.

    Brackets agree that have the same label over the same words. They are counted as EVALB counts them with
    its parameters COLLINS.prm: functions of labels (NP-SBJ) do not matter, brackets of the root (ROOT, TOP,
    S1 or none) and punctuation do not count, and ADVP and PRT are one label. "exact" is the share of trees
    all of whose brackets agree. The line "every bracket", in JSON "every_bracket", leaves nothing out: so
    counts PYEVALB, which finds a bracket that is repeated over the same words only once.

    Where GOLD was not made by people but by a parser, the scores say how far two parsers agree.

    GOLD and SYSTEM have bracketed trees over the same words, in the same order. They are compressed if their
    names end in .gz; one of them may be -, standard input.

    \b
    Examples:
      treewhile constituents score gold.ptb parsed.ptb
      treewhile constituents score gold.ptb parsed.ptb --json
    """
    from treewhile.incremental.constituents.bracket_scores import (
        EVALB,
        PYEVALB,
        TreebankScore,
        paired_phrases,
    )
    from treewhile.server.terminal.bracket_tables import show_bracket_scores
    from treewhile.server.terminal.progress_bars import read_phrases_with_progress

    if gold == system == "-":
        raise click.UsageError("GOLD and SYSTEM cannot both be standard input: name a file for one of them.")
    scores, every = TreebankScore(EVALB), TreebankScore(PYEVALB)
    with (
        closing(read_phrases_with_progress(gold, "reading gold trees")) as truth,
        closing(read_phrases_with_progress(system, "reading the system's")) as answer,
    ):
        for pair in paired_phrases(truth, answer):
            scores.add(*pair)
            every.add(*pair)
    if as_json:
        told = {
            "gold": gold,
            "system": system,
            "sentences": scores.sentences,
            **scores.as_json(),
            "every_bracket": every.as_json(),
            "by_label": {label: part.as_json() for label, part in scores.by_label.items()},
            "by_length": {group: part.as_json() for group, part in scores.by_length.items()},
        }
        click.echo(json.dumps(told, ensure_ascii=False))
    else:
        show_bracket_scores(f"{system} on {gold}", scores, every)
