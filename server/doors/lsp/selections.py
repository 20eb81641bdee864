"""Selection ranges that follow the syntax: a word, its subtree, larger subtrees, the sentence, and so on.

If subtrees cross, a range extends from the first to the last word of a subtree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from typing import Final

from lsprotocol import types

from treewhile.incremental.sessions.messages import AnalysisMessage, Head
from treewhile.server.doors.lsp.edited_texts import EditedText, sentence_around, span_of, words_around

MOST_SUBTREES: Final = 100  # nested ranges; deeper nesting cannot be sent

Span = tuple[int, int]


def selection_at(
    place: int, sentences: Sequence[AnalysisMessage | None], text: EditedText
) -> types.SelectionRange:
    """Return the nested selection ranges around an offset."""
    selection: types.SelectionRange | None = None
    for start, end in reversed(_growing(_spans_at(place, sentences, text), place)):
        selection = types.SelectionRange(text.range(start, end), selection)
    assert selection
    return selection


def _spans_at(place: int, sentences: Sequence[AnalysisMessage | None], text: EditedText) -> Iterator[Span]:
    sentence = sentence_around(sentences, place)
    if sentence:
        for number in words_around(sentence, place)[:1]:
            yield from islice(subtrees_around(number, sentence), MOST_SUBTREES)
        yield span_of(sentence)
    yield text.paragraph(place)
    yield 0, len(text.text)


def _growing(spans: Iterable[Span], place: int) -> list[Span]:
    """Return the hulls of each span with all earlier ones, without repetition."""
    hulls = accumulate(spans, lambda one, other: (min(one[0], other[0]), max(one[1], other[1])))
    return [*dict.fromkeys(hulls)] or [(place, place)]


def subtrees_around(number: int, sentence: AnalysisMessage) -> Iterator[Span]:
    """Yield the spans of a word, of its subtree, and of the subtrees of its ancestors, in the document."""
    word = sentence.words[number - 1]
    yield sentence.start + word.start, sentence.start + word.end
    heads = _heads(sentence)
    chain = [*_path(number, heads, set())]
    joins: dict[Head, int] = {node: place for place, node in enumerate(chain)}
    spans: list[list[Span]] = [[] for _ in chain]
    for other, view in enumerate(sentence.words, 1):
        path = [*_path(other, heads, joins.keys())]
        place = joins.setdefault(path[-1], len(chain))  # words that do not join the path are outside
        for node in path:
            joins[node] = place
        if place < len(chain):
            spans[place].append((sentence.start + view.start, sentence.start + view.end))
    for some in filter(None, spans):
        yield min(start for start, _ in some), max(end for _, end in some)


def _heads(sentence: AnalysisMessage) -> dict[Head, Head]:
    """Return the heads of words and of expected words."""
    words: dict[Head, Head] = {number: word.head for number, word in enumerate(sentence.words, 1)}
    return words | {-one.node: one.head for one in sentence.virtual}


def _path(node: Head, heads: dict[Head, Head], known: Iterable[Head]) -> Iterator[Head]:
    """Yield a node and its ancestors, up to a known one; no node is repeated."""
    seen = set[Head]()
    while node not in seen:
        yield node
        seen.add(node)
        above = heads.get(node)
        if node in known or above in (0, "later", None):
            return
        node = above
