"""Owners of sessions in a folder: an owner is one run of one process, with a file in the folder.

The process holds a lock on the file as long as it runs: an owner whose file is not locked is dead. The
modification time of the file says when the owner last ran. An owner that has to give its sessions up sets it
to zero: its sessions are incomplete, and no process gets them.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

PREFIX: Final = "owner-"


class Owner:
    """New owner with a name that nobody else has, alive until `end`."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name, self._folder = name, folder
        self._file = os.open(self._path(name), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def end(self) -> None:
        """Release the lock, which says that this owner is alive."""
        os.close(self._file)

    def disown(self) -> None:
        """Let nobody get the sessions of this owner. This needs no disk space."""
        os.utime(self._file, (0, 0))
        os.fsync(self._file)

    def beat(self) -> None:
        """Set the time of the file, which says after a crash when this owner last ran."""
        os.utime(self._file)

    def is_whole(self, owner: str) -> bool:
        """Return whether the sessions of an owner are complete."""
        with suppress(FileNotFoundError):
            return self._path(owner).stat().st_mtime > 0
        return False

    def silences(self) -> Mapping[str, float]:
        """Return for how many seconds each owner has been dead, 0 for the living."""
        found = {}
        for path in self._folder.glob(f"{PREFIX}*"):
            with suppress(FileNotFoundError), open(path, "rb") as file:
                seen = os.fstat(file.fileno()).st_mtime
                found[path.name.removeprefix(PREFIX)] = time.time() - seen if _is_free(file.fileno()) else 0.0
        return found

    def forget(self, owners: Iterable[str]) -> None:
        """Remove the files of other owners."""
        for owner in owners:
            self._path(owner).unlink(missing_ok=True)

    def _path(self, owner: str) -> Path:
        return self._folder / f"{PREFIX}{owner}"


def _is_free(file: int) -> bool:
    """Return whether nobody holds the lock of a file."""
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
