"""Builder of a library of kernels: three processes compile objects, which are linked then.

It takes a C and a C++ compiler, two hundred megabytes a process, and one to three minutes on two cores; half
of that where numba has compiled the kernels before. A library appears as a whole or not at all.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final

from treewhile.incremental.building.c_compiler import compile_module, link
from treewhile.oracles import kernel_sources
from treewhile.oracles.kernel_sources import PACKAGE
from treewhile.oracles.prebuilt import library
from treewhile.oracles.prebuilt.library import DISPATCH, SUFFIX, TABLE
from treewhile.oracles.processors import KINDS

SOURCE: Final = Path(library.__file__).with_name("dispatch.c")
LOCK: Final = "building.lock"
BEGUN: Final = "building-"  # the names of folders before they are filled
SECONDS: Final = 0.5  # between two looks at a lock
NOT_BUILT: Final = "treewhile: kernels are not built, but compiled by numba: {}"
NOT_AHEAD: Final = "treewhile: kernels are not built ahead: {}"
X86: Final = ("x86_64", "AMD64")
EMPTY: Final[Mapping[str, str]] = MappingProxyType({})
FOLDERS: Final = ("incremental.constraints", "incremental", "oracles")  # whose kernels are built together


def build() -> bool:
    """Build all kernels unless they are there; return whether they are, and say on standard error if not."""
    return _is_done(_build_here, NOT_BUILT)


def build_ahead(place: Path) -> bool:
    """Build a library for each kind of this machine's processors into a folder, unless it is there.

    Return whether they are there, and say on standard error if not.
    """
    return _is_done(partial(_build_kinds, place), NOT_AHEAD)


def _is_done(build: Callable[[], object], otherwise: str) -> bool:
    try:
        build()
    except (OSError, subprocess.CalledProcessError) as error:
        told = (getattr(error, "stderr", None) or str(error).encode()).decode(errors="replace").strip()
        print(otherwise.format((told.splitlines() or ["?"])[-1][:200]), file=sys.stderr)
        return False
    return True


def _build_here() -> None:
    place = _place()
    with _alone(place):
        if not library.is_sound():
            _install(place / library.name_of_folder(), fill)


def _build_kinds(place: Path) -> None:
    if platform.machine() not in X86:
        raise OSError(f"there is no kind of {platform.machine()} processors: they are built where they run")
    place.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        where = place / library.name_of_shipped(kind)
        if not where.exists():
            _install(where, partial(fill, settings=kind.settings))


def compile_all() -> None:
    """Compile all kernels by numba, for want of a C compiler, and note in its cache that it has all."""
    from treewhile.incremental.building.compiled_kernels import compiled

    with suppress(OSError), _alone(place := _place()):
        if not library.is_sound():
            for _ in compiled():
                pass
            _install(place / library.name_of_folder(), lambda made: _write_table(made, []))


def kernels_of(folder: str) -> list[tuple[str, str, str]]:
    """Return the kernels that are built with a folder: those that no folder before it has."""
    return [kernel for kernel in library.kernels_to_build() if _folder_of(kernel[0]) == folder]


def _folder_of(module: str) -> str:
    return next(one for one in FOLDERS if module.startswith(f"{PACKAGE}.{one}."))


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    """Wait until no other process builds at a place, and keep others out of the block."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with (place / LOCK).open("w") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(SECONDS)
        yield


def _install(where: Path, write: Callable[[Path], object]) -> None:
    """Fill a folder, and put it where the library is looked for."""
    place = where.parent
    kernel_sources.remove_unused(where)
    for left in place.glob(f"{BEGUN}*"):  # by a process that was ended
        shutil.rmtree(left, ignore_errors=True)
    made = Path(tempfile.mkdtemp(dir=place, prefix=BEGUN))
    try:
        write(made)
        made.chmod(0o755)
        shutil.rmtree(where, ignore_errors=True)  # which is damaged, if it is there
        made.rename(where)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def fill(made: Path, settings: Mapping[str, str] = EMPTY) -> None:
    """Fill a folder with the modules and the table of a library, with some settings of numba."""
    from treewhile.incremental.building.extension_modules import compile_support

    compile_module(SOURCE, made / f"{DISPATCH}{SUFFIX}")
    workers = [_worker(folder, made, settings) for folder in FOLDERS]
    support = compile_support(made)
    for folder, worker in zip(FOLDERS, workers, strict=True):
        _wait(worker)
        link([made / f"{folder}.o", *support], made / f"{folder}{SUFFIX}")
    for path in made.glob("*.o"):
        path.unlink()
    _write_table(made, [*_table()])


def _write_table(made: Path, kernels: Sequence[Sequence[str]]) -> None:
    sizes = {path.name: path.stat().st_size for path in made.iterdir()}
    (made / TABLE).write_text(json.dumps({"sizes": sizes, "kernels": kernels}))


def _place() -> Path:
    """Return the first folder where kernels may be kept that is ours to write to."""
    tried = ""
    for place in kernel_sources.places():
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            tried = str(error)
        else:
            if os.access(place, os.W_OK):
                return place
            tried = f"{place} is not ours to write to"
    raise OSError(tried)


def _worker(folder: str, at: Path, settings: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a process that compiles the object of a folder; it ends with this process."""
    command = [sys.executable, "-m", __package__, folder, str(at)]
    environment = {**os.environ, **settings}
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stderr=subprocess.PIPE)


def _wait(worker: subprocess.Popen[bytes]) -> None:
    assert worker.stdin
    assert worker.stderr
    with worker.stdin, worker.stderr:
        told = worker.stderr.read()
    if code := worker.wait():
        raise subprocess.CalledProcessError(code, worker.args, stderr=told)


def _table() -> Iterator[tuple[str, str, str, str, str]]:
    for folder in FOLDERS:
        for number, (module, name, types) in enumerate(kernels_of(folder)):
            yield module, name, types, f"{folder}{SUFFIX}", f"f{number}"


def build_object(folder: str, at: Path) -> None:
    from treewhile.incremental.building.compiled_kernels import with_types
    from treewhile.incremental.building.extension_modules import Export, write_object

    kernels = with_types(kernels_of(folder))
    exports = [Export(kernel, types, f"f{number}") for number, (kernel, types) in enumerate(kernels)]
    write_object(exports, at / f"{folder}.o")
