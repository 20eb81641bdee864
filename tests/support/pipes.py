"""Commands whose output somebody reads who has soon had enough."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from typing import NamedTuple


class Left(NamedTuple):
    """How a command ended."""

    pid: int
    code: int
    messages: bytes


def read_one_byte(command: Sequence[str], text: bytes) -> Left:
    """How it ends when its reader goes after a byte, while it is still given a text again and again."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, start_new_session=True, **pipes) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(text * 20)
        process.stdin.flush()
        process.stdout.read(1)
        process.stdout.close()
        _, messages = process.communicate(text * 2000, timeout=60)
    return Left(process.pid, process.returncode, messages)
