"""Learning of a `Segmenter` from a treebank: its text is joined again, then cut as in the treebank.

Two small networks learn with torch, and from the first third of the steps on with weights rounded to the
whole numbers of the finished segmenter. The training data are the text of the treebank, and the same text in
passages that are laid out as lists, as dialogues and so on, with names, addresses and the like inserted. Part
of the examples have their text end at any character, as while somebody types. Splits of multiword tokens are
counted, not trained.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from typing import Any, Final, TypeAlias

import numpy as np
import torch
from torch.autograd import backward
from torch.optim import Adam

from treewhile.incremental.texts.alphabets import Alphabet
from treewhile.incremental.texts.classifiers import Classifier
from treewhile.incremental.texts.segmenter import Segmenter
from treewhile.incremental.texts.splits import Split, Splits, is_form, lower_case
from treewhile.incremental.texts.treebank_texts import treebank_text
from treewhile.incremental.training.checkpoints import TimedCheckpoint, fingerprint
from treewhile.incremental.training.clitics import verbs_with_clitics
from treewhile.incremental.training.segmenter_network import SegmenterNetwork
from treewhile.incremental.training.segmenter_samples import (
    BATCH,
    Rounds,
    Samples,
    labelled_texts,
    sample_batch,
    sentence_samples,
    token_samples,
    varied_texts,
    vocabulary,
)
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles.errors import InputError

LONGEST_CONTEXT = 2  # characters before the removed ones that may belong to a known ending
LEAST_TYPES = 3  # tokens that have to show the split of an ending


def learn_splits(tokens: Counter[tuple[str, tuple[str, ...]]]) -> Splits:
    """Return the splits of multiword tokens, from counts of forms for each surface.

    A token gets its most frequent split. An ending counts each token with it once; of two endings the longer
    one decides, so endings that add nothing are left out, and then the tokens that their endings decide well.
    """
    splits = _usual_splits(tokens)
    endings = _without_needless(_usual_endings(splits))
    by_ending = Splits({}, endings)
    by_token = {
        surface: split
        for surface, split in splits.items()
        if _words(split, surface) != by_ending.words(surface)
    }
    return Splits(by_token, endings)


def _usual_splits(tokens: Counter[tuple[str, tuple[str, ...]]]) -> dict[str, Split | None]:
    counts: defaultdict[str, Counter[Split | None]] = defaultdict(Counter)
    for (surface, forms), times in tokens.items():
        counts[lower_case(surface)][_split(lower_case(surface), forms)] += times
    return {surface: splits.most_common(1)[0][0] for surface, splits in counts.items()}


def _split(surface: str, forms: Sequence[str]) -> Split | None:
    if len(forms) < 2 or not all(map(is_form, forms)):
        return None
    first, *others = map(lower_case, forms)
    kept = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(surface, first, strict=False)))
    return Split(len(surface) - kept, first[kept:], tuple(others))


def _usual_endings(splits: dict[str, Split | None]) -> dict[str, Split | None]:
    """Return the most frequent split of tokens by ending, where the ending is removed in one of the tokens.

    A few characters before the removed ones may belong to the ending. It is as long as what is removed.
    """
    go = {surface[-split.strip :] for surface, split in splits.items() if split and split.strip}
    longest = max(map(len, go), default=0) + LONGEST_CONTEXT
    counts: defaultdict[str, Counter[Split | None]] = defaultdict(Counter)
    for surface, split in splits.items():
        for at in range(max(1, len(surface) - longest), len(surface)):
            if any(surface[at + more :] in go for more in range(LONGEST_CONTEXT + 1)):
                counts[surface[at:]][split] += 1
    usual = {ending: times.most_common(1)[0] for ending, times in counts.items()}
    return {
        ending: split
        for ending, (split, times) in usual.items()
        if times >= LEAST_TYPES and (split is None or split.strip <= len(ending))
    }


def _without_needless(endings: dict[str, Split | None]) -> dict[str, Split | None]:
    """Return the endings with another split than the longest known ending within them."""
    needed: dict[str, Split | None] = {}
    for ending in sorted(endings, key=len):
        shorter = next((ending[at:] for at in range(1, len(ending)) if ending[at:] in needed), None)
        if endings[ending] != (needed[shorter] if shorter else None):
            needed[ending] = endings[ending]
    return needed


def _words(split: Split | None, surface: str) -> tuple[str, ...]:
    return split.words(surface) if split else (surface,)


Progress: TypeAlias = Callable[[int, int], None]  # steps done, steps in all

TOKEN_ROUNDS, SENTENCE_ROUNDS = 12, 8
RATE, WARM_UP = 0.003, 0.03  # WARM_UP is a share of the steps
WHOLE_FROM: Final = 0.3  # share of the steps after which weights are whole numbers


def train_segmenter(
    sentences: Sequence[Sentence],
    seed: int,
    *,
    least_steps: int = 1500,
    progress: Progress | None = None,
    checkpoint: TimedCheckpoint | None = None,
) -> Segmenter:
    """Return the segmenter of a treebank; the same sentences and seed give the same one.

    Large treebanks take more than `least_steps` for each of the two classifiers. Training goes on from a
    checkpoint of the same sentences, with the same result as without an interruption.
    """
    text = treebank_text(sentences)
    if not text.tokens:
        raise InputError("the treebank has no sentences, give it some to learn from")
    random = np.random.default_rng(seed)
    if "\n\n" not in text.white_space:
        text.make_paragraphs(random)
    texts = [text, *varied_texts(text, random)]
    labelled = labelled_texts(texts, Alphabet(vocabulary(texts)), text.tokens)
    samples = token_samples(labelled), sentence_samples(labelled)
    run = fingerprint(seed, least_steps, *sentences)
    training = _Training(seed, _steps(samples, least_steps), progress, checkpoint, run)
    token_ends, sentence_ends = (training.classifier(one, labelled.alphabet) for one in samples)
    splits = learn_splits(text.tokens + verbs_with_clitics(text.tokens))
    return Segmenter(
        labelled.alphabet, labelled.joins_spaces, labelled.asked, token_ends, sentence_ends, splits
    )


def _steps(samples: Sequence[Samples], least_steps: int) -> list[int]:
    """Return the number of training steps of each classifier."""
    wanted = [
        -(-times * len(one) // BATCH)
        for one, times in zip(samples, (TOKEN_ROUNDS, SENTENCE_ROUNDS), strict=True)
    ]
    return [max(least_steps, one) if one else 0 for one in wanted]


class _Training:
    """Training of classifiers, one after the other, from a checkpoint if there is one."""

    def __init__(
        self,
        seed: int,
        steps: Sequence[int],
        progress: Progress | None,
        checkpoint: TimedCheckpoint | None,
        run: str,
    ) -> None:
        self._seed, self._steps, self._progress = seed, steps, progress
        self._checkpoint, self._run = checkpoint, run
        known = checkpoint.read() if checkpoint else {}
        self._known: list[dict[str, Any]] = known["classifiers"] if known.get("run") == run else []
        self._learnt: list[dict[str, Any]] = []  # last state of each finished classifier

    def classifier(self, samples: Samples, alphabet: Alphabet) -> Classifier:
        """Return the next classifier, after all its steps."""
        number = len(self._learnt)
        network = SegmenterNetwork(samples, alphabet, self._seed)
        learning = _Learning(network, samples, self._steps[number], self._seed)
        if number < len(self._known):
            learning.go_on_from(self._known[number])
        with _one_thread():
            for _ in range(learning.step, self._steps[number]):
                learning.take_step()
                self._tell(learning)
        self._learnt.append(learning.state())
        return network.classifier(samples)

    def _tell(self, learning: _Learning) -> None:
        done = sum(self._steps[: len(self._learnt)]) + learning.step
        if self._progress:
            self._progress(done, sum(self._steps))
        if self._checkpoint and self._checkpoint.is_due:
            self._checkpoint.write({"run": self._run, "classifiers": [*self._learnt, learning.state()]})


@contextmanager
def _one_thread() -> Iterator[None]:
    """Compute in one thread within the block: with more, sums come in another order at every run."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


class _Learning:
    """Classifier in training."""

    def __init__(self, network: SegmenterNetwork, samples: Samples, steps: int, seed: int) -> None:
        self._network, self._samples, self._steps = network, samples, steps
        self._random = np.random.default_rng(seed)
        self._rounds = Rounds(len(samples), self._random)
        self._optimizer = Adam(network.parameters, lr=RATE)
        self.step = 0

    def take_step(self) -> None:
        """Train on the next batch."""
        rate = RATE * min(1, (self.step + 1) / (WARM_UP * self._steps)) * (1 - self.step / self._steps)
        self._optimizer.param_groups[0]["lr"] = rate
        batch = sample_batch(self._samples, self._rounds.next(), self._network.classes, self._random)
        loss = self._network.loss(batch, are_whole=self.step >= WHOLE_FROM * self._steps)
        self._optimizer.zero_grad()
        backward(loss)
        self._optimizer.step()
        self.step += 1

    def state(self) -> dict[str, Any]:
        """Return the state from which training goes on."""
        return {
            "step": self.step,
            "network": self._network.state(),
            "optimizer": self._optimizer.state_dict(),
            "rounds": self._rounds.state(),
        }

    def go_on_from(self, state: dict[str, Any]) -> None:
        """Go on from a state of the same classifier."""
        self._network.go_on_from(state["network"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._rounds.go_on_from(state["rounds"])
        self.step = state["step"]
