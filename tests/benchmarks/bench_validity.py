"""How many parsed sentences are valid Universal Dependencies, judged by UD's own validator, and accuracy.

    by itself   each label and tag is the most probable one, as before the rules
    L1          best trees by the rules, as `treewhile parse` writes them
    L2          the same after the search of a session has settled

Level 3 is about all languages, level 5 also about this one: features of tags, subtypes, lemmas of auxiliaries
and copulas. Lemmas are those of the treebank. Needs udtools, which is under the GPL: benchmarks and tests may
import it, the product may not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from copy import copy

from measuring import model_and_source
from udtools.state import State
from udtools.validator import Validator

from treewhile.incremental import Model, Sentence, load_model, read_sentences
from treewhile.incremental.constraints.search.searcher import NEVER, searcher_for
from treewhile.incremental.parsers.analyses import NO_WORDS, Analysis
from treewhile.incremental.parsers.parsed_treebank import with_analyses
from treewhile.incremental.scores.conll_scores import conll_scores
from treewhile.incremental.search import SearchRequest

Parse = Callable[[Sequence[str]], Analysis]


def errors_of(sentences: Sequence[Sentence], language: str, level: int) -> list[Counter[str]]:
    """The errors of each sentence, by the names of rules; rows of empty nodes are left out."""
    validator, found = Validator(lang=language, level=level, output=None), []
    for sentence in sentences:
        lines = [
            line for line in str(sentence).splitlines() if "." not in line.split("\t")[0] or line[0] == "#"
        ]
        state = validator.validate_sentence([*filter(None, lines), ""], State())
        found.append(Counter(one.testid for one in state.error_tracker if one.is_error()))
    return found


def without_rules(model: Model) -> Model:
    other = copy(model)
    other.punctuation, arcs = None, copy(model.network.arcs)
    arcs.rules = arcs.rules._replace(own=arcs.rules.own[:0])
    other.network = model.network._replace(arcs=arcs)
    return other


def searching(model: Model) -> Parse:
    searcher = searcher_for(model)

    def parse(words: Sequence[str]) -> Analysis:
        [rescored] = model.judge_all([words])
        unattached = Analysis(tuple(words), (), (), ("later",) * len(words), ("_",) * len(words))
        found = searcher.search(SearchRequest(rescored, unattached, is_open=False), NEVER)
        return found.analysis if found else NO_WORDS

    return parse


def report(name: str, gold: Sequence[Sentence], system: Sequence[Sentence], language: str) -> None:
    scores = conll_scores(gold, system)
    accuracy = "  ".join(f"{one} {100 * scores[one].f1:.2f}" for one in ("UPOS", "UAS", "LAS"))
    print(f"{name}: {accuracy}")
    for level, of in ((3, "ud"), (5, language)):
        errors = errors_of(system, of, level)
        share, total = sum(map(bool, errors)) / len(errors), sum(errors, Counter[str]())
        print(f"  level {level}: {100 * share:.2f}% of sentences, {dict(total.most_common())}")


def main() -> None:
    parser = model_and_source(__doc__)
    parser.add_argument("--search", action="store_true", help="with L2, which takes many times as long")
    arguments = parser.parse_args()
    model, gold = load_model(arguments.model), [*read_sentences(arguments.source)]
    forms = [[word.form for word in sentence.words] for sentence in gold]
    ways: dict[str, Parse] = {"by itself": without_rules(model).parse, "L1": model.parse}
    if arguments.search:
        ways["L2"] = searching(model)
    for name, parse in ways.items():
        report(name, gold, with_analyses(model, gold, [*map(parse, forms)]), model.language)


if __name__ == "__main__":
    main()
