"""What is to come of open sentences; a search through all computations judges the steps to it."""

from __future__ import annotations

from itertools import permutations
from random import Random

from cases import each
from judges import attainable_by_search

from treewhile.incremental.parsers.analyses import Analysis, ExpectedWord
from treewhile.incremental.parsers.nodes import LATER, Head, Virtual
from treewhile.incremental.sessions.words_to_come import Outlook, outlook_of
from treewhile.oracles import Configuration, OptimalStepTracker, is_projective, projectivize
from treewhile.oracles.transitions import STRATEGIES

NOUN, VERB = Virtual(1, "NOUN"), Virtual(2, "VERB")
Forest = tuple[int | None, ...]


def analysis(*heads: Head, **expected: Head) -> Analysis:
    """Heads of words, and of the virtual nodes named noun and verb."""
    nodes = {"noun": NOUN, "verb": VERB}
    words = tuple(ExpectedWord(nodes[name], head, "dep") for name, head in expected.items())
    n = len(heads)
    return Analysis(("w",) * n, ("X",) * n, ("_",) * n, heads, ("dep",) * n, words)


def test_virtual_nodes_stand_behind_the_words_in_the_order_of_their_numbers_and_later_is_last() -> None:
    found = outlook_of(analysis(2, LATER, 4, VERB, verb=LATER, noun=VERB), is_open=True)
    assert found == Outlook(
        heads=(2, 7, 4, 6, 6, 7, None), names=(NOUN, VERB, LATER), known=(2, None, 4, None, None, None, None)
    )
    assert found.n == 4


def test_where_nothing_else_is_to_come_some_word_is() -> None:
    expected = Outlook(heads=(2, 0, None), names=(None,), known=(2, 0, None))
    assert outlook_of(analysis(2, 0), is_open=True) == expected
    assert outlook_of(analysis(), is_open=True) == Outlook((None,), (None,), (None,))


def test_a_sentence_that_has_ended_has_no_words_to_come() -> None:
    for finished in (analysis(2, 0), analysis(2, 0, VERB, LATER, verb=2)):
        forest = tuple(head if isinstance(head, int) else None for head in finished.heads)
        assert outlook_of(finished, is_open=False) == Outlook(forest, (), forest)


def test_only_what_something_hangs_on_is_later() -> None:
    assert outlook_of(analysis(0, NOUN, noun=LATER), is_open=True) == Outlook(
        (0, 3, 4, None), (NOUN, LATER), (0, None, None, None)
    )
    assert outlook_of(analysis(0, NOUN, noun=1), is_open=True).names == (NOUN,)


def test_words_to_come_take_the_first_order_in_which_no_edges_cross() -> None:
    crossing = analysis(0, NOUN, VERB, noun=1, verb=NOUN)
    assert outlook_of(crossing, is_open=True).names == (VERB, NOUN)
    assert outlook_of(crossing, is_open=True).heads == (0, 5, 4, 5, 1)


def test_a_tree_that_is_not_projective_in_any_order_takes_one_in_which_most_edges_can_be_attained() -> None:
    crossing = analysis(3, NOUN, 0, VERB, 2, LATER, noun=LATER, verb=NOUN)
    found = outlook_of(crossing, is_open=True)
    assert not is_projective(found.heads)
    kept = {}
    for order in permutations((NOUN, VERB, LATER)):
        numbers: dict[Head, int] = {name: 7 + place for place, name in enumerate(order)}
        heads: dict[Head, Head | None] = {NOUN: LATER, VERB: NOUN, LATER: None}
        tree = [*crossing.heads, *(heads[name] for name in order)]
        given = [None if head is None else numbers.get(head, head) for head in tree]
        best = projectivize(given, single_root=False)  # type: ignore[arg-type]
        kept[order] = sum(a == b for a, b in zip(best, given, strict=True))
    assert found.names == max(kept, key=lambda order: kept[order])
    assert len({*kept.values()}) > 1


# --- every way to go on -------------------------------------------------------------------------------------


def random_analysis(rng: Random, n: int) -> Analysis:
    """Any tree over n words, up to two virtual nodes, and LATER, without circles."""
    nodes = [NOUN, VERB][: rng.randrange(3)]
    above: list[Head] = [0, LATER]
    heads: dict[Head, Head] = {}
    for node in rng.sample([*range(1, n + 1), *nodes], n + len(nodes)):
        heads[node] = rng.choice(above)
        above.append(node)
    words = tuple(ExpectedWord(node, heads[node], "dep") for node in nodes)
    return Analysis(*[("w",) * n] * 3, tuple(heads[word] for word in range(1, n + 1)), ("dep",) * n, words)


@each("single_root", [False, True])
@each("strategy", list(STRATEGIES))
def test_steps_are_exact_while_words_come_and_what_is_to_come_comes_changes_and_goes(
    strategy: str, single_root: bool
) -> None:
    for seed in range(12):
        rng = Random(seed)
        tracker, made = OptimalStepTracker([], strategy, single_root=single_root), 0
        for n, is_open in [(1, True), (2, True), (3, True), (4, True), (5, True), (5, False)]:
            outlook = outlook_of(random_analysis(rng, n), is_open)
            tracker.set_heads(outlook.heads)
            for _ in range(rng.randrange(1, 5)):
                configuration = tracker.configuration
                expected = attainable_by_search(configuration, [*outlook.heads], strategy, single_root)
                assert tracker.scores() == expected, (seed, n, configuration, outlook)
                steps = {*configuration.legal_steps()} - ({"shift"} if configuration.front > n else set())
                if made and rng.random() < 0.2:
                    tracker.undo()
                    made -= 1
                elif steps:
                    tracker.apply(rng.choice(sorted(steps)))
                    made += 1


def test_while_a_sentence_is_open_waiting_can_always_be_answered_for() -> None:
    for seed in range(50):
        rng = Random(seed)
        n = rng.randrange(6)
        outlook = outlook_of(random_analysis(rng, n), is_open=True)
        behind = Configuration((0, *range(1, n + 1)), n + 1, len(outlook.heads))
        assert OptimalStepTracker(outlook.heads, configuration=behind).scores().shift is not None
