from __future__ import annotations

from pathlib import Path

import pytest

from treewhile.incremental.training.parts import SkippedSentences, check_scorable, check_trainable


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
