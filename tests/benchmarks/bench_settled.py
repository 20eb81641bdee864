"""How many short sentences a search settles below the best of all trees.

    PYTHONPATH=tests/support python tests/benchmarks/bench_settled.py --model en --source train.conllu

Whole sentences of so many words are searched until they are settled, under installed grammars, with restarts
as they come and without. Branch and bound gives the least cost of all trees.
"""

from __future__ import annotations

from itertools import islice
from typing import Final

from bounded_trees import least_cost
from measuring import machine, model_and_source

from treewhile.incremental import Model, Sentence, load_model, read_sentences
from treewhile.incremental.constraints import load_grammar
from treewhile.incremental.constraints.search.attackers import USUAL
from treewhile.incremental.constraints.search.searcher import ConstraintSearcher
from treewhile.incremental.constraints.workbench.searched_sentences import request_of, whole_parse
from treewhile.oracles.interrupts import Interrupt

MARGINS: Final = {"with restarts": None, "without": USUAL._replace(restarted=0)}


def report(model: Model, grammar: str, sentences: list[Sentence]) -> str:
    """Return the sentences below the best tree and the trees tried under a grammar."""
    below, tried = dict.fromkeys(MARGINS, 0), dict.fromkeys(MARGINS, 0)
    searchers = {
        name: ConstraintSearcher(model, load_grammar(grammar), margins=margins)
        for name, margins in MARGINS.items()
    }
    for sentence in sentences:
        request = request_of(model, whole_parse(model, sentence))
        for name, searcher in searchers.items():
            situation = searcher.situation(request)
            search = searcher.search_in(situation, request)
            search.run(Interrupt())
            below[name] += least_cost(situation, search.cost) < search.cost
            tried[name] += search.tried
    return ", ".join(f"{name} {below[name]} below, {tried[name]} trees" for name in MARGINS)


def main() -> None:
    parser = model_and_source(__doc__, "en")
    parser.add_argument("--words", type=int, default=4)
    parser.add_argument("--sentences", type=int, default=400)
    parser.add_argument("--grammars", nargs="+", default=["alone", "universal"])
    options = parser.parse_args()
    short = (one for one in read_sentences(options.source) if len(one.words) == options.words)
    sentences = [*islice(short, options.sentences)]
    print(f"{machine()}, model {options.model}, {len(sentences)} sentences of {options.words} words")
    for grammar in options.grammars:
        print(f"{grammar}: {report(load_model(options.model), grammar, sentences)}")


if __name__ == "__main__":
    main()
