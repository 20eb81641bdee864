"""Trees of phrases over words, and their constituents as spans.

Nothing here recurses, however deep a tree is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from treewhile.oracles.errors import InputError

LeafValue = TypeVar("LeafValue")
Value = TypeVar("Value")


class Leaf(NamedTuple):
    """A word below its tag."""

    tag: str
    word: str


@dataclass(frozen=True, slots=True, eq=False)
class Phrase:
    """A label over phrases and leaves. Phrases of the same form are equal."""

    label: str
    children: tuple[Phrase | Leaf, ...]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Phrase):
            return NotImplemented
        return self is other or _outline(self) == _outline(other)

    def __hash__(self) -> int:
        return hash(_outline(self))

    def __iter__(self) -> Iterator[Phrase | Leaf]:
        """This phrase and all below it, each before its children."""
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
    """A phrase as a span of words, numbered from 1; `last` is None while its end is still to come."""

    label: str
    first: int
    last: int | None

    @property
    def is_open(self) -> bool:
        return self.last is None


def _outline(phrase: Phrase) -> tuple[Leaf | tuple[str, int], ...]:
    """All nodes in their order, with how many children each phrase has: equal for equal trees alone."""
    return tuple(node if isinstance(node, Leaf) else (node.label, len(node.children)) for node in phrase)


def fold(
    phrase: Phrase,
    of_leaf: Callable[[Leaf], LeafValue],
    of_phrase: Callable[[str, list[LeafValue | Value]], Value],
) -> Value:
    """What `of_phrase` gives for the whole; it takes a label and the values of its children in order."""
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
    """All phrases as spans, each before those within it; of several over the same words the outer first."""
    found: list[Constituent] = []
    words = 0
    opened: list[tuple[int, Iterator[Phrase | Leaf]]] = []  # places in `found`

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
    """The tree with these constituents over these leaves; open ones reach to the last leaf.

    One of them covers all leaves, and no two cross. Of several over the same words those that come first are
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
    """Refuses what is no tree over n leaves: spans as (first, -last, place, label) in order."""
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
