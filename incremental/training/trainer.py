"""Training loop: epochs over a treebank, a score on the dev part after each, the best weights kept.

An epoch draws all its random numbers from the seed and its own number, so a run resumed from the checkpoint
of the epoch before ends with the same weights as one that was never stopped, on the same machine with as many
threads. (On a GPU this holds as far as torch guarantees it.)
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch.utils import deterministic

from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.model_contents import trees_of
from treewhile.incremental.parsers.model_files import Arrays, ModelFile, restored_arrays, stored_arrays
from treewhile.incremental.parsers.network_shapes import Shape
from treewhile.incremental.parsers.parsed_treebank import told_of
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.told_values import ToldValues, gold_values
from treewhile.incremental.parsers.tree_decoding import PREFIX_CLASSES, PROJECTIVE
from treewhile.incremental.training.batches import Batch, Batches, no_prefix, one_prefix, some_prefix
from treewhile.incremental.training.checkpoints import digest_of, fingerprint
from treewhile.incremental.training.dev_scores import best_scores, committed_scores
from treewhile.incremental.training.examples import Example, Examples, Lesson
from treewhile.incremental.training.exploration import Explorer
from treewhile.incremental.training.explored_batches import explored
from treewhile.incremental.training.kept_parsers import kept_arrays, network_of, whole_network_of
from treewhile.incremental.training.learning import Learner
from treewhile.incremental.training.parts import check_parts
from treewhile.incremental.training.reading import Reading
from treewhile.incremental.training.settings import Settings
from treewhile.incremental.training.step_scores import UAS_AT_DELAYS, StepScores
from treewhile.incremental.training.teaching import Teaching
from treewhile.incremental.training.torch_layers import Explore
from treewhile.incremental.training.torch_network import OF_ORIGINS, TorchNetwork
from treewhile.incremental.training.tree_losses import tree_loss
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles.errors import InputError

WARM_UP: Final = 200  # batches, or a tenth of all if these are fewer than ten times as many
LOWEST_RATE: Final = 0.01  # of the learning rate, at the end


class Epoch(NamedTuple):
    """Summary of an epoch."""

    number: int
    losses: dict[str, float]
    scores: dict[str, float]  # on the dev part
    seconds: float
    oracle_calls_a_second: float  # 0 where nothing was explored
    is_best: bool


class Best(NamedTuple):
    """Best state so far: the epoch that led to it, its scores on the dev part, its weights as stored."""

    epoch: int
    since: int  # first of the consecutive epochs with equal scores
    scores: dict[str, float]
    arrays: Arrays


class Trainer:
    """Training run, in any state.

    Where a parser is given, its step scorer alone is trained; where a beginning is given, all of that model
    is trained further. The model annotates as `train` does, which `others` need not do: a learnt vector tells
    the treebanks apart. Where there is something to read, a new network guesses words before it learns trees.
    """

    def __init__(
        self,
        train: Sequence[Sentence],
        dev: Sequence[Sentence],
        settings: Settings,
        shape: Shape | None = None,
        parser: ModelFile | None = None,
        beginning: ModelFile | None = None,
        others: Sequence[Sequence[Sentence]] = (),
        teaching: Teaching | None = None,
        reading: Reading | None = None,
    ) -> None:
        treebanks = [train, *others]
        check_parts(treebanks, dev)
        torch.use_deterministic_algorithms(True)
        deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]  # nothing reads it
        torch.manual_seed(settings.seed)
        shape = shape or Shape()
        self.settings, self._dev, self._parser, self._beginning = settings, dev, parser, beginning
        self._judged_in = _class_to_judge_in(settings, beginning)
        self._fingerprint = fingerprint(
            replace(settings, epochs=0),
            shape,
            digest_of(parser),
            digest_of(beginning),
            *map(len, treebanks),
            *chain(*treebanks),
            *dev,
            *([teaching.run] if teaching else []),
            *([reading.run] if reading else []),
        )
        self.inventory, network = _network(treebanks, settings, shape, parser, beginning, reading)
        self._check_told_tags()
        if reading:
            texts = [[word.form for word in sentence.words] for sentence in chain(*treebanks)]
            reading.read(network, self.inventory, texts, settings.seed)
        rewrites = np.random.default_rng(settings.seed) if parser is None else None
        lessons = [Lesson(one.words, number) for number, part in enumerate(treebanks) for one in part]
        raw: Sequence[Lesson] = ()
        if teaching:
            lessons, raw = teaching.taught(lessons, self.inventory)
        self._examples = Examples(self.inventory, lessons, settings, rewrites, raw)
        self._batches = Batches(self._examples, forgets=parser is None)
        self._learner = Learner(network, settings.learning_rate, tree_loss(settings.decoder))
        self._explorer = Explorer(self.inventory.labels, self.inventory.root_labels)
        self._first_exploring = self._first_epoch_to_explore(beginning)
        self.epochs_done = 0
        self.best = Best(0, 0, {}, self._learner.averaged())

    def _check_told_tags(self) -> None:
        """Refuse a dev part with other tags than those that the parser is to be told."""
        known = ToldValues(self.inventory.values)
        for sentence in self._dev:
            told_of(sentence, self.settings.tags, known)

    def _first_epoch_to_explore(self, beginning: ModelFile | None) -> int:
        """Return the first epoch in which the parser explores, 0 for a parser that is finished at the start.

        The value is 1 if the parser never explores, or knows its words already.
        """
        if beginning is not None:
            return 0
        is_ready = self.settings.explore == "none" or self._parser is not None
        return 1 if is_ready else self.settings.epochs // 2 + 1

    @property
    def words(self) -> int:
        """Number of words in an epoch, about."""
        return self._examples.words

    @property
    def is_done(self) -> bool:
        """True if all epochs are done, or nothing improved for too long."""
        patient_until = max(self.best.since, self._first_exploring - 1) + self.settings.patience
        return self.epochs_done >= min(self.settings.epochs, patient_until)

    def run_epoch(self, advance: Callable[[int], None]) -> Epoch:
        """Go over the treebank once; `advance` gets the number of words done."""
        start = time.monotonic()
        if self._first_exploring == self.epochs_done == 0:
            self._keep_if_best(self._score())  # the model that there was before has to be beaten
        self.epochs_done += 1
        asked, seconds = self._explorer.oracle_calls, self._explorer.seconds_in_oracle
        losses = self._learn(advance)
        scores = self._score()
        return Epoch(
            self.epochs_done,
            losses,
            scores,
            time.monotonic() - start,
            (self._explorer.oracle_calls - asked) / max(self._explorer.seconds_in_oracle - seconds, 1e-9),
            self._keep_if_best(scores),
        )

    def _learn(self, advance: Callable[[int], None]) -> dict[str, float]:
        """Train on all batches of an epoch; return the mean losses."""
        generator = np.random.default_rng([self.settings.seed, self.epochs_done])
        torch.manual_seed(int(generator.integers(1 << 62)))
        groups = self._examples.groups(generator)
        losses: Counter[str] = Counter()
        for examples in groups:
            batch, rate = self._batch(examples, generator), self._rate(len(groups))
            losses.update(self._learner.learn(batch, rate, self._exploration, self._parser is not None))
            advance(sum(example.n for example in examples))
        self._learner.end_epoch()
        return {name: loss / len(groups) for name, loss in losses.items()}

    def _batch(self, examples: Sequence[Example], generator: np.random.Generator) -> Batch:
        if self._parser is not None:
            return self._batches.batch(examples, generator, whole=False, prefixes_of=one_prefix)
        with_arcs = not self.settings.committed_only
        return self._batches.batch(examples, generator, with_arcs, some_prefix if with_arcs else no_prefix)

    def _rate(self, batches: int) -> float:
        """Return the learning rate: a linear rise at the beginning, a linear decay to the end."""
        total, done = batches * self.settings.epochs, self._learner.batches_done
        rising = (done + 1) / min(WARM_UP, max(total // 10, 1))
        return self.settings.learning_rate * min(rising, max(LOWEST_RATE, 1 - done / total), 1)

    @property
    def _exploration(self) -> Explore | None:
        """Explorer of configurations to learn from, where these are not gold ones."""
        explores = self.settings.explore != "none" and self.epochs_done >= self._first_exploring
        return partial(explored, self._explorer) if explores else None

    def _score(self) -> dict[str, float]:
        arrays = self._learner.averaged()
        try:
            model = Model(self._file(arrays, {}))
        except InputError as error:
            raise InputError(f"the training diverged ({error}): try another seed, or more data") from error
        if self._parser is not None:
            with self._learner.with_weights(arrays) as network:
                return self._step_scores.scores(network)
        if self.settings.committed_only:
            return committed_scores(model, self._dev)
        return best_scores(model.with_trees(self._judged_in), self._dev)

    @cached_property
    def _step_scores(self) -> StepScores:
        return StepScores(self._dev, self.inventory, self.settings)

    def _keep_if_best(self, scores: dict[str, float]) -> bool:
        """Keep this epoch if it is the best since exploration began; return whether it is.

        Of equal epochs the last one is kept, which has learnt more than the score measures.
        """
        before, now = self._height(self.best.scores), self._height(scores)
        is_first = self.best.epoch < self._first_exploring <= self.epochs_done
        if is_best := is_first or now >= before:
            since = self.best.since if now == before and not is_first else self.epochs_done
            self.best = Best(self.epochs_done, since, scores, self._learner.averaged())
        return is_best

    def _height(self, scores: Mapping[str, float]) -> float:
        """Return the criterion of an epoch: right heads and labels, or right heads of the committed parse."""
        names = ("LAS",) if self._parser is None else UAS_AT_DELAYS
        return sum(scores.get(name, -1) for name in names)

    def steps_found(self) -> tuple[dict[str, float], float]:
        """Return the scores of the best step scorer on the dev part, and the best model's temperature."""
        with self._learner.with_weights(self.best.arrays) as network:
            has_arcs, tried = not self.settings.committed_only, self._step_scores
            return tried.scores(network), tried.temperature(network) if has_arcs else 1.0

    def model_file(self, information: Mapping[str, Any]) -> ModelFile:
        """Return the best model so far."""
        return self._file(self.best.arrays, information)

    def _file(self, arrays: Arrays, information: Mapping[str, Any]) -> ModelFile:
        arrays = {name: array for name, array in arrays.items() if name != OF_ORIGINS}
        shape = {"shape": asdict(self._learner.network.shape)}
        if self._parser is not None:
            before = self._parser.information
            return ModelFile({**kept_arrays(self._parser), **arrays}, {**before, **shape, **information})
        told = {"tags": self.settings.tags, "inventory": self.inventory.to_json(), **shape, **information}
        return ModelFile(arrays, told)

    def state(self) -> dict[str, Any]:
        """Return the state of the run, for a checkpoint."""
        best = {name: torch.from_numpy(array) for name, array in stored_arrays(self.best.arrays).items()}
        return {
            "run": self._fingerprint,
            "learner": self._learner.state(),
            "progress": [self.epochs_done, self._first_exploring],
            "best": [self.best.epoch, self.best.since, self.best.scores, best],
        }

    def go_on_from(self, state: Mapping[str, Any]) -> None:
        """Go on from a state, perhaps for more epochs; raise an InputError for a state of another run."""
        if state.get("run") != self._fingerprint:
            raise InputError(
                "the checkpoint is of a run with other options, treebanks or threads: "
                "repeat the command as it was, or delete the checkpoint to begin anew"
            )
        self._learner.go_on_from(state["learner"])
        self.epochs_done, first_exploring = state["progress"]
        if self.epochs_done >= first_exploring:  # otherwise the number of epochs decides, which may be new
            self._first_exploring = first_exploring
        epoch, since, scores, best = state["best"]
        stored = {name: tensor.numpy() for name, tensor in best.items()}
        self.best = Best(epoch, since, scores, restored_arrays(stored))


def _class_to_judge_in(settings: Settings, beginning: ModelFile | None) -> str:
    """Return the class of trees in which epochs are scored: the class of the arcs' decoder, if any."""
    if settings.decoder in PREFIX_CLASSES:
        return settings.decoder
    return PROJECTIVE if beginning is None else trees_of(beginning)


def _network(
    treebanks: Sequence[Sequence[Sentence]],
    settings: Settings,
    shape: Shape,
    parser: ModelFile | None,
    beginning: ModelFile | None,
    reading: Reading | None,
) -> tuple[Inventory, TorchNetwork]:
    if parser is not None:
        return network_of(parser, shape)
    if beginning is not None:
        return whole_network_of(beginning, len(treebanks))
    raw = chain(*reading.raw) if reading else ()
    inventory = Inventory.of([*chain(*treebanks)], lambda word: gold_values(settings.tags, word), raw)
    return inventory, TorchNetwork(inventory, shape, len(treebanks))
