"""How many trees a search tries in a second where constraints have formulas inside.

    PYTHONPATH=tests/support python tests/benchmarks/bench_formulas.py --model af --source dev.conllu

Sentences of 18 to 22 words are searched until they are settled, as a whole, under three grammars: the plain
constraints of one edge or two; what `general` says, which looks at the whole analysis in some places; and
the latter with 30 constraints that have a quantifier inside. Times are those of the processor for attacks
alone. Rounds of the grammars take turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from time import thread_time
from typing import Final

from measuring import Spread, machine, model_and_source

from treewhile.incremental import Model, Sentence, load_model, read_sentences
from treewhile.incremental.constraints import Grammar, load_grammar, parse_grammar
from treewhile.incremental.constraints.search.frobbing import TreeSearch
from treewhile.incremental.constraints.search.searcher import ConstraintSearcher
from treewhile.incremental.constraints.workbench.searched_sentences import request_of, whole_parse
from treewhile.oracles.interrupts import Interrupt

LENGTHS: Final = range(18, 23)
ROUNDS: Final = 5
RELATIONS: Final = ("nsubj", "obj", "obl", "advmod", "det", "amod", "case", "nmod", "mark", "conj")
FORMULAS: Final = (
    "X.direction = left -> no Z beside X: (Z.relation = {} and Z.position > X.position)",
    "X.relation = {} -> number of Z below X: (Z.direction = left and Z.tag != PUNCT) <= 2",
    "X.relation = {} -> some Z above X: (Z.tag = VERB) or some Z right of X: (Z.relation = punct)",
)


def grammars() -> dict[str, Grammar]:
    general = load_grammar("general")
    plain = tuple(one for one in general.weighing.constraints if not one.is_contextual)
    inside = [formula.format(relation) for relation in RELATIONS for formula in FORMULAS]
    lines = [f'constraint "inside {n}" penalty 0.7, X: {one}' for n, one in enumerate(inside)]
    return {
        "plain": replace(general, constraints=plain),
        "general": general,
        "30 formulas inside": parse_grammar("\n".join(["include general", *lines])),
    }


def searches(model: Model, grammar: Grammar, sentences: Sequence[Sentence]) -> Iterator[TreeSearch]:
    searcher = ConstraintSearcher(model, grammar)
    for sentence in sentences:
        request = request_of(model, whole_parse(model, sentence))
        yield searcher.search_in(searcher.situation(request), request)


def seconds_and_trees(found: Sequence[TreeSearch]) -> tuple[float, int, int]:
    start = thread_time()
    for search in found:
        search.run(Interrupt())
    seconds = thread_time() - start
    return seconds, sum(search.tried for search in found), sum(search.cost for search in found)


def main() -> None:
    parser = model_and_source(__doc__, "af")
    parser.add_argument("--sentences", type=int, default=40)
    options = parser.parse_args()
    model = load_model(options.model)
    long = (one for one in read_sentences(options.source) if len(one.words) in LENGTHS)
    sentences = [*islice(long, options.sentences)]
    rounds = {name: list[tuple[float, int, int]]() for name in grammars()}
    for _ in range(1 + ROUNDS):
        for name, grammar in grammars().items():
            rounds[name].append(seconds_and_trees([*searches(model, grammar, sentences)]))
    print(f"{machine()}, model {options.model}, {len(sentences)} sentences of 18 to 22 words")
    for name, (_, *measured) in rounds.items():
        rate = Spread(tuple(tried / seconds for seconds, tried, _ in measured), "trees/s")
        settled = Spread(tuple(seconds / len(sentences) for seconds, *_ in measured))
        print(f"{name}: {rate}, {measured[0][1]} trees, {settled} a sentence, cost {measured[0][2]}")


if __name__ == "__main__":
    main()
