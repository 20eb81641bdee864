"""Sentences written for these tests and drawn by hand; then any trees, against the definition."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import FrozenInstanceError
from itertools import combinations_with_replacement, permutations
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewhile.incremental import read_sentences
from treewhile.incremental.treebanks.prefix_trees import (
    LARGEST_STOCK,
    ON_LATER,
    ON_UNUSED,
    GoldTree,
    PrefixTree,
    Stock,
    best_stock,
    best_stock_of,
    needs_of,
    prefix_tree,
    share_that_fits,
    stock_of,
)
from treewhile.oracles import InputError

# --- drawn by hand ------------------------------------------------------------------------------------------

# Title, words as form/tag/head/label, stock; then for a t the edges of its tree in the order of the nodes.
VECTORS = """
upcoming heads of kept words become virtual nodes
I/PRON/2/nsubj drive/VERB/0/root a/DET/7/det very/ADV/5/advmod fast/ADJ/7/amod new/ADJ/7/amod car/NOUN/2/obj
stock: ADJ NOUN VERB
---
0:
1: [VERB drive] -nsubj-> I; root -root-> [VERB drive]
2: drive -nsubj-> I; root -root-> drive
3: drive -nsubj-> I; root -root-> drive; [NOUN car] -det-> a; drive -obj-> [NOUN car]
4: drive -nsubj-> I; root -root-> drive; [NOUN car] -det-> a; [ADJ fast] -advmod-> very;
   [NOUN car] -amod-> [ADJ fast]; drive -obj-> [NOUN car]
5: drive -nsubj-> I; root -root-> drive; [NOUN car] -det-> a; fast -advmod-> very;
   [NOUN car] -amod-> fast; drive -obj-> [NOUN car]
7: drive -nsubj-> I; root -root-> drive; car -det-> a; fast -advmod-> very;
   car -amod-> fast; car -amod-> new; drive -obj-> car

a word that carries nothing is passed over, and its label goes to the one that takes its slot
Ann/PROPN/2/nsubj drives/VERB/0/root very/ADV/4/advmod fast/ADJ/5/amod cars/NOUN/2/obj
stock: ADJ NOUN
---
3: drives -nsubj-> Ann; root -root-> drives; [ADJ fast] -advmod-> very; drives -obj-> [ADJ fast]

of several words passed over the topmost gives the label
We/PRON/2/nsubj thought/VERB/0/root the/DET/4/det dog/NOUN/5/nmod owner/NOUN/6/nsubj came/VERB/2/ccomp
stock: NOUN VERB
---
3: thought -nsubj-> We; root -root-> thought; [NOUN dog] -det-> the; thought -ccomp-> [NOUN dog]

below the root nothing takes the slot of a word passed over: the head comes later
The/DET/2/det dog/NOUN/3/nsubj barks/VERB/0/root
stock: NOUN VERB
---
1: [NOUN dog] -det-> The; later -nsubj-> [NOUN dog]
2: dog -det-> The; [VERB barks] -nsubj-> dog; root -root-> [VERB barks]

what finds no place is later, and what hangs on it passes over it where a word above was kept
He/PRON/2/nsubj says/VERB/0/root that/SCONJ/6/mark the/DET/5/det dog/NOUN/6/nsubj barks/VERB/2/ccomp
stock: NOUN
---
1: later -nsubj-> He
4: says -nsubj-> He; root -root-> says; later -mark-> that; [NOUN dog] -det-> the;
   says -ccomp-> [NOUN dog]

the word on which the most kept words hang comes first, whether it is near or not
the/DET/5/det old/ADJ/5/amod two/NUM/4/nummod years/NOUN/5/nmod owner/NOUN/0/root
stock: NOUN
---
3: [NOUN owner] -det-> the; [NOUN owner] -amod-> old; later -nummod-> two; root -root-> [NOUN owner]

of words that carry as much the nearest comes first
the/DET/4/det two/NUM/3/nummod years/NOUN/4/nmod owner/NOUN/0/root
stock: NOUN
---
2: later -det-> the; [NOUN years] -nummod-> two; later -nmod-> [NOUN years]

the nearest takes the first place of its tag, wherever that stands
the/DET/5/det old/ADJ/5/amod two/NUM/4/nummod years/NOUN/5/nmod owner/NOUN/0/root
stock: NOUN VERB NOUN NOUN
---
3: [NOUN owner] -det-> the; [NOUN owner] -amod-> old; [NOUN years] -nummod-> two;
   [NOUN owner] -nmod-> [NOUN years]; root -root-> [NOUN owner]

where edges cross, two ways up can meet at a word that has a place for that alone
a/X/3/l1 b/X/4/l2 c/N/5/l3 d/N/5/l4 e/V/6/l5 f/V/0/l6
stock: N N V
---
2: [N c] -l1-> a; [N d] -l2-> b; [V e] -l3-> [N c]; [V e] -l4-> [N d]; later -l5-> [V e]

without a place for it both are later
a/X/3/l1 b/X/4/l2 c/N/5/l3 d/N/5/l4 e/V/0/l5
stock: N N
---
2: [N c] -l1-> a; [N d] -l2-> b; later -l3-> [N c]; later -l4-> [N d]

ways that meet have the last claim
a/X/5/l1 b/X/6/l2 c/X/7/l3 d/X/0/l4 e/N/8/l5 f/N/8/l6 g/V/4/l7 h/V/4/l8
stock: N N V
---
4: [N e] -l1-> a; [N f] -l2-> b; [V g] -l3-> c; root -l4-> d; d -l8-> [N e]; d -l8-> [N f]; d -l7-> [V g]

unknown heads stay unknown, below them too
a/X/3/l1 b/X/_/l2 c/N/4/l3 d/N/_/l4
stock: N
---
2: [N c] -l1-> a; ? -l2-> b; ? -l3-> [N c]
4: c -l1-> a; ? -l2-> b; d -l3-> c; ? -l4-> d

several words may be under the root
a/X/2/l1 b/N/0/l2 c/X/4/l3 d/N/0/l4
stock: N
---
1: [N b] -l1-> a; root -l2-> [N b]
3: b -l1-> a; root -l2-> b; [N d] -l3-> c; root -l4-> [N d]
"""


def vectors() -> list[Any]:
    blocks = [block.strip().split("\n", 3) for block in VECTORS.split("\n\n")]
    return [
        pytest.param(words, stock.split()[1:], expected[4:], id=title)
        for title, words, stock, expected in blocks
    ]


@pytest.mark.parametrize(("words", "stock", "expected"), vectors())
def test_a_prefix_has_the_tree_that_was_drawn_for_it(words: str, stock: list[str], expected: str) -> None:
    forms, tags, heads, labels = zip(*(word.split("/") for word in words.split()), strict=True)
    gold = GoldTree([None if head == "_" else int(head) for head in heads], tags, labels)
    for line in expected.replace("\n   ", " ").splitlines():
        t, _, edges = line.partition(":")
        assert drawn(prefix_tree(gold, int(t), stock), forms) == edges.strip()


def drawn(tree: PrefixTree, forms: Sequence[str]) -> str:
    places = zip(tree.stock, tree.stands_for, strict=True)
    virtual = [f"[{tag} {forms[word - 1]}]" if word else "unused" for tag, word in places]
    names: dict[int | None, str] = dict(enumerate(["root", *forms[: tree.t], *virtual]))
    names |= {None: "?", ON_LATER: "later"}
    edges = enumerate(zip(tree.heads, tree.labels, strict=True), 1)
    return "; ".join(
        f"{names[head]} -{label}-> {names[n]}" for n, (head, label) in edges if head != ON_UNUSED
    )


# --- any trees ----------------------------------------------------------------------------------------------

TAGS = "NVA"
Prefix = tuple[GoldTree, int]
Edges = dict[int, tuple[int | None, str | None]]


def random_tree(rng: Random, whole: bool = False) -> GoldTree:
    """Words hang on one of the three drawn before them, so that chains are long; labels tell words apart.

    A whole tree has one root and no unknown heads.
    """
    n = rng.randint(2, 12)
    order = rng.sample(range(1, n + 1), n)
    heads: dict[int, int | None] = {order[0]: 0}
    for at in range(1, n):
        outside = [None, 0] if not whole and rng.random() < 0.2 else []
        heads[order[at]] = rng.choice(outside or order[max(0, at - 3) : at])
    words = range(1, n + 1)
    return GoldTree([heads[word] for word in words], rng.choices(TAGS, k=n), [f"l{word}" for word in words])


def random_prefix(rng: Random, whole: bool = False) -> Prefix:
    gold = random_tree(rng, whole)
    return gold, rng.randint(1, gold.n - 1)


# Orders that hypothesis draws itself are close to the natural one, and edges hardly cross.
rngs = st.integers(0, 2**32).map(Random)
gold_trees = rngs.map(random_tree)
prefixes = rngs.map(random_prefix)
stocks = rngs.map(lambda rng: tuple(rng.choices(TAGS, k=rng.randint(0, 8))))


def ample(gold: GoldTree) -> Stock:
    return tuple(TAGS) * gold.n


def edges_of(tree: PrefixTree) -> Edges:
    """Head and label of each gold word that is in the tree, with gold words for virtual nodes."""
    gold_word = dict(enumerate([*range(tree.t + 1), *tree.stands_for])) | {ON_LATER: ON_LATER}
    return {
        gold_word[node] or 0: (head if head is None else gold_word[head], label)
        for node, (head, label) in enumerate(zip(tree.heads, tree.labels, strict=True), 1)
        if head != ON_UNUSED
    }


def children_of(tree: PrefixTree, node: int) -> list[int]:
    return [child for child, head in enumerate(tree.heads, 1) if head == node]


def folded(gold: GoldTree, t: int) -> Edges:
    """The definition: all words above kept ones, then empty links are taken out of chains one by one."""
    edges: Edges = {}
    for word in range(1, t + 1):
        node: int | None = word
        while node:
            edges[node] = gold.heads[node - 1], gold.labels[node - 1]
            node = gold.heads[node - 1]
    while links := [word for word in edges if word > t and is_link(children_in(edges, word), t)]:
        link = links[-1]
        (child,) = children_in(edges, link)
        head, label = edges.pop(link)
        is_node = head is not None and head > 0
        edges[child] = ON_LATER if head == 0 else head, label if is_node else gold.labels[child - 1]
    return edges


def children_in(edges: Edges, word: int) -> list[int]:
    return [child for child, (head, _) in edges.items() if head == word]


def is_link(children: list[int], t: int) -> bool:
    return len(children) == 1 and children[0] > t


@given(prefixes)
def test_with_places_for_all_the_tree_is_that_of_the_definition(prefix: Prefix) -> None:
    gold, t = prefix
    assert edges_of(prefix_tree(gold, t, ample(gold))) == folded(gold, t)


@given(gold_trees, stocks)
def test_the_full_prefix_is_the_gold_tree_and_the_empty_one_is_empty(gold: GoldTree, stock: Stock) -> None:
    unused = (ON_UNUSED,) * len(stock)
    nothing = (None,) * len(stock)
    full = prefix_tree(gold, gold.n, stock)
    assert full == PrefixTree(stock, (*gold.heads, *unused), (*gold.labels, *nothing), nothing)
    assert prefix_tree(gold, 0, stock) == PrefixTree(stock, unused, nothing, nothing)


@given(prefixes, stocks)
def test_every_node_in_use_leads_up_out_of_the_tree(prefix: Prefix, stock: Stock) -> None:
    gold, t = prefix
    tree = prefix_tree(gold, t, stock)
    for start in range(1, len(tree.heads) + 1):
        node: int | None = start
        for _ in tree.heads:
            node = tree.heads[node - 1] if node is not None and node > 0 else node
        assert node in ((ON_UNUSED,) if tree.heads[start - 1] == ON_UNUSED else (0, ON_LATER, None))


@given(prefixes, stocks)
def test_kept_words_hang_on_their_gold_heads_or_later(prefix: Prefix, stock: Stock) -> None:
    gold, t = prefix
    tree = prefix_tree(gold, t, stock)
    edges = edges_of(tree)
    for word in range(1, tree.t + 1):
        head = gold.heads[word - 1]
        has_come = head is None or head <= tree.t or head in tree.stands_for
        assert edges[word] == (head if has_come else ON_LATER, gold.labels[word - 1])


@given(prefixes, stocks)
def test_a_place_is_used_for_a_word_of_its_tag_that_carries_something(prefix: Prefix, stock: Stock) -> None:
    gold, t = prefix
    tree = prefix_tree(gold, t, stock)
    assert tree.stock == stock
    assert tree.t + len(stock) == len(tree.heads) == len(tree.labels)
    for node, (tag, word) in enumerate(zip(stock, tree.stands_for, strict=True), tree.t + 1):
        children = children_of(tree, node)
        if word is None:
            assert (tree.heads[node - 1], tree.labels[node - 1], children) == (ON_UNUSED, None, [])
        else:
            assert word > tree.t
            assert gold.tags[word - 1] == tag
            assert len(children) > 1 or min(children) <= tree.t  # and so no chain is empty


@given(prefixes, stocks)
def test_a_virtual_node_under_the_root_has_a_word_below_it(prefix: Prefix, stock: Stock) -> None:
    gold, t = prefix
    tree = prefix_tree(gold, t, stock)
    for node in children_of(tree, 0):
        reached = [node]
        for above in reached:
            reached += children_of(tree, above)
        assert min(reached) <= tree.t
        assert gold.heads[(node if node <= tree.t else tree.stands_for[node - tree.t - 1] or 0) - 1] == 0


@given(prefixes, stocks)
def test_places_of_a_tag_are_taken_in_the_order_of_the_words(prefix: Prefix, stock: Stock) -> None:
    gold, t = prefix
    tree = prefix_tree(gold, t, stock)
    for tag in TAGS:
        words = [word for place, word in zip(stock, tree.stands_for, strict=True) if place == tag]
        assert words == sorted(words, key=lambda word: word or gold.n + 1)


@given(prefixes, stocks)
def test_as_few_words_as_the_stock_allows_are_later(prefix: Prefix, stock: Stock) -> None:
    gold, t = prefix
    tree = prefix_tree(gold, t, stock)
    carried = Counter(head for head in gold.heads[: tree.t] if head is not None and head > tree.t)
    fewest = 0
    for tag in TAGS:
        loads = sorted(load for head, load in carried.items() if gold.tags[head - 1] == tag)
        fewest += sum(loads[: max(0, len(loads) - stock.count(tag))])
    assert tree.heads[: tree.t].count(ON_LATER) == fewest


# --- stocks -------------------------------------------------------------------------------------------------


@given(st.lists(gold_trees, min_size=1, max_size=4), st.integers(0, 3))
def test_the_best_stock_is_the_best_of_all(trees: list[GoldTree], size: int) -> None:
    needs = needs_of(trees)
    tags = sorted({tag for need in needs for tag in need})
    shares = [share_that_fits(needs, stock) for stock in combinations_with_replacement(tags, size)]
    best = best_stock(needs, size)
    assert len(best) == size or not tags
    assert share_that_fits(needs, best) == max(shares, default=1)
    assert share_in_order(trees, best) == max(share_in_order(trees, order) for order in permutations(best))


def share_in_order(trees: list[GoldTree], stock: Stock) -> float:
    """The share of prefixes for which every needed word takes a place after those before it."""
    in_order = []
    for gold in trees:
        for t in range(1, gold.n + 1):
            words = sorted(word for word in edges_of(prefix_tree(gold, t, ample(gold))) if word > t)
            places = iter(stock)
            in_order.append(all(gold.tags[word - 1] in places for word in words))
    return sum(in_order) / len(in_order)


@given(st.lists(gold_trees, min_size=1, max_size=4), stocks)
def test_a_prefix_fits_if_its_tree_is_the_one_with_places_for_all(
    trees: list[GoldTree], stock: Stock
) -> None:
    fits = [
        edges_of(prefix_tree(gold, t, stock)) == edges_of(prefix_tree(gold, t, ample(gold)))
        for gold in trees
        for t in range(1, gold.n + 1)
    ]
    assert share_that_fits(needs_of(trees), stock) == sum(fits) / len(fits)


@given(st.lists(gold_trees, min_size=1, max_size=4), st.sampled_from([0.3, 0.5, 0.7]))
def test_no_smaller_stock_reaches_the_share(trees: list[GoldTree], share: float) -> None:
    needs = needs_of(trees)
    stock = stock_of(trees, share)
    assert share_that_fits(needs, stock) >= share
    assert not stock or share_that_fits(needs, best_stock(needs, len(stock) - 1)) < share


def test_a_stock_is_in_the_order_in_which_words_come() -> None:
    dog = GoldTree([2, 3, 0], ["DET", "NOUN", "VERB"], ["det", "nsubj", "root"])
    old_dog = GoldTree([5, 3, 4, 5, 0], ["ADV", "DET", "NOUN", "NOUN", "VERB"], list("abcde"))
    assert needs_of([dog]) == {("NOUN",): 1, ("VERB",): 1, (): 1}
    assert needs_of([old_dog]) == {("VERB",): 1 + 1, ("NOUN", "VERB"): 2, (): 1}
    assert stock_of([dog, old_dog]) == ("NOUN", "VERB")
    assert stock_of([dog, old_dog], share=0.2) == ()


# --- values and bad input -----------------------------------------------------------------------------------


def test_trees_are_values() -> None:
    heads: Any = [2, 0]
    gold = GoldTree(heads, ["DET", "NOUN"], ["det", "root"])
    heads[0] = 0
    assert gold == GoldTree((2, 0), ("DET", "NOUN"), ("det", "root"))
    assert len({prefix_tree(gold, 1, ["NOUN"]), prefix_tree(gold, 1, ("NOUN",))}) == 1
    with pytest.raises(FrozenInstanceError):
        gold.heads = ()  # type: ignore[misc]


def sentence_with_heads(*heads: str) -> io.BytesIO:
    rows = [f"{id_}\tx\tx\tDET\t_\t_\t{head}\tdet:x\t_\t_\n" for id_, head in enumerate(heads, 1)]
    return io.BytesIO("".join([*rows, "\n"]).encode())


def test_a_sentence_gives_heads_upos_and_deprel() -> None:
    (sentence,) = read_sentences(sentence_with_heads("2", "_"))
    assert GoldTree.of(sentence) == GoldTree([2, None], ["DET"] * 2, ["det:x"] * 2)


def test_a_circle_in_a_sentence_is_told_with_its_place() -> None:
    (sentence,) = read_sentences(sentence_with_heads("2", "1"))
    with pytest.raises(InputError, match=r"circle: .* in the sentence at the given stream:1, column HEAD$"):
        GoldTree.of(sentence)


@pytest.mark.parametrize(
    ("heads", "tags", "labels", "complaint"),
    [
        ([2, 1], "NN", "ab", "circle: "),
        ([0, 3], "NN", "ab", "head of word 2 is 3"),
        ([0, "1"], "NN", "ab", "head of word 1 is '0'|head of word 2 is '1'"),
        ([0, 1], "N", "ab", "there are 2 heads but 1 tags: give one for each word"),
        ([0, 1], "NN", "abc", "there are 2 heads but 3 labels"),
    ],
)
def test_what_is_no_tree_is_refused_by_word(heads: Any, tags: str, labels: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        GoldTree(heads, tags, labels)


@pytest.mark.parametrize("t", [-1, 3])
def test_a_prefix_is_no_longer_than_its_sentence(t: int) -> None:
    with pytest.raises(InputError, match=f"no prefix of {t} words: give a number from 0 to 2"):
        prefix_tree(GoldTree([0, 1], "NN", "ab"), t, ())


@pytest.mark.parametrize("trees", [[], [GoldTree([], [], [])]])
def test_a_stock_needs_words_to_be_read_off(trees: list[GoldTree]) -> None:
    with pytest.raises(InputError, match="the treebank has no words"):
        stock_of(trees)


def test_a_share_that_no_small_stock_reaches_is_refused_with_what_can_be_reached() -> None:
    heads = [*range(8, 15), *range(9, 15), 0, 14]  # seven words wait for seven words at once
    gold = GoldTree(heads, "ABCDEFGHIJKLMNO"[: len(heads)], ["x"] * len(heads))
    with pytest.raises(InputError, match=r"for 100.0%: ask for less, \d\d\.\d% .* fit into 6 virtual nodes"):
        stock_of([gold], share=1)


def test_where_no_stock_is_large_enough_a_model_takes_the_best_of_the_largest() -> None:
    n = 40  # every word hangs on the word that mirrors it, so half of the prefixes need many nodes
    heads = [n + 1 - word for word in range(1, n // 2 + 1)] + [
        word - 1 if word > n // 2 + 1 else 0 for word in range(n // 2 + 1, n + 1)
    ]
    gold = GoldTree(heads, ["A"] * n, ["x"] * n)
    with pytest.raises(InputError, match="no stock is large enough"):
        stock_of([gold])
    assert best_stock_of([gold]) == ("A",) * LARGEST_STOCK


def test_of_very_many_tags_the_usual_ones_are_tried() -> None:
    trees = [GoldTree([2, 0], ["X", f"T{number:02}"], ["x", "root"]) for number in range(60)]
    usual = [GoldTree([2, 0], ["X", "T59"], ["x", "root"])] * 5
    assert best_stock(needs_of([*trees, *usual]), 1) == ("T59",)
