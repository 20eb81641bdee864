from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest

from treewhile.incremental.texts.treebank_texts import Piece, Pieces, TreebankText, text_of_pieces
from treewhile.incremental.training.text_layouts import WIDTHS, laid_out, wrapped


def sentence(line: str, white_space: str = " ") -> Pieces:
    """The pieces of a line, with its last character as a token of its own if that is no letter."""
    words = line.split()
    stop = [] if words[-1][-1].isalpha() else [Piece(words[-1][-1], "")]
    words[-1] = words[-1][: len(words[-1]) - len(stop)]
    pieces = [*(Piece(word, " ") for word in words[:-1]), Piece(words[-1], ""), *stop]
    return [*pieces[:-1], Piece(pieces[-1].surface, white_space)]


PARAGRAPHS = [
    sentence("Anna opened the box and took out a long cable."),
    sentence("Who needs a cable?", "\n\n"),
    sentence("Nobody at all"),
    sentence("The river was high and the old bridge had been closed for a week."),
]


def shown(sentences: list[Pieces]) -> str:
    return text_of_pieces(sentences).text


def varied(times: int) -> list[TreebankText]:
    random = np.random.default_rng(1)
    return [text for _ in range(times) for text in laid_out(text_of_pieces(PARAGRAPHS), random)]


@pytest.mark.parametrize("width", [20, 33, 60])
def test_wrapped_lines_are_as_long_as_they_can_be(width: int) -> None:
    text, plain = shown(wrapped(PARAGRAPHS, width)), shown(PARAGRAPHS)
    assert re.sub(r"(?<!\n)\n(?!\n)", " ", text) == plain
    for paragraph in text.rstrip().split("\n\n"):
        lines = paragraph.split("\n")
        assert all(len(line) <= width for line in lines)
        for line, following in pairwise(lines):
            assert len(line) + 1 + len(following.split()[0]) > width


def test_wrapping_leaves_the_sentences_as_they_are() -> None:
    surfaces = [[piece.surface for piece in pieces] for pieces in PARAGRAPHS]
    assert [[piece.surface for piece in pieces] for pieces in wrapped(PARAGRAPHS, 30)] == surfaces


def test_passages_tell_where_their_tokens_and_sentences_end() -> None:
    for text in varied(200):
        ends = text.last_characters()
        assert [text.text[end] for end in ends] == [surface[-1] for surface in text.surfaces]
        assert text.last_tokens[-1] == len(text.surfaces) - 1
        assert not any(map(str.isspace, "".join(text.surfaces)))


def test_there_are_lists_headings_wrapped_text_and_texts_that_end_at_once() -> None:
    texts = [text.text for text in varied(900)]
    for pattern in [
        r"\n- \w+",
        r"\n\* \w+",
        r"\n1\. \w+",
        r"\n2\) \w+",
        r"^1\. \w[^\n]* 2\. \w",
        r"^[A-Z]\w*( \w+)?\n(Who needs a|The river was high)",
        r"the\nold|old\nbridge|been\nclosed",
        r"cable\?\nNobody",
        r"week\.$",
        r"week\. $",
        r"week\n",
        r"week\. [:;=<^x]",
        r"[a-z][.?][A-Z]",
        r"\d[.?][A-Z]",
        r"[.?]” [A-Z“]",
        r"^[(]?[A-Z][^)]*[.?]\) ",
    ]:
        assert any(re.search(pattern, text) for text in texts), pattern


def test_no_line_ends_within_a_sentence_before_it_is_full() -> None:
    for text in varied(300):
        ends = text.last_characters()
        for at in set(range(len(ends))) - set(text.last_tokens):
            if text.white_space[at] == "\n":
                before, behind = text.text[: ends[at] + 1], text.text[ends[at] + 2 :]
                assert len(before.split("\n")[-1]) + 1 + len(behind.split()[0]) > WIDTHS[0]


@pytest.mark.slow
def test_sentences_end_with_abbreviations_that_have_their_stop_where_the_treebank_keeps_such_stops() -> None:
    words = [
        f"{first}{last}" for first in ("ba", "lo", "mi", "ru") for last in ("ka", "ne", "pi", "so", "tu")
    ]
    named = sentence("The " + " ".join(map(str.title, words)) + ".")
    text = text_of_pieces([*PARAGRAPHS, sentence("The " + " ".join(words) + "."), named, *PARAGRAPHS])
    random = np.random.default_rng(1)
    ends = {
        one.surfaces[last] for _ in range(1500) for one in laid_out(text, random) for last in one.last_tokens
    }
    assert {"etc.", "Inc.", "p.m."} <= ends
