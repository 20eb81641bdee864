"""Servers in child processes, each on a free port of this machine."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, NamedTuple
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from treewhile.oracles.errors import InputError
from treewhile.server.errors import ServiceError

SERVE: Final = (sys.executable, "-m", "treewhile.server.commands", "serve", "--port", "0")
ADDRESS: Final = re.compile(r"\bwss?://[^\s,\"]+")
ENDING_SECONDS: Final = 10.0
LOOK_AGAIN: Final = 0.25  # seconds
LONG, PATIENCE = 5.0, 900.0  # seconds until waiting for the search is reported, and given up

Say = Callable[[str], None]


class Use(NamedTuple):
    """Processor time and memory of processes."""

    cpu_seconds: float
    memory_bytes: int


class OwnServer(NamedTuple):
    """Address of a server, and its process."""

    url: str
    pid: int

    def use(self) -> Use | None:
        """Return the resource use of its processes so far, or None on a system without /proc."""
        if not Path("/proc/self/stat").exists():
            return None
        found = [use for pid in _family(self.pid) if (use := _use_of(pid))]
        return Use(sum(one.cpu_seconds for one in found), sum(one.memory_bytes for one in found))

    def wait_for_search(self, say: Say) -> None:
        """Wait, within limits, until the search of all engines is compiled."""
        begin, is_told = time.monotonic(), False
        while not self._has_search():
            waited = time.monotonic() - begin
            if waited > PATIENCE:
                say("the search is still not ready: analyses are those of levels 0 and 1")
                return
            if waited > LONG and not is_told:
                say("waiting until the search is compiled, once: minutes")
                is_told = True
            time.sleep(LOOK_AGAIN)

    def _has_search(self) -> bool:
        address = self.url.replace("ws", "http", 1).rstrip("/")
        try:
            with build_opener(ProxyHandler({})).open(f"{address}/readyz", timeout=10) as answer:
                return all(json.load(answer).get("search", {}).values())
        except (URLError, TimeoutError):
            if not Path(f"/proc/{self.pid}").exists() and Path("/proc").exists():
                raise ServiceError("the server has ended before it was ready: try treewhile serve") from None
            return False


@contextmanager
def own_server(
    command: Sequence[str] = SERVE, say: Say = lambda line: None, core: int | None = None
) -> Iterator[OwnServer]:
    """Start a server, on one core or on any, and end it after the block."""
    with (
        tempfile.TemporaryFile("w+") as log,
        subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True
        ) as process,
    ):
        try:
            if core is not None and hasattr(os, "sched_setaffinity"):
                os.sched_setaffinity(process.pid, {core})
            yield OwnServer(_address(process, log, say), process.pid)
        finally:
            _end(process)


def _address(process: subprocess.Popen[str], log: IO[str], say: Say) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        found = ADDRESS.search(line)
        if found:
            return found[0]
        say(line.strip().removeprefix("treewhile: "))
    log.seek(0)
    why = (log.read().strip().splitlines() or ["it says nothing"])[-1]
    raise InputError(f"the server could not start ({why:.300}): try treewhile serve")


def _end(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(ENDING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


# --- resource use of processes ------------------------------------------------------------------------------


def _family(pid: int) -> list[int]:
    """Return a process and its descendants."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        fields = _fields(int(folder.name))
        if fields:
            parents.setdefault(int(fields[1]), []).append(int(folder.name))
    family = [pid]
    for one in family:
        family += parents.get(one, [])
    return family


def _use_of(pid: int) -> Use | None:
    fields: Any = _fields(pid)
    if fields is None:
        return None
    ticks = int(fields[11]) + int(fields[12])
    pages = int(fields[21])
    return Use(ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE"))


def _fields(pid: int) -> list[str] | None:
    """Return the fields of /proc/PID/stat behind the name, which may have any characters."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
