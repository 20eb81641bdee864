"""Named tuples passed by reference, and memory fences between threads; `references_in_numba` implements both.

numba passes a named tuple by value, number by number, and a desk has some 150 numbers: so kernels pass the
address of the desk. numba has no type for such an address, and no memory fence either.
"""

from __future__ import annotations


def by_reference(held):
    """Return a named tuple as its address; the tuple has to outlive every use of that address."""
    return held


def write_before():
    """Make the writes above this call visible to other threads before the writes below it."""


def read_before():
    """Keep the reads below this call from being done before the reads above it."""
