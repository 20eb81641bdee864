"""Scores of a model on words as recognizers of speech write them: in lower case, without punctuation.

    python tests/benchmarks/bench_lower_case.py en en_ewt-dev.conllu

Sentences of a treebank are parsed with given words: as written, in lower case, without punctuation, and both;
heads of words that hang on punctuation go up to the next word. Punctuation and symbols are not scored.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from treewhile.incremental import load_model, read_sentences
from treewhile.incremental.parsers.parsing import Model

UNSPOKEN = ("PUNCT", "SYM")


@dataclass
class Word:
    form: str
    tag: str
    head: int
    label: str


def words_of(path: str) -> Iterator[list[Word]]:
    for sentence in read_sentences(path):
        yield [
            Word(one.form, one.upos, int(one.head), one.deprel.partition(":")[0]) for one in sentence.words
        ]


def lowered(sentence: list[Word]) -> list[Word]:
    return [Word(one.form.lower(), one.tag, one.head, one.label) for one in sentence]


def spoken(sentence: list[Word]) -> list[Word]:
    """The words that are said, under their next heads that are."""
    kept = [number for number, one in enumerate(sentence, 1) if one.tag not in UNSPOKEN]
    numbers = {0: 0, **{before: after for after, before in enumerate(kept, 1)}}

    def above(head: int) -> int:
        return numbers[head] if head in numbers else above(sentence[head - 1].head)

    words = (sentence[number - 1] for number in kept)
    return [Word(one.form, one.tag, above(one.head), one.label) for one in words]


def scores(model: Model, sentences: Iterable[list[Word]]) -> list[str]:
    """UPOS, UAS, LAS, and the share of proper nouns that are found, in percent."""
    known = [sentence for sentence in sentences if sentence]
    found = model.parse_all([[one.form for one in sentence] for sentence in known])
    pairs = [
        (one, analysis.tags[place], analysis.heads[place], analysis.labels[place].partition(":")[0])
        for sentence, analysis in zip(known, found, strict=True)
        for place, one in enumerate(sentence)
        if one.tag not in UNSPOKEN
    ]
    names = [tag == "PROPN" for one, tag, *_ in pairs if one.tag == "PROPN"]
    right = [
        [one.tag == tag for one, tag, _, _ in pairs],
        [one.head == head for one, _, head, _ in pairs],
        [one.head == head and one.label == label for one, _, head, label in pairs],
        names,
    ]
    return [f"{100 * sum(some) / len(some):.1f}" for some in right]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model")
    parser.add_argument("treebank")
    asked = parser.parse_args()
    model, written = load_model(asked.model), [*words_of(asked.treebank)]
    kinds = {
        "as written": written,
        "lower case": [*map(lowered, written)],
        "without punctuation": [*map(spoken, written)],
        "both": [lowered(spoken(one)) for one in written],
    }
    table = Table("words", "UPOS", "UAS", "LAS", "proper nouns found")
    for kind, sentences in kinds.items():
        table.add_row(kind, *scores(model, sentences))
    Console().print(table)


if __name__ == "__main__":
    main()
