"""Greedy steps of arc-eager: which is the best, and what it does. `EagerComputation` is the same in Python.

Arrays are those of `steps`, with a row more for which nodes have heads, and what is counted of them.
"""

from __future__ import annotations

import numpy as np

from treewhile.incremental.parsers import eager_rules
from treewhile.incremental.parsers.eager_computations import AHEAD
from treewhile.incremental.parsers.eager_rules import IS_FINAL, MUST_REDUCE
from treewhile.incremental.parsers.kernels.compiled import kernel
from treewhile.incremental.parsers.kernels.recurrent import take_and_tag_word
from treewhile.incremental.parsers.kernels.rows import copy_to
from treewhile.incremental.parsers.kernels.steps import (
    CHILD,
    CLASS,
    DEPTH,
    FRONT,
    HEAD,
    LEFTMOST,
    OUTERMOST_BEFORE,
    RIGHTMOST,
    STACK,
    STEPS,
    WAITS,
    best_step_of,
    forget_words,
)
from treewhile.incremental.parsers.labelled_computations import END, HIDDEN, NONE, ROOT, SHIFT
from treewhile.incremental.parsers.network_shapes import EAGER_ROLES
from treewhile.oracles.compilation import helper

NODE_ROWS, COUNTS = 4, 7
HAS_HEAD = 3  # of the rows of nodes
HEADLESS, UNSHIFTED = 5, 6  # of counts: words on the stack without a head, and the word that went back
BEYOND = len(AHEAD)  # how many words beyond the front are ever seen
FIRST_OF_INPUT = EAGER_ROLES.index("b0")

situation = helper(eager_rules.eager_situation)


@helper
def role_of_input(place, front, last, ahead, is_closed):
    if front + place <= last:
        return front + place if place <= ahead else HIDDEN
    return END if is_closed and (front >= last or place <= ahead) else HIDDEN


@helper
def write_roles(nodes, front, depth, last, ahead, is_closed, roles):
    """The words in the roles, or what stands there instead."""
    for place in range(3):
        node = nodes[STACK, depth - 1 - place] if place < depth else NONE
        roles[place] = ROOT if place < depth and node == 0 else node
    top = nodes[STACK, depth - 1]
    roles[3], roles[4] = nodes[LEFTMOST, top], nodes[RIGHTMOST, top]
    roles[5] = roles[1] if nodes[HAS_HEAD, top] else NONE
    roles[6] = nodes[LEFTMOST, front] if front <= last else NONE
    for place in range(BEYOND + 1):
        roles[FIRST_OF_INPUT + place] = role_of_input(place, front, last, ahead, is_closed)


@helper
def attach(nodes, counts, row, side, child, head):
    row[CHILD], row[HEAD], row[OUTERMOST_BEFORE] = child, head, nodes[side, head]
    nodes[side, head], nodes[HAS_HEAD, child] = child, 1


@helper
def push(nodes, counts):
    """The front goes to the stack."""
    nodes[STACK, counts[DEPTH]] = counts[FRONT]
    counts[FRONT] += 1
    counts[DEPTH] += 1


@kernel
def take_class(step, kinds, computation):
    """Takes the step of a class, or has the top of the stack go back to the input."""
    nodes, taken, counts, _, _ = computation
    row, front, top = taken[counts[STEPS]], counts[FRONT], nodes[STACK, counts[DEPTH] - 1]
    counts[STEPS] += 1
    counts[WAITS] = False
    row[CLASS], row[CHILD] = step, 0
    if step == SHIFT:
        push(nodes, counts)
        counts[HEADLESS] += 1
    elif kinds < step <= 2 * kinds:
        attach(nodes, counts, row, RIGHTMOST, front, top)
        push(nodes, counts)
    else:
        counts[DEPTH] -= 1
        if step <= kinds:
            attach(nodes, counts, row, LEFTMOST, top, front)
            counts[HEADLESS] -= 1
        elif step == 2 * kinds + 1:
            row[HEAD] = top
        else:
            row[HEAD] = front
            counts[FRONT], counts[UNSHIFTED] = top, top
            counts[HEADLESS] -= 1


@helper
def undo_one(row, kinds, nodes, counts):
    step, stack = row[CLASS], nodes[STACK]
    if step == SHIFT:
        counts[FRONT] -= 1
        counts[DEPTH] -= 1
        counts[HEADLESS] -= 1
        return
    if step <= 2 * kinds:
        side = LEFTMOST if step <= kinds else RIGHTMOST
        nodes[side, row[HEAD]], nodes[HAS_HEAD, row[CHILD]] = row[OUTERMOST_BEFORE], 0
        if side == RIGHTMOST:
            counts[FRONT] -= 1
            counts[DEPTH] -= 1
            return
        stack[counts[DEPTH]] = row[CHILD]
        counts[HEADLESS] += 1
    elif step == 2 * kinds + 1:
        stack[counts[DEPTH]] = row[HEAD]
    else:
        stack[counts[DEPTH]] = counts[FRONT]
        counts[FRONT], counts[UNSHIFTED] = row[HEAD], 0
        counts[HEADLESS] += 1
    counts[DEPTH] += 1


@kernel
def undo_steps(kept, t, kinds, computation):
    """Takes steps back until only those kept are left, and forgets what is known of words after t."""
    nodes, taken, counts, slots, _ = computation
    while counts[STEPS] > kept:
        counts[STEPS] -= 1
        undo_one(taken[counts[STEPS]], kinds, nodes, counts)
    counts[WAITS] = False
    forget_words(slots, t)


@kernel
def take_steps(n, ahead, risk, is_closed, looks_ahead, tops, computation, layers, missing_roles, barred):
    """As that of `steps`, but words are ahead that come after the front.

    A word is not shifted before the next one has come, which costs nothing, and nothing is reduced.
    """
    nodes, _, counts, _, _ = computation
    roles, least = np.empty(len(EAGER_ROLES), np.int64), np.float32(risk)
    kinds = (barred.shape[1] - 1) // 2
    less = np.empty((counts[HEADLESS] + n + 1 - counts[FRONT], barred.shape[1]), np.float32)
    arcs, kept = 0, -1
    while True:
        front, depth, last = counts[FRONT], counts[DEPTH], n
        if counts[UNSHIFTED] > 0:
            last = counts[UNSHIFTED]
        if front > last and not is_closed:
            break
        has_head = nodes[HAS_HEAD, nodes[STACK, depth - 1]] > 0
        now = situation(depth, has_head, counts[HEADLESS], last + 1 - front, is_closed)
        knows_all = is_closed or n - front >= ahead
        if now == IS_FINAL:
            break
        if not knows_all and least == -np.inf:
            if not looks_ahead:
                break
            kept, least = counts[STEPS], np.float32(np.inf)
        step = SHIFT
        if now >= MUST_REDUCE:
            step = 2 * kinds + 1 + (now - MUST_REDUCE)
        elif not (counts[WAITS] and not is_closed):
            write_roles(nodes, front, depth, last, ahead, is_closed, roles)
            step, scores = best_step_of(roles, tops, computation, layers, missing_roles, barred[now])
            if not knows_all and scores[barred.shape[1]] > least:
                if not looks_ahead:
                    break
                kept, least = counts[STEPS], np.float32(np.inf)
            if 0 < step <= 2 * kinds:
                for place in range(barred.shape[1]):
                    less[arcs, place] = scores[place] - scores[step]
                arcs += 1
        if step == SHIFT and front == last:
            counts[WAITS] = ahead == 0
            break
        take_class(step, kinds, computation)
    with_those_ahead = counts[STEPS]
    if kept >= 0:
        undo_steps(kept, n, kinds, computation)
    return counts[STEPS], with_those_ahead, less[:arcs]


@kernel
def attach_word(gates, causal, h, c, n, ahead, risk, looks_ahead, tops, computation, layers, missing, barred):
    """As that of `steps`."""
    tags = take_and_tag_word(gates, causal, h, c)
    copy_to(tops[n - 1], h[0, 1])
    return tags, take_steps(n, ahead, risk, False, looks_ahead, tops, computation, layers, missing, barred)
