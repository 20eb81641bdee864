"""Watch over the compilations of numba in a process: refused in a thread, or counted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

not_kept: list[str] = []  # names of the kernels that each process has to compile for itself
refusing: set[int] = set()  # threads that compile nothing
counting: list[Callable[[], object]] = []  # called for each function that is compiled


class NotCompiledError(Exception):
    """A kernel is not in the cache."""


@contextmanager
def from_cache() -> Iterator[None]:
    """Forbid this thread to compile in the block: a kernel that is not compiled raises NotCompiledError."""
    thread = threading.get_ident()
    refusing.add(thread)
    try:
        yield
    finally:
        refusing.discard(thread)


@contextmanager
def counted(note: Callable[[], object]) -> Iterator[None]:
    """Call `note` for each function that is compiled in the block."""
    counting.append(note)
    try:
        yield
    finally:
        counting.remove(note)
