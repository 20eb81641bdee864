"""The training loop: epochs over a treebank, a score on the dev part after each, the best weights kept.

An epoch draws all its chances from the seed and its own number, so a run that goes on from the checkpoint of
the epoch before ends with the same weights as one that was never stopped, on the same machine with as many
threads. (On a GPU that holds as far as torch can promise it there.)
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.model_files import Arrays, ModelFile, rounded
from treewhile.incremental.parsers.network_shapes import Shape
from treewhile.incremental.parsers.parsed_treebank import check_sentence, told_of
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.told_values import ToldValues, gold_values
from treewhile.incremental.training.batches import Batch, Batches, no_prefix, one_prefix, some_prefix
from treewhile.incremental.training.computations import UNKNOWN
from treewhile.incremental.training.dev_scores import best_scores, committed_scores
from treewhile.incremental.training.examples import Example, Examples
from treewhile.incremental.training.exploration import Explorer
from treewhile.incremental.training.explored_batches import explored
from treewhile.incremental.training.kept_parsers import kept_arrays, network_of
from treewhile.incremental.training.settings import Settings
from treewhile.incremental.training.step_scores import UAS_AT_DELAYS, StepScores
from treewhile.incremental.training.torch_network import Explore, TorchNetwork
from treewhile.incremental.treebanks.projectivized_treebank import complaints_placed
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles import InputError, is_projective

# How much each loss counts; arcs, labels and patience count as they are.
WEIGHTS: Final = {
    "early_tags": 0.3,
    "early_features": 0.3,
    "tags": 0.5,
    "features": 0.5,
    "steps": 0.5,
    "awaiting": 0.5,
}

WARM_UP: Final = 200  # batches, or a tenth of all if these are fewer than ten times as many
LOWEST_RATE: Final = 0.01  # of the learning rate, at the end
LARGEST_GRADIENT: Final = 5.0
AVERAGED: Final = 0.999  # of the averaged weights stays at every batch
LAST_HOPE: Final = 10  # epochs without a better score on the dev part


class Epoch(NamedTuple):
    """What an epoch came to."""

    number: int
    losses: dict[str, float]
    scores: dict[str, float]  # on the dev part
    seconds: float
    oracle_calls_a_second: float  # 0 where nothing was explored
    is_best: bool


class Trainer:
    """A training run, from wherever it stands; of the step scorer alone where a parser is given."""

    def __init__(
        self,
        train: Sequence[Sentence],
        dev: Sequence[Sentence],
        settings: Settings,
        shape: Shape | None = None,
        parser: ModelFile | None = None,
    ) -> None:
        _check_parts(train, dev)
        torch.use_deterministic_algorithms(True)
        torch.manual_seed(settings.seed)
        shape = shape or Shape()
        self.settings, self._dev, self._parser = settings, dev, parser
        told = (settings, shape, torch.get_num_threads(), _digest_of(parser), *train, *dev)
        self._fingerprint = _fingerprint(*told)
        if parser is None:
            self.inventory = Inventory.of(train, lambda word: gold_values(settings.tags, word))
            network = TorchNetwork(self.inventory, shape)
        else:
            self.inventory, network = network_of(parser, shape)
        known = ToldValues(self.inventory.values)
        for sentence in dev:
            told_of(sentence, settings.tags, known)
        self._examples = Examples(self.inventory, train, settings)
        self._batches = Batches(self._examples, forgets=parser is None)
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._network = network.to(self._device)
        named = self._network.named_parameters()
        self._learnt = {name: parameter for name, parameter in named if parameter.requires_grad}
        self._averaged = [parameter.detach().clone() for parameter in self._learnt.values()]
        self._optimizer = torch.optim.AdamW(
            self._learnt.values(),
            settings.learning_rate,
            betas=(0.9, 0.95),
            weight_decay=0.01,
            fused=True,
        )
        self._explorer = Explorer(self.inventory.labels, self.inventory.root_labels)
        self._step_scores = StepScores(dev, self.inventory, settings)
        self._batches_done = 0
        self.epochs_done = self.best_epoch = 0
        self.best_scores: dict[str, float] = {}
        self._best = self._averaged

    @property
    def words(self) -> int:
        """How many words an epoch goes over."""
        return sum(example.n for example in self._examples.examples)

    @property
    def is_done(self) -> bool:
        patient_until = max(self.best_epoch, self._first_exploring - 1) + LAST_HOPE
        return self.epochs_done >= min(self.settings.epochs, patient_until)

    @property
    def _first_exploring(self) -> int:
        """The first epoch in which the parser explores; 1 if it never does, or knows its words already."""
        is_ready = self.settings.explore == "none" or self._parser is not None
        return 1 if is_ready else self.settings.epochs // 2 + 1

    def run_epoch(self, advance: Callable[[int], None]) -> Epoch:
        """Goes over the treebank once; `advance` is told how many words are done."""
        start = time.monotonic()
        self.epochs_done += 1
        asked, seconds = self._explorer.oracle_calls, self._explorer.seconds_in_oracle
        generator = np.random.default_rng([self.settings.seed, self.epochs_done])
        torch.manual_seed(int(generator.integers(1 << 62)))
        groups = self._examples.groups(generator)
        losses: Counter[str] = Counter()
        for examples in groups:
            batch = self._batch(examples, generator)
            losses.update(self._learn(batch.to(self._device), self._rate(len(groups))))
            advance(sum(example.n for example in examples))
        scores = self._score()
        return Epoch(
            self.epochs_done,
            {name: loss / len(groups) for name, loss in losses.items()},
            scores,
            time.monotonic() - start,
            (self._explorer.oracle_calls - asked) / max(self._explorer.seconds_in_oracle - seconds, 1e-9),
            self._keep_if_best(scores),
        )

    def _batch(self, examples: Sequence[Example], generator: np.random.Generator) -> Batch:
        if self._parser is not None:
            return self._batches.batch(examples, generator, whole=False, prefixes_of=one_prefix)
        with_arcs = not self.settings.committed_only
        prefixes_of = some_prefix if with_arcs else no_prefix
        return self._batches.batch(examples, generator, with_arcs, prefixes_of)

    def _rate(self, batches: int) -> float:
        """The learning rate: up in the beginning, down in a line to the end."""
        total = batches * self.settings.epochs
        rising = (self._batches_done + 1) / min(WARM_UP, max(total // 10, 1))
        return self.settings.learning_rate * min(rising, max(LOWEST_RATE, 1 - self._batches_done / total), 1)

    def _learn(self, batch: Batch, rate: float) -> dict[str, float]:
        self._network.train()
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._optimizer.zero_grad()
        with torch.autocast(self._device.type, torch.bfloat16, enabled=_has_half_precision(self._device)):
            scores = self._network(batch, self._exploration, steps_alone=self._parser is not None)
        losses = _losses({name: values.float() for name, values in scores.items()}, batch.targets)
        torch.stack([WEIGHTS.get(name, 1) * loss for name, loss in losses.items()]).sum().backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self._learnt.values(), LARGEST_GRADIENT)
        self._optimizer.step()
        self._batches_done += 1
        self._average()
        return {name: loss.item() for name, loss in losses.items()}

    @torch.no_grad()
    def _average(self) -> None:
        kept = min(AVERAGED, self._batches_done / (self._batches_done + 9))
        torch._foreach_lerp_(self._averaged, [*self._learnt.values()], 1 - kept)

    @property
    def _exploration(self) -> Explore | None:
        """What chooses the configurations to learn from, where gold ones are not."""
        explores = self.settings.explore != "none" and self.epochs_done >= self._first_exploring
        return partial(explored, self._explorer) if explores else None

    def _score(self) -> dict[str, float]:
        try:
            model = Model(self._file(self._averaged, {}))
        except InputError as error:
            raise InputError(f"the training went astray ({error}): try another seed, or more data") from error
        if self._parser is not None:
            with self._stored(self._averaged) as network:
                return self._step_scores.scores(network)
        if self.settings.committed_only:
            return committed_scores(model, self._dev)
        return best_scores(model, self._dev)

    def _keep_if_best(self, scores: dict[str, float]) -> bool:
        """Whether this epoch is the best: of those in which the parser explores, once there are some.

        Of equals it is the last one, which has learnt more of what the score does not tell.
        """
        is_first = self.best_epoch < self._first_exploring <= self.epochs_done
        is_best = is_first or self._height(scores) >= self._height(self.best_scores)
        if is_best:
            self.best_epoch, self.best_scores = self.epochs_done, scores
            self._best = [parameter.clone() for parameter in self._averaged]
        return is_best

    def _height(self, scores: Mapping[str, float]) -> float:
        """What tells how good an epoch is: right heads and labels, or those of the committed parse."""
        names = ("LAS",) if self._parser is None else UAS_AT_DELAYS
        return sum(scores.get(name, -1) for name in names)

    def steps_found(self) -> tuple[dict[str, float], float]:
        """The scores of the best step scorer on the dev part, and the temperature of the best model."""
        with self._stored(self._best) as network:
            has_arcs = not self.settings.committed_only
            scores = self._step_scores.scores(network)
            return scores, self._step_scores.temperature(network) if has_arcs else 1.0

    @contextmanager
    def _stored(self, parameters: Sequence[Tensor]) -> Iterator[TorchNetwork]:
        """The network with these parameters, as they are once they were stored, which learns nothing."""
        before = {name: parameter.detach().clone() for name, parameter in self._learnt.items()}
        stored = rounded(self._named(parameters))
        self._network.load_state_dict(
            {name: torch.from_numpy(one) for name, one in stored.items()}, strict=False
        )
        try:
            yield self._network.eval()
        finally:
            self._network.load_state_dict(before, strict=False)

    def model_file(self, information: Mapping[str, Any]) -> ModelFile:
        """The best model so far."""
        return self._file(self._best, information)

    def _file(self, parameters: Sequence[Tensor], information: Mapping[str, Any]) -> ModelFile:
        arrays, shape = rounded(self._named(parameters)), {"shape": asdict(self._network.shape)}
        if self._parser is not None:
            before = self._parser.information
            return ModelFile({**kept_arrays(self._parser), **arrays}, {**before, **shape, **information})
        sets = {"inventory": self.inventory.to_json(), **shape}
        return ModelFile(arrays, {"tags": self.settings.tags, **sets, **information})

    def _named(self, parameters: Sequence[Tensor]) -> Arrays:
        return {name: value.cpu().numpy() for name, value in zip(self._learnt, parameters, strict=True)}

    def state(self) -> dict[str, Any]:
        """All that decides how the run goes on, for a checkpoint."""
        return {
            "run": self._fingerprint,
            "network": self._network.state_dict(),
            "averaged": self._averaged,
            "optimizer": self._optimizer.state_dict(),
            "progress": [self._batches_done, self.epochs_done, self.best_epoch],
            "best": self._best,
            "best_scores": self.best_scores,
        }

    def go_on_from(self, state: Mapping[str, Any]) -> None:
        """Goes on from a state; an InputError if that is one of another run."""
        if state.get("run") != self._fingerprint:
            raise InputError(
                "the checkpoint is of a run with other options, treebanks or threads: "
                "repeat the command as it was, or delete the checkpoint to begin anew"
            )
        self._network.load_state_dict(state["network"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._averaged = [value.to(self._device) for value in state["averaged"]]
        self._best = [value.to(self._device) for value in state["best"]]
        self._batches_done, self.epochs_done, self.best_epoch = state["progress"]
        self.best_scores = dict(state["best_scores"])


def _digest_of(parser: ModelFile | None) -> str:
    """What tells the parser that is there from others."""
    digest = hashlib.sha256()
    for name, array in sorted(kept_arrays(parser).items() if parser else ()):
        digest.update(name.encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _fingerprint(*told: object) -> str:
    """What tells a run from others: all that it is told, and how it is computed."""
    digest = hashlib.sha256()
    for one in told:
        digest.update(f"{one}\0".encode(errors="surrogateescape"))
    return digest.hexdigest()


def _check_parts(train: Sequence[Sentence], dev: Sequence[Sentence]) -> None:
    for name, part in (("training", train), ("dev", dev)):
        if not part:
            raise InputError(f"the {name} part has no sentences: give another file")
        for sentence in part:
            check_sentence(sentence)
    for sentence in dev:
        if None in sentence.heads:
            place = sentence.where(sentence.heads.index(None) + 1, "head")
            raise InputError(f"a word of the dev part has no head: fill it in, at {place}")
        with complaints_placed(sentence):
            is_projective(sentence.heads)  # refuses circles


def _losses(scores: Mapping[str, Tensor], targets: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The mean loss of each kind of decision.

    Of a step that is how unlikely it is that an optimal one is taken; of patience the square of the error.
    """
    optimal = scores["steps"].masked_fill(scores["optimal_steps"] == 0, -torch.inf)
    steps = (scores["steps"].logsumexp(-1) - optimal.logsumexp(-1)).mean()
    others = {
        name: functional.cross_entropy(scores[name].flatten(0, -2), target.flatten(), ignore_index=UNKNOWN)
        for name, target in targets.items()
        if name in scores and bool((target != UNKNOWN).any())
    }
    if "known_patience" in scores:
        others["patience"] = functional.mse_loss(scores["patience"], scores["known_patience"])
    return {"steps": steps, **others}


def _has_half_precision(device: torch.device) -> bool:
    """Whether the machine multiplies matrices of half the precision faster than others."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    return bool(getattr(torch.cpu, "_is_avx512_bf16_supported", bool)())
