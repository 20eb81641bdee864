"""Where sentences end by words alone: the layers of the signal on vectors of the last three words.

What the parser adds is what they lack: they learn from the same prefixes in the same way, but for the
vectors, which are learnt along.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from treewhile.incremental.parsers.completeness_layers import LENGTHS, inputs_of
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.scores.completeness_scores import LabelledPrefixes
from treewhile.incremental.training.completeness_learning import Layers, fit

SEEN: Final = 3  # words
NUMBERS: Final = 64  # of the vector of a word
RARE: Final = 2  # words that are not more frequent share one vector; most stand there twice, said and written
NO_WORD, RARE_WORD, FIRST = 0, 1, 2


class WordsAlone:
    """The layers and the vectors that they read."""

    def __init__(self, material: Sequence[LabelledPrefixes], seed: int = 1) -> None:
        times = Counter(word for one in material for word in one.words)
        frequent = [word for word, count in times.items() if count > RARE]
        self._numbers = {word: number for number, word in enumerate(frequent, FIRST)}
        torch.manual_seed(seed)
        self._network = _Network(FIRST + len(frequent))
        fit(self._network, self._inputs(material), material)
        self._network.eval()

    def chances(self, material: Sequence[LabelledPrefixes]) -> Array:
        """[prefix, whether it may end and does]: probabilities."""
        with torch.no_grad():
            found: Array = self._network(self._inputs(material)).sigmoid().numpy()
        return found

    def _inputs(self, material: Sequence[LabelledPrefixes]) -> Tensor:
        """[prefix, input]: the numbers of the last words, and how many words there are."""
        last = [numbers for one in material for numbers in self._last(one)]
        counts = [count for one in material for count in one.counts]
        return torch.from_numpy(inputs_of(np.array(last, np.float32).reshape(-1, SEEN), counts))

    def _last(self, one: LabelledPrefixes) -> list[list[int]]:
        words = [NO_WORD] * SEEN + [self._numbers.get(word, RARE_WORD) for word in one.words]
        return [words[count : count + SEEN] for count in one.counts]


class _Network(nn.Module):
    def __init__(self, words: int) -> None:
        super().__init__()
        self.vectors, self.layers = nn.Embedding(words, NUMBERS), Layers(SEEN * NUMBERS + LENGTHS)

    def forward(self, inputs: Tensor) -> Tensor:
        vectors = self.vectors(inputs[:, :SEEN].long()).flatten(1)
        scores: Tensor = self.layers(torch.cat([vectors, inputs[:, SEEN:]], 1))
        return scores
