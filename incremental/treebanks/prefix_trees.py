"""Gold trees for the prefixes of a sentence, with virtual nodes for words that are still expected.

After Beuck, Köhn & Menzel: a prefix of t words keeps its words and the edges among them. An upcoming word
gets a *virtual node*, which keeps only its tag, if it is the head of a kept word:

    Peter drives a very | fast red car        root -> drives -nsubj-> Peter
                                                      drives -obj-> [NOUN] -det-> a
                                                                    [NOUN] -amod-> [ADJ] -advmod-> very

and if the paths up from two virtual nodes meet at it, which happens only with crossing edges. All other
upcoming words are skipped: chains are collapsed to the nodes that kept words need. The rules:

1. The *stock* is the list of virtual nodes: it has the tag of each place, in fixed order. Within a tag the
   head of the most kept words has the first claim, then the nearest; meeting points come last. Among the
   words that have a place, the nearest one takes the first place of its tag.
2. A kept word whose head has come, or is the root, keeps its head; otherwise it gets its head's virtual node;
   if that has no place, LATER: the head is still to come, and not predicted.
3. The head of a virtual node is the root if its word's is, otherwise the nearest ancestor that was kept or
   has a place. If others are skipped its label is that of the topmost of them, whose slot it fills: in "Peter
   drives very | fast cars" the [ADJ] is the object. If they go up to the root, its head is LATER: the root's
   child is another word than this.
4. A node on LATER has the label that it will have. An unknown head (None) stays unknown, and so does that of
   a virtual node below it. The head of an unneeded place is UNUSED, and such a place has no children.

With enough places the tree of a sentence with one root is connected: at most one node has the head LATER. For
t = 0 and t = n all places are unused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations
from typing import Final

import numpy as np

from treewhile.incremental.treebanks.projectivized_treebank import complaints_placed
from treewhile.incremental.treebanks.treebank import Sentence, Word
from treewhile.oracles.errors import InputError
from treewhile.oracles.references import as_heads, as_reference

# Heads LATER and UNUSED, which have no node number here. -1 is reserved for kernels, as an unknown head.
ON_LATER: Final = -2
ON_UNUSED: Final = -3

# More nodes help a decoder little, and each quadruples the time of the search for a stock.
LARGEST_STOCK = 6

# More tags than UPOS has would make that search too long; rarer ones are not worth a node.
MOST_TAGS = 17

ENOUGH = 0.9  # share of prefixes that must fit into a stock

Stock = tuple[str, ...]  # tag of every place
Needs = Counter[Stock]  # number of prefixes, by the tags of virtual nodes that they need


@dataclass(frozen=True, slots=True)
class GoldTree:
    """Checked tree or forest: for each word its head (0 is the root, None unknown), tag and label."""

    heads: Sequence[int | None]
    tags: Sequence[str]
    labels: Sequence[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "heads", tuple(as_heads(as_reference(self.heads).heads)))
        for name in ("tags", "labels"):
            column = tuple(getattr(self, name))
            object.__setattr__(self, name, column)
            if len(column) != self.n:
                raise InputError(f"there are {self.n} heads but {len(column)} {name}: give one for each word")

    @classmethod
    def of(cls, sentence: Sentence) -> GoldTree:
        """Return the tree in the columns HEAD, UPOS and DEPREL."""
        with complaints_placed(sentence):
            return cls.of_words(sentence.words)

    @classmethod
    def of_words(cls, words: Sequence[Word]) -> GoldTree:
        """Return the tree in the columns of words, whose heads are numbers or `_`."""
        heads = [None if word.head == "_" else int(word.head) for word in words]
        return cls(heads, [word.upos for word in words], [word.deprel for word in words])

    @property
    def n(self) -> int:
        return len(self.heads)


@dataclass(frozen=True, slots=True)
class PrefixTree:
    """Tree of a prefix: nodes 1 to t are its words, t + 1 and on the places of the stock.

    `heads[node - 1]` is a node, 0 for the root, ON_LATER, ON_UNUSED, or None if the gold head is unknown;
    `labels[node - 1]` is None for an unused place. `stands_for[place]` is the gold word, if any.
    """

    stock: Stock
    heads: tuple[int | None, ...]
    labels: tuple[str | None, ...]
    stands_for: tuple[int | None, ...]

    @property
    def t(self) -> int:
        return len(self.heads) - len(self.stock)


def prefix_tree(gold: GoldTree, t: int, stock: Sequence[str]) -> PrefixTree:
    """Return the tree of the first t words by the rules above. O(t), plus O(n) for each virtual node."""
    if not 0 <= t <= gold.n:
        raise InputError(f"there is no prefix of {t} words: give a number from 0 to {gold.n}, the last word")
    waiting = _waiting(gold, t)
    nodes = _virtual_nodes(gold, t, stock, waiting)
    heads, labels = [*gold.heads[:t], *[ON_UNUSED] * len(stock)], [*gold.labels[:t], *[None] * len(stock)]
    stands_for: list[int | None] = [None] * len(stock)
    for head, words in waiting.items():
        for word in words:
            heads[word - 1] = nodes.get(head, ON_LATER)
    for word, node in nodes.items():
        heads[node - 1], labels[node - 1] = _attachment(gold, t, word, nodes)
        stands_for[node - t - 1] = word
    return PrefixTree(tuple(stock), tuple(heads), tuple(labels), tuple(stands_for))


def _waiting(gold: GoldTree, t: int) -> dict[int, list[int]]:
    """Return the kept children of each upcoming word that has any."""
    waiting: dict[int, list[int]] = {}
    for word, head in enumerate(gold.heads[:t], 1):
        if head is not None and head > t:
            waiting.setdefault(head, []).append(word)
    return waiting


def _virtual_nodes(
    gold: GoldTree, t: int, stock: Sequence[str], waiting: dict[int, list[int]]
) -> dict[int, int]:
    """Return the node of each word that has a place."""
    free = Counter(stock)
    claims = sorted(waiting, key=lambda word: (-len(waiting[word]), word))
    words = _admitted(gold, claims, free)
    words += _admitted(gold, sorted(_meetings(gold, t, words)), free)
    places: dict[str, list[int]] = {}
    for node, tag in enumerate(stock, t + 1):
        places.setdefault(tag, []).append(node)
    return {word: places[gold.tags[word - 1]].pop(0) for word in sorted(words)}


def _admitted(gold: GoldTree, claims: Iterable[int], free: Counter[str]) -> list[int]:
    """Return the words that find a free place of their tag, and occupy it."""
    admitted = []
    for word in claims:
        if free[gold.tags[word - 1]] > 0:
            free[gold.tags[word - 1]] -= 1
            admitted.append(word)
    return admitted


def _meetings(gold: GoldTree, t: int, words: Iterable[int]) -> set[int]:
    """Return the further upcoming words at which the paths up from two of the given ones first meet."""
    seen, met = set(words), set()
    for word in words:
        for above in _upcoming_above(gold, t, word):
            if above in seen:
                met.add(above)
                break
            seen.add(above)
    return met.difference(words)


def _attachment(gold: GoldTree, t: int, word: int, nodes: dict[int, int]) -> tuple[int | None, str]:
    """Return the head and the label of the virtual node of a word (rule 3)."""
    topmost = word
    for above in _upcoming_above(gold, t, word):
        if above in nodes:
            return nodes[above], gold.labels[topmost - 1]
        topmost = above
    head = gold.heads[topmost - 1]
    if head or topmost == word:
        return head, gold.labels[topmost - 1]
    return (head if head is None else ON_LATER), gold.labels[word - 1]


def _upcoming_above(gold: GoldTree, t: int, word: int) -> Iterator[int]:
    """Yield the upcoming words on the path up from a word, the nearest first."""
    head = gold.heads[word - 1]
    while head is not None and head > t:
        yield head
        head = gold.heads[head - 1]


def stock_of(trees: Iterable[GoldTree], share: float = ENOUGH) -> Stock:
    """Return the smallest stock with places for all virtual nodes of at least this share of the prefixes.

    The smallest has the fewest nodes; on ties the one into which the most prefixes fit, then the first in
    alphabetical order. Its order is the one in which the most prefixes have their upcoming words.
    """
    stock, reached = _grown_stock(needs_of(trees), share)
    if reached < share:
        most = f"{reached:.1%} of the prefixes fit into {LARGEST_STOCK} virtual nodes"
        raise InputError(f"no stock is large enough for {share:.1%}: ask for less, {most}")
    return stock


def best_stock_of(trees: Iterable[GoldTree]) -> Stock:
    """Return the smallest stock that is large enough for most prefixes, or the best of the largest."""
    return _grown_stock(needs_of(trees), ENOUGH)[0]


def _grown_stock(needs: Needs, share: float) -> tuple[Stock, float]:
    """Return the smallest stock for this share, or the best of the largest; and the share that fits."""
    stock: Stock = ()
    for size in range(LARGEST_STOCK + 1):
        stock = best_stock(needs, size)
        if share_that_fits(needs, stock) >= share:
            break
    return stock, share_that_fits(needs, stock)


def needs_of(trees: Iterable[GoldTree]) -> Needs:
    """Return the number of prefixes, t from 1 to n, by the tags of virtual nodes that they need."""
    needs = Counter(_need(gold, t) for gold in trees for t in range(1, gold.n + 1))
    if not needs:
        raise InputError("the treebank has no words: a stock is read off its prefixes")
    return needs


def _need(gold: GoldTree, t: int) -> Stock:
    waiting = _waiting(gold, t)
    return tuple(gold.tags[word - 1] for word in sorted({*waiting, *_meetings(gold, t, waiting)}))


def share_that_fits(needs: Needs, stock: Stock) -> float:
    """Return the share of prefixes whose virtual nodes all have a place."""
    places = Counter(stock)
    return sum(count for need, count in needs.items() if Counter(need) <= places) / needs.total()


def best_stock(needs: Needs, size: int) -> Stock:
    """Return the stock of this size into which the most prefixes fit, by trying all usual tags."""
    tags = _usual_tags(needs)
    needed = np.array([[need.count(tag) for tag in tags] for need in needs])  # [need, tag]
    prefixes = np.array([*needs.values()])  # [need]

    def fitting(stock: Stock) -> int:
        return int(prefixes[(needed <= [stock.count(tag) for tag in tags]).all(axis=1)].sum())

    best = max(combinations_with_replacement(tags, size), key=fitting, default=())
    return _best_order(needs, best)


def _usual_tags(needs: Needs) -> list[str]:
    """Return the tags that the most prefixes need, in alphabetical order."""
    counts: Counter[str] = Counter()
    for need, count in needs.items():
        counts.update(dict.fromkeys(need, count))
    usual = sorted(counts, key=lambda tag: (-counts[tag], tag))[:MOST_TAGS]
    return sorted(usual)


def _best_order(needs: Needs, stock: Stock) -> Stock:
    """Return the stock in the order in which the most prefixes have the words that they need."""

    def in_order(places: Stock) -> int:
        return sum(count for need, count in needs.items() if _is_subsequence(need, places))

    return max(sorted(set(permutations(stock))), key=in_order)


def _is_subsequence(need: Stock, places: Stock) -> bool:
    remaining = iter(places)
    return all(tag in remaining for tag in need)
