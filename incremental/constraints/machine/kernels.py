"""All compiled loops of the constraints: the machine that runs their programs, and the loops over edges.

As elsewhere, a kernel trusts its caller. The machine interprets code, so that any grammar runs at
once: compiling each grammar by numba would take minutes. What it computes is defined in `definition`.

Three rules keep it short how long numba takes to compile all this. It compiles a function anew for each
combination of types, and a constant has a type of its own: so trees and all numbers that functions hand to
each other are int64, and the constants among them np.int64. Along with a function it optimizes again all that
this calls: so above the machine small functions are inlined. And what Python calls allocates in Python, since
counting references takes long to compile as well.

On the stack everything is a float: truth values are 0 and 1, nodes and numbered names are whole numbers, -1
where there is none; a number that does not exist is NaN. An edge is its dependent, head and label; of an
analysis there are heads[node] and labels[node], which only contextual constraints look at.
"""

from __future__ import annotations

import math
from enum import IntEnum, auto
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

from treewhile.oracles.compilation import kernel

# Numba counts references to arrays at each call and access, and there are twenty: without it all is ten times
# as fast. What is compiled so may not allocate or keep an array; its caller holds them.
# Tuples are handed over by value, number by number, and a desk has some 150: so kernels hand on its address.
entry = partial(kernel, _nrt=False, no_cfunc_wrapper=True)
bare = partial(entry, no_cpython_wrapper=True)
inlined = partial(bare, inline="always")
part = partial(bare, forceinline=True)

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]


class ProgramArrays(NamedTuple):
    """A grammar for the labels of a model; `programs` says how it is made.

    code[at] is an operation, its argument and a set of words; formula and penalty are where that of a
    constraint begins, -1 for a penalty that is known, whose cost is given. A list of constraints is
    listed[lists[i]:lists[i + 1]], with where what is left of their formulas begins.
    """

    code: Ints
    numbers: npt.NDArray[np.float64]
    members: Bytes  # [set, name]
    label_members: Bytes  # [set, label]
    label_names: Ints  # [label, 0 or 1]: the name of the label and of its relation
    formula: Ints
    penalty: Ints
    cost: Longs
    relation: Longs
    is_contextual: Bytes
    lists: Longs
    listed: Ints  # [i, 0 or 1]
    pair_relations: Bytes  # [contextual, label of X, label of Y]: a bit for each relation with constraints
    depth: int


class SituationArrays(NamedTuple):
    """A prefix of t words with k virtual nodes; see `situations`."""

    t: int
    k: int
    attributes: Ints  # [node, column]
    predicted: Ints  # [predictor, node, 0 to 2]: head, name of the label, name of the relation
    head_log: npt.NDArray[np.float32]  # [head, dependent]
    label_log: npt.NDArray[np.float32]  # [dependent, head, label], may be empty
    future: npt.NDArray[np.float64]  # [dependent]
    is_judged: Bytes  # [constraint]
    faulty: Bytes  # [constraint], written to


class Desk(NamedTuple):
    """What the machine works on and with; every call from Python makes its own: threads do not share it."""

    program: ProgramArrays
    situation: SituationArrays
    stack: npt.NDArray[np.float64]
    rows: Longs  # conflicts as constraint, dependents (0 if one edge) and cost, as long as there is room
    found: Longs  # one number: how many conflicts there were
    no_heads: Longs


class Op(IntEnum):
    """The operations of the machine."""

    END = 0
    PUSH = auto()
    JUMP_IF_FALSE = auto()
    JUMP_IF_TRUE = auto()
    TRUE_IF_FALSE = auto()
    DEPENDENT_IN = auto()
    HEAD_IN = auto()
    DEPENDENT = auto()
    EDGE_HEAD = auto()
    EDGE_LABEL = auto()
    EDGE_RELATION = auto()
    DISTANCE = auto()
    DIRECTION = auto()
    PROBABILITY = auto()
    HEAD_PROBABILITY = auto()
    LABEL_PROBABILITY = auto()
    FUTURE_PROBABILITY = auto()
    COVERS_OUTSIDER = auto()
    BETWEEN = auto()
    ATTRIBUTE = auto()
    POSITION = auto()
    IS_WORD = auto()
    IS_VIRTUAL = auto()
    IS_LATER = auto()
    IS_ROOT = auto()
    IS_UNUSED = auto()
    HEAD_OF = auto()
    LABEL_OF = auto()
    RELATION_OF = auto()
    NEXT = auto()
    PREVIOUS = auto()
    DOMINATES = auto()
    HAS = auto()
    COUNT = auto()
    UNDER = auto()
    MEMBER = auto()
    PREDICTION_EXISTS = auto()
    PREDICTED_HEAD = auto()
    PREDICTED_LABEL = auto()
    PREDICTED_RELATION = auto()
    NOT = auto()
    EQUIVALENT = auto()
    SAME = auto()
    AGREE = auto()
    EQUAL = auto()
    LESS = auto()
    AT_MOST = auto()
    EXISTS = auto()
    NUMBER_EXISTS = auto()
    ADD = auto()
    SUBTRACT = auto()
    MULTIPLY = auto()
    DIVIDE = auto()
    NEGATIVE = auto()
    MINIMUM = auto()
    MAXIMUM = auto()
    ABSOLUTE = auto()


LEFT, RIGHT = 0, 1  # the names with these numbers are "left" and "right"

IMPOSSIBLE = 1 << 57  # what an edge costs that may not be; no tree that may be costs as much
COST_OF_E = 1 << 20  # the cost of a conflict whose penalty is 1/e
WEAKEST = 1e-12  # no penalty counts as less, unless it is a constant 0

ONE_EDGE, UNDER_ONE_HEAD, IN_A_CHAIN, CROSSING, OF_ANY_KIND = range(5)


# --- tuples by reference ------------------------------------------------------------------------------------


def by_reference(held):
    """A named tuple that is handed on as its address; it has to be there as long as whoever asks for it."""
    return held


class Reference(types.Type):
    """What kernels know of the address of a named tuple; its tuples are references, too."""

    def __init__(self, held):
        self.held = held
        super().__init__(f"Reference({held})")


@register_model(Reference)
class ReferenceModel(models.PrimitiveModel):
    def __init__(self, manager, reference):
        super().__init__(manager, reference, manager[reference.held].get_value_type().as_pointer())


@type_callable(by_reference)
def type_reference(_context):
    def reference_to(held):
        return Reference(held)

    return reference_to


@lower_builtin(by_reference, types.BaseNamedTuple)
def write_reference(_context, build, _signature, values):
    return cgutils.alloca_once_value(build, values[0])


@infer_getattr
class ReferenceAttributes(AttributeTemplate):
    key = Reference

    def generic_resolve(self, reference, name):  # type: ignore[override]
        held = reference.held[reference.held.fields.index(name)]
        return Reference(held) if isinstance(held, types.BaseNamedTuple) else held


@lower_getattr_generic(Reference)
def read_attribute(_context, build, reference, address, name):
    place = reference.held.fields.index(name)
    inside = cgutils.gep_inbounds(build, address, 0, place)
    is_tuple = isinstance(reference.held[place], types.BaseNamedTuple)
    return inside if is_tuple else build.load(inside)


# --- what looks at the analysis -----------------------------------------------------------------------------


def new_desk(program: ProgramArrays, situation: SituationArrays, room: int = 0) -> Desk:
    """A desk with room for so many conflicts."""
    rows, found = np.empty((room, 4), np.int64), np.zeros(1, np.int64)
    return Desk(program, situation, np.empty(program.depth), rows, found, np.empty(0, np.int64))


@bare
def is_below(heads, later, node, above):
    """Whether `above` is the node or stands on its way up; a way that goes round in circles ends."""
    for _ in range(later + 1):
        if node == above:
            return True
        if node < 1 or node >= later:
            return False
        node = heads[node]
    return False


@part
def covers_outsider(heads, later, d, h):
    if h == later + 1:
        return False
    for node in range(min(d, h) + 1, max(d, h)):
        if heads[node] != later + 1 and not is_below(heads, later, node, h):
            return True
    return False


@part
def is_under(heads, labels, later, node, members, words):
    for _ in range(later + 1):
        if node < 1 or node >= later:
            return False
        if members[words, labels[node]]:
            return True
        node = heads[node]
    return False


@part
def count_below(heads, labels, later, node, members, words):
    count = 0
    if node >= 0:
        for dependent in range(1, later):
            if heads[dependent] == node and members[words, labels[dependent]]:
                count += 1
    return count


@part
def is_between(attributes, t, later, d, h, members, words):
    """Whether a word whose tag is in a set stands between; tags are column 0."""
    if h > later:
        return False
    for node in range(min(d, h) + 1, min(max(d, h), t + 1)):
        tag = attributes[node, 0]
        if 0 <= tag < members.shape[1] and members[words, tag]:
            return True
    return False


# --- the machine --------------------------------------------------------------------------------------------


@part
def log_of_label(label_log, d, h, label):
    return np.float64(label_log[d, h, label]) if label_log.size > 0 else 0.0


@part
def cost_of(penalty):
    """The cost of a penalty that was computed: one that does not exist is no conflict."""
    if math.isnan(penalty):
        return 0
    return np.int64(math.floor(-math.log(min(max(penalty, WEAKEST), 1.0)) * COST_OF_E + 0.5))


@bare
def run_formula(desk, heads, labels, constraint, at, dx, hx, lx, dy, hy, ly):
    """The cost of a constraint for an edge or two (dy < 0: one); if it is a conflict, it goes to the desk.

    This is the machine: it runs the code of a formula and, if that does not hold, of the penalty. What cannot
    be computed is noted in `faulty`, and costs nothing.
    """
    program, situation, stack, rows, found = desk.program, desk.situation, desk.stack, desk.rows, desk.found
    code, numbers, members = program.code, program.numbers, program.members
    label_members, label_names = program.label_members, program.label_names
    attributes, predicted, future = situation.attributes, situation.predicted, situation.future
    head_log, label_log, t = situation.head_log, situation.label_log, situation.t
    later = t + situation.k + 1
    top, cost, is_penalty = -1, 0, False
    while True:
        op, argument = code[at, 0], code[at, 1]
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
            d, h, label = (dy, hy, ly) if argument & 1 else (dx, hx, lx)
            top += 1
            if op == Op.DEPENDENT_IN or op == Op.HEAD_IN:
                node, name = d if op == Op.DEPENDENT_IN else h, np.int64(-1)
                if 1 <= node < later:
                    name = np.int64(attributes[node, argument >> 1])
                stack[top] = 0 <= name < members.shape[1] and members[code[at - 1, 2], name] != 0
            elif op == Op.DEPENDENT:
                stack[top] = d
            elif op == Op.EDGE_HEAD:
                stack[top] = h
            elif op == Op.EDGE_LABEL:
                stack[top] = label_names[label, 0]
            elif op == Op.EDGE_RELATION:
                stack[top] = label_names[label, 1]
            elif op == Op.DISTANCE:
                stack[top] = abs(h - d) if 1 <= h < later else 0
            elif op == Op.DIRECTION:
                stack[top] = -1 if h == later + 1 else LEFT if d < h else RIGHT
            elif op == Op.PROBABILITY:
                stack[top] = math.exp(np.float64(head_log[h, d]) + log_of_label(label_log, d, h, label))
            elif op == Op.LABEL_PROBABILITY:
                stack[top] = math.exp(log_of_label(label_log, d, h, label))
            elif op == Op.HEAD_PROBABILITY:
                stack[top] = math.exp(np.float64(head_log[h, d]))
            elif op == Op.FUTURE_PROBABILITY:
                stack[top] = future[d]
            elif op == Op.COVERS_OUTSIDER:
                stack[top] = covers_outsider(heads, later, d, h)
            else:
                stack[top] = is_between(attributes, t, later, d, h, members, argument >> 1)
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
                stack[top] = node == later + 1
            elif op == Op.HEAD_OF:
                stack[top] = heads[node] if is_dependent else -1
            elif op == Op.LABEL_OF:
                stack[top] = label_names[labels[node], 0] if is_dependent else -1
            elif op == Op.RELATION_OF:
                stack[top] = label_names[labels[node], 1] if is_dependent else -1
            elif op == Op.NEXT:
                stack[top] = node + 1 if 1 <= node < t else -1
            elif op == Op.PREVIOUS:
                stack[top] = node - 1 if 1 < node <= t else -1
            elif op == Op.DOMINATES:
                top -= 1
                above = int(stack[top])
                stack[top] = above >= 0 and above != node and is_below(heads, later, node, above)
            elif op <= Op.COUNT:
                count = count_below(heads, labels, later, node, label_members, argument)
                stack[top] = count if op == Op.COUNT else count > 0
            elif op == Op.UNDER:
                stack[top] = is_under(heads, labels, later, node, label_members, argument)
            elif op == Op.PREDICTION_EXISTS:
                stack[top] = is_dependent and predicted[argument, node, 0] >= 0
            elif op == Op.PREDICTED_HEAD:
                stack[top] = predicted[argument, node, 0] if is_dependent else -1
            elif op == Op.PREDICTED_LABEL:
                stack[top] = predicted[argument, node, 1] if is_dependent else -1
            else:
                stack[top] = predicted[argument, node, 2] if is_dependent else -1
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
        else:
            b = stack[top]
            top -= 1
            a = stack[top]
            if op == Op.SAME:
                stack[top] = a == b and a >= 0
            elif op == Op.AGREE:
                stack[top] = a == b or a < 0 or b < 0
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
                elif b != 0:
                    result = a / b
                else:
                    result = np.nan
                if math.isnan(result):
                    situation.faulty[constraint] = 1
                    break
                stack[top] = result
    if cost > 0:
        row = found[0]
        if row < rows.shape[0]:
            rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3] = constraint, dx, max(dy, 0), cost
        found[0] = row + 1
    return cost


@bare
def judge_formula(desk, heads, labels, constraint, at, dx, hx, lx, dy, hy, ly):
    """As run_formula, which is large; nothing for a constraint that is not judged."""
    if not desk.situation.is_judged[constraint]:
        return 0
    return run_formula(desk, heads, labels, constraint, at, dx, hx, lx, dy, hy, ly)


@bare
def judge_list(desk, heads, labels, which, dx, hx, lx, dy, hy, ly):
    """The summed cost of a list of constraints for an edge or two (dy < 0: one); conflicts go to the desk."""
    total, listed = 0, desk.program.listed
    for i in range(desk.program.lists[which], desk.program.lists[which + 1]):
        total += judge_formula(desk, heads, labels, listed[i, 0], listed[i, 1], dx, hx, lx, dy, hy, ly)
    return total


@inlined
def judge_one(desk, heads, labels, constraint, dx, hx, lx, dy, hy, ly):
    """As judge_list, for one constraint."""
    at = desk.program.formula[constraint]
    return judge_formula(desk, heads, labels, np.int32(constraint), at, dx, hx, lx, dy, hy, ly)


# --- one edge -----------------------------------------------------------------------------------------------

# The list of what does not look at labels; those of labels follow, then the contextual ones, then pairs.
ALL_LABELS = np.int64(0)
PLAIN, CONTEXTUAL = np.int64(0), np.int64(1)  # what does not look at the analysis, and what does
NONE = np.int64(-1)  # for the dependent, head and label of an edge that there is not


@inlined
def judge_edge(desk, heads, labels, which, d, h, label):
    """As judge_list, for one edge."""
    return judge_list(desk, heads, labels, which, d, h, label, NONE, NONE, NONE)


@inlined
def cost_of_list(desk, which, d, h, label):
    """The cost of a list that does not look at the analysis."""
    return judge_edge(desk, desk.no_heads, desk.no_heads, which, d, h, label)


@inlined
def cost_of_formula(desk, constraint, d, h, label):
    """The cost of a constraint that does not look at the analysis."""
    return judge_one(desk, desk.no_heads, desk.no_heads, constraint, d, h, label, NONE, NONE, NONE)


SCORED = 0


@bare
def fill_costs(desk, alike, d, h, cost, row, column):
    """Fills cost[row, column, label] for the edge from d to h, for all labels.

    Each row of `alike` is a constraint that looks at labels, where what is left of its formula begins, and
    then a count and so many labels which it does not tell apart, or SCORED if its penalty is the probability
    of the label, or -1 - p if it does not tell any apart but the one that predictor p names.
    """
    shared, labels = cost_of_list(desk, ALL_LABELS, d, h, NONE), cost.shape[2]
    for label in range(labels):
        cost[row, column, label] = shared
    for i in range(alike.shape[0]):
        constraint, count = alike[i, 0], alike[i, 2]
        if not desk.situation.is_judged[constraint]:
            continue
        if count > 0:
            more = run_formula(
                desk, desk.no_heads, desk.no_heads, constraint, alike[i, 1],
                d, h, np.int64(alike[i, 3]), NONE, NONE, NONE,
            )  # fmt: skip
            if more > 0:
                for place in range(3, 3 + count):
                    cost[row, column, alike[i, place]] += more
        elif count == SCORED:
            add_scored(desk, constraint, d, h, cost, row, column)
        else:
            add_named(desk, constraint, -1 - count, d, h, cost, row, column)


@bare
def add_scored(desk, constraint, d, h, cost, row, column):
    """Adds what a constraint costs whose penalty is the probability of the label."""
    label_log = desk.situation.label_log
    last, more = 1.0, np.int64(0)
    for label in range(cost.shape[2]):
        if h <= desk.situation.t + desk.situation.k + 1:
            log = log_of_label(label_log, d, h, label)
            if log != last:  # all labels of an improbable arc have the same
                last, more = log, cost_of(math.exp(log))
            cost[row, column, label] += more
        else:
            cost[row, column, label] += cost_of_formula(desk, constraint, d, h, label)


@bare
def add_named(desk, constraint, predictor, d, h, cost, row, column):
    """Adds what a constraint costs to which all labels are alike but the one that a predictor names."""
    labels, name, named = cost.shape[2], desk.situation.predicted[predictor, d, 1], -1
    for label in range(labels):
        if desk.program.label_names[label, 0] == name:
            named = label
    if named >= 0:
        cost[row, column, named] += cost_of_formula(desk, constraint, d, h, np.int64(named))
    other = np.int64(named == 0)
    if other < labels:
        more = cost_of_formula(desk, constraint, d, h, other)
        for label in range(labels):
            if label != named:
                cost[row, column, label] += more


# --- two edges ----------------------------------------------------------------------------------------------


@inlined
def do_cross(later, dx, hx, dy, hy):
    a, b, c, d = min(dx, hx), max(dx, hx), min(dy, hy), max(dy, hy)
    return (a < c < b < d or c < a < d < b) and hx <= later and hy <= later


@bare
def stand_in(later, relation, dx, hx, dy, hy):
    """Whether two edges are in a relation; but for a chain their order does not matter."""
    if relation == UNDER_ONE_HEAD:
        return hx == hy and hx < later
    if relation == IN_A_CHAIN:
        return hx == dy
    if relation == CROSSING:
        return do_cross(later, dx, hx, dy, hy)
    return True


@inlined
def judge_related(desk, heads, labels, is_contextual, relation, dx, hx, lx, dy, hy, ly):
    """As judge_list, for two edges that stand in a relation."""
    count = desk.program.label_names.shape[0]
    which = 1 + 2 * count + ((is_contextual * 4 + relation - 1) * count + lx) * count + ly
    return judge_list(desk, heads, labels, which, dx, hx, lx, dy, hy, ly)


@inlined
def may_be_judged(desk, is_contextual, lx, ly):
    """Whether there are constraints for edges with two labels, in any relation."""
    relations = desk.program.pair_relations
    return (relations[is_contextual, lx, ly] | relations[is_contextual, ly, lx]) != 0


@bare
def judge_pair(desk, heads, labels, is_contextual, dx, hx, lx, dy, hy, ly):
    """As judge_list, for two edges of which that of the lower dependent comes first."""
    total, later = 0, desk.situation.t + desk.situation.k + 1
    there = desk.program.pair_relations[is_contextual, lx, ly]
    for relation in range(UNDER_ONE_HEAD, OF_ANY_KIND + 1):
        if there >> relation & 1 and stand_in(later, relation, dx, hx, dy, hy):
            total += judge_related(desk, heads, labels, is_contextual, relation, dx, hx, lx, dy, hy, ly)
    if desk.program.pair_relations[is_contextual, ly, lx] >> IN_A_CHAIN & 1 and hy == dx:
        total += judge_related(desk, heads, labels, is_contextual, IN_A_CHAIN, dy, hy, ly, dx, hx, lx)
    return total


@inlined
def cost_of_pair(desk, dx, hx, lx, dy, hy, ly):
    """The cost of two edges together, beyond that of each; 0 for edges of one dependent."""
    cost = 0
    if may_be_judged(desk, PLAIN, lx, ly) and dx != dy:
        if dx > dy:
            dx, hx, lx, dy, hy, ly = dy, hy, ly, dx, hx, lx
        cost = judge_pair(desk, desk.no_heads, desk.no_heads, PLAIN, dx, hx, lx, dy, hy, ly)
    return cost


# --- whole analyses -----------------------------------------------------------------------------------------


@bare
def judge_analysis(desk, heads, labels, is_contextual):
    """As judge_list, for an analysis: what is contextual, or what is not."""
    total, end = 0, desk.situation.t + desk.situation.k + 1
    count = desk.program.label_names.shape[0]
    for d in range(1, end):
        h, label = heads[d], labels[d]
        if not is_contextual:
            total += judge_edge(desk, heads, labels, ALL_LABELS, d, h, label)
        total += judge_edge(desk, heads, labels, 1 + is_contextual * count + label, d, h, label)
        for other in range(d + 1, end):
            if may_be_judged(desk, is_contextual, label, labels[other]):
                total += judge_pair(
                    desk, heads, labels, is_contextual, d, h, label, other, heads[other], labels[other]
                )
    return total


@bare
def is_harder(conflict, other):
    """Whether a conflict is attacked before another one: by its cost, then by constraint and dependents."""
    if conflict[3] != other[3]:
        return conflict[3] > other[3]
    for column in range(3):
        if conflict[column] != other[column]:
            return conflict[column] < other[column]
    return False


@bare
def put_hardest_first(rows, count):
    """Sorts the first conflicts, which are few, by insertion."""
    for i in range(1, count):
        for j in range(i, 0, -1):
            if not is_harder(rows[j], rows[j - 1]):
                break
            for column in range(4):
                rows[j, column], rows[j - 1, column] = rows[j - 1, column], rows[j, column]


@bare
def judge_all(desk, heads, labels):
    """What an analysis costs without the context, and what that costs; conflicts go to the desk, sorted."""
    desk.found[0] = 0
    plain = judge_analysis(desk, heads, labels, PLAIN)
    contextual = judge_analysis(desk, heads, labels, CONTEXTUAL)
    put_hardest_first(desk.rows, min(desk.found[0], desk.rows.shape[0]))
    return plain, contextual


@inlined
def cost_of_conflict(desk, heads, labels, constraint, dx, dy):
    """The cost of one constraint for the edges of some dependents (dy = 0 for one edge), 0 if none."""
    hx, lx, hy, ly = heads[dx], labels[dx], heads[dy], labels[dy]
    later, relation = desk.situation.t + desk.situation.k + 1, desk.program.relation[constraint]
    cost = 0
    if (relation == ONE_EDGE) == (dy == 0) and (dy == 0 or stand_in(later, relation, dx, hx, dy, hy)):
        cost = judge_one(desk, heads, labels, constraint, dx, hx, lx, dy, hy, ly)
    return cost


# The loops and calls behind what Python calls further down.


@entry
def cost_of_analysis(desk, heads, labels, is_contextual):
    return judge_analysis(by_reference(desk), heads, labels, is_contextual)


@entry
def cost_of_all(desk, heads, labels):
    return judge_all(by_reference(desk), heads, labels)


@entry
def cost_of_edge(desk, d, h, label):
    desk = by_reference(desk)
    return cost_of_list(desk, ALL_LABELS, d, h, label) + cost_of_list(desk, 1 + label, d, h, label)


@entry
def cost_of_two(desk, dx, hx, lx, dy, hy, ly):
    return cost_of_pair(by_reference(desk), dx, hx, lx, dy, hy, ly)


@entry
def cost_of_one(desk, heads, labels, constraint, dx, dy):
    return cost_of_conflict(by_reference(desk), heads, labels, constraint, dx, dy)


@entry
def fill_all(desk, alike, arcs, cost, interrupt):
    desk = by_reference(desk)
    for i in range(arcs.shape[0]):
        if interrupt[0]:
            return i
        fill_costs(desk, alike, arcs[i, 0], arcs[i, 1], cost, arcs[i, 0], arcs[i, 1])
    return arcs.shape[0]


# --- for Python: they make a desk, and take no more than Python has -----------------------------------------


def edge_cost(program: ProgramArrays, situation: SituationArrays, d: int, h: int, label: int) -> int:
    """The cost of an edge by itself."""
    return int(cost_of_edge(new_desk(program, situation), d, h, label))


def pair_cost(
    program: ProgramArrays, situation: SituationArrays, dx: int, hx: int, lx: int, dy: int, hy: int, ly: int
) -> int:
    """The cost of two edges together, beyond that of each; 0 for edges of one dependent."""
    return int(cost_of_two(new_desk(program, situation), dx, hx, lx, dy, hy, ly))


def judge_edges(
    program: ProgramArrays,
    situation: SituationArrays,
    alike: Ints,
    arcs: Ints | Longs,
    cost: Longs,
    interrupt: Bytes,
) -> int:
    """Fills cost[d, h, label] for arcs[i] = (d, h) and all labels, until interrupt[0]; how many were judged.

    What is `alike` the program of the grammar knows.
    Arcs can be any that an analysis may have: whether they make a tree is the caller's business.
    """
    return int(fill_all(new_desk(program, situation), alike, arcs.astype(np.int64), cost, interrupt))


def plain_cost(program: ProgramArrays, situation: SituationArrays, heads: Longs, labels: Longs) -> int:
    """The cost of edges by themselves and in pairs."""
    return int(cost_of_analysis(new_desk(program, situation), heads, labels, PLAIN))


def context_cost(program: ProgramArrays, situation: SituationArrays, heads: Longs, labels: Longs) -> int:
    """The cost of all that looks at the whole analysis."""
    return int(cost_of_analysis(new_desk(program, situation), heads, labels, CONTEXTUAL))


def analysis_cost(program: ProgramArrays, situation: SituationArrays, heads: Longs, labels: Longs) -> int:
    """The cost of everything: that of edges, of pairs, and that of the context."""
    arguments = program, situation, heads, labels
    return plain_cost(*arguments) + context_cost(*arguments)


def conflicts(
    program: ProgramArrays, situation: SituationArrays, heads: Longs, labels: Longs, rows: Longs
) -> int:
    """Writes all conflicts to rows[i] = constraint, dependents (0 if one edge) and cost; how many there are.

    The hardest come first. There may be more than rows: then some are not written.
    """
    desk = new_desk(program, situation)._replace(rows=rows)
    cost_of_all(desk, heads, labels)
    return int(desk.found[0])


def conflict_cost(
    program: ProgramArrays,
    situation: SituationArrays,
    heads: Longs,
    labels: Longs,
    constraint: int,
    dx: int,
    dy: int,
) -> int:
    """The cost of one constraint for the edges of some dependents (dy = 0 for one edge), 0 if none."""
    return int(cost_of_one(new_desk(program, situation), heads, labels, constraint, dx, dy))


def is_violated(
    program: ProgramArrays,
    situation: SituationArrays,
    heads: Longs,
    labels: Longs,
    constraint: int,
    dx: int,
    dy: int,
) -> bool:
    """Whether there is a conflict of a constraint on the edges of some dependents."""
    return conflict_cost(program, situation, heads, labels, constraint, dx, dy) > 0


# --- changes of a tree --------------------------------------------------------------------------------------


JUDGED, BARRED = 1, 2


class EdgeCosts(NamedTuple):
    """Edges by themselves, judged when they are first asked for: cost[d, h, label] where is_judged[d, h].

    least[d, h] is then the least of these costs, and label[d, h] its label; before, it is no more than that.
    No edge from d to h may be where is_judged[d, h] is BARRED. Where only_label[d] is not -1 no other label
    may be; what is unused has label 0.

    Threads share all of it. Each judges in a row of its own, cost[own], before it tells: if two judge the
    same edges at the same time, they write the same.
    """

    cost: Longs
    least: Longs
    label: Longs
    is_judged: Bytes
    only_label: Longs
    alike: Ints  # as the program of the grammar has it
    own: int


@inlined
def least_cost(log):
    """No more than what the logarithm of a probability costs."""
    return max(np.int64(math.floor(max(log, math.log(WEAKEST)) * -COST_OF_E)) - 1, 0)


# So that the greatest of some logarithms is sought in several places at once.
@partial(entry, fastmath={"nnan", "nsz"})
def begin_edges(edges, head_log, label_log, head_weight, label_weight, t, is_open, only_head):
    """Writes which edges may not be, and of others what they cost at least by themselves.

    The arc scorer tells that where its logarithms are there: so many constraints have what it says of heads
    and of labels as penalty.
    """
    later = edges.least.shape[0]
    for d in range(later):
        for h in range(later + 2):
            least = 0
            if d > 0 and h <= later and head_log.size > 0:
                least += head_weight * least_cost(np.float64(head_log[h, d]))
            if d > 0 and h <= later and label_log.size > 0:
                greatest = label_log[d, h, 0]
                for label in range(label_log.shape[2]):
                    log = label_log[d, h, label]
                    greatest = log if log > greatest else greatest
                least += label_weight * least_cost(np.float64(greatest))
            is_barred = d == h or (d <= t and h == later + 1) or (h == later and not is_open)
            if only_head[d] >= 0:
                is_barred = h != only_head[d]
            edges.least[d, h] = IMPOSSIBLE if is_barred else least
            edges.is_judged[d, h] = BARRED if is_barred else 0
            if is_barred:
                for label in range(edges.cost.shape[2]):
                    edges.cost[d, h, label] = IMPOSSIBLE


def fence(order):
    """A function for kernels: threads see what stands above it before what stands below; numba has none."""

    @intrinsic
    def set_fence(_):
        def write(context, build, _signature, _values):
            build.fence(order)
            return context.get_dummy_value()

        return types.void(), write

    return set_fence


write_before, read_before = fence("release"), fence("acquire")


@bare
def judge_labels(desk, edges, d, h):
    """Judges the edges of an arc, all labels."""
    cost, own = edges.cost, edges.own
    fill_costs(desk, edges.alike, d, h, cost, own, np.int64(0))
    best = 0
    for label in range(cost.shape[2]):
        if edges.only_label[d] not in (-1, label) or (h == edges.least.shape[1] - 1 and label > 0):
            cost[own, 0, label] = IMPOSSIBLE
        if cost[own, 0, label] < cost[own, 0, best]:
            best = label
    for label in range(cost.shape[2]):
        cost[d, h, label] = cost[own, 0, label]
    edges.least[d, h], edges.label[d, h] = cost[own, 0, best], best
    write_before()
    edges.is_judged[d, h] = JUDGED


@inlined
def judge_arc(desk, edges, d, h):
    """Judges the edges of an arc, all labels, unless they are."""
    if not edges.is_judged[d, h]:
        judge_labels(desk, edges, d, h)
    read_before()


@inlined
def hang(desk, edges, heads, labels, d, h):
    """Gives a dependent a head, with the label that is best by itself."""
    judge_arc(desk, edges, d, h)
    heads[d], labels[d] = h, edges.label[d, h]


@inlined
def best_head(desk, edges, heads, d, keeps_tree):
    """The head but for UNUSED with the best edge of a dependent by itself; of equal ones the lowest."""
    later = desk.situation.t + desk.situation.k + 1
    best = later
    judge_arc(desk, edges, d, later)
    for h in range(later - 1, -1, -1):
        if edges.least[d, h] <= edges.least[d, best] and not (keeps_tree and is_below(heads, later, h, d)):
            judge_arc(desk, edges, d, h)
            if edges.least[d, h] <= edges.least[d, best]:
                best = h
    return best


@bare
def count_on(heads, node):
    """How many dependents a node has."""
    count = 0
    for d in range(1, heads.size):
        count += heads[d] == node
    return count


@bare
def release(desk, heads, labels, node):
    """Virtual nodes that have lost their last dependent are unused, from a node upwards."""
    later = desk.situation.t + desk.situation.k + 1
    while desk.situation.t < node < later and heads[node] != later + 1 and count_on(heads, node) == 0:
        above = heads[node]
        heads[node], labels[node] = later + 1, 0
        node = above


@bare
def child_of_root(heads, d):
    """The first other child of the root, or 0."""
    for child in range(1, heads.size):
        if child != d and heads[child] == 0:
            return child
    return 0


@bare
def change(desk, edges, heads, labels, d, h):
    """Gives a dependent another head, and moves along what has to; its label is the caller's business."""
    later = desk.situation.t + desk.situation.k + 1
    before = heads[d]
    if 1 <= h < later and is_below(heads, later, h, d):
        child = h
        while heads[child] != d:
            child = heads[child]
        hang(desk, edges, heads, labels, child, before)
    heads[d] = h
    if desk.situation.t < h < later and heads[h] == later + 1:
        hang(desk, edges, heads, labels, h, best_head(desk, edges, heads, h, True))
    release(desk, heads, labels, before)


@entry
def judge_best(desk, edges, interrupt, heads, first, step):
    desk, edges = by_reference(desk), by_reference(edges)
    for d in range(first, desk.situation.t + 1, step):
        if interrupt[0]:
            return
        best_head(desk, edges, heads, d, False)


@entry
def hang_all(desk, edges, interrupt, heads, labels, first):
    desk, edges = by_reference(desk), by_reference(edges)
    for d in range(first, desk.situation.t + 1):
        if interrupt[0]:
            return
        h = best_head(desk, edges, heads, d, False)
        change(desk, edges, heads, labels, d, h)
        labels[d] = edges.label[d, h]


def judge_words(
    program: ProgramArrays,
    situation: SituationArrays,
    edges: EdgeCosts,
    interrupt: Bytes,
    heads: Longs,
    first: int,
    step: int,
) -> None:
    """Judges what `hang_words` asks of every so manieth word from one on, until interrupted."""
    judge_best(new_desk(program, situation), edges, interrupt, heads, first, step)


@entry
def judge_as_tree(desk, edges, heads, labels):
    desk, edges = by_reference(desk), by_reference(edges)
    plain, contextual = judge_all(desk, heads, labels)
    barred = 0
    for d in range(1, heads.size):
        is_other = edges.only_label[d] not in (-1, labels[d])
        barred += edges.is_judged[d, heads[d]] == BARRED or is_other
    return plain, contextual, barred


ROWS = 256  # conflicts that are expected at most; more of them take a second pass


def judge_tree(
    program: ProgramArrays, situation: SituationArrays, edges: EdgeCosts, heads: Longs, labels: Longs
) -> tuple[int, int, int, Longs]:
    """The cost of edges and pairs, that of the context, how many edges may not be, and the conflicts."""
    room, found = 0, ROWS
    while found > room:
        room = found
        desk = new_desk(program, situation, room)
        plain, contextual, barred = judge_as_tree(desk, edges, heads, labels)
        found = int(desk.found[0])
    return int(plain), int(contextual), int(barred), desk.rows[:found]


def hang_words(
    program: ProgramArrays,
    situation: SituationArrays,
    edges: EdgeCosts,
    interrupt: Bytes,
    heads: Longs,
    labels: Longs,
    first: int,
) -> None:
    """Gives every word from one on the edge that is best by itself, until interrupted."""
    hang_all(new_desk(program, situation), edges, interrupt, heads, labels, first)


# --- attacks ------------------------------------------------------------------------------------------------


@inlined
def pairs_with(desk, heads, labels, d):
    """The cost of an edge together with each other one."""
    total = 0
    for other in range(1, heads.size):
        total += cost_of_pair(desk, d, heads[d], labels[d], other, heads[other], labels[other])
    return total


@inlined
def rest_of(desk, edges, heads, labels, d, plain):
    """The cost of all edges but that of a dependent, by themselves and in pairs, given that with it."""
    judge_arc(desk, edges, d, heads[d])
    return plain - edges.cost[d, heads[d], labels[d]] - pairs_with(desk, heads, labels, d)


@inlined
def rest_after(desk, edges, heads, labels, new_heads, new_labels, d, before):
    """What `rest_of` says once some edges have moved, given what it said before."""
    total = before
    for one in range(1, heads.size):
        if one == d or (heads[one] == new_heads[one] and labels[one] == new_labels[one]):
            continue
        judge_arc(desk, edges, one, heads[one])
        judge_arc(desk, edges, one, new_heads[one])
        total += edges.cost[one, new_heads[one], new_labels[one]]
        total -= edges.cost[one, heads[one], labels[one]]
        for other in range(1, heads.size):
            has_moved = heads[other] != new_heads[other] or labels[other] != new_labels[other]
            if other != d and not (has_moved and other < one):
                total += cost_of_pair(
                    desk, one, new_heads[one], new_labels[one], other, new_heads[other], new_labels[other]
                )
                total -= cost_of_pair(desk, one, heads[one], labels[one], other, heads[other], labels[other])
    return total


@inlined
def keeps_out(desk, heads, labels, removed, length):
    """Whether none of the first removed conflicts is in a tree."""
    for i in range(length):
        dx, dy = removed[i, 1], removed[i, 4]
        if heads[dx] != removed[i, 2] or labels[dx] != removed[i, 3]:
            continue
        if dy > 0 and (heads[dy] != removed[i, 5] or labels[dy] != removed[i, 6]):
            continue
        if cost_of_conflict(desk, heads, labels, removed[i, 0], dx, dy) > 0:
            return False
    return True


@bare
def copy_tree(heads, labels, to_heads, to_labels):
    for node in range(heads.size):
        to_heads[node], to_labels[node] = heads[node], labels[node]


@bare
def write_change(desk, edges, heads, labels, new_heads, new_labels, d, h, takes_over):
    """Writes the tree where a dependent has another head, but for its label; `changes` defines it."""
    copy_tree(heads, labels, new_heads, new_labels)
    if takes_over:
        hang(desk, edges, new_heads, new_labels, child_of_root(heads, d), d)
    change(desk, edges, new_heads, new_labels, d, h)


@bare
def moves_others(desk, heads, d, h):
    """Whether another dependent moves along where one gets another head; `change` says how."""
    later, before = desk.situation.t + desk.situation.k + 1, heads[d]
    if 1 <= h < later and (is_below(heads, later, h, d) or (h > desk.situation.t and heads[h] == later + 1)):
        return True
    if not desk.situation.t < before < later or before == h:
        return False
    return count_on(heads, before) == 1


@inlined
def least_without(edges, removed, length, d, h):
    """The least cost of an arc with a label that is not forbidden with it."""
    least = edges.least[d, h]
    for i in range(length):
        if removed[i, 7] and removed[i, 1] == d and removed[i, 2] == h:
            least = IMPOSSIBLE
    if least < IMPOSSIBLE or not edges.is_judged[d, h]:
        return edges.least[d, h]
    read_before()
    for label in range(edges.cost.shape[2]):
        is_free = True
        for i in range(length):
            if removed[i, 7] and removed[i, 1] == d and removed[i, 2] == h and removed[i, 3] == label:
                is_free = False
        if is_free:
            least = min(least, edges.cost[d, h, label])
    return least


@bare
def floor_of(edges, removed, length):
    """What a tree costs at least that has none of the edges which the first removed conflicts forbid."""
    total = 0
    for d in range(1, edges.least.shape[0]):
        least = IMPOSSIBLE
        for h in range(edges.least.shape[1]):
            if edges.least[d, h] < least:
                least = min(least, least_without(edges, removed, length, d, h))
        total += least
    return total


@bare
def floor_of_others(edges, d):
    """What the edges of all dependents but one cost at least."""
    total = 0
    for other in range(1, edges.least.shape[0]):
        least = IMPOSSIBLE
        for h in range(edges.least.shape[1]):
            least = min(least, edges.least[other, h])
        if other != d:
            total += least
    return total


@bare
def best_change(
    desk, edges, interrupt, heads, labels, plain, removed, length, limit,
    new_heads, new_labels, found_heads, found_labels, tried,
):  # fmt: skip
    """The cost of the best tree that an attack on the last removed conflict finds; `changes` defines it.

    The plain cost of the tree is given. IMPOSSIBLE if no tree costs less than a limit, -1 if interrupted;
    tried[0] counts the trees looked at.
    """
    later = desk.situation.t + desk.situation.k + 1
    least = limit
    for number in range(2):
        d = removed[length - 1, 4 if number else 1]
        if d == 0:
            continue
        unmoved, floor = rest_of(desk, edges, heads, labels, d, plain), floor_of_others(edges, d)
        for h in range(later + 1 + (d > desk.situation.t)):
            for takes_over in range(1 + (h == 0 and child_of_root(heads, d) > 0)):
                if interrupt[0]:
                    return -1
                if h == d or floor + edges.least[d, h] >= least:
                    continue
                rest = unmoved
                if takes_over or moves_others(desk, heads, d, h):
                    write_change(desk, edges, heads, labels, new_heads, new_labels, d, h, takes_over)
                    if new_heads[d] != h:
                        continue
                    rest = rest_after(desk, edges, heads, labels, new_heads, new_labels, d, unmoved)
                if rest + edges.least[d, h] >= least:
                    continue
                judge_arc(desk, edges, d, h)
                if rest + edges.least[d, h] >= least:
                    continue
                if rest == unmoved:
                    write_change(desk, edges, heads, labels, new_heads, new_labels, d, h, takes_over)
                for label in range(edges.cost.shape[2]):
                    cost = rest + edges.cost[d, h, label]
                    if cost >= least or (h == heads[d] and label == labels[d]):
                        continue
                    new_labels[d] = label
                    tried[0] += 1
                    cost += pairs_with(desk, new_heads, new_labels, d)
                    if cost >= least:
                        continue
                    cost += judge_analysis(desk, new_heads, new_labels, CONTEXTUAL)
                    if cost < least and keeps_out(desk, new_heads, new_labels, removed, length):
                        least = cost
                        copy_tree(new_heads, new_labels, found_heads, found_labels)
    return least if least < limit else IMPOSSIBLE


# --- rows of attacks ----------------------------------------------------------------------------------------


@bare
def write_conflict(desk, conflict, heads, labels, removed):
    """Writes a conflict of a tree as `attack_in_row` has it."""
    constraint, dx, dy = conflict[0], conflict[1], conflict[2]
    removed[0] = constraint
    removed[1], removed[2], removed[3] = dx, heads[dx], labels[dx]
    removed[4], removed[5], removed[6] = dy, heads[dy], labels[dy]
    removed[7] = dy == 0 and not desk.program.is_contextual[constraint]


@bare
def is_among(removed, conflicts, count):
    """Whether a conflict is one of the first others, constraint and edges."""
    for i in range(count):
        same = 0
        while same < 7 and conflicts[i, same] == removed[same]:
            same += 1
        if same == 7:
            return True
    return False


@bare
def write_hardest(desk, heads, labels, unsolvable, count, removed):
    """Writes the hardest conflict of a tree that is not among the first unsolvable ones; if there is one."""
    for i in range(min(desk.found[0], desk.rows.shape[0])):
        write_conflict(desk, desk.rows[i], heads, labels, removed)
        if not is_among(removed, unsolvable, count):
            return True
    return False


@bare
def run_row(
    desk, edges, interrupt, heads, labels, plain, removed, begun, unsolvable, count, limit, margin,
    new_heads, new_labels, found_heads, found_labels, tried,
):  # fmt: skip
    """What `attack_in_row` says, where the first so many of some conflicts are unsolvable.

    It works on all arrays but these.
    """
    for length in range(begun, 1 + removed.shape[0]):
        if floor_of(edges, removed, length) >= limit:
            return IMPOSSIBLE
        cost = best_change(
            desk, edges, interrupt, heads, labels, plain, removed, length, limit + margin,
            new_heads, new_labels, found_heads, found_labels, tried,
        )  # fmt: skip
        if cost < limit or cost == IMPOSSIBLE:
            return cost
        copy_tree(found_heads, found_labels, heads, labels)
        if length < removed.shape[0]:
            plain, _ = judge_all(desk, heads, labels)
            if not write_hardest(desk, heads, labels, unsolvable, count, removed[length]):
                return IMPOSSIBLE
    return IMPOSSIBLE


@entry
def run_one_row(
    desk, edges, interrupt, heads, labels, plain, removed, begun, limit, margin,
    new_heads, new_labels, found_heads, found_labels, tried,
):  # fmt: skip
    return run_row(
        by_reference(desk), by_reference(edges), interrupt, heads, labels, plain, removed, begun, removed, 0,
        limit, margin, new_heads, new_labels, found_heads, found_labels, tried,
    )  # fmt: skip


@entry
def run_rows(
    desk, edges, interrupt, best_heads, best_labels, plain, rows, first, step, limit, margin,
    conflicts, removed, heads, labels, new_heads, new_labels, found_heads, found_labels, paid, tried,
):  # fmt: skip
    """What `attack_in_turn` says; it works on the arrays from `conflicts` on."""
    desk, edges = by_reference(desk), by_reference(edges)
    for number in range(rows.shape[0]):
        write_conflict(desk, rows[number], best_heads, best_labels, conflicts[number])
    for number in range(first, conflicts.shape[0], step):
        if interrupt[0]:
            return number, np.int64(-1)
        if paid[0] < number:
            return number, IMPOSSIBLE
        copy_tree(best_heads, best_labels, heads, labels)
        for column in range(8):
            removed[0, column] = conflicts[number, column]
        cost = run_row(
            desk, edges, interrupt, heads, labels, plain, removed, 1, conflicts, number, limit, margin,
            new_heads, new_labels, found_heads, found_labels, tried,
        )  # fmt: skip
        if cost < 0:
            return number, cost
        if cost < IMPOSSIBLE:
            paid[0] = min(paid[0], number)
            return number, cost
    return np.int64(conflicts.shape[0]), IMPOSSIBLE


def attack_in_row(
    program: ProgramArrays, situation: SituationArrays, edges: EdgeCosts, interrupt: Bytes,
    heads: Longs, labels: Longs, plain: int, begun: Longs,
    limit: int, margin: int, longest: int, tried: Longs,
) -> tuple[int, Longs, Longs]:  # fmt: skip
    """The cost of a tree below a limit that a row of attacks leads to, and its heads and labels.

    The row begins with conflicts of the tree, whose plain cost is given, and attacks the last of them first;
    it keeps out as many as `longest`, and no tree in it comes to `margin` more than the limit. The cost is
    IMPOSSIBLE if it leads to none, -1 if it was interrupted. tried[0] counts the trees looked at. A conflict
    is constraint, d, h, label, d, h, label (0 if it has one edge), and whether it forbids its edge: whether
    that alone breaks it.
    """
    removed = np.zeros((longest, 8), np.int64)
    removed[: len(begun)] = begun
    found_heads, found_labels = heads.copy(), labels.copy()
    cost = run_one_row(
        new_desk(program, situation, 8 * heads.size), edges, interrupt, heads.copy(), labels.copy(), plain,
        removed, len(begun), limit, margin,
        heads.copy(), labels.copy(), found_heads, found_labels, tried,
    )  # fmt: skip
    return int(cost), found_heads, found_labels


def attack_in_turn(
    program: ProgramArrays, situation: SituationArrays, edges: EdgeCosts, interrupt: Bytes,
    heads: Longs, labels: Longs, plain: int, conflicts: Longs, first: int, step: int,
    limit: int, margin: int, longest: int, paid: Longs, tried: Longs,
) -> tuple[int, int, Longs, Longs]:  # fmt: skip
    """The first conflict of a tree whose row pays, then what `attack_in_row` says of it.

    Of conflicts, as `judge_tree` gives them, every `step`th has its turn from the first on; all before one
    are unsolvable in its row. The cost is IMPOSSIBLE once all have had theirs, or where the row of one before
    paid[0], which other threads may write, has paid; -1 if the row was interrupted.
    """
    found_heads, found_labels = heads.copy(), labels.copy()
    number, cost = run_rows(
        new_desk(program, situation, 8 * heads.size), edges, interrupt, heads, labels, plain,
        conflicts, first, step, limit, margin, np.empty((len(conflicts), 8), np.int64),
        np.zeros((longest, 8), np.int64),
        heads.copy(), labels.copy(), heads.copy(), labels.copy(), found_heads, found_labels, paid, tried,
    )  # fmt: skip
    return int(number), int(cost), found_heads, found_labels
