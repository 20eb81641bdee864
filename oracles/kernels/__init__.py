"""Compiled loops of the oracles, by subject.

A kernel trusts its caller: the module that owns the algorithm validates the input, allocates the arrays and
chooses the kernel.

Rules found by measuring: helpers that take arrays are inlined before compilation, since numba counts
references at each call that it sees (twice the time). A record of arrays is unpacked once, at the head of a
kernel that runs long. Kernels that run at every step pass each other arrays one by one: with records they
take a tenth longer, and Python takes a microsecond to pass one.
"""
