from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from reach import Reached

from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.nodes import LATER, Head, Virtual
from treewhile.incremental.sessions.analysis_views import word_views
from treewhile.incremental.sessions.document_parses import Attached
from treewhile.incremental.sessions.document_words import SentenceWords
from treewhile.incremental.sessions.messages import AnalysisMessage, Prediction
from treewhile.incremental.sessions.open_sentences import OpenSentence, Sent
from treewhile.incremental.sessions.standing_trees import RatedAnalysis

PREDICTIONS: tuple[Prediction, ...] = ("none", "later", "virtual")


def random_words(source: random.Random, n: int) -> tuple[SentenceWords, RatedAnalysis]:
    forms = tuple(source.choice("ab") for _ in range(n))
    heads: tuple[Head, ...] = tuple(source.choice([0, 1, LATER, Virtual(1, "NOUN")]) for _ in range(n))
    tags, features, labels = (tuple(source.choice(names) for _ in range(n)) for names in ("XY", "_F", "_l"))
    confidences = tuple(source.choice([None, 0.5, 0.75, 0.750001]) for _ in range(n))
    spans = tuple((2 * place, 2 * place + 1) for place in range(n))
    return SentenceWords(forms, spans), (Analysis(forms, tags, features, heads, labels), confidences)


def mostly_the_same(
    source: random.Random, words: SentenceWords, judged: RatedAnalysis
) -> tuple[SentenceWords, RatedAnalysis]:
    """Words as these, of which some are judged otherwise, or are others."""
    others, (otherwise, confidences) = random_words(source, len(words.forms))
    changes = [source.random() < 0.3 for _ in words.forms]

    def mixed(before: Sequence[Any], after: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(new if is_new else old for old, new, is_new in zip(before, after, changes, strict=True))

    names = ("words", "tags", "features", "heads", "labels")
    analysis = Analysis(*(mixed(getattr(judged[0], name), getattr(otherwise, name)) for name in names))
    forms = mixed(words.forms, others.forms)
    return SentenceWords(forms, words.spans), (analysis, mixed(judged[1], confidences))


def sentence_of(words: SentenceWords, judged: RatedAnalysis) -> OpenSentence:
    unused: Any = None
    sentence = OpenSentence(0)
    sentence.attached = Attached(0, words, False, unused, judged[0], judged[1], b"")
    sentence.standing.shown = judged
    return sentence


def sent_of(sentence: OpenSentence, prediction: Prediction) -> Sent:
    assert sentence.attached is not None
    views = word_views(sentence, prediction)
    message = AnalysisMessage("d", 0, 1, [], 0, 0, 0, "initial", ["L0"], views, [], [], 0, None, 0.0)
    return Sent(message, sentence.attached.words, sentence.standing.shown, prediction)


@pytest.mark.reaches(0.5)
@pytest.mark.parametrize("seed", range(200))
def test_views_do_not_depend_on_what_was_sent_before(seed: int, reached: Reached) -> None:
    source = random.Random(seed)
    now = random_words(source, source.randint(1, 6))
    sentence, prediction = sentence_of(*now), source.choice(PREDICTIONS)
    fresh = word_views(sentence, prediction)
    before = mostly_the_same(source, *now) if source.random() < 0.8 else random_words(source, 3)
    sentence.sent = sent_of(
        sentence_of(*before), prediction if source.random() < 0.8 else source.choice(PREDICTIONS)
    )
    views, sent = word_views(sentence, prediction), sentence.sent.message.words
    assert views == fresh
    reached(any(view is old for view, old in zip(views, sent, strict=False)))


@pytest.mark.parametrize("prediction", PREDICTIONS)
def test_only_words_that_have_changed_are_made_anew(prediction: Prediction) -> None:
    words, judged = random_words(random.Random(0), 5)
    sentence = sentence_of(words, judged)
    sentence.sent = sent_of(sentence, prediction)
    analysis, confidences = judged
    sentence.standing.shown = analysis, (*confidences[:-1], 0.25)
    *same, changed = word_views(sentence, prediction)
    *before, last = sentence.sent.message.words
    assert all(view is old for view, old in zip(same, before, strict=True))
    assert (changed.confidence, changed.form) == (0.25, last.form)
