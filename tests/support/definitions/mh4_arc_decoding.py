"""Best MH4 tree of a prefix or a sentence, by the recurrence in plain Python and by the kernel."""

from __future__ import annotations

import numpy as np

from definitions.four_heads import best_by_definition
from treewhile.incremental.parsers.arc_decoding import (
    Decoded,
    Scores,
    Weights,
    possible,
    prefix_weights,
    sentence_weights,
)
from treewhile.incremental.parsers.mh4_arc_decoding import best_mh4_tree, prefix_places
from treewhile.incremental.parsers.nodes import Numbers, to_signed
from treewhile.oracles.trees.kernels.four_heads import PLAIN_ROOT, ROOT


def decode_mh4_sentence(scores: Scores) -> Decoded:
    """The best MH4 tree in which one word is under the root, by scores as `decode_sentence` takes them."""
    return _decoded(*best_mh4_tree(sentence_weights(scores)))


def decode_mh4_prefix(scores: Scores, virtual: int) -> Decoded:
    """The best MH4 tree of a prefix, by scores as `decode_prefix` takes them."""
    return _decoded(*best_mh4_tree(prefix_weights(scores, virtual)))


def decode_mh4_by_definition(weights: Weights) -> Decoded:
    """What the recurrence says: the judge of the kernel, for a dozen nodes."""
    heads = np.full(weights.later - 1, weights.unused, np.int32)
    if weights.t:
        places = prefix_places(weights)
        ways = [best_by_definition(places, first) for first in (PLAIN_ROOT, ROOT)]
        for node, head in max(ways, key=lambda way: way[0])[1]:
            heads[node - 1] = head
    score = float(weights.weight[heads, np.arange(1, len(heads) + 1)].sum(dtype=np.float64))
    possible(score)
    return _decoded(heads, score)


def _decoded(heads: Numbers, score: float) -> Decoded:
    return Decoded(to_signed(heads), score)
