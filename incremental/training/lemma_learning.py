"""Learning of lemmas and XPOS on the states of a finished parser, which is not changed.

The states of all words are computed once. After learning, the lemmas that the layers get wrong in the
training data, although form and tag decide them, become exceptions, those first that gain most.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from treewhile.incremental.parsers.inventories import CHARACTER_CLASSES
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.lemma_layers import (
    LEMMAS,
    LemmaClasses,
    LemmaLayers,
    LemmaShape,
    lemma_shapes,
    letters_of,
)
from treewhile.incremental.parsers.lemma_rules import RuleIndex, rule_classes
from treewhile.incremental.parsers.model_files import ModelFile, rounded
from treewhile.incremental.parsers.network_shapes import SLOPE
from treewhile.incremental.parsers.parsing import Model, snapshot_of
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles.errors import InputError

NONE: Final = "_"  # lemma or XPOS of a word that has none
UNKNOWN: Final = -100  # number of a rule or an XPOS that is not learnt

BATCH: Final = 256  # words
RATE: Final = 4e-3
LEAST_RATE: Final = 0.02  # share of the rate at the end
SMOOTHING: Final = 0.05  # of labels
EXCEPTIONS: Final = 40_000  # bytes of exceptions at most
MOST_KNOWN: Final = 20_000  # lemmas with tags
TOGETHER: Final = 16  # sentences whose states are computed at once

SHAPE: Final = LemmaShape()


class TaggedWords(NamedTuple):
    """Words of a treebank with their lemmas and XPOS, and the states and tags that a model gives them."""

    forms: Sequence[str]
    lemmas: Sequence[str]
    xpos: Sequence[str]
    tags: Sequence[int]  # their numbers
    states: npt.NDArray[np.float16]  # [word, unit]

    def with_lemmas_of(self, other: TaggedWords) -> TaggedWords:
        """Return the words with those of another treebank, whose XPOS are left out."""
        return TaggedWords(
            [*self.forms, *other.forms],
            [*self.lemmas, *other.lemmas],
            [*self.xpos, *[NONE] * len(other.forms)],
            [*self.tags, *other.tags],
            np.concatenate([self.states, other.states]),
        )


def tagged_words(
    model: Model, sentences: Sequence[Sentence], advance: Callable[[int], object] = lambda sentences: None
) -> TaggedWords:
    """Return the words of a treebank; raise InputError if it has no lemmas."""
    words = [word for sentence in sentences for word in sentence.words]
    if all(word.lemma == NONE for word in words):
        raise InputError("the treebank has no lemmas to learn or to score: give one that has")
    states: list[npt.NDArray[np.float16]] = []
    tags: list[int] = []
    for start in range(0, len(sentences), TOGETHER):
        some = sentences[start : start + TOGETHER]
        around = model.around([snapshot_of(model, [word.form for word in one.words]) for one in some])
        for numbers, _ in model.network.surroundings.tags(around):
            tags += numbers.tolist()
        behind = np.cumsum(around.lengths + 1)
        states += [
            around.early[end - size : end].astype(np.float16)
            for end, size in zip(behind, around.lengths, strict=True)
        ]
        advance(len(some))
    forms, lemmas, xpos = zip(*((word.form, word.lemma, word.xpos) for word in words), strict=True)
    return TaggedWords(forms, lemmas, xpos, tags, np.concatenate(states))


class Layers(nn.Module):
    """Layers in training: logits of rules, then of XPOS."""

    def __init__(self, shapes: Mapping[str, Sequence[int]]) -> None:
        super().__init__()
        characters, letter = shapes[f"{LEMMAS}.letters.weight"]
        self.letters = nn.Embedding(characters, letter)
        nn.init.normal_(self.letters.weight, std=0.5)
        (units, inputs), (outputs, _) = (shapes[f"{LEMMAS}.{name}.weight"] for name in ("hidden", "output"))
        self.hidden, self.output = nn.Linear(inputs, units), nn.Linear(units, outputs)

    def forward(self, states: Tensor, letters: Tensor) -> Tensor:
        dropped = functional.dropout(states, 0.2, self.training)
        spelled = functional.dropout(self.letters(letters).flatten(1), 0.1, self.training)
        hidden = functional.leaky_relu(self.hidden(torch.cat([dropped, spelled], 1)), SLOPE)
        scores: Tensor = self.output(functional.dropout(hidden, 0.2, self.training))
        return scores


class LemmaLearner:
    """Layers in training for the lemmas and XPOS of words; `run` is the fingerprint of data and settings."""

    def __init__(self, model: Model, words: TaggedWords, epochs: int, seed: int, run: str = "") -> None:
        self._words, self._epochs, self._seed, self._run = words, epochs, seed, run
        self._inventory = model.inventory
        pairs = [pair for pair in zip(words.forms, words.lemmas, strict=True) if pair[1] != NONE]
        xpos = Counter(one for one in words.xpos if one != NONE)
        rules, known = rule_classes(pairs), known_lemmas(words)
        self._classes = LemmaClasses(rules, tuple(one for one, _ in xpos.most_common()), {}, known)
        self._letters = torch.tensor([letters_of(form, model.inventory) for form in words.forms])
        self._rules, self._xpos = self._truth()
        torch.manual_seed(seed)
        characters = len(model.inventory.characters) + len(CHARACTER_CLASSES)
        outputs = len(self._classes.rules) + len(self._classes.xpos)
        self._layers = Layers(lemma_shapes(model.network.causal.width, SHAPE, characters, outputs))
        self._optimizer = torch.optim.AdamW(self._layers.parameters(), RATE, weight_decay=0.02)
        batches = epochs * -(-len(words.forms) // BATCH)
        self._rates = torch.optim.lr_scheduler.LinearLR(self._optimizer, 1.0, LEAST_RATE, batches)
        self.epochs_done = 0

    @property
    def is_done(self) -> bool:
        return self.epochs_done >= self._epochs

    def _truth(self) -> tuple[Tensor, Tensor]:
        """Return [word, place]: numbers of all rules that give its lemma; and the numbers of XPOS."""
        pairs = [*zip(self._words.forms, self._words.lemmas, strict=True)]
        index, xpos = RuleIndex(self._classes.rules), {one: at for at, one in enumerate(self._classes.xpos)}
        giving = {pair: index.giving(*pair) if pair[1] != NONE else [] for pair in {*pairs}}
        places = max(1, *map(len, giving.values()))
        rules = [giving[pair] + [UNKNOWN] * (places - len(giving[pair])) for pair in pairs]
        return torch.tensor(rules), torch.tensor([xpos.get(one, UNKNOWN) for one in self._words.xpos])

    def epoch(self, advance: Callable[[int], object] = lambda words: None) -> float:
        """Learn from every word once; return the mean loss of a word."""
        torch.manual_seed(self._seed * 1000 + self.epochs_done)
        self._layers.train()
        loss = 0.0
        for batch in torch.split(torch.randperm(len(self._words.forms)), BATCH):
            loss += self._learn(batch) * len(batch)
            advance(len(batch))
        self.epochs_done += 1
        return loss / len(self._words.forms)

    def _learn(self, batch: Tensor) -> float:
        self._optimizer.zero_grad()
        states = torch.from_numpy(self._words.states[batch.numpy()]).float()
        scores = self._layers(states, self._letters[batch])
        rules = len(self._classes.rules)
        of_rules, of_xpos = scores[:, :rules], scores[:, rules:]
        loss = _loss(of_rules, self._rules[batch]) + _loss(of_xpos, self._xpos[batch, None])
        loss.backward()  # type: ignore[no-untyped-call]
        self._optimizer.step()
        self._rates.step()
        return loss.item()

    def scores(self, words: TaggedWords) -> dict[str, float]:
        """Return the percentages of right lemmas and XPOS, where a word has some, without exceptions."""
        return scores_of(LemmaLayers(self._arrays(), self._classes, self._inventory), words)

    def _arrays(self) -> dict[str, Array]:
        named = self._layers.state_dict().items()
        return rounded({f"{LEMMAS}.{name}": value.numpy().copy() for name, value in named})

    def state(self) -> dict[str, Any]:
        """Return the state of the training, for a checkpoint."""
        return {
            "run": self._run,
            "epochs": self.epochs_done,
            "layers": self._layers.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "rates": self._rates.state_dict(),
        }

    def go_on_from(self, state: Mapping[str, Any]) -> None:
        """Go on from the state of a training; raise InputError if its data or settings were others."""
        if state.get("run") != self._run:
            raise InputError(
                "the checkpoint is of another model, other treebanks or settings: "
                "give the same ones, or delete it to begin anew"
            )
        self._layers.load_state_dict(state["layers"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._rates.load_state_dict(state["rates"])
        self.epochs_done = state["epochs"]

    def added_to(self, file: ModelFile, dev: TaggedWords, told: Mapping[str, object]) -> ModelFile:
        """Return the model with the learnt layers, which fit only this model, and information on these."""
        arrays = self._arrays()
        exceptions = exceptions_of(LemmaLayers(arrays, self._classes, self._inventory), self._words)
        layers = LemmaLayers(arrays, self._classes._replace(exceptions=exceptions), self._inventory)
        by_tag: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for (form, tag), lemma in exceptions.items():
            by_tag[self._inventory.tags[tag]][form] = lemma
        said = {
            **SHAPE._asdict(),
            "rules": [*map(str, self._classes.rules)],
            "xpos": self._classes.xpos,
            "exceptions": by_tag,
            "known": {
                tag: " ".join(lemma for lemma, numbers in self._classes.known.items() if number in numbers)
                for number, tag in enumerate(self._inventory.tags)
            },
            **told,
            "scores": {name: round(score, 2) for name, score in scores_of(layers, dev).items()},
        }
        return ModelFile({**file.arrays, **arrays}, {**file.information, LEMMAS: said})


def _loss(scores: Tensor, truth: Tensor) -> Tensor:
    """Return the mean loss of choosing any of the right classes, of words of which one is known."""
    is_known = truth[:, 0] != UNKNOWN
    if not is_known.any():
        return scores.sum() * 0  # the mean over no words would be none
    logarithms, right = functional.log_softmax(scores[is_known], 1), truth[is_known]
    of_right = logarithms.gather(1, right.clamp(min=0)).masked_fill(right == UNKNOWN, -torch.inf)
    return -(1 - SMOOTHING) * of_right.logsumexp(1).mean() - SMOOTHING * logarithms.mean()


def scores_of(layers: LemmaLayers, words: TaggedWords) -> dict[str, float]:
    """Return the percentages of the words whose lemmas and XPOS are right, among those that have some."""
    lemmas, xpos = found_by(layers, words)
    columns = {"LEMMA": (lemmas, words.lemmas), "XPOS": (xpos, words.xpos)}
    return {
        name: 100
        * float(np.mean([one == right for one, right in zip(found, gold, strict=True) if right != NONE]))
        for name, (found, gold) in columns.items()
        if found and {*gold} != {NONE}
    }


def found_by(layers: LemmaLayers, words: TaggedWords) -> tuple[list[str], list[str]]:
    """Return the lemmas and XPOS that layers predict for the words of a treebank."""
    lemmas: list[str] = []
    xpos: list[str] = []
    for start in range(0, len(words.forms), 1 << 10):
        part = slice(start, start + (1 << 10))
        found = layers.of(words.states[part].astype(np.float32), words.forms[part], words.tags[part])
        lemmas += found.lemmas
        xpos += found.xpos
    return lemmas, xpos


def known_lemmas(words: TaggedWords) -> dict[str, frozenset[int]]:
    """Return the lemmas of words with the numbers of their tags, the most frequent ones if there are many."""
    counts = Counter(
        (lemma, tag)
        for lemma, tag in zip(words.lemmas, words.tags, strict=True)
        if lemma != NONE and lemma.split() == [lemma]
    )
    known: defaultdict[str, set[int]] = defaultdict(set)
    for (lemma, tag), _ in counts.most_common(MOST_KNOWN):
        known[lemma].add(tag)
    return {lemma: frozenset(tags) for lemma, tags in known.items()}


def exceptions_of(layers: LemmaLayers, words: TaggedWords) -> dict[tuple[str, int], str]:
    """Return the lemmas by lower-cased form and tag that gain words in training, as many as there is room."""
    seen: defaultdict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    right: Counter[tuple[str, int]] = Counter()
    found, _ = found_by(layers, words)
    for form, tag, lemma, one in zip(words.forms, words.tags, words.lemmas, found, strict=True):
        key = form.lower(), tag
        right[key] += lemma == one
        if lemma != NONE:
            seen[key][lemma] += 1
    gains = [
        (count - right[key], key, lemma)
        for key, lemmas in seen.items()
        for lemma, count in lemmas.most_common(1)
    ]
    chosen, size = {}, 0
    for gain, key, lemma in sorted(gains, key=lambda one: (-one[0], one[1])):
        size += len(f'"{key[0]}":"{lemma}",'.encode())
        if gain <= 0 or size > EXCEPTIONS:
            break
        chosen[key] = lemma
    return chosen
