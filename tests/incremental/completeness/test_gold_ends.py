from __future__ import annotations

from collections.abc import Sequence

import pytest

from treewhile.incremental.scores.completeness_scores import SaidSentence
from treewhile.incremental.treebanks.treebank import read_sentences

Rows = Sequence[tuple[str, str, int, str]]

# she said , he left when it rained .
SAID: Rows = [
    ("She", "PRON", 2, "nsubj"),
    ("said", "VERB", 0, "root"),
    (",", "PUNCT", 5, "punct"),
    ("he", "PRON", 5, "nsubj"),
    ("left", "VERB", 2, "ccomp"),
    ("when", "ADV", 8, "advmod"),
    ("it", "PRON", 8, "expl"),
    ("rained", "VERB", 5, "advcl"),
    (".", "PUNCT", 2, "punct"),
]


def said(rows: Rows, tmp_path: object) -> SaidSentence:
    path = f"{tmp_path}/one.conllu"
    lines = [
        f"{number}\t{form}\t_\t{upos}\t_\t_\t{head}\t{label}\t_\t_\n"
        for number, (form, upos, head, label) in enumerate(rows, 1)
    ]
    with open(path, "w") as file:
        file.write("".join([*lines, "\n"]))
    [sentence] = read_sentences(path)
    return SaidSentence.of(sentence)


def places(rows: Rows, tmp_path: object) -> list[str]:
    """The words after which a sentence may end."""
    one = said(rows, tmp_path)
    return [form for form, may_end in zip(one.forms, one.may_end(), strict=True) if may_end]


def test_punctuation_is_not_said(tmp_path: object) -> None:
    one = said(SAID, tmp_path)
    assert one.forms == ("She", "said", "he", "left", "when", "it", "rained")
    assert one.heads == (2, 0, 4, 2, 7, 7, 4)
    assert one.labels == ("nsubj", "root", "nsubj", "ccomp", "advmod", "expl", "advcl")


def test_what_hangs_on_punctuation_hangs_on_what_that_hangs_on(tmp_path: object) -> None:
    rows: Rows = [("-", "PUNCT", 3, "punct"), ("now", "ADV", 1, "advmod"), ("go", "VERB", 0, "root")]
    assert said(rows, tmp_path).heads == (2, 0)


def test_it_may_end_where_nothing_needs_a_word_to_come(tmp_path: object) -> None:
    assert places(SAID, tmp_path) == ["left", "rained"]


def test_a_part_that_follows_its_head_is_waited_for(tmp_path: object) -> None:
    rows: Rows = [
        ("take", "VERB", 0, "root"),
        ("cars", "NOUN", 1, "obj"),
        ("apart", "ADP", 1, "compound:prt"),
        ("fast", "ADV", 1, "advmod"),
    ]
    assert places(rows, tmp_path) == ["apart", "fast"]


def test_a_conjunct_is_not_waited_for_but_its_conjunction_waits_for_it(tmp_path: object) -> None:
    rows: Rows = [
        ("dogs", "NOUN", 2, "nsubj"),
        ("bark", "VERB", 0, "root"),
        ("and", "CCONJ", 4, "cc"),
        ("bite", "VERB", 2, "conj"),
    ]
    assert places(rows, tmp_path) == ["bark", "bite"]


def test_a_whole_sentence_may_end_whatever_its_tree(tmp_path: object) -> None:
    assert places([("hm", "INTJ", 0, "root")], tmp_path) == ["hm"]


@pytest.mark.parametrize("rows", [[("!", "PUNCT", 0, "root")]])
def test_a_sentence_of_punctuation_has_no_words(rows: Rows, tmp_path: object) -> None:
    assert said(rows, tmp_path) == ((), (), ())
    assert said(rows, tmp_path).may_end() == []
