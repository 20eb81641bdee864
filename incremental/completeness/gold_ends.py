"""What is true of the prefixes of a sentence, by its gold tree: where it may end, and where it does.

Sentences are taken as they are said, without punctuation. A prefix *may end* where nothing that it has needs
a word to come:

1. The root's child is among its words, and so is the head of each of them.
2. No child to come hangs on one of them that it needs: a core argument, a part of the predicate, a word that
   marks a phrase, or one that makes up a name or a number with others, which NEEDED lists.

What else may follow, adverbials and relative clauses, say, or further conjuncts, can be left out. So "she
left" may end in "she left when it rained", but "she said" not in "she said it rained". A verb that could do
without its object may not end before it in a sentence that has one: what is true of a prefix is true of it in
its sentence, and the same words may end in another. A whole sentence may end, and *ends*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from treewhile.incremental.treebanks.treebank import Sentence

PUNCTUATION: Final = "PUNCT"

# Relations whose heads are not whole without them, less what follows a colon.
NEEDED: Final = frozenset(
    {
        *("nsubj", "csubj", "expl", "obj", "iobj", "ccomp", "xcomp"),
        *("aux", "cop"),
        *("case", "mark", "det", "clf"),
        *("fixed", "flat", "compound", "goeswith", "nummod"),
    }
)


class SaidSentence(NamedTuple):
    """A sentence without its punctuation: words, heads from 1 on, and relations."""

    forms: tuple[str, ...]
    heads: tuple[int | None, ...]
    labels: tuple[str, ...]

    @classmethod
    def of(cls, sentence: Sentence) -> SaidSentence:
        """The words of a sentence that are no punctuation; what hangs on that, hangs on what it hangs on."""
        words, heads = sentence.words, sentence.heads
        kept = [number for number, word in enumerate(words, 1) if word.upos != PUNCTUATION]
        places = {0: 0, **{number: place for place, number in enumerate(kept, 1)}}
        found = [_head_among(places, heads, heads[number - 1]) for number in kept]
        labels = [words[number - 1].deprel for number in kept]
        return cls(tuple(words[number - 1].form for number in kept), tuple(found), tuple(labels))

    def may_end(self) -> list[bool]:
        """Whether the first word may end it, the first two, and so on."""
        n = len(self.forms)
        roots = [word for word, head in enumerate(self.heads, 1) if head == 0]
        first = roots[0] if roots else n
        waited_for = [max(needed, default=0) for needed in self._needed()]
        found, furthest = [], 0
        for t in range(1, n + 1):
            furthest = max(furthest, waited_for[t - 1])
            found.append(t == n or (first <= t and furthest <= t))
        return found

    def _needed(self) -> list[list[int]]:
        """The words that each word needs: its head, and children."""
        needed = [[head] if head else [] for head in self.heads]
        for child, (head, label) in enumerate(zip(self.heads, self.labels, strict=True), 1):
            if head and label.partition(":")[0] in NEEDED:
                needed[head - 1].append(child)
        return needed


def _head_among(places: dict[int, int], heads: Sequence[int | None], head: int | None) -> int | None:
    """The place of a head, or of the nearest one above it that has a place; None if there is none."""
    passed: set[int] = set()
    while head is not None and head not in places:
        if head in passed:
            return None
        passed.add(head)
        head = heads[head - 1]
    return None if head is None else places[head]
