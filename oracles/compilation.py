"""Compilation of kernels with numba, and the kernel cache; only this module and kernels import numba.

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

# numba's own setting. A caller that parses a sentence may not want to wait for the import of numba and for
# compilation.
IS_COMPILED: Final = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")

if IS_COMPILED:
    from numba import njit
    from numba.core import event
    from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

    class _Locator(_CacheLocator):
        """Cache folder of one kernel, and its line number, which tells kernels of the same name apart."""

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
                with suppress(OSError):  # the folder does not exist, or is not writable
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
        """Kernel cache in which an unreadable entry counts as missing: the kernel is compiled again."""

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


not_kept: list[str] = []  # names of the kernels that each process has to compile for itself


def kernel(function: Callable[..., Any], plain: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Return the function, compiled at its first call, and cached on disk where there is a writable folder.

    If nothing is compiled, return the function itself, or `plain`, a twin that is faster with numpy.
    """
    if not IS_COMPILED:
        return plain or function
    compiled = njit(nogil=True, **options)(function)
    try:
        compiled._cache = _Cache(function)  # type: ignore[no-untyped-call]
    except RuntimeError:  # no folder is writable: set NUMBA_CACHE_DIR
        not_kept.append(function.__name__)
    return compiled


def helper(function: Callable[..., Any]) -> Any:
    return kernel(function, inline="always")


# --- what is in the cache -----------------------------------------------------------------------------------

COMPILING: Final = "numba:compile"  # numba's event for a compilation; a cache hit raises none


class NotCompiledError(Exception):
    """Error for a kernel that is not in the cache."""


@contextmanager
def from_cache() -> Iterator[None]:
    """Forbid this thread to compile inside the block: a missing kernel raises NotCompiledError."""
    thread = threading.get_ident()

    def refuse(function: object) -> None:
        if threading.get_ident() == thread:
            raise NotCompiledError(str(function))

    with _told(refuse, lambda function: None):
        yield


@contextmanager
def counted(note: Callable[[], object]) -> Iterator[None]:
    """Call `note` for each function that is compiled inside the block."""
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
