"""The processes of this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")


def is_alive(pid: int) -> bool:
    return _fields(pid)[:1] not in ([], ["Z"])


def children(pid: int) -> list[int]:
    """The processes that a process has begun, as far as they live."""
    return [one for one in _pids() if _fields(one)[1:2] == [str(pid)] and is_alive(one)]


def command_line(pid: int) -> list[str]:
    with suppress(OSError):
        return (PROC / str(pid) / "cmdline").read_text().split("\0")
    return []


def builders(cache: Path, word: str = "treewhile.incremental.building") -> list[int]:
    """The processes that build kernels for a cache, by a word of their command lines."""
    return [one for one in _pids() if word in command_line(one) and _has(one, cache)]


def group_exists(group: int) -> bool:
    """Whether any process of the group is there."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _pids() -> Iterator[int]:
    return (int(path.name) for path in PROC.glob("[0-9]*"))


def _fields(pid: int) -> list[str]:
    """State, parent and more of a process, nothing of one that has ended."""
    with suppress(OSError):
        return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return []


def _has(pid: int, cache: Path) -> bool:
    with suppress(OSError):
        return f"NUMBA_CACHE_DIR={cache}".encode() in (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    return False
