"""All compiled loops of the engine.

As in the oracles, a kernel trusts its caller, which validates, allocates and chooses.
"""

from __future__ import annotations

import math
from functools import partial, reduce
from itertools import chain
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers import network_shapes
from treewhile.incremental.parsers.labelled_computations import AHEAD, END, HIDDEN, NONE, ROOT, SHIFT
from treewhile.incremental.parsers.network_shapes import ROLES
from treewhile.incremental.parsers.step_rules import (
    ANY_STEP,
    IS_FINAL,
    MUST_REDUCE,
    MUST_SHIFT,
    MUST_TAKE_ROOT,
)
from treewhile.oracles import compilation
from treewhile.oracles.compilation import IS_COMPILED, helper

if IS_COMPILED:
    from llvmlite import binding, ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

# A product and its sum are taken at once; nothing is assumed of infinities. No division is checked for zeros:
# there are none, and with a check loops are not vectorised, which takes ten times as long. All kernels but
# one have the same options, since with each set of them numba compiles its own functions anew.
kernel = partial(compilation.kernel, fastmath={"contract"}, error_model="numpy")

# --- projective decoding of arc scores: the recurrence stands in `arc_decoding` -----------------------------

# The planes of a chart, each [i, j]; also the kinds of items.
PLANES = 4
LEFT, RIGHT, LEFT_OPEN, RIGHT_OPEN = range(PLANES)


@helper
def improve(best, gain, value):
    """The better of both along a row. A call, or a branch round the assignment, takes four times as long."""
    for q in range(best.size):
        way = gain + value[q]
        best[q] = way if way > best[q] else best[q]


@kernel
def fill_arc_chart(weight, t, chart):
    """Fills the chart[plane, i, j] for weight[head, dependent] as `Weights` has them.

    An item is handed on as soon as it is known: row i gathers, and each j adds to it what the rows of j and
    j + 1 make of (i, j), so that all three loops run along rows. That also is why B needs one row only.
    """
    left, right, left_open, right_open = chart[LEFT], chart[RIGHT], chart[LEFT_OPEN], chart[RIGHT_OPEN]
    never, later = np.float32(-np.inf), weight.shape[1] - 1
    unused = weight[later + 1]
    between = np.full(later + 1, never)
    for i in range(later, 0, -1):
        for j in range(i, later + 1):
            left[i, j] = right[i, j] = never
        left[i, i] = never if t < i < later else 0
        right[i, i] = 0
        for j in range(i + 1, later + 1):
            between[j] = left[i + 1, j]
        for j in range(i + 1, later + 1):
            right_open[i, j] = between[j] + weight[i, j]
            left_open[i, j] = max(between[j], right[i, j - 1]) + weight[j, i]
            right[i, j] = max(right[i, j], right_open[i, j], right[i, j - 1] + unused[j])
            left[i, j] = max(left[i, j], left[i, i] + left_open[i, j])
            if j < later:
                improve(right[i, j + 1 :], right_open[i, j], right[j, j + 1 :])
                improve(left[i, j + 1 :], left[i, j], left_open[j, j + 1 :])
                improve(between[j + 1 :], right[i, j], left[j + 1, j + 1 :])


@helper
def best_way(a, b):
    """The first place at which a + b is greatest, and what it is there."""
    place, best = 0, a[0] + b[0]
    for k in range(1, a.size):
        if a[k] + b[k] > best:
            place, best = k, a[k] + b[k]
    return place, best


@helper
def best_root_child(weight, chart):
    """The child that the root takes beside LATER, 0 for none, and the best value of the whole."""
    later = weight.shape[1] - 1
    child, best = 0, chart[LEFT, 1, later]
    for r in range(1, later):
        value = weight[0, r] + chart[LEFT, 1, r] + chart[RIGHT_OPEN, r, later]
        if value > best:
            child, best = r, value
    return child, best


@kernel
def trace_arcs(weight, chart, heads):
    """Writes the best tree to heads[node], as rows of weight; false where none is above -inf.

    The ways into an item are tried once more, since they are few: O(n) items of O(n) ways each.
    """
    left, right, left_open, right_open = chart[LEFT], chart[RIGHT], chart[LEFT_OPEN], chart[RIGHT_OPEN]
    later = weight.shape[1] - 1
    unused = later + 1
    child, value = best_root_child(weight, chart)
    if value == -np.inf:
        return False
    todo = [(LEFT, 1, later)] if child == 0 else [(LEFT, 1, child), (RIGHT_OPEN, child, later)]
    while len(todo) > 0:
        kind, i, j = todo.pop()
        if i == j:
            continue
        if kind == LEFT:
            k, _ = best_way(left[i, i:j], left_open[i:j, j])
            todo.append((LEFT, i, i + k))
            todo.append((LEFT_OPEN, i + k, j))
        elif kind == RIGHT:
            k, value = best_way(right_open[i, i + 1 : j + 1], right[i + 1 : j + 1, j])
            if right[i, j - 1] + weight[unused, j] > value:
                heads[j] = unused
                todo.append((RIGHT, i, j - 1))
            else:
                todo.append((RIGHT_OPEN, i, i + 1 + k))
                todo.append((RIGHT, i + 1 + k, j))
        else:
            k, value = best_way(right[i, i:j], left[i + 1 : j + 1, j])
            if kind == RIGHT_OPEN:
                heads[j] = i
            else:
                heads[i] = j
                if right[i, j - 1] > value:  # the first dependent of a virtual node
                    k = j - 1 - i
            todo.append((RIGHT, i, i + k))
            todo.append((LEFT, i + k + 1, j))
    if child > 0:
        heads[child] = 0
    return True


@kernel
def best_arcs(weight, t, chart, heads):
    """Writes the best tree to heads[node], as rows of weight, and gives the sum of its weights, or -inf."""
    fill_arc_chart(weight, t, chart)
    if not trace_arcs(weight, chart, heads):
        return -np.inf
    total = 0.0
    for node in range(1, weight.shape[1] - 1):
        total += weight[heads[node], node]
    return total


# --- products of matrices -----------------------------------------------------------------------------------


# Weights are kept in eight bits, inputs are brought to sixteen for each product, and a sum of whole numbers
# is exact: it is the same to the last bit, whatever rows stand beside its own, on every processor. A tile is
# the sums of a panel of weights for some rows of inputs: they stay in registers, as VECTORS of LANES numbers
# a row, while the weights go by once, two inputs at a time, since processors multiply pairs of sixteen bits
# and add them up at once. Weights are [panel, pair of inputs, 2 * column of the panel + which of the pair].
def has_wide_registers():
    try:
        return IS_COMPILED and bool(binding.get_host_cpu_features().get("avx512f"))
    except RuntimeError:  # a processor whose features nobody can tell
        return False


LANES, VECTORS = (16, 4) if has_wide_registers() else (8, 2)
PANEL = LANES * VECTORS
TILE_ROWS = 6  # at most

PAIR = 2
if IS_COMPILED:
    NUMBERS = ir.VectorType(ir.FloatType(), LANES)
    SUMS = ir.VectorType(ir.IntType(32), LANES)
    EIGHT_BITS, SIXTEEN_BITS, PRODUCTS = (
        ir.VectorType(ir.IntType(bits), PAIR * LANES) for bits in (8, 16, 32)
    )


def tile_of(rows):
    """A function for kernels that adds to outputs[row :, columns of the panel] what `add_products` says.

    It is written in the compiler's own language, since numba keeps no array in registers.
    """

    @intrinsic
    def tile(typing, whole, steps, row, weight, panel, scale, outputs):
        def write(context, build, signature, values):
            kinds = signature.args
            arrays = [context.make_array(kinds[i])(context, build, values[i]) for i in (0, 1, 3, 5, 6)]
            write_tile(build, rows, values[2], values[4], *arrays)
            return context.get_dummy_value()

        return types.void(whole, steps, row, weight, panel, scale, outputs), write

    return tile


def write_tile(build, rows, row, panel, whole, steps, weight, scale, outputs):
    """Writes a tile of so many rows."""
    number, vectors = row.type, range(VECTORS)
    width, columns = (cgutils.unpack_tuple(build, array.shape, 2)[1] for array in (whole, outputs))
    form = ir.FunctionType(NUMBERS, [NUMBERS] * 3)
    product_and_sum = cgutils.get_or_insert_function(build.module, form, f"llvm.fmuladd.v{LANES}f32")

    def at(array, *places):
        return build.gep(array.data, [reduce(build.add, places)])

    def vector(place, kind=NUMBERS):
        return build.bitcast(place, kind.as_pointer())

    def spread(value, kind):
        alone = build.insert_element(ir.Constant(kind, ir.Undefined), value, ir.IntType(32)(0))
        return build.shuffle_vector(alone, alone, ir.Constant(SUMS, [0] * LANES))

    def every_second(products, first):
        places = ir.Constant(SUMS, [*range(first, PAIR * LANES, PAIR)])
        return build.shuffle_vector(products, products, places)

    def sums_of_pairs(pair, weights):
        """One instruction, or two, of most processors."""
        products = build.mul(build.sext(pair, PRODUCTS), build.sext(weights, PRODUCTS))
        return build.add(every_second(products, 0), every_second(products, 1))

    rows_from = [build.add(row, number(r)) for r in range(rows)]
    input_rows = [at(whole, build.mul(one, width)) for one in rows_from]
    panel_start = at(weight, build.mul(panel, build.mul(width, number(PANEL))))
    before, loop, after = build.block, build.append_basic_block("inputs"), build.append_basic_block("sums")
    build.branch(loop)

    build.position_at_end(loop)
    k = build.phi(number)
    sums = [[build.phi(SUMS) for _ in vectors] for _ in range(rows)]
    weights, pairs = [], []
    for v in vectors:
        place = build.gep(panel_start, [build.add(build.mul(k, number(PANEL)), number(v * PAIR * LANES))])
        weights.append(build.sext(build.load(vector(place, EIGHT_BITS), align=1), SIXTEEN_BITS))
    for start in input_rows:
        pair = build.load(build.bitcast(build.gep(start, [k]), SUMS.element.as_pointer()), align=2)
        pairs.append(build.bitcast(spread(pair, SUMS), SIXTEEN_BITS))
    more = [
        [build.add(sums[r][v], sums_of_pairs(pairs[r], weights[v])) for v in vectors] for r in range(rows)
    ]
    k.add_incoming(number(0), before)
    k.add_incoming(build.add(k, number(PAIR)), loop)
    for one, then in zip(chain(*sums), chain(*more), strict=True):
        one.add_incoming(ir.Constant(SUMS, [0] * LANES), before)
        one.add_incoming(then, loop)
    build.cbranch(build.icmp_signed("<", k.incomings[1][0], width), loop, after)

    build.position_at_end(after)
    steps_of_rows = [spread(build.load(at(steps, one)), NUMBERS) for one in rows_from]
    for v in vectors:
        column = build.add(build.mul(panel, number(PANEL)), number(v * LANES))
        scales = build.load(vector(at(scale, column)), align=4)
        for r in range(rows):
            place = vector(at(outputs, build.mul(rows_from[r], columns), column))
            step = build.fmul(steps_of_rows[r], scales)
            found = build.sitofp(more[r][v], NUMBERS)
            result = build.call(product_and_sum, [found, step, build.load(place, align=4)])
            build.store(result, place, align=4)


if IS_COMPILED:
    tile_1, tile_2, tile_3, tile_4, tile_5, tile_6 = map(tile_of, range(1, TILE_ROWS + 1))

# Numbers in single precision, by their bits: all but the sign, the exponent, and what counts as nothing.
MAGNITUDE, EXPONENT, ONE_MORE, NOTHING = (1 << 31) - 1, 255 << 23, 1 << 23, 27 << 23
ROUNDS_UP = 1 << 8  # what is added to the bits of 1.99999, so that it comes to no more than 15 bits
MOST_BITS, MOST_INPUTS = 14, 512  # so many of them, and no sum overflows; with twice as many, one bit less


def whole_numbers_in_numpy(inputs, whole, steps):
    bits, width = MOST_BITS, min(inputs.shape[1], whole.shape[1])
    while whole.shape[1] > MOST_INPUTS << MOST_BITS - bits:
        bits -= 1
    magnitudes = np.ascontiguousarray(inputs[:, :width]).view(np.int32) & MAGNITUDE
    exponents = (magnitudes.max(1, initial=0) + ROUNDS_UP) & EXPONENT
    steps.view(np.int32)[:] = np.maximum(exponents, NOTHING) - bits * ONE_MORE
    whole[:, :width] = np.rint(inputs[:, :width] * (np.float32(1) / steps)[:, None])
    whole[:, width:] = 0


@partial(kernel, plain=whole_numbers_in_numpy)
def to_whole_numbers(inputs, whole, steps):
    """Writes whole[row, input] and steps[row], a power of two, whose product is close to the input."""
    bits = MOST_BITS
    while whole.shape[1] > MOST_INPUTS << MOST_BITS - bits:
        bits -= 1
    exponents, inputs_in_bits = steps.view(np.int32), inputs.view(np.int32)
    width = inputs.shape[1] if inputs.shape[1] < whole.shape[1] else whole.shape[1]
    for row in range(len(inputs)):
        values, magnitudes, numbers = inputs[row], inputs_in_bits[row], whole[row]
        greatest = np.int32(0)
        for i in range(width):  # of positive numbers, the greatest one has the greatest bits
            magnitude = magnitudes[i] & np.int32(MAGNITUDE)
            greatest = magnitude if magnitude > greatest else greatest
        exponent = (greatest + ROUNDS_UP) & EXPONENT
        exponents[row] = (exponent if exponent > NOTHING else NOTHING) - bits * ONE_MORE
        steps_in_one = np.float32(1) / steps[row]
        for i in range(width):
            numbers[i] = np.int16(np.rint(values[i] * steps_in_one))
        for i in range(width, numbers.size):
            numbers[i] = 0


matrices: dict[
    int, tuple[npt.NDArray[np.int8], npt.NDArray[np.float64]]
] = {}  # by the addresses of their weights, which are kept with them


def matrix_of(weight):
    """[input, output] of a weight in panels; sums of its products are exact in double precision, too."""
    address = weight.ctypes.data
    if address not in matrices:
        panels, pairs, _ = weight.shape
        parts = weight.reshape(panels, pairs, PANEL, PAIR).transpose(1, 3, 0, 2)
        matrices[address] = weight, parts.reshape(PAIR * pairs, -1).astype(np.float64)
    return matrices[address][1]


def products_in_numpy(inputs, weight, scale, outputs):
    matrix = matrix_of(weight)
    whole, steps = np.empty((len(inputs), len(matrix)), np.int16), np.empty(len(inputs), np.float32)
    to_whole_numbers(inputs, whole, steps)
    sums = whole.astype(np.float64) @ matrix
    outputs[: len(inputs)] += sums.astype(np.float32) * (steps[:, None] * scale)


@partial(kernel, plain=products_in_numpy)
def add_products(inputs, weight, scale, outputs):
    """outputs += scale * inputs @ weight; the weight is in panels, as wide as the outputs.

    Inputs beyond its own do not count.
    """
    rows = len(inputs)
    whole, steps = np.empty((rows, PAIR * weight.shape[1]), np.int16), np.empty(rows, np.float32)
    to_whole_numbers(inputs, whole, steps)
    for panel in range(len(weight)):
        row = 0
        while rows - row >= TILE_ROWS:
            tile_6(whole, steps, row, weight, panel, scale, outputs)
            row += TILE_ROWS
        if rows - row == 5:
            tile_5(whole, steps, row, weight, panel, scale, outputs)
        elif rows - row == 4:
            tile_4(whole, steps, row, weight, panel, scale, outputs)
        elif rows - row == 3:
            tile_3(whole, steps, row, weight, panel, scale, outputs)
        elif rows - row == 2:
            tile_2(whole, steps, row, weight, panel, scale, outputs)
        elif rows - row == 1:
            tile_1(whole, steps, row, weight, panel, scale, outputs)


# outputs = scale * inputs @ weight + bias, as wide as the panels of the weight, and how many of the outputs
# count. A plain tuple, since a named one takes longer to hand over.
Layer: TypeAlias = tuple[
    npt.NDArray[np.int8], npt.NDArray[np.float32], npt.NDArray[np.float32], int
]  # weight, scale, bias, wide


# Loops in place of numpy's functions of arrays, here and below: these take many times as long to compile.
@kernel
def outputs_of(layer, inputs):
    """[row, output]"""
    weight, scale, bias, _ = layer
    outputs = np.empty((len(inputs), bias.size), np.float32)
    for row in range(len(inputs)):
        for unit in range(bias.size):
            outputs[row, unit] = bias[unit]
    add_products(inputs, weight, scale, outputs)
    return outputs


SLOPE = np.float32(network_shapes.SLOPE)
WIDE = 3  # the place in a layer


@kernel
def rectify(values):
    for unit in range(values.size):
        values[unit] = max(values[unit], values[unit] * SLOPE)


@helper
def place_of_best(values, count):
    """The first place of the greatest of so many."""
    best = 0
    for place in range(1, count):
        if values[place] > values[best]:
            best = place
    return best


@kernel
def best_tags(hidden, tags, features, states):
    """The numbers of the likeliest tags and features of each row."""
    outputs = outputs_of(hidden, states)
    units = np.empty((len(states), hidden[WIDE]), np.float32)
    for row in range(len(states)):
        rectify(outputs[row])
        for unit in range(units.shape[1]):
            units[row, unit] = outputs[row, unit]
    of_tags, of_features = outputs_of(tags, units), outputs_of(features, units)
    best = np.empty((2, len(states)), np.intp)
    for row in range(len(states)):
        best[0, row] = place_of_best(of_tags[row], tags[WIDE])
        best[1, row] = place_of_best(of_features[row], features[WIDE])
    return best[0], best[1]


@helper
def sums_of_steps(parts, bias, hidden, steps):
    """The score of every class of step, then PATIENCE, given what parts[role][hidden] add to it."""
    sums = np.zeros((1, bias.size), np.float32)
    for role in range(len(parts)):
        part = parts[role]
        for unit in range(bias.size):
            sums[0, unit] += part[unit]
    for unit in range(bias.size):
        sums[0, unit] += bias[unit]
    rectify(sums[0])
    units = outputs_of(hidden, sums)
    rectify(units[0])
    return outputs_of(steps, units)[0, : steps[WIDE]]


@kernel
def step_scores(parts, bias, hidden, steps):
    """As `sums_of_steps`, by itself."""
    return sums_of_steps(parts, bias, hidden, steps)


@helper
def best_class(parts, tops, missing, layers, barred):
    """The best class of step, and the score of every one, -inf where it is barred, then PATIENCE.

    parts[role][hidden] are what words add in the roles. Those with a bit in `missing` are written first,
    from the states tops[role][unit], by the weights[role] and scales[role] of a layer.
    """
    weights, scales, bias, hidden, steps = layers
    for role in range(len(parts)):
        if missing >> role & 1:
            outputs, part = np.zeros((1, scales.shape[1]), np.float32), parts[role]
            add_products(tops[role].reshape(1, -1), weights[role], scales[role], outputs)
            for unit in range(part.size):
                part[unit] = outputs[0, unit]
    scores = sums_of_steps(parts, bias, hidden, steps)
    for step in range(barred.size):
        scores[step] += barred[step]
    return place_of_best(scores, barred.size), scores


@kernel
def best_step(parts, tops, missing, layers, barred):
    """As `best_class`, by itself."""
    return best_class(parts, tops, missing, layers, barred)


# --- greedy steps -------------------------------------------------------------------------------------------

# A computation in arrays: nodes[STACK, place], and the outermost children nodes[LEFTMOST or RIGHTMOST, node];
# taken[step], by which steps are undone; counts, as named; and what words add in their roles, of those that
# were used last: parts[slot, hidden] of slots[slot]. `LabelledComputation` is the same in Python.
STACK, LEFTMOST, RIGHTMOST = range(3)
CLASS, CHILD, HEAD, OUTERMOST_BEFORE = range(4)
FRONT, DEPTH, STEPS, WAITS, USES = range(5)  # whether the last answer was to shift a word that had not come
WORD, ROLE, LAST_USE = range(3)
FIRST_AHEAD, MOST_AHEAD = AHEAD[0], len(AHEAD)
Computation: TypeAlias = tuple[
    npt.NDArray[np.int32],  # nodes
    npt.NDArray[np.int32],  # taken
    npt.NDArray[np.int64],  # counts
    npt.NDArray[np.int64],  # slots
    npt.NDArray[np.float32],  # parts
]


@helper
def situation(depth, may_shift):
    """That of `step_rules`."""
    if may_shift:
        return MUST_SHIFT if depth < 3 else ANY_STEP
    if depth < 3:
        return IS_FINAL if depth < 2 else MUST_TAKE_ROOT
    return MUST_REDUCE


@helper
def role_of_ahead(place, front, n, ahead, is_closed):
    if front + place <= n:
        return front + place if place < ahead else HIDDEN
    return END if is_closed and (front > n or place < ahead) else HIDDEN


@helper
def write_roles(nodes, front, depth, n, ahead, is_closed, roles):
    """The words in the roles, or what stands there instead."""
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
    """Where the part of a word in a role is; if nowhere, where the one is that was not used for longest."""
    oldest = 0
    for slot in range(len(slots)):
        if slots[slot, WORD] == word and slots[slot, ROLE] == role:
            return slot
        if slots[slot, LAST_USE] < slots[oldest, LAST_USE]:
            oldest = slot
    return oldest


@kernel
def copy_to(row, values):
    """In place of an assignment, which takes seconds to compile."""
    for place in range(row.size):
        row[place] = values[place]


@helper
def best_step_of(roles, tops, computation, layers, missing_roles, barred):
    """The best class of step, all scores and PATIENCE, where these words, or none, stand in the roles."""
    _, _, counts, slots, parts = computation
    chosen = np.empty((len(roles), parts.shape[1]), np.float32)
    states = np.empty((len(roles), tops.shape[1]), np.float32)
    used, missing = np.empty(len(roles), np.int64), np.int64(0)
    counts[USES] += 1
    for role in range(len(roles)):
        word = roles[role]
        if word > 0:
            slot = used[role] = slot_of(slots, word, role)
            if slots[slot, WORD] != word or slots[slot, ROLE] != role:
                slots[slot, WORD], slots[slot, ROLE] = word, role
                missing |= 1 << role
                copy_to(states[role], tops[word - 1])
            slots[slot, LAST_USE] = counts[USES]
        copy_to(chosen[role], parts[used[role]] if word > 0 else missing_roles[-word, role])
    best, scores = best_class(chosen, states, missing, layers, barred)
    for role in range(len(roles)):
        if missing >> role & 1:
            copy_to(parts[used[role]], chosen[role])
    return best, scores


@kernel
def take_class(step, kinds, computation):
    """Takes the step of a class."""
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
    """Takes steps back until so many are left, and forgets what is known of words after t."""
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
    for slot in range(len(slots)):
        if slots[slot, WORD] > t:
            slots[slot, WORD], slots[slot, LAST_USE] = 0, 0


@kernel
def take_steps(n, ahead, risk, is_closed, tops, computation, layers, missing_roles, barred):
    """Takes the best steps until one has to wait, given the n words that have come, of states tops[word - 1].

    A step waits until so many words ahead are known, unless no other is legal or its PATIENCE is no more than
    the risk, which is -inf if all wait. Gives how many were ever taken, and for each reduction of these by
    how much the score[class] is less than the best. Who sees no word ahead and would shift is not asked again
    when the word has come.
    """
    nodes, _, counts, _, _ = computation
    roles, kinds, least = np.empty(len(ROLES), np.int64), barred.shape[1] // 2, np.float32(risk)
    less = np.empty((counts[DEPTH] + n + 1 - counts[FRONT], barred.shape[1]), np.float32)
    reductions = 0
    while True:
        front, depth = counts[FRONT], counts[DEPTH]
        now = situation(depth, front <= n or not is_closed)
        knows_all = is_closed or n + 1 - front >= ahead
        if now == IS_FINAL or not (knows_all or risk > -np.inf):
            break
        step = SHIFT
        if now != MUST_SHIFT and not (counts[WAITS] and not is_closed):
            write_roles(nodes, front, depth, n, ahead, is_closed, roles)
            step, scores = best_step_of(roles, tops, computation, layers, missing_roles, barred[now])
            if not knows_all and scores[barred.shape[1]] > least:
                break
            if step != SHIFT:
                for place in range(barred.shape[1]):
                    less[reductions, place] = scores[place] - scores[step]
                reductions += 1
        if step == SHIFT and front > n:
            counts[WAITS] = ahead == 0
            break
        take_class(step, kinds, computation)
    return counts[STEPS], less[:reductions]


# --- long short-term memory ---------------------------------------------------------------------------------

# tanh(x) = x P(x^2) / Q(x^2) for |x| <= 9, fitted by reweighted least squares: off by 4e-7 at most in single
# precision. It has no branch and no call, so loops over it vectorise, which those over `math.tanh` do not.
P0, P1, P2, P3, P4 = map(np.float32, (0.9999999, 0.13373199, 3.4865832e-3, 2.0471851e-5, 1.3184249e-8))
Q1, Q2, Q3, Q4 = map(np.float32, (0.46706495, 0.025841985, 3.2713875e-4, 7.702674e-7))
ONE, HALF, BOUND = map(np.float32, (1, 0.5, 9))


@helper
def bounded_tanh(x):
    z = x * x
    return (
        x * ((((P4 * z + P3) * z + P2) * z + P1) * z + P0) / ((((Q4 * z + Q3) * z + Q2) * z + Q1) * z + ONE)
    )


@helper
def tanh(x):
    return bounded_tanh(min(max(x, -BOUND), BOUND))


@helper
def sigmoid(x):
    return HALF * tanh(HALF * x) + HALF


def step_in_numpy(gates, h, c):
    into, forget, cell, out = gates[: 4 * h.size].reshape(4, h.size)
    c[:] = sigmoids(forget) * c + sigmoids(into) * tangents(cell)
    h[:] = sigmoids(out) * tangents(c)


def tangents(values):
    return bounded_tanh(np.clip(values, -BOUND, BOUND))


def sigmoids(values):
    return HALF * tangents(HALF * values) + HALF


@partial(kernel, plain=step_in_numpy)
def add_step(gates, h, c):
    """The output h[unit] and the cell c[unit] after one more step, in place of those before."""
    units = h.size
    into, forget = gates[:units], gates[units : 2 * units]
    cell, out = gates[2 * units : 3 * units], gates[3 * units : 4 * units]
    for u in range(units):
        c[u] = sigmoid(forget[u]) * c[u] + sigmoid(into[u]) * tanh(cell[u])
    for u in range(units):
        h[u] = sigmoid(out[u]) * tanh(c[u])


@helper
def longest_first(lengths):
    """The numbers of sequences in this order."""
    order = np.empty(lengths.size, np.intp)
    for number in range(lengths.size):
        place = number
        while place > 0 and lengths[order[place - 1]] < lengths[number]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = number
    return order


@kernel
def run_recurrent(projected, firsts, lengths, towards, weight, scale, starts, outputs, cells):
    """Writes the outputs[row, unit] and the cells for what inputs add to the gates, projected[row, gate].

    Sequences take their steps together: rows are gone through from firsts[sequence] on, towards the next row
    (1) or the one before (-1). starts[sequence, 0 or 1, unit] are the output and the cell that each begins
    with. Gates are, one after the other: input, forget, cell, output; the weight is in panels.
    """
    count, units = len(firsts), outputs.shape[1]
    order = longest_first(lengths)
    gates = np.empty((count, scale.size), np.float32)
    h, c = np.empty((count, units), np.float32), np.empty((count, units), np.float32)
    for s in range(count):
        for u in range(units):
            h[s, u], c[s, u] = starts[order[s], 0, u], starts[order[s], 1, u]
    step = 0
    while count > 0:
        while count > 0 and lengths[order[count - 1]] <= step:
            count -= 1
        for s in range(count):
            row = firsts[order[s]] + towards * step
            for g in range(4 * units):
                gates[s, g] = projected[row, g]
        add_products(h[:count], weight, scale, gates)
        for s in range(count):
            row = firsts[order[s]] + towards * step
            add_step(gates[s], h[s], c[s])
            for u in range(units):
                outputs[row, u], cells[row, u] = h[s, u], c[s, u]
        step += 1


@kernel
def take_word(projected, first_states, second, second_states, h, c):
    """Replaces h and c[word, layer, unit] of one word by those of the next, through two layers.

    projected[0, gate] is what the word adds to the gates of the first one.
    """
    first_weight, first_scale, _, wide = first_states
    second_weight, second_scale, _, _ = second_states
    gates = np.zeros((1, first_scale.size), np.float32)
    for gate in range(wide):
        gates[0, gate] = projected[0, gate]
    add_products(h[0, :1], first_weight, first_scale, gates)
    add_step(gates[0, :wide], h[0, 0], c[0, 0])
    gates = outputs_of(second, h[0, :1])
    add_products(h[0, 1:], second_weight, second_scale, gates)
    add_step(gates[0, :wide], h[0, 1], c[0, 1])


@kernel
def take_and_tag_word(projected, layers, taggers, h, c):
    """`take_word`, and the numbers of the word's likeliest tag and features."""
    first_states, second, second_states = layers
    hidden, tags, features = taggers
    take_word(projected, first_states, second, second_states, h, c)
    best, best_features = best_tags(hidden, tags, features, h[0, 1:])
    return best[0], best_features[0]


# --- both sides of nodes ------------------------------------------------------------------------------------

# A tail is what comes behind the words of a sentence: what its nodes add to the gates of the layer from left
# to right, [node, gate]; what the second layer from right to left comes to in them, [node, unit]; and
# [layer, 0 or 1, unit], the outputs and the cells with which both layers that come from the right go on.


@kernel
def write_at(rows, row, column, values):
    for r in range(len(values)):
        for c in range(values.shape[1]):
            rows[row + r, column + c] = values[r, c]


@kernel
def outputs_along(projected, firsts, lengths, towards, layer, starts):
    """[row, unit]: what a recurrent layer makes of sequences, each as `run_recurrent` has it."""
    outputs = np.empty((len(projected), starts.shape[2]), np.float32)
    cells = np.empty((len(projected), starts.shape[2]), np.float32)
    run_recurrent(projected, firsts, lengths, towards, layer[0], layer[1], starts, outputs, cells)
    return outputs


@kernel
def look_around(tops, gates, words, root, tail_of, tails, layers):
    """What is known from both sides, early[row, 2 * unit] of roots and words, late[node, 2 * unit] of all.

    And where each sequence, which is its root, its words and its tail, starts among the nodes, and the last
    one ends. Of the words, words[sequence] many, tops[word, unit] are the causal states, gates[word, gate]
    what they add to the first layer from the right; root has the same of the root. The layers are, one pair
    after the other, what inputs and what states add to the gates of the first one from the right, the second
    one from the left, and the second one from the right.
    """
    first_inputs, first_states, left_inputs, left_states, right_inputs, right_states = layers
    sequences, units, rows = words.size, tops.shape[1], len(tops) + words.size
    here, forth, back = np.intp(0), np.intp(1), np.intp(-1)  # an int would be compiled for itself

    # where rows and nodes of the sequences are, and in what states layers come to their words
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


# --- arcs and labels ----------------------------------------------------------------------------------------


# Here sums are taken in any order, which depends on the processor and on nothing else.
@partial(compilation.kernel, fastmath={"contract", "reassoc"}, error_model="numpy")
def arc_scores(late, bounds, of_head, of_child, arc):
    """The score of every head for every child: those of a sequence are [head, child], one after the other."""
    heads, children = outputs_of(of_head, late), outputs_of(of_child, late)
    wide, size = of_child[WIDE], 0
    for node in range(len(late)):
        rectify(heads[node])
        rectify(children[node])
    products = np.empty((len(late), arc[1].size), np.float32)
    for node in range(len(late)):
        for unit in range(arc[1].size):
            products[node, unit] = 0
    add_products(heads, arc[0], arc[1], products)
    for s in range(bounds.size - 1):
        size += (bounds[s + 1] - bounds[s]) * (bounds[s + 1] - bounds[s])
    scores, place = np.empty(size, np.float32), 0
    for s in range(bounds.size - 1):
        for head in range(bounds[s], bounds[s + 1]):
            for child in range(bounds[s], bounds[s + 1]):
                total = products[head, wide]
                for unit in range(wide):
                    total += products[head, unit] * children[child, unit]
                scores[place] = total
                place += 1
    return scores


# exp(x) = 2^n exp(r) with |r| <= ln 2 / 2, where seven terms of the series are off by 2e-7 of it at most. As
# with `tanh`, loops over it vectorise. What is less than LEAST counts as LEAST.
LEAST, LOG2_E, LN2, REST_OF_LN2 = map(np.float32, (-87, 1.4426950408889634, 0.693359375, -2.1219444e-4))
E2, E3, E4, E5, E6 = (np.float32(1 / math.factorial(power)) for power in range(2, 7))


@kernel
def exponentials(values, whole):
    """Replaces values, none of which is above 0; `whole` has room for as many numbers."""
    for i in range(values.size):
        x = max(values[i], LEAST)
        n = np.rint(x * LOG2_E)
        r = x - n * LN2 - n * REST_OF_LN2
        whole[i] = (np.int32(n) + 127) << 23
        values[i] = (((((E6 * r + E5) * r + E4) * r + E3) * r + E2) * r + ONE) * r + ONE
    powers = whole.view(np.float32)
    for i in range(values.size):
        values[i] *= powers[i]


@kernel
def head_logs(scores, heads, children, words):
    """[head, child]: the logarithms of the probabilities of so many heads; -inf is what cannot be.

    scores[head, child] are of all nodes. No word is UNUSED, which is the last head if there are more heads
    than children.
    """
    never = np.float32(-np.inf)
    logs = np.empty((heads, children), np.float32)
    greatest, sums = np.empty(children, np.float32), np.empty(children, np.float32)
    chances, whole = np.empty(children, np.float32), np.empty(children, np.int32)
    for child in range(children):
        greatest[child], sums[child] = never, 0
        for head in range(heads):
            logs[head, child] = scores[head, child]
        logs[child, child] = never
        if child <= words and heads > children:
            logs[heads - 1, child] = never
    for head in range(heads):
        improve(greatest, np.float32(0), logs[head])
    for head in range(heads):
        for child in range(children):
            chances[child] = logs[head, child] - greatest[child]
        exponentials(chances, whole)
        for child in range(children):
            sums[child] += chances[child]
    for child in range(1, children):
        greatest[child] += math.log(sums[child])
    for head in range(heads):
        for child in range(children):
            logs[head, child] -= greatest[child]
        logs[head, 0] = never
    return logs


@kernel
def label_logs(as_head, as_child, heads, children, barred, label):
    """[arc, label]: the logarithms of the probabilities of labels.

    as_head[node, unit] and as_child are what nodes add to the units; barred[arc, label] is 0, or -inf for
    what cannot be.
    """
    units = np.empty((heads.size, as_head.shape[1]), np.float32)
    for arc in range(heads.size):
        head, child, sums = as_head[heads[arc]], as_child[children[arc]], units[arc]
        for unit in range(sums.size):
            sums[unit] = head[unit] + child[unit] + head[unit] * child[unit]
        rectify(sums)
    scores = outputs_of(label, units)
    logs = np.empty((heads.size, label[WIDE]), np.float32)
    chances, whole = np.empty(label[WIDE], np.float32), np.empty(label[WIDE], np.int32)
    for arc in range(heads.size):
        greatest, total = np.float32(-np.inf), np.float32(0)
        for number in range(label[WIDE]):
            logs[arc, number] = scores[arc, number] + barred[arc, number]
            greatest = max(greatest, logs[arc, number])
        for number in range(label[WIDE]):
            chances[number] = logs[arc, number] - greatest
        exponentials(chances, whole)
        for number in range(label[WIDE]):
            total += chances[number]
        greatest += np.float32(math.log(total))
        for number in range(label[WIDE]):
            logs[arc, number] -= greatest
    return logs
