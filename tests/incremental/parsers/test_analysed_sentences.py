from __future__ import annotations

import io
import random
from collections.abc import Callable, Sequence

import pytest
from cases import cases, each_seed

from treewhile.incremental import (
    LATER,
    Analysis,
    ExpectedWord,
    GrowingParse,
    Model,
    Sentence,
    Virtual,
    analysis_of_sentence,
    read_sentences,
    sentence_of_analysis,
)
from treewhile.oracles import InputError

ADJECTIVE, NOUN = Virtual(3, "ADJ"), Virtual(1, "NOUN")
HALF = Analysis(
    words=("Peter", "drives", "a", "very"),
    tags=("PROPN", "VERB", "DET", "ADV"),
    features=("_", "Tense=Pres", "_", "_"),
    heads=(2, 0, NOUN, ADJECTIVE),
    labels=("nsubj", "root", "det", "advmod"),
    expected=(ExpectedWord(NOUN, 2, "obj"), ExpectedWord(ADJECTIVE, NOUN, "amod")),
)


def read(text: str) -> Sentence:
    (sentence,) = read_sentences(io.BytesIO(text.encode()))
    return sentence


def test_expected_words_become_empty_nodes_on_which_words_hang() -> None:
    assert [row.replace("\t", " ") for row in sentence_of_analysis(HALF).rows] == [
        "1 Peter _ PROPN _ _ 2 nsubj _ _",
        "2 drives _ VERB _ Tense=Pres 0 root _ _",
        "3 a _ DET _ _ _ det 4.1:det _",
        "4 very _ ADV _ _ _ advmod 4.2:advmod _",
        "4.1 _ _ NOUN _ _ _ _ 2:obj Virtual=1",
        "4.2 _ _ ADJ _ _ _ _ 4.1:amod Virtual=3",
    ]
    assert sentence_of_analysis(HALF).comments == ("# text = Peter drives a very",)


def test_what_hangs_on_later_has_no_head_and_keeps_its_label() -> None:
    later = Analysis(
        ("the",), ("DET",), ("_",), (NOUN,), ("det",), (ExpectedWord(NOUN, LATER, "nsubj:pass"),)
    )
    assert sentence_of_analysis(later).rows[1].endswith("\tVirtual=1|Later=nsubj:pass")
    assert analysis_of_sentence(sentence_of_analysis(later)) == later
    alone = Analysis(("the",), ("DET",), ("_",), (LATER,), ("_",))
    assert analysis_of_sentence(sentence_of_analysis(alone)) == alone


@each_seed(cases(20))
def test_any_analysis_comes_back_from_its_text(
    model: Model, random_words: Callable[[random.Random, int], Sequence[str]], seed: int
) -> None:
    source = random.Random(seed)
    parse = GrowingParse(model)
    expected = 0
    for word in random_words(source, 20):
        parse.append(word)
        for analysis in (parse.best(), parse.committed()):
            expected += len(analysis.expected)
            assert analysis_of_sentence(read(str(sentence_of_analysis(analysis)))) == analysis
    assert expected, "some words were expected on the way"
    parse.close()
    sentence = sentence_of_analysis(parse.best())
    assert analysis_of_sentence(read(str(sentence))) == parse.best()
    assert sentence.heads == [*parse.best().heads]


def test_empty_nodes_of_a_treebank_are_no_expected_words() -> None:
    text = "1\ta\t_\tDET\t_\t_\t0\troot\t_\t_\n1.1\tb\t_\tNOUN\t_\t_\t_\t_\t1:conj\t_\n\n"
    assert analysis_of_sentence(read(text)) == Analysis(("a",), ("DET",), ("_",), (0,), ("root",))


def test_a_word_on_what_is_not_expected_is_refused() -> None:
    with pytest.raises(InputError, match="which the analysis does not expect"):
        sentence_of_analysis(Analysis(("a",), ("DET",), ("_",), (NOUN,), ("det",)))
