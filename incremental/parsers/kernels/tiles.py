"""Tiles of matrix products, in the compiler's own language, since numba keeps no array in registers.

Weights are kept in eight bits, inputs are rounded to as many for each product, and a sum of whole numbers is
exact: it is the same to the last bit, whatever other rows are computed together, on every processor. A tile
is the sums of a panel of weights for some rows of inputs. The sums stay in registers, as VECTORS of LANES
numbers a row, while the weights are read once, a GROUP of inputs at a time: as many as a processor multiplies
and adds at once, four where it has VNNI, and else two, in sixteen bits.

Weights are [panel, group of inputs, GROUP * column of the panel + index in the group]. With VNNI the inputs
have to be positive, so all are 128 too great, and a panel begins with a group more, whose four bytes a column
are the whole number at which the sum starts.

Measured on one core with VNNI, for 512 inputs and 1,024 outputs: 7 microseconds for one row, 12 for six, 55
for thirty, a third to a ninth of the time of the library's product in single precision
(tests/benchmarks/bench_products.py). With inputs of sixteen bits it was 9, 32 and 157.

Nothing else in the parser rests on the insides of numba and llvmlite, which a new version may change.
"""

from __future__ import annotations

from functools import reduce

import numpy as np
import numpy.typing as npt

from treewhile.oracles.compilation import IS_COMPILED

if IS_COMPILED:
    from llvmlite import binding, ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic


def features():
    """Return the features of the processor, as far as known."""
    try:
        return binding.get_host_cpu_features() if IS_COMPILED else {}
    except RuntimeError:
        return {}


HAS_WIDE_REGISTERS = bool(features().get("avx512f"))
HAS_VNNI = bool(features().get("avx512vnni" if HAS_WIDE_REGISTERS else "avxvnni"))
LANES, VECTORS = (16, 4) if HAS_WIDE_REGISTERS else (8, 2)
PANEL = LANES * VECTORS
GROUP = 4 if HAS_VNNI else 2
TILE_ROWS = 6  # at most
ZERO = 128 if HAS_VNNI else 0  # the code of an input of 0
LINE = 64  # bytes of a cache line

if IS_COMPILED:
    NUMBERS = ir.VectorType(ir.FloatType(), LANES)
    SUMS = ir.VectorType(ir.IntType(32), LANES)
    SIXTEEN_BITS, PRODUCTS = (ir.VectorType(ir.IntType(bits), 2 * LANES) for bits in (16, 32))
    WEIGHTS = ir.VectorType(ir.IntType(8), GROUP * LANES)
    NOTHING = ir.Constant(SUMS, [0] * LANES)


def in_panels(weight: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Return [panel, group of inputs, place in the group], for a weight[output, input] in eight bits."""
    outputs, inputs = weight.shape
    filled = np.pad(weight, ((0, -outputs % PANEL), (0, -inputs % GROUP)))
    groups = filled.reshape(-1, PANEL, filled.shape[1] // GROUP, GROUP).transpose(0, 2, 1, 3)
    panels = groups.reshape(len(groups), -1, GROUP * PANEL)
    if HAS_VNNI:
        starts = -ZERO * filled.sum(1, dtype=np.int32)
        panels = np.concatenate([starts.view(np.int8).reshape(len(panels), 1, -1), panels], axis=1)
    return on_lines(panels)


def on_lines(weights: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Return a copy that begins on a cache line: reads across two lines take half as long again."""
    room = np.empty(weights.size + LINE, np.int8)
    start = -room.ctypes.data % LINE
    aligned = room[start : start + weights.size].reshape(weights.shape)
    aligned[:] = weights
    return aligned


def tile_of(rows):
    """Return a function for kernels that adds the products to outputs[row :, columns of the panel]."""

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
    """Write the instructions of a tile with this number of rows."""
    number, vectors = row.type, range(VECTORS)
    width, columns = (cgutils.unpack_tuple(build, array.shape, 2)[1] for array in (whole, outputs))
    product_and_sum = function_of(build, f"llvm.fmuladd.v{LANES}f32", NUMBERS)

    def at(array, *places):
        return build.gep(array.data, [reduce(build.add, places)])

    def vector(place, kind=NUMBERS):
        return build.bitcast(place, kind.as_pointer())

    def weights_from(place):
        places = [build.gep(place, [number(v * GROUP * LANES)]) for v in vectors]
        return [build.load(vector(one, WEIGHTS), align=1) for one in places]

    rows_from = [build.add(row, number(r)) for r in range(rows)]
    input_rows = [at(whole, build.mul(one, width)) for one in rows_from]
    size = build.mul(build.add(width, number(GROUP if HAS_VNNI else 0)), number(PANEL))
    start, first_sums = at(weight, build.mul(panel, size)), [NOTHING] * VECTORS
    if HAS_VNNI:
        first_sums = [build.bitcast(one, SUMS) for one in weights_from(start)]
        start = build.gep(start, [number(GROUP * PANEL)])
    before, loop, after = build.block, build.append_basic_block("inputs"), build.append_basic_block("sums")
    build.branch(loop)

    build.position_at_end(loop)
    k = build.phi(number)
    sums = [[build.phi(SUMS) for _ in first_sums] for _ in range(rows)]
    weights = weights_from(build.gep(start, [build.mul(k, number(PANEL))]))
    add = add_fours if HAS_VNNI else add_pairs
    groups = [group_at(build, build.gep(one, [k])) for one in input_rows]
    more = [add(build, *one, weights) for one in zip(sums, groups, strict=True)]
    k.add_incoming(number(0), before)
    k.add_incoming(build.add(k, number(GROUP)), loop)
    for of_row, then_of_row in zip(sums, more, strict=True):
        for one, first, then in zip(of_row, first_sums, then_of_row, strict=True):
            one.add_incoming(first, before)
            one.add_incoming(then, loop)
    build.cbranch(build.icmp_signed("<", k.incomings[1][0], width), loop, after)

    build.position_at_end(after)
    steps_of_rows = [spread(build, build.load(at(steps, one)), NUMBERS) for one in rows_from]
    for v in vectors:
        column = build.add(build.mul(panel, number(PANEL)), number(v * LANES))
        scales = build.load(vector(at(scale, column)), align=4)
        for r in range(rows):
            place = vector(at(outputs, build.mul(rows_from[r], columns), column))
            step = build.fmul(steps_of_rows[r], scales)
            found = build.sitofp(more[r][v], NUMBERS)
            result = build.call(product_and_sum, [found, step, build.load(place, align=4)])
            build.store(result, place, align=4)


def function_of(build, name, kind):
    """Return a function of the compiler, of three vectors of a kind."""
    return cgutils.get_or_insert_function(build.module, ir.FunctionType(kind, [kind] * 3), name)


def spread(build, value, kind):
    """Return a vector of the same number in all lanes."""
    alone = build.insert_element(ir.Constant(kind, ir.Undefined), value, ir.IntType(32)(0))
    return build.shuffle_vector(alone, alone, NOTHING)


def group_at(build, place):
    """Return the inputs at a place, in each lane."""
    group = build.load(build.bitcast(place, SUMS.element.as_pointer()), align=1)
    return spread(build, group, SUMS)


def add_pairs(build, sums, pair, weights):
    """Add the products of a pair of inputs to the sums of a row: one or two instructions."""
    inputs = build.sext(build.bitcast(pair, SIXTEEN_BITS), PRODUCTS)
    products = [build.mul(inputs, build.sext(build.sext(one, SIXTEEN_BITS), PRODUCTS)) for one in weights]
    added = [build.add(every_second(build, one, 0), every_second(build, one, 1)) for one in products]
    return [build.add(one, more) for one, more in zip(sums, added, strict=True)]


def every_second(build, products, first):
    places = ir.Constant(SUMS, [*range(first, 2 * LANES, 2)])
    return build.shuffle_vector(products, products, places)


def add_fours(build, sums, four, weights):
    """Add the products of four inputs to the sums of a row, one instruction each."""
    add_products = function_of(build, f"llvm.x86.avx512.vpdpbusd.{32 * LANES}", SUMS)
    given = zip(sums, weights, strict=True)
    return [build.call(add_products, [one, four, build.bitcast(of, SUMS)]) for one, of in given]


if IS_COMPILED:
    tile_1, tile_2, tile_3, tile_4, tile_5, tile_6 = map(tile_of, range(1, TILE_ROWS + 1))
