"""Hash table of facts, which also numbers the nodes: a word on top of a stack."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.kernels.standings import FACTS, NODES

# Columns of the memo: a key of two numbers, the first not negative, and its value.
MEMO_COLUMNS = 3
KEY, KEY_BESIDE, VALUE = range(MEMO_COLUMNS)

STATE_BITS = 5  # low bits of the second number of a key
LINK = 31  # not a state of a situation: marks the node of a word upon another node


@kernel
def memo_rows(levels):
    """Return a power of two of rows in which the facts about a stack usually fit."""
    rows = 64
    while rows <= 16 * levels + 64:
        rows *= 2
    return rows


@kernel
def empty_memo(memo, standing):
    memo[:, KEY] = -1
    standing[FACTS], standing[NODES] = 0, 0


@helper
def find_fact(memo, a, b):
    """Return the row of the memo with the key (a, b), or the empty one where it belongs."""
    low, high = a & 0xFFFFFFFF, a >> 32
    mixed = (
        (low * 0x2545F491) ^ (high * 0x1B873593) ^ ((b & 0xFFFFFFFF) * 0x5851F42D) ^ ((b >> 32) * 0x14057B7E)
    )
    mixed ^= mixed >> 29
    mask = memo.shape[0] - 1
    at = mixed & mask
    while memo[at, KEY] >= 0 and (memo[at, KEY] != a or memo[at, KEY_BESIDE] != b):
        at = (at + 1) & mask
    return at


@helper
def store(memo, standing, at, a, b, value):
    memo[at, KEY], memo[at, KEY_BESIDE], memo[at, VALUE] = a, b, value
    standing[FACTS] += 1


@kernel
def link(memo, standing, below, identity):
    """Return the number of the node of a word upon a node, always the same for the same two."""
    a, b = np.int64(below) << 32 | identity, np.int64(LINK)
    at = find_fact(memo, a, b)
    if memo[at, KEY] < 0:
        standing[NODES] += 1
        store(memo, standing, at, a, b, standing[NODES])
    return memo[at, VALUE]
