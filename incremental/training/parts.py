"""Checks of the parts of a training run: sentences to train on, and sentences to score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from treewhile.incremental.parsers.parsed_treebank import check_sentence
from treewhile.incremental.texts.treebank_texts import treebank_text
from treewhile.incremental.treebanks.prefix_trees import GoldTree
from treewhile.incremental.treebanks.projectivized_treebank import whole_tree
from treewhile.incremental.treebanks.treebank import Sentence, read_sentences
from treewhile.oracles.errors import InputError


def check_trainable(sentence: Sentence) -> None:
    """Refuse sentences that no parser can be trained on: invalid words, too many, or heads in a circle."""
    check_sentence(sentence)
    GoldTree.of(sentence)


def check_scorable(sentence: Sentence) -> None:
    """Refuse sentences that no parser can be scored on, unknown heads included."""
    check_sentence(sentence)
    whole_tree(sentence)


def check_parts(treebanks: Sequence[Sequence[Sentence]], dev: Sequence[Sentence]) -> None:
    """Refuse parts that are empty, or that have a sentence which cannot be used."""
    parts = [*(("training", part, check_trainable) for part in treebanks), ("dev", dev, check_scorable)]
    for name, part, check in parts:
        if not part:
            raise InputError(f"the {name} part has no sentences: give another file")
        for sentence in part:
            check(sentence)


SHORT: Final = 4  # words; such a sentence may well be said twice


def learnt_too(dev: Iterable[Sentence], treebanks: Iterable[Iterable[Sentence]]) -> int:
    """Return the number of sentences to score on that are also learnt from, perhaps cut into other words."""
    learnt = {*map(_letters, chain(*treebanks))}
    return sum(len(sentence.words) > SHORT and _letters(sentence) in learnt for sentence in dev)


def _letters(sentence: Sentence) -> str:
    return "".join(filter(str.isalnum, treebank_text([sentence]).text.lower()))


class SkippedSentences:
    """Problems of the sentences of a part that are left out, in their order."""

    def __init__(self) -> None:
        self.unreadable: list[InputError] = []
        self.unusable: list[InputError] = []

    def read(self, sources: Iterable[str], check: Callable[[Sentence], None]) -> Iterator[Sentence]:
        """Yield the sentences of treebanks that pass a check."""
        for source in sources:
            for sentence in read_sentences(source, self.unreadable.append):
                try:
                    check(sentence)
                except InputError as problem:
                    self.unusable.append(problem)
                else:
                    yield sentence

    def by_kind(self) -> dict[str, list[InputError]]:
        """Return the problems of each kind that occurred."""
        kinds = {"not in CoNLL-U": self.unreadable, "of no use": self.unusable}
        return {kind: problems for kind, problems in kinds.items() if problems}
