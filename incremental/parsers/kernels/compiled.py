"""Compilation of the kernels of the parser: the same options for all but one, since numba compiles its own
functions again for each set of options.
"""

from __future__ import annotations

from functools import partial

from treewhile.oracles import compilation

# A product and its sum are fused; nothing is assumed of infinities. Divisions are not checked for zeros:
# there are none, and the check keeps loops from being vectorised, which takes ten times as long.
kernel = partial(compilation.kernel, fastmath={"contract"}, error_model="numpy")

# The same options, but sums are computed in any order, which depends on the processor alone.
kernel_in_any_order = partial(compilation.kernel, fastmath={"contract", "reassoc"}, error_model="numpy")
