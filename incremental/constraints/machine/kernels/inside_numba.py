"""Compilation of these kernels; the one module that builds on the inside of numba, which may change.

Named tuples are passed by value, number by number, and a desk has some 150: so kernels pass the address.
Numba has no such type, and no fence between threads either: both are made here.
"""

from __future__ import annotations

from functools import partial

from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

from treewhile.oracles.compilation import IS_COMPILED, kernel

# Numba counts references to arrays at each call and access, and there are twenty: without counts all is ten
# times as fast. Functions compiled with these options may not allocate or keep an array; the caller holds all
# arrays.
entry = partial(kernel, _nrt=False, no_cfunc_wrapper=True)  # called by Python
bare = partial(entry, no_cpython_wrapper=True)
inlined = partial(bare, inline="always")
part = partial(bare, forceinline=True)


# --- tuples by reference ------------------------------------------------------------------------------------


def by_reference(held):
    """Return a named tuple that is passed as its address, which the tuple has to outlive."""
    return held


class Reference(types.Type):
    """Numba type of the address of a named tuple; tuples in this tuple are references, too."""

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


# --- fences -------------------------------------------------------------------------------------------------


def fence(order):
    """Return a function for kernels that orders memory: writes before it are seen before those after it."""
    if not IS_COMPILED:
        return lambda: None

    @intrinsic
    def set_fence(_):
        def write(context, build, _signature, _values):
            build.fence(order)
            return context.get_dummy_value()

        return types.void(), write

    return set_fence


write_before, read_before = fence("release"), fence("acquire")
