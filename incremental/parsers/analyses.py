"""Analyses of the words of a sentence, and their conversion to CoNLL-U sentences and back.

CoNLL-U has no words that are still expected, but it has empty nodes. Each expected word becomes an empty node
behind the last word, with its tag in UPOS and its number in the stock in MISC; its dependents have it in
DEPS:

    4   very   ADV    HEAD _   DEPREL advmod   DEPS 4.1:advmod
    4.1 _      ADJ                             DEPS 2:xcomp      MISC Virtual=3

A word whose head is LATER has no HEAD, nor has such an expected word, which then keeps its label in MISC, as
`Later=obj`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, NamedTuple

from treewhile.incremental.parsers.nodes import LATER, Head, Nodes, Virtual
from treewhile.incremental.treebanks.treebank import Sentence, Word
from treewhile.oracles.constituents.phrase_trees import Constituent
from treewhile.oracles.errors import InputError


def html_table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return the table, with all cells escaped."""
    head, *body = [_row(titles, "th"), *(_row(row, "td") for row in rows)]
    return f"<table><thead>{head}</thead><tbody>{''.join(body)}</tbody></table>"


def _row(cells: Iterable[object], element: str) -> str:
    return f"<tr>{''.join(f'<{element}>{escape(str(cell))}</{element}>' for cell in cells)}</tr>"


class Decision(NamedTuple):
    """Head and label of a word."""

    head: Head
    label: str


@dataclass(frozen=True, slots=True)
class ExpectedWord:
    """Virtual node in use: a word that is still expected, with its head and label."""

    node: Virtual
    head: Head
    label: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """Tree over the words of a sentence, or over those that have come so far.

    Words are numbered from 1. A head is a word's number, 0 for the root, a `Virtual` node, or LATER: the head
    is still to come, and nothing more is predicted. Constituents come outer first, then from left to right,
    if the model has learnt them and they were requested; the root itself is none. Lemmas and XPOS are empty
    if the model has not learnt them, or if they were not requested.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    features: tuple[str, ...]
    heads: tuple[Head, ...]
    labels: tuple[str, ...]
    expected: tuple[ExpectedWord, ...] = ()
    constituents: tuple[Constituent, ...] = ()
    lemmas: tuple[str, ...] = ()
    xpos: tuple[str, ...] = ()

    @property
    def decisions(self) -> list[Decision]:
        return [Decision(head, label) for head, label in zip(self.heads, self.labels, strict=True)]

    def _repr_html_(self) -> str:
        """Return the table that notebooks show: the words, and behind them the expected words."""
        return html_table(["", "word", "tag", "head", "", "label"], self._rows())

    def _rows(self) -> Iterator[tuple[object, ...]]:
        said = zip(self.words, self.tags, self.heads, self.labels, strict=True)
        for number, (word, tag, head, label) in enumerate(said, 1):
            yield number, word, tag, *self._told(head), label
        for one in self.expected:
            yield _sign(one.node), "(expected)", one.node.tag, *self._told(one.head), one.label

    def _told(self, head: Head) -> tuple[object, str]:
        """Return a head's number and form."""
        if isinstance(head, int):
            return head, self.words[head - 1] if head else "root"
        return ("", head) if isinstance(head, str) else (_sign(head), "(expected)")


def _sign(node: Virtual) -> str:
    return f"+{node.number}"


NO_WORDS: Final = Analysis((), (), (), (), ())


def expected_words(
    nodes: Nodes, numbers: Sequence[int], heads: Sequence[Head], labels: Sequence[str]
) -> tuple[ExpectedWord, ...]:
    """Return the virtual nodes in use, given the heads of all nodes, as numbers and names, and the labels."""
    return tuple(
        ExpectedWord(nodes.virtual(node), heads[node - 1], labels[node - 1])
        for node in range(nodes.t + 1, len(numbers) + 1)
        if numbers[node - 1] != nodes.unused
    )


NUMBER: Final = "Virtual"  # key in MISC
LABEL: Final = "Later"


def sentence_of_analysis(analysis: Analysis) -> Sentence:
    """Return the analysis as a treebank sentence; its text is the words separated by spaces.

    Lemmas and XPOS that the analysis lacks are `_`. `analysis_of_sentence` is the inverse.
    """
    sentence = Sentence.of_words(analysis.words)
    ids = _ids(analysis)
    rows = zip(analysis.tags, analysis.features, analysis.heads, analysis.labels, strict=True)
    changes = {
        number: {"upos": tag, "feats": features, "deprel": label, **_attachment(head, label, ids)}
        for number, (tag, features, head, label) in enumerate(rows, 1)
    }
    for column, values in (("lemma", analysis.lemmas), ("xpos", analysis.xpos)):
        for number, value in enumerate(values, 1):
            changes[number][column] = value
    return sentence.with_columns(changes).with_rows_behind(_empty_nodes(analysis, ids))


def _ids(analysis: Analysis) -> dict[Virtual, str]:
    """Return the ids of expected words as empty nodes."""
    n = len(analysis.words)
    return {one.node: f"{n}.{number}" for number, one in enumerate(analysis.expected, 1)}


def _attachment(head: Head, label: str, ids: Mapping[Virtual, str]) -> dict[str, str]:
    """Return HEAD and DEPS of a word or of an expected word."""
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
    """Return the analysis in the columns of a sentence, with expected words; a missing head becomes LATER."""
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
        lemmas=_unless_empty(tuple(word.lemma for word in words)),
        xpos=_unless_empty(tuple(word.xpos for word in words)),
    )


def _unless_empty(column: tuple[str, ...]) -> tuple[str, ...]:
    return column if {*column} - {"_"} else ()


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
    """Return the stock number of the expected word that an empty node stands for; 0 if there is none."""
    said = _said(row, NUMBER)
    return int(said) if said.isdecimal() else 0


def _said(row: Word, name: str) -> str:
    """Return the value of a feature in MISC, or "" if the feature is missing."""
    features = (feature.partition("=") for feature in row.misc.split("|"))
    return next((value for key, _, value in features if key == name), "")
