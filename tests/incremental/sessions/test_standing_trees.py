from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from cases import cases, each_seed
from every_tree import CLASSES, trees_of
from reach import Reached

from treewhile.incremental.parsers.analyses import Analysis, ExpectedWord
from treewhile.incremental.parsers.nodes import LATER, Head, Virtual
from treewhile.incremental.search import Conflict
from treewhile.incremental.sessions.standing_trees import (
    RatedAnalysis,
    carried,
    completed,
    first_words,
    joined,
    still_told,
    with_corrections,
    with_waiting,
)


def analysis(heads: Sequence[Head], words: str = "", tags: str = "") -> Analysis:
    n = len(heads)
    labels = tuple("root" if head == 0 else f"l{word}" for word, head in enumerate(heads))
    forms = tuple(words.split()) or ("w",) * n
    return Analysis(forms, tuple(tags.split()) or ("X",) * n, ("_",) * n, tuple(heads), labels)


def judged(heads: Sequence[Head], words: str, tags: str = "") -> RatedAnalysis:
    return analysis(heads, words, tags), (0.5,) * len(heads)


def is_tree(heads: Sequence[Head]) -> bool:
    for word in range(1, len(heads) + 1):
        seen: set[Head] = set()
        node: Head = word
        while isinstance(node, int) and node and node not in seen:
            seen.add(node)
            node = heads[node - 1]
        if node != 0:
            return False
    return True


@each_seed(cases(100))
def test_what_is_shown_at_once_is_a_forest_and_a_tree_at_the_end(seed: int) -> None:
    source = random.Random(seed)
    n, t = source.randint(1, 9), source.randint(0, 9)
    committed = analysis([source.choice([LATER, *range(1, word)]) for word in range(1, n + 1)])
    best = analysis([source.choice([LATER, 0, *range(1, word)]) for word in range(1, n + 1)])
    scores = (0.5,) * n
    shown, confidences = joined(first_words((best, scores), min(t, n)), (committed, scores))
    assert shown.heads[min(t, n) :] == committed.heads[min(t, n) :]
    tree, _ = completed((shown, confidences), committed, "root")
    assert tree.heads.count(0) == 1
    assert is_tree(tree.heads)


@each_seed(cases(100))
def test_a_projective_forest_is_completed_to_a_tree_whose_arcs_rarely_cross(seed: int) -> None:
    source, n = random.Random(seed), 8
    heads: list[Head] = [2, 0, 5, 5, 2, 8, 8, 2]
    for word in source.sample(range(n), 3):
        heads[word] = LATER
    waiting = analysis([LATER] * n)
    tree, _ = completed((analysis(heads), (0.5,) * n), waiting, "root")
    assert is_tree(tree.heads)
    assert tree.heads.count(0) == 1
    kept = [place for place, head in enumerate(heads) if head != LATER and head != 0]
    assert [tree.heads[place] for place in kept] == [heads[place] for place in kept]


@pytest.mark.parametrize(
    ("heads", "tree"),
    [
        ([0, 1, LATER, 1], (0, 1, 2, 1)),
        ([LATER, 3, 0], (2, 3, 0)),  # there is none before it
        ([0, 3, LATER, 1], (0, 3, 4, 1)),  # the one before hangs on it
        ([0, 1, 4, LATER, 3, 2], (0, 1, 4, 1, 3, 2)),  # both do, so it takes the root's child
        ([LATER, LATER], (0, 1)),
    ],
)
def test_who_still_waits_at_the_end_hangs_on_the_word_beside_it_if_that_can_be(
    heads: list[Head], tree: tuple[Head, ...]
) -> None:
    assert completed((analysis(heads), (0.5,) * len(heads)), analysis([LATER] * 6), "root")[0].heads == tree


@pytest.mark.parametrize(
    ("heads", "committed", "taken"),
    [
        ([3, LATER, 0, 3], 3, 3),
        ([3, LATER, 0, 3], 4, 1),  # would cross the arc of word 1
        ([0, 1, 2, LATER, 3], 2, 3),  # would cross that of word 5
        ([0, 1, 2, LATER, 1], 2, 2),
    ],
)
def test_who_waits_takes_its_committed_head_unless_their_arc_crosses_one(
    heads: list[Head], committed: int, taken: int
) -> None:
    waiting = heads.index(LATER)
    whole = analysis([committed if place == waiting else LATER for place in range(len(heads))])
    tree, confidences = completed((analysis(heads), (0.5,) * len(heads)), whole, "root")
    assert tree.heads == (*heads[:waiting], taken, *heads[waiting + 1 :])
    assert confidences == tuple(None if place == waiting else 0.5 for place in range(len(heads)))


def test_letters_change_no_arc() -> None:
    shown = judged([2, 0, 2], "the dog bar")
    committed = judged([LATER, LATER, LATER], "the dog bark")
    after, confidences = carried(shown, committed)
    assert (after.words, after.heads, after.labels) == (("the", "dog", "bark"), (2, 0, 2), shown[0].labels)
    assert confidences == (0.5, 0.5, 0.5)


def test_tags_of_the_word_that_is_typed_follow_its_letters() -> None:
    shown = judged([LATER, LATER], "the d", "DET X")
    after, _ = carried(shown, judged([LATER, LATER], "the do", "PRON VERB"))
    assert after.tags == ("DET", "VERB")


def test_a_new_word_takes_the_place_of_the_virtual_node_with_its_tag() -> None:
    noun, verb = Virtual(1, "NOUN"), Virtual(2, "VERB")
    expected = (ExpectedWord(noun, verb, "obj"), ExpectedWord(verb, 0, "root"))
    before = Analysis(("he", "a"), ("PRON", "DET"), ("_", "_"), (verb, noun), ("nsubj", "det"), expected)
    after, _ = carried((before, (0.5, 0.5)), judged([LATER] * 3, "he a s", "PRON DET VERB"))
    assert (after.heads, after.labels) == ((3, noun, 0), ("nsubj", "det", "root"))
    assert after.expected == (ExpectedWord(noun, 3, "obj"),)
    for tag in ("X", "NOUN"):
        other, _ = carried((before, (0.5, 0.5)), judged([LATER] * 3, "he a x", f"PRON DET {tag}"))
        assert (other.heads, other.expected) == ((verb, noun, LATER), expected)


def test_what_stands_behind_a_word_that_is_typed_moves_with_it() -> None:
    shown = judged([2, 3, 0, 5, 3], "the dog sees a cat")
    after, _ = carried(shown, judged([LATER] * 6, "the dog never sees a cat"))
    assert after.heads == (2, 4, LATER, 0, 6, 4)
    gone, _ = carried(shown, judged([LATER] * 4, "the sees a cat"))
    assert gone.heads == (LATER, 0, 4, 2)
    split, _ = carried(shown, judged([LATER] * 6, "the dog sees a ca n't"))
    assert split.heads == (2, 3, 0, 5, 3, LATER)


@each_seed(cases(200))
def test_whatever_is_typed_no_arc_leads_out_of_the_sentence_or_round_in_a_circle(seed: int) -> None:
    source = random.Random(seed)
    words = source.choices("abcd", k=source.randint(0, 7))
    heads: list[Head] = [source.choice([LATER, *range(word)]) for word in range(1, len(words) + 1)]
    at = source.randint(0, len(words))
    stop = min(len(words), at + source.choice([0, 1, 1, 2]))
    after = [*words[:at], *source.choices("xyz", k=source.choice([0, 1, 1, 2])), *words[stop:]]
    committed = [source.choice([LATER, *range(1, word)]) for word in range(1, len(after) + 1)]
    shown, confidences = carried(
        (analysis(heads, " ".join(words)), (0.5,) * len(heads)), judged(committed, " ".join(after))
    )
    assert shown.words == tuple(after)
    assert len(shown.heads) == len(shown.labels) == len(confidences) == len(after)
    assert all(head == LATER or head in range(len(after) + 1) for head in shown.heads)
    if after:
        assert is_tree(completed((shown, confidences), analysis(committed), "root")[0].heads)


def test_words_that_are_cut_otherwise_make_no_circle_with_those_that_stand() -> None:
    shown = judged([2, LATER, LATER], "bar http://a. b")
    committed = judged([0, 1], "bark .")
    (now, _) = carried(shown, committed)
    assert now.heads == (2, LATER)
    whole, _ = completed((now, (None, None)), committed[0], "root")
    assert is_tree(whole.heads)


def test_a_word_of_which_only_letters_are_known_waits_and_nothing_else_changes() -> None:
    before = judged([2, 0], "The dog", "DET NOUN")
    now, confidences = with_waiting(before, "b", "VERB")
    assert (now.words, now.tags) == (("The", "dog", "b"), ("DET", "NOUN", "VERB"))
    assert (now.heads, now.features[-1], confidences) == ((2, 0, LATER), "_", (0.5, 0.5, None))


def test_conflicts_stay_whose_words_and_arcs_do() -> None:
    before, after = analysis([2, 0, 2], "him went home"), analysis([2, 0, 4, 2], "him went a home")
    conflicts = (Conflict("case", 0.5, (1,), "A case."), Conflict("order", 0.5, (2, 3), "An order."))
    assert still_told(conflicts, before, after) == conflicts[:1]
    assert still_told(conflicts, before, before) == conflicts
    assert still_told(conflicts, before, analysis([LATER, 0], "him went")) == ()


def test_what_a_search_has_corrected_is_shown_again_where_the_parser_has_not_changed_its_mind() -> None:
    before, best = analysis([3, 3, 0, 3]), analysis([2, 3, 0, 3])
    assert with_corrections(analysis([3, 3, 0, 3, 4]), before, best, 0).heads == (2, 3, 0, 3, 4)
    assert with_corrections(analysis([4, 3, 0, 3, 4]), before, best, 0).heads == (4, 3, 0, 3, 4)
    assert with_corrections(analysis([3, 3, 0, 3, 4]), before, best, 1).heads == (3, 3, 0, 3, 4)


def test_a_correction_that_is_impossible_now_is_not_shown() -> None:
    before, best = analysis([2, 0, 2, 2]), analysis([2, 0, 2, 1])
    parsed = analysis([3, 3, 0, 2, 3])
    assert with_corrections(parsed, before, best, 0) is parsed
    crossing = analysis([2, 0, 5, 2, 2])
    assert with_corrections(crossing, before, best, 0) is crossing


def test_corrections_that_make_a_circle_for_others_are_not_shown() -> None:
    before, best = analysis([4, 4, 0, 3]), analysis([2, 0, 2, 3])
    parsed = analysis([4, 3, 0, 3])
    assert with_corrections(parsed, before, best, 0) is parsed


# --- trees whose arcs may cross -----------------------------------------------------------------------------


def crossing_tree(source: random.Random, n: int) -> tuple[int, ...]:
    """A tree of MH4 with one root, and no projective one."""
    return source.choice(
        [heads for heads in trees_of("mh4", n) if heads.count(0) == 1 and not CLASSES["projective"](heads)]
    )


def is_in_mh4(heads: Sequence[Head]) -> bool:
    """Whether the words are, what is to come being one more word under the root."""
    behind = len(heads) + 1
    return CLASSES["mh4"]((*(head if isinstance(head, int) else behind for head in heads), 0))


@pytest.mark.slow
@pytest.mark.reaches(0.5)
@each_seed(cases(100))
def test_what_is_joined_stays_in_the_class_of_the_trees(seed: int, reached: Reached) -> None:
    source = random.Random(seed)
    tree, t = crossing_tree(source, 6), source.randint(3, 6)
    before: RatedAnalysis = first_words((analysis(tree), (0.5,) * 6), t)
    more = t + source.randint(1, 2)
    committed = analysis([LATER] * t + [source.choice([LATER, *range(1, word)]) for word in range(t, more)])
    shown, confidences = joined(before, (committed, (0.7,) * more), "mh4")
    assert is_in_mh4(shown.heads)
    assert shown.heads[:t] == before[0].heads
    assert all(new in (old, LATER) for new, old in zip(shown.heads[t:], committed.heads[t:], strict=True))
    assert confidences == (0.5,) * t + (0.7,) * (more - t)
    reached(not CLASSES["projective"](tuple(head if head != LATER else more + 1 for head in shown.heads)))


def test_a_new_word_whose_arc_leaves_the_class_waits() -> None:
    heads: list[Head] = [0, 1, 1, 1, 2]
    assert is_in_mh4(heads)
    assert not is_in_mh4([*heads, 3])
    before, committed = (analysis(heads), (0.5,) * 5), (analysis([LATER] * 5 + [3]), (0.5,) * 6)
    assert joined(before, committed, "mh4")[0].heads == (*heads, LATER)
    assert joined(before, committed)[0].heads == (*heads, 3)
    shown = analysis(heads, "a b c d e"), (0.5,) * 5
    typed = analysis([LATER] * 5 + [3], "a b c d e f"), (0.5,) * 6
    assert carried(shown, typed, "mh4")[0].heads == (*heads, LATER)
    assert carried(shown, typed)[0].heads == (*heads, 3)


@pytest.mark.slow
@pytest.mark.reaches(0.95)
@each_seed(cases(100))
def test_a_crossing_tree_is_completed_to_one_of_its_class_unless_no_head_is_left_that_does(
    seed: int, reached: Reached
) -> None:
    source = random.Random(seed)
    whole = crossing_tree(source, 6)
    waiting = source.sample([word for word, head in enumerate(whole) if head], 2)
    heads: list[Head] = [LATER if word in waiting else head for word, head in enumerate(whole)]
    tree, _ = completed((analysis(heads), (0.5,) * 6), analysis(whole), "root", "mh4")
    assert is_tree(tree.heads)
    assert tree.heads.count(0) == 1
    kept = [place for place in range(6) if place not in waiting]
    assert [tree.heads[place] for place in kept] == [heads[place] for place in kept]
    reached(is_in_mh4(tree.heads))


def test_who_waits_takes_a_committed_head_across_an_arc_where_the_class_allows_it() -> None:
    heads: list[Head] = [3, LATER, 0, 3]
    waiting = analysis([LATER, 4, LATER, LATER])
    assert completed((analysis(heads), (0.5,) * 4), waiting, "root", "mh4")[0].heads == (3, 4, 0, 3)
    assert completed((analysis(heads), (0.5,) * 4), waiting, "root", "projective")[0].heads == (3, 1, 0, 3)


def test_corrections_may_cross_where_the_class_allows_it() -> None:
    before, best = analysis([2, 0, 2, 2]), analysis([2, 0, 2, 1])
    parsed = analysis([2, 0, 5, 2, 2])
    assert with_corrections(parsed, before, best, 0, "mh4").heads == (2, 0, 5, 1, 2)
    assert with_corrections(parsed, before, best, 0, "gap-minding") is parsed
    circle = analysis([4, 4, 0, 3])
    corrected = analysis([2, 0, 2, 3])
    assert with_corrections(analysis([4, 3, 0, 3]), circle, corrected, 0, "mh4").heads == (4, 3, 0, 3)
