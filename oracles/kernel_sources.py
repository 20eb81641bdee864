"""Cache folders of compiled kernels: one for each module, named after all the sources that it depends on.

A kernel is compiled together with the helpers that it calls and the constants that it reads, from any module.
So its folder carries a digest of its module and of all modules that this one imports: every edit is noticed,
unchanged kernels stay compiled, and copies of one version share their kernels. This module does not import
numba, so checking the cache does not wait for that import.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]  # root folder of all packages
PACKAGE: Final = "treewhile"
# Also those within functions: what prepares numba for a kernel is imported late.
IMPORT: Final = re.compile(r"^\s*(?:from|import) (treewhile[\w.]*)(?: import (\([^)]*\)|.*))?", re.MULTILINE)
KERNELS: Final = ("oracles/**/kernels/*.py", "incremental/**/kernels/*.py", "incremental/**/kernels.py")
LONGEST_UNUSED: Final = 30 * 86400  # seconds after which the kernels of another version are removed


def folder_of(module: str, place: Path) -> Path:
    """Return the folder at a place where the kernels of a module are kept."""
    return place / f"{module.removeprefix(f'{PACKAGE}.')}-{digest_of(module)}"


def places() -> Iterator[Path]:
    """Yield the possible cache folders, best first: NUMBA_CACHE_DIR, the user's, the source folder."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(os.environ["NUMBA_CACHE_DIR"])
        return
    yield _cache_of_user() / PACKAGE
    yield Path(__file__).parent / "__pycache__"


def _cache_of_user() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or "~/AppData/Local").expanduser()
    if sys.platform == "darwin":
        return Path("~/Library/Caches").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()


def remove_unused(folder: Path) -> None:
    """Remove kernels that another version of the folder's module left there long ago."""
    name = folder.name.rpartition("-")[0]
    for other in folder.parent.glob(f"{name}-*"):
        if other != folder and time.time() - other.stat().st_mtime > LONGEST_UNUSED:
            shutil.rmtree(other, ignore_errors=True)


@cache
def digest_of(module: str) -> str:
    """Return a digest of all sources that a module depends on: its own, and its imports in this project."""
    digest = blake2b(digest_size=8)
    for name in sorted(sources_of(module)):
        digest.update(name.encode())
        digest.update(text_of(name).encode())
    return digest.hexdigest()


@cache
def digest_of_all() -> str:
    """Return a digest of the sources of all kernels."""
    paths = sorted(path for pattern in KERNELS for path in ROOT.glob(pattern))
    names = [".".join([PACKAGE, *path.relative_to(ROOT).with_suffix("").parts]) for path in paths]
    digest = blake2b(digest_size=8)
    for name in sorted(set().union(*map(sources_of, names))):
        digest.update(f"{name} {text_of(name)}".encode())
    return digest.hexdigest()


def sources_of(module: str) -> set[str]:
    found, todo = set(), [module]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += imported_by(name)
    return found


@cache
def imported_by(module: str) -> list[str]:
    """Return the modules of this project that a module imports; a package adds none of its own."""
    found = []
    for package, names in IMPORT.findall(text_of(module)):
        inside = [f"{package}.{name}" for name in re.findall(r"\w+", names)]
        found += [name for name in [package, *inside] if file_of(name).exists()]
    return found


@cache
def text_of(module: str) -> str:
    return file_of(module).read_text(encoding="utf-8")


def file_of(module: str) -> Path:
    if module.split(".")[0] != PACKAGE:
        return Path(sys.modules[module].__file__ or "")
    return ROOT.joinpath(*module.split(".")[1:]).with_suffix(".py")
