"""Analyses as sentences in CoNLL-U, and back, those of half a sentence too.

CoNLL-U has no words that must still come, but it has empty nodes. Each expected word becomes one, behind the
last word, with its tag in UPOS and its place in the stock in MISC; what hangs on it says so in DEPS:

    4   very   ADV    HEAD _   DEPREL advmod   DEPS 4.1:advmod
    4.1 _      ADJ                             DEPS 2:xcomp      MISC Virtual=3

A word on LATER has no head, nor has an expected one, which then keeps its label in MISC, as `Later=obj`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from treewhile.incremental.parsers.analyses import Analysis, ExpectedWord
from treewhile.incremental.parsers.nodes import LATER, Head, Virtual
from treewhile.incremental.treebanks.treebank import Sentence, Word
from treewhile.oracles.errors import InputError

NUMBER: Final = "Virtual"  # in MISC
LABEL: Final = "Later"


def sentence_of_analysis(analysis: Analysis) -> Sentence:
    """The analysis as a sentence of a treebank, with its words, a blank apart, as the text.

    Lemmas are `_`. `analysis_of_sentence` gives the same analysis again.
    """
    sentence = Sentence.of_words(analysis.words)
    ids = _ids(analysis)
    rows = zip(analysis.tags, analysis.features, analysis.heads, analysis.labels, strict=True)
    changes = {
        number: {"upos": tag, "feats": features, "deprel": label, **_attachment(head, label, ids)}
        for number, (tag, features, head, label) in enumerate(rows, 1)
    }
    return sentence.with_columns(changes).with_rows_behind(_empty_nodes(analysis, ids))


def _ids(analysis: Analysis) -> dict[Virtual, str]:
    """The ids that expected words have as empty nodes."""
    n = len(analysis.words)
    return {one.node: f"{n}.{number}" for number, one in enumerate(analysis.expected, 1)}


def _attachment(head: Head, label: str, ids: Mapping[Virtual, str]) -> dict[str, str]:
    """HEAD and DEPS of a word or of an expected one."""
    if head == LATER:
        return {"head": "_", "deps": "_"}
    if isinstance(head, int):
        return {"head": str(head), "deps": "_"}
    if head not in ids:
        raise InputError(f"a word hangs on {head}, which the analysis does not expect: add it to `expected`")
    return {"head": "_", "deps": f"{ids[head]}:{label}"}


def _empty_nodes(analysis: Analysis, ids: Mapping[Virtual, str]) -> Iterator[str]:
    for one in analysis.expected:
        deps = f"{one.head}:{one.label}"
        misc = f"{NUMBER}={one.node.number}"
        if not isinstance(one.head, int):
            deps = _attachment(one.head, one.label, ids)["deps"]
        if one.head == LATER:
            misc += f"|{LABEL}={one.label}"
        yield "\t".join([ids[one.node], "_", "_", one.node.tag, "_", "_", "_", "_", deps, misc])


def analysis_of_sentence(sentence: Sentence) -> Analysis:
    """What the columns of a sentence say, of expected words too; a word without a head hangs on LATER."""
    words = sentence.words
    rows = {row.id: row for row in sentence.empty_nodes if _number_of(row)}
    nodes = {id_: Virtual(_number_of(row), row.upos) for id_, row in rows.items()}
    return Analysis(
        words=tuple(word.form for word in words),
        tags=tuple(word.upos for word in words),
        features=tuple(word.feats for word in words),
        heads=tuple(_head_of(word, nodes) for word in words),
        labels=tuple(word.deprel for word in words),
        expected=tuple(_expected(nodes[id_], row, nodes) for id_, row in rows.items()),
    )


def _head_of(word: Word, nodes: Mapping[str, Virtual]) -> Head:
    if word.head != "_":
        return int(word.head)
    return nodes.get(word.deps.partition(":")[0], LATER)


def _expected(node: Virtual, row: Word, nodes: Mapping[str, Virtual]) -> ExpectedWord:
    head, _, label = row.deps.partition(":")
    if head == "_":
        return ExpectedWord(node, LATER, _said(row, LABEL))
    return ExpectedWord(node, nodes[head] if head in nodes else int(head), label)


def _number_of(row: Word) -> int:
    """The place in the stock of the expected word that an empty node stands for, 0 if it is none."""
    said = _said(row, NUMBER)
    return int(said) if said.isdecimal() else 0


def _said(row: Word, name: str) -> str:
    """The value that a feature of MISC has, "" if it is not there."""
    features = (feature.partition("=") for feature in row.misc.split("|"))
    return next((value for key, _, value in features if key == name), "")
