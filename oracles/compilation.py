"""Decorators that make functions kernels: built before, compiled by numba when they are called, or plain.

A kernel trusts its caller: the module that owns the algorithm validates, allocates and chooses.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, cached_property
from typing import Any, Final

from treewhile.oracles.prebuilt.library import library

# numba's own setting. A caller that parses a sentence may not want to wait for the import of numba and for
# compilation.
IS_COMPILED: Final = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


def kernel(
    function: Callable[..., Any],
    plain: Callable[..., Any] | None = None,
    prepare: Callable[[], object] | None = None,
    **options: Any,
) -> Any:
    """Return the function as a kernel, with these options of numba, and what prepares numba for it.

    If nothing is compiled, return the function itself, or `plain`, a twin that is faster with numpy.
    """
    if not IS_COMPILED:
        return plain or function
    deferred = Deferred(function, options, prepare)
    built = library()
    if built is None:
        return deferred.dispatcher
    variants = built.variants.get((function.__module__, function.__name__))
    return _class_of_built(built.kernel_class)(variants, deferred) if variants else deferred


def helper(function: Callable[..., Any]) -> Any:
    return kernel(function, inline="always")


class Deferred:
    """Kernel whose dispatcher is made when it is called, or when numba compiles another one that calls it."""

    def __init__(
        self, function: Callable[..., Any], options: dict[str, Any], prepare: Callable[[], object] | None
    ) -> None:
        self._function, self._options, self._prepare = function, options, prepare

    @cached_property
    def dispatcher(self) -> Any:
        """The dispatcher of numba, which is imported for the first of them."""
        from treewhile.oracles.numba_dispatchers import dispatcher

        if self._prepare:
            self._prepare()
        return dispatcher(self._function, self._options)

    def __call__(self, *arguments: Any) -> Any:
        return self.dispatcher(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.dispatcher, name)


@cache
def _class_of_built(kernel_class: type) -> Any:
    """Return the class of built kernels; for numba each is the dispatcher that it falls back on."""

    class Built(kernel_class):  # type: ignore[misc]
        def __init__(self, variants: Any, deferred: Deferred) -> None:
            super().__init__(variants, deferred)
            self.deferred = deferred

        def __getattr__(self, name: str) -> Any:
            return getattr(self.deferred, name)

    return Built
