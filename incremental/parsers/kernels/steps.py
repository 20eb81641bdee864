"""Greedy steps: choice of the best step, and its effect."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers import shift_reduce
from treewhile.incremental.parsers.kernels.compiled import kernel
from treewhile.incremental.parsers.kernels.products import WIDE, add_products, outputs_of
from treewhile.incremental.parsers.kernels.recurrent import take_and_tag_word
from treewhile.incremental.parsers.kernels.rows import add_to, copy_to, place_of_best, rectify
from treewhile.incremental.parsers.network_shapes import ROLES
from treewhile.incremental.parsers.shift_reduce import (
    AHEAD,
    END,
    HIDDEN,
    IS_FINAL,
    MUST_SHIFT,
    NONE,
    ROOT,
    SHIFT,
)
from treewhile.oracles.compilation import helper

# Computation in arrays: nodes[STACK, place], and the outermost children nodes[LEFTMOST or RIGHTMOST, node];
# taken[step], by which steps are undone; counts, as named; and the cached contributions of words in their
# roles: parts[slot, hidden] of slots[slot]. `LabelledComputation` is the same in Python.
STACK, LEFTMOST, RIGHTMOST = range(3)
CLASS, CHILD, HEAD, OUTERMOST_BEFORE = range(4)
NODE_ROWS, COUNTS = 3, 5
FRONT, DEPTH, STEPS, WAITS, USES = range(
    COUNTS
)  # WAITS: the last answer was to shift a word that had not come
WORD, ROLE, LAST_USE = range(3)
FIRST_AHEAD, MOST_AHEAD = AHEAD[0], len(AHEAD)
Computation: TypeAlias = tuple[
    npt.NDArray[np.int32],  # nodes
    npt.NDArray[np.int32],  # taken
    npt.NDArray[np.int64],  # counts
    npt.NDArray[np.int64],  # slots
    npt.NDArray[np.float32],  # parts
]


situation = helper(shift_reduce.situation)


@helper
def sums_of_steps(parts, bias, hidden, steps):
    """Return the score of every class of step, then PATIENCE, given the contributions parts[role][hidden]."""
    sums = np.zeros((1, bias.size), np.float32)
    for role in range(len(parts)):
        add_to(sums[0], parts[role])
    return scores_of_sums(sums, bias, hidden, steps)


@helper
def scores_of_sums(sums, bias, hidden, steps):
    """Return the same scores, given sums[0, hidden] over the parts of all roles, which are changed."""
    add_to(sums[0], bias)
    rectify(sums[0])
    units = outputs_of(hidden, sums)
    rectify(units[0])
    return outputs_of(steps, units)[0, : steps[WIDE]]


@kernel
def step_scores(parts, bias, hidden, steps):
    """Return `sums_of_steps`, as a kernel of its own."""
    return sums_of_steps(parts, bias, hidden, steps)


@helper
def write_part(top, weight, scale, part):
    """Write the contribution of the state of a word in a role."""
    outputs = np.zeros((1, scale.size), np.float32)
    add_products(top.reshape(1, -1), weight, scale, outputs)
    copy_to(part, outputs[0])


@helper
def best_of(scores, barred):
    """Return the best class, and the scores with -inf for barred classes."""
    add_to(scores[: barred.size], barred)
    return place_of_best(scores, barred.size), scores


@helper
def role_of_ahead(place, front, n, ahead, is_closed):
    if front + place <= n:
        return front + place if place < ahead else HIDDEN
    return END if is_closed and (front > n or place < ahead) else HIDDEN


@helper
def write_roles(nodes, front, depth, n, ahead, is_closed, roles):
    """Write the words in the roles, or the codes for missing words."""
    for place in range(3):
        node = nodes[STACK, depth - 1 - place] if place < depth else NONE
        roles[place] = ROOT if place < depth and node == 0 else node
        if place < 2:
            roles[3 + 2 * place] = nodes[LEFTMOST, node] if place < depth else NONE
            roles[4 + 2 * place] = nodes[RIGHTMOST, node] if place < depth else NONE
    for place in range(MOST_AHEAD):
        roles[FIRST_AHEAD + place] = role_of_ahead(place, front, n, ahead, is_closed)


@helper
def slot_of(slots, word, role):
    """Return the slot of a word in a role; if there is none, the least recently used one."""
    oldest = 0
    for slot in range(len(slots)):
        if slots[slot, WORD] == word and slots[slot, ROLE] == role:
            return slot
        if slots[slot, LAST_USE] < slots[oldest, LAST_USE]:
            oldest = slot
    return oldest


@helper
def forget_words(slots, t):
    """Forget the parts of words after t."""
    for slot in range(len(slots)):
        if slots[slot, WORD] > t:
            slots[slot, WORD], slots[slot, LAST_USE] = 0, 0


@helper
def best_step_of(roles, tops, computation, layers, missing_roles, barred):
    """Return the best class of step, all scores and PATIENCE, with these words, or none, in the roles."""
    _, _, counts, slots, parts = computation
    weights, scales, bias, hidden, steps = layers
    sums = np.zeros((1, bias.size), np.float32)
    counts[USES] += 1
    for role in range(len(roles)):
        word = roles[role]
        if word > 0:
            slot = slot_of(slots, word, role)
            if slots[slot, WORD] != word or slots[slot, ROLE] != role:
                slots[slot, WORD], slots[slot, ROLE] = word, role
                write_part(tops[word - 1], weights[role], scales[role], parts[slot])
            slots[slot, LAST_USE] = counts[USES]
        add_to(sums[0], parts[slot] if word > 0 else missing_roles[-word, role])
    return best_of(scores_of_sums(sums, bias, hidden, steps), barred)


@kernel
def take_class(step, kinds, computation):
    """Take the step of a class."""
    nodes, taken, counts, _, _ = computation
    stack, row = nodes[STACK], taken[counts[STEPS]]
    counts[STEPS] += 1
    counts[WAITS] = False
    row[CLASS], row[CHILD] = step, 0
    if step == SHIFT:
        stack[counts[DEPTH]] = counts[FRONT]
        counts[FRONT] += 1
        counts[DEPTH] += 1
        return
    top = counts[DEPTH] - 1
    side = LEFTMOST if step > kinds else RIGHTMOST
    child, head = (stack[top - 1], stack[top]) if side == LEFTMOST else (stack[top], stack[top - 1])
    stack[top - 1] = head
    counts[DEPTH] -= 1
    row[CHILD], row[HEAD], row[OUTERMOST_BEFORE] = child, head, nodes[side, head]
    nodes[side, head] = child


@kernel
def undo_steps(kept, t, kinds, computation):
    """Undo steps until only `kept` are left, and forget the parts of words after t."""
    nodes, taken, counts, slots, _ = computation
    stack = nodes[STACK]
    while counts[STEPS] > kept:
        counts[STEPS] -= 1
        row, depth = taken[counts[STEPS]], counts[DEPTH]
        if row[CLASS] == SHIFT:
            counts[FRONT] -= 1
            counts[DEPTH] -= 1
        else:
            side = LEFTMOST if row[CLASS] > kinds else RIGHTMOST
            nodes[side, row[HEAD]] = row[OUTERMOST_BEFORE]
            upper, lower = (row[HEAD], row[CHILD]) if side == LEFTMOST else (row[CHILD], row[HEAD])
            stack[depth - 1], stack[depth] = lower, upper
            counts[DEPTH] += 1
    counts[WAITS] = False
    forget_words(slots, t)


@kernel
def take_steps(n, ahead, risk, is_closed, looks_ahead, tops, computation, layers, missing_roles, barred):
    """Take the best steps until one has to wait, given n words with states tops[word - 1].

    A step waits until `ahead` further words are known, unless it is the only legal one or its PATIENCE is no
    more than the risk, which is -inf if all wait. With `looks_ahead`, steps go on as if none waited, and are
    undone at the end. Return the number of steps now; the number with the undone steps, which can still be
    read; and for each new reduction the difference of score[class] to the best score. Where no word ahead is
    seen and the best step is to shift, the scores are not computed again when that word comes.
    """
    nodes, _, counts, _, _ = computation
    roles, kinds, least = np.empty(len(ROLES), np.int64), barred.shape[1] // 2, np.float32(risk)
    less = np.empty((counts[DEPTH] + n + 1 - counts[FRONT], barred.shape[1]), np.float32)
    reductions, kept = 0, -1
    while True:
        front, depth = counts[FRONT], counts[DEPTH]
        now = situation(depth, front <= n or not is_closed)
        knows_all = is_closed or n + 1 - front >= ahead
        if now == IS_FINAL:
            break
        if not knows_all and least == -np.inf:
            if not looks_ahead:
                break
            kept, least = counts[STEPS], np.float32(np.inf)
        step = SHIFT
        if now != MUST_SHIFT and not (counts[WAITS] and not is_closed):
            write_roles(nodes, front, depth, n, ahead, is_closed, roles)
            step, scores = best_step_of(roles, tops, computation, layers, missing_roles, barred[now])
            if not knows_all and scores[barred.shape[1]] > least:
                if not looks_ahead:
                    break
                kept, least = counts[STEPS], np.float32(np.inf)
            if step != SHIFT:
                for place in range(barred.shape[1]):
                    less[reductions, place] = scores[place] - scores[step]
                reductions += 1
        if step == SHIFT and front > n:
            counts[WAITS] = ahead == 0
            break
        take_class(step, kinds, computation)
    with_those_ahead = counts[STEPS]
    if kept >= 0:
        undo_steps(kept, n, kinds, computation)
    return counts[STEPS], with_those_ahead, less[:reductions]


@kernel
def attach_word(gates, causal, h, c, n, ahead, risk, looks_ahead, tops, computation, layers, missing, barred):
    """Return the tag and features of the last word n, and the values of `take_steps`; write its state."""
    tags = take_and_tag_word(gates, causal, h, c)
    copy_to(tops[n - 1], h[0, 1])
    return tags, take_steps(n, ahead, risk, False, looks_ahead, tops, computation, layers, missing, barred)
