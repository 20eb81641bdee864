"""Whole training run: epochs with checkpoints between them, then the segmenter, and the model."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch

from treewhile.incremental.parsers.model_contents import SEGMENTER
from treewhile.incremental.parsers.model_files import ModelFile
from treewhile.incremental.parsers.network_shapes import Shape
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.scores.evaluation import MEASURES, segmentation_scores
from treewhile.incremental.training.checkpoints import TimedCheckpoint, read_checkpoint, write_checkpoint
from treewhile.incremental.training.class_choice import Choice, chosen_class
from treewhile.incremental.training.reading import Reading
from treewhile.incremental.training.segmentation import Progress, train_segmenter
from treewhile.incremental.training.settings import Settings
from treewhile.incremental.training.teaching import Teaching
from treewhile.incremental.training.trainer import Epoch, Trainer
from treewhile.incremental.treebanks.treebank import Sentence


def use_threads(count: int) -> None:
    """Compute with this number of threads from now on; another number changes the rounding of sums."""
    torch.set_num_threads(count)


def with_new_segmenter(
    file: ModelFile,
    train: Sequence[Sentence],
    dev: Sequence[Sentence],
    seed: int,
    progress: Progress | None = None,
    checkpoint: Path | None = None,
) -> ModelFile:
    """Return the model with a new segmenter learnt from `train`, and the segmenter's scores on `dev`.

    The checkpoint is that of the segmenter; learning goes on from the checkpoint if the file exists.
    """
    kept = TimedCheckpoint(checkpoint) if checkpoint else None
    segmenter = train_segmenter(train, seed, progress=progress, checkpoint=kept)
    arrays = {f"{SEGMENTER}.{name}": array for name, array in segmenter.arrays().items()}
    found = {name: round(score, 2) for name, score in segmentation_scores(segmenter, dev).items()}
    scores = {**file.information.get("scores", {}), **found}
    more = {"scores": scores, SEGMENTER: segmenter.information()}
    parser = without_segmenter(file)
    return ModelFile({**parser.arrays, **arrays}, {**parser.information, **more})


def without_segmenter(file: ModelFile) -> ModelFile:
    """Return the parser of a model alone."""
    arrays = {name: array for name, array in file.arrays.items() if not name.startswith(f"{SEGMENTER}.")}
    return ModelFile(arrays, {name: value for name, value in file.information.items() if name != SEGMENTER})


def with_segmenter_of(file: ModelFile, other: ModelFile) -> ModelFile:
    """Return the model with the segmenter of the other model, if there is one."""
    parser = without_segmenter(file)
    if SEGMENTER not in other.information:
        return parser
    arrays = {name: array for name, array in other.arrays.items() if name.startswith(f"{SEGMENTER}.")}
    before = other.information.get("scores", {})
    scores = {name: before[name] for name in MEASURES if name in before}
    more = {
        "scores": {**file.information.get("scores", {}), **scores},
        SEGMENTER: other.information[SEGMENTER],
    }
    return ModelFile({**parser.arrays, **arrays}, {**parser.information, **more})


def segmenter_checkpoint(checkpoint: Path) -> Path:
    """Return the path of the segmenter's state, beside the parser's checkpoint."""
    return checkpoint.with_name(f"{checkpoint.name}.segmenter")


def beliefs_beside(checkpoint: Path) -> Path:
    """Return the path of what teachers believe, beside the parser's checkpoint."""
    return checkpoint.with_name(f"{checkpoint.name}.beliefs")


def words_beside(checkpoint: Path) -> Path:
    """Return the path of what is learnt from words before trees, beside the parser's checkpoint."""
    return checkpoint.with_name(f"{checkpoint.name}.words")


class Run:
    """Training run whose checkpoint stands in a file."""

    def __init__(
        self,
        train: Sequence[Sentence],
        dev: Sequence[Sentence],
        settings: Settings,
        checkpoint: Path,
        shape: Shape | None = None,
        parser: ModelFile | None = None,
        beginning: ModelFile | None = None,
        trees: str | None = None,
        others: Sequence[Sequence[Sentence]] = (),
        teaching: Teaching | None = None,
        reading: Reading | None = None,
    ) -> None:
        self._trees = trees  # class of the model's trees, if not chosen on the dev part
        self._train, self._dev, self._checkpoint = train, dev, checkpoint
        self._parser, self._beginning = parser, beginning
        self.trainer = Trainer(train, dev, settings, shape, parser, beginning, others, teaching, reading)

    def resume(self) -> int:
        """Go on from the checkpoint if there is one; return the number of epochs done by then."""
        if self._checkpoint.exists():
            self.trainer.go_on_from(read_checkpoint(self._checkpoint))
        return self.trainer.epochs_done

    def epoch(self, advance: Callable[[int], None]) -> Epoch:
        """Run and save the next epoch, and return its summary; `advance` gets the number of words done."""
        epoch = self.trainer.run_epoch(advance)
        write_checkpoint(self._checkpoint, self.trainer.state())
        return epoch

    @cached_property
    def choice_of_trees(self) -> Choice | None:
        """Class of trees of the best model, given or chosen on dev; None if the model keeps its own."""
        if self._parser is not None:
            return None
        return chosen_class(Model(self.trainer.model_file({})), self._dev, self._trees)

    def model(self, information: Mapping[str, Any], progress: Progress | None = None) -> ModelFile:
        """Return the best model, with a segmenter learnt from the same treebank; `progress` gets its steps.

        Where the run began with a parser, only the step scorer is new, and no segmenter is learnt.
        """
        file = self.parser(information)
        if self._parser is not None:
            return file
        kept = segmenter_checkpoint(self._checkpoint)
        return with_new_segmenter(
            file, self._train, self._dev, self.trainer.settings.seed, progress, checkpoint=kept
        )

    def parser(self, information: Mapping[str, Any]) -> ModelFile:
        """Return the best model, with the segmenter only of the model which the run began with, if any."""
        if self._parser is not None:
            before = self._parser.information.get("scores", {})
            return self.trainer.model_file({**information, **self._found(before)})
        file = self.trainer.model_file({**information, **self._origin()})
        return file if self._beginning is None else with_segmenter_of(file, self._beginning)

    def forget(self) -> None:
        """Delete the checkpoints, once the model is written."""
        for path in (
            self._checkpoint,
            segmenter_checkpoint(self._checkpoint),
            beliefs_beside(self._checkpoint),
            words_beside(self._checkpoint),
        ):
            path.unlink(missing_ok=True)

    def _found(self, scores: Mapping[str, float]) -> dict[str, Any]:
        """Return the temperature, and the scores with those of steps."""
        found, temperature = self.trainer.steps_found()
        of_steps = {name: round(score, 2) for name, score in found.items()}
        return {"temperature": temperature, "scores": {**scores, **of_steps}}

    def _origin(self) -> dict[str, Any]:
        """Return the information on the run for the model file."""
        trainer, choice = self.trainer, self.choice_of_trees
        of_best = {name: round(score, 2) for name, score in trainer.best.scores.items()}
        scores = of_best | (choice.scores if choice else {})
        return {
            **(choice.information if choice else {}),
            "settings": asdict(trainer.settings),
            "seed": trainer.settings.seed,
            "sentences": len(self._train),
            "words": sum(len(sentence.words) for sentence in self._train),
            "epochs": trainer.epochs_done,
            "best_epoch": trainer.best.epoch,
            **self._found(scores),
            "versions": {
                "python": platform.python_version(),
                "torch": torch.__version__,
                "numpy": np.__version__,
            },
        }
