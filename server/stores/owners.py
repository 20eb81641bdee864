"""Who serves which sessions: an owner is one life of one process, and has a file in the folder of sessions.

The file is locked for as long as the process lives: an owner whose file is not locked is dead, and its
sessions go to the next one that asks. When the file was touched last says when its owner was alive. An owner
that could not write removes its file: its sessions are not whole, and nobody gets them.
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
    """A new owner, under a name that was never used, alive until `end`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.name, self._file = _new_file(folder)

    def end(self) -> None:
        """Another one may have the sessions."""
        os.close(self._file)

    def disown(self) -> None:
        """Nobody gets the sessions of this owner any more. This needs no room on the disk."""
        with suppress(FileNotFoundError):
            os.unlink(self._folder / self.name)
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def show_life(self) -> None:
        """Notes when this owner was alive last, for what is left to do after its death."""
        os.utime(self._file)

    def ended_at(self, owner: str, left_at: float | None) -> float:
        """When a session was left: inf while its owner serves it, -inf where it is not whole."""
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
        """Removes the files of dead owners but for those that are known."""
        for path in self._folder.glob(FILES):
            if path.name not in known and path.name != self.name:
                with suppress(FileNotFoundError), open(path, "rb") as file:
                    if _locked(file.fileno()):
                        path.unlink()

    def all_names(self) -> list[str]:
        """All owners that have a file."""
        return [path.name for path in self._folder.glob(FILES)]


def _new_file(folder: Path) -> tuple[str, int]:
    """A name that nobody had, and its file, locked."""
    while True:
        name = f"owner-{secrets.token_hex(8)}"
        file = os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(file, fcntl.LOCK_EX)
        if (folder / name).exists():  # nobody has taken it for dead before it was locked
            return name, file
        os.close(file)


def _locked(file: int) -> bool:
    """Whether nobody else has locked it; now it is."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
