"""How fast a corpus is parsed by one process and by two, and what is lost where processes are killed.

The corpus is a treebank, again and again, as files of raw text of some 25,000 words. Times are from start to
end, with models loaded and files written; processor time is that of all processes. Then either of two
processes is killed, again and again, and the run is started again, until the same corpus is parsed; bytes are
compared, and files are counted that were begun again.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

from measuring import machine

from treewhile.incremental import Model, load_model, read_sentences
from treewhile.incremental.texts.treebank_texts import treebank_text
from treewhile.server.commands.parse import conllu, pieces_of, renamed
from treewhile.server.corpora.runs import Counts, Making, Watch, make_shards
from treewhile.server.corpora.sources import found_sources, shards_of
from treewhile.server.errors import ProcessDiedError
from treewhile.server.terminal.corpus_runs import place_called

TREEWHILE = [sys.executable, "-m", "treewhile.server.commands"]
WORDS_OF_FILE = 25_000


def write_corpus(folder: Path, source: str, words: int) -> int:
    """Files of about so many words together; how many they are."""
    folder.mkdir()
    sentences = [*read_sentences(source)]
    text, once = treebank_text(sentences).text, sum(len(one.words) for one in sentences)
    copies = max(1, WORDS_OF_FILE // once)
    files = max(1, round(words / once / copies))
    for number in range(files):
        (folder / f"{number:03}.txt").write_text(f"{text}\n\n" * copies)
    return once * copies * files


def timed(corpus: Path, out: Path, jobs: int) -> tuple[float, float]:
    """The seconds and the processor time of a run."""
    start, before = time.perf_counter(), os.times()
    subprocess.run([*TREEWHILE, "parse", str(corpus), "--out", str(out), "--jobs", str(jobs)], check=True)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - start, used


def noted(log: str, model: Model, source: str) -> Generator[tuple[str, Counts]]:
    """The pieces of a file, once it is written down that it was begun."""
    with open(log, "a") as file:
        file.write(f"{source}\n")
    yield from pieces_of(partial(conllu), model, source)


def kill_again_and_again(seconds: float, ended: Event, killed: list[int]) -> None:
    chances = random.Random(0)
    while not ended.wait(chances.expovariate(1 / seconds)):
        if workers := multiprocessing.active_children():
            worker = chances.choice(workers)
            os.kill(worker.pid or 0, signal.SIGKILL)
            killed.append(worker.pid or 0)


def run_with_kills(corpus: Path, out: Path, log: Path, seconds: float) -> tuple[int, float]:
    """How often a process was killed, and the share of the files that were begun again."""
    shards = shards_of(found_sources([str(corpus)], [".txt"]), str(out), partial(renamed, ending=".conllu"))
    making = Making(partial(noted, str(log)), partial(load_model, "en"), {}, ".conllu")
    watch = Watch(lambda shard: None, lambda *made: None, lambda shard, message: print(message))
    out.mkdir()
    ended, killed = Event(), list[int]()
    killer = Thread(target=kill_again_and_again, args=(seconds, ended, killed))
    killer.start()
    try:
        while len(contents(out)) < len(shards):
            with suppress(ProcessDiedError):
                make_shards(shards, out, making, place_called("processes", 2), watch)
    finally:
        ended.set()
        killer.join()
    begun = Counter(log.read_text().splitlines())
    return len(killed), (begun.total() - len(begun)) / len(begun)


def contents(folder: Path) -> Sequence[bytes]:
    return [path.read_bytes() for path in sorted(folder.glob("*.conllu"))]


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True, help="a treebank in CoNLL-U")
    parser.add_argument("--words", type=int, default=1_000_000)
    parser.add_argument("--every", type=float, default=10, help="seconds between two kills, on average")
    asked = parser.parse_args()
    print(machine())
    with TemporaryDirectory() as place:
        corpus, outs = Path(place, "corpus"), [Path(place, name) for name in ("one", "two", "killed")]
        words = write_corpus(corpus, asked.source, asked.words)
        print(f"{words:,} words in {len([*corpus.iterdir()])} files of raw text")
        for jobs, out in enumerate(outs[:2], 1):
            seconds, used = timed(corpus, out, jobs)
            speed = f"{words / seconds:,.0f} words/s, {1e6 * used / words:.0f} µs of processor time a word"
            print(f"{jobs} process{'es' if jobs > 1 else ''}: {seconds:.0f} s, {speed}")
        killed, twice = run_with_kills(corpus, outs[2], Path(place, "log"), asked.every)
        same = contents(outs[0]) == contents(outs[1]) == contents(outs[2])
        print(f"{killed} kills: {twice:.1%} of the files begun again, the same bytes: {same}")


if __name__ == "__main__":
    main()
