"""Owners of sessions: an owner is one run of one process, with a file in the folder of sessions.

The process holds a lock on the file as long as it runs: an owner whose file is not locked is dead, and its
sessions go to the next process that asks. The modification time of the file says when the owner last ran. An
owner that could not write removes its file: its sessions are incomplete, and no process gets them.
"""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Container
from contextlib import suppress
from pathlib import Path
from typing import Final

FILES: Final = "owner-*"


class Owner:
    """New owner under an unused name, alive until `end`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.name, self._file = _new_file(folder)

    def end(self) -> None:
        """Release the lock, so that other owners may take the sessions."""
        os.close(self._file)

    def disown(self) -> None:
        """Remove the file, so that nobody gets the sessions of this owner. This needs no disk space."""
        with suppress(FileNotFoundError):
            os.unlink(self._folder / self.name)
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def show_life(self) -> None:
        """Touch the file, whose modification time says after a crash when this owner last ran."""
        os.utime(self._file)

    def ended_at(self, owner: str, left_at: float | None) -> float:
        """Return when a session was left: inf while its owner serves it, -inf if it is incomplete."""
        if owner == self.name:
            return float("inf") if left_at is None else left_at
        try:
            with open(self._folder / owner, "rb") as file:
                is_dead = _locked(file.fileno())
                seen = os.fstat(file.fileno()).st_mtime
        except FileNotFoundError:
            return float("-inf")
        if left_at is not None:
            return left_at
        return seen if is_dead else float("inf")

    def remove_dead(self, known: Container[str]) -> None:
        """Remove the files of dead owners that are not in `known`."""
        for path in self._folder.glob(FILES):
            if path.name not in known and path.name != self.name:
                with suppress(FileNotFoundError), open(path, "rb") as file:
                    if _locked(file.fileno()):
                        path.unlink()

    def all_names(self) -> list[str]:
        """Return the names of all owners that have a file."""
        return [path.name for path in self._folder.glob(FILES)]


def _new_file(folder: Path) -> tuple[str, int]:
    """Create and lock the file of an unused name; return the name and the descriptor."""
    while True:
        name = f"owner-{secrets.token_hex(8)}"
        file = os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(file, fcntl.LOCK_EX)
        if (folder / name).exists():  # nobody has removed the file before it was locked
            return name, file
        os.close(file)


def _locked(file: int) -> bool:
    """Lock a file if nobody holds its lock, and return whether this worked."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
