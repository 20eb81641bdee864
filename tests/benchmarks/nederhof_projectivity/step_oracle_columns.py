"""The columns of Table 7 of Nederhof 2019: what all trees, and the parser's own path, are worth in training.

The shift-reduce parser alone is trained, on words and gold UPOS, and looks two words ahead. Scores are those
of a test part, with the weights that did best on the dev part. The paper's parser differs: one hidden layer
of 256, word vectors from elsewhere, three words of lookahead.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from treewhile.incremental.parsers.network_shapes import Shape
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.scores.conll_scores import ComparedTreebanks
from treewhile.incremental.training.dev_scores import committed_parse
from treewhile.incremental.training.settings import Settings
from treewhile.incremental.training.trainer import Trainer
from treewhile.incremental.treebanks.treebank import Sentence

COLUMNS: Final[dict[int, dict[str, Any]]] = {
    1: {"learn_from": "projective", "explore": "none"},
    2: {"learn_from": "all", "explore": "none"},
    3: {"learn_from": "projective", "explore": "projectivized"},
    4: {"learn_from": "all", "explore": "projectivized"},
    5: {"learn_from": "all", "explore": "original"},
}


class Parts(NamedTuple):
    """What is learnt from, what tells which weights are best, and what is scored."""

    train: Sequence[Sentence]
    dev: Sequence[Sentence]
    test: Sequence[Sentence]


class ColumnScores(NamedTuple):
    """Shares in per cent, with subtypes of labels but where it is said otherwise, and what the run took."""

    LAS: float
    UAS: float
    LAS_without_subtypes: float
    oracle_calls_a_second: float  # at most; 0 where nothing was explored
    seconds: float


def column_settings(column: int, seed: int, epochs: int) -> Settings:
    """What a run of a column is told."""
    return Settings(**COLUMNS[column], tags="gold-upos", epochs=epochs, seed=seed, committed_only=True)


def train_column(parts: Parts, settings: Settings, shape: Shape | None = None) -> ColumnScores:
    """The scores of one run."""
    start = time.monotonic()
    trainer = Trainer(parts.train, parts.dev, settings, shape)
    calls = []
    while not trainer.is_done:
        calls.append(trainer.run_epoch(lambda words: None).oracle_calls_a_second)
    model = Model(trainer.model_file({}))
    scores = ComparedTreebanks(parts.test, (_parsed(model, sentence) for sentence in parts.test)).scores()
    las, uas, plain = (100 * scores[name].f1 for name in ("LAS with subtypes", "UAS", "LAS"))
    return ColumnScores(las, uas, plain, max(calls), time.monotonic() - start)


def _parsed(model: Model, sentence: Sentence) -> Sentence:
    return sentence.with_columns(
        {
            number: {"head": str(head), "deprel": label}
            for number, (head, label) in enumerate(committed_parse(model, sentence).decisions, 1)
        }
    )
