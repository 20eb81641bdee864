"""Words to come: a reference with them, and names for them and for steps in English sentences.

While a sentence is open there are always words to come: the virtual nodes of the analysis, one word as the
head of all words that wait for LATER, or, without either, some unknown word.

In sentences for people, quoted words stand between asterisks; a word to come is called by its tag, as in
"wait for a VERB".
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Final, Literal, NamedTuple, TypeAlias

from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.committed_parses import UNATTACHED
from treewhile.incremental.parsers.nodes import LATER, Head, Virtual, to_view
from treewhile.incremental.sessions.messages import Head as HeadView
from treewhile.incremental.sessions.messages import Prediction
from treewhile.oracles.projective_trees import is_projective, projectivize

ForestHeads: TypeAlias = tuple[int | None, ...]
WordToCome: TypeAlias = Virtual | Literal["later"]
Named: TypeAlias = WordToCome | None

# With more words to come than this, only the order of their numbers is tried.
MOST_ORDERED: Final = 6


def head_view(head: Head, prediction: Prediction) -> HeadView:
    """Return a head in the notation of messages; null if words to come are not to be predicted."""
    if isinstance(head, int):
        return head
    if prediction == "none":
        return None
    return to_view(head) if prediction == "virtual" else LATER


class Outlook(NamedTuple):
    """Heads of the known words and, numbered on, of words to come."""

    heads: ForestHeads
    names: tuple[Named, ...]  # name of each word to come; None for an unknown one
    known: ForestHeads  # edges between known words, and from the root to them

    @property
    def n(self) -> int:
        """Number of known words."""
        return len(self.heads) - len(self.names)


def forest_of(analysis: Analysis) -> ForestHeads:
    """Return the known heads, the root included; None for the others."""
    return tuple(head if isinstance(head, int) else None for head in analysis.heads)


def outlook_of(analysis: Analysis, is_open: bool) -> Outlook:
    """Return the analysis as a reference; an ended sentence has no words to come.

    Words to come are in the order of their numbers, LATER last, if all edges are attainable then; else in the
    first order that attains all, or the most.
    """
    known = forest_of(analysis)
    if not is_open:
        return Outlook(known, (), known)
    names = _words_to_come(analysis)
    if not names:
        return Outlook((*known, None), (None,), (*known, None))
    ordered = _best_order(analysis, names)
    return Outlook(_heads(analysis, ordered), ordered, (*known, *[None] * len(names)))


def _words_to_come(analysis: Analysis) -> tuple[WordToCome, ...]:
    virtual = sorted(expected.node for expected in analysis.expected)
    heads = {*analysis.heads, *(expected.head for expected in analysis.expected)}
    return (*virtual, LATER) if LATER in heads else tuple(virtual)


def _best_order(analysis: Analysis, names: tuple[WordToCome, ...]) -> tuple[WordToCome, ...]:
    if is_projective(_heads(analysis, names)) or len(names) > MOST_ORDERED:
        return names
    orders = list(permutations(names))
    for order in orders:
        if is_projective(_heads(analysis, order)):
            return order
    return max(orders, key=lambda order: _attainable(_heads(analysis, order)))


def _heads(analysis: Analysis, names: Sequence[WordToCome]) -> ForestHeads:
    """Return the heads of the known words, and of words to come in an order."""
    numbers: dict[Head, int] = {name: number for number, name in enumerate(names, len(analysis.heads) + 1)}
    heads: dict[WordToCome, Head] = {expected.node: expected.head for expected in analysis.expected}
    given = (*analysis.heads, *(heads.get(name) for name in names))
    return tuple(head if isinstance(head, int) or head is None else numbers.get(head) for head in given)


def _attainable(heads: ForestHeads) -> int:
    """Return the maximum number of the edges in a projective tree."""
    return sum(a == b for a, b in zip(projectivize(heads, single_root=False), heads, strict=True))


# Relations of Universal Dependencies in English; others are called by their own names.
RELATIONS: Final = {
    "acl": "clausal modifier",
    "acl:relcl": "relative clause",
    "advcl": "adverbial clause",
    "advcl:relcl": "relative clause",
    "advmod": "adverbial modifier",
    "amod": "adjective",
    "appos": "apposition",
    "aux": "auxiliary",
    "aux:pass": "passive auxiliary",
    "case": "case marker",
    "cc": "conjunction",
    "ccomp": "clausal complement",
    "clf": "classifier",
    "compound": "compound part",
    "compound:prt": "particle",
    "conj": "conjunct",
    "cop": "copula",
    "csubj": "clausal subject",
    "csubj:pass": "passive clausal subject",
    "dep": "dependent",
    "det": "determiner",
    "discourse": "interjection",
    "dislocated": "dislocated part",
    "expl": "expletive",
    "fixed": "part of a fixed phrase",
    "flat": "part of a name",
    "goeswith": "second half",
    "iobj": "indirect object",
    "list": "item of a list",
    "mark": "marker",
    "nmod": "nominal modifier",
    "nmod:poss": "possessor",
    "nsubj": "subject",
    "nsubj:pass": "passive subject",
    "nummod": "number",
    "obj": "object",
    "obl": "oblique phrase",
    "orphan": "orphan",
    "parataxis": "loose clause",
    "punct": "punctuation",
    "reparandum": "repair",
    "vocative": "vocative",
    "xcomp": "open complement",
}

VOWELS: Final = "AEIOU"


class Wording:
    """Names for the nodes of a configuration: the words of an analysis, and words to come."""

    def __init__(self, analysis: Analysis, names: Sequence[Named], prediction: Prediction) -> None:
        self._analysis, self._names, self._prediction = analysis, names, prediction
        self._expected = {expected.node: expected for expected in analysis.expected}

    def view(self, node: int) -> HeadView:
        """Return a node in the notation of messages."""
        name = self._name(node)
        return None if name is None else head_view(name, self._prediction)

    def is_to_come(self, node: int) -> bool:
        return node > len(self._analysis.words)

    def tag(self, node: int) -> str | None:
        """Return the tag of a word, if it is known."""
        name = self._shown(node)
        if isinstance(name, Virtual):
            return name.tag
        return self._analysis.tags[name - 1] if isinstance(name, int) else None

    def label(self, head: int, child: int) -> str | None:
        """Return the label of an arc; None if the analysis does not have the arc."""
        told, label = self._told(self._name(child))
        return label if told is not None and told == self._name(head) and label != UNATTACHED else None

    def says(self, edge: tuple[int, int] | None, word: int | None, it: int | None = None) -> str:
        """Return the sentence for a step that makes an arc or shifts a word; `it` is the node called "it"."""
        if edge is None:
            return "" if word is None else self._taking(word)
        head, child = edge
        label, who = self.label(head, child), self._called(child, it)
        if head == 0:
            return f"make {who} the root"
        role = f" as its {RELATIONS.get(label, label)}" if label else ""
        return f"attach {who} to {self._called(head, it)}{role}"

    def _taking(self, word: int) -> str:
        name = self._shown(word)
        if isinstance(name, int):
            return f"take {self._called(word, None)}"
        if isinstance(name, Virtual):
            return f"wait for {'an' if name.tag[:1] in VOWELS else 'a'} {name.tag}"
        return "wait for the next word" if name is None else "wait for a word to come"

    def _called(self, node: int, it: int | None) -> str:
        name = self._shown(node)
        if node == it:
            return "it"
        if isinstance(name, int):
            return f"*{self._analysis.words[name - 1]}*"
        if isinstance(name, Virtual):
            return f"the {name.tag}"
        return "the next word" if name is None else "the word to come"

    def _name(self, node: int) -> Named | int:
        n = len(self._analysis.words)
        return node if node <= n else self._names[node - n - 1]

    def _shown(self, node: int) -> Named | int:
        """Return a node's name with no more detail than the client asked for."""
        name = self._name(node)
        if isinstance(name, int) or self._prediction == "virtual":
            return name
        return LATER if name is not None and self._prediction == "later" else None

    def _told(self, name: Named | int) -> tuple[Head | None, str]:
        """Return the head and label of a node in the analysis."""
        if isinstance(name, int):
            return self._analysis.heads[name - 1], self._analysis.labels[name - 1]
        expected = self._expected.get(name) if isinstance(name, Virtual) else None
        return (expected.head, expected.label) if expected else (None, UNATTACHED)
