"""`treewhile serve` with a model, in a process that can be killed and comes back where it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from waiting import PATIENCE
from websockets.sync.client import connect

COMPILING = 300  # seconds
SERVE = [sys.executable, "-m", "treewhile.server.commands", "serve"]


class RealServer:
    """Ready as soon as it is entered; it ends with the block."""

    def __init__(self, model: Path | str, *options: str) -> None:
        self.model, self.options, self.address, self.port = model, options, "", 0

    def __enter__(self) -> RealServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.kill()

    def start(self) -> None:
        """On any free port, later on the same one."""
        command = [*SERVE, "--port", str(self.port), "--model", str(self.model), *self.options]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
        )
        self.address = self._address()
        self.port = urlsplit(self.address).port or 0

    def kill(self) -> None:
        """Without any farewell, and what builds kernels for it, too."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()

    def wait_until_ready(self) -> None:
        """Until its kernels are built; a server that is ready says nothing of it before it answers."""
        with connect(self.address.replace("http", "ws"), proxy=None) as socket:
            socket.send(json.dumps({"type": "hello", "positions": "utf16"}))
            socket.send(json.dumps({"type": "ping", "number": 1}))
            waits_for, has_answered = "", False
            while waits_for or not has_answered:
                message = json.loads(socket.recv(timeout=COMPILING))
                waits_for = message.get("waits_for", waits_for)
                has_answered |= message["type"] == "pong"

    def words_of(self, text: str) -> list[str]:
        """The words of a text that is opened at once."""
        with connect(self.address.replace("http", "ws"), proxy=None) as socket:
            opened = {"type": "open", "document": "d", "version": 0, "text": text, "positions": "utf16"}
            socket.send(json.dumps({**opened, "options": {"levels": ["L0"]}}))
            found: dict[int, list[str]] = {}
            count = -1
            while len(found) != count:
                message: dict[str, Any] = json.loads(socket.recv(timeout=PATIENCE))
                if message["type"] == "sentences":
                    count = message["count"]
                elif message["type"] == "analysis":
                    found[message["sentence"]] = [word["form"] for word in message["words"]]
            return [form for number in sorted(found) for form in found[number]]

    def _address(self) -> str:
        assert self.process.stdout
        for line in self.process.stdout:
            if "ready: open " in line:
                return line.split("open ")[1].split(" ")[0]
        raise AssertionError("the server ended before it was ready")
