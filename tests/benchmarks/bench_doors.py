"""How long a treebank takes through a door over HTTP: Arborator's, whose server asks every ten seconds.

The sentences go to a server of our own in samples of a hundred, and are looked for every tenth of a second.
What is printed are seconds from the start of the exchange to the last tree. The first round, in which the
process at the desk begins and loads its model, is shown apart.
"""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from itertools import islice
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from measuring import machine

from treewhile.incremental import read_sentences
from treewhile.server.process.own_servers import SERVE, own_server

ROUNDS, SAMPLE = 4, 100  # exchanges, and sentences of a sample


def post(address: str, path: str, content: object) -> Any:
    headers = {"Content-Type": "application/json"}
    request = Request(f"{address}/parser/models/{path}", json.dumps(content).encode(), headers)
    with urlopen(request, timeout=60) as answer:
        return json.load(answer)["data"]


def exchange(address: str, model: str, samples: dict[str, str]) -> float:
    """The seconds that all of it takes."""
    start = time.perf_counter()
    info = {"project_name": "treewhile", "model_id": model}
    started = post(address, "parse/start", {"model_info": info, "to_parse_samples": samples})
    while not post(address, "parse/status", {"parse_task_id": started["parse_task_id"]})["ready"]:
        time.sleep(0.1)
    return time.perf_counter() - start


def wait_until_ready(address: str) -> None:
    """Until requests are taken."""
    while True:
        try:
            urlopen(f"{address}/parser/models/list").close()
            return
        except HTTPError:
            time.sleep(0.5)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="en")
    parser.add_argument("--source", required=True, help="a treebank in CoNLL-U")
    parser.add_argument("--sentences", type=int, default=1000)
    asked = parser.parse_args()
    texts = [str(one) for one in islice(read_sentences(asked.source), asked.sentences)]
    starts = range(0, len(texts), SAMPLE)
    samples = {f"sample {start}": "".join(texts[start : start + SAMPLE]) for start in starts}
    print(machine())
    with own_server((*SERVE, "--model", asked.model)) as server:
        address = server.url.replace("ws", "http", 1).rstrip("/")
        first = time.perf_counter()
        wait_until_ready(address)
        print(f"ready for requests after {time.perf_counter() - first:.1f} s")
        seconds = [exchange(address, asked.model, samples) for _ in range(ROUNDS)]
    print(f"{len(texts)} sentences: {', '.join(f'{one:.2f}' for one in seconds)} s")


if __name__ == "__main__":
    main()
