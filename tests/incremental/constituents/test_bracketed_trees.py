from __future__ import annotations

import gzip
import io
import random
import re
from pathlib import Path

import pytest
from cases import cases, each, each_seed
from planted_phrases import random_phrase

from treewhile.incremental.constituents.bracketed_trees import (
    DEEPEST,
    BracketedTree,
    on_lines,
    on_one_line,
    read_trees,
)
from treewhile.oracles import InputError
from treewhile.oracles.constituents.phrase_trees import Leaf, Phrase

SHE_LEFT = Phrase("S", (Phrase("NP", (Leaf("PRP", "She"),)), Phrase("VP", (Leaf("VBD", "left"),))))


def read(text: str | bytes) -> list[BracketedTree]:
    return [*read_trees(io.BytesIO(text if isinstance(text, bytes) else text.encode()))]


@pytest.mark.parametrize(
    "text",
    [
        "(S (NP (PRP She)) (VP (VBD left)))",
        "\n\n (S\n  (NP\n    (PRP\tShe))\n  (VP (VBD\n left)) )\r\n\r\n",
        "(S(NP(PRP She))(VP(VBD left)))",
    ],
)
def test_one_tree_on_any_number_of_lines_is_one_phrase_and_keeps_its_text(text: str) -> None:
    (tree,) = read(text)
    assert (tree.phrase, str(tree)) == (SHE_LEFT, text)


def test_trees_may_share_a_line_and_have_a_bracket_without_label_around_them() -> None:
    text = "( (S (X a)) )(S (X b))  ((S (X c)) (. .))\n(NN d)"
    trees = read(text)
    assert [tree.words for tree in trees] == [("a",), ("b",), ("c", "."), ("d",)]
    assert [tree.phrase.label for tree in trees] == ["", "S", "", ""]
    assert trees[3].phrase == Phrase("", (Leaf("NN", "d"),))
    assert "".join(map(str, trees)) == text


@each_seed(cases(30))
def test_any_treebank_is_written_back_byte_for_byte(seed: int) -> None:
    rng = random.Random(seed)
    phrases = [random_phrase(rng, rng.randint(1, 20)) for _ in range(4)]
    texts = [rng.choice([on_lines, on_one_line])(phrase) for phrase in phrases]
    text = "".join(blank + text for blank, text in zip(["", "\n", "\n\n", " "], texts, strict=True))
    text = re.sub(" ", lambda _: rng.choice([" ", "  ", "\n", "\r\n\t"]), text)
    trees = read(text)
    assert "".join(map(str, trees)) == text
    assert [tree.phrase for tree in trees] == phrases


def test_words_are_kept_as_they_are_and_other_blanks_belong_to_them() -> None:
    (tree,) = read("(X (-LRB- -LRB-) (CD 1\u00a0000) (NN a\u2028b\x85) (SYM /) (: --))")
    assert tree.words == ("-LRB-", "1\u00a0000", "a\u2028b\x85", "/", "--")


def test_a_changed_tree_stays_on_one_line_or_on_many() -> None:
    one, many = read("(S (NP (PRP She)) (VP (VBD left)))\n\n(S\n  (NP (PRP She)) (VP (VBD left)))\n")
    longer = Phrase("S", tuple(Phrase("NP", (Leaf("NN", "x" * 20), Leaf("NN", "y"))) for _ in range(3)))
    assert one.with_phrase(SHE_LEFT) is one
    assert str(one.with_phrase(longer)) == on_one_line(longer) + "\n\n"
    x = f"  (NP (NN {'x' * 20}) (NN y))"
    assert str(many.with_phrase(longer)) == "\n".join(["(S", x, x, x + ")"]) + "\n"


def test_new_words_have_their_brackets_spelt_out() -> None:
    phrase = Phrase("", (Leaf("NN", "(a)"),))
    assert on_one_line(phrase) == "( (NN -LRB-a-RRB-))"
    assert read(on_one_line(phrase))[0].words == ("-LRB-a-RRB-",)


@each(
    "phrase",
    [
        Phrase("N P", (Leaf("NN", "a"),)),
        Phrase("N(", (Leaf("NN", "a"),)),
        Phrase("NP", (Leaf("NN", "a b"),)),
        Phrase("NP", (Leaf("NN", ""),)),
        Phrase("NP", (Leaf("", "a"),)),
        Phrase("NP", (Leaf("N\nN", "a"),)),
    ],
)
def test_what_would_not_be_read_again_is_not_written(phrase: Phrase) -> None:
    for write in (on_one_line, on_lines):
        with pytest.raises(InputError, match=r"cannot stand in brackets|empty tag"):
            write(phrase)


@each(
    "text, problem",
    [
        ("(S (X a))\n\n (S (X b)", r"not closed, it lacks 1 more bracket '\)', at .*:3, column 2"),
        ("(S (X a)))", r"closes none.*:1, column 10"),
        ("(S (X a)) tail", r"'tail' stands between trees.*:1, column 11"),
        ("text", r"'text' stands between trees.*:1, column 1"),
        ("(S\n (NP the (NN dog)))", r"the word 'the' stands beside brackets.*:2, column 6"),
        ("(S\n (NP the dog))", r"the word 'dog' has no tag.*:2, column 10"),
        ("(S (NN dog) barks)", r"the word 'barks' has no tag.*:1, column 13"),
        ("(S ((NN dog)))", r"no label.*:1, column 4"),
        ("(S (NP) (X a))", r"the bracket 'NP' has no words.*:1, column 4"),
        ("(S (X a))\n()", r"the tree has no words.*:2, column 1"),
        ("( )", r"the tree has no words.*:1, column 1"),
        ("(S)", r"the tree has no words.*:1, column 1"),
        (" \n ", "nothing but blanks"),
        (b"\xef\xbb\xbf(S (X a))", "byte order mark"),
        (b"(S (X \xff))", r":1, byte 7"),
        (b"(S (X a\0))", r":1, byte 8"),
        ("(S " * (DEEPEST + 1), f"more than {DEEPEST} brackets are open"),
        ("(S " + " " * (1 << 20), "this line has to be shorter"),
        ("(S \n" + (" " * 1_000_000 + "\n") * 17, "characters"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str | bytes, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read(text)


def test_trees_come_before_what_is_wrong_behind_them() -> None:
    trees = read_trees(io.BytesIO(b"(S (X a))\n(S (X b))\n)"))
    assert [next(trees).words, next(trees).words] == [("a",), ("b",)]
    with pytest.raises(InputError, match=":3, column 1"):
        next(trees)


def test_an_empty_file_has_no_trees() -> None:
    assert read("") == []


def test_files_may_be_compressed_and_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.ptb.gz").write_bytes(gzip.compress(b"(S (X a)\n (X b))\n"))
    (tree,) = read_trees(tmp_path / "a.ptb.gz")
    assert (tree.words, tree.where(), tree.where(2)) == (
        ("a", "b"),
        f"{tmp_path / 'a.ptb.gz'}:1",
        f"{tmp_path / 'a.ptb.gz'}:2, column 5",
    )
    with pytest.raises(InputError, match=r"cannot read .*none\.ptb"):
        next(read_trees(tmp_path / "none.ptb"))


def test_as_many_brackets_as_may_be_open_are_read_and_written() -> None:
    text = "(S " * (DEEPEST - 1) + "(X a)" + ")" * (DEEPEST - 1)
    (tree,) = read(text)
    assert on_one_line(tree.phrase) == text
    assert read(on_lines(tree.phrase))[0].phrase == tree.phrase
