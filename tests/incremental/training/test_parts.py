from __future__ import annotations

from pathlib import Path

import pytest

from treewhile.incremental import read_sentences
from treewhile.incremental.training.parts import SkippedSentences, check_scorable, check_trainable, learnt_too


def row(number: int, form: str, head: object) -> str:
    return f"{number}\t{form}\t_\tX\t_\t_\t{head}\tdep\t_\t_\n"


GOOD = row(1, "a", 2) + row(2, "b", 0) + "\n"
CIRCLE = row(1, "a", 2) + row(2, "b", 1) + "\n"
HEADLESS = row(1, "a", "_") + row(2, "b", 0) + "\n"
BLANK_WORD = row(1, "\u00a0", 0) + "\n"
NINE_COLUMNS = row(1, "a", 0).replace("\t_\n", "\n") + "\n"
OTHER_HEAD = row(1, "a", 7) + "\n"


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    parts = (GOOD, CIRCLE, NINE_COLUMNS, HEADLESS, BLANK_WORD, OTHER_HEAD, GOOD)
    (tmp_path / "a.conllu").write_text("".join(parts))
    return tmp_path / "a.conllu"


def test_what_cannot_be_used_is_left_out_and_its_places_are_known(bank: Path) -> None:
    skipped = SkippedSentences()
    assert [len(sentence.words) for sentence in skipped.read([str(bank)], check_trainable)] == [2, 2, 2]
    unreadable, unusable = (
        [str(problem).rpartition("a.conllu:")[2] for problem in problems]
        for problems in skipped.by_kind().values()
    )
    assert unreadable == ["7", "14, column HEAD"]
    assert unusable == ["4, column HEAD", "12, column FORM"]


def test_what_is_scored_needs_all_its_heads(bank: Path) -> None:
    skipped = SkippedSentences()
    assert len([*skipped.read([str(bank)], check_scorable)]) == 2
    assert [len(problems) for problems in skipped.by_kind().values()] == [2, 3]


def test_nothing_is_told_where_nothing_is_left_out(bank: Path) -> None:
    bank.write_text(GOOD)
    skipped = SkippedSentences()
    assert len([*skipped.read([str(bank), str(bank)], check_trainable)]) == 2
    assert skipped.by_kind() == {}


def test_sentences_that_are_learnt_too_are_found_by_their_letters(tmp_path: Path) -> None:
    words = ("Wir", "gehen", "heute", "zum", "See", ".")
    whole = [row(number, form, number - 1) for number, form in enumerate(words, 1)]
    cut = [
        *whole[:3],
        "4-5\tzum" + "\t_" * 8 + "\n",
        row(4, "zu", 3),
        row(5, "dem", 4),
        row(6, "See", 5),
        row(7, "!", 6),
    ]
    short = [row(1, "Guten", 2), row(2, "Tag", 0)]
    parts = []
    for number, sentences in enumerate(([whole, short], [cut, short])):
        path = tmp_path / f"{number}.conllu"
        path.write_text("".join("".join(rows) + "\n" for rows in sentences))
        parts.append([*read_sentences(str(path))])
    assert learnt_too(parts[0], [[], parts[1]]) == learnt_too(parts[1], [parts[0]]) == 1
    assert learnt_too(parts[0], [parts[1][1:]]) == 0
