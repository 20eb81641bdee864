"""Initial configuration of a computation: only the root is on the stack, and no word has been read."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import kernel
from treewhile.oracles.kernels.followed_stacks import IDENTITY, describe_reference, place_stack
from treewhile.oracles.kernels.prefixes import place_any_stack
from treewhile.oracles.kernels.spans import WORD_HEAD
from treewhile.oracles.kernels.values import UNKNOWN


@kernel
def begin_with_facts(heads, table, memo, standing):
    """Go to the initial configuration for a projective reference."""
    describe_reference(heads, table)
    table[IDENTITY] = np.arange(heads.size + 1)
    place_stack(np.zeros(1, np.int32), 1, table, memo, standing)


@kernel
def begin_with_chart(heads, words, nodes, standing):
    """Go to the initial configuration for any reference."""
    words[WORD_HEAD, : heads.size], words[WORD_HEAD, heads.size] = heads, UNKNOWN
    place_any_stack(np.zeros(1, np.int32), 1, words, nodes, standing)
