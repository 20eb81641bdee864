"""Training and scores of the layers that tell when sentences end; the rest of the model stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from treewhile.incremental import Sentence
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.model_files import read_model, write_model
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import model_path
from treewhile.incremental.scores.completeness_scores import ChanceScore
from treewhile.incremental.scores.labelled_prefixes import (
    LabelledPrefixes,
    inputs_by,
    said,
    truth_of,
    written,
)
from treewhile.oracles.errors import InputError
from treewhile.server.terminal.completeness_tables import show_completeness_scores
from treewhile.server.terminal.progress_bars import read_with_progress
from treewhile.server.training.given_options import as_called
from treewhile.server.training.places import check_place
from treewhile.server.training.shown_runs import imported_training, size_of

TEXTS: Final = {"as said": said, "as written": written}
PARSER: Final = "the parser's states"

Scores = Mapping[str, ChanceScore]  # by what is asked, may_end or ends
Rater = Callable[
    [str, Sequence[LabelledPrefixes]], Mapping[str, Array]
]  # which takes the name of the text, too


@dataclass(frozen=True)
class CompletenessOrder:
    """Order to train these layers: the model, the treebanks, the file of the result, and settings."""

    network: str
    train: Sequence[str]
    dev: Sequence[str]
    out: Path
    licence: str | None
    seed: int
    threads: int


def train_completeness(order: CompletenessOrder) -> None:
    """Write the model `network` with layers that tell when sentences end, learnt from treebanks."""
    imported_training(order.threads)
    from treewhile.incremental.training.completeness_learning import learnt, with_completeness

    check_place(order.out)
    file = read_model(model_path(order.network))
    model = Model(file)  # which refuses what is none, before minutes are spent on it
    sentences, dev = (
        sentences_of(order.train, "reading what to learn from"),
        sentences_of(order.dev, "reading what to score on"),
    )
    arrays = learnt(model, [*said(sentences), *written(sentences)], order.seed)
    told = {
        "treebanks": [Path(source).name for source in order.train],
        "licence": order.licence or "not said",
        "command": as_called(),
    }
    found = scores_by_text({PARSER: by_model(Model(with_completeness(file, arrays, told)))}, dev)
    areas = {
        f"{what}, {text}": round(100 * score.auc, 2)
        for text, raters in found.items()
        for what, score in raters[PARSER].items()
    }
    write_model(order.out, with_completeness(file, arrays, {**told, "areas": areas}))
    show_completeness_scores(", ".join(Path(source).name for source in order.dev), found)
    click.echo(size_of(order.out))


def sentences_of(sources: Sequence[str], task: str) -> list[Sentence]:
    """Return the sentences of treebanks; raise InputError if a treebank has no spoken words."""
    found = []
    for source in sources:
        sentences = [*read_with_progress(source, task)]
        if not said(sentences):
            raise InputError(f"{source} has no words: give another file")
        found += sentences
    return found


def by_model(model: Model) -> Rater:
    """Return a rater that asks the layers of a model."""
    layers = model.completeness
    if layers is None:
        raise InputError(
            "the model has not learnt when sentences end: give another one, "
            "or let it learn that with treewhile completeness train"
        )
    return lambda _, material: named(layers.chances(inputs_by(model, material)))


def scores_by_text(
    raters: Mapping[str, Rater], sentences: Sequence[Sentence]
) -> dict[str, dict[str, Scores]]:
    """Return the scores of each rater on all prefixes, by text and by rater."""
    return {
        text: {name: _scores(rater, text, prefixes(sentences)) for name, rater in raters.items()}
        for text, prefixes in TEXTS.items()
    }


def _scores(rater: Rater, text: str, material: Sequence[LabelledPrefixes]) -> Scores:
    truth = named(truth_of(material))
    return {what: ChanceScore.of(chances, truth[what]) for what, chances in rater(text, material).items()}


def named(pairs: Array) -> dict[str, Array]:
    return {"may_end": pairs[:, 0], "ends": pairs[:, 1]}
