"""Parsing of sentences with some columns kept; kept heads constrain all other heads."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from treewhile.incremental.parsers.analyses import Analysis, Decision
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.parsed_treebank import parse_sentences, values_of, with_analyses
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import Preference
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles.errors import InputError

EMPTY: Final = "_"
SURELY: Final = 1e4  # added to the log probability of a kept head
CLASSES: Final = (None, "any")  # classes of trees: the model's own, and one that contains all trees


def parsed_but_for(model: Model, sentences: Sequence[Sentence], columns: Collection[str]) -> list[Sentence]:
    """Return parsed sentences in which non-empty values of some columns are kept."""
    others = [column for column in columns if column != "head"]
    keeps_heads = len(others) < len(columns)
    parsed = parse_sentences(model, sentences)
    return [
        _kept(_with_heads(model, before) if keeps_heads and any(before.heads) else after, before, others)
        for before, after in zip(sentences, parsed, strict=True)
    ]


def _kept(after: Sentence, before: Sentence, columns: Collection[str]) -> Sentence:
    changes = {
        number: {column: value for column in columns if (value := getattr(word, column)) != EMPTY}
        for number, word in enumerate(before.words, 1)
    }
    return after.with_columns({number: values for number, values in changes.items() if values})


def _with_heads(model: Model, sentence: Sentence) -> Sentence:
    """Return the best tree that has all given heads of a sentence."""
    wanted = {number: head for number, head in enumerate(sentence.heads, 1) if head is not None}
    for trees in CLASSES:
        analysis = _analysis(model if trees is None else model.with_trees(trees), sentence, wanted)
        if all(analysis.heads[number - 1] == head for number, head in wanted.items()):
            return with_analyses(model, [sentence], [analysis])[0]
    where = f"{sentence.file_name}:{sentence.first_row_line}"
    raise InputError(f"no tree has all heads that are to be kept: correct them, in the sentence at {where}")


def _analysis(model: Model, sentence: Sentence, wanted: dict[int, int]) -> Analysis:
    """Return the analysis with a strong preference for some heads."""
    parse = GrowingParse(model)
    for word, values in zip(sentence.words, values_of(model, sentence), strict=True):
        parse.append(word.form, values)
    parse.close()
    decisions = {number: Decision(head, model.root_label) for number, head in wanted.items()}
    words = len(sentence.words)
    found = model.rescore(parse.snapshot(), Preference(wanted=decisions, bonus=SURELY, words_before=words))
    heads = np.array(found.analysis.heads, np.intp)
    labels = found.label_logs(heads, np.arange(1, words + 1)).argmax(1).tolist()
    return replace(found.analysis, labels=tuple(model.inventory.labels[label] for label in labels))
