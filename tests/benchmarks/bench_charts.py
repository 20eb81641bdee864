"""How fast the charts of a treebank's grammar are: beside NLTK, and with closed cells.

    python tests/benchmarks/bench_charts.py --train TRAIN.ptb --dev DEV.ptb [--every N] [--words N]

Seconds are those of the processor, one thread, and each figure is the best of some runs, since the machine
may have other work. Closed cells are those of the trees of DEV themselves, as if taggers knew them: an upper
bound. NLTK, of the extra `bench`, has the same grammar and the same tags for words; its InsideChartParser
does not come to an end in minutes, so its ViterbiParser is the peer.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import Final

import numpy as np
from measuring import machine

from treewhile.incremental.constituents.binarization import Binarization
from treewhile.incremental.constituents.plain_phrases import plain_trees
from treewhile.incremental.constituents.treebank_grammars import TreebankGrammar, read_grammar
from treewhile.oracles.constituents.closed_cells import count_cells
from treewhile.oracles.constituents.grammar_charts import GrammarChart
from treewhile.oracles.constituents.grammars import Side
from treewhile.oracles.constituents.openings import Openings, openings_of

SEED: Final = 17
RUNS: Final = 3
SIDES: Final[tuple[Side, ...]] = ("right", "left")
SHORTEST_OF_NLTK: Final = 5  # words


def main() -> None:
    options = _options()
    on = machine()
    print(f"Charts, one thread; {', '.join(f'{name} {value}' for name, value in on.items())}; seed {SEED}")
    train = [tree.phrase for tree in plain_trees(options.train)]
    trees = [tree for tree in plain_trees(options.dev) if len(tree.words) <= options.words][:: options.every]
    sentences = [tree.words for tree in trees]
    closed = [openings_of(tree.phrase) for tree in trees]
    for side in SIDES:
        grammar = read_grammar(train, Binarization(side))
        lexical = [grammar.lexical(words) for words in sentences]
        print(f"\n{side}: {len(grammar.grammar.symbols)} symbols, {len(grammar.grammar.binary)} binary rules")
        compare(grammar, lexical, closed)
        fit(grammar, lexical, closed)
        beside_nltk(grammar, sentences)


def compare(grammar: TreebankGrammar, lexical: Sequence[np.ndarray], closed: Sequence[Openings]) -> None:
    """All cells open, and those of the trees."""
    words = sum(map(len, lexical))
    for name, given in (("all open", [None] * len(lexical)), ("closed by the trees", closed)):
        seconds = best_of(lambda given=given: parse_all(grammar, lexical, given))
        print(f"  {name}: {words / seconds:.0f} words/s ({words} words in {seconds:.2f} s)")


def fit(grammar: TreebankGrammar, lexical: Sequence[np.ndarray], closed: Sequence[Openings]) -> None:
    """How time and midpoints grow with the length of sentences: exponents of a power."""
    for name, given in (("all open", [None] * len(lexical)), ("closed by the trees", closed)):
        lengths = np.array([len(each) for each in lexical])
        seconds = [best_of(lambda each=each: parse_all(grammar, *each)) for each in pairs(lexical, given)]
        midpoints = [
            count_cells(flags or Openings.all_open(len(each)), grammar.form.side).midpoints
            for each, flags in zip(lexical, given, strict=True)
        ]
        long = lengths >= 10
        powers = [exponent(lengths[long], np.array(each)[long]) for each in (seconds, midpoints)]
        print(f"  {name}, from 10 words: seconds as N^{powers[0]:.2f}, midpoints as N^{powers[1]:.2f}")


def pairs(lexical: Sequence[np.ndarray], given: Sequence[Openings | None]) -> list[tuple[list, list]]:
    return [([each], [flags]) for each, flags in zip(lexical, given, strict=True)]


def exponent(lengths: np.ndarray, values: np.ndarray) -> float:
    return float(np.polyfit(np.log(lengths), np.log(np.maximum(values, 1e-9)), 1)[0])


def parse_all(
    grammar: TreebankGrammar, lexical: Sequence[np.ndarray], given: Sequence[Openings | None]
) -> None:
    for scores, openings in zip(lexical, given, strict=True):
        chart = GrammarChart(grammar.grammar)
        chart.follow([*scores], openings)
        chart.best()


def best_of(run: Callable[[], object], runs: int = RUNS) -> float:
    """The shortest time of the processor, after a run that is not counted."""
    run()
    found = []
    for _ in range(runs):
        begin = process_time()
        run()
        found.append(process_time() - begin)
    return min(found)


# --- a peer -------------------------------------------------------------------------------------------------


def beside_nltk(grammar: TreebankGrammar, sentences: Sequence[Sequence[str]]) -> None:
    """NLTK on a short sentence, where each word has the tag that is likeliest."""
    try:
        from nltk.parse import ViterbiParser
    except ImportError:
        print("  NLTK is not there")
        return
    chosen = sorted((words for words in sentences if len(words) >= SHORTEST_OF_NLTK), key=len)[:1]
    lexical = [with_one_tag(grammar.lexical(words)) for words in chosen]
    words = sum(map(len, chosen))
    ours = best_of(lambda: parse_all(grammar, lexical, [None] * len(lexical)))
    begin = process_time()
    for sentence, scores in zip(chosen, lexical, strict=True):
        peer = ViterbiParser(nltk_grammar(grammar, scores), max_time=None)
        next(iter(peer.parse([str(at) for at in range(len(sentence))])), None)
    theirs = process_time() - begin
    print(
        f"  {words} words: {words / ours:.0f} words/s, NLTK {words / theirs:.2f}: {theirs / ours:.0f} times"
    )


def with_one_tag(lexical: np.ndarray) -> np.ndarray:
    best = np.full_like(lexical, -np.inf)
    rows = np.arange(len(lexical))
    best[rows, lexical.argmax(1)] = 0
    return best


def nltk_grammar(grammar: TreebankGrammar, lexical: np.ndarray) -> object:
    """The same rules for NLTK, with words as their numbers; words count as nothing here and there."""
    from nltk.grammar import PCFG, Nonterminal, ProbabilisticProduction

    arrays = grammar.grammar
    names = [Nonterminal(symbol) for symbol in arrays.symbols]
    rules = [
        ProbabilisticProduction(names[rule[0]], [names[child] for child in rule[1:]], prob=float(np.exp(log)))
        for rules, logs in ((arrays.binary, arrays.binary_logs), (arrays.unary, arrays.unary_logs))
        for rule, log in zip(rules.tolist(), logs, strict=True)
    ]
    for tag in {*lexical.argmax(1).tolist()}:
        having = [str(at) for at in np.flatnonzero(lexical[:, tag] == 0)]
        rules += [ProbabilisticProduction(names[tag], [word], prob=1 / len(having)) for word in having]
    peer = PCFG.__new__(PCFG)
    super(PCFG, peer).__init__(names[arrays.start], rules)
    return peer


def _options() -> Namespace:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--train", type=Path, required=True)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--every", type=int, default=5, help="of so many sentences one is parsed")
    parser.add_argument("--words", type=int, default=60, help="at most, in a sentence")
    return parser.parse_args()


if __name__ == "__main__":
    main()
