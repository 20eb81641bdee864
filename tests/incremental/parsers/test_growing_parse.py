from __future__ import annotations

import math
import pickle
import random
from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from typing import Any

import pytest
from cases import Test, cases, each, each_seed
from growing_parses import grown
from reach import Reached

from treewhile.incremental.parsers.analyses import Decision
from treewhile.incremental.parsers.causal_layers import KEPT_EVERY
from treewhile.incremental.parsers.committed_parses import UNATTACHED
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.nodes import LATER, Virtual
from treewhile.incremental.parsers.parsing import Model
from treewhile.oracles import InputError, is_projective

Draw = Callable[[random.Random, int], Sequence[str]]
DELAYS = [0, 1, 2, 3]
Patience = dict[str, float]
PATIENCES: list[Patience] = [
    *({"delay": delay} for delay in DELAYS),
    *({"risk": risk} for risk in (0, 0.5, 1)),
]
SEEDS = cases(6)
WAITS = (Decision(LATER, UNATTACHED), None)


def of_each_patience(test: Test) -> Test:
    return each("patience", PATIENCES)(each_seed(SEEDS)(test))


def with_patience(model: Model, patience: float) -> Model:
    """The model as if waiting were always worth this number of right edges."""
    *_, (_, scale, bias, _) = model.network.steps.layers
    classes = model.barred_steps.shape[1]
    scale[classes], bias[classes] = 0, patience
    return model


def shown(parse: GrowingParse) -> tuple[Any, ...]:
    return parse.words, parse.committed(), parse.at_once(), parse.delays, parse.best()


def attached(parse: GrowingParse) -> dict[int, tuple[object, str]]:
    """What the committed parse says of the words that it has attached."""
    committed = parse.committed()
    edges = [*zip(committed.heads, committed.labels, strict=True)]
    assert all((head == LATER) == (label == UNATTACHED) for head, label in edges)
    return {word: edge for word, edge in enumerate(edges, 1) if edge[0] != LATER}


@of_each_patience
def test_edits_give_what_starting_afresh_gives(
    seed: int, patience: Patience, make_model: Callable[..., Model], random_words: Draw
) -> None:
    model, source = make_model(seed=seed), random.Random(seed)
    parse, words, is_closed = GrowingParse(model, **patience), [], False
    for _ in range(60):
        if not is_closed and source.random() < 0.7:
            words += random_words(source, 1)
            parse.append(words[-1], looks_ahead=source.random() < 0.5)
        elif source.random() < 0.4:
            parse.close()
            is_closed = True
        else:
            t = source.randint(max(0, len(words) - 4), len(words))
            parse.cut(t)
            del words[t:]
            is_closed = False
        assert shown(parse) == shown(grown(model, words, is_closed, **patience))


def pickled(parse: GrowingParse) -> GrowingParse:
    another: GrowingParse = pickle.loads(pickle.dumps(parse))
    return another


@pytest.mark.slow
@each("copied", [GrowingParse.copy, copy, deepcopy, pickled])
@each("patience", PATIENCES)
def test_a_copy_goes_its_own_way(
    patience: Patience,
    copied: Callable[[GrowingParse], GrowingParse],
    make_model: Callable[..., Model],
    random_words: Draw,
) -> None:
    for seed in SEEDS:
        model, source = make_model(seed=seed), random.Random(seed)
        parses = [(GrowingParse(model, **patience), list[str]())]
        for _ in range(40):
            parse, words = source.choice(parses)
            if len(parses) < 4 and source.random() < 0.2:
                parses.append((copied(parse), [*words]))
            if source.random() < 0.3:
                del words[source.randint(0, len(words)) :]
                parse.cut(len(words))
            for word in random_words(source, source.randint(0, 3)):
                parse.append(word, looks_ahead=source.random() < 0.5)
                words.append(word)
        for parse, words in parses:
            assert shown(parse) == shown(grown(model, words, **patience)), seed
            assert parse.steps == grown(model, words, **patience).steps


def test_a_copy_shares_the_model_and_no_words(model: Model) -> None:
    parse = grown(model, ["the", "dog"])
    another = parse.copy()
    another.append("barks")
    parse.append("sees")
    another.close()
    assert (parse.words, parse.is_closed) == (("the", "dog", "sees"), False)
    assert another.best() == model.parse(["the", "dog", "barks"])
    assert vars(deepcopy(parse))["_model"] is model


@each("t", [0, 1, KEPT_EVERY - 1, KEPT_EVERY, KEPT_EVERY + 5, 3 * KEPT_EVERY])
def test_words_go_on_from_anywhere_though_few_states_are_kept(
    t: int, model: Model, random_words: Draw
) -> None:
    source = random.Random(t)
    words, others = random_words(source, 3 * KEPT_EVERY + 7), random_words(source, 9)
    parse = grown(model, words)
    parse.cut(t)
    for word in others:
        parse.append(word)
    fresh = grown(model, [*words[:t], *others])
    assert shown(parse) == shown(fresh)
    assert parse.committed_confidences() == fresh.committed_confidences()
    tops = zip(parse.snapshot().tops, fresh.snapshot().tops, strict=True)
    assert all((top == other).all() for top, other in tops), "to the last bit"


@pytest.mark.parametrize("is_closed", [False, True])
def test_steps_that_are_followed_are_forgotten_when_words_go(is_closed: bool, model: Model) -> None:
    words = ["the", "old", "dog", "barks", "."]
    parse, plain = (grown(model, words, is_closed) for _ in range(2))
    parse.follow([0] * 5)
    assert parse.steps == bytes(5)
    assert parse.best() == plain.best()
    parse.cut(4)
    plain.cut(4)
    assert (shown(parse), parse.steps) == (shown(plain), plain.steps)


ILLEGAL: list[tuple[list[Any], str]] = [
    ([1], r"^reduce_left is not legal with stack \(0\) and 2 words remaining: take shift instead$"),
    ([0, 0, 0], "^shift is not legal"),
    ([0, -1], "^step 2 is -1, and the classes of step are 0 to "),
    ([0, 10**6], "^step 2 is 1000000, and the classes"),
    (["shift"], "^step 1 is 'shift', and the classes"),
]


@pytest.mark.parametrize(("classes", "complaint"), ILLEGAL)
def test_steps_that_are_not_legal_are_refused_and_nothing_changes(
    classes: list[Any], complaint: str, model: Model
) -> None:
    parse, plain = (grown(model, ["dogs", "bark"]) for _ in range(2))
    with pytest.raises(InputError, match=complaint):
        parse.follow(classes)
    assert (shown(parse), parse.steps) == (shown(plain), plain.steps)


@each_seed(SEEDS)
def test_the_best_parse_of_a_closed_sentence_is_that_of_the_whole(
    seed: int, make_model: Callable[..., Model], random_words: Draw
) -> None:
    model, source = make_model(seed=seed), random.Random(seed)
    for length in (0, 1, 2, 5, 25):
        words = random_words(source, length)
        assert grown(model, words, is_closed=True).best() == model.parse(words)


@of_each_patience
def test_what_is_committed_ends_as_a_projective_tree_with_one_root(
    seed: int, patience: Patience, make_model: Callable[..., Model], random_words: Draw
) -> None:
    model, source = make_model(seed=seed), random.Random(seed)
    for length in (1, 2, 3, 8, 25):
        committed = grown(model, random_words(source, length), is_closed=True, **patience).committed()
        assert is_projective(committed.heads)
        assert [
            head for head, label in zip(committed.heads, committed.labels, strict=True) if label == "root"
        ] == [0]
        assert committed.heads.count(0) == 1


@of_each_patience
def test_what_is_committed_never_changes(
    seed: int, patience: Patience, make_model: Callable[..., Model], random_words: Draw
) -> None:
    parse, before = (GrowingParse(make_model(seed=seed), **patience), dict[int, tuple[object, str]]())
    for word in random_words(random.Random(seed), 25):
        parse.append(word)
        now = attached(parse)
        assert before.items() <= now.items()
        has_root = "root" in (label for _, label in now.values())
        assert not has_root, "any word may still be the root's child"
        before = now
    parse.close()
    assert before.items() <= attached(parse).items()


@of_each_patience
def test_a_decision_depends_on_no_word_that_came_after_it(
    seed: int, patience: Patience, make_model: Callable[..., Model], random_words: Draw
) -> None:
    model, source = make_model(seed=seed), random.Random(seed)
    words = random_words(source, 12)
    for t in range(1, 12):
        decided = attached(grown(model, words[:t], **patience))
        others = grown(model, [*words[:t], *random_words(source, 6)], is_closed=True, **patience)
        assert decided.items() <= attached(others).items()
        known = t - patience.get("delay", 0)
        assert all(max(word, head) <= known for word, (head, _) in decided.items())


def test_a_closed_sentence_that_is_cut_is_open_again(model: Model) -> None:
    words = ["the", "old", "dog", "barks", "."]
    parse = grown(model, words, is_closed=True, delay=1)
    parse.cut(len(words))
    assert shown(parse) == shown(grown(model, words, delay=1))
    parse.append("the")
    assert shown(parse) == shown(grown(model, [*words, "the"], delay=1))


def test_closing_twice_is_closing_once(model: Model) -> None:
    parse = grown(model, ["dog", "barks"], is_closed=True)
    before = shown(parse)
    parse.close()
    assert shown(parse) == before
    parse.cut(0)
    assert shown(parse) == shown(GrowingParse(model))


def test_nothing_comes_after_the_end(model: Model) -> None:
    with pytest.raises(InputError, match=r"^the sentence has ended, so 'the' cannot come"):
        grown(model, ["dog"], is_closed=True).append("the")


def test_what_is_no_word_leaves_the_parse_as_it_was(model: Model) -> None:
    parse = grown(model, ["dog"])
    with pytest.raises(InputError, match=r"^word 1 is ' '"):
        parse.append(" ")
    assert shown(parse) == shown(grown(model, ["dog"]))


@pytest.mark.parametrize("t", [-1, 3])
def test_there_is_no_way_back_to_words_that_were_not_there(t: int, model: Model) -> None:
    with pytest.raises(InputError, match=f"there are no {t} words to go back to: give a number from 0 to 2"):
        grown(model, ["dog", "barks"]).cut(t)


@of_each_patience
def test_what_would_be_committed_at_once_is_what_is_committed_and_more(
    seed: int, patience: Patience, make_model: Callable[..., Model], random_words: Draw
) -> None:
    parse = GrowingParse(make_model(seed=seed), **patience)
    for word in random_words(random.Random(seed), 25):
        parse.append(word)
        analysis, confidences = parse.at_once()
        arcs = [*zip(analysis.decisions, confidences, strict=True)]
        committed = [*zip(parse.committed().decisions, parse.committed_confidences(), strict=True)]
        assert all(old in (new, WAITS) for new, old in zip(arcs, committed, strict=True))
        assert patience != {"delay": 0} or analysis == parse.committed(), "which never waits"
    parse.close()
    assert parse.at_once() == (parse.committed(), parse.committed_confidences())


def test_who_takes_every_risk_waits_for_nothing_and_who_takes_none_for_all(
    make_model: Callable[..., Model], random_words: Draw
) -> None:
    model, words = with_patience(make_model(), 0.25), random_words(random.Random(1), 25)
    eager, exact, patient = (grown(model, words, risk=risk) for risk in (0.5, 0.25, 0.125))
    assert eager.at_once() == (eager.committed(), eager.committed_confidences())
    assert eager.committed() == exact.committed()
    assert patient.committed() == grown(model, words, delay=3).committed()
    assert patient.mean_delay == 3
    assert eager.mean_delay is not None
    assert eager.mean_delay < 1


def test_nothing_has_waited_before_something_is_attached(model: Model) -> None:
    assert GrowingParse(model).mean_delay is None
    assert grown(model, ["dog"], is_closed=True).mean_delay is None


@each("delay", [-1, 4, 1.5, True, "1", math.nan])
def test_other_delays_are_refused(delay: Any, model: Model) -> None:
    with pytest.raises(InputError, match=r"^a delay of .* words is not possible: use one from 0 to 3$"):
        GrowingParse(model, delay)


@each("risk", [-0.1, 1.5, math.nan, math.inf, True, "0.5", None, "x" * 99])
def test_a_risk_is_a_number_from_none_to_one(risk: Any, model: Model) -> None:
    with pytest.raises(InputError, match=r"^a risk of .{1,40} is not possible: use a number from 0 to 1$"):
        GrowingParse(model, risk=risk)


@pytest.mark.parametrize("given", ["en", None])
def test_what_is_no_model_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match=r"and .* is none: give what load_model\('en'\) returns"):
        GrowingParse(given)


def test_values_come_with_the_words(make_model: Callable[..., Model]) -> None:
    model, words, values = make_model(tags="gold"), ["dog", "barks"], [["UPOS=NOUN"], ["UPOS=VERB"]]
    parse = GrowingParse(model)
    for word, of_word in zip(words, values, strict=True):
        parse.append(word, of_word)
    parse.close()
    assert parse.best() == model.parse(words, values)


@pytest.mark.reaches(0.3)
@pytest.mark.parametrize("trees", ["projective", "mh4"])
@each_seed(cases(10))
def test_words_to_come_are_told_as_long_as_something_hangs_on_them(
    seed: int, trees: str, make_model: Callable[..., Model], random_words: Draw, reached: Reached
) -> None:
    model = make_model(seed=seed).with_trees(trees)
    parse = GrowingParse(model)
    for word in random_words(random.Random(seed), 9):
        parse.append(word)
        best = parse.best()
        told = {expected.node for expected in best.expected}
        heads = [*best.heads, *(expected.head for expected in best.expected)]
        assert told == {head for head in heads if isinstance(head, Virtual)}
        assert [expected.node for expected in best.expected] == sorted(told)
        reached(told)
