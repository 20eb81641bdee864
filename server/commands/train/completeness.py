"""The command `treewhile train completeness`: layers that tell when sentences end, for a model."""

from __future__ import annotations

from pathlib import Path

import click

from treewhile.incremental.parsers.model_files import write_model
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.scores.completeness_scores import said, written
from treewhile.server.commands.train.files import check_place, model_named
from treewhile.server.commands.train.options import (
    dev_option,
    licence_option,
    model_option,
    origin,
    out_option,
    seed_option,
    threads_option,
    train_option,
)
from treewhile.server.commands.train.shown_runs import imported_training, size_of
from treewhile.server.terminal.completeness_scores import (
    PARSER,
    by_model,
    scores_by_text,
    sentences_of,
    show_completeness_scores,
)


@click.command()
@model_option
@train_option
@dev_option("Treebank to score the new layers on; may be repeated.", multiple=True)
@out_option
@licence_option
@seed_option
@threads_option
def command(
    model: str,
    train: tuple[str, ...],
    dev: tuple[str, ...],
    out: Path,
    licence: str | None,
    seed: int,
    threads: int,
) -> None:
    """Learn from the treebanks A when sentences end, and write the model P with that to M.

    M is the unchanged model P with two more layers, which read the states of P after the last word. They
    learn from all prefixes of all sentences, as written and as said: in small letters and without
    punctuation. Training takes some minutes and 4 GB, and needs the extra `train`.

    \b
    Examples:
      treewhile train completeness --model en --out en.safetensors --train ewt-train.conllu \\
        --dev ewt-dev.conllu
    """
    imported_training(threads)
    from treewhile.incremental.training.completeness_learning import learnt, with_completeness

    check_place(out)
    file = model_named(model)
    network = Model(file)  # which refuses what is none, before minutes are spent on it
    sentences, gold = (
        sentences_of(train, "reading what to learn from"),
        sentences_of(dev, "reading what to score on"),
    )
    arrays = learnt(network, [*said(sentences), *written(sentences)], seed)
    told = origin(train, licence)
    found = scores_by_text({PARSER: by_model(Model(with_completeness(file, arrays, told)))}, gold)
    areas = {
        f"{what}, {text}": round(100 * score.auc, 2)
        for text, raters in found.items()
        for what, score in raters[PARSER].items()
    }
    write_model(out, with_completeness(file, arrays, {**told, "areas": areas}))
    show_completeness_scores(", ".join(Path(source).name for source in dev), found)
    click.echo(size_of(out))
