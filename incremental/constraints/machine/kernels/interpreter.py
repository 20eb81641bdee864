"""Machine that runs the code of a formula. It interprets, so that any grammar runs at once.

Compiling each grammar by numba would take minutes. The results are defined in `definition`.
"""

from __future__ import annotations

import math

import numpy as np

from treewhile.incremental.constraints.machine.costs import COST_OF_E, WEAKEST
from treewhile.incremental.constraints.machine.kernels.context import (
    count_below,
    covers_outsider,
    is_below,
    is_between,
    is_under,
    next_in_extent,
    note_all,
    note_children,
    note_extent,
    note_node,
    note_way_up,
)
from treewhile.incremental.constraints.machine.kernels.inside_numba import bare, part
from treewhile.incremental.constraints.machine.kernels.operations import EXTENTS, LEFT, RIGHT, SLOT, Op
from treewhile.incremental.constraints.machine.kernels.records import (
    CodeColumn,
    ConflictColumn,
    NameColumn,
    PredictedColumn,
)


@part
def log_of_label(label_log, d, h, label):
    return np.float64(label_log[d, h, label]) if label_log.size > 0 else 0.0


@part
def cost_of(penalty):
    """Return the cost of a computed penalty: one that does not exist is no conflict."""
    if math.isnan(penalty):
        return 0
    return np.int64(math.floor(-math.log(min(max(penalty, WEAKEST), 1.0)) * COST_OF_E + 0.5))


@part
def note_conflict(desk, constraint, x, y, cost):
    """Write a conflict to the desk, if there is room, and count it."""
    rows, row = desk.rows, desk.found[0]
    if row < rows.shape[0]:
        rows[row, ConflictColumn.CONSTRAINT], rows[row, ConflictColumn.COST] = constraint, cost
        rows[row, ConflictColumn.X], rows[row, ConflictColumn.Y] = x.dependent, max(y.dependent, 0)
    desk.found[0] = row + 1


@bare
def run_formula(desk, tree, constraint, at, x, y):
    """Return the cost of a constraint for one edge (y is NO_EDGE) or two; a conflict is written to the desk.

    This is the machine: it runs the code of a formula and, if that does not hold, of the penalty. A failed
    computation is noted in `faulty`, and costs nothing. What is read of the tree is noted in `read`: if you
    add an operation that looks at the tree, let it note at least all that it reads.
    """
    program, situation, stack = desk.program, desk.situation, desk.stack
    code, numbers, members = program.code, program.numbers, program.members
    label_members, label_names = program.label_members, program.label_names
    attributes, predicted, future = situation.attributes, situation.predicted, situation.future
    head_log, label_log = situation.head_log, situation.label_log
    t, later, unused = situation.t, situation.later, situation.unused
    top, cost, is_penalty = -1, 0, False
    while True:
        op, argument = code[at, CodeColumn.OPERATION], code[at, CodeColumn.ARGUMENT]
        at += 1
        if op <= Op.BETWEEN:
            if op == Op.END:
                if is_penalty:
                    cost = cost_of(stack[top])
                elif stack[top] == 0:
                    at, cost, top = program.penalty[constraint], program.cost[constraint], -1
                    is_penalty = at >= 0
                    if is_penalty:
                        continue
                break
            if op == Op.PUSH:
                top += 1
                stack[top] = numbers[argument]
                continue
            if op == Op.JUMP_IF_FALSE:
                if stack[top] == 0:
                    at = argument
                else:
                    top -= 1
                continue
            if op == Op.JUMP_IF_TRUE:
                if stack[top] != 0:
                    at = argument
                else:
                    top -= 1
                continue
            if op == Op.TRUE_IF_FALSE:
                if stack[top] == 0:
                    stack[top], at = 1, argument
                else:
                    top -= 1
                continue
            d, h, label = y if argument & 1 else x
            top += 1
            if op == Op.DEPENDENT_IN or op == Op.HEAD_IN:
                node, name = d if op == Op.DEPENDENT_IN else h, np.int64(-1)
                if 1 <= node < later:
                    name = np.int64(attributes[node, argument >> 1])
                stack[top] = 0 <= name < members.shape[1] and members[code[at - 1, CodeColumn.SET], name] != 0
            elif op == Op.DEPENDENT:
                stack[top] = d
            elif op == Op.EDGE_HEAD:
                stack[top] = h
            elif op == Op.EDGE_LABEL:
                stack[top] = label_names[label, NameColumn.LABEL]
            elif op == Op.EDGE_RELATION:
                stack[top] = label_names[label, NameColumn.RELATION]
            elif op == Op.DISTANCE:
                stack[top] = abs(h - d) if 1 <= h < later else 0
            elif op == Op.DIRECTION:
                stack[top] = -1 if h == unused else LEFT if d < h else RIGHT
            elif op == Op.PROBABILITY:
                stack[top] = math.exp(np.float64(head_log[h, d]) + log_of_label(label_log, d, h, label))
            elif op == Op.LABEL_PROBABILITY:
                stack[top] = math.exp(log_of_label(label_log, d, h, label))
            elif op == Op.HEAD_PROBABILITY:
                stack[top] = math.exp(np.float64(head_log[h, d]))
            elif op == Op.FUTURE_PROBABILITY:
                stack[top] = future[d]
            elif op == Op.COVERS_OUTSIDER:
                note_all(desk)
                stack[top] = covers_outsider(tree.heads, later, d, h)
            else:
                stack[top] = is_between(situation, d, h, members, argument >> 1)
        elif op <= Op.PREDICTED_RELATION:
            node = int(stack[top])
            is_dependent = 1 <= node < later
            if op == Op.ATTRIBUTE:
                stack[top] = attributes[node, argument] if is_dependent else -1
            elif op == Op.MEMBER:
                stack[top] = 0 <= node < members.shape[1] and members[argument, node] != 0
            elif op == Op.POSITION:
                stack[top] = node if node >= 0 else np.nan
            elif op == Op.IS_WORD:
                stack[top] = 1 <= node <= t
            elif op == Op.IS_VIRTUAL:
                stack[top] = t < node < later
            elif op == Op.IS_LATER:
                stack[top] = node == later
            elif op == Op.IS_ROOT:
                stack[top] = node == 0
            elif op == Op.IS_UNUSED:
                stack[top] = node == unused
            elif op == Op.HEAD_OF:
                note_node(desk, node)
                stack[top] = tree.heads[node] if is_dependent else -1
            elif op == Op.LABEL_OF:
                note_node(desk, node)
                stack[top] = label_names[tree.labels[node], NameColumn.LABEL] if is_dependent else -1
            elif op == Op.RELATION_OF:
                note_node(desk, node)
                stack[top] = label_names[tree.labels[node], NameColumn.RELATION] if is_dependent else -1
            elif op == Op.NEXT:
                stack[top] = node + 1 if 1 <= node < t else -1
            elif op == Op.PREVIOUS:
                stack[top] = node - 1 if 1 < node <= t else -1
            elif op == Op.DOMINATES:
                top -= 1
                above = int(stack[top])
                note_way_up(desk, tree.heads, node)
                stack[top] = above >= 0 and above != node and is_below(tree.heads, later, node, above)
            elif op <= Op.COUNT:
                note_children(desk, node)
                count = count_below(tree, later, node, label_members, argument)
                stack[top] = count if op == Op.COUNT else count > 0
            elif op == Op.UNDER:
                note_way_up(desk, tree.heads, node)
                stack[top] = is_under(tree, later, node, label_members, argument)
            elif op == Op.DIRECTION_OF:
                note_node(desk, node)
                h = tree.heads[node] if is_dependent else unused
                stack[top] = -1 if h == unused else LEFT if node < h else RIGHT
            elif op == Op.DISTANCE_OF:
                note_node(desk, node)
                h = tree.heads[node] if is_dependent else np.int64(0)
                stack[top] = np.nan if not is_dependent else abs(h - node) if 1 <= h < later else 0
            elif op == Op.PREDICTION_EXISTS:
                stack[top] = is_dependent and predicted[argument, node, PredictedColumn.HEAD] >= 0
            elif op == Op.PREDICTED_HEAD:
                stack[top] = predicted[argument, node, PredictedColumn.HEAD] if is_dependent else -1
            elif op == Op.PREDICTED_LABEL:
                stack[top] = predicted[argument, node, PredictedColumn.LABEL] if is_dependent else -1
            else:
                stack[top] = predicted[argument, node, PredictedColumn.RELATION] if is_dependent else -1
        elif op == Op.NOT:
            stack[top] = 1 - stack[top]
        elif op == Op.EXISTS:
            stack[top] = stack[top] >= 0
        elif op == Op.NUMBER_EXISTS:
            stack[top] = not math.isnan(stack[top])
        elif op == Op.NEGATIVE:
            stack[top] = -stack[top]
        elif op == Op.ABSOLUTE:
            stack[top] = abs(stack[top])
        elif op >= Op.EACH:
            where = code[at - 1, CodeColumn.SET]
            slot = stack.size - SLOT * (where // EXTENTS + 1)
            if op == Op.BOUND:
                top += 1
                stack[top] = stack[slot]
            elif op == Op.EACH:
                note_extent(desk, tree.heads, np.int64(where % EXTENTS), int(stack[top]))
                stack[slot], stack[slot + 1], stack[slot + 2] = 0, stack[top], 0
                top -= 1
            elif op == Op.ADVANCE:
                node, start = int(stack[slot]), int(stack[slot + 1])
                node = next_in_extent(tree.heads, later, np.int64(where % EXTENTS), start, node)
                stack[slot] = node
                if node == later:
                    at = argument
            elif op == Op.COUNTED:
                top += 1
                stack[top] = stack[slot + 2]
            else:
                is_true = stack[top] != 0
                top -= 1
                if is_true:
                    stack[slot + 2] += 1
                if op == Op.TALLY or not is_true:
                    at = argument
        else:
            b = stack[top]
            top -= 1
            a = stack[top]
            if op == Op.SAME:
                stack[top] = a == b and a >= 0
            elif op == Op.AGREE:
                stack[top] = a == b or a < 0 or b < 0
            elif op == Op.MEET:
                one, other, meeting = np.int64(a), np.int64(b), situation.meeting
                if one < 0 or other < 0:
                    stack[top] = 1
                elif meeting.size > 0:
                    stack[top] = meeting[one, other]
                else:
                    stack[top] = one & other != 0
            elif op in (Op.EQUAL, Op.EQUIVALENT):
                stack[top] = a == b
            elif op == Op.LESS:
                stack[top] = a < b
            elif op == Op.AT_MOST:
                stack[top] = a <= b
            elif math.isnan(a) or math.isnan(b):
                stack[top] = np.nan
            elif op == Op.MINIMUM:
                stack[top] = min(a, b)
            elif op == Op.MAXIMUM:
                stack[top] = max(a, b)
            else:
                if op == Op.ADD:
                    result = a + b
                elif op == Op.SUBTRACT:
                    result = a - b
                elif op == Op.MULTIPLY:
                    result = a * b
                elif op == Op.POWER:
                    result = a**b
                elif b != 0:
                    result = a / b
                else:
                    result = np.nan
                if math.isnan(result):
                    situation.faulty[constraint] = 1
                    break
                stack[top] = result
    if cost > 0:
        note_conflict(desk, constraint, x, y, cost)
    return cost
