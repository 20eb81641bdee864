"""Whether words are found at the end of a text that just ends: sentences, each as a text of its own.

Each is cut into words twice: with a newline behind its last character, and without anything. Words are the
F1 of the CoNLL 2018 shared task over all sentences together.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from measuring import machine
from rich.console import Console
from rich.table import Table

from treewhile.incremental import Segmenter, Sentence, conll_scores, load_model, read_sentences
from treewhile.incremental.parsers.text_sources import sentences_of_text
from treewhile.incremental.texts.treebank_texts import treebank_text


def words_f1(segmenter: Segmenter, gold: Sequence[Sentence], end: str) -> float:
    """In per cent, where each text ends so."""
    found = [
        sentence
        for one in gold
        for sentence in sentences_of_text(segmenter, [treebank_text([one]).text.rstrip() + end], "a sentence")
    ]
    return 100 * conll_scores(map(with_a_tree, gold), map(with_a_tree, found))["Words"].f1


def with_a_tree(sentence: Sentence) -> Sentence:
    """With any tree, which scores want; words alone are compared."""
    arcs = {number: {"head": "0", "deprel": "root"} for number in range(1, len(sentence.words) + 1)}
    return replace(sentence, header=()).with_columns(arcs)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True, help="a model's name or file")
    parser.add_argument("--source", type=Path, required=True, nargs="+", help="treebanks")
    arguments = parser.parse_args()
    console, segmenter = Console(width=110), load_model(arguments.model).segmenter
    assert segmenter is not None
    console.print(", ".join(machine().values()))
    table = Table(arguments.model, "sentences", "words, newline", "words, cut", "worse by")
    for source in arguments.source:
        gold = [*read_sentences(source)]
        whole, cut = (words_f1(segmenter, gold, end) for end in ("\n", ""))
        table.add_row(source.name, str(len(gold)), f"{whole:.2f}", f"{cut:.2f}", f"{whole - cut:.2f}")
    console.print(table)


if __name__ == "__main__":
    main()
