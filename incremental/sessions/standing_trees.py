"""Shown analysis of a sentence at once when its words change, based on the previous one.

Mostly words are added at the end: the arcs of the others stay, and the new words get those of the committed
parse. A word that is being typed changes with every letter, and its first letters mean little: so all arcs
stay as they are, and a new word takes the place of a virtual node with its tag, or waits. An exception are
nouns: before a noun come words that look like one as long as they are typed, so in every tenth word arcs
would change and change back, instead of every thirtieth (tests/benchmarks/bench_letters.py).

If a model's trees may have crossing edges, a combination of two trees stays in their class: a new word whose
arc would leave the class waits for its head. If they are projective, arcs of the committed parse may cross
old ones until L1 has finished, and other arcs are used only if they cross none.

Constituents are carried to the current words. One without remaining words is dropped; one that has lost the
words up to the end of the sentence becomes open. Open ones include new words; ended ones do not, except one
over all words: new words open it again. In a whole sentence none is open.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Final, TypeAlias

from treewhile.incremental.parsers.analyses import Analysis, Decision, ExpectedWord
from treewhile.incremental.parsers.committed_parses import UNATTACHED
from treewhile.incremental.parsers.nodes import LATER, Head
from treewhile.incremental.parsers.tree_decoding import PROJECTIVE, is_prefix_in_class
from treewhile.incremental.search import Conflict
from treewhile.incremental.sessions.document_parses import common_length
from treewhile.oracles.constituents.phrase_trees import Constituent

NOUN: Final = "NOUN"
NO_FEATURES: Final = "_"

Column: TypeAlias = Sequence[str | None]
LemmaColumns: TypeAlias = tuple[Column, Column]  # lemma and XPOS of each word; None if not known
RatedAnalysis: TypeAlias = tuple[Analysis, tuple[float | None, ...]]  # with the confidence of each word


def alike_length(before: Sequence[str], after: Sequence[str]) -> int:
    """Return the number of leading words that are equal up to capital letters."""
    return common_length([*map(str.casefold, before)], [*map(str.casefold, after)])


def first_words(rated: RatedAnalysis, t: int) -> RatedAnalysis:
    """Return the analysis of the first t words; arcs from removed heads become LATER."""
    analysis, confidences = rated
    if t == len(analysis.words):
        return rated
    heads: tuple[Head, ...] = tuple(
        head if isinstance(head, int) and head <= t else LATER for head in analysis.heads[:t]
    )
    words, tags, features = analysis.words[:t], analysis.tags[:t], analysis.features[:t]
    return Analysis(words, tags, features, heads, analysis.labels[:t]), confidences[:t]


def with_waiting(rated: RatedAnalysis, word: str, tag: str) -> RatedAnalysis:
    """Return the analysis with one more word, of which only a tag is known."""
    analysis, confidences = rated
    longer = Analysis(
        (*analysis.words, word),
        (*analysis.tags, tag),
        (*analysis.features, NO_FEATURES),
        (*analysis.heads, LATER),
        (*analysis.labels, UNATTACHED),
        analysis.expected,
    )
    return longer, (*confidences, None)


def joined(before: RatedAnalysis, committed: RatedAnalysis, trees: str = PROJECTIVE) -> RatedAnalysis:
    """Return the old analysis of the first words joined to the committed one of the others."""
    (old, old_confidences), (new, confidences) = before, committed
    t = len(old.words)
    if not t and not old.expected:
        return committed
    analysis = Analysis(
        new.words,
        old.tags + new.tags[t:],
        old.features + new.features[t:],
        old.heads + new.heads[t:],
        old.labels + new.labels[t:],
        old.expected,
    )
    return _in_class(trees, analysis, range(t, len(new.words))), old_confidences + confidences[t:]


def _in_class(trees: str, analysis: Analysis, new: Collection[int]) -> Analysis:
    """Return the analysis; new words, counted from 0, wait if their arcs would leave the class."""
    if trees == PROJECTIVE or is_prefix_in_class(trees, analysis.heads):
        return analysis
    heads = (LATER if word in new else head for word, head in enumerate(analysis.heads))
    return replace(analysis, heads=tuple(heads))


def carried(
    shown: RatedAnalysis, committed: RatedAnalysis, trees: str = PROJECTIVE, binds: bool = True
) -> RatedAnalysis:
    """Return the shown analysis, carried to the current words while one of them is being typed.

    Words that are new, or that waited to be attached, get their committed arcs; a new last one may take the
    place of a virtual node, if it `binds`.
    """
    (old, old_confidences), (new, confidences) = shown, committed
    if len(old.words) == len(new.words):
        return _carried_in_place(shown, committed, trees)
    places = places_before(old.words, new.words)
    bound = _bound(old, new, places) if binds else None
    numbers: dict[Head, Head] = {
        0: 0,
        **{place + 1: number for number, place in enumerate(places, 1) if place is not None},
        **({bound.node: len(places)} if bound else {}),
    }
    stand = [None if place is None or old.labels[place] == UNATTACHED else place for place in places]
    decisions = [
        Decision(_renumbered(old.heads[place], numbers), old.labels[place])
        if place is not None
        else _new_decision(old, new, word, bound if places[word] is None else None, numbers)
        for word, place in enumerate(stand)
    ]
    heads, labels = zip(*decisions, strict=True) if decisions else ((), ())
    heads = _without_circles(heads, [word for word, place in enumerate(stand) if place is None])
    analysis = Analysis(
        new.words,
        _of_same_words(old, new, places, old.tags, new.tags),
        _of_same_words(old, new, places, old.features, new.features),
        heads,
        labels,
        tuple(
            replace(expected, head=_renumbered(expected.head, numbers))
            for expected in old.expected
            if expected is not bound
        ),
    )
    return (
        _in_class(trees, analysis, [word for word, place in enumerate(stand) if place is None]),
        tuple(
            confidences[word] if place is None else old_confidences[place] for word, place in enumerate(stand)
        ),
    )


def _carried_in_place(shown: RatedAnalysis, committed: RatedAnalysis, trees: str) -> RatedAnalysis:
    """Return the result of `carried` for words that have changed in place, or not at all."""
    (old, old_confidences), (new, new_confidences) = shown, committed
    heads, labels, confidences = [*old.heads], [*old.labels], [*old_confidences]
    waiting = [word for word, label in enumerate(labels) if label == UNATTACHED]
    for word in waiting:
        head = new.heads[word]
        heads[word] = LATER if head == 0 and 0 in old.heads else head
        labels[word], confidences[word] = new.labels[word], new_confidences[word]
    tags, features = [*old.tags], [*old.features]
    for word in range(common_length(old.words, new.words), len(heads)):
        if old.words[word] != new.words[word]:
            tags[word], features[word] = new.tags[word], new.features[word]
    found = _without_circles(heads, waiting)
    analysis = Analysis(new.words, tuple(tags), tuple(features), found, tuple(labels), old.expected)
    return _in_class(trees, analysis, waiting), tuple(confidences)


def _without_circles(heads: Sequence[Head], new: Sequence[int]) -> tuple[Head, ...]:
    """Return the heads; a new word, counted from 0, waits if its head would make a cycle."""
    found = [*heads]
    for word in new:
        if _leads_to(found, found[word], word + 1):
            found[word] = LATER
    return tuple(found)


def _new_decision(
    old: Analysis, new: Analysis, word: int, bound: ExpectedWord | None, numbers: Mapping[Head, Head]
) -> Decision:
    """Return the decision for a new word: the last one may take the place of a virtual node."""
    if bound is not None and word == len(new.words) - 1:
        return Decision(_renumbered(bound.head, numbers), bound.label)
    head = new.heads[word]
    return Decision(LATER if head == 0 and 0 in old.heads else head, new.labels[word])


def places_before(before: Sequence[str], after: Sequence[str]) -> list[int | None]:
    """Return the old index of each word, counted from 0; words between equal ones match in order."""
    first = common_length(before, after)
    room = min(len(before), len(after)) - first
    behind = common_length(before[len(before) - room :][::-1], after[len(after) - room :][::-1])
    stop_before, stop_after = len(before) - behind, len(after) - behind
    in_order = [place if place < stop_before else None for place in range(stop_after)]
    return [*in_order, *range(stop_before, len(before))]


def _bound(old: Analysis, new: Analysis, places: Sequence[int | None]) -> ExpectedWord | None:
    """Return the virtual node whose place a new last word takes."""
    if not places or places[-1] is not None or new.tags[-1] == NOUN:
        return None
    return next((expected for expected in old.expected if expected.node.tag == new.tags[-1]), None)


def _renumbered(head: Head, numbers: Mapping[Head, Head]) -> Head:
    """Return a head after the change; a removed one becomes LATER."""
    return numbers.get(head, LATER if isinstance(head, int) else head)


def _of_same_words(
    old: Analysis, new: Analysis, places: Sequence[int | None], before: Sequence[str], after: Sequence[str]
) -> tuple[str, ...]:
    """Return old values for words of the same form, and new ones for the others."""
    return tuple(
        before[place] if place is not None and old.words[place] == form else said
        for form, place, said in zip(new.words, places, after, strict=True)
    )


def completed(
    rated: RatedAnalysis, committed: Analysis, root_label: str, trees: str = PROJECTIVE
) -> RatedAnalysis:
    """Return a tree with one root for an ended sentence: waiting words get committed heads if possible.

    If neither the committed head nor a nearby word is possible, the head is the root's child, whatever is
    crossed.
    """
    analysis, confidences = rated
    heads: list[Head] = list(analysis.heads)
    labels = list(analysis.labels)
    root = heads.index(0) + 1 if 0 in heads else heads.index(next(filter(_is_to_come, heads))) + 1
    waiting = [word for word, head in enumerate(heads, 1) if _is_to_come(head) or (head == 0 and word > root)]
    if root in waiting:
        heads[root - 1], labels[root - 1] = 0, root_label
    for word in waiting:
        if word != root:
            head = committed.heads[word - 1]
            is_possible = isinstance(head, int) and _can_hang(heads, word, head, trees)
            labels[word - 1] = committed.labels[word - 1] if is_possible else labels[word - 1]
            heads[word - 1] = head if is_possible else _head_nearby(heads, word, root, trees)
    shown = Analysis(analysis.words, analysis.tags, analysis.features, tuple(heads), tuple(labels))
    return shown, tuple(
        None if word in waiting else confidence for word, confidence in enumerate(confidences, 1)
    )


def with_corrections(
    parsed: Analysis, before: Analysis, best: Analysis, promised: int, trees: str = PROJECTIVE
) -> Analysis:
    """Return a new best parse with the corrections that a search made in the previous one.

    The search restarts with every word, and mostly makes the same corrections again some milliseconds later.
    Promised words stay as they were parsed, which the search has to keep.
    """
    corrected = [
        word
        for word, (new, old, found) in enumerate(
            zip(parsed.decisions, before.decisions, best.decisions, strict=False)
        )
        if word >= promised
        and new == old != found
        and isinstance(found.head, int)
        and isinstance(new.head, int)
    ]
    heads, labels = [*parsed.heads], [*parsed.labels]
    for word in corrected:
        heads[word], labels[word] = best.heads[word], best.labels[word]
    shown = replace(parsed, heads=tuple(heads), labels=tuple(labels))
    return shown if corrected and _are_possible(trees, shown, corrected) else parsed


def _are_possible(trees: str, analysis: Analysis, corrected: Sequence[int]) -> bool:
    """Return whether corrected arcs, of words counted from 0, make no cycle and stay in the class."""
    if trees != PROJECTIVE:
        return is_prefix_in_class(trees, analysis.heads)
    heads = analysis.heads
    return all(heads[word] == 0 or _can_hang(heads, word + 1, heads[word]) for word in corrected)


def still_told(conflicts: Sequence[Conflict], before: Analysis, after: Analysis) -> tuple[Conflict, ...]:
    """Return the conflicts whose words, and their arcs, are the same in another analysis."""
    if not conflicts:
        return ()
    told = zip(before.words, before.heads, before.labels, strict=True)
    tells = zip(after.words, after.heads, after.labels, strict=True)
    same = {word for word, (old, new) in enumerate(zip(told, tells, strict=False), 1) if old == new}
    return tuple(conflict for conflict in conflicts if same.issuperset(conflict.words))


def _is_to_come(head: Head) -> bool:
    return not isinstance(head, int)


def _head_nearby(heads: Sequence[Head], word: int, root: int, trees: str) -> int:
    """Return a head for a waiting word: an adjacent word if possible, since its arc crosses none."""
    nearby = (word - 1, word + 1, root)
    return next(one for one in nearby if one == root or (one and _can_hang(heads, word, one, trees)))


def _can_hang(heads: Sequence[Head], word: int, head: Head, trees: str = PROJECTIVE) -> bool:
    """Return whether a word may get a head without a cycle and without crossing an arc.

    In other than projective trees the arc may cross those that the class allows.
    """
    if not isinstance(head, int) or not 0 < head <= len(heads) or _leads_to(heads, head, word):
        return False
    if trees != PROJECTIVE:
        return is_prefix_in_class(trees, [*heads[: word - 1], head, *heads[word:]])
    first, last = sorted((word, head))
    return not any(
        isinstance(other, int) and other and _crosses(first, last, *sorted((child, other)))
        for child, other in enumerate(heads, 1)
        if child != word
    )


def _crosses(first: int, last: int, other_first: int, other_last: int) -> bool:
    return first < other_first < last < other_last or other_first < first < other_last < last


def _leads_to(heads: Sequence[Head], node: Head, word: int) -> bool:
    """Return whether the path up from a node reaches a word, or is a cycle, as in mixed trees."""
    for _ in heads:
        if not isinstance(node, int) or node == 0:
            return False
        if node == word:
            return True
        node = heads[node - 1]
    return True


Constituents: TypeAlias = tuple[Constituent, ...]  # outer ones first


def carried_constituents(
    constituents: Constituents, places: Sequence[int | None], words: int, is_whole: bool
) -> Constituents:
    """Return constituents for new words, given the old index of each, counted from 0; None if new."""
    if not constituents:
        return constituents
    end = len(places) if is_whole else None
    if words == len(places) and None not in places:
        stands: Iterator[Constituent] | Constituents = constituents
    else:
        stands = _renumbered_constituents(constituents, places, words)
    carried = tuple([one._replace(last=end) if one.last is None else one for one in stands])
    goes_on = constituents[0].first == 1 and constituents[0].last in (None, words) and places[-1:] == [None]
    return (carried[0]._replace(last=end), *carried[1:]) if carried and goes_on else carried


def _renumbered_constituents(
    constituents: Constituents, places: Sequence[int | None], words: int
) -> Iterator[Constituent]:
    """Yield the constituents with a remaining word, with the new numbers of their words."""
    firsts, lasts = _first_numbers(places, words), _last_numbers(places, words)
    kept = max([place for place in places if place is not None], default=-1) + 1
    for label, first, last in constituents:
        new_first, new_last = firsts[first - 1], lasts[(last or words) - 1]
        if new_first <= new_last:
            yield Constituent(label, new_first, None if last is None or last > kept else new_last)


def _first_numbers(places: Sequence[int | None], words: int) -> list[int]:
    """Return for each old index the number of the first word from there on; beyond all if none."""
    numbers = [len(places) + 1] * words
    for number in range(len(places), 0, -1):
        place = places[number - 1]
        if place is not None:
            numbers[place] = number
    for place in range(words - 2, -1, -1):
        numbers[place] = min(numbers[place], numbers[place + 1])
    return numbers


def _last_numbers(places: Sequence[int | None], words: int) -> list[int]:
    """Return for each old index the number of the last word up to there; 0 if none."""
    numbers = [0] * words
    for number, place in enumerate(places, 1):
        if place is not None:
            numbers[place] = number
    for place in range(1, words):
        numbers[place] = max(numbers[place], numbers[place - 1])
    return numbers


def with_promised(found: Constituents, shown: Constituents, promised: int) -> Constituents:
    """Return the found constituents, but keep those shown that end in the first `promised` words."""
    kept = [one for one in shown if one.last is not None and one.last <= promised]
    if not kept:
        return found
    spans = {(one.first, one.last) for one in kept}
    others = [
        one
        for one in found
        if (one.first, one.last) not in spans
        and not (one.first <= promised and any(_cross(one, other) for other in kept))
    ]
    return tuple(sorted([*kept, *others], key=_outer_first))


def _cross(one: Constituent, other: Constituent) -> bool:
    first, last = one.first, inf if one.last is None else one.last
    other_last = inf if other.last is None else other.last
    return first < other.first <= last < other_last or other.first < first <= other_last < last


def _outer_first(one: Constituent) -> tuple[int, float]:
    return one.first, -inf if one.last is None else -one.last
