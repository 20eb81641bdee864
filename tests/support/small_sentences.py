"""Sentences of a treebank, written in a line: `the/DET/2/det dog/NOUN/3/nsubj barks/VERB/0/root`."""

from __future__ import annotations

import io

from treewhile.incremental import Sentence, read_sentences


def conllu_of(*lines: str) -> str:
    """Return sentences in CoNLL-U; features may follow the label, `dog/NOUN/3/nsubj/Number=Sing`."""
    return "".join("".join(map(_row, enumerate(line.split(), 1))) + "\n" for line in lines)


def _row(numbered: tuple[int, str]) -> str:
    number, word = numbered
    form, tag, head, label, *features = word.split("/")
    return f"{number}\t{form}\t_\t{tag}\t_\t{features[0] if features else '_'}\t{head}\t{label}\t_\t_\n"


def sentences_of(*lines: str) -> list[Sentence]:
    return [*read_sentences(io.BytesIO(conllu_of(*lines).encode()))]
