"""Trees whose edges are changed one by one; `sibling_decoding` says which change is made."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.kernels.heads import lies_under


@helper
def note_side(head, end, step, heads, inner, outer):
    """Write a head's next dependents beside each word on one side: inwards, or itself; outwards, or 0."""
    last = head
    for word in range(head + step, end, step):
        inner[word] = last
        if heads[word] == head:
            last = word
    last = 0
    for word in range(end - step, head, -step):
        outer[word] = last
        if heads[word] == head:
            last = word


@kernel
def fill_worth(scores, siblings, heads, head, inner, outer, worth):
    """Fill worth[dependent]: the gain of a head by the dependent, or its loss without it."""
    note_side(head, len(heads), 1, heads, inner, outer)
    note_side(head, 0, -1, heads, inner, outer)
    for word in range(1, len(heads)):
        if word == head:
            worth[word] = -np.inf
            continue
        worth[word] = scores[head, word] + siblings[head, inner[word], word]
        if outer[word] > 0:
            parted = siblings[head, inner[word], outer[word]]
            worth[word] += siblings[head, word, outer[word]] - parted


@kernel
def best_change(heads, worth, single_root, interrupt):
    """Return the first of the best changes that leave a tree, as word and head; 0 and 0 without any gain.

    If interrupted it is any change.
    """
    best, best_word, best_head = 0.0, 0, 0
    for word in range(1, len(heads)):
        if interrupt[0]:
            break
        now = worth[heads[word], word]
        if now == np.inf or (single_root and heads[word] == 0):  # neighbours may not join
            continue
        for head in range(1 if single_root else 0, len(heads)):
            gain = worth[head, word] - now
            if gain > best and head != heads[word] and not lies_under(heads, word, head):
                best, best_word, best_head = gain, word, head
    return best_word, best_head


@kernel
def total_score(scores, siblings, heads):
    total, last = 0.0, np.arange(len(heads))  # [head]: its last dependent so far, or itself
    for word in range(1, len(heads)):
        head = heads[word]
        if head < word:
            total += scores[head, word] + siblings[head, last[head], word]
            last[head] = word
    last[:] = np.arange(len(heads))
    for word in range(len(heads) - 1, 0, -1):
        head = heads[word]
        if head > word:
            total += scores[head, word] + siblings[head, last[head], word]
            last[head] = word
    return total


@kernel
def rearrange(scores, siblings, heads, single_root, interrupt):
    """Make the best change as long as the score rises; return False if interrupted.

    The score is computed anew after each change: changes that gain a rounding error could go round in
    circles.
    """
    inner, outer = np.zeros(len(heads), np.int64), np.zeros(len(heads), np.int64)
    worth = np.empty(scores.shape, np.float64)
    for head in range(len(heads)):
        if interrupt[0]:
            return False
        fill_worth(scores, siblings, heads, head, inner, outer, worth[head])
    score = total_score(scores, siblings, heads)
    while True:
        word, head = best_change(heads, worth, single_root, interrupt)
        if interrupt[0]:
            return False
        if word == 0:
            return True
        before, heads[word] = heads[word], head
        changed = total_score(scores, siblings, heads)
        if changed <= score:
            heads[word] = before
            return True
        score = changed
        fill_worth(scores, siblings, heads, before, inner, outer, worth[before])
        fill_worth(scores, siblings, heads, head, inner, outer, worth[head])
