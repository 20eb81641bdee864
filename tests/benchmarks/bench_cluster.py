"""Sessions on two servers that share a store, while one or the store's leader is killed; a letter's cost.

Everybody types a letter now and then. When a server is killed, its people come back to the other one, at once
and all together; told is the longest time that each of them waits for an analysis of what was typed, and for
its acknowledgement. Processor time is that of the server alone, a letter, with each kind of store in turns.

Its own bias: people, servers and stores share one machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from real_servers import RealServer
from store_servers import Store, nats, redis

TEXT = "the old dog sees a cat . "


class Typist:
    """Somebody who types a letter every so often, wherever there is a server."""

    def __init__(self, servers: Sequence[RealServer], number: int, pause: float) -> None:
        self.servers, self.at, self.random = servers, number % len(servers), Random(number)
        self.pause = pause
        self.token, self.sent, self.acknowledged, self.analysed, self.lost = "", 0, 0, 0, 0
        self.times: dict[int, float] = {}  # when each version was typed
        self.analysis_times: list[tuple[float, float]] = []  # when typed, when analysed
        self.answer_times: list[tuple[float, float]] = []
        self.is_over = False

    async def run(self) -> None:
        while not self.is_over:
            try:
                async with connect(
                    self.servers[self.at].address.replace("http", "ws"), proxy=None, compression=None
                ) as socket:
                    self.socket = socket
                    await self._begin()
                    typing = asyncio.create_task(self._type())
                    try:
                        await self._read()
                    finally:
                        typing.cancel()
            except (OSError, ConnectionClosed):
                self.at = (self.at + 1) % len(self.servers)

    async def end(self) -> None:
        self.is_over = True
        await self.socket.close()

    async def _begin(self) -> None:
        await self._say("hello", **({"resume": self.token} if self.token else {}))
        welcome = json.loads(await self.socket.recv())
        if welcome["type"] == "goodbye":
            await asyncio.sleep(welcome["retry_after"])
            raise ConnectionRefusedError(welcome["reason"])
        self.token = welcome["session"]
        held = {one["document"]: one["version"] for one in welcome["documents"]}.get("d")
        if held is None:
            self.lost += self.acknowledged > 0
            self.sent = self.acknowledged = 0
            options = {"levels": ["L0"]}
            await self._say("open", document="d", version=0, text="", positions="utf16", options=options)
            return
        self.lost += held < self.acknowledged
        for version in range(held + 1, self.sent + 1):
            await self._edit(version)

    async def _type(self) -> None:
        with suppress(ConnectionClosed):
            while True:
                await asyncio.sleep(self.random.uniform(0.5, 1.5) * self.pause)
                self.sent += 1
                self.times[self.sent] = perf_counter()
                await self._edit(self.sent)

    async def _edit(self, version: int) -> None:
        at, letter = version - 1, TEXT[(version - 1) % len(TEXT)]
        await self._say("edit", document="d", version=version, start=at, end=at, text=letter)

    async def _say(self, type: str, **fields: Any) -> None:
        await self.socket.send(json.dumps({"type": type, **fields}))

    async def _read(self) -> None:
        async for frame in self.socket:
            said, now = json.loads(frame), perf_counter()
            for version in said.get("answers", []):
                self.acknowledged = max(self.acknowledged, version)
                self.answer_times.append((self.times.get(version, now), now))
            if (
                said["type"] in ("analysis", "delta", "sentences", "typed")
                and said["version"] > self.analysed
            ):
                self.analysed = said["version"]
                self.analysis_times.append((self.times.get(self.analysed, now), now))


def longest_since(times: Sequence[tuple[float, float]], since: float) -> float:
    """The longest that somebody waited for something after a moment, from there or from its typing on."""
    return max((done - max(typed, since) for typed, done in times if done > since), default=float("inf"))


def percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def tell(name: str, people: Sequence[Typist], since: float) -> None:
    for what, times in (
        ("analysed", [longest_since(one.analysis_times, since) for one in people]),
        ("acknowledged", [longest_since(one.answer_times, since) for one in people]),
    ):
        shares = "  ".join(
            f"p{round(100 * share)} {percentile(times, share):6.2f} s" for share in (0.5, 0.99, 1)
        )
        print(f"  {name:28} {what:13} {shares}")


async def typing(
    servers: Sequence[RealServer], people: int, pause: float, seconds: float, then: Callable[[], None] | None
) -> tuple[list[Typist], float]:
    """People type; after a third of the time something happens."""
    typists = [Typist(servers, number, pause) for number in range(people)]
    tasks = [asyncio.create_task(typist.run()) for typist in typists]
    await asyncio.sleep(seconds / 3)
    moment = perf_counter()
    if then:
        await asyncio.to_thread(then)
    await asyncio.sleep(2 * seconds / 3)
    await asyncio.gather(*(typist.end() for typist in typists))
    await asyncio.gather(*tasks)
    return typists, moment


def killing(model: str, store: Store, people: int, pause: float, seconds: float, victim: str) -> None:
    with ExitStack() as running:
        servers = [
            running.enter_context(RealServer(model, "--sessions", store.address, "--no-http"))
            for _ in range(2)
        ]
        for server in servers:
            server.wait_until_ready()
        happens = servers[0].kill if victim == "server" else leader_of(store).kill
        typists, moment = asyncio.run(typing(servers, people, pause, seconds, happens))
        concerned = [one for number, one in enumerate(typists) if victim != "server" or number % 2 == 0]
        name = f"{store.address[:5].strip(':/')}, {victim} killed"
        tell(name, concerned, moment)
        print(f"  {name:28} sessions that lost something acknowledged: {sum(one.lost for one in typists)}")


def leader_of(store: Store) -> Any:
    import nats as library

    async def asked() -> str:
        client = await library.connect(store.address.removeprefix("nats://").split(",")[0])
        info = await client.jetstream().stream_info("KV_treewhile")
        await client.close()
        return str(info.cluster and info.cluster.leader)

    return store.servers[int(asyncio.run(asked()).removeprefix("n"))]


def processor_seconds(pid: int) -> float:
    """Of a process and all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cost(model: str, options: Sequence[str], people: int, pause: float, seconds: float) -> float:
    """Milliseconds of processor time a letter."""
    with RealServer(model, "--no-http", *options) as server:
        server.wait_until_ready()
        before = processor_seconds(server.process.pid)
        typists, _ = asyncio.run(typing([server], people, pause, seconds, None))
        spent = processor_seconds(server.process.pid) - before
        return 1000 * spent / sum(one.acknowledged for one in typists)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en")
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--pause", type=float, default=0.5, help="seconds between the letters of one person")
    parser.add_argument("--seconds", type=float, default=18.0, help="of each run")
    parser.add_argument("--rounds", type=int, default=2, help="of processor time")
    parser.add_argument("--only", choices=["cost", "server", "leader"])
    chosen = parser.parse_args()
    about = f"{chosen.people} people, a letter every {chosen.pause} s"
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {about}")
    with tempfile.TemporaryDirectory() as folder:
        if chosen.only in (None, "server"):
            for make in (nats, redis):
                store = make(Path(folder) / make.__name__)
                killing(chosen.model, store, chosen.people, chosen.pause, chosen.seconds, "server")
                store.kill()
        if chosen.only in (None, "leader"):
            store = nats(Path(folder) / "three", servers=3)
            killing(chosen.model, store, chosen.people, chosen.pause, chosen.seconds, "leader")
            store.kill()
        if chosen.only in (None, "cost"):
            stores = {"nats": nats(Path(folder) / "n"), "redis": redis(Path(folder) / "r")}
            places: dict[str, list[str]] = {"memory": [], "folder": ["--sessions", f"{folder}/sessions"]}
            places |= {name: ["--sessions", store.address] for name, store in stores.items()}
            found: dict[str, list[float]] = {name: [] for name in places}
            for _ in range(chosen.rounds):
                for name, options in places.items():
                    found[name].append(
                        cost(chosen.model, options, chosen.people, chosen.pause, chosen.seconds)
                    )
            for name, costs in found.items():
                print(f"  {name:8} {', '.join(f'{one:.2f}' for one in costs)} ms of processor time a letter")
            for store in stores.values():
                store.kill()


if __name__ == "__main__":
    main()
