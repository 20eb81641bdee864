"""Sessions on two servers that share a store, while one or the store's leader is killed; what all that costs.

server     everybody types a letter now and then, and one server is killed: its people come back to the other
           one, as treewhile's client does. Told is the longest time that each of them waits for an analysis
           of what was typed, and for its acknowledgement.
leader     the same, while the server of NATS that leads for the bucket is killed, or stands still
election   how long NATS alone takes no message then, with its own client, on an idle stream of three copies
takeover   the processor time of a server that takes sessions over, all at once, until a letter of each is
           acknowledged, by the length of their texts; beside that of one where the same texts are opened anew
cost       the processor time of a letter, of the server alone, with each kind of store in turns

Its own bias: people, servers and stores share one machine.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

import msgspec
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from treewhile.server.client.client import FIRST_PAUSE, LONGEST_PAUSE
from treewhile.server.load.invented_texts import invented_words

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from real_servers import RealServer
from store_servers import KINDS, Store, StoreServer, nats

TEXT = "the old dog sees a cat . "
AT_ONCE = 8  # people who begin at a time, so that none of them is refused
ENCODE, DECODE = msgspec.json.Encoder().encode, msgspec.json.Decoder().decode


class Typist:
    """Somebody who types a letter every so often behind a text, wherever there is a server."""

    def __init__(self, servers: Sequence[RealServer], number: int, pause: float, words: int) -> None:
        self.servers, self.at, self.random = servers, number % len(servers), Random(number)
        self.pause = pause
        self.text = "".join(f"{word} " for word in islice(invented_words(self.random), words))
        self.token, self.sent, self.acknowledged, self.analysed, self.lost = "", 0, 0, 0, 0
        self.refused = 0
        self.is_open, self.is_here = asyncio.Event(), asyncio.Event()
        self.times: dict[int, float] = {}  # when each version was typed
        self.analysis_times: list[tuple[float, float]] = []  # when typed, when analysed
        self.answer_times: list[tuple[float, float]] = []
        self.is_over = False

    async def run(self) -> None:
        longest = FIRST_PAUSE
        while not self.is_over:
            try:
                async with connect(
                    self.servers[self.at].address.replace("http", "ws"), proxy=None, compression=None
                ) as socket:
                    self.socket = socket
                    await self._begin()
                    longest = FIRST_PAUSE
                    self.is_here.set()
                    await self._stay()
            except (OSError, ConnectionClosed):
                self.is_here.clear()
                self.at = (self.at + 1) % len(self.servers)
                await asyncio.sleep(self.random.uniform(0, longest))
                longest = min(2 * longest, LONGEST_PAUSE)

    async def end(self) -> None:
        self.is_over = True
        await self.socket.close()

    async def type_one(self) -> None:
        self.sent += 1
        self.times[self.sent] = perf_counter()
        with suppress(ConnectionClosed):  # it is sent again
            await self._edit(self.sent)

    async def _begin(self) -> None:
        await self._say("hello", **({"resume": self.token} if self.token else {}))
        welcome = DECODE(await self.socket.recv())
        if welcome["type"] == "goodbye":
            self.refused += 1
            self.at -= 1  # to the same one
            await asyncio.sleep(welcome["retry_after"])
            raise ConnectionRefusedError(welcome["reason"])
        self.token = welcome["session"]
        held = {one["document"]: one["version"] for one in welcome["documents"]}.get("d")
        if held is None:
            self.lost += self.acknowledged > 0
            self.sent = self.acknowledged = 0
            options = {"levels": ["L0"]}
            await self._say(
                "open", document="d", version=0, text=self.text, positions="utf16", options=options
            )
            return
        self.lost += held < self.acknowledged
        for version in range(held + 1, self.sent + 1):
            await self._edit(version)

    async def _stay(self) -> None:
        typing = asyncio.create_task(self._type())
        try:
            await self._read()
        finally:
            typing.cancel()

    async def _type(self) -> None:
        while self.pause:
            await asyncio.sleep(self.random.uniform(0.5, 1.5) * self.pause)
            await self.type_one()

    async def _edit(self, version: int) -> None:
        at, letter = len(self.text) + version - 1, TEXT[(version - 1) % len(TEXT)]
        await self._say("edit", document="d", version=version, start=at, end=at, text=letter)

    async def _say(self, type: str, **fields: Any) -> None:
        await self.socket.send(ENCODE({"type": type, **fields}), text=True)

    async def _read(self) -> None:
        async for frame in self.socket:
            said, now = DECODE(frame), perf_counter()
            for version in said.get("answers", []):
                self.is_open.set()
                self.acknowledged = max(self.acknowledged, version)
                self.answer_times.append((self.times.get(version, now), now))
            if (
                said["type"] in ("analysis", "delta", "sentences", "typed")
                and said["version"] > self.analysed
            ):
                self.analysed = said["version"]
                self.analysis_times.append((self.times.get(self.analysed, now), now))


async def begun(
    servers: Sequence[RealServer], people: int, pause: float, words: int
) -> tuple[list[Typist], list[asyncio.Task[None]]]:
    """People who have opened their documents."""
    typists = [Typist(servers, number, pause, words) for number in range(people)]
    gate = asyncio.Semaphore(AT_ONCE)

    async def begin(typist: Typist) -> asyncio.Task[None]:
        async with gate:
            task = asyncio.create_task(typist.run())
            await typist.is_open.wait()
            return task

    return typists, [*await asyncio.gather(*map(begin, typists))]


async def end(typists: Sequence[Typist], tasks: Sequence[asyncio.Task[None]]) -> None:
    await asyncio.gather(*(typist.end() for typist in typists))
    await asyncio.gather(*tasks)


# --- waiting ------------------------------------------------------------------------------------------------


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
        late = sum(time > 2 for time in times) / len(times)
        print(f"  {name:28} {what:13} {shares}  {late:.0%} later than 2 s")


async def typing(
    servers: Sequence[RealServer], asked: argparse.Namespace, then: Callable[[], None] | None
) -> tuple[list[Typist], float]:
    """People type; after a third of the time something happens."""
    typists, tasks = await begun(servers, asked.people, asked.pause, asked.words)
    await asyncio.sleep(asked.seconds / 3)
    moment = perf_counter()
    if then:
        await asyncio.to_thread(then)
    await asyncio.sleep(2 * asked.seconds / 3)
    await end(typists, tasks)
    return typists, moment


def two_servers(running: ExitStack, model: str, store: Store) -> list[RealServer]:
    servers = [
        running.enter_context(RealServer(model, "--sessions", store.address, "--no-http")) for _ in range(2)
    ]
    for server in servers:
        server.wait_until_ready()
    return servers


def killing(asked: argparse.Namespace, store: Store, victim: str) -> None:
    with ExitStack() as running:
        servers = two_servers(running, asked.model, store)
        happens = {
            "server killed": servers[0].kill,
            "leader killed": lambda: leader_of(store).kill(),
            "leader stands still": lambda: leader_of(store).stop(),
        }[victim]
        typists, moment = asyncio.run(typing(servers, asked, happens))
        is_server = victim == "server killed"
        concerned = [one for number, one in enumerate(typists) if not is_server or number % 2 == 0]
        name = f"{store.address[:5].strip(':/')}, {victim}"
        tell(name, concerned, moment)
        lost, refused = sum(one.lost for one in typists), sum(one.refused for one in typists)
        print(f"  {name:28} sessions that lost something acknowledged: {lost}; refusals: {refused}")


def leader_of(store: Store, stream: str = "KV_treewhile") -> StoreServer:
    import nats as library

    async def asked() -> str:
        client = await library.connect(store.address.removeprefix("nats://").split(",")[0])
        info = await client.jetstream().stream_info(stream)
        await client.close()
        return str(info.cluster and info.cluster.leader)

    return store.servers[int(asyncio.run(asked()).removeprefix("n"))]


async def no_messages(store: Store) -> float:
    """For how many seconds a stream takes none, once its leader is killed."""
    import nats as library

    servers = [f"nats://{host}" for host in store.address.removeprefix("nats://").split(",")]
    client = await library.connect(servers, error_cb=_ignored, reconnect_time_wait=0.1)
    stream = client.jetstream(timeout=0.25)
    await _until_taken(lambda: stream.add_stream(name="idle", subjects=["idle"], num_replicas=3))
    await _until_taken(lambda: stream.publish("idle"))
    leader = await asyncio.to_thread(leader_of, store, "idle")
    leader.kill()
    start = perf_counter()
    await _until_taken(lambda: stream.publish("idle"))
    await client.close()
    return perf_counter() - start


async def _ignored(_: Exception) -> None:
    """What goes wrong is tried again."""


async def _until_taken(doing: Callable[[], Any]) -> None:
    from nats.errors import Error

    while True:
        with suppress(Error):
            await doing()
            return
        await asyncio.sleep(0.02)


# --- processor time -----------------------------------------------------------------------------------------


def processor_seconds(pid: int) -> float:
    """Of a process and all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cost(asked: argparse.Namespace, options: Sequence[str]) -> float:
    """Milliseconds of processor time a letter."""
    with RealServer(asked.model, "--no-http", *options) as server:
        server.wait_until_ready()
        before = processor_seconds(server.process.pid)
        typists, _ = asyncio.run(typing([server], asked, None))
        spent = processor_seconds(server.process.pid) - before
        return 1000 * spent / sum(one.acknowledged for one in typists)


def takeover(asked: argparse.Namespace, store: Store, words: int) -> tuple[float, float]:
    """Milliseconds of processor time a session that is opened, and one that is taken over."""
    with ExitStack() as running:
        one, other = two_servers(running, asked.model, store)
        return asyncio.run(_taken_over(one, other, asked.people, words))


async def _taken_over(one: RealServer, other: RealServer, people: int, words: int) -> tuple[float, float]:
    before = processor_seconds(one.process.pid)
    typists, tasks = await begun([one], people, 0.0, words)
    await _letter_of_each(typists)
    opened = processor_seconds(one.process.pid) - before
    for typist in typists:
        typist.servers = [other]
    before = processor_seconds(other.process.pid)
    await asyncio.to_thread(one.kill)
    await asyncio.gather(*(typist.socket.wait_closed() for typist in typists))
    await _letter_of_each(typists)
    taken = processor_seconds(other.process.pid) - before
    await end(typists, tasks)
    return 1000 * opened / people, 1000 * taken / people


async def _letter_of_each(typists: Sequence[Typist]) -> None:
    for typist in typists:
        await typist.is_here.wait()
        await typist.type_one()
    while any(typist.acknowledged < typist.sent for typist in typists):
        await asyncio.sleep(0.01)


# --- runs ---------------------------------------------------------------------------------------------------


def run_servers(asked: argparse.Namespace, folder: Path) -> None:
    for make in KINDS.values():
        store = make(folder / make.__name__)
        killing(asked, store, "server killed")
        store.kill()


def run_leader(asked: argparse.Namespace, folder: Path) -> None:
    for victim in ("leader killed", "leader stands still"):
        store = nats(folder / victim, servers=3)
        killing(asked, store, victim)
        store.kill()


def run_election(asked: argparse.Namespace, folder: Path) -> None:
    times = []
    for number in range(3 * asked.rounds):
        store = nats(folder / f"election-{number}", servers=3)
        times.append(asyncio.run(no_messages(store)))
        store.kill()
    found = f"{min(times):.1f} to {max(times):.1f} s, median {median(times):.1f}"
    print(f"  NATS alone takes no message for {found}")


def run_takeover(asked: argparse.Namespace, folder: Path) -> None:
    for name, make in KINDS.items():
        for words in (1, 30, 100):
            store = make(folder / f"{name}-{words}")
            costs = [takeover(asked, store, words) for _ in range(asked.rounds)]
            store.kill()
            opened, taken = (", ".join(f"{one:.1f}" for one in ones) for ones in zip(*costs, strict=True))
            print(f"  {name:6} {words:4} words: opened for {opened} ms, taken over for {taken} ms a session")


def run_cost(asked: argparse.Namespace, folder: Path) -> None:
    stores = {name: make(folder / f"cost-{name}") for name, make in KINDS.items()}
    places: dict[str, list[str]] = {"memory": [], "folder": ["--sessions", f"{folder}/sessions"]}
    places |= {name: ["--sessions", store.address] for name, store in stores.items()}
    found: dict[str, list[float]] = {name: [] for name in places}
    for _ in range(asked.rounds):
        for name, options in places.items():
            found[name].append(cost(asked, options))
    for name, costs in found.items():
        print(f"  {name:8} {', '.join(f'{one:.2f}' for one in costs)} ms of processor time a letter")
    for store in stores.values():
        store.kill()


RUNS = {
    "server": run_servers,
    "leader": run_leader,
    "election": run_election,
    "takeover": run_takeover,
    "cost": run_cost,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en")
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--pause", type=float, default=0.5, help="seconds between the letters of one person")
    parser.add_argument("--words", type=int, default=0, help="that stand in each document already")
    parser.add_argument("--seconds", type=float, default=18.0, help="of each run")
    parser.add_argument("--rounds", type=int, default=2, help="of what is measured several times")
    parser.add_argument("--only", choices=RUNS)
    asked = parser.parse_args()
    about = f"{asked.people} people, a letter every {asked.pause} s, behind {asked.words} words"
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {about}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, run in RUNS.items():
            if asked.only in (None, name):
                run(asked, Path(folder))


if __name__ == "__main__":
    main()
