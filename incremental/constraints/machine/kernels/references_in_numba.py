"""Types and instructions of `references` for numba; this module alone uses numba's internals."""

from __future__ import annotations

from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import lower_builtin, models, register_model, type_callable

from treewhile.incremental.constraints.machine.kernels.references import (
    by_reference,
    read_before,
    write_before,
)


class Reference(types.Type):
    """Numba type of the address of a named tuple; tuples inside of the tuple are references, too."""

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


@type_callable(write_before)
@type_callable(read_before)
def type_fence(_context):
    return lambda: types.none


@lower_builtin(write_before)
def release(context, build, _signature, _values):
    build.fence("release")
    return context.get_dummy_value()


@lower_builtin(read_before)
def acquire(context, build, _signature, _values):
    build.fence("acquire")
    return context.get_dummy_value()
