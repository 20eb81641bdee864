"""What compiles kernels, and whether they are compiled; with the kernels themselves all that imports numba.

A kernel trusts its caller: the module that owns the algorithm validates, allocates and chooses.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from treewhile.oracles import kernel_sources

# As numba has it. Who parses a sentence may not want to wait until all is compiled, nor for numba itself.
IS_COMPILED: Final = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")

if IS_COMPILED:
    from numba import njit
    from numba.core import event
    from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

    class _Locator(_CacheLocator):
        """The folder for a kernel, and what tells kernels of one name apart there."""

        def __init__(self, function: Callable[..., Any], folder: Path) -> None:
            self._line, self._folder = function.__code__.co_firstlineno, folder

        def get_cache_path(self) -> str:
            return str(self._folder)

        def get_source_stamp(self) -> str:
            return self._folder.name

        def get_disambiguator(self) -> str:
            return str(self._line)

        @classmethod
        def from_function(cls, function: Callable[..., Any], _: str) -> _Locator | None:
            for place in kernel_sources.places():
                locator = cls(function, kernel_sources.folder_of(function.__module__, place))
                with suppress(OSError):  # it is not there, or not ours to write to
                    locator._begin()
                    return locator
            return None

        def _begin(self) -> None:
            if not self._folder.exists():
                self._folder.mkdir(parents=True)
                kernel_sources.remove_unused(self._folder)
            self.ensure_cache_path()  # type: ignore[no-untyped-call]

    class _Results(CompileResultCacheImpl):
        _locator_classes = [_Locator]  # noqa: RUF012

    class _Cache(FunctionCache):
        """What cannot be read, since it speaks of a type that has gone elsewhere, is compiled again."""

        _impl_class = _Results

        def load_overload(self, *key: Any) -> Any:
            with self._or_none():
                return super().load_overload(*key)  # type: ignore[no-untyped-call]

        def save_overload(self, *compiled: Any) -> None:
            with self._or_none():
                super().save_overload(*compiled)  # type: ignore[no-untyped-call]

        @contextmanager
        def _or_none(self) -> Iterator[None]:
            try:
                yield
            except (AttributeError, ImportError):
                self.flush()  # type: ignore[no-untyped-call]


not_kept: list[str] = []  # the kernels that each process has to compile for itself


def kernel(function: Callable[..., Any], plain: Callable[..., Any] | None = None, **options: Any) -> Any:
    """The function, compiled when it is called first, for good where there is a folder to keep it in.

    Where nothing is compiled it is the function itself, or a plain twin that takes less time with numpy.
    """
    if not IS_COMPILED:
        return plain or function
    compiled = njit(nogil=True, **options)(function)
    try:
        compiled._cache = _Cache(function)  # type: ignore[no-untyped-call]
    except RuntimeError:  # neither in the user's home nor beside this file: NUMBA_CACHE_DIR helps
        not_kept.append(function.__name__)
    return compiled


def helper(function: Callable[..., Any]) -> Any:
    return kernel(function, inline="always")


# --- what is in the cache -----------------------------------------------------------------------------------

COMPILING: Final = "numba:compile"  # an event of numba; there is none where the cache has a kernel


class NotCompiledError(Exception):
    """A kernel is not in the cache."""


@contextmanager
def from_cache() -> Iterator[None]:
    """A block in which this thread compiles nothing: where it would have to, a NotCompiledError ends it."""
    thread = threading.get_ident()

    def refuse(function: object) -> None:
        if threading.get_ident() == thread:
            raise NotCompiledError(str(function))

    with _told(refuse, lambda function: None):
        yield


@contextmanager
def counted(note: Callable[[], object]) -> Iterator[None]:
    """A block that notes each function that is compiled in it."""
    with _told(lambda function: None, lambda function: note()):
        yield


@contextmanager
def _told(begun: Callable[[object], object], done: Callable[[object], object]) -> Iterator[None]:
    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            begun(event.data["dispatcher"])

        def on_end(self, event: Any) -> None:
            done(event.data["dispatcher"])

    numba_event: Any = event
    listener = Listener()
    numba_event.register(COMPILING, listener)
    try:
        yield
    finally:
        numba_event.unregister(COMPILING, listener)
