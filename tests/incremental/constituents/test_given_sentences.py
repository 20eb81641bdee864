from __future__ import annotations

import gzip
from contextlib import closing
from pathlib import Path

import pytest

from treewhile.incremental.constituents.given_sentences import GivenSentence, read_given
from treewhile.oracles import InputError
from treewhile.oracles.constituents.phrase_trees import Leaf


def given(path: Path, text: str) -> list[GivenSentence]:
    path.write_text(text, encoding="utf-8")
    with closing(read_given(str(path))) as sentences:
        return [*sentences]


def test_plain_words_are_one_sentence_a_line_and_blank_lines_are_none(tmp_path: Path) -> None:
    found = given(tmp_path / "words.txt", "The dog barks .\n\n  It  rains\n")
    assert [one.words for one in found] == [("The", "dog", "barks", "."), ("It", "rains")]
    assert [one.where for one in found] == [f"{tmp_path}/words.txt:1", f"{tmp_path}/words.txt:3"]
    assert found[1].leaves(["PRON", "VERB"]) == (Leaf("PRON", "It"), Leaf("VERB", "rains"))


def test_a_last_line_needs_no_end(tmp_path: Path) -> None:
    assert [one.words for one in given(tmp_path / "words", "It rains")] == [("It", "rains")]


@pytest.mark.parametrize(
    "tree", ["(ROOT (NP (NN dog-RRB-)))", "\n( (NP\n(NN dog-RRB-)))", "(ROOT\n  (NN dog-RRB-))"]
)
def test_trees_are_known_by_their_brackets_and_keep_their_leaves(tree: str, tmp_path: Path) -> None:
    [found] = given(tmp_path / "trees", f"{tree}\n")
    assert found.words == ("dog)",)
    assert found.leaves(["NOUN"]) == (Leaf("NN", "dog-RRB-"),)


@pytest.mark.parametrize("line", ["( laughs )", "(", "(laughs) loudly", ":-( sad"])
def test_words_may_begin_with_a_bracket(line: str, tmp_path: Path) -> None:
    [found] = given(tmp_path / "words", f"{line}\n")
    assert found.words == tuple(line.split())


def test_empty_elements_and_functions_are_no_part_of_what_is_given(tmp_path: Path) -> None:
    [found] = given(tmp_path / "trees", "(ROOT (S (NP-SBJ (-NONE- *)) (VP (VB go))))\n")
    assert found.words == ("go",)


def test_compressed_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "words.txt.gz"
    path.write_bytes(gzip.compress(b"It rains\n"))
    with closing(read_given(str(path))) as sentences:
        assert [one.words for one in sentences] == [("It", "rains")]


def test_what_cannot_be_parsed_is_refused_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"2000.*words:2|too many.*words:2"):
        given(tmp_path / "words", "a b\n" + "a " * 100_000 + "\n")
    with pytest.raises(InputError, match=r"characters.*words:1"):
        given(tmp_path / "words", "a" * 20_000 + "\n")
    with pytest.raises(InputError, match=r"not closed.*trees:1"):
        given(tmp_path / "trees", "(ROOT (NN dog)\n")


def test_bytes_are_told_as_they_are_read(tmp_path: Path) -> None:
    path, told = tmp_path / "words", []
    path.write_text("It rains\nIt rains\n")
    with closing(read_given(str(path), told.append)) as sentences:
        assert len([*sentences]) == 2
    assert sum(told) == 18
