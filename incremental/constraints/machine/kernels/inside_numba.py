"""Ways to compile these kernels."""

from __future__ import annotations

from functools import partial

from treewhile.oracles.compilation import kernel


def prepare_numba():
    """Load what numba has to know for these kernels."""
    from treewhile.incremental.constraints.machine.kernels import references_in_numba

    assert references_in_numba


# Numba counts references to arrays at each call and access, and there are twenty: without it all is ten times
# as fast. What is compiled so may not allocate or keep an array; its caller holds them.
entry = partial(kernel, prepare=prepare_numba, _nrt=False, no_cfunc_wrapper=True)  # what Python calls
bare = partial(entry, no_cpython_wrapper=True)
inlined = partial(bare, inline="always")
part = partial(bare, forceinline=True)
