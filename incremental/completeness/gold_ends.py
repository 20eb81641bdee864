"""Gold completeness of the prefixes of a sentence: where it may end, and where it does.

Sentences are used without punctuation, as spoken. A prefix *may end* if nothing in it needs a word to come:

1. The root's child is among its words, and so is the head of each of them.
2. No word in it has an upcoming child that it needs: a core argument, a part of the predicate, a word that
   marks a phrase, or one that makes up a name or a number with others, as listed in NEEDED.

Other upcoming words, such as adverbials, relative clauses, or further conjuncts, can be left out. So "she
left" may end in "she left when it rained", but "she said" not in "she said it rained". A verb that could do
without its object may not end before it in a sentence that has one: the answer for a prefix depends on its
sentence, and the same words may end in another. A whole sentence may end, and *ends*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from treewhile.incremental.treebanks.treebank import Sentence

PUNCTUATION: Final = "PUNCT"

# Relations whose heads are incomplete without them, without subtypes.
NEEDED: Final = frozenset(
    {
        *("nsubj", "csubj", "expl", "obj", "iobj", "ccomp", "xcomp"),
        *("aux", "cop"),
        *("case", "mark", "det", "clf"),
        *("fixed", "flat", "compound", "goeswith", "nummod"),
    }
)


class SaidSentence(NamedTuple):
    """Sentence without its punctuation: words, heads from 1 on, and relations."""

    forms: tuple[str, ...]
    heads: tuple[int | None, ...]
    labels: tuple[str, ...]

    @classmethod
    def of(cls, sentence: Sentence) -> SaidSentence:
        """Return the words of a sentence without punctuation; children of punctuation move to its head."""
        words, heads = sentence.words, sentence.heads
        kept = [number for number, word in enumerate(words, 1) if word.upos != PUNCTUATION]
        places = {0: 0, **{number: place for place, number in enumerate(kept, 1)}}
        found = [_head_among(places, heads, heads[number - 1]) for number in kept]
        labels = [words[number - 1].deprel for number in kept]
        return cls(tuple(words[number - 1].form for number in kept), tuple(found), tuple(labels))

    def may_end(self) -> list[bool]:
        """Return for each number of leading words whether the sentence may end after them."""
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
        """Return the words that each word needs: its head, and children."""
        needed = [[head] if head else [] for head in self.heads]
        for child, (head, label) in enumerate(zip(self.heads, self.labels, strict=True), 1):
            if head and label.partition(":")[0] in NEEDED:
                needed[head - 1].append(child)
        return needed


def _head_among(places: dict[int, int], heads: Sequence[int | None], head: int | None) -> int | None:
    """Return the new number of a head, or of its nearest kept ancestor; None if there is none."""
    passed: set[int] = set()
    while head is not None and head not in places:
        if head in passed:
            return None
        passed.add(head)
        head = heads[head - 1]
    return None if head is None else places[head]
