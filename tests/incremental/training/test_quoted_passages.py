from __future__ import annotations

import re

import numpy as np

from treewhile.incremental.texts.treebank_texts import Piece, Pieces
from treewhile.incremental.training.quoted_passages import QuotedPassages


def sentence(line: str) -> Pieces:
    """The pieces of a line whose marks have white space around them, shown without that."""
    *words, stop = line.split()
    return [*(Piece(word, " ") for word in words[:-1]), Piece(words[-1], ""), Piece(stop, " ")]


PASSAGE = [
    sentence("Anna opened the box and took out a long cable ."),
    sentence("Who needs a cable ?"),
    sentence("Nobody had asked him for it ."),
]


def shown(pieces: Pieces) -> str:
    return "".join(piece.surface + piece.white_space for piece in pieces)


def quoted(passage: list[Pieces], times: int) -> list[list[Pieces]]:
    passages = QuotedPassages(PASSAGE, np.random.default_rng(1))
    return [passages.of(passage) for _ in range(times)]


def test_marks_stand_in_the_sentence_that_they_touch() -> None:
    for passage in quoted(PASSAGE, 500):
        assert len(passage) == len(PASSAGE)
        for pieces in passage:
            assert any(map(str.isalnum, shown(pieces)))
            assert pieces[-1].white_space == " "


def test_sentences_are_quoted_in_every_manner() -> None:
    texts = ["|".join(map(shown, passage)) for passage in quoted(PASSAGE, 2000)]
    for pattern in [
        r'"[A-Z][a-z ]*\." \|"[A-Z]',  # each by itself
        r"'[A-Z][a-z ]*\.' \|'[A-Z]",
        r"“[A-Z][a-z ]*[.?!]” ",
        r"„[A-Z][a-z ]*[.?!][”“] ",
        r"« [A-Z][a-z ]*[.?!] » ",
        r'^"[A-Z][^"]*\|[^"]*" $',  # several together
        r'^"[^"|]*[?!]" [a-z ]+[.?]? ?\|',  # with who says it
        r'^"[^"|]*," [a-z ]+',
        r'^"[^"|]*", [a-z ]+',
        r'^[A-Z][a-z ]*: "[A-Z][^"|]*"',
        r'[a-z] "[a-z ]+"\.',  # a part
        r'[a-z] "[a-z ]+\."',
        r"\|\([A-Z][^|]*\) ",  # in brackets
        r"\[[a-z ]+\]",
    ]:
        assert any(re.search(pattern, text) for text in texts), pattern


def test_a_passage_that_has_quotation_marks_gets_no_others() -> None:
    passage = [[Piece('"', ""), *sentence("Go home .")[:-1], Piece(".", ""), Piece('"', " ")]]
    texts = {shown(pieces) for [pieces] in quoted(passage, 200)}
    assert '"Go home." ' in texts
    assert all(re.sub(r"[()\[\]]", "", text) == '"Go home." ' for text in texts)


def test_nothing_is_quoted_where_no_sentence_has_words_enough() -> None:
    passage = [[Piece("去", ""), Piece("。", "")]]
    assert QuotedPassages(passage, np.random.default_rng(1)).of(passage) == passage
