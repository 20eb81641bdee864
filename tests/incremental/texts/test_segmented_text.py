"""Edits against segmenting afresh, by segmenters of random weights: all they obey is their window."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import numpy as np
import pytest
from cases import cases, each, each_seed

from treewhile.incremental.texts.alphabets import BEGIN, CLASSES, END, JOINER, LINE_END, MARK, Alphabet
from treewhile.incremental.texts.classifiers import WordRuns
from treewhile.incremental.texts.segmented_text import Change, SegmentedText
from treewhile.incremental.texts.segmenter import LONGEST_SENTENCE, LONGEST_TEXT, LONGEST_TOKEN, Segmenter
from treewhile.incremental.texts.text_words import TextSentence, TextWord
from treewhile.oracles import InputError

VOCABULARY = "abcdeT.,!?'"
PIECES = [
    *"abcdeT.T.,!? \n'",
    *(" ", "  ", "\n\n", "\t\n", "\0", "\u200b", "e\u0301", "\U0001f600\u200d", "\ud800", "\u4e2d"),
    *("ab ", "cd", "Mr. ", "abc. Te", "de, de ", "a\n", "\nb"),
]
FEW_PIECES = [*"abT. \n"]  # with these, a white space at the edge of a window often becomes another


def hashes(alphabet: Alphabet, words: list[str]) -> np.ndarray[Any, Any]:
    found = []
    for word in words:
        codes = np.array([BEGIN, *alphabet.symbols(word).codes, END], np.uint16)
        found.append(WordRuns(alphabet, codes).before(np.array([len(word)]), len(word) + 1)[0])
    return np.unique(np.array(found, np.uint32))


def random_segmenter(seed: int, joins_spaces: bool) -> Segmenter:
    drawn = np.random.default_rng(seed)

    def numbers(*shape: int) -> np.ndarray[Any, Any]:
        return drawn.integers(-60, 61, shape).astype(np.int8)

    keys = hashes(Alphabet(VOCABULARY), ["a", "b", "ab", "c", "d", "de", "Te"])
    arrays = {"asked": (drawn.random((CLASSES, CLASSES)) < 0.8).astype(np.uint8)}
    arrays["asked"][:, [MARK, JOINER]] = 0
    information: dict[str, Any] = {"vocabulary": VOCABULARY, "joins_spaces": joins_spaces}
    information["tokens"] = {"ab": [1, "", ["b"]], "cd": [1, "x", ["yy"]]}
    information["endings"] = {"e": [1, "", ["e"]], "ee": None, "b": [1, "q", ["z"]]}
    for name, least_blanks in (("token_ends", 1 + joins_spaces), ("sentence_ends", 1)):
        left, right = (int(size) for size in drawn.integers(1, 6, 2))
        line = 3 * seed % 13 if name == "sentence_ends" else 0
        information[f"{name}.window"] = [left, right, least_blanks + int(drawn.integers(2)), line]
        arrays[f"{name}.keys"] = keys
        arrays[f"{name}.symbols"] = numbers(CLASSES + len(VOCABULARY), 3)
        arrays[f"{name}.words"] = numbers(len(keys) + 1, 3)
        if line:
            arrays[f"{name}.lines"] = numbers(line + 1, 2)
        arrays[f"{name}.hidden"] = numbers((left + 1 + right) * 3 + 2 * 3 + 3 * (line > 0) + 1, 8)
        arrays[f"{name}.second"], arrays[f"{name}.output"] = numbers(9, 6), numbers(7, 1)
    return Segmenter.from_arrays(arrays, information)


SEEDS = range(31, 37)  # which find much and little
SEGMENTERS = [random_segmenter(seed, joins_spaces) for seed in SEEDS for joins_spaces in (False, True)]


class Edit(NamedTuple):
    start: int
    end: int
    new_text: str


def random_edit(length: int, drawn: random.Random) -> Edit:
    """Half of the edits append, as people mostly do."""
    if drawn.random() < 0.5:
        return Edit(length, length, drawn.choice(PIECES))
    start = drawn.randint(0, length)
    end = min(length, start + drawn.choice([0, 0, 1, 1, 3, 40]))
    return Edit(start, end, "".join(drawn.choices(PIECES, k=drawn.choice([0, 0, 1, 2, 6]))))


def applied(text: str, edit: Edit) -> str:
    return text[: edit.start] + edit.new_text + text[edit.end :]


def words_of(sentences: list[TextSentence]) -> list[TextWord]:
    return [word for sentence in sentences for word in sentence.words]


def forms_of(sentences: list[TextSentence]) -> list[list[str]]:
    return [[word.form for word in sentence.words] for sentence in sentences]


@each("number", range(len(SEGMENTERS)))
def test_edits_give_what_segmenting_afresh_gives_and_undoing_them_too(number: int) -> None:
    segmenter, drawn = SEGMENTERS[number], random.Random(number)
    for _ in range(4):
        edited, text = SegmentedText(segmenter), ""
        undo = []
        for _ in range(40):
            edit = random_edit(len(text), drawn)
            undo.append(Edit(edit.start, edit.start + len(edit.new_text), text[edit.start : edit.end]))
            edited.replace(*edit)
            text = applied(text, edit)
            assert edited.text == text
            assert edited.sentences == segmenter.segment(text), (number, text)
            assert list(edited.words) == words_of(edited.sentences)
        for edit in reversed(undo):
            edited.replace(*edit)
        assert (edited.text, edited.sentences, len(edited)) == ("", [], 0)


@each("number", range(len(SEGMENTERS)))
def test_the_change_tells_what_stays(number: int) -> None:
    segmenter, drawn = SEGMENTERS[number], random.Random(100 + number)
    edited = SegmentedText(segmenter, "".join(drawn.choices(PIECES, k=30)))
    for _ in range(120):
        words, sentences = list(edited.words), edited.sentences
        change = edited.replace(*random_edit(len(edited), drawn))
        after = edited.sentences
        assert words[: change.from_word] == edited.words[: change.from_word]
        kept, kept_after = words[change.to_word_before :], edited.words[change.to_word_after :]
        assert [word.form for word in kept] == [word.form for word in kept_after]
        old, new = forms_of(sentences), forms_of(after)
        assert old[: change.from_sentence] == new[: change.from_sentence]
        assert old[change.to_sentence_before :] == new[change.to_sentence_after :]
        assert len(old) - change.to_sentence_before == len(new) - change.to_sentence_after


@each("number", range(len(SEGMENTERS)))
def test_what_is_not_provisional_stays_however_the_text_goes_on(number: int) -> None:
    segmenter, drawn = SEGMENTERS[number], random.Random(200 + number)
    for at in range(60):
        pieces = [PIECES, FEW_PIECES][at % 2]
        edited = SegmentedText(segmenter, "".join(drawn.choices(pieces, k=12)))
        words = list(edited.words)
        settled, settled_ends = len(words) - edited.provisional, len(words) - edited.provisional_ends
        ends = [end for end in edited.sentence_ends if end <= settled_ends]
        for _ in range(4):
            edited.append(drawn.choice(pieces))
            assert edited.words[:settled] == words[:settled]
            assert [end for end in edited.sentence_ends if end <= settled_ends] == ends


@each("number", range(len(SEGMENTERS)))
def test_words_that_nobody_has_looked_at_have_moved_all_the_same(number: int) -> None:
    drawn = random.Random(400 + number)
    text = "".join(drawn.choices(PIECES, k=150))
    watched, edited = (SegmentedText(SEGMENTERS[number], text) for _ in range(2))
    for _ in range(150):
        edit = random_edit(len(edited), drawn)
        assert edited.replace(*edit) == watched.replace(*edit)
        words = list(watched.words)
        assert edited.word_count == len(words)
        assert (edited.provisional, edited.provisional_ends) == (
            watched.provisional,
            watched.provisional_ends,
        )
        start, end = sorted(drawn.choices(range(len(words) + 1), k=2))
        assert edited.words_between(start, end) == words[start:end]
        assert all(edited.place_of(word) == words[word].start for word in range(start, end))
    assert list(edited.words) == words
    assert edited.sentences == watched.sentences


def test_random_segmenters_find_all_that_there_is() -> None:
    text = "".join(random.Random(7).choices(PIECES, k=400))
    found = [segmenter.segment(text) for segmenter in SEGMENTERS]
    assert len({len(words_of(sentences)) for sentences in found}) > 6
    assert len({len(sentences) for sentences in found}) > 6
    assert any(" " in word.form for sentences in found for word in words_of(sentences))


@each("number", range(len(SEGMENTERS)))
def test_a_stream_in_any_chunks_gives_what_the_whole_text_gives(number: int) -> None:
    segmenter, drawn = SEGMENTERS[number], random.Random(300 + number)
    text = "".join(drawn.choices(PIECES, k=200) + drawn.choices(FEW_PIECES, k=300))
    cuts = sorted(drawn.choices(range(len(text) + 1), k=20))
    chunks = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert list(segmenter.segment_stream(chunks)) == segmenter.segment(text)
    assert list(segmenter.segment_stream(text)) == segmenter.segment(text)


def test_what_an_edit_classifies_is_bounded_by_the_window() -> None:
    drawn = random.Random(5)
    for segmenter in SEGMENTERS:
        edited = SegmentedText(segmenter, "".join(drawn.choices(PIECES, k=300)))
        for _ in range(30):
            edit = random_edit(len(edited), drawn)
            before = edited.classified
            edited.replace(*edit)
            white_space_around = 2
            bound = len(edit.new_text) + white_space_around + segmenter.left + segmenter.right
            assert edited.classified - before <= bound


@pytest.mark.parametrize("length", [100, 10_000])
def test_a_character_at_the_end_costs_the_same_in_any_text(length: int) -> None:
    segmenter = SEGMENTERS[0]
    edited = SegmentedText(segmenter, "ab, de. " * (length // 8))
    before = edited.classified
    for character in "Te, ab cd. " * 10:
        edited.append(character)
    assert edited.classified - before <= 110 * (2 + segmenter.right)


def test_forms_hold_nothing_that_a_treebank_could_not() -> None:
    drawn = random.Random(6)
    hostile = [
        *map(chr, range(0x300)),
        "\u2028",
        "\u2029",
        "\ufeff",
        "\ud800",
        "\udc00",
        "\U000e0001",
        "\u3000",
    ]
    for segmenter in SEGMENTERS:
        for word in words_of(segmenter.segment("".join(drawn.choices(hostile, k=2000)))):
            assert word.form.strip() == word.form != ""
            assert not {"\t", "\n", "\r", "\0", "\x0b", "\u2028"}.intersection(word.form)
            assert word.form.encode()


def test_tokens_and_sentences_without_end_are_cut_where_segmenting_afresh_cuts() -> None:
    segmenter = SEGMENTERS[0]
    edited = SegmentedText(segmenter, "1" * (2 * LONGEST_TOKEN))
    for edit in [Edit(3, 3, "1"), Edit(0, 1, ""), Edit(700, 700, " "), Edit(100, 101, "\n\n")]:
        edited.replace(*edit)
        assert edited.sentences == segmenter.segment(edited.text)
    edited = SegmentedText(segmenter, "c ab " * LONGEST_SENTENCE)
    assert len(edited.sentences) > 1
    for edit in [Edit(3, 3, " "), Edit(0, 0, "c "), Edit(4000, 4900, ""), Edit(2, 2, "\n\n")]:
        edited.replace(*edit)
        assert edited.sentences == segmenter.segment(edited.text)


def test_a_sentence_that_grows_too_long_is_cut_by_the_word_that_makes_it_so() -> None:
    segmenter = SEGMENTERS[0]
    edited = SegmentedText(segmenter, "c " * (LONGEST_SENTENCE - 3))
    for _ in range(6):
        edited.append("c ")
        assert edited.sentences == segmenter.segment(edited.text)
    assert edited.sentence_ends, "or nothing was cut"


def test_much_white_space_at_the_end_is_not_read_again() -> None:
    edited = SegmentedText(SEGMENTERS[0], "ab" + " \n" * 50_000)
    read: list[int] = []
    codes = Alphabet.codes
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Alphabet, "codes", lambda self, text: read.append(len(text)) or codes(self, text))
        edited.append(" ")
        edited.append("c")
    assert max(read) < 5
    assert edited.words[-1][:3] == ("c", 100_003, 100_004)


# --- by hand ----------------------------------------------------------------------------------------------


def plain_segmenter() -> Segmenter:
    """White space ends words, "im" are two. Blank lines end sentences, as does "a" of `a b` at a line end."""
    arrays: dict[str, np.ndarray[Any, Any]] = {"asked": np.zeros((CLASSES, CLASSES), np.uint8)}
    information: dict[str, Any] = {"vocabulary": "", "joins_spaces": False, "endings": {}}
    information["tokens"] = {"im": [1, "n", ["dem"]]}
    for name in ("token_ends", "sentence_ends"):
        information[f"{name}.window"] = [2, 3, 1 + (name == "sentence_ends"), 0]
        arrays[f"{name}.keys"] = np.zeros(0, np.uint32)
        shapes = {
            "symbols": (CLASSES, 1),
            "words": (1, 1),
            "hidden": (9, 1),
            "second": (2, 1),
            "output": (2, 1),
        }
        arrays |= {f"{name}.{field}": np.zeros(shape, np.int8) for field, shape in shapes.items()}
    arrays["sentence_ends.symbols"][LINE_END] = 64
    for layer, row in (("hidden", 2 + 3), ("second", 0), ("output", 0)):
        arrays[f"sentence_ends.{layer}"][row] = 127
    return Segmenter.from_arrays(arrays, information)


SHORT_LINE, LONGEST_LINE = 9, 20


def segmenter_of_lines() -> Segmenter:
    """As the plain one, but sentences end where lines of at most `SHORT_LINE` symbols do."""
    plain = plain_segmenter()
    arrays, information = plain.arrays(), plain.information()
    information["sentence_ends.window"] = [2, 3, 2, LONGEST_LINE]
    lines = np.zeros((LONGEST_LINE + 1, 1), np.int8)
    lines[1 : SHORT_LINE + 1] = 64
    hidden = np.zeros((11, 1), np.int8)
    hidden[-3] = 127
    changed = {"sentence_ends.lines": lines, "sentence_ends.hidden": hidden}
    return Segmenter.from_arrays({**arrays, **changed}, information)


def test_an_edit_at_the_begin_of_a_line_bears_on_its_end() -> None:
    edited = SegmentedText(segmenter_of_lines(), "a short one\nis here")
    assert list(edited.sentence_ends) == []
    edited.replace(0, 2, "")
    assert list(edited.sentence_ends) == [2]
    edited.replace(0, 0, "x")
    assert list(edited.sentence_ends) == []
    edited.replace(2, 2, "\n")
    assert list(edited.sentence_ends) == [1, 3]


@each_seed(cases(6))
def test_edits_give_the_line_ends_that_segmenting_afresh_gives(seed: int) -> None:
    segmenter, drawn = segmenter_of_lines(), random.Random(500 + seed)
    edited = SegmentedText(segmenter, "".join(drawn.choices(["ab", "c ", "\n"], [5, 3, 1], k=60)))
    for _ in range(150):
        start = drawn.randint(0, len(edited))
        new_text = drawn.choice(["a", "b", " ", "\n", "\n\n", ""])
        edited.replace(start, min(len(edited), start + drawn.choice([0, 1, 1, 2])), new_text)
        assert edited.sentences == segmenter.segment(edited.text)


def test_typing_tells_of_each_change() -> None:
    edited = SegmentedText(plain_segmenter())
    assert edited.append("i") == Change(0, 0, 1, 0, 0, 1)
    assert edited.append("m") == Change(0, 1, 2, 0, 1, 1)
    assert edited.append(" ") == Change(2, 2, 2, 1, 1, 1)
    assert edited.append("\n\n") == Change(2, 2, 2, 1, 1, 1)
    assert edited.append("Haus") == Change(2, 2, 3, 1, 1, 2)
    assert edited.replace(2, 5, " ") == Change(2, 2, 2, 0, 2, 1)
    assert edited.replace(3, 3, "") == Change(2, 2, 2, 1, 1, 1)
    assert edited.replace(0, 3, "") == Change(0, 2, 0, 0, 1, 1)
    assert [word[:3] for word in edited.words] == [("Haus", 0, 4)]


def test_a_word_is_provisional_until_white_space_ends_it() -> None:
    edited = SegmentedText(plain_segmenter())
    counts = []
    for character in "a im ":
        edited.append(character)
        counts.append(edited.provisional)
    assert counts == [1, 0, 1, 2, 0]


@pytest.mark.parametrize(("start", "end"), [(-1, 0), (2, 1), (0, 4), (4, 4)])
def test_an_edit_outside_the_text_is_refused(start: int, end: int) -> None:
    edited = SegmentedText(SEGMENTERS[0], "a b")
    with pytest.raises(InputError, match=f"from {start} to {end} have to lie within the text, which has 3"):
        edited.replace(start, end, "c")
    assert edited.text == "a b"


@pytest.mark.parametrize("text", [None, b"a", ["a"]])
def test_what_is_no_text_is_refused(text: Any) -> None:
    for give in (SEGMENTERS[0].segment, SegmentedText(SEGMENTERS[0]).append):
        with pytest.raises(InputError, match=r"a text has to be given, and .* is none"):
            give(text)


@pytest.mark.parametrize("given", ["en", None])
def test_what_is_no_segmenter_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match=r"and .* is none: give load_model\('en'\)\.segmenter"):
        SegmentedText(given)


def test_too_long_a_text_is_refused() -> None:
    edited = SegmentedText(SEGMENTERS[0], "a b")
    with pytest.raises(InputError, match="a text may have at most"):
        edited.append("c" * (LONGEST_TEXT - 2))
    assert (edited.text, len(edited.sentences)) == ("a b", len(SEGMENTERS[0].segment("a b")))
