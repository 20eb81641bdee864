from __future__ import annotations

import io

import numpy as np
from completeness_baselines.end_trigrams import EndTrigrams
from small_endings import ending_treebank

from treewhile.incremental import GrowingParse, Sentence, load_model, read_sentences
from treewhile.incremental.scores.completeness_scores import inputs_by, said, truth_of, written

BARKS = "1\tHe\t_\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tbarks\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
MARK = "3\t!\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n"


def sentences(text: str) -> list[Sentence]:
    return [*read_sentences(io.BytesIO(text.encode()))]


def test_what_is_said_has_small_letters_and_no_punctuation() -> None:
    [one] = said(sentences(BARKS + MARK))
    assert one == (("he", "barks"), (1, 2), ((False, False), (True, True)))


def test_what_is_written_ends_before_its_last_mark_and_after_it() -> None:
    [one] = written(sentences(BARKS + MARK))
    assert one == (("He", "barks", "!"), (1, 2, 3), ((False, False), (True, True), (True, True)))


def test_prefixes_of_marks_alone_are_left_out() -> None:
    quoted = sentences("1\t!\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_\n2\tgo\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n")
    assert written(quoted)[0].counts == (2,)
    only = sentences("1\t!\t_\tPUNCT\t_\t_\t0\troot\t_\t_\n\n")
    assert said(only) == written(only) == []
    assert truth_of([]).shape == (0, 2)


def test_what_layers_take_of_a_prefix_is_what_they_take_of_its_words_alone() -> None:
    model, material = load_model("en"), said(sentences(BARKS + MARK))
    parse = GrowingParse(model)
    assert model.completeness is not None
    for (may_end, ends), word in zip(
        model.completeness.chances(inputs_by(model, material)), ["he", "barks"], strict=True
    ):
        parse.append(word)
        found = parse.completeness()
        assert np.allclose([found.may_end, found.ends], [max(may_end, ends), ends], atol=1e-5)


def test_trigrams_know_where_sentences_end_that_they_have_seen() -> None:
    material = said(sentences(ending_treebank(50, seed=1)))
    trigrams = EndTrigrams(material)
    the, dog, barks = trigrams.ends(said(sentences(BARKS.replace("He", "The") + MARK)) + material[:1])[:3]
    assert 0 <= the < 0.1
    assert dog > 0.8
    assert 0 <= barks < 0.1


def test_trigrams_give_what_they_took_from_counts_to_shorter_ones() -> None:
    material = said(sentences(BARKS + MARK))
    he, barks = EndTrigrams(material).ends(material)
    # Each trigram, and each bigram, was seen once: the constant is 1, and half of what follows is an end.
    assert (he, barks) == (0.5, 0.5)
