"""How fast spaCy parses with treewhile: beside a pipeline without it, and beside the parser itself.

    tokens      spaCy cuts the texts into its own tokens, and nothing else
    component   the same, and treewhile says of them all that it does
    parser      `Model.parse_all` of the treebank's own words, 16 sentences at a time

What is compared takes turns, in seconds of the processor. A text is some sentences of the treebank in a row.
The models are loaded anew each time, so all forms are new to them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from itertools import islice
from statistics import median
from typing import Any, Final

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import spacy
from measuring import model_and_source
from rich.console import Console
from rich.table import Table

from treewhile.incremental import Sentence, load_model, read_sentences

AT_ONCE: Final = 16
SENTENCES: Final = 10  # of a text


def groups(sentences: list[Sentence], size: int) -> list[list[Sentence]]:
    left = iter(sentences)
    return [*iter(lambda: [*islice(left, size)], [])]


def text_of(sentences: list[Sentence]) -> str:
    return " ".join(" ".join(word.form for word in sentence.words) for sentence in sentences)


def pipeline(model: str | None) -> Any:
    """That of English, with a model or without; what a model needs is loaded."""
    nlp = spacy.blank("en")
    if model:
        nlp.add_pipe("treewhile", config={"model": model})
        nlp("")
    return nlp


def tokens_a_second(make: Callable[[], Callable[[], int]]) -> float:
    """How many tokens a task has, for each second that it takes once it is made."""
    task = make()
    start = time.process_time()
    tokens = task()
    return tokens / (time.process_time() - start)


def main() -> None:
    parser = model_and_source(__doc__, default="en")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    sentences = [*read_sentences(arguments.source)]
    texts = [text_of(group) for group in groups(sentences, SENTENCES)]
    batches = [[[word.form for word in one.words] for one in group] for group in groups(sentences, AT_ONCE)]

    def of_pipeline(model: str | None) -> Callable[[], int]:
        nlp = pipeline(model)
        return lambda: sum(map(len, nlp.pipe(texts)))

    def of_parser() -> Callable[[], int]:
        model = load_model(arguments.model)
        return lambda: sum(len(one.words) for batch in batches for one in model.parse_all(batch))

    tasks: dict[str, Callable[[], Callable[[], int]]] = {
        "tokens": lambda: of_pipeline(None),
        "component": lambda: of_pipeline(arguments.model),
        "parser": of_parser,
    }
    for make in tasks.values():
        make()()
    rates: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(arguments.repeats):
        for name, make in tasks.items():
            rates[name].append(tokens_a_second(make))
    table = Table("", "tokens a second, median", "least", "most")
    for name, values in rates.items():
        table.add_row(name, *(f"{value:,.0f}" for value in (median(values), min(values), max(values))))
    Console(width=100).print(f"{arguments.source.name}: {len(texts)} texts, spaCy {spacy.__version__}", table)


if __name__ == "__main__":
    main()
