"""All compiled loops of the oracles, by subject.

A kernel trusts its caller: the module that owns the algorithm validates, allocates and chooses.

Found by measuring, for whoever edits a chart: helpers that take arrays are inlined before compilation, since
numba counts references at each call that it sees (twice the time). A record of arrays is unpacked once, at
the head of a kernel, for the same reason. Kernels that Python calls at every step take arrays one by one: a
record costs a microsecond to hand over.
"""
