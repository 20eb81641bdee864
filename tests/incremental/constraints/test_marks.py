"""Marks accuse where they are right: mistakes are found at their words, and good prose is left alone.

They are those of a session as servers have it. Mistakes stand in `tests/vectors/marks`, running text is that
of treebanks, with the words that they give and with those that are found in their raw text.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from growing_parses import grown
from shells import Shell

from treewhile.incremental import Session, load_model, read_sentences
from treewhile.incremental.constraints.language.grammars import load_grammar
from treewhile.incremental.constraints.search.searcher import ConstraintSearcher, searcher_for
from treewhile.incremental.search import SearchRequest
from treewhile.incremental.sessions.messages import AnalysisMessage, Close, Finish, Open
from treewhile.incremental.texts.treebank_texts import treebank_text
from treewhile.oracles.interrupts import Interrupt

DATA = Path(os.environ.get("TREEWHILE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
SENTENCES = Path(__file__).parents[2] / "vectors" / "marks" / "english.txt"
MOST_MARKS = 2 / 1000  # of the words of running text


class Span(NamedTuple):
    start: int
    end: int


class Mark(NamedTuple):
    constraint: str
    message: str
    spans: list[Span]  # of its words in the text


class Mistake(NamedTuple):
    """A sentence with a mistake, where a mark would be right, and the sentence in correct form."""

    kind: str
    wrong: str
    places: list[Span]
    right: str


def mistakes() -> list[Mistake]:
    lines = SENTENCES.read_text().splitlines()
    return [mistake(*line.split("  ", 1)) for line in lines if line and not line.startswith("#")]


def mistake(kind: str, sentence: str) -> Mistake:
    wrong, right, places = "", "", []
    for number, part in enumerate(re.split(r"\[(.*?)\]", sentence)):
        before, equals, after = part.partition("=") if number % 2 else (part, "", "")
        if number % 2:
            places.append(Span(len(wrong), len(wrong) + len(before)))
        wrong, right = wrong + before, right + (after if equals else before)
    return Mistake(kind, wrong, places, re.sub(" +", " ", right))


class Marker:
    """A session that tells the marks of texts and of sentences of words."""

    def __init__(self, language: str) -> None:
        model = load_model(language)
        self.shell = Shell(Session(model, searcher_for(model)))

    def of_text(self, text: str) -> list[Mark]:
        return self.of(Open("d", 0, text=text))

    def of_words(self, words: Sequence[str]) -> list[Mark]:
        return self.of(Open("d", 0, words=[*words]))

    def of(self, opened: Open) -> list[Mark]:
        self.shell.send(opened, Finish("d", 1))
        self.shell.settle()
        analyses = self.shell.client.sentences
        assert all(analysis and analysis.stage == "final" for analysis in analyses)
        marks = [mark for analysis in analyses if analysis for mark in marks_of(analysis)]
        self.shell.send(Close("d"))
        return marks


def marks_of(analysis: AnalysisMessage) -> Iterator[Mark]:
    for conflict in analysis.conflicts:
        words = [analysis.words[number - 1] for number in conflict.words]
        spans = [Span(analysis.start + word.start, analysis.start + word.end) for word in words]
        yield Mark(conflict.constraint, conflict.message, spans)


def is_right(mark: Mark, places: Sequence[Span]) -> bool:
    """Whether all that is marked lies where the mistake is."""
    return all(any(start <= span.start and span.end <= end for start, end in places) for span in mark.spans)


@pytest.fixture(scope="module")
def english() -> Marker:
    return Marker("en")


def test_there_are_mistakes_of_five_kinds_each_once() -> None:
    found = mistakes()
    assert len({one.wrong for one in found}) == len(found) >= 200
    assert all(count >= 40 for count in Counter(one.kind for one in found).values())
    assert {one.kind for one in found} == {
        *("agreement", "case", "missing verb", "doubled word", "wrong article")
    }
    assert all(one.wrong != one.right for one in found)


@pytest.mark.slow
def test_more_than_half_of_the_mistakes_of_each_kind_are_marked_at_the_right_word(english: Marker) -> None:
    found, marked = Counter[str](), Counter[str]()
    for one in mistakes():
        found[one.kind] += 1
        marked[one.kind] += any(is_right(mark, one.places) for mark in english.of_text(one.wrong + "\n"))
    shares = {kind: marked[kind] / found[kind] for kind in found}
    assert min(shares.values()) >= 0.5, shares
    assert marked.total() / found.total() >= 0.8, shares


@pytest.mark.slow
def test_the_same_sentences_in_correct_form_are_not_marked(english: Marker) -> None:
    marked = {one.right: marks for one in mistakes() if (marks := english.of_text(one.right + "\n"))}
    assert marked == {}


def test_a_mark_says_what_is_wrong_in_a_sentence_with_the_word(english: Marker) -> None:
    (mark,) = english.of_text("Yesterday him went to the market.\n")
    assert mark.message == "A subject is *I*, *he*, *she*, *we* or *they*, not *him*"
    assert mark.spans == [Span(10, 13)]


TREEBANKS = {
    "en": ("ud/en_ewt/en_ewt-dev.conllu", "gum/gum-dev.conllu"),
    "af": ("ud/af_afribooms/af_afribooms-dev.conllu",),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "treebank"), [(language, path) for language, paths in TREEBANKS.items() for path in paths]
)
@pytest.mark.parametrize("as_text", [False, True])
def test_running_text_is_hardly_marked(language: str, treebank: str, as_text: bool) -> None:
    path = DATA / treebank
    if not path.is_file():
        pytest.skip("the treebank is not here")
    marker, sentences = Marker(language), [*read_sentences(path)]
    words = sum(len(sentence.words) for sentence in sentences)
    if as_text:
        marks = marker.of_text(treebank_text(sentences).text)
    else:
        forms = [[word.form for word in sentence.words] for sentence in sentences]
        marks = [mark for one in forms for mark in marker.of_words(one)]
    print(f"{treebank}: {len(marks)} marks in {words} words, {1000 * len(marks) / words:.2f} in 1000")
    assert len(marks) <= MOST_MARKS * words, [mark.message for mark in marks]


def test_what_is_only_told_bends_no_tree() -> None:
    model, grammar = load_model("en"), load_grammar("english")
    telling, silent = (ConstraintSearcher(model, one) for one in (grammar, grammar.weighing))
    for one in mistakes()[::12]:
        parse = grown(model, one.wrong.removesuffix(".").split())
        for is_open in (True, False):
            if not is_open:
                parse.close()
            request = SearchRequest(model.rescore(parse.snapshot()), parse.committed(), is_open)
            told, untold = (searcher.search(request, Interrupt()) for searcher in (telling, silent))
            assert told
            assert untold
            assert (told.analysis, told.score) == (untold.analysis, untold.score)
            assert untold.conflicts == ()
