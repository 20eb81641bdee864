"""What constituents take beside the best parse of a prefix (L1), and how many words a second get phrases.

Processor time; with and without take turns over the same prefixes. Phrases are those of whole sentences,
network included, 16 at a time.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from time import thread_time
from typing import Final

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from bench_batches import prefixes
from measuring import machine
from rich.console import Console
from rich.table import Table

from treewhile.incremental import Model, load_model
from treewhile.incremental.constituents.given_sentences import GivenSentence
from treewhile.incremental.constituents.network_phrases import NetworkPhrases

LENGTHS: Final = (10, 20, 40, 80, 200)
AT_ONCE: Final = 16
SENTENCES: Final = 40


def seconds(work: Callable[[], object]) -> float:
    """The processor time of something."""
    start = thread_time()
    work()
    return thread_time() - start


def more_time(model: Model, words: int, repeats: int, seed: int) -> tuple[list[float], list[float]]:
    """The seconds of L1, and how many more constituents take, prefix by prefix: medians of the repeats."""
    without, more = [], []
    for snapshot in prefixes(model, words, SENTENCES, seed):
        asked = snapshot._replace(with_constituents=True)
        pairs = [
            (seconds(lambda one=snapshot: model.rescore(one)), seconds(lambda one=asked: model.rescore(one)))
            for _ in range(1 + repeats)
        ]
        plain, full = np.median(pairs[1:], axis=0)
        without.append(plain)
        more.append(full - plain)
    return without, more


def words_a_second(model: Model, words: int, repeats: int, seed: int) -> float:
    """How many words get phrases, in sentences of so many."""
    snapshots = prefixes(model, words, AT_ONCE, seed)
    given, parser = [GivenSentence(one.words, None, "") for one in snapshots], NetworkPhrases(model)
    times = [seconds(lambda: parser.parse_all(given)) for _ in range(1 + repeats)]
    return words * AT_ONCE / float(np.median(times[1:]))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en", help="a model's name or file")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    model, console = load_model(arguments.model), Console(width=110)
    console.print(f"{machine()}; seed {arguments.seed}; milliseconds of {SENTENCES} prefixes")
    table = Table("words", "L1, p50", "constituents more, p50", "p99", "phrases, words/s")
    for words in LENGTHS:
        without, more = more_time(model, words, arguments.repeats, arguments.seed)
        figures = 1000 * np.array([np.median(without), np.median(more), np.quantile(more, 0.99)])
        speed = words_a_second(model, words, arguments.repeats, arguments.seed)
        table.add_row(str(words), *(f"{figure:.2f}" for figure in figures), f"{speed:,.0f}")
    console.print(table)


if __name__ == "__main__":
    main()
