"""A whole training run: epochs with checkpoints between them, then the segmenter, and the model."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from treewhile.incremental.parsers.model_contents import SEGMENTER
from treewhile.incremental.parsers.model_files import ModelFile
from treewhile.incremental.parsers.network_shapes import Shape
from treewhile.incremental.scores.segmentation_scores import segmentation_scores
from treewhile.incremental.training.checkpoints import read_checkpoint, write_checkpoint
from treewhile.incremental.training.segmentation import Progress, train_segmenter
from treewhile.incremental.training.settings import Settings
from treewhile.incremental.training.trainer import Epoch, Trainer
from treewhile.incremental.treebanks.treebank import Sentence


def use_threads(count: int) -> None:
    """Computes with so many threads from now on; another number rounds sums in other ways."""
    torch.set_num_threads(count)


def with_new_segmenter(
    file: ModelFile,
    train: Sequence[Sentence],
    dev: Sequence[Sentence],
    seed: int,
    progress: Progress | None = None,
) -> ModelFile:
    """The model with a segmenter learnt from `train` in place of any other, and what that scores on `dev`."""
    segmenter = train_segmenter(train, seed, progress=progress)
    arrays = {f"{SEGMENTER}.{name}": array for name, array in segmenter.arrays().items()}
    found = {name: round(score, 2) for name, score in segmentation_scores(segmenter, dev).items()}
    scores = {**file.information.get("scores", {}), **found}
    more = {"scores": scores, SEGMENTER: segmenter.information()}
    parser = without_segmenter(file)
    return ModelFile({**parser.arrays, **arrays}, {**parser.information, **more})


def without_segmenter(file: ModelFile) -> ModelFile:
    """The parser of a model alone."""
    arrays = {name: array for name, array in file.arrays.items() if not name.startswith(f"{SEGMENTER}.")}
    return ModelFile(arrays, {name: value for name, value in file.information.items() if name != SEGMENTER})


class Run:
    """A training run whose checkpoint stands in a file."""

    def __init__(
        self,
        train: Sequence[Sentence],
        dev: Sequence[Sentence],
        settings: Settings,
        checkpoint: Path,
        shape: Shape | None = None,
        parser: ModelFile | None = None,
    ) -> None:
        self._train, self._dev, self._checkpoint = train, dev, checkpoint
        self._parser, self.trainer = parser, Trainer(train, dev, settings, shape, parser)

    def resume(self) -> int:
        """Goes on from the checkpoint if there is one; how many epochs that has behind it."""
        if self._checkpoint.exists():
            self.trainer.go_on_from(read_checkpoint(self._checkpoint))
        return self.trainer.epochs_done

    def epoch(self, advance: Callable[[int], None]) -> Epoch:
        """The next epoch, done and in the checkpoint; `advance` is told how many words are done."""
        epoch = self.trainer.run_epoch(advance)
        write_checkpoint(self._checkpoint, self.trainer.state())
        return epoch

    def model(self, information: Mapping[str, Any], progress: Progress | None = None) -> ModelFile:
        """The best model, with a segmenter learnt from the same treebank; `progress` is told of its steps.

        Only the step scorer is another one, and nothing else learnt, where the run began with a parser.
        """
        if self._parser is not None:
            before = self._parser.information.get("scores", {})
            return self.trainer.model_file({**information, **self._found(before)})
        file = self.trainer.model_file({**information, **self._origin()})
        return with_new_segmenter(file, self._train, self._dev, self.trainer.settings.seed, progress)

    def _found(self, scores: Mapping[str, float]) -> dict[str, Any]:
        """The temperature, and the scores with those of steps."""
        found, temperature = self.trainer.steps_found()
        of_steps = {name: round(score, 2) for name, score in found.items()}
        return {"temperature": temperature, "scores": {**scores, **of_steps}}

    def _origin(self) -> dict[str, Any]:
        """What of the run is told in the model."""
        trainer = self.trainer
        scores = {name: round(score, 2) for name, score in trainer.best_scores.items()}
        return {
            "settings": asdict(trainer.settings),
            "seed": trainer.settings.seed,
            "sentences": len(self._train),
            "words": sum(len(sentence.words) for sentence in self._train),
            "epochs": trainer.epochs_done,
            "best_epoch": trainer.best_epoch,
            **self._found(scores),
            "versions": {
                "python": platform.python_version(),
                "torch": torch.__version__,
                "numpy": np.__version__,
            },
        }
