"""Corrections of a document, each anchored to its word in the text: edits there end it, others move it.

So corrections outlast new boundaries of words and sentences. A word is known by its span, and by its place
among the words that share the span, as the two words of a contraction may.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple, TypeAlias

from treewhile.incremental.parsers.corrections import Correction, Corrections


class Anchor(NamedTuple):
    """Word in the units of a document: its span, and its place among the words with the same span."""

    start: int
    end: int
    place: int = 0

    def moved(self, units: int) -> Anchor:
        return self._replace(start=self.start + units, end=self.end + units)


ROOT: Final = Anchor(-1, -1)

Spans: TypeAlias = Sequence[tuple[int, int]]


class _Kept(NamedTuple):
    """Correction whose head is an anchor; None where it is open."""

    head: Anchor | None
    label: str | None
    tag: str | None


class Replaced(NamedTuple):
    """Edit from `start` to `end`, where there are `length` units of text then, and the version it makes."""

    version: int
    start: int
    end: int
    length: int


class KeptCorrections:
    """Corrections of the words of a document, at their places in the version that was attached last."""

    def __init__(self) -> None:
        self._kept: dict[Anchor, _Kept] = {}
        self._edits: list[Replaced] = []  # of versions that are not attached yet

    def __len__(self) -> int:
        return len(self._kept)

    def edit(self, edit: Replaced) -> None:
        """Add an edit, which is followed once its version is attached."""
        self._edits.append(edit)

    def follow(self, version: int) -> None:
        """Follow the edits up to a version, which is attached now."""
        while self._edits and self._edits[0].version <= version:
            _, *span = self._edits.pop(0)
            self._move(*span)

    def _move(self, start: int, end: int, length: int) -> None:
        kept: dict[Anchor, _Kept] = {}
        for anchor, one in self._kept.items():
            word = _after_edit(anchor, start, end, length)
            head = None if one.head is None else _after_edit(one.head, start, end, length)
            if word is not None and (head, one.label, one.tag) != (None, None, None):
                kept[word] = _Kept(head, one.label, one.tag)
        self._kept = kept

    def of(self, begin: int, spans: Spans) -> Corrections:
        """Return the corrections of the words of a sentence, which begins at a position in the document."""
        anchors = _anchors(begin, spans)
        numbers = {anchor: number for number, anchor in enumerate(anchors, 1)} | {ROOT: 0}
        found = {}
        for number, anchor in enumerate(anchors, 1):
            if one := self._kept.get(anchor):
                head = None if one.head is None else numbers.get(one.head)
                if (head, one.label, one.tag) != (None, None, None):
                    found[number] = Correction(head, one.label, one.tag)
        return found

    def put(self, begin: int, spans: Spans, corrections: Corrections) -> None:
        """Set the corrections of the words of a sentence, in place of those that they had."""
        anchors = _anchors(begin, spans)
        for anchor in anchors:
            self._kept.pop(anchor, None)
        of_number = dict(enumerate(anchors, 1)) | {0: ROOT}
        for word, (head, label, tag) in corrections.items():
            self._kept[of_number[word]] = _Kept(None if head is None else of_number[head], label, tag)


def _anchors(begin: int, spans: Spans) -> list[Anchor]:
    """Return the anchors of the words of a sentence."""
    groups = (len([*group]) for _, group in groupby(spans))
    places = (place for size in groups for place in range(size))
    return [
        Anchor(begin + start, begin + end, place) for (start, end), place in zip(spans, places, strict=True)
    ]


def _after_edit(anchor: Anchor, start: int, end: int, length: int) -> Anchor | None:
    """Return where a word stands after an edit; None if the edit changed it."""
    if anchor == ROOT or anchor.end <= start:
        return anchor
    return anchor.moved(length - (end - start)) if end <= anchor.start else None


def merged(
    before: Corrections,
    heads: Mapping[int, int | None],
    labels: Mapping[int, str | None],
    tags: Mapping[int, str | None],
) -> dict[int, Correction]:
    """Return corrections with more decisions about words; null frees one again."""
    words = sorted({*before, *heads, *labels, *tags})
    open_word = Correction()
    found = {
        word: Correction(
            heads.get(word, before.get(word, open_word).head),
            labels.get(word, before.get(word, open_word).label),
            tags.get(word, before.get(word, open_word).tag),
        )
        for word in words
    }
    return {word: one for word, one in found.items() if one != open_word}
