"""Kernels as numba's dispatchers, which compile them at their first call and keep them in a folder.

With the kernels themselves, and with what builds them, all that imports numba.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from treewhile.oracles import kernel_sources


class _Locator(_CacheLocator):
    """Folder for a kernel, and the stamps that tell kernels of one name apart there."""

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
    """Cache that compiles a kernel again where its file speaks of a type that has gone elsewhere."""

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
        except (AttributeError, ImportError, OSError):
            self.flush()  # type: ignore[no-untyped-call]


def dispatcher(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Return a function's dispatcher, which keeps what it compiles where there is a folder for it."""
    compiled = njit(nogil=True, **options)(function)
    with suppress(RuntimeError):  # neither in the user's home nor beside this file: NUMBA_CACHE_DIR helps
        compiled._cache = _Cache(function)  # type: ignore[no-untyped-call]
    return compiled
