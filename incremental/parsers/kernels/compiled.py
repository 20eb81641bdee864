"""How the kernels of the parser are compiled: all but one in the same way, since numba compiles its own
functions again for each way.
"""

from __future__ import annotations

from functools import partial

from treewhile.oracles import compilation

# A product and its sum are taken at once; nothing is assumed of infinities. No division is checked for zeros:
# there are none, and with a check loops are not vectorised, which takes ten times as long.
kernel = partial(compilation.kernel, fastmath={"contract"}, error_model="numpy")

# Likewise, but sums are taken in any order, which depends on the processor and on nothing else.
kernel_in_any_order = partial(compilation.kernel, fastmath={"contract", "reassoc"}, error_model="numpy")
