"""Words before trees: the network first learns to guess hidden and next words of sentences without trees.

The layers for words, and the recurrent ones, learn so; what guesses is not kept. Of all words a network reads
so many, some sentences several times, where there are few. It reads in portions, and what it has learnt after
each is kept in a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.network_shapes import Shape
from treewhile.incremental.training.checkpoints import fingerprint, read_checkpoint, write_checkpoint
from treewhile.incremental.training.sequences import Sequences, node_tensors
from treewhile.incremental.training.torch_layers import chosen_device
from treewhile.incremental.training.torch_network import TorchNetwork
from treewhile.incremental.training.word_batches import Ints, NodeInputs, WordBatches

READ: Final = 2_000_000  # words, of at most MOST_TIMES each sentence
MOST_TIMES: Final = 8
PORTIONS: Final = 20
LARGEST: Final = 700  # words of a batch, padding included
HIDDEN: Final = 0.2  # share of the words of a sentence
SPOKEN: Final = 0.25  # share of the sentences that are read without capitals and marks
RATE, LOWEST_RATE = 2e-3, 1e-5
LARGEST_GRADIENT: Final = 5.0

Show = Callable[[int, int], None]  # gets the number of words read, and of all
Forms = Sequence[str]


class Guesses(nn.Module):
    """Scores of the forms of hidden words, and of next words."""

    def __init__(self, forms: int, shape: Shape) -> None:
        super().__init__()
        self.next = nn.Linear(shape.state, shape.form)
        self.hidden = nn.Linear(2 * shape.state, shape.form)
        self.frequencies = nn.Parameter(torch.zeros(forms))

    def loss(self, guess: nn.Linear, states: Tensor, known: Tensor, forms: Tensor) -> Tensor:
        """Return the mean loss of guesses at forms, given the vectors of known ones; 0 is no known form."""
        places = forms > 0
        scores = guess(states[places]) @ known.T + self.frequencies
        sum_of_all = functional.cross_entropy(scores, forms[places], reduction="sum")
        return sum_of_all / places.sum().clamp(min=1)


class Reading:
    """Sentences to read, given as words, with the file that keeps what is learnt."""

    def __init__(self, raw: Sequence[Forms], kept_in: Path, show: Show) -> None:
        self.raw, self._kept_in, self._show = raw, kept_in, show

    @cached_property
    def run(self) -> str:
        """Digest of the raw sentences."""
        return fingerprint(*map(" ".join, self.raw))

    def read(self, network: TorchNetwork, inventory: Inventory, treebank: Sequence[Forms], seed: int) -> None:
        """Let a network read raw sentences and those of treebanks, or take what it learnt from the file."""
        sentences = [*treebank, *self.raw]
        run = fingerprint(seed, *map(" ".join, sentences), *inventory.to_json().values())
        reader = Reader(network, inventory, sentences, seed)
        kept = read_checkpoint(self._kept_in) if self._kept_in.exists() else {}
        if kept.get("run") == run:
            reader.go_on_from(kept)
        while reader.portions_read < PORTIONS:
            reader.read_portion(self._show)
            write_checkpoint(self._kept_in, {"run": run, **reader.state()})


class Reader:
    """Network that learns to guess words, in any state."""

    def __init__(
        self, network: TorchNetwork, inventory: Inventory, sentences: Sequence[Forms], seed: int
    ) -> None:
        self.portions_read = 0
        self._seed, self._inventory, self._device = seed, inventory, chosen_device()
        self._types: dict[str, int] = {}
        self._sentences = [self._numbers(one) for one in sentences]
        self._spoken = [self._numbers(_as_spoken(one)) for one in sentences]
        self._batches = WordBatches(inventory, [inventory.code(form) for form in self._types])
        self._network = network.to(self._device)
        self._guesses = Guesses(len(inventory.forms) + 1, network.shape).to(self._device)
        self._layers = nn.ModuleList([network.words, network.causal, network.surroundings, self._guesses])
        self._optimizer = torch.optim.AdamW(
            self._layers.parameters(), RATE, betas=(0.9, 0.95), weight_decay=0.01, fused=True
        )

    def _numbers(self, sentence: Forms) -> Ints:
        return np.array([self._types.setdefault(form, len(self._types)) for form in sentence])

    def read_portion(self, show: Show) -> float:
        """Read the next of the portions, which has no sentence where there are few; return the mean loss."""
        generator = np.random.default_rng([self._seed, self.portions_read])
        torch.manual_seed(int(generator.integers(1 << 62)))
        batches = self._batches_of([*self._portion()], generator)
        done, total = self.portions_read * self._words // PORTIONS, self._words
        self._network.train()
        losses = []
        for number, sentences in enumerate(batches):
            left = 1 - (self.portions_read + number / len(batches)) / PORTIONS
            losses.append(self._learn(sentences, max(RATE * left, LOWEST_RATE), generator))
            done += sum(map(len, sentences))
            show(min(done, total), total)
        self.portions_read += 1
        return sum(losses) / max(len(losses), 1)

    @cached_property
    def _words(self) -> int:
        """Number of words to read in all."""
        return min(READ, MOST_TIMES * sum(map(len, self._sentences)))

    def _portion(self) -> Iterator[Ints]:
        """Yield the sentences of the next portion, some of them as spoken."""
        first, last = (self._words * (self.portions_read + more) // PORTIONS for more in (0, 1))
        read = 0
        for time in range(MOST_TIMES + 1):
            generator = np.random.default_rng([self._seed, PORTIONS, time])
            order = generator.permutation(len(self._sentences))
            are_spoken = generator.random(len(order)) < SPOKEN
            for number, is_spoken in zip(order, are_spoken, strict=True):
                if first <= read < last:
                    yield (self._spoken if is_spoken else self._sentences)[number]
                read += len(self._sentences[number])
                if read >= last:
                    return

    def _batches_of(self, sentences: Sequence[Ints], generator: np.random.Generator) -> list[list[Ints]]:
        """Return the sentences in batches of similar length, in random order."""
        batches: list[list[Ints]] = []
        for sentence in sorted(sentences, key=len):
            if not batches or len(sentence) * (len(batches[-1]) + 1) > LARGEST:
                batches.append([])
            batches[-1].append(sentence)
        return [batches[number] for number in generator.permutation(len(batches))]

    def _learn(self, sentences: Sequence[Ints], rate: float, generator: np.random.Generator) -> float:
        """Learn from a batch; return its loss."""
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._optimizer.zero_grad()
        loss = self._loss(sentences, generator)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self._layers.parameters(), LARGEST_GRADIENT)
        self._optimizer.step()
        return loss.item()

    def _loss(self, sentences: Sequence[Ints], generator: np.random.Generator) -> Tensor:
        """Return the mean loss of guesses at next words and at hidden ones."""
        network, guesses, count = self._network, self._guesses, len(sentences)
        inputs = self._inputs(sentences, generator)
        are_words = torch.from_numpy(_mask(sentences)).to(self._device)
        forms = inputs.forms * are_words
        are_hidden = are_words & (torch.rand(forms.shape, device=self._device) < HIDDEN)
        words = network.drop_inside(network.words(inputs)) * ~are_hidden[..., None]
        causal = network.causal(words)
        _, late = network.surroundings(inputs, words, causal)
        known = network.words.forms.weight
        behind_root = late[1 : len(forms) + 1, :count]
        of_next = guesses.loss(guesses.next, causal[:-1], known, forms[1:])
        return (of_next + guesses.loss(guesses.hidden, behind_root, known, forms * are_hidden)) / 2

    def _inputs(self, sentences: Sequence[Ints], generator: np.random.Generator) -> NodeInputs:
        sequences = Sequences(self._inventory, len(sentences))
        nodes = [sequences.whole_nodes(len(sentence), b) for b, sentence in enumerate(sentences)]
        inputs = NodeInputs(**self._batches.inputs(sentences, generator), **node_tensors(nodes))
        return inputs.to(self._device)

    def state(self) -> dict[str, Any]:
        """Return the state after a portion, from which reading can go on."""
        return {
            "portions": self.portions_read,
            "layers": self._layers.state_dict(),
            "optimizer": self._optimizer.state_dict(),
        }

    def go_on_from(self, state: Mapping[str, Any]) -> None:
        """Go on from a state of the same reading."""
        self._layers.load_state_dict(state["layers"])
        self._optimizer.load_state_dict(state["optimizer"])
        self.portions_read = state["portions"]


def _as_spoken(sentence: Forms) -> Forms:
    """Return the words in lower case without those that have neither letter nor digit; all if none has."""
    return [form.lower() for form in sentence if any(map(str.isalnum, form))] or sentence


def _mask(sentences: Sequence[Ints]) -> npt.NDArray[np.bool_]:
    """Return where there are words [place, sentence]."""
    lengths = np.array([*map(len, sentences)])
    return np.arange(lengths.max())[:, None] < lengths
