"""A segmenter whose weights are set by hand, so that it is plain what it says of any text."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from cases import each

from treewhile.incremental.texts.alphabets import (
    BLANK_LINE,
    CLASSES,
    JOINER,
    LINE_END,
    MARK,
    PUNCTUATION,
    SHORT,
    SPACE,
    UPPER,
    Alphabet,
)
from treewhile.incremental.texts.segmented_text import SegmentedText
from treewhile.incremental.texts.segmenter import LONGEST_SENTENCE, LONGEST_TEXT, LONGEST_TOKEN, Segmenter
from treewhile.incremental.texts.splits import Splits
from treewhile.incremental.texts.text_words import TextSentence
from treewhile.oracles import InputError

Arrays = dict[str, npt.NDArray[Any]]

STOP, APOSTROPHE = CLASSES, CLASSES + 1  # the codes of the vocabulary below
FEATURES = [STOP, UPPER, APOSTROPHE]


def classifier(name: str, bias: int, **weights: int) -> Arrays:
    """One unit that adds weights, `upper_2` being that of a capital two symbols to the right."""
    symbols = np.zeros((CLASSES + 2, 3), np.int8)
    symbols[FEATURES, range(3)] = 64
    hidden = np.zeros((5 * 3 + 2 * 1 + 1, 1), np.int8)
    for key, weight in weights.items():
        feature, offset = key.split("_")
        hidden[(2 + int(offset)) * 3 + ["stop", "upper", "apostrophe"].index(feature)] = weight
    hidden[-1] = bias
    return {
        f"{name}.keys": np.zeros(0, np.uint32),
        f"{name}.symbols": symbols,
        f"{name}.words": np.zeros((1, 1), np.int8),
        f"{name}.hidden": hidden,
        f"{name}.second": np.array([[127], [0]], np.int8),
        f"{name}.output": np.array([[127], [0]], np.int8),
    }


def rules() -> tuple[Arrays, dict[str, Any]]:
    """Punctuation but "'" is a token of its own; a sentence ends at a stop with a capital after the space."""
    asked = np.zeros((CLASSES, CLASSES), np.uint8)
    asked[:, PUNCTUATION] = asked[PUNCTUATION] = 1
    asked[:, [MARK, JOINER]] = asked[JOINER] = 0
    arrays = {
        "asked": asked,
        **classifier("token_ends", 100, apostrophe_0=-100, apostrophe_1=-100),
        **classifier("sentence_ends", -100, stop_0=100, upper_2=100),
    }
    tokens = {"im": [1, "n", ["dem"]], "isn't": [3, "", ["n't"]], "cant": None}
    endings = {"n't": [3, "", ["n't"]], "nt": [2, "", ["nt"]], "ant": None}
    windows = {"token_ends.window": [2, 2, 1, 0], "sentence_ends.window": [2, 2, 2, 0]}
    information = {"vocabulary": ".'", "joins_spaces": False, "tokens": tokens, "endings": endings}
    return arrays, information | windows


RULES = Segmenter.from_arrays(*rules())


def forms(text: str) -> list[list[str]]:
    return [[word.form for word in sentence.words] for sentence in RULES.segment(text)]


def words(text: str) -> list[str]:
    return [form for sentence in forms(text) for form in sentence]


def test_words_and_sentences_are_told_by_the_rules() -> None:
    assert forms("Go, now. We go. no more") == [["Go", ",", "now", "."], ["We", "go", ".", "no", "more"]]


def test_a_blank_line_ends_a_sentence_and_a_line_end_does_not() -> None:
    assert forms("one\ntwo\n \nthree") == [["one", "two"], ["three"]]


@each(
    "text, has_ended",
    [
        ("it barks .", True),
        ("it barks ?!", True),
        ("it barks …", True),
        ('it barks . "', True),
        ("it barks \uff01 ”", True),
        ("„ it barks . “", True),
        ("» it barks ! «", True),
        ("it barks ,", False),
        ("it barks", False),
        ("it barks\n", False),
        ("it barks\n\n", True),
        (".", True),
        ('"', False),
    ],
)
def test_final_punctuation_or_a_blank_line_ends_the_last_sentence(text: str, has_ended: bool) -> None:
    assert [sentence.has_ended for sentence in RULES.segment(text)] == [has_ended]
    assert [sentence.has_ended for sentence in SegmentedText(RULES, text).sentences] == [has_ended]


def test_multiword_tokens_are_split_by_token_and_else_by_the_longest_ending() -> None:
    assert words("im isn't cant didn't dont restaurant") == [
        *("in", "dem"),
        *("is", "n't"),
        "cant",
        *("did", "n't"),
        *("do", "nt"),
        "restaurant",
    ]


def test_words_take_the_case_of_their_token() -> None:
    assert words("Im IM ISN'T Didn't") == ["In", "dem", "IN", "DEM", "IS", "N'T", "Did", "n't"]


def test_a_token_that_is_nothing_but_an_ending_stays_whole() -> None:
    assert words("n't nt") == ["n't", "nt"]


def test_words_have_their_part_of_the_token_where_they_make_it_up_and_else_all_of_it() -> None:
    text = "Didn't im"
    places = [
        (word.start, word.end, word.token.start, word.token.end) for word in RULES.segment(text)[0].words
    ]
    assert places == [(0, 3, 0, 6), (3, 6, 0, 6), (7, 9, 7, 9), (7, 9, 7, 9)]


def test_places_point_at_the_surface() -> None:
    text = "  One, \t two\u00a0three.\n\nFour didn't "
    for sentence in RULES.segment(text):
        assert (sentence.start, sentence.end) == (sentence.words[0].start, sentence.words[-1].end)
        for word in sentence.words:
            assert text[word.token.start : word.token.end] == word.token.surface
            assert text[word.start : word.end] == word.form


def test_rows_tell_ranges_and_missing_spaces() -> None:
    first, second = RULES.segment("I didn't. Im\n")
    none = "\t_" * 7
    assert list(first.rows()) == [
        f"1\tI{none}\t_",
        f"2-3\tdidn't{none}\tSpaceAfter=No",
        f"2\tdid{none}\t_",
        f"3\tn't{none}\t_",
        f"4\t.{none}\t_",
    ]
    assert next(second.rows()) == f"1-2\tIm{none}\t_"
    assert [sentence.space_after for sentence in RULES.segment("A. B")] == [True, False]


def test_white_space_is_one_symbol_however_long() -> None:
    codes, starts, shown = Alphabet("").symbols("a \t b \n c\n\x0b\n\n!")
    assert codes[1::2].tolist() == [SPACE, LINE_END, BLANK_LINE]
    assert (starts.tolist(), shown) == ([0, 1, 4, 5, 8, 9, 13], "a b c !")


def joining() -> Segmenter:
    """As the rules, but in this treebank no space ends a token, whatever stands around it."""
    arrays, information = rules()
    never = classifier("token_ends", -100)
    return Segmenter.from_arrays({**arrays, **never}, {**information, "joins_spaces": True})


@each("text", ["", " ", "a", "\n \n", "a  b\n", " a\t\n.\r\n\n\nb 🎉\u00a0\u2028c "])
def test_a_short_text_has_the_symbols_that_it_has_as_part_of_a_long_one(text: str) -> None:
    alphabet, long = Alphabet("ab."), "x" * SHORT
    codes, starts = alphabet.codes(text)
    many_codes, many_starts = alphabet.codes(long + text)
    assert codes == many_codes[SHORT:]
    assert [SHORT + start for start in starts] == [*many_starts[SHORT:]]


def test_the_words_of_a_token_are_kept_and_no_more_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treewhile.incremental.texts.segmenter.TOKENS_KEPT", 10)
    cut, words = list[str](), Splits.words

    def counted(splits: Splits, surface: str) -> tuple[str, ...]:
        cut.append(surface)
        return words(splits, surface)

    monkeypatch.setattr(Splits, "words", counted)
    segmenter = Segmenter.from_arrays(*rules())
    short, long = ([f"{start}{number}" for number in range(35)] for start in ("ab", "a" * 1000))
    for surface in [one for pair in zip(short, long, strict=True) for one in pair]:
        once = segmenter.words(surface, 3, 3 + len(surface))
        assert segmenter.words(surface, 3, 3 + len(surface)) == once
    assert cut == [one for surfaces in zip(short, long, long, strict=True) for one in surfaces]
    cut.clear()
    for surface in reversed(short):
        segmenter.words(surface, 3, 3 + len(surface))
    assert len(short) - len(cut) <= 10


def test_a_token_may_have_white_space_in_it_which_is_one_space_in_its_surface() -> None:
    (sentence,) = joining().segment("10 \n 000")
    assert [word[:3] for word in sentence.words] == [("10 000", 0, 8)]
    assert sentence.words[0].token.surface == "10 000"


def test_no_word_of_a_token_with_white_space_begins_or_ends_with_it() -> None:
    arrays, information = rules()
    information = {**information, "joins_spaces": True, "endings": {"km": [2, "", ["km"]]}}
    never = classifier("token_ends", -100)
    (sentence,) = Segmenter.from_arrays({**arrays, **never}, information).segment("10 km")
    assert [word[:3] for word in sentence.words] == [("10", 0, 5), ("km", 0, 5)]


@pytest.mark.parametrize("text", ["", " ", "\n\n\n", "\0\x01\x1f", "\u200b\ufeff\u2028\u0085\u00a0"])
def test_text_without_anything_to_see_has_no_words(text: str) -> None:
    assert RULES.segment(text) == []


@each(
    "text, expected",
    [
        ("a\0b\x07c", ["a", "b", "c"]),
        ("\ud800 x\udfff", ["\ufffd", "x\ufffd"]),
        ("e\u0301\u0302, \u0301", ["e\u0301\u0302", ",", "\u0301"]),
        ("!\u0301", ["!\u0301"]),
        (
            "\U0001f469\u200d\U0001f680 \U0001f44d\U0001f3fd",
            ["\U0001f469\u200d\U0001f680", "\U0001f44d\U0001f3fd"],
        ),
        ("日本語、です。", ["日本語", "、", "です", "。"]),
        ("\u0130N'T", ["\u0130", "N'T"]),
    ],
)
def test_unusual_characters_give_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_a_token_without_end_is_cut() -> None:
    text = "x" * (2 * LONGEST_TOKEN + 5)
    assert list(map(len, words(text))) == [LONGEST_TOKEN, LONGEST_TOKEN, 5]


def test_a_sentence_without_end_is_cut_but_never_within_a_token() -> None:
    text = "a " * (LONGEST_SENTENCE - 1) + "didn't " + "b " * LONGEST_SENTENCE + "c"
    assert [len(sentence.words) for sentence in RULES.segment(text)] == [
        LONGEST_SENTENCE + 1,
        LONGEST_SENTENCE,
        1,
    ]


def streamed(text: str, size: int) -> list[TextSentence]:
    return list(RULES.segment_stream(text[at : at + size] for at in range(0, len(text), size)))


@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_a_stream_gives_the_sentences_of_the_whole_text(size: int) -> None:
    text = " Go, now. We\n didn't \n\n go.   Im Haus.\n" * 9 + "y" * (LONGEST_TOKEN + 1) + "  \n"
    assert streamed(text, size) == RULES.segment(text)


def test_a_stream_gives_a_sentence_before_it_reads_much_further() -> None:
    read = 0

    def characters() -> Any:
        nonlocal read
        for character in "Go. We go. " * 1000:
            read += 1
            yield character

    sentences = RULES.segment_stream(characters())
    assert [word.form for word in next(sentences).words] == ["Go", "."]
    assert read < 12


def test_white_space_without_end_takes_no_room_in_a_stream() -> None:
    sentences = list(RULES.segment_stream([*["Go"], *[" " * 50] * 3000, "on"]))
    assert [(word.form, word.start) for word in sentences[0].words] == [("Go", 0), ("on", 150_002)]


def test_too_long_a_text_is_refused() -> None:
    with pytest.raises(InputError, match="give it to segment_stream in pieces"):
        RULES.segment(" " * (LONGEST_TEXT + 1))


# --- what a file holds ------------------------------------------------------------------------------------


def test_a_segmenter_read_from_what_it_writes_is_the_same() -> None:
    information = json.loads(json.dumps(RULES.information()))
    read = Segmenter.from_arrays({name: array.copy() for name, array in RULES.arrays().items()}, information)
    text = "Go, now. We didn't go im cant. IM Haus"
    assert read.segment(text) == RULES.segment(text)
    assert read.information() == information
    assert {array.dtype.name for array in read.arrays().values()} == {"int8", "uint8", "uint32"}


@each("name", [*rules()[0]])
def test_a_missing_array_is_refused(name: str) -> None:
    arrays, information = rules()
    del arrays[name]
    with pytest.raises(InputError, match=f"{name} is missing, in the segmenter"):
        Segmenter.from_arrays(arrays, information)


@each("name", [*rules()[0]])
def test_an_array_of_another_shape_or_type_is_refused(name: str) -> None:
    arrays, information = rules()
    for wrong in (arrays[name].astype(np.float64), arrays[name][None], np.zeros((0, 0), arrays[name].dtype)):
        with pytest.raises(InputError, match=f"{name} has to be"):
            Segmenter.from_arrays({**arrays, name: wrong}, information)


@each(
    "name, wrong",
    [
        ("vocabulary", None),
        ("vocabulary", "aa"),
        ("vocabulary", "abc"),
        ("joins_spaces", 1),
        ("token_ends.window", [1, 2]),
        ("token_ends.window", [2, 2, 1]),
        ("token_ends.window", [1, 2, 0, 0]),
        ("sentence_ends.window", [True, 2, 2, 0]),
        ("sentence_ends.window", [3, 2, 2, 0]),
        ("sentence_ends.window", [2, 2, 2, -1]),
        ("sentence_ends.window", [2, 2, 2, 129]),
        ("tokens", []),
        ("tokens", {"ab": [3, "", ["b"]]}),
        ("tokens", {"ab": [2, "", ["b"]]}),
        ("tokens", {"ab": [1, "", [""]]}),
        ("endings", {"ab": [1, "", ["x\ty"]]}),
        ("endings", {"ab": [1, "", [1]]}),
        ("endings", {"ab": [1, 1, ["b"]]}),
        ("endings", {"ab": "split"}),
        ("endings", {"ab": "1ab"}),
        ("endings", {"ab": [1, "", None]}),
        ("endings", {"ab": [1, "", "b"]}),
    ],
)
def test_wrong_information_is_refused(name: str, wrong: Any) -> None:
    arrays, information = rules()
    with pytest.raises(InputError, match="in the segmenter of a model file"):
        Segmenter.from_arrays(arrays, {**information, name: wrong})


@pytest.mark.parametrize("name", ["vocabulary", "joins_spaces", "token_ends.window", "tokens", "endings"])
def test_missing_information_is_refused(name: str) -> None:
    arrays, information = rules()
    del information[name]
    with pytest.raises(InputError, match=f"{name} "):
        Segmenter.from_arrays(arrays, information)


def test_keys_that_do_not_rise_are_refused() -> None:
    arrays, information = rules()
    more = {"token_ends.keys": np.array([2, 2], np.uint32), "token_ends.words": np.zeros((3, 1), np.int8)}
    with pytest.raises(InputError, match=r"token_ends\.keys have to rise"):
        Segmenter.from_arrays({**arrays, **more}, information)


def test_weights_whose_sums_would_not_be_exact_are_refused() -> None:
    arrays, information = rules()
    wide = {
        "token_ends.symbols": np.zeros((CLASSES + 2, 250), np.int8),
        "token_ends.hidden": np.full((5 * 250 + 3, 1), 127, np.int8),
    }
    with pytest.raises(InputError, match=r"token_ends\.hidden has to have weights whose sums stay below"):
        Segmenter.from_arrays({**arrays, **wide}, information)
