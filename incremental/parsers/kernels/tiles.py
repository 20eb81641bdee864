"""Tiles of matrix products, in the compiler's own language, since numba keeps no array in registers.

Weights are kept in eight bits, inputs are brought to sixteen for each product, and a sum of whole numbers is
exact: it is the same to the last bit, whatever rows stand beside its own, on every processor. A tile is the
sums of a panel of weights for some rows of inputs: they stay in registers, as VECTORS of LANES numbers a row,
while the weights go by once, two inputs at a time, since processors multiply pairs of sixteen bits and add
them up at once. Weights are [panel, pair of inputs, 2 * column of the panel + which of the pair].

Measured beside the library's product in single precision, on one core with AVX-512, for 512 inputs and 1,024
outputs: 8 microseconds against 27 for one row, 18 against 173 for six, 86 against 425 for thirty, 337 against
1,307 for 120 (tests/benchmarks/bench_products.py).

Nothing else in the parser rests on the insides of numba and llvmlite, which a new version may change.
"""

from __future__ import annotations

from functools import reduce
from itertools import chain

from treewhile.oracles.compilation import IS_COMPILED

if IS_COMPILED:
    from llvmlite import binding, ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic


def has_wide_registers():
    try:
        return IS_COMPILED and bool(binding.get_host_cpu_features().get("avx512f"))
    except RuntimeError:  # a processor whose features are unknown
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
    """A function for kernels that adds what `add_products` says to outputs[row :, columns of the panel]."""

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
    """Writes the instructions of a tile with this number of rows."""
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
