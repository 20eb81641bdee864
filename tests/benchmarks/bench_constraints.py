"""How fast constraints are judged under a shipped grammar, for a model's labels; one thread.

    new word      all edges of a word that has come to a prefix of 40: it and every node, all labels
    situation     the arrays for a prefix of 40 words, made anew
    pairs         one edge against all others of an analysis
    context       everything contextual in an analysis of 40 words
    analysis      everything in it
    compile       the grammar for the labels, from its text

Words, tags and analyses are random, so more constraints are broken than in a parse.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import single_costs
from measuring import machine
from rich.console import Console
from rich.table import Table

from treewhile.incremental.constraints.language.grammars import load_grammar
from treewhile.incremental.constraints.machine.kernels.records import Edge, TreeArrays
from treewhile.incremental.constraints.machine.programs import Program, compile_grammar
from treewhile.incremental.constraints.machine.situations import Prediction, Situation
from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.shipped_models import load_model


def random_situation(rng: random.Random, program: Program, inventory: Inventory, t: int) -> Situation:
    nodes = t + len(inventory.stock) + 3
    logs = np.random.default_rng(1)
    label_log = -logs.exponential(3, (nodes - 2, nodes, len(program.labels))).astype(np.float32)
    return Situation.of(
        program,
        rng.choices(inventory.forms[:500], k=t),
        rng.choices(inventory.tags[:12], k=t),
        rng.choices(inventory.features, k=t),
        inventory.stock,
        {"committed": [Prediction(node - 1, rng.choice(program.labels)) for node in range(1, t + 1)]},
        -logs.exponential(2, (nodes, nodes - 2)).astype(np.float32),
        label_log,
    )


def times_of(task: Callable[[], object], repeats: int) -> list[float]:
    """Milliseconds of each call, the first left out."""
    found = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        task()
        found.append(1000 * (time.perf_counter() - start))
    return found[1:]


def pairs_of_edges(situation: Situation, one: Edge, *others: Edge) -> None:
    for other in others:
        single_costs.pair_cost(situation, one, other)


def new_arcs(situation: Situation) -> npt.NDArray[np.int64]:
    """The last word under every node, and every node under it."""
    word, nodes = situation.t, range(situation.unused)
    under = [(word, head) for head in nodes if head != word]
    above = [(dependent, word) for dependent in nodes[1:-1] if dependent != word]
    return np.array(under + above, np.int64)


def random_analysis(rng: random.Random, situation: Situation, labels: int) -> TreeArrays:
    """A tree whose edges are short."""
    heads = [0, 0] + [rng.randrange(max(1, node - 4), node) for node in range(2, situation.later)]
    numbers = rng.choices(range(labels), k=situation.later)
    return TreeArrays(np.array(heads, np.int64), np.array(numbers, np.int64))


def measured(grammar: str, words: int, repeats: int) -> dict[str, list[float]]:
    rng, inventory = random.Random(1), load_model("en").inventory
    program = compile_grammar(load_grammar(grammar).weighing, inventory.labels)
    situation = random_situation(rng, program, inventory, words)
    arcs = new_arcs(situation)
    cost = np.zeros((situation.later, situation.unused + 1, len(program.labels)), np.int64)
    interrupt = np.zeros(1, np.uint8)
    tree = random_analysis(rng, situation, len(program.labels))
    edges = [Edge(d, tree.heads[d], tree.labels[d]) for d in range(1, len(tree.heads))]
    print(f"{len(program.grammar.constraints)} constraints, {len(arcs) * len(program.labels):,} new edges")
    return {
        "new word": times_of(lambda: single_costs.judge_edges(situation, arcs, cost, interrupt), repeats),
        "situation": times_of(lambda: replace(situation).arrays, repeats),
        "pairs": times_of(lambda: pairs_of_edges(situation, *edges), repeats),
        "context": times_of(lambda: single_costs.context_cost(situation, tree), repeats),
        "analysis": times_of(lambda: single_costs.analysis_cost(situation, tree), repeats),
        "compile": times_of(lambda: compile_grammar(load_grammar(grammar).weighing, inventory.labels), 5),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--grammar", default="english")
    parser.add_argument("--words", type=int, default=40)
    parser.add_argument("--repeats", type=int, default=200)
    arguments = parser.parse_args()
    console = Console(width=110)
    console.print(machine())
    table = Table("what", "p50 ms", "p99 ms")
    for what, values in measured(arguments.grammar, arguments.words, arguments.repeats).items():
        table.add_row(what, *(f"{value:.3f}" for value in np.percentile(values, (50, 99))))
    console.print(table)
