"""Decorators that make functions kernels: built before, compiled by numba when they are called, or plain.

Kernels of sessions that are neither built nor compiled yet are plain Python at first, a hundred times as
slow, while another process builds them; they are replaced as soon as it has done so.

A kernel trusts its caller: the module that owns the algorithm validates, allocates and chooses.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator
from enum import EnumType
from functools import cache, cached_property
from types import FunctionType, SimpleNamespace
from typing import Any, Final

from treewhile.oracles.prebuilt import background
from treewhile.oracles.prebuilt.library import Library, library, names_to_build

# numba's own setting: nothing is compiled nor built, for tests and for who looks for a mistake.
IS_COMPILED: Final = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")

KERNELS: Final = re.compile(r"treewhile\..*kernels\b")  # names of modules of kernels

plain_at_first: list[Waiting] = []  # kernels that are plain at first
_is_compiled_when_called = False
_making_plain = threading.Lock()
_when_replaced: list[Callable[[], object]] = []


def kernel(
    function: Callable[..., Any],
    plain: Callable[..., Any] | None = None,
    prepare: Callable[[], object] | None = None,
    **options: Any,
) -> Any:
    """Return the function as a kernel, with these options of numba, and what prepares numba for it.

    Where nothing is compiled, it is the function itself, or `plain`, a twin that is faster with numpy.
    """
    if not IS_COMPILED:
        return plain or function
    deferred = Deferred(function, plain or function, options, prepare)
    built = library()
    if built is not None and built.variants:
        return _built(deferred, built)
    if deferred.names not in names_to_build():
        return deferred
    plain_at_first.append(Waiting(deferred))
    if _is_compiled_when_called:
        plain_at_first[-1].replace(deferred)
    return plain_at_first[-1]


def helper(function: Callable[..., Any]) -> Any:
    return kernel(function, inline="always")


def when_replaced(call: Callable[[], object]) -> None:
    """Have something called once plain kernels have been replaced; what only they need can be given up."""
    _when_replaced.append(call)


class Deferred:
    """Kernel whose dispatcher is made when it is called, or when numba compiles another one that calls it.

    plain   the function that does the same in plain Python
    """

    def __init__(
        self,
        function: Callable[..., Any],
        plain: Callable[..., Any],
        options: dict[str, Any],
        prepare: Callable[[], object] | None,
    ) -> None:
        self.plain = plain
        self._function, self._options, self._prepare = function, options, prepare

    @property
    def names(self) -> tuple[str, str]:
        """Names of the module and of the function."""
        return self._function.__module__, self._function.__name__

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


def _built(deferred: Deferred, built: Library) -> Any:
    variants = built.variants.get(deferred.names)
    return _class_of_built(built.kernel_class)(variants, deferred) if variants else deferred


# --- plain at first -----------------------------------------------------------------------------------------


class Waiting:
    """Kernel that is plain Python until it is replaced by a built or compiled one."""

    def __init__(self, deferred: Deferred) -> None:
        self.deferred, self.is_plain = deferred, True
        self._call = self._call_first

    def __call__(self, *arguments: Any) -> Any:
        return self._call(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.deferred, name)

    def replace(self, by: Callable[..., Any]) -> None:
        """Use another kernel from the next call on."""
        with _making_plain:
            self._call, self.is_plain = by, False

    def _call_first(self, *arguments: Any) -> Any:
        background.begin(replace_all)
        with _making_plain:
            plain = _in_plain(self.deferred.plain)
            if self.is_plain:
                self._call = plain
        return plain(*arguments)


def are_kernels_plain() -> bool:
    """Return whether kernels of sessions are plain, and so a hundred times as slow."""
    return any(waiting.is_plain for waiting in plain_at_first)


def compile_when_called() -> None:
    """Have numba compile each kernel when it is called, in place of plain ones: to see what calls them."""
    global _is_compiled_when_called
    _is_compiled_when_called = True
    for waiting in plain_at_first:
        waiting.replace(waiting.deferred)


def begin_to_replace() -> None:
    """Build kernels in the background if they are plain, and replace them then."""
    if are_kernels_plain():
        background.begin(replace_all)


def replace_all() -> None:
    """Replace plain kernels by those that are built now, or compiled by numba, here if it must be."""
    library.cache_clear()
    built = library()
    if built is not None and built.variants:
        for waiting in plain_at_first:
            waiting.replace(_built(waiting.deferred, built))
    else:
        for waiting in _compiled():
            waiting.replace(waiting.deferred.dispatcher)
    for call in _when_replaced:
        call()


def _compiled() -> Iterator[Waiting]:
    """Yield kernels as soon as numba has them for the types that sessions call them with."""
    for names in background.compiled_kernels():
        yield from [waiting for waiting in plain_at_first if waiting.names == names]


_plain_names: dict[int, dict[str, Any]] = {}  # by the address of the names of a module


def _in_plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with plain functions in place of all kernels that it calls."""
    if not isinstance(function, FunctionType):
        return function
    names = _plain_names_of(function.__globals__)
    twin = FunctionType(function.__code__, names, closure=function.__closure__)
    twin.__defaults__, twin.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return twin


def _plain_names_of(names: dict[str, Any]) -> dict[str, Any]:
    if id(names) not in _plain_names:
        plain = _plain_names[id(names)] = {**names}
        for name, value in names.items():
            if function := _plain_of(value):
                plain[name] = _in_plain(function)
            elif isinstance(value, EnumType):  # whose attributes are slow to find
                plain[name] = SimpleNamespace(**value.__members__)
    return _plain_names[id(names)]


def _plain_of(value: object) -> Callable[..., Any] | None:
    """Return the plain function of a kernel, or of a function beside kernels; None for all else."""
    if isinstance(value, Waiting | Deferred):
        plain: Callable[..., Any] = value.plain
        return plain
    if isinstance(value, FunctionType) and KERNELS.match(value.__module__):
        return value
    return None


def _begin_anew() -> None:
    """Go on in a forked process, which has none of the threads that replace kernels or make plain ones."""
    global _making_plain
    _making_plain = threading.Lock()
    if background.forget():
        begin_to_replace()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
