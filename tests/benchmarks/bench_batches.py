"""What the best parse of a prefix (L1) takes when several sessions wait for theirs: alone, and in batches.

Milliseconds of processor time a sentence, medians; sizes take turns, so that all see the same load.
"""

from __future__ import annotations

import argparse
import os
import random
from itertools import islice
from statistics import median
from time import thread_time
from typing import Final

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from measuring import machine
from rich.console import Console
from rich.table import Table

from treewhile.incremental import GrowingParse, Model, load_model
from treewhile.incremental.parsers.rescoring import NO_PREFERENCE, Snapshot
from treewhile.server.load.invented_texts import invented_words

SIZES: Final = (1, 2, 4, 8, 16)
LENGTHS: Final = (5, 9, 15, 30)


def prefixes(model: Model, words: int, count: int, seed: int) -> list[Snapshot]:
    """Open prefixes with this number of words."""
    text, found = invented_words(random.Random(seed)), []
    for _ in range(count):
        parse = GrowingParse(model)
        for word in islice(text, words):
            parse.append(word)
        found.append(parse.snapshot())
    return found


def milliseconds(model: Model, snapshots: list[Snapshot], size: int) -> float:
    """Of one sentence, when this number is done at a time."""
    asked = [(snapshot, NO_PREFERENCE) for snapshot in snapshots]
    start = thread_time()
    for first in range(0, len(asked), size):
        model.rescore_all(asked[first : first + size])
    return 1000 * (thread_time() - start) / len(asked)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en", help="a model's name or file")
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    model, console = load_model(arguments.model), Console(width=110)
    console.print(f"{machine()}; seed {arguments.seed}")
    table = Table("words", *(f"{size} at a time" for size in SIZES))
    for words in LENGTHS:
        snapshots = prefixes(model, words, max(SIZES), arguments.seed)
        times = [
            [milliseconds(model, snapshots, size) for size in SIZES] for _ in range(1 + arguments.repeats)
        ]
        table.add_row(str(words), *(f"{median(values):.2f}" for values in zip(*times[1:], strict=True)))
    console.print(table)


if __name__ == "__main__":
    main()
