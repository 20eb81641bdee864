"""Constituency trees over words, and their constituents as spans.

Nothing here recurses, so trees may be of any depth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from treewhile.oracles.errors import InputError

LeafValue = TypeVar("LeafValue")
Value = TypeVar("Value")


class Leaf(NamedTuple):
    """Word below its tag."""

    tag: str
    word: str


@dataclass(frozen=True, slots=True, eq=False)
class Phrase:
    """Label over phrases and leaves. Phrases of the same form are equal."""

    label: str
    children: tuple[Phrase | Leaf, ...]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Phrase):
            return NotImplemented
        return self is other or _outline(self) == _outline(other)

    def __hash__(self) -> int:
        return hash(_outline(self))

    def __iter__(self) -> Iterator[Phrase | Leaf]:
        """Yield this phrase and all nodes below, each before its children."""
        waiting: list[Phrase | Leaf] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            if isinstance(node, Phrase):
                waiting.extend(reversed(node.children))

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        return tuple(node for node in self if isinstance(node, Leaf))


class Constituent(NamedTuple):
    """Phrase as a span of words, numbered from 1; `last` is None if its end is still to come."""

    label: str
    first: int
    last: int | None

    @property
    def is_open(self) -> bool:
        return self.last is None


def _outline(phrase: Phrase) -> tuple[Leaf | tuple[str, int], ...]:
    """Return all nodes in order, each phrase with its number of children: equal only for equal trees."""
    return tuple(node if isinstance(node, Leaf) else (node.label, len(node.children)) for node in phrase)


def fold(
    phrase: Phrase,
    of_leaf: Callable[[Leaf], LeafValue],
    of_phrase: Callable[[str, list[LeafValue | Value]], Value],
) -> Value:
    """Return `of_phrase` of the whole tree, computed bottom-up from labels and values of children."""
    opened: list[tuple[str, Iterator[Phrase | Leaf], list[LeafValue | Value]]] = []
    opened.append((phrase.label, iter(phrase.children), []))
    while True:
        label, children, values = opened[-1]
        child = next(children, None)
        if isinstance(child, Phrase):
            opened.append((child.label, iter(child.children), []))
        elif child is not None:
            values.append(of_leaf(child))
        else:
            opened.pop()
            value = of_phrase(label, values)
            if not opened:
                return value
            opened[-1][2].append(value)


def constituents_of(phrase: Phrase) -> tuple[Constituent, ...]:
    """Return all phrases as spans, each before those within; of several over the same words outer first."""
    found: list[Constituent] = []
    words = 0
    opened: list[tuple[int, Iterator[Phrase | Leaf]]] = []  # indices into `found`

    def begin(phrase: Phrase) -> None:
        opened.append((len(found), iter(phrase.children)))
        found.append(Constituent(phrase.label, words + 1, None))

    begin(phrase)
    while opened:
        place, children = opened[-1]
        child = next(children, None)
        if isinstance(child, Phrase):
            begin(child)
        elif child is not None:
            words += 1
        else:
            opened.pop()
            found[place] = found[place]._replace(last=words)
    return tuple(found)


def tree_of(constituents: Sequence[Constituent], leaves: Sequence[Leaf]) -> Phrase:
    """Return the tree with these constituents over these leaves; open ones reach to the last leaf.

    One constituent covers all leaves, and no two cross. Of several over the same words, earlier ones are
    further out.
    """
    n = len(leaves)
    spans = sorted(
        (first, -(n if last is None else last), place, label)
        for place, (label, first, last) in enumerate(constituents)
    )
    _check_spans(spans, n)
    opened: list[tuple[str, int, list[Phrase | Leaf]]] = []
    at = 0
    for word, leaf in enumerate(leaves, 1):
        while at < len(spans) and spans[at][0] == word:
            opened.append((spans[at][3], -spans[at][1], []))
            at += 1
        opened[-1][2].append(leaf)
        while len(opened) > 1 and opened[-1][1] == word:
            label, _, children = opened.pop()
            opened[-1][2].append(Phrase(label, tuple(children)))
    return Phrase(opened[0][0], tuple(opened[0][2]))


def _check_spans(spans: Sequence[tuple[int, int, int, str]], n: int) -> None:
    """Refuse spans that are no tree over n leaves, given as (first, -last, place, label) in order."""
    if not spans or spans[0][:2] != (1, -n) or n == 0:
        raise InputError(f"no constituent covers all of the {n} words: give one from 1 to the last word")
    around: list[int] = []
    for first, minus_last, _, label in spans:
        last = -minus_last
        while around and around[-1] < first:
            around.pop()
        if not first <= last <= n:
            raise InputError(f"the constituent {label!r:.40} is from {first} to {last}: there are {n} words")
        if last > (around[-1] if around else 0) and first > 1:
            raise InputError(f"the constituent {label!r:.40} from {first} to {last} crosses another one")
        around.append(last)


ROOT: Final = "ROOT"


def phrase_of(constituents: Sequence[Constituent], leaves: Sequence[Leaf], root: str = ROOT) -> Phrase:
    """Return the tree with these constituents under a root; open ones reach to the last leaf."""
    return tree_of([Constituent(root, 1, len(leaves)), *constituents], leaves)
