from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from cases import cases, each_seed
from reach import Reached

from treewhile.incremental.parsers.analyses import Analysis, ExpectedWord
from treewhile.incremental.parsers.corrections import Correction
from treewhile.incremental.parsers.nodes import LATER, Head, Virtual
from treewhile.incremental.search import Conflict
from treewhile.incremental.sessions.analysis_views import (
    Message,
    Said,
    Shown,
    changed_constituents,
    message_of,
)
from treewhile.incremental.sessions.document_words import SentenceWords
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    AnyMessage,
    ConstituentsView,
    DeltaMessage,
    Prediction,
    apply_delta,
)
from treewhile.oracles.constituents.phrase_trees import Constituent

PREDICTIONS: tuple[Prediction, ...] = ("none", "later", "virtual")
NODE = Virtual(1, "NOUN")


def random_shown(source: random.Random, n: int) -> Shown:
    forms = tuple(source.choice("ab") for _ in range(n))
    heads: tuple[Head, ...] = tuple(source.choice([0, 1, LATER, NODE]) for _ in range(n))
    tags, features, labels = (tuple(source.choice(names) for _ in range(n)) for names in ("XY", "_F", "_l"))
    expected = source.choice([(), (ExpectedWord(NODE, 0, "root"),), (ExpectedWord(NODE, 1, "obj"),)])
    confidences = tuple(source.choice([None, 0.5, 0.75, 0.750001]) for _ in range(n))
    spans = tuple((2 * place, 2 * place + 1) for place in range(n))
    return Shown(
        SentenceWords(forms, spans),
        (Analysis(forms, tags, features, heads, labels, expected), confidences),
        source.choice([(), (Conflict("odd", 0.5, (1,), "This is odd."),)]),
        source.choice([None, random_constituents(source)]),
        (random_column(source, n), random_column(source, n)),
        {place: Correction(head=0) for place in range(1, n + 1) if source.random() < 0.2},
        source.choice(PREDICTIONS),
    )


def random_column(source: random.Random, n: int) -> list[str | None]:
    return [source.choice(["a", None]) for _ in range(n)]


def random_constituents(source: random.Random) -> tuple[Constituent, ...]:
    return tuple(
        Constituent(source.choice("AB"), 1, source.choice([1, None])) for _ in range(source.randrange(5))
    )


def mostly_the_same(source: random.Random, shown: Shown) -> Shown:
    """What is shown of these words, of which some are judged otherwise, or are others."""
    n = len(shown.words.forms)
    other = random_shown(source, n)
    changes = [source.random() < 0.3 for _ in range(n)]

    def mixed(before: Sequence[Any], after: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(new if is_new else old for old, new, is_new in zip(before, after, changes, strict=True))

    (old, confidences), (new, others) = shown.rated, other.rated
    names = ("words", "tags", "features", "heads", "labels")
    analysis = Analysis(*(mixed(getattr(old, name), getattr(new, name)) for name in names), new.expected)
    rated = analysis, mixed(confidences, others)
    prediction = shown.prediction if source.random() < 0.8 else other.prediction
    words = SentenceWords(mixed(shown.words.forms, other.words.forms), shown.words.spans)
    lemmas, xpos = map(mixed, shown.lemmas, other.lemmas)
    return other._replace(words=words, rated=rated, lemmas=(lemmas, xpos), prediction=prediction)


def told(shown: Shown, number: int, before: Said | None = None, deltas: bool = True) -> tuple[Message, Said]:
    shared = {
        "document": "d",
        "version": number,
        "number": number,
        "answers": [number],
        "sentence": 0,
        "first_word": 0,
        "start": 0,
        "stage": "improved",
        "levels": ["L0"],
        "stable_upto": 0,
        "score": None,
        "seconds": 0.5,
        "cut_short": number % 2 == 0,
        "whole": False,
        "proven": number % 3 == 0,
    }
    return message_of(shown, shared, before, deltas)


def in_full(shown: Shown, number: int) -> AnalysisMessage:
    message, _ = told(shown, number)
    assert isinstance(message, AnalysisMessage)
    return message


@pytest.mark.reaches(0.5)
@each_seed(cases(300))
def test_what_is_told_bit_by_bit_is_what_is_told_at_once(seed: int, reached: Reached) -> None:
    source = random.Random(seed)
    shown = random_shown(source, source.randint(0, 6))
    message, said = told(shown, 1)
    for number in range(2, 6):
        is_like = source.random() < 0.8
        shown = mostly_the_same(source, shown) if is_like else random_shown(source, source.randint(0, 6))
        base, (message, said) = message, told(shown, number, said)
        reached(isinstance(message, DeltaMessage))
        if isinstance(message, DeltaMessage):
            sent: Any = msgspec.msgpack.decode(msgspec.msgpack.encode(message), type=AnyMessage)
            assert isinstance(base, AnalysisMessage)
            message = apply_delta(base, sent)
        assert message == in_full(shown, number)


@pytest.mark.parametrize("prediction", PREDICTIONS)
def test_a_delta_has_only_what_is_told_otherwise(prediction: Prediction) -> None:
    shown = random_shown(random.Random(0), 5)._replace(prediction=prediction)
    _, said = told(shown, 1)
    analysis, confidences = shown.rated
    nearly = shown._replace(rated=(analysis, (*confidences[:-2], 0.5, 0.2549)))
    message, said = told(nearly, 2, said)
    assert isinstance(message, DeltaMessage)
    assert {*message.words} <= {4, 5}
    assert message.words[5].confidence == 0.25
    assert [message.virtual, message.conflicts, message.constituents] == [msgspec.UNSET] * 3
    again, _ = told(nearly._replace(rated=(analysis, (*confidences[:-2], 0.501, 0.2513))), 3, said)
    assert isinstance(again, DeltaMessage)
    assert again.words == {}, "thousandths are not told"


def test_a_client_that_wants_no_deltas_is_told_in_full() -> None:
    shown = random_shown(random.Random(0), 5)
    _, said = told(shown, 1)
    message, said = told(shown, 2, said, deltas=False)
    assert message == in_full(shown, 2)
    delta, _ = told(shown, 3, said)
    assert isinstance(delta, DeltaMessage)
    assert delta.base == 2, "it may have them again"


def test_a_delta_that_would_say_most_of_it_again_is_told_in_full() -> None:
    source = random.Random(1)
    _, said = told(random_shown(source, 0), 1)
    message, _ = told(random_shown(source, 4), 2, said)
    assert isinstance(message, AnalysisMessage)


def test_a_message_that_was_handed_out_stays_as_it_was() -> None:
    shown = random_shown(random.Random(3), 6)
    message, said = told(shown, 1)
    before = msgspec.json.encode(message)
    told(mostly_the_same(random.Random(4), shown), 2, said)
    assert msgspec.json.encode(message) == before


def test_a_delta_says_only_the_stretch_of_constituents_that_has_changed() -> None:
    before = Constituent("S", 1, None), Constituent("NP", 1, 2), Constituent("VP", 3, None)
    more = Constituent("PP", 4, None)
    changed = changed_constituents
    assert changed(before, before) is msgspec.UNSET
    assert changed(before, None) is None
    assert changed(None, before) == ConstituentsView(0, 0, [*before])
    assert changed(before, (*before, more)) == ConstituentsView(3, 0, [more])
    assert changed(before, (before[0], more, before[2])) == ConstituentsView(1, 1, [more])
    assert changed(before, before[1:]) == ConstituentsView(0, 1, [])
    assert changed(before, (before[0], *before)) == ConstituentsView(1, 0, [before[0]])
