"""States of nodes from both sides, and all outputs of the network for nodes."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.kernels.arcs import arc_scores
from treewhile.incremental.parsers.kernels.compiled import kernel
from treewhile.incremental.parsers.kernels.products import add_products, outputs_of
from treewhile.incremental.parsers.kernels.recurrent import best_tags, run_recurrent
from treewhile.incremental.parsers.kernels.rows import write_at
from treewhile.oracles.compilation import helper

# Layers behind the words of a sentence: contributions of the tail's nodes to the gates of the left-to-right
# layer, [node, gate]; outputs of the second right-to-left layer in these nodes, [node, unit]; and [layer, 0
# or 1, unit], the outputs and the cells from which both right-to-left layers go on. A plain tuple, since the
# cache refers to a class by its place in the source.
Tail: TypeAlias = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.float32]]


@helper
def outputs_along(projected, firsts, lengths, towards, states, starts):
    return run_recurrent(projected, firsts, lengths, towards, states, starts)[0]


@kernel
def look_around(tops, gates, words, root, tail_of, tails, layers):
    """Return early[row, 2 * unit] of roots and words and late[node, 2 * unit] of all nodes, from both sides.

    The third value is the first node of each sequence (its root, its words and its tail), and the end of the
    last one. Of the words, words[sequence] many, tops[word, unit] are the causal states, gates[word, gate]
    the contributions to the first right-to-left layer; `root` has the same for the root. The layers are, one
    pair after the other, the weights of inputs and of states for the gates of the first right-to-left layer,
    the second left-to-right layer, and the second right-to-left layer.
    """
    first_inputs, first_states, left_inputs, left_states, right_inputs, right_states = layers
    sequences, units, rows = words.size, tops.shape[1], len(tops) + words.size
    here, forth, back = np.intp(0), np.intp(1), np.intp(-1)  # an int would be compiled separately

    # rows and nodes of the sequences, and the states from which layers begin
    lengths, lasts = np.empty(sequences, np.intp), np.empty(sequences, np.intp)
    bounds, sizes = np.empty(sequences + 1, np.intp), np.empty(sequences, np.intp)
    first_starts = np.empty((sequences, 2, units), np.float32)
    right_starts = np.empty((sequences, 2, units), np.float32)
    left_starts = np.empty((sequences, 2, units), np.float32)
    bounds[0], row = 0, -1
    for s in range(sequences):
        forward, _, states = tails[tail_of[s]]
        lengths[s] = words[s] + 1
        sizes[s] = lengths[s] + len(forward)
        row += lengths[s]
        lasts[s], bounds[s + 1] = row, bounds[s] + sizes[s]
        write_at(first_starts[s], here, here, states[0])
        write_at(right_starts[s], here, here, states[1])
        for unit in range(units):
            left_starts[s, 0, unit] = left_starts[s, 1, unit] = 0

    all_tops = np.empty((rows, units), np.float32)
    first = np.empty((rows, first_inputs[1].size), np.float32)
    word = 0
    for s in range(sequences):
        row, end = lasts[s] - words[s], word + words[s]
        write_at(all_tops, row, here, root[0])
        write_at(all_tops, row + 1, here, tops[word:end])
        write_at(first, row, here, root[1])
        write_at(first, row + 1, here, gates[word:end])
        word = end
    add_products(all_tops, first_inputs[0], first_inputs[1], first)
    early = np.empty((rows, 2 * units), np.float32)
    write_at(early, here, here, all_tops)
    write_at(early, here, units, outputs_along(first, lasts, lengths, back, first_states, first_starts))
    of_rows, from_right = outputs_of(left_inputs, early), outputs_of(right_inputs, early)
    right = outputs_along(from_right, lasts, lengths, back, right_states, right_starts)

    of_nodes = np.empty((bounds[sequences], of_rows.shape[1]), np.float32)
    late = np.empty((bounds[sequences], 2 * units), np.float32)
    for s in range(sequences):
        forward, from_right, _ = tails[tail_of[s]]
        row, node, tail = lasts[s] - words[s], bounds[s], bounds[s] + lengths[s]
        write_at(of_nodes, node, here, of_rows[row : row + lengths[s]])
        write_at(of_nodes, tail, here, forward)
        write_at(late, node, units, right[row : row + lengths[s]])
        write_at(late, tail, units, from_right)
    write_at(late, here, here, outputs_along(of_nodes, bounds[:-1], sizes, forth, left_states, left_starts))
    return early, late, bounds


@kernel
def judge_nodes(tops, gates, words, root, tail_of, tails, layers, tagger, arcs, labels):
    """Return all outputs of the network for the nodes of some sequences, in one call.

    The outputs are those of `look_around`, then the scores of arcs, the contributions of nodes to labels as
    heads and as children, and the likeliest tags and features of roots and words.
    """
    early, late, bounds = look_around(tops, gates, words, root, tail_of, tails, layers)
    scores = arc_scores(late, bounds, arcs[0], arcs[1], arcs[2])
    as_head, as_child = outputs_of(labels[0], late), outputs_of(labels[1], late)
    tags, features = best_tags(tagger[0], tagger[1], tagger[2], early)
    return early, late, bounds, scores, as_head, as_child, tags, features
