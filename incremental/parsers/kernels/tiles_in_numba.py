"""Tiles of matrix products, in the compiler's own language, since numba keeps no array in registers.

`tiles` says what they are. Nothing else in the parser rests on the insides of numba and llvmlite, which a new
version may change.
"""

from __future__ import annotations

from functools import reduce

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, type_callable

from treewhile.incremental.parsers.kernels.tiles import GROUP, HAS_VNNI, LANES, PANEL, TILES, VECTORS

NUMBERS = ir.VectorType(ir.FloatType(), LANES)
SUMS = ir.VectorType(ir.IntType(32), LANES)
SIXTEEN_BITS, PRODUCTS = (ir.VectorType(ir.IntType(bits), 2 * LANES) for bits in (16, 32))
WEIGHTS = ir.VectorType(ir.IntType(8), GROUP * LANES)
NOTHING = ir.Constant(SUMS, [0] * LANES)


def give_meaning(tile, rows):
    """Let kernels call a tile of so many rows."""

    @type_callable(tile)
    def type_tile(_context):
        def returned(whole, steps, row, weight, panel, scale, outputs):
            return types.none

        return returned

    @lower_builtin(tile, types.VarArg(types.Any))
    def write(context, build, signature, values):
        kinds = signature.args
        arrays = [context.make_array(kinds[i])(context, build, values[i]) for i in (0, 1, 3, 5, 6)]
        write_tile(build, rows, values[2], values[4], *arrays)
        return context.get_dummy_value()


def write_tile(build, rows, row, panel, whole, steps, weight, scale, outputs):
    """Writes the instructions of a tile with this number of rows."""
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
    """A function of the compiler, of three vectors of a kind."""
    return cgutils.get_or_insert_function(build.module, ir.FunctionType(kind, [kind] * 3), name)


def spread(build, value, kind):
    """A vector of the same number in all lanes."""
    alone = build.insert_element(ir.Constant(kind, ir.Undefined), value, ir.IntType(32)(0))
    return build.shuffle_vector(alone, alone, NOTHING)


def group_at(build, place):
    """The inputs at a place, in each lane."""
    group = build.load(build.bitcast(place, SUMS.element.as_pointer()), align=1)
    return spread(build, group, SUMS)


def add_pairs(build, sums, pair, weights):
    """Adds the products of a pair of inputs to the sums of a row: one or two instructions."""
    inputs = build.sext(build.bitcast(pair, SIXTEEN_BITS), PRODUCTS)
    products = [build.mul(inputs, build.sext(build.sext(one, SIXTEEN_BITS), PRODUCTS)) for one in weights]
    added = [build.add(every_second(build, one, 0), every_second(build, one, 1)) for one in products]
    return [build.add(one, more) for one, more in zip(sums, added, strict=True)]


def every_second(build, products, first):
    places = ir.Constant(SUMS, [*range(first, 2 * LANES, 2)])
    return build.shuffle_vector(products, products, places)


def add_fours(build, sums, four, weights):
    """Adds the products of four inputs to the sums of a row, one instruction each."""
    add_products = function_of(build, f"llvm.x86.avx512.vpdpbusd.{32 * LANES}", SUMS)
    given = zip(sums, weights, strict=True)
    return [build.call(add_products, [one, four, build.bitcast(of, SUMS)]) for one, of in given]


for rows, tile in TILES.items():
    give_meaning(tile, rows)
