"""How long it takes to say which classes the trees of treebanks are in; reading them is not counted.

python tests/benchmarks/bench_tree_classes.py ../shared/data/*/*/*.conllu
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter

from measuring import Spread, machine
from rich.console import Console
from rich.table import Table

from treewhile.incremental import read_sentences
from treewhile.oracles import tree_classes

Heads = list[int | None]
REPEATS = 7


def main() -> None:
    parser = argparse.ArgumentParser(description="How long a tree takes to be classified.")
    parser.add_argument("source", type=Path, nargs="+", help="treebanks")
    sources = parser.parse_args().source
    trees = [sentence.heads for source in sources for sentence in read_sentences(source)]
    wide = [heads for heads in trees if not tree_classes(heads).is_projective]
    console = Console(width=110)
    console.print(", ".join(machine().values()))
    table = Table("trees", "number", "words", "a tree")
    for name, some in (("all", trees), ("not projective", wide)):
        words = sum(map(len, some)) / len(some)
        table.add_row(name, f"{len(some):,}", f"{words:.1f}", str(time_of_a_tree(some)))
    console.print(table)


def time_of_a_tree(trees: list[Heads]) -> Spread:
    seconds = []
    for _ in range(REPEATS):
        begun = perf_counter()
        for heads in trees:
            tree_classes(heads)
        seconds.append((perf_counter() - begun) / len(trees))
    return Spread(tuple(seconds))


if __name__ == "__main__":
    main()
