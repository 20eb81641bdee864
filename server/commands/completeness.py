"""The command `treewhile completeness`: training and scoring of predicted ends of sentences."""

from __future__ import annotations

import json
from pathlib import Path

import click

from treewhile.server.commands.options import FEW, defaulted_option, json_option, repeated_option


@click.group()
def command() -> None:
    """Train and score predictions of the ends of sentences.

    \b
    Examples:
      treewhile completeness score en ewt-dev.conllu
    """


@command.command()
@click.option("--network", metavar="P", required=True, help="Model to add the new layers to.")
@click.option("--out", metavar="M", required=True, type=click.Path(path_type=Path), help="The model's file.")
@repeated_option("--train", "sources", "A", "Treebanks to learn from.", required=True)
@repeated_option("--dev", "dev", "B", "Treebanks to score the new layers on.", required=True)
@click.option("--licence", help="Licence of the treebanks, recorded in the model.")
@defaulted_option("--seed", int, 1, "Random seed; another one gives another model.")
@defaulted_option("--threads", FEW, 1, "How many threads compute; with others, the numbers differ.")
def train(
    network: str,
    out: Path,
    sources: tuple[str, ...],
    dev: tuple[str, ...],
    licence: str | None,
    seed: int,
    threads: int,
) -> None:
    """Learn when sentences end from the treebanks A, and write the model to M.

    M is the unchanged model P with two more layers, which read the states of P after the last word. They
    learn from all prefixes of all sentences, as written and as said: in small letters and without
    punctuation. Training takes some minutes and 4 GB, and needs the extra `train`.

    \b
    Examples:
      treewhile completeness train --network en --out en.safetensors --train ewt-train.conllu \\
        --dev ewt-dev.conllu
    """
    from treewhile.server.training.completeness import CompletenessOrder, train_completeness

    train_completeness(CompletenessOrder(network, sources, dev, out, licence, seed, threads))


@command.command()
@click.argument("name", metavar="M")
@click.argument("sources", metavar="FILE...", nargs=-1, required=True)
@json_option("Print one JSON object with all scores.")
def score(
    name: str,
    sources: tuple[str, ...],
    as_json: bool,
) -> None:
    """Score how well the model M tells on all prefixes of treebanks when sentences end.

    You get the scores twice: for sentences as said, in small letters and without punctuation, and as written.
    For `may_end` and `ends` there are the area under the ROC curve (AUC), the mean squared error
    (Brier), and how far probabilities are off in ten bins (ECE), which are listed for `ends`.

    \b
    Examples:
      treewhile completeness score en ewt-dev.conllu
      treewhile completeness score en ewt-dev.conllu --json
    """
    from treewhile.incremental import load_model
    from treewhile.server.terminal.completeness_tables import show_completeness_scores
    from treewhile.server.training.completeness import (
        PARSER,
        by_model,
        scores_by_text,
        sentences_of,
    )

    raters = {PARSER: by_model(load_model(name))}
    sentences = sentences_of(sources, "reading")
    found = scores_by_text(raters, sentences)
    if as_json:
        told = {
            text: {
                rater: {what: one.as_json() for what, one in scores.items()}
                for rater, scores in by_rater.items()
            }
            for text, by_rater in found.items()
        }
        whole = {"model": name, "files": sources, "sentences": len(sentences), "texts": told}
        click.echo(json.dumps(whole, ensure_ascii=False))
    else:
        show_completeness_scores(f"{name} on {', '.join(sources)} ({len(sentences):,} sentences)", found)
