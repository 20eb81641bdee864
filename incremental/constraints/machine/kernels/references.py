"""Named tuples handed on by reference, and fences between threads; `references_in_numba` makes both.

Named tuples are handed over by value, number by number, and a desk has some 150: so kernels hand on its
address. numba has no such type, and no fence between threads either.
"""

from __future__ import annotations


def by_reference(held):
    """A named tuple that is handed on as its address; it has to outlive every use of that address."""
    return held


def write_before():
    """Other threads see what stands above it before what stands below."""


def read_before():
    """What stands below is read after what stands above."""
