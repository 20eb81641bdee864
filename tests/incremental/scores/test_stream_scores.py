"""Sentences decided word by word, counted by hand, by definition, and by listing all matches."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewhile.incremental.parsers.analyses import Decision
from treewhile.incremental.parsers.nodes import LATER, Head, Virtual
from treewhile.incremental.scores.stream_scores import (
    DELAYS,
    GoldWord,
    StreamCounts,
    best_match,
    count_stream,
)
from treewhile.oracles import InputError

NOUN, OTHER_NOUN, VERB = Virtual(1, "NOUN"), Virtual(2, "NOUN"), Virtual(3, "VERB")


def gold_words(*heads: int, tags: str = "") -> list[GoldWord]:
    return [GoldWord(head, "dep", tag) for head, tag in zip(heads, tags.split() or [None] * 99, strict=False)]


def stream(*prefixes: list[Head]) -> list[list[Decision]]:
    return [[Decision(head, "dep") for head in prefix] for prefix in prefixes]


# "Peter drives a red car": drives is the root, the other heads are 2, 5, 5, 2.
PETER = gold_words(2, 0, 5, 5, 2, tags="NOUN VERB DET ADJ NOUN")


def test_a_stream_counted_by_hand() -> None:
    prefixes = stream(
        [VERB],  # right
        [2, 0],  # fulfilled
        [2, 0, 2],  # "a" too early on "drives"
        [2, 0, LATER, NOUN],  # changed; both heads come later
        [2, 0, 5, 2, 2],  # "red" changes to a wrong head
    )
    counts = count_stream(PETER, prefixes)
    assert counts == StreamCounts(
        words=5,
        initial=4,
        delay_1=4,
        delay_2=4,
        delay_3=4,
        delay_4=4,
        delay_5=4,
        final=4,
        changes=2,
        steps_to_last_change=2,
        prefixes_kept=3,
        correct=2 + 2 + 2 + 4,
        correct_predictions=1 + 2,
        wrong=1 + 1,
        correct_on_later=1,
        virtual_nodes=2,
        upcoming_heads=1 + 1 + 1,
        fulfilled=2,
    )
    assert counts.edit_overhead == 2 / 7
    assert counts.correction_time == 2 / 5
    assert counts.relative_correctness == 3 / 5
    assert counts.classes == {
        "correct": 10 / 15,
        "correct_predictions": 3 / 15,
        "wrong_predictions": 0.0,
        "wrong": 2 / 15,
    }
    assert (counts.virtual_precision, counts.virtual_recall) == (1.0, 2 / 3)


def test_labels_count_unless_they_are_left_out() -> None:
    gold = [GoldWord(2, "nsubj"), GoldWord(0, "root")]
    prefixes = [[Decision(LATER, "obj")], [Decision(2, "nsubj"), Decision(0, "root")]]
    labelled, unlabelled = count_stream(gold, prefixes), count_stream(gold, prefixes, labelled=False)
    assert (labelled.initial, labelled.delay_1, labelled.changes, labelled.prefixes_kept) == (1, 2, 1, 1)
    assert (labelled.wrong_predictions, labelled.correct) == (1, 2)
    assert (unlabelled.initial, unlabelled.delay_1, unlabelled.changes, unlabelled.prefixes_kept) == (
        2,
        2,
        0,
        2,
    )
    assert (unlabelled.correct_predictions, unlabelled.correct_on_later) == (1, 1)


def test_the_share_of_nothing_is_none() -> None:
    assert set(StreamCounts().shares.values()) == {None}
    assert count_stream([], []) == StreamCounts()


@pytest.mark.parametrize(
    ("gold", "prefixes", "problem"),
    [
        (gold_words(0), [], "the prefixes of 1 words have to be 1, with decisions for 1 to 1 words"),
        (gold_words(0), stream([0, 1]), "the prefixes of 1 words have to be 1"),
        (
            gold_words(0, 1),
            stream([2], [2, 0]),
            "the head 2 has to be a number from 0 to 1 but not 1, at word 1 of 1",
        ),
        (
            gold_words(0, 2),
            stream([0], [0, 1]),
            "the head 2 has to be a number from 0 to 2 but not 2, at word 2 of 2",
        ),
    ],
)
def test_what_is_no_stream_is_refused(
    gold: list[GoldWord], prefixes: list[list[Decision]], problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        count_stream(gold, prefixes)


# --- any stream -------------------------------------------------------------------------------------------

Case: TypeAlias = tuple[list[GoldWord], list[list[Decision]]]
LABELS, TAGS = st.sampled_from("ab"), st.sampled_from(["NOUN", "VERB"])


@st.composite
def gold_trees(draw: st.DrawFn) -> list[GoldWord]:
    """Any heads, circles too: no measure asks for a tree."""
    n = draw(st.integers(0, 8))
    choices = [[head for head in range(n + 1) if head != word] for word in range(1, n + 1)]
    return [GoldWord(draw(st.sampled_from(heads)), draw(LABELS), draw(TAGS)) for heads in choices]


@st.composite
def streams(draw: st.DrawFn, gold: list[GoldWord]) -> list[list[Decision]]:
    prefixes = []
    for t in range(1, len(gold) + 1):
        heads: list[list[Head]] = [
            [LATER, NOUN, OTHER_NOUN, VERB, *({*range(t + 1)} - {word})] for word in range(1, t + 1)
        ]
        prefixes.append([Decision(draw(st.sampled_from(choices)), draw(LABELS)) for choices in heads])
    return prefixes


GOLD_AND_STREAM = gold_trees().flatmap(lambda gold: st.tuples(st.just(gold), streams(gold)))


def ideal(gold: list[GoldWord], specific: bool) -> list[list[Decision]]:
    """What is decided by a parser that foresees all."""

    def head(word: GoldWord, t: int) -> Head:
        if word.head <= t:
            return word.head
        return Virtual(word.head, gold[word.head - 1].tag or "") if specific else LATER

    return [[Decision(head(word, t), word.label) for word in gold[:t]] for t in range(1, len(gold) + 1)]


@given(gold_trees(), st.booleans(), st.booleans())
def test_who_foresees_all_has_everything_right(gold: list[GoldWord], specific: bool, labelled: bool) -> None:
    counts = count_stream(gold, ideal(gold, specific), labelled)
    n = len(gold)
    assert all(getattr(counts, moment) == n for moment in DELAYS)
    assert counts.changes == counts.steps_to_last_change == counts.wrong == counts.wrong_predictions == 0
    assert counts.prefixes_kept == n
    assert counts.virtual_nodes == counts.fulfilled == (counts.upcoming_heads if specific else 0)
    assert counts.correct_on_later == (0 if specific else counts.correct_predictions)


@given(GOLD_AND_STREAM)
def test_every_word_of_every_prefix_is_in_one_class(case: Case) -> None:
    gold, prefixes = case
    counts, n = count_stream(gold, prefixes), len(gold)
    decided = counts.correct + counts.correct_predictions + counts.wrong_predictions + counts.wrong
    assert decided == n * (n + 1) // 2
    assert counts.fulfilled <= min(counts.virtual_nodes, counts.upcoming_heads)
    assert counts.fulfilled <= counts.correct_predictions - counts.correct_on_later


@given(GOLD_AND_STREAM)
def test_initial_delayed_and_final_attachment_by_definition(case: Case) -> None:
    gold, prefixes = case
    counts, n = count_stream(gold, prefixes), len(gold)
    for delay, count in ((0, counts.initial), (3, counts.delay_3), (n, counts.final)):
        right = 0
        for word in range(1, n + 1):
            t = min(word + delay, n)
            head, label = prefixes[t - 1][word - 1]
            gold_head, gold_label, _ = gold[word - 1]
            right_head = head == gold_head if isinstance(head, int) else gold_head > t
            right += right_head and label == gold_label
        assert count == right


@given(GOLD_AND_STREAM)
def test_without_labels_no_less_is_right_and_no_more_changes(case: Case) -> None:
    labelled, unlabelled = count_stream(*case), count_stream(*case, labelled=False)
    for name in (*DELAYS, "prefixes_kept", "correct", "correct_predictions"):
        assert getattr(labelled, name) <= getattr(unlabelled, name)
    assert labelled.changes >= unlabelled.changes
    assert labelled.steps_to_last_change >= unlabelled.steps_to_last_change


@given(GOLD_AND_STREAM, GOLD_AND_STREAM)
def test_counts_add_up_and_shares_lie_between_none_and_all(one: Case, other: Case) -> None:
    total = count_stream(*one) + count_stream(*other)
    assert total.words == len(one[0]) + len(other[0])
    assert total.changes == count_stream(*one).changes + count_stream(*other).changes
    shares = {name: share for name, share in total.shares.items() if name != "correction_time"}
    assert all(share is None or 0 <= share <= 1 for share in shares.values())


COUNTS = st.dictionaries(st.integers(1, 5), st.integers(0, 4), max_size=5).map(Counter)


@pytest.mark.slow
@given(st.lists(COUNTS, max_size=5))
def test_the_best_match_is_the_best_of_all(gold_heads: list[Counter[int]]) -> None:
    heads = [*range(1, 6), *[0] * len(gold_heads)]  # 0: the node stands for nothing
    matches = {
        tuple(counts[head] for counts, head in zip(gold_heads, chosen, strict=True))
        for chosen in permutations(heads, len(gold_heads))
    }
    assert best_match(gold_heads) == max((sum(right), sum(map(bool, right))) for right in matches)
